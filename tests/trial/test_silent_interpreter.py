"""Interpreters that never say a word: too old for our lines, not Python at all, ended at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cudnn_assistant.probe.trials.framework import run_framework


def program(folder: Path, script: str) -> str:
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    "script",
    ["echo 'SyntaxError: invalid syntax' >&2; exit 1", "exit 0", "kill -ABRT $$", "echo '{}'"],
)
def test_an_interpreter_that_says_nothing_is_data(tmp_path: Path, script: str) -> None:
    trial = run_framework(dict(os.environ), program(tmp_path, script), "torch", deadline=20)
    assert trial.status != "ok"
    assert trial.stage == "start"
    assert trial.times == ()
