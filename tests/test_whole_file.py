"""A file that is put in the place of another is whole, or the other is still there."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from cudnn_assistant.gui import preferences
from cudnn_assistant.whole_file import make_folder, put


def test_a_new_file_is_the_persons_alone(tmp_path: Path) -> None:
    put(tmp_path / "new", b"text")
    assert (tmp_path / "new").read_bytes() == b"text"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600


def test_a_link_that_somebody_laid_there_leads_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    put(tmp_path / "link", b"new", mode=0o644)
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"old"


def test_settings_that_lie_elsewhere_stay_there(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target")
    preferences.save(preferences.Preferences(theme="dark"), "theme", tmp_path / "link")
    assert os.readlink(tmp_path / "link") == "target"
    assert preferences.load(tmp_path / "target").theme == "dark"
    assert sorted(os.listdir(tmp_path)) == ["link", "target"]


def test_what_can_not_be_written_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "settings.json"
    preferences.save(preferences.Preferences(theme="dark"), "theme", kept)

    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    preferences.save(preferences.Preferences(theme="light"), "theme", kept)
    assert preferences.load(kept).theme == "dark"
    assert os.listdir(tmp_path) == ["settings.json"]


def test_folders_are_nobody_elses_and_one_that_can_not_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = os.umask(0)
    try:
        make_folder("a/b/c")
        make_folder("a/b/c")
    finally:
        os.umask(before)
    assert [path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")] == [0o755] * 3
    with pytest.raises(FileNotFoundError):
        make_folder("")
