"""What the test says of libraries that the loader did not find, refused, or may not run."""

from __future__ import annotations

import re
from collections.abc import Callable

from cudnn_assistant import codes
from cudnn_assistant.codes import CudaResult
from cudnn_assistant.diagnose.copies.loaded_copy import copies_to_check
from cudnn_assistant.diagnose.needs import test_evidence
from cudnn_assistant.diagnose.remedies import commands_for, install_driver, own_copy
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Automatic, Facts, Manual, PutFirst, Remedy, Unknown
from cudnn_assistant.machine import Trial
from cudnn_assistant.plan import installers
from cudnn_assistant.regex import regex
from cudnn_assistant.shell import command
from cudnn_assistant.versions import older
from cudnn_assistant.wording.products import titled

VC_PAGE = "https://learn.microsoft.com/en-us/cpp/windows/latest-supported-vc-redist"


_NO_PROGRAMS = regex(
    r"failed to map segment from shared object(?!: cannot allocate)", re.IGNORECASE
)
"""What the loader says of a file on a disk that was attached with the option noexec."""


@rule("folder-forbids-programs", layer=Layer.START, of=Context.stopped_tests)
def forbidden(ctx: Context, trial: Trial) -> Findings:
    """The disk that a library lies on was attached so that nothing on it may run."""
    if ctx.windows or ctx.serious != "error" or not _NO_PROGRAMS.search(trial.detail):
        return
    folder = _forbidden_folder(ctx, trial)
    commands = (command("sh", "findmnt", "-T", folder),) if folder else ()
    remedy = own_copy(ctx, Manual(commands=commands))
    yield ctx.error(remedy, *test_evidence(trial), folder, sure=False, folder=folder)


def _forbidden_folder(ctx: Context, trial: Trial) -> str:
    """The folder of the file that was refused; it comes first where it was searched."""
    if trial.status == "unloadable":
        return ctx.parent(trial.loaded)
    copies = (c.folder for c in ctx.machine.cudnns if "LD_LIBRARY_PATH" in c.found_via)
    return min(copies, key=ctx.rank, default=ctx.parent(trial.loaded))


@rule("preloaded-for-everybody", layer=Layer.START, of=Context.stopped_tests)
def preloaded(ctx: Context, trial: Trial) -> Findings:
    """A file that the loader puts into every program of the computer took cuDNN's place.

    Nobody but the administrator can leave it out, so that no experiment proves it: it was mapped.
    """
    variable = ctx.machine.variable("LD_PRELOAD", "machine")
    if variable is None or not variable.source.endswith("ld.so.preload"):
        return
    listed = re.split(r"[\s:]+", variable.value.text)
    file = next((one for one in (trial.loaded, *trial.mapped) if one in listed), "")
    if file:
        line = command("sh", "sudo", "sed", "-i", f"\\|{file}|d", variable.source)
        remedy = Manual(commands=(line,), administrator=True)
        facts = Facts(file=file, folder=ctx.parent(file), place=variable.source)
        yield ctx.trouble(remedy, *test_evidence(trial), file, **facts)


@rule("musl-system", layer=Layer.START)
def musl(ctx: Context) -> Findings:
    """NVIDIA makes no libraries for the musl C library (Alpine)."""
    if ctx.machine.os.libc.startswith("musl") and not ctx.works and ctx.needs:
        yield ctx.trouble(Manual(), ctx.machine.os.libc, system=ctx.machine.os.name)


@rule("c-library-too-old", layer=Layer.TEST, of=Context.whatever_stopped)
def c_library(ctx: Context, trial: Trial) -> Findings:
    """The system's C library is older than the one of the build."""
    match, here = re.search(r"version [`']GLIBC_([\d.]+)' not found", trial.detail), ctx.machine.os
    if match and (not here.libc or older(here.libc.removeprefix("glibc "), match[1])):
        facts = Facts(needed_version=match[1], program=titled(trial.framework) or "cuDNN")
        facts |= {"present_version": here.libc} if here.libc else {}
        yield ctx.trouble(Manual(), *test_evidence(trial), **facts)


def vc_runtime(ctx: Context) -> Remedy:
    """Microsoft's own installer of its C++ runtime."""
    installer = installers.vc_runtime(ctx.machine.os)
    return Manual(link=VC_PAGE, page="microsoft", installer=installer)


def _zlib(ctx: Context) -> Remedy:
    return _newer(ctx, Manual(commands=commands_for(ctx, "zlib"), administrator=True))


def _newer(ctx: Context, by_hand: Manual) -> Remedy:
    """A newer cuDNN, which does without the file, where nobody asks for an old one."""
    return by_hand if any(need.major for need in ctx.needs) else own_copy(ctx, by_hand)


def _libcuda(ctx: Context) -> Remedy:
    if ctx.machine.os.wsl:
        edit = PutFirst(variable="LD_LIBRARY_PATH", folder="/usr/lib/wsl/lib")
        return Automatic(edits=(edit,))
    folder = ctx.parent(ctx.driver.cuda_library) or "/usr/lib"
    line = command("sh", "sudo", "ln", "-s", "libcuda.so.1", ctx.join(folder, "libcuda.so"))
    return _newer(ctx, Manual(commands=(line,), administrator=True))


_LACKED: dict[str, tuple[str, Callable[[Context], Remedy]]] = {
    "vc-runtime-missing": (r"msvcp140|vcruntime140|concrt140|vcomp140", vc_runtime),
    "openmp-missing": (r"libomp140|fbgemm", lambda _ctx: Manual(link=VC_PAGE, page="microsoft")),
    "zlib-missing": (r"libz\.so", _zlib),
    "libcuda-name-missing": (r"libcuda\.so$", _libcuda),
    "library-missing": ("", lambda _ctx: Manual()),
}
"""Files that are no part of cuDNN: how their names begin, the first that fits, and what helps.

Microsoft's libraries for C++ and for OpenMP, for which Windows names the file of PyTorch that asks,
zlib, which older releases of cuDNN ask for, the short name of the driver's library, which cuDNN 8
asks for, and all others.
"""


def _lost(ctx: Context) -> list[Trial]:
    """The tests in which the loader asked for such a file and didn't find it."""
    lost = [t for t in ctx.whatever_stopped() if t.status == "missing-library" and t.missing]
    return [t for t in lost if "cudnn" not in t.missing.casefold()]


@family({code: code for code in _LACKED}, layer=Layer.TEST, of=_lost)
def lacking(ctx: Context, trial: Trial, code: str) -> Findings:
    """The loader asked for a file that it didn't find."""
    file = trial.missing.casefold()
    if trial.framework and code == "library-missing":
        return  # that is told with what the framework said
    if code == next(c for c, (names, _helps) in _LACKED.items() if re.match(names, file)):
        facts = ctx.who | {"file": trial.missing}
        yield ctx.trouble(_LACKED[code][1](ctx), *test_evidence(trial), **facts)


@rule("driver-too-old-for-code", layer=Layer.TEST, of=Context.whatever_stopped)
def newer_code(ctx: Context, trial: Trial) -> Findings:
    """Code that must be translated on this computer is newer than the driver."""
    if trial.code == CudaResult.UNSUPPORTED_PTX_VERSION:
        remedy, driver = install_driver(ctx), ctx.driver.version
        yield ctx.trouble(remedy, *test_evidence(trial), driver=driver)


@rule("library-blocked", layer=Layer.TEST, of=Context.whatever_stopped)
def blocked(ctx: Context, trial: Trial) -> Findings:
    """Windows or a protection program refused to load a file."""
    said = "application control policy" in trial.detail.casefold()
    if ctx.windows and (said or trial.code in codes.numbers("refusals-windows")):
        file = _named_by(trial) if trial.framework else _asked_for(ctx, trial)
        whose = Facts(file=file) if file else Facts(program=titled(trial.framework))
        yield ctx.trouble(Manual(), *test_evidence(trial), **whose)


_NAMED = regex(r'Error loading "([^"]+)"')
"""What PyTorch adds to Windows' refusal. Where Python itself imports a file, nobody names it."""


def _named_by(trial: Trial) -> str:
    """The file that a framework says was refused; what it has loaded was not."""
    named = _NAMED.search(trial.detail)
    return named[1] if named else ""


def _asked_for(ctx: Context, trial: Trial) -> str:
    """The file that was refused. Windows doesn't say: then the cuDNN that it comes to first."""
    first = (ctx.join(copy.folder, copy.file) for copy in copies_to_check(ctx))
    return trial.missing or trial.loaded or next(first, "")


@family(
    {"folder-name-unusual": True, "library-refused": False},
    layer=Layer.TEST,
    of=Context.stopped_tests,
)
def refused(ctx: Context, trial: Trial, unusual: bool) -> Findings:
    """The loader refused a file that is there: in a folder whose signs or length some programs for
    Windows can't handle; or no rule below says why."""
    folder = ctx.winner.folder if ctx.winner else ctx.parent(trial.loaded)
    odd = ctx.windows and not (folder.isascii() and len(folder) <= 240)
    if trial.status == "unloadable" and ctx.serious == "error" and odd is unusual:
        facts = Facts(folder=folder) if odd else Facts(file=_asked_for(ctx, trial))
        said = (*test_evidence(trial), folder if odd else "")
        remedy = own_copy(ctx, Manual()) if odd else Unknown()
        yield ctx.trouble(remedy, *said, sure=not odd, **facts)
