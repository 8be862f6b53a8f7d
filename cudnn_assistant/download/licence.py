"""The text of a licence, fetched before what it is about."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from cudnn_assistant.download.beside import beside
from cudnn_assistant.download.fetching import OFFICIAL
from cudnn_assistant.download.https import https_session
from cudnn_assistant.trouble import Cancelled, Refused

if TYPE_CHECKING:
    import requests

LICENCE_HOSTS = OFFICIAL | {"docs.nvidia.com"}
"""Hosts that a licence may come from, over https only."""

_TIMEOUT = (15, 30)
_LONGEST = 2_000_000
"""Bytes. NVIDIA's licences have some 20 kB; as a page of their site some 200 kB."""


class Licence(NamedTuple):
    """A licence as it was fetched."""

    address: str
    content: bytes

    @property
    def sha256(self) -> str:
        """What tells one text from another."""
        return hashlib.sha256(self.content).hexdigest()

    @property
    def lines(self) -> tuple[str, ...]:
        """To be read in a terminal; none for a web page, which is read at its address."""
        text = self.content.decode("utf-8", "replace")
        return () if text.lstrip("\ufeff \r\n\t").startswith("<") else tuple(text.splitlines())


def licence(
    address: str,
    *,
    hosts: frozenset[str] = LICENCE_HOSTS,
    cancel: threading.Event | None = None,
) -> Licence:
    """The licence at ``address``.

    Raises :class:`Refused` or :class:`Cancelled`.
    """
    parts = urlsplit(address)
    secure = parts.scheme == "https" or parts.hostname == "127.0.0.1"
    if parts.hostname not in hosts or not secure:
        raise Refused("not-nvidias", link=address)

    def stop_if_cancelled() -> None:
        if cancel is not None and cancel.is_set():
            raise Cancelled

    content = b"".join(beside(lambda: _blocks(address), stop_if_cancelled))
    if not content.strip():
        raise Refused("no-licence-text", link=address)
    return Licence(address, content)


def _blocks(address: str) -> Iterator[bytes]:
    import requests

    try:
        with (
            https_session() as session,
            session.get(address, stream=True, timeout=_TIMEOUT, allow_redirects=False) as answer,
        ):
            yield from _body(answer, address)
    except requests.RequestException as trouble:
        raise Refused("no-connection", link=address) from trouble


def _body(answer: requests.Response, address: str) -> Iterator[bytes]:
    if answer.status_code != 200:
        raise Refused("server-answered", code=answer.status_code, link=address)
    size = 0
    for block in answer.iter_content(1 << 16):
        size += len(block)
        if size > _LONGEST:
            raise Refused("no-licence-text", link=address)
        yield block
