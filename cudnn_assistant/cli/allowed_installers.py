"""Installers from a terminal: only where no window has to ask, and never a driver by ``--yes``."""

from __future__ import annotations

import msgspec

from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import Consent, Plan, kind_of
from cudnn_assistant.wording import say


def allowed(plan: Plan, machine: Machine, screen: Screen, *, yes: bool) -> Plan:
    """The plan without the installers that may not be started from here; says why not."""
    asked = ((step, kind_of(step).consent(step)) for step in plan.steps)
    kept = [
        step for step, consent in asked if not consent or _may_start(consent, machine, screen, yes)
    ]
    return msgspec.structs.replace(plan, steps=tuple(kept))


def _may_start(consent: Consent, machine: Machine, screen: Screen, yes: bool) -> bool:
    if not machine.os.administrator:
        screen.trouble(
            say("cli.installer-needs-administrator", name=consent.name, how=consent.by_hand)
        )
        return False
    if yes and consent.never_by_flag:
        screen.trouble(say("cli.installer-needs-question", name=consent.name, how=consent.by_hand))
        return False
    return yes or bool(screen.ask(consent.question))
