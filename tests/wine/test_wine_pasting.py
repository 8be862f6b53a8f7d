"""Lines for any terminal of Windows, pasted one after the other into a real command prompt.

What Wine does alike: its cmd.exe reads quotation marks, "&", "%" and "call" as Windows' own does.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import needs
import pytest
import stubs
from windows_python import Wine

from cudnn_assistant.shell import in_any_terminal
from installer.windows import build

pytestmark = [pytest.mark.wine, needs.programs(stubs.TOOLS[0])]

STUB = r"""
#include <stdio.h>
int wmain(int count, wchar_t **words) {
    FILE *seen = _wfopen(L"P:\\seen", L"ab");
    for (int i = 0; i < count; i++) fwrite(words[i], 2, wcslen(words[i]) + 1, seen);
    fwrite(L"\n", 2, 1, seen);
    return fclose(seen);
}
"""
PROGRAMS = (
    "cudnn-assistant.exe", r"P:\tools\cudnn-assistant.exe", r"P:\Program Files\cuDNN 9\py.exe",
    r"P:\a b\c d\cudnn-assistant.exe",
)  # fmt: skip
WORDS = (
    (), ("check",), ("check", "--python", r"C:\Users\A Person\venv\Scripts\python.exe"),
    ("fix", "--only", "cudnn-not-on-path"), ("--trust", r"D:\some folder"),
    ("undo", "--list", "-v"), ("two  blanks", "three   of them"), ("report", r".\my report.md"),
    ("check", r"C:\no\blank\\"), ("x-y", "a+b", "1.2:3"), ("report", r"C:\a b\c.md", r"D:\e f"),
    ("--machine", "C:/with slashes/r.md"), ("/?",), ("a b", "/?"), ("/c", "x y"), ("call", "a b"),
)  # fmt: skip
HOSTILE = (
    "%PATH%", "a & echo> P:\\PWNED", "a\" & echo> P:\\PWNED & \"", "^&echo>P:\\PWNED", "!x! y",
    "a b\\", "(x) y", "a|echo>P:\\PWNED", "\necho>P:\\PWNED\n", "a;b c", "a,b=c d", "@x y",
)  # fmt: skip


@pytest.fixture
def drive(wine: Wine, tmp_path: Path) -> Iterator[Path]:
    """Drive P:, where the programs are stubs that write down their words."""
    letter = wine.base / "prefix" / "dosdevices" / "p:"
    letter.unlink(missing_ok=True)
    letter.symlink_to(tmp_path)
    (tmp_path / "stub.c").write_text(STUB)
    stub = tmp_path / "cudnn-assistant.exe"
    command = [stubs.TOOLS[0], "-municode", "-w", "-s", "-o", stub, tmp_path / "stub.c"]
    subprocess.run(command, check=True)
    for program in PROGRAMS[1:]:
        path = tmp_path / program.removeprefix("P:\\").replace("\\", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.hardlink_to(stub)
    yield tmp_path
    letter.unlink()


@pytest.mark.parametrize("folder", ["Program Files", "R&D ^x", "A & B", "so!"])
def test_silent_removal_from_any_folder(wine: Wine, drive: Path, folder: str) -> None:
    """The batch file of Setup starts a copy of what lies beside it, with the folder as it is."""
    (drive / folder).mkdir(exist_ok=True)
    (drive / folder / "uninstall.exe").hardlink_to(drive / "cudnn-assistant.exe")
    (drive / folder / "uninstall.cmd").write_text(build._COMMANDS["uninstall.cmd"], newline="")
    start = drive / "start.cmd"
    start.write_text(f'@"P:\\{folder}\\uninstall.cmd" /SETTINGS\r\n', newline="")
    done = subprocess.run(
        ["wine", "cmd", "/c", "P:\\start.cmd"], env=wine.environment, timeout=120,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    seen = (drive / "seen").read_bytes().decode("utf-16-le").split("\0")
    assert (" ".join(seen[1:-1]), done.returncode) == (f"/S /SETTINGS _?=P:\\{folder}", 0)


def test_each_line_starts_what_it_names_with_whole_words(wine: Wine, drive: Path) -> None:
    asked = list(product(PROGRAMS, WORDS))
    asked += [(PROGRAMS[0], ("check", "--python", word)) for word in HOSTILE]
    lines = {in_any_terminal(program, *words): [program, *words] for program, words in asked}
    # What only PowerShell can be told is written for it, and nobody pastes it elsewhere.
    meant = [line for line in lines if not {"'", "&", "("} & set(line)]
    assert len(meant) >= 50
    assert len(lines) - len(meant) >= len(HOSTILE) - 2
    # Of a pipe Wine's prompt takes one read for one line.
    typed = drive / "typed"
    typed.write_text("\r\n".join(["P:", *meant, "exit", ""]), newline="")
    with typed.open("rb") as pasted:
        subprocess.run(
            ["wine", "cmd"], env=wine.environment, stdin=pasted, timeout=300,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    seen = (drive / "seen").read_bytes().decode("utf-16-le").split("\n")[:-1]
    assert [one.split("\0")[1:-1] for one in seen] == [lines[line][1:] for line in meant]
    assert not (drive / "PWNED").exists()
