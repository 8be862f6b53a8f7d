"""Runs in Windows' Python: plants NVIDIA's layouts on Wine's drives, looks, and prints the facts.

``look_inside.py REPOSITORY LIBRARIES``; LIBRARIES is a folder with pure packages of the other
system (pefile, nvidia-ml-py), searched last.
"""

from __future__ import annotations

import os
import shutil
import sys
import winreg
from pathlib import Path
from typing import Any

sys.path.insert(0, sys.argv[1])
sys.path.insert(1, str(Path(sys.argv[1]) / "tests" / "lab"))
sys.path.append(sys.argv[2])

import images

from cudnn_assistant.machine import dump
from cudnn_assistant.probe import Wish, probe
from cudnn_assistant.system import winapi
from cudnn_assistant.system.windows import Windows

reg: Any = winreg
PROGRAMS = Path(os.environ["PROGRAMFILES"])
CUDA = PROGRAMS / "NVIDIA GPU Computing Toolkit" / "CUDA"
CUDNN = PROGRAMS / "NVIDIA" / "CUDNN"
DISPLAY = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}\0001"


def plant() -> None:
    images.cudnn_windows(CUDNN / "v9.8" / "bin" / "12.8", "9.8.0.87")
    images.header(CUDNN / "v9.8" / "include" / "12.8", "9.8.0")
    images.put(CUDA / "v13.0" / "bin" / "x64", "cudart64_13.dll", data=images.pe("6.14.11.13000"))
    (CUDA / "v13.0" / "version.json").write_text('{"cuda": {"version": "13.0.2"}}')
    old = images.cudnn_windows(Path("C:/tools/cuda/bin"), "8.9.7.29")
    (old / "cudnn_cnn_infer64_8.dll").unlink()
    images.put(Path("C:/windows/system32"), "zlibwapi.dll")
    with reg.CreateKey(reg.HKEY_CURRENT_USER, "Environment") as key:
        text = r"%ProgramFiles%\NVIDIA\CUDNN\v9.8\bin;C:\TOOLS\cuda\bin" + "\\"
        reg.SetValueEx(key, "Path", 0, reg.REG_EXPAND_SZ, text)
        reg.SetValueEx(key, "CUDA_PATH", 0, reg.REG_SZ, str(CUDA / "v13.0"))
    with reg.CreateKey(reg.HKEY_LOCAL_MACHINE, DISPLAY) as key:
        for name, text in (("ProviderName", "NVIDIA"), ("DriverVersion", "32.0.15.7261")):
            reg.SetValueEx(key, name, 0, reg.REG_SZ, text)


def clear() -> None:
    """The drive and the registry are shared with other tests."""
    for folder in (CUDNN.parent, CUDA.parent, Path("C:/tools")):
        shutil.rmtree(folder, ignore_errors=True)
    Path("C:/windows/system32/zlibwapi.dll").unlink()
    with reg.CreateKey(reg.HKEY_CURRENT_USER, "Environment") as key:
        for name in ("Path", "CUDA_PATH"):
            reg.DeleteValue(key, name)
    reg.DeleteKey(reg.HKEY_LOCAL_MACHINE, DISPLAY)


class Mute(winapi.WindowsApi):
    """Wine 8 leaves the user's PATH out of the block of a new program; we work it out."""

    def environment_block(self) -> dict[str, str]:
        raise OSError


plant()
try:
    seen = probe(Windows(api=Mute()), Wish(trial=False))
finally:
    clear()
sys.stdout.buffer.write(dump(seen) + b"\n")
