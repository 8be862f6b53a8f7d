"""What is said about a test: how it ended, what that means, and what has been shown to help."""

from __future__ import annotations

import re

from cudnn_assistant import codes, envpath
from cudnn_assistant.machine import SYSTEM, Family, OperatingSystem, Trial
from cudnn_assistant.shell import quote, word_in_any_terminal
from cudnn_assistant.summary.line import Mark, card
from cudnn_assistant.wording import number, say, stage, symbol_means, told
from cudnn_assistant.wording.products import titled
from cudnn_assistant.wording.sentences import rows


def trial_text(trial: Trial) -> tuple[Mark, str]:
    """Mark and text for one test."""
    if trial.status == "not-run":
        return "unknown", untrusted(trial) or say("summary.not-run")
    if trial.status == "ok":
        return "ok", say(
            "summary.convolution-ran-gpu-seconds-s",
            gpu=card(trial.gpu_name),
            seconds=number(trial.milliseconds / 1000, 1),
        )
    return "bad", stopped(trial)


def doubted(trial: Trial) -> str:
    """Why a test was not begun without a yes; "" for another reason."""
    path = trial.detail or trial.subject
    return say(f"summary.not-tried-{trial.doubt}", path=path) if trial.doubt else ""


def in_doubt(trial: Trial) -> str:
    """What a yes to such a test is given to: the environment itself, or a folder."""
    path = trial.detail or trial.subject
    if trial.subject != SYSTEM and envpath.inside(path, trial.subject, _family(path)):
        return trial.subject
    return re.sub(r"[/\\][^/\\]{1,255}\.(?:so|dll)[^/\\]{0,255}$", "", path)


def yes_counts(trial: Trial, system: OperatingSystem) -> bool:
    """Whether a yes lets such a test begin: root takes nothing from others even so."""
    root = system.family == "linux" and system.administrator
    return trial.doubt in ("place", "many") or not root


def _family(path: str) -> Family:
    """Of the computer that a path lies on: what is told here may be another one's."""
    return "windows" if re.match(r"[A-Za-z]:|\\\\", path) else "linux"


def untrusted(trial: Trial) -> str:
    """The same with what would be a yes on the command line."""
    if not (why := doubted(trial)):
        return ""
    folder = in_doubt(trial)
    # To be pasted, so that whatever a folder is called stays one word.
    windows = _family(folder) == "windows"
    word = word_in_any_terminal(folder) if windows else quote(folder, "sh")
    way = "python" if trial.doubt in ("place", "many") else "trust"
    how = say(f"summary.try-by-{way}", path=word)
    return say("summary.not-tried-and-how", why=why, how=how)


def stopped(trial: Trial) -> str:
    """Where a test that did not pass came to its end, as half a sentence."""
    if trial.asked and trial.status == "not-run":
        return say("summary.python-doesnt-start", said=told(trial.detail))
    if trial.missing:
        return say("summary.file-not-found", file=trial.missing)
    # Before there is a context nobody has measured whose memory it was: a limit may have run out.
    unmeasured = trial.status == "out-of-memory" and trial.stage in ("driver", "context")
    if f"stopped-{trial.status}" in rows("summary") and not unmeasured:
        return say(f"summary.stopped-{trial.status}")
    return say("summary.stopped-while-doing", doing=stage(trial.stage))


def meaning(trial: Trial) -> str:
    """What the end of a test that did not pass means; "" when there is nothing to add."""
    if trial.code_name and (known := symbol_means(trial.code_name)):
        return known
    if trial.status == "status-code" and trial.code is None:
        return ""
    stated = f"means-{trial.status}" in rows("summary")
    return say(f"summary.means-{trial.status}") if stated else ""


def helped(trial: Trial) -> str:
    """With what a second run came to its end, as a sentence; "" when nothing is known to help."""
    name, _equals, value = trial.helped_by.partition("=")
    if not name:
        return ""
    if name.endswith("()"):
        return say("summary.when-program-calls-call-first-works", call=name)
    if value:
        return say("summary.setting-works", setting=trial.helped_by)
    return say("summary.without-variable-as-set-now-works", variable=name)


def not_tested(trial: Trial) -> str:
    """Why a test did not take place, as a sentence; "" for another reason."""
    if trial.status != "not-run":
        return ""
    if trial.doubt or not trial.framework:
        return untrusted(trial)
    if trial.code in codes.numbers("refusals-windows"):
        return say("summary.python-blocked")
    if trial.missing:
        return say("summary.program-not-installed-environment", program=titled(trial.framework))
    if trial.stage != "start":
        return say("summary.program-doesnt-use-cudnn-so-there", program=titled(trial.framework))
    return ""
