"""Does the CUDA that programs bring or find fit the driver and the GPU, and is it found?"""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.compat import driver_floor, last_driver_branch, oldest_usable_cuda
from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.needs import Need, own, stopped
from cudnn_assistant.diagnose.remedies import (
    CUDA_ARCHIVE,
    CUDA_PAGE,
    cuda_majors,
    install_cudnn,
    install_driver,
    install_packages,
    search_first,
)
from cudnn_assistant.diagnose.versions import major, numbers, older, short
from cudnn_assistant.finding import Automatic, Finding, Installer, Manual, Remedy, Severity
from cudnn_assistant.machine import Driver, Library
from cudnn_assistant.plan import installers


def demanded(ctx: Context) -> str:
    """The CUDA version that the subject's programs are built for; "" when nobody asks for one.

    For the system that is the lowest one that would do: of the frameworks that take cuDNN from
    it, else of the cuDNN copies, else of the toolkits.
    """
    if ctx.environment is not None:
        asked = [f.cuda for f in ctx.frameworks if own(f) and f.cuda]
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
    evidence = f"{driver.version} (CUDA {driver.cuda or '?'}) < {floor or '?'} (CUDA {demand})"
    facts = _driver_facts(ctx, driver, demand, floor)
    last = last_driver_branch(ctx.compat, ctx.gpu.compute) if ctx.gpu else None
    if last is not None and last < major(floor):
        facts["branch"] = str(last)
        remedy = _older_build(ctx)
        yield ctx.finding("gpu-too-old-for-cuda", ctx.serious, remedy, evidence, also=facts)
        return
    yield ctx.finding("driver-too-old", ctx.serious, install_driver(ctx), evidence, also=facts)


def _behind(ctx: Context, driver: Driver, demand: str, floor: str) -> bool:
    speaks = major(driver.cuda)
    if speaks and speaks < major(demand):
        return True
    trial = ctx.trial
    told = trial is not None and (trial.code == 3005 or (trial.code == 35 and bool(driver.version)))
    return (told or not speaks) and older(driver.version, floor)


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
    exact = 2 if need.cuda < 11 else 1
    wanted = numbers(need.toolkit)[:exact]
    if any(numbers(t.version)[:exact] == wanted for t in ctx.machine.toolkits):
        return True
    known = (*ctx.libraries("cublas"), *ctx.libraries("cublasLt"))
    found = (lib for lib in known if lib.major == need.cuda and not _in_environment(ctx, lib))
    return need.cuda >= 11 and next(found, None) is not None


def _cuda_anywhere(ctx: Context, need: Need) -> bool:
    """Whether any file of the CUDA major is known, in a Python environment or outside."""
    known = (lib for name in ("cublas", "cublasLt", "cudart") for lib in ctx.libraries(name))
    majors = {lib.major for lib in known} | {major(t.version) for t in ctx.machine.toolkits}
    return need.cuda in majors or any(not t.version for t in ctx.machine.toolkits)


def _other_cuda(ctx: Context, facts: dict[str, str]) -> Finding:
    there = sorted({short(t.version) for t in ctx.machine.toolkits if t.version})
    remedy = Manual(
        link=CUDA_ARCHIVE, administrator=True, installer=_toolkit(ctx, facts.get("cuda", ""))
    )
    evidence = [f"CUDA {t.version}: {t.root}" for t in ctx.machine.toolkits]
    facts = {**facts, "present": ", ".join(there)}
    return ctx.finding("program-needs-other-cuda", "error", remedy, *evidence, also=facts)


def _toolkit(ctx: Context, cuda: str) -> Installer | None:
    """An installer of that CUDA ("11.8", "12") which may be started here."""
    wanted = numbers(cuda)[:2]
    known = [t.version for t in ctx.compat.toolkits if numbers(t.version)[: len(wanted)] == wanted]
    return installers.toolkit(ctx.machine.os, known) if wanted else None


def cuda_libraries(ctx: Context) -> Iterator[Finding]:
    """L21, E03: cuDNN needs cuBLAS of its CUDA major, and no program would find it.

    Without a cuDNN there is nothing to judge: whoever installs one brings cuBLAS along.
    """
    unknown = ctx.machine.unknown("toolkits") or ctx.machine.unknown("cudnn")
    if ctx.environment is not None or unknown or not ctx.wanted or ctx.works or not ctx.copies:
        return
    known = (*ctx.libraries("cublasLt"), *ctx.libraries("cublas"))
    if any(ctx.loadable(lib) for lib in known):
        return
    usable = [lib for lib in known if not _in_environment(ctx, lib) and _wanted_major(ctx, lib)]
    best = max(usable, key=lambda lib: (lib.major or 0, numbers(lib.version)), default=None)
    if best is None:
        yield _no_cuda(ctx)
        return
    folder = ctx.parent(best.path)
    if not ctx.windows and any(ctx.key(c.folder) == ctx.key(folder) for c in ctx.copies):
        return  # the folder will be added for the sake of the cuDNN in it
    yield ctx.finding(
        "cuda-not-on-path",
        "error",
        search_first(ctx, folder),
        best.path,
        folder=folder,
        cuda=short(best.version) or str(best.major or ""),
    )


def _no_cuda(ctx: Context) -> Finding:
    """With cuDNN in a folder of our own come the CUDA libraries it needs; else the toolkit."""
    cuda = _which(ctx)
    need = next(iter(ctx.needs), Need())
    remedy = install_cudnn(ctx, need._replace(cuda=int(cuda or 0)))
    if not isinstance(remedy, Automatic):
        remedy = Manual(link=CUDA_PAGE, administrator=True, installer=_toolkit(ctx, cuda))
    return ctx.finding("cuda-missing", "error", remedy, "cublasLt: –", cuda=cuda)


def _in_environment(ctx: Context, library: Library) -> bool:
    return any(ctx.belongs(library.path, e) for e in ctx.machine.pythons)


def _wanted_major(ctx: Context, library: Library) -> bool:
    majors = {c.cuda_major for c in ctx.copies if c.cuda_major}
    return not majors or library.major in majors


def _which(ctx: Context) -> str:
    majors = {c.cuda_major for c in ctx.copies if c.cuda_major} or {
        n.cuda for n in ctx.needs if n.cuda
    }
    return str(max(majors)) if majors else str((cuda_majors(ctx) or (12,))[0])


def environment_cublas(ctx: Context) -> Iterator[Finding]:
    """L21 in a Python environment: its cuDNN is there, the cuBLAS it needs is not."""
    if ctx.environment is None or not stopped(ctx.trial) or ctx.trial is None:
        return
    yield from _package_missing(ctx, ctx.trial.missing)


def _package_missing(ctx: Context, name: str) -> Iterator[Finding]:
    what = next((w for w in ("cublas", "nvrtc") if w in name.casefold()), "")
    if not what:
        return
    cuda = ctx.needs[0].cuda if ctx.needs else 0
    suffix = f"-cu{cuda}" if cuda in (11, 12) else ""
    package = f"nvidia-{'cublas' if what == 'cublas' else 'cuda-nvrtc'}{suffix}"
    remedy = install_packages(ctx, package)
    code = f"{what}-missing-in-environment"
    yield ctx.finding(code, "error", remedy, name, file=name)


def without_cublas(ctx: Context) -> Iterator[Finding]:
    """L21, where no package's record explains it: cuDNN doesn't say what it didn't find.

    It says INTERNAL_ERROR (4000, 4 in cuDNN 8) or EXECUTION_FAILED_CUBLAS (5002).
    """
    trial, cuda = ctx.trial, next((c.cuda_major for c in ctx.copies if c.cuda_major), 0)
    if ctx.environment is None or trial is None or not stopped(trial) or not cuda:
        return
    known = (*ctx.libraries("cublasLt"), *ctx.libraries("cublas"))
    there = any(lib.major == cuda and ctx.loadable(lib) for lib in known)
    if trial.stage == "convolution" and trial.code in (4, 4000, 5002) and not there:
        file = f"cublasLt64_{cuda}.dll" if ctx.windows else f"libcublasLt.so.{cuda}"
        yield from _package_missing(ctx, file)


def nvrtc(ctx: Context) -> Iterator[Finding]:
    """L23: cuDNN could not build code on the spot: NVRTC is missing or not of one version."""
    trial = ctx.trial
    if trial is None or trial.code not in (4001, 3008) or not stopped(trial):
        return
    cuda = next((c.cuda_major for c in ctx.copies if c.cuda_major), 0)
    suffix = f"-cu{cuda}" if cuda in (11, 12) else ""
    ours = _toolkit(ctx, str(cuda or ""))
    remedy: Remedy = Manual(link=CUDA_PAGE, administrator=True, installer=ours)
    if ctx.environment is not None:
        remedy = install_packages(ctx, f"nvidia-cuda-nvrtc{suffix}")
    known = (lib for lib in (*ctx.libraries("nvrtc"), *ctx.libraries("nvrtc-builtins")))
    yield ctx.finding(
        "nvrtc-missing",
        ctx.serious,
        remedy,
        f"{trial.code_name} ({trial.code})",
        *(f"{lib.path} {lib.version}" for lib in known if ctx.loadable(lib)),
        cuda=str(cuda or ""),
    )


def two_cublas(ctx: Context) -> Iterator[Finding]:
    """L22: cuBLAS and cuBLASLt, which belong together, came from two folders."""
    if ctx.trial is None or not stopped(ctx.trial):
        return
    mapped = [p for p in ctx.trial.mapped if "cublas" in ctx.name(p).casefold()]
    folders = list(dict.fromkeys(ctx.parent(p) for p in mapped))
    if len(folders) > 1:
        facts = {"one": folders[0], "other": folders[1]}
        yield ctx.finding("cublas-mixed", ctx.serious, Manual(), *mapped, also=facts)


RULES = (
    Rule(gpu_too_old, ("gpu-too-old-for-cuda",), ("H03",)),
    Rule(driver_too_old, ("driver-too-old", "gpu-too-old-for-cuda"), ("D04", "D06", "D16")),
    Rule(
        program_needs,
        ("gpu-too-new-for-cuda", "program-needs-other-cuda"),
        ("L24", "H04"),
        provable=False,
    ),
    Rule(cuda_libraries, ("cuda-missing", "cuda-not-on-path"), ("L21", "L24", "E03")),
    Rule(
        environment_cublas,
        ("cublas-missing-in-environment", "nvrtc-missing-in-environment"),
        ("L21", "L23"),
    ),
    Rule(nvrtc, ("nvrtc-missing",), ("L23",)),
    Rule(two_cublas, ("cublas-mixed",), ("L22",)),
)

LAST = (Rule(without_cublas, ("cublas-missing-in-environment",), ("L21",)),)
"""Said only when no record of a package explains it."""
