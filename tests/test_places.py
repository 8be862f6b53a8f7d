"""What a person types to start us, wherever we were started from."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from cudnn_assistant import places
from cudnn_assistant.wording import say

NAME = "cudnn-assistant"


@pytest.fixture
def launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Beside an interpreter that is not on PATH."""
    file = tmp_path / "an environment" / NAME
    file.parent.mkdir()
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(file.parent / "python"))
    monkeypatch.setenv("PATH", os.defpath)
    return file


def test_the_name_alone_where_it_finds_us(launcher: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(launcher.parent))
    assert places.terminal_command() == (NAME,)
    assert say("cli.run-fix") == "Run: cudnn-assistant fix"


def test_the_whole_path_where_it_finds_nothing(launcher: Path) -> None:
    assert places.terminal_command() == (str(launcher),)
    assert say("cli.run-fix") == f"Run: '{launcher}' fix"


def test_another_copy_on_path_is_not_us(launcher: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = launcher.parent.parent / "other" / NAME
    other.parent.mkdir()
    shutil.copy(launcher, other)
    monkeypatch.setenv("PATH", str(other.parent))
    assert places.terminal_command() == (str(launcher),)


def test_what_pipx_links_to_us_is_us(launcher: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = launcher.parent.parent / "bin" / NAME
    link.parent.mkdir()
    link.symlink_to(launcher)
    monkeypatch.setenv("PATH", str(link.parent))
    assert places.terminal_command() == (NAME,)


def test_without_a_launcher_the_interpreter(launcher: Path) -> None:
    launcher.unlink()
    assert places.terminal_command() == (sys.executable, "-m", "cudnn_assistant")


def test_an_appimage_is_started_by_its_file(
    launcher: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("APPIMAGE", str(launcher))
    launcher.parent.joinpath("python").touch()
    assert places.terminal_command() == (str(launcher),)


@pytest.mark.parametrize(
    ("prefix", "beside"),
    [
        (
            "C:\\Program Files\\WindowsApps\\PythonSoftwareFoundation.Python.3.12_3.12.2800.0_x64",
            True,
        ),
        ("C:\\Users\\a\\AppData\\Local\\Programs\\Python\\Python312", False),
        ("/usr", False),
    ],
)
def test_a_copy_of_cudnn_lies_where_other_programs_see_it(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, prefix: str, beside: bool
) -> None:
    monkeypatch.setattr(sys, "base_prefix", prefix)
    folder = places.own_libraries()
    assert (folder.parent.parent == own_home) is beside
    assert folder.name == "libraries"
