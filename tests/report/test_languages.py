"""A report's own words follow the language in which it is written; what programs read does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import pytest
from machines.computers import golden, thought

from cudnn_assistant.machine import Machine, PathEntry, Timing, Trial, Value, Variable
from cudnn_assistant.plan import Entry, Plan, SetVariable
from cudnn_assistant.report.reading import read_report
from cudnn_assistant.report.text import Extra, write_report, write_short
from cudnn_assistant.wording import LANGUAGES, choose

NAME = "windows-older-cudnn-first-machine"
CHANGE = SetVariable(
    scope="user", name="Path", before=Value(text="C:\\a"), after=Value(text="C:\\b;C:\\a")
)
OTHERS = sorted(LANGUAGES.keys() - {"en"})


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    choose(["en"])


def full() -> Machine:
    """A computer of which every section has something to say."""
    base = golden(NAME)
    trial = Trial(subject="system", stage="handle", status="status-code", code=1001, detail="x",
                  version="9.8.0", times=(), output="printed")  # fmt: skip
    variable = Variable(scope="user", name="PATH", value=Value(text="C:\\a;C:\\b", expand=True))
    return msgspec.structs.replace(
        base,
        trials=(trial,),
        variables=(variable, *base.variables),
        timings=(Timing(part="gpu", milliseconds=1234.4),),
        search=(*base.search, PathEntry(variable="PATH", scope="user", text="x", folder="x")),
    )


def written(language: str, *, html: bool = False) -> str:
    choose([language])
    known = thought(NAME)
    return write_report(
        full(), known.findings, known.verdict,
        Extra([Entry(id="1", when="2026-11-20T09:30:00Z", plan=Plan(steps=(CHANGE,)),
                     states=("done",))], text="a message", note="a note"),
        html=html,
    )  # fmt: skip


def frame(text: str) -> list[str]:
    """Headings and what stands before a value, without the values: our own words."""
    above = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", text)
    lines = (re.sub(r"`[^`]*`", "", line).strip("-|# *:,") for line in above.splitlines())
    return [line for line in lines if re.search(r"[a-z]{3} [a-z]{3}", line)]


@pytest.mark.parametrize("language", OTHERS)
def test_no_english_line_is_left_in_a_report(language: str) -> None:
    english = set(frame(written("en")))
    assert len(english) > 20
    assert english.isdisjoint(frame(written(language)))
    assert f'lang="{language.replace("_", "-")}"' in written(language, html=True)
    assert "Show it" not in written(language, html=True)


@pytest.mark.parametrize("language", OTHERS)
def test_what_programs_read_is_the_same_in_every_language(language: str) -> None:
    block = re.compile(r"(?ms)^```json .*^```$")
    assert block.findall(written(language)) == block.findall(written("en"))
    assert read_report(written(language)).machine == full()


@pytest.mark.parametrize(
    ("language", "when", "free"),
    [
        ("en", "2026-11-20 09:30 UTC", "11.0 of 12.0 GiB free"),
        ("de", "20.11.2026 09:30 UTC", "11,0 von 12,0 GiB frei"),
        ("ja", "2026/11/20 09:30 UTC", "12.0 GiB 中 11.0 GiB が空き"),
    ],
)
def test_dates_and_sizes_are_those_of_the_language(language: str, when: str, free: str) -> None:
    choose([language])
    machine = golden("linux-torch-overridden-by-library-path")
    shown = write_report(machine, (), "unknown")
    assert when in shown
    assert free in shown
    assert when in write_short(machine, (), "unknown")


def test_a_report_of_another_language_is_told_in_the_readers() -> None:
    """Nothing but the snapshot is read back, so its reader's words are those of its finding."""
    machine = read_report(written("fr")).machine
    choose(["de"])
    again = write_report(machine, thought(NAME).findings, thought(NAME).verdict)
    assert "## Was wir gefunden haben" in again
    assert "trouvé" not in again
