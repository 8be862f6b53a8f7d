"""Reports of real computers: each is told the same as when it was first read aloud."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from machines.build import REPORTS, tell

from cudnn_assistant.diagnose import diagnose, verdict
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import Trial
from cudnn_assistant.report.reading import read_report

FILES = sorted(REPORTS.glob("*.md"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_computer_is_told_what_was_read_aloud(path: Path) -> None:
    machine = read_report(path.read_text(encoding="utf-8")).machine
    assert tell(machine) == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [p for p in FILES if "healthy" in p.stem], ids=lambda p: p.stem)
def test_a_healthy_real_computer_gets_no_finding(path: Path) -> None:
    machine = read_report(path.read_text(encoding="utf-8")).machine
    found = diagnose(machine, load_builtin())
    assert verdict(machine, found) == "works"
    assert not [f.code for f in found if f.severity != "info"]


def test_a_processor_build_is_named_once_its_own_convolution_was_asked_for() -> None:
    """As seen on that computer: ONNX Runtime's plain package beside a PyTorch that works."""
    whole = (REPORTS / "h100-pytorch-healthy.md").read_text(encoding="utf-8")
    machine = read_report(whole).machine
    subject = next(one.id for one in machine.pythons if one.frameworks)
    stopped = Trial(
        subject=subject,
        framework="onnxruntime 1.30.0",
        stage="driver",
        status="no-gpu",
        detail="this ONNX Runtime is built without CUDA",
    )
    seen = msgspec.structs.replace(machine, trials=(*machine.trials, stopped))
    found = [f for f in diagnose(seen, load_builtin()) if f.severity != "info"]
    assert [f.code for f in found] == ["cpu-only-framework"]
