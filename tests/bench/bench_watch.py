# ruff: noqa: T201
"""What watching costs the program that is watched: processor time of both, in one run.

python tests/bench/bench_watch.py [SECONDS]
"""

from __future__ import annotations

import resource
import sys

from cudnn_assistant.probe.watch import watch


def main(seconds: float) -> None:
    """Watch a busy program and print our share."""
    busy = (
        f"import time\nend = time.process_time() + {seconds}\nwhile time.process_time() < end: pass"
    )
    before = resource.getrusage(resource.RUSAGE_SELF)
    seen = watch([sys.executable, "-c", busy])
    after = resource.getrusage(resource.RUSAGE_SELF)
    ours = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"program {seen.seconds:.2f} s, watcher {ours:.2f} s of processor: {ours / seconds:.1%}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if sys.argv[1:] else 10.0)
