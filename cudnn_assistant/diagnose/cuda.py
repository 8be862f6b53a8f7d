"""Does the CUDA that programs bring or find fit the driver and the GPU, and is it found?"""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.compat import driver_floor, last_driver_branch, oldest_usable_cuda
from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.needs import Need, stopped
from cudnn_assistant.diagnose.remedies import (
    CUDA_ARCHIVE,
    cuda_majors,
    install_cudnn,
    install_driver,
)
from cudnn_assistant.finding import (
    Automatic,
    Finding,
    InstallCuda,
    Installer,
    Manual,
    Remedy,
    Severity,
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


def driver_too_old(ctx: Context) -> Iterator[Finding]:
    """D04, D06: the driver doesn't speak the CUDA major that the programs are made for.

    A lower minor within one major is fine (minor-version compatibility), so majors are compared.
    """
    driver, demand = ctx.machine.driver, demanded(ctx)
    if driver is None or not demand or not ctx.needs or not (driver.cuda or driver.version):
        return
    # Under WSL the driver is that of Windows, and so are its numbers.
    floor = driver_floor(ctx.compat, demand, "windows" if ctx.on_windows else "linux")
    if not _behind(ctx, driver, demand, floor):
        return
    if ctx.trial is not None and _said(ctx.trial) and not older(driver.version, floor):
        yield _wants_newer(ctx, driver, ctx.trial)
        return
    evidence = f"{driver.version} (CUDA {driver.cuda or '?'}) < {floor or '?'} (CUDA {demand})"
    facts = _driver_facts(ctx, driver, demand, floor)
    last = last_driver_branch(ctx.compat, ctx.gpu.compute) if ctx.gpu else None
    if last is not None and last < major(floor):
        facts["branch"] = str(last)
        remedy = _older_build(ctx)
        yield ctx.finding("gpu-too-old-for-cuda", ctx.serious, remedy, evidence, also=facts)
        return
    remedy = install_driver(ctx, needed=floor)
    yield ctx.finding("driver-too-old", ctx.serious, remedy, evidence, also=facts)


def _behind(ctx: Context, driver: Driver, demand: str, floor: str) -> bool:
    speaks = major(driver.cuda)
    if speaks and speaks < major(demand):
        return True
    trial = ctx.trial
    if _said(trial):
        return True
    told = trial is not None and trial.code == 35 and bool(driver.version)
    return (told or not speaks) and older(driver.version, floor)


def _wants_newer(ctx: Context, driver: Driver, trial: Trial) -> Finding:
    """D06: this cuDNN wants a newer driver than its CUDA does, and doesn't say how new."""
    copy = ctx.winner.version if ctx.winner else trial.version
    return ctx.finding(
        "driver-too-old", ctx.serious, install_driver(ctx),
        f"{driver.version}: {trial.code_name} ({trial.code})", sure=False,
        wants=f"cuDNN {short(copy)}".strip(), had=driver.version,
    )  # fmt: skip


def _said(trial: Trial | None) -> bool:
    """Whether cuDNN itself said that it needs a newer driver (INCOMPATIBLE_CUDA_DRIVER)."""
    return trial is not None and trial.code == 3005 and stopped(trial)


def _driver_facts(ctx: Context, driver: Driver, demand: str, floor: str) -> dict[str, str]:
    program = ctx.needs[0].who
    copy = max(ctx.copies, key=lambda c: numbers(c.version), default=None)
    lower = max((m for m in (11, 12) if m < major(demand) and m <= major(driver.cuda)), default=0)
    return {
        "driver": driver.version,
        "limit": driver.cuda,
        "cuda": str(major(demand)),
        "needed": str(major(floor)) if floor else "",
        "gpu": ctx.gpu.name if ctx.gpu else "",
        "program": program,
        "copy": f"cuDNN {short(copy.version)}".strip() if copy and not program else "",
        "other": str(lower) if lower and (ctx.environment is None or program == "") else "",
    }


def _older_build(ctx: Context) -> Remedy:
    if ctx.environment is None and ctx.needs and cuda_majors(ctx):
        return install_cudnn(ctx, ctx.needs[0]._replace(cuda=0))
    return Manual()


def gpu_too_old(ctx: Context) -> Iterator[Finding]:
    """H03: the GPU is older than anything this CUDA major can run (11: 3.5, 12: 5.0, 13: 7.5)."""
    demand = major(demanded(ctx))
    floors = {11: (3, 5), 12: (5, 0), 13: (7, 5)}
    if ctx.gpu is None or demand not in floors or not ctx.needs:
        return
    capability = numbers(ctx.gpu.compute)
    if capability >= floors[demand]:
        return
    fitting = max((m for m, floor in floors.items() if capability >= floor), default=0)
    yield ctx.finding(
        "gpu-too-old-for-cuda",
        ctx.serious,
        _older_build(ctx),
        f"{ctx.gpu.name}: {ctx.gpu.compute} < {'.'.join(map(str, floors[demand]))} (CUDA {demand})",
        gpu=ctx.gpu.name,
        cuda=str(demand),
        other=str(fitting or ""),
        program=ctx.needs[0].who,
    )


def program_needs(ctx: Context) -> Iterator[Finding]:
    """L24, and H04 for old ones: a program is built for a CUDA that isn't here.

    From CUDA 11 on any minor of the major will do; before, each minor has file names of its own.
    """
    unknown = ctx.machine.unknown("toolkits") or ctx.machine.unknown("cudnn")
    if ctx.environment is not None or unknown:
        return
    for need in ctx.needs:
        if not need.toolkit or (ctx.met(need) and _cuda_anywhere(ctx, need)):
            continue
        if ctx.met(need):
            # Its cuDNN starts, and before that it asks for a cuBLAS that nobody has.
            yield _other_cuda(ctx, {"program": need.who, "cuda": need.toolkit, "where": need.where})
            continue
        oldest = oldest_usable_cuda(ctx.compat, ctx.gpu.compute) if ctx.gpu else ""
        facts = {"program": need.who, "cuda": need.toolkit, "where": need.where}
        if ctx.gpu and oldest and older(need.toolkit, oldest):
            severity: Severity = "error" if need.cuda < 11 else "warning"
            evidence = f"{ctx.gpu.name}: {ctx.gpu.compute}, CUDA {oldest}"
            facts |= {"gpu": ctx.gpu.name, "oldest": oldest}
            yield ctx.finding("gpu-too-new-for-cuda", severity, Manual(), evidence, also=facts)
            if severity == "error":
                return
        if not _has_cuda(ctx, need):
            yield _other_cuda(ctx, facts)


def _has_cuda(ctx: Context, need: Need) -> bool:
    """Whether the CUDA that a program is built for is somewhere on this computer."""
    if any(_serves(need, t.version) for t in ctx.machine.toolkits):
        return True
    known = (*ctx.libraries("cublas"), *ctx.libraries("cublasLt"))
    found = [lib for lib in known if lib.major == need.cuda and not in_environment(ctx, lib)]
    if need.cuda >= 11:
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
    names = ("cublas", "cublasLt", "cudart") if need.cuda >= 11 else ("cudart",)
    known = [lib for name in names for lib in ctx.libraries(name)]
    versions = [lib.version or str(lib.major or "") for lib in known]
    versions += [t.version for t in ctx.machine.toolkits]
    return any(not version or _serves(need, version) for version in versions)


def _serves(need: Need, version: str) -> bool:
    """Whether files of that CUDA version bear the names that the program asks for."""
    wanted = numbers(need.toolkit)[: 2 if need.cuda < 11 else 1]
    return numbers(version)[: len(wanted)] == wanted


def _other_cuda(ctx: Context, facts: dict[str, str]) -> Finding:
    there = sorted({short(t.version) for t in ctx.machine.toolkits if t.version})
    cuda = facts.get("cuda", "")
    remedy: Remedy = Manual(link=CUDA_ARCHIVE, administrator=True, installer=toolkit(ctx, cuda))
    ours = toolkit_file(cuda, ctx.machine, ctx.compat)
    if ours is not None:
        remedy = Automatic(edits=(InstallCuda(cuda=cuda),))
    evidence = [f"CUDA {t.version}: {t.root}" for t in ctx.machine.toolkits]
    facts = {**facts, "present": ", ".join(there)}
    facts |= {"ours": ours[0]} if ours else {}
    return ctx.finding("program-needs-other-cuda", "error", remedy, *evidence, also=facts)


def toolkit(ctx: Context, cuda: str) -> Installer | None:
    """An installer of that CUDA ("11.8", "12") which may be started here."""
    wanted = numbers(cuda)[:2]
    known = [t.version for t in ctx.compat.toolkits if numbers(t.version)[: len(wanted)] == wanted]
    return installers.toolkit(ctx.machine.os, known) if wanted else None


RULES = (
    Rule(gpu_too_old, ("gpu-too-old-for-cuda",), ("H03",)),
    Rule(driver_too_old, ("driver-too-old", "gpu-too-old-for-cuda"), ("D04", "D06", "D16")),
    Rule(
        program_needs,
        ("gpu-too-new-for-cuda", "program-needs-other-cuda"),
        ("L24", "H04"),
        provable=False,
    ),
)
