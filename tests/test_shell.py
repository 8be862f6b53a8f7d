"""Commands are pasted into real shells: the words arrive whole, and nothing else runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudnn_assistant.shell import Syntax, command, in_any_terminal

HOSTILE = (
    "$(touch PWNED)", "`touch PWNED`", "a'b\"c", "two  blanks ", "line\nbreak", ";touch PWNED;",
    "&touch PWNED&", "|touch PWNED", "%PATH%", "^x^", "!!", "ünï çødé", "\x1b[8m", "\x9b8m",
    "\u202egnp", "back\\slash\\", "\\';touch PWNED;'", "~", "=ls", "*", "{a,b}", "#x", "", "$HOME",
    "$'\\n'", "‘touch PWNED’", "a\tb", "-n",
    "(touch PWNED)", ">PWNED", "<x", "\udc80", "\U000e0001",
)  # fmt: skip
SHELLS = [name for name in ("sh", "bash", "dash", "zsh", "fish") if shutil.which(name)]


def arrived(shell: str, line: str, folder: Path) -> list[bytes]:
    """The arguments that a stub program on PATH was started with."""
    done = subprocess.run(
        [shell, "-c", line],
        cwd=folder,
        env={"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(b"\0")[:-1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stub = tmp_path / "stub"
    stub.write_text('#!/bin/sh\nfor word; do printf "%s\\0" "$word"; done\n')
    stub.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize("shell", SHELLS)
def test_every_hostile_word_arrives_whole(shell: str, folder: Path) -> None:
    words = [a + b for a in HOSTILE for b in (*HOSTILE[:12], "x", "/x")]
    words = [word.rstrip("\n") for word in words]
    line = command("sh", "stub", *words)
    assert line.isprintable()
    assert arrived(shell, line, folder) == [os.fsencode(word) for word in words]
    assert sorted(path.name for path in folder.iterdir() if path.name[0] != ".") == ["stub"]


@settings(max_examples=40, deadline=None)
@given(word=st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_any_text_is_one_word_of_a_shell(word: str) -> None:
    word = word.rstrip("\n")
    line = command("sh", "printf", "%s.", word)
    done = subprocess.run(["dash", "-c", line], capture_output=True)
    assert done.stdout == word.encode() + b"."


def test_what_is_the_shells_own_stays() -> None:
    line = command("sh", "echo", "a|b", Syntax("|"), "cat")
    assert line == "echo 'a|b' | cat"


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        (r"C:\v\python.exe", r"C:\v\python.exe"),
        (r"C:\my env", r"'C:\my env'"),
        ("it's", "'it''s'"),
        ("‘$(x)’", "'‘‘$(x)’’'"),
        ("$env:PATH", "'$env:PATH'"),
        ("a;b", "'a;b'"),
        ("a>=1", "'a>=1'"),
        ("@x", "'@x'"),
        ("--%", "'--%'"),
        ("a\x1b[8m", "('' + 'a' + [char]0x1b + '[8m')"),
        ("\U000e0001", "('' + [char]::ConvertFromUtf32(0xe0001))"),
        ("", "''"),
    ],
)
def test_powershell_reads_a_word_back(word: str, shown: str) -> None:
    assert command("powershell", "stub", word) == f"stub {shown}"


def test_powershell_starts_a_quoted_program() -> None:
    assert command("powershell", r"C:\a b\python.exe", "-m") == r"& 'C:\a b\python.exe' -m"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("cudnn-assistant",), "cudnn-assistant"),
        (("C:\\p\\python.exe", "-m", "x"), "C:\\p\\python.exe -m x"),
        (("C:\\a b\\c.cmd",), 'cmd /c "C:\\a b\\c.cmd"'),
        # Neither can be quoted for both: PowerShell is what people have open.
        (("C:\\a & b\\c.cmd",), "& 'C:\\a & b\\c.cmd'"),
        (("C:\\Änne\\c.cmd",), "cmd /c C:\\Änne\\c.cmd"),
    ],
)
def test_one_line_for_both_terminals_of_windows(words: tuple[str, ...], line: str) -> None:
    assert in_any_terminal(*words) == line
