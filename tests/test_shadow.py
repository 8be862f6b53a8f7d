"""The shadow of an environment: what its programs would find, while the environment stays."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec
import needs
import pytest
from test_apply import Person
from test_packages import (
    BEFORE,
    built,
    by_uv,
    from_disk,
    installed,
    plan,
    python,
    shelf,
    site_packages,
    start_over,
)

from cudnn_assistant import places
from cudnn_assistant.apply import NotApplied
from cudnn_assistant.machine import Value
from cudnn_assistant.plan import Plan, SetVariable
from cudnn_assistant.trouble import Refused

__all__ = ["built", "python", "shelf"]
"""Fixtures: a real environment with its pip, and wheels on the disk."""
NEW = "nvidia-cudnn-cu12==9.28.0.42"
ASK = """
import importlib.metadata as m, json, sys, nvidia_cudnn_cu12 as c
print(json.dumps([m.version("nvidia-cudnn-cu12"), c.version, sys.prefix, c.__file__]))
"""


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def tried_by(person: Person, wanted: Plan, seen: list[str], *, helps: bool) -> None:
    """Apply a plan; ``seen`` gets what the interpreter of the shadow said of itself."""

    def rehearse(given: Plan, staged: dict[int, str]) -> Plan:
        (root,) = staged.values()
        ended = subprocess.run([f"{root}/bin/python", "-c", ASK], capture_output=True, text=True)
        seen.extend([root, ended.stdout or ended.stderr])
        if not helps:
            raise Refused("rehearsal-stopped")
        return given

    person.apply(wanted, rehearse=rehearse)


def test_a_shadow_has_the_new_packages_and_the_rest_of_its_environment(
    person: Person, python: str
) -> None:
    folder = site_packages(python) / "frame" / "lib"
    folder.mkdir(parents=True)
    (folder / "libframe.so").write_bytes(b"x")
    seen: list[str] = []
    with pytest.raises(NotApplied, match="rehearsal-stopped") as caught:
        tried_by(person, plan(python, NEW), seen, helps=False)
    root, said = seen
    version, own, prefix, file = msgspec.json.decode(said)
    assert (version, own, prefix) == ("9.28.0.42", "9.28.0.42", root)
    assert file.startswith(root)
    assert caught.value.as_before
    assert installed(python) == BEFORE
    assert not os.path.exists(root), "nothing is left of it"


@needs.programs("uv")
def test_uv_fills_the_shadow_of_an_environment_without_pip(
    person: Person, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_disk(monkeypatch, shelf)
    python = by_uv(tmp_path / "env")
    start_over(python, shelf, "nvidia_cudnn_cu12==9.10.2.21")
    seen: list[str] = []
    tried_by(person, plan(python, NEW), seen, helps=True)
    root, said = seen
    version, own, prefix, _file = msgspec.json.decode(said)
    assert (version, own, prefix) == ("9.28.0.42", "9.28.0.42", root)
    assert installed(python) == {"nvidia-cudnn-cu12": "9.28.0.42"}


def test_folders_are_real_so_that_the_loader_stays_in_the_shadow(
    person: Person, python: str
) -> None:
    folder = site_packages(python) / "frame" / "lib"
    folder.mkdir(parents=True)
    (folder / "libframe.so").write_bytes(b"x")
    found: list[bool] = []

    def rehearse(given: Plan, staged: dict[int, str]) -> Plan:
        here = site_packages(f"{staged[0]}/bin/python") / "frame" / "lib"
        found.append(here.is_dir() and not here.is_symlink() and not here.parent.is_symlink())
        found.append((here / "libframe.so").is_symlink())
        found.append(os.path.isfile(here / ".." / ".." / "nvidia_cudnn_cu12" / "__init__.py"))
        return given

    person.apply(plan(python, NEW), rehearse=rehearse)
    assert found == [True] * 3
    assert installed(python)["nvidia-cudnn-cu12"] == "9.28.0.42"


def test_what_helps_is_installed(person: Person, python: str) -> None:
    seen: list[str] = []
    tried_by(person, plan(python, NEW), seen, helps=True)
    assert installed(python)["nvidia-cudnn-cu12"] == "9.28.0.42"
    assert not (places.own_libraries().parent / "shadow").exists()


def test_settings_are_tried_before_they_are_stored(person: Person) -> None:
    before = person.files()
    step = SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/opt/cuda"))

    def rehearse(_given: Plan, staged: dict[int, str]) -> Plan:
        assert staged == {}
        assert person.files() == before
        raise Refused("rehearsal-stopped")

    with pytest.raises(NotApplied, match="rehearsal-stopped"):
        person.apply(Plan(steps=(step,)), rehearse=rehearse)
    assert person.files() == before
