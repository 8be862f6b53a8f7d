"""The command line as a person or a script meets it: a real process, its output, its exit code."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from machines.computers import NAMES, golden

from cudnn_assistant.cli import run
from cudnn_assistant.cli.screen import in_utf8
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Machine, Value, dump, load
from cudnn_assistant.plan import Entry, Plan, SetVariable
from cudnn_assistant.session import json_output as answers

ROOT = Path(__file__).parents[2]


def ca(
    *words: str, text: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cudnn_assistant", *words],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
        timeout=120,
    )


def in_terminal(words: Sequence[str], **environment: str) -> str:
    """Output of the program when all three streams are one terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cudnn_assistant", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, **environment},
    )
    os.close(theirs)
    read = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        read += piece
    process.wait(60)
    os.close(ours)
    return read.decode()


def snapshot(name: str, folder: Path) -> Path:
    """A file with what was seen on a golden computer."""
    path = folder / f"{name}.json"
    path.write_bytes(dump(golden(name)))
    return path


def here(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the program says in this very process, which costs a tenth of one of its own."""
    run(list(words))
    return capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES[::9])
def test_a_report_is_diagnosed_with_the_same_words_elsewhere(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, report = snapshot(name, tmp_path), tmp_path / "report.md"
    here(capsys, "report", str(report), "--machine", str(path))
    once = json.loads(here(capsys, "check", "--json", "--machine", str(report)))
    again = json.loads(here(capsys, "check", "--json", "--machine", str(path)))
    told = [(f["code"], f["severity"], f["remedy"]) for f in once["findings"]]
    assert told == [(f["code"], f["severity"], f["remedy"]) for f in again["findings"]]
    assert once["verdict"] == again["verdict"]
    second = tmp_path / "second.md"
    here(capsys, "report", str(second), "--machine", str(report))
    assert second.read_bytes() == report.read_bytes(), "nothing is lost from report to report"


def test_what_a_line_is_about_stands_apart_from_what_it_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = str(snapshot("linux-tensorflow-216", tmp_path))
    assert "TensorFlow 2.16.1  TensorFlow" in here(capsys, "check", "--machine", report)


@pytest.mark.parametrize(
    "words", ["check", "check --json", "report -", "report - --short", "report - --html"]
)
def test_a_test_that_a_report_tells_of_was_not_run_now(
    words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = str(snapshot("linux-healthy", tmp_path))
    said = here(capsys, *words.split(), "--machine", report)
    assert "Tested 2026-" in said
    assert "Tested now" not in said


def test_a_process_of_its_own_says_what_this_one_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(snapshot("linux-cudnn-not-on-path", tmp_path))
    words = ("check", "--json", "--machine", path)
    ended = ca(*words)
    assert (ended.returncode, ended.stdout) == (1, here(capsys, *words))


def test_two_reports_are_compared(tmp_path: Path) -> None:
    old = str(snapshot("linux-cudnn-missing", tmp_path))
    new = str(snapshot("linux-healthy", tmp_path))
    same = ca("report", "--compare", old, old)
    assert (same.returncode, same.stderr) == (0, "")
    other = ca("report", "--compare", old, new)
    assert other.returncode == 1
    assert "cudnns" in other.stdout


TEXT = "Could not load library libcudnn_ops.so.9. libcudnn_ops.so.9: cannot open shared object file"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("report - --machine {machine}", "## "),
        ("report - --short --machine {machine}", "cudnn-not-on-path"),
        ("report - --html --machine {machine}", "</html>"),
        ("report - --text {text} --machine {machine}", "libcudnn_ops.so.9: cannot open"),
        ("explain {text} --no-look", "libcudnn_ops.so.9"),
        ("explain {text} --no-look --given driver=535.54 --given os=linux", "libcudnn_ops.so.9"),
        ("explain {text} --machine {machine}", "libcudnn_ops.so.9"),
        ("check --verbose --machine {machine}", "LD_LIBRARY_PATH"),
        ("check --quiet --machine {machine}", "cuDNN"),
    ],
)
def test_every_way_to_ask_gives_an_answer(
    words: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "message.txt"
    text.write_text(TEXT)
    machine = snapshot("linux-cudnn-not-on-path", tmp_path)
    said = here(capsys, *(word.format(text=text, machine=machine) for word in words.split()))
    assert told in said


def test_the_answer_keeps_to_its_schema() -> None:
    ended = ca("check", "--json", "--no-test")
    answer = msgspec.json.decode(ended.stdout, type=answers.Answer)
    assert answer.schema == 1
    assert answer.machine.schema == 1
    assert (
        ended.returncode == {"works": 0, "broken": 1, "impossible": 1, "unknown": 3}[answer.verdict]
    )
    assert '"from"' in ended.stdout
    assert "Machine" in json.dumps(msgspec.json.schema(answers.Answer))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"# A recipe\n\nFlour, eggs.",
        b"{",
        b"{}",
        b"[" * 100_000,
        b'{"os": {"family": "amiga"}}',
        b'{"schema": 99, "os": {"family": "linux", "wsl": "new"}}',
        b"\xff\xfe\x00\x01" * 100,
        b'```json cudnn-assistant-machine\n{"os": 3}\n```\n',
    ],
)
def test_what_is_no_report_is_said_clearly(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "that.md"
    path.write_bytes(content)
    ended = ca("check", "--machine", str(path))
    assert ended.returncode == 2
    assert not ended.stdout
    assert str(path) in ended.stderr
    assert "Traceback" not in ended.stderr
    assert path.read_bytes() == content


def test_a_missing_report_is_said_clearly(tmp_path: Path) -> None:
    ended = ca("check", "--machine", str(tmp_path / "none.md"))
    assert ended.returncode == 2
    assert "can't be read" in ended.stderr


def test_hostile_text_in_a_report_can_not_steer_the_terminal(tmp_path: Path) -> None:
    evil = msgspec.structs.replace(
        golden("linux-healthy"),
        other_gpus=("\x1b]0;owned\x07\x1b[2J\x9b31m", "<script>`x`|</script>"),
    )
    path = tmp_path / "evil.json"
    path.write_bytes(msgspec.json.encode(evil))
    shown = ca("check", "-v", "--machine", str(path), "--color", "never").stdout
    assert not [c for c in shown if not c.isprintable() and c != "\n"]
    report = ca("report", "-", "--machine", str(path)).stdout
    above = report[: report.index("```json")]
    assert "<script>" not in above.replace("`<script>", "")
    assert not [c for c in above if not c.isprintable() and c != "\n"]


def test_nobody_is_asked_without_a_terminal() -> None:
    ended = ca("fix", "--no-test", text="y\n")
    assert ended.returncode in (1, 3)
    assert "y/N" not in ended.stderr


def test_undo_without_a_change_says_so() -> None:
    assert "There is no change" in ca("undo").stdout
    assert "haven't changed anything" in ca("undo", "--list").stdout


@pytest.mark.parametrize(
    "words", [["check", "--nonsense"], ["test", "--library", "/nowhere"], ["test", "--gpu"]]
)
def test_wrong_use_is_two(words: list[str]) -> None:
    assert ca(*words).returncode == 2


def test_a_python_that_is_not_there_is_said() -> None:
    ended = ca("check", "--python", "/nowhere/at/all")
    assert ended.returncode == 2
    assert "/nowhere/at/all" in ended.stderr


def test_in_a_terminal_the_check_is_printed_not_the_window_opened() -> None:
    shown = in_terminal(["--no-test"], TERM="xterm", COLUMNS="70", DISPLAY=":99")
    assert "GPU and driver" in shown
    assert "\x1b[3" in shown
    assert "\x1b[3" not in in_terminal(["--no-test"], TERM="xterm", NO_COLOR="1")


def test_marks_become_letters_where_the_terminal_has_no_signs() -> None:
    shown = ca("check", "--no-test", PYTHONIOENCODING="ascii").stdout
    assert "[" in shown.splitlines()[0]
    assert shown.isascii()


@pytest.mark.parametrize("command", ["", "test", "watch"])
def test_help_fits_any_terminal(command: str) -> None:
    shown = ca(*command.split(), "--help", PYTHONIOENCODING="ascii", COLUMNS="80")
    assert shown.returncode == 0
    assert 20 < max(map(len, shown.stdout.splitlines())) < 80


@pytest.mark.parametrize(
    "words", ["report - --machine", "report --short --machine", "report --html --many"]
)
def test_a_file_for_others_is_utf_8_in_every_locale(words: str, tmp_path: Path) -> None:
    report = str(snapshot("linux-cudnn-missing", tmp_path))
    there, here = (ca(*words.split(), report, PYTHONIOENCODING=e) for e in ("latin-1", "utf-8"))
    assert (there.returncode, there.stdout) == (0, here.stdout)
    assert not there.stdout.isascii()


def test_what_is_no_json_does_not_stand_where_json_is_read(tmp_path: Path) -> None:
    done = ca("undo", "--json", HOME=str(tmp_path), XDG_STATE_HOME=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, "")
    assert f"There is no change to take back in {tmp_path}" in done.stderr


def test_without_a_home_it_still_checks(tmp_path: Path) -> None:
    bare = {k: v for k, v in os.environ.items() if k not in ("HOME", "USERPROFILE")}
    command = [sys.executable, "-m", "cudnn_assistant", "check", "--no-test", "--json"]
    ended = subprocess.run(command, env=bare, capture_output=True, cwd=tmp_path, timeout=60)
    assert json.loads(ended.stdout)["machine"]


def test_bytes_that_are_no_text_are_shown_spelled() -> None:
    environment = {os.fsencode(k): os.fsencode(v) for k, v in os.environ.items()}
    environment[b"LD_LIBRARY_PATH"] = b"/opt/caf\xe9/lib"
    command = [sys.executable, "-m", "cudnn_assistant", "check", "--no-test", "--json"]
    ended = subprocess.run(command, env=environment, capture_output=True, timeout=60)
    assert rb"caf\\xe9" in ended.stdout


def test_a_path_of_forty_thousand_characters_is_read() -> None:
    long = os.pathsep.join([os.environ["PATH"], *(f"/opt/folder-{n:05}" for n in range(2300))])
    assert len(long) > 40_000
    answer = json.loads(ca("check", "--no-test", "--json", PATH=long).stdout)
    kept = [v for v in answer["machine"]["variables"] if v["name"] == "PATH"]
    assert any(v["value"]["text"] == long for v in kept)


def test_a_report_can_not_be_written_into_nowhere(tmp_path: Path) -> None:
    ended = ca("report", "--no-test", str(tmp_path / "no" / "folder.md"))
    assert ended.returncode == 3
    assert "can't be written" in ended.stderr


def test_the_report_names_nobody(tmp_path: Path) -> None:
    home = tmp_path / "home" / "anna.example"
    home.mkdir(parents=True)
    text = ca("report", "-", "--no-test", HOME=str(home), USER="anna.example").stdout
    assert "anna.example" not in text
    machine = text[text.index("```json") :].split("\n", 1)[1].rsplit("```", 1)[0]
    assert isinstance(load(machine), Machine)


LIGHT = [
    "PySide6",
    "requests",
    "tuf",
    "securesystemslib",
    "cryptography",
    "pefile",
]


@pytest.mark.parametrize("words", [["--version"], ["check", "--no-test"], ["undo", "--list"]])
def test_what_the_command_line_does_not_load(words: list[str]) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "cudnn_assistant", *words]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60).stderr
    loaded = {line.rsplit("|", 1)[-1].strip() for line in told.splitlines() if "|" in line}
    heavy = LIGHT if words == ["--version"] else LIGHT[:5]
    assert not [name for name in heavy if name in loaded]


def test_an_interrupted_change_is_told_at_the_next_start(own_home: Path, tmp_path: Path) -> None:
    other = snapshot("linux-healthy", tmp_path)
    step = SetVariable(scope="user", name="CUDA_HOME", after=Value(text="/opt/cuda"))
    left = Entry(id="x", when="2026-11-20T10:00:00Z", plan=Plan(steps=(step,)), states=("planned",))
    Journal(own_home / ".local/state/cudnn-assistant/journal.jsonl").record(left)
    assert "cudnn-assistant undo" in ca("check", "--no-test").stderr
    assert "cudnn-assistant undo" not in ca("check", "--machine", str(other)).stderr


def test_a_file_on_windows_gets_utf_8(tmp_path: Path) -> None:
    for platform, written in (("win32", "✓ Größe".encode()), ("linux", "? Größe".encode("cp1252"))):
        with open(tmp_path / platform, "w", encoding="cp1252", errors="replace") as file:
            in_utf8(file, platform).write("✓ Größe")
        assert (tmp_path / platform).read_bytes() == written
