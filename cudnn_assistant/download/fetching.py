"""Fetching one file, in as many tries as make headway."""

from __future__ import annotations

import hashlib
import os
import posixpath
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from cudnn_assistant.download.beside import LATE, beside
from cudnn_assistant.plain_file import content
from cudnn_assistant.plan import Download
from cudnn_assistant.trouble import Cancelled, Refused, refusing
from cudnn_assistant.whole_file import make_folder, put, rename

if TYPE_CHECKING:
    import requests

OFFICIAL = frozenset({"developer.download.nvidia.com"})
"""Hosts that a file may come from, over https only."""

Progress = Callable[[int, int], None]
"""Called with (bytes that are here, bytes in all), several times a second at most."""

_BLOCK = 1 << 20
_PIECE = 1 << 13
"""Bytes that a break can cost: whoever reads more at once gets nothing when it comes short."""
_LONG = 1.0
"""Seconds that a block is waited for."""
_TRIES = 5
_TIMEOUT = (15, 60)
"""Seconds to connect, and seconds without any byte."""
_BEAT = 0.1
"""Seconds between two looks whether a pause is over."""
_SPARE = 64 << 20
"""Bytes that stay free on the disk."""
_STEPS = 5
"""Addresses that one may lead to, one after the other."""
_LARGEST = 8 << 30


class _Broken(Exception):
    """The connection ended too early; another try may go on."""


def fetch(
    download: Download,
    folder: str,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    hold: threading.Event | None = None,
    hosts: frozenset[str] = OFFICIAL,
    pause: float = 1.0,
    signed: bool = False,
) -> str:
    """The path of the proven file in ``folder``; at once when it is there already.

    Raises :class:`Refused` or :class:`Cancelled`; ``cancel`` is heard within a second, also
    while the server says nothing. As long as ``hold`` is set nothing more is fetched. ``pause`` is
    the first of the waits between tries, in seconds; each is twice the one before. A file of size 0
    lies at a permanent address, which leads to it. ``signed``: the caller proves the file, which
    has no known checksum, by its signature.
    """
    if not download.size:
        download = _led_to(download, hosts, cancel)
    _refuse_unproven(download, hosts, signed)
    never = threading.Event()
    run = _Run(
        download, folder, progress or (lambda _here, _size: None), cancel or never, hold or never
    )
    with refusing("system-said"):
        make_folder(folder)
        if run.ready():
            return run.path
        run.room()
        resumed = os.path.exists(run.part)
        run.download(pause)
        if resumed and not run.is_proven():
            # Of what an earlier run wrote, a power cut may have left something else.
            run.forget()
            run.download(pause)
        return run.finish()


def is_among(address: str, hosts: frozenset[str]) -> bool:
    """Whether an address is at one of these hosts, and nobody on the way can change the answer."""
    parts = urlsplit(address)
    return parts.hostname in hosts and (parts.scheme == "https" or parts.hostname == "127.0.0.1")


def _refuse_unproven(download: Download, hosts: frozenset[str], signed: bool) -> None:
    if not is_among(download.url, hosts):
        raise Refused("not-nvidias", link=download.url)
    known = len(download.sha256) == 64 or (signed and not download.sha256)
    if not known or download.size <= 0:
        raise Refused("no-checksum", link=download.url)


def _led_to(download: Download, hosts: frozenset[str], cancel: threading.Event | None) -> Download:
    """The newest file with its size; no host is followed to but the publisher's."""
    address = download.url
    for _step in range(_STEPS):
        if not is_among(address, hosts):
            raise Refused("not-the-publishers", link=address)
        late = Refused("not-reached", link=address, why=LATE)
        with closing(beside(partial(_heads, address), cancel, late)) as head:  # type: ignore[type-var]
            code, location, size = next(head)
        if code == 200 and 0 < size <= _LARGEST:
            return Download(url=address, size=size, sha256=download.sha256)
        if code not in (301, 302, 303, 307, 308):
            raise Refused("server-answered", code=code, link=address)
        address = location
    raise Refused("leads-nowhere", link=address)


def _heads(address: str) -> Iterator[tuple[int, str, int]]:
    """Code, further address and size that the server answers with. Runs in another thread."""
    from cudnn_assistant.https import answered

    with answered(address, _TIMEOUT, {"Accept-Encoding": "identity"}) as answer:
        size = answer.headers.get("Content-Length", "")
        location = urljoin(address, answer.headers.get("Location", address))
        yield answer.status_code, location, int(size) if size.isdecimal() else 0


@dataclass
class _Run:
    """One file on its way."""

    download_of: Download
    folder: str
    progress: Progress
    cancel: threading.Event
    hold: threading.Event
    reported_at: float = 0.0
    here: int = 0

    def __post_init__(self) -> None:
        wanted = self.download_of
        name = posixpath.basename(urlsplit(wanted.url).path)
        mark = wanted.sha256 or hashlib.sha256(wanted.url.encode()).hexdigest()
        self.path = os.path.join(self.folder, f"{mark[:12]}-{name}")
        self.part = self.path + ".part"
        self.tag = self.path + ".etag"
        self.hash = hashlib.sha256()

    def ready(self) -> bool:
        """Whether the whole file lies there already, proven anew."""
        if not os.path.exists(self.path):
            return False
        if _size(self.path) == self.download_of.size:
            self.read_in(self.path)
            if self.is_proven():
                return True
        os.unlink(self.path)
        return False

    def room(self) -> None:
        """Refuse to start what the disk can't hold."""
        needed = self.download_of.size - _size(self.part) + _SPARE
        free = shutil.disk_usage(os.path.dirname(self.path)).free
        if free < needed:
            raise Refused("disk-full", free=free // 10**6, needed=needed // 10**6)

    def download(self, pause: float) -> None:
        """Fetch what is missing, in as many tries as make headway."""
        left = _TRIES
        self.read_in(self.part)
        while self.here < self.download_of.size:
            before = self.here
            try:
                self.one_try()
            except _Broken as trouble:
                left = _TRIES if self.here >= before + _PIECE else left - 1
                if left <= 0:
                    code = "connection-broke-off" if self.here else "nothing-arrived"
                    raise Refused(code, why=str(trouble)) from trouble
                self.wait(pause * 2 ** (_TRIES - left))

    def read_in(self, path: str) -> None:
        """Start the hash with what is on the disk."""
        self.hash, self.here = hashlib.sha256(), 0
        if _size(path) > self.download_of.size:
            os.unlink(path)
        with suppress(FileNotFoundError), open(path, "rb") as file:
            while block := file.read(_BLOCK):
                self.wait()
                self.hash.update(block)
                self.here += len(block)

    def one_try(self) -> None:
        arriving = beside(self.arriving, self.cancel, _Broken(LATE))
        with closing(arriving):  # type: ignore[type-var]
            response, _nothing = next(arriving)
            self.start_over_unless_it_goes_on(response)
            with open(self.part, "ab") as file:
                try:
                    for _response, block in arriving:
                        self.take(block, file)
                finally:
                    file.flush()
                    os.fsync(file.fileno())
        if self.here < self.download_of.size:
            raise _Broken("the connection ended too early")

    def arriving(self) -> Iterator[tuple[requests.Response, bytes]]:
        """The server's answer with nothing yet, then with each block. Runs in another thread."""
        from cudnn_assistant.https import answered

        headers = {"Accept-Encoding": "identity"}
        with suppress(OSError, UnicodeDecodeError):
            if self.here and (tag := content(self.tag).decode()):
                headers |= {"Range": f"bytes={self.here}-", "If-Range": tag}
        try:
            with answered(self.download_of.url, _TIMEOUT, headers) as answer:
                yield answer, b""
                for block in _gathered(answer.iter_content(_PIECE)):
                    yield answer, block
        except Refused as trouble:
            if trouble.code != "not-reached":
                raise
            raise _Broken(str(trouble.facts["why"])) from trouble

    def start_over_unless_it_goes_on(self, response: requests.Response) -> None:
        """Look at the server's answer; on anything but the wanted rest begin from the start."""
        if response.status_code >= 500 or response.status_code in (408, 429):
            raise _Broken(f"HTTP {response.status_code}")
        goes_on = response.headers.get("Content-Range", "").startswith(f"bytes {self.here}-")
        if response.status_code == 206 and goes_on:
            return
        if response.status_code not in (200, 206, 416):
            raise Refused("server-answered", code=response.status_code, link=self.download_of.url)
        self.forget()
        if response.status_code != 200:
            raise _Broken(f"HTTP {response.status_code}")
        tag = response.headers.get("ETag", "")
        # A weak tag promises a like file, not the same bytes: such a file can't be resumed.
        if tag and not tag.startswith("W/"):
            put(self.tag, tag.encode())

    def take(self, block: bytes, file: Any) -> None:
        self.wait()
        if self.here + len(block) > self.download_of.size:
            raise self.not_the_file()
        file.write(block)
        self.hash.update(block)
        self.here += len(block)
        now = time.monotonic()
        if now - self.reported_at > 0.1 or self.here == self.download_of.size:
            self.reported_at = now
            self.progress(self.here, self.download_of.size)
        while self.hold.is_set():
            # The server is not asked for more; if it loses patience, the next try goes on here.
            self.wait(_BEAT)

    def wait(self, seconds: float = 0) -> None:
        if self.cancel.wait(seconds):
            raise Cancelled

    def finish(self) -> str:
        """Give the proven file its name; a wrong one is thrown away."""
        if proven := self.is_proven():
            rename(self.part, self.path)
        self.forget()
        if not proven:
            raise self.not_the_file()
        return self.path

    def forget(self) -> None:
        """Begin from the start."""
        for path in (self.part, self.tag):
            with suppress(FileNotFoundError):
                os.unlink(path)
        self.hash, self.here = hashlib.sha256(), 0

    def is_proven(self) -> bool:
        """Whether it is the file; one that its signature proves may be."""
        return self.download_of.sha256 in ("", self.hash.hexdigest())

    def not_the_file(self) -> Refused:
        return Refused("another-file-came", link=self.download_of.url)


def _gathered(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes in large blocks, or what came in a second; when the source breaks, what has
    arrived comes first."""
    block, since = bytearray(), time.monotonic()
    try:
        for piece in pieces:
            block += piece
            if len(block) >= _BLOCK or time.monotonic() > since + _LONG:
                yield bytes(block)
                block, since = bytearray(), time.monotonic()
    except Exception:
        if block:
            yield bytes(block)
        raise
    if block:
        yield bytes(block)


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0
