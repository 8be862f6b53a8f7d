"""A plan as the person sees it before anything happens: every change, old and new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from cudnn_assistant import envpath, places
from cudnn_assistant.machine import Machine, Scope, Struct
from cudnn_assistant.plan import (
    Demands,
    InstallArchive,
    InstallPackage,
    Plan,
    RemoveArchive,
    RunInstaller,
    SetVariable,
    Step,
    demands,
    project,
)
from cudnn_assistant.plan.saying import installer_notes
from cudnn_assistant.wording import _, ngettext

_OLD_DIALOG = 2047
_OLD_PROGRAMS = 4095


class ChangeLine(Struct, kw_only=True):
    """One line of a change."""

    sign: Literal["+", "-", " "]
    text: str
    note: str = ""
    """The sign in words, "added, first"; colour and sign alone tell nothing to some."""


class Change(Struct, kw_only=True):
    """One step in words."""

    step: int
    """Number of the step in the plan, from 0."""
    title: str
    place: str = ""
    """Where it is stored: a file, a registry key, a folder."""
    lines: tuple[ChangeLine, ...] = ()
    """All entries of a list, the unchanged ones too; the page decides how many it shows."""
    notes: tuple[str, ...] = ()
    administrator: bool = False


def preview(plan: Plan, machine: Machine, *, touched: Sequence[str] = ()) -> tuple[Change, ...]:
    """What each step of ``plan`` changes on ``machine``.

    ``touched`` are the start-up files that a user-scope variable adds a line to (Linux; the
    answer of ``system.touched("user")``).
    """
    return tuple(_change(number, step, machine, touched) for number, step in enumerate(plan.steps))


def demanded(plan: Plan, machine: Machine) -> tuple[str, ...]:
    """What the plan as a whole asks for, a sentence each."""
    return tuple(_demanded(demands(plan, machine), plan))


def _demanded(asked: Demands, plan: Plan) -> Iterator[str]:
    archives = [step for step in plan.steps if isinstance(step, InstallArchive)]
    if len(archives) > 1 and all(step.download.size for step in archives):
        yield _("{size} MB are downloaded in all.").format(size=f"{asked.download / 1e6:,.0f}")
    if asked.administrator:
        count = len(asked.administrator)
        yield ngettext(
            "An administrator is asked for {count} change.",
            "An administrator is asked for {count} changes.",
            count,
        ).format(count=count)
    if asked.sign_out:
        yield _(
            "A new terminal knows it at once; programs that you start from the desktop know it "
            "after you have signed out and in again."
        )
    if asked.restart:
        yield _("The computer has to be started again afterwards.")


def _change(number: int, step: Step, machine: Machine, touched: Sequence[str]) -> Change:
    if isinstance(step, SetVariable):
        return _variable(number, step, machine, touched)
    if isinstance(step, InstallArchive):
        return _archive(number, step)
    if isinstance(step, RemoveArchive):
        return _removal(number, step)
    if isinstance(step, InstallPackage):
        return _package(number, step)
    return _installer(number, step)


def _variable(number: int, step: SetVariable, machine: Machine, touched: Sequence[str]) -> Change:
    windows = machine.os.family == "windows"
    is_list = envpath.is_list(step.name, machine.os.family)
    return Change(
        step=number,
        title=_title(step.name, step.scope),
        place=_place(step, machine),
        lines=_list_lines(step, machine) if is_list else _single_lines(step),
        notes=(
            *(_count_notes(step, machine) if is_list else ()),
            *(_length_notes(step) if windows else _linux_notes(step, is_list, touched)),
        ),
        administrator=step.scope == "machine",
    )


def _title(name: str, scope: Scope) -> str:
    if name == "ld.so.conf":
        return _("Folders of the loader (all users)")
    if scope == "machine":
        return _("{name} (all users)").format(name=name)
    return _("{name} (your account)").format(name=name)


def _place(step: SetVariable, machine: Machine) -> str:
    windows = machine.os.family == "windows"
    for variable in machine.variables:
        if variable.scope == step.scope and variable.source and (windows or variable.ours):
            return variable.source
    if not windows and step.scope == "machine":
        return "/etc/ld.so.conf.d/cudnn-assistant.conf"
    if not windows:
        return str(places.config() / "environment.sh")
    if step.scope == "machine":
        return r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
    return r"HKCU\Environment"


def _texts(step: SetVariable) -> tuple[str, str]:
    return (step.before.text if step.before else "", step.after.text if step.after else "")


def _list_lines(step: SetVariable, machine: Machine) -> tuple[ChangeLine, ...]:
    old, new = (envpath.split(text, machine.os.family) for text in _texts(step))
    lines: list[ChangeLine] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [ChangeLine(sign=" ", text=text) for text in new[j1:j2]]
            continue
        lines += [
            ChangeLine(sign="-", text=text, note=_moved(text, new) or _("taken out"))
            for text in old[i1:i2]
        ]
        lines += [
            ChangeLine(sign="+", text=new[j], note=_("added, first") if j == 0 else _("added"))
            for j in range(j1, j2)
        ]
    return tuple(lines)


def _moved(text: str, new: Sequence[str]) -> str:
    return _("stood here before") if text in new else ""


def _single_lines(step: SetVariable) -> tuple[ChangeLine, ...]:
    lines = []
    if step.before is not None:
        lines.append(ChangeLine(sign="-", text=step.before.text, note=_("the value until now")))
    if step.after is not None:
        lines.append(ChangeLine(sign="+", text=step.after.text, note=_("the new value")))
    else:
        lines.append(ChangeLine(sign=" ", text="", note=_("the variable is removed")))
    return tuple(lines)


def _count_notes(step: SetVariable, machine: Machine) -> tuple[str, ...]:
    before, after = (len(envpath.split(text, machine.os.family)) for text in _texts(step))
    counted = ngettext("after {count} folder", "after {count} folders", after).format(count=after)
    return (_("Before {before}, {after}.").format(before=before, after=counted),)


def _length_notes(step: SetVariable) -> tuple[str, ...]:
    length = len(_texts(step)[1])
    notes = [
        _(
            "Length {length} of {limit} characters. The present value is kept and can be put back."
        ).format(length=f"{length:,}", limit=f"{envpath.LIMIT:,}")
    ]
    if length > _OLD_PROGRAMS:
        notes.append(_("Some programs cut a value of this length when they change it."))
    elif length > _OLD_DIALOG:
        notes.append(_("Windows' older settings window can't show a value of this length."))
    if step.before and step.after and step.before.expand != step.after.expand:
        notes.append(_("The kind of the value changes, so that names between % are replaced."))
    return tuple(notes)


def _linux_notes(step: SetVariable, is_list: bool, touched: Sequence[str]) -> tuple[str, ...]:
    if step.scope == "machine":
        return (_("Then ldconfig is run, so that programs find what is there."),)
    notes = []
    if is_list and step.after:
        notes.append(_("Your own entries of {name} follow after these.").format(name=step.name))
    if touched and step.after:
        notes.append(
            _("One line that reads this file stands at the end of {files}.").format(
                files=", ".join(touched)
            )
        )
    return tuple(notes)


def _archive(number: int, step: InstallArchive) -> Change:
    notes = [_size(step)]
    if step.licence:
        notes.append(_("By going on you accept NVIDIA's licence: {link}").format(link=step.licence))
    return Change(
        step=number,
        title=_("Install {product}").format(product=_named(step)),
        place=step.folder,
        lines=(ChangeLine(sign="+", text=step.folder, note=_("new folder of our own")),),
        notes=tuple(notes),
    )


def _named(step: InstallArchive) -> str:
    """What an archive holds; a toolkit's own version says the CUDA already."""
    if step.product == "CUDA":
        return _("the libraries of CUDA {version}").format(version=step.version)
    return _("{product} {version} for CUDA {cuda}").format(
        product=step.product, version=step.version, cuda=step.cuda or step.cuda_major
    )


def _size(step: InstallArchive) -> str:
    if step.download.size:
        size = f"{step.download.size / 1_000_000:,.0f}"
        return _("Download of {size} MB from NVIDIA.").format(size=size)
    if step.product == "CUDA":
        return _("Download of 2 to 4 GB from NVIDIA; the exact size is known once it begins.")
    return _("Download from NVIDIA; how large it is, is known once it begins.")


def _removal(number: int, step: RemoveArchive) -> Change:
    archive = step.archive
    return Change(
        step=number,
        title=_("Remove {product}").format(product=_named(archive)),
        place=archive.folder,
        lines=(ChangeLine(sign="-", text=archive.folder, note=_("folder of our own, removed")),),
        notes=(_("Installing it again means downloading it again."),),
    )


def _package(number: int, step: InstallPackage) -> Change:
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


def _installer_title(step: RunInstaller) -> str:
    if step.exit:
        return _("Install {name} (ended with code {code})").format(name=step.name, code=step.exit)
    return _("Install {name}").format(name=step.name)


def _installer(number: int, step: RunInstaller) -> Change:
    if not step.row:
        lines = (ChangeLine(sign="+", text=text, note=_("you run this")) for text in step.commands)
        notes: tuple[str, ...] = (_("This can't be taken back by this program."),)
        return Change(
            step=number, title=step.name, place=step.link, lines=tuple(lines), notes=notes
        )
    shown = step.commands or (step.link,)
    note = _("run as the administrator") if step.commands else _("downloaded and started")
    return Change(
        step=number,
        title=_installer_title(step),
        place=step.link,
        lines=tuple(ChangeLine(sign="+", text=text, note=note) for text in shown),
        notes=installer_notes(step),
        administrator=True,
    )
