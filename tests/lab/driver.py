"""A fake NVIDIA driver: real shared libraries, compiled from the stubs, that say what they're told.

``FakeDriver(folder).write(...)`` puts ``libnvidia-ml.so.1`` and ``libcuda.so.1`` into a folder;
a program started with that folder in LD_LIBRARY_PATH has that driver. The program under test,
with its nvidia-ml-py, ctypes and cuda-python, is the real one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent

RTX_4090 = {
    "name": "NVIDIA GeForce RTX 4090",
    "uuid": "GPU-5c6a2b1e-0f3d-4e77-9a41-aa0000000001",
    "bus": "00000000:01:00.0",
    "device": 0x2684,
    "compute": 89,
    "total": 24 << 30,
    "used": 2 << 30,
    "reserved": 512 << 20,
    "temperature": 41,
    "display": 1,
}
A100 = {
    "name": "NVIDIA A100-SXM4-80GB",
    "uuid": "GPU-77777777-0f3d-4e77-9a41-aa0000000002",
    "bus": "00000000:41:00.0",
    "device": 0x20B2,
    "compute": 80,
    "total": 80 << 30,
    "used": 0,
    "reserved": 600 << 20,
    "ecc": 1,
    "ecc_uncorrected": 0,
    "remap_pending": 0,
    "mig": 0,
    "display": 0,
}


@cache
def workshop() -> Path:
    """Where stubs are compiled."""
    return Path(tempfile.mkdtemp(prefix="lab-"))


@cache
def compiled(source: str, name: str, *options: str) -> Path:
    """A stub as a shared library, compiled once for all tests of all processes."""
    words = (str(HERE / source), "-O2", "-shared", "-fPIC", "-w", f"-Wl,-soname,{name}", *options)
    folder = _stubs() / hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
    if not (folder / name).exists():
        folder.mkdir(parents=True, exist_ok=True)
        made = folder / str(os.getpid())
        subprocess.run(["gcc", "-o", made, *words], check=True, env={"PATH": os.environ["PATH"]})
        # Another process may have been quicker: then its own is exchanged for the same.
        made.replace(folder / name)
    return folder / name


def _stubs() -> Path:
    """Where all processes of one run keep compiled stubs."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    return workshop().with_name(f"lab-{run}") if run else workshop()


def write(
    folder: Path,
    *gpus: Mapping[str, object],
    nvml_file: str = "libnvidia-ml.so.1",
    cuda_file: str = "libcuda.so.1",
    **facts: object,
) -> Path:
    """Put a driver with these GPUs into ``folder``; "" leaves a library out.

    A name with a version ("libcuda.so.580.65.06") gets a link with the name that programs open.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = {"driver": "580.65.06", "cuda": 13000, "gpus": len(gpus), **facts}
    lines = [f"{key}={value}" for key, value in known.items()]
    for number, gpu in enumerate(gpus):
        lines += [f"gpu.{number}.{key}={value}" for key, value in gpu.items()]
    (folder / "facts").write_text("\n".join(lines) + "\n")
    _put(folder, "nvml_stub.c", "libnvidia-ml.so.1", nvml_file)
    _put(folder, "cuda_stub.c", "libcuda.so.1", cuda_file)
    return folder


def _put(folder: Path, source: str, soname: str, name: str) -> None:
    if name:
        shutil.copy(compiled(source, soname), folder / name)
        if name != soname:
            (folder / soname).symlink_to(name)
