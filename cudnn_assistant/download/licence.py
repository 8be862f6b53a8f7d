"""The text of a licence, fetched before what it is about."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from typing import NamedTuple

from cudnn_assistant.download.beside import LATE, beside
from cudnn_assistant.download.fetching import OFFICIAL, is_among
from cudnn_assistant.trouble import Refused

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
    address: str, *, hosts: frozenset[str] = LICENCE_HOSTS, cancel: threading.Event | None = None
) -> Licence:
    """The licence at ``address``.

    Raises :class:`Refused` or :class:`Cancelled`.
    """
    if not is_among(address, hosts):
        raise Refused("not-nvidias", link=address)
    late = Refused("not-reached", link=address, why=LATE)
    content = b"".join(beside(lambda: _blocks(address), cancel, late))
    if not content.strip():
        raise Refused("no-licence-text", link=address)
    return Licence(address, content)


def _blocks(address: str) -> Iterator[bytes]:
    from cudnn_assistant.https import answered

    size = 0
    with answered(address, _TIMEOUT) as answer:
        if answer.status_code != 200:
            raise Refused("server-answered", code=answer.status_code, link=address)
        for block in answer.iter_content(1 << 16):
            size += len(block)
            if size > _LONGEST:
                raise Refused("no-licence-text", link=address)
            yield block
