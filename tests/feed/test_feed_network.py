"""Networks of companies: proxies, certificates of their own, and mirrors."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from feed_shop import Server, Shop, body, status
from tuf.api.exceptions import SlowRetrievalError

from cudnn_assistant import feed
from cudnn_assistant.download import beside, fetch
from cudnn_assistant.feed.address import VARIABLE
from cudnn_assistant.feed.fetcher import Fetcher
from cudnn_assistant.plan import Download
from cudnn_assistant.trouble import Refused

BUILTIN = feed.load_builtin().version


def test_the_proxy_of_the_system_is_used(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Server(tmp_path)

    def forward(request: BaseHTTPRequestHandler) -> None:
        path = shop.folder / urlsplit(request.path).path.lstrip("/")
        (body(path.read_bytes()) if path.is_file() else status(404))(request)

    proxy.always = forward
    monkeypatch.setenv("http_proxy", proxy.url)
    assert feed.current(insist=True)[0].version == BUILTIN + 1
    assert len(proxy.asked) == 6
    assert shop.server.asked == []
    proxy.close()


def test_a_proxy_that_refuses(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Server(tmp_path)
    proxy.always = status(407)
    monkeypatch.setenv("http_proxy", proxy.url)
    compat, source = feed.current(insist=True)
    assert (compat.version, source.trouble) == (BUILTIN, "server")
    proxy.close()


@pytest.mark.parametrize("left_out", ["127.0.0.1", "127.0.0.0/8", "example.com, 127.0.0.1", "*"])
@pytest.mark.parametrize("name", ["no_proxy", "NO_PROXY"])
def test_what_goes_past_the_proxy(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, left_out: str
) -> None:
    proxy = Server(tmp_path)
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.setenv(name, left_out)
    assert feed.current(insist=True)[0].version == BUILTIN + 1
    assert proxy.asked == []
    proxy.close()


def test_a_proxy_that_never_answers(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{silent.getsockname()[1]}")
        with closing(Fetcher(gap=0.3)) as fetcher, pytest.raises(SlowRetrievalError):
            fetcher.download_bytes(shop.server.url, 9)
        monkeypatch.setattr(beside, "_PATIENCE", 0.5)
        wanted = Download(url=f"{shop.server.url}/x", size=9, sha256="0" * 64)
        with pytest.raises(Refused, match="nothing-arrived"):
            fetch(wanted, str(tmp_path), hosts=frozenset({"127.0.0.1"}), pause=0)
    assert shop.server.asked == []


def test_a_mirror_serves_the_same_feed(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = Server(shop.folder)
    monkeypatch.setenv(VARIABLE, mirror.url)
    assert feed.current(insist=True)[0].version == BUILTIN + 1
    assert shop.server.asked == []
    mirror.close()


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _certificate(
    subject: str, key: ec.EllipticCurvePrivateKey, issuer: str, signer: ec.EllipticCurvePrivateKey,
    *, authority: bool,
) -> x509.Certificate:  # fmt: skip
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509.CertificateBuilder()
        .subject_name(_name(subject))
        .issuer_name(_name(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
    )
    return made.sign(signer, hashes.SHA256())


@pytest.fixture
def company(tmp_path: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate authority of a company, and a server with a certificate of it."""
    authority, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    root = _certificate("Company", authority, "Company", authority, authority=True)
    leaf = _certificate("Feed", key, "Company", authority, authority=False)
    pem = serialization.Encoding.PEM
    (tmp_path / "root.pem").write_bytes(root.public_bytes(pem))
    (tmp_path / "leaf.pem").write_bytes(
        leaf.public_bytes(pem)
        + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "leaf.pem")
    return tmp_path / "root.pem", context


def test_certificates_that_the_system_trusts_are_trusted(
    shop: Shop, company: tuple[Path, ssl.SSLContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, context = company
    server = Server(shop.folder, context)
    monkeypatch.setenv(VARIABLE, server.url)
    assert feed.current(insist=True)[1].trouble == "unreachable"
    monkeypatch.setenv("SSL_CERT_FILE", str(root))
    compat, source = feed.current(insist=True)
    assert (compat.version, source.kind) == (BUILTIN + 1, "online")
    server.close()
