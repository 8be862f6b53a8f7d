"""What the test itself proves when nothing that lies below explains where it stopped."""

from __future__ import annotations

from cudnn_assistant.codes import process_end
from cudnn_assistant.diagnose.needs import passed, test_evidence
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Manual, Unknown
from cudnn_assistant.machine import PartCheck, Trial

SLOW = 5000.0
"""Milliseconds that a warm driver never needs to make a context."""


@rule("one-gpu-stopped", layer=Layer.TEST)
def other_gpu(ctx: Context) -> Findings:
    """Of several GPUs: the test passed on one and stopped on another."""
    tests = ctx.machine.trials_of(ctx.subject)
    mine = [t for t in tests if t.gpu and not t.framework]
    if not any(passed(t) for t in mine):
        return
    for trial in mine:
        if trial.status not in ("ok", "not-run") and not _said_of_gpu(ctx, trial):
            yield ctx.warning(Unknown(), *test_evidence(trial), gpu=trial.gpu_name)


def _said_of_gpu(ctx: Context, trial: Trial) -> bool:
    """A rule about the GPU itself has said why: its memory is full, or its mode admits nobody."""
    gpu = next((g for g in ctx.machine.gpus if g.uuid == trial.gpu), None)
    closed = gpu is not None and gpu.compute_mode in ("prohibited", "exclusive-process")
    return trial.status == "out-of-memory" or (closed and trial.stage in ("driver", "context"))


def _milliseconds(ctx: Context, *stages: str) -> float:
    """How long these stages of a test that passed took together; 0.0 where none did."""
    trial = ctx.trial
    if trial is None or not passed(trial):
        return 0.0
    return sum(time.milliseconds for time in trial.times if time.stage in stages)


@rule("driver-starts-slowly", layer=Layer.TEST)
def slow_driver(ctx: Context) -> Findings:
    """It works, and the first start takes long because the driver wakes up."""
    waking = _milliseconds(ctx, "driver", "context")
    if waking > SLOW and not ctx.windows:
        seconds = round(waking / 1000)
        commands = ("sudo systemctl enable --now nvidia-persistenced",)
        remedy = Manual(commands=commands, administrator=True)
        yield ctx.note(remedy, f"{seconds} s", seconds=seconds)


@rule("first-run-slow", layer=Layer.TEST)
def slow_first_run(ctx: Context) -> Findings:
    """It works, and the first start takes long because code is built."""
    building = _milliseconds(ctx, "handle", "convolution")
    if building > 4 * SLOW:
        seconds = round(building / 1000)
        yield ctx.note(Manual(), f"{seconds} s", seconds=seconds)


@family(
    {"test-timed-out": True, "unexplained": False},
    layer=Layer.UNEXPLAINED,
    of=Context.stopped_tests,
)
def unexplained(ctx: Context, trial: Trial, late: bool) -> Findings:
    """The test stopped, or came to no end in its time, and no rule knows why."""
    if ctx.serious == "error" and late is (trial.status == "timed-out"):
        facts = ctx.who | {
            "stage": trial.stage, "file": trial.missing, "setting": _left_out_in_vain(ctx),
        }  # fmt: skip
        yield ctx.error(Unknown(), *test_evidence(trial), *_part_checks(ctx), **facts)


def _left_out_in_vain(ctx: Context) -> tuple[str, ...]:
    """Names of the settings and limits without which the test stopped as well."""
    vain = (e for e in ctx.machine.experiments if e.subject == ctx.subject and not e.proven)
    mine = (e.difference for e in vain)
    return tuple(dict.fromkeys(one.name for one in mine if one.name))


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
