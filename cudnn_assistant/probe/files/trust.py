"""Whose code is it? What a look may load by itself, because the person's programs run it anyway.

A library is loaded without asking only if it and every folder on the way to it belong to the
person or to root, and nobody else can write there. Who runs as root loads what is root's alone.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

Doubt = Literal["", "place", "owner", "writable", "unreadable"]
"""Why something isn't loaded by itself. place: found by looking around, in a folder that none of
the person's programs is known to use; owner: somebody else's; writable: others can change it."""

_MOST_LINKS = 40


def doubt(path: str, uid: int | None = None) -> Doubt:
    """Why ``path`` isn't the person's own to run; "" where it is. Links are followed one by one.

    On Windows only the place says something: "" here. ``uid`` is who the code would run as.
    """
    if sys.platform == "win32":
        return ""
    who = os.geteuid() if uid is None else uid
    waiting, seen = [os.path.abspath(path)], 0
    while waiting:
        parts = _parts(waiting.pop())
        for part in parts:
            found, target = _part(part, who, last=part is parts[-1])
            if found:
                return found
            if target:
                seen += 1
                waiting.append(target)
                if seen > _MOST_LINKS:
                    return "unreadable"
    return ""


def first_doubt(paths: Iterable[str], uid: int | None = None) -> Doubt:
    """The first reason among several paths, all of which would be loaded."""
    return next((found for path in paths if (found := doubt(path, uid))), "")


def _parts(path: str) -> list[str]:
    parts = [path]
    while os.path.dirname(parts[-1]) != parts[-1]:
        parts.append(os.path.dirname(parts[-1]))
    return parts[::-1]


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
    by_group = bool(status.st_mode & stat.S_IWGRP) and not _private(status.st_gid, uid)
    return ("writable" if by_group or status.st_mode & stat.S_IWOTH else ""), ""


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
