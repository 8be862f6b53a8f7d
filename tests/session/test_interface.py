"""What ``import cudnn_assistant`` offers: README's lines, silent, and the same as the command."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import cudnn_assistant
from cudnn_assistant.session import Misuse
from cudnn_assistant.session.json_output import Answer

ROOT = Path(__file__).parents[2]


def program(text: str, folder: Path) -> str:
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_readme_s_lines_run(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (lines,) = re.findall(r"```python\n(import cudnn_assistant\n.*?)```", readme, re.DOTALL)
    told = program(lines, tmp_path).splitlines()
    assert told[0] in ("works", "broken", "impossible", "unknown")
    assert any(line.startswith("```json cudnn-assistant-machine") for line in told)
    assert "the message that you got" in told


def test_nothing_is_printed_and_nothing_heavy_is_loaded(tmp_path: Path) -> None:
    told = program(
        "import sys, cudnn_assistant\n"
        "early = [n for n in sys.modules if n.startswith('cudnn_assistant.') or n == 'msgspec']\n"
        "result = cudnn_assistant.check(test=False, offline=True)\n"
        "heavy = {'PySide6', 'requests', 'tuf', 'cudnn_assistant.apply'} & set(sys.modules)\n"
        "sys.stdout.write(repr((early, sorted(heavy))))\n",
        tmp_path,
    )
    assert told == "([], [])"


def without_times(text: str) -> dict[str, object]:
    answer = json.loads(text)
    for name in ("taken_at", "timings", "processes", "gaps"):
        answer["machine"].pop(name, None)
    return dict(answer)


def test_the_answer_is_that_of_the_command() -> None:
    words = ["check", "--json", "--no-test", "--offline"]
    command = [sys.executable, "-m", "cudnn_assistant", *words]
    printed = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120).stdout
    result = cudnn_assistant.check(test=False, offline=True)
    assert set(without_times(result.to_json())) == set(without_times(printed))
    assert without_times(result.to_json())["findings"] == without_times(printed)["findings"]
    assert msgspec.json.decode(result.to_json(), type=Answer) == result
    with pytest.raises(AttributeError):
        result.verdict = "works"  # type: ignore[misc]


def test_what_fits_an_imagined_computer() -> None:
    assert cudnn_assistant.recommend(gpu="8.6", framework="torch", system="linux").cudnn
    with pytest.raises(Misuse, match="system-without-gpu"):
        cudnn_assistant.recommend(system="windows")
    with pytest.raises(Misuse) as caught:
        cudnn_assistant.recommend(gpu="8.6", driver="soon")
    assert (caught.value.code, caught.value.facts) == ("not-a-driver-version", {"text": "soon"})


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'ask'"):
        _ = cudnn_assistant.ask
