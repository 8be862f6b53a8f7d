"""Downloads from a server on loopback that behaves as badly as real ones."""

from __future__ import annotations

import hashlib
import os
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cudnn_assistant.download import Cancelled, NotDownloaded, fetch
from cudnn_assistant.plan import Download

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
    asked: list[str | None]

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/redist/cudnn-linux.tar.xz"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        there = self.server
        there.asked.append(self.headers.get("Range"))
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
        self.wfile.write(rest[: there.cut.pop(0)] if there.cut else rest)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        return


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
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
    with pytest.raises(NotDownloaded, match="broke off several times"):
        get(server, tmp_path)
    (part,) = tmp_path.glob("*.part")
    assert part.stat().st_size >= 1_000_000
    server.cut = None
    assert Path(get(server, tmp_path)).read_bytes() == BODY


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
    with pytest.raises(NotDownloaded):
        get(server, tmp_path, new)
    server.cut, server.body, server.tag = None, new, '"two"'
    assert Path(get(server, tmp_path, new)).read_bytes() == new


@pytest.mark.parametrize(
    "body", [BODY[:-1] + b"x", BODY + b"more", b"\0" * len(BODY)], ids=["byte", "longer", "zeros"]
)
def test_another_file_is_not_taken(server: Server, tmp_path: Path, body: bytes) -> None:
    server.body = body
    with pytest.raises(NotDownloaded, match="not the file that NVIDIA published"):
        get(server, tmp_path)
    assert not [name for name in os.listdir(tmp_path) if not name.endswith((".part", ".etag"))]
    server.body = BODY
    assert Path(get(server, tmp_path)).read_bytes() == BODY


def test_a_part_of_garbage_is_thrown_away(server: Server, tmp_path: Path) -> None:
    path = Path(get(server, tmp_path))
    path.unlink()
    Path(f"{path}.part").write_bytes(b"x" * 1000)
    Path(f"{path}.etag").write_text(server.tag)
    with pytest.raises(NotDownloaded, match="not the file"):
        get(server, tmp_path)
    assert Path(get(server, tmp_path)).read_bytes() == BODY
    path.write_bytes(b"y" * len(BODY))
    assert Path(get(server, tmp_path)).read_bytes() == BODY


def test_a_server_that_is_busy_is_asked_again(server: Server, tmp_path: Path) -> None:
    server.codes = [503, 429, 500]
    assert Path(get(server, tmp_path)).read_bytes() == BODY


@pytest.mark.parametrize("code", [301, 302, 307, 403, 404])
def test_other_answers_are_told(server: Server, tmp_path: Path, code: int) -> None:
    server.codes = [code]
    with pytest.raises(NotDownloaded, match=str(code)):
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


def test_nobody_answers(tmp_path: Path) -> None:
    with Server() as closed:
        pass
    with pytest.raises(NotDownloaded, match="broke off"):
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
    with pytest.raises(NotDownloaded, match="not on NVIDIA's server"):
        fetch(Download(url=url, size=1, sha256="0" * 64), str(tmp_path))


def test_what_can_not_be_proven_is_not_fetched(server: Server, tmp_path: Path) -> None:
    for download in (
        Download(url=server.url, size=1, sha256=""),
        Download(url=server.url, size=0, sha256="0" * 64),
    ):
        with pytest.raises(NotDownloaded, match="checksum"):
            fetch(download, str(tmp_path), hosts=LOOPBACK)
    assert server.asked == []


def test_a_disk_without_room_is_told_before(server: Server, tmp_path: Path) -> None:
    huge = Download(url=server.url, size=1 << 60, sha256="0" * 64)
    with pytest.raises(NotDownloaded, match="MB are needed"):
        fetch(huge, str(tmp_path), hosts=LOOPBACK)
    assert server.asked == []


def test_a_folder_that_can_not_be_made(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotDownloaded, match="a file stands"):
        get(server, tmp_path / "file" / "x")
