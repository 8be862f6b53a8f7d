"""A Windows of its own for one test run: a Wine prefix, an X server, a window manager.

What is seen here must never be called "tested on Windows": see installer/CHECKLIST.md.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
TOOLS = ("wine", "wineserver", "Xvfb", "makensis", "xdotool", "x86_64-w64-mingw32-gcc")
"""What must be installed for these tests."""


def lacking() -> list[str]:
    """Tools that this computer doesn't have."""
    return [tool for tool in TOOLS if not shutil.which(tool)]


class Desktop:
    """Runs Windows programs and looks at what they leave."""

    def __init__(self, prefix: Path, display: str) -> None:
        self.drive = prefix / "drive_c"
        self.environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(prefix.parent),
            "LC_ALL": "C.UTF-8",
            "DISPLAY": display,
            "WINEPREFIX": str(prefix),
            "WINEDEBUG": "-all",
            # Wine 8's wbemprox ends Python 3.12 in platform.platform().
            "WINEDLLOVERRIDES": "winemenubuilder.exe,mscoree,mshtml=;wbemprox=",
        }

    @property
    def person(self) -> Path:
        """The home of the one account."""
        return next(p for p in (self.drive / "users").iterdir() if p.name != "Public")

    @property
    def local(self) -> Path:
        """%LOCALAPPDATA%."""
        return self.person / "AppData" / "Local"

    @property
    def menu(self) -> Path:
        """The person's Start menu."""
        return self.person / "AppData/Roaming/Microsoft/Windows/Start Menu/Programs"

    def windows_path(self, path: Path) -> str:
        """``C:\\...`` of a file on the drive, ``Z:\\...`` of another."""
        if path.is_relative_to(self.drive):
            return "C:\\" + str(path.relative_to(self.drive)).replace("/", "\\")
        return "Z:" + str(path).replace("/", "\\")

    def run(self, *command: str, timeout: float = 120) -> int:
        """Wait for a Windows program. Its output goes nowhere: Wine's servers hold a pipe open."""
        return self.start(*command).wait(timeout)

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        """Start a Windows program (or one of Wine's own tools by name)."""
        words = command if shutil.which(command[0]) else ("wine", *command)
        return subprocess.Popen(
            words, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def output(self, *command: str) -> str:
        """What a console program prints, through a file of cmd's: a pipe would never end."""
        target = self.drive / "output.txt"
        target.unlink(missing_ok=True)
        script = self.drive / "output.bat"
        words = " ".join(f'"{word}"' for word in command)
        script.write_text(f"@{words} > C:\\output.txt 2>&1\r\n", encoding="utf-8")
        self.run("cmd", "/c", "C:\\output.bat")
        text = target.read_bytes()
        target.unlink()
        script.unlink()
        return text.decode("utf-8", "replace").replace("\r\n", "\n")

    # Windows on the screen -------------------------------------------------------------------

    def windows(self, title: str) -> list[str]:
        """X's numbers of the shown windows with exactly this title."""
        done = self._x("search", "--onlyvisible", "--name", f"^{title}$")
        return done.stdout.split()

    def wait_for(self, title: str, seconds: float = 40) -> str:
        """The first window with this title, once it is shown."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if found := self.windows(title):
                return found[0]
            time.sleep(0.2)
        raise AssertionError(f"no window {title!r} within {seconds} s")

    def gone(self, title: str, seconds: float = 30) -> None:
        """Wait until no window has this title."""
        until = time.monotonic() + seconds
        while self.windows(title):
            assert time.monotonic() < until, f"{title!r} is still there"
            time.sleep(0.2)

    def press(self, window: str, *keys: str) -> None:
        """Keys for a window, as from a keyboard."""
        self._x("windowfocus", "--sync", window)
        for key in keys:
            time.sleep(0.4)
            self._x("key", key)

    def picture(self, target: Path) -> None:
        """The screen as a picture, where ImageMagick is there; to be looked at, never compared."""
        if shutil.which("import"):
            subprocess.run(
                ["import", "-window", "root", str(target)], env=self.environment, timeout=30
            )

    def _x(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["xdotool", *words], env=self.environment, capture_output=True, text=True, timeout=30
        )

    # What is left ------------------------------------------------------------------------------

    def files(self) -> set[str]:
        """All files and folders on drive C, but temporary ones and Windows' own."""
        ours = set()
        for base, folders, files in os.walk(self.drive):
            if Path(base).name in ("Temp", "temp", "windows"):
                folders.clear()
                continue
            ours.update(os.path.relpath(os.path.join(base, name), self.drive)
                        for name in (*folders, *files))  # fmt: skip
        return ours

    def registry(self) -> set[str]:
        """The lines of both halves of the registry; each value with the key before it."""
        lines = set()
        for root in ("HKCU\\Software", "HKLM\\Software", "HKCU\\Environment"):
            target = self.drive / "export.reg"
            self.run("reg", "export", root, "C:\\export.reg", "/y")
            key = ""
            for line in target.read_bytes().decode("utf-16").splitlines():
                key = line if line.startswith("[") else key
                lines.add(f"{key} {line}")
            target.unlink()
        return lines


@contextlib.contextmanager
def desktop(folder: Path) -> Iterator[Desktop]:
    """A fresh Windows with a screen; ended with all its programs."""
    with _screen() as display:
        one = Desktop(folder / "prefix", display)
        one.run("wineboot", "-i")
        one.run("wineserver", "-w")
        one.run("winecfg", "-v", "win10")
        one.run("wineserver", "-w")
        shim = one.drive / "windows" / "system32" / "icuuc.dll"
        subprocess.run(
            ["x86_64-w64-mingw32-gcc", "-O2", "-shared", "-s", "-o", str(shim),
             str(HERE / "icuuc.c")], check=True,
        )  # fmt: skip
        one.run("wineserver", "-p")
        try:
            yield one
        finally:
            one.run("wineserver", "-k")


@contextlib.contextmanager
def _screen() -> Iterator[str]:
    read, write = os.pipe()
    words = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1100x800x24", "-nolisten", "tcp"]
    server = subprocess.Popen(
        words, pass_fds=[write], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    try:
        yield ":" + os.read(read, 20).decode().strip()
    finally:
        os.close(read)
        server.terminate()
        server.wait(30)
