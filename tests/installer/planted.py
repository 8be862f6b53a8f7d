"""A driver, a GPU and a cuDNN for Windows: the stubs of tests/lab, compiled with MinGW."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from lab import driver, images

if TYPE_CHECKING:
    from windows_desktop import Desktop

HERE = Path(__file__).parent
KEY = "HKLM\\System\\CurrentControlSet\\Control\\Session Manager\\Environment"
CUDNN = "Program Files/NVIDIA/CUDNN/v9.10/bin/12.9"

CUDA = ("cudart64_12.dll", "cublas64_12.dll", "cublasLt64_12.dll", "nvrtc64_120_0.dll")

PARTS = (
    "graph",
    "ops",
    "cnn",
    "adv",
    "heuristic",
    "engines_precompiled",
    "engines_runtime_compiled",
)


def gpu(windows: Desktop) -> None:
    """A GeForce RTX 4090 with its driver in System32."""
    driver_files(windows.drive / "windows" / "system32")


def driver_files(system: Path) -> None:
    """What stands for a driver 581.15 with one GeForce RTX 4090."""
    compiled("nvml_stub.c", system / "nvml.dll")
    compiled("cuda_stub.c", system / "nvcuda.dll")
    known = {"driver": "581.15", "cuda": 13000, "gpus": 1}
    lines = [f"{name}={value}" for name, value in known.items()]
    lines += [f"gpu.0.{name}={value}" for name, value in driver.RTX_4090.items()]
    (system / "facts").write_text("\n".join(lines) + "\n")


def cudnn_files(folder: Path) -> None:
    """What stands for cuDNN 9.10."""
    compiled("cudnn_stub.c", folder / "cudnn64_9.dll", "-DMAJOR=9")
    for part in PARTS:
        compiled("facts.h", folder / f"cudnn_{part}64_9.dll", "-xc")


def cudnn(windows: Desktop, *, on_path: bool) -> None:
    """A cuDNN where NVIDIA's installer puts it, and its folder on the machine's PATH.

    The person's PATH would be the usual place, but Wine 8 leaves it out of a new program's.
    """
    cudnn_files(windows.drive / CUDNN)
    folder = "C:\\" + CUDNN.replace("/", "\\")
    path = "C:\\windows\\system32;C:\\windows" + (f";{folder}" if on_path else "")
    windows.run("reg", "add", KEY, "/v", "PATH", "/t", "REG_EXPAND_SZ", "/d", path, "/f")


def compiled(source: str, target: Path, *options: str) -> None:
    """A stub of tests/lab as a DLL; the folder ``mingw`` has what it takes from Linux."""
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["x86_64-w64-mingw32-gcc", "-O2", "-w", "-shared", "-s", f"-I{HERE / 'mingw'}", *options,
         "-o", str(target), str(HERE.parent / "lab" / source)],
        check=True, env={"PATH": os.environ["PATH"]},
    )  # fmt: skip


def stubs(folder: Path) -> None:
    """What on_windows.py takes: the driver's files, cuDNN's, and a CUDA toolkit."""
    driver_files(folder / "driver")
    cudnn_files(folder / "cudnn")
    images.put(folder / "cuda" / "bin", *CUDA, data=images.pe("6.14.11.12090"))
    (folder / "cuda" / "version.json").write_text('{"cuda": {"version": "12.9.1"}}')
