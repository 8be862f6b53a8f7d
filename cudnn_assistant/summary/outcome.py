"""What is said about a test."""

from __future__ import annotations

import re

from cudnn_assistant.machine import SYSTEM, Trial
from cudnn_assistant.shell import quote, shell_of
from cudnn_assistant.summary.display_names import card
from cudnn_assistant.summary.line import Mark
from cudnn_assistant.wording import say, stage


def trial_text(trial: Trial) -> tuple[Mark, str]:
    """Mark and text for one test."""
    if trial.status == "not-run":
        return "unknown", untrusted(trial) or say("summary.not-run")
    if trial.status == "ok":
        return "ok", say(
            "summary.convolution-ran-gpu-seconds-s",
            gpu=card(trial.gpu_name),
            seconds=f"{trial.milliseconds / 1000:.1f}",
        )
    return "bad", stopped(trial)


def untrusted(trial: Trial) -> str:
    """Why a test was not begun without a yes, and what would be one; "" for another reason."""
    path = trial.detail or trial.subject
    folder = re.sub(r"[/\\][^/\\]{1,255}\.(?:so|dll)[^/\\]{0,255}$", "", path)
    if trial.subject != SYSTEM and path.startswith(trial.subject):
        folder = trial.subject
    # To be pasted, so that whatever a folder is called stays one word.
    word = quote(folder, shell_of("windows" if re.match(r"[A-Za-z]:|\\\\", folder) else "linux"))
    if trial.doubt == "place":
        return say("summary.not-tried", path=word)
    if trial.doubt == "owner":
        return say("summary.not-tried-somebodys", path=path, folder=word)
    if trial.doubt == "writable":
        return say("summary.not-tried-writable", path=path, folder=word)
    return ""


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
