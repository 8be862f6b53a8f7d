"""A rehearsal with fifty computers: gather, table, fix one cause everywhere, gather, undo on one.

    PYTHONPATH=tests:tests/fleet python tests/fleet/rehearsal.py FOLDER      (as root)

Twelve are lab computers in mounts of their own, on which the real program looks, mends and takes
back; the others are golden machines that the real program reads. It prints what it saw, with times.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import msgspec
from hosts import Host, healthy, not_on_path, without_driver
from machines.computers import COMPUTERS

CODE = "cudnn-not-on-path"
LAB = [not_on_path] * 7 + [healthy] * 3 + [without_driver] * 2
GOLDEN = 40
"""One more is a file that is cut off."""


def say(text: str) -> None:
    sys.stdout.write(f"{time.monotonic() - BEGUN:7.1f} s  {text}\n")
    sys.stdout.flush()


def many(*words: str) -> str:
    """What ``report --many`` says."""
    command = [sys.executable, "-m", "cudnn_assistant", "report", "--many", *words, "--offline"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def gather(hosts: dict[str, Host], folder: Path) -> None:
    folder.mkdir()
    for name, host in hosts.items():
        printed = host.run("cudnn-assistant", "check", "--json", "--offline").stdout
        (folder / f"{name}.json").write_text(printed, "utf-8")
    names = [name for name in sorted(COMPUTERS) if name.startswith("linux")][:GOLDEN]
    for number, name in enumerate(names):
        snapshot = msgspec.json.encode({"machine": COMPUTERS[name].machine})
        (folder / f"ws{number:02}.json").write_bytes(snapshot)
    (folder / "cut-off.json").write_text('{"machine": {')


def main(folder: Path) -> None:
    shared = folder / "shared"
    shared.mkdir(parents=True)
    with ExitStack() as stack:
        hosts = {
            f"lab{number:02}": stack.enter_context(Host(folder / f"lab{number:02}", build, shared))
            for number, build in enumerate(LAB)
        }
        say(f"{len(hosts)} lab computers are on")
        gather(hosts, folder / "first")
        say("gathered: " + many(str(folder / "first")).splitlines()[0])
        fixed = [fix(host) for host in hosts.values()]
        say(f"fix --yes --only {CODE}: exit codes {fixed}")
        gather(hosts, folder / "second")
        told = many(str(folder / "second"), "--earlier", str(folder / "first"))
        say("gathered again: " + told.splitlines()[0])
        say("changed:\n" + told.split("\n\n")[1])
        page = folder / "page.html"
        many(str(folder / "second"), "--earlier", str(folder / "first"), "--html", str(page))
        undone = hosts["lab00"].run("cudnn-assistant", "undo", "--yes").returncode
        again = [host.run("cudnn-assistant", "check", "-q", "--offline").returncode
                 for host in list(hosts.values())[:7]]  # fmt: skip
        say(f"undo on lab00: {undone}; then the seven say {again}")
    shutil.copy(page, folder / "rehearsal.html")


def fix(host: Host) -> int:
    return host.run("cudnn-assistant", "fix", "--yes", "--only", CODE, "--offline").returncode


BEGUN = time.monotonic()

if __name__ == "__main__":
    main(Path(sys.argv[1]))
