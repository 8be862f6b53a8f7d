"""Windows' adapter over a stand-in registry that keeps the real one's contract."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_registry import FakeRegistry
from registry_contract import CONTRACT

from cudnn_assistant.apply import NotApplied, apply
from cudnn_assistant.child import elevated
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Scope, Value
from cudnn_assistant.plan import Plan, SetVariable, undo_plan
from cudnn_assistant.system.administrator import run_program
from cudnn_assistant.system.winapi import WindowsApi, read_block
from cudnn_assistant.system.windows import Windows, merged
from cudnn_assistant.system.windows_registry import EXPAND, TEXT, Stored, WindowsRegistry
from cudnn_assistant.trouble import Refused

BINARY, MULTI = 3, 7


@pytest.mark.parametrize("clause", CONTRACT, ids=lambda clause: clause.__name__)
def test_the_stand_in_keeps_the_contract(clause: Callable[[WindowsRegistry], None]) -> None:
    clause(FakeRegistry())


class FakeApi:
    """A Windows whose person answers ``permits`` and whose helper works on ``registry``."""

    def __init__(self, registry: FakeRegistry, *, permits: bool = True) -> None:
        self.registry = registry
        self.permits = permits
        self.broadcasts = 0
        self.questions = 0
        self.administrator = False
        self.signed_in = ""
        """Who is, where it is another account than ours."""
        self.protected = True
        """Whether our files lie where this account can't write."""
        self.ran: list[list[str]] = []
        self.between: Callable[[str], None] = lambda path: None

    def broadcast(self) -> None:
        self.broadcasts += 1

    def environment_block(self) -> dict[str, str]:
        raise OSError("not here")

    def elevated(self) -> bool:
        return self.administrator

    def person_besides(self) -> str:
        return self.signed_in

    def may_change(self, path: str) -> bool:
        return not self.protected

    def system_folder(self) -> str:
        return "C:\\Windows\\System32"

    def run_elevated(self, command: Sequence[str]) -> int:
        self.questions += 1
        self.ran.append(list(command))
        if not self.permits:
            raise Refused("administrator-not-allowed")
        if command[0].endswith("reg.exe"):
            return self._reg(*command[1:])
        assert "--child" in command
        arguments = list(command[command.index("--request") :])
        self.between(arguments[1])
        try:
            changes = elevated.read_request(arguments, "C:\\Windows")
        except elevated._NotAccepted:
            return elevated.NOT_ACCEPTED
        return elevated.carry_out(changes, self._read, self._write)

    def _reg(self, verb: str, key: str, _v: str, name: str, *rest: str) -> int:
        """What reg.exe does with these words; tests/wine asks the real one."""
        assert key.endswith("Environment")
        new = {"text": rest[3], "expand": rest[1] == "REG_EXPAND_SZ"} if verb == "add" else None
        self._write(name, new)
        return 0

    def _read(self, name: str) -> dict[str, Any] | None:
        found = [s for s in self.registry.scopes["machine"] if s.name.upper() == name.upper()]
        return {"text": found[0].data, "expand": found[0].kind == EXPAND} if found else None

    def _write(self, name: str, value: dict[str, Any] | None) -> None:
        denied, self.registry.denied = self.registry.denied, set()
        if value is None:
            self.registry.delete("machine", name)
        else:
            self.registry.set("machine", name, value["text"], 2 if value["expand"] else 1)
        self.registry.denied = denied


MACHINE_PATH = r"%SystemRoot%\system32;C:\old"


@pytest.fixture
def registry() -> FakeRegistry:
    made = FakeRegistry(
        user=[
            Stored("pAtH", r"%USERPROFILE%\bin;C:\u", EXPAND),
            Stored("CUDA_PATH", r"C:\cuda", TEXT),
            Stored("CUDNN_PATH", ["a", "b"], MULTI),
            Stored("CUDA_CACHE_PATH", b"\0", BINARY),
            Stored("Secret", "x", TEXT),
        ],
        machine=[Stored("Path", MACHINE_PATH, EXPAND)],
    )
    made.denied = {"machine"}
    return made


@pytest.fixture
def api(registry: FakeRegistry) -> FakeApi:
    return FakeApi(registry)


@pytest.fixture
def windows(registry: FakeRegistry, api: FakeApi) -> Windows:
    return Windows(registry, api, {"PATH": "C:\\p", "HOME": "C:\\h"})


def test_variables_are_raw_with_their_kind(windows: Windows) -> None:
    found = [(v.scope, v.name, v.value.text, v.value.expand) for v in windows.variables()]
    assert found == [
        ("process", "PATH", "C:\\p", False),
        ("user", "pAtH", r"%USERPROFILE%\bin;C:\u", True),
        ("user", "CUDA_PATH", r"C:\cuda", False),
        ("machine", "Path", MACHINE_PATH, True),
    ]
    assert [gap.why.split(" is ")[0] for gap in windows.gaps()] == [
        "HKCU\\Environment: CUDNN_PATH",
        "HKCU\\Environment: CUDA_CACHE_PATH",
    ]


def test_a_key_that_can_not_be_read_is_a_gap(windows: Windows, registry: FakeRegistry) -> None:
    registry.locked = {"machine"}
    assert [v.scope for v in windows.variables()] == ["process", "user", "user"]
    assert any("no permission" in gap.why for gap in windows.gaps())
    with pytest.raises(Refused, match="HKLM"):
        windows.read("machine", "PATH")


def test_another_accounts_settings_are_not_taken_for_the_persons(
    registry: FakeRegistry, api: FakeApi, tmp_path: Path
) -> None:
    """As an administrator's, whom Windows asked over the shoulder of who is signed in."""
    api.signed_in = r"PC\kim"
    registry.denied = set()
    assert Windows(registry, api, {}).gaps() == ()
    api.administrator = True
    windows = Windows(registry, api, {})
    assert [v.scope for v in windows.variables()] == ["machine"]
    assert [r"PC\kim" in gap.why for gap in windows.gaps()] == [True]
    step = SetVariable(scope="user", name="CUDA_PATH", after=Value(text="x"))
    journal = Journal(tmp_path / "journal")
    with pytest.raises(NotApplied, match="anothers-settings"):
        apply(Plan(steps=(step,)), windows, journal)
    assert registry.writes == 0
    assert journal.entries() == ()
    windows.write("machine", "CUDA_PATH", Value(text="x"))


def test_writing_keeps_the_spelling(windows: Windows, registry: FakeRegistry) -> None:
    windows.write("user", "PATH", Value(text="C:\\n", expand=True))
    assert registry.scopes["user"][0] == Stored("pAtH", "C:\\n", EXPAND)
    assert windows.read("user", "path") == Value(text="C:\\n", expand=True)
    windows.write("user", "CUDA_PATH", None)
    assert windows.read("user", "CUDA_PATH") is None


def test_writing_what_is_there_writes_nothing(windows: Windows, registry: FakeRegistry) -> None:
    windows.write("user", "CUDA_PATH", Value(text=r"C:\cuda"))
    windows.write("machine", "NONE", None)
    assert registry.writes == 0


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("CUDNN_PATH", "C:\\x", "other-kind-of-value"),
        ("CUDA_CACHE_PATH", "C:\\x", "other-kind-of-value"),
        ("PATH", "x" * 32_768, "value-too-long .*32768"),
        ("PATH", "x" * 40_000, "value-too-long .*40000"),
        ("PATH", "a\0b", "value-not-storable"),
        ("A=B", "x", "value-not-storable"),
    ],
)
def test_what_windows_could_not_hold_is_refused(
    windows: Windows, registry: FakeRegistry, name: str, text: str, why: str
) -> None:
    before = [list(values) for values in registry.scopes.values()]
    with pytest.raises(Refused, match=why):
        windows.write("user", name, Value(text=text, expand=True))
    assert [list(values) for values in registry.scopes.values()] == before


def test_a_value_of_32767_characters_is_fine(windows: Windows) -> None:
    value = Value(text="x" * 32_767, expand=True)
    windows.write("user", "PATH", value)
    assert windows.read("user", "PATH") == value


def test_broken_characters_are_shown_but_never_rewritten(registry: FakeRegistry) -> None:
    registry.scopes["user"] = [Stored("Path", "C:\\\ud800", TEXT)]
    windows = Windows(registry, FakeApi(registry), {"CUDA_X": "\udfff"})
    assert [v.value.text for v in windows.variables() if v.scope == "process"] == ["\\udfff"]
    assert len(windows.gaps()) == 1
    with pytest.raises(Refused, match="unkeepable-characters"):
        windows.write("user", "PATH", None)


def test_a_denied_write_is_said_in_words(windows: Windows, registry: FakeRegistry) -> None:
    registry.denied = {"user"}
    with pytest.raises(Refused, match="windows-did-not-allow name=PATH"):
        windows.write("user", "PATH", None)


# The administrator's part ----------------------------------------------------------------------

BEFORE = Value(text=MACHINE_PATH, expand=True)
AFTER = Value(text="C:\\new;" + MACHINE_PATH, expand=True)


def test_a_machine_value_is_changed_after_the_question(
    windows: Windows, api: FakeApi, own_home: Path
) -> None:
    assert not windows.may_write("machine")
    windows.write("machine", "PATH", AFTER)
    assert windows.read("machine", "Path") == AFTER
    assert api.questions == 1
    assert not list(own_home.rglob("request-*"))


def test_an_administrator_is_not_asked(
    windows: Windows, api: FakeApi, registry: FakeRegistry
) -> None:
    api.administrator = True
    registry.denied = set()
    windows.write("machine", "PATH", AFTER)
    assert api.questions == 0
    assert windows.read("machine", "Path") == AFTER


def test_no_is_an_answer(windows: Windows, api: FakeApi) -> None:
    api.permits = False
    with pytest.raises(Refused, match="administrator-not-allowed"):
        windows.write("machine", "PATH", AFTER)
    assert windows.read("machine", "Path") == BEFORE


def test_a_request_exchanged_meanwhile_is_not_carried_out(windows: Windows, api: FakeApi) -> None:
    def exchange(path: str) -> None:
        request = json.loads(Path(path).read_bytes())
        request["changes"][0]["after"]["text"] = "C:\\evil;" + MACHINE_PATH
        Path(path).write_text(json.dumps(request))

    api.between = exchange
    with pytest.raises(Refused, match="administrator-did-not-accept"):
        windows.write("machine", "PATH", AFTER)
    assert windows.read("machine", "Path") == BEFORE


def test_a_value_changed_during_the_question_stays(
    windows: Windows, api: FakeApi, registry: FakeRegistry
) -> None:
    theirs = Stored("Path", MACHINE_PATH + ";C:\\theirs", EXPAND)

    def meanwhile(path: str) -> None:
        registry.scopes["machine"] = [theirs]

    api.between = meanwhile
    with pytest.raises(Refused, match="changed-meanwhile"):
        windows.write("machine", "PATH", AFTER)
    assert registry.scopes["machine"] == [theirs]


def test_nothing_that_this_account_can_write_is_run_as_administrator(
    windows: Windows, api: FakeApi
) -> None:
    api.protected = False
    more = Value(text="C:\\c")
    windows.write_machine([("PATH", AFTER), ("CUDA_PATH", more), ("CUDA_HOME", None)])
    assert windows.read("machine", "Path") == AFTER
    assert windows.read("machine", "CUDA_PATH") == more
    assert {words[0] for words in api.ran} == {"C:\\Windows\\System32\\reg.exe"}
    assert api.questions == 2
    windows.write("machine", "CUDA_PATH", None)
    assert windows.read("machine", "CUDA_PATH") is None


def test_a_variable_that_our_part_leaves_alone_is_changed_by_windows_own_program(
    windows: Windows, api: FakeApi
) -> None:
    """One for finding faults, set for everybody, which is proposed to be removed."""
    for value in (Value(text="1"), None, Value(text="1")):
        windows.write("machine", "CUDA_LAUNCH_BLOCKING", value)
        assert windows.read("machine", "CUDA_LAUNCH_BLOCKING") == value
    assert {words[0] for words in api.ran} == {"C:\\Windows\\System32\\reg.exe"}


def test_a_no_to_windows_own_program_is_an_answer(windows: Windows, api: FakeApi) -> None:
    api.protected = api.permits = False
    with pytest.raises(Refused, match="administrator-not-allowed"):
        windows.write("machine", "PATH", AFTER)
    assert windows.read("machine", "Path") == BEFORE


def test_an_installer_is_named_as_everybody_sees_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A letter for a network folder, or the Store's AppData, is a link of this person's alone."""
    started: list[Sequence[str]] = []

    def run_elevated(_api: WindowsApi, command: Sequence[str], *, shown: bool) -> int:
        started.append(command)
        return 0 if shown else 1

    monkeypatch.setattr(WindowsApi, "run_elevated", run_elevated)
    (tmp_path / "letter").symlink_to(tmp_path / "share")
    assert run_program([str(tmp_path / "letter" / "setup.exe"), "/S"]) == 0
    assert started == [[str(tmp_path / "share" / "setup.exe"), "/S"]]


def value(text: str, expand: bool = True) -> dict[str, Any]:
    return {"text": text, "expand": expand}


@pytest.mark.parametrize(
    ("name", "before", "after", "good"),
    [
        ("Path", value("C:\\a"), value("C:\\b;C:\\a"), True),
        ("CUDA_PATH", None, value("C:\\b", False), True),
        ("CUDA_PATH_V12_8", value("x"), None, True),
        ("ComSpec", value("C:\\a"), value("C:\\evil.exe"), False),
        ("PATHEXT", value("a"), value("b"), False),
        ("XCUDA_PATH", None, value("b"), False),
        ("Path", value("C:\\a"), None, False),
        ("Path", value("C:\\a"), value("C:\\a;C:\\b", False), False),
        ("Path", value("%SystemRoot%\\System32;C:\\a"), value("C:\\a"), False),
        ("Path", value("C:\\Windows\\;C:\\a"), value("c:\\windows;C:\\b"), True),
        ("Path", value('"C:\\Windows\\x";C:\\a'), value("C:\\a"), False),
        ("Path", value("%WinDir%\\System32"), value("C:\\Windows\\system32\\"), True),
        ("Path", value("C:\\WindowsKits;C:\\a"), value("C:\\a"), True),
        ("Path", value("C:\\a"), value("C:\\a\0"), False),
        ("Path", value("C:\\a"), value("x" * 32_768), False),
        ("Path", value("C:\\a"), {"text": "C:\\b"}, False),
        ("Path", value("C:\\a"), "C:\\b", False),
        (1, None, None, False),
    ],
)
def test_what_the_administrators_part_accepts(
    tmp_path: Path, name: Any, before: Any, after: Any, good: bool
) -> None:
    import hashlib

    request = tmp_path / "request"
    change = {"name": name, "before": before, "after": after}
    request.write_text(json.dumps({"changes": [change]}))
    digest = hashlib.sha256(request.read_bytes()).hexdigest()
    arguments = ["--request", str(request), "--sha256", digest]
    if good:
        assert elevated.read_request(arguments, "C:\\Windows") == [change]
    else:
        with pytest.raises(elevated._NotAccepted):
            elevated.read_request(arguments, "C:\\Windows")


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b'{"changes": []}', b"\xff", b"null"])
def test_requests_of_another_shape_are_not_accepted(tmp_path: Path, content: bytes) -> None:
    import hashlib

    (tmp_path / "r").write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    arguments = ["--request", str(tmp_path / "r"), "--sha256", digest]
    assert elevated.main(arguments) == elevated.NOT_ACCEPTED
    assert elevated.main(["--request", "x"]) == elevated.NOT_ACCEPTED


def test_the_administrators_part_takes_back_what_it_could_not_finish() -> None:
    store: dict[str, Any] = {"CUDA_PATH": value("a"), "CUDA_HOME": value("b")}

    def write(name: str, new: Any) -> None:
        if name == "CUDA_HOME":
            raise PermissionError
        store[name] = new

    changes = [
        {"name": "CUDA_PATH", "before": value("a"), "after": value("A")},
        {"name": "CUDA_HOME", "before": value("b"), "after": None},
    ]
    assert elevated.carry_out(changes, store.get, write) == elevated.TAKEN_BACK
    assert store == {"CUDA_PATH": value("a"), "CUDA_HOME": value("b")}
    assert elevated.carry_out(changes[1:], store.get, write) == elevated.NOT_ALLOWED


# A whole plan ------------------------------------------------------------------------------------


def step(scope: Scope, before: Value, after: Value) -> SetVariable:
    return SetVariable(scope=scope, name="Path", before=before, after=after)


USER_BEFORE = Value(text=r"%USERPROFILE%\bin;C:\u", expand=True)
USER_AFTER = Value(text="C:\\n;" + USER_BEFORE.text, expand=True)
PLAN = Plan(steps=(step("user", USER_BEFORE, USER_AFTER), step("machine", BEFORE, AFTER)))


def test_a_plan_there_and_back(
    windows: Windows, registry: FakeRegistry, api: FakeApi, tmp_path: Path
) -> None:
    before = {scope: list(values) for scope, values in registry.scopes.items()}
    journal = Journal(tmp_path / "journal")
    entry = apply(PLAN, windows, journal)
    assert (windows.read("user", "PATH"), windows.read("machine", "PATH")) == (USER_AFTER, AFTER)
    assert api.broadcasts == 1
    apply(undo_plan(entry, windows.read, "windows"), windows, journal)
    assert registry.scopes == before
    assert api.broadcasts == 2


def test_a_refused_question_takes_the_users_part_back(
    windows: Windows, registry: FakeRegistry, api: FakeApi, tmp_path: Path
) -> None:
    before = {scope: list(values) for scope, values in registry.scopes.items()}
    api.permits = False
    with pytest.raises(NotApplied, match="administrator-not-allowed") as caught:
        apply(PLAN, windows, Journal(tmp_path / "journal"))
    assert caught.value.as_before
    assert registry.scopes == before


def test_the_person_is_asked_once_for_all_machine_values(
    windows: Windows, registry: FakeRegistry, api: FakeApi, tmp_path: Path
) -> None:
    before = {scope: list(values) for scope, values in registry.scopes.items()}
    cuda = SetVariable(scope="machine", name="CUDA_PATH", after=Value(text="C:\\cuda"))
    journal = Journal(tmp_path / "journal")
    entry = apply(Plan(steps=(*PLAN.steps, cuda)), windows, journal)
    assert entry.states == ("done",) * 3
    assert api.questions == 1
    assert windows.read("machine", "CUDA_PATH") == Value(text="C:\\cuda")
    apply(undo_plan(entry, windows.read, "windows"), windows, journal)
    assert api.questions == 2
    assert registry.scopes == before
    api.permits = False
    with pytest.raises(NotApplied, match="administrator-not-allowed"):
        apply(Plan(steps=(*PLAN.steps, cuda)), windows, journal)
    assert registry.scopes == before


# The environment of a new program ---------------------------------------------------------------


def test_the_environment_when_windows_does_not_say_it(
    windows: Windows, registry: FakeRegistry
) -> None:
    fresh = windows.fresh_environment()
    assert fresh["PATH"] == r"%SystemRoot%\system32;C:\old;%USERPROFILE%\bin;C:\u"
    assert fresh["CUDA_PATH"] == r"C:\cuda"
    assert fresh["HOME"] == "C:\\h"
    registry.delete("user", "CUDA_PATH")
    assert "CUDA_PATH" not in windows.fresh_environment()


def test_merging_the_layers() -> None:
    machine = [
        ("Path", Value(text=r"%SystemRoot%;%CUDA%\bin", expand=True)),
        ("CUDA", Value(text=r"C:\m")),
        ("BOTH", Value(text="m")),
        ("PLAIN", Value(text="%CUDA%")),
    ]
    user = [("PATH", Value(text=r"%cuda%\u", expand=True)), ("Both", Value(text="u"))]
    assert merged(machine, user, {"SystemRoot": "C:\\W"}) == {
        "SYSTEMROOT": "C:\\W",
        "CUDA": "C:\\m",
        "BOTH": "u",
        "PLAIN": "%CUDA%",
        "PATH": r"C:\W;C:\m\bin;C:\m\u",
    }
    assert merged([], [("Path", Value(text="C:\\u"))], {})["PATH"] == "C:\\u"
    assert (
        merged([("Path", Value(text="C:\\m"))], [("Path", Value(text=""))], {})["PATH"] == "C:\\m"
    )


def test_reading_an_environment_block() -> None:
    block = ctypes.create_unicode_buffer("=C:=C:\\x\0A=1=2\0Path=C:\\\U0001f600\0EMPTY=\0\0junk")
    assert read_block(ctypes.addressof(block)) == {
        "A": "1=2",
        "Path": "C:\\\U0001f600",
        "EMPTY": "",
    }


@pytest.mark.parametrize("name", ["", "A=B", "=C:"])
def test_no_program_is_started_with_a_name_that_it_can_not_have(name):
    keys = FakeRegistry(user=[Stored(name, "x", 1), Stored("Good", "y", 1)])
    api = FakeApi(keys)
    assert Windows(keys, api, {"PATH": "z"}).fresh_environment() == {"PATH": "z", "GOOD": "y"}
