"""Every golden computer is told exactly what it has to be told, in exactly these words.

After a change of words or computers: ``PYTHONPATH=tests python -m machines.build``, then read
the changed NAME.txt files aloud before they are committed.
"""

from __future__ import annotations

from machines.build import HERE, tell
from machines.computers import COMPUTERS, golden, thought
from machines.each import each_computer
from machines.parts import but

from cudnn_assistant.diagnose import RULES, diagnose, subjects, verdict
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import SYSTEM, dump, load


@each_computer
def test_the_right_causes_are_found_and_no_others(name: str) -> None:
    computer, findings = COMPUTERS[name], thought(name).findings
    found = [
        f"{f.severity} {f.code}" + ("" if f.subject == SYSTEM else f" {f.subject}")
        for f in findings
    ]
    assert sorted(found) == sorted(computer.expected)
    assert verdict(computer.machine, findings) == computer.verdict


@each_computer
def test_the_words_are_those_that_were_read_aloud(name: str) -> None:
    text = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    assert tell(golden(name), thought(name).findings) == text


def test_no_stale_computer_lies_around() -> None:
    assert {p.stem for p in HERE.glob("*.txt")} == set(COMPUTERS)


def test_every_code_has_a_computer_that_shows_it() -> None:
    shown = {line.split()[1] for c in COMPUTERS.values() for line in c.expected}
    assert {rule.code for rule in RULES} == shown


@each_computer
def test_a_healthy_computer_is_told_nothing_above_a_note(name: str) -> None:
    if name.endswith("healthy"):
        assert [f.code for f in thought(name).findings if f.severity != "info"] == []
        assert COMPUTERS[name].verdict == "works"


@each_computer
def test_the_same_computer_always_gets_the_same_answer(name: str) -> None:
    again = load(dump(golden(name)))
    assert again == golden(name)
    assert thought(name).findings == diagnose(again, load_builtin())


@each_computer
def test_works_means_that_a_test_passed(name: str) -> None:
    """Green means a test that ran on the GPU; without any test nothing is green."""
    machine = golden(name)
    untested = but(machine, trials=tuple(but(t, status="not-run") for t in machine.trials))
    asked = thought(name).findings, diagnose(untested, load_builtin())
    for one, findings in zip((machine, untested), asked, strict=True):
        for subject in subjects(one):
            if verdict(one, findings, subject) == "works":
                assert any(t.status == "ok" and t.stage == "convolution" for t in one.trials)
