"""The chain and the ladder draw what is known, and nothing else."""

from __future__ import annotations

import re

import msgspec
import pytest
from machines.computers import NAMES, golden

from cudnn_assistant.diagnose import verdict
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import SYSTEM, Trial
from cudnn_assistant.session.checkup import think
from cudnn_assistant.summary import chain as chains
from cudnn_assistant.summary import lines
from cudnn_assistant.summary.rows import rows
from cudnn_assistant.summary.search_ladder import ladder
from cudnn_assistant.wording import language, words

MIXED = "linux-torch-overridden-by-library-path"


def test_no_joint_holds_beside_a_station_that_nobody_knows() -> None:
    seen = 0
    for name in NAMES:
        machine = golden(name)
        checkup = think(machine, load_builtin())
        for subject in (SYSTEM, *(one.id for one in machine.pythons)):
            test = chains.test_of(machine, subject)
            mine = [one for one in checkup.findings if one.subject == subject]
            drawn = chains.chain(machine, subject, mine)
            if test is not None and test.status == "ok":
                continue
            for joint, one, other in zip(
                drawn.joints, drawn.stations, drawn.stations[1:], strict=False
            ):
                unknown = {one.mark, other.mark} & {"unknown", "wait"}
                assert not (unknown and joint == "holds"), (name, subject)
                seen += joint == "holds"
    assert seen > 100


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_systems_row_breaks_only_where_a_finding_says_why(name: str) -> None:
    machine = golden(name)
    checkup = think(machine, load_builtin())
    system = next(r for r in rows(machine, checkup.findings) if r.subject == SYSTEM)
    wrong = any(one.severity == "error" for one in system.findings)
    assert wrong or (system.mark != "bad" and "broken" not in system.chain.joints)


def test_nobody_misses_a_cudnn_where_the_only_framework_is_built_for_the_processor() -> None:
    machine = golden("windows-torch-cpu-only")
    checkup = think(machine, load_builtin())
    system = next(r for r in rows(machine, checkup.findings) if r.subject == SYSTEM)
    assert (system.mark, system.state) == ("ok", "No program here needs the system's cuDNN.")
    assert [one.text for one in system.chain.stations[1:]] == ["not used", "not used", ""]
    assert {one.part: one.mark for one in lines(machine, checkup.findings)} == {
        "gpu": "ok", "cuda": "ok", "cudnn": "ok", "settings": "ok", "trial": "unknown",
        "python": "bad",
    }  # fmt: skip


@pytest.mark.parametrize("spoken", ["en", "de"])
def test_a_row_begins_as_a_sentence_does(spoken: str) -> None:
    language.choose([spoken])
    begun = set()
    for name in NAMES:
        machine = golden(name)
        begun |= {r.state for r in rows(machine, think(machine, load_builtin()).findings)}
    language.choose(["en"])
    small = {state.split()[0] for state in begun if state[:1].islower()}
    assert all(re.search(r"[A-Z._]", word) for word in small), small


def test_a_copy_whose_parts_are_loaded_beside_the_winner_stands_on_the_ladder() -> None:
    machine = golden(MIXED)
    first, second = ladder(machine, machine.pythons[0].id)
    assert (first.state, first.text) == ("wins", "cuDNN 9.10.2")
    assert (second.state, second.folder, second.place) == ("parts", "/opt/cudnn/lib", 1)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("windows-cudnn-part-missing", "cudnn_ops64_9.dll: fehlt"),
        ("linux-cudnn-damaged", "libcudnn_ops.so.9: abgeschnitten"),
        ("linux-gpu-memory-taken", "90 MB von 12,0 GB"),
    ],
)
def test_facts_are_told_in_the_language_that_is_spoken(name: str, said: str) -> None:
    machine = golden(name)
    first = think(machine, load_builtin()).findings[0]
    language.choose(["de"])
    try:
        told = words(first, machine)
    finally:
        language.choose(["en"])
    assert said in "\n".join((told.why, *told.details))


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (
            {"detail": "Exec format error"},
            ("unknown", "unknown", "Its Python doesn't start: Exec format error"),
        ),
        # Only a record of it is left.
        ({"stage": "load", "missing": "torch"}, ("broken", "bad", "")),
        # It was asked, and doesn't call cuDNN: our own test counts.
        ({"stage": "load"}, ("works", "ok", "")),
    ],
)
def test_an_environment_whose_framework_could_not_be_asked(told, said) -> None:
    machine = golden("linux-torch-asked-healthy")
    asked = next(one for one in machine.trials if one.framework)
    never = Trial(
        subject=asked.subject, framework="torch", status="not-run", **{"stage": "start"} | told
    )
    trials = tuple(never if one is asked else one for one in machine.trials)
    checkup = think(msgspec.structs.replace(machine, trials=trials), load_builtin())
    found = verdict(checkup.machine, checkup.findings, asked.subject)
    row = next(r for r in rows(checkup.machine, checkup.findings) if r.subject == asked.subject)
    assert (found, row.mark, row.state) == (*said[:2], said[2] or row.state)
