"""Runs in Windows' Python: ``installers_inside.py REPOSITORY CHECK ADDRESS [ROOT]``.

The installer is a small program from a server on loopback; it writes into C:\\installed what it was
started with, waits while there is a file "wait" there, and ends with the code in the file "code".
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

sys.path[:0] = [sys.argv[1]]

from cudnn_assistant import places  # noqa: E402
from cudnn_assistant.apply import NotApplied, apply, recover, run_installer  # noqa: E402
from cudnn_assistant.finding import Installer  # noqa: E402
from cudnn_assistant.journal import Journal  # noqa: E402
from cudnn_assistant.machine import Value  # noqa: E402
from cudnn_assistant.plan import Entry, Plan, RunInstaller, SetVariable, installers  # noqa: E402
from cudnn_assistant.plan.installer_table import PROGRAMS  # noqa: E402
from cudnn_assistant.plan.kinds.installer import outcome  # noqa: E402
from cudnn_assistant.system import this_system  # noqa: E402
from cudnn_assistant.wording.refusals import why  # noqa: E402

ROW = "vc-runtime-x86_64"
# The world: another server, and whose certificate it has. All else is as in the table.
PROGRAMS[ROW] = replace(
    PROGRAMS[ROW],
    address=sys.argv[3],
    hosts=frozenset({"127.0.0.1"}),
    publisher="Loopback Corporation",
)
HERE = Path(r"C:\installed")
VARIABLE = SetVariable(scope="user", name="CUDNN_PATH", after=Value(text="x"))


def step() -> RunInstaller:
    return installers.step_of(Installer(row=ROW))


def started() -> list[str]:
    path = HERE / "started"
    return path.read_text().splitlines() if path.exists() else []


def downloads() -> list[str]:
    folder = places.saved() / "downloads"
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def journal() -> Journal:
    return Journal(places.journal())


def carry_out() -> Entry:
    return apply(Plan(steps=(VARIABLE, step())), this_system(), journal())


def refused() -> NotApplied:
    try:
        carry_out()
    except NotApplied as trouble:
        return trouble
    raise AssertionError("it was done")


def nothing_happened(words: str) -> None:
    trouble = refused()
    assert words in why(trouble), why(trouble)
    assert trouble.as_before
    assert downloads() == [], downloads()
    assert this_system().read("user", "CUDNN_PATH") is None
    assert recover(journal(), this_system()) is None
    assert not list(places.state().glob("installer-*"))


def unsigned() -> None:
    nothing_happened("not signed by Loopback Corporation (0x800B0100)")
    assert started() == []


def signed_by_another() -> None:
    trust()
    nothing_happened("not signed by Loopback Corporation (Other Corporation)")
    assert started() == []


def changed_since() -> None:
    trust()
    nothing_happened("not signed by Loopback Corporation (0x80096010)")
    assert started() == []


def not_trusted() -> None:
    nothing_happened("not signed by Loopback Corporation (0x800B0109)")
    assert started() == []


def signed_but_another_file() -> None:
    trust()
    PROGRAMS[ROW] = replace(PROGRAMS[ROW], sha256="90c4" * 16)
    nothing_happened("is not the file that NVIDIA published")
    assert started() == []


def other_host() -> None:
    nothing_happened("is not on the publisher's server")
    assert started() == []


def signed() -> None:
    trust()
    (HERE / "code").write_text("3010")
    done = carry_out().plan.steps[1]
    assert isinstance(done, RunInstaller)
    assert done.exit == 3010, done.exit
    assert done.restart
    assert outcome(done).well
    assert started() == ["/install /norestart"], started()
    assert downloads() == []
    assert this_system().read("user", "CUDNN_PATH") == VARIABLE.after


def declined() -> None:
    trust()
    (HERE / "code").write_text("1602")
    nothing_happened("You ended the installer")
    assert started() == ["/install /norestart"]


def ended_badly() -> None:
    trust()
    (HERE / "code").write_text("1603")
    done = carry_out().plan.steps[1]
    assert isinstance(done, RunInstaller)
    assert done.exit == 1603
    assert not outcome(done).well


def killed() -> None:
    """We end while it works: it goes on, nothing else is begun, and it is not begun again."""
    trust()
    for forged in (b"", b"one line", b"\xff\n\xff\n", b"x\n" + b"y" * 9999):
        record = places.state() / "installer-forged.log"
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_bytes(forged)
        assert not run_installer.at_work(), forged
        record.unlink()
    (HERE / "wait").touch()
    ours = subprocess.Popen([sys.executable, __file__, *sys.argv[1:2], "go", *sys.argv[3:]],
                            stdin=subprocess.DEVNULL)  # fmt: skip
    until(lambda: bool(started()))
    ours.kill()
    ours.wait()
    assert run_installer.at_work()
    assert recover(journal(), this_system()) is None
    assert journal().unfinished()
    refused()
    (HERE / "wait").unlink()
    until(lambda: not run_installer.at_work())
    assert recover(journal(), this_system()) is None
    assert journal().unfinished() == ()
    assert journal().entries()[-1].states == ("done", "done")
    assert len(started()) == 1


def go() -> None:
    carry_out()


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def trust() -> None:
    """Make the test's authority one that this prefix of Wine trusts."""
    crypt: Any = ctypes.WinDLL("crypt32")  # type: ignore[attr-defined]
    crypt.CertOpenSystemStoreW.restype = ctypes.c_void_p
    store = ctypes.c_void_p(crypt.CertOpenSystemStoreW(None, ctypes.c_wchar_p("ROOT")))
    data = Path(sys.argv[4]).read_bytes()
    replace = 3
    assert crypt.CertAddEncodedCertificateToStore(store, 1, data, len(data), replace, None)
    crypt.CertCloseStore(store, 0)


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    if sys.argv[2] != "go":
        for name in ("started", "code", "wait"):
            (HERE / name).unlink(missing_ok=True)
        this_system().write("user", "CUDNN_PATH", None)
        places.journal().unlink(missing_ok=True)
        shutil.rmtree(places.saved() / "downloads", ignore_errors=True)
    globals()[sys.argv[2]]()
    sys.stdout.write("fine\n")
