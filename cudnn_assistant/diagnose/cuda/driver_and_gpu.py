"""Does the CUDA that programs bring or find fit the driver and the GPU, and is it found?"""

from __future__ import annotations

from typing import NamedTuple

from cudnn_assistant import compat
from cudnn_assistant.codes import INSUFFICIENT_DRIVER, CudnnStatus
from cudnn_assistant.compat import driver_floor, last_driver_branch
from cudnn_assistant.diagnose.needs import stopped
from cudnn_assistant.diagnose.remedies import cuda_majors, install_cudnn, install_driver
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Manual, Remedy
from cudnn_assistant.machine import Driver, Trial
from cudnn_assistant.versions import major, numbers, older, short


def demanded(ctx: Context) -> str:
    """The CUDA version that the subject's programs are built for; "" when nobody asks for one.

    For the system that is the lowest one that would do: of the frameworks that take cuDNN from
    it, else of the cuDNN copies, else of the toolkits.
    """
    if ctx.environment is not None:
        asked = [f.cuda for f in ctx.frameworks if f.brings_cudnn and f.cuda]
        return max(asked, key=numbers, default="")
    asked = [f.cuda for f in ctx.frameworks if f.cuda]
    if asked:
        return max(asked, key=numbers)
    majors = [c.cuda_major for c in ctx.copies if c.cuda_major]
    if majors:
        return str(min(majors))
    return min((t.version for t in ctx.machine.toolkits if t.version), key=numbers, default="")


@rule("gpu-too-old-for-cuda", layer=Layer.CUDA)
def gpu_too_old(ctx: Context) -> Findings:
    """The GPU is older than anything this CUDA major can run."""
    demand = major(demanded(ctx))
    oldest = compat.oldest_gpu(ctx.compat, str(demand))
    if ctx.gpu is None or not ctx.needs or not older(ctx.gpu.compute, oldest):
        return
    fitting = max(compat.gpu_cuda_majors(ctx.compat, ctx.gpu.compute), default=0)
    yield ctx.finding(
        ctx.serious,
        _older_build(ctx),
        f"{ctx.gpu.name}: {ctx.gpu.compute} < {oldest} (CUDA {demand})",
        gpu=ctx.gpu.name,
        cuda=str(demand),
        other=str(fitting or ""),
        program=ctx.needs[0].who,
    )


class _Outdated(NamedTuple):
    """A driver that doesn't speak the CUDA major that the programs are made for.

    A lower minor within one major is fine (minor-version compatibility), so majors are compared.
    """

    driver: Driver
    demand: str
    floor: str
    """The oldest driver that speaks it; "" when that isn't known."""
    last: int | None
    """The last branch for this GPU, where it is older than the floor."""

    @property
    def evidence(self) -> str:
        driver = self.driver
        have, needed = f"{driver.version} (CUDA {driver.cuda or '?'})", self.floor or "?"
        return f"{have} < {needed} (CUDA {self.demand})"


def _outdated(ctx: Context) -> _Outdated | None:
    driver, demand = ctx.machine.driver, demanded(ctx)
    if driver is None or not demand or not ctx.needs or not (driver.cuda or driver.version):
        return None
    # Under WSL the driver is that of Windows, and so are its numbers.
    floor = driver_floor(ctx.compat, demand, "windows" if ctx.on_windows else "linux")
    if not _behind(ctx, driver, demand, floor):
        return None
    last = last_driver_branch(ctx.compat, ctx.gpu.compute) if ctx.gpu else None
    beyond = last if last is not None and last < major(floor) else None
    return _Outdated(driver, demand, floor, beyond)


def _wants_newer(ctx: Context, found: _Outdated) -> Trial | None:
    """The test in which cuDNN itself asked for a newer driver than its CUDA does."""
    return ctx.trial if _said(ctx.trial) and not older(found.driver.version, found.floor) else None


@rule("driver-too-old", layer=Layer.CUDA)
def cudnn_wants_newer(ctx: Context) -> Findings:
    """This cuDNN wants a newer driver than its CUDA does, and doesn't say how new."""
    found = _outdated(ctx)
    if found and (trial := _wants_newer(ctx, found)):
        copy = ctx.winner.version if ctx.winner else trial.version
        yield ctx.finding(
            ctx.serious,
            install_driver(ctx),
            f"{found.driver.version}: {trial.code_name} ({trial.code})",
            sure=False,
            product=f"cuDNN {short(copy)}".strip(),
            driver=found.driver.version,
            wants_newer_driver=True,
        )


@rule("gpu-too-old-for-cuda", layer=Layer.CUDA)
def beyond_last_driver(ctx: Context) -> Findings:
    """No driver that knows this GPU speaks the CUDA major that the programs are made for."""
    found = _outdated(ctx)
    if found and found.last is not None and not _wants_newer(ctx, found):
        facts, remedy = _driver_facts(ctx, found), _older_build(ctx)
        yield ctx.finding(ctx.serious, remedy, found.evidence, **facts)


@rule("driver-too-old", layer=Layer.CUDA)
def driver_too_old(ctx: Context) -> Findings:
    """The driver doesn't speak the CUDA major that the programs are made for."""
    found = _outdated(ctx)
    if found and found.last is None and not _wants_newer(ctx, found):
        facts, remedy = _driver_facts(ctx, found), install_driver(ctx, needed=found.floor)
        yield ctx.finding(ctx.serious, remedy, found.evidence, **facts)


def _behind(ctx: Context, driver: Driver, demand: str, floor: str) -> bool:
    speaks = major(driver.cuda)
    if speaks and speaks < major(demand):
        return True
    trial = ctx.trial
    if _said(trial):
        return True
    refused = trial is not None and trial.code == INSUFFICIENT_DRIVER and bool(driver.version)
    return (refused or not speaks) and older(driver.version, floor)


def _said(trial: Trial | None) -> bool:
    """Whether cuDNN itself said that it needs a newer driver (INCOMPATIBLE_CUDA_DRIVER)."""
    return (
        trial is not None
        and trial.code == CudnnStatus.NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER
        and stopped(trial)
    )


def _driver_facts(ctx: Context, found: _Outdated) -> Facts:
    driver, demand, floor, last = found
    program = ctx.needs[0].who
    copy = max(ctx.copies, key=lambda c: numbers(c.version), default=None)
    runs = compat.cuda_majors(ctx.compat, driver.cuda)
    lower = max((m for m in runs if m < major(demand)), default=0)
    return Facts(
        driver=driver.version,
        limit=driver.cuda,
        cuda=str(major(demand)),
        needed_version=str(major(floor)) if floor else "",
        gpu=ctx.gpu.name if ctx.gpu else "",
        program=program,
        asking_copy=f"cuDNN {short(copy.version)}".strip() if copy and not program else "",
        other=str(lower) if lower and (ctx.environment is None or program == "") else "",
        last_branch=last or 0,
    )


def _older_build(ctx: Context) -> Remedy:
    if ctx.environment is None and ctx.needs and cuda_majors(ctx):
        return install_cudnn(ctx, ctx.needs[0]._replace(cuda=0))
    return Manual()
