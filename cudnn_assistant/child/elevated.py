"""The administrator's part on Windows: a few variables of the machine, and nothing else.

Started through Windows' own question to the person. What to do stands in a file whose SHA-256 is
on the command line, so that the file can't be exchanged between the answer and the reading. All
of it is checked again here: names on a fixed list, present values as expected, Windows' own
folders still in PATH. Only HKEY_LOCAL_MACHINE is opened: after "over-the-shoulder" elevation the
user's key would be another person's.

The exit code is the answer; nothing is printed, because there is no one to read it.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

DONE, NOT_ACCEPTED, CHANGED, NOT_ALLOWED, TAKEN_BACK, HALF = 0, 10, 11, 12, 13, 14

KEY = r"SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
NAMES = re.compile(
    r"PATH|CUDA_PATH(_V[0-9]{1,2}_[0-9]{1,2})?|CUDA_HOME|CUDA_ROOT|CUDA_VISIBLE_DEVICES"
    r"|CUDA_DEVICE_ORDER|CUDNN_(PATH|HOME|ROOT|ROOT_DIR)",
    re.IGNORECASE,
)
_LONGEST_REQUEST = 1_000_000
_LONGEST_VALUE = 32_767
_TEXT, _EXPAND = 1, 2

Read = Callable[[str], "dict[str, Any] | None"]
Write = Callable[[str, "dict[str, Any] | None"], None]


class _NotAccepted(Exception):
    pass


def main(arguments: list[str]) -> int:
    """``--request FILE --sha256 HEX``; the code that says what happened."""
    try:
        changes = read_request(arguments, _windows_folder())
        reg: Any = import_module("winreg")
        access = reg.KEY_QUERY_VALUE | reg.KEY_SET_VALUE
        key = reg.OpenKeyEx(reg.HKEY_LOCAL_MACHINE, KEY, 0, access)
    except _NotAccepted:
        return NOT_ACCEPTED
    except (OSError, ImportError):  # a system without a registry
        return NOT_ALLOWED
    with key:
        return carry_out(changes, partial(_read, reg, key), partial(_write, reg, key))


def read_request(arguments: list[str], windows: str) -> list[dict[str, Any]]:
    """The changes asked for, checked as far as that goes without the registry.

    ``windows`` is where Windows lies.
    """
    if len(arguments) != 4 or arguments[0] != "--request" or arguments[2] != "--sha256":
        raise _NotAccepted
    with open(arguments[1], "rb") as file:
        data = file.read(_LONGEST_REQUEST + 1)
    if hashlib.sha256(data).hexdigest() != arguments[3].lower() or len(data) > _LONGEST_REQUEST:
        raise _NotAccepted
    try:
        changes = json.loads(data)["changes"]
        good = 0 < len(changes) <= 20 and all(_acceptable(change, windows) for change in changes)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _NotAccepted from None
    if not good:
        raise _NotAccepted
    return list(changes)


def _acceptable(change: dict[str, Any], windows: str) -> bool:
    name, before, after = change["name"], change["before"], change["after"]
    if not NAMES.fullmatch(name) or not _is_value(before) or not _is_value(after):
        return False
    return name.upper() != "PATH" or _keeps_windows(before, after, windows)


def _is_value(value: dict[str, Any] | None) -> bool:
    if value is None:
        return True
    text, expand = value["text"], value["expand"]
    plain = isinstance(text, str) and not any(ord(c) < 32 for c in text)
    return plain and isinstance(expand, bool) and len(text) <= _LONGEST_VALUE


def _keeps_windows(
    before: dict[str, Any] | None, after: dict[str, Any] | None, windows: str
) -> bool:
    """PATH stays, keeps its kind, and loses no folder of Windows itself."""
    if before is None or after is None or before["expand"] != after["expand"]:
        return False
    return _own_folders(before["text"], windows) <= _own_folders(after["text"], windows)


def _own_folders(text: str, windows: str) -> set[str]:
    """Its folders in Windows' own, named from there."""
    own = re.compile(rf"(?:%systemroot%|%windir%|{re.escape(windows)})(?=\\|$)", re.IGNORECASE)
    folders = (entry.strip(' "').rstrip("\\") for entry in text.split(";"))
    return {folder[found.end() :].lower() for folder in folders if (found := own.match(folder))}


def _windows_folder() -> str:
    """As Windows itself says it: a variable of the environment could name another."""
    text = ctypes.create_unicode_buffer(260)
    api: Any = getattr(ctypes, "windll", None)
    if api:  # else a system without a registry
        api.kernel32.GetSystemWindowsDirectoryW(text, 260)
    return text.value


def carry_out(changes: list[dict[str, Any]], read: Read, write: Write) -> int:
    """All changes or none: compare all, write, read back; what goes wrong is taken back."""
    done: list[dict[str, Any]] = []
    try:
        if any(read(change["name"]) != change["before"] for change in changes):
            return CHANGED
        for change in changes:
            done.append(change)
            write(change["name"], change["after"])
            if read(change["name"]) != change["after"]:
                raise OSError("read back another value")
    except OSError as trouble:
        return _take_back(done, read, write, trouble)
    return DONE


def _take_back(done: list[dict[str, Any]], read: Read, write: Write, trouble: OSError) -> int:
    written = False
    try:
        for change in reversed(done):
            if read(change["name"]) != change["before"]:
                written = True
                write(change["name"], change["before"])
    except OSError:
        return HALF
    denied = isinstance(trouble, PermissionError) and not written
    return NOT_ALLOWED if denied else TAKEN_BACK


def _read(reg: Any, key: Any, name: str) -> dict[str, Any] | None:
    try:
        text, kind = reg.QueryValueEx(key, name)
    except FileNotFoundError:
        return None
    if kind not in (_TEXT, _EXPAND):
        raise OSError("another kind of value")
    return {"text": text or "", "expand": kind == _EXPAND}


def _write(reg: Any, key: Any, name: str, value: dict[str, Any] | None) -> None:
    if value is None:
        reg.DeleteValue(key, name)
    else:
        reg.SetValueEx(key, name, 0, _EXPAND if value["expand"] else _TEXT, value["text"])
    reg.FlushKey(key)
