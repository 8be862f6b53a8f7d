"""A feed on this computer: a real repository, a real server, and ways to misbehave."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

from cudnn_assistant import feed, places
from cudnn_assistant.feed.saved import ADDED
from installer.feed.compiling import encode
from installer.feed.signing import Repository

Answer = Callable[[BaseHTTPRequestHandler], None]


class Server:
    """Serves a folder over HTTP; ``answers`` replaces what single paths say."""

    def __init__(self, folder: Path, tls: ssl.SSLContext | None = None) -> None:
        self.folder = folder
        self._scheme = "https" if tls else "http"
        self.answers: dict[str, Answer] = {}
        self.always: Answer | None = None
        self.asked: list[str] = []
        self.sent = 0
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._http.handle_error = lambda *_: None  # type: ignore[method-assign]
        if tls:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._http.server_port}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.lstrip("/")
                server.asked.append(path)
                answer = server.always or server.answers.get(path) or server.file
                try:
                    answer(self)
                except (ConnectionError, TimeoutError):
                    self.close_connection = True

            def log_message(self, *_: Any) -> None:
                pass

        return Handler

    def file(self, request: BaseHTTPRequestHandler) -> None:
        path = self.folder / request.path.lstrip("/")
        if not path.is_file():
            status(404)(request)
            return
        data = path.read_bytes()
        self.sent += len(data)
        body(data)(request)


def body(data: bytes, length: int | None = None) -> Answer:
    """An ordinary answer; ``length`` is what it claims to have."""

    def say(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(len(data) if length is None else length))
        request.end_headers()
        request.wfile.write(data)

    return say


def status(code: int, **headers: str) -> Answer:
    """An answer of a status and nothing else."""

    def say(request: BaseHTTPRequestHandler) -> None:
        request.send_response(code)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", "0")
        request.end_headers()

    return say


class Shop:
    """A publisher with its keys, its repository and its server."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder = folder / "repository"
        self.keys = folder / "keys"
        self.data = folder / "compat.json"
        self.server = Server(self.folder)
        self.root = self.repository().init(url or self.server.url).read_bytes()

    def repository(self, now: datetime | None = None) -> Repository:
        return Repository(self.keys, self.folder, now)

    def publish(self, ahead: int, now: datetime | None = None, **changes: Any) -> bytes:
        """Publish data whose version is ``ahead`` of the built-in one."""
        builtin = feed.load_builtin()
        made = msgspec.structs.replace(builtin, version=builtin.version + ahead, **changes)
        return self.publish_bytes(encode(made), now)

    def publish_bytes(self, data: bytes, now: datetime | None = None) -> bytes:
        self.data.write_bytes(data)
        self.repository(now).publish(self.data)
        return data

    def announce(self, data: bytes) -> None:
        """Publish what machines announce, with the online keys."""
        path = self.folder.parent / "auto.json"
        path.write_bytes(data)
        self.repository().publish(path, ADDED)

    def trust(self) -> None:
        """Make this the feed that the program is set to."""
        places.config().mkdir(parents=True, exist_ok=True)
        (places.config() / "root.json").write_bytes(self.root)

    def newest(self, role: str) -> Path:
        """The newest metadata file of a role."""
        found = (self.folder / "metadata").glob(f"*.{role}.json")
        return max(found, key=lambda path: int(path.name.split(".")[0]))

    @property
    def target(self) -> Path:
        """The newest file of data."""
        return max((self.folder / "targets").iterdir(), key=lambda path: path.stat().st_mtime_ns)
