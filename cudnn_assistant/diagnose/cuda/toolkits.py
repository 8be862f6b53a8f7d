"""Is the CUDA that programs are built with there, and does it fit the driver and the GPU?"""

from __future__ import annotations

import msgspec

from cudnn_assistant import compat
from cudnn_assistant.codes import INSUFFICIENT_DRIVER, CudnnStatus
from cudnn_assistant.compat import (
    FIRST_COMPATIBLE,
    driver_floor,
    last_driver_branch,
    oldest_usable_cuda,
    serves_cuda,
)
from cudnn_assistant.diagnose.copies.loaded_copy import other_copy, product
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.pip_extras import has_cuda
from cudnn_assistant.diagnose.remedies import (
    CUDA_ARCHIVE,
    cuda_majors,
    install_cudnn,
    install_driver,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Automatic, Facts, Impossible, InstallCuda, Installer, Manual
from cudnn_assistant.machine import Trial
from cudnn_assistant.plan import installers
from cudnn_assistant.plan.installing import toolkit_file
from cudnn_assistant.versions import major, numbers, older, short
from cudnn_assistant.wording.products import called


def demanded(ctx: Context) -> str:
    """The CUDA version that the subject's programs are built for; "" when nobody asks for one.

    For the system that is the lowest one that would do: of the frameworks that take cuDNN from
    it, else of the copy that programs load, or of all, else of the toolkits.
    """
    if ctx.environment is not None:
        asked = [f.cuda for f in ctx.frameworks if f.brings_cudnn and f.cuda]
        return max(asked, key=numbers, default="")
    asked = [f.cuda for f in ctx.frameworks if f.cuda]
    if asked:
        return max(asked, key=numbers)
    copies = (ctx.winner,) if ctx.winner else ctx.copies
    if majors := [c.cuda_major for c in copies if c.cuda_major]:
        return str(min(majors))
    return min((t.version for t in ctx.machine.toolkits if t.version), key=numbers, default="")


@rule("gpu-too-old-for-cuda", layer=Layer.CUDA)
def gpu_too_old(ctx: Context) -> Findings:
    """The GPU is older than anything this CUDA major can run; of a framework its build is told."""
    demand = major(demanded(ctx))
    oldest = compat.oldest_gpu(ctx.compat, str(demand))
    if ctx.environment or not ctx.gpu or not ctx.needs or not older(ctx.gpu.compute, oldest):
        return
    fitting = max(compat.gpu_cuda_majors(ctx.compat, ctx.gpu.compute), default=0)
    need = msgspec.structs.replace(ctx.needs[0], cuda=0)
    yield ctx.trouble(
        install_cudnn(ctx, need) if cuda_majors(ctx) else Manual(),
        f"{ctx.gpu.name}: {ctx.gpu.compute} < {oldest} (CUDA {demand})",
        gpu=ctx.gpu.name,
        cuda=str(demand),
        other=str(fitting or ""),
        program=ctx.needs[0].who,
    )


def _floor(ctx: Context) -> str | None:
    """The oldest driver that speaks the CUDA major of the programs, where the one here doesn't.

    A lower minor within one major is fine (minor-version compatibility), so majors are compared.
    """
    driver, demand = ctx.driver, demanded(ctx)
    if not demand or not ctx.needs or not (driver.cuda or driver.version):
        return None
    floor = driver_floor(ctx.compat, demand, ctx.driver_family)
    return floor if _behind(ctx, demand, floor) else None


@rule("driver-too-old", layer=Layer.CUDA)
def driver_too_old(ctx: Context) -> Findings:
    """The driver doesn't speak the CUDA major that the programs are made for, or this cuDNN wants
    a newer one than its CUDA does, and doesn't say how new.

    Where none does that knows the GPU, that one is too old for this CUDA, which is told before.
    """
    driver, demand, floor, trial = ctx.driver, demanded(ctx), _floor(ctx), _said(ctx)
    branch = last_driver_branch(ctx.compat, ctx.gpu.compute) if ctx.gpu else None
    if floor is not None and trial and not older(driver.version, floor):
        yield ctx.trouble(
            install_driver(ctx),
            f"{driver.version}: {trial.code_name} ({trial.code})",
            sure=False,
            product=product(ctx.winner.version if ctx.winner else trial.version),
            driver=driver.version,
            wants_newer_driver=True,
        )
    elif floor is not None and (branch is None or branch >= major(floor)):
        own = other_copy(ctx, ctx.winner) if ctx.winner and ctx.environment is None else None
        yield ctx.trouble(
            own or install_driver(ctx, needed=floor),
            f"{driver.version} (CUDA {driver.cuda or '?'}) < {floor or '?'} (CUDA {demand})",
            **_driver_facts(ctx, demand) | {"needed_version": str(major(floor)) if floor else ""},
        )


def _behind(ctx: Context, demand: str, floor: str) -> bool:
    driver, speaks = ctx.driver, major(ctx.driver.cuda)
    if (speaks and speaks < major(demand)) or _said(ctx):
        return True
    trial = ctx.trial
    refused = trial is not None and trial.code == INSUFFICIENT_DRIVER and bool(driver.version)
    return (refused or not speaks) and older(driver.version, floor)


def _said(ctx: Context) -> Trial | None:
    """The test in which cuDNN itself said that it needs a newer driver."""
    told = CudnnStatus.NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER
    return ctx.stopped if ctx.stopped and ctx.stopped.code == told else None


def _driver_facts(ctx: Context, demand: str) -> Facts:
    driver, program = ctx.driver, ctx.needs[0].who
    copy = max(ctx.copies, key=lambda c: numbers(c.version), default=None)
    runs = compat.cuda_majors(ctx.compat, driver.cuda)
    lower = max((m for m in runs if m < major(demand)), default=0)
    return Facts(
        driver=driver.version,
        limit=driver.cuda,
        cuda=str(major(demand)),
        gpu=ctx.gpu.name if ctx.gpu else "",
        program=program,
        asking_copy=product(copy.version) if copy and not program else "",
        other=str(lower) if lower and (ctx.environment is None or program == "") else "",
    )


def _unmet(ctx: Context) -> list[Need]:
    """Programs built for a CUDA that isn't here, or whose cuDNN doesn't serve it.

    From CUDA 11 on any minor of the major will do; before, each has file names of its own.
    """
    unknown = ctx.machine.unknown("toolkits") or ctx.machine.unknown("cudnn")
    asked = [] if ctx.environment is not None or unknown else ctx.needs
    return [n for n in asked if n.toolkit and not (ctx.met(n) and _cuda_anywhere(ctx, n))]


@rule("gpu-too-new-for-cuda", layer=Layer.CUDA, provable=False)
def gpu_too_new(ctx: Context) -> Findings:
    """A program is built for a CUDA that is older than the GPU."""
    gpu = ctx.gpu
    for need in _unmet(ctx):
        oldest = oldest_usable_cuda(ctx.compat, gpu.compute) if gpu else ""
        if gpu and older(need.toolkit, oldest) and not ctx.met(need):
            # An old CUDA that would have to be installed first is no way out.
            stops = need.cuda < FIRST_COMPATIBLE or not _has_cuda(ctx, need)
            yield ctx.finding(
                "error" if stops else "warning",
                Impossible() if _given_up(ctx, need, oldest) else Manual(),
                f"{gpu.name}: {gpu.compute}, CUDA {oldest}",
                program=need.who,
                cuda=need.toolkit,
                environment=need.where,
                gpu=gpu.name,
                oldest_cuda=oldest,
            )


def _given_up(ctx: Context, need: Need, oldest: str) -> bool:
    """Whether its makers left this system before they built for a CUDA that runs on the GPU."""
    names = {f.name for f in ctx.frameworks if called(f) == need.who}
    family = ctx.machine.os.family
    builds = [b for b in ctx.compat.frameworks if b.name in names and b.family == family]
    fitting = any(b.gpu and not older(b.cuda, oldest) for b in builds)
    return not fitting and any(not b.gpu for b in builds)


@rule("program-needs-other-cuda", layer=Layer.CUDA, provable=False)
def other_cuda(ctx: Context) -> Findings:
    """A program is built for a CUDA that isn't here.

    Also where its cuDNN starts: before that it asks for a cuBLAS that nobody has.
    """
    for need in _unmet(ctx):
        if not ctx.met(need) and _has_cuda(ctx, need):
            continue
        cuda = need.toolkit
        there = sorted({short(t.version) for t in ctx.machine.toolkits if t.version})
        ours = toolkit_file(cuda, ctx.machine, ctx.compat)
        by_hand = Manual(
            link=CUDA_ARCHIVE, page="nvidia", administrator=True, installer=toolkit(ctx, cuda)
        )
        yield ctx.error(
            Automatic(edits=(InstallCuda(cuda=cuda),)) if ours else by_hand,
            *(f"CUDA {t.version}: {t.root}" for t in ctx.machine.toolkits),
            program=need.who,
            cuda=cuda,
            environment=need.where,
            present=tuple(there),
            archive=ours[0] if ours else "",
        )


def _has_cuda(ctx: Context, need: Need) -> bool:
    """Whether the CUDA that a program is built for is somewhere on this computer."""
    if need.cuda >= FIRST_COMPATIBLE:
        return has_cuda(ctx, need.cuda) or _beside(ctx, need)
    if any(serves_cuda(t.version, need.toolkit) for t in ctx.machine.toolkits):
        return True
    # Before CUDA 11 the run-time library alone has the toolkit's own number.
    known = ctx.libraries("cublas", "cublasLt")
    found = (lib for lib in known if lib.major == need.cuda and not ctx.in_environment(lib))
    folders = {ctx.parent(lib.path) for lib in found}
    started = (lib for lib in ctx.libraries("cudart") if serves_cuda(lib.version, need.toolkit))
    return any(ctx.parent(lib.path) in folders for lib in started)


CUBLAS_ALONE = ("ctranslate2",)
"""Frameworks that use of CUDA nothing but cuBLAS, which they open by its name."""


def _beside(ctx: Context, need: Need) -> bool:
    """Whether all that asks for a CUDA uses cuBLAS alone, and has it as a package beside it."""
    own = ctx.machine.environment(need.where)
    names = {f.name for f, where in ctx.system_users if where == need.where}
    known = (lib.major for lib in ctx.libraries("cublas") if own and ctx.belongs(lib.path, own))
    return names.issubset(CUBLAS_ALONE) and need.cuda in known


def _cuda_anywhere(ctx: Context, need: Need) -> bool:
    """Whether any file of the CUDA that is asked for is known, in an environment or outside."""
    names = ("cublas", "cublasLt", "cudart") if need.cuda >= FIRST_COMPATIBLE else ("cudart",)
    versions = [lib.version or str(lib.major or "") for lib in ctx.libraries(*names)]
    versions += [t.version for t in ctx.machine.toolkits]
    return any(not version or serves_cuda(version, need.toolkit) for version in versions)


def toolkit(ctx: Context, cuda: str) -> Installer | None:
    """An installer of that CUDA ("11.8", "12") which may be started here."""
    wanted = numbers(cuda)[:2]
    known = [t.version for t in ctx.compat.toolkits if numbers(t.version)[: len(wanted)] == wanted]
    return installers.toolkit(ctx.machine.os, known) if wanted else None
