"""Where the feed is and whom it trusts, decided in one place.

The trust is a file ``root.json``: the one in the person's settings folder, else the one that was
built in at release (``resources/feed/``); the address stands inside it, signed with the rest.
The variable ``CUDNN_ASSISTANT_FEED_URL`` names another address (a mirror), never another trust.
"""

from __future__ import annotations

import json
import os
from urllib.parse import urlsplit

import msgspec

from cudnn_assistant import places
from cudnn_assistant.plain_file import content
from cudnn_assistant.system.policy import policy

VARIABLE = "CUDNN_ASSISTANT_FEED_URL"
ASK = "CUDNN_ASSISTANT_ASK"
NVIDIA_AT = "CUDNN_ASSISTANT_NVIDIA_URL"
"""A mirror of NVIDIA's download server; the files themselves come from NVIDIA."""
PYPI_AT = "CUDNN_ASSISTANT_PYPI_URL"
NVIDIA = "https://developer.download.nvidia.com"
FIELD = "x-feed-url"
"""Name of the address in the signed part of root.json."""


class Address(msgspec.Struct, frozen=True):
    """A feed: its base address, without a slash at the end, and its first trusted root."""

    url: str
    root: bytes


def address() -> Address | None:
    """The feed that is set; None when there is none, and the built-in data answers."""
    for path in (places.config() / "root.json", places.resource("feed/root.json")):
        try:
            root = content(path)
        except OSError:
            continue
        url = (os.environ.get(VARIABLE) or _named_in(root)).rstrip("/")
        return Address(url, root) if allowed(url) else None
    return None


def may_ask() -> bool:
    """Whether anybody is asked what is newer.

    ``CUDNN_ASSISTANT_ASK=no`` (a person) and the policy's ``ask = false`` turn it off.
    """
    return os.environ.get(ASK, "").lower() not in ("no", "0", "off") and policy().ask


def direct_addresses() -> tuple[str, str]:
    """Whom to ask directly where there is no feed: NVIDIA, and PyPI; "" where nobody is asked.

    The file ``resources/feed/pypi`` with PyPI's address is added at release, as the root is.
    """
    if not may_ask():
        return "", ""
    return os.environ.get(NVIDIA_AT) or NVIDIA, os.environ.get(PYPI_AT) or _shipped_pypi()


def _shipped_pypi() -> str:
    try:
        return places.resource("feed/pypi").read_text(encoding="ascii").strip().rstrip("/")
    except (OSError, ValueError):
        return ""


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
