"""The ways in beside the commands: a child's, the administrator's part, the window's, the tools'.

Nobody should start them like this; who does is answered, and nothing is done.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import needs
import pytest
from test_command_line import ROOT

from cudnn_assistant import places
from cudnn_assistant.child.elevated import CHANGED, NOT_ACCEPTED, NOT_ALLOWED

OURS = ("-m", "cudnn_assistant")
NO_CHILD, ONLY_OURS = "no such child", "only cudnn-assistant itself starts this"
NO_DISPLAY, ON_THIS = "There is no display to open a window on.", "No window can be opened on this"
WISH = '{"pipe": 99, "deadline": 1}'
WINDOW = ("-c", "import sys; from cudnn_assistant.__main__ import window; sys.exit(window())")
ENTRIES: dict[str, tuple[tuple[str, ...], dict[str, str], int, str]] = {
    "no child": ((*OURS, "--child"), {}, 2, NO_CHILD),
    "a path for a child": ((*OURS, "--child", "../../x"), {}, 2, NO_CHILD),
    "a module for a child": ((*OURS, "--child", "channel"), {}, 2, NO_CHILD),
    "a child of no path": ((*OURS, "--child", "trial", "--path"), {}, 2, ONLY_OURS),
    **{
        f"{kind} with {wish[:14]}": ((*OURS, "--child", kind, wish), {}, 2, ONLY_OURS)
        for kind in ("trial", "library", "gpu", "cuda_pathfinder")
        for wish in (
            "{", "{}", "[1]", "null", WISH, '{"pipe": -1, "deadline": 1}',
            '{"pipe": 1e99, "deadline": 1}', '{"pipe": 1, "deadline": "soon"}',
        )
    },
    "a deep wish": ((*OURS, "--child", "trial", "[" * 100_000), {}, 2, ONLY_OURS),
    "no wish": ((*OURS, "--child", "trial"), {}, 2, ONLY_OURS),
    "an empty word": ((*OURS, ""), {}, 2, "invalid choice: ''"),
    "a bare end of options": ((*OURS, "--"), {}, 2, "this isn't understood: --."),
    "a folder for what": ((*OURS, "--terminal-folder"), {}, 2, ""),
    "a folder for nothing": ((*OURS, "--terminal-folder", "--nonsense"), {}, 2, ""),
    "a window without a display": (WINDOW, {}, 3, NO_DISPLAY),
    "a report without a display": ((*OURS, "--window", "/nowhere.md"), {}, 3, NO_DISPLAY),
    "a self-test without a display": ((*OURS, "--self-test"), {}, 3, NO_DISPLAY),
    "a display that isn't there": (WINDOW, {"DISPLAY": ":77"}, 3, ON_THIS),
    "a display that is none": (WINDOW, {"DISPLAY": "none:x"}, 3, ON_THIS),
    "translations": (("-m", "installer.translations", "--help"), {}, 0, "usage: "),
}  # fmt: skip
"""What is started, with what, its exit code, and what is said."""


def started(words: tuple[str, ...], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    usual = {n: t for n, t in os.environ.items() if n not in ("DISPLAY", "WAYLAND_DISPLAY")}
    usual.pop("QT_QPA_PLATFORM", None)
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env={**usual, "PYTHONPATH": str(ROOT), **more},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize("why", ["No module named 'PySide6'", "libQt6Core.so.6: no such file"])
def test_a_window_whose_library_is_broken_is_said_to_be(why: str, tmp_path: Path) -> None:
    (tmp_path / "PySide6").mkdir()
    (tmp_path / "PySide6" / "__init__.py").write_text(f"raise ImportError({why!r})\n")
    window = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {WINDOW[1]}"
    done = started(("-c", window), tmp_path, QT_QPA_PLATFORM="offscreen", LANGUAGE="en")
    assert (done.returncode, "Traceback" in done.stderr) == (3, False), done.stderr
    assert f"The window's library can't be loaded ({why})." in done.stderr
    assert "The same is done in a terminal by" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="displays of Linux")
@pytest.mark.parametrize("entry", ENTRIES)
def test_who_comes_in_beside_the_commands_is_answered(entry: str, tmp_path: Path) -> None:
    words, variables, code, sentence = ENTRIES[entry]
    if "display that" in entry and not needs.qt():
        pytest.skip(needs.QT)
    done = started(words, tmp_path, **variables)
    said = done.stdout + done.stderr
    assert (done.returncode, "Traceback" in said) == (code, False), said
    assert sentence in said
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("module", ["queue", "msgspec", "resource"])
def test_what_pythonpath_lists_takes_no_module_s_place(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}.py").write_text("raise ImportError('not the module you know')\n")
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    done = started((*OURS, "check", "--quick", "--no-test", "-q"), tmp_path, PYTHONPATH=path)
    assert (done.returncode in (1, 3), done.stderr) == (True, ""), done.stderr


OF_A_CHILD = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
from cudnn_assistant.places import child_command
sys.path[1:] = [p for p in sys.path if not os.path.isdir(p + "/cudnn_assistant")]
sys.exit(subprocess.run(child_command("trial", "{}")).returncode)
"""


def test_a_child_finds_us_in_a_folder_whose_name_holds_what_stands_between_folders(
    tmp_path: Path,
) -> None:
    home = tmp_path / f"a{os.pathsep}b"
    home.mkdir()
    (home / "cudnn_assistant").symlink_to(ROOT / "cudnn_assistant")
    done = started(("-I", "-c", OF_A_CHILD, str(home)), tmp_path)
    assert (done.returncode, ONLY_OURS in done.stderr) == (2, True), done.stderr


GOOD = {"name": "CUDA_PATH", "before": None, "after": {"text": "x", "expand": False}}
HOSTILE: dict[str, bytes] = {
    "nothing": b"", "no text": b"\xff\xfe", "no object": b"[]", "null": b"null",
    "deep": b"[" * 100_000, "no changes": b"{}", "none": b'{"changes": []}',
    "a number": b'{"changes": 7}', "a text": b'{"changes": "CUDA_PATH"}',
    **{
        f"a change {number}": json.dumps({"changes": [GOOD | change]}).encode()
        for number, change in enumerate((
            {"name": 7}, {"name": "PATHEXT"}, {"name": "PATH"}, {"before": "x"}, {"after": 1},
            {"after": {"text": "x"}}, {"after": {"text": "a\nb", "expand": False}},
            {"after": {"text": "x" * 40_000, "expand": False}},
            {"after": {"text": "x", "expand": "yes"}},
        ))
    },
    "too many": json.dumps({"changes": [GOOD] * 21}).encode(),
    "too large": b" " * 1_000_001,
}  # fmt: skip


def test_a_child_starts_from_a_folder_whose_name_has_the_separator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / f"a{os.pathsep}b"
    home.mkdir()
    (home / "cudnn_assistant").symlink_to(ROOT / "cudnn_assistant")
    with monkeypatch.context() as moved:
        moved.setattr(places, "_PACKAGE", home / "cudnn_assistant")
        moved.setattr(sys, "path", [])
        command = places.child_command("elevated")
    assert subprocess.run(command).returncode == NOT_ACCEPTED


@pytest.mark.parametrize("way", HOSTILE)
def test_the_administrators_part_accepts_no_such_request(way: str, tmp_path: Path) -> None:
    from cudnn_assistant.child.elevated import main

    request = tmp_path / "request"
    request.write_bytes(HOSTILE[way])
    proof = hashlib.sha256(HOSTILE[way]).hexdigest()
    assert main(["--request", str(request), "--sha256", proof]) == NOT_ACCEPTED


def test_the_administrators_part_reads_what_was_proven(tmp_path: Path) -> None:
    from cudnn_assistant.child.elevated import main

    request = tmp_path / "request"
    request.write_text(json.dumps({"changes": [GOOD]}))
    proof = hashlib.sha256(request.read_bytes()).hexdigest()
    assert main(["--request", str(request), "--sha256", "0" * 64]) == NOT_ACCEPTED
    assert main(["--request", str(request)]) == NOT_ACCEPTED
    assert main(["--request", str(tmp_path / "gone"), "--sha256", proof]) == NOT_ALLOWED
    # Accepted: where there is a registry, it is compared next.
    assert main(["--request", str(request), "--sha256", proof]) in (NOT_ALLOWED, CHANGED)
