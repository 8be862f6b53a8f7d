"""What lies in our own folder: listed with who uses it, removed as a plan with a way back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_archives import pack

from cudnn_assistant import places
from cudnn_assistant.apply import apply
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Machine, OperatingSystem, Value, Variable
from cudnn_assistant.plan import (
    Download,
    InstallArchive,
    Plan,
    RemoveArchive,
    SetVariable,
    naming,
    removal_plan,
)
from cudnn_assistant.session.own_copies import copies
from cudnn_assistant.system.linux import Linux


def ca(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cudnn_assistant", *words],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def made(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """cuDNN in our own folder, on the search path, and another folder beside it."""
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(prepared))
    folder = str(places.own_libraries() / "cudnn-9.28.0-cuda12")
    step = InstallArchive(
        product="cuDNN", version="9.28.0", cuda_major=12, download=pack(prepared),
        folder=folder, search=f"{folder}/lib",
    )  # fmt: skip
    variable = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text=step.search))
    plan = Plan(steps=(step, variable))
    apply(plan, Linux(), Journal(places.journal()))
    foreign = places.own_libraries() / "by hand"
    foreign.mkdir()
    (foreign / "file").write_bytes(b"x" * 1000)
    return plan


def test_a_folder_whose_name_is_no_text_is_listed(own_home: Path) -> None:
    odd = os.fsencode(places.own_libraries()) + b"/cudnn-\xff-cuda12"
    os.makedirs(odd)
    (one,) = json.loads(ca("installed", "--json").stdout)
    assert one["folder"].endswith("/cudnn-\\xff-cuda12")


def test_it_is_listed_with_who_uses_it(made: Plan) -> None:
    shown = ca("installed").stdout
    assert "cuDNN 9.28.0" in shown
    assert "named in: LD_LIBRARY_PATH (of the account)" in shown
    assert "used by: programs that take cuDNN from the system" in shown
    assert "unknown to the journal" in shown
    foreign, ours = json.loads(ca("installed", "--json").stdout)
    assert (foreign["size"], foreign["variables"], foreign["subjects"]) == (1000, [], [])
    assert ours["size"] == sum(
        path.stat().st_size for path in Path(ours["folder"]).rglob("*") if path.is_file()
    )


def test_nothing_is_said_to_be_nothing() -> None:
    assert "Nothing is installed in" in ca("installed").stdout
    assert json.loads(ca("installed", "--json").stdout) == []


def test_removed_and_brought_back(made: Plan) -> None:
    step = made.steps[0]
    assert isinstance(step, InstallArchive)
    asked = ca("installed", "--remove", os.path.basename(step.folder))
    assert asked.returncode == 1
    assert "Used at present" in asked.stdout
    assert os.path.isdir(step.folder)
    done = ca("installed", "--remove", step.folder, "--yes")
    assert done.returncode == 0, done.stderr
    assert not os.path.exists(step.folder)
    assert Linux().read("user", "LD_LIBRARY_PATH") is None
    back = ca("undo", "--yes")
    assert back.returncode == 0, back.stderr
    assert os.path.isdir(step.search)
    assert Linux().read("user", "LD_LIBRARY_PATH") == Value(text=step.search)


def test_what_is_not_ours_stays(made: Plan) -> None:
    foreign = places.own_libraries() / "by hand"
    told = ca("installed", "--remove", str(foreign), "--yes")
    assert told.returncode == 2
    assert "was not made by this program" in told.stderr
    assert foreign.is_dir()
    for name in ("/usr/lib", "..", "nothing"):
        assert ca("installed", "--remove", name, "--yes").returncode == 2


def test_what_is_in_the_making_is_no_copy(tmp_path: Path) -> None:
    for name in ("a.making", "a.removed", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("x")
    machine = Machine(os=OperatingSystem(family="linux"))
    assert [os.path.basename(copy.folder) for copy in copies(str(tmp_path), {}, machine)] == ["b"]


def test_on_windows_both_scopes_are_cleared() -> None:
    folder = r"C:\Users\me\AppData\Local\cuDNN Assistant\libraries\cudnn-9.28.0-cuda12"
    text = rf"C:\a;{folder}\bin\;%SystemRoot%"
    machine = Machine(
        os=OperatingSystem(family="windows"),
        variables=(
            Variable(scope="user", name="Path", value=Value(text=text, expand=True)),
            Variable(scope="machine", name="Path", value=Value(text=text.upper(), expand=True)),
            Variable(scope="machine", name="CUDNN_PATH", value=Value(text=folder)),
            Variable(scope="user", name="X", value=Value(text=folder + "-other")),
        ),
    )
    archive = InstallArchive(
        product="cuDNN", version="9.28.0", cuda_major=12, folder=folder, search=folder + r"\bin",
        download=Download(url="https://x", size=1, sha256="0" * 64),
    )  # fmt: skip
    plan = removal_plan(archive, machine)
    changed = [s for s in plan.steps if isinstance(s, SetVariable)]
    assert [(s.scope, s.after) for s in changed] == [
        ("user", Value(text=r"C:\a;%SystemRoot%", expand=True)),
        ("machine", Value(text=r"C:\A;%SYSTEMROOT%", expand=True)),
    ]
    assert isinstance(plan.steps[-1], RemoveArchive)
    assert [v.name for v in naming(folder, machine)] == ["Path", "Path", "CUDNN_PATH"]
