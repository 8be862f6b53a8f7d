"""Reports carried from one system to the other: Windows' Python under Wine and this Linux.

What Wine does alike: registry, drives, names without case, Windows' own Python. It has no NVIDIA
driver, so its own diagnosis ends there; everything else of a report is as on Windows.
"""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pefile
import pytest
from machines.computers import golden
from windows_python import Wine

from cudnn_assistant.cli import run
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.report.reading import read_report
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.reports import support_forms

pytestmark = pytest.mark.wine

REPOSITORY = Path(__file__).parents[2]
GOLDEN = ("linux-cudnn-mixed-versions", "windows-older-cudnn-first-machine", "linux-torch-healthy")

REAL = "h100-pytorch-healthy"
"""A report of a computer with a real GPU."""


def told(path: str) -> dict[str, Any]:
    caught = io.StringIO()
    with contextlib.redirect_stdout(caught):
        run(["check", "--machine", path, "--json", "--offline"])
    answer: dict[str, Any] = json.loads(caught.getvalue())
    return answer


@pytest.fixture(scope="module")
def reports(
    wine: Wine, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[str], list[dict[str, Any]]]:
    """The files of all reports, and what the program under Wine says of each."""
    folder = tmp_path_factory.mktemp("reports")
    compat = load_builtin()
    files = [str(folder / "wine.md")]
    for name in GOLDEN:
        files.append(str(folder / f"{name}.md"))
        Path(files[-1]).write_text(
            support_forms(think(golden(name), compat), compat)("markdown"), "utf-8"
        )
    files.append(str(REPOSITORY / "tests" / "machines" / "reports" / f"{REAL}.md"))
    libraries = str(Path(pefile.__file__).parent)
    arguments = (libraries, str(folder), *files[1:])
    done = wine.run("report_inside.py", *arguments)
    rows = [row for row in done.output.splitlines() if row.startswith("answer ")]
    assert len(rows) == len(files), done.output[-3000:]
    return files, [json.loads(row.removeprefix("answer ")) for row in rows]


@pytest.mark.parametrize("number", range(5), ids=["wine", *GOLDEN, REAL])
def test_both_systems_say_the_same_of_a_report(
    reports: tuple[list[str], list[dict[str, Any]]], number: int
) -> None:
    files, answers = reports
    assert told(files[number]) == answers[number]
    assert answers[number]["subjects"]


def test_what_wine_had_is_in_its_report_and_the_person_is_not(
    reports: tuple[list[str], list[dict[str, Any]]],
) -> None:
    text = Path(reports[0][0]).read_text(encoding="utf-8")
    machine = read_report(text).machine
    assert machine.os.family == "windows"
    versions = {copy.folder.lower(): copy.version for copy in machine.cudnns}
    assert versions[r"c:\program files\nvidia\cudnn\v9.8\bin\12.8"] == "9.8.0.87"
    assert versions[r"c:\users\user-1\folder-1\cudnn\bin"] == "9.1.0.70"
    assert "falconproj" not in text
    assert "kernel module" not in text
