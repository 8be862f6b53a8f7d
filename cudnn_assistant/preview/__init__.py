"""A plan as the person sees it before anything happens: every change, old and new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnn_assistant.machine import Machine
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
)
from cudnn_assistant.plan.saying import installer_notes
from cudnn_assistant.preview.change import Change, ChangeLine
from cudnn_assistant.preview.packages import package
from cudnn_assistant.preview.variables import variable
from cudnn_assistant.wording import _, ngettext

__all__ = ["Change", "ChangeLine", "demanded", "preview"]


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
        return variable(number, step, machine, touched)
    if isinstance(step, InstallArchive):
        return _archive(number, step)
    if isinstance(step, RemoveArchive):
        return _removal(number, step)
    if isinstance(step, InstallPackage):
        return package(number, step)
    return _installer(number, step)


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
