"""What can't be meant is refused with a sentence that says what can be."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest
from test_command_line import snapshot

from cudnn_assistant import __version__
from cudnn_assistant.cli import run
from cudnn_assistant.cli.arguments import options, parser
from cudnn_assistant.explain.facts import EXAMPLES


def refused(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """The sentence by which this is refused; nothing is done, and nothing is for programs."""
    try:
        code = run(words)
    except SystemExit as end:
        code = int(str(end.code))
    said = capfd.readouterr()
    assert "Traceback" not in said.err
    assert (code, said.out) == (2, ""), said
    return said.err


def takes_text() -> list[tuple[str, ...]]:
    """Each option and each place of each command that takes a text of the person's."""
    (commands,) = (one for one in parser()._actions if one.dest == "command")
    return [
        (name, *action.option_strings[:1])
        for name, command in commands.choices.items()  # type: ignore[union-attr,attr-defined]
        for action in command._actions
        if action.metavar and name != "watch" and action.type is not int and action.nargs != 2
    ]


@pytest.mark.parametrize("words", takes_text(), ids=" ".join)
def test_an_empty_text_names_nothing(
    words: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    assert re.search("names nothing|isn't a list of line numbers", refused(capfd, *words, ""))


@pytest.mark.parametrize(
    "words", ["fix --only a b --yes", "--only a b fix --yes", "fix --yes --only a --only b"]
)
def test_no_code_of_several_is_lost(words: str) -> None:
    asked = options(words.split())
    assert (asked.command, asked.only, asked.yes) == ("fix", ("a", "b"), True)


@pytest.mark.parametrize("words", ["check --offline", "test", "report --offline"])
def test_a_python_of_32_bits_judges_no_computer(
    words: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows hides the driver from it: it would be told as missing."""
    monkeypatch.setattr(sys, "maxsize", (1 << 31) - 1)
    assert "Run cuDNN Assistant with a 64-bit Python." in refused(capfd, *words.split())


def test_several_words_of_an_option_are_no_command(capfd: pytest.CaptureFixture[str]) -> None:
    assert "--only a b. --only belongs to: fix." in refused(capfd, "--only", "a", "b")
    assert "Did you mean check?" in refused(capfd, "--python", "/x", "chekc")


def test_only_one_answer_goes_to_standard_output(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    report = str(snapshot("linux-healthy", tmp_path))
    words = ("check", "--machine", report, "--json", "--prometheus")
    assert "would both write to standard output" in refused(capfd, *words, "-")
    assert run([*words, str(tmp_path / "metrics")]) == 0
    capfd.readouterr()
    assert "--html" in refused(capfd, "report", "-", "--short", "--html", "--machine", report)


@pytest.mark.parametrize(
    "words", [("check", "--machine", "-"), ("report", "--compare", "-", "-")], ids=" ".join
)
def test_a_report_does_not_come_from_standard_input(
    words: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    assert "isn't read from standard input" in refused(capfd, *words)


def test_a_file_about_many_has_a_form(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report, page = str(snapshot("linux-healthy", tmp_path)), tmp_path / "page.html"
    assert "--csv" in refused(capfd, "report", str(page), "--many", report)
    assert run(["report", str(page), "--html", "--many", report]) == 0
    assert page.is_file()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("drvier=580", "These can: gpu, driver, cuda, cudnn, python, framework, os. Did you mean"),
        ("colour=blue", "colour is no fact that can be given. These can: gpu, "),
        ("driver=new", "“new” can't be understood for driver. These can, for example: 580.65.06"),
        ("driver=12.8", "can't be understood for driver"),
        ("driver=", "can't be understood for driver"),
        ("cuda=512", "can't be understood for cuda"),
        ("cudnn=some", "can't be understood for cudnn"),
        ("python=4", "can't be understood for python"),
        ("gpu=big", "can't be understood for gpu"),
        ("framework=frame", "framework. These can, for example: torch 2.8, tensorflow, jax"),
        ("os=amiga", "can't be understood for os. These can, for example: windows, linux, wsl"),
    ],
)
def test_a_fact_that_says_nothing(
    given: str, sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert sentence in refused(capfd, "explain", os.devnull, "--given", given)


@pytest.mark.parametrize(
    "given",
    [*(f"{name}={value}" for name, values in EXAMPLES.items() for value in values),
     "GPU=GeForce RTX 9999", "gpu=AMD Radeon RX 7900", "driver=latest", "cudnn=installed",
     "driver=R580", "cuda=12.2 (nvidia-smi)", "cudnn=8904", "os=Ubuntu 24.04"],
)  # fmt: skip
def test_a_fact_that_says_something(given: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", os.devnull, "--given", given]) == 3, capfd.readouterr()


def test_a_name_that_is_nearly_known(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report = ("--machine", str(snapshot("linux-healthy", tmp_path)))
    said = refused(capfd, "recommend", *report, "--for", "torhc 2.8")
    assert "Nothing is known about torhc. These are known: ctranslate2, cupy, " in said
    assert "Did you mean torch?" in said
    for known in ("torch 2.8", "tf 2.15", "cupy-cuda12x", "onnx runtime", "PyTorch"):
        assert run(["recommend", *report, "--offline", "--for", known]) in (0, 1, 3)
    capfd.readouterr()
    said = refused(capfd, "fix", "--only", "cudnn-mising")
    assert "cudnn-mising is no code of a cause" in said
    assert "Did you mean cudnn-missing?" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("chekc",), "Did you mean check?"),
        (("--json", "reprot"), "Did you mean report?"),
        (("feed", "updte"), "Did you mean update?"),
        (("recommend", "--as", "cnda"), "Did you mean conda?"),
        (("check", "--jsno"), "isn't understood: --jsno. Did you mean --json?"),
        (("--qiuck",), "Did you mean --quick?"),
        (("check", "--compare=a"), "--compare belongs to: report."),
        (("report", "-q"), "-q belongs to: check, explain, fix, undo, test, recommend, installed."),
        (("check", "check"), "isn't understood: check."),
        (("check", "", "two words"), "isn't understood: '' 'two words'."),
        (("nothing-like-it",), "invalid choice"),
    ],
)
def test_a_mistyped_word(
    words: tuple[str, ...], sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert sentence in refused(capfd, *words)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("check --trust {nowhere}", "There is nothing at {nowhere}."),
        ("test --trust {nowhere}", "There is nothing at {nowhere}."),
        ("test --framework torhc", "jax, onnxruntime, cupy. Did you mean torch?"),
        ("watch -- {nowhere}", "could not be started: there is no such file or folder."),
        ("report --many a --short", "--short can't be combined with --many."),
        ("report a.html --short", "--short can't be combined with a.html."),
        ("report --many a --text b -", "--text can't be combined with --many."),
        ("report --many a --machine b", "--machine can't be combined with --many."),
        ("report --compare a b --many c", "--compare can't be combined with --many."),
        ("report --compare a b c", "FILE can't be combined with --compare."),
        ("report --compare a b --keep-lines 1", "--keep-lines can't be combined with --compare."),
        ("report - --keep-lines 9-7", '"9-7" isn\'t a list of line numbers'),
    ],
)
def test_what_cannot_be_meant_is_said_in_our_words(
    words: str, sentence: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "nowhere")
    said = refused(capfd, *(word.format(nowhere=nowhere) for word in words.split()))
    assert sentence.format(nowhere=nowhere) in said


@pytest.mark.parametrize(
    ("words", "same"),
    [
        ("-q check", "check -q"),
        ("--color never --machine report -v", "check --color never --machine report -v"),
        ("--machine report report -", "report --machine report -"),
        ("--trust check", "check --trust check"),
        ("--mach report --tru undo report -", "report --mach report --tru undo -"),
        ("--dry undo", "undo --dry-run"),
        ("-v --json explain file", "explain -v --json file"),
        ("--json watch -- check -q", "watch --json -- check -q"),
        ("watch check -q", "watch check -q"),
        ("", "check"),
    ],
)
def test_a_command_may_stand_behind_its_options(words: str, same: str) -> None:
    assert options(words.split()) == options(same.split())


@pytest.mark.parametrize("words", ["--version check", "check --version", "-q --version"])
def test_the_version_is_told_wherever_it_is_asked_for(
    words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        options(words.split())
    assert (end.value.code, capfd.readouterr().out) == (0, f"cudnn-assistant {__version__}\n")
