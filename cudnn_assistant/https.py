"""The connection: an honest name, and the certificates that the system trusts."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any

import requests
import truststore
import urllib3
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies, select_proxy

from cudnn_assistant import __version__
from cudnn_assistant.trouble import Refused

_LONGEST = 200
"""Characters of what an answer said."""
STRANGE = (urllib3.exceptions.HTTPError, HTTPException, OSError, ValueError, TypeError)
"""What the libraries raise for a connection that fails, and for an answer that makes no sense."""


class SystemTrust(HTTPAdapter):
    """Verifies servers with the certificates that the system trusts, a company's included."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Give connections the system's trust."""
        options["ssl_context"] = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        super().init_poolmanager(*arguments, **options)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        """The same behind a proxy."""
        options["ssl_context"] = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return super().proxy_manager_for(proxy, **options)


def https_session() -> requests.Session:
    """A session with an honest name that trusts what the system trusts."""
    session = requests.Session()
    session.headers["User-Agent"] = f"cudnn-assistant/{__version__}"
    session.mount("https://", SystemTrust())
    return session


@contextmanager
def answered(
    address: str, timeout: tuple[float, float], headers: Mapping[str, str] | None = None
) -> Iterator[requests.Response]:
    """A server's answer, whose content comes while it is read; no redirect is followed.

    Raises :class:`Refused`: "not-reached" for no answer, or none that can be understood, also
    while it is read; another code where the proxy's address is none.
    """
    try:
        with https_session() as session, asked(session, address, timeout, headers) as answer:
            yield answer
    except STRANGE as trouble:
        raise Refused("not-reached", link=address, why=reason(trouble)) from trouble


def asked(
    session: requests.Session,
    address: str,
    timeout: tuple[float, float],
    headers: Mapping[str, str] | None = None,
) -> requests.Response:
    """The beginning of an answer. Raises what is :data:`STRANGE`, and :class:`Refused`."""
    try:
        return session.get(
            address, headers=headers, stream=True, timeout=timeout, allow_redirects=False
        )
    except (ValueError, TypeError):
        # Nothing was sent: an address is none. Ours is known; the proxy's was written by somebody.
        if not select_proxy(address, get_environ_proxies(address)):
            raise
        raise Refused("proxy-unusable") from None


def reason(trouble: BaseException) -> str:
    """What stood in the way, by the system or the answer.

    What the libraries say names the proxy's address, which may hold a password; and of what the
    proxy says only the number is repeated.
    """
    while inner := trouble.__cause__ or trouble.__context__:
        trouble = inner
    text = getattr(trouble, "strerror", None) or str(trouble) or type(trouble).__name__
    by_the_proxy = re.match(r"Tunnel connection failed: ([0-9]{3})\b", text)
    return f"proxy: HTTP {by_the_proxy[1]}" if by_the_proxy else text[:_LONGEST]
