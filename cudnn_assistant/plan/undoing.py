"""The way back: the plan that takes a plan back, given what is there now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from cudnn_assistant import envpath
from cudnn_assistant.machine import Family, Scope, Value
from cudnn_assistant.plan.steps import (
    Entry,
    InstallArchive,
    InstallPackage,
    PackageChange,
    Plan,
    RemoveArchive,
    SetVariable,
    Step,
)

Read = Callable[[Scope, str], "Value | None"]


def undo_plan(entry: Entry, read: Read, family: Family) -> Plan:
    """The plan that takes back what ``entry`` did, in reverse order, given the present values.

    What others have changed since stays: from a list only our own change is taken out; a single
    value that is no longer the one we wrote is left alone. An archive whose folder a variable would
    still name stays. An empty plan: nothing is left to undo.
    Raises what ``read`` raises.
    """
    done = [
        step
        for step, state in zip(entry.plan.steps, entry.states, strict=False)
        if state in ("done", "planned")
    ]
    steps = [back for step in reversed(done) if (back := _take_back(step, read, family))]
    kept = [step for step in steps if not _still_named(step, steps, read, family)]
    return Plan(steps=tuple(kept), undoes=entry.id)


def _still_named(step: Step, steps: Sequence[Step], read: Read, family: Family) -> bool:
    """Whether the step would remove a folder that a search path names even after the plan."""
    if not isinstance(step, RemoveArchive):
        return False
    changed = {(s.scope, s.name.upper()): s.after for s in steps if isinstance(s, SetVariable)}
    scopes: tuple[Scope, ...] = ("user", "machine") if family == "windows" else ("user",)
    folder = envpath.key(step.archive.search or step.archive.folder, family)
    for scope in scopes:
        for name in ("PATH", "LD_LIBRARY_PATH"):
            value = changed[scope, name] if (scope, name) in changed else read(scope, name)
            entries = envpath.split(value.text, family) if value else ()
            if any(envpath.key(entry, family) == folder for entry in entries):
                return True
    return False


def _take_back(step: Step, read: Read, family: Family) -> Step | None:
    if isinstance(step, SetVariable):
        return back_to(step, read(step.scope, step.name), family)
    if isinstance(step, InstallArchive):
        return RemoveArchive(archive=step, why=step.why)
    if isinstance(step, RemoveArchive):
        return step.archive
    if isinstance(step, InstallPackage):
        return packages_back(step)
    return None


def packages_back(step: InstallPackage) -> InstallPackage | None:
    """The versions before, and no package that was not there; nothing else is touched.

    What was pulled in beside is known once the step is done; before that it is what was asked for.
    """
    changes = tuple(_asked(step)) if step.changes is None else step.changes
    exact = tuple(_as_it_was(change) for change in changes if change.before)
    new = tuple(change.name for change in changes if not change.before)
    if not exact and not new:
        return None
    return InstallPackage(
        python=step.python, requirements=exact, remove=new, exact=True, why=step.why
    )


def _asked(step: InstallPackage) -> Iterator[PackageChange]:
    had = {project(package.name): package for package in step.before}
    wanted = (project(text) for text in (*step.requirements, *step.again, *step.remove))
    for name in dict.fromkeys(wanted):
        package = had.get(name)
        yield PackageChange(
            name=package.name if package else name, before=package.version if package else ""
        )


def _as_it_was(change: PackageChange) -> str:
    if change.source:
        return f"{change.name} @ {change.source}"
    return f"{change.name}=={change.before}"


def project(text: str) -> str:
    """The normalised project name of a requirement (PEP 503)."""
    name = re.split(r"[\s\[=<>!~;@]", text.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


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
