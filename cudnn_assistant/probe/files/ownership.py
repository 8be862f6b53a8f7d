"""Whose code is it? What a look may load by itself, because the person's programs run it anyway.

A library is loaded without asking only if it and every folder on the way to it belong to the
person or to root, and nobody else can write there. Who runs as root loads what is root's alone.
"""

from __future__ import annotations

import os
import stat
import struct
import sys
from functools import lru_cache
from pathlib import PurePath

from cudnn_assistant.machine import Doubt
from cudnn_assistant.probe.files.disk import names_in
from cudnn_assistant.regex import regex

_MOST_LINKS = 40
_MOST_FILES = 2000
_NAMED_SO = regex(r"\.so|(?i:\.dll)$")
_ACCESS_LIST, _WRITE, _A_USER, _A_GROUP = "system.posix_acl_access", 2, 2, 8
"""See acl(5): who is named in a list of its own."""


def doubt(path: str, uid: int) -> Doubt:
    """Why ``path`` isn't a user's own to run; "" where it is. Links are followed one by one.

    On Windows access lists say so, and ``uid`` doesn't count. What isn't there is in no doubt.
    """
    if sys.platform == "win32":
        from cudnn_assistant.probe.files import windows_security

        # As it is spelled, and as it lies.
        ways = map(parts, dict.fromkeys((os.path.abspath(path), os.path.realpath(path))))
        asked = ((part, part is way[-1]) for way in ways for part in way)
        doubts = (windows_security.doubt(part, last=last) for part, last in asked)
        return next(filter(None, doubts), "")
    waiting, seen = [os.path.abspath(path)], 0
    while waiting:
        on_the_way = parts(waiting.pop())
        for part in on_the_way:
            found, target = _part(part, uid, last=part is on_the_way[-1])
            if found:
                return found
            if target:
                seen += 1
                waiting.append(target)
                if seen > _MOST_LINKS:
                    # Nothing speaks against a link that leads to itself: it can't be loaded.
                    return "owner" if os.path.exists(path) else ""
    return ""


def with_libraries(folder: str) -> list[str]:
    """A folder and the shared libraries in it, links to folders and files alike."""
    _, *files = with_modules(folder)
    return [folder, *(path for path in files if _NAMED_SO.search(os.path.basename(path)))]


def with_modules(site: str) -> list[str]:
    """A folder of packages and all that lies at its top, which an import would take."""
    return [site, *(os.path.join(site, name) for name in names_in(site)[:_MOST_FILES])]


def parts(path: str) -> list[str]:
    """A path and the folders on the way to it, from the root on."""
    return [*map(str, reversed(PurePath(path).parents)), path]


def _part(path: str, uid: int, *, last: bool) -> tuple[Doubt, str]:
    """The doubt about one file or folder itself, and where it leads if it is a link."""
    try:
        status = os.lstat(path)
        target = os.readlink(path) if stat.S_ISLNK(status.st_mode) else ""
    except OSError:
        return "", ""  # What isn't there can't be loaded; what can't be looked at neither.
    if status.st_uid not in (0, uid):
        return "owner", ""
    if target:
        return "", os.path.join(os.path.dirname(path), target)
    # In /tmp others may add, but not exchange, what is somebody's.
    if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX and not last:
        return "", ""
    by_group = bool(status.st_mode & stat.S_IWGRP) and (
        not _private(status.st_gid, uid) or _listed(path, uid)
    )
    return ("writable" if by_group or status.st_mode & stat.S_IWOTH else ""), ""


def _listed(path: str, uid: int) -> bool:
    """Whether an access list lets others write; the mode then has the group's bit set."""
    if sys.platform != "linux":
        return False
    try:
        entries = os.getxattr(path, _ACCESS_LIST)[4:]
    except OSError:
        return False  # none, as almost everywhere
    return any(
        right & _WRITE and ((tag == _A_USER and who not in (0, uid)) or tag == _A_GROUP)
        for tag, right, who in struct.iter_unpack("<HHI", entries[: len(entries) // 8 * 8])
    )


@lru_cache
def _private(gid: int, uid: int) -> bool:
    """Whether nobody is in a group but this user: the private groups of Debian and Fedora."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(uid), grp.getgrgid(gid)
    except KeyError:
        return False
    own = gid == 0 or (user.pw_gid == gid and group.gr_name == user.pw_name)
    return own and set(group.gr_mem) <= {user.pw_name, "root"}
