"""What an installation of packages would change, said by the environment's own pip beforehand."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator

import msgspec

from cudnn_assistant.apply.environment import Environment, Installed, Output, rehearsal, run
from cudnn_assistant.plan import InstallPackage, PackageChange, project
from cudnn_assistant.trouble import Refused

_UV_LINE = re.compile(r"^ ([+-]) ([A-Za-z0-9][A-Za-z0-9._-]*)==(\S+)", re.MULTILINE)


def rehearsed(step: InstallPackage, found: Environment, cancel: threading.Event) -> InstallPackage:
    """One step with its changes. Raises :class:`Refused`."""
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
