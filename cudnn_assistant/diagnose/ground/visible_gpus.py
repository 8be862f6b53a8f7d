"""A GPU that works and is kept from programs by a setting."""

from __future__ import annotations

import re

from cudnn_assistant.diagnose.remedies import set_to
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Finding, Manual
from cudnn_assistant.machine import Scope, Variable

_NAME = "CUDA_VISIBLE_DEVICES"


def _hiding(ctx: Context) -> Variable | None:
    """The CUDA_VISIBLE_DEVICES that leaves CUDA programs without any GPU."""
    layers: tuple[Scope, ...] = ("user", "machine", "process")
    known = [v for scope in layers if (v := ctx.machine.variable(_NAME, scope))]
    variable = next((v for v in known if _hides_all(ctx, v.value.text.strip())), None)
    if variable is None or not ctx.machine.gpus:
        return None
    spared = _elsewhere(ctx) and (ctx.windows or variable.scope == "process")
    return None if spared else variable


def _elsewhere(ctx: Context) -> bool:
    """A line in a start-up file that this program didn't get still hides GPUs from terminals."""
    return ctx.runs or any(g.cuda_index is not None for g in ctx.machine.gpus)


@rule("job-without-gpu", layer=Layer.ACCESS)
def job(ctx: Context) -> Findings:
    """A scheduler gave the job no GPU."""
    variable, who = _hiding(ctx), scheduler(ctx)
    if variable and variable.scope == "process" and who:
        yield given_none(ctx, who, f"{_NAME}={variable.value.text.strip()}")


@rule("gpu-hidden", layer=Layer.ACCESS)
def hidden(ctx: Context) -> Findings:
    """CUDA_VISIBLE_DEVICES leaves CUDA programs without any GPU."""
    variable = _hiding(ctx)
    if variable and not (variable.scope == "process" and scheduler(ctx)):
        value = variable.value.text.strip()
        yield ctx.finding(
            "warning" if _elsewhere(ctx) else "error",
            set_to(ctx, variable, None),
            f"{_NAME}={value} ({variable.source or variable.scope})",
            value=value or "–",
            place=variable.source,
        )


_SCHEDULERS = {
    "Slurm": ("SLURM_", "srun --gres=gpu:1 …"),
    "LSF": ("LSB_", "bsub -gpu num=1 …"),
    "PBS": ("PBS_", "qsub -l select=1:ngpus=1 …"),
    "Kubernetes": ("KUBERNETES_", "resources: {limits: {nvidia.com/gpu: 1}}"),
}
"""How the variables begin that it sets for a job, and how a job asks it for a GPU."""


def scheduler(ctx: Context) -> str:
    """What handed GPUs to the job that started us, by its variables; "" where none is known."""
    names = [v.name for v in ctx.machine.variables if v.scope == "process"]
    known = _SCHEDULERS.items()
    return next((who for who, (start, _) in known if any(n.startswith(start) for n in names)), "")


def given_none(ctx: Context, who: str, evidence: str) -> Finding:
    """It is the job's scheduler that gave no GPU; removing its variable helps nobody."""
    facts = Facts(scheduler=who, variable=_NAME if "=" in evidence else "")
    return ctx.error(Manual(commands=(_SCHEDULERS[who][1],)), evidence, **facts)


def _hides_all(ctx: Context, value: str) -> bool:
    if value == "" or value.casefold() == "nodevfiles":
        return True
    first = value.split(",", maxsplit=1)[0].strip()
    if re.fullmatch(r"[+-]?\d+", first):
        return not 0 <= int(first) < len(ctx.machine.gpus)
    if not first.upper().startswith(("GPU-", "MIG-")):
        return True
    # A GPU that is split by MIG is reached by its parts alone.
    ids = [one for g in ctx.machine.gpus for one in (g.mig_instances or (g.uuid,)) if one]
    return bool(ids) and not any(one.casefold().startswith(first.casefold()) for one in ids)


@rule("mig-without-parts", layer=Layer.ACCESS)
def mig(ctx: Context) -> Findings:
    """The GPU is split by MIG, and no part of it exists."""
    for gpu in ctx.machine.gpus:
        if gpu.mig and not gpu.mig_instances and gpu.cuda_index is None:
            index = gpu.nvml_index or 0
            commands = ("nvidia-smi mig -lgip", f"sudo nvidia-smi -i {index} -mig 0")
            remedy = Manual(commands=commands, administrator=True)
            yield ctx.error(remedy, gpu.uuid, gpu=gpu.name)
