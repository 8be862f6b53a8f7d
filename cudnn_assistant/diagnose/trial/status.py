"""The test that stopped: whether that matters, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.rule import Check, Context, Findings
from cudnn_assistant.finding import Evidence, Facts, StoppedAt
from cudnn_assistant.machine import Trial


def of_stopped(check: Callable[[Context, Trial], Findings]) -> Check:
    """A rule about the subject's test, where it stopped and somebody needs what it tests."""

    @wraps(check)
    def rule(ctx: Context) -> Findings:
        spare = not ctx.needs and ctx.environment is None
        if ctx.stopped and not ctx.framework_passed and not spare:
            yield from check(ctx, ctx.stopped)

    return rule


def test_evidence(trial: Trial) -> tuple[Evidence, ...]:
    """Where the test stopped, and what was said there."""
    code = f"{trial.code_name} ({trial.code})" if trial.code_name else ""
    ended = f"{trial.status} {trial.code}" if trial.code is not None and not code else ""
    stage = StoppedAt(stage=trial.stage)
    return stage, code, ended, trial.missing, trial.detail[:400], trial.loaded


def who(ctx: Context) -> Facts:
    """Who asks for cuDNN first."""
    need = ctx.needs[0] if ctx.needs else Need()
    return Facts(program=need.who, environment=need.where)
