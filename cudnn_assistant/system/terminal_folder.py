"""The folder of our command on Windows' PATH: Setup puts it there and the uninstaller takes it out.

``python -m cudnn_assistant --terminal-folder put|take user|machine FOLDER``. It comes last, so that
no program of anybody is found otherwise than before, and what is taken out again leaves the
characters that were there.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cudnn_assistant import envpath
from cudnn_assistant.machine import Scope, Value
from cudnn_assistant.system import System
from cudnn_assistant.trouble import Refused

ROOM = 2047
"""Characters of a PATH that every program and every dialog of Windows can read; Setup is no reason
to grow beyond."""


def run(arguments: Sequence[str], system: System) -> int:
    """Do what the arguments say: 0 when it is so now, 1 when it can't be, 2 for other arguments."""
    if len(arguments) != 3 or arguments[0] not in _VERBS or arguments[1] not in _SCOPES:
        return 2
    change, scope = _VERBS[arguments[0]], _SCOPES[arguments[1]]
    try:
        done = change(system, scope, arguments[2])
    except (Refused, OSError) as trouble:
        print(trouble, file=sys.stderr)  # noqa: T201
        return 1
    system.announce()
    return 0 if done else 1


def put(system: System, scope: Scope, folder: str) -> bool:
    """Make ``folder`` the last of PATH; False where there is no room. Raises Refused or OSError."""
    before = system.read(scope, "PATH")
    entries = envpath.split(before.text, "windows") if before else ()
    if any(envpath.same_folder(entry, folder, "windows") for entry in entries):
        return True
    if not envpath.fits(folder, "windows"):
        return False
    # An empty entry at the end is how many a PATH was left; ours goes before it.
    at = len(entries) - (entries[-1:] == ("",))
    ours = f'"{folder}"' if ";" in folder else folder
    text = envpath.join((*entries[:at], ours, *entries[at:]), "windows")
    if len(text) > ROOM:
        return False
    system.write(scope, "PATH", Value(text=text, expand=before.expand if before else True))
    return True


def take(system: System, scope: Scope, folder: str) -> bool:
    """PATH without ``folder``, and without PATH where nothing is left. Raises as :func:`put`."""
    before = system.read(scope, "PATH")
    if before is None:
        return True
    text = envpath.take_out(before.text, folder, "windows")
    if text != before.text:
        after = Value(text=text, expand=before.expand) if text else None
        system.write(scope, "PATH", after)
    return True


_VERBS = {"put": put, "take": take}
_SCOPES: dict[str, Scope] = {"user": "user", "machine": "machine"}
