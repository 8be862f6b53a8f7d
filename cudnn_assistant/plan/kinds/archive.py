"""The kinds of step that install and remove one of NVIDIA's archives in a folder of our own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from cudnn_assistant.machine import Family, Machine
from cudnn_assistant.plan.kinds.row import Change, ChangeLine, Needs, Read
from cudnn_assistant.plan.steps import InstallArchive, RemoveArchive
from cudnn_assistant.shell import Syntax, command, shell_of
from cudnn_assistant.wording import number, say


def show(step: InstallArchive, _machine: Machine, _touched: Sequence[str] = ()) -> Change:
    """What is downloaded, how much, and where it goes."""
    accepted = (say("plan.accepts-licence", link=step.licence),) if step.licence else ()
    return Change(
        title=say("plan.install-product", product=_named(step)),
        place=step.folder,
        lines=(ChangeLine(sign="+", text=step.folder, note=say("plan.new-folder")),),
        notes=(_size(step), *accepted),
    )


def _named(step: InstallArchive) -> str:
    """What an archive holds; a toolkit's own version says the CUDA already."""
    if step.product == "CUDA":
        return say("plan.cuda-libraries", version=step.version)
    return say(
        "plan.product-for-cuda",
        product=step.product,
        version=step.version,
        cuda=step.cuda or step.cuda_major,
    )


def _size(step: InstallArchive) -> str:
    if step.download.size:
        return say("plan.download-size", size=number(step.download.size / 1e6))
    if step.product == "CUDA":
        return say("plan.download-cuda-toolkit")
    return say("plan.download-unknown-size")


def commands(step: InstallArchive, family: Family) -> list[str]:
    """Download and unpack; the checksum is a remark to compare with."""
    run = partial(command, shell_of(family))
    name, folder = step.download.url.rsplit("/", 1)[-1], step.folder
    get, make = ("curl.exe", ()) if family == "windows" else ("curl", ("-p",))
    return [
        run(get, "-fL", "-o", name, step.download.url),
        f"# SHA-256: {step.download.sha256}",
        run("mkdir", *make, folder),
        run("tar", "-xf", name, "-C", folder, "--strip-components=1"),
    ]


def needs(step: InstallArchive) -> Needs:
    """A download under NVIDIA's licence."""
    return Needs(download=step.download.size, licence=step.licence)


def undo(step: InstallArchive, _read: Read, _family: Family) -> RemoveArchive:
    """The folder goes."""
    return RemoveArchive(archive=step, why=step.why)


def show_removal(step: RemoveArchive, _machine: Machine, _touched: Sequence[str] = ()) -> Change:
    """The folder that goes."""
    archive = step.archive
    return Change(
        title=say("plan.remove-product", product=_named(archive)),
        place=archive.folder,
        lines=(ChangeLine(sign="-", text=archive.folder, note=say("plan.folder-removed")),),
        notes=(say("plan.removed-way-back"),),
    )


def removal_commands(step: RemoveArchive, family: Family) -> list[str]:
    """Remove the folder with all in it."""
    if family == "windows":
        remove = ("Remove-Item", Syntax("-Recurse"), Syntax("-LiteralPath"))
        return [command("powershell", *remove, step.archive.folder)]
    return [command("sh", "rm", "-r", step.archive.folder)]


def undo_removal(step: RemoveArchive, _read: Read, _family: Family) -> InstallArchive:
    """Install it again, which downloads it again."""
    return step.archive
