"""Downloads from a server on loopback that behaves as badly as real ones."""

from __future__ import annotations

import hashlib
import os
import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from cudnn_assistant import whole_file
from cudnn_assistant.download import (
    fetch,
    licence,
)
from cudnn_assistant.plan import Download
from cudnn_assistant.trouble import Cancelled, Refused

pytestmark = pytest.mark.enable_socket  # loopback only: the hosts below are all it asks
LOOPBACK = frozenset({"127.0.0.1"})
BODY = random.Random(5).randbytes(3_000_017)


class Server(ThreadingHTTPServer):
    """What it does is set by its fields."""

    body = BODY
    tag = '"one"'
    ranges = True
    cut: list[int] | None = None
    """Bytes after which each answer breaks off, in turn."""
    codes: list[int] | None = None
    """Answers before the first good one."""
    silent_at: int | None = None
    """Bytes after which it says nothing more until it may; -1: not even that it has heard."""
    asked: list[str | None]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.silence = threading.Event()
        self.may_go_on = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/redist/cudnn-linux.tar.xz"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        there = self.server
        there.asked.append(self.headers.get("Range"))
        if there.silent_at == -1:
            self.be_silent()
        if there.codes:
            self.send_response(there.codes.pop(0))
            self.send_header("Location", "http://127.0.0.2/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start = 0
        asked = self.headers.get("Range")
        if there.ranges and asked and self.headers.get("If-Range") == there.tag:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
            self.send_response(206)
            size = len(there.body)
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        else:
            self.send_response(200)
        rest = there.body[start:]
        self.send_header("Content-Length", str(len(rest)))
        if there.tag:
            self.send_header("ETag", there.tag)
        self.end_headers()
        if there.silent_at is not None and there.silent_at >= 0:
            self.wfile.write(rest[: there.silent_at])
            self.be_silent()
            rest = rest[there.silent_at :]
        with suppress(ConnectionError):  # whoever asked may have gone
            self.wfile.write(rest[: there.cut.pop(0)] if there.cut else rest)

    def be_silent(self) -> None:
        self.server.silence.set()
        assert self.server.may_go_on.wait(50)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        return


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.may_go_on.set()
        running.shutdown()
        thread.join()


def wanted(server: Server, body: bytes = BODY) -> Download:
    digest = hashlib.sha256(body).hexdigest()
    return Download(url=server.url, size=len(body), sha256=digest)


def get(server: Server, folder: Path, body: bytes = BODY, **more: object) -> str:
    return fetch(wanted(server, body), str(folder), hosts=LOOPBACK, pause=0, **more)  # type: ignore[arg-type]


def test_a_whole_file(server: Server, tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    path = get(server, tmp_path, progress=lambda *news: heard.append(news))
    assert Path(path).read_bytes() == BODY
    assert heard[-1] == (len(BODY), len(BODY))
    assert heard == sorted(heard)
    assert os.listdir(tmp_path) == [os.path.basename(path)]
    assert get(server, tmp_path) == path
    assert server.asked == [None]


def test_a_virus_scanner_holds_it_for_a_while(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, real = [2], os.replace

    def replace(old: str, new: str) -> None:
        held[0] -= 1
        if held[0] >= 0:
            raise PermissionError(13, "Access is denied", old)
        real(old, new)

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(whole_file, "SCANNERS", (0.01,) * 6)
    assert Path(get(server, tmp_path)).read_bytes() == BODY


def test_a_broken_connection_goes_on_where_it_ended(server: Server, tmp_path: Path) -> None:
    server.cut = [1_500_000, 700_000, 0]
    path = get(server, tmp_path)
    assert Path(path).read_bytes() == BODY
    assert server.asked[0] is None
    starts = [int((r or "bytes=0-")[6:-1]) for r in server.asked]
    assert starts == sorted(starts)
    assert starts[1] > 0


def test_it_gives_up_and_keeps_what_came(server: Server, tmp_path: Path) -> None:
    server.cut = [1_200_000] + [0] * 20
    with pytest.raises(Refused, match="connection-broke-off"):
        get(server, tmp_path)
    (part,) = tmp_path.glob("*.part")
    assert part.stat().st_size >= 1_000_000
    server.cut = None
    assert Path(get(server, tmp_path)).read_bytes() == BODY


@pytest.mark.parametrize("at", [300_000, 65_000, 20_000])
def test_every_connection_breaks_long_before_a_block_is_full(
    server: Server, tmp_path: Path, at: int
) -> None:
    body = BODY[: 40 * at]
    server.body, server.cut = body, [at] * 60
    assert Path(get(server, tmp_path, body)).read_bytes() == body
    starts = [int((r or "bytes=0-")[6:-1]) for r in server.asked]
    assert starts == sorted(set(starts)), "each try goes on where the one before ended"


def test_what_never_arrived_is_not_said_to_be_kept(server: Server, tmp_path: Path) -> None:
    server.cut = [0] * 20
    with pytest.raises(Refused, match="nothing-arrived") as caught:
        get(server, tmp_path)
    assert "kept" not in str(caught.value)


def test_a_server_without_ranges_starts_over(server: Server, tmp_path: Path) -> None:
    server.cut = [1_500_000]
    server.ranges = False
    assert Path(get(server, tmp_path)).read_bytes() == BODY


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_without_a_strong_tag_nothing_is_resumed(server: Server, tmp_path: Path, tag: str) -> None:
    server.cut = [1_500_000]
    server.tag = tag
    assert Path(get(server, tmp_path)).read_bytes() == BODY
    assert server.asked == [None, None]


def test_a_file_that_changed_meanwhile_is_fetched_anew(server: Server, tmp_path: Path) -> None:
    new = random.Random(6).randbytes(len(BODY))
    server.cut = [1_500_000] + [0] * 9
    with pytest.raises(Refused):
        get(server, tmp_path, new)
    server.cut, server.body, server.tag = None, new, '"two"'
    assert Path(get(server, tmp_path, new)).read_bytes() == new


@pytest.mark.parametrize(
    "body", [BODY[:-1] + b"x", BODY + b"more", b"\0" * len(BODY)], ids=["byte", "longer", "zeros"]
)
def test_another_file_is_not_taken(server: Server, tmp_path: Path, body: bytes) -> None:
    server.body = body
    with pytest.raises(Refused, match="another-file-came"):
        get(server, tmp_path)
    assert not [name for name in os.listdir(tmp_path) if not name.endswith((".part", ".etag"))]
    server.body = BODY
    assert Path(get(server, tmp_path)).read_bytes() == BODY


def test_a_part_of_garbage_is_thrown_away(server: Server, tmp_path: Path) -> None:
    path = Path(get(server, tmp_path))
    path.unlink()
    Path(f"{path}.part").write_bytes(b"x" * 1000)
    Path(f"{path}.etag").write_text(server.tag)
    assert Path(get(server, tmp_path)).read_bytes() == BODY
    assert server.asked[1:] == ["bytes=1000-", None]
    path.write_bytes(b"y" * len(BODY))
    assert Path(get(server, tmp_path)).read_bytes() == BODY


def test_a_server_that_is_busy_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.codes = [503, 429, 500]
    assert Path(get(server, tmp_path)).read_bytes() == BODY


@pytest.mark.parametrize("code", [301, 302, 307, 403, 404])
def test_other_answers_are_told(server: Server, tmp_path: Path, code: int) -> None:
    server.codes = [code]
    with pytest.raises(Refused, match=str(code)):
        get(server, tmp_path)
    assert len(server.asked) == 1


def test_cancelling_keeps_what_came(server: Server, tmp_path: Path) -> None:
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        get(server, tmp_path, cancel=cancel, progress=lambda here, size: cancel.set())
    (part,) = tmp_path.glob("*.part")
    assert 0 < part.stat().st_size < len(BODY)
    assert Path(get(server, tmp_path)).read_bytes() == BODY
    assert server.asked[1] == f"bytes={part_size(server)}-"


def part_size(server: Server) -> int:
    return int((server.asked[1] or "")[6:-1])


@pytest.mark.parametrize("silent_at", [-1, 0, 1_500_000])
def test_a_no_is_heard_while_the_server_says_nothing(
    server: Server, tmp_path: Path, silent_at: int
) -> None:
    server.silent_at = silent_at
    cancel, done = threading.Event(), threading.Event()

    def person() -> None:
        assert server.silence.wait(20)
        cancel.set()
        # Only a download that waits for the server is still there when this ends.
        done.wait(5)
        server.may_go_on.set()

    thread = threading.Thread(target=person)
    thread.start()
    with pytest.raises(Cancelled):
        get(server, tmp_path, cancel=cancel)
    heard_in_the_silence = not server.may_go_on.is_set()
    done.set()
    thread.join()
    assert heard_in_the_silence
    server.silent_at = None
    assert Path(get(server, tmp_path)).read_bytes() == BODY


def test_a_no_is_heard_while_the_licence_does_not_come(server: Server) -> None:
    server.silent_at = -1
    cancel = threading.Event()
    thread = threading.Thread(target=lambda: (server.silence.wait(20), cancel.set()))
    thread.start()
    with pytest.raises(Cancelled):
        licence(server.url, hosts=LOOPBACK, cancel=cancel)
    thread.join()
    assert not server.may_go_on.is_set()


def test_a_pause_asks_for_nothing_until_it_is_over(server: Server, tmp_path: Path) -> None:
    server.body = random.Random(6).randbytes(40_000_000)
    hold, heard = threading.Event(), []

    def progress(here: int, _size: int) -> None:
        heard.append(here)
        hold.set()

    got: list[str] = []
    thread = threading.Thread(
        target=lambda: got.append(get(server, tmp_path, server.body, hold=hold, progress=progress))
    )
    thread.start()
    assert hold.wait(20)
    thread.join(0.7)
    assert len(heard) == 1, "nothing is taken during the pause"
    assert thread.is_alive()
    for _turn in range(200):
        hold.clear()
        thread.join(0.05)
        if not thread.is_alive():
            break
    assert Path(got[0]).read_bytes() == server.body


def test_a_server_that_loses_patience_during_a_pause(server: Server, tmp_path: Path) -> None:
    server.cut = [2_000_000]
    hold = threading.Event()

    def progress(here: int, _size: int) -> None:
        if here < 1_500_000:
            hold.set()
            threading.Timer(0.4, hold.clear).start()

    assert Path(get(server, tmp_path, hold=hold, progress=progress)).read_bytes() == BODY
    assert len(server.asked) == 2


def test_a_pause_can_be_ended_by_a_no(server: Server, tmp_path: Path) -> None:
    hold, cancel = threading.Event(), threading.Event()

    def progress(_here: int, _size: int) -> None:
        hold.set()
        threading.Timer(0.2, cancel.set).start()

    with pytest.raises(Cancelled):
        get(server, tmp_path, hold=hold, cancel=cancel, progress=progress)


def test_nobody_answers(tmp_path: Path) -> None:
    with Server() as closed:
        pass
    with pytest.raises(Refused, match="nothing-arrived"):
        get(closed, tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "http://developer.download.nvidia.com/x",
        "https://developer.download.nvidia.com.evil.example/x",
        "https://evil.example/developer.download.nvidia.com/x",
        "file:///etc/passwd",
    ],
)
def test_only_nvidias_server_is_asked(tmp_path: Path, url: str) -> None:
    with pytest.raises(Refused, match="not-nvidias"):
        fetch(Download(url=url, size=1, sha256="0" * 64), str(tmp_path))


def test_what_can_not_be_proven_is_not_fetched(server: Server, tmp_path: Path) -> None:
    for download in (
        Download(url=server.url, size=1, sha256=""),
        Download(url=server.url, size=-1, sha256="0" * 64),
    ):
        with pytest.raises(Refused, match="no-checksum"):
            fetch(download, str(tmp_path), hosts=LOOPBACK)
    assert server.asked == []


def test_a_disk_without_room_is_told_before(server: Server, tmp_path: Path) -> None:
    huge = Download(url=server.url, size=1 << 60, sha256="0" * 64)
    with pytest.raises(Refused, match="disk-full"):
        fetch(huge, str(tmp_path), hosts=LOOPBACK)
    assert server.asked == []


def test_a_folder_that_can_not_be_made(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refused, match="system-said"):
        get(server, tmp_path / "file" / "x")


# A file that its signature proves ------------------------------------------------------------


class Leading(BaseHTTPRequestHandler):
    """A permanent address, as Microsoft has them: it leads to the newest file."""

    ways: ClassVar[dict[str, str]] = {"/first": "/second", "/away": "https://example.org/x",
                                      "/circle": "/circle"}  # fmt: skip

    def do_GET(self) -> None:
        if self.path in self.ways:
            self.send_response(302)
            self.send_header("Location", self.ways[self.path])
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path == "/second":
            self.send_response(200)
            self.send_header("Content-Length", str(len(BODY)))
            self.end_headers()
            self.wfile.write(BODY)
        else:
            self.send_error(404)

    def log_message(self, *_words: object) -> None:
        return


@pytest.fixture
def leading() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Leading) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_a_permanent_address_leads_to_the_file(leading: str, tmp_path: Path) -> None:
    newest = Download(url=f"{leading}/first", size=0, sha256="")
    path = fetch(newest, str(tmp_path), hosts=LOOPBACK, signed=True)
    assert Path(path).read_bytes() == BODY
    assert os.listdir(tmp_path) == [os.path.basename(path)]


def test_where_only_the_server_knows_the_size_the_hash_decides(
    leading: str, tmp_path: Path
) -> None:
    known = Download(url=f"{leading}/first", size=0, sha256=hashlib.sha256(BODY).hexdigest())
    path = fetch(known, str(tmp_path), hosts=LOOPBACK)
    assert Path(path).read_bytes() == BODY
    other = msgspec.structs.replace(known, sha256="0" * 64)
    with pytest.raises(Refused, match="another-file-came"):
        fetch(other, str(tmp_path), hosts=LOOPBACK)
    with pytest.raises(Refused, match="no-checksum"):
        fetch(msgspec.structs.replace(known, sha256=""), str(tmp_path), hosts=LOOPBACK)
    assert os.listdir(tmp_path) == [os.path.basename(path)]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/away", "not-the-publishers"),
        ("/circle", "leads-nowhere"),
        ("/gone", "server-answered code=404"),
    ],
)
def test_it_leads_nowhere_else(leading: str, tmp_path: Path, path: str, why: str) -> None:
    newest = Download(url=leading + path, size=0, sha256="")
    with pytest.raises(Refused, match=why):
        fetch(newest, str(tmp_path), hosts=LOOPBACK, signed=True)
    with pytest.raises(Refused, match="not-the-publishers"):
        fetch(newest, str(tmp_path), hosts=frozenset({"aka.ms"}), signed=True)
