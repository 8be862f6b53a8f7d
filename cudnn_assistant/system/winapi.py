"""The calls of Windows that the rest needs. Importable anywhere, callable on Windows only."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Sequence
from typing import Any, ClassVar

from cudnn_assistant.trouble import Refused

_ct: Any = ctypes
_ANY, _TEXT = ctypes.c_void_p, ctypes.c_wchar_p

_DECLINED = 1223
_TOKEN_QUERY, _TOKEN_DUPLICATE = 0x8, 0x2
_TOKEN_USER, _TOKEN_ELEVATION = 1, 20
_SESSION_USER, _SESSION_DOMAIN = 5, 7
_OF_WINDOWS, _OF_ENTRA = 5, 12
"""Authorities of account numbers (SIDs): a Microsoft account's address has one of another."""
_NO_CLOSE_PROCESS, _NO_ASYNC, _NO_UI = 0x40, 0x100, 0x400
_HIDDEN, _SHOWN = 0, 1
_FOREVER = 0xFFFFFFFF
_RIGHTS_TO_CHANGE = (0x2, 0x40, 0x10000, 0x40000, 0x80000)
"""Write or add a file, delete what is in it, delete it, change its rights, take it over."""
_FOLDERS_TOO = 0x02000000
_NO_FILE, _NO_PATH, _ACCESS_DENIED = 2, 3, 5


class WindowsApi:
    """What is asked of Windows besides the registry; for tests a stand-in takes its place."""

    def broadcast(self) -> None:
        """Tell all windows that the environment changed; a hung one is passed over after 5 s."""
        answer = _ct.c_size_t()
        send = _ct.WinDLL("user32", use_last_error=True).SendMessageTimeoutW
        send.argtypes = [
            _ct.c_void_p, _ct.c_uint, _ct.c_size_t, _ct.c_wchar_p,
            _ct.c_uint, _ct.c_uint, _ct.c_void_p,
        ]  # fmt: skip
        send(0xFFFF, 0x001A, 0, "Environment", 0x0002, 5000, _ct.byref(answer))

    def environment_block(self) -> dict[str, str]:
        """The environment of a program that Explorer would start now. Raises OSError."""
        userenv = _ct.WinDLL("userenv", use_last_error=True)
        block = _ct.c_void_p()
        token = self._token(_TOKEN_QUERY | _TOKEN_DUPLICATE)
        try:
            if not userenv.CreateEnvironmentBlock(_ct.byref(block), token, False):
                raise _ct.WinError(_ct.get_last_error())
        finally:
            self._close(token)
        try:
            return read_block(block.value or 0)
        finally:
            userenv.DestroyEnvironmentBlock(block)

    def elevated(self) -> bool:
        """Whether this process has the administrator's rights."""
        return bool(self.of_account(_TOKEN_ELEVATION, _ct.c_uint32()).value)

    def person_besides(self) -> str:
        """Who is signed in on this desktop, where this process is another account's; "" where it
        is their own, or that isn't told. An administrator who was asked over somebody's shoulder
        starts programs so."""
        person = self._of_session(_SESSION_USER)
        named = rf"{self._of_session(_SESSION_DOMAIN)}\{person}"
        sid, domain = _ct.create_string_buffer(68), _ct.create_unicode_buffer(256)
        size, length, kind = _ct.c_uint32(68), _ct.c_uint32(256), _ct.c_uint32()
        advapi = _ct.WinDLL("advapi32")
        if not person or not advapi.LookupAccountNameW(
            None, _TEXT(named), sid, _ct.byref(size), domain, _ct.byref(length), _ct.byref(kind)
        ):
            return ""
        # Its first word points into the rest of it.
        mine = self.of_account(_TOKEN_USER, (_ANY * 32)())
        known = sid.raw[7] in (_OF_WINDOWS, _OF_ENTRA)
        return named if known and not advapi.EqualSid(sid, _ANY(mine[0])) else ""

    def _of_session(self, what: int) -> str:
        text, size = _ANY(), _ct.c_uint32()
        terminal = _ct.WinDLL("wtsapi32")
        if not terminal.WTSQuerySessionInformationW(
            None, -1, what, _ct.byref(text), _ct.byref(size)
        ):
            return ""
        told = _ct.wstring_at(text.value)
        terminal.WTSFreeMemory(text)
        return str(told)

    def of_account(self, kind: int, into: Any) -> Any:
        """``into``, with what Windows knows of who runs this process. Raises OSError."""
        token, size = self._token(_TOKEN_QUERY), _ct.c_uint32()
        ask = _ct.WinDLL("advapi32", use_last_error=True).GetTokenInformation
        try:
            if not ask(token, kind, _ct.byref(into), _ct.sizeof(into), _ct.byref(size)):
                raise _ct.WinError(_ct.get_last_error())
        finally:
            self._close(token)
        return into

    def may_change(self, path: str) -> bool:
        """Whether this process could exchange a file, or what lies in a folder.

        It asks for each right that would do; only "access denied" is a no.
        """
        kernel = _ct.WinDLL("kernel32", use_last_error=True)
        kernel.CreateFileW.restype = _ct.c_void_p
        for right in _RIGHTS_TO_CHANGE:
            handle = _ct.c_void_p(
                kernel.CreateFileW(_ct.c_wchar_p(path), right, 7, None, 3, _FOLDERS_TOO, None)
            )
            if handle.value != _ct.c_void_p(-1).value:
                self._close(handle)
                return True
            if _ct.get_last_error() not in (_ACCESS_DENIED, _NO_FILE, _NO_PATH):
                return True
        return False

    def system_folder(self) -> str:
        """System32; no variable of the environment can lead elsewhere."""
        text = _ct.create_unicode_buffer(260)
        if not _ct.WinDLL("kernel32").GetSystemDirectoryW(text, 260):
            raise OSError("GetSystemDirectoryW")
        return str(text.value)

    def run_elevated(self, command: Sequence[str], *, shown: bool = False) -> int:
        """Run a command with those rights, wait, return its exit code.

        Windows asks the person, and the question belongs to our window. ``shown``: with the
        command's own window. Raises OSError, and :class:`Refused` for the person's no.
        """
        info = _ShellExecuteInfo()
        info.window = self._our_window()
        info.size = _ct.sizeof(info)
        info.mask = _NO_CLOSE_PROCESS | _NO_ASYNC | _NO_UI
        info.verb, info.file = "runas", command[0]
        info.parameters = subprocess.list2cmdline(command[1:])
        info.show = _SHOWN if shown else _HIDDEN
        shell = _ct.WinDLL("shell32", use_last_error=True)
        if not shell.ShellExecuteExW(_ct.byref(info)):
            code = _ct.get_last_error()
            no = Refused("administrator-not-allowed")
            raise no if code == _DECLINED else _ct.WinError(code)
        return self._wait(_ct.c_void_p(info.process))

    def _our_window(self) -> int | None:
        """The window in front, if it is ours; else the console's, if there is one.

        Without an owner the question may only blink in the taskbar.
        """
        user = _ct.WinDLL("user32")
        user.GetForegroundWindow.restype = _ct.c_void_p
        front, process = user.GetForegroundWindow(), _ct.c_uint32()
        user.GetWindowThreadProcessId(_ct.c_void_p(front), _ct.byref(process))
        if front and process.value == os.getpid():
            return int(front)
        kernel = _ct.WinDLL("kernel32")
        kernel.GetConsoleWindow.restype = _ct.c_void_p
        console = kernel.GetConsoleWindow()
        return int(console) if console else None

    def _wait(self, process: Any) -> int:
        code = _ct.c_uint32()
        kernel = _ct.WinDLL("kernel32")
        try:
            kernel.WaitForSingleObject(process, _FOREVER)
            kernel.GetExitCodeProcess(process, _ct.byref(code))
        finally:
            self._close(process)
        return int(code.value)

    def _token(self, access: int) -> Any:
        token, this_process = _ct.c_void_p(), _ct.c_void_p(-1)
        ask = _ct.WinDLL("advapi32", use_last_error=True).OpenProcessToken
        if not ask(this_process, access, _ct.byref(token)):
            raise _ct.WinError(_ct.get_last_error())
        return token

    def _close(self, handle: Any) -> None:
        _ct.WinDLL("kernel32").CloseHandle(handle)


class _ShellExecuteInfo(ctypes.Structure):
    _fields_: ClassVar[Any] = [
        ("size", ctypes.c_uint32), ("mask", ctypes.c_ulong), ("window", _ANY),
        ("verb", _TEXT), ("file", _TEXT), ("parameters", _TEXT), ("directory", _TEXT),
        ("show", ctypes.c_int), ("application", _ANY), ("list", _ANY), ("class_name", _TEXT),
        ("class_key", _ANY), ("hot_key", ctypes.c_uint32), ("icon", _ANY), ("process", _ANY),
    ]  # fmt: skip


def read_block(address: int) -> dict[str, str]:
    """The names and texts of an environment block: texts that end with NUL, then an empty one.

    Entries such as "=C:=C:\\x" (the current folder of a drive) are not variables.
    """
    found: dict[str, str] = {}
    while text := ctypes.wstring_at(address):
        name, _, value = text.partition("=")
        if name:
            found[name] = value
        # A character outside the basic plane is two units on Windows, one where wchar_t is wider.
        units = len(text.encode("utf-16-le", "surrogatepass")) // 2 if _WIDE == 2 else len(text)
        address += (units + 1) * _WIDE
    return found


_WIDE = ctypes.sizeof(ctypes.c_wchar)
