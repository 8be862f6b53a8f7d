"""A file at a permanent address, which is proven by its signature instead of a checksum.

Such an address leads to the newest file, by way of other hosts of the same publisher; no other
host is followed to.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import NamedTuple
from urllib.parse import urljoin

import msgspec

from cudnn_assistant.download.beside import beside
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


def fetch_signed(
    address: str,
    folder: str,
    *,
    hosts: frozenset[str],
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    hold: threading.Event | None = None,
) -> str:
    """The path of the file in ``folder``, whole, but not proven: the caller looks who signed it.

    Goes on where an earlier try ended. Raises :class:`Refused` or :class:`Cancelled`.
    """
    download = _found(address, hosts, cancel)
    return fetch(
        download,
        folder,
        progress=progress,
        cancel=cancel,
        hold=hold,
        hosts=hosts,
        signed=True,
    )


def fetch_unsized(
    download: Download,
    folder: str,
    *,
    hosts: frozenset[str] = OFFICIAL,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    hold: threading.Event | None = None,
) -> str:
    """The path of the proven file in ``folder``, whose size only the server knows.

    Its SHA-256 is known, and proves it. Raises :class:`Refused` or :class:`Cancelled`.
    """
    found = _found(download.url, hosts, cancel)
    whole = msgspec.structs.replace(found, sha256=download.sha256)
    return fetch(whole, folder, progress=progress, cancel=cancel, hold=hold, hosts=hosts)


def _found(address: str, hosts: frozenset[str], cancel: threading.Event | None) -> Download:
    for _step in range(_STEPS):
        if not is_among(address, hosts):
            raise Refused("not-the-publishers", link=address)
        with closing(beside(partial(_answers, address), cancel)) as answers:  # type: ignore[type-var]
            answer = next(answers)
        if answer.code == 200 and 0 < answer.size <= _LARGEST:
            return Download(url=address, size=answer.size, sha256="")
        if not (answer.code in (301, 302, 303, 307, 308) and answer.location):
            raise Refused("server-answered", code=answer.code, link=address)
        address = urljoin(address, answer.location)
    raise Refused("leads-nowhere", link=address)


def _answers(address: str) -> Iterator[_Answer]:
    """The head of the server's answer. Runs in another thread."""
    import requests

    from cudnn_assistant.https import https_session

    try:
        with (
            https_session() as session,
            session.get(
                address,
                headers={"Accept-Encoding": "identity"},
                stream=True,
                timeout=_TIMEOUT,
                allow_redirects=False,
            ) as answer,
        ):
            size = answer.headers.get("Content-Length", "")
            location = answer.headers.get("Location", "")
            yield _Answer(answer.status_code, location, int(size) if size.isdecimal() else 0)
    except requests.RequestException as trouble:
        raise Refused("not-reached", link=address, why=trouble) from trouble
