"""Files that the command line is given: pipes, and words that a terminal obeys."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import needs
import pytest
from test_command_line import ca

from cudnn_assistant.cli.saving import replace
from cudnn_assistant.cli.screen import Screen

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


@pytest.mark.parametrize(
    "stands", ["device", "pipe", "folder", "link", "another's file", "another link"]
)
def test_only_metrics_are_replaced_by_metrics(
    tmp_path: Path, stands: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As root a file is put in the place of whatever has its name, /dev/null included."""
    there, other = tmp_path / "x.prom", tmp_path / "other"
    other.write_text("root:x:0:0\n")
    if stands == "device":
        needs.require_root()
        os.mknod(there, 0o600 | stat.S_IFCHR, os.makedev(1, 3))
    elif stands == "pipe":
        os.mkfifo(there)
    elif stands == "folder":
        there.mkdir()
    elif stands == "another's file":
        there.write_bytes(other.read_bytes())
    else:
        there.symlink_to("other" if stands == "link" else "nowhere")
    before = os.lstat(there)
    assert not replace(str(there), b"# HELP cudnn_assistant_x\n", Screen(color="never"))
    assert os.lstat(there) == before
    assert other.read_text() == "root:x:0:0\n"
    assert str(there) in capsys.readouterr().err


def test_metrics_are_replaced(tmp_path: Path) -> None:
    file = tmp_path / "x.prom"
    for content in (b"# HELP cudnn_assistant_verdict 1\n", b"# HELP cudnn_assistant_verdict 2\n"):
        assert replace(str(file), content, Screen(color="never"))
        assert file.read_bytes() == content
    file.write_bytes(b"")
    assert replace(str(file), b"# HELP cudnn_assistant_verdict 3\n", Screen(color="never"))
