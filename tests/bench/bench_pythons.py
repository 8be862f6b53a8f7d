"""How the cost of finding Python environments grows: 10 against 300, in one run.

    python tests/bench/bench_pythons.py

Each environment is of usual size: 120 packages, PyTorch with its fifteen NVIDIA wheels (RECORDs as
long as the real ones), every fifth with TensorFlow and ONNX Runtime as well. Prints the time and
the peak of memory for both numbers, and how much dearer one environment is among 300.
"""

# ruff: noqa: T201

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "probe"))

from forged_pythons import TENSORFLOW_2_20, TORCH_CUDA, Site, elf, linux_venv

from cudnn_assistant.machine import PythonEnvironment
from cudnn_assistant.probe.pythons.environments import pythons

FEW, MANY, ROUNDS = 10, 300, 5
WHEELS = (
    "cublas", "cuda_cupti", "cuda_nvrtc", "cuda_runtime", "cudnn", "cufft", "cufile", "curand",
    "cusolver", "cusparse", "cusparselt", "nccl", "nvjitlink", "nvshmem", "nvtx",
)  # fmt: skip
TARGETS = b"\0sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120\0"


def environment(root: Path, number: int) -> None:
    """One environment of usual size."""
    site = linux_venv(root)
    for other in range(100):
        site.put(f"package-{other}", "1.0")
    packages = [f"nvidia-{name.replace('_', '-')}-cu12" for name in WHEELS]
    for name, package in zip(WHEELS, packages, strict=True):
        files = {f"nvidia/{name}/lib/lib{name}{part}.so.12": b"" for part in range(3)}
        site.put(package, "12.8.90", files)
    torch(site, packages)
    if number % 5 == 0:
        facts = {"tensorflow/python/platform/build_info.py": TENSORFLOW_2_20}
        site.put("tensorflow", "2.20.0", facts)
        provider = "onnxruntime/capi/libonnxruntime_providers_cuda.so"
        site.put("onnxruntime-gpu", "1.23.2", {provider: elf(dynstr=b"\0libcudnn.so.9\0")})


def torch(site: Site, packages: list[str]) -> None:
    """PyTorch with the size of record and of read-only data that it really has."""
    record = [f"torch/include/header{number}.h" for number in range(11_000)]
    files = {
        "torch/version.py": TORCH_CUDA.format(version="2.9.1+cu128", cuda="'12.8'"),
        "torch/lib/libtorch_python.so": elf(rodata=bytes(900_000) + TARGETS),
    }
    site.put("torch", "2.9.1", files, requires=[f"{p}==12.8.90" for p in packages], gone=record)


def measured(home: Path) -> tuple[float, tuple[PythonEnvironment, ...]]:
    """Seconds of one look and what it found."""
    began = time.perf_counter()
    found = pythons("linux", {"HOME": "/home/me", "PATH": ""}, root=str(home), note=print)
    return time.perf_counter() - began, found


def main() -> None:
    """Forge both homes, then look at them in turn."""
    with tempfile.TemporaryDirectory() as folder:
        homes = {count: Path(folder, str(count)) for count in (FEW, MANY)}
        for count, home in homes.items():
            for number in range(count):
                environment(home / f"home/me/group{number % 20}/project{number}/.venv", number)
        measured(homes[FEW])  # imports packaging
        rows = {count: [measured(home) for _ in range(ROUNDS)] for count, home in homes.items()}
        each = {}
        for count, row in rows.items():
            assert {len(found) for _, found in row} == {count}
            seconds = statistics.median(time for time, _ in row)
            each[count] = seconds / count
            print(
                f"{count:4} environments: {seconds * 1e3:7.1f} ms, {each[count] * 1e3:.2f} ms each"
            )
        print(f"one of {MANY} costs {each[MANY] / each[FEW]:.2f} times one of {FEW}")
        tracemalloc.start()
        measured(homes[MANY])
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        whole = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
        print(f"peak of Python's memory {peak:.1f} MiB, of the whole process {whole:.0f} MiB")


if __name__ == "__main__":
    main()
