"""What it means that a test stopped, for a person; and what a second run has shown to help."""

from __future__ import annotations

from cudnn_assistant.machine import Trial
from cudnn_assistant.summary.outcome import untrusted
from cudnn_assistant.wording import PRODUCTS, say, symbol_means


def program(trial: Trial) -> str:
    """The framework of a test as people call it, with its version; "" for cuDNN alone."""
    name, _space, version = trial.framework.partition(" ")
    return f"{PRODUCTS.get(name, name)} {version}".strip()


def meaning(trial: Trial) -> str:
    """What the end of a test that did not pass means; "" when there is nothing to add."""
    if trial.code_name and (known := symbol_means(trial.code_name)):
        return known
    if trial.status == "status-code" and trial.code is None:
        return ""
    return {
        "missing-library": say("summary.programs-dont-find-file-any-places"),
        "unloadable": say("summary.file-there-system-refuses-load"),
        "other-copy": say("summary.files-another-copy-cudnn-were-loaded"),
        "status-code": say("summary.asked-answered-cant"),
        "wrong-result": say("summary.everything-ran-numbers-not-those-processor"),
        "crashed": say("summary.process-ended-middle-damaged-mixed-files"),
        "timed-out": say("summary.gave-no-answer-time-ended"),
        "out-of-memory": say("summary.cudnn-itself-may-order-nothing-left"),
        "no-gpu": say("summary.without-gpu-rest-cant-tested"),
    }.get(trial.status, "")


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
    if trial.missing:
        return say("summary.program-not-installed-environment", program=program(trial))
    if trial.stage != "start":
        return say("summary.program-doesnt-use-cudnn-so-there", program=program(trial))
    return ""
