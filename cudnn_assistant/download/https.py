"""The connection: an honest name, and the certificates that the system trusts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import requests


@contextmanager
def https_session() -> Iterator[requests.Session]:
    """A session with an honest name that trusts what the system trusts."""
    import requests

    from cudnn_assistant import __version__

    with requests.Session() as session:
        session.headers["User-Agent"] = f"cudnn-assistant/{__version__}"
        _trust_the_system(session)
        yield session


def _trust_the_system(session: requests.Session) -> None:
    """Certificates that the system trusts (a company's, for example) count, not a list of ours."""
    import ssl

    import truststore
    from requests.adapters import HTTPAdapter

    class SystemTrust(HTTPAdapter):
        def init_poolmanager(self, *arguments: Any, **more: Any) -> None:
            more["ssl_context"] = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            super().init_poolmanager(*arguments, **more)

        def proxy_manager_for(self, *arguments: Any, **more: Any) -> Any:
            more["ssl_context"] = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            return super().proxy_manager_for(*arguments, **more)

    session.mount("https://", SystemTrust())
