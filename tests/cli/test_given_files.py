"""Files that the command line is given: pipes, and words that a terminal obeys."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_command_line import ca

WAYS = (
    ("explain", "{file}"),
    ("report", "-", "--offline", "--no-test", "--text", "{file}"),
    ("recommend", "--offline", "--requirements", "{file}"),
    ("check", "--offline", "--no-test", "--python", "{file}"),
    ("report", "--compare", "{file}", "{file}"),
)


@pytest.mark.parametrize("words", WAYS)
def test_a_pipe_that_nobody_writes_is_not_waited_for(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = ca(*(word.format(file=tmp_path / "pipe") for word in words))
    assert "Traceback" not in done.stderr


def test_a_pipe_with_something_in_it_is_read() -> None:
    """As a shell makes one of <(command)."""
    command = f"{sys.executable} -m cudnn_assistant explain <(sleep 1; echo CUDNN_STATUS_BAD_PARAM)"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert "CUDNN_STATUS_BAD_PARAM" in done.stdout


def test_wrong_words_are_shown_with_every_character() -> None:
    done = ca("check", "--no-such\x1b[8m\u202e")
    assert done.returncode == 2
    assert "\\x1b[8m\\u202e" in done.stderr
    assert not {"\x1b", "\u202e"} & set(done.stderr)
