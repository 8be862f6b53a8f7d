"""What stands in the way of a change at the rarer places: each leads to a word, none to a loss."""

from __future__ import annotations

import hashlib
import os
import resource
import shlex
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from test_apply import PLAN, SECOND, Person, in_child, killed
from test_archives import pack, plan_for

from cudnn_assistant.apply import NotApplied, apply, environment, recover, run_installer
from cudnn_assistant.apply.downloads import own_copy, refuse_other
from cudnn_assistant.finding import Installer
from cudnn_assistant.machine import Value
from cudnn_assistant.plan import Plan, RemoveArchive, installers
from cudnn_assistant.system.linux import Linux
from cudnn_assistant.trouble import Refused
from cudnn_assistant.whole_file import put


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


class Forgetful(Linux):
    """A system that says yes to a setting and keeps nothing of it, or says no after the first."""

    def __init__(self, person: Person, loud: bool) -> None:
        there = vars(person.system())
        vars(self).update(there)
        self.loud = loud
        self.asked: list[tuple[str, Value | None]] = []

    def write(self, scope: Any, name: str, value: Value | None) -> None:
        self.asked.append((name, value))
        if name != SECOND.name or value != SECOND.after:
            super().write(scope, name, value)
        elif self.loud:
            raise OSError(5, "Input/output error")


@pytest.mark.parametrize(
    ("loud", "code"), [(False, "read-back-differs name=CUDA_PATH"), (True, "system-said")]
)
def test_a_setting_that_was_not_kept_takes_all_back(person: Person, loud: bool, code: str) -> None:
    before, system = person.files(), Forgetful(person, loud)
    with pytest.raises(NotApplied, match=code) as caught:
        apply(PLAN, system, person.journal())
    assert caught.value.as_before
    assert person.files() == before
    # What broke off halfway may have left half of it: the old value is written once more.
    assert ((SECOND.name, None) in system.asked[2:]) is loud


def test_without_a_journal_nothing_is_changed(person: Person) -> None:
    before = person.files()
    os.makedirs(person.journal().path)
    with pytest.raises(NotApplied, match="no-journal") as caught:
        person.apply(PLAN)
    assert caught.value.as_before
    assert person.files() == before


def test_a_disk_that_is_full_at_the_very_end_leaves_it_done(person: Person) -> None:
    class Filling(Linux):
        def announce(self) -> None:
            size = os.path.getsize(person.journal().path)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    def act() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        system = Filling(
            {"HOME": str(person.home)},
            home=str(person.home),
            config=str(person.home / ".config" / "cudnn-assistant"),
            etc=str(person.home / "etc"),
        )
        assert apply(PLAN, system, person.journal()).states == ("done", "done")

    in_child(act)
    (entry,) = person.journal().unfinished()
    assert entry.states == ("done", "done")
    assert recover(person.journal(), person.system()) is None
    assert person.journal().unfinished() == ()
    assert person.system().read("user", SECOND.name) == SECOND.after


def test_a_copy_that_went_comes_back_with_the_rest(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(tmp_path))
    plan = plan_for(person, pack(tmp_path))
    person.apply(plan)
    remove, before = RemoveArchive(archive=plan.steps[0]), person.files()  # type: ignore[arg-type]
    for gone in (False, True):
        if gone:
            shutil.rmtree(remove.archive.folder)
        with pytest.raises(NotApplied, match="system-said") as caught:
            apply(Plan(steps=(remove, SECOND)), Forgetful(person, loud=True), person.journal())
        assert caught.value.as_before
        assert (person.files() == before) is not gone
        assert person.journal().unfinished() == ()


def test_a_lock_that_can_not_be_made_is_no_other_window(person: Person) -> None:
    assert killed(person, lambda: person.apply(PLAN), 15)
    lock = Path(person.journal().path + ".lock")
    lock.unlink(missing_ok=True)
    lock.mkdir()
    assert recover(person.journal(), person.system()) is not None


@pytest.mark.parametrize("left", ["done", "planned"])
def test_a_journal_that_can_only_be_read_still_tells_what_is_left(
    person: Person, monkeypatch: pytest.MonkeyPatch, left: Any
) -> None:
    """A disk that got full, or a home that was mounted to be read, behind an interrupted change."""
    entry, journal = person.apply(PLAN), person.journal()
    journal.record(msgspec.structs.replace(entry, finished=False, states=("done", left)))

    def full(*_words: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("cudnn_assistant.journal._append", full)
    plan = recover(journal, person.system())
    assert (plan is not None) == (left == "planned")
    with pytest.raises(NotApplied, match="no-journal") as caught:
        apply(plan or person.undo(), person.system(), journal)
    assert caught.value.as_before


def test_a_file_that_can_not_be_put_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_bytes(b"x")
    with pytest.raises(OSError, match="there"):
        put(tmp_path / "there", b"new")
    assert os.listdir(tmp_path) == ["there"]


WHOLE = b"x" * 1000


@pytest.mark.parametrize(
    ("content", "size", "stop", "code"),
    [
        (WHOLE, 1000, True, "stopped"),
        (WHOLE + b"y", 1000, False, "not-the-published-file"),
        (WHOLE[1:], 1000, False, "not-the-published-file"),
        (WHOLE[1:] + b"y", 0, False, "not-the-published-file"),
        (WHOLE, 1000, False, ""),
        (WHOLE, 0, False, ""),
    ],
)
def test_a_prepared_file_is_the_published_one_or_nothing(
    tmp_path: Path, content: bytes, size: int, stop: bool, code: str
) -> None:
    path, cancel = tmp_path / "file", threading.Event()
    path.write_bytes(content)
    sha256 = hashlib.sha256(WHOLE).hexdigest()
    if stop:
        cancel.set()

    def read() -> None:
        with own_copy(str(path), sha256, size, cancel) as file:
            assert file.read() == WHOLE
        refuse_other(str(path), sha256)

    refused(code, read)
    if content != WHOLE:
        refused(code, lambda: refuse_other(str(path), sha256))


def refused(code: str, act: Callable[[], object]) -> None:
    if not code:
        act()
        return
    with pytest.raises(Refused, match=code):
        act()


def test_a_pip_that_hears_no_stop_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "_STOP_SECONDS", 0.2)
    cancel, begun = threading.Event(), tmp_path / "begun"
    text = f"trap '' INT; echo $$ > {shlex.quote(str(begun))}; while :; do sleep 0.05; done"

    def stop() -> None:
        while not (begun.exists() and begun.read_text()):
            threading.Event().wait(0.01)
        cancel.set()

    threading.Thread(target=stop).start()
    with pytest.raises(Refused, match="stopped"):
        environment.run(["/bin/bash", "-c", text], cancel)
    assert not os.path.exists(f"/proc/{begun.read_text().strip()}")


def test_what_pip_says_is_read_in_every_country(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")  # As Windows' Python writes into a pipe.
    said = environment.run([sys.executable, "-c", "print('Jörg')"], threading.Event())
    assert said.out.strip() == "Jörg"


def test_one_installer_at_a_time_and_no_old_records() -> None:
    step = installers.step_of(Installer(row="driver-debian"))
    old = Path(run_installer.record(step))
    old.parent.mkdir(parents=True)
    old.write_text("an old one")
    with run_installer._locked(str(old), os.O_RDWR), pytest.raises(Refused, match="still-at-work"):
        run_installer.compare(step, None)  # type: ignore[arg-type]
    run_installer.compare(step, None)  # type: ignore[arg-type]
    prepared = run_installer.prepare(step, None)  # type: ignore[arg-type]
    assert not old.exists()
    assert prepared.run
    os.symlink("nowhere", old)
    assert not run_installer.at_work()
