"""What the cuDNN test costs, beside a C program that makes the same calls. Needs a GPU.

    python tests/bench/bench_trial.py /path/to/folder/with/libcudnn.so.9 [rounds]

Prints one table; the limits are those of the project's own promise: forward only at most 1.5
times the C program's wall time with the files cached, all types below 3 s, peak memory at most
1.2 times. Where there are several GPUs, both are run on all of them side by side as well: what
the C program takes longer there is the driver's own queue (on a virtual machine with four H200,
one process that calls nothing but cuInit takes 0.3 s, four beside each other 1.4 s), and the test
may add at most a tenth to it.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    if sys.argv[1] == "--one":
        print(json.dumps(one(json.loads(sys.argv[2]))))  # noqa: T201
        return
    folder, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / "conv"
        source = str(HERE / "conv.c")
        subprocess.run(["gcc", "-O2", "-w", "-o", program, source, "-ldl"], check=True)
        c_program(program, folder)  # the files come into the cache
        rows = {
            "C program": [c_program(program, folder) for _ in range(rounds)],
            "test, forward only": [apart({"library": folder}) for _ in range(rounds)],
            "test, all types": [apart({"library": folder, "full": True}) for _ in range(rounds)],
        }
        for count in range(2, len(gpus()) + 1, 2):
            one_c, one_test = partial(c_program, program, folder), partial(tested, folder)
            rows[f"C program x {count}"] = [beside(count, one_c) for _ in range(rounds)]
            rows[f"test x {count}"] = [beside(count, one_test) for _ in range(rounds)]
    show(rows)


def gpus() -> list[str]:
    """UUIDs of the GPUs, as the driver's own program lists them: "GPU 0: NAME (UUID: GPU-…)"."""
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    return [line.rpartition(" ")[2].rstrip(")") for line in listed.splitlines()]


def beside(count: int, program: Callable[[str], dict]) -> dict:
    """The slowest of ``count`` runs that began together, each on a GPU of its own."""
    began = time.monotonic()
    with ThreadPoolExecutor(count) as threads:
        found = list(threads.map(program, gpus()[:count]))
    slowest = max(found, key=lambda row: row["ms"])
    return slowest | {"ms": (time.monotonic() - began) * 1000}


def tested(folder: str, gpu: str) -> dict:
    return apart({"library": folder, "gpu": gpu})


def show(rows: dict[str, list[dict]]) -> None:
    base = rows["C program"]
    wall = statistics.median(row["ms"] for row in base)
    peak = statistics.median(row["kib"] for row in base)
    for name, found in rows.items():
        ms = statistics.median(row["ms"] for row in found)
        kib = statistics.median(row["kib"] for row in found)
        spread = f"{min(r['ms'] for r in found):.0f}-{max(r['ms'] for r in found):.0f}"
        line = f"{name:20} {ms:8.0f} ms ({spread})  x{ms / wall:.2f}   {kib / 1024:7.0f} MiB"
        print(f"{line}  x{kib / peak:.2f}   {found[0].get('stages', '')}")  # noqa: T201


def c_program(program: Path, folder: str, gpu: str = "") -> dict:
    main = next(Path(folder).glob("libcudnn.so.[789]"))
    began = time.monotonic()
    environment = {**os.environ, "LD_LIBRARY_PATH": searched(folder)}
    if gpu:
        environment["CUDA_VISIBLE_DEVICES"] = gpu
    done = subprocess.run([program, main], env=environment, capture_output=True, text=True)
    ms = (time.monotonic() - began) * 1000
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    stages = {line.split()[0]: float(line.split()[1]) for line in done.stdout.splitlines()[:-1]}
    return {"ms": ms, "kib": int(done.stdout.split()[-2]), "stages": stages}


def searched(folder: str) -> str:
    sys.path.insert(0, str(HERE.parent.parent))
    from cudnn_assistant.probe.trials.child_environment import of_copy

    return of_copy(os.environ, "linux", folder, ())[0]["LD_LIBRARY_PATH"]


def apart(wish: dict) -> dict:
    """One test in a process of its own, so that the children's peak memory is this child's."""
    command = [sys.executable, str(Path(__file__)), "--one", json.dumps(wish)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return json.loads(done.stdout)


def one(wish: dict) -> dict:
    sys.path.insert(0, str(HERE.parent.parent))
    from cudnn_assistant.probe.trials.trial import run_trial

    began = time.monotonic()
    trial = run_trial(dict(os.environ), "linux", **wish)
    ms = (time.monotonic() - began) * 1000
    if trial.status != "ok":
        sys.exit(f"{trial.stage} {trial.status} {trial.code_name} {trial.detail}\n{trial.output}")
    return {
        "ms": ms,
        "kib": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
        "stages": {time.stage: round(time.milliseconds, 1) for time in trial.times},
    }


if __name__ == "__main__":
    main()
