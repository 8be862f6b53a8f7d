"""Plans carried out on forged homes: all or nothing, whatever happens in between."""

from __future__ import annotations

import datetime
import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import needs
import pytest
from kills import EVERY, tried

from cudnn_assistant.apply import NotApplied, apply, recover
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Value
from cudnn_assistant.plan import Plan, SetVariable, StepState, undo_plan
from cudnn_assistant.session.past import Past
from cudnn_assistant.system.linux import Linux

FIRST = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text="/opt/new:/opt/two"))
SECOND = SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/opt/cuda"))
PLAN = Plan(steps=(FIRST, SECOND))


class Person:
    """A home with dotfiles, and this program in it as if just started."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        (self.home / ".bashrc").write_bytes(b"# mine\nexport A=1")
        (self.home / ".profile").write_bytes(b"# mine too\r\n")
        (self.home / ".config" / "fish").mkdir(parents=True)
        self.state = folder / "state"
        # Copies of ours lie in it; each test begins without the variable (conftest.py).
        os.environ["XDG_DATA_HOME"] = str(self.home / "own")

    def system(self) -> Linux:
        return Linux(
            {"HOME": str(self.home), "SHELL": "/bin/bash"},
            home=str(self.home),
            config=str(self.home / ".config" / "cudnn-assistant"),
            etc=str(self.home / "etc"),
        )

    def journal(self) -> Journal:
        return Journal(self.state / "journal")

    def apply(self, plan: Plan, **more: Any) -> Any:
        return apply(plan, self.system(), self.journal(), **more)

    def undo(self, number: int = -1) -> Plan:
        entry = self.journal().entries()[number]
        return undo_plan(entry, self.system().read, "linux")

    def files(self) -> dict[str, tuple[bytes, int]]:
        return {
            str(path.relative_to(self.home)): (path.read_bytes(), path.stat().st_mode)
            for path in sorted(self.home.rglob("*"))
            if path.is_file()
        }


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def test_there_and_back_again(person: Person) -> None:
    before = person.files()
    heard: list[tuple[int, StepState]] = []
    entry = person.apply(PLAN, say=lambda *news: heard.append(news))
    assert heard == [(0, "done"), (1, "done")]
    assert entry.finished
    assert entry.states == ("done", "done")
    assert person.journal().entries() == (entry,)
    assert person.system().read("user", "CUDA_PATH") == Value(text="/opt/cuda")
    assert person.files() != before

    undo = person.apply(person.undo())
    assert person.files() == before
    assert person.journal().entries()[0].undone_by == undo.id
    redo = person.apply(person.undo())
    assert person.system().read("user", "CUDA_PATH") == Value(text="/opt/cuda")
    assert [e.undone_by for e in person.journal().entries()] == ["", redo.id, ""]


def test_a_new_shell_sees_it_and_sees_the_undo(person: Person) -> None:
    def shell() -> str:
        return subprocess.run(
            ["bash", "-lc", 'printf %s "$LD_LIBRARY_PATH"'],
            env={"HOME": str(person.home), "PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": "/old"},
            capture_output=True,
            text=True,
        ).stdout

    person.apply(PLAN)
    assert shell() == "/opt/new:/opt/two:/old"
    person.apply(person.undo())
    assert shell() == "/old"


def test_a_value_that_changed_since_the_look_stops_the_plan(person: Person) -> None:
    person.system().write("user", "CUDA_PATH", Value(text="/somebody/else"))
    before = person.files()
    with pytest.raises(NotApplied, match="changed-meanwhile name=CUDA_PATH") as caught:
        person.apply(PLAN)
    assert caught.value.as_before
    assert person.files() == before
    assert person.journal().entries() == ()


class Interrupted(Linux):
    """A system that somebody else uses at the same time."""

    def __init__(self, person: Person, meanwhile: Callable[[], None], at: str) -> None:
        super().__init__(
            {"HOME": str(person.home), "SHELL": "/bin/bash"},
            home=str(person.home),
            config=str(person.home / ".config" / "cudnn-assistant"),
            etc=str(person.home / "etc"),
        )
        self.meanwhile = meanwhile
        self.at = at
        self.announced = 0

    def write(self, scope: Any, name: str, value: Value | None) -> None:
        super().write(scope, name, value)
        if name == self.at:
            self.at = ""
            self.meanwhile()

    def announce(self) -> None:
        self.announced += 1


def test_a_change_by_others_in_the_middle_takes_all_back(person: Person) -> None:
    before = person.files()

    def meanwhile() -> None:
        person.system().write("user", "CUDA_PATH", Value(text="/theirs"))

    there = Interrupted(person, meanwhile, "LD_LIBRARY_PATH")
    with pytest.raises(NotApplied, match="changed-meanwhile name=CUDA_PATH") as caught:
        apply(PLAN, there, person.journal())
    assert caught.value.as_before
    assert there.announced == 1
    (entry,) = person.journal().entries()
    assert entry.states == ("taken-back", "stopped")
    assert entry.finished
    assert person.system().read("user", "LD_LIBRARY_PATH") is None
    assert person.system().read("user", "CUDA_PATH") == Value(text="/theirs")
    person.system().write("user", "CUDA_PATH", None)
    assert person.files() == before


def test_a_file_that_can_not_be_written_takes_all_back(person: Person) -> None:
    def meanwhile() -> None:
        file = person.home / ".config" / "cudnn-assistant" / "environment.sh"
        os.link(file, person.home / "second name")

    before = person.files()
    with pytest.raises(NotApplied, match="hard-link") as caught:
        apply(PLAN, Interrupted(person, meanwhile, "LD_LIBRARY_PATH"), person.journal())
    # The hard link stops the way back as well, and that is said.
    assert not caught.value.as_before
    (person.home / "second name").unlink()
    plan = recover(person.journal(), person.system())
    assert plan is not None
    person.apply(plan)
    assert person.files() == before


def test_somebody_elses_later_edits_survive_the_undo(person: Person) -> None:
    person.apply(PLAN)
    rc = person.home / ".bashrc"
    rc.write_bytes(rc.read_bytes() + b"alias ll='ls -l'\n")
    person.system().write("user", "LD_LIBRARY_PATH", Value(text="/opt/new:/mine:/opt/two"))
    person.apply(person.undo())
    assert person.system().read("user", "LD_LIBRARY_PATH") == Value(text="/mine")
    assert person.system().read("user", "CUDA_PATH") is None
    assert b"alias ll" in rc.read_bytes()


def test_a_settings_file_that_was_removed_by_hand_leaves_nothing_in_force(person: Person) -> None:
    before = person.files()
    person.apply(PLAN)
    os.unlink(person.system().where("user"))
    assert person.undo().steps == ()
    person.apply(person.undo())
    assert person.files() == before
    assert person.journal().entries()[0].undone_by


def test_two_instances_at_once(person: Person) -> None:
    def meanwhile() -> None:
        with pytest.raises(NotApplied, match="another-window") as caught:
            person.apply(PLAN)
        assert caught.value.as_before
        # What the other one is at is not taken for an interrupted change.
        assert recover(person.journal(), person.system()) is None

    entry = apply(PLAN, Interrupted(person, meanwhile, "LD_LIBRARY_PATH"), person.journal())
    assert entry.finished


def test_an_interrupted_change_comes_first(person: Person) -> None:
    assert killed(person, lambda: person.apply(PLAN), 15)
    with pytest.raises(NotApplied, match="interrupted-earlier"):
        person.apply(Plan(steps=(SECOND,)))
    plan = recover(person.journal(), person.system())
    assert plan is not None
    person.apply(plan)
    person.apply(PLAN)


# A kill at every call that changes something -------------------------------------------------

CALLS = (
    "open", "write", "replace", "rename", "symlink", "unlink", "fsync", "mkdir", "rmdir",
    "fchmod", "setxattr",
)  # fmt: skip


def killed(person: Person, act: Callable[[], Any], number: int, *, torn: bool = False) -> bool:
    """Whether ``act`` in a process of its own was killed before its call ``number``.

    ``torn``: a write that is the one to die at has written half of its bytes.
    """
    child = os.fork()
    if not child:
        _count_down(number, torn)
        act()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _count_down(number: int, torn: bool) -> None:
    left = [number]

    def wrap(name: str) -> None:
        real = getattr(os, name)

        def call(*arguments: Any, **more: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                if torn and name == "write":
                    real(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **more)

        setattr(os, name, call)

    for name in CALLS:
        wrap(name)


def every_kill(tmp_path: Path, torn: bool, prepare: Any, act: Any, check: Any) -> int:
    """Kill ``act`` at each ``EVERY`` th of its calls in turn, each time in a new home; how many
    calls it has."""
    number = int(torn) % EVERY
    while True:
        folder = tmp_path / str(number)
        folder.mkdir()
        person = Person(folder)
        prepare(person)
        before = person.files()
        was_killed = killed(person, lambda: act(person), number, torn=torn)  # noqa: B023
        check(person, before, was_killed)
        if not was_killed:
            return number
        number += EVERY


def check_way_back(person: Person, before: dict[str, Any], was_killed: bool) -> None:
    read = person.system().read
    for step in (FIRST, SECOND):
        assert read("user", step.name) in (None, step.after)
    assert person.files()[".profile"][0].startswith(b"# mine too\r\n")
    assert person.files()[".bashrc"][0].startswith(b"# mine\nexport A=1")
    plan = recover(person.journal(), person.system())
    if plan is None:
        leftover = [name for name in person.files() if name.endswith("-new")]
        assert not leftover
        values = [read("user", FIRST.name), read("user", SECOND.name)]
        assert (person.files() == before) or values in (
            [None, None],
            [FIRST.after, SECOND.after],
        )
        assert person.journal().unfinished() == ()
        return
    assert was_killed
    person.apply(plan)
    assert person.files() == before
    assert recover(person.journal(), person.system()) is None


@pytest.mark.parametrize("torn", [False, True], ids=["before the call", "in the middle of it"])
def test_a_kill_at_any_call_of_apply(tmp_path: Path, torn: bool) -> None:
    calls = every_kill(
        tmp_path,
        torn,
        prepare=lambda person: None,
        act=lambda person: person.apply(PLAN),
        check=check_way_back,
    )
    tried("a change, a write torn" if torn else "a change", calls)


def test_a_kill_at_any_call_of_undo(tmp_path: Path) -> None:
    calls = every_kill(
        tmp_path,
        torn=True,
        prepare=lambda person: person.apply(PLAN),
        act=lambda person: person.apply(person.undo()),
        check=check_way_back,
    )
    tried("an undo", calls)


def test_a_kill_at_any_call_of_the_recovery(tmp_path: Path) -> None:
    untouched: dict[str, Any] = {}

    def prepare(person: Person) -> None:
        untouched.update(person.files())
        assert killed(person, lambda: person.apply(PLAN), 37)

    def act(person: Person) -> None:
        plan = recover(person.journal(), person.system())
        assert plan is not None
        person.apply(plan)

    def check(person: Person, _before: dict[str, Any], _was_killed: bool) -> None:
        plan = recover(person.journal(), person.system())
        if plan is not None:
            person.apply(plan)
        assert person.files() == untouched
        assert person.journal().unfinished() == ()

    tried("a recovery", every_kill(tmp_path, True, prepare, act, check))


# What the system doesn't allow ----------------------------------------------------------------


def in_child(act: Callable[[], None]) -> None:
    """Run ``act`` in a process of its own, whose limits and namespaces are its own, too."""
    child = os.fork()
    if not child:
        try:
            act()
        except BaseException:  # noqa: BLE001  (the parent must hear of anything)
            import traceback

            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("limit", [0, 60, 300, 600, 1000])
def test_a_full_disk_changes_nothing(person: Person, limit: int) -> None:
    before = person.files()

    def act() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        with pytest.raises(NotApplied, match=r"no-journal|system-said") as caught:
            person.apply(PLAN)
        assert caught.value.as_before

    in_child(act)
    assert person.files() == before
    plan = recover(person.journal(), person.system())
    if plan:
        person.apply(plan)
    assert person.files() == before


def as_somebody(act: Callable[[], None]) -> Callable[[], None]:
    """``act`` without root's power to write everywhere."""

    def powerless() -> None:
        if os.getuid() == 0:
            os.setgid(12345)
            os.setuid(12345)
        act()

    return powerless


@needs.root
def test_a_read_only_home_changes_nothing(person: Person, tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents):
        if str(folder).startswith("/tmp/pytest"):
            folder.chmod(0o755)
    person.state.mkdir()
    person.state.chmod(0o777)
    before = person.files()

    def act() -> None:
        with pytest.raises(NotApplied, match=r"no-journal|system-said") as caught:
            person.apply(PLAN)
        assert caught.value.as_before

    in_child(as_somebody(act))
    assert person.files() == before
    for file in person.state.iterdir():
        file.unlink()
    person.state.chmod(0o555)

    def no_journal() -> None:
        with pytest.raises(NotApplied, match="no-journal") as caught:
            person.apply(PLAN)
        assert caught.value.as_before

    in_child(as_somebody(no_journal))
    assert person.files() == before


def test_an_empty_plan_is_carried_out_at_once(person: Person) -> None:
    before = person.files()
    assert person.apply(Plan()).finished
    assert person.files() == before


class Backwards(datetime.datetime):
    """A clock that jumps back an hour each time it is looked at, and once stands still."""

    looked = 0

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        cls.looked += 1
        hours = 1 if cls.looked == 2 else cls.looked
        return datetime.datetime(2026, 11, 21, 12, tzinfo=tz) - datetime.timedelta(hours=hours)


def test_a_clock_that_jumps_back(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datetime, "datetime", Backwards)
    before = person.files()
    for step in (FIRST, SECOND):
        person.apply(Plan(steps=(step,)))
    again = msgspec.structs.replace(SECOND, before=SECOND.after, after=Value(text="/opt/later"))
    person.apply(Plan(steps=(again,)))
    first, second, last = person.journal().entries()
    assert first.when == second.when > last.when
    assert len({first.id, second.id, last.id}) == 3
    assert Past(person.journal(), person.system()).undoable() == last, (
        "the last one made, not the latest date"
    )
    for number in (2, 1, 0):
        person.apply(person.undo(number))
    assert person.files() == before
    assert [bool(entry.undone_by) for entry in person.journal().entries()[:3]] == [True] * 3
