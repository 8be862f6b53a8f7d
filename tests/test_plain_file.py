"""What somebody put in the place of a file of ours or of theirs: nobody waits for it."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from test_command_line import ca

from cudnn_assistant.plain_file import content, plain

PLACES = (
    ".config/cudnn-assistant/root.json", ".config/cudnn-assistant/environment.sh",
    ".local/state/cudnn-assistant/journal", ".cache/cudnn-assistant/feed/good",
    ".cache/cudnn-assistant/feed/direct", ".bashrc", ".profile", ".zshrc", ".condarc",
    ".conda/environments.txt", ".config/pip/pip.conf", ".config/fish/config.fish",
    "v/pyvenv.cfg", "v/lib/python3.11/site-packages/torch/version.py",
    "v/lib/python3.11/site-packages/torch-2.8.0.dist-info/METADATA",
    "v/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9",
    "v/conda-meta/cudnn-9.1.0-h1.json", "v/etc/conda/activate.d/a.sh", "cu/lib/libcudnn.so.9",
    "cu/include/cudnn_version.h", "cu/version.json",
)  # fmt: skip


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


KINDS: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "itself": lambda path: path.symlink_to(path.name),
    "folder": Path.mkdir,
    "socket": listening,
}


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_file_is_read(kind: str, tmp_path: Path) -> None:
    KINDS[kind](tmp_path / "x")
    with pytest.raises(OSError, match="x"):
        content(tmp_path / "x")


def test_a_link_to_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"all\r\nof it")
    (tmp_path / "link").symlink_to("file")
    assert content(tmp_path / "link") == b"all\r\nof it"
    with plain(tmp_path / "link") as file:
        assert file.read(3) == b"all"


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_a_look_waits_for_nothing_that_stands_in_a_files_place(kind: str, tmp_path: Path) -> None:
    for place in PLACES:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        KINDS[kind](tmp_path / place)
    (tmp_path / "v/bin").mkdir()
    (tmp_path / "v/bin/python").symlink_to("/usr/bin/python3")
    home = str(tmp_path)
    settings = {
        "HOME": home, "VIRTUAL_ENV": f"{home}/v", "CONDA_PREFIX": f"{home}/v",
        "CUDA_HOME": f"{home}/cu", "CUDNN_PATH": f"{home}/cu",
        **{f"XDG_{name}_HOME": "" for name in ("CONFIG", "STATE", "CACHE", "DATA")},
    }  # fmt: skip
    for words in (["check", "--offline", "--no-test"], ["undo", "--list"], ["feed"]):
        done = ca(*words, **settings)
        assert done.returncode in (0, 1, 3), done.stderr
        assert "Traceback" not in done.stderr
