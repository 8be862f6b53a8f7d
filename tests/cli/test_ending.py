"""However a command is ended, it says so, leaves nothing half-written, and takes children along.

By Ctrl+C and its like at any moment; with a reader that goes, a closed stream, and a full disk.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import needs
import pytest
from test_command_line import snapshot

from cudnn_assistant.signals import SIGNALS

STOPPED = "Stopped, as you wished."
SAID = "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\n"
COMMANDS = (
    "check --offline --no-test",
    "check --offline --json --prometheus {folder}/x.prom",
    "fix --offline --yes",
    "undo --list",
    "installed",
    "explain {folder}/said",
    "report {folder}/x.md --offline --text {folder}/said",
    "report - --many {folder}",
    "test",
    "watch -- sleep 1",
    "feed update",
    "recommend --offline --gpu RTX~3060 --driver 580.65.06",
    "integrate",
)  # fmt: skip
UNWRITTEN = "What this command says could not be written. The disk is full."
WAYS = ("| true", ">&-", ">&- 2>&- <&-", "2>/dev/full", ">/dev/full")
DELAYS = (0.0, 0.1, 0.3, 0.6)
"""Seconds after it listens: while it loads, looks, and tells."""
PLANTED = """
#include <stdio.h>
#include <unistd.h>
static void tell(const char *file) {
    FILE *out = fopen(file, "w"); fprintf(out, "%d", getpid()); fclose(out);
}
__attribute__((constructor)) static void started(void) {
    if (!fork()) { setsid(); if (!fork()) { tell(FOLDER "/grandchild"); sleep(60); } _exit(0); }
    tell(FOLDER "/child");
    sleep(60);
}
"""
"""A library that never comes back from its loading, and what it starts in a session of its own."""


def begun(words: Sequence[str], **how: object) -> subprocess.Popen[str]:
    """The program, once it listens: a wish to stop that comes while Python itself starts is
    Python's to answer."""
    process = subprocess.Popen(
        [sys.executable, "-m", "cudnn_assistant", *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        **how,
    )  # type: ignore[call-overload]  # fmt: skip
    until = time.monotonic() + 60
    while not _listens(process.pid) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.002)
    return process


def _listens(pid: int) -> bool:
    caught = re.search(r"SigCgt:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())
    return caught is not None and bool(int(caught[1], 16) >> (signal.SIGTERM - 1) & 1)


def _runs(pid: str) -> bool:
    status = Path(f"/proc/{pid}/status")
    return status.exists() and "zombie" not in status.read_text()


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "said").write_text(SAID * 9)
    snapshot("linux-healthy", tmp_path)
    return tmp_path


def put(command: str, folder: Path) -> list[str]:
    return [word.format(folder=folder).replace("~", " ") for word in command.split()]


def test_every_command_is_among_those_that_are_ended() -> None:
    from cudnn_assistant.cli.arguments import COMMANDS as ALL

    # mcp: tests/fleet/test_assistants.py ends it.
    assert {command.split()[0] for command in COMMANDS} | {"mcp"} == set(ALL)


@pytest.mark.skipif(sys.platform != "linux", reason="signals, and /proc")
@pytest.mark.spread(4)  # each signal in its turn
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", COMMANDS)
def test_told_to_stop_it_says_so_at_any_moment(
    command: str, number: signal.Signals, folder: Path, own_home: Path
) -> None:
    whole: dict[str, bytes] = {}
    temporary = folder / "temporary"
    temporary.mkdir()
    for delay in DELAYS if number == signal.SIGINT else DELAYS[2:3]:
        process = begun(put(command, folder), env={**os.environ, "TMPDIR": str(temporary)})
        time.sleep(delay)
        process.send_signal(number)
        _out, err = process.communicate(timeout=60)
        assert os.listdir(temporary) == []
        assert "Traceback" not in err, err
        assert "ignored" not in err, err
        # Where it was over already it ends as ever; a program that is watched has it handed on.
        assert process.returncode in (128 + number, *range(7)), err
        if process.returncode == 128 + number and not err.startswith("Your program"):
            assert err.endswith(f"{STOPPED}\n")
        assert not [name for name in files(folder) if name.endswith(".new")]
        for name, content in files(folder).items():
            if name.startswith("x."):
                end = b"```\n" if name == "x.md" else b"\n"
                assert content.endswith(end), f"{name} is half-written"
        whole |= files(own_home)
    assert not [name for name in whole if name.endswith((".new", ".making"))]


EARLY = """
import os, sys
loads = sys.argv[1]
class Finder:
    def find_spec(name, *_):
        if name == loads:
            os.kill(os.getpid(), 2)
sys.meta_path.insert(0, Finder)
from cudnn_assistant.__main__ import main
sys.argv[1:] = ["check", "--offline"]
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("loads", ["signal", "cudnn_assistant.cli", "cudnn_assistant.cli.ending"])
def test_before_it_has_any_words_it_ends_without(loads: str) -> None:
    done = subprocess.run([sys.executable, "-c", EARLY, loads], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(sys.platform != "linux", reason="signals, and /proc")
@pytest.mark.parametrize("number", SIGNALS)
def test_what_was_started_goes_along(number: signal.Signals, tmp_path: Path) -> None:
    needs.require("gcc")
    tmp_path.chmod(0o755)
    (tmp_path / "planted.c").write_text(PLANTED.replace("FOLDER", f'"{tmp_path}"'))
    library = str(tmp_path / "libcudnn.so.9")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, tmp_path / "planted.c"], check=True)
    process = begun(["test", "--library", str(tmp_path), "--trust", str(tmp_path)])
    pids = [tmp_path / "child", tmp_path / "grandchild"]
    until = time.monotonic() + 60
    while not all(one.exists() and one.read_text() for one in pids):
        assert time.monotonic() < until
        time.sleep(0.02)
    process.send_signal(number)
    _out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (128 + number, f"{STOPPED}\n")
    assert not [one.name for one in pids if _runs(one.read_text())]


@pytest.mark.skipif(sys.platform != "linux", reason="signals, and /proc")
def test_what_was_ignored_from_the_start_stays_so(folder: Path) -> None:
    """As under nohup."""
    process = begun(
        ["watch", "--", "sleep", "1"], preexec_fn=lambda: signal.signal(1, signal.SIG_IGN)
    )
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a shell's own words")
@pytest.mark.spread(5)
@pytest.mark.parametrize("command", [*COMMANDS, "--help", "--version", "nonsense"])
def test_what_can_not_be_said_is_no_traceback(command: str, folder: Path) -> None:
    def end(way: str) -> subprocess.CompletedProcess[str]:
        line = f'set -o pipefail; "$0" -m cudnn_assistant "$@" {way}'
        words = ["bash", "-c", line, sys.executable, *put(command, folder)]
        return subprocess.run(words, capture_output=True, text=True, timeout=120)

    with ThreadPoolExecutor(2) as several:
        ended = dict(zip(WAYS, several.map(end, WAYS), strict=True))
    usual = ended["2>/dev/full"]
    assert usual.returncode in range(7)
    for way, done in ended.items():
        assert "Traceback" not in done.stderr, (way, done.stderr)
        assert "ignored" not in done.stderr, (way, done.stderr)
        if way == ">/dev/full" and usual.stdout and not command.startswith("watch"):
            assert done.returncode == 3
            assert UNWRITTEN in done.stderr
        else:
            gone = {141} if way == "| true" else set()
            assert done.returncode in {usual.returncode, *gone}, (way, done)
