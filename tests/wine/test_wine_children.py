"""The watched child and the cuDNN test under Wine: handles, jobs, mapped modules, DLL search.

Wine 8 inherits handles, ends jobs and lists modules as Windows does; it shows nothing about boxes
or consoles. NVIDIA's own DLLs come from a wheel (see tests/trial/fetch_wheels.sh).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from real_wheels import WINDOWS, libraries, needs_wheels

pytestmark = pytest.mark.wine
REPOSITORY = str(Path(__file__).parents[2])
PLAIN = ("answers", "hangs", "leaves_no_orphan", "takes_all_memory", "watches",
         "watches_what_a_terminal_would_start", "watches_a_crash", "whose_files",
         "watches_until_it_is_stopped", "ends", "nothing_there", "no_library")  # fmt: skip
REAL = ("whole", "by_name", "parts_missing")


@pytest.fixture(scope="module")
def inside(wine):
    def run(*arguments: str) -> None:
        done = wine.run("children_inside.py", *arguments)
        assert done.output.strip().endswith("fine"), done.output

    return run


@pytest.mark.spread(2)
@pytest.mark.parametrize("check", PLAIN)
def test_a_watched_child(inside, check):
    inside(check)


@needs_wheels
@pytest.mark.parametrize("check", REAL)
def test_real_dlls(inside, check):
    inside(check, "Z:" + str(libraries(WINDOWS)).replace("/", "\\"))
