"""NVIDIA's real DLLs, laid out on a Windows disk as installers, zips, toolkits and wheels do it.

The disk is read here on Linux, through the same code that reads a real one.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from real_wheels import FOLDER, WINDOWS, libraries, needs_wheels

from cudnn_assistant.machine import PythonEnvironment
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import copies, folders, search, toolkits
from cudnn_assistant.probe.libraries.owners import Records

pytestmark = needs_wheels
VERSION, CUDA = "9.13.0.50", 13
PROGRAMS = "C/Program Files"
NVIDIA = f"{PROGRAMS}/NVIDIA/CUDNN"
KITS = f"{PROGRAMS}/NVIDIA GPU Computing Toolkit/CUDA"
SITE = "C/ai/venv/Lib/site-packages"


def lay(target: Path) -> None:
    """The wheel's DLLs in another folder, without a second gigabyte where that can be had."""
    target.mkdir(parents=True)
    for file in libraries(WINDOWS).glob("*.dll"):
        try:
            os.link(file, target / file.name)
        except OSError:
            shutil.copy(file, target / file.name)


def look(root: Path, path: str = ""):
    disk = Disk("windows", str(root))
    environment = {"ProgramW6432": r"C:\Program Files", "PATH": path}
    kits = toolkits.toolkits(disk, environment)
    searched = search.order(disk, environment, ())
    python = PythonEnvironment(
        id=r"C:\ai\venv", kind="venv", sites=(r"C:\ai\venv\Lib\site-packages",)
    )
    candidates = [
        *folders.of_system(disk, environment, (), searched, kits, ()),
        *folders.of_environments(disk, [python]),
    ]
    opened = copies.open_folders(disk, candidates)
    return kits, copies.copies(disk, opened, {}, Records(disk))


@pytest.mark.parametrize(
    ("below", "via"),
    [
        (f"{NVIDIA}/v9.13/bin/13.0", "installer"),
        (f"{NVIDIA}/v9.13/bin/13.0/x64", "installer"),
        (f"{NVIDIA}/v9.13/bin", "installer"),
        (f"{KITS}/v13.0/bin/x64", "toolkit"),
        (f"{KITS}/v13.0/bin", "toolkit"),
    ],
)
def test_where_installers_put_it(tmp_path, below, via):
    (tmp_path / f"{KITS}/v13.0").mkdir(parents=True)
    (tmp_path / f"{KITS}/v13.0/version.json").write_text('{"cuda": {"version": "13.0.2"}}')
    lay(tmp_path / below)
    (kit,), (copy,) = look(tmp_path)
    assert kit.version == "13.0.2"
    assert copy.folder == "C:" + below.removeprefix("C").replace("/", "\\")
    assert (copy.version, copy.cuda_major, copy.architecture) == (VERSION, CUDA, "x86_64")
    assert (copy.damaged, copy.found_via) == ((), (via,))
    # The real graph and heuristic libraries have no version resource.
    assert {p.version for p in copy.parts if p.name not in ("graph", "heuristic")} == {VERSION}


def test_an_unpacked_zip_on_path_and_beside_it_a_wheel(tmp_path):
    zipped = "D/cudnn-windows-x86_64-9.13.0.50_cuda13-archive/bin/x64"
    lay(tmp_path / zipped)
    lay(tmp_path / SITE / "nvidia/cudnn/bin")
    record = next((FOLDER / WINDOWS).glob("*.dist-info"))
    shutil.copytree(record, tmp_path / SITE / record.name)
    folder = "D:" + zipped.removeprefix("D").replace("/", "\\")
    _, (on_path, wheel) = look(tmp_path, f'"{folder}";;C:\\gone')
    assert (on_path.folder, on_path.cuda_major, on_path.found_via) == (
        folder,
        CUDA,
        ("PATH", "default"),
    )
    assert (wheel.environment, wheel.package_version) == (r"C:\ai\venv", VERSION)
    assert wheel.owner == f"nvidia-cudnn-cu13 {VERSION}"
    assert (on_path.damaged, wheel.damaged) == ((), ())


@pytest.mark.parametrize(
    ("part", "spoil", "state"),
    [
        ("cnn", Path.unlink, "missing"),
        ("ops", lambda file: cut(file, 0.6), "truncated"),
        ("engines_precompiled", lambda file: cut(file, 0), "empty"),
    ],
)
def test_a_real_dll_that_was_harmed(tmp_path, part, spoil, state):
    lay(tmp_path / f"{NVIDIA}/v9.13/bin/13.0")
    spoil(tmp_path / f"{NVIDIA}/v9.13/bin/13.0/cudnn_{part}64_9.dll")
    _, (copy,) = look(tmp_path)
    assert [(p.name, p.state) for p in copy.damaged] == [(part, state)]


def cut(file: Path, share: float) -> None:
    """The first part of a file alone; the wheel's own, which may be the same file, stays whole."""
    with file.open("rb") as whole:
        start = whole.read(int(file.stat().st_size * share))
    file.unlink()
    file.write_bytes(start)
