"""Who could put another program in the place of one that we start."""

from __future__ import annotations

import os
import stat


def is_roots(path: str) -> bool:
    """Whether it is a program that root alone can exchange, so that root may be asked by it."""
    return _is_program_of(path, {0}, stat.S_IWGRP | stat.S_IWOTH)


def is_own(path: str) -> bool:
    """Whether it is a program that the person, or root, put there and nobody else can exchange.

    A group may be able to: many systems give each person one of their own. On Windows the folders
    that a person's programs lie in are theirs by the system's own rules.
    """
    if os.name == "nt":
        return os.path.isabs(path)
    return os.path.isabs(path) and _is_program_of(path, {0, os.geteuid()}, stat.S_IWOTH)


def _is_program_of(path: str, owners: set[int], others: int) -> bool:
    try:
        state = os.stat(path)
        folder = os.stat(os.path.dirname(os.path.realpath(path)))
    except OSError:
        return False
    theirs = all(one.st_uid in owners and not one.st_mode & others for one in (state, folder))
    return theirs and stat.S_ISREG(state.st_mode) and os.access(path, os.X_OK)
