"""Do cuDNN and the frameworks find cuBLAS and NVRTC, on the system and in environments?"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from cudnn_assistant import compat
from cudnn_assistant.codes import Cudnn8Status, CudnnStatus, process_end
from cudnn_assistant.compat import FIRST_COMPATIBLE, framework_needs
from cudnn_assistant.diagnose.cuda.toolkits import CUBLAS_ALONE, toolkit
from cudnn_assistant.diagnose.needs import Need, meets, need_of, stopped
from cudnn_assistant.diagnose.remedies import (
    CUDA_PAGE,
    cuda_majors,
    fits,
    install_cudnn,
    install_packages,
    search_first,
    usual_cuda,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import (
    Automatic,
    Facts,
    Finding,
    InstallCuda,
    Manual,
    Remedy,
    Severity,
)
from cudnn_assistant.machine import SYSTEM, CudnnCopy, Framework, Library
from cudnn_assistant.plan.installing import part_file
from cudnn_assistant.shell import quote
from cudnn_assistant.versions import major, numbers, short
from cudnn_assistant.wording.products import called


def _unfound(ctx: Context) -> list[Library] | None:
    """Each cuBLAS that would do, where cuDNN needs one and no searched folder holds it.

    Without a cuDNN there is nothing to judge: whoever installs one brings cuBLAS along.
    """
    unknown = ctx.machine.unknown("toolkits") or ctx.machine.unknown("cudnn")
    wanted = ctx.wanted or _asked_for_cublas(ctx)
    if ctx.environment is not None or unknown or ctx.works or not wanted:
        return None
    known = [lib for lib in cublas_libraries(ctx) if _whole(lib)]
    usable = [lib for lib in known if not _majors(ctx) or lib.major in _majors(ctx)]
    if any(map(ctx.loadable, usable)) or not _meant(ctx):
        return None
    # Of another CUDA major alone it is a matter of which cuDNN was installed, not of that CUDA.
    others = any(map(ctx.loadable, known))
    return [lib for lib in usable if not ctx.in_environment(lib)] or (None if others else [])


@rule("cuda-missing", layer=Layer.CUDA)
def no_cuda(ctx: Context) -> Findings:
    """cuDNN needs cuBLAS of its CUDA major, and there is none.

    The CUDA libraries come into folders of our own, with a cuDNN where none is there that fits;
    else the toolkit.
    """
    if _unfound(ctx) != []:
        return
    cuda = _which(ctx)
    need = next(iter(ctx.needs), Need())
    asked = (copy for copy in _meant(ctx) if need.major in (0, copy.major))
    parts = _parts(ctx, cuda) if any(fits(ctx, copy) for copy in asked) else ()
    whole = install_cudnn(ctx, msgspec.structs.replace(need, cuda=int(cuda or 0)))
    remedy: Remedy = Automatic(edits=parts) if parts else whole
    if not isinstance(remedy, Automatic):
        remedy = Manual(
            link=CUDA_PAGE, page="nvidia", administrator=True, installer=toolkit(ctx, cuda)
        )
    file = cublas_file(ctx, cuda)
    # A toolkit of that major that is there has lost the file.
    there = (t.version for t in ctx.machine.toolkits if str(major(t.version)) == cuda)
    toolkit_here = next((f"CUDA {short(version)}" for version in there), "")
    yield ctx.error(remedy, f"{file}: –", cuda=cuda, file=file, toolkit=toolkit_here)


def _parts(ctx: Context, cuda: str) -> tuple[InstallCuda, ...]:
    """cuBLAS, and what else cuDNN loads and doesn't find, where NVIDIA has it as an archive."""
    of_cuda = (lib for lib in ctx.machine.libraries if str(lib.major) == cuda)
    found = {lib.name for lib in of_cuda if ctx.loadable(lib)} - {"cublas"}
    names = sorted({part.name for release in ctx.compat.toolkits for part in release.components})
    return tuple(
        InstallCuda(cuda=cuda, part=name)
        for name in names
        if name.removeprefix("lib").removeprefix("cuda_") not in found
        and part_file(name, cuda, ctx.machine, ctx.compat)
    )


@rule("cuda-not-on-path", layer=Layer.CUDA)
def not_searched(ctx: Context) -> Findings:
    """cuDNN needs cuBLAS of its CUDA major, and no searched folder holds it."""
    if usable := _unfound(ctx):
        best = max(usable, key=lambda lib: (lib.major or 0, numbers(lib.version)))
        folder = ctx.parent(best.path)
        facts = Facts(folder=folder, cuda=short(best.version) or str(best.major or ""))
        if not _comes_later(ctx, folder):
            yield ctx.error(search_first(ctx, folder), best.path, **facts)


def _comes_later(ctx: Context, folder: str) -> bool:
    """Whether the folder is added for the sake of the cuDNN in it, or that one's is asked first."""
    if any(ctx.key(c.folder) == ctx.key(folder) for c in ctx.copies):
        return not ctx.windows
    # The test found no cuDNN by its name, so that it never came to ask for CUDA.
    trial = ctx.stopped
    return trial is not None and trial.stage == "load" and "cudnn" in trial.missing


def cublas_libraries(ctx: Context) -> tuple[Library, ...]:
    """All files of cuBLAS."""
    return ctx.libraries("cublasLt", "cublas")


def _whole(library: Library) -> bool:
    """Whether cuBLAS is there with this file: since CUDA 11 it lies in cublasLt for the most."""
    return library.name == "cublasLt" or (library.major or 0) < FIRST_COMPATIBLE


def _asked_for_cublas(ctx: Context) -> bool:
    """The test of a cuDNN that matters stopped because it asked for cuBLAS in vain."""
    asked = ctx.stopped is not None and "cublas" in ctx.stopped.missing.casefold()
    return asked and ctx.serious == "error"


def cublas_file(ctx: Context, cuda: str | int) -> str:
    """The file that cuDNN asks for: the loader's own words, else the name in that CUDA major."""
    if _asked_for_cublas(ctx) and ctx.trial is not None:
        return ctx.trial.missing
    return f"cublasLt64_{cuda}.dll" if ctx.windows else f"libcublasLt.so.{cuda}"


def _meant(ctx: Context) -> tuple[CudnnCopy, ...]:
    """The copy that the subject's programs load; else all that are its."""
    return (ctx.winner,) if ctx.winner else ctx.copies


def _majors(ctx: Context) -> set[int]:
    """The CUDA majors of these."""
    return {copy.cuda_major for copy in _meant(ctx) if copy.cuda_major}


def _which(ctx: Context) -> str:
    half = {lib.major for lib in ctx.libraries("cublas") if lib.major and ctx.loadable(lib)}
    majors = _majors(ctx) or {n.cuda for n in ctx.needs if n.cuda} or half
    return str(max(majors) if majors else next(iter(cuda_majors(ctx)), usual_cuda(ctx)))


def _asked_in_vain(ctx: Context) -> str:
    """The library that an environment's test didn't find, or PyTorch, which is linked with it.

    A package whose files are gone is told as that, and is installed anew.
    """
    if ctx.environment is None:
        return ""
    gone = any(p.files_missing and "cublas" in p.name for p in ctx.packages)
    torch = (f for f in ctx.frameworks if f.name == "torch" and f.cudnn_from == "wheel")
    # What its own demands name is told in the version that they name.
    linked = [f for f in torch if not any("cublas" in p.package for p in f.pins)]
    tests = (t for f in linked for t in ctx.tests_in(f) if stopped(t) and not t.helped_by)
    there = any(map(ctx.loadable, cublas_libraries(ctx)))
    lost = ctx.stopped or (None if there else next(tests, None))
    return "" if gone or lost is None else lost.missing


@family(
    {"cublas-missing-in-environment": "cublas", "nvrtc-missing-in-environment": "cuda-nvrtc"},
    layer=Layer.CUDA,
)
def not_in_environment(ctx: Context, part: str) -> Findings:
    """A Python environment's cuDNN is there, the cuBLAS or NVRTC it needs is not."""
    if part.removeprefix("cuda-") in (file := _asked_in_vain(ctx)).casefold():
        yield _missing(ctx, file, part)


def _missing(ctx: Context, file: str, part: str = "cublas") -> Finding:
    """The package that holds it for the environment's CUDA brings it."""
    package = compat.cuda_package(ctx.compat, part, ctx.needs[0].cuda if ctx.needs else 0)
    return ctx.error(install_packages(ctx, package), file, file=file)


def _opened_by_name(ctx: Context) -> Iterator[tuple[Framework, str, list[Library]]]:
    """CTranslate2 opens cuBLAS by its name, and brings none; newer ones do without cuDNN.

    Each with the file that it opens, and what is there of it. Whatever brings cuDNN to the
    environment brings cuBLAS of its CUDA along; of one that the system lacks is told first.
    """
    trials = [ctx.trial, ctx.machine.trial(SYSTEM)]
    asked = [need_of(f, ctx.subject) for f in ctx.frameworks if f.cudnn]
    lacking = not all(any(meets(trial, need) for trial in trials) for need in asked)
    environment = ctx.environment
    if environment is None or lacking:
        return
    brought = {_cuda_of(ctx, f) for f in ctx.frameworks if f.brings_cudnn}
    known = [
        lib
        for lib in cublas_libraries(ctx)
        if ctx.belongs(lib.path, environment) or ctx.finds(lib) or not ctx.in_environment(lib)
    ]
    for framework in ctx.frameworks:
        cuda = _cuda_of(ctx, framework)
        opens = framework.name in CUBLAS_ALONE and framework.gpu is not False
        if opens and cuda in compat.known_cuda_majors(ctx.compat) and not brought & {0, cuda}:
            file = f"cublas64_{cuda}.dll" if ctx.windows else f"libcublas.so.{cuda}"
            yield framework, file, [lib for lib in known if lib.major == cuda]


@family(
    {"cublas-missing-in-environment": False, "cublas-not-searched": True},
    layer=Layer.CUDA,
    provable=False,
    of=_opened_by_name,
)
def opened_by_name(
    ctx: Context, opened: tuple[Framework, str, list[Library]], packed: bool
) -> Findings:
    """CTranslate2 asks for a cuBLAS that isn't there; or it asks the system, which knows nothing of
    Python's packages. What conda installed is found by the Python beside it.

    Beside a framework that runs, nobody knows whether CTranslate2 is to use the GPU.
    """
    framework, file, there = opened
    known = any(ctx.finds(lib) or "conda" in lib.found_via for lib in there)
    if packed is not bool(there) or known or (there and not ctx.in_environment(there[0])):
        return
    folder = ctx.parent(there[0].path) if there else ""
    package = compat.cuda_package(ctx.compat, "cublas", _cuda_of(ctx, framework))
    remedy = search_first(ctx, folder) if packed else install_packages(ctx, package)
    if len({ctx.key(ctx.parent(lib.path)) for lib in there}) > 1 and not ctx.windows:
        # Searched first, it would take the place of another program's cuBLAS.
        line = f"export LD_LIBRARY_PATH={quote(folder, 'sh')}:$LD_LIBRARY_PATH"
        remedy = Manual(commands=(line,))
    facts = Facts(program=called(framework), file=file) | (Facts(folder=folder) if folder else {})
    severity: Severity = "warning" if ctx.works else "error"
    yield ctx.finding(severity, remedy, there[0].path if there else file, **facts)


def _cuda_of(ctx: Context, framework: Framework) -> int:
    """CUDA major of a build, by its own files or the published table."""
    known = framework_needs(
        ctx.compat, framework.name, framework.version, ctx.machine.os.family, framework.cuda
    )
    return major(framework.cuda or (known.cuda if known else ""))


_NO_COMPILER = (
    CudnnStatus.INTERNAL_ERROR_COMPILATION_FAILED,
    CudnnStatus.NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING,
)

_NVRTC = "cuda_nvrtc"


@rule("nvrtc-missing", layer=Layer.TEST)
def nvrtc(ctx: Context) -> Findings:
    """CuDNN could not build code on the spot: NVRTC is missing or not of one version."""
    trial = ctx.stopped
    if trial is None or trial.code not in _NO_COMPILER:
        return
    cuda = next((c.cuda_major for c in ctx.copies if c.cuda_major), 0)
    ours = toolkit(ctx, str(cuda or ""))
    remedy: Remedy = Manual(link=CUDA_PAGE, page="nvidia", administrator=True, installer=ours)
    known = ctx.libraries("nvrtc", "nvrtc-builtins")
    there = [lib for lib in known if ctx.loadable(lib)]
    if ctx.environment is not None:
        remedy = install_packages(ctx, compat.cuda_package(ctx.compat, "cuda-nvrtc", cuda))
    elif part_file(_NVRTC, str(cuda), ctx.machine, ctx.compat) and not (ctx.windows and there):
        # A whole one in a folder of our own; on Windows the other may stand before it.
        remedy = Automatic(edits=(InstallCuda(cuda=str(cuda), part=_NVRTC),))
    yield ctx.trouble(
        remedy,
        f"{trial.code_name} ({trial.code})",
        *(f"{lib.path} {lib.version}" for lib in there),
        cuda=str(cuda or ""),
    )


@rule("cublas-mixed", layer=Layer.CUDA)
def two_cublas(ctx: Context) -> Findings:
    """CuBLAS and cuBLASLt, which belong together, came from two folders."""
    if ctx.stopped is None:
        return
    mapped = [p for p in ctx.stopped.mapped if "cublas" in ctx.name(p).casefold()]
    folders = list(dict.fromkeys(ctx.parent(p) for p in mapped))
    if len(folders) > 1:
        facts = Facts(one=folders[0], other=folders[1])
        yield ctx.trouble(_from_one_folder(ctx, folders), *mapped, **facts)


def _from_one_folder(ctx: Context, folders: list[str]) -> Remedy:
    """Search the one first that holds both, where it is the only one of them."""
    held = {
        folder: {lib.name for lib in cublas_libraries(ctx) if ctx.parent(lib.path) == folder}
        for folder in folders
    }
    whole = [folder for folder, names in held.items() if {"cublas", "cublasLt"} <= names]
    return search_first(ctx, whole[0]) if len(whole) == 1 and not ctx.windows else Manual()


_SAYS_NOTHING = (
    Cudnn8Status.NOT_INITIALIZED,
    Cudnn8Status.INTERNAL_ERROR,
    CudnnStatus.NOT_INITIALIZED,
    CudnnStatus.INTERNAL_ERROR,
    CudnnStatus.EXECUTION_FAILED_CUBLAS,
)


_ABORTS = ("SIGABRT", "STATUS_STACK_BUFFER_OVERRUN")
"""How cuDNN ends without cuBLAS when it doesn't name it: by a status, or its process aborts."""


@rule("cublas-missing-in-environment", layer=Layer.TEST)
def without_cublas(ctx: Context) -> Findings:
    """No package's record explains it: cuDNN doesn't say what it didn't find.

    It says NOT_INITIALIZED (1001, 1 in cuDNN 8), INTERNAL_ERROR (4000, 4) or
    EXECUTION_FAILED_CUBLAS (5002), or its process aborts. What its package pins is not there.
    """
    trial, cuda = ctx.stopped, next((c.cuda_major for c in ctx.copies if c.cuda_major), 0)
    if ctx.environment is None or trial is None or not cuda:
        return
    there = any(lib.major == cuda and ctx.loadable(lib) for lib in cublas_libraries(ctx))
    aborted = process_end(trial.code or 0, ctx.machine.os.family) in _ABORTS
    silent = trial.code in _SAYS_NOTHING if trial.status == "status-code" else aborted
    if trial.stage in ("handle", "convolution") and silent and not there:
        yield _missing(ctx, cublas_file(ctx, cuda))
