"""Changing packages of a real environment by its own pip or uv, from wheels on the disk."""

from __future__ import annotations

import json
import os
import shutil
import signal
import site
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import needs
import pytest
from test_apply import Person

from cudnn_assistant.apply import NotApplied, recover, rehearse
from cudnn_assistant.apply.environment import Installed, ask
from cudnn_assistant.apply.packages import _from_report
from cudnn_assistant.cli.changing import undo
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.compat import Compat
from cudnn_assistant.finding import Automatic, Finding, InstallPackages
from cudnn_assistant.machine import Machine, OperatingSystem, Package, PythonEnvironment, Value
from cudnn_assistant.plan import (
    InstallPackage,
    PackageChange,
    Plan,
    SetVariable,
    make_plan,
    preview,
)
from cudnn_assistant.session import Session
from cudnn_assistant.session.checkup import Checkup
from cudnn_assistant.trouble import Refused


def wheel(
    folder: Path, name: str, version: str, needs: str = "", files: Sequence[str] = ()
) -> Path:
    """A wheel of a package with nothing in it but its version; or with these files instead."""
    info = f"{name}-{version}.dist-info"
    requires = f"Requires-Dist: {needs}\n" if needs else ""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file in files or (f"{name}/__init__.py",):
            archive.writestr(file, f"version = {version!r}\n")
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    for version in ("9.10.2.21", "9.28.0.42"):
        wheel(folder, "nvidia_cudnn_cu12", version)
    wheel(folder, "nvidia_cublas_cu12", "12.9")
    wheel(folder, "needy", "1.0", needs="not-on-the-shelf")
    wheel(folder, "frame", "1.0", needs="nvidia_helper==1.0")
    wheel(folder, "frame", "2.0", needs="nvidia_helper==2.0")
    wheel(folder, "nvidia_helper", "1.0")
    wheel(folder, "nvidia_helper", "2.0", needs="nvidia_new")
    wheel(folder, "nvidia_new", "3.0")
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One environment for all tests of this file; where we have a pip, it is copied: quicker."""
    folder = tmp_path_factory.mktemp("an environment")
    ours = Path(site.getsitepackages()[0])
    without = ["--without-pip"] if (ours / "pip").is_dir() else []
    subprocess.run([sys.executable, "-m", "venv", *without, str(folder)], check=True, timeout=120)
    packages = next(folder.glob("lib/python*/site-packages"))
    for mine in ours.glob("pip*") if without else ():
        if mine.name == "pip" or mine.name.endswith(".dist-info"):
            shutil.copytree(mine, packages / mine.name)
    return str(folder / "bin" / "python")


@pytest.fixture
def python(built: str, shelf: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The environment's Python with cuDNN 9.10.2 in it; its pip is set up by the person."""
    monkeypatch.setenv("PIP_NO_COMPILE", "1")
    from_disk(monkeypatch, shelf)
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    start_over(built, shelf, "nvidia_cudnn_cu12==9.10.2.21")
    return built


def from_disk(monkeypatch: pytest.MonkeyPatch, shelf: Path) -> None:
    """pip and uv take wheels from the shelf and ask nobody. uv has no word like PIP_NO_INDEX."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("UV_OFFLINE", "1")
    for maker in ("PIP", "UV"):
        monkeypatch.setenv(f"{maker}_FIND_LINKS", str(shelf))


def by_uv(environment: Path) -> str:
    """The Python of an environment that uv makes, without pip."""
    uv = ["uv", "-q", "venv", "--python", sys.executable, str(environment)]
    subprocess.run(uv, check=True, timeout=60)
    return str(environment / "bin" / "python")


def start_over(python: str, shelf: Path, *wanted: str) -> None:
    """Unpack these wheels and no other (what pip does, without its second of time)."""
    packages = site_packages(python)
    for there in packages.iterdir():
        if not there.name.startswith("pip"):
            shutil.rmtree(there) if there.is_dir() else there.unlink()
    for text in wanted:
        name, _, version = text.partition("==")
        with zipfile.ZipFile(shelf / f"{name}-{version}-py3-none-any.whl") as archive:
            archive.extractall(packages)
            info = f"{name}-{version}.dist-info"
            names = [*archive.namelist(), f"{info}/INSTALLER"]
            (packages / info / "RECORD").write_text("".join(f"{n},,\n" for n in names))
            (packages / info / "INSTALLER").write_text("pip\n")


def site_packages(python: str) -> Path:
    return next(Path(python).parents[1].glob("lib/python*/site-packages"))


def installed(python: str) -> dict[str, str]:
    """By what lies on the disk; without pip itself."""
    names = (p.name.removesuffix(".dist-info") for p in site_packages(python).glob("*.dist-info"))
    pairs = (name.replace("_", "-").rsplit("-", 1) for name in names)
    return {name: version for name, version in pairs if name != "pip"}


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
    assert (back.requirements, back.remove, back.exact) == (
        ("nvidia_cudnn_cu12==9.10.2.21",),
        ("nvidia_cublas_cu12",),
        True,
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
    with pytest.raises(NotApplied, match="changed-meanwhile") as caught:
        person.apply(Plan(steps=(step,)))
    assert caught.value.as_before


def test_an_interpreter_that_does_not_start(person: Person, tmp_path: Path) -> None:
    for python in ("/nowhere/python", "/bin/false"):
        with pytest.raises(NotApplied, match="python-not-started"):
            person.apply(plan(python, "x==1"))


def answer(**fields: object) -> str:
    """What our question to a Python is answered with."""
    return json.dumps(
        {"python": "", "managed": False, "pip": True, "uv": False, "packages": {}} | fields
    )


def script(path: Path, text: str) -> str:
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


ODD = ("[]", "3", "null", "{}", "[" * 50_000, '{"managed": 1}', "x", "", "\\377",
       '{"python": "", "managed": false, "pip": true, "uv": 0, "packages": {}}',
       '{"python":"","managed":false,"pip":true,"uv":false,"packages":{"a":["1"]}}')  # fmt: skip


@pytest.mark.parametrize("said", ODD)
def test_an_interpreter_that_answers_something_else(tmp_path: Path, said: str) -> None:
    (tmp_path / "said").write_text(said)
    odd = tmp_path / "python"
    odd.write_text(f"#!/bin/sh\nexec cat {tmp_path}/said\n")
    odd.chmod(0o755)
    with pytest.raises(Refused, match="python-not-started"):
        ask(str(odd))


@pytest.mark.parametrize("words", ["yes {}", "yes {} & sleep 600", "tr '\\\\0' a < /dev/zero"])
def test_an_interpreter_that_never_stops_talking(tmp_path: Path, words: str) -> None:
    import resource

    endless = script(tmp_path / "python", words + "\n")
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.monotonic()
    with pytest.raises(Refused, match="python-not-started"):
        ask(endless)
    assert time.monotonic() - began < 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < 200 << 10


NAMELESS = '{"install": [{"metadata": {"name": 3, "version": "1"}}]}'


@pytest.mark.parametrize(
    "said", ['{"install": [{}]}', '{"install": 3}', "[]", "[" * 50_000, NAMELESS]
)
def test_a_report_of_pip_that_says_something_else(said: str) -> None:
    assert _from_report(said) == {}


DAMAGED = {"direct_url.json": b"\0\0", "METADATA": b"\xff\xfe"}


@pytest.mark.parametrize("part", [*DAMAGED, "left over"])
def test_what_pip_passes_over_hides_no_environment(python: str, part: str) -> None:
    def put(name: str, version: str) -> Path:
        folder = site_packages(python) / f"{name}-{version}.dist-info"
        folder.mkdir()
        text = f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n"
        (folder / "METADATA").write_text(text)
        return folder

    before = ask(python).packages
    if part == "left over":
        put("~orch", "2.8")
    else:
        (put("torch", "2.9") / part).write_bytes(DAMAGED[part])
    kind = "unknown" if part == "direct_url.json" else ""
    readable = {"torch": Installed("torch", "2.9", "", kind)} if part in DAMAGED else {}
    assert ask(python).packages == before | ({} if part == "METADATA" else readable)


def test_what_an_environment_says_at_its_start_is_no_answer(tmp_path: Path) -> None:
    noisy = tmp_path / "python"
    noisy.write_text(f'#!/bin/sh\necho "hello from sitecustomize"\nexec {sys.executable} "$@"\n')
    noisy.chmod(0o755)
    assert "msgspec" in ask(str(noisy)).packages


@needs.root
def test_root_starts_no_interpreter_of_somebody_else(tmp_path: Path) -> None:
    theirs = tmp_path / "python"
    theirs.write_text(f"#!/bin/sh\ntouch {tmp_path}/RAN\n")
    theirs.chmod(0o755)
    os.chown(theirs, 1234, 1234)
    with pytest.raises(Refused, match="python-of-others"):
        rehearse(Plan(steps=(InstallPackage(python=str(theirs), requirements=("a==1",)),)))
    assert not (tmp_path / "RAN").exists()


def test_an_environment_in_doubt_runs_nothing_before_the_yes(
    person: Person, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\ntouch {tmp_path}/RAN\n")
    python.chmod(0o755)
    step = InstallPackage(python=str(python), requirements=("a==1",))
    one = PythonEnvironment(id=str(tmp_path), python=str(python), found_via=("project",))
    machine = Machine(os=OperatingSystem(family="linux"), pythons=(one,))
    seen = Checkup(machine=machine, verdict="broken", plan=Plan(steps=(step,)))
    session = Session(person.system(), person.journal())
    assert session.rehearse(seen.plan, before=seen).steps == (step,)
    back = InstallPackage(python=str(python), requirements=("a==1",), exact=True)
    assert session.rehearse(Plan(steps=(back,), undoes="x")).steps == (back,)
    assert not (tmp_path / "RAN").exists()


def test_an_environment_that_the_system_looks_after(person: Person, tmp_path: Path) -> None:
    python = script(tmp_path / "python", f"echo '{answer(managed=True)}'\n")
    with pytest.raises(NotApplied, match="managed-environment") as caught:
        person.apply(plan(python, "x==1"))
    assert caught.value.as_before
    assert person.journal().entries() == ()


def test_stopping_puts_the_old_ones_back(person: Person, python: str) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(NotApplied, match="stopped") as caught:
        person.apply(plan(python, "nvidia-cudnn-cu12==9.28.0.42"), cancel=cancel)
    assert caught.value.as_before
    assert installed(python) == BEFORE


# What comes along ------------------------------------------------------------------------------


def test_what_comes_along_is_shown_before_and_goes_back(
    person: Person, python: str, shelf: Path
) -> None:
    start_over(python, shelf, "frame==1.0", "nvidia_helper==1.0", "nvidia_cublas_cu12==12.9")
    before = installed(python)
    asked = Plan(steps=(InstallPackage(python=python, requirements=("frame==2.0",)),))
    told = rehearse(asked)
    assert installed(python) == before, "a rehearsal changes nothing"
    (change,) = preview(told, Machine(os=OperatingSystem(family="linux")))
    assert sorted((line.sign, line.text) for line in change.lines) == [
        ("+", "frame 2.0"), ("+", "nvidia_helper 2.0"), ("+", "nvidia_new 3.0"),
        ("-", "frame 1.0"), ("-", "nvidia_helper 1.0"),
    ]  # fmt: skip
    assert "No other package changes." in change.notes

    person.apply(told)
    assert installed(python) == before | {
        "frame": "2.0", "nvidia-helper": "2.0", "nvidia-new": "3.0",
    }  # fmt: skip
    (done,) = person.journal().entries()[0].plan.steps
    assert isinstance(done, InstallPackage)
    assert done.changes == (
        PackageChange(name="frame", before="1.0", after="2.0"),
        PackageChange(name="nvidia_helper", before="1.0", after="2.0"),
        PackageChange(name="nvidia_new", after="3.0"),
    )
    person.apply(person.undo())
    assert installed(python) == before
    person.apply(person.undo())
    assert installed(python)["nvidia-new"] == "3.0", "and the undo can be undone"


def test_an_index_that_moved_on_since_it_was_asked_changes_nothing(
    person: Person, python: str, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_over(python, shelf, "frame==1.0", "nvidia_helper==1.0")
    before = installed(python)
    told = rehearse(Plan(steps=(InstallPackage(python=python, requirements=("frame==2.0",)),)))
    moved = tmp_path / "moved"
    shutil.copytree(shelf, moved)
    wheel(moved, "nvidia_new", "4.0")
    monkeypatch.setenv("PIP_FIND_LINKS", str(moved))
    with pytest.raises(NotApplied, match=r"more-would-change.*nvidia_new") as caught:
        person.apply(told)
    assert caught.value.as_before
    assert installed(python) == before


def test_a_rehearsal_that_pip_refuses(python: str) -> None:
    with pytest.raises(Refused, match="No matching distribution"):
        rehearse(plan(python, "needy"))


def test_a_pip_that_can_not_rehearse(person: Person, python: str, tmp_path: Path) -> None:
    old = script(
        tmp_path / "python",
        'case "$*" in *--dry-run*) echo "no such option: --dry-run" >&2; exit 2;; esac\n'
        f"exec '{python}' \"$@\"\n",
    )
    wanted = plan(old, "nvidia-cudnn-cu12==9.28.0.42")
    assert rehearse(wanted) == wanted
    (change,) = preview(wanted, Machine(os=OperatingSystem(family="linux")))
    assert "What these packages require may change as well." in change.notes
    person.apply(wanted)
    person.apply(person.undo())
    assert installed(python) == BEFORE


@pytest.mark.nightly
def test_what_was_installed_from_a_file_comes_back_from_it(
    person: Person, python: str, shelf: Path, tmp_path: Path
) -> None:
    own = wheel(tmp_path, "nvidia_cudnn_cu12", "9.10.2.21")
    info = site_packages(python) / "nvidia_cudnn_cu12-9.10.2.21.dist-info"
    (info / "direct_url.json").write_text(json.dumps({"url": own.as_uri(), "archive_info": {}}))
    person.apply(plan(python, "nvidia-cudnn-cu12==9.28.0.42"))
    back = person.undo()
    assert back.steps[0].requirements == (f"nvidia_cudnn_cu12 @ {own.as_uri()}",)  # type: ignore[union-attr]
    person.apply(back)
    assert installed(python) == BEFORE


@pytest.mark.parametrize("how", ["dir_info", "vcs_info"])
def test_what_was_installed_from_source_is_left_alone(
    person: Person, python: str, how: str
) -> None:
    info = site_packages(python) / "nvidia_cudnn_cu12-9.10.2.21.dist-info"
    (info / "direct_url.json").write_text(json.dumps({"url": "file:///src", how: {}}))
    with pytest.raises(NotApplied, match="installed-from-source"):
        person.apply(plan(python, "nvidia-cudnn-cu12==9.28.0.42"))
    assert installed(python) == BEFORE


# What is there but damaged -----------------------------------------------------------------------


def test_a_damaged_package_is_installed_again_and_nothing_else(
    person: Person, python: str, shelf: Path
) -> None:
    start_over(python, shelf, "frame==2.0", "nvidia_helper==1.0")
    file = site_packages(python) / "frame" / "__init__.py"
    file.unlink()
    again = Plan(steps=(InstallPackage(python=python, again=("frame==2.0",)),))
    (change,) = preview(rehearse(again), Machine(os=OperatingSystem(family="linux")))
    assert [(line.sign, line.text) for line in change.lines] == [("+", "frame==2.0")]
    person.apply(again)
    assert file.exists()
    assert installed(python) == {"frame": "2.0", "nvidia-helper": "1.0"}
    assert person.undo().steps == ()
    assert "stay" in change.notes[-1]


@pytest.mark.nightly
def test_what_has_overwritten_another_goes_first_and_comes_back(
    person: Person, python: str, shelf: Path
) -> None:
    start_over(python, shelf, "frame==2.0", "nvidia_helper==1.0", "nvidia_new==3.0")
    before = installed(python)
    one = InstallPackage(python=python, remove=("nvidia-new",), again=("frame==2.0",))
    plan = rehearse(Plan(steps=(one,)))
    (change,) = preview(plan, Machine(os=OperatingSystem(family="linux")))
    said = [(line.sign, line.text) for line in change.lines]
    assert said == [("-", "nvidia_new 3.0"), ("+", "frame==2.0")]
    person.apply(plan)
    assert installed(python) == {"frame": "2.0", "nvidia-helper": "1.0"}
    person.apply(person.undo())
    assert installed(python) == before


def undone(person: Person, name: str = "", *, dry_run: bool = False) -> int:
    """What a person types; the exit code."""
    options = Options(id=name, yes=True, dry_run=dry_run)
    return undo(Session(person.system(), person.journal()), options, Screen())


@pytest.mark.nightly
def test_what_was_put_there_anew_hides_no_older_change(
    person: Person, python: str, shelf: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    start_over(python, shelf, "frame==1.0", "nvidia_helper==1.0")
    before = installed(python)
    person.apply(Plan(steps=(InstallPackage(python=python, requirements=("nvidia-new==3.0",)),)))
    anew = person.apply(Plan(steps=(InstallPackage(python=python, again=("frame==1.0",)),)))
    assert undone(person, anew.id) == 0
    told = capsys.readouterr().out
    assert "frame==1.0" in told
    assert "another program" not in told
    assert installed(python) == before | {"nvidia-new": "3.0"}
    assert undone(person) == 0
    assert installed(python) == before
    assert "no change to take back" not in capsys.readouterr().out
    assert undone(person) == 0
    assert "no change to take back" in capsys.readouterr().out


@pytest.mark.nightly
def test_what_others_took_back_hides_no_older_change(
    person: Person, python: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    person.apply(plan(python, "nvidia-cudnn-cu12==9.28.0.42"))
    value = Value(text="/one/folder")
    setting = SetVariable(scope="user", name="CUDNN_PATH", after=value)
    person.apply(Plan(steps=(setting,)))
    person.system().write("user", "CUDNN_PATH", None)
    assert undone(person, dry_run=True) == 0
    assert undone(person) == 0
    assert "another program has changed it since" in capsys.readouterr().out
    assert installed(python) == {"nvidia-cudnn-cu12": "9.28.0.42"}
    assert undone(person) == 0
    assert installed(python) == BEFORE


def test_an_empty_environment_is_as_empty_again(
    person: Person, python: str, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_over(python, shelf)
    packages = site_packages(python)
    (packages / "nvidia" / "of_another").mkdir(parents=True)
    (packages / "nvidia" / "of_another" / "it.so").touch()
    spaced = wheel(
        tmp_path, "deep_parts", "1.0", files=("spaced/deep/lib/it.so", "nvidia/deep/it.so")
    )
    before = sorted(packages.rglob("*"))
    person.apply(
        Plan(
            steps=(
                InstallPackage(python=python, requirements=(f"deep_parts @ {spaced.as_uri()}",)),
            )
        )
    )
    assert (packages / "spaced" / "deep" / "lib" / "it.so").exists()
    person.apply(person.undo())
    assert sorted(packages.rglob("*")) == before


@pytest.mark.nightly
def test_an_environment_that_was_removed_since_needs_no_way_back(
    person: Person, python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    whole = Path(python).parents[1]
    lent = tmp_path / "lent"
    shutil.copytree(whole, lent, symlinks=True)
    person.apply(plan(str(lent / "bin" / "python"), "nvidia-cudnn-cu12==9.28.0.42"))
    shutil.rmtree(lent)
    assert undone(person) == 0
    assert not lent.exists()
    assert "taken back" in capsys.readouterr().out
    with pytest.raises(NotApplied, match="python-not-started"):
        person.apply(plan(str(lent / "bin" / "python"), "nvidia-cudnn-cu12==9.28.0.42"))


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
@pytest.mark.parametrize("place", ["from here", "empty", "shared file", "shared folder", "another"])
def test_a_uv_that_others_could_have_put_there_is_not_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir(mode=0o755)
    planted = Path(script(folder / "uv", f"touch '{tmp_path}/started'\n"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(folder)
    path = {"from here": ".", "empty": ""}.get(place, str(folder))
    monkeypatch.setenv("PATH", f"{path}:/usr/bin:/bin")
    if place == "shared file":
        planted.chmod(0o777)
    if place == "shared folder":
        folder.chmod(0o777)
    if place == "another":
        if os.getuid():
            pytest.skip("needs root")
        os.chown(planted, 12345, 12345)
    python = script(tmp_path / "python", f"echo '{answer(pip=False)}'\n")
    with pytest.raises(Refused, match="no-pip"):
        rehearse(Plan(steps=(InstallPackage(python=python, requirements=("one==1",)),)))
    assert not (tmp_path / "started").exists()


def test_the_persons_own_uv_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / ".local" / "bin"
    own.mkdir(parents=True)
    script(own / "uv", f"touch '{tmp_path}/started'\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", ".::/usr/bin:/bin")
    python = script(tmp_path / "python", f"echo '{answer(pip=False)}'\n")
    rehearse(Plan(steps=(InstallPackage(python=python, requirements=("one==1",)),)))
    assert (tmp_path / "started").exists()


def finding(code: str, python: str, *requirements: str) -> Finding:
    edit = InstallPackages(python=python, requirements=requirements)
    return Finding(code=code, severity="error", remedy=Automatic(edits=(edit,)))


def test_damage_means_again_and_another_version_means_another() -> None:
    environment = PythonEnvironment(
        id="/env", python="/env/bin/python",
        packages=(Package(name="nvidia-cudnn-cu12", version="9.10.2.21"),),
    )  # fmt: skip
    machine = Machine(os=OperatingSystem(family="linux"), pythons=(environment,))
    compat = Compat(version=1, published="2026-01-01")
    wishes = [
        finding("cudnn-damaged", "/env/bin/python", "nvidia_cudnn_cu12==9.10.2.21"),
        finding("package-incomplete", "/env/bin/python", "nvidia-cublas-cu12==12.9"),
    ]
    (step,) = make_plan(wishes, machine, compat).steps
    assert isinstance(step, InstallPackage)
    assert step.again == ("nvidia_cudnn_cu12==9.10.2.21",)
    assert step.requirements == ("nvidia-cublas-cu12==12.9",)
    newer = finding("framework-wants-other", "/env/bin/python", "nvidia-cudnn-cu12>=9")
    (step,) = make_plan([newer], machine, compat).steps
    assert isinstance(step, InstallPackage)
    assert (step.again, step.requirements) == ((), ("nvidia-cudnn-cu12>=9",))


# uv's own environments --------------------------------------------------------------------------


@needs.programs("uv")
def test_an_environment_of_uv_is_changed_by_uv(
    person: Person, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_disk(monkeypatch, shelf)
    python = by_uv(tmp_path / "env")
    start_over(python, shelf, "frame==1.0", "nvidia_helper==1.0")
    before = installed(python)
    told = rehearse(Plan(steps=(InstallPackage(python=python, requirements=("frame==2.0",)),)))
    (step,) = told.steps
    assert isinstance(step, InstallPackage)
    assert {(c.name.replace("_", "-"), c.before, c.after) for c in step.changes or ()} == {
        ("frame", "1.0", "2.0"), ("nvidia-helper", "1.0", "2.0"), ("nvidia-new", "", "3.0"),
    }  # fmt: skip
    person.apply(told)
    assert installed(python)["frame"] == "2.0"
    person.apply(person.undo())
    assert installed(python) == before
    (site_packages(python) / "frame" / "__init__.py").unlink()
    person.apply(Plan(steps=(InstallPackage(python=python, again=("frame==1.0",)),)))
    assert (site_packages(python) / "frame" / "__init__.py").exists()
    assert installed(python) == before


def test_without_pip_and_without_uv(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = script(tmp_path / "python", f"echo '{answer(pip=False)}'\n")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotApplied, match="no-pip"):
        person.apply(plan(python, "x==1"))


# Killed and stopped ------------------------------------------------------------------------------


def waiting_pip(folder: Path, python: str, before: str = "", after: str = "") -> str:
    """The environment's Python, whose pip waits for the file "go" before or after it installs."""
    wait = f"touch '{folder}/here'; while [ ! -e '{folder}/go' ]; do sleep 0.02; done"
    return script(
        folder / "python",
        f"""case "$*" in
        *--dry-run*|*" --no-deps "*) ;;
        *" install "*) {wait if before else ":"}; {before or ":"}
           '{python}' "$@"; {wait if after else ":"}; exit;;
        esac
        exec '{python}' "$@"
        """,
    )


def kill_while(act: Callable[[], object], here: Path) -> None:
    """SIGKILL a process that does ``act``, when that file appears."""
    child = os.fork()
    if not child:
        act()
        os._exit(0)
    while not here.exists():
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


@pytest.mark.parametrize(
    ("before", "after"),
    [("exit 1", ""), ("true", ""), ("", "true")],
    ids=["pip never began", "pip went on alone", "pip was ready"],
)
def test_a_kill_in_the_middle_offers_the_way_back(
    person: Person, python: str, tmp_path: Path, before: str, after: str
) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    waiting = waiting_pip(folder, python, before, after)
    change = PackageChange(name="nvidia_cudnn_cu12", before="9.10.2.21", after="9.28.0.42")
    step = plan(waiting, "nvidia-cudnn-cu12==9.28.0.42").steps[0]
    wanted = Plan(steps=(msgspec.structs.replace(step, changes=(change,)),))
    kill_while(lambda: person.apply(wanted), folder / "here")
    assert recover(person.journal(), person.system()) is None, "pip outlived its parent"
    (folder / "go").touch()
    back = None
    while back is None:
        time.sleep(0.02)
        back = recover(person.journal(), person.system())
    person.apply(back)
    assert installed(python) == BEFORE
    assert person.journal().unfinished() == ()


def test_stopping_in_the_middle(person: Person, python: str, tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    waiting = waiting_pip(folder, python, after="true")
    cancel = threading.Event()

    def stop() -> None:
        while not (folder / "here").exists():
            time.sleep(0.02)
        cancel.set()

    stopping = threading.Thread(target=stop)
    stopping.start()
    with pytest.raises(NotApplied, match="stopped") as caught:
        person.apply(plan(waiting, "nvidia-cudnn-cu12==9.28.0.42"), cancel=cancel)
    stopping.join()
    assert caught.value.as_before
    assert installed(python) == BEFORE


def test_a_pip_that_outlives_us_is_waited_for(person: Person, tmp_path: Path) -> None:
    python = script(
        tmp_path / "python",
        f"""if [ "$1" = -c ]; then echo '{answer()}'; exit; fi\n"""
        """case "$*" in *--dry-run*) echo '{"install": [{"metadata":'"""
        """' {"name": "x", "version": "1"}}]}'; exit;; esac\n"""
        f"touch '{tmp_path}/started'; while [ ! -e '{tmp_path}/end' ]; do sleep 0.05; done\n",
    )
    kill_while(lambda: person.apply(plan(python, "x==1")), tmp_path / "started")
    assert recover(person.journal(), person.system()) is None
    with pytest.raises(NotApplied, match="another-window"):
        person.apply(Plan())
    (tmp_path / "end").touch()
    back = None
    while back is None:
        time.sleep(0.02)
        back = recover(person.journal(), person.system())
    assert [type(step) for step in back.steps] == [InstallPackage]
