"""A Windows of its own for one test run: a Wine prefix with a screen.

What is seen here must never be called "tested on Windows": see installer/CHECKLIST.md.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import screens
import windows_python
from screens import Screen, screen

HERE = Path(__file__).parent
TOOLS = ("wine", "wineserver", "makensis", "x86_64-w64-mingw32-gcc", *screens.TOOLS)
"""What must be installed for these tests."""

CLASSES = "HKLM\\Software\\Classes"
ROOTS = ("HKCU\\Software", "HKCU\\Environment", "HKLM\\Software\\Microsoft\\Windows",
         f"{CLASSES}\\.md", f"{CLASSES}\\Applications")  # fmt: skip
"""What Setup may write below, for one person or for everybody."""
NAMES = (CLASSES, "HKLM\\Software", "HKLM\\Software\\Microsoft")
"""Where it may not leave a key of its own."""


class Desktop(Screen):
    """Runs Windows programs and looks at what they leave.

    ``before`` are the words before each command: who runs it, and in which surroundings.
    """

    def __init__(self, prefix: Path, display: str, *before: str) -> None:
        super().__init__(display, prefix.parent)
        self.before = before
        self.drive = prefix / "drive_c"
        self.environment |= {
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
            [*self.before, *words], env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def output(self, *command: str) -> str:
        """What a console program prints, through a file of cmd's: a pipe would never end."""
        (text,) = self._redirected("> C:\\1.txt 2>&1", 1, command)
        return text.decode("utf-8", "replace").replace("\r\n", "\n")

    def outputs(self, *command: str) -> tuple[bytes, bytes]:
        """What it writes into two files, byte for byte: its output, and its errors."""
        output, errors = self._redirected("> C:\\1.txt 2> C:\\2.txt", 2, command)
        return output, errors

    def _redirected(self, where: str, count: int, command: Sequence[str]) -> list[bytes]:
        targets = [self.drive / f"{number}.txt" for number in range(1, count + 1)]
        script = self.drive / "output.bat"
        words = " ".join(f'"{word}"' for word in command)
        script.write_text(f"@{words} {where}\r\n", encoding="utf-8")
        self.run("cmd", "/c", "C:\\output.bat", timeout=600)
        script.unlink()
        found = [target.read_bytes() for target in targets]
        for target in targets:
            target.unlink()
        return found

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
        """The lines of both halves of the registry; each value with the key before it.

        Of what Windows registers for everybody, nine tenths of it all, only the names of its keys.
        """
        lines = {name for key in NAMES for name in self.output("reg", "query", key).splitlines()}
        for root in ROOTS:
            target = self.drive / "export.reg"
            if self.run("reg", "export", root, "C:\\export.reg", "/y") != 0:
                continue  # Nothing is there.
            key = ""
            for line in target.read_bytes().decode("utf-16").splitlines():
                key = line if line.startswith("[") else key
                lines.add(f"{key} {line}")
            target.unlink()
        return lines


def compiled(target: Path, source: str, *options: str, more: Sequence[str] = ()) -> None:
    """A program of ours that stands for a part of Windows, linked with ``more``."""
    words = ["x86_64-w64-mingw32-gcc", "-O2", "-s", *options, "-o", str(target)]
    subprocess.run([*words, str(HERE / source), *more], check=True)


@contextlib.contextmanager
def desktop(folder: Path, *before: str) -> Iterator[Desktop]:
    """A fresh Windows with a screen; ended with all its programs."""
    with screen() as display:
        one = Desktop(folder / "prefix", display, *before)
        if before:
            # Of another account: Wine makes one in its name.
            windows_python.make_prefix(one.run)
        else:
            shutil.copytree(windows_python.template(), folder / "prefix", symlinks=True)
        compiled(one.drive / "windows" / "system32" / "icuuc.dll", "icuuc.c", "-shared")
        compiled(one.drive / "windows" / "rights.exe", "rights.c", "-municode", "-mwindows")
        one.run("wineserver", "-p")
        try:
            yield one
        finally:
            one.run("wineserver", "-k")
