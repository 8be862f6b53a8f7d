"""Questions about what fits together. Pure; "" and None mean that the data doesn't say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from cudnn_assistant.compat.facts import (
    ONGOING,
    Architecture,
    Compat,
    DriverBranch,
    DriverFloor,
    once,
)
from cudnn_assistant.machine import Family
from cudnn_assistant.versions import major, numbers, series, short


@lru_cache(maxsize=4096)
def order(text: str) -> tuple[int, ...]:
    """A key to sort versions by, for which 9.8 and 9.8.0 are one; what is none comes first."""
    found = numbers(text)
    while found[-1:] == (0,):
        found = found[:-1]
    return found


def at_least(text: str, floor: str) -> bool | None:
    """Whether a version reaches a floor; None when either is unknown."""
    return order(text) >= order(floor) if numbers(text) and numbers(floor) else None


def in_series(text: str, prefix: str) -> bool:
    """Whether ``text`` lies in the series ``prefix``: 10.1.243 does in 10.1, 10.10 doesn't."""
    return text == prefix or text.startswith(prefix + ".")


def one_release(one: str, other: str) -> bool:
    """Whether two versions are of one release of cuDNN: wheels and archives of it may differ in
    the fourth number."""
    return order(short(one)) == order(short(other))


def newest(texts: Iterable[str]) -> str:
    """The highest of some versions; "" when none of them is one."""
    return max(filter(numbers, texts), key=order, default="")


# CUDA

FIRST_COMPATIBLE = 11
"""CUDA major from which on libraries and drivers of one major fit each other (NVIDIA's CUDA
Compatibility guide); before, every minor release has its own."""


def serves_cuda(there: str, made: str) -> bool:
    """Whether libraries of one CUDA are known to be what a program made for the other asks for."""
    wanted = numbers(made)[: 1 if major(made) >= FIRST_COMPATIBLE else 2]
    return bool(wanted) and numbers(there)[: len(wanted)] == wanted


# Drivers


@once
def floor(compat: Compat, cuda: str) -> DriverFloor | None:
    """The driver floor for programs of a CUDA version.

    From CUDA 11 on one floor holds for the whole major (minor-version compatibility); before,
    each release has its own, and the oldest of a series answers for "9.2".
    """
    if major(cuda) >= FIRST_COMPATIBLE:
        return next((one for one in compat.floors if one.cuda == str(major(cuda))), None)
    wanted = ".".join(map(str, numbers(cuda)[:3]))
    exact = [one for one in compat.floors if one.cuda == wanted]
    near = [one for one in compat.floors if in_series(one.cuda, series(cuda))]
    return min(exact or near, key=lambda one: order(one.cuda), default=None)


def driver_floor(compat: Compat, cuda: str, family: Family, *, safe: bool = False) -> str:
    """The oldest driver that runs programs of this CUDA version; "" when unknown.

    ``safe``: the one to ask for, which is stricter where sources disagree.
    """
    found, windows = floor(compat, cuda), family == "windows"
    if found is None:
        return ""
    stricter = (found.windows_safe if windows else found.linux_safe) if safe else ""
    return stricter or (found.windows if windows else found.linux)


def cuda_of_driver(compat: Compat, driver: str, family: Family) -> str:
    """The highest CUDA version that a driver speaks, "13.0"; "" when unknown."""
    spoken = [
        branch
        for branch in compat.branches
        if at_least(driver, branch.windows if family == "windows" else branch.linux)
    ]
    return max(spoken, key=lambda branch: branch.branch).cuda if spoken else ""


def cuda_of_branch(compat: Compat, branch: int) -> str:
    """The highest CUDA that a driver branch speaks; "" when unknown."""
    known = [one for one in compat.branches if one.branch <= branch]
    return max(known, key=lambda one: one.branch).cuda if known else ""


def driver_of_branch(compat: Compat, branch: int, family: Family) -> str:
    """The newest driver of a branch that the data names; "" for none."""
    rows: tuple[DriverBranch | DriverFloor, ...] = (*compat.branches, *compat.floors)
    named = (one.windows if family == "windows" else one.linux for one in rows)
    return newest(one for one in named if major(one) == branch)


def newest_branch(compat: Compat) -> int:
    """The newest driver branch known, 0 without data."""
    return max((branch.branch for branch in compat.branches), default=0)


# GPUs


@once
def architecture(compat: Compat, compute: str) -> Architecture:
    """What is known about a compute capability; nothing but itself when it isn't listed."""
    known = (one for one in compat.architectures if one.compute == compute)
    return next(known, Architecture(compute=compute, name=""))


def generation(compat: Compat, name: str) -> str:
    """The lowest capability of a generation of GPUs ("Turing"); "" when unknown."""
    named = (one.compute for one in compat.architectures if one.name == name)
    return min(named, key=order, default="")


def last_driver_branch(compat: Compat, *computes: str) -> int | None:
    """The last driver branch that these GPUs have; None without an end, or where none is known."""
    lasts = (architecture(compat, compute).last_driver for compute in computes)
    return min((int(last) for last in lasts if last.isdecimal()), default=None)


@once
def first_driver(compat: Compat, compute: str, family: Family = "linux") -> str:
    """The first driver that knows a GPU; "" when unknown.

    Where nobody names it: the first one that speaks the first CUDA with code for the GPU.
    """
    known = architecture(compat, compute)
    if known.board:
        return known.first_driver
    wanted = known.first_driver or _first_branch(compat, known.first_cuda)
    for branch in compat.branches:
        if str(branch.branch) == wanted:
            return (branch.windows if family == "windows" else branch.linux) or wanted
    return wanted


def _first_branch(compat: Compat, cuda: str) -> str:
    """The first branch that speaks a CUDA release; "" for one from before the table begins."""
    speaking = [one.branch for one in compat.branches if at_least(one.cuda, cuda)]
    before = [one for one in compat.branches if at_least(one.cuda, cuda) is False]
    exact = any(one.cuda == cuda for one in compat.branches)
    return str(min(speaking)) if speaking and (before or exact) else ""


def driver_possible(compat: Compat, compute: str, driver: str) -> bool | None:
    """Whether a GPU can ever get this driver or a newer one; None when unknown."""
    last, wanted = architecture(compat, compute).last_driver, major(driver)
    if not last or not wanted:
        return None
    return last == ONGOING or wanted <= int(last)


def last_cuda(compat: Compat, compute: str) -> str:
    """The last toolkit that supports a capability, "12.9"; "" while supported or unknown."""
    last = architecture(compat, compute).last_cuda
    return "" if last == ONGOING else last


@once
def oldest_usable_cuda(compat: Compat, compute: str) -> str:
    """The first CUDA whose binaries run: code of the same major capability runs as well."""
    near = [
        one.first_cuda
        for one in compat.architectures
        if major(one.compute) == major(compute) and at_least(compute, one.compute)
    ]
    return min(filter(None, near), key=order, default="")


def plain_name(name: str) -> str:
    """A product's name as the data spells it: lower case, single spaces, no maker."""
    bare = re.sub(r"[\s_/-]+", " ", name).strip().lower()
    return bare.removeprefix("nvidia ")


def gpu_by_pci(compat: Compat, pci_id: str) -> tuple[str, str]:
    """Name and compute capability by PCI id ("10de:2684"); "" where unknown."""
    vendor, _, device = pci_id.lower().replace("0x", "").rpartition(":")
    if vendor not in ("", "10de"):
        return "", ""
    compute, _, name = compat.pci.get(device, "").partition(" ")
    return name, compute
