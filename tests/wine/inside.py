"""Runs in Windows' Python: ``inside.py REPOSITORY NAME`` runs one check, exit code 0 when it holds.

No pytest here: the embeddable Python has none, and one process for each check keeps the registry
of one from the other.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path[:0] = [sys.argv[1], os.path.join(sys.argv[1], "tests", "system")]

import winreg  # noqa: E402

import registry_contract  # noqa: E402

from cudnn_assistant import places  # noqa: E402
from cudnn_assistant.apply import NotApplied, apply, recover  # noqa: E402
from cudnn_assistant.child import elevated as helper  # noqa: E402
from cudnn_assistant.gui import taskbar  # noqa: E402
from cudnn_assistant.journal import Journal  # noqa: E402
from cudnn_assistant.machine import Value  # noqa: E402
from cudnn_assistant.plan import Plan, SetVariable, undo_plan  # noqa: E402
from cudnn_assistant.session import install_watch  # noqa: E402
from cudnn_assistant.system import (  # noqa: E402
    authenticode,
    policy,
    this_system,
    winapi,
    windows_registry,
)
from cudnn_assistant.system.windows import Windows  # noqa: E402
from cudnn_assistant.trouble import Refused  # noqa: E402
from cudnn_assistant.unpack import clear_unfinished, put_aside  # noqa: E402
from cudnn_assistant.whole_file import put  # noqa: E402
from cudnn_assistant.wording.refusals import why  # noqa: E402

reg: Any = winreg
KEY = r"Software\cudnn-assistant-test"


def clean_key() -> windows_registry.WindowsRegistry:
    with contextlib.suppress(FileNotFoundError):
        reg.DeleteKey(reg.HKEY_CURRENT_USER, KEY)
    reg.CreateKey(reg.HKEY_CURRENT_USER, KEY).Close()
    return windows_registry.WindowsRegistry(
        {"user": ("HKEY_CURRENT_USER", KEY), "machine": ("HKEY_CURRENT_USER", KEY + "-none")}
    )


def contract() -> None:
    for clause in registry_contract.CONTRACT:
        clause(clean_key())
    there = clean_key()
    assert there.values("machine") == ()
    there.set("machine", "A", "x", windows_registry.TEXT)
    assert [one.name for one in there.values("machine")] == ["A"]
    reg.DeleteKey(reg.HKEY_CURRENT_USER, KEY + "-none")


def held_by_another() -> None:
    """A file that a virus scanner has open for a second, and a DLL that a program has loaded."""
    above = Path(tempfile.mkdtemp())
    settings = above / "settings"
    settings.write_bytes(b"old")
    scanner = contextlib.ExitStack()
    scanner.enter_context(authenticode.held(str(settings)))
    threading.Timer(1, scanner.close).start()
    put(settings, b"new")
    assert settings.read_bytes() == b"new"
    for left in range(3):
        # Of one path Windows loads one file: what took its place would be held by nobody.
        library = above / "cudnn" / "bin" / f"cudnn64_{left}.dll"
        library.parent.mkdir(parents=True)
        shutil.copy(Path(os.environ["SYSTEMROOT"], "system32", "version.dll"), library)
        os.chmod(library, stat.S_IREAD)
        if left:
            ctypes.CDLL(str(library))
        put_aside(str(above / "cudnn"))
        clear_unfinished(str(above))
        assert len(list(above.glob("cudnn-*.removed"))) == left


def other_kinds() -> None:
    there = clean_key()
    with reg.OpenKey(reg.HKEY_CURRENT_USER, KEY, 0, reg.KEY_SET_VALUE) as key:
        reg.SetValueEx(key, "PATH", 0, reg.REG_MULTI_SZ, ["a", "b"])
        reg.SetValueEx(key, "CUDA_PATH", 0, reg.REG_DWORD, 7)
    windows = Windows(there)
    assert [v for v in windows.variables() if v.scope == "user"] == []
    assert len(windows.gaps()) == 2
    for name in ("Path", "CUDA_PATH"):
        refused(partial(windows.write, "user", name, Value(text="x")), "another kind")


def refused(act: Callable[[], object], words: str) -> None:
    try:
        act()
    except (Refused, NotApplied) as trouble:
        said = why(trouble)
    else:
        said = "nothing"
    assert words in said, said


def denied() -> None:
    """A key whose access list denies writing, as on a managed computer."""
    there = clean_key()
    there.set("user", "CUDA_PATH", "before", windows_registry.TEXT)
    deny_writing()
    windows = Windows(there)
    refused(lambda: windows.write("user", "CUDA_PATH", Value(text="after")), "did not allow")
    assert windows.read("user", "CUDA_PATH") == Value(text="before")


def deny_writing() -> None:

    advapi: Any = ctypes.WinDLL("advapi32")
    descriptor = ctypes.c_void_p()
    convert = advapi.ConvertStringSecurityDescriptorToSecurityDescriptorW
    # Everyone: read, change the access list, delete. Nobody: set a value.
    assert convert("D:(A;;KRWDSD;;;WD)", 1, ctypes.byref(descriptor), None)
    write_dac = 0x40000
    with reg.OpenKey(reg.HKEY_CURRENT_USER, KEY, 0, write_dac) as key:
        assert advapi.RegSetKeySecurity(ctypes.c_void_p(int(key)), 4, descriptor) == 0


def there_and_back() -> None:
    windows = this_system()
    assert isinstance(windows, Windows)
    before = {scope: windows._registry.values(scope) for scope in ("user", "machine")}
    user, machine = windows.read("user", "Path"), windows.read("machine", "Path")
    assert machine is not None
    assert machine.expand
    user_after = Value(
        text="C:\\ünser Ordner\\bin" + (f";{user.text}" if user else ""), expand=True
    )
    steps = (
        SetVariable(scope="user", name="Path", before=user, after=user_after),
        SetVariable(scope="user", name="CUDNN_PATH", after=Value(text="%SystemRoot%\\x",
                                                               expand=True)),
        SetVariable(scope="machine", name="Path", before=machine,
                    after=Value(text=f"C:\\first;{machine.text}", expand=True)),
    )  # fmt: skip
    journal = Journal(places.state() / "journal")
    entry = apply(Plan(steps=steps), windows, journal)
    fresh = windows.fresh_environment()
    # Wine 8's CreateEnvironmentBlock leaves the user's PATH out; see the test with two processes.
    assert fresh["PATH"].startswith("C:\\first;"), fresh["PATH"]
    assert fresh["CUDNN_PATH"] == "C:\\windows\\x", fresh["CUDNN_PATH"]
    assert "CUDNN_PATH" not in os.environ
    assert recover(journal, windows) is None
    apply(undo_plan(entry, windows.read, "windows"), windows, journal)
    after = {scope: windows._registry.values(scope) for scope in ("user", "machine")}
    assert {s: set(map(str, v)) for s, v in before.items()} == {
        s: set(map(str, v)) for s, v in after.items()
    }
    assert "CUDNN_PATH" not in this_system().fresh_environment()


class OverAShoulder(winapi.WindowsApi):
    """A desktop where somebody else is signed in than the account that runs us."""

    def _of_session(self, what: int) -> str:
        return "Administrators" if what == 5 else "BUILTIN"


def the_person_of_the_desktop() -> None:
    assert winapi.WindowsApi().person_besides() == ""
    assert OverAShoulder().person_besides() == "BUILTIN\\Administrators"
    windows = Windows(api=OverAShoulder())
    refused(partial(windows.write, "user", "CUDA_PATH", Value(text="x")), "is signed in")
    assert {v.scope for v in windows.variables()} == {"process", "machine"}


class Mute(winapi.WindowsApi):
    """A Windows that doesn't say what a new program gets, so that we work it out ourselves."""

    def environment_block(self) -> dict[str, str]:
        raise OSError


def change_the_environment() -> None:
    """Write to both layers and print what a new program would get by our own reckoning."""
    windows = this_system()
    machine = windows.read("machine", "Path")
    assert machine is not None
    windows.write("user", "Path", Value(text="C:\\ü u;%USERPROFILE%\\bin", expand=True))
    windows.write("user", "CUDA_PATH", Value(text="%not expanded%"))
    windows.write("machine", "CUDNN_PATH", Value(text="%SystemRoot%\\x", expand=True))
    windows.announce()
    print_environment(Windows(api=Mute()).fresh_environment())


def print_environment(environment: Any = os.environ) -> None:
    names = ("PATH", "CUDA_PATH", "CUDNN_PATH")
    sys.stdout.write(json.dumps({name: environment.get(name) for name in names}))


def restore_the_environment() -> None:
    """What a check that stopped halfway may have left."""
    windows = this_system()
    path = windows.read("machine", "Path")
    assert path is not None
    kept = [e for e in path.text.split(";") if e not in ("C:\\first", "C:\\via helper")]
    windows.write("machine", "Path", Value(text=";".join(kept), expand=path.expand))
    windows.write("machine", "CUDA_PATH_V99_9", None)
    windows.write("user", "CUDNN_PATH", None)
    for scope, name in (("user", "Path"), ("user", "CUDA_PATH"), ("machine", "CUDNN_PATH")):
        windows.write(scope, name, None)


def broadcast() -> None:
    """A window of another process hears "Environment"."""
    listener = subprocess.Popen(
        [sys.executable, __file__, sys.argv[1], "listen"], stdout=subprocess.PIPE, text=True
    )
    assert listener.stdout
    assert listener.stdout.readline().strip() == "ready"
    this_system().announce()
    assert listener.stdout.readline().strip() == "Environment"


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def listen() -> None:
    from ctypes import wintypes

    user32: Any = ctypes.WinDLL("user32")
    kind = ctypes.WINFUNCTYPE(
        ctypes.c_ssize_t, wintypes.HWND, ctypes.c_uint, ctypes.c_size_t, ctypes.c_ssize_t
    )
    user32.DefWindowProcW.argtypes = [
        wintypes.HWND, ctypes.c_uint, ctypes.c_size_t, ctypes.c_ssize_t
    ]  # fmt: skip
    user32.DefWindowProcW.restype = ctypes.c_ssize_t

    def heard(window: Any, message: int, wide: int, long: int) -> int:
        if message == 0x001A and long:
            say(ctypes.wstring_at(long))
            os._exit(0)
        return int(user32.DefWindowProcW(window, message, wide, long))

    class WindowClass(ctypes.Structure):
        _fields_ = [
            ("style", ctypes.c_uint), ("procedure", kind), ("a", ctypes.c_int),
            ("b", ctypes.c_int), ("instance", ctypes.c_void_p), ("icon", ctypes.c_void_p),
            ("cursor", ctypes.c_void_p), ("brush", ctypes.c_void_p),
            ("menu", ctypes.c_wchar_p), ("name", ctypes.c_wchar_p),
        ]  # fmt: skip

    made = WindowClass(procedure=kind(heard), name="listener")
    assert user32.RegisterClassW(ctypes.byref(made))
    user32.CreateWindowExW.restype = ctypes.c_void_p
    assert user32.CreateWindowExW(0, "listener", "x", 0, 0, 0, 0, 0, None, None, None, None)
    say("ready")
    message = wintypes.MSG()
    while user32.GetMessageW(ctypes.byref(message), None, 0, 0) > 0:
        user32.DispatchMessageW(ctypes.byref(message))


def elevated() -> None:
    """The administrator's part as a process of its own, started as Windows starts it."""
    api, windows = winapi.WindowsApi(), this_system()
    assert isinstance(api.elevated(), bool)
    before = windows.read("machine", "CUDA_PATH_V99_9")
    assert before is None

    def ask(before: object, after: object, digest: str = "") -> int:
        change = {"name": "CUDA_PATH_V99_9", "before": before, "after": after}
        request = Path(tempfile.mkdtemp()) / "request"
        request.write_bytes(json.dumps({"changes": [change]}).encode())
        digest = digest or hashlib.sha256(request.read_bytes()).hexdigest()
        return api.run_elevated(
            places.child_command("elevated", "--request", str(request), "--sha256", digest)
        )

    made = {"text": '%ProgramFiles%\\ünï "q"', "expand": True}
    assert ask(None, made, "0" * 64) == helper.NOT_ACCEPTED
    assert ask({"text": "x", "expand": False}, made) == helper.CHANGED
    assert ask(None, made) == helper.DONE
    assert windows.read("machine", "CUDA_PATH_V99_9") == Value(text=made["text"], expand=True)
    assert ask(made, None) == helper.DONE
    assert windows.read("machine", "CUDA_PATH_V99_9") is None
    os.environ["SYSTEMROOT"] = "C:\\nowhere"
    assert helper._windows_folder().lower() == "c:\\windows"


def the_persons_own_uv() -> None:
    """One in the current folder hides none that is on PATH."""
    from cudnn_assistant.apply import environment

    folder = Path(tempfile.mkdtemp())
    for own in ("own", "planted"):
        (folder / own).mkdir()
        (folder / own / "uv.exe").touch()
    os.chdir(folder / "planted")
    os.environ["PATH"] = str(folder / "own")
    assert environment._uv() == str(folder / "own" / "uv.exe")


class Unprivileged(winapi.WindowsApi):
    """Under Wine 8 everybody is an administrator; this one has to ask all the same."""

    def elevated(self) -> bool:
        return False


class Protected(Unprivileged):
    """And under Wine root can write everywhere; here as if our files lay in Program Files."""

    def may_change(self, path: str) -> bool:
        return False


def machine_change_by_windows_own_program() -> None:
    """Of whatever kind and with whatever in it, reg.exe writes what was meant."""
    windows = Windows(api=Unprivileged())
    assert winapi.WindowsApi().may_change(sys.executable)
    assert not winapi.WindowsApi().may_change("C:\\nowhere\\at all")
    for value in (
        Value(text='C:\\a b\\;%ProgramFiles%\\ünï "q";;x\\', expand=True),
        Value(text="C:\\1\\"),
        Value(text=""),
        Value(text="C:\\" + ";C:\\a folder".join(map(str, range(400)))),
    ):
        windows.write_machine([("CUDA_PATH_V99_8", value)])
        assert windows.read("machine", "CUDA_PATH_V99_8") == value
    windows.write_machine([("CUDA_PATH_V99_8", None)])
    assert windows.read("machine", "CUDA_PATH_V99_8") is None


def machine_change_through_the_question() -> None:
    windows = Windows(api=Protected())
    before = windows.read("machine", "Path")
    assert before is not None
    after = Value(text=f"C:\\via helper;{before.text}", expand=before.expand)
    step = SetVariable(scope="machine", name="PATH", before=before, after=after)
    journal = Journal(places.state() / "journal-elevated")
    entry = apply(Plan(steps=(step,)), windows, journal)
    assert this_system().read("machine", "Path") == after
    apply(undo_plan(entry, windows.read, "windows"), windows, journal)
    assert this_system().read("machine", "Path") == before
    assert not list(places.state().glob("request-*"))


def managed() -> None:
    """Whoever looks after the computer decides: nothing changes, archives come from a folder."""
    windows = this_system()
    assert policy.policy() == policy.Policy()
    step = SetVariable(scope="user", name="CUDNN_PATH", after=Value(text="x"))
    with reg.CreateKeyEx(reg.HKEY_LOCAL_MACHINE, policy.WINDOWS, 0, reg.KEY_ALL_ACCESS) as key:
        reg.SetValueEx(key, "Archives", 0, reg.REG_SZ, "D:\\cuDNN")
        reg.SetValueEx(key, "Allow", 0, reg.REG_MULTI_SZ, ["cudnn-missing", "gpu-hidden"])
        reg.SetValueEx(key, "Downloads", 0, reg.REG_DWORD, 0)
        reg.SetValueEx(key, "Spread", 0, reg.REG_DWORD, 600)
        decided = policy.policy()
        reg.SetValueEx(key, "ReadOnly", 0, reg.REG_DWORD, 1)
    try:
        apply(Plan(steps=(step,)), windows, Journal(places.state() / "journal-managed"))
    except NotApplied as trouble:
        told = (trouble.as_before, "changes nothing here" in why(trouble))
    else:
        told = (False, False)
    finally:
        reg.DeleteKey(reg.HKEY_LOCAL_MACHINE, policy.WINDOWS)
    assert decided == policy.Policy(
        archives="D:\\cuDNN",
        allow=("cudnn-missing", "gpu-hidden"),
        downloads=False,
        spread=600,
        place="HKLM\\" + policy.WINDOWS,
    )
    assert told == (True, True)
    assert windows.read("user", "CUDNN_PATH") is None


def noticed() -> None:
    """What an installer, a program of its own, brings or replaces is seen at a glance."""
    paths = install_watch.watched("windows", os.environ)
    cudnn = os.path.join(os.environ["PROGRAMFILES"], "NVIDIA", "CUDNN")
    runtime = os.path.join(os.environ["SYSTEMROOT"], "System32", "vcruntime140_1.dll")
    assert {cudnn, runtime} <= set(paths)
    new = cudnn + "\\v9.9"
    before = Path(runtime).read_bytes() if os.path.exists(runtime) else b""
    other = places.state() / "another runtime"
    other.write_bytes(os.urandom(5000))
    try:
        for command in (["mkdir", new], ["rmdir", new], ["copy", "/y", str(other), runtime]):
            seen = install_watch.marks(paths)
            assert seen == install_watch.marks(paths)
            subprocess.run(["cmd", "/c", *command], check=True, stdin=subprocess.DEVNULL)
            assert install_watch.marks(paths) != seen, command
    finally:
        Path(runtime).write_bytes(before) if before else Path(runtime).unlink(missing_ok=True)


KILLED = {f"CUDA_PATH_V{number}_0": Value(text=f"C:\\{number}") for number in range(1, 11)}
TEN = Plan(
    steps=tuple(SetVariable(scope="user", name=name, after=value) for name, value in KILLED.items())
)


def the_window_of_this_copy() -> None:
    """Two environments of one Python have a copy each, and both windows bear the same title."""
    user: Any = ctypes.WinDLL("user32")
    user.CreateWindowExW.restype = ctypes.c_void_p
    make = partial(user.CreateWindowExW, 0, "STATIC")
    where = (0, 0, 90, 90, None, None, None, None)
    title, own = "cuDNN Assistant", places.__file__
    _folder, first, second = (make(name, 0x10CF0000, *where) for name in ("a folder", title, title))
    copies = ((r"C:\a\cudnn_assistant\places.py", first), (own, second))
    for there in ("before", "after"):
        seen = []
        for file, window in copies:
            places.__file__ = file
            seen.append(taskbar.brought_to_front(title))
            if there == "before":
                taskbar.mark(window)
            else:
                assert user.GetForegroundWindow() == window & 0xFFFFFFFF
        assert seen == [there == "after"] * 2, (there, seen)
    places.__file__ = r"C:\b\cudnn_assistant\places.py"
    assert not taskbar.brought_to_front(title)


def killed() -> None:
    """TerminateProcess at any write of a change of ten variables, or of its undo ("die_undoing").

    The values are those before or after it, or there is a way back. Of all calls at which it can
    be killed those from the first to before the last number given.
    """
    windows = this_system()
    number, last, how = int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    journal = Journal(places.state() / "journal-kill")
    while number < last:
        if how == "die_undoing":
            apply(TEN, windows, journal)
        command = [sys.executable, __file__, sys.argv[1], how, str(number)]
        if not subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
            break
        plan = recover(journal, windows)
        if plan:
            apply(plan, windows, journal)
        now = [windows.read("user", name) for name in KILLED]
        assert now in ([None] * len(KILLED), [*KILLED.values()]), (number, now)
        for name in KILLED:
            windows.write("user", name, None)
        Path(journal.path).unlink(missing_ok=True)
        number += 1
    for name in KILLED:
        windows.write("user", name, None)
    sys.stdout.write(f"killed until {number}")


def die() -> None:
    windows = this_system()
    count_down()
    apply(TEN, windows, Journal(places.state() / "journal-kill"))


def die_undoing() -> None:
    windows, journal = this_system(), Journal(places.state() / "journal-kill")
    plan = undo_plan(journal.entries()[-1], windows.read, "windows")
    count_down()
    apply(plan, windows, journal)


def count_down() -> None:
    """From here on the call of that number ends the process as a power cut does."""
    left = [int(sys.argv[3])]

    def wrap(module: Any, name: str) -> None:
        real = getattr(module, name)

        def call(*arguments: Any, **more: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                kernel: Any = ctypes.WinDLL("kernel32")
                kernel.TerminateProcess(ctypes.c_void_p(-1), 9)
            return real(*arguments, **more)

        setattr(module, name, call)

    for name in ("write", "fsync", "open"):
        wrap(os, name)
    for name in ("SetValueEx", "FlushKey", "DeleteValue"):
        wrap(winreg, name)


if __name__ == "__main__":
    globals()[sys.argv[2]]()
