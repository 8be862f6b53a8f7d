"""Servers and proxies that answer what makes no sense: each ends in the file, or in a sentence."""

from __future__ import annotations

import hashlib
import random
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tuf.api.exceptions import DownloadError

from cudnn_assistant.download import beside, fetch, licence
from cudnn_assistant.feed.fetcher import Fetcher
from cudnn_assistant.plan import Download
from cudnn_assistant.trouble import Refused
from cudnn_assistant.wording.refusals import why

pytestmark = pytest.mark.enable_socket  # loopback only
HOSTS = frozenset({"127.0.0.1", "developer.download.nvidia.com"})
BODY = random.Random(5).randbytes(100_003)
HERE = 40_000
"""Bytes that lie there from a try before."""
REST = BODY[HERE:]
GOES_ON = f"Content-Range: bytes {HERE}-{len(BODY) - 1}/{len(BODY)}"


def answer(code: int, body: bytes, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {code} x", *headers]
    if not any(line.startswith(("Content-Length", "Transfer")) for line in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join((*lines, "", "")).encode("latin-1") + body


WHOLE = answer(200, BODY, 'ETag: "one"')
RESUMED = {
    "416": answer(416, b""),
    "416 with content": answer(416, b"x" * 9999),
    "206 without a range": answer(206, REST),
    "206 of an earlier range": answer(206, BODY[9:], f"Content-Range: bytes 9-{len(BODY)}/1"),
    "206 of a later range": answer(206, REST[9:], f"Content-Range: bytes {HERE}9-/1"),
    "206 of the start": answer(206, BODY, f"Content-Range: bytes 0-{len(BODY) - 1}/*"),
    "206 of several": answer(206, b"--x--", "Content-Type: multipart/byteranges; boundary=x"),
    "200": WHOLE,
    "a part too short": answer(206, REST[:9000], GOES_ON),
    "a length that is longer": answer(206, REST, GOES_ON, f"Content-Length: {10**15}"),
    "two lengths": answer(206, REST, GOES_ON, "Content-Length: 5", "Content-Length: 7"),
    "a length below zero": answer(206, REST, GOES_ON, "Content-Length: -1"),
    "a length of 5,000 digits": answer(206, REST, GOES_ON, "Content-Length: " + "9" * 5000),
    "no gzip": answer(206, REST, GOES_ON, "Content-Encoding: gzip"),
    "5,000 encodings": answer(206, REST, GOES_ON, "Content-Encoding: " + "gzip," * 5000),
    "a chunk below zero": answer(206, b"-5\r\nabc", GOES_ON, "Transfer-Encoding: chunked"),
    "a chunk of letters": answer(206, b"zz\r\nabc", GOES_ON, "Transfer-Encoding: chunked"),
    "a chunk cut": answer(206, b"ffff\r\nabc", GOES_ON, "Transfer-Encoding: chunked"),
    "no answer": b"",
    "noise": bytes(range(256)) * 9,
    "a status of letters": b"HTTP/1.1 abc OK\r\n\r\n",
    "10,000 headers": b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 10_000 + b"\r\n",
}  # fmt: skip
"""Answers to a wish for the rest, each followed by a server that behaves."""
NEVER: dict[str, tuple[Callable[[int], bytes], str]] = {
    "9 bytes at a time": (
        lambda here: answer(206, BODY[here : here + 9], f"Content-Range: bytes {here}-"),
        "connection-broke-off",
    ),
    "206 for ever": (lambda _here: answer(206, REST), "nothing-arrived"),
    "noise for ever": (lambda _here: b"<" * 70_000, "connection-broke-off"),
}


class Raw:
    """A server that sends bytes as they are; ``says`` gets the range asked for (0: none)."""

    def __init__(self, says: Callable[[int], bytes]) -> None:
        self.says = says
        self.asked: list[int] = []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/redist/cudnn.tar.xz"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with suppress(OSError):  # closed
            while True:
                connection, _ = self.socket.accept()
                with connection, suppress(OSError):
                    self.one(connection)

    def one(self, connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head and (block := connection.recv(65536)):
            head += block
        _before, there, wish = head.decode("latin-1").partition("Range: bytes=")
        self.asked.append(int(wish.partition("-")[0]) if there else 0)
        connection.sendall(self.says(self.asked[-1]))
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


@pytest.fixture
def raw() -> Iterator[Callable[[Callable[[int], bytes]], Raw]]:
    running: list[Raw] = []

    def start(says: Callable[[int], bytes]) -> Raw:
        running.append(Raw(says))
        return running[-1]

    yield start
    for server in running:
        server.socket.shutdown(socket.SHUT_RDWR)
        server.socket.close()


def half(server: Raw, folder: Path) -> Download:
    """The file wanted, as a try before has left it."""
    digest = hashlib.sha256(BODY).hexdigest()
    path = folder / f"{digest[:12]}-cudnn.tar.xz"
    Path(f"{path}.part").write_bytes(BODY[:HERE])
    Path(f"{path}.etag").write_text('"one"')
    return Download(url=server.url, size=len(BODY), sha256=digest)


@pytest.mark.parametrize("name", RESUMED)
def test_a_strange_answer_costs_a_try_and_no_more(raw: Any, name: str, tmp_path: Path) -> None:
    strange = [RESUMED[name]]

    def says(here: int) -> bytes:
        if strange and here:
            return strange.pop()
        rest = f"Content-Range: bytes {here}-{len(BODY) - 1}/{len(BODY)}"
        return answer(206, BODY[here:], rest) if here else WHOLE

    server = raw(says)
    path = fetch(half(server, tmp_path), str(tmp_path), hosts=HOSTS, pause=0)
    assert Path(path).read_bytes() == BODY
    assert [one.name for one in tmp_path.iterdir()] == [Path(path).name]
    assert server.asked[0] == HERE


@pytest.mark.parametrize("name", NEVER)
def test_a_server_that_stays_strange_is_given_up(raw: Any, name: str, tmp_path: Path) -> None:
    says, code = NEVER[name]
    server = raw(says)
    with pytest.raises(Refused, match=code) as caught:
        fetch(half(server, tmp_path), str(tmp_path), hosts=HOSTS, pause=0)
    assert len(server.asked) <= 6
    assert len(why(caught.value)) < 400


@pytest.mark.parametrize("part", ["head", "content"])
def test_a_server_that_drips_is_given_up(
    part: str, raw: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside, "_PATIENCE", 0.5)
    given_up = threading.Event()

    def drips(connection: socket.socket) -> None:
        connection.recv(65536)
        head = f"HTTP/1.1 200 x\r\nContent-Length: {len(BODY)}\r\n"
        connection.sendall(head.encode() + (b"\r\n" if part == "content" else b"X: "))
        while not given_up.wait(0.05):
            connection.sendall(b"x")

    server = raw(lambda _here: b"")
    server.one = drips
    wanted = Download(url=server.url, size=len(BODY), sha256="0" * 64)
    for ask in (
        lambda: fetch(wanted, str(tmp_path), hosts=HOSTS, pause=0),
        lambda: licence(server.url, hosts=HOSTS),
    ):
        with pytest.raises(Refused, match=r"nothing-arrived|connection-broke-off|not-reached"):
            ask()
    given_up.set()


def newest(address: str) -> Download:
    return Download(url=address, size=0, sha256="")


@pytest.mark.parametrize(
    "where", ["http://[", "https://127.0.0.1:x/", "file:///etc/passwd", "//[::1"]
)
def test_an_address_that_is_none_leads_nowhere(raw: Any, where: str, tmp_path: Path) -> None:
    server = raw(lambda _here: answer(302, b"", f"Location: {where}"))
    with pytest.raises(Refused, match=r"not-reached|not-the-publishers"):
        fetch(newest(server.url), str(tmp_path), hosts=HOSTS, signed=True)


SECRET = "hunter2secret"
PROXIES = (
    "http://u:{0}@127.0.0.1:{1}", "http://u:{0}/x@127.0.0.1:{1}", "http://u:{0}#x@127.0.0.1:{1}",
    "http://u:{0}?x@127.0.0.1:{1}", "http://u:{0}☃@127.0.0.1:{1}", "http://u:{0}@127.0.0.1:99999",
    "http://u:{0}@127.0.0.1:x", "http://u:{0}@", "u:{0}@127.0.0.1:{1}", "http://u:{0}@[::1",
    "http://u:{0}@..:1", "http://u:{0}@exa mple:1", "ftp://u:{0}@127.0.0.1:{1}", "http:///{0}",
    "socks5://u:{0}@127.0.0.1:{1}",
)  # fmt: skip


@pytest.mark.parametrize("proxy", PROXIES)
def test_a_proxys_password_is_never_told(
    raw: Any, proxy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = raw(
        lambda _here: answer(407, b"", f"X: {SECRET}").replace(b"407 x", b"407 " + SECRET.encode())
    )
    monkeypatch.setenv("https_proxy", proxy.format(SECRET, refusing.port))
    address = "https://developer.download.nvidia.com/redist/cudnn.tar.xz"
    wanted = Download(url=address, size=9, sha256="0" * 64)
    for ask in (
        lambda: fetch(wanted, str(tmp_path), hosts=HOSTS, pause=0),
        lambda: fetch(newest(address), str(tmp_path), hosts=HOSTS, signed=True),
        lambda: licence(address, hosts=HOSTS),
    ):
        with pytest.raises(Refused) as caught:
            ask()
        assert SECRET not in f"{caught.value} {why(caught.value)}"
        assert ("proxy-unusable" in str(caught.value)) == (proxy != PROXIES[0])
    with pytest.raises(DownloadError) as told:
        Fetcher().download_bytes(address, 9)
    assert SECRET not in str(told.value)
