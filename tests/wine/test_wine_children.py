"""The watched child and the cuDNN test under Wine: handles, jobs, mapped modules, DLL search.

Wine 8 inherits handles, ends jobs and lists modules as Windows does; it shows nothing about boxes
or consoles. NVIDIA's own DLLs come from a wheel (see tests/trial/fetch_wheels.sh).
"""

from __future__ import annotations

from pathlib import Path

import pytest
import windows_python
from real_wheels import WINDOWS, libraries, needs_wheels

pytestmark = pytest.mark.wine
REPOSITORY = str(Path(__file__).parents[2])
PLAIN = ("answers", "hangs", "leaves_no_orphan", "ends", "nothing_there", "no_library")
REAL = ("whole", "by_name", "parts_missing")


@pytest.fixture(scope="module")
def inside():
    try:
        base = windows_python.prepare()
    except windows_python.NotPossible as why:
        pytest.skip(f"needs Windows' Python under Wine: {why}")
    with windows_python.running(base) as environment:

        def run(*arguments: str) -> None:
            script = str(Path(__file__).with_name("children_inside.py"))
            done = windows_python.run(base, environment, script, REPOSITORY, *arguments)
            assert done.output.strip().endswith("fine"), done.output

        yield run


@pytest.mark.parametrize("check", PLAIN)
def test_a_watched_child(inside, check):
    inside(check)


@needs_wheels
@pytest.mark.parametrize("check", REAL)
def test_real_dlls(inside, check):
    inside(check, "Z:" + str(libraries(WINDOWS)).replace("/", "\\"))
