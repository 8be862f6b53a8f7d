"""From wishes to steps, and back."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import msgspec
import pytest

from cudnn_assistant.compat import Compat
from cudnn_assistant.finding import (
    Automatic,
    Edit,
    Finding,
    InstallPackages,
    Manual,
    PutFirst,
    SetTo,
    TakeOut,
)
from cudnn_assistant.machine import (
    Family,
    Machine,
    OperatingSystem,
    Package,
    PythonEnvironment,
    Scope,
    Value,
    Variable,
)
from cudnn_assistant.plan import (
    Entry,
    InstallPackage,
    Plan,
    SetVariable,
    make_plan,
    undo_plan,
    widened,
)

COMPAT = Compat(version=1, published="2026-01-01")


def machine(family: Family, *variables: Variable, **fields: Any) -> Machine:
    return Machine(os=OperatingSystem(family=family), variables=variables, **fields)


def variable(name: str, text: str, scope: Scope = "user", **fields: Any) -> Variable:
    expand = fields.pop("expand", False)
    return Variable(scope=scope, name=name, value=Value(text=text, expand=expand), **fields)


def finding(*edits: Edit, code: str = "c") -> Finding:
    return Finding(code=code, severity="error", remedy=Automatic(edits=edits))


def plan(there: Machine, *findings: Finding, only: frozenset[str] | None = None) -> Any:
    return make_plan(findings, there, COMPAT, only=only).steps


def test_the_value_keeps_its_kind_and_the_variable_its_spelling() -> None:
    there = machine("windows", variable("pAtH", "%A%\\x;C:\\y;", expand=True))
    wish = finding(PutFirst(variable="PATH", folder="C:\\new"))
    before = Value(text="%A%\\x;C:\\y;", expand=True)
    after = Value(text="C:\\new;%A%\\x;C:\\y;", expand=True)
    assert plan(there, wish) == (
        SetVariable(scope="user", name="pAtH", before=before, after=after, why=("c",)),
    )


def test_a_plain_text_path_stays_plain_text() -> None:
    there = machine("windows", variable("Path", "C:\\y"))
    (step,) = plan(there, finding(PutFirst(variable="PATH", folder="C:\\new")))
    assert step.after == Value(text="C:\\new;C:\\y", expand=False)


@pytest.mark.parametrize("expand", [True, False])
def test_a_name_is_read_as_windows_reads_it(expand: bool) -> None:
    """In plain text nothing replaces it: the folder isn't searched, whatever it was meant to be."""
    path = variable("Path", "%CUDA_PATH%\\bin", expand=expand)
    there = machine("windows", path, variable("CUDA_PATH", "C:\\cuda", "machine"))
    steps = plan(there, finding(PutFirst(variable="PATH", folder="C:\\cuda\\bin")))
    text = "C:\\cuda\\bin;%CUDA_PATH%\\bin"
    assert [step.after.text for step in steps] == ([] if expand else [text])


def test_a_new_path_is_made_as_windows_makes_it() -> None:
    (step,) = plan(machine("windows"), finding(PutFirst(variable="PATH", folder="C:\\new")))
    assert (step.name, step.before, step.after) == (
        "Path",
        None,
        Value(text="C:\\new", expand=True),
    )


def test_one_step_for_each_variable_and_scope() -> None:
    there = machine(
        "windows",
        variable("Path", "C:\\old;C:\\u"),
        variable("Path", "C:\\m", "machine"),
    )
    steps = plan(
        there,
        finding(
            PutFirst(variable="PATH", folder="C:\\m2", scope="machine"),
            PutFirst(variable="PATH", folder="C:\\first"),
            code="a",
        ),
        finding(
            PutFirst(variable="Path", folder="C:\\second"),
            TakeOut(variable="path", folder="c:\\OLD\\"),
            code="b",
        ),
    )
    assert [(s.scope, s.after.text, s.why) for s in steps] == [
        ("user", "C:\\first;C:\\second;C:\\u", ("a", "b")),
        ("machine", "C:\\m2;C:\\m", ("a",)),
    ]


def test_the_more_serious_finding_wins() -> None:
    there = machine("windows", variable("CUDA_PATH", "C:\\gone", "machine"))
    steps = plan(
        there,
        finding(SetTo(variable="CUDA_PATH", text="C:\\a", scope="machine"), code="a"),
        finding(SetTo(variable="CUDA_PATH", text="C:\\b", scope="machine"), code="b"),
    )
    assert [s.after.text for s in steps] == ["C:\\a"]


def test_what_is_so_already_makes_no_step() -> None:
    there = machine("windows", variable("Path", "C:\\a\\;C:\\b"), variable("X", "1"))
    assert not plan(
        there,
        finding(PutFirst(variable="PATH", folder="c:\\A")),
        finding(TakeOut(variable="PATH", folder="C:\\none")),
        finding(SetTo(variable="X", text="1")),
        finding(SetTo(variable="Y", text=None)),
        finding(PutFirst(variable="PATH", folder="not absolute")),
    )


def test_a_variable_can_be_removed() -> None:
    there = machine("windows", variable("CUDA_VISIBLE_DEVICES", "-1"))
    (step,) = plan(there, finding(SetTo(variable="CUDA_VISIBLE_DEVICES", text=None)))
    assert (step.before, step.after) == (Value(text="-1"), None)


def test_on_linux_only_our_own_file_is_before() -> None:
    there = machine(
        "linux",
        variable("LD_LIBRARY_PATH", "/mine", source="/home/x/.bashrc:3"),
        variable("LD_LIBRARY_PATH", "/ours", source="/home/x/environment.sh", ours=True),
        variable("LD_LIBRARY_PATH", "/mine:/else", "process"),
    )
    (step,) = plan(there, finding(PutFirst(variable="LD_LIBRARY_PATH", folder="/new")))
    assert step.before == Value(text="/ours")
    assert step.after == Value(text="/new:/ours")
    (step,) = plan(there, finding(TakeOut(variable="LD_LIBRARY_PATH", folder="/ours")))
    assert step.after is None
    assert not plan(there, finding(TakeOut(variable="LD_LIBRARY_PATH", folder="/mine")))


def test_packages_of_one_environment_are_one_step() -> None:
    packages = (Package(name="torch", version="2.1"),)
    env = PythonEnvironment(id="/v", python="/v/bin/python", packages=packages)
    there = machine("linux", pythons=(env,))
    steps = plan(
        there,
        finding(InstallPackages(python="/v/bin/python", requirements=("a==1",)), code="a"),
        finding(InstallPackages(python="/v/bin/python", requirements=("b==2", "a==1")), code="b"),
    )
    assert steps == (
        InstallPackage(
            python="/v/bin/python", requirements=("a==1", "b==2"), before=packages, why=("a", "b")
        ),
    )


def test_only_the_chosen_findings() -> None:
    there = machine("linux")
    findings = (
        finding(PutFirst(variable="PATH", folder="/a"), code="a"),
        finding(PutFirst(variable="PATH", folder="/b"), code="b"),
        Finding(code="m", severity="error", remedy=Manual(link="https://x")),
    )
    (step,) = plan(there, *findings, only=frozenset({"b", "m"}))
    assert step.after == Value(text="/b")


def done(*steps: SetVariable) -> Entry:
    return Entry(id="e", when="", plan=Plan(steps=steps), states=("done",) * len(steps))


STEP = SetVariable(
    scope="user", name="Path", before=Value(text="C:\\a"), after=Value(text="C:\\n;C:\\a")
)


@pytest.mark.parametrize(
    ("now", "target"),
    [
        (Value(text="C:\\n;C:\\a"), Value(text="C:\\a")),
        (Value(text="C:\\n;C:\\a;C:\\theirs"), Value(text="C:\\a;C:\\theirs")),
        (Value(text="C:\\n;C:\\a", expand=True), Value(text="C:\\a", expand=True)),
    ],
)
def test_undo_takes_out_our_own_only(now: Value, target: Value) -> None:
    undo = undo_plan(done(STEP), lambda scope, name: now, "windows")
    assert undo.undoes == "e"
    assert undo.steps == (msgspec.structs.replace(STEP, before=now, after=target),)


@pytest.mark.parametrize("now", [Value(text="C:\\a"), None])
def test_undo_of_what_others_took_back_does_nothing(now: Value | None) -> None:
    assert undo_plan(done(STEP), lambda scope, name: now, "windows").steps == ()


def test_a_single_value_that_others_changed_is_theirs() -> None:
    step = SetVariable(
        scope="user", name="CUDA_PATH", before=Value(text="a"), after=Value(text="b")
    )
    assert undo_plan(done(step), lambda scope, name: Value(text="c"), "windows").steps == ()
    (back,) = undo_plan(done(step), lambda scope, name: Value(text="b"), "windows").steps
    assert isinstance(back, SetVariable)
    assert back.after == Value(text="a")


def test_a_variable_that_we_made_is_removed_again() -> None:
    step = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text="/n"))
    (back,) = undo_plan(done(step), lambda scope, name: step.after, "linux").steps
    assert isinstance(back, SetVariable)
    assert back.after is None
    now = Value(text="/n:/theirs")
    (back,) = undo_plan(done(step), lambda scope, name: now, "linux").steps
    assert isinstance(back, SetVariable)
    assert back.after == Value(text="/theirs")


def test_undo_goes_backwards_and_skips_what_never_happened() -> None:
    first = SetVariable(scope="user", name="A", after=Value(text="1"))
    second = SetVariable(scope="user", name="B", after=Value(text="2"))
    entry = Entry(
        id="e", when="", plan=Plan(steps=(first, second, STEP)), states=("done", "done", "stopped")
    )
    values = {"A": Value(text="1"), "B": Value(text="2"), "Path": STEP.after}
    undo = undo_plan(entry, lambda scope, name: values[name], "windows")
    assert [s.name for s in undo.steps if isinstance(s, SetVariable)] == ["B", "A"]


B, C, F, G = (f"C:\\{one}" for one in "bcfg")


@pytest.mark.parametrize("before", [None, Value(text=f"{B};{C}"), Value(text="", expand=True)])
@pytest.mark.parametrize(
    "edits",
    [
        ((PutFirst, F), (TakeOut, F), (PutFirst, G)),
        ((PutFirst, F), (PutFirst, B), (TakeOut, B)),
        ((TakeOut, B), (PutFirst, C), (PutFirst, B)),
    ],
)
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_lists_are_taken_back_in_any_order(
    before: Value | None, edits: tuple[tuple[Any, str], ...], order: tuple[int, ...]
) -> None:
    values, entries = {"Path": before}, []

    def make(plan: Plan) -> None:
        values.update({one.name: one.after for one in plan.steps if isinstance(one, SetVariable)})
        states = ("done",) * len(plan.steps)
        entries.append(Entry(id=str(len(entries)), when="", plan=plan, states=states))

    for kind, folder in edits:
        edit = kind(variable="PATH", folder=folder)
        there = (variable("Path", v.text, expand=v.expand) for v in values.values() if v)
        make(Plan(steps=plan(machine("windows", *there), finding(edit))))
    for number in order:
        made = entries[number]
        make(undo_plan(made, lambda _scope, _name: values["Path"], "windows", tuple(entries)))
        entries[number] = msgspec.structs.replace(made, undone_by=entries[-1].id)
    assert values["Path"] == before


def test_a_plan_grows_only_by_what_it_lacks() -> None:
    asked = InstallPackage(python="/venv/bin/python", requirements=("jax==1",), changes=())
    plan = Plan(steps=(asked,))
    again = msgspec.structs.replace(asked, changes=None)
    assert widened(plan, Plan(steps=(again,))) == plan, "the same wish is no new one"
    first = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text="/a"))
    later = msgspec.structs.replace(first, before=first.after, after=Value(text="/b:/a"))
    (_packages, one) = widened(Plan(steps=(asked, first)), Plan(steps=(later,))).steps
    assert one == msgspec.structs.replace(first, after=later.after)
    back = msgspec.structs.replace(first, before=first.after, after=None)
    assert widened(Plan(steps=(first,)), Plan(steps=(back,))).steps == ()
