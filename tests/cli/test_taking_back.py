"""``undo`` of what others have changed since: it says what stands in the way, and loses nothing."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest
from test_archives import pack

from cudnn_assistant import places
from cudnn_assistant.apply import apply
from cudnn_assistant.cli import run
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Value
from cudnn_assistant.plan import InstallArchive, Plan, SetVariable, Step, StepState
from cudnn_assistant.system.linux import Linux

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="start-up files of Linux")
LIST = "installed-files.txt"
LEFT, BACK = "Nothing of this change is left", "The change was taken back."
JOURNAL = "The list of changes can't be read, so nothing was taken back."


class Home:
    """A person's home with one change of ours in it, and what stood there before it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.bashrc = home / ".bashrc"
        self.bashrc.write_text("# mine\n")
        self.settings = places.config() / "environment.sh"
        self.copy = places.own_libraries() / "cudnn-9.28.0-cuda12"
        self.journal = places.journal()

    def change(self, *steps: Step) -> None:
        apply(Plan(steps=steps), Linux(), Journal(self.journal))

    def install(self) -> InstallArchive:
        return InstallArchive(
            product="cuDNN", version="9.28.0", cuda_major=12, folder=str(self.copy),
            download=pack(self.home), search=f"{self.copy}/lib",
        )  # fmt: skip

    def files(self) -> dict[str, bytes | str]:
        """All but our journal and what keeps two programs apart."""
        return {
            str(path): os.readlink(path) if path.is_symlink() else path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_symlink() or (path.is_file() and path.parent != self.journal.parent)
        }


def append(path: Path, text: str) -> None:
    path.write_bytes(path.read_bytes() + text.encode())


def instead(path: Path) -> None:
    """A file where a folder was; a folder where a file was."""
    if path.is_dir():
        shutil.rmtree(path)
        path.write_text("my own")
    else:
        path.unlink()
        path.mkdir()


def linked(home: Home) -> None:
    elsewhere = home.home / "elsewhere"
    shutil.move(home.copy, elsewhere)
    home.copy.symlink_to(elsewhere)


SETTING: dict[str, tuple[Callable[[Home], object], int, tuple[str, ...]]] = {
    "edited by hand": (
        lambda h: append(h.settings, "export X=1\n"), 5,
        ("was edited by another program or by hand. Move it away", "Everything is as it was"),
    ),
    "gone": (lambda h: h.settings.unlink(), 0, (LEFT,)),
    "gone with its folder": (lambda h: shutil.rmtree(h.settings.parent), 0, (LEFT,)),
    "a folder": (
        lambda h: instead(h.settings), 5, ("a folder stands where a file should be.",)
    ),
    "start-up file gone": (lambda h: h.bashrc.unlink(), 0, (BACK,)),
    "start-up file anew": (lambda h: h.bashrc.write_text("# new\n"), 0, (BACK,)),
    "a folder for a journal": (
        lambda h: instead(h.journal), 3,
        (JOURNAL, "a folder stands where a file should be. Put that right"),
    ),
    "a pipe for a journal": (
        lambda h: (h.journal.unlink(), os.mkfifo(h.journal)), 3,
        (JOURNAL, "it is not a plain file. Put that right"),
    ),
    "a journal of noise": (
        lambda h: h.journal.write_bytes(bytes(range(256)) * 9), 0, ("no change to take back",),
    ),
    "a torn journal": (
        lambda h: os.truncate(h.journal, h.journal.stat().st_size - 9), 0, (BACK,),
    ),
}  # fmt: skip
COPY: dict[str, tuple[Callable[[Home], object], int, tuple[str, ...]]] = {
    "gone": (lambda h: shutil.rmtree(h.copy), 0, (BACK,)),
    "a file of the person's": (
        lambda h: instead(h.copy), 5, ("no folder that this program made", "Move it away"),
    ),
    "the person's own file in it": (
        lambda h: (h.copy / "lib/mine.so").write_text("mine"), 5,
        ("also holds what this program did not put there (1: lib/mine.so)", "Move that away"),
    ),
    "the person's own link to a folder in it": (
        lambda h: (h.copy / "lib/mine.so").symlink_to("/etc"), 5, ("there (1: lib/mine.so)",),
    ),
    "a file in it that Windows would have made": (
        lambda h: (h.copy / "lib/Thumbs.db").write_text("mine"), 5, ("there (1: lib/Thumbs.db)",),
    ),
    "many files of the person's, one of them named to deceive": (
        lambda h: [(h.copy / f"lib/{n}\u202eos").write_text("mine") for n in range(1200)], 5,
        (r"(1,200: lib/0\u202eos, lib/1000\u202eos, lib/1001\u202eos, …)",),
    ),
    "its list is a folder": (
        lambda h: instead(h.copy / LIST), 5, ("a folder stands where a file should be",)
    ),
    "its list is noise": (
        lambda h: (h.copy / LIST).write_bytes(b"\xff\xfe\n"), 5, ("did not put there",)
    ),
    "its list has Windows' ends of lines": (
        lambda h: (h.copy / LIST).write_bytes((h.copy / LIST).read_bytes().replace(b"\n", b"\r\n")),
        0, (BACK,),
    ),
    "moved elsewhere": (linked, 5, ("no folder that this program made", "Move it away")),
}  # fmt: skip


@pytest.fixture
def home(own_home: Path) -> Home:
    return Home(own_home)


def taken_back(
    home: Home, meddle: Callable[[Home], object], capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    meddle(home)
    before = home.files()
    dry = run(["undo", "--dry-run"])
    told = "".join(capsys.readouterr())
    assert home.files() == before
    code = run(["undo", "--yes"])
    said = "".join(capsys.readouterr())
    assert "Traceback" not in said
    if "did not put there" in said:
        assert (dry, told) == (code, said), "what stands in the way is told without a try"
    if code:
        assert home.files() == before, "what could not be taken back stays whole"
    return code, said


@pytest.mark.parametrize("way", SETTING)
def test_a_setting(home: Home, way: str, capsys: pytest.CaptureFixture[str]) -> None:
    meddle, expected, sentences = SETTING[way]
    home.change(SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/opt/cuda")))
    code, said = taken_back(home, meddle, capsys)
    assert code == expected, said
    for sentence in sentences:
        assert sentence in said
    assert not home.bashrc.exists() or home.bashrc.read_text().startswith(("# mine", "# new"))


@pytest.mark.parametrize("way", COPY)
def test_a_copy(
    home: Home, way: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    meddle, expected, sentences = COPY[way]
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(home.home))
    home.change(home.install())
    code, said = taken_back(home, meddle, capsys)
    assert code == expected, said
    for sentence in sentences:
        assert sentence in said
    if code:
        shutil.move(home.copy, home.home / "moved away")
        assert run(["undo", "--yes"]) == 0, "moved away, it goes on"


@pytest.mark.parametrize("command", ["undo", "fix --offline --no-test"])
@pytest.mark.parametrize("state", ["done", "planned"])
def test_a_try_leaves_what_was_interrupted_as_it_is(
    home: Home, state: StepState, command: str
) -> None:
    home.change(SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/opt/cuda")))
    journal = Journal(home.journal)
    (entry,) = journal.entries()
    journal.record(msgspec.structs.replace(entry, finished=False, states=(state,)))
    making = places.own_libraries() / "cudnn.making"
    making.mkdir(parents=True)
    before = home.journal.read_bytes()
    run([*command.split(), "--dry-run"])
    assert home.journal.read_bytes() == before
    assert making.is_dir()


def test_what_nothing_is_left_of_is_no_question(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    """Interrupted, and set anew by somebody else: the next change closes it by itself."""
    home.change(SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/opt/cuda")))
    journal = Journal(home.journal)
    (entry,) = journal.entries()
    journal.record(msgspec.structs.replace(entry, finished=False, states=("planned",)))
    Linux().write("user", "CUDA_PATH", Value(text="/opt/theirs"))
    run(["fix", "--offline", "--no-test"])
    assert LEFT in capsys.readouterr().out
    assert journal.unfinished() == ()
    assert Linux().read("user", "CUDA_PATH") == Value(text="/opt/theirs")


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0)])
def test_in_any_order_the_first_value_comes_back(home: Home, order: tuple[int, ...]) -> None:
    before, values = home.files(), [None, *(Value(text=f"/cuda-{n}") for n in (11, 12, 13))]
    for old, new in pairwise(values):
        home.change(SetVariable(scope="user", name="CUDA_PATH", before=old, after=new))
    made = Journal(home.journal).entries()
    for number in order:
        assert run(["undo", made[number].id, "--yes"]) == 0
    assert home.files() == before


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_copy_that_was_removed_is_not_brought_back_for_nobody(
    home: Home, monkeypatch: pytest.MonkeyPatch, order: tuple[int, ...]
) -> None:
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(home.home))
    install, before = home.install(), home.files()
    search = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text=install.search))
    home.change(install, search)
    assert run(["installed", "--remove", str(home.copy), "--yes"]) == 0
    made = Journal(home.journal).entries()
    for number in order:
        assert run(["undo", made[number].id, "--yes"]) == 0
    assert home.files() == before


def test_the_list_knows_what_others_have_changed_since(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    home.change(SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/cuda")))
    for text, state in (("/cuda", "in place"), ("/other", "changed since by another program")):
        home.settings.write_text(home.settings.read_text().replace("/cuda", text))
        assert run(["undo", "--list"]) == 0
        assert state in capsys.readouterr().out


def test_what_is_taken_back_already_stays_so(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    """A later change may have set the same again: that one is named to take it back."""
    step, journal = SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/cuda")), []
    for _time in range(2):
        home.change(step)
        journal = Journal(home.journal).entries()
        assert run(["undo", journal[0].id, "--yes"]) == (2 if len(journal) > 1 else 0)
    assert f"There is no change to take back in {home.journal}" in capsys.readouterr().out
    assert Linux().read("user", "CUDA_PATH") == step.after


def test_a_copy_that_is_still_searched_is_not_said_to_be_gone(
    home: Home, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(home.home))
    home.change(home.install())
    search = Value(text=home.install().search)
    home.change(SetVariable(scope="user", name="LD_LIBRARY_PATH", after=search))
    first = Journal(home.journal).entries()[0]
    assert run(["undo", first.id, "--yes"]) == 5
    assert f"{home.copy} stays, because programs still search it" in capsys.readouterr().err
    for _time in range(2):
        assert run(["undo", "--yes"]) == 0
    assert not home.copy.exists()


@pytest.mark.parametrize("finished", [True, False])
def test_a_change_of_another_home_is_taken_back_there(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, finished: bool,
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_STATE_HOME", str(home.journal.parents[1]))
    home.change(SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/cuda")))
    (entry,) = Journal(home.journal).entries()
    states = ("done",) if finished else ("planned",)
    change = msgspec.structs.replace(entry, states=states, finished=finished)
    Journal(home.journal).record(change)
    (tmp_path / "other").mkdir()
    with monkeypatch.context() as other:
        other.setenv("HOME", str(tmp_path / "other"))
        assert run(["undo", "--yes"]) == 5
    assert f"This change was made in {home.settings}" in capsys.readouterr().err
    (tmp_path / "link").symlink_to(home.home)
    monkeypatch.setenv("HOME", str(tmp_path / "link"))
    assert run(["undo", "--yes"]) == 0
    assert Linux().read("user", "CUDA_PATH") is None
