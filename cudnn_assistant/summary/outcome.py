"""What is said about a test."""

from __future__ import annotations

from cudnn_assistant.machine import Trial
from cudnn_assistant.summary.display_names import card
from cudnn_assistant.summary.line import Mark
from cudnn_assistant.wording import number, say, stage


def trial_text(trial: Trial) -> tuple[Mark, str]:
    """Mark and text for one test."""
    if trial.status == "not-run":
        return "unknown", say("summary.not-run")
    if trial.status == "ok":
        return "ok", say(
            "summary.convolution-ran-gpu-seconds-s",
            gpu=card(trial.gpu_name),
            seconds=number(trial.milliseconds / 1000, 1),
        )
    return "bad", stopped(trial)


def stopped(trial: Trial) -> str:
    """Where a test that did not pass came to its end, as half a sentence."""
    if trial.missing:
        return say("summary.file-not-found", file=trial.missing)
    said = {
        "no-gpu": say("summary.no-gpu-could-used"),
        "out-of-memory": say("summary.gpu-no-free-memory"),
        "timed-out": say("summary.stopped-after-too-long-time"),
        "wrong-result": say("summary.gpu-computed-wrong-numbers"),
    }
    if trial.status in said:
        return said[trial.status]
    return say("summary.stopped-while-doing", doing=stage(trial.stage))
