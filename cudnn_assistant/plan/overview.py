"""A plan as a whole, before anything happens: every change, and what all of it asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from cudnn_assistant.machine import Machine, Struct
from cudnn_assistant.plan.kinds import kind_of, same_place
from cudnn_assistant.plan.kinds.row import Change, Consent, Needs, Outcome
from cudnn_assistant.plan.steps import Plan, Rehearsal, SetVariable, Step
from cudnn_assistant.wording import number, say, words
from cudnn_assistant.wording.products import titled


def preview(plan: Plan, machine: Machine, *, touched: Sequence[str] = ()) -> tuple[Change, ...]:
    """What each step of ``plan`` changes on ``machine``.

    ``touched`` are the start-up files that a user-scope variable adds a line to (Linux; the
    answer of ``system.touched()``).
    """
    return tuple(kind_of(step).show(step, machine, touched) for step in plan.steps)


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
    a session (environment.d(5)).
    """
    needs = _needs(plan)
    linux_desktop = machine.os.family == "linux" and bool(machine.os.desktop)
    return Demands(
        download=sum(need.download or 0 for need in needs),
        administrator=tuple(number for number, need in enumerate(needs) if need.administrator),
        sign_out=linux_desktop and any(need.sign_out for need in needs),
        restart=any(need.restart for need in needs),
    )


def _needs(plan: Plan) -> list[Needs]:
    return [kind_of(step).needs(step) for step in plan.steps]


def licences(plan: Plan) -> tuple[str, ...]:
    """The addresses of the licences that apply to a plan, each once."""
    return tuple(dict.fromkeys(need.licence for need in _needs(plan) if need.licence))


def downloads(plan: Plan) -> bool:
    """Whether a file is downloaded, which can wait."""
    return any(need.download is not None for need in _needs(plan))


def takes_long(plan: Plan) -> bool:
    """Whether carrying it out takes so long that one may want to stop it."""
    return any(kind_of(step).staged or kind_of(step).consent(step) for step in plan.steps)


def settings_of(plan: Plan) -> tuple[SetVariable, ...]:
    """The steps that change a setting."""
    return tuple(changed for step in plan.steps if (changed := kind_of(step).setting(step)))


def settings_only(plan: Plan) -> bool:
    """Whether it installs and removes nothing."""
    return len(settings_of(plan)) == len(plan.steps)


def consents(plan: Plan) -> tuple[Consent, ...]:
    """The questions of their own that steps need which can't be taken back."""
    return tuple(asked for step in plan.steps if (asked := kind_of(step).consent(step)))


def without_installers(plan: Plan) -> Plan:
    """The plan without the steps that need such a yes of their own."""
    steps = tuple(step for step in plan.steps if not kind_of(step).consent(step))
    return replace(plan, steps=steps)


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
    return replace(plan, steps=tuple(changing))


def _same(step: Step, others: Sequence[Step]) -> Step | None:
    return next((one for one in others if same_place(one, step)), None)


def _place(step: Step) -> int:
    """Variables behind what they may name, the administrator's last; installers behind all."""
    if kind_of(step).consent(step):
        return 3
    setting = kind_of(step).setting(step)
    return 0 if setting is None else 1 + (setting.scope == "machine")


def stays(plan: Plan) -> tuple[str, ...]:
    """What of a plan undo leaves as it is and why, a sentence for each step that it concerns."""
    return tuple(said for step in plan.steps if (said := kind_of(step).stays(step)))


def starts_only(plan: Plan) -> bool:
    """Whether it changes nothing by itself, but starts what has a question of its own."""
    return bool(plan.steps) and len(consents(plan)) == len(plan.steps)


def outcomes(plan: Plan) -> tuple[Outcome, ...]:
    """How the steps of a plan ended that can end in more than one way."""
    return tuple(ended for step in plan.steps if (ended := kind_of(step).outcome(step)))


def unrehearsed(plan: Plan) -> bool:
    """Whether only a package manager knows what some step would change."""
    return any(kind_of(step).unrehearsed(step) for step in plan.steps)


def demanded(plan: Plan, machine: Machine) -> tuple[str, ...]:
    """What the plan as a whole asks for, a sentence each."""
    return tuple(_sentences(demands(plan, machine), plan))


def _sentences(asked: Demands, plan: Plan) -> Iterator[str]:
    sizes = [need.download for need in _needs(plan) if need.download is not None]
    if len(sizes) > 1 and all(sizes):
        yield say("plan.download-total", size=number(asked.download / 1e6))
    if asked.administrator:
        yield say("plan.administrator-asked", count=len(asked.administrator))
    if asked.sign_out:
        yield say("plan.sign-in-again")
    if asked.restart:
        yield say("plan.restart-needed")


def tried(rehearsal: Rehearsal | None, machine: Machine) -> tuple[str, ...]:
    """What came of trying a plan for ``machine``, a sentence each; () where nobody tried it."""
    if rehearsal is None:
        return ()
    also = [say("plan.tried-also", title=words(one, machine).title) for one in rehearsal.also]
    return (*also, *_came_of(rehearsal, machine))


def _came_of(rehearsal: Rehearsal, machine: Machine) -> Iterator[str]:
    if rehearsal.outcome == "impossible":
        yield say(f"plan.untried-{rehearsal.why}")
    elif rehearsal.outcome == "later":
        yield say("plan.tried-later")
    elif rehearsal.outcome == "stopped":
        yield say("plan.tried-in-vain")
        known = [one for one in rehearsal.hindrances if one.code != "unexplained"]
        for one in known:
            yield say("plan.stands-in-the-way", title=words(one, machine).title)
        if not known:
            yield say("plan.unknown-in-the-way")
    elif rehearsal.milliseconds:
        yield say(
            "plan.tried-inside" if rehearsal.framework else "plan.tried",
            program=titled(rehearsal.framework),
            seconds=number(rehearsal.milliseconds / 1000, 1),
        )
