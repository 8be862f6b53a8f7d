"""Living computers: each in mounts of its own, as long as the test needs it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))
import computer as lab_computer
import driver
from computer import Computer

OPT = "/opt/cudnn/lib"
WORDS = {"HOME": "/home/person", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8",
         "SHELL": "/bin/bash", "CUDNN_ASSISTANT_ASK": "no"}  # fmt: skip


def healthy(c: Computer) -> None:
    c.healthy()


def not_on_path(c: Computer) -> None:
    """cuDNN is there, and no program finds it."""
    c.driver(driver.RTX_4090)
    c.cuda()
    c.cudnn(OPT)


def without_driver(c: Computer) -> None:
    c.bus(driver.RTX_4090)
    c.cuda()
    c.cudnn()


class Host:
    """One computer that is switched on, and how programs are started on it."""

    def __init__(self, folder: Path, build: Callable[[Computer], None], shared: Path) -> None:
        self.folder = folder
        self.computer = Computer(folder)
        build(self.computer)
        own = Path(sys.executable).parents[1]
        self.computer.write("/usr/bin/cudnn-assistant", (
            f'#!/bin/sh\nexec {shlex.quote(str(own))}/bin/python -I -m cudnn_assistant "$@"\n'
        )).chmod(0o755)  # fmt: skip
        here = shlex.quote(str(shared))
        self.computer.after += f"\nmkdir -p .{here}\nmount --bind {here} .{here}"
        self.command = folder / "on"
        """Starts what follows on the computer."""
        self.python = folder / "python"
        """Its Python, as Ansible asks for it."""

    def __enter__(self) -> Host:
        script = lab_computer._START.format(
            room=shlex.quote(str(self.computer.room)),
            tree=shlex.quote(str(self.computer.tree)),
            others=shlex.quote(str(self.computer.others)),
            after=self.computer.after,
            person="",
            variables="PATH=/usr/bin:/bin",
            command="sh -c 'echo on; exec sleep infinity'",
        )
        self.alive = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "bash", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.alive.stdout is not None
        assert self.alive.stderr is not None
        begun = self.alive.stdout.readline()
        assert begun == "on\n", self.alive.stderr.read()
        words = " ".join(shlex.quote(f"{name}={text}") for name, text in WORDS.items())
        inside = f"nsenter -t {self.alive.pid} -m -r env -i -C / {words}"
        self.command.write_text(f'#!/bin/sh\nexec {inside} "$@"\n')
        self.python.write_text(f'#!/bin/sh\nexec {inside} /usr/bin/python3 "$@"\n')
        for path in (self.command, self.python):
            path.chmod(0o755)
        return self

    def __exit__(self, *_trouble: object) -> None:
        self.alive.kill()
        self.alive.communicate()

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of the person who sits there."""
        return subprocess.run(
            [str(self.command), *words], capture_output=True, text=True, timeout=180
        )
