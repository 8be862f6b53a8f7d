"""What a program of the person gets from outside, and the parts of it that can be left out."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from cudnn_assistant import envpath
from cudnn_assistant.envpath import separator
from cudnn_assistant.machine import Difference, DifferenceKind, Family

LIMITS = ("AS", "DATA", "STACK", "NOFILE", "NPROC", "MEMLOCK")
"""Limits of a process (setrlimit) that were seen to keep CUDA or cuDNN from starting."""
_ENOUGH = {"STACK": 1 << 20, "NOFILE": 256, "NPROC": 1024, "MEMLOCK": 64 << 10}
"""Soft limits that disturb nothing; of AS and DATA only "none at all" does."""
_VARIABLES = re.compile(
    r"(?i)CUDA_(?!HOME$|PATH|VERSION$)|CUDNN_(?!HOME$|PATH$|LOG|VERSION$)|CUBLAS|NCCL_(?!VERSION$)"
    r"|NVIDIA_TF32|TORCH_(?!HOME)|PYTORCH_(?!VERSION$)|TF_(?!FORCE_GPU_ALLOW_GROWTH)"
    r"|XLA_(?!PYTHON_CLIENT_PREALLOCATE)|JAX_|ORT_|PYTHON(PATH|HOME)$"
)


class Conditions(NamedTuple):
    """Surroundings of a program."""

    environment: Mapping[str, str]
    folder: str = ""
    """Where it starts; "": a folder of the system."""
    lifted: tuple[str, ...] = ()
    """Limits that are raised as far as the system lets everybody."""


class Removal(NamedTuple):
    """One part of the conditions that can be left out."""

    kind: DifferenceKind
    name: str
    without: str
    change: Callable[[Conditions], Conditions]


def difference(removals: Sequence[Removal]) -> Difference:
    """What leaving out these parts, which are of one kind, is called in the snapshot."""
    first = removals[0]
    same = all((one.kind, one.name) == (first.kind, first.name) for one in removals)
    return Difference(
        kind=first.kind if same else "settings",
        name=first.name if same else "",
        without=tuple(one.without if same else f"{one.name}={one.without}" for one in removals),
    )


def groups(conditions: Conditions, family: Family) -> Iterator[tuple[Removal, ...]]:
    """What can be left out, by kind, the most telling kind first."""
    yield tuple(_preloads(conditions.environment))
    yield tuple(_entries(conditions.environment, family))
    if conditions.folder:
        yield (Removal("working-folder", "", conditions.folder, lambda s: s._replace(folder="")),)
    yield tuple(_limits())
    yield tuple(_variables(conditions.environment))


def _without(name: str, text: str | None) -> Callable[[Conditions], Conditions]:
    def change(conditions: Conditions) -> Conditions:
        changed = {key: value for key, value in conditions.environment.items() if key != name}
        return conditions._replace(environment=changed if text is None else {**changed, name: text})

    return change


def _preloads(environment: Mapping[str, str]) -> Iterator[Removal]:
    # The loader splits at blanks and colons alike (ld.so(8)).
    split = re.compile(r"[ :]").split
    for path in dict.fromkeys(filter(None, split(environment.get("LD_PRELOAD", "")))):
        yield Removal("preload", "LD_PRELOAD", path, _less("LD_PRELOAD", path, split, ":"))


def _entries(environment: Mapping[str, str], family: Family) -> Iterator[Removal]:
    """Entries of the search list, each in all its places, without those that lead to the driver."""
    wanted = "PATH" if family == "windows" else "LD_LIBRARY_PATH"
    name = next((key for key in environment if key.upper() == wanted), wanted)
    text = environment.get(name, "")
    for entry in dict.fromkeys(envpath.split(text, family)):
        if not _needed(entry, family):
            split = partial(envpath.split, family=family)
            yield Removal("search-entry", name, entry, _less(name, entry, split, separator(family)))


def _less(
    name: str, gone: str, split: Callable[[str], Iterable[str]], separator: str
) -> Callable[[Conditions], Conditions]:
    def change(conditions: Conditions) -> Conditions:
        kept = [entry for entry in split(conditions.environment.get(name, "")) if entry != gone]
        return _without(name, separator.join(kept) if any(kept) else None)(conditions)

    return change


def _needed(entry: str, family: Family) -> bool:
    """Whether the test couldn't run without a folder: the system's own, or the driver's alone."""
    if family == "windows":
        root = os.environ.get("SYSTEMROOT", r"C:\Windows").lower()
        return entry.strip('"').lower().startswith(root)
    try:
        names = os.listdir(entry or ".")
    except OSError:
        return False
    driver = any(name.startswith("libcuda.so") for name in names)
    return driver and not any(name.startswith("libcudnn") for name in names)


def _limits() -> Iterator[Removal]:
    if sys.platform == "win32":
        return
    import resource

    for name in LIMITS:
        soft, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        low = soft != resource.RLIM_INFINITY and soft < _ENOUGH.get(name, soft + 1)
        if low and soft != hard:
            yield Removal("limit", name, str(soft), _lift(name))


def _lift(name: str) -> Callable[[Conditions], Conditions]:
    return lambda conditions: conditions._replace(lifted=(*conditions.lifted, name))


def _variables(environment: Mapping[str, str]) -> Iterator[Removal]:
    for name, text in environment.items():
        if _VARIABLES.match(name):
            yield Removal("variable", name, text, _without(name, None))
