"""Changing packages of a real environment by its own pip, from wheels on the disk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import pytest
from test_apply import Person, killed

from cudnn_assistant.apply import NotApplied, recover
from cudnn_assistant.machine import Package
from cudnn_assistant.plan import InstallPackage, Plan


def wheel(folder: Path, name: str, version: str, needs: str = "") -> None:
    """A wheel of a package with nothing in it but its version."""
    info = f"{name}-{version}.dist-info"
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}/__init__.py", f"version = {version!r}\n")
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    for version in ("9.10.2.21", "9.28.0.42"):
        wheel(folder, "nvidia_cudnn_cu12", version)
    wheel(folder, "nvidia_cublas_cu12", "12.9")
    wheel(folder, "needy", "1.0", needs="not-on-the-shelf")
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One environment for all tests of this file: making one takes seconds."""
    folder = tmp_path_factory.mktemp("an environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, timeout=120)
    return str(folder / "bin" / "python")


@pytest.fixture
def python(built: str, shelf: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment's Python with cuDNN 9.10.2 in it; its pip is set up by the person."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    pip = [built, "-m", "pip", "-q", "--disable-pip-version-check"]
    old = "nvidia-cudnn-cu12==9.10.2.21"
    subprocess.run([*pip, "install", old], check=True, timeout=120)
    subprocess.run([*pip, "uninstall", "-y", "nvidia-cublas-cu12", "needy"], timeout=120,
                   capture_output=True)  # fmt: skip
    return built


def installed(python: str) -> dict[str, str]:
    query = (
        "import importlib.metadata as m;"
        "print([(d.metadata['Name'].replace('_', '-'), d.version) for d in m.distributions()])"
    )
    done = subprocess.run([python, "-I", "-c", query], capture_output=True, text=True, timeout=60)
    found = dict(eval(done.stdout))
    return {name: version for name, version in found.items() if "nvidia" in name or name == "needy"}


BEFORE = {"nvidia-cudnn-cu12": "9.10.2.21"}


def plan(python: str, *requirements: str) -> Plan:
    before = (Package(name="nvidia-cudnn-cu12", version="9.10.2.21"),)
    return Plan(steps=(InstallPackage(python=python, requirements=requirements, before=before),))


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def test_there_and_back(person: Person, python: str) -> None:
    wanted = ("nvidia-cudnn-cu12==9.28.0.42", "nvidia_cublas-cu12==12.9")
    person.apply(plan(python, *wanted))
    assert installed(python) == {"nvidia-cudnn-cu12": "9.28.0.42", "nvidia-cublas-cu12": "12.9"}
    (back,) = person.undo().steps
    assert isinstance(back, InstallPackage)
    assert (back.requirements, back.remove) == (
        ("nvidia-cudnn-cu12==9.10.2.21",),
        ("nvidia-cublas-cu12",),
    )
    person.apply(person.undo())
    assert installed(python) == BEFORE


def test_pip_says_no(person: Person, python: str) -> None:
    with pytest.raises(NotApplied, match="No matching distribution") as caught:
        person.apply(plan(python, "nvidia-cudnn-cu12==9.28.0.42", "needy"))
    assert caught.value.as_before
    assert installed(python) == BEFORE


def test_a_package_that_changed_since_the_look(person: Person, python: str) -> None:
    changed = Package(name="nvidia-cudnn-cu12", version="9.9.9")
    step = InstallPackage(
        python=python, requirements=("nvidia-cudnn-cu12==9.28.0.42",), before=(changed,)
    )
    with pytest.raises(NotApplied, match="changed by another program") as caught:
        person.apply(Plan(steps=(step,)))
    assert caught.value.as_before


def test_an_interpreter_that_does_not_start(person: Person, tmp_path: Path) -> None:
    for python in ("/nowhere/python", "/bin/false"):
        with pytest.raises(NotApplied, match="could not be started"):
            person.apply(plan(python, "x==1"))


def test_an_environment_that_the_system_looks_after(person: Person, tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text('#!/bin/sh\necho \'{"managed": true, "pip": true, "packages": {}}\'\n')
    script.chmod(0o755)
    with pytest.raises(NotApplied, match="belongs to the system"):
        person.apply(plan(str(script), "x==1"))


def test_stopping_puts_the_old_ones_back(person: Person, python: str) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(NotApplied, match="Stopped, as you wished") as caught:
        person.apply(plan(python, "nvidia-cudnn-cu12==9.28.0.42"), cancel=cancel)
    assert caught.value.as_before
    assert installed(python) == BEFORE


def test_a_kill_in_the_middle_offers_the_way_back(person: Person, python: str) -> None:
    wanted = plan(python, "nvidia-cudnn-cu12==9.28.0.42")
    number = 4
    offered = 0
    while killed(person, lambda: person.apply(wanted), number):
        back = recover(person.journal(), person.system())
        while back is None and person.journal().unfinished():
            # pip outlived its parent, and holds the lock as long as it works.
            time.sleep(0.02)
            back = recover(person.journal(), person.system())
        if back is not None:
            offered += 1
            person.apply(back)
        if installed(python) != BEFORE:
            person.apply(person.undo())
        assert installed(python) == BEFORE
        number += 2
    assert offered


def test_a_pip_that_outlives_us_is_waited_for(person: Person, tmp_path: Path) -> None:
    script = tmp_path / "python"
    script.write_text(
        "#!/bin/sh\n"
        """if [ "$1" = -c ]; then\n"""
        """  echo '{"managed": false, "pip": true, "packages": {}}'; exit\nfi\n"""
        f"touch '{tmp_path}/started'; while [ ! -e '{tmp_path}/end' ]; do sleep 0.05; done\n"
    )
    script.chmod(0o755)
    child = os.fork()
    if not child:
        person.apply(plan(str(script), "x==1"))
        os._exit(0)
    while not (tmp_path / "started").exists():
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert recover(person.journal(), person.system()) is None
    with pytest.raises(NotApplied, match="Another window"):
        person.apply(Plan())
    (tmp_path / "end").touch()
    back = None
    while back is None:
        time.sleep(0.02)
        back = recover(person.journal(), person.system())
    assert [type(step) for step in back.steps] == [InstallPackage]
