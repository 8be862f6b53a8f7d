"""A file that a step needs out of the network: told and stopped like every other work."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from cudnn_assistant import places
from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.plain_file import plain
from cudnn_assistant.plan import Download
from cudnn_assistant.system.policy import archives, policy
from cudnn_assistant.trouble import Cancelled, Refused
from cudnn_assistant.whole_file import make_folder


def cache() -> str:
    """The folder for what has arrived, whole or in part."""
    return str(places.saved() / "downloads")


def _ready(url: str) -> str:
    """Where a file of that name would lie that an administrator prepared; "" without a folder."""
    return os.path.join(folder, url.rsplit("/", 1)[-1]) if (folder := archives()) else ""


def lies_ready(url: str) -> bool:
    """Whether an administrator prepared that file."""
    return os.path.isfile(_ready(url))


def prepared(url: str, refusal: str) -> str:
    """The file that an administrator prepared; "" where it may be fetched.

    For computers that must not fetch anything themselves: those are refused what isn't there.
    """
    if lies_ready(url):
        return _ready(url)
    if policy().archives:
        raise Refused(refusal, name=url.rsplit("/", 1)[-1], folder=archives())
    return ""


def refuse_other(path: str, sha256: str) -> None:
    """Refuse a file of another checksum."""
    with plain(path) as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256:
        raise Refused("not-the-published-file", file=path)


@contextmanager
def own_copy(path: str, sha256: str, size: int, cancel: threading.Event) -> Iterator[IO[bytes]]:
    """A copy without a name, proven while it was made, of a file that others may write.

    What is read from it is what was proven, whatever becomes of the file meanwhile. Raises
    :class:`Refused`.
    """
    make_folder(cache())
    digest = hashlib.sha256()
    with plain(path) as source, tempfile.TemporaryFile(dir=cache()) as copy:
        while block := source.read(1 << 20):
            if cancel.is_set():
                raise Refused("stopped")
            digest.update(block)
            copy.write(block)
            if size and copy.tell() > size:
                break
        if digest.hexdigest() != sha256 or (size and copy.tell() != size):
            raise Refused("not-the-published-file", file=path)
        copy.seek(0)
        yield copy


def fetched(what: Download, tools: Tools, **wishes: Any) -> str:
    """The path of the proven file, as ``download.fetch`` has it. Raises :class:`Refused`."""
    from cudnn_assistant.download import fetch

    try:
        return fetch(
            what,
            cache(),
            progress=lambda here, size: tools.tell("download", here, size),
            cancel=tools.cancel,
            hold=tools.hold,
            **wishes,
        )
    except Cancelled:
        raise Refused("stopped-kept") from None
