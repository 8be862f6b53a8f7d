"""Reports of real computers: each is told the same as when it was first read aloud."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines.build import REPORTS, tell

from cudnn_assistant.diagnose import diagnose, verdict
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.report import read_machine

FILES = sorted(REPORTS.glob("*.md"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_computer_is_told_what_was_read_aloud(path: Path) -> None:
    machine = read_machine(path.read_text(encoding="utf-8"))
    assert tell(machine) == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [p for p in FILES if "healthy" in p.stem], ids=lambda p: p.stem)
def test_a_healthy_real_computer_gets_no_finding(path: Path) -> None:
    machine = read_machine(path.read_text(encoding="utf-8"))
    found = diagnose(machine, load_builtin())
    assert verdict(machine, found) == "works"
    assert not [f.code for f in found if f.severity != "info"]
