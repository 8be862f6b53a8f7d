"""What Windows tells of accounts and of who may write a file."""

from __future__ import annotations

import ctypes as _ctypes
import os
from functools import cache
from typing import Any

from cudnn_assistant.machine import Doubt
from cudnn_assistant.probe.files import access_list
from cudnn_assistant.system.winapi import WindowsApi

_ct: Any = _ctypes  # The names of Windows aren't known to type checkers elsewhere.
_FILE, _OWNER_AND_LIST = 1, 5
_USER = 1
_GONE = {2, 3, 123}
_NORMAL_ACCOUNTS, _DISABLED, _IN_DOMAIN = 2, 2, 3
_CLOUD = "S-1-12-"


class _Account(_ctypes.Structure):
    """USER_INFO_1."""

    _fields_ = (
        ("name", _ctypes.c_wchar_p),
        ("password", _ctypes.c_wchar_p),
        ("password_age", _ctypes.c_uint32),
        ("privilege", _ctypes.c_uint32),
        ("home", _ctypes.c_wchar_p),
        ("comment", _ctypes.c_wchar_p),
        ("flags", _ctypes.c_uint32),
        ("script", _ctypes.c_wchar_p),
    )


def doubt(path: str, *, last: bool) -> Doubt:
    """Why others may exchange this one file or folder (``last``), or what is on the way to it.

    What isn't there is in no doubt; what can't be asked is somebody's.
    """
    text = described(path)
    if text is None:
        return ""
    folder = os.path.isdir(path)
    return access_list.doubt(text, me(), folder=folder, last=last, alone=alone())


def described(path: str) -> str | None:
    """The security descriptor of a file or folder; "" where it isn't told, None for nothing."""
    advapi, kernel = _ct.WinDLL("advapi32"), _ct.WinDLL("kernel32")
    held, text = _ct.c_void_p(), _ct.c_void_p()
    code = advapi.GetNamedSecurityInfoW(
        _ct.c_wchar_p(path), _FILE, _OWNER_AND_LIST, None, None, None, None, _ct.byref(held)
    )
    if code:
        return None if code in _GONE else ""
    try:
        if not advapi.ConvertSecurityDescriptorToStringSecurityDescriptorW(
            held, 1, _OWNER_AND_LIST, _ct.byref(text), None
        ):
            return ""
        return str(_ct.wstring_at(text))
    finally:
        kernel.LocalFree(text)
        kernel.LocalFree(held)


@cache
def me() -> str:
    """The account that this program runs as, as a number; "" where it isn't told."""
    text = _ct.c_void_p()
    try:
        told = WindowsApi().of_account(_USER, (_ct.c_void_p * 32)())
    except OSError:
        return ""
    if not _ct.WinDLL("advapi32").ConvertSidToStringSidW(_ct.c_void_p(told[0]), _ct.byref(text)):
        return ""
    found = str(_ct.wstring_at(text))
    _ct.WinDLL("kernel32").LocalFree(text)
    return found


@cache
def alone() -> bool:
    """Whether no other person has an account here; False where that isn't told."""
    try:
        return not me().startswith(_CLOUD) and not _in_domain() and 0 < _enabled() <= 1
    except (OSError, AttributeError):
        return False


def _in_domain() -> bool:
    net = _ct.WinDLL("netapi32")
    name, kind = _ct.c_void_p(), _ct.c_int(_IN_DOMAIN)
    net.NetGetJoinInformation(None, _ct.byref(name), _ct.byref(kind))
    net.NetApiBufferFree(name)
    return bool(kind.value == _IN_DOMAIN)


def _enabled() -> int:
    """Accounts that can be used; 0 where they aren't all told."""
    net = _ct.WinDLL("netapi32")
    told, read, total = _ct.POINTER(_Account)(), _ct.c_uint32(), _ct.c_uint32()
    code = net.NetUserEnum(
        None, 1, _NORMAL_ACCOUNTS, _ct.byref(told), -1, _ct.byref(read), _ct.byref(total), None
    )
    if code:
        return 0
    count = sum(1 for at in range(read.value) if not told[at].flags & _DISABLED)
    net.NetApiBufferFree(told)
    return count
