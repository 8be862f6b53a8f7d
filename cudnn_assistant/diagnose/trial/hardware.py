"""What the test proves about the computer's parts: the GPU, its processor and its memory."""

from __future__ import annotations

import re

from cudnn_assistant.codes import CudaResult, Xid, process_end
from cudnn_assistant.diagnose.needs import named_by, test_evidence
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Having, Manual, Unknown
from cudnn_assistant.machine import Trial
from cudnn_assistant.regex import regex
from cudnn_assistant.wording.products import titled


@rule("gpu-reset-by-watchdog", layer=Layer.TEST, of=Context.whatever_stopped)
def watchdog(ctx: Context, trial: Trial) -> Findings:
    """The system reset the GPU because a calculation took too long."""
    if trial.code == CudaResult.LAUNCH_TIMEOUT:
        yield ctx.trouble(Manual(), *test_evidence(trial), gpu=trial.gpu_name)


@rule("gpu-wrong-numbers", layer=Layer.TEST, of=Context.stopped_tests)
def wrong_numbers(ctx: Context, trial: Trial) -> Findings:
    """Everything ran, and the GPU's numbers are not the CPU's."""
    if trial.status == "wrong-result":
        said = test_evidence(trial)
        yield ctx.trouble(Unknown(), *said, sure=False, gpu=trial.gpu_name)


_WILD = frozenset(
    (
        CudaResult.ILLEGAL_ADDRESS,
        CudaResult.HARDWARE_STACK_ERROR,
        CudaResult.ILLEGAL_INSTRUCTION,
        CudaResult.MISALIGNED_ADDRESS,
        CudaResult.INVALID_ADDRESS_SPACE,
        CudaResult.INVALID_PC,
        CudaResult.LAUNCH_FAILED,
    )
)
"""A program on the GPU touched what isn't its own, or met an instruction that isn't one."""


_OF_PROGRAMS = frozenset(
    (Xid.GRAPHICS_ENGINE_EXCEPTION, Xid.MMU_FAULT, Xid.RESET_CHANNEL, Xid.MICROCONTROLLER_HALT)
)
"""Faults that a program may have caused, which our small test has not."""


@rule("gpu-faulted", layer=Layer.TEST, of=Context.stopped_tests)
def gpu_faults(ctx: Context, trial: Trial) -> Findings:
    """The GPU's own fault (Xid) ended our small test, which has done nothing to cause one.

    A framework's own code may well have, and any program of this boot may have left the Xid.
    """
    if trial.code not in _WILD or trial.stage != "convolution":
        return
    gpu = next((g for g in ctx.machine.gpus if trial.gpu in ("", g.uuid)), None)
    found = sorted(_OF_PROGRAMS & set(gpu.xids)) if gpu else []
    if gpu and found:
        yield ctx.trouble(
            Unknown(),
            *test_evidence(trial),
            Having(what=gpu.name, names=tuple(f"Xid {xid:d}" for xid in found)),
            sure=False,
            gpu=gpu.name,
        )


@rule("cpu-too-old", layer=Layer.TEST, of=Context.whatever_stopped)
def old_processor(ctx: Context, trial: Trial) -> Findings:
    """The program stopped at an instruction that this processor doesn't have."""
    ended = _ended(ctx, trial) in ("SIGILL", "STATUS_ILLEGAL_INSTRUCTION")
    if ended or named_by(trial).code == "cpu-too-old":
        program = titled(trial.framework)
        yield ctx.trouble(Unknown(), *test_evidence(trial), sure=False, program=program)


def _ended(ctx: Context, trial: Trial) -> str:
    """The signal, or Windows' status, that ended the test's process; "" when none did."""
    crashed = trial.status == "crashed" and trial.code is not None
    return process_end(trial.code or 0, ctx.machine.os.family) if crashed else ""


@rule("computer-memory-full", layer=Layer.TEST, of=Context.whatever_stopped)
def host_memory(ctx: Context, trial: Trial) -> Findings:
    """The computer's own memory ran out, not the GPU's."""
    said = _NO_MEMORY.search(f"{trial.detail}\n{trial.output}")
    told = named_by(trial).code == "computer-memory-full"
    if said or told or _ended(ctx, trial) == "SIGKILL":
        word = said[0] if said and said[0] not in trial.detail else ""
        yield ctx.trouble(Manual(), *test_evidence(trial), word, sure=bool(said or told))


_NO_MEMORY = regex(
    r"\b1455\b|WinError (?:8|14)\b|std::bad_alloc|cannot allocate memory(?! in static TLS)",
    re.IGNORECASE,
)
"""What Windows, C++ and the loader say when the computer's own memory, or its limit, is used up."""
