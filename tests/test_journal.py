"""The journal survives whatever happens in the middle of a line."""

from __future__ import annotations

import os
import resource
import stat
from pathlib import Path

import msgspec
import pytest

from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Value
from cudnn_assistant.plan import Entry, Plan, SetVariable

STEP = SetVariable(scope="user", name="PATH", after=Value(text="/opt/ünï"))


def entry(name: str, undoes: str = "", **fields: object) -> Entry:
    plan = Plan(steps=(STEP,), undoes=undoes)
    made = Entry(id=name, when="2026-11-21T12:00:00Z", plan=plan, states=("done",))
    return msgspec.structs.replace(made, **fields)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state" / "journal")


def test_the_last_line_of_an_entry_counts(journal: Journal) -> None:
    journal.record(entry("a", states=("planned",)))
    journal.record(entry("b"))
    journal.record(entry("a"))
    assert [e.id for e in journal.entries()] == ["a", "b"]
    assert journal.entries()[0] == entry("a")
    finished = journal.finish(entry("a"))
    assert finished.finished
    assert journal.entries()[0] == finished
    assert journal.unfinished() == (entry("b"),)


def test_nothing_is_there_before_the_first_entry(journal: Journal) -> None:
    assert journal.entries() == ()
    assert not os.path.exists(os.path.dirname(journal.path))


def test_only_the_person_may_read_it(journal: Journal) -> None:
    journal.record(entry("a"))
    assert stat.S_IMODE(os.stat(journal.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(journal.path)).st_mode) == 0o700


def test_a_line_torn_at_any_byte_is_passed_over_and_written_after(journal: Journal) -> None:
    journal.record(entry("a"))
    whole = Path(journal.path).read_bytes()
    journal.record(entry("b"))
    both = Path(journal.path).read_bytes()
    for cut in range(len(whole), len(both)):
        Path(journal.path).write_bytes(both[:cut])
        expected = ["a", "b"] if cut == len(both) - 1 else ["a"]
        assert [e.id for e in journal.entries()] == expected
        journal.record(entry("c"))
        assert [e.id for e in journal.entries()] == [*expected, "c"]


def test_a_damaged_byte_costs_its_line_only(journal: Journal) -> None:
    for name in "abc":
        journal.record(entry(name))
    content = bytearray(Path(journal.path).read_bytes())
    content[content.index(b'"b"') + 1] ^= 1
    Path(journal.path).write_bytes(content)
    assert [e.id for e in journal.entries()] == ["a", "c"]


def test_a_journal_of_garbage_is_empty(journal: Journal) -> None:
    journal.record(entry("a", states=()))
    journal.record(entry("b", states=("done", "planned")))
    assert journal.entries() == ()
    Path(journal.path).write_bytes(os.urandom(5000) + b'\n2 00000000 {}\n4 x {"a\n')
    assert journal.entries() == ()


def test_what_undid_what(journal: Journal) -> None:
    journal.record(entry("change", finished=True))
    journal.record(entry("undo", undoes="change", finished=True))
    assert [e.undone_by for e in journal.entries()] == ["undo", ""]
    journal.record(entry("redo", undoes="undo", finished=True))
    assert [e.undone_by for e in journal.entries()] == ["", "redo", ""]


def test_a_stopped_undo_has_undone_nothing(journal: Journal) -> None:
    journal.record(entry("change", finished=True))
    journal.record(entry("undo", undoes="change", finished=True, states=("stopped",)))
    assert [e.undone_by for e in journal.entries()] == ["", ""]


def test_an_interrupted_change_is_closed_by_its_way_back(journal: Journal) -> None:
    journal.record(entry("change", states=("planned",)))
    journal.record(entry("back", undoes="change", states=("planned",)))
    assert [e.id for e in journal.unfinished()] == ["change", "back"]
    journal.record(entry("again", undoes="change", finished=True))
    assert journal.unfinished() == ()


def test_a_full_disk_leaves_the_journal_as_it_was(journal: Journal) -> None:
    journal.record(entry("a"))
    size = os.path.getsize(journal.path)
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, size + 10))
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            journal.record(entry("b"))
        except OSError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert os.path.getsize(journal.path) == size
