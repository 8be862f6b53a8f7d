"""A server that lies, and a cache that is broken: nothing unverified is used, nothing is lost."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import msgspec
import pytest
from feed_shop import Server, Shop, body, status
from filelock import FileLock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cudnn_assistant import feed, places
from cudnn_assistant.compat import Compat
from cudnn_assistant.feed import Source, describe, saved

BUILTIN = feed.load_builtin().version
FORBIDDEN = ("error", "fail", "invalid", "illegal", "fatal", "corrupt", "please", "oops")


def look(patience: float = 20.0) -> tuple[int, Source]:
    """Ask, and check what must hold whatever happened."""
    compat, source = feed.current(insist=True, patience=patience)
    sentence = describe(source)
    assert sentence.endswith(".")
    assert not any(word in sentence.lower() for word in FORBIDDEN)
    return compat.version, source


@pytest.fixture(params=[True, False], ids=["with a saved copy", "at the first time"])
def known(shop: Shop, request: pytest.FixtureRequest) -> int:
    """The version that must survive an attack: the saved one, or the built-in one."""
    if not request.param:
        return BUILTIN
    assert look()[0] == BUILTIN + 1
    return BUILTIN + 1


def held(known: int, trouble: str) -> None:
    version, source = look()
    assert version == known
    assert source.trouble == trouble
    assert source.kind == ("saved" if known > BUILTIN else "built-in")
    assert feed.current(offline=True)[0].version == known


def test_signed_with_other_keys(shop: Shop, known: int, tmp_path: Path) -> None:
    other = Shop(tmp_path / "other")
    for ahead in range(2, 6):
        other.publish(ahead)
    shop.server.folder = other.folder
    held(known, "not-trusted")
    other.server.close()


def test_other_keys_announced_by_a_root_of_their_own(
    shop: Shop, known: int, tmp_path: Path
) -> None:
    other = Shop(tmp_path / "other")
    other.repository().rotate("root")
    other.publish(5)
    shop.server.folder = other.folder
    held(known, "not-trusted")
    other.server.close()


def test_the_timestamp_has_expired(shop: Shop, known: int) -> None:
    shop.publish(2, now=datetime.now(UTC) - timedelta(days=60))
    held(known, "expired")


def test_the_server_goes_back_to_an_older_version(shop: Shop, tmp_path: Path) -> None:
    look()
    old = tmp_path / "old"
    shutil.copytree(shop.folder, old)
    shop.publish(2)
    assert look()[0] == BUILTIN + 2
    shop.server.folder = old
    version, source = look()
    assert (version, source.kind, source.trouble) == (BUILTIN + 2, "saved", "rolled-back")


def test_older_data_under_newer_signatures(shop: Shop) -> None:
    shop.publish(5)
    assert look()[0] == BUILTIN + 5
    shop.publish(3)
    version, source = look()
    assert (version, source.trouble) == (BUILTIN + 5, "rolled-back")
    assert feed.current(offline=True)[0].version == BUILTIN + 5


def test_frozen_metadata_is_noticed_when_it_expires(shop: Shop) -> None:
    nearly = datetime.now(UTC) - timedelta(days=14) + timedelta(seconds=3)
    shop.publish(2, now=nearly)
    assert look()[0] == BUILTIN + 2
    time.sleep(3.1)
    version, source = look()
    assert (version, source.kind, source.trouble) == (BUILTIN + 2, "saved", "expired")


def test_a_snapshot_of_one_version_with_the_targets_of_another(shop: Shop, known: int) -> None:
    old = shop.newest("reviewed").read_bytes()
    shop.publish(2)
    shop.newest("reviewed").write_bytes(old)
    held(known, "not-trusted")


def test_a_timestamp_of_one_version_with_the_snapshot_of_another(shop: Shop, known: int) -> None:
    old = shop.newest("snapshot").read_bytes()
    shop.publish(2)
    shop.newest("snapshot").write_bytes(old)
    held(known, "not-trusted")


@pytest.mark.parametrize("twist", ["other version", "one byte", "longer", "shorter", "empty"])
def test_the_data_was_swapped(shop: Shop, known: int, twist: str) -> None:
    old = shop.target.read_bytes()
    new = shop.publish(2)
    changed = {
        "other version": old,
        "one byte": new.replace(b"580.65.06", b"580.65.07", 1),
        "longer": new + b" ",
        "shorter": new[:-1],
        "empty": b"",
    }[twist]
    shop.target.write_bytes(changed)
    version, source = look()
    assert version == known
    assert source.trouble in ("not-trusted", "not-the-feed")
    assert feed.current(offline=True)[0].version == known


@pytest.mark.parametrize("part", ["metadata/timestamp.json", "target", "metadata/2.snapshot.json"])
def test_a_body_that_ends_too_early(shop: Shop, known: int, part: str) -> None:
    shop.publish(2)
    path = f"targets/{shop.target.name}" if part == "target" else part
    data = (shop.folder / path).read_bytes()
    shop.server.answers[path] = body(data[: len(data) // 2], length=len(data))
    version, source = look()
    assert version == known
    assert source.trouble in ("unreachable", "not-the-feed", "not-trusted")


@pytest.mark.parametrize("part", ["metadata/timestamp.json", "metadata/2.root.json", "target"])
def test_a_body_without_end_is_cut_off(shop: Shop, known: int, part: str) -> None:
    shop.publish(2)
    path = f"targets/{shop.target.name}" if part == "target" else part
    sent = 0
    stopped = threading.Event()

    def endless(request: BaseHTTPRequestHandler) -> None:
        nonlocal sent
        request.send_response(200)
        request.end_headers()
        try:
            while True:
                request.wfile.write(b" " * 65536)
                sent += 65536
        finally:
            stopped.set()

    shop.server.answers[path] = endless
    held(known, "not-the-feed")
    assert stopped.wait(10)
    assert sent < 32 * 1024 * 1024


def _drip(data: bytes, pause: float) -> Callable[[BaseHTTPRequestHandler], None]:
    def say(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        for byte in data:
            request.wfile.write(bytes([byte]))
            time.sleep(pause)

    return say


def test_a_slow_drip_ends_at_the_deadline(shop: Shop, known: int) -> None:
    data = (shop.folder / "metadata/timestamp.json").read_bytes()
    shop.server.answers["metadata/timestamp.json"] = _drip(data, 0.05)
    version, source = look(patience=0.6)
    assert (version, source.trouble) == (known, "slow")


def test_a_slow_drip_of_headers_ends_at_the_deadline(shop: Shop, known: int) -> None:
    def headers(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(200):
            request.wfile.write(f"X-{number}: 1\r\n".encode())
            time.sleep(0.05)

    shop.server.always = headers
    version, source = look(patience=0.6)
    assert (version, source.trouble) == (known, "slow")


def test_a_redirect_is_not_followed(shop: Shop, known: int, tmp_path: Path) -> None:
    elsewhere = Server(tmp_path)
    shop.server.always = status(302, Location=f"{elsewhere.url}/metadata/2.root.json")
    held(known, "not-the-feed")
    assert elsewhere.asked == []
    elsewhere.close()


@pytest.mark.parametrize("code", [500, 502, 503, 429, 401])
def test_a_server_with_troubles_of_its_own(shop: Shop, known: int, code: int) -> None:
    shop.server.always = status(code)
    held(known, "server")


def test_the_timestamp_is_missing(shop: Shop, known: int) -> None:
    shop.server.answers["metadata/timestamp.json"] = status(404)
    held(known, "server")


PORTAL = b"<!doctype html><title>Welcome to the hotel</title><form>Room number</form>"


def test_a_captive_portal_answers(shop: Shop, known: int) -> None:
    shop.server.always = body(PORTAL)
    held(known, "not-the-feed")


def test_a_portal_that_asks_for_a_sign_in(shop: Shop, known: int) -> None:
    shop.server.always = status(511)
    held(known, "not-the-feed")


def test_nobody_is_there(shop: Shop, known: int) -> None:
    shop.server.close()
    held(known, "unreachable")


@pytest.mark.parametrize("answer", [b"", b"null", b"[]", b"{}", b'{"signed": {}}', b"\x00\xff"])
def test_json_that_is_no_metadata(shop: Shop, known: int, answer: bytes) -> None:
    shop.server.always = body(answer)
    version, source = look()
    assert version == known
    assert source.trouble in ("not-the-feed", "not-trusted")


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    ("honest", "twisted"),
    [
        ("https://developer.download.nvidia.com/compute/cudnn", "https://example.com/cudnn"),
        ("https://developer.download.nvidia.com/", "https://developer.download.nvidia.com@x/"),
        ('"name":"tensorflow"', '"name":"$(reboot)"'),
        ('"requirement":"torch==', '"requirement":"--index-url x torch=='),
        ('"requirement":"torch==', '"requirement":"torch @ file:///tmp/x ; =='),
        ('"index":"cu', '"index":"../cu'),
        ('"platform":"windows-x86_64"', '"platform":"C:\\\\Windows"'),
        ('"version":"9.10.2"', '"version":"9.10.2; rm -rf /"'),
        ('"sha256":"', '"sha256":"00'),
        ('"schema": 1', '"schema": 2'),
        ('"schema": 1', '"schema": "one"'),
    ],
)
def test_signed_data_that_may_not_be_said(
    shop: Shop, known: int, honest: str, twisted: str
) -> None:
    """A stolen key can't make the data carry another host, a command or an option."""
    data = shop.publish(2)
    assert honest.encode() in data
    shop.publish_bytes(data.replace(honest.encode(), twisted.encode()))
    held(known, "not-usable")


# The clock


def test_a_clock_that_is_years_behind(shop: Shop, known: int) -> None:
    shop.publish(2, now=datetime.now(UTC) - timedelta(days=60))
    long_ago = datetime(1999, 1, 1, tzinfo=UTC)
    compat, source = feed.current(insist=True, now=long_ago)
    assert (compat.version, source.trouble) == (known, "clock")


def test_a_clock_that_is_years_ahead_keeps_the_saved_copy(shop: Shop) -> None:
    look()
    ahead = datetime.now(UTC) + timedelta(days=20 * 365)
    shop.server.close()
    compat, source = feed.current(now=ahead)
    assert (compat.version, source.kind) == (BUILTIN + 1, "saved")


def test_signatures_of_ten_years_ago(shop: Shop, known: int, tmp_path: Path) -> None:
    """What a clock that is ten years ahead sees: the root itself has run out."""
    shop.publish(2, now=datetime.now(UTC) - timedelta(days=3650))
    shop.repository(datetime.now(UTC) - timedelta(days=3650)).rotate("root")
    held(known, "expired")


# The cache


def _files() -> list[Path]:
    return sorted(path for path in saved.folder().rglob("*") if path.is_file())


@pytest.mark.parametrize("damage", [b"", b"\x00" * 100, b"{}", PORTAL])
def test_every_file_of_the_cache_may_be_damaged(shop: Shop, damage: bytes) -> None:
    look()
    for path in _files():
        path.write_bytes(damage)
    assert feed.current(offline=True)[0].version == BUILTIN
    version, source = look()
    assert (version, source.kind, source.trouble) == (BUILTIN + 1, "online", "")
    assert feed.current(offline=True)[0].version == BUILTIN + 1


def test_one_damaged_file_at_a_time(shop: Shop) -> None:
    look()
    for path in _files():
        path.write_bytes(b"damage")
        assert look()[1].kind == "online", path
        assert feed.current(offline=True)[0].version == BUILTIN + 1, path


def test_a_saved_copy_of_another_feed_is_none(shop: Shop, tmp_path: Path) -> None:
    look()
    other = Shop(tmp_path / "other")
    other.trust()
    assert feed.current(offline=True)[0].version == BUILTIN
    other.server.close()


@pytest.mark.parametrize("part", ["data", "targets", "roots"])
def test_a_saved_copy_is_proven_each_time_it_is_read(shop: Shop, tmp_path: Path, part: str) -> None:
    """Someone who may write to the cache still can't put words into our mouth."""
    shop.repository().rotate("targets")
    look()
    file = saved.folder() / "good"
    good = msgspec.msgpack.decode(file.read_bytes())
    other = Shop(tmp_path / "other")
    forged = other.publish(7)
    good["data"] = forged
    if part != "data":
        good["targets"] = other.newest("targets").read_bytes()
    if part == "roots":
        other.repository().rotate("root")
        good["roots"] = [other.newest("root").read_bytes()]
    file.write_bytes(msgspec.msgpack.encode(good))
    assert feed.current(offline=True)[0].version == BUILTIN
    other.server.close()


def test_the_cache_cannot_be_written(shop: Shop) -> None:
    places.saved().parent.mkdir(parents=True, exist_ok=True)
    places.saved().write_bytes(b"a file where a folder should be")
    version, source = look()
    assert (version, source.kind, source.trouble) == (BUILTIN + 1, "online", "cache")
    assert feed.current(offline=True)[0].version == BUILTIN


def test_a_read_only_cache_still_guards_against_going_back(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "old"
    shutil.copytree(shop.folder, old)
    shop.publish(2)
    look()
    (saved.folder() / "lock").unlink(missing_ok=True)
    (saved.folder() / "lock").mkdir()
    assert look()[1].trouble == "cache"
    shop.server.folder = old
    version, source = look()
    assert (version, source.trouble) == (BUILTIN + 2, "rolled-back")


def test_another_copy_of_the_program_is_fetching(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    look()
    monkeypatch.setattr("cudnn_assistant.feed.online._WAIT", 0.2)
    with FileLock(saved.folder() / "lock"):
        version, source = look()
    assert (version, source.kind, source.trouble) == (BUILTIN + 1, "saved", "busy")


def test_many_at_once(shop: Shop) -> None:
    seen: list[tuple[int, str]] = []

    def one() -> None:
        compat, source = feed.current(insist=True)
        seen.append((compat.version, source.trouble))

    threads = [threading.Thread(target=one) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(seen) == 6
    assert {trouble for _, trouble in seen} <= {"", "busy"}
    assert feed.current(offline=True)[0].version == BUILTIN + 1


def test_two_processes_at_once(shop: Shop) -> None:
    code = (
        "from cudnn_assistant import feed;"
        "c, s = feed.current(insist=True); print(c.version, s.trouble or 'fine')"
    )
    import subprocess
    import sys

    children = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [child.communicate(timeout=60)[0].split() for child in children]
    assert all(int(version) in (BUILTIN, BUILTIN + 1) for version, _ in said)
    assert {trouble for _, trouble in said} <= {"fine", "busy"}
    assert feed.current(offline=True)[0].version == BUILTIN + 1


# Anything at all


@pytest.fixture(scope="module")
def twisted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    from pytest_socket import enable_socket, socket_allow_hosts

    enable_socket()
    socket_allow_hosts(["127.0.0.1"])
    made = Shop(tmp_path_factory.mktemp("twisted"))
    made.publish(1)
    yield made
    made.server.close()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    which=st.integers(0, 3),
    where=st.floats(0, 1, exclude_max=True),
    twist=st.sampled_from(["flip", "drop", "double", "zero"]),
)
def test_no_change_of_a_served_byte_changes_the_data(
    twisted: Shop, which: int, where: float, twist: str
) -> None:
    twisted.trust()
    shutil.rmtree(saved.folder(), ignore_errors=True)
    paths = [
        "metadata/timestamp.json", "metadata/1.snapshot.json", "metadata/1.targets.json",
        f"targets/{twisted.target.name}",
    ]  # fmt: skip
    path = paths[which]
    data = (twisted.folder / path).read_bytes()
    at = int(where * len(data))
    changed = {
        "flip": bytes([data[at] ^ 1]),
        "drop": b"",
        "double": data[at : at + 1] * 2,
        "zero": b"\x00",
    }[twist]
    twisted.server.answers = {path: body(data[:at] + changed + data[at + 1 :])}
    compat, _ = feed.current(insist=True)
    if compat.version != BUILTIN:
        assert twisted.data.read_bytes() == twisted.target.read_bytes()
        assert compat == saved.usable(twisted.target.read_bytes())


def test_the_lock_is_left_in_peace_by_a_dead_program(shop: Shop) -> None:
    look()
    assert os.path.exists(saved.folder() / "lock")
    assert look()[1].trouble == ""


# What a stolen key of the machines can do: announce, and nothing else


def announced(shop: Shop, **what: Any) -> Compat:
    """What the program believes after announcements were signed with the online keys."""
    shop.announce(msgspec.json.encode(what))
    compat, source = feed.current(insist=True)
    assert source.trouble == ""
    return compat


def cudnn_announced(version: str, **changes: Any) -> dict[str, Any]:
    file = {
        "platform": "linux-x86_64", "size": 7, "sha256": "ab" * 32,
        "url": "https://developer.download.nvidia.com/compute/cudnn/redist/x.tar.xz",
    }  # fmt: skip
    build = {"version": version, "full": f"{version}.1", "cuda": "13", "files": [file]}
    return {"version": version, "full": f"{version}.1", "builds": [build | changes]}


def test_a_new_release_is_announced_with_inferred_limits(shop: Shop) -> None:
    before = feed.load_builtin()
    compat = announced(shop, cudnns=[cudnn_announced("9.40.0", compute_min="2.0")])
    assert compat.unreviewed == ("cuDNN 9.40.0",)
    build = compat.cudnns[-1].builds[-1]
    like = next(b for r in reversed(before.cudnns) for b in r.builds if b.cuda == "13")
    assert (build.full, build.compute_min) == ("9.40.0.1", like.compute_min)
    assert build.driver_min_linux == like.driver_min_linux
    assert set(build.inferred) == {"cuda", "driver", "compute"}
    assert feed.current(offline=True)[0] == compat


def test_a_stolen_online_key_changes_no_fact(shop: Shop) -> None:
    """Everything that a delegated target may carry, aimed at what was reviewed."""
    before = feed.load_builtin()
    row = next(one for one in before.frameworks if one.requirement == "torch==2.5.1")
    last = before.cudnns[-1].version
    compat = announced(
        shop,
        cudnns=[cudnn_announced(last, compute_min="2.0"), cudnn_announced("9.0.5")],
        frameworks=[
            msgspec.to_builtins(msgspec.structs.replace(row, python=">=3.2", compute=("2.0+PTX",)))
        ],
        wheels=[msgspec.to_builtins(before.wheels[-1]) | {"platforms": ["windows-arm64"]}],
        known_bad=[], gpus={"geforce rtx 4090": "3.0"}, floors=[], version=10**15,
    )  # fmt: skip
    shop_data = msgspec.structs.replace(before, version=compat.version)
    assert compat == shop_data


def test_a_stolen_online_key_gives_a_framework_no_gpu(shop: Shop) -> None:
    row = {
        "name": "torch", "version": "9.9.9", "family": "linux", "cuda": "13.0", "found": "wheel",
        "requirement": "torch==9.9.9", "compute": ["2.0+PTX"], "compute_min": "2.0",
    }  # fmt: skip
    made = announced(shop, frameworks=[row]).frameworks[-1]
    assert (made.compute, made.compute_min, made.sure) == ((), "", False)


@pytest.mark.parametrize(
    "evil",
    [
        "evil-pkg==1.22.0", "evil-pkg[cuda]==1.22.0", "--pre[x]", "-revil[x]", "torch[evil]==1.0",
        "torch==1.0 --index-url=x", "nvidia-evil==1.0", "torch===1.0", "Torch==1.0",
    ],
)  # fmt: skip
def test_no_signature_names_a_foreign_package(shop: Shop, evil: str) -> None:
    """Neither the person's key nor the online one."""
    compat, builtin = feed.current(insist=True)[0], feed.load_builtin()
    row = {"name": "torch", "version": "9.9.9", "family": "linux", "requirement": evil}
    shop.announce(msgspec.json.encode({"frameworks": [row]}))
    assert feed.current(insist=True)[0].frameworks == compat.frameworks
    frameworks = (msgspec.structs.replace(builtin.frameworks[0], requirement=evil),)
    shop.publish(9, frameworks=frameworks)
    version, source = look()
    assert (version, source.trouble) == (compat.version, "not-usable")


def test_announcements_that_are_no_announcements_are_left_out(shop: Shop) -> None:
    for noise in (b"", b"{", b"[]", b"\xff\xfe", b'{"cudnns": 1}', b'{"made": "\xe9"}'):
        shop.announce(noise)
        compat, source = feed.current(insist=True)
        assert (compat.unreviewed, source.trouble) == ((), "")


def test_the_online_key_signs_no_reviewed_data(shop: Shop, known: int) -> None:
    """Its signature on the data's own role counts for nothing."""
    stolen = shop.keys / "online/auto.pem"
    (shop.keys / "person/reviewed.pem").write_bytes(stolen.read_bytes())
    shop.publish(5)
    held(known, "not-trusted")


def test_data_that_is_no_utf_8(shop: Shop, known: int) -> None:
    shop.publish_bytes(shop.data.read_bytes().replace(b"torch==", b"\xe9orch==", 1))
    held(known, "not-usable")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")
def test_a_pipe_in_place_of_the_saved_copy(shop: Shop) -> None:
    feed.current()
    good = saved.folder() / "good"
    good.unlink()
    os.mkfifo(good)
    assert feed.current(offline=True)[1].kind == "built-in"


def test_a_way_back_from_a_fast_forward(shop: Shop) -> None:
    """A stolen reviewer's key signs version 10^15; the key is revoked, good data counts again."""
    shop.publish(10**15)
    assert look()[0] > 10**14
    shop.repository().rotate("reviewed")
    shop.publish(2)
    version, source = look()
    assert (version, source.kind, source.trouble) == (BUILTIN + 2, "online", "")
