"""Plans and their undo on lists of folders as only real computers have them.

"pytest --hypothesis-profile nightly" tries 100,000 of them, a share with each property.
"""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from test_envpath import cases

from cudnn_assistant import envpath
from cudnn_assistant.compat import Compat
from cudnn_assistant.finding import Automatic, Finding, PutFirst, TakeOut
from cudnn_assistant.machine import Family, Machine, OperatingSystem, Value, Variable
from cudnn_assistant.plan import Entry, Plan, SetVariable, back_to, make_plan, preview, undo_plan

COMPAT = Compat(version=1, published="2026-01-01")
Case = tuple[Family, str, str]
wishes = st.sampled_from((PutFirst, TakeOut))


def planned(case: Case, wish: type[PutFirst] | type[TakeOut], expand: bool) -> tuple[Machine, Plan]:
    family, text, folder = case
    name = "Path" if family == "windows" else "LD_LIBRARY_PATH"
    value = Value(text=text, expand=expand and family == "windows")
    machine = Machine(
        os=OperatingSystem(family=family),
        variables=(Variable(scope="user", name=name, value=value, ours=True),),
    )
    remedy = Automatic(edits=(wish(variable=name, folder=folder),))
    finding = Finding(code="cudnn-not-on-path", severity="error", remedy=remedy)
    return machine, make_plan([finding], machine, COMPAT)


@given(cases(), wishes, st.booleans())
@example(("linux", "-", "/new"), PutFirst, False)
def test_a_plan_starts_from_the_very_value_and_is_shown_whole(
    case: Case, wish: type[PutFirst], expand: bool
) -> None:
    machine, plan = planned(case, wish, expand)
    stored = machine.variables[0].value
    for step in plan.steps:
        assert isinstance(step, SetVariable)
        assert step.before == stored
        assert step.after is None or step.after.expand == stored.expand
        (change,) = preview(plan, machine)
        after = step.after.text if step.after else ""
        assert [line.text for line in change.lines if line.sign != "-"] == folders(after, case[0])
        before = stored.text
        assert [line.text for line in change.lines if line.sign != "+"] == folders(before, case[0])


def folders(text: str, family: Family) -> list[str]:
    """What is searched. In a list of ours on Linux a minus takes out of others' what follows it."""
    entries = envpath.split(text, family)
    return [one for one in entries if family == "windows" or not one.startswith("-")]


@given(cases(), wishes, st.booleans())
def test_undo_gives_back_every_byte(case: Case, wish: type[PutFirst], expand: bool) -> None:
    _machine, plan = planned(case, wish, expand)
    entry = Entry(id="x", when="", plan=plan, states=("done",) * len(plan.steps))
    for step in plan.steps:
        assert isinstance(step, SetVariable)
        after = step.after
        (back,) = undo_plan(entry, lambda _scope, _name, now=after: now, case[0]).steps  # type: ignore[misc]
        assert isinstance(back, SetVariable)
        assert (back.before, back.after) == (step.after, step.before)


@given(cases(), wishes, st.booleans(), st.text(alphabet="abcé /\\%$", min_size=1), st.booleans())
def test_what_another_program_added_since_survives_the_undo(
    case: Case, wish: type[PutFirst], expand: bool, added: str, at_the_end: bool
) -> None:
    family = case[0]
    _machine, plan = planned(case, wish, expand)
    foreign = ("E:\\other\\" if family == "windows" else "/other/") + added
    for step in plan.steps:
        assert isinstance(step, SetVariable)
        if step.after is None:
            continue
        entries = list(envpath.split(step.after.text, family))
        entries.insert(len(entries) if at_the_end else 0, foreign)
        now = Value(text=envpath.join(entries, family), expand=step.after.expand)
        back = back_to(step, now, family)
        left = back.after if back else now
        assert left is not None
        # Behind a quote that nobody closes Windows itself sees no entry of its own any more.
        unclosed = family == "windows" and any(entry.count('"') % 2 for entry in entries)
        assert foreign in (left.text if unclosed else envpath.split(left.text, family))
