"""``--quick`` on a whole computer: the system is tested, and no framework is asked."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from computer import OURS, Computer, impossible
from test_computers import venv

pytestmark = pytest.mark.skipif(bool(impossible()), reason=impossible() or "-")


def test_quick_asks_no_framework(tmp_path: Path) -> None:
    computer = Computer(tmp_path).healthy()
    venv(computer)
    ours = shlex.join(OURS)
    asking = (
        f"{ours} check --offline --json", f"{ours} check --offline --json --quick",
        f"{ours} report - --offline", f"{ours} report - --offline --quick",
        f"{ours} fix --offline --json", f"{ours} fix --offline --json --quick",
    )  # fmt: skip
    done = computer.run("bash", "-c", "; echo ----; ".join(asking), seconds=300)
    whole, quick, report, quick_report, fix, quick_fix = done.stdout.split("----\n")
    for with_frameworks, without in ((whole, quick), (fix, quick_fix)):
        assert any(one.startswith("torch") for one in _asked(with_frameworks)), done.stderr
        assert _asked(without) == {""}
    assert '"framework": "torch ' in report
    assert '"framework": "torch ' not in quick_report


def _asked(told: str) -> set[str]:
    """The frameworks in which cuDNN was tested; "": outside of any."""
    return {trial.get("framework", "") for trial in json.loads(told)["machine"]["trials"]}
