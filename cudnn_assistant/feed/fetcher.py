"""How the feed is fetched: requests, with the system's proxies and company certificates."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterator
from typing import Any

import requests
import truststore
import urllib3
from requests.adapters import HTTPAdapter
from tuf.api.exceptions import DownloadError, DownloadHTTPError, SlowRetrievalError
from tuf.ngclient import FetcherInterface

from cudnn_assistant import __version__

_CHUNK = 65536


class SystemTrust(HTTPAdapter):
    """Verifies servers with the certificates that the system trusts, company ones included."""

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Give connections the system's trust."""
        options["ssl_context"] = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        super().init_poolmanager(*arguments, **options)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        """The same behind a proxy."""
        options["ssl_context"] = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return super().proxy_manager_for(proxy, **options)


class Fetcher(FetcherInterface):
    """Fetches for python-tuf; follows no redirect, and gives up after ``patience`` seconds.

    Raises python-tuf's download exceptions only.
    """

    def __init__(self, patience: float = 25.0, gap: float = 10.0) -> None:
        self._deadline = time.monotonic() + patience
        self._gap = gap
        self.requests = 0
        """How many requests were made."""
        self._session = requests.Session()
        self._session.mount("https://", SystemTrust())
        self._session.headers["User-Agent"] = f"cudnn-assistant/{__version__}"

    def close(self) -> None:
        """Let the connections go."""
        self._session.close()

    def download_bytes(self, url: str, max_length: int, accept: str = "") -> bytes:
        """A whole answer of at most ``max_length`` bytes, in the form asked for."""
        self._session.headers.update({"Accept": accept or "*/*"})
        return super().download_bytes(url, max_length)

    def _fetch(self, url: str) -> Iterator[bytes]:
        self.requests += 1
        try:
            response = self._session.get(
                url, stream=True, allow_redirects=False, timeout=(self._gap, self._gap)
            )
        except requests.Timeout as trouble:
            raise SlowRetrievalError(f"no answer within {self._gap} s") from trouble
        except (requests.RequestException, OSError, ValueError) as trouble:
            raise DownloadError(str(trouble)) from trouble
        if response.status_code != requests.codes.ok:
            response.close()
            raise DownloadHTTPError(f"status {response.status_code}", response.status_code)
        return self._chunks(response)

    def _chunks(self, response: requests.Response) -> Iterator[bytes]:
        """The body as it arrives, so that the deadline holds for a slow drip as well."""
        try:
            with response:
                while chunk := response.raw.read1(_CHUNK, decode_content=True):
                    if time.monotonic() > self._deadline:
                        raise SlowRetrievalError("the exchange took too long")
                    yield chunk
        except urllib3.exceptions.TimeoutError as trouble:
            raise SlowRetrievalError(f"nothing for {self._gap} s") from trouble
        except (urllib3.exceptions.HTTPError, OSError) as trouble:
            raise DownloadError(str(trouble)) from trouble
