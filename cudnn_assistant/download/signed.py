"""A file of which something is known only at its permanent address: its size, or even its checksum.

Such an address leads to the newest file, by way of other hosts of the same publisher; no other
host is followed to.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import NamedTuple, TypedDict, Unpack
from urllib.parse import urljoin

from msgspec.structs import replace

from cudnn_assistant.download.beside import LATE, beside
from cudnn_assistant.download.fetching import OFFICIAL, Progress, fetch, is_among
from cudnn_assistant.plan import Download
from cudnn_assistant.trouble import Refused

_STEPS = 5
_TIMEOUT = (15, 60)
_LARGEST = 8 << 30


class _Answer(NamedTuple):
    code: int
    location: str
    size: int


class How(TypedDict, total=False):
    """As :func:`fetch` takes it."""

    hosts: frozenset[str]
    progress: Progress | None
    cancel: threading.Event | None
    hold: threading.Event | None


def fetch_signed(address: str, folder: str, **how: Unpack[How]) -> str:
    """The path of the file in ``folder``, whole, but not proven: the caller looks who signed it.

    Goes on where an earlier try ended. Raises :class:`Refused` or :class:`Cancelled`.
    """
    return fetch(_found(address, how), folder, signed=True, **how)


def fetch_unsized(download: Download, folder: str, **how: Unpack[How]) -> str:
    """The path of the proven file in ``folder``, whose size only the server knows.

    Its SHA-256 is known, and proves it. Raises :class:`Refused` or :class:`Cancelled`.
    """
    found = _found(download.url, how)
    return fetch(replace(found, sha256=download.sha256), folder, **how)


def _found(address: str, how: How) -> Download:
    for _step in range(_STEPS):
        if not is_among(address, how.get("hosts", OFFICIAL)):
            raise Refused("not-the-publishers", link=address)
        late = Refused("not-reached", link=address, why=LATE)
        head = beside(partial(_answers, address), how.get("cancel"), late)
        with closing(head):  # type: ignore[type-var]
            answer = next(head)
        if answer.code == 200 and 0 < answer.size <= _LARGEST:
            return Download(url=address, size=answer.size, sha256="")
        if answer.code not in (301, 302, 303, 307, 308):
            raise Refused("server-answered", code=answer.code, link=address)
        address = answer.location
    raise Refused("leads-nowhere", link=address)


def _answers(address: str) -> Iterator[_Answer]:
    """The head of the server's answer. Runs in another thread."""
    from cudnn_assistant.https import answered

    with answered(address, _TIMEOUT, {"Accept-Encoding": "identity"}) as answer:
        size = answer.headers.get("Content-Length", "")
        location = urljoin(address, answer.headers.get("Location", address))
        yield _Answer(answer.status_code, location, int(size) if size.isdecimal() else 0)
