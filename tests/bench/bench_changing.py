"""How fast changing is: ``python tests/bench/bench_changing.py [MEGABYTES]``.

Downloads from loopback against curl and sha256sum, unpacks against tar and unzip, and times a plan
of one variable. Prints one line for each; the targets stand beside.
"""

from __future__ import annotations

import hashlib
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from cudnn_assistant.apply import apply
from cudnn_assistant.download import fetch
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Value
from cudnn_assistant.plan import Download, Entry, Plan, SetVariable
from cudnn_assistant.system.linux import Linux
from cudnn_assistant.unpack import unpack


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        return


def out(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def best(act: Callable[[int], object], times: int = 3) -> float:
    """Seconds of the fastest run; each run gets its number."""
    took = []
    for number in range(times):
        start = time.perf_counter()
        act(number)
        took.append(time.perf_counter() - start)
    return min(took)


class Took(NamedTuple):
    """Seconds of the fastest run, on the clock and on the processors."""

    wall: float
    cpu: float


def race(ours: Callable[[int], object], theirs: Callable[[int], object]) -> tuple[Took, Took]:
    """The fastest run of each, taken in turns: a busy minute is busy for both."""
    turns = [(measured(ours, number), measured(theirs, number)) for number in range(3)]
    first, second = zip(*turns, strict=True)
    return fastest(first), fastest(second)


def measured(act: Callable[[int], object], number: int) -> Took:
    wall, before = time.perf_counter(), os.times()
    act(number)
    return Took(time.perf_counter() - wall, sum(os.times()[:4]) - sum(before[:4]))


def fastest(runs: Sequence[Took]) -> Took:
    return Took(min(run.wall for run in runs), min(run.cpu for run in runs))


def compared(mine: Took, other: Took, tool: str) -> str:
    return (f"{mine.wall:.2f} s (processor {mine.cpu:.2f}), {tool} {other.wall:.2f} s "
            f"({other.cpu:.2f}); rate {other.wall / mine.wall:.2f} of theirs "
            f"(processor {other.cpu / mine.cpu:.2f})")  # fmt: skip


def shell(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def bench_download(folder: Path, megabytes: int) -> None:
    file = folder / "cudnn.tar.xz"
    block = os.urandom(1 << 20)
    with file.open("wb") as made:
        for _ in range(megabytes):
            made.write(block)
    with file.open("rb") as source:
        digest = hashlib.file_digest(source, "sha256").hexdigest()
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/cudnn.tar.xz"
        wanted = Download(url=url, size=file.stat().st_size, sha256=digest)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        def ours(number: int) -> None:
            fetch(wanted, str(folder / f"ours{number}"), hosts=frozenset({"127.0.0.1"}))

        def theirs(number: int) -> None:
            target = str(folder / f"theirs{number}")
            shell("curl", "-s", "-o", target, url)
            shell("sync", target)
            shell("sha256sum", target)

        mine, other = race(ours, theirs)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        server.shutdown()
    told = compared(mine, other, "curl + sync + sha256sum")
    out(f"download {megabytes} MB: {told} (target 0.90); memory +{grown // 1024} MiB (target 40)")


def bench_unpack(folder: Path, megabytes: int) -> None:
    tree = folder / "top"
    (tree / "lib").mkdir(parents=True)
    half_random = b"".join(os.urandom(512) + bytes(512) for _ in range(1024))
    for number in range(8):
        with (tree / "lib" / f"libcudnn_{number}.so").open("wb") as made:
            for _ in range(megabytes // 8):
                made.write(half_random)
    with tarfile.open(folder / "a.tar.xz", "w:xz", preset=0) as tar:
        tar.add(tree, "top")
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted(tree.rglob("*.so")):
            archive.write(path, f"top/lib/{path.name}")
    for name, command in (("a.tar.xz", ["tar", "-xf"]), ("a.zip", ["unzip", "-q"])):
        path = str(folder / name)

        def ours(number: int, path: str = path) -> None:
            unpack(path, str(folder / f"our-{os.path.basename(path)}-{number}"))

        def theirs(number: int, command: list[str] = command, path: str = path) -> None:
            target = folder / f"their-{os.path.basename(path)}-{number}"
            target.mkdir()
            into = ["-C", str(target)] if command[0] == "tar" else ["-d", str(target)]
            shell(*command, path, *into)
            shell("sync", "-f", str(target))

        mine, other = race(ours, theirs)
        told = compared(mine, other, f"{command[0]} + sync")
        out(f"unpack {name} of {megabytes} MB: {told} (target 0.80)")


def bench_variable(folder: Path) -> None:
    home = folder / "home"
    home.mkdir()
    system = Linux({"HOME": str(home)}, home=str(home), config=str(home / "config"))

    def there_and_back(number: int) -> None:
        journal = Journal(folder / f"state{number}" / "journal")
        value = Value(text="/opt/a")
        step = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=value)
        apply(Plan(steps=(step,)), system, journal)
        system.write("user", "LD_LIBRARY_PATH", None)

    out(f"one variable there (and back): {best(there_and_back, 20) * 1000:.0f} ms (target 50)")


def bench_history(folder: Path, changes: int) -> None:
    """A person who changes something every day for ten years."""
    path = ";".join(f"C:\\Program Files\\Vendor {n}\\bin" for n in range(40))
    step = SetVariable(scope="user", name="Path", before=Value(text=path), after=Value(text=path))
    journal = Journal(folder / "journal")
    for number in range(changes):
        made = Entry(id=str(number), when="", plan=Plan(steps=(step,)), states=("done",))
        journal.record(made)
    out(f"history of {changes} changes, {os.path.getsize(journal.path) / 1e6:.1f} MB: read in "
        f"{best(lambda _n: journal.entries(), 5) * 1000:.0f} ms")  # fmt: skip


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 700
    with tempfile.TemporaryDirectory() as name:
        bench_download(Path(name), megabytes)
    with tempfile.TemporaryDirectory() as name:
        bench_unpack(Path(name), max(64, megabytes // 4))
    with tempfile.TemporaryDirectory() as name:
        bench_variable(Path(name))
    with tempfile.TemporaryDirectory() as name:
        bench_history(Path(name), 3650)


if __name__ == "__main__":
    main()
