"""Is the GPU's memory good, and is the GPU slowed down or asleep?"""

from __future__ import annotations

from cudnn_assistant.codes import Xid
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Having, Manual
from cudnn_assistant.machine import Gpu

_OF_MEMORY = frozenset((Xid.DOUBLE_BIT_ECC, Xid.ROW_REMAP_FAILURE, Xid.UNCONTAINED_ECC))


def _faulty(gpu: Gpu) -> bool:
    """Whether the GPU's memory counted faults that it could not repair."""
    # A reset starts the count anew, and leaves its lines in the log.
    counted = gpu.ecc_uncorrected
    if counted is None:
        counted = len(_OF_MEMORY & set(gpu.xids))
    return bool(gpu.remap_pending or gpu.remap_failed or counted)


@family({"gpu-memory-faulty": False, "gpu-memory-needs-restart": True}, layer=Layer.GPU)
def memory(ctx: Context, spare: bool) -> Findings:
    """The GPU's memory counted faults. At the next start spare parts take their place, if there
    are any left."""
    for gpu in filter(_faulty, ctx.machine.gpus):
        if spare is not bool(gpu.remap_failed):
            evidence = f"{gpu.name}: ECC {gpu.ecc_uncorrected or 0}"
            how = ctx.warning if ctx.runs else ctx.error
            yield how(Manual(restart=True), evidence, gpu=gpu.name)


@rule("gpu-slowed-down", layer=Layer.GPU)
def hot(ctx: Context) -> Findings:
    """Heat or power limits slow the GPU down now."""
    for gpu in ctx.machine.gpus:
        harmful = [t for t in gpu.throttled if t in ("hw-thermal", "power-brake", "hw-slowdown")]
        if harmful:
            heat = f"{gpu.temperature} °C" if gpu.temperature is not None else ""
            evidence = Having(what=gpu.name, names=tuple(harmful))
            yield ctx.warning(Manual(), evidence, heat, gpu=gpu.name)


@rule("gpu-asleep", layer=Layer.GPU)
def asleep(ctx: Context) -> Findings:
    """A laptop's GPU sleeps; the first program that wants it wakes it up."""
    if ctx.runs:
        return
    for gpu in ctx.machine.gpus:
        if gpu.asleep and "cuda" not in gpu.seen_by:
            yield ctx.note(Manual(), gpu.pci_bus, gpu=gpu.name)
