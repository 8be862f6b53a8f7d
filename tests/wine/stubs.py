"""The lab's stub driver and cuDNN as DLLs for Windows, compiled by MinGW."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

_COMPILER = "x86_64-w64-mingw32-gcc"
_RESOURCES = "x86_64-w64-mingw32-windres"
_LAB = Path(__file__).parents[1] / "lab"
_INCLUDE = Path(__file__).with_name("include")
TOOLS = (_COMPILER, _RESOURCES)
_OPTIONS = ("-O2", "-shared", "-w", "-s", "-static-libgcc", "-D__USE_MINGW_ANSI_STDIO=1",
            "-Wl,--export-all-symbols", f"-I{_INCLUDE}")  # fmt: skip
CUDNN = ("9.10.2.21", "9.1.0.70", "8.9.7.29")
"""Versions of cuDNN that are compiled, into cudnn-VERSION.dll."""


def build(folder: Path) -> None:
    """nvml.dll, nvcuda.dll and the cuDNNs into ``folder``."""
    for source, name in (("nvml_stub.c", "nvml.dll"), ("cuda_stub.c", "nvcuda.dll")):
        _compile(folder / name, str(_LAB / source))
    for version in CUDNN:
        _cudnn(folder, version)


def _cudnn(folder: Path, version: str) -> None:
    major, minor, patch, _ = map(int, version.split("."))
    number = major * (10000 if major >= 9 else 1000) + minor * 100 + patch
    script, resource = folder / "version.rc", folder / "version.res"
    numbers = version.replace(".", ",")
    script.write_text(f"1 VERSIONINFO\nFILEVERSION {numbers}\nPRODUCTVERSION {numbers}\n"
                      "BEGIN\nEND\n")  # fmt: skip
    subprocess.run([_RESOURCES, script, "-O", "coff", "-o", resource], check=True)
    source = folder / f"cudnn-{version}.c"
    text = (_LAB / "cudnn_stub.c").read_text(encoding="utf-8")
    source.write_text(re.sub(r"\b(?:91002|8907)\b", str(number), text), encoding="utf-8")
    options = (f"-DMAJOR={major}", str(source), str(resource))
    _compile(folder / f"cudnn-{version}.dll", *options)


def _compile(target: Path, *arguments: str) -> None:
    subprocess.run([_COMPILER, *_OPTIONS, "-o", target, *arguments], check=True)
