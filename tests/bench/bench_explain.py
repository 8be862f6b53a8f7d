# ruff: noqa: T201
"""How long explain takes for a hostile log, and how much memory.

    python tests/bench/bench_explain.py [MEGABYTES]

How often it is right, ``python -m installer.words --cross`` tells.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile

NEAR_MISSES = (
    "Could not load dynamic librar 'cudart64_100.dll; dlerror cudart64_100 dll not foun",
    "NVRM: Xid (PCI:0000:01:00: seventynine, pid=1, name=python cudnn cublas nvidia",
    "CUDNN_STATUS_INTERNAL_ERRO CUDNN_STATUS_NOT_INITIALIZE cuda out of memor",
    "RuntimeError: cuDNN versio incompatibility: PyTorch was compiled agains (8, 3, 2",
)
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def hostile(megabytes: int) -> str:
    """Near-misses that differ in letters, so that no line can be skipped as seen before."""
    size, parts = megabytes * 1_000_000, []
    for number in range(10**9):
        word = number.to_bytes(4, "big").hex().translate(_LETTERS)
        parts.append(f"{word} {NEAR_MISSES[number % len(NEAR_MISSES)]}")
        size -= len(parts[-1]) + 1
        if size < 0:
            return "\n".join(parts)
    raise AssertionError


def main() -> None:
    """The command line on one text, in processor time: a clock on the wall measures others too."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    with tempfile.NamedTemporaryFile("w", suffix=".log") as log:
        log.write(hostile(megabytes))
        log.flush()
        command = (sys.executable, "-m", "cudnn_assistant", "explain", log.name)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    took, memory = used.ru_utime + used.ru_stime, used.ru_maxrss / 1000
    print(f"{megabytes} MB: {took:.1f} s of a processor, {memory:.0f} MB at most")


if __name__ == "__main__":
    main()
