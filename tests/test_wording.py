"""The words keep the rules of the house: plain, short, whole in every language."""

from __future__ import annotations

import gettext
import re
from collections.abc import Iterator

import msgspec
import pytest
from machines.computers import COMPUTERS, thought
from machines.each import each_computer
from plain_words import FORBIDDEN

from cudnn_assistant import wording
from cudnn_assistant.diagnose import verdict
from cudnn_assistant.finding import Automatic, Finding, Manual
from cudnn_assistant.machine import Machine
from cudnn_assistant.summary import headline, lines
from cudnn_assistant.wording import Words, language, stage, words

EXPLAINED = {
    "PATH": re.compile(r"list of folders", re.IGNORECASE),
    "LD_LIBRARY_PATH": re.compile(r"list of folders", re.IGNORECASE),
    "administrator": re.compile(r"somebody who may change the whole computer"),
    "WSL": re.compile(r"which runs Linux programs|part of Windows that runs Linux programs"),
    "driver": re.compile(
        r"lets programs use (the GPU|it)|through which|can't run CUDA programs|hide|NVIDIA driver"
        r"|driver's|drivers? .* for|last driver|driver \d|kept|update|in WSL|old driver"
    ),
}


def shown(said: Words) -> str:
    said_so = [said.title, said.why, said.fix, said.undo, said.label_of_way_out]
    return " ".join(filter(None, said_so))


def ours(text: str) -> str:
    """A text without what it quotes of other programs."""
    return re.sub("“[^”]*”", "", text)


def plain_and_whole(said: Words, finding: Finding, machine: Machine) -> None:
    assert not FORBIDDEN.search(ours(shown(said)))
    assert all((said.title, said.why, said.fix))
    assert said.title[0] not in " {"
    assert not said.title.endswith((".", "!", "?"))
    assert len(said.title.split()) <= 8, said.title
    assert "!" not in shown(said)
    assert not re.search(r"\{\w*\}", shown(said)), "an unfilled place"
    assert not re.search(r"\s\s|\s[.,;]|\(\)|“”", shown(said)), "a hole in a sentence"


def a_next_step_and_a_way_back(said: Words, finding: Finding, machine: Machine) -> None:
    if isinstance(finding.remedy, Automatic):
        assert said.undo
        assert not said.label_of_way_out, "our own changes have a page of their own"
    if isinstance(finding.remedy, Manual) and finding.remedy.installer is not None:
        assert "taken back by the system" in said.undo
    elif isinstance(finding.remedy, Manual):
        assert said.undo == "We change nothing."
        if finding.remedy.link:
            assert said.label_of_way_out


def hard_words_are_explained_where_they_stand(
    said: Words, finding: Finding, machine: Machine
) -> None:
    text = shown(said)
    for word in ("PATH", "LD_LIBRARY_PATH", "administrator"):
        if re.search(rf"(?<![\w_]){word}(?![\w_])", text):
            assert EXPLAINED[word].search(text), (word, text)
    if re.search(r"\bWSL\b", text) and machine.os.wsl != 2:
        assert EXPLAINED["WSL"].search(text), text


def numbers_of_calls_stay_in_the_details(said: Words, finding: Finding, machine: Machine) -> None:
    assert not re.search(r"CUDNN_STATUS|CUDA_ERROR|NVML_|0x[0-9A-F]{4}", shown(said))


RULES = (
    plain_and_whole,
    a_next_step_and_a_way_back,
    hard_words_are_explained_where_they_stand,
    numbers_of_calls_stay_in_the_details,
)


@each_computer
def test_the_words_of_every_finding_keep_the_rules(name: str) -> None:
    machine = COMPUTERS[name].machine
    for finding in thought(name).findings:
        said = words(finding, machine)
        for keeps in RULES:
            keeps(said, finding, machine)


def test_a_symbol_in_the_details_comes_with_its_meaning() -> None:
    seen = thought("windows-unexplained")
    machine, finding = seen.machine, seen.findings[0]
    details = words(finding, machine).details
    assert any("CUDNN_STATUS_NOT_INITIALIZED (1001): cuDNN couldn't" in line for line in details)


@each_computer
def test_the_summary_is_plain_too(name: str) -> None:
    machine, found = COMPUTERS[name].machine, thought(name).findings
    title, sentence = headline(verdict(machine, found), machine, found)
    own = lines(machine, found)
    rows = [*own, *lines(machine, ())]
    told = [title, sentence, *(row.label for row in rows), *(row.text for row in rows)]
    assert title
    assert not any(FORBIDDEN.search(ours(text)) for text in told)
    assert all(row.text for row in rows)
    assert [row.part for row in own][:5] == ["gpu", "cuda", "cudnn", "settings", "trial"]
    # Green and red lines agree with the verdict.
    marks = {row.mark for row in own}
    if COMPUTERS[name].verdict == "works":
        assert "bad" not in marks
    if COMPUTERS[name].verdict in ("broken", "impossible"):
        assert "bad" in marks


class Pseudo(gettext.NullTranslations):
    """A language that is 40 % longer and full of accents, with its places untouched."""

    _accents = str.maketrans("aeiouAEIOUcny", "åéîöüÅÉÎÖÜçñý")

    def gettext(self, message: str) -> str:
        pieces = re.split(r"(\{\w*\})", message)
        turned = "".join(p if p.startswith("{") else p.translate(self._accents) for p in pieces)
        return f"⟦{turned}{'·' * (len(message) * 2 // 5)}⟧"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return self.ngettext(msgid1, msgid2, n)


@pytest.fixture
def pseudo() -> Iterator[None]:
    language._current = Pseudo()
    yield
    wording.choose([])


@pytest.fixture(autouse=True)
def english() -> None:
    wording.choose([])


@pytest.mark.usefixtures("pseudo")
@each_computer
def test_every_sentence_goes_through_the_catalogue(name: str) -> None:
    """In the made-up language nothing of ours stays English, and facts stay as they are."""
    for finding in thought(name).findings:
        said = words(finding, COMPUTERS[name].machine)
        for sentence in (said.title, said.why, said.fix, said.undo, said.label_of_way_out):
            outside, before = re.sub(r"⟦[^⟦⟧]*⟧", "", sentence), sentence
            while outside != before:  # a sentence may hold another text in one of its places
                outside, before = re.sub(r"⟦[^⟦⟧]*⟧", "", outside), outside
            assert not outside.strip(), (finding.code, outside)
        assert not re.search(r"\{\w+\}", shown(said))


@pytest.mark.usefixtures("pseudo")
def test_the_summary_goes_through_the_catalogue_as_well() -> None:
    for name in ("windows-cudnn-not-on-path", "linux-torch-healthy", "linux-no-test"):
        machine, found = COMPUTERS[name].machine, thought(name).findings
        title, sentence = headline(verdict(machine, found), machine, found)
        assert title.startswith("⟦")
        assert sentence.startswith("⟦")
        assert all("⟦" in row.label for row in lines(machine, found) if row.part != "python")


def test_each_stage_of_the_test_has_words() -> None:
    for name in ("start", "driver", "context", "load", "version", "sublibraries", "handle"):
        assert stage(name) != name or name == "start"


def test_a_fact_with_braces_is_shown_as_it_is() -> None:
    name = "windows-cudnn-not-on-path"
    machine = COMPUTERS[name].machine
    finding = next(one for one in thought(name).findings if one.code == "cudnn-not-on-path")
    facts = finding.facts | {"folder": "C:\\{0}\\{x}"}
    odd = msgspec.structs.replace(finding, facts=facts)
    assert "C:\\{0}\\{x}" in words(odd, machine).why


def test_an_unknown_language_speaks_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGUAGE", "xx")
    wording.choose()
    assert wording.say("stages.load") == "loading cuDNN"
