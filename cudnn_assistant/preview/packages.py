"""A change of packages in words: as pip said it, or as it was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.plan import InstallPackage, project
from cudnn_assistant.preview.change import Change, ChangeLine
from cudnn_assistant.wording import _


def package(number: int, step: InstallPackage) -> Change:
    """The change of one environment's packages."""
    return Change(
        step=number,
        title=_("Change packages of one Python environment"),
        place=step.python,
        lines=(*_package_lines(step), *_again(step)),
        notes=tuple(_package_notes(step)),
    )


def _package_lines(step: InstallPackage) -> Iterator[ChangeLine]:
    if step.changes is None:
        yield from _asked_of_pip(step)
        return
    for change in step.changes:
        if change.before == change.after:
            continue
        if change.before:
            note = _("until now") if change.after else _("uninstalled")
            yield ChangeLine(sign="-", text=f"{change.name} {change.before}", note=note)
        if change.after:
            yield ChangeLine(sign="+", text=f"{change.name} {change.after}", note=_("installed"))


def _asked_of_pip(step: InstallPackage) -> Iterator[ChangeLine]:
    asked = {project(text) for text in step.requirements}
    for package in step.before:
        if project(package.name) in asked:
            text = f"{package.name} {package.version}"
            yield ChangeLine(sign="-", text=text, note=_("until now"))
    for name in step.remove:
        yield ChangeLine(sign="-", text=name, note=_("uninstalled"))
    for text in step.requirements:
        yield ChangeLine(sign="+", text=text, note=_("installed"))


def _again(step: InstallPackage) -> Iterator[ChangeLine]:
    for text in step.again:
        yield ChangeLine(sign="+", text=text, note=_("installed again, its files made anew"))


def _package_notes(step: InstallPackage) -> Iterator[str]:
    if step.changes is not None:
        yield _("No other package changes.")
    elif step.requirements and not step.exact:
        yield _("What these packages require may change as well.")
    yield _("The versions before are kept and can be put back.")
