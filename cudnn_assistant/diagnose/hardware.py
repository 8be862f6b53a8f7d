"""What the test proves about the computer's parts: the GPU, its processor and its memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.trial import asked_and_stopped, told
from cudnn_assistant.finding import Finding, Manual, Unknown


def watchdog(ctx: Context) -> Iterator[Finding]:
    """D29: the system reset the GPU because a calculation took too long."""
    trial = asked_and_stopped(ctx)
    if trial is not None and trial.code == 702:
        yield ctx.finding(
            "gpu-reset-by-watchdog", ctx.serious, Manual(), *told(trial), gpu=trial.gpu_name
        )


def wrong_numbers(ctx: Context) -> Iterator[Finding]:
    """H10: everything ran, and the GPU's numbers are not the CPU's."""
    trial = asked_and_stopped(ctx)
    if trial is not None and trial.status == "wrong-result":
        yield ctx.finding(
            "gpu-wrong-numbers",
            ctx.serious,
            Unknown(),
            *told(trial),
            gpu=trial.gpu_name,
            sure=False,
        )


_WILD = frozenset({700, 714, 715, 716, 717, 718, 719})
"""A program on the GPU touched what isn't its own, or met an instruction that isn't one."""


def gpu_faults(ctx: Context) -> Iterator[Finding]:
    """H10: the GPU's own fault (Xid) ended our small test, which has done nothing to cause one."""
    trial = asked_and_stopped(ctx)
    if trial is None or trial.code not in _WILD or trial.stage != "convolution":
        return
    gpu = next((g for g in ctx.machine.gpus if trial.gpu in ("", g.uuid)), None)
    found = sorted({13, 31, 43, 62} & set(gpu.xids)) if gpu else []
    if gpu and found:
        yield ctx.finding(
            "gpu-faulted", ctx.serious, Unknown(), *told(trial),
            f"{gpu.name}: Xid {', '.join(map(str, found))}", gpu=gpu.name, sure=False,
        )  # fmt: skip


def old_processor(ctx: Context) -> Iterator[Finding]:
    """H08: the program stopped at an instruction that this processor doesn't have."""
    trial = asked_and_stopped(ctx)
    if trial is not None and trial.status == "crashed" and trial.code in (-4, 132, 0xC000001D):
        yield ctx.finding("cpu-too-old", ctx.serious, Unknown(), *told(trial), sure=False)


def host_memory(ctx: Context) -> Iterator[Finding]:
    """H16: the computer's own memory ran out, not the GPU's."""
    trial = asked_and_stopped(ctx)
    killed = trial is not None and trial.status == "crashed" and trial.code in (-9, 137)
    said = _NO_MEMORY.search(f"{trial.detail}\n{trial.output}") if trial is not None else None
    if trial is not None and (killed or said):
        word = said[0] if said and said[0] not in trial.detail else ""
        yield ctx.finding(
            "computer-memory-full", ctx.serious, Manual(), *told(trial), word,
            sure=said is not None,
        )  # fmt: skip


_NO_MEMORY = re.compile(
    r"\b1455\b|std::bad_alloc|cannot allocate memory(?! in static TLS)", re.IGNORECASE
)
"""What Windows, C++ and the loader say when the computer's own memory, or its limit, is used up."""


RULES = (
    Rule(watchdog, ("gpu-reset-by-watchdog",), ("D29",)),
    Rule(wrong_numbers, ("gpu-wrong-numbers",), ("H10",)),
    Rule(gpu_faults, ("gpu-faulted",), ("H10",)),
    Rule(old_processor, ("cpu-too-old",), ("H08",)),
    Rule(host_memory, ("computer-memory-full",), ("H16",)),
)
