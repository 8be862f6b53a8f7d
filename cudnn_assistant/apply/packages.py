"""The kind of step that changes packages of one Python environment, by its own pip (or uv)."""

from __future__ import annotations

import os
import threading
from contextlib import suppress

import msgspec

from cudnn_assistant.apply.environment import Environment, Installed, ask, commands, folders_of, run
from cudnn_assistant.apply.resolution import rehearsed
from cudnn_assistant.apply.shadow import remove_shadow, shadow
from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.machine import Package
from cudnn_assistant.plan import InstallPackage, PackageChange, project
from cudnn_assistant.plan.kinds.packages import undo
from cudnn_assistant.trouble import Refused


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
    return step if _is_gone(step) else rehearsed(step, ask(step.python), cancel)


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
    return msgspec.structs.replace(rehearsed(step, found, tools.cancel), before=before)


def stage(step: InstallPackage, tools: Tools) -> str:
    """A shadow of the environment with the packages that it would have; "" where none can be had.

    A step back to what was there before is not tried, and nothing where nobody tries it.
    """
    if not tools.tried or step.exact or not step.changes:
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
    changes = _between(found, ask(step.python))
    _refuse_unforeseen(step, changes)
    return msgspec.structs.replace(step, changes=changes)


def _refuse_unforeseen(step: InstallPackage, changes: tuple[PackageChange, ...]) -> None:
    if step.exact or step.changes is None:
        return
    foreseen = {_what(change) for change in step.changes}
    others = [change.name for change in changes if _what(change) not in foreseen]
    if others:
        raise Refused("more-would-change", names=tuple(others))


def _what(change: PackageChange) -> tuple[str, str]:
    return project(change.name), change.after


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


def _between(old: Environment, new: Environment) -> tuple[PackageChange, ...]:
    """All that differs, whether it was asked for or came with it."""
    names = sorted(old.packages.keys() | new.packages.keys())
    nothing = Installed("", "")
    pairs = [(old.packages.get(n, nothing), new.packages.get(n, nothing)) for n in names]
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
    before = {project(p.name): Installed(p.name, p.version) for p in step.before}
    sources = {project(change.name): change.source for change in step.changes or ()}
    old = {name: p._replace(source=sources.get(name, "")) for name, p in before.items()}
    now = ask(step.python)
    changes = [
        change
        for change in _between(now._replace(packages=old), now)
        if change.before != change.after
    ]
    back = undo(msgspec.structs.replace(step, changes=tuple(changes)))
    if back is None:
        return False
    _run(back, now, tools)
    return True


def tidy(_step: InstallPackage, _tools: Tools) -> None:
    """Nothing beside the environment itself but its shadow."""
    remove_shadow()
