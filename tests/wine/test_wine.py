"""The Windows adapter on the real winreg, user32, shell32 and userenv, as Wine has them.

Wine 8 keeps kinds, spelling and access lists as Windows does, merges the layers for a new program
and delivers WM_SETTINGCHANGE; everybody is an administrator there, and nobody is asked.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import needs
import pytest
import stubs
from windows_python import Wine

REPOSITORY = str(Path(__file__).parents[2])
CHECKS = (
    "contract",
    "other_kinds",
    "denied",
    "there_and_back",
    "broadcast",
    "elevated",
    "the_persons_own_uv",
    "the_person_of_the_desktop",
    "machine_change_through_the_question",
    "machine_change_by_windows_own_program",
    "managed",
    "noticed",
    "held_by_another",
    "the_window_of_this_copy",
)

pytestmark = pytest.mark.wine


Run = Callable[..., str]
MANY = needs.night()
ROW = 8 if MANY else 3
"""Kills in one run, which may last five minutes on a busy computer."""
CALLS = 56
"""Of a change of ten variables, and of its undo: the row that begins there finds it done."""
KILLS = range(0, CALLS + ROW, ROW) if MANY else range(30, 31)
"""Calls at which the first of a row is killed."""
killed: Counter[str] = Counter()


@pytest.fixture(scope="session")
def inside(wine: Wine) -> Run:
    """Runs a check of ``inside.py`` in Windows' Python; what it printed."""

    def run(check: str, *words: object) -> str:
        done = wine.run("inside.py", check, *map(str, words))
        assert done.code == 0, done.output
        return done.output

    return run


@pytest.mark.spread(4)
@pytest.mark.parametrize("check", CHECKS)
def test_under_wine(inside: Run, check: str) -> None:
    inside("restore_the_environment")
    inside(check)


@pytest.mark.spread(2)
@pytest.mark.parametrize("how", ["die", "die_undoing"])
@pytest.mark.parametrize("first", KILLS)
def test_a_kill_leaves_a_way_back(inside: Run, first: int, how: str) -> None:
    """At every call, one by one, with "--hypothesis-profile nightly"; else at some."""
    inside("restore_the_environment")
    reached = int(inside("killed", first, first + ROW, how).split()[-1])
    assert reached == first + ROW or first >= CALLS - ROW
    killed[how] += reached - first


def test_so_many_were_killed() -> None:
    """By the test above, in this process: all that need Wine share one."""
    assert killed.total() >= (100 if MANY else ROW), killed


def test_a_new_program_sees_what_we_reckoned(inside: Run) -> None:
    """And a new program after the undo sees what was before."""
    inside("restore_the_environment")
    before = inside("print_environment")
    reckoned = json.loads(inside("change_the_environment"))
    seen = json.loads(inside("print_environment"))
    assert seen == reckoned
    assert seen["PATH"].endswith("C:\\ü u;C:\\users\\root\\bin")
    assert seen["CUDA_PATH"] == "%not expanded%"
    inside("restore_the_environment")
    assert inside("print_environment") == before


def test_the_silent_uninstaller_runs_where_nobody_else_may_lay_a_file(
    wine: Wine, tmp_path: Path
) -> None:
    """Everybody may add a library to a folder in Windows' Temp, and it is loaded from there."""
    needs.require(*stubs.TOOLS)
    drive = wine.base / "prefix" / "drive_c"
    place, temp = drive / "silent one", drive / "silent temp"
    for folder in (place, temp):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
    source = tmp_path / "uninstall.c"
    source.write_text(
        "#include <stdio.h>\nint main(int count, char **words) {"
        ' remove("uninstall.cmd"); remove("uninstall.exe");'
        ' FILE *file = fopen("C:\\\\silent", "w"); fputs(words[0], file); return 7; }'
    )
    subprocess.run([stubs.TOOLS[0], source, "-o", place / "uninstall.exe"], check=True)
    text = Path(REPOSITORY, "installer", "windows", "uninstall.cmd").read_text("ascii")
    (place / "uninstall.cmd").write_text(text, newline="\r\n")
    # Wine has a TEMP of its own.
    lines = (
        "@cd /d C:\\silent one",
        "@set TEMP=C:\\silent temp",
        r'@"C:\silent one\uninstall.cmd" /SETTINGS',
    )
    (drive / "start.cmd").write_text("\n".join(lines), newline="\r\n")
    command = ["wine", "cmd", "/d", "/c", r"C:\start.cmd"]
    done = subprocess.run(command, env=wine.environment, stdout=subprocess.DEVNULL)
    assert done.returncode == 7
    assert (drive / "silent").read_text() == r"C:\silent one\.uninstall\uninstall.exe"
    assert (list(temp.iterdir()), list(place.iterdir())) == ([], [])
