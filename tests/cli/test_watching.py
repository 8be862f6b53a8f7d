"""The command ``watch``: a person's own program is followed, and its code becomes ours."""

from __future__ import annotations

import json
import sys

import pytest
from test_command_line import ca


def test_a_program_is_followed_and_its_output_is_its_own() -> None:
    done = ca("watch", "--", sys.executable, "-c", "print('mine'); raise SystemExit(3)")
    assert (done.stdout, done.returncode) == ("mine\n", 3)
    assert "no file of cuDNN" in done.stderr


def test_programs_get_one_object() -> None:
    done = ca("watch", "--json", "--", sys.executable, "-c", "print('mine')")
    assert done.stdout == "mine\n"
    assert json.loads(done.stderr)["exit_code"] == 0


@pytest.mark.parametrize(
    "words", [(), ("--pid", "0"), ("--pid", "-1"), ("--pid", "9" * 30), ("--", "/no/such\x1b[8m")]
)
def test_nothing_to_watch_is_wrong_use(words: tuple[str, ...]) -> None:
    done = ca("watch", *words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr
