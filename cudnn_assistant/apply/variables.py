"""The kind of step that sets a variable."""

from __future__ import annotations

from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.plan import SetVariable, back_to
from cudnn_assistant.system import System
from cudnn_assistant.trouble import Refused


def compare(step: SetVariable, tools: Tools) -> None:
    """Refuse a step whose variable is no longer as the plan saw it."""
    if tools.system.read(step.scope, step.name) != step.before:
        raise Refused("changed-meanwhile", name=step.name)


def do(step: SetVariable, tools: Tools) -> None:
    """Write, and read back."""
    tools.system.write(step.scope, step.name, step.after)
    if tools.system.read(step.scope, step.name) != step.after:
        raise Refused("read-back-differs", name=step.name)


def put_back(step: SetVariable, tools: Tools, settle: bool) -> bool:
    """Undo the step if it reached the system; True when it had.

    ``settle``: the write was broken off halfway, so that even the old value is written again.
    """
    now = tools.system.read(step.scope, step.name)
    back = back_to(step, now, tools.system.family)
    if back:
        tools.system.write(back.scope, back.name, back.after)
    elif settle:
        tools.system.write(step.scope, step.name, now)
    return back is not None


def tidy(step: SetVariable, system: System) -> SetVariable | None:
    """The step that settles an interrupted write which had not reached the value yet."""
    now = system.read(step.scope, step.name)
    if now != step.before:
        return None
    return SetVariable(scope=step.scope, name=step.name, before=now, after=now, why=step.why)
