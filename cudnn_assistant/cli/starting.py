"""Installers from a terminal: only where no window has to ask, and never a driver by ``--yes``."""

from __future__ import annotations

import msgspec

from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import Plan, RunInstaller
from cudnn_assistant.wording import _


def allowed(plan: Plan, machine: Machine, screen: Screen, *, yes: bool) -> Plan:
    """The plan without the installers that may not be started from here; says why not."""
    kept = [
        step
        for step in plan.steps
        if not isinstance(step, RunInstaller) or _may_start(step, machine, screen, yes)
    ]
    return msgspec.structs.replace(plan, steps=tuple(kept))


def starts_only(plan: Plan) -> bool:
    """Whether each of its steps has had a question of its own."""
    return bool(plan.steps) and all(isinstance(step, RunInstaller) for step in plan.steps)


def _may_start(step: RunInstaller, machine: Machine, screen: Screen, yes: bool) -> bool:
    if not machine.os.administrator:
        text = _("{name} was not installed, because that needs an administrator. {how}")
        screen.trouble(text.format(name=step.name, how=_by_hand(step)))
        return False
    if yes and step.row.startswith("driver-"):
        text = _("{name} was not installed: --yes alone is no yes to a driver. {how}")
        screen.trouble(text.format(name=step.name, how=_by_hand(step)))
        return False
    question = _("Start the installer of {name}? This program can't take that back.")
    return yes or bool(screen.ask(question.format(name=step.name)))


def _by_hand(step: RunInstaller) -> str:
    if step.commands:
        return _("Run the commands above yourself, or start them from the window.")
    return _("Start it from the window, or get it yourself: {link}").format(link=step.link)
