"""Tests of subjects and copies, and what they prove about which copy each subject gets."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import msgspec

from cudnn_assistant.machine import (
    SYSTEM,
    CudnnCopy,
    Family,
    Gpu,
    Library,
    PythonEnvironment,
    Trial,
)
from cudnn_assistant.probe.children import Cancel, never
from cudnn_assistant.probe.disk import Disk
from cudnn_assistant.probe.pythons import library_folders
from cudnn_assistant.probe.trial import check_library, run_trial

MOST_ENVIRONMENTS = 8
MOST_GPUS = 8
MOST_CHECKS = 40
_AT_ONCE = max(2, min(4, os.cpu_count() or 2))
_OWN = ("wheel", "bundled", "conda")


def tried(
    environment: Mapping[str, str],
    family: Family,
    pythons: Sequence[PythonEnvironment],
    gpus: Sequence[Gpu] = (),
    *,
    deadline: float = 60.0,
    cancel: Cancel = never,
) -> tuple[Trial, ...]:
    """The cuDNN test of the system, then of environments whose framework brings its own cuDNN.

    Each on the GPU that programs take first; the first subject that passes is tested on the other
    GPUs as well. One after the other: two tests at once would compete for the GPU's memory.
    """
    found: list[Trial] = []
    others = ""
    for subject, folders, major in [(SYSTEM, (), 0), *_own_cudnn(pythons)]:
        test = partial(
            run_trial,
            environment,
            family,
            subject=subject,
            folders=folders,
            major=major,
            deadline=deadline,
            cancel=cancel,
        )
        found.append(test())
        if found[-1].status == "ok" and not others:
            others = subject
            found += [test(gpu=uuid) for uuid in _other_gpus(gpus, found[-1].gpu)]
    return tuple(found)


def _other_gpus(gpus: Sequence[Gpu], tested: str) -> list[str]:
    """UUIDs of the GPUs that CUDA shows besides the one that was tested."""
    shown = [one for one in gpus if one.cuda_index is not None and one.uuid and not one.mig]
    return [one.uuid for one in shown if one.uuid.lower() != tested.lower()][: MOST_GPUS - 1]


def _own_cudnn(
    pythons: Sequence[PythonEnvironment],
) -> list[tuple[str, tuple[str, ...], int]]:
    found: list[tuple[str, tuple[str, ...], int]] = []
    for one in pythons:
        owns = [f for f in one.frameworks if f.gpu and f.cudnn_from in _OWN]
        if owns and len(found) < MOST_ENVIRONMENTS:
            match = next((m for f in owns if (m := re.match(r"\d+", f.cudnn))), None)
            found.append((one.id, library_folders(one), int(match[0]) if match else 0))
    return found


def checked(
    copies: Sequence[CudnnCopy],
    libraries: Iterable[Library],
    environment: Mapping[str, str],
    family: Family,
    architecture: str,
    *,
    cancel: Cancel = never,
) -> tuple[CudnnCopy, ...]:
    """The copies with what loading each of them said; several children at a time.

    A copy for another processor, and one whose main file is no library, is not loaded: its files
    have said all there is.
    """
    companions = _companions(libraries)

    def check(copy: CudnnCopy) -> CudnnCopy:
        found = check_library(copy, environment, family, folders=companions, cancel=cancel)
        cuda = found.cuda if found else ""
        built = int(cuda.split(".")[0]) if cuda[:1].isdigit() else None
        return msgspec.structs.replace(copy, check=found, cuda_major=copy.cuda_major or built)

    wanted = [copy for copy in copies if _loadable(copy, architecture)][:MOST_CHECKS]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        done = dict(zip(map(id, wanted), pool.map(check, wanted), strict=True))
    return tuple(done.get(id(copy), copy) for copy in copies)


def _loadable(copy: CudnnCopy, architecture: str) -> bool:
    main = next((part for part in copy.parts if part.name == "cudnn"), None)
    whole = main is not None and main.state == "ok"
    # A dispatcher that is bundled alone finds its other parts elsewhere, or ends the process.
    return whole and copy.flavour != "shim" and copy.architecture in ("", architecture)


def _companions(libraries: Iterable[Library]) -> tuple[str, ...]:
    """Folders of cuBLAS and NVRTC of the system, for copies that have none beside them."""
    wanted = [one for one in libraries if one.name in ("cublasLt", "nvrtc")]
    outside = [one for one in wanted if not {"wheel", "bundled", "conda"} & {*one.found_via}]
    folders = (re.sub(r"[\\/][^\\/]*$", "", one.path) for one in outside)
    return tuple(dict.fromkeys(folders))[:8]


def winners(
    copies: Sequence[CudnnCopy], trials: Iterable[Trial], disk: Disk
) -> tuple[CudnnCopy, ...]:
    """The copies with the subjects that were seen to load them."""
    wins: dict[int, list[str]] = {}
    for trial in trials:
        copy = _loaded(copies, trial, disk) if trial.loaded and not trial.library else None
        if copy is not None and trial.subject not in wins.setdefault(id(copy), []):
            wins[id(copy)].append(trial.subject)
    return tuple(
        msgspec.structs.replace(copy, wins_for=tuple(wins[id(copy)])) if id(copy) in wins else copy
        for copy in copies
    )


def _loaded(copies: Sequence[CudnnCopy], trial: Trial, disk: Disk) -> CudnnCopy | None:
    """The copy whose main file was mapped. The system reports real paths, without links."""
    path = disk.canonical(trial.loaded)
    by_file = [copy for copy in copies if disk.canonical(disk.join(copy.folder, copy.file)) == path]
    by_folder = [copy for copy in by_file if disk.canonical(copy.folder) == disk.parent(path)]
    return next(iter(by_folder or by_file), None)
