"""Tasks of a person in the real window on a computer of the lab: pressed, made, seen, undone.

Mouse and keys are events of an X server with a window manager; nothing of ours is called.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import computer
import needs
import test_computers
from computer import Computer
from test_mending import PREPARED, PROGRAM, offers

pytestmark = pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
PRESSING = str(Path(__file__).with_name("pressing.py"))
SAID = "OSError: libcudnn.so.9: cannot open shared object file: No such file or directory"
REOPEN = "Close and open again the terminals"


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """A screen with a window manager."""
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "1366x768x24"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdout is not None
    name = f":{server.stdout.readline().strip()}"
    manager = subprocess.Popen(["openbox"], env={"DISPLAY": name, "PATH": "/usr/bin"})
    yield name
    for program in (manager, server):
        program.terminate()
        program.wait()


def pressed(
    folder: Path, display: str, name: str, manner: str, message: str = ""
) -> list[dict[str, Any]]:
    """What the pages said, one after the other."""
    c = Computer(folder / "computer")
    test_computers.CASES[name].plant(c)
    c.write("/home/person/.local/state/cudnn-assistant/window.json", '{"offline":true}')
    variables = {"CUDNN_ASSISTANT_ARCHIVES": PREPARED}
    dry = c.run(*PROGRAM, "fix", "--offline", "--dry-run", "--json", **variables)
    for step in json.loads(dry.stdout.splitlines()[-1])["steps"]:
        if step["type"] == "install-archive":
            offers(c, step)
    words = [sys.executable, PRESSING, manner]
    if message:
        c.write("/home/person/message.txt", message)
        words += ["undo", "/home/person/message.txt"]
    done = c.run("bash", "-c", f"exec {shlex.join(words)}", DISPLAY=display, **variables)
    assert "Traceback" not in done.stderr, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


@needs.programs("Xvfb", "openbox", "xdotool")
@pytest.mark.spread(3)  # by day with keys, and with the mouse from a message on
@pytest.mark.parametrize(
    ("name", "manner", "message", "clicks"),
    [
        ("cudnn-where-nobody-looks", "keys", "", 2),
        ("cudnn-where-nobody-looks", "mouse", "", 2),
        ("no-cudnn", "mouse", "", 2),
        # Where the message is from is asked once.
        ("cudnn-where-nobody-looks", "mouse", SAID, 5),
    ],
)
def test_a_task_is_pressed_to_its_end_and_undone(
    tmp_path: Path, display: str, name: str, manner: str, message: str, clicks: int
) -> None:
    *before, works, undoing, undone = pressed(tmp_path, display, name, manner, message)
    assert works["title"].endswith(" works")
    assert works["clicks"] == clicks
    done, still = works["news"]
    assert done.startswith("Done: ")
    assert still.startswith(REOPEN)
    assert not [line for line in works["text"] if "Nothing has been changed" in line]
    assert undoing["title"].startswith("Undo ")
    assert undone["title"] == before[0]["title"]
    assert undone["news"][0].startswith("Put back: ")
    assert undone["news"][1].startswith(REOPEN)
