"""A GPU that works and is kept from programs by a setting."""

from __future__ import annotations

import re
from typing import NamedTuple

from cudnn_assistant.diagnose.remedies import unset
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Finding, Manual
from cudnn_assistant.machine import Scope, Variable


class _Hidden(NamedTuple):
    """The layer of CUDA_VISIBLE_DEVICES that leaves CUDA programs without any GPU."""

    variable: Variable
    elsewhere: bool
    """It is a line of a start-up file that this program didn't get."""

    @property
    def value(self) -> str:
        return self.variable.value.text.strip()


def _hidden(ctx: Context) -> _Hidden | None:
    layers: tuple[Scope, ...] = ("user", "machine", "process")
    known = [v for scope in layers if (v := ctx.machine.variable(_NAME, scope))]
    variable = next((v for v in known if _hides_all(ctx, v.value.text.strip())), None)
    if variable is None or not ctx.machine.gpus:
        return None
    # A line in a start-up file that this program didn't get still hides it from terminals.
    elsewhere = ctx.runs or any(g.cuda_index is not None for g in ctx.machine.gpus)
    if elsewhere and (ctx.windows or variable.scope == "process"):
        return None
    return _Hidden(variable, elsewhere)


def _by_scheduler(ctx: Context, found: _Hidden) -> Scheduler | None:
    return batch_system(ctx) if found.variable.scope == "process" else None


_NAME = "CUDA_VISIBLE_DEVICES"


@rule("job-without-gpu", layer=Layer.ACCESS)
def hidden_from_job(ctx: Context) -> Findings:
    """A scheduler set CUDA_VISIBLE_DEVICES for a job that asked for no GPU."""
    found = _hidden(ctx)
    if found and (scheduler := _by_scheduler(ctx, found)):
        yield given_none(ctx, scheduler, f"{_NAME}={found.value}")


@rule("gpu-hidden", layer=Layer.ACCESS)
def hidden(ctx: Context) -> Findings:
    """CUDA_VISIBLE_DEVICES leaves CUDA programs without any GPU."""
    found = _hidden(ctx)
    if found is None or _by_scheduler(ctx, found):
        return
    variable, elsewhere = found
    yield ctx.finding(
        "warning" if elsewhere else "error",
        unset(ctx, variable),
        f"{_NAME}={found.value} ({variable.source or variable.scope})",
        value=found.value or "–",
        place=variable.source,
    )


_SCHEDULERS = {
    "SLURM_": ("Slurm", "srun --gres=gpu:1 …"),
    "LSB_": ("LSF", "bsub -gpu num=1 …"),
    "PBS_": ("PBS", "qsub -l select=1:ngpus=1 …"),
    "KUBERNETES_": ("Kubernetes", "resources: {limits: {nvidia.com/gpu: 1}}"),
}
"""By the start of the variables that it sets: its name, and how a job asks it for a GPU."""


class Scheduler(NamedTuple):
    """What hands GPUs to jobs, and sets CUDA_VISIBLE_DEVICES for them on purpose."""

    name: str
    command: str


def batch_system(ctx: Context) -> Scheduler | None:
    """The scheduler that started us, by the variables it sets for a job."""
    names = [v.name for v in ctx.machine.variables if v.scope == "process"]
    known = (row for start, row in _SCHEDULERS.items() if any(n.startswith(start) for n in names))
    row = next(known, None)
    return Scheduler(*row) if row else None


def given_none(ctx: Context, scheduler: Scheduler, evidence: str) -> Finding:
    """It is the job's scheduler that gave no GPU; removing its variable helps nobody."""
    remedy = Manual(commands=(scheduler.command,))
    facts = Facts(
        scheduler=scheduler.name, variable="CUDA_VISIBLE_DEVICES" if "=" in evidence else ""
    )
    return ctx.error(remedy, evidence, **facts)


def _hides_all(ctx: Context, value: str) -> bool:
    if value == "" or value.casefold() == "nodevfiles":
        return True
    first = value.split(",", maxsplit=1)[0].strip()
    if re.fullmatch(r"[+-]?\d+", first):
        return not 0 <= int(first) < len(ctx.machine.gpus)
    if not first.upper().startswith(("GPU-", "MIG-")):
        return True
    # A GPU that is split by MIG is reached by its parts alone.
    split = [g.uuid for g in ctx.machine.gpus if g.mig and g.mig_instances]
    if any(uuid.casefold() == first.casefold() for uuid in split):
        return True
    known = [g.uuid for g in ctx.machine.gpus] + [
        m for g in ctx.machine.gpus for m in g.mig_instances
    ]
    known = [uuid.casefold() for uuid in known if uuid]
    return bool(known) and not any(uuid.startswith(first.casefold()) for uuid in known)


@rule("mig-without-parts", layer=Layer.ACCESS)
def mig(ctx: Context) -> Findings:
    """The GPU is split by MIG, and no part of it exists."""
    for gpu in ctx.machine.gpus:
        if gpu.mig and not gpu.mig_instances and gpu.cuda_index is None:
            index = gpu.nvml_index or 0
            commands = ("nvidia-smi mig -lgip", f"sudo nvidia-smi -i {index} -mig 0")
            remedy = Manual(commands=commands, administrator=True)
            yield ctx.error(remedy, gpu.uuid, gpu=gpu.name)
