"""What is said about a test."""

from __future__ import annotations

from cudnn_assistant.machine import Trial
from cudnn_assistant.summary.line import Mark
from cudnn_assistant.summary.names import card
from cudnn_assistant.wording import _, stage


def told(trial: Trial) -> tuple[Mark, str]:
    """Mark and text for one test."""
    if trial.status == "not-run":
        return "unknown", _("not run")
    if trial.status == "ok":
        return "ok", _("a convolution ran on {gpu} in {seconds} s").format(
            gpu=card(trial.gpu_name), seconds=f"{trial.milliseconds / 1000:.1f}"
        )
    return "bad", stopped(trial)


def stopped(trial: Trial) -> str:
    """Where a test that did not pass came to its end, as half a sentence."""
    if trial.missing:
        return _("{file} not found").format(file=trial.missing)
    said = {
        "no-gpu": _("no GPU could be used"),
        "out-of-memory": _("the GPU has no free memory"),
        "timed-out": _("stopped after too long a time"),
        "wrong-result": _("the GPU computed wrong numbers"),
    }
    if trial.status in said:
        return said[trial.status]
    return _("stopped while {doing}").format(doing=stage(trial.stage))
