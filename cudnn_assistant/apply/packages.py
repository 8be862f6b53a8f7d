"""The kind of step that changes packages of one Python environment, by its own pip (or uv)."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

import msgspec

from cudnn_assistant.apply.environment import (
    Environment,
    Installed,
    Output,
    ask,
    commands,
    folders_of,
    rehearsal,
    run,
)
from cudnn_assistant.apply.shadow import remove_shadow, shadow
from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.machine import Package
from cudnn_assistant.plan import InstallPackage, PackageChange, project
from cudnn_assistant.plan.kinds.packages import undo
from cudnn_assistant.trouble import Refused

_UV_LINE = re.compile(r"^ ([+-]) ([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)", re.MULTILINE)


def compare(step: InstallPackage, _tools: Tools) -> None:
    """Refuse when a package that is touched is no longer as the plan saw it."""
    if _is_gone(step):
        return
    now = ask(step.python).packages
    touched = {project(text) for text in (*step.requirements, *step.again, *step.remove)}
    touched |= {project(change.name) for change in step.changes or ()}
    for package in step.before:
        name = project(package.name)
        if name in touched and (name not in now or now[name].version != package.version):
            raise Refused("changed-meanwhile", name=package.name)


def rehearse(step: InstallPackage, cancel: threading.Event) -> InstallPackage:
    """The step with what pip says that it would change. Raises :class:`Refused`."""
    # A way back names an interpreter that others may have written into the journal.
    return step if step.exact else _rehearsed(step, ask(step.python), cancel)


def _rehearsed(step: InstallPackage, found: Environment, cancel: threading.Event) -> InstallPackage:
    if found.managed:
        raise Refused("managed-environment", python=step.python)
    if step.exact or step.changes is not None:
        return step
    # What gets its files again has the same version before and after.
    anew = (*_of_present(step.remove, found), *_of_present(step.again, found, stays=True))
    _refuse_what_would_be_lost(anew, found)
    if not step.requirements:
        return msgspec.structs.replace(step, changes=anew)
    output = run(rehearsal(step, found), cancel)
    if output.code and re.search(r"no such option|unexpected argument", output.err):
        return step
    if output.code:
        raise Refused("not-rehearsed", text=output.end)
    changes = (*_changes(output, found), *anew)
    _refuse_what_would_be_lost(changes, found)
    return msgspec.structs.replace(step, changes=changes)


def _of_present(
    names: Iterable[str], found: Environment, *, stays: bool = False
) -> Iterator[PackageChange]:
    there = (found.packages[name] for name in map(project, names) if name in found.packages)
    for old in there:
        after = old.version if stays else ""
        yield PackageChange(name=old.name, before=old.version, after=after, source=old.source)


def _changes(output: Output, found: Environment) -> Iterator[PackageChange]:
    """From pip's report, or from uv's lines."""
    after = dict(_from_report(output.out) or _from_lines(output.err))
    for name, (shown, version) in after.items():
        old = found.packages.get(name, Installed("", ""))
        yield PackageChange(name=shown, before=old.version, after=version, source=old.source)


def _from_report(text: str) -> dict[str, tuple[str, str]]:
    try:
        known = [one["metadata"] for one in json.loads(text)["install"]]
        return {project(one["name"]): (one["name"], str(one["version"])) for one in known}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


def _from_lines(text: str) -> dict[str, tuple[str, str]]:
    lines = _UV_LINE.findall(text)
    gone = {project(name): (name, "") for sign, name, _version in lines if sign == "-"}
    return gone | {project(name): (name, version) for sign, name, version in lines if sign == "+"}


def _refuse_what_would_be_lost(changes: tuple[PackageChange, ...], found: Environment) -> None:
    for change in changes:
        old = found.packages.get(project(change.name))
        if old is not None and old.kind:
            raise Refused("installed-from-source", name=old.name)


def _is_gone(step: InstallPackage) -> bool:
    """Whether it takes something back in an environment that was removed since, with all in it."""
    return step.exact and not os.path.lexists(step.python)


def fetches(step: InstallPackage) -> bool:
    """Whether pip asks its index."""
    return bool(step.requirements or step.again)


def prepare(step: InstallPackage, tools: Tools) -> InstallPackage:
    """The step with all packages as they are now, for the way back; rehearsed, if it was not."""
    if _is_gone(step):
        return step
    found = ask(step.python)
    before = tuple(Package(name=p.name, version=p.version) for p in found.packages.values())
    return msgspec.structs.replace(_rehearsed(step, found, tools.cancel), before=before)


def stage(step: InstallPackage, tools: Tools) -> str:
    """A shadow of the environment with the packages that it would have; "" where none can be had.

    A step back to what was there before is not tried, and nothing where nobody tries it.
    """
    if not tools.rehearse or step.exact or not step.changes:
        return ""
    found = ask(step.python)
    tools.tell("packages", 0, 0)
    return shadow(step, found, tools)


def do(step: InstallPackage, tools: Tools) -> InstallPackage:
    """Run the environment's own pip or uv; the step with what that changed, all of it.

    Nothing may change that was not said before: an index can have moved on since it was asked.
    """
    remove_shadow()
    if _is_gone(step):
        return msgspec.structs.replace(step, changes=())
    found = ask(step.python)
    _run(step, found, tools)
    changes = _between(found.packages, ask(step.python).packages)
    _refuse_unforeseen(step, changes)
    return msgspec.structs.replace(step, changes=changes)


def _refuse_unforeseen(step: InstallPackage, changes: tuple[PackageChange, ...]) -> None:
    if step.exact or step.changes is None:
        return
    foreseen = {(project(change.name), change.after) for change in step.changes}
    others = [o.name for o in changes if (project(o.name), o.after) not in foreseen]
    if others:
        raise Refused("more-would-change", names=tuple(others))


def _run(step: InstallPackage, found: Environment, tools: Tools) -> None:
    folders = folders_of(step.remove, found) if step.remove else []
    for command in commands(step, found):
        tools.tell("packages", 0, 0)
        output = run(command, tools.cancel, tools.lock)
        if output.code:
            raise Refused("packages-not-changed", text=output.end)
    # pip leaves folders that held nothing but folders. One that still holds anything can't go.
    for folder in folders:
        with suppress(OSError):
            os.rmdir(folder)


def _between(
    old: Mapping[str, Installed], new: Mapping[str, Installed]
) -> tuple[PackageChange, ...]:
    """All that differs, whether it was asked for or came with it."""
    nothing = Installed("", "")
    pairs = [(old.get(n, nothing), new.get(n, nothing)) for n in sorted(old.keys() | new.keys())]
    return tuple(
        PackageChange(
            name=before.name or after.name,
            before=before.version,
            after=after.version,
            source=before.source,
        )
        for before, after in pairs
        if (before.version, before.source) != (after.version, after.source)
    )


def put_back(step: InstallPackage, tools: Tools, _settle: bool) -> bool:
    """From what is there now to what was there, all of it: a moment ago nothing was changed."""
    remove_shadow()
    sources = {project(change.name): change.source for change in step.changes or ()}
    old = {
        name: Installed(one.name, one.version, sources.get(name, ""))
        for one in step.before
        for name in [project(one.name)]
    }
    now = ask(step.python)
    changes = tuple(one for one in _between(old, now.packages) if one.before != one.after)
    back = undo(msgspec.structs.replace(step, changes=changes))
    if back is None:
        return False
    _run(back, now, tools)
    return True
