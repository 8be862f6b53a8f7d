"""The test that stopped: whether that matters, and what it says."""

from __future__ import annotations

from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.rule import Context
from cudnn_assistant.finding import Evidence, Facts, StoppedAt
from cudnn_assistant.machine import Trial


def stopped_tests(ctx: Context) -> tuple[Trial, ...]:
    """The subject's test, where it stopped and somebody needs what it tests."""
    spare = not ctx.needs and ctx.environment is None
    return (ctx.stopped,) if ctx.stopped and not ctx.framework_passed and not spare else ()


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
