"""The kind of step that changes packages of one Python environment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import urlsplit

import msgspec

from cudnn_assistant.compat.packages import index_for
from cudnn_assistant.machine import Family, Machine
from cudnn_assistant.plan.kinds.row import Change, ChangeLine
from cudnn_assistant.plan.steps import InstallPackage, PackageChange
from cudnn_assistant.shell import command, shell_of
from cudnn_assistant.wording import listed, say


def project(text: str) -> str:
    """The normalised project name of a requirement (PEP 503)."""
    name = re.split(r"[\s\[=<>!~;@]", text.strip(), maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def show(step: InstallPackage, _machine: Machine, _touched: Sequence[str] = ()) -> Change:
    """The change of one environment's packages."""
    anew = say("plan.reinstalled")
    again = (ChangeLine(sign="+", text=text, note=anew) for text in step.again)
    return Change(
        title=say("plan.change-packages"),
        says=_says(step),
        place=step.python,
        lines=(*_package_lines(step), *again),
        notes=tuple(_package_notes(step)),
    )


def _says(step: InstallPackage) -> str:
    """The packages that are asked for, and where."""
    if not requested(step):
        return say("plan.change-packages")
    folder = re.split(r"[\\/](?:Scripts|bin)[\\/][^\\/]*$", step.python)[0]
    return say("plan.install-packages-in", packages=requested(step), folder=folder)


def _package_lines(step: InstallPackage) -> Iterator[ChangeLine]:
    if step.changes is None:
        yield from _asked_of_pip(step)
        return
    for change in step.changes:
        if change.before == change.after:
            continue
        if change.before:
            note = say("plan.until-now") if change.after else say("plan.uninstalled")
            yield ChangeLine(sign="-", text=f"{change.name} {change.before}", note=note)
        if change.after:
            yield ChangeLine(
                sign="+", text=f"{change.name} {change.after}", note=say("plan.installed")
            )


def _asked_of_pip(step: InstallPackage) -> Iterator[ChangeLine]:
    asked = {project(text) for text in step.requirements}
    for package in step.before:
        if project(package.name) in asked:
            text = f"{package.name} {package.version}"
            yield ChangeLine(sign="-", text=text, note=say("plan.until-now"))
    for name in step.remove:
        yield ChangeLine(sign="-", text=name, note=say("plan.uninstalled"))
    for text in step.requirements:
        yield ChangeLine(sign="+", text=text, note=say("plan.installed"))


def _package_notes(step: InstallPackage) -> Iterator[str]:
    if step.changes is not None:
        yield say("plan.no-other-package-changes")
    elif step.requirements and not step.exact:
        yield say("plan.requirements-may-change")
    if step.index:
        yield say("plan.packages-from", address=urlsplit(step.index).netloc)
    if step.requirements or step.remove:
        yield say("plan.packages-way-back")
    if step.again:
        yield stays(step)


def stays(step: InstallPackage) -> str:
    """Files that were put there anew; "" where none were."""
    if not step.again:
        return ""
    return say("plan.reinstalled-files-stay", names=listed(step.again))


def commands(step: InstallPackage, family: Family) -> list[str]:
    """The environment's own pip."""
    pip = partial(command, shell_of(family), step.python, "-m", "pip")
    source = ("--extra-index-url", step.index) if step.index else ()
    alone = ("--no-deps",) if step.exact else ()
    lines = (
        (("uninstall", "-y"), step.remove),
        (("install", *alone, *source), step.requirements),
        (("install", "--force-reinstall", "--no-deps", *source), step.again),
    )
    return [pip(*words, *names) for words, names in lines if names]


def requested(step: InstallPackage) -> str:
    """What pip is told to install."""
    return " ".join((*step.requirements, *step.again))


def unrehearsed(step: InstallPackage) -> bool:
    """What pip said is in the step; an exact one says it itself."""
    return step.changes is None and not step.exact


def idle(step: InstallPackage) -> bool:
    """pip has said that all is there already."""
    return step.changes == () and not step.remove


def joined(step: InstallPackage, later: InstallPackage) -> InstallPackage:
    """All that both ask for; only pip knows what that changes, unless it was asked that already."""
    if {*later.requirements} <= {*step.requirements} and {*later.again} <= {*step.again}:
        return step

    def once(*texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for some in texts for text in some))

    return msgspec.structs.replace(
        step,
        requirements=once(step.requirements, later.requirements),
        again=once(step.again, later.again),
        changes=None,
        why=once(step.why, later.why),
    )


def undo(step: InstallPackage, *_present: object) -> InstallPackage | None:
    """The versions before, and no package that was not there; nothing else is touched.

    What was pulled in beside is known once the step is done; before that it is what was asked for.
    """
    changes = tuple(_asked(step)) if step.changes is None else step.changes
    exact = tuple(
        f"{c.name} @ {c.source}" if c.source else f"{c.name}=={c.before}"
        for c in changes
        if c.before
    )
    new = tuple(change.name for change in changes if not change.before)
    if not exact and not new:
        return None
    return InstallPackage(
        python=step.python,
        requirements=exact,
        remove=new,
        exact=True,
        index=next(filter(None, map(index_for, exact)), ""),
        why=step.why,
    )


def _asked(step: InstallPackage) -> Iterator[PackageChange]:
    had = {project(package.name): package for package in step.before}
    wanted = (project(text) for text in (*step.requirements, *step.again, *step.remove))
    for name in dict.fromkeys(wanted):
        package = had.get(name)
        yield PackageChange(
            name=package.name if package else name, before=package.version if package else ""
        )
