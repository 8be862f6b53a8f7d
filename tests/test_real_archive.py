"""The whole way from "missing" to cuDNN's own answer, with a real cuDNN in NVIDIA's packing.

Packed from a wheel (tests/trial/fetch_wheels.sh fetches it), served on loopback,
proven, unpacked, put in front of the search path, and loaded by a child in the environment that a
newly started shell has. Needs no GPU.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from real_wheels import OLD, libraries, needs_wheels
from test_apply import Person
from test_archives import plan_for

from cudnn_assistant.download import fetch
from cudnn_assistant.plan import Download, InstallArchive

pytestmark = [needs_wheels, pytest.mark.enable_socket]  # loopback only
TOP = "cudnn-linux-x86_64-9.12.0.46_cuda13-archive"
ANSWER = (
    "import ctypes; c = ctypes.CDLL('libcudnn.so.9'); c.cudnnGetVersion.restype = ctypes.c_size_t;"
    "print(c.cudnnGetVersion(), c.cudnnGraphVersionCheck())"
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        return


def pack(folder: Path) -> Path:
    """A .tar.xz as on the redist server: one top folder, lib/, links, a licence."""
    folder.mkdir()
    archive = folder / f"{TOP}.tar.xz"
    with tarfile.open(archive, "w:xz", preset=0) as packed:
        for file in sorted(libraries(OLD).glob("libcudnn*.so.9")):
            if file.stat().st_size > 8 << 20:
                continue  # most of all bytes, and nothing that is asked for here
            real = tarfile.TarInfo(f"{TOP}/lib/{file.name}.12.0")
            real.size = file.stat().st_size
            real.mode = 0o444
            with file.open("rb") as content:
                packed.addfile(real, content)
            link = tarfile.TarInfo(f"{TOP}/lib/{file.name}")
            link.type, link.linkname = tarfile.SYMTYPE, f"{file.name}.12.0"
            packed.addfile(link)
    return archive


def ask(person: Person) -> str:
    """What a program says that is started in a new login shell of this person."""
    done = subprocess.run(
        ["bash", "-lc", f'exec python3 -c "{ANSWER}"'],
        env={"HOME": str(person.home), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_from_missing_to_its_own_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = pack(tmp_path / "served")
    with served.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    handler = partial(Quiet, directory=str(served.parent))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/{served.name}"
        download = Download(url=url, size=served.stat().st_size, sha256=digest)
        fetched = fetch(download, str(tmp_path / "in"), hosts=frozenset({"127.0.0.1"}))
        server.shutdown()
    os.rename(fetched, tmp_path / "in" / served.name)
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(tmp_path / "in"))

    person = Person(tmp_path)
    before = person.files()
    assert "libcudnn.so.9" in ask(person)
    plan = plan_for(person, download)
    person.apply(plan)
    assert isinstance(plan.steps[0], InstallArchive)
    assert ask(person) == "91200 0"
    person.apply(person.undo())
    assert person.files() == before
    assert "libcudnn.so.9" in ask(person)
