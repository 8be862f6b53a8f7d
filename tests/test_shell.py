"""Commands are pasted into real shells: the words arrive whole, and nothing else runs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import powershell
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudnn_assistant.shell import (
    Syntax,
    _handed_on,
    command,
    in_any_terminal,
    word_in_any_terminal,
)

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
    "line",
    [
        "stub $env:PATH", "stub a; touch x", "stub a | b", 'stub "$(x)"', "stub $(x)", "stub {x}",
        "stub a\ntouch b", "stub @x", "stub --% x", "stub > PWNED", "stub & touch",
        "stub a‘;touch x’", "stub '‘;touch x", "stub ('' + $x)", "stub (touch x)", "'stub' a",
        "stub 'a' #b", "stub 'a",
        "stub “$(touch x)”", "$x = 1", "stub `$x $(y)",
    ],
)  # fmt: skip
def test_the_grammar_sees_what_powershell_would_run(line: str) -> None:
    assert not powershell.one_command(line)


def test_every_hostile_word_is_literal_to_powershell() -> None:
    words = [a + b for a in HOSTILE for b in (*HOSTILE[:12], "x", "\\")]
    for word in (*words, "“$(x)”", "—x", "\u00a0;x", "-a.b", "-a:b"):
        for line_words in (("stub", word), (f"C:\\{word}", "-m")):
            line = command("powershell", *line_words)
            assert line.isprintable()
            assert powershell.one_command(line), line


@settings(max_examples=200, deadline=None)
@given(words=st.lists(st.text('a" \\\t', min_size=1), min_size=1, max_size=4))
def test_a_program_of_windows_gets_every_word_whole(words: list[str]) -> None:
    given = ["stub", *map(_handed_on, words)]
    assert powershell.read_by_program(powershell.handed_on(given)) == ["stub", *words]
    newer = powershell.read_by_program(powershell.handed_on(given, newer=True))
    assert [re.sub(r'\\+(?="|$)', "", word) for word in newer] == [
        "stub", *(re.sub(r'\\+(?="|$)', "", word) for word in words)
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["C:\\a b\\", 'x;"C:\\a b"', "0x10", "1kb", "-Force", "it's $x"])
def test_a_part_of_powershell_gets_the_very_value(text: str) -> None:
    line = command("powershell", "Set-Item", "Env:A", text)
    quoted = text.replace("'", "''")
    assert line == f"Set-Item Env:A '{quoted}'"
    assert powershell.one_command(line)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("cudnn-assistant",), "cudnn-assistant"),
        (("C:\\p\\python.exe", "-m", "x"), "C:\\p\\python.exe -m x"),
        (("C:\\a b\\c.cmd",), 'cmd /c call "C:\\a b\\c.cmd"'),
        # Neither can be quoted for both: PowerShell is what people have open.
        (("C:\\a & b\\c.cmd",), "& 'C:\\a & b\\c.cmd'"),
        (("C:\\Änne\\c.cmd",), "cmd /c call C:\\Änne\\c.cmd"),
        (("C:\\a b\\python.exe", "-m", "x"), 'cmd /c call "C:\\a b\\python.exe" -m x'),
        # The prompt would take these apart, or drop the outer quotation marks.
        (("C:\\a;calc\\c.cmd",), "& 'C:\\a;calc\\c.cmd'"),
        (("C:\\Program Files (x86)\\c.cmd",), "& 'C:\\Program Files (x86)\\c.cmd'"),
        (("C:\\a b\\c.cmd", "d e"), 'cmd /c call "C:\\a b\\c.cmd" "d e"'),
        # A backslash at the end would keep the quotation mark open.
        (("C:\\a b\\c.cmd", "d e\\"), "& 'C:\\a b\\c.cmd' 'd e\\\\'"),
    ],
)
def test_one_line_for_both_terminals_of_windows(words: tuple[str, ...], line: str) -> None:
    assert in_any_terminal(*words) == line


def by_prompt(line: str) -> str:
    """What the prompt runs of "cmd /c LINE", by what "cmd /?" says of quotation marks."""
    inside = line.removeprefix("cmd /c ")
    if inside.startswith('"') and (inside.count('"') != 2 or not inside.endswith('"')):
        head, _last, tail = inside[1:].rpartition('"')
        return head + tail
    return inside


@pytest.mark.parametrize(
    "folder", ["D:\\x", "D:\\x y", "D:\\x y\\", "D:\\", "D:\\x & y", "D:\\it's"]
)
def test_what_is_added_to_our_command_stays_one_word(folder: str) -> None:
    word = word_in_any_terminal(folder)
    line = (
        in_any_terminal("C:\\a b\\python.exe", "-m", "cudnn_assistant") + f" check --trust {word}"
    )
    assert powershell.one_command(line)
    if not word.startswith("'"):
        words = powershell.read_by_program(by_prompt(line).removeprefix("call "))
        assert words == ["C:\\a b\\python.exe", "-m", "cudnn_assistant", "check", "--trust", folder]


@pytest.mark.parametrize("word", ["a" * 300_000 + "\0", ":" * 300_000 + "'", "a b" * 90_000 + "'"])
def test_a_word_of_any_length_is_written_soon(word: str) -> None:
    began = time.process_time()
    in_any_terminal("C:\\a b", word)
    for shell in ("sh", "powershell"):
        command(shell, word)
    assert time.process_time() - began < 5
