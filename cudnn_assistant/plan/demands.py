"""What a plan as a whole asks of the person and the computer."""

from __future__ import annotations

from cudnn_assistant.machine import Machine, Struct
from cudnn_assistant.plan.steps import InstallArchive, Plan, RunInstaller, SetVariable


class Demands(Struct, kw_only=True, omit_defaults=False):
    """Told before anything happens."""

    download: int = 0
    """Bytes, of all archives together; packages are fetched by pip, which tells no size."""
    administrator: tuple[int, ...] = ()
    """Numbers of the steps, from 0, that an administrator is asked for."""
    sign_out: bool = False
    """Programs started from the desktop know of it only after signing out and in again."""
    restart: bool = False
    """The computer has to be started again."""


def demands(plan: Plan, machine: Machine) -> Demands:
    """What carrying out ``plan`` on ``machine`` needs.

    Windows tells the desktop of a change at once; on Linux it reads environment.d at the start of
    a session (environment.md 2).
    """
    settings = [step for step in plan.steps if isinstance(step, SetVariable)]
    linux_desktop = machine.os.family == "linux" and bool(machine.os.desktop)
    return Demands(
        download=sum(s.download.size for s in plan.steps if isinstance(s, InstallArchive)),
        administrator=tuple(
            number
            for number, step in enumerate(plan.steps)
            if (isinstance(step, SetVariable) and step.scope == "machine")
            or (isinstance(step, RunInstaller) and step.row)
        ),
        sign_out=linux_desktop and any(step.scope == "user" for step in settings),
        restart=any(step.restart for step in plan.steps if isinstance(step, RunInstaller)),
    )
