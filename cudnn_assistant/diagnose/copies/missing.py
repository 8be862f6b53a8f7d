"""Is there a cuDNN of the right major, and do programs find it and not another one?"""

from __future__ import annotations

import re
from typing import NamedTuple

from cudnn_assistant.compat import cudnn_package
from cudnn_assistant.diagnose.copies.loaded_copy import best, candidates, product
from cudnn_assistant.diagnose.needs import Need, stopped
from cudnn_assistant.diagnose.programs.packages import lacking, packages_of
from cudnn_assistant.diagnose.remedies import (
    install_cudnn,
    install_packages,
    own_copy,
    reinstall,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Finding, Manual
from cudnn_assistant.machine import CudnnCopy, Package
from cudnn_assistant.shell import command
from cudnn_assistant.versions import major, numbers, short

_LIKELY = re.compile("cuda|cudnn|nvidia", re.IGNORECASE)
"""In the name of a folder that is likely to hold cuDNN."""


@rule("search-folder-closed", layer=Layer.SEARCH)
def closed(ctx: Context) -> Findings:
    """A folder of the search list can't be opened, and cuDNN wasn't found in the others."""
    trial = ctx.trial
    if ctx.windows or ctx.environment is not None or trial is None or trial.stage != "load":
        return
    entry = next((e for e in ctx.machine.search if e.closed and _LIKELY.search(e.folder)), None)
    lost = trial.status == "missing-library" and "cudnn" in trial.missing
    if entry is None or ctx.copies or not lost:
        return
    line = command("sh", "sudo", "chmod", "a+rx", ctx.parent(entry.folder), entry.folder)
    remedy = own_copy(ctx, Manual(commands=(line,), administrator=True))
    yield ctx.finding(
        ctx.serious, remedy, f"{entry.variable}: {entry.text}", sure=False, folder=entry.folder
    )


class _Lack(NamedTuple):
    """What a need finds of its cuDNN, where no copy serves it."""

    need: Need
    others: list[CudnnCopy]
    """Copies of another major."""
    recorded: Package | None
    """Its package, installed by its record alone."""

    def only(self, ctx: Context, flavour: str) -> CudnnCopy | None:
        """The copy of that flavour, where there is nothing better than it."""
        found = next((c for c in ctx.copies if c.flavour == flavour), None)
        return found if not self.others and self.recorded is None else None


def _lacks(ctx: Context) -> list[_Lack]:
    """The needs that no copy of the subject's serves."""
    if ctx.machine.unknown("cudnn") or (ctx.environment is None and not ctx.wanted):
        return []
    return [_lack(ctx, need) for need in ctx.needs if _unserved(ctx, need)]


def _unserved(ctx: Context, need: Need) -> bool:
    return not (candidates(ctx, need) or ctx.met(need) or _serves_another(ctx, need))


def _lack(ctx: Context, need: Need) -> _Lack:
    others = [c for c in ctx.copies if c.major != need.major and c.flavour == "full"]
    return _Lack(need, others, _recorded(ctx, need))


@rule("package-incomplete", layer=Layer.SEARCH)
def recorded_only(ctx: Context) -> Findings:
    """The package of the needed cuDNN is installed by its record alone."""
    for lack in _lacks(ctx):
        if lack.recorded is not None:
            yield lacking(ctx, lack.recorded, "error")


@rule("cudnn-main-file-alone", layer=Layer.SEARCH)
def main_file_alone(ctx: Context) -> Findings:
    """A package brings the main library only; the parts have to come from elsewhere."""
    for lack in _lacks(ctx):
        need = lack.need
        if copy := lack.only(ctx, "shim"):
            yield ctx.error(
                install_packages(ctx, _whole_package(ctx, copy, need)),
                f"{copy.file}: {copy.folder}",
                program=need.who,
                file=copy.file,
                folder=copy.folder,
                product=product(copy.version),
            )


def _whole_package(ctx: Context, copy: CudnnCopy, need: Need) -> str:
    """The requirement for the package that holds all parts of that cuDNN."""
    exact = f"=={copy.version}" if len(numbers(copy.version)) > 3 else ""
    wanted = exact or f">={short(copy.version)},<{copy.major + 1}"
    return f"{cudnn_package(ctx.compat, need.cuda)}{wanted}"


@rule("cudnn-jit-only", layer=Layer.SEARCH)
def jit_only(ctx: Context) -> Findings:
    """The small cuDNN is there, which holds none of the engines that programs ask for."""
    for lack in _lacks(ctx):
        if (copy := lack.only(ctx, "jit")) and not lack.only(ctx, "shim"):
            yield _missing(ctx, lack, f"{copy.file}: {copy.folder}")


@rule("cudnn-wrong-major", layer=Layer.SEARCH)
def wrong_major(ctx: Context) -> Findings:
    """There is a cuDNN, of another major than programs ask for."""
    for lack in _lacks(ctx):
        if lack.others and lack.recorded is None:
            evidence = (f"{product(c.version)}: {c.folder}" for c in lack.others)
            yield _missing(ctx, lack, *evidence)


@rule("cudnn-missing", layer=Layer.SEARCH)
def missing(ctx: Context) -> Findings:
    """Nobody installed a cuDNN of the major that programs ask for."""
    for lack in _lacks(ctx):
        half = lack.only(ctx, "shim") or lack.only(ctx, "jit")
        if not (lack.others or lack.recorded or half):
            yield _missing(ctx, lack, f"{_main_file(ctx, lack.need)}: –")


def _missing(ctx: Context, lack: _Lack, *evidence: str) -> Finding:
    need, others = lack.need, lack.others
    return ctx.error(
        reinstall(ctx) if ctx.environment is not None else install_cudnn(ctx, need),
        *evidence,
        cudnn_major=need.major,
        product=f"cuDNN {need.major}" if need.major else "cuDNN",
        program=need.who,
        environment=need.where,
        present=product(best(ctx, others).version) if others else "",
        libraries="" if ctx.machine.toolkits or ctx.libraries("cublasLt") else "cuBLAS",
    )


def _serves_another(ctx: Context, need: Need) -> bool:
    """The environment has the cuDNN of another framework in it; one package is for one."""
    others = (n for n in ctx.needs if n.major != need.major)
    return ctx.environment is not None and any(candidates(ctx, other) for other in others)


def _main_file(ctx: Context, need: Need) -> str:
    """The file that was asked for in vain, or would be: cuDNN's main library of that major."""
    asked = ctx.trial.missing if ctx.trial and stopped(ctx.trial) else ""
    major_of = need.major or 9
    usual = f"cudnn64_{major_of}.dll" if ctx.windows else f"libcudnn.so.{major_of}"
    return asked if "cudnn" in asked else usual


def _recorded(ctx: Context, need: Need) -> Package | None:
    """The package of that cuDNN which is installed by its record alone."""
    kind = re.compile(r"nvidia-cudnn-cu\d+")
    return next(
        (
            p for p in packages_of(ctx)
            if kind.fullmatch(p.name) and major(p.version) == need.major and not p.manager
        ),
        None,
    )  # fmt: skip
