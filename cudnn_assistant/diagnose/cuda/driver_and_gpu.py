"""Does the CUDA that programs bring or find fit the driver and the GPU, and is it found?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cudnn_assistant import compat
from cudnn_assistant.codes import INSUFFICIENT_DRIVER, CudnnStatus
from cudnn_assistant.compat import (
    FIRST_COMPATIBLE,
    driver_floor,
    last_driver_branch,
    oldest_usable_cuda,
)
from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.diagnose.needs import Need, stopped
from cudnn_assistant.diagnose.remedies import (
    CUDA_ARCHIVE,
    cuda_majors,
    install_cudnn,
    install_driver,
)
from cudnn_assistant.diagnose.rule import Layer, rule
from cudnn_assistant.finding import (
    Automatic,
    Facts,
    Finding,
    InstallCuda,
    Installer,
    Manual,
    Remedy,
)
from cudnn_assistant.machine import Driver, Library, Trial
from cudnn_assistant.plan import installers
from cudnn_assistant.plan.installing import toolkit_file
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
def gpu_too_old(ctx: Context) -> Iterator[Finding]:
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
def cudnn_wants_newer(ctx: Context) -> Iterator[Finding]:
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
def beyond_last_driver(ctx: Context) -> Iterator[Finding]:
    """No driver that knows this GPU speaks the CUDA major that the programs are made for."""
    found = _outdated(ctx)
    if found and found.last is not None and not _wants_newer(ctx, found):
        facts, remedy = _driver_facts(ctx, found), _older_build(ctx)
        yield ctx.finding(ctx.serious, remedy, found.evidence, **facts)


@rule("driver-too-old", layer=Layer.CUDA)
def driver_too_old(ctx: Context) -> Iterator[Finding]:
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
    told = trial is not None and trial.code == INSUFFICIENT_DRIVER and bool(driver.version)
    return (told or not speaks) and older(driver.version, floor)


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


class _Unmet(NamedTuple):
    """A program built for a CUDA that isn't here, or whose cuDNN doesn't serve it."""

    need: Need
    oldest: str
    """The oldest CUDA that runs on this GPU, where the program's is older."""


def _unmet(ctx: Context) -> list[_Unmet]:
    """From CUDA 11 on any minor of the major will do; before, each has file names of its own."""
    unknown = ctx.machine.unknown("toolkits") or ctx.machine.unknown("cudnn")
    if ctx.environment is not None or unknown:
        return []
    asked = [need for need in ctx.needs if need.toolkit]
    return [_Unmet(n, "" if ctx.met(n) else _too_new(ctx, n)) for n in asked if not _served(ctx, n)]


def _served(ctx: Context, need: Need) -> bool:
    return ctx.met(need) and _cuda_anywhere(ctx, need)


def _too_new(ctx: Context, need: Need) -> str:
    oldest = oldest_usable_cuda(ctx.compat, ctx.gpu.compute) if ctx.gpu else ""
    return oldest if oldest and older(need.toolkit, oldest) else ""


@rule("gpu-too-new-for-cuda", layer=Layer.CUDA, provable=False)
def gpu_too_new(ctx: Context) -> Iterator[Finding]:
    """A program is built for a CUDA that is older than the GPU."""
    for need, oldest in _unmet(ctx):
        if ctx.gpu and oldest:
            yield ctx.finding(
                "error" if need.cuda < FIRST_COMPATIBLE else "warning",
                Manual(),
                f"{ctx.gpu.name}: {ctx.gpu.compute}, CUDA {oldest}",
                program=need.who,
                cuda=need.toolkit,
                environment=need.where,
                gpu=ctx.gpu.name,
                oldest_cuda=oldest,
            )


@rule("program-needs-other-cuda", layer=Layer.CUDA, provable=False)
def other_cuda(ctx: Context) -> Iterator[Finding]:
    """A program is built for a CUDA that isn't here.

    Also where its cuDNN starts: before that it asks for a cuBLAS that nobody has.
    """
    for need, _oldest in _unmet(ctx):
        if ctx.met(need) or not _has_cuda(ctx, need):
            yield _other_cuda(ctx, need)


def _has_cuda(ctx: Context, need: Need) -> bool:
    """Whether the CUDA that a program is built for is somewhere on this computer."""
    if any(_serves(need, t.version) for t in ctx.machine.toolkits):
        return True
    known = (*ctx.libraries("cublas"), *ctx.libraries("cublasLt"))
    found = [lib for lib in known if lib.major == need.cuda and not in_environment(ctx, lib)]
    if need.cuda >= FIRST_COMPATIBLE:
        return bool(found)
    # Before CUDA 11 the run-time library alone has the toolkit's own number.
    folders = {ctx.parent(lib.path) for lib in found}
    started = (lib for lib in ctx.libraries("cudart") if _serves(need, lib.version))
    return any(ctx.parent(lib.path) in folders for lib in started)


def in_environment(ctx: Context, library: Library) -> bool:
    """Whether a file is some Python environment's."""
    return any(ctx.belongs(library.path, e) for e in ctx.machine.pythons)


def _cuda_anywhere(ctx: Context, need: Need) -> bool:
    """Whether any file of the CUDA that is asked for is known, in an environment or outside."""
    names = ("cublas", "cublasLt", "cudart") if need.cuda >= FIRST_COMPATIBLE else ("cudart",)
    known = [lib for name in names for lib in ctx.libraries(name)]
    versions = [lib.version or str(lib.major or "") for lib in known]
    versions += [t.version for t in ctx.machine.toolkits]
    return any(not version or _serves(need, version) for version in versions)


def _serves(need: Need, version: str) -> bool:
    """Whether files of that CUDA version bear the names that the program asks for."""
    wanted = numbers(need.toolkit)[: 2 if need.cuda < FIRST_COMPATIBLE else 1]
    return numbers(version)[: len(wanted)] == wanted


def _other_cuda(ctx: Context, need: Need) -> Finding:
    cuda, there = (
        need.toolkit,
        sorted({short(t.version) for t in ctx.machine.toolkits if t.version}),
    )
    ours = toolkit_file(cuda, ctx.machine, ctx.compat)
    by_hand = Manual(
        link=CUDA_ARCHIVE, page="nvidia", administrator=True, installer=toolkit(ctx, cuda)
    )
    return ctx.error(
        Automatic(edits=(InstallCuda(cuda=cuda),)) if ours else by_hand,
        *(f"CUDA {t.version}: {t.root}" for t in ctx.machine.toolkits),
        program=need.who,
        cuda=cuda,
        environment=need.where,
        present=", ".join(there),
        archive=ours[0] if ours else "",
    )


def toolkit(ctx: Context, cuda: str) -> Installer | None:
    """An installer of that CUDA ("11.8", "12") which may be started here."""
    wanted = numbers(cuda)[:2]
    known = [t.version for t in ctx.compat.toolkits if numbers(t.version)[: len(wanted)] == wanted]
    return installers.toolkit(ctx.machine.os, known) if wanted else None
