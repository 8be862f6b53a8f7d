"""A plan that grows by what only its rehearsal has shown."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cudnn_assistant.plan.kinds import kind_of, same_place
from cudnn_assistant.plan.overview import without_installers
from cudnn_assistant.plan.steps import Plan, Step


def widened(plan: Plan, more: Plan) -> Plan:
    """``plan`` with the steps that ``more`` adds to the computer as ``plan`` leaves it.

    What both concern becomes one step, from the present state to the last. Installers stay out:
    what they bring nobody has tried.
    """
    added = without_installers(more).steps
    kept = tuple(
        step if (later := _same(step, added)) is None else kind_of(step).joined(step, later)
        for step in plan.steps
    )
    new = [step for step in added if _same(step, plan.steps) is None]
    steps = sorted((*kept, *new), key=_place)
    changing = [step for step in steps if step in plan.steps or not kind_of(step).idle(step)]
    return msgspec.structs.replace(plan, steps=tuple(changing))


def _same(step: Step, others: Sequence[Step]) -> Step | None:
    return next((one for one in others if same_place(one, step)), None)


def _place(step: Step) -> int:
    """Variables behind what they may name, the administrator's last; installers behind all."""
    if kind_of(step).consent(step):
        return 3
    setting = kind_of(step).setting(step)
    return 0 if setting is None else 1 + (setting.scope == "machine")
