"""What will change: steps with their state before and after, settled from the rules' wishes.

Pure: everything a step needs to know is in the snapshot and the feed. A plan is shown whole
before anything happens, journalled, applied step by step, and undone by another plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from cudnn_assistant import envpath
from cudnn_assistant.finding import (
    Automatic,
    Edit,
    Finding,
    InstallPackages,
    PutFirst,
    SetTo,
    TakeOut,
)
from cudnn_assistant.machine import Family, Machine, Package, Scope, Struct, Value

if TYPE_CHECKING:
    from cudnn_assistant.compat import Compat


class SetVariable(Struct, tag="set-variable", kw_only=True):
    """Change one variable in one scope; at most one of these per variable and scope in a plan.

    On Windows ``before`` and ``after`` are the registry's raw value and kind. On Linux they are
    the value that our own settings file gives the variable (``None``: our file doesn't name it);
    for list variables that is the folders we put first, the person's own entries follow.
    """

    scope: Scope
    name: str
    before: Value | None = None
    after: Value | None = None
    why: tuple[str, ...] = ()
    """Codes of the findings it serves."""


class Download(Struct, kw_only=True):
    """One official file: where it is and how it is recognised."""

    url: str
    size: int
    """Bytes."""
    sha256: str


class InstallArchive(Struct, tag="install-archive", kw_only=True):
    """Unpack NVIDIA's archive into a versioned folder of our own."""

    product: str
    version: str
    cuda_major: int
    download: Download
    folder: str
    """The final folder; it appears whole or not at all."""
    licence: str = ""
    """Address of the licence text that is shown before the download."""
    why: tuple[str, ...] = ()


class InstallPackage(Struct, tag="install-package", kw_only=True):
    """Run the environment's own pip with exact requirements."""

    python: str
    requirements: tuple[str, ...]
    before: tuple[Package, ...] = ()
    """The packages that may change, as they were."""
    why: tuple[str, ...] = ()


class RunInstaller(Struct, tag="run-installer", kw_only=True):
    """Something the person does with an official installer or package manager; not undoable."""

    name: str
    link: str = ""
    commands: tuple[str, ...] = ()
    restart: bool = False
    why: tuple[str, ...] = ()


Step = SetVariable | InstallArchive | InstallPackage | RunInstaller


class Plan(Struct, kw_only=True):
    """Steps in the order they are carried out."""

    steps: tuple[Step, ...] = ()
    undoes: str = ""
    """Id of the journal entry that this plan takes back; "" for a plan of its own."""


StepState = Literal["planned", "done", "taken-back", "stopped"]
"""planned: the write may or may not have happened; stopped: refused, nothing written."""


class Entry(Struct, kw_only=True):
    """One line of the journal: a plan and how far it came."""

    id: str
    when: str
    """UTC, ISO 8601."""
    plan: Plan
    states: tuple[StepState, ...] = ()
    finished: bool = False
    undone_by: str = ""


Read = Callable[[Scope, str], "Value | None"]


def make_plan(
    findings: Sequence[Finding],
    machine: Machine,
    compat: Compat,  # noqa: ARG001
    *,
    only: frozenset[str] | None = None,
) -> Plan:
    """Settle the wishes of all findings (or of the codes in ``only``) into steps.

    Packages first, then variables, because a variable may name what a step before it brings. A
    variable gets one step per scope, however many rules wish something of it; where wishes
    disagree, the more serious finding (the earlier one) wins. A wish that is fulfilled already
    makes no step.
    """
    wishes = [
        (edit, finding.code)
        for finding in findings
        if isinstance(finding.remedy, Automatic) and (only is None or finding.code in only)
        for edit in finding.remedy.edits
    ]
    return Plan(steps=(*_package_steps(wishes, machine), *_variable_steps(wishes, machine)))


Wish = tuple[Edit, str]
VariableEdit = PutFirst | TakeOut | SetTo


def _package_steps(wishes: Sequence[Wish], machine: Machine) -> list[InstallPackage]:
    steps: dict[str, InstallPackage] = {}
    for edit, code in wishes:
        if not isinstance(edit, InstallPackages):
            continue
        earlier = steps.get(edit.python)
        steps[edit.python] = InstallPackage(
            python=edit.python,
            requirements=_once((*(earlier.requirements if earlier else ()), *edit.requirements)),
            before=_packages(edit.python, machine),
            why=_once((*(earlier.why if earlier else ()), code)),
        )
    return list(steps.values())


def _packages(python: str, machine: Machine) -> tuple[Package, ...]:
    return next((env.packages for env in machine.pythons if env.python == python), ())


def _once(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _variable_steps(wishes: Sequence[Wish], machine: Machine) -> list[SetVariable]:
    groups: dict[tuple[Scope, str], list[tuple[VariableEdit, str]]] = {}
    for edit, code in wishes:
        if isinstance(edit, PutFirst | TakeOut | SetTo):
            name = edit.variable.upper() if machine.os.family == "windows" else edit.variable
            groups.setdefault((edit.scope, name), []).append((edit, code))
    steps = (_settle(scope, group, machine) for (scope, _name), group in groups.items())
    # The administrator is asked last, when all that needs no permission is done.
    return sorted((s for s in steps if s), key=lambda step: step.scope == "machine")


def _settle(
    scope: Scope, group: Sequence[tuple[VariableEdit, str]], machine: Machine
) -> SetVariable | None:
    name, before = stored(machine, scope, group[0][0].variable)
    edits = [edit for edit, _code in group]
    is_list = envpath.is_list(name, machine.os.family)
    text = (_list_after if is_list else _single_after)(before, edits, machine)
    after = _value(name, text, before, machine.os.family)
    if after == before:
        return None
    why = _once([code for _edit, code in group])
    return SetVariable(scope=scope, name=name, before=before, after=after, why=why)


def stored(machine: Machine, scope: Scope, name: str) -> tuple[str, Value | None]:
    """The stored spelling and value of a variable that a step would replace.

    On Linux that is what our own settings file says; the person's lines are not ours to edit.
    """
    windows = machine.os.family == "windows"
    for variable in machine.variables:
        same = variable.name.upper() == name.upper() if windows else variable.name == name
        if variable.scope == scope and same and (windows or variable.ours):
            return variable.name, variable.value
    return ("Path" if windows and name.upper() == "PATH" else name), None


def _list_after(
    before: Value | None, edits: Sequence[VariableEdit], machine: Machine
) -> str | None:
    family = machine.os.family
    text = before.text if before else ""

    def lookup(name: str) -> str | None:
        found = machine.variable(name, "process", "user", "machine")
        return found.value.text if found else None

    for edit in edits:
        if isinstance(edit, SetTo):
            text = edit.text or ""
            break
    for edit in edits:
        if isinstance(edit, TakeOut):
            text = envpath.take_out(text, edit.folder, family, lookup)
    for edit in reversed(edits):
        if isinstance(edit, PutFirst) and envpath.fits(edit.folder, family):
            text = envpath.put_first(text, edit.folder, family, lookup)
    return text


def _single_after(
    before: Value | None,
    edits: Sequence[VariableEdit],
    machine: Machine,  # noqa: ARG001
) -> str | None:
    kept = before.text if before else None
    return next((edit.text for edit in edits if isinstance(edit, SetTo)), kept)


def _value(name: str, text: str | None, before: Value | None, family: Family) -> Value | None:
    # An empty list of folders says what no list says; one that was there stays on Windows.
    empty_list = not text and envpath.is_list(name, family)
    if text is None or (empty_list and (before is None or family != "windows")):
        return None
    if family != "windows":
        return Value(text=text)
    if before is None:
        # Windows itself creates Path as a text to be expanded, and other variables as plain text.
        return Value(text=text, expand=name.upper() == "PATH")
    return Value(text=text, expand=before.expand)


def undo_plan(entry: Entry, read: Read, family: Family) -> Plan:
    """The plan that takes back what ``entry`` did, in reverse order, given the present values.

    What others have changed since stays: from a list only our own change is taken out; a single
    value that is no longer the one we wrote is left alone. An empty plan: nothing is left to undo.
    Raises what ``read`` raises.
    """
    done = [
        step
        for step, state in zip(entry.plan.steps, entry.states, strict=False)
        if state in ("done", "planned")
    ]
    steps = [back for step in reversed(done) if (back := _take_back(step, read, family))]
    return Plan(steps=tuple(steps), undoes=entry.id)


def _take_back(step: Step, read: Read, family: Family) -> Step | None:
    if isinstance(step, SetVariable):
        return back_to(step, read(step.scope, step.name), family)
    if isinstance(step, InstallPackage):
        exact = tuple(f"{package.name}=={package.version}" for package in step.before)
        return InstallPackage(python=step.python, requirements=exact) if exact else None
    return None


def back_to(step: SetVariable, now: Value | None, family: Family) -> SetVariable | None:
    """The step that undoes ``step`` while the variable holds ``now``; ``None``: nothing to do."""
    if now == step.before:
        return None
    if now == step.after:
        target = step.before
    elif not envpath.is_list(step.name, family) or now is None:
        return None
    else:
        before = step.before.text if step.before else ""
        after = step.after.text if step.after else ""
        text = envpath.take_back(before, after, now.text, family)
        gone = not text and (step.before is None or family != "windows")
        target = None if gone else Value(text=text, expand=now.expand)
    if target == now:
        return None
    return SetVariable(scope=step.scope, name=step.name, before=now, after=target, why=step.why)
