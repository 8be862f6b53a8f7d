"""Every command of every golden computer with hostile names in it, pasted into real shells."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import msgspec
import needs
import pytest
from machines.computers import NAMES, golden
from powershell import one_command
from test_shell import SHELLS

from cudnn_assistant.diagnose import diagnose
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Manual
from cudnn_assistant.machine import Machine, load
from cudnn_assistant.plan import kind_of, make_plan
from cudnn_assistant.visible import visible

EVIL = (
    "$(touch PWNED)", "`touch PWNED`", "a b'c\"d", "x;touch PWNED;", "x&touch PWNED&", "%PATH%^!!",
    "\x1b[8m\u202e", "n\ntouch PWNED\nn", "\\';touch PWNED;'", "ünï|touch PWNED",
)  # fmt: skip
TOOLS = """
python python3 pip sudo ldconfig wsl conda findmnt docker podman nvidia-smi tee apt apt-get dnf curl
tar mkdir rm chmod modprobe dkms update-initramfs dracut zypper pacman mkinitcpio systemctl ln
akmods nvidia-modprobe rmmod nvidia-cuda-mps-control apptainer lxc scontrol
""".split()  # noqa: SIM905


EVERY = 1 if needs.night() else 3
"""Of so many computers by day one gets a name, and the next name is given to others."""


def some(number: int) -> list[str]:
    """The golden computers that get the name of this number."""
    return NAMES[number % EVERY :: EVERY]


def hostile(machine: Machine, name: str) -> Machine:
    """The machine with the name planted into every folder, package and person that it names."""
    data = msgspec.to_builtins(machine)
    return load(msgspec.json.encode(_planted(data, name)))


def _planted(value: object, name: str, key: str = "") -> object:
    if isinstance(value, dict):
        return {k: _planted(v, name, k) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_planted(v, name, key) for v in value]
    if not isinstance(value, str):
        return value
    if key in ("owner", "kernel_driver"):
        return f"root:{name}" if ":" in value else value
    return re.sub(
        r"(?:/home/|/data/|/opt/|C:\\Users\\|CUDNN\\(?=v)|CUDA\\(?=v))(?=\w)",
        lambda m: m[0] + name,
        value,
    )


def shown(machine: Machine) -> Iterator[str]:
    compat = load_builtin()
    findings = diagnose(machine, compat)
    for finding in findings:
        if isinstance(finding.remedy, Manual):
            yield from finding.remedy.commands
    for step in make_plan(findings, machine, compat).steps:
        yield from kind_of(step).commands(step, machine.os.family)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stubs of all that we show, each of which writes down that it ran."""
    folder = tmp_path_factory.mktemp("stubs")
    for tool in TOOLS:
        (folder / tool).write_text("#!/bin/sh\ncat >/dev/null </dev/null\n")
        (folder / tool).chmod(0o755)
    (folder / "touch").write_text(f"#!/bin/sh\n: > {folder}/PWNED\n")
    (folder / "touch").chmod(0o755)
    return folder


@pytest.mark.parametrize("evil", EVIL)
def test_no_shown_command_runs_what_a_name_holds(evil: str, folder: Path) -> None:
    lines: set[str] = set()
    for name in some(EVIL.index(evil)):
        machine = golden(name)
        if machine.os.family == "linux":
            lines.update(shown(hostile(machine, evil)))
    assert lines
    for line in lines:
        assert visible(line) == line
    for shell in SHELLS:
        # Each line in a shell of its own, all of them in one process of ours.
        script = "\n".join(sorted(lines))
        subprocess.run(
            [shutil.which(shell)],
            input=script.encode(),
            cwd=folder,
            env={"PATH": str(folder), "HOME": str(folder), "LC_ALL": "C.UTF-8"},
            capture_output=True,
            timeout=120,
        )
        assert not (folder / "PWNED").exists(), shell


def test_windows_commands_hold_no_word_that_powershell_would_run() -> None:
    lines = set()
    evils = ("$(touch PWNED);`x‘y", '" ;touch PWNED;"“$(touch PWNED)”', *EVIL)
    for number, evil in enumerate(evils):
        for machine in map(golden, some(number)):
            if machine.os.family == "windows":
                lines.update(shown(hostile(machine, evil)))
    lines = {line for line in lines if not line.startswith("# ")}
    assert sum("PWNED" in line for line in lines) > 40
    for line in lines:
        assert visible(line) == line
        assert one_command(line), line


def test_stubs_are_found_and_run(folder: Path) -> None:
    """The test above can fail: a command with a bare name does run it."""
    env = {"PATH": str(folder), "HOME": str(folder)}
    subprocess.run([shutil.which(SHELLS[0]), "-c", 'python "$(touch PWNED)"'], cwd=folder, env=env)
    assert (folder / "PWNED").exists()
    os.unlink(folder / "PWNED")
