"""One start after a restart: the entry is what the desktop expects, and is gone before it runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake_registry import FakeRegistry

from cudnn_assistant.system.autostart import FILE, NAME, LinuxAutostart, WindowsAutostart
from cudnn_assistant.system.windows_registry import TEXT, Stored
from cudnn_assistant.trouble import Refused


def test_windows_gets_one_value_and_loses_it_again():
    registry = FakeRegistry(user=[Stored("OneDrive", "x", TEXT)])
    entry = WindowsAutostart(registry)
    assert not entry.there()
    entry.put([r"C:\Program Files\cuDNN Assistant\cudnn-assistant-gui.exe", "--window"])
    assert entry.there()
    line = r'"C:\Program Files\cuDNN Assistant\cudnn-assistant-gui.exe" --window'
    assert registry.values("user") == (Stored("OneDrive", "x", TEXT), Stored(NAME, line, TEXT))
    entry.put(["again.exe"])
    assert len(registry.values("user")) == 2
    entry.take()
    entry.take()
    assert registry.values("user") == (Stored("OneDrive", "x", TEXT),)


def test_windows_does_not_promise_what_it_would_not_run():
    registry = FakeRegistry()
    with pytest.raises(Refused, match="autostart-path-too-long"):
        WindowsAutostart(registry).put(["C:\\" + "a" * 300 + ".exe"])
    registry.denied.add("user")
    with pytest.raises(Refused, match=r"^autostart"):
        WindowsAutostart(registry).put(["a.exe"])
    assert registry.writes == 0
    registry.locked.add("user")
    assert not WindowsAutostart(registry).there()


ODD = 'it\'s 100% "odd" $HOME `x` \\ back'


@pytest.mark.skipif(sys.platform == "win32", reason="runs a shell")
@pytest.mark.parametrize("name", ["plain", ODD])
def test_linux_runs_it_once_whatever_the_path_is_called(tmp_path: Path, name: str):
    home = tmp_path / name
    home.mkdir()
    program = home / "program"
    program.write_text(f'#!/bin/sh\nprintf "%s" "$*" > {shlex.quote(str(home / "ran"))}\n')
    program.chmod(0o755)
    entry = LinuxAutostart({"HOME": str(home)})
    assert not entry.there()
    entry.put([str(program), "--window", "a b"])
    assert Path(entry.path) == home / ".config" / "autostart" / FILE
    assert entry.there()
    if shutil.which("desktop-file-validate"):
        subprocess.run(["desktop-file-validate", entry.path], check=True)
    subprocess.run(_as_the_desktop_does(Path(entry.path)), check=True, env=dict(os.environ))
    assert (home / "ran").read_text() == "--window a b"
    assert not entry.there()


def _as_the_desktop_does(path: Path) -> list[str]:
    """The command in an entry by the rules of the specification."""
    (line,) = [row for row in path.read_text().splitlines() if row.startswith("Exec=")]
    text = line.removeprefix("Exec=").replace("\\\\", "\\").replace("%%", "%")
    match = re.fullmatch(r'sh -c "(.*)"', text)
    assert match
    return ["sh", "-c", re.sub(r'\\(["`$\\])', r"\1", match[1])]


def test_linux_takes_it_out_again(tmp_path: Path):
    entry = LinuxAutostart({"HOME": "/nowhere", "XDG_CONFIG_HOME": str(tmp_path / "c")})
    entry.put(["x"])
    assert (tmp_path / "c" / "autostart" / FILE).exists()
    entry.take()
    entry.take()
    assert not entry.there()


def test_without_a_home_it_is_refused(tmp_path: Path):
    entry = LinuxAutostart({})
    entry.take()
    with pytest.raises(Refused, match="autostart-no-home"):
        entry.put(["x"])
    (tmp_path / "autostart").write_text("a file")
    with pytest.raises(Refused, match=r"^autostart"):
        LinuxAutostart({"XDG_CONFIG_HOME": str(tmp_path)}).put(["x"])
