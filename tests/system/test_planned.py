"""A system as it would be: the same that a program gets once the values are really stored."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_registry import FakeRegistry
from test_windows import FakeApi

from cudnn_assistant.machine import Scope, Value
from cudnn_assistant.system import System
from cudnn_assistant.system.linux import Linux
from cudnn_assistant.system.planned import Planned
from cudnn_assistant.system.windows import Windows
from cudnn_assistant.system.windows_registry import EXPAND, TEXT

Wish = tuple[Scope, str, Value | None]


def linux(home: Path, **environment: str) -> Linux:
    config = str(home / ".config" / "cudnn-assistant")
    known = {"HOME": str(home), "SHELL": "/bin/bash", **environment}
    return Linux(known, home=str(home), config=config, etc=str(home / "etc"))


def windows() -> Windows:
    registry = FakeRegistry()
    registry.set("machine", "Path", r"%SystemRoot%\system32;C:\old", EXPAND)
    registry.set("machine", "CUDA_PATH", r"C:\m", TEXT)
    registry.set("user", "Path", r"%USERPROFILE%\bin;C:\u", EXPAND)
    environment = {"SystemRoot": "C:\\W", "USERPROFILE": "C:\\h", "Path": "C:\\start"}
    return Windows(registry, FakeApi(registry), environment)


def same_as_written(system: System, *wishes: Wish) -> None:
    thought = Planned(system, {(scope, name): value for scope, name, value in wishes})
    before = system.fresh_environment()
    planned, layers = thought.fresh_environment(), {*thought.variables()}
    assert system.fresh_environment() == before, "nothing is written"
    for scope, name, value in wishes:
        system.write(scope, name, value)
    assert planned == system.fresh_environment()
    assert layers == {*system.variables()}


@pytest.mark.parametrize("listed", ["", "/x:/y", "/opt/ours:/x", ":/x:"])
def test_linux_with_a_folder_more_and_less(tmp_path: Path, listed: str) -> None:
    environment = {"LD_LIBRARY_PATH": listed} if listed else {}
    more = Value(text="/opt/new:/opt/ours")
    same_as_written(linux(tmp_path, **environment), ("user", "LD_LIBRARY_PATH", more))
    there = linux(tmp_path, **environment)
    same_as_written(there, ("user", "LD_LIBRARY_PATH", Value(text="/opt/ours")))
    same_as_written(there, ("user", "LD_LIBRARY_PATH", None))


def test_linux_with_what_others_have_set(tmp_path: Path) -> None:
    (tmp_path / ".bashrc").write_text("export CUDA_HOME=/x\nexport LD_LIBRARY_PATH=/stub:/y\n")
    there = linux(tmp_path, CUDA_HOME="/x", LD_LIBRARY_PATH="/stub:/y")
    same_as_written(there, ("user", "CUDA_HOME", Value(text="", gone=True)))
    same_as_written(there, ("user", "LD_LIBRARY_PATH", Value(text="-/stub")))


def test_linux_with_a_single_value(tmp_path: Path) -> None:
    there = linux(tmp_path, CUDA_HOME="/usr/local/cuda")
    same_as_written(there, ("user", "CUDA_PATH", Value(text="/opt/cuda")))
    same_as_written(there, ("user", "CUDA_PATH", None))


@pytest.mark.parametrize("scope", ["user", "machine"])
def test_windows_with_a_folder_more(monkeypatch: pytest.MonkeyPatch, scope: Scope) -> None:
    there = windows()
    monkeypatch.setattr(there, "may_write", lambda _scope: True)
    old = there.read(scope, "Path")
    assert old is not None
    first = Value(text=r"C:\new;" + old.text, expand=True)
    same_as_written(there, (scope, "Path", first))


def test_windows_with_a_value_of_the_person_s_and_without_it() -> None:
    there = windows()
    same_as_written(there, ("user", "CUDA_PATH", Value(text=r"C:\u")))
    same_as_written(there, ("user", "CUDA_PATH", None))
    assert there.fresh_environment()["CUDA_PATH"] == r"C:\m"
