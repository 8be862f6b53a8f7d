"""What a look costs: ``python tests/bench/bench_look.py [--lab] [OTHER COMMAND …]``.

Without arguments: seconds, processor seconds and peak memory of ``check --no-test`` on this
computer, and how the look's time grows with the number of Python environments that hold cuDNN.
With a command (a tool that looks at the same things) both run in turn, and the ratios of their
least and median times are told: on a busy machine only the ratio means something. With --lab both
look at the lab's healthy computer instead of this one.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "lab"))
import images

from cudnn_assistant.probe import Wish, probe
from cudnn_assistant.system.linux import Linux

ROUNDS = 30
OURS = [sys.executable, "-m", "cudnn_assistant", "check", "--no-test", "--offline"]


def seconds(command: list[str]) -> tuple[float, float]:
    """Wall and processor seconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    # As installed: what pip brings is compiled once, and so is what runs from a checkout.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    quiet = subprocess.DEVNULL
    subprocess.run(command, stdout=quiet, stderr=quiet, env=environment)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(other: list[str]) -> None:
    """Both in turn; the least and the median of each, and their ratios."""
    seconds(OURS)
    runs = [(seconds(OURS), seconds(other) if other else (0.0, 0.0)) for _ in range(ROUNDS)]
    for number, kind in enumerate(("wall", "processor")):
        for name, of in (("least", min), ("median", statistics.median)):
            ours, theirs = (of([run[who][number] for run in runs]) for who in (0, 1))
            ratio = f", ratio {ours / theirs:.2f}" if theirs else ""
            print(  # noqa: T201
                f"check --no-test: {ours:.3f} s {kind}, {name}; other {theirs:.3f} s{ratio}"
            )
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"peak memory of any of them: {most:.0f} MiB")  # noqa: T201


def grow(folder: Path) -> None:
    """Time of the look by the number of environments."""
    for count in (10, 30, 100, 300):
        for number in range(count):
            environment = folder / f"env{number}"
            if not environment.exists():
                _environment(environment)
        folders = tuple(str(folder / f"env{number}") for number in range(count))
        before = resource.getrusage(resource.RUSAGE_SELF)
        machine = probe(Linux(dict(os.environ)), Wish(trial=False, folders=folders))
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(  # noqa: T201
            f"{count} environments: {spent:.3f} s processor, {spent / count * 1000:.2f} ms each, "
            f"{len(machine.cudnns)} copies, {after.ru_maxrss / 1024:.0f} MiB"
        )


def _environment(folder: Path) -> None:
    site = folder / "lib" / "python3.11" / "site-packages"
    images.cudnn(site / "nvidia" / "cudnn" / "lib", "9.10.2", sonames_only=True)
    (site / "nvidia_cudnn_cu12-9.10.2.21.dist-info").mkdir()
    (site / "torch-2.8.0.dist-info").mkdir()
    (folder / "bin").mkdir()
    (folder / "bin" / "python").symlink_to(sys.executable)
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")


def on_lab(other: list[str]) -> None:
    """Both on the healthy computer of tests/lab."""
    import computer

    with tempfile.TemporaryDirectory() as room:
        healthy = computer.Computer(Path(room) / "computer").healthy()
        command = (sys.executable, str(Path(__file__).resolve()), "--only", *other)
        done = healthy.run(*command, seconds=600)
    print(done.stdout + done.stderr[-500:])  # noqa: T201


if __name__ == "__main__":
    where, words = (sys.argv[1], sys.argv[2:]) if sys.argv[1:2] else ("", [])
    if where == "--lab":
        on_lab(words)
        sys.exit()
    compare(words if where == "--only" else sys.argv[1:])
    if where == "--only":
        sys.exit()
    with tempfile.TemporaryDirectory() as room:
        grow(Path(room))
