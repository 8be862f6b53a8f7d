"""The connection: an honest name, and the certificates that the system trusts."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import requests
import truststore
from requests.adapters import HTTPAdapter

from cudnn_assistant import __version__


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

    Raises :class:`requests.RequestException`.
    """
    with https_session() as session:
        answer = session.get(
            address, headers=headers, stream=True, timeout=timeout, allow_redirects=False
        )
        with answer:
            yield answer
