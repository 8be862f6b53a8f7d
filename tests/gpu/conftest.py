"""A real GPU and a real cuDNN of this machine; each outcome is written down for people to read."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from cudnn_assistant.machine import Trial

_told: list[str] = []


def copies() -> list[Path]:
    """Folders with a cuDNN: CUDNN_FOLDER, else the wheels of the interpreter's own packages."""
    if named := os.environ.get("CUDNN_FOLDER"):
        return [Path(named)]
    found = (Path(entry) / "nvidia" / "cudnn" / "lib" for entry in sys.path)
    return [folder for folder in found if list(folder.glob("libcudnn.so.[89]"))]


@pytest.fixture(scope="session")
def copy() -> Path:
    found = copies()
    if not found:
        pytest.skip("no cuDNN on this machine: name its folder in CUDNN_FOLDER")
    return found[0]


@pytest.fixture(scope="session")
def folders(copy) -> list[str]:
    """The library folders of the environment that the copy lies in."""
    packages = copy.parent.parent
    return [str(copy), *(str(f) for f in sorted(packages.glob("*/lib")) if f != copy)]


@pytest.fixture
def bare(monkeypatch) -> dict[str, str]:
    """The environment of the person, without any search path."""
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    return dict(os.environ)


@pytest.fixture
def changed(copy, tmp_path):
    """Makes a copy with one part changed, beside links to what lies beside the real one."""

    def make(part: str, how: str) -> Path:
        packages = tmp_path / "nvidia"
        folder = packages / "cudnn" / "lib"
        folder.mkdir(parents=True)
        for package in copy.parent.parent.iterdir():
            if package.is_dir() and package.name != "cudnn":
                (packages / package.name).symlink_to(package)
        for file in copy.glob("lib*"):
            name = file.name.removeprefix("libcudnn").removeprefix("_").split(".")[0]
            if name != part:
                lay(file, folder / file.name)
            elif how == "empty":
                (folder / file.name).touch()
            elif how == "cut":
                with file.open("rb") as whole:
                    (folder / file.name).write_bytes(whole.read(file.stat().st_size * 6 // 10))
            elif how == "swapped":
                shutil.copy(Path(os.environ["CUDNN_OTHER"]) / file.name, folder / file.name)
        return folder

    return make


def lay(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        target.symlink_to(source)


@pytest.fixture
def told(request):
    """Writes a trial down and hands it on."""

    def tell(trial: Trial, what: str = "") -> Trial:
        times = " ".join(f"{time.stage} {time.milliseconds:.0f}" for time in trial.times)
        _told.append(
            f"{what or request.node.name}: {trial.stage} {trial.status} {trial.code} "
            f"{trial.code_name} missing={trial.missing!r} version={trial.version} "
            f"gpu={trial.gpu_name} free={trial.memory_free} checks={list(trial.checks)} "
            f"skipped={list(trial.skipped)}\n    {trial.loaded}\n    {times} "
            f"= {trial.milliseconds:.0f} ms\n    {trial.detail[:300]}"
            + (f"\n    | {trial.output[-400:]}" if trial.output else "")
        )
        return trial

    return tell


def pytest_terminal_summary(terminalreporter) -> None:
    for line in _told:
        terminalreporter.write_line(line)
