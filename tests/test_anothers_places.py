"""Root where a link or a variable leads among another's files: nothing is written there."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from test_apply import PLAN

from cudnn_assistant import feed, places
from cudnn_assistant.apply import NotApplied, apply
from cudnn_assistant.cli import run
from cudnn_assistant.gui import preferences
from cudnn_assistant.journal import Journal
from cudnn_assistant.system import this_system
from cudnn_assistant.system.autostart import LinuxAutostart
from cudnn_assistant.trouble import Refused

SOMEBODY = 1234
XDG = ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")
OURS = (
    ".config", ".config/cudnn-assistant", ".local", ".local/state", ".local/share", ".cache",
    ".local/state/cudnn-assistant", ".cache/cudnn-assistant", ".local/share/cudnn-assistant",
)  # fmt: skip
PLACES = (*XDG, *OURS, ".config/autostart", ".local/share/applications", ".bashrc", "", "own")
"""What leads to somebody else's folder; "": the home itself, "own": nothing."""


def changed() -> None:
    apply(PLAN, this_system(), Journal(places.journal()))


def asked() -> None:
    feed.current(insist=True)


def kept() -> None:
    preferences.save(preferences.Preferences(), "theme", places.config() / "window.json")


def in_menus() -> None:
    assert run(["integrate"]) in (0, 5)


def again() -> None:
    LinuxAutostart().put(["x"])


WRITERS = (changed, asked, kept, in_menus, again)


def owners(folder: Path) -> dict[str, int]:
    return {str(path): path.lstat().st_uid for path in (folder, *folder.rglob("*"))}


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root")
@pytest.mark.enable_socket  # loopback, where nobody answers
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("write", WRITERS, ids=lambda one: one.__name__)
def test_root_writes_nothing_among_anothers_files(
    place: str, write: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, theirs = tmp_path / "home", tmp_path / "theirs"
    home.mkdir()
    theirs.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("CUDNN_ASSISTANT_ASK", "yes")
    monkeypatch.setenv("CUDNN_ASSISTANT_NVIDIA_URL", "http://127.0.0.1:9")
    if place in XDG:
        monkeypatch.setenv(place, str(theirs / "x"))
    elif place and place != "own":
        (home / place).parent.mkdir(parents=True, exist_ok=True)
        (home / place).symlink_to(theirs / "new" if place == ".bashrc" else theirs)
    os.chown(theirs if place else home, SOMEBODY, SOMEBODY)
    before = owners(tmp_path)
    with suppress(Refused, NotApplied):
        write()
    assert owners(theirs) == {str(theirs): SOMEBODY if place else 0}
    if not place:
        assert owners(tmp_path) == before
    if place == "own":
        assert owners(home) != {str(home): 0}
