"""The numbers that Windows is told about a job stand where Windows' own header has them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import needs

from cudnn_assistant.probe.running.windows_job import Limits, _Memory, limits

FIELDS = {
    "flags": "BasicLimitInformation.LimitFlags",
    "processes": "BasicLimitInformation.ActiveProcessLimit",
    "affinity": "BasicLimitInformation.Affinity",
    "process_memory": "ProcessMemoryLimit",
    "job_memory": "JobMemoryLimit",
    "peak_job_memory": "PeakJobMemoryUsed",
}


def test_the_header_of_windows_says_the_same(tmp_path: Path) -> None:
    compiler = "x86_64-w64-mingw32-gcc"
    needs.require(compiler)
    job, memory = "JOBOBJECT_EXTENDED_LIMIT_INFORMATION", "PROCESS_MEMORY_COUNTERS"
    said = [(f"offsetof({job}, {name})", getattr(Limits, ours).offset)
            for ours, name in FIELDS.items()]  # fmt: skip
    said.append((f"offsetof({memory}, WorkingSetSize)", _Memory.held.offset))
    kinds = ("KILL_ON_JOB_CLOSE", "JOB_MEMORY", "ACTIVE_PROCESS")
    flags = " | ".join(f"JOB_OBJECT_LIMIT_{kind}" for kind in kinds)
    said.append((flags, limits(1).flags))
    lines = [f'_Static_assert(({c}) == {ours}, "{c}");' for c, ours in said]
    source = tmp_path / "job.c"
    heads = "#include <stddef.h>\n#include <windows.h>\n#include <psapi.h>\n"
    source.write_text(heads + "\n".join(lines))
    done = subprocess.run([compiler, "-fsyntax-only", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
