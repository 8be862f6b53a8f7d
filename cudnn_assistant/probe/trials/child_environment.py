"""The environment variables that a test child gets."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from cudnn_assistant import places
from cudnn_assistant.envpath import join, search_list, split, value_of
from cudnn_assistant.machine import Family
from cudnn_assistant.probe.files.disk import names_in

Environment = Mapping[str, str]

_OF_PYTHON = re.compile(r"(?i)python(\d*\.dll|\.exe)|vcruntime140(_1)?\.dll")
"""What Windows' Python needs beside itself; all else it finds through pyvenv.cfg."""

_CUDA_FOLDERS = ("cublas", "cuda_nvrtc", "nvrtc", "cu13", "cu12", "cuda_runtime", "nvjitlink")
"""Folders beside nvidia/cudnn in an environment, as the wheels' own RUNPATHs name them."""


def talkative(environment: Environment) -> dict[str, str]:
    """The same, with cuDNN saying its reasons on standard error unless it is told otherwise.

    cuDNN 8 has no other way to say why. Nothing is added about where libraries are found.
    """
    wishes = {
        "CUDNN_LOGLEVEL_DBG": "1",  # 9: errors only
        "CUDNN_LOGERR_DBG": "1",  # 8
        "CUDNN_LOGDEST_DBG": "stderr",
    }
    return wishes | dict(environment)


def for_gpu(environment: Environment, gpu: str) -> dict[str, str]:
    """The same, with only that GPU visible, so that the driver need not start all of them.

    A CUDA_VISIBLE_DEVICES of the person's stays as it is: a GPU that it hides is hidden.
    """
    if not gpu.upper().startswith(("GPU-", "MIG-")) or "CUDA_VISIBLE_DEVICES" in environment:
        return dict(environment)
    return {**environment, "CUDA_VISIBLE_DEVICES": gpu}


def of_copy(
    environment: Environment, family: Family, folder: str, folders: Sequence[str]
) -> tuple[dict[str, str], list[str]]:
    """For one copy alone: an environment that finds no other, and the folders of CUDA's libraries.

    These are what lies beside the copy as in wheels, then those of ``folders`` that hold no
    other cuDNN. Folders of the person's own search list stay behind it as long as they hold no
    cuDNN: the driver's library is found through one of them in containers, under WSL and on NixOS.
    """
    others = (entry for entry in map(str, folders) if not holds_cudnn(entry))
    cuda_folders = [*beside(folder, family), *others]
    name, own = search_list(environment, family)
    kept = [entry for entry in own if entry and not holds_cudnn(entry)]
    changed = {**environment, name: join([folder, *cuda_folders, *kept], family)}
    changed.pop("LD_PRELOAD", None)
    return changed, cuda_folders


@contextmanager
def apart() -> Iterator[str]:
    """A copy of the interpreter that runs our children, in a folder with no other library."""
    home = places.program_folder()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for name in filter(_OF_PYTHON.fullmatch, os.listdir(home)):
            shutil.copy(os.path.join(home, name), folder)
        for name in (name for name in os.listdir(home) if name.endswith("._pth")):
            # That of Setup knows its folders by this file, from where it lies.
            with open(os.path.join(home, name), encoding="utf-8") as listed:
                lines = listed.read().splitlines()
            # Lines of comments and imports stay: they name no folder.
            kept = [x if x.startswith(("#", "import ")) else os.path.join(home, x) for x in lines]
            _write(folder, name, *kept)
        _write(folder, "pyvenv.cfg", f"home = {home}")
        yield os.path.join(folder, "python.exe")


def _write(folder: str, name: str, *lines: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def searched_by_windows(environment: Environment, first: Sequence[str]) -> list[str]:
    """Folders in the order Windows looks for a DLL: ours, the system's, PATH."""
    root = value_of(environment, "SYSTEMROOT", "windows") or r"C:\Windows"
    path = split(value_of(environment, "PATH", "windows"), "windows")
    folders = [*first, os.path.join(root, "System32"), root, *(e.strip(' "') for e in path)]
    return [folder for folder in folders if folder]


def beside(folder: str, family: Family) -> list[str]:
    """Existing folders of cuBLAS and NVRTC beside a copy that lies in nvidia/cudnn."""
    packages = os.path.dirname(os.path.dirname(folder.rstrip("/\\")))
    names = ("bin", os.path.join("bin", "x86_64")) if family == "windows" else ("lib",)
    found = (os.path.join(packages, part, name) for part in _CUDA_FOLDERS for name in names)
    return [path for path in found if os.path.isdir(path)]


def holds_cudnn(folder: str) -> bool:
    """Whether any file in a folder is named as one of cuDNN's."""
    return any(name.lower().startswith(("libcudnn", "cudnn")) for name in names_in(folder))
