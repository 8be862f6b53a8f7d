"""The entry in the menus that ``integrate`` makes, judged by the desktop's own tool."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from pathlib import Path

import needs
import pytest

from cudnn_assistant.cli import run
from cudnn_assistant.cli.integrate import data_home
from cudnn_assistant.shell import quote


def test_adds_and_takes_back(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    share = own_home / ".local" / "share"
    assert run(["integrate"]) == 0
    entry = share / "applications" / "cudnn-assistant.desktop"
    assert sorted(p.name for p in share.rglob("*") if p.is_file()) == [
        "cudnn-assistant.1",
        "cudnn-assistant.desktop",
        "cudnn-assistant.svg",
        "io.github.cudnn_assistant.cudnn_assistant.metainfo.xml",
    ]
    (line,) = (x for x in entry.read_text("utf-8").splitlines() if x.startswith("Exec="))
    program = line.removeprefix("Exec=").split()[0].strip('"')
    assert os.access(program, os.X_OK)
    needs.require("desktop-file-validate")
    done = subprocess.run(["desktop-file-validate", str(entry)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")
    assert run(["integrate", "--remove"]) == 0
    assert [p for p in share.rglob("*") if p.is_file()] == []
    assert "menus" in capsys.readouterr().out


def test_says_what_can_not_be_written(own_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own_home / ".local").write_text("not a folder")
    assert run(["integrate"]) == 5
    assert ".local" in capsys.readouterr().err


def test_a_relative_data_home_is_not_obeyed(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "somewhere")
    assert data_home() == own_home / ".local" / "share"


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/usr/bin/x", "/usr/bin/x"),
        ("/home/a b/x", '"/home/a b/x"'),
        ("/home/100%/x", '"/home/100%%/x"'),
        ("/home/$x", '"/home/\\\\$x"'),
    ],
)
def test_quotes_as_the_desktop_entry_specification_says(path: str, written: str) -> None:
    assert quote(path, "Exec") == written


@pytest.mark.parametrize("home", ["", "here", "./x"])
def test_a_home_that_is_none_gets_nothing(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", home)
    assert run(["integrate"]) == 5
    assert "Your account has no home folder" in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_gets_no_half_of_an_entry(
    own_home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        assert run(["integrate"]) == 5
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "the disk is full" in capfd.readouterr().err
    assert [path for path in own_home.rglob("*") if path.is_file()] == []
