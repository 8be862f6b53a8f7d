"""How the feed is fetched: requests, with the system's proxies and company certificates."""

from __future__ import annotations

import time
from collections.abc import Iterator

import msgspec
import requests
import urllib3
from tuf.api.exceptions import (
    BadVersionNumberError,
    DownloadError,
    DownloadHTTPError,
    DownloadLengthMismatchError,
    ExpiredMetadataError,
    RepositoryError,
    SlowRetrievalError,
)
from tuf.api.serialization import DeserializationError
from tuf.ngclient import FetcherInterface

from cudnn_assistant.feed.source import Trouble
from cudnn_assistant.https import STRANGE, asked, https_session, reason
from cudnn_assistant.trouble import Refused

_CHUNK = 65536


class Fetcher(FetcherInterface):
    """Fetches for python-tuf; follows no redirect, and gives up after ``patience`` seconds.

    Raises python-tuf's download exceptions only.
    """

    def __init__(self, patience: float = 25.0, gap: float = 10.0) -> None:
        self._deadline = time.monotonic() + patience
        self._gap = gap
        self._session = https_session()

    def close(self) -> None:
        """Let the connections go."""
        self._session.close()

    def download_bytes(self, url: str, max_length: int, accept: str = "") -> bytes:
        """A whole answer of at most ``max_length`` bytes, in the form asked for."""
        self._session.headers.update({"Accept": accept or "*/*"})
        return super().download_bytes(url, max_length)

    def _fetch(self, url: str) -> Iterator[bytes]:
        try:
            response = asked(self._session, url, (self._gap, self._gap))
        except requests.Timeout as trouble:
            raise SlowRetrievalError(f"no answer within {self._gap} s") from trouble
        except Refused as trouble:
            raise DownloadError(trouble.code) from None
        except STRANGE as trouble:
            raise DownloadError(reason(trouble)) from trouble
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
        except STRANGE as trouble:
            raise DownloadError(reason(trouble)) from trouble


def named(trouble: Exception) -> Trouble:
    """The kind of a trouble, most telling first."""
    if isinstance(trouble, DownloadHTTPError):
        return "server" if trouble.status_code in range(400, 511) else "not-the-feed"
    return next((name for kind, name in _NAMES if isinstance(trouble, kind)), "not-trusted")


_NAMES: tuple[tuple[type[Exception], Trouble], ...] = (
    (SlowRetrievalError, "slow"),
    (DownloadLengthMismatchError, "not-the-feed"),
    (DownloadError, "unreachable"),
    (DeserializationError, "not-the-feed"),
    (ExpiredMetadataError, "expired"),
    (BadVersionNumberError, "rolled-back"),
    (RepositoryError, "not-trusted"),
    (msgspec.MsgspecError, "not-usable"),
)
