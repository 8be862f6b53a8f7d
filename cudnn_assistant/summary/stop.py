"""What it means that a test stopped, for a person; and what a second run has shown to help."""

from __future__ import annotations

from cudnn_assistant import codes
from cudnn_assistant.machine import Trial
from cudnn_assistant.wording import PRODUCTS, _


def program(trial: Trial) -> str:
    """The framework of a test as people call it, with its version; "" for cuDNN alone."""
    name, _space, version = trial.framework.partition(" ")
    return f"{PRODUCTS.get(name, name)} {version}".strip()


def meaning(trial: Trial) -> str:
    """What the end of a test that did not pass means; "" when there is nothing to add."""
    if trial.code_name and (known := codes.meaning(trial.code_name)):
        return _(known)
    if trial.status == "status-code" and trial.code is None:
        return ""
    return {
        "missing-library": _("Programs don't find this file in any of the places they look in."),
        "unloadable": _("The file is there, and the system refuses to load it."),
        "other-copy": _("Files of another copy of cuDNN were loaded instead."),
        "status-code": _("It was asked, and answered that it can't."),
        "wrong-result": _("Everything ran, and the numbers are not those of the processor."),
        "crashed": _("The process ended in the middle of it. Damaged or mixed files do that."),
        "timed-out": _("It gave no answer in time, and was ended."),
        "out-of-memory": _("cuDNN itself may be in order: nothing was left for it to work with."),
        "no-gpu": _("Without a GPU the rest can't be tested."),
    }.get(trial.status, "")


def helped(trial: Trial) -> str:
    """With what a second run came to its end, as a sentence; "" when nothing is known to help."""
    name, _equals, value = trial.helped_by.partition("=")
    if not name:
        return ""
    if name.endswith("()"):
        return _("When the program calls {call} first, it works.").format(call=name)
    if value:
        return _("With {setting} it works.").format(setting=trial.helped_by)
    return _("Without {variable}, as it is set now, it works.").format(variable=name)


def not_tested(trial: Trial) -> str:
    """Why a test inside a framework did not take place, as a sentence; "" for another reason."""
    if not trial.framework or trial.status != "not-run":
        return ""
    if trial.missing:
        return _("{program} is not installed in this environment.").format(program=program(trial))
    if trial.stage != "start":
        return _("{program} doesn't use cuDNN, so there is nothing to test.").format(
            program=program(trial)
        )
    return ""
