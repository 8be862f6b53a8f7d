"""What a program of the person gets from outside, and the parts of it that can be left out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from cudnn_assistant import envpath
from cudnn_assistant.machine import Difference, DifferenceKind, Family
from cudnn_assistant.probe.computer.host import low_limits
from cudnn_assistant.probe.files.disk import names_in
from cudnn_assistant.probe.trials.child_environment import holds_cudnn
from cudnn_assistant.system.known_variables import matters

_VARIABLES = re.compile(
    r"(?i)CUDA_(?!HOME$|PATH|VERSION$)|CUDNN_(?!HOME$|PATH$|LOG|VERSION$)|CUBLAS|NCCL_(?!VERSION$)"
    r"|NVIDIA_TF32|TORCH_(?!HOME)|PYTORCH_(?!VERSION$)|TF_(?!FORCE_GPU_ALLOW_GROWTH)"
    r"|XLA_(?!PYTHON_CLIENT_PREALLOCATE)|JAX_|ORT_|PYTHON(PATH|HOME)$"
)
_OF_EVERY_LOGIN = re.compile(
    r"(?i)(HOME|USER|LOGNAME|SHELL|PWD|TERM|LANG|LC_\w+|PATH|LD_LIBRARY_PATH|LD_PRELOAD"
    r"|SYSTEM(ROOT|DRIVE)|WINDIR|COMSPEC|PATHEXT|OS|TE?MP|USER(NAME|PROFILE|DOMAIN\w*)"
    r"|HOME(DRIVE|PATH)|(LOCAL)?APPDATA|ALLUSERSPROFILE|PUBLIC|PROGRAM(DATA|FILES.*|W6432)"
    r"|COMMONPROGRAM.*|NUMBER_OF_PROCESSORS|PROCESSOR_\w+|COMPUTERNAME|SESSIONNAME|WINE\w*)$"
)
"""Variables that programs can count on; the lists among them are taken apart entry by entry."""


class Conditions(NamedTuple):
    """Surroundings of a program."""

    environment: Mapping[str, str]
    folder: str = ""
    """Where it starts; "": a folder of the system."""
    lifted: tuple[str, ...] = ()
    """Limits that are raised as far as the system lets everybody."""
    starts: tuple[str, ...] = ()
    """Files that its Python runs by itself when it starts."""
    beside: str = ""
    """Windows: the folder of the program itself, which comes before all others; "": one without."""


class Removal(NamedTuple):
    """One part of the conditions that can be left out."""

    kind: DifferenceKind
    name: str
    without: str
    change: Callable[[Conditions], Conditions]
    told: bool = True
    """Whether its text may be kept; that of variables of which we know nothing may be a secret."""

    @property
    def text(self) -> str:
        """What is left out, with its name."""
        return f"{self.name}={self.without}" if self.told else self.name


def difference(removals: Sequence[Removal], *, proven: bool) -> Difference:
    """What leaving out these parts is called in the snapshot.

    Variables of which we know nothing are named only where they are ``proven`` to matter.
    """
    first = removals[0]
    same = all((one.kind, one.name) == (first.kind, first.name) for one in removals)
    shown = [one for one in removals if one.told or (proven and not same)]
    return Difference(
        kind=first.kind if same else "settings",
        name=first.name if same and (proven or first.told) else "",
        without=tuple(one.without if same else one.text for one in shown),
    )


def groups(conditions: Conditions, family: Family) -> Iterator[tuple[Removal, ...]]:
    """What can be left out, by kind, the most telling kind first."""
    yield tuple(_preloads(conditions.environment))
    yield tuple(_entries(conditions.environment, family))
    if conditions.folder:
        yield (Removal("working-folder", "", conditions.folder, lambda s: s._replace(folder="")),)
    if family == "windows" and holds_cudnn(conditions.beside):
        folder = conditions.beside
        yield (Removal("program-folder", "", folder, lambda now: now._replace(beside="")),)
    yield tuple(_starts(conditions.starts))
    yield tuple(_limits())
    yield tuple(_variables(conditions.environment))


def last_resorts(conditions: Conditions, family: Family) -> Iterator[tuple[Removal, ...]]:
    """What is tried when nothing of :func:`groups` helps."""
    if family == "linux":
        yield from ((one,) for one in _entries(conditions.environment, family, of_driver=True))
    yield from ((one,) for one in _orders(conditions.environment, family))
    yield _as_after_login(conditions)


def _as_after_login(conditions: Conditions) -> tuple[Removal, ...]:
    """All variables that neither every login has nor a kind of :func:`groups` names."""
    known = (_OF_EVERY_LOGIN.match, _VARIABLES.match)
    return tuple(
        Removal("variable", name, text, partial(_with, name, None), told=matters(name))
        for name, text in conditions.environment.items()
        if not any(kind(name) for kind in known)
    )


def _with(name: str, text: str | None, now: Conditions) -> Conditions:
    """With another text of a variable, or without it."""
    changed = {key: value for key, value in now.environment.items() if key != name}
    return now._replace(environment=changed if text is None else {**changed, name: text})


def _listed(environment: Mapping[str, str], name: str, family: Family) -> Sequence[str]:
    text = environment.get(name, "")
    # The loader splits this one at blanks and colons alike (ld.so(8)).
    return re.split("[ :]", text) if name == "LD_PRELOAD" else envpath.searched(text, family)


def _preloads(environment: Mapping[str, str]) -> Iterator[Removal]:
    for path in dict.fromkeys(filter(None, _listed(environment, "LD_PRELOAD", "linux"))):
        change = partial(_less, "LD_PRELOAD", path, "linux")
        yield Removal("preload", "LD_PRELOAD", path, change)


def _entries(
    environment: Mapping[str, str], family: Family, *, of_driver: bool = False
) -> Iterator[Removal]:
    """Entries of the search list, each in all its places: those that lead to the driver, or all
    others in which anything can be found."""
    name, entries = envpath.search_list(environment, family)
    for entry in dict.fromkeys(entries):
        if _needed(entry, family) is of_driver and _may_hold_libraries(entry, family):
            yield Removal("search-entry", name, entry, partial(_less, name, entry, family))


def _orders(environment: Mapping[str, str], family: Family) -> Iterator[Removal]:
    """Entries with files of cuDNN, behind all others instead of where they stand.

    A folder may hold a copy that is in the way, and beside it what cuDNN needs.
    """
    name, entries = envpath.search_list(environment, family)
    for entry in (e for e in dict.fromkeys(entries[:-1]) if holds_cudnn(e)):
        change = partial(_less, name, entry, family, behind=True)
        yield Removal("search-order", name, entry, change)


def _less(
    name: str, gone: str, family: Family, now: Conditions, *, behind: bool = False
) -> Conditions:
    kept = [entry for entry in _listed(now.environment, name, family) if entry != gone]
    kept += [gone] * behind
    return _with(name, envpath.join(kept, family) if any(kept) else None, now)


def _needed(entry: str, family: Family) -> bool:
    """Whether the test couldn't run without a folder: the system's own, or the driver's alone."""
    if family == "windows":
        return envpath.inside(entry, os.environ.get("SYSTEMROOT", r"C:\Windows"), family)
    names = names_in(entry or ".")
    driver = any(name.startswith("libcuda.so") for name in names)
    return driver and not any(name.startswith("libcudnn") for name in names)


_BELOW = {"glibc-hwcaps", "tls", "haswell", "xeon_phi", "x86_64"}
"""Linux: folders in an entry that the loader searches with it."""


def _may_hold_libraries(entry: str, family: Family) -> bool:
    if not os.path.isabs(entry) or "$" in entry or os.path.isdir(entry) > os.access(entry, os.R_OK):
        return True  # what it means, or holds, is not known here
    ending = ".dll" if family == "windows" else ".so"
    return any(ending in name.lower() or name in _BELOW for name in names_in(entry))


def _starts(files: Iterable[str]) -> Iterator[Removal]:
    def without(path: str, now: Conditions) -> Conditions:
        return now._replace(starts=tuple(one for one in now.starts if one != path))

    return (Removal("python-start", "", path, partial(without, path)) for path in files)


def _limits() -> Iterator[Removal]:
    def lifted(name: str, now: Conditions) -> Conditions:
        return now._replace(lifted=(*now.lifted, name))

    for limit, raisable in low_limits():
        if raisable:
            yield Removal("limit", limit.name, str(limit.most), partial(lifted, limit.name))


def _variables(environment: Mapping[str, str]) -> Iterator[Removal]:
    for name, text in environment.items():
        if _VARIABLES.match(name):
            yield Removal("variable", name, text, partial(_with, name, None))
