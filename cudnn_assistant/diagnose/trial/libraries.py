"""What the test says of libraries that the loader did not find, refused, or may not run."""

from __future__ import annotations

import re
from collections.abc import Callable

from cudnn_assistant.codes import CudaResult, WindowsRefusal
from cudnn_assistant.diagnose.needs import test_evidence
from cudnn_assistant.diagnose.remedies import install_driver, own_copy
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.diagnose.settings.search_lists import unusual_name
from cudnn_assistant.distributions import for_distribution
from cudnn_assistant.finding import Automatic, Facts, Finding, Manual, PutFirst, Remedy, Unknown
from cudnn_assistant.machine import Trial
from cudnn_assistant.plan import installers
from cudnn_assistant.regex import regex
from cudnn_assistant.shell import command

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
    facts = Facts(folder=folder, environment=ctx.subject if ctx.environment is not None else "")
    remedy = own_copy(ctx, Manual(commands=commands))
    yield ctx.error(remedy, *test_evidence(trial), folder, sure=False, **facts)


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


@rule("musl-system", layer=Layer.TEST)
def musl(ctx: Context) -> Findings:
    """NVIDIA makes no libraries for the musl C library (Alpine)."""
    if ctx.machine.os.libc.startswith("musl") and not ctx.works and ctx.needs:
        yield ctx.trouble(Manual(), ctx.machine.os.libc, system=ctx.machine.os.name)


@rule("c-library-too-old", layer=Layer.TEST, of=Context.stopped_tests)
def c_library(ctx: Context, trial: Trial) -> Findings:
    """The system's C library is older than the one cuDNN was built for, or another one."""
    if match := re.search(r"version [`'](GLIBC_([\d.]+))' not found", trial.detail):
        facts = Facts(needed_version=match[2], present_version=ctx.machine.os.libc)
        yield ctx.trouble(Manual(), *test_evidence(trial), **facts)


_VC = r"msvcp140|vcruntime140|concrt140|vcomp140"
_OPENMP = r"libomp140"
_ZLIB = r"libz\.so"
_LIBCUDA = r"libcuda\.so$"


def _lacks(names: str) -> Callable[[Context], list[Trial]]:
    """The test in which the loader asked for such a file, no part of cuDNN, and didn't find it."""

    def found(ctx: Context) -> list[Trial]:
        lost = [t for t in ctx.stopped_tests() if t.status == "missing-library" and t.missing]
        files = ((trial, trial.missing.casefold()) for trial in lost)
        return [trial for trial, f in files if "cudnn" not in f and re.match(names, f)]

    return found


def _lost(ctx: Context, trial: Trial, remedy: Remedy) -> Finding:
    facts = ctx.who | {"file": trial.missing}
    return ctx.trouble(remedy, *test_evidence(trial), **facts)


@rule("vc-runtime-missing", layer=Layer.TEST, of=_lacks(_VC))
def vc_runtime(ctx: Context, trial: Trial) -> Findings:
    """Microsoft's run-time library for C++ is missing."""
    installer = installers.vc_runtime(ctx.machine.os)
    yield _lost(ctx, trial, Manual(link=VC_PAGE, page="microsoft", installer=installer))


@rule("openmp-missing", layer=Layer.TEST, of=_lacks(_OPENMP))
def openmp(ctx: Context, trial: Trial) -> Findings:
    """Microsoft's library for OpenMP is missing."""
    yield _lost(ctx, trial, Manual(link=VC_PAGE, page="microsoft"))


@rule("zlib-missing", layer=Layer.TEST, of=_lacks(_ZLIB))
def zlib(ctx: Context, trial: Trial) -> Findings:
    """zlib is missing, which older releases of cuDNN ask for.

    Where nobody asks for an old cuDNN, a newer one does without.
    """
    commands = for_distribution(ctx.machine.os.distribution, _ZLIB_COMMANDS) or ()
    by_hand = Manual(commands=commands, administrator=True)
    yield _lost(ctx, trial, _newer(ctx, by_hand))


def _newer(ctx: Context, by_hand: Manual) -> Remedy:
    """A newer cuDNN, where nobody asks for an old one."""
    return by_hand if any(need.major for need in ctx.needs) else own_copy(ctx, by_hand)


_ZLIB_COMMANDS = {
    "debian": ("sudo apt install zlib1g",),
    "fedora": ("sudo dnf install zlib",),
    "rhel": ("sudo dnf install zlib",),
    "arch": ("sudo pacman -S zlib",),
    "suse": ("sudo zypper install libz1",),
}


@rule("libcuda-name-missing", layer=Layer.TEST, of=_lacks(_LIBCUDA))
def libcuda_name(ctx: Context, trial: Trial) -> Findings:
    """The driver's library is there without the short name that cuDNN 8 asks for.

    Where nobody asks for cuDNN 8, a newer one does without the name.
    """
    if ctx.machine.os.wsl:
        edit = PutFirst(variable="LD_LIBRARY_PATH", folder="/usr/lib/wsl/lib")
        yield _lost(ctx, trial, Automatic(edits=(edit,)))
        return
    folder = ctx.parent(ctx.driver.cuda_library) or "/usr/lib"
    line = command("sh", "sudo", "ln", "-s", "libcuda.so.1", ctx.join(folder, "libcuda.so"))
    by_hand = Manual(commands=(line,), administrator=True)
    yield _lost(ctx, trial, _newer(ctx, by_hand))


_OTHER = rf"(?!{_VC}|{_OPENMP}|{_ZLIB}|{_LIBCUDA})"


@rule("library-missing", layer=Layer.TEST, of=_lacks(_OTHER))
def library(ctx: Context, trial: Trial) -> Findings:
    """The loader asked for some other file that it didn't find."""
    yield _lost(ctx, trial, Manual())


@rule("driver-too-old-for-code", layer=Layer.TEST, of=Context.stopped_tests)
def newer_code(ctx: Context, trial: Trial) -> Findings:
    """Code that must be translated on this computer is newer than the driver."""
    if trial.code == CudaResult.UNSUPPORTED_PTX_VERSION:
        remedy, driver = install_driver(ctx), ctx.driver.version
        yield ctx.trouble(remedy, *test_evidence(trial), driver=driver)


@rule("library-blocked", layer=Layer.TEST, of=Context.stopped_tests)
def blocked(ctx: Context, trial: Trial) -> Findings:
    """Windows or a protection program refused to load a file."""
    said = "application control policy" in trial.detail.casefold()
    if ctx.windows and (said or trial.code in tuple(WindowsRefusal)):
        yield ctx.trouble(Manual(), *test_evidence(trial), file=trial.missing)


def _refused(ctx: Context, trial: Trial) -> bool:
    """Whether the loader refused a file that is there, and it matters."""
    return trial.status == "unloadable" and ctx.serious == "error"


def _odd_folder(ctx: Context, trial: Trial) -> str:
    """The folder of the file, where some Windows programs can't handle its name."""
    folder = ctx.winner.folder if ctx.winner else ctx.parent(trial.loaded)
    return folder if ctx.windows and unusual_name(folder) else ""


@rule("folder-name-unusual", layer=Layer.TEST, of=Context.stopped_tests)
def folder_name(ctx: Context, trial: Trial) -> Findings:
    """The loader refused a file in a folder whose name some programs can't handle."""
    if (folder := _odd_folder(ctx, trial)) and _refused(ctx, trial):
        remedy, said = own_copy(ctx, Manual()), test_evidence(trial)
        yield ctx.trouble(remedy, *said, folder, sure=False, folder=folder)


@rule("library-refused", layer=Layer.TEST, of=Context.stopped_tests)
def refused(ctx: Context, trial: Trial) -> Findings:
    """The loader refused a file that is there, and no rule below says why."""
    if _refused(ctx, trial) and not _odd_folder(ctx, trial):
        file = trial.missing or trial.loaded
        yield ctx.trouble(Unknown(), *test_evidence(trial), file=file)
