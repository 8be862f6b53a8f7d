"""What the test itself proves when nothing that lies below explains where it stopped."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from cudnn_assistant.codes import process_end
from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.needs import passed
from cudnn_assistant.diagnose.paths import strange
from cudnn_assistant.diagnose.remedies import install_driver
from cudnn_assistant.finding import Finding, Manual, Unknown
from cudnn_assistant.machine import PartCheck, Trial
from cudnn_assistant.plan import installers

VC_PAGE = "https://learn.microsoft.com/en-us/cpp/windows/latest-supported-vc-redist"

SLOW = 5000.0
"""Milliseconds that a warm driver never needs to make a context (cudnn_test.md §12)."""

_VC = re.compile(r"^(msvcp140|vcruntime140|concrt140|vcomp140)", re.IGNORECASE)


def asked_and_stopped(ctx: Context) -> Trial | None:
    """The subject's test if it stopped and somebody needs what it tests."""
    trial = ctx.trial
    if (
        trial is None
        or trial.status in ("ok", "not-run")
        or (not ctx.needs and ctx.environment is None)
    ):
        return None
    return trial


def told(trial: Trial) -> tuple[str, ...]:
    """Where the test stopped and what was said there; "test: STAGE" is put into words later."""
    code = f"{trial.code_name} ({trial.code})" if trial.code_name else ""
    ended = f"{trial.status} {trial.code}" if trial.code is not None and not code else ""
    lines = (f"test: {trial.stage}", code, ended, trial.missing, trial.detail[:400], trial.loaded)
    return tuple(line for line in lines if line)


def library(ctx: Context) -> Iterator[Finding]:
    """L20, L21, L23, L24, L26, L27, C05: the loader asked for a file that it didn't find."""
    trial = asked_and_stopped(ctx)
    if trial is None or trial.status != "missing-library" or not trial.missing:
        return
    name = trial.missing.casefold()
    if _VC.match(name):
        ours = installers.vc_runtime(ctx.machine.os)
        code, remedy = "vc-runtime-missing", Manual(link=VC_PAGE, installer=ours)
    elif name.startswith("libomp140"):
        code, remedy = "openmp-missing", Manual(link=VC_PAGE)
    elif name.startswith("libz.so"):
        code, remedy = "zlib-missing", _zlib(ctx)
    elif name == "libcuda.so":
        code, remedy = "libcuda-name-missing", _libcuda_name(ctx)
    elif "cudnn" in name:
        return
    else:
        code, remedy = "library-missing", Manual()
    severity = ctx.serious
    yield ctx.finding(code, severity, remedy, *told(trial), file=trial.missing, also=_who(ctx))


def _who(ctx: Context) -> dict[str, str]:
    need = ctx.needs[0] if ctx.needs else None
    return {"program": need.who, "where": need.where} if need else {}


def _libcuda_name(ctx: Context) -> Manual:
    """Let programs find the driver's library by the name that cuDNN 8 asks for as well."""
    if ctx.machine.os.wsl:
        return Manual(commands=("export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH",))
    library = ctx.machine.driver.cuda_library if ctx.machine.driver else ""
    folder = ctx.parent(library) or "/usr/lib"
    command = f"sudo ln -s libcuda.so.1 {shlex.quote(ctx.join(folder, 'libcuda.so'))}"
    return Manual(commands=(command,), administrator=True)


def _zlib(ctx: Context) -> Manual:
    tools = {"debian": "sudo apt install zlib1g", "ubuntu": "sudo apt install zlib1g"}
    command = next(
        (tools[d] for d in ctx.machine.os.distribution if d in tools), "sudo dnf install zlib"
    )
    return Manual(commands=(command,), administrator=True)


def c_library(ctx: Context) -> Iterator[Finding]:
    """L28: the system's C library is older than the one cuDNN was built for, or another one."""
    trial = asked_and_stopped(ctx)
    if trial is None:
        return
    match = re.search(r"version [`'](GLIBC_([\d.]+))' not found", trial.detail)
    if match:
        yield ctx.finding(
            "c-library-too-old", ctx.serious, Manual(), *told(trial),
            needed=match[2], has=ctx.machine.os.libc,
        )  # fmt: skip


def musl(ctx: Context) -> Iterator[Finding]:
    """L28: NVIDIA makes no libraries for the musl C library (Alpine)."""
    if ctx.machine.os.libc.startswith("musl") and not ctx.works and ctx.needs:
        yield ctx.finding(
            "musl-system", ctx.serious, Manual(), ctx.machine.os.libc, system=ctx.machine.os.name
        )


def newer_code(ctx: Context) -> Iterator[Finding]:
    """D05: code that must be translated on this computer is newer than the driver."""
    trial = asked_and_stopped(ctx)
    if trial is not None and trial.code == 222:
        driver = ctx.machine.driver
        yield ctx.finding(
            "driver-too-old-for-code", ctx.serious, install_driver(ctx), *told(trial),
            driver=driver.version if driver else "",
        )  # fmt: skip


def blocked(ctx: Context) -> Iterator[Finding]:
    """L29, L30: Windows or a protection program refused to load a file."""
    trial = asked_and_stopped(ctx)
    if trial is None or not ctx.windows:
        return
    if trial.code in (577, 1260, 4551) or "application control policy" in trial.detail.casefold():
        yield ctx.finding(
            "library-blocked", ctx.serious, Manual(), *told(trial), file=trial.missing
        )


_NO_PROGRAMS = re.compile(
    r"failed to map segment from shared object(?!: cannot allocate)", re.IGNORECASE
)
"""What the loader says of a file on a disk that was attached with the option noexec."""


def forbidden(ctx: Context) -> Iterator[Finding]:
    """L36: the disk that a library lies on was attached so that nothing on it may run."""
    trial = asked_and_stopped(ctx)
    if trial is None or ctx.windows or not _NO_PROGRAMS.search(trial.detail):
        return
    if ctx.environment is None and ctx.serious != "error":
        return
    folder = _forbidden_folder(ctx, trial)
    commands = (f"findmnt -T {shlex.quote(folder)}",) if folder else ()
    yield ctx.finding(
        "folder-forbids-programs", "error", Manual(commands=commands), *told(trial), folder,
        folder=folder, where=ctx.subject if ctx.environment is not None else "", sure=False,
    )  # fmt: skip


def _forbidden_folder(ctx: Context, trial: Trial) -> str:
    """The folder of the file that was refused; it comes first where it was searched."""
    if trial.status == "unloadable":
        return ctx.parent(trial.loaded)
    copies = (c.folder for c in ctx.machine.cudnns if "LD_LIBRARY_PATH" in c.found_via)
    return min(copies, key=ctx.rank, default=ctx.parent(trial.loaded))


def refused(ctx: Context) -> Iterator[Finding]:
    """The loader refused a file that is there, and no rule below says why."""
    trial = asked_and_stopped(ctx)
    spare = ctx.environment is None and ctx.serious != "error"
    if trial is not None and trial.status == "unloadable" and not spare:
        file = trial.missing or trial.loaded
        folder = ctx.winner.folder if ctx.winner else ctx.parent(trial.loaded)
        if ctx.windows and strange(folder):  # E19
            yield ctx.finding(
                "folder-name-unusual", ctx.serious, Manual(), *told(trial), folder,
                sure=False, folder=folder,
            )  # fmt: skip
            return
        yield ctx.finding("library-refused", ctx.serious, Unknown(), *told(trial), file=file)


def slow(ctx: Context) -> Iterator[Finding]:
    """D26, H06: it works, and the first start takes long: the driver wakes up, or code is built."""
    trial = ctx.trial
    if trial is None or not passed(trial):
        return
    times = {t.stage: t.milliseconds for t in trial.times}
    waking = times.get("driver", 0.0) + times.get("context", 0.0)
    if waking > SLOW and not ctx.windows:
        seconds = f"{waking / 1000:.0f}"
        commands = ("sudo systemctl enable --now nvidia-persistenced",)
        remedy = Manual(commands=commands, administrator=True)
        yield ctx.finding("driver-starts-slowly", "info", remedy, f"{seconds} s", seconds=seconds)
    building = times.get("handle", 0.0) + times.get("convolution", 0.0)
    if building > 4 * SLOW:
        seconds = f"{building / 1000:.0f}"
        yield ctx.finding("first-run-slow", "info", Manual(), f"{seconds} s", seconds=seconds)


def unexplained(ctx: Context) -> Iterator[Finding]:
    """The test stopped, and no rule knows why."""
    trial = asked_and_stopped(ctx)
    if trial is None or (ctx.environment is None and ctx.serious != "error"):
        return
    slow = trial.status == "timed-out"
    code = "test-timed-out" if slow else "unexplained"
    evidence = (*told(trial), *_part_checks(ctx))
    yield ctx.finding(code, "error", Unknown(), *evidence, stage=trial.stage, also=_who(ctx))


def _part_checks(ctx: Context) -> list[str]:
    """What those of cuDNN's own checks said that did not pass, for the copy that is loaded."""
    check = ctx.winner.check if ctx.winner else None
    return [
        f"{part.call}: {part.status} {_number(ctx, part)}".rstrip()
        for part in (check.parts if check else ())
        if part.status != "ok"
    ]


def _number(ctx: Context, part: PartCheck) -> str:
    if part.code is None or part.status != "crashed":
        return str(part.code or "")
    return f"{process_end(part.code, ctx.machine.os.family)} ({part.code})"


def other_gpu(ctx: Context) -> Iterator[Finding]:
    """H03 and others for one of several GPUs: the test passed on one and stopped on another."""
    tests = (t for t in ctx.machine.trials if t.subject == ctx.subject and t.gpu)
    mine = [t for t in tests if not t.library and not t.framework]
    if not any(passed(t) for t in mine):
        return
    for trial in mine:
        if trial.status not in ("ok", "not-run") and not _said_of_gpu(ctx, trial):
            yield ctx.finding(
                "one-gpu-stopped", "warning", Unknown(), *told(trial), gpu=trial.gpu_name
            )


def _said_of_gpu(ctx: Context, trial: Trial) -> bool:
    """A rule about the GPU itself has said why: its memory is full, or its mode admits nobody."""
    gpu = next((g for g in ctx.machine.gpus if g.uuid == trial.gpu), None)
    closed = gpu is not None and gpu.compute_mode in ("prohibited", "exclusive-process")
    return trial.status == "out-of-memory" or (closed and trial.stage in ("driver", "context"))


FIRST = (Rule(forbidden, ("folder-forbids-programs",), ("L36",)),)
"""What the loader's own words settle before anybody asks which copy it took."""

RULES = (
    Rule(musl, ("musl-system",), ("L28",)),
    Rule(c_library, ("c-library-too-old",), ("L28",)),
    Rule(
        library,
        (
            "vc-runtime-missing", "openmp-missing", "zlib-missing", "libcuda-name-missing",
            "library-missing",
        ),
        ("L20", "L21", "L23", "L24", "L26", "L27", "C05", "F06"),
    ),
    Rule(newer_code, ("driver-too-old-for-code",), ("D05",)),
    Rule(blocked, ("library-blocked",), ("L30", "L29")),
    Rule(refused, ("library-refused", "folder-name-unusual"), ("E19",)),
    Rule(other_gpu, ("one-gpu-stopped",), ()),
    Rule(slow, ("driver-starts-slowly", "first-run-slow"), ("D26", "H06")),
)  # fmt: skip

LAST = (Rule(unexplained, ("unexplained", "test-timed-out"), ()),)
"""Said only when the whole walk found no error for the subject."""
