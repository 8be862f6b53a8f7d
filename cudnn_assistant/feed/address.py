"""Where the feed is and whom it trusts, decided in one place.

The trust is a file ``root.json``: the one in the person's settings folder, else the one that was
built in at release (``resources/feed/``); the address stands inside it, signed with the rest.
The variable ``CUDNN_ASSISTANT_FEED_URL`` names another address (a mirror), never another trust.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from cudnn_assistant import places

VARIABLE = "CUDNN_ASSISTANT_FEED_URL"
FIELD = "x-feed-url"
"""Name of the address in the signed part of root.json."""


@dataclass(frozen=True)
class Address:
    """A feed: its base address, without a slash at the end, and its first trusted root."""

    url: str
    root: bytes


def address() -> Address | None:
    """The feed that is set; None when there is none, and the built-in data answers."""
    for path in (places.config() / "root.json", places.resource("feed/root.json")):
        try:
            root = path.read_bytes()
        except OSError:
            continue
        url = (os.environ.get(VARIABLE) or _named_in(root)).rstrip("/")
        return Address(url, root) if allowed(url) else None
    return None


def _named_in(root: bytes) -> str:
    try:
        return str(json.loads(root)["signed"].get(FIELD, ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def allowed(url: str) -> bool:
    """Whether an address may be asked: over TLS, or this very computer."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    loopback = host in ("127.0.0.1", "::1", "localhost")
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and loopback))
