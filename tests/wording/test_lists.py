"""Names stand one after the other as each language writes it, in one place."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest
from machines.computers import NAMES, golden

import cudnn_assistant
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Finding, Having, Manual, StoppedAt, texts
from cudnn_assistant.report.fleet import Computer, Fleet, Unlike, Value
from cudnn_assistant.report.fleet_page import value_lines, write_fleet_page
from cudnn_assistant.session.checkup import Checkup, think
from cudnn_assistant.session.imagined import Imagined, recommendation
from cudnn_assistant.summary import headline, lines
from cudnn_assistant.summary.rows import rows
from cudnn_assistant.trouble import Refused
from cudnn_assistant.wording import language, prose, told, words
from cudnn_assistant.wording.recommendation import reason
from cudnn_assistant.wording.refusals import why


@pytest.fixture(scope="module")
def checkups() -> list[Checkup]:
    """What is found on each golden computer: in every language the same."""
    return [think(golden(name), load_builtin()) for name in NAMES]


@pytest.mark.parametrize("spoken", ["ja", "zh_CN"])
def test_several_names_of_a_finding_are_listed_in_the_language(
    checkups: list[Checkup], spoken: str
) -> None:
    seen = 0
    for checkup in checkups:
        machine = checkup.machine
        for finding in checkup.findings:
            language.choose([spoken])
            said = words(finding, machine)
            language.choose(["en"])
            told = "\n".join((said.title, said.why, said.fix, *said.details))
            several = [v for v in finding.facts.values() if isinstance(v, tuple)]
            several += [line.names for line in finding.evidence if isinstance(line, Having)]
            for names in (one for one in several if len(one) > 1):
                assert ", ".join(names) not in told, told
                seen += "、".join(names) in told
    assert seen > 5


def test_scripts_get_the_names_as_before() -> None:
    assert texts({"versions": ("9.1.0", "9.8.0")}) == {"versions": "9.1.0, 9.8.0"}
    assert str(Having(what="nvidia-cudnn-cu12 9.1", names=("a.so", "b.so"))) == (
        "nvidia-cudnn-cu12 9.1: a.so, b.so"
    )


def test_several_names_of_a_refusal_are_listed_in_the_language() -> None:
    language.choose(["ja"])
    try:
        assert "torch、numpy" in why(Refused("more-would-change", names=("torch", "numpy")))
    finally:
        language.choose(["en"])


def test_several_versions_on_many_computers_and_of_a_gpu_are_listed_in_the_language() -> None:
    several = Value(value="9.1.0, 9.8.0", computers=("a",))
    unlike = Unlike(gpus=("A",), family="linux", fact="cuDNN", values=(several,))
    computer = Computer(
        name="a", verdict="works", title="", gpus=(), system="", taken_at="", file="a",
        causes=(), facts={"cuDNN": several.value, "PyTorch": "2.1, 2.8"}, gaps=(),
    )  # fmt: skip
    fleet = Fleet(
        tool="", data="", verdicts={"works": 1}, computers=(computer,), causes=(), unlike=(unlike,),
        changed=None, passed_over=(),
    )  # fmt: skip
    wish = Imagined(gpu="Titan X", system="linux")
    ambiguous = recommendation(wish, None, load_builtin()).unknown[0]
    language.choose(["ja"])
    try:
        assert "9.1.0、9.8.0" in "".join(value_lines(unlike))
        page = write_fleet_page(fleet)
        assert "9.1.0、9.8.0" in page
        assert "PyTorch 2.1、2.8" in page
        assert "(Maxwell, 5.2)、titan x (" in reason(ambiguous)
    finally:
        language.choose(["en"])


def test_the_window_names_its_button_where_the_command_line_names_an_option() -> None:
    seen = think(golden("linux-environment-not-tried"), load_builtin())
    (line,) = [one for one in lines(seen.machine, seen.findings) if one.part == "python"]
    assert line.text.endswith("lies there; to try it, add --python /home/kim/ai/venv")
    for own, end in ((True, "; to try it, press “Test that Python…” under “Details”"), (False, "")):
        found = rows(seen.machine, seen.findings, own=own)
        (state,) = [one.state for one in found if one.subject == "/home/kim/ai/venv"]
        assert state == f"Not tried, because it only lies there{end}"


@pytest.mark.parametrize(
    "room", ["compat", "diagnose", "summary", "wording", "apply", "gui", "cli", "plan"]
)
def test_no_list_is_joined_before_its_language_is_known(room: str) -> None:
    for file in (Path(cudnn_assistant.__file__).parent / room).rglob("*.py"):
        assert not re.search(r"""["'], ["']\.join""", file.read_text(encoding="utf-8")), file


def test_files_that_a_test_named_are_listed_in_the_language() -> None:
    language.choose(["zh_CN"])
    try:
        said = told(r"mapped: C:\a, b\one.dll, D:\two.dll")
    finally:
        language.choose(["en"])
    assert said.endswith(r"C:\a, b\one.dll、D:\two.dll")


def test_a_finding_keeps_its_lists_in_the_journal() -> None:
    finding = Finding(
        code="package-changed", severity="info", remedy=Manual(), facts={"file": ("a.so", "b.so")},
        evidence=("sign", StoppedAt(stage="load"), Having(what="torch 2.9", names=("a.so",))),
    )  # fmt: skip
    assert msgspec.json.decode(msgspec.json.encode(finding), type=Finding) == finding


@pytest.mark.parametrize("spoken", ["ja", "zh_CN"])
def test_no_blank_stands_between_two_sentences_that_need_none(
    checkups: list[Checkup], spoken: str
) -> None:
    language.choose([spoken])
    try:
        for checkup in checkups:
            machine = checkup.machine
            said = [words(finding, machine) for finding in checkup.findings]
            told = [text for one in said for text in (one.why, one.fix, one.undo)]
            told += headline(checkup.verdict, machine, checkup.findings)
            told += [row.chain.sentence for row in rows(machine, checkup.findings)]
            assert not [text for text in told if "。 " in text]
    finally:
        language.choose(["en"])
    assert prose(("One.", "", "Two.")) == "One. Two."
