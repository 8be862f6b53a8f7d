"""The kinds of step that install and remove one of NVIDIA's archives in a folder of our own.

A folder appears whole, by one rename, or not at all; it goes the same way. What is in the making
lies beside it under a name that nothing searches.
"""

from __future__ import annotations

import fnmatch
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import IO

from cudnn_assistant import places
from cudnn_assistant.apply.downloads import fetched, lies_ready, own_copy, prepared
from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.plain_file import content
from cudnn_assistant.plan import InstallArchive, RemoveArchive
from cudnn_assistant.trouble import Cancelled, Refused, refusing
from cudnn_assistant.unpack import put_aside, unpack
from cudnn_assistant.visible import visible
from cudnn_assistant.whole_file import make_folder, put, rename

_TIMES = 4
"""An archive unpacks to two to three times its size (measured on cuDNN 9); one more for itself."""
_RUN = ".run"
_RUN_TIME = re.compile(r"(^|/)(lib64|targets/[a-z0-9_-]+/lib)$")
"""Folders of the toolkit's libraries inside a .run: builds/cublas/lib64,
builds/cuda_cudart/targets/x86_64-linux/lib."""
_LINK_TIME_ONLY = ("*.a", "*.lib")
_LIBRARIES = ("*.so", "*.so.*", "*.dll")
_LIST = "installed-files.txt"
"""What an archive brought, a path a line: any other file in its folder is the person's."""
_FEW = 3
"""Names of the person's files in a folder of ours that are told."""
_WINDOWS_OWN = frozenset({"desktop.ini", "thumbs.db"})


def _refuse_foreign(folder: str) -> None:
    """Refuse what doesn't lie in our own folder, as each that a plan of ours names does.

    Others may have written an entry of the journal, to have another folder deleted; and what the
    person has put in the place of ours, a file or a link, is theirs.
    """
    there = os.path.realpath(os.path.dirname(folder))
    theirs = os.path.lexists(folder) and (os.path.islink(folder) or not os.path.isdir(folder))
    if theirs or there != os.path.realpath(places.own_libraries()):
        raise Refused("folder-not-ours", folder=folder)


def compare(step: InstallArchive, _tools: Tools) -> None:
    """Refuse what isn't ours, when the folder is there already, or the disk can't hold it."""
    _refuse_foreign(step.folder)
    if os.path.lexists(step.folder):
        raise Refused("folder-there", folder=step.folder)
    if not os.path.isdir(step.folder + places.MAKING):
        _refuse_full(step, step.download.size * _TIMES)


def _refuse_full(step: InstallArchive, needed: int) -> None:
    parent = os.path.dirname(step.folder)
    while not os.path.isdir(parent) and os.path.dirname(parent) != parent:
        parent = os.path.dirname(parent)
    free = shutil.disk_usage(parent).free
    if free < needed:
        raise Refused("disk-full-at", folder=parent, free=free // 10**6, needed=needed // 10**6)


def stage(step: InstallArchive, tools: Tools) -> str:
    """Fetch, prove, unpack beside its place, look whether it is what it should be."""
    with _archive(step, tools) as (name, file):
        return _unpacked(step, name, file, tools)


def do(step: InstallArchive, tools: Tools) -> None:
    """What was staged gets its place; the archive itself is of no use any more."""
    rename(step.folder + places.MAKING, step.folder)
    # Keeping a gigabyte twice helps nobody.
    with suppress(KeyError, OSError):
        os.unlink(tools.lying.pop(step.folder))


def _unpacked(step: InstallArchive, name: str, file: IO[bytes], tools: Tools) -> str:
    making = step.folder + places.MAKING
    shutil.rmtree(making, ignore_errors=True)
    make_folder(os.path.dirname(step.folder))
    try:
        unpack(
            name,
            making,
            opened=file,
            place=_place_of_run if name.endswith(_RUN) else _place,
            limit=os.fstat(file.fileno()).st_size * 12 + (200 << 20),
            progress=lambda size: tools.tell("unpack", size, 0),
            cancel=tools.cancel,
        )
        if name.endswith(_RUN):
            # As toolkits themselves say it, for everybody who looks.
            told = f"CUDA Version {step.version}\n".encode()
            put(os.path.join(making, "version.txt"), told, mode=0o644)
        search = os.path.join(making, os.path.relpath(step.search, step.folder))
        _in_one_folder(search)
        if not _has_library(search):
            raise Refused("library-not-in-archive", product=step.product)
        put(os.path.join(making, _LIST), "\n".join(_files(making)).encode(), mode=0o644)
    except Cancelled:
        raise Refused("stopped") from None
    return making


@contextmanager
def _archive(step: InstallArchive, tools: Tools) -> Iterator[tuple[str, IO[bytes]]]:
    """Name and content, proven: out of the folder that an administrator prepared, or NVIDIA's."""
    wanted = step.download
    ready = prepared(wanted.url, "archive-not-prepared")
    if ready:
        with own_copy(ready, wanted.sha256, wanted.size, tools.cancel) as file:
            yield ready, file
        return
    path = fetched(wanted, tools)
    if not wanted.size:
        # Only now is known what it needs; the archive itself is on the disk already.
        _refuse_full(step, os.path.getsize(path) * (_TIMES - 1))
    tools.lying[step.folder] = path
    with open(path, "rb") as file:
        yield path, file


def fetches(step: InstallArchive) -> bool:
    """Whether its archive doesn't lie ready."""
    return not lies_ready(step.download.url)


def _place(path: str, _target: str) -> str:
    return "" if any(fnmatch.fnmatch(path, pattern) for pattern in _LINK_TIME_ONLY) else path


def _place_of_run(path: str, target: str) -> str:
    """Of a toolkit's many folders the run-time libraries alone, all in one folder.

    Stubs, the libraries of its tools and links from one folder into another stay out.
    """
    folder, _slash, name = path.rpartition("/")
    library = any(fnmatch.fnmatchcase(name, pattern) for pattern in _LIBRARIES)
    return f"lib/{name}" if library and "/" not in target and _RUN_TIME.search(folder) else ""


def _in_one_folder(there: str) -> None:
    """Bring the libraries to where the plan says: archives differ (bin\\x64, lib64)."""
    for other in (os.path.join(there, "x64"), os.path.join(there, "arm64"), there + "64"):
        if not _has_library(there) and _has_library(other):
            make_folder(there)
            for name in os.listdir(other):
                rename(os.path.join(other, name), os.path.join(there, name))
            os.rmdir(other)


def _has_library(folder: str) -> bool:
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return any(fnmatch.fnmatch(name, pattern) for name in names for pattern in _LIBRARIES)


def put_back(step: InstallArchive, _tools: Tools, _settle: bool) -> bool:
    """Remove the folder if it appeared; one that the person has put there meanwhile is theirs."""
    shutil.rmtree(step.folder + places.MAKING, ignore_errors=True)
    if appeared := reached(step):
        put_aside(step.folder)
    return appeared


def reached(step: InstallArchive) -> bool:
    """The folder appears whole, with our list in it, or not at all."""
    return os.path.isfile(os.path.join(step.folder, _LIST))


def refuse_theirs(step: RemoveArchive, _given: Tools | Event) -> RemoveArchive:
    """As it is. Refuses to remove what isn't ours, before anybody is asked, and once the person
    said yes: others may have put something there meanwhile."""
    folder = step.archive.folder
    if removal_reached(step):
        return step
    _refuse_foreign(folder)
    with refusing("system-said"):
        try:
            text = content(os.path.join(folder, _LIST)).decode("utf-8", "replace")
        except FileNotFoundError:  # Laid by an earlier version.
            return step
        ours = {_LIST, *re.split(r"\r?\n", text)}
        theirs = [visible(path) for path in _files(folder) if path not in ours]
        if theirs:
            few = (*theirs[:_FEW], *("…" for _more in theirs[_FEW : _FEW + 1]))
            raise Refused("files-not-ours", folder=folder, count=len(theirs), files=few)
    return step


def _files(folder: str) -> list[str]:
    """Where in the folder a file or a link is, with slashes; not what Windows itself puts there."""

    def unseen(trouble: OSError) -> None:
        raise trouble

    return sorted(
        Path(above, name).relative_to(folder).as_posix()
        for above, folders, files in os.walk(folder, onerror=unseen)
        for name in (*files, *(f for f in folders if os.path.islink(os.path.join(above, f))))
        if os.name != "nt" or name.lower() not in _WINDOWS_OWN
    )


def do_removal(step: RemoveArchive, tools: Tools) -> None:
    """Out of sight; deleted once all of the plan is done."""
    tools.lying[step.archive.folder] = put_aside(step.archive.folder)


def put_back_removal(step: RemoveArchive, tools: Tools, _settle: bool) -> bool:
    """To its place again, if it went."""
    aside = tools.lying.pop(step.archive.folder, "")
    if aside:
        rename(aside, step.archive.folder)
    return bool(aside)


def removal_reached(step: RemoveArchive) -> bool:
    """Whether the folder is gone; what is left of it out of sight is cleared at the next change."""
    return not os.path.lexists(step.archive.folder)
