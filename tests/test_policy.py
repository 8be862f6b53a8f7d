"""A computer that somebody looks after: what they decided holds for every way to change it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fleet_computer import following
from machines.computers import thought
from machines.each import each_computer
from test_apply import PLAN, Person
from test_archives import pack, plan_for

from cudnn_assistant.apply import NotApplied, read_licence, rehearse
from cudnn_assistant.cli.carrying import Maker
from cudnn_assistant.cli.changing import fix
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Machine, OperatingSystem, Value
from cudnn_assistant.plan import Entry, InstallPackage, Plan, SetVariable, StepState
from cudnn_assistant.session import LookRequest, Misuse, Session
from cudnn_assistant.system import policy as policies
from cudnn_assistant.system.policy import Policy, archives, policy
from cudnn_assistant.trouble import Refused


class Decided:
    """The file of the policy, for these tests somewhere else."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, text: str) -> None:
        self.path.write_text(text, encoding="utf-8")


@pytest.fixture
def decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Decided:
    path = tmp_path / "policy.toml"
    monkeypatch.setattr(policies, "LINUX", str(path))
    return Decided(path)


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def carry(person: Person, plan: Plan, *, dry_run: bool = False) -> int:
    session = Session(person.system(), person.journal())
    machine = Machine(os=OperatingSystem(family="linux"))
    return (
        Maker(session, machine, Options(yes=True, dry_run=dry_run), Screen()).carry_out(plan).code
    )


def test_without_a_policy_everything_may_be_done(decided: Decided, person: Person) -> None:
    assert policy() == Policy()
    assert person.apply(PLAN).finished


def test_read_only_changes_nothing(decided: Decided, person: Person, capsys: Any) -> None:
    decided.write("read-only = true\n")
    before = person.files()
    with pytest.raises(NotApplied, match="policy") as caught:
        person.apply(PLAN)
    assert caught.value.as_before
    assert str(decided.path) in str(caught.value)
    assert carry(person, PLAN) == 5
    told = capsys.readouterr()
    assert "/opt/new" in told.out, "what would help is shown all the same"
    assert "changes nothing here" in told.err
    assert carry(person, PLAN, dry_run=True) == 1
    assert person.files() == before
    assert person.journal().entries() == ()


def test_a_change_from_before_is_not_taken_back_either(decided: Decided, person: Person) -> None:
    person.apply(PLAN)
    made = person.files()
    decided.write("read-only = true\n")
    with pytest.raises(NotApplied, match="policy"):
        person.apply(person.undo())
    assert person.files() == made


HELD = Plan(
    steps=(
        SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text="/opt/new"),
                    why=("cudnn-not-on-path",)),
    )
)  # fmt: skip


def test_only_allowed_causes_are_mended_and_anything_is_taken_back(
    decided: Decided, person: Person
) -> None:
    decided.write('allow = ["cudnn-missing"]\n')
    before = person.files()
    with pytest.raises(NotApplied, match="policy-allows-others"):
        person.apply(HELD)
    assert person.files() == before
    decided.write('allow = ["cudnn-missing", "cudnn-not-on-path"]\n')
    person.apply(HELD)
    assert person.files() != before
    decided.write("allow = []\n")
    person.apply(person.undo())
    assert person.files() == before


def test_nothing_is_downloaded_where_that_is_forbidden(
    decided: Decided, person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    decided.write("downloads = false\n")
    plan = plan_for(person, pack(mirror))
    pip = Plan(steps=(InstallPackage(python="/x/bin/python", requirements=("a==1",)),))
    with pytest.raises(NotApplied, match="policy-forbids-downloads"):
        person.apply(plan)
    with pytest.raises(NotApplied, match="policy-forbids-downloads"):
        person.apply(pip)
    assert rehearse(pip) == pip, "pip isn't asked either: it would ask its index"
    with pytest.raises(Refused, match="licence-not-prepared"):
        read_licence("https://developer.download.nvidia.com/LICENSE.txt")
    monkeypatch.setenv(policies.ARCHIVES, str(mirror))
    assert person.apply(plan).finished
    assert session_forbids(person, HELD) is None


def session_forbids(person: Person, plan: Plan) -> Refused | None:
    return Session(person.system(), person.journal()).forbidden(plan)


def test_many_computers_don_t_begin_at_once(
    decided: Decided, person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    plan = plan_for(person, pack(mirror))
    session = Session(person.system(), person.journal())
    assert session.pause(plan) == 0
    decided.write("spread = 3600\n")
    pauses = [session.pause(plan) for _computer in range(200)]
    assert max(pauses) <= 3600
    assert {pause // 600 for pause in pauses} >= set(range(6))
    assert session.pause(HELD) == 0, "nothing is downloaded for it"
    monkeypatch.setenv(policies.ARCHIVES, str(mirror))
    assert session.pause(plan) == 0, "it lies ready"


def at(name: str, person: Person) -> Session:
    return Session(person.system(), person.journal(), look=following(name, "linux-healthy"))


BROKEN = "linux-cudnn-not-on-path"


@pytest.mark.parametrize(
    ("only", "policy_text", "changes", "said"),
    [
        (("cudnn-not-on-path",), "", True, ""),
        (("cudnn-missing", "gpu-hidden"), "", False, ""),
        (
            (),
            'allow = ["cudnn-missing"]',
            False,
            "doesn't let this program mend: cudnn-not-on-path",
        ),
        (("cudnn-missing",), 'allow = ["cudnn-missing"]', False, ""),
        ((), 'allow = ["cudnn-not-on-path"]', True, ""),
    ],
)
def test_fix_mends_only_what_is_named_and_allowed(
    only: tuple[str, ...], policy_text: str, changes: bool, said: str,
    decided: Decided, person: Person, capsys: Any,
) -> None:  # fmt: skip
    decided.write(policy_text)
    before = person.files()
    code = fix(
        at(BROKEN, person), Options(command="fix", yes=True, only=only, offline=True), Screen()
    )
    assert code == (0 if changes else 1)
    assert (person.files() != before) is changes
    assert said in capsys.readouterr().err
    assert len(person.journal().entries()) == changes


def test_a_plan_grows_in_its_rehearsal_only_by_what_may_be_mended(
    decided: Decided, person: Person
) -> None:
    one, other = "cudnn-not-on-path", "cuda-not-on-path"
    look = following(BROKEN, "linux-cuda-not-on-path", "linux-healthy")
    session = Session(person.system(), person.journal(), look=look)
    whole = session.check(LookRequest(offline=True))
    seen = {
        "all": whole,
        "named": session.limited(whole, frozenset({one})),
        "both": session.limited(whole, frozenset({one, other})),
    }
    decided.write(f'allow = ["{one}"]')
    seen["allowed"] = session.check(LookRequest(offline=True))
    grown = {
        name: {code for step in tried.steps for code in step.why}
        for name, checkup in seen.items()
        for tried in [session.rehearse(checkup.plan, before=checkup)]
    }
    assert grown == {"all": {one, other}, "named": {one}, "both": {one, other}, "allowed": {one}}


def test_a_code_that_no_cause_has_is_wrong_use(person: Person) -> None:
    with pytest.raises(Misuse, match="no-such-cause"):
        fix(at(BROKEN, person), Options(command="fix", yes=True, only=("cudnn",)), Screen())
    assert person.journal().entries() == ()


@each_computer
def test_a_plan_serves_only_the_causes_that_are_asked_for(name: str, person: Person) -> None:
    session, checkup = at(name, person), thought(name)
    for code in {finding.code for finding in checkup.findings}:
        plan = session.plan(checkup, frozenset({code}))
        assert {why for step in plan.steps for why in step.why} <= {code}


@pytest.mark.parametrize(
    "text",
    [
        "allow = 3",
        "allow = [3]",
        'downloads = "no"',
        "spread = true",
        "read-only = maybe",
        'read-only = "yes"',
        "archives = 3",
        'archives = "relative"',
        "spread = -1",
        "spread = 1" + "0" * 30,
        "readonly = true",
        "read_only = true",
        "[policy]\nread-only = true",
        "# " + "x" * (1 << 20),
        "read-only = " + "[" * 9000,
        "\0",
    ],
)
def test_a_policy_that_can_not_be_read_forbids(decided: Decided, text: str) -> None:
    decided.write(text)
    assert policy().read_only


@pytest.mark.parametrize("target", ["/nowhere/at/all", "policy.toml", "/dev/zero", "/"])
def test_a_policy_that_leads_elsewhere_forbids(decided: Decided, target: str) -> None:
    decided.path.symlink_to(target)
    assert policy().read_only


def test_archives_come_from_the_folder_alone(
    decided: Decided, person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror, other = tmp_path / "mirror", tmp_path / "other"
    for folder in (mirror, other):
        folder.mkdir()
    decided.write(f'archives = "{mirror}"\n')
    monkeypatch.setenv(policies.ARCHIVES, str(other))
    assert archives() == str(mirror)
    plan = plan_for(person, pack(other))
    with pytest.raises(NotApplied, match="archive-not-prepared") as caught:
        person.apply(plan)
    assert caught.value.as_before
    assert person.apply(plan_for(person, pack(mirror))).finished


def test_the_licence_comes_from_the_folder_too(decided: Decided, tmp_path: Path) -> None:
    decided.write(f'archives = "{tmp_path}"\n')
    with pytest.raises(Refused, match="licence-not-prepared"):
        read_licence("https://developer.download.nvidia.com/LICENSE.txt")
    (tmp_path / "LICENSE.txt").write_text("terms")
    assert read_licence("https://x/LICENSE.txt").content == b"terms"


SOMEBODY = 12345


def listed(home: Path) -> list[tuple[str, int, bytes]]:
    paths = sorted(home.rglob("*"))
    content = {path: path.read_bytes() for path in paths if path.is_file()}
    return [(str(path), path.stat().st_uid, content.get(path, b"")) for path in paths]


@pytest.mark.skipif(os.getuid() != 0, reason="needs root")
@pytest.mark.parametrize("interrupted", [False, True])
def test_root_leaves_nothing_in_anothers_home(tmp_path: Path, interrupted: bool) -> None:
    """As after sudo -E, or su without a hyphen."""
    person = Person(tmp_path)
    theirs = person.home
    if interrupted:
        state = theirs / ".local" / "state" / "cudnn-assistant"
        state.mkdir(parents=True)
        states: tuple[StepState, ...] = ("planned",) * len(PLAN.steps)
        begun = Entry(id="1", when="2026-01-01T00:00:00Z", plan=PLAN, states=states)
        Journal(state / "journal.jsonl").record(begun)
    for path in (theirs, *theirs.rglob("*")):
        os.chown(path, SOMEBODY, SOMEBODY)
    before = listed(theirs)
    names = ("PATH", "LANG")
    environment = {name: os.environ[name] for name in names if name in os.environ}
    environment |= {"HOME": str(theirs), "SHELL": "/bin/bash", "PYTHONDONTWRITEBYTECODE": "1"}
    for words in (["check", "--no-test"], ["fix", "--yes", "--no-test"], ["undo", "--yes"],
                  ["undo", "--list"], ["feed", "update"]):  # fmt: skip
        command = [sys.executable, "-m", "cudnn_assistant", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert "Traceback" not in done.stderr
        assert listed(theirs) == before


@pytest.mark.skipif(os.getuid() != 0, reason="needs root")
def test_what_root_may_not_change_its_owner_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = Person(tmp_path)
    monkeypatch.setenv("HOME", str(person.home))
    os.chown(person.home, SOMEBODY, SOMEBODY)
    before = listed(person.home)
    with pytest.raises(NotApplied, match="anothers-home") as caught:
        person.apply(PLAN)
    assert caught.value.as_before
    assert listed(person.home) == before
    assert not person.state.exists()
    os.chown(person.home, 0, 0)
    person.apply(PLAN)
    assert person.files() != {}
    person.apply(person.undo())


class Keys(ModuleType):
    """Windows' registry with one key: that of the policy."""

    KEY_READ = KEY_WOW64_64KEY = HKEY_LOCAL_MACHINE = 0

    def __init__(self, **values: object) -> None:
        super().__init__("winreg")
        self.stored = [(name, value, 0) for name, value in values.items()]

    def OpenKeyEx(self, _root: int, path: str, *_how: int) -> nullcontext[str]:  # noqa: N802
        return nullcontext(path)

    def QueryInfoKey(self, _key: str) -> tuple[int, int]:  # noqa: N802
        return (0, len(self.stored))

    def EnumValue(self, _key: str, number: int) -> tuple[str, object, int]:  # noqa: N802
        return self.stored[number]


@pytest.mark.parametrize("name", ["ReadOnly", "Ask", "Downloads", "Archives", "Allow", "Spread"])
@pytest.mark.parametrize(
    "value", [None, b"\0", b"", "0", "", "\ud83d", [b"x"], 1.5, [["a"]]], ids=ascii
)
def test_a_value_of_another_kind_forbids(
    name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "winreg", Keys(**{name: value}))
    monkeypatch.setattr(sys, "platform", "win32")
    assert policy().read_only == ((name, value) != ("Archives", ""))
