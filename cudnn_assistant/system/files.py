"""Replacing small files without ever losing them.

A change has two halves. :meth:`Replacement.prepare` writes the new content beside the file and
flushes it to disk; most that can go wrong goes wrong there, with nothing changed.
:meth:`Replacement.commit` is one rename.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Sequence

from cudnn_assistant.machine import readable
from cudnn_assistant.places import refuse_anothers
from cudnn_assistant.plain_file import content
from cudnn_assistant.trouble import Refused
from cudnn_assistant.whole_file import flush_folder
from cudnn_assistant.wording.refusals import why

_STORES = ("/nix/store/", "/gnu/store/")
_TEMPORARY = ".cudnn-assistant-new"


def read(path: str) -> bytes | None:
    """The content of a file, ``None`` when there is none. Raises :class:`OSError`.

    A pipe or device in its place is not waited for.
    """
    try:
        return content(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


class Replacement:
    """One file that is about to have other content: ``new``, or ``None`` to remove it.

    A link is followed: its target changes, the link stays. Mode, owner and extended attributes
    (ACLs, SELinux label) are kept.
    """

    def __init__(self, path: str, old: bytes | None, new: bytes | None) -> None:
        self.path = path
        self.old = old
        self.new = new
        self._real = os.path.realpath(path)
        folder, name = os.path.split(self._real)
        self._temporary = os.path.join(folder, f".{name.lstrip('.')}{_TEMPORARY}")

    @property
    def needed(self) -> bool:
        """Whether anything would change."""
        return self.old != self.new

    def prepare(self) -> None:
        """Write and flush the new content beside the file. Raises Refused or OSError."""
        self._refuse_what_would_harm()
        if self.new is None:
            return
        folder = os.path.dirname(self._real)
        os.makedirs(folder, exist_ok=True)
        self.discard()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        mode = 0o644 if self.old is None else 0o600
        with open(os.open(self._temporary, flags, mode), "wb") as file:
            file.write(self.new)
            file.flush()
            if self.old is not None:
                self._keep_attributes(file.fileno())
            os.fsync(file.fileno())

    def commit(self) -> None:
        """Make the new content the file's own. Raises Refused when the file was changed
        meanwhile, OSError when the system did not allow it; then nothing has changed."""
        if read(self._real) != self.old:
            raise Refused("file-changed-meanwhile", file=readable(self.path))
        if self.new is not None:
            os.replace(self._temporary, self._real)
        elif self.old is not None:
            os.unlink(self._real)
        flush_folder(os.path.dirname(self._real))

    def discard(self) -> None:
        """Remove what :meth:`prepare` (perhaps of an interrupted run) left beside the file."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(self._temporary)

    def _refuse_what_would_harm(self) -> None:
        if self._real.startswith(_STORES):
            raise Refused("link-into-store", file=readable(self.path), target=readable(self._real))
        try:
            state = os.stat(self._real)
        except FileNotFoundError:
            self._refuse_link_to_nowhere()
            refuse_anothers(self._real)
            return
        if not stat.S_ISREG(state.st_mode):
            raise Refused("not-a-plain-file", file=readable(self.path))
        if state.st_nlink > 1:
            raise Refused("hard-link", file=readable(self.path))
        if not os.access(self._real, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), self._real)

    def _refuse_link_to_nowhere(self) -> None:
        """A link into a folder that isn't there may mean a disk that isn't connected now."""
        link = self.path
        while not os.path.lexists(link):
            link = os.path.dirname(link)
        target = os.path.realpath(link)
        if os.path.islink(link) and not os.path.isdir(os.path.dirname(target)):
            raise Refused("link-to-nowhere", file=readable(link), target=readable(target))

    def _keep_attributes(self, handle: int) -> None:
        state = os.stat(self._real)
        mine = os.fstat(handle)
        if (state.st_uid, state.st_gid) != (mine.st_uid, mine.st_gid):
            os.fchown(handle, state.st_uid, state.st_gid)
        os.fchmod(handle, stat.S_IMODE(state.st_mode))
        for name in os.listxattr(self._real):
            # A label that the kernel sets by itself can't be set by us; the content matters more.
            with contextlib.suppress(OSError):
                os.setxattr(handle, name, os.getxattr(self._real, name))


def replace_all(replacements: Sequence[Replacement]) -> None:
    """Carry out several replacements, in order; what goes wrong takes the earlier ones back.

    Raises :class:`Refused` in words for the person when everything is as before, and the bare
    :class:`OSError` in the rare case that going back was not possible either.
    """
    wanted = [replacement for replacement in replacements if replacement.needed]
    for replacement in replacements:
        if not replacement.needed:
            with contextlib.suppress(OSError):
                replacement.discard()
    done: list[Replacement] = []
    try:
        for replacement in wanted:
            replacement.prepare()
        for replacement in wanted:
            replacement.commit()
            done.append(replacement)
    except (OSError, Refused) as trouble:
        for replacement in wanted:
            with contextlib.suppress(OSError):
                replacement.discard()
        _take_back(done)
        if isinstance(trouble, Refused):
            raise
        raise Refused("system-said", why=trouble) from trouble


def _take_back(done: Sequence[Replacement]) -> None:
    for replacement in reversed(done):
        way_back = Replacement(replacement.path, replacement.new, replacement.old)
        try:
            way_back.prepare()
            way_back.commit()
        except Refused as trouble:
            raise OSError(why(trouble)) from trouble
