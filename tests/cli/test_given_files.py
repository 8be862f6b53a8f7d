"""Files that the command line is given: pipes, and words that a terminal obeys."""

from __future__ import annotations

import os
import pty
import resource
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


def test_what_a_shell_wrote_in_utf_16_or_in_colours_is_read(tmp_path: Path) -> None:
    """As ">" of PowerShell 5 and the logs of builds hold it."""
    log, list_, out = tmp_path / "log", tmp_path / "requirements.txt", tmp_path / "r.md"
    log.write_text(
        "\x1b[31mRuntimeError\x1b[0m: \x1b[1mCUDNN_STATUS_BAD_PARAM\x1b[0m\r\n", "utf-16"
    )
    list_.write_text("torch==2.4.0\r\n", "utf-16")
    ca("report", str(out), "--offline", "--no-test", "--text", str(log))
    assert "\nRuntimeError: CUDNN_STATUS_BAD_PARAM\n" in out.read_text()
    done = ca("recommend", "--offline", "--gpu", "8.6", "--requirements", str(list_))
    assert "torch==2.4.0" in done.stdout


ENDLESS = (
    ("explain",),
    ("explain", "/dev/stdin"),
    ("report", "-", "--offline", "--no-test", "--text", "-"),
    ("recommend", "--offline", "--requirements", "-"),
    ("explain", "/dev/zero"),
    ("mcp",),
)


@pytest.mark.parametrize("words", ENDLESS, ids=" ".join)
def test_what_has_no_end_is_refused_soon_and_in_little_memory(words: tuple[str, ...]) -> None:
    if words == ("mcp",):
        pytest.importorskip("mcp")

    def little() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (500 << 20, 500 << 20))

    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "cudnn_assistant", *words],
            stdin=endless, capture_output=True, text=True, timeout=60, preexec_fn=little,
        )  # fmt: skip
    assert done.returncode == 2
    assert "without an end" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [*ENDLESS[:1], *ENDLESS[2:4], ("mcp",)], ids=" ".join)
def test_a_closed_input_is_told(words: tuple[str, ...]) -> None:
    if words == ("mcp",):
        pytest.importorskip("mcp")
    done = subprocess.run(
        ["sh", "-c", '"$0" -m cudnn_assistant "$@" <&-', sys.executable, *words],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr
    assert "Traceback" not in done.stderr


def test_who_types_is_told_how_to_end() -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cudnn_assistant", "explain"],
        stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr
    try:
        # Nothing was typed yet: without the sentence this waits for ever.
        assert b"Ctrl+D" in process.stderr.readline()
        os.write(ours, b"CUDNN_STATUS_BAD_PARAM\n\x04")
        out, _err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert b"CUDNN_STATUS_BAD_PARAM" in out


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
