"""The journal survives whatever happens in the middle of a line."""

from __future__ import annotations

import errno
import os
import resource
import stat
import tempfile
import zlib
from pathlib import Path

import msgspec
import pytest
from kills import tried
from test_apply import Person, every_kill

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
    journal.begin(entry("a", states=("planned",)))
    journal.begin(entry("b"))
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
    journal.begin(entry("a"))
    assert stat.S_IMODE(os.stat(journal.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(journal.path)).st_mode) == 0o700


def test_a_line_torn_at_any_byte_is_passed_over_and_written_after(journal: Journal) -> None:
    journal.begin(entry("a"))
    whole = Path(journal.path).read_bytes()
    journal.begin(entry("b"))
    both = Path(journal.path).read_bytes()
    for cut in range(len(whole), len(both)):
        Path(journal.path).write_bytes(both[:cut])
        expected = ["a", "b"] if cut == len(both) - 1 else ["a"]
        assert [e.id for e in journal.entries()] == expected
        journal.begin(entry("c"))
        assert [e.id for e in journal.entries()] == [*expected, "c"]


def test_a_damaged_byte_costs_its_line_only(journal: Journal) -> None:
    for name in "abc":
        journal.begin(entry(name))
    content = bytearray(Path(journal.path).read_bytes())
    content[content.index(b'"b"') + 1] ^= 1
    Path(journal.path).write_bytes(content)
    assert [e.id for e in journal.entries()] == ["a", "c"]


def test_a_journal_of_garbage_is_empty(journal: Journal) -> None:
    os.makedirs(os.path.dirname(journal.path))
    Path(journal.path).write_bytes(os.urandom(5000) + b'\n2 00000000 {}\n4 x {"a\n')
    assert journal.entries() == ()


def test_what_undid_what(journal: Journal) -> None:
    journal.begin(entry("change", finished=True))
    journal.begin(entry("undo", undoes="change", finished=True))
    assert [e.undone_by for e in journal.entries()] == ["undo", ""]
    journal.begin(entry("redo", undoes="undo", finished=True))
    assert [e.undone_by for e in journal.entries()] == ["", "redo", ""]


def test_a_stopped_undo_has_undone_nothing(journal: Journal) -> None:
    journal.begin(entry("change", finished=True))
    journal.begin(entry("undo", undoes="change", finished=True, states=("stopped",)))
    assert [e.undone_by for e in journal.entries()] == ["", ""]


def test_an_interrupted_change_is_closed_by_its_way_back(journal: Journal) -> None:
    journal.begin(entry("change", states=("planned",)))
    journal.begin(entry("back", undoes="change", states=("planned",)))
    assert [e.id for e in journal.unfinished()] == ["change", "back"]
    journal.begin(entry("again", undoes="change", finished=True))
    assert journal.unfinished() == ()


def test_a_full_disk_leaves_the_journal_as_it_was(journal: Journal) -> None:
    journal.begin(entry("a"))
    size = os.path.getsize(journal.path)
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10, size + 10))
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            journal.begin(entry("b"))
        except OSError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert os.path.getsize(journal.path) == size


# Years of changes ------------------------------------------------------------------------------


def years(journal: Journal, count: int) -> list[Entry]:
    """Changes that were made step by step, as ``apply`` does, and every third taken back."""
    for number in range(count):
        name = f"e{number}"
        made = entry(name, undoes=f"e{number - 1}" if number % 3 == 2 else "")
        for state in ("planned", "planned", "done"):
            journal.record(msgspec.structs.replace(made, states=(state,)))
        journal.finish(made)
    return list(journal.entries())


def test_years_of_changes_lose_nothing_when_lines_are_dropped(journal: Journal) -> None:
    before = years(journal, 700)
    waiting = entry("waiting", states=("planned",))
    journal.record(waiting)
    large = os.path.getsize(journal.path)
    assert large > 256 << 10
    journal.begin(entry("new"))
    assert os.path.getsize(journal.path) < large / 2
    assert list(journal.entries()) == [*before, waiting, entry("new")]
    assert journal.unfinished() == (waiting, entry("new"))
    assert stat.S_IMODE(os.stat(journal.path).st_mode) == 0o600
    assert os.listdir(os.path.dirname(journal.path)) == ["journal"]


def test_what_a_later_version_wrote_stays(journal: Journal) -> None:
    years(journal, 300)
    bodies = [b'{"id":"later","steps":["of kind %d"]}' % kind for kind in (1, 2)]
    lines = [b"%d %08x %s\n" % (len(body), zlib.crc32(body), body) for body in bodies]
    with open(journal.path, "ab") as file:
        file.writelines(lines)
    years(journal, 400)
    before = journal.entries()
    journal.begin(entry("new"))
    assert journal.entries() == (*before, entry("new"))
    assert b"".join(lines) in Path(journal.path).read_bytes()


def test_what_is_all_needed_is_not_written_anew(journal: Journal) -> None:
    for number in range(1600):
        journal.record(entry(f"e{number}"))
    assert os.path.getsize(journal.path) > 256 << 10
    inode = os.stat(journal.path).st_ino
    journal.begin(entry("new"))
    assert os.stat(journal.path).st_ino == inode


def test_a_disk_that_is_too_full_to_drop_lines_keeps_them(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = years(journal, 700)

    def full(*_place: object, **_name: object) -> tuple[int, str]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tempfile, "mkstemp", full)
    journal.begin(entry("new"))
    assert list(journal.entries()) == [*before, entry("new")]


def test_a_kill_while_lines_are_dropped(tmp_path: Path) -> None:
    shape = Journal(tmp_path / "shape" / "journal")
    before = years(shape, 700)
    content = Path(shape.path).read_bytes()

    def prepare(person: Person) -> None:
        person.state.mkdir()
        Path(person.journal().path).write_bytes(content)

    def check(person: Person, _before: object, was_killed: bool) -> None:
        entries = list(person.journal().entries())
        assert entries[:700] == before
        assert entries[700:] in ([], [entry("new")])
        assert was_killed or entries[700:]
        person.journal().begin(entry("after"))
        assert [e.id for e in person.journal().entries()][-1] == "after"
        assert os.path.getsize(person.journal().path) < len(content) / 2

    act = lambda person: person.journal().begin(entry("new"))  # noqa: E731
    tried("a journal that is shortened", every_kill(tmp_path, True, prepare, act, check))
