"""From the wishes of all findings to one plan."""

from __future__ import annotations

import ntpath
from collections.abc import Sequence

import msgspec

from cudnn_assistant import envpath
from cudnn_assistant.compat import Compat
from cudnn_assistant.finding import Automatic, Finding, InstallPackages, PutFirst, SetTo, TakeOut
from cudnn_assistant.machine import Family, Machine, Package, Scope, Value
from cudnn_assistant.plan.installers import installer_steps
from cudnn_assistant.plan.installing import Wish, archive_steps, there
from cudnn_assistant.plan.kinds.packages import project
from cudnn_assistant.plan.steps import InstallArchive, InstallPackage, Plan, SetVariable
from cudnn_assistant.versions import major


def make_plan(
    findings: Sequence[Finding],
    machine: Machine,
    compat: Compat,
    *,
    only: frozenset[str] | None = None,
) -> Plan:
    """Settle the wishes of all findings (or of the codes in ``only``) into steps.

    Archives and packages first, then variables, because a variable may name what a step before
    it brings; installers last. A
    variable gets one step per scope, however many rules wish something of it; where wishes
    disagree, the more serious finding (the earlier one) wins. A wish that is fulfilled already
    makes no step.
    """
    chosen = [finding for finding in findings if only is None or finding.code in only]
    wishes = [
        (edit, finding.code)
        for finding in chosen
        if isinstance(finding.remedy, Automatic)
        for edit in finding.remedy.edits
    ]
    # An archive is of use only when programs look into its folder.
    variable, family = envpath.search_variable(machine.os.family), machine.os.family
    made = archive_steps(wishes, machine, compat)
    archives = tuple(step for step in made if envpath.fits(step.search, family))
    wishes += [
        (PutFirst(variable=variable, folder=step.search, scope=_scope(step, machine)), code)
        for step in archives
        for code in step.why
    ]
    packages = _package_steps(wishes, machine)
    missing = (step for step in archives if not there(step, machine))
    # Installers last: they can't be taken back, and may want the computer to be restarted.
    installers = installer_steps(chosen, machine)
    return Plan(steps=(*missing, *packages, *variable_steps(wishes, machine), *installers))


def _scope(step: InstallArchive, machine: Machine) -> Scope:
    """Windows searches all of the computer's PATH before the person's: a library there, of the same
    file name, would still be found first."""
    name = step.product.lower().removeprefix("lib").removeprefix("cuda_")
    files = [
        *(("cudnn", copy.major, copy.folder) for copy in machine.cudnns),
        *((one.name, one.major, ntpath.dirname(one.path)) for one in machine.libraries),
    ]
    same = {
        envpath.key(folder, "windows")
        for stem, number, folder in files
        if stem.lower().startswith(name) and number == major(step.version)
    }
    first = {envpath.key(e.folder, "windows"): e for e in reversed(machine.search)}
    places = {(first[one].scope, first[one].variable) for one in same & set(first)}
    return "machine" if ("machine", "PATH") in places else "user"


VariableEdit = PutFirst | TakeOut | SetTo


_DAMAGED = frozenset({
    "package-changed", "package-incomplete", "cudnn-damaged", "cudnn-part-missing",
    "cudnn-unreadable", "cudnn-missing", "cudnn-mixed-versions", "cudnn-renamed",
    "cudnn-wrong-architecture", "cublas-missing-in-environment", "nvrtc-missing-in-environment",
    "nvrtc-missing", "two-cudnn-packages", "framework-twice",
})  # fmt: skip
"""Findings about packages that may be there in the right version by their record alone: files
are gone, or another's lie over them."""


def _package_steps(wishes: Sequence[Wish], machine: Machine) -> list[InstallPackage]:
    steps: dict[str, InstallPackage] = {}
    for edit, code in wishes:
        if not isinstance(edit, InstallPackages):
            continue
        before = next((env.packages for env in machine.pythons if env.python == edit.python), ())
        earlier = steps.get(edit.python, InstallPackage(python=edit.python, before=before))
        again = [text for text in edit.requirements if code in _DAMAGED and _is_met(text, before)]
        others = [text for text in edit.requirements if text not in again]
        steps[edit.python] = msgspec.structs.replace(
            earlier,
            requirements=_once((*earlier.requirements, *others)),
            remove=_once((*earlier.remove, *edit.remove)),
            index=earlier.index or edit.index,
            again=_once((*earlier.again, *again)),
            why=_once((*earlier.why, code)),
        )
    return list(steps.values())


def _is_met(text: str, before: Sequence[Package]) -> bool:
    """Whether pip would say that the requirement is satisfied, and do nothing."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        wanted = Requirement(text)
    except InvalidRequirement:
        return False
    return any(
        project(package.name) == project(wanted.name)
        and wanted.specifier.contains(package.version, prereleases=True)
        for package in before
    )


def _once(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def variable_steps(wishes: Sequence[Wish], machine: Machine) -> list[SetVariable]:
    """The steps that fulfil wishes about variables; "" is the code of one that no finding has."""
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
    kept = before.text if before else None
    told = next((edit.text for edit in edits if isinstance(edit, SetTo)), kept)
    replaced = before is None or before.expand
    text = _list_after(told, edits, machine, replaced=replaced) if is_list else told
    after = _value(name, text, before, machine.os.family)
    # On Linux not our settings file but a line before it may set the variable.
    elsewhere = machine.os.family == "linux" and (before is None or before.gone)
    if not text and elsewhere and any(isinstance(e, SetTo) and e.text is None for e in edits):
        after = Value(text="", gone=True)
    if after == before:
        return None
    why = _once([code for _edit, code in group if code])
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
    told: str | None, edits: Sequence[VariableEdit], machine: Machine, *, replaced: bool
) -> str:
    """``replaced``: a %NAME% in the text is one of the kind in which Windows replaces it."""
    family, text = machine.os.family, told or ""

    def lookup(name: str) -> str | None:
        found = machine.variable(name, "process", "user", "machine")
        return found.value.text if found and replaced else None

    for edit in edits:
        if isinstance(edit, TakeOut):
            text = _taken_out(text, edit, family, lookup)
    for edit in reversed(edits):
        if isinstance(edit, PutFirst) and envpath.fits(edit.folder, family):
            text = envpath.put_first(text, edit.folder, family, lookup)
            text = envpath.take_out(text, f"-{edit.folder}", family, lookup)
    return text


def _taken_out(text: str, edit: TakeOut, family: Family, lookup: envpath.Lookup) -> str:
    """Without the folder; behind a minus it is taken out of what others have set before."""
    kept = envpath.take_out(text, edit.folder, family, lookup)
    out = f"-{edit.folder}"
    entries = envpath.split(kept, family)
    return envpath.join((*entries, out), family) if edit.others and out not in entries else kept


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
