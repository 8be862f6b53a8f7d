"""Runs in Windows' Python: the watched child and the cuDNN test, one check by name."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, sys.argv[1])

from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.probe.running.children import run_command
from cudnn_assistant.probe.trials.trial import check_library, run_trial

ENVIRONMENT = dict(os.environ)
OPEN = """
import json, os, sys, time, subprocess, msvcrt
pipe = msvcrt.open_osfhandle(json.loads(sys.argv[1])["pipe"], os.O_WRONLY)
"""


def child(program: str, deadline: float = 30.0, largest: int = 8 << 30):
    command = [sys.executable, "-c", OPEN + program]
    return run_command(command, {}, ENVIRONMENT, deadline, largest=largest)


def answers() -> None:
    ended = child("print('noise')\nos.write(pipe, b'{\"status\": \"ok\"}\\n')")
    assert ended.lines == ({"status": "ok"},), ended
    assert "noise" in ended.output, ended


def hangs() -> None:
    began = time.monotonic()
    ended = child("time.sleep(60)", 2.0)
    assert ended.timed_out, ended
    assert time.monotonic() - began < 20


def leaves_no_orphan() -> None:
    folder = tempfile.mkdtemp()
    sign = os.path.join(folder, "sign")
    orphan = f"import time\nfor i in range(600): open({sign!r}, 'a').write('x'); time.sleep(0.1)"
    ended = child(f"subprocess.Popen([sys.executable, '-c', {orphan!r}])\ntime.sleep(60)", 4.0)
    assert ended.timed_out, ended
    time.sleep(0.5)
    size = os.path.getsize(sign)
    assert size, "the orphan never ran"
    time.sleep(1)
    assert os.path.getsize(sign) == size, "the orphan lives"


def takes_all_memory() -> None:
    """A child of the child's: what is in the job counts together."""
    greedy = "x = bytearray(700 << 20)\nimport time\ntime.sleep(60)"
    starts = f"subprocess.Popen([sys.executable, '-c', {greedy!r}])\ntime.sleep(60)"
    ended = child(starts, 60.0, 400 << 20)
    assert ended.too_large, ended
    assert not child("x = bytearray(50 << 20)", 60.0, 400 << 20).too_large


def watches() -> None:
    """A program of the person's, and the one that it starts: lists of modules, exit code, end."""
    from cudnn_assistant.probe.watch import watch

    library = os.path.join(tempfile.mkdtemp(), "cudnn64_9.dll")
    shutil.copy(os.path.join(os.path.dirname(sys.executable), "vcruntime140.dll"), library)
    loads = f"import ctypes, time; ctypes.CDLL({library!r}); time.sleep(2)"
    starts = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {loads!r}]); sys.exit(7)"
    )
    for program, code in ((loads, 0), (starts, 7)):
        seen = watch([sys.executable, "-c", program])
        assert seen.exit_code == code, seen
        assert [os.path.normcase(path) for path in seen.libraries] == [os.path.normcase(library)]
        assert seen.complete, seen


def watches_what_a_terminal_would_start() -> None:
    """Not our own Python, which lies beside what runs this; pyenv-win's is a batch file."""
    from cudnn_assistant.probe.watch import watch

    folder = tempfile.mkdtemp()
    for name in ("python.bat", "conda.bat"):
        with open(os.path.join(folder, name), "w", encoding="ascii") as file:
            file.write("@exit /b 7\n")
    os.environ["PATH"] = f"{folder};{os.environ['PATH']}"
    assert [watch([name, "-c", "pass"]).exit_code for name in ("python", "conda")] == [7, 7]


def watches_a_crash() -> None:
    """A program that ends with a code of Windows', of which no log tells more here."""
    from cudnn_assistant.probe.watch import watch

    seen = watch([sys.executable, "-c", "import os; os._exit(0xC0000135 - (1 << 32))"])
    assert (seen.exit_code, seen.end) == (0xC0000135, "STATUS_DLL_NOT_FOUND"), seen
    assert (seen.crashed_in, seen.stopped) == ("", False), seen


def watches_until_it_is_stopped() -> None:
    """With the one that it started."""
    from cudnn_assistant.probe.watch import watch

    sign = os.path.join(tempfile.mkdtemp(), "sign")
    below = f"import time\nfor i in range(600): open({sign!r}, 'a').write('x'); time.sleep(0.1)"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {below!r}])"
    stop = threading.Event()
    threading.Timer(4, stop.set).start()
    seen = watch([sys.executable, "-c", program], stop=stop)
    assert (seen.stopped, seen.stopped_by_us, seen.seconds < 30) == (True, True, True), seen
    size = os.path.getsize(sign)
    time.sleep(1)
    assert os.path.getsize(sign) == size, "the other one lives"


def whose_files() -> None:
    """Access lists as Wine makes them of the other system's modes."""
    from cudnn_assistant.probe.files import windows_security
    from cudnn_assistant.probe.files.ownership import doubt

    folder = tempfile.mkdtemp()
    library = os.path.join(folder, "cudnn64_9.dll")
    with open(library, "wb"):
        pass
    me = windows_security.me()
    assert me.startswith("S-1-5-21-"), me
    own = windows_security.described(library) or ""
    assert own.startswith("O:") and "D:" in own, own  # noqa: PT018
    assert windows_security.described(library + "x") is None
    assert doubt(library + "x", 0) == doubt(folder, 0)
    windows_security.alone()
    set_list(library, f"D:P(A;;FA;;;{me})(A;;FA;;;WD)")
    open_to_all = windows_security.described(library) or ""
    parts = {part: windows_security.doubt(part, last=part == library) for part in
             (library, folder)}  # fmt: skip
    assert parts[library] == "writable", (open_to_all, parts)


def set_list(path: str, text: str) -> None:
    import ctypes

    advapi = ctypes.WinDLL("advapi32", use_last_error=True)
    made = ctypes.c_void_p()
    assert advapi.ConvertStringSecurityDescriptorToSecurityDescriptorW(
        ctypes.c_wchar_p(text), 1, ctypes.byref(made), None
    )
    assert advapi.SetFileSecurityW(ctypes.c_wchar_p(path), 4, made), ctypes.get_last_error()


def ends() -> None:
    assert child("os._exit(5)").exit_code == 5
    assert not child("os._exit(5)").timed_out


def nothing_there() -> None:
    trial = run_trial(ENVIRONMENT, "windows")
    assert (trial.stage, trial.status, trial.missing) == (
        "load", "missing-library", "cudnn64_9.dll",
    ), trial  # fmt: skip


def no_library() -> None:
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "cudnn64_9.dll"), "wb"):
        pass
    trial = run_trial(ENVIRONMENT, "windows", library=folder)
    assert (trial.stage, trial.status, trial.code) == ("load", "unloadable", 193), trial


# -- with NVIDIA's own DLLs -----------------------------------------------------------------------


def whole(folder: str) -> None:
    copy = CudnnCopy(folder=folder, file="cudnn64_9.dll", major=9)
    check = check_library(copy, ENVIRONMENT, "windows")
    assert check is not None
    assert (check.status, check.version, check.cuda) == ("ok", "9.13.0", "13.0"), check
    assert all(path.startswith(folder) for path in check.mapped), check
    trial = run_trial(ENVIRONMENT, "windows", library=folder)
    assert (trial.stage, trial.status, trial.missing) == ("driver", "no-gpu", "nvcuda.dll"), trial


def by_name(folder: str) -> None:
    path = {name: text for name, text in ENVIRONMENT.items() if name.upper() == "PATH"}
    person = {**ENVIRONMENT, **{name: f"{folder};{text}" for name, text in path.items()}}
    trial = run_trial(person, "windows")
    assert (trial.status, trial.version) == ("no-gpu", "9.13.0"), trial
    assert trial.loaded == os.path.realpath(os.path.join(folder, "cudnn64_9.dll")), trial


def parts_missing(folder: str) -> None:
    for lost, stage in (("graph", "version"), ("ops", "sublibraries"), ("cnn", "sublibraries")):
        other = tempfile.mkdtemp()
        for part in ("", "_graph", "_ops", "_cnn", "_adv"):
            name = f"cudnn{part}64_9.dll"
            if part != f"_{lost}":
                shutil.copy(os.path.join(folder, name), other)
        trial = run_trial(ENVIRONMENT, "windows", library=other)
        shutil.rmtree(other, ignore_errors=True)
        assert (trial.stage, trial.status) == (stage, "missing-library"), trial
        assert trial.missing == f"cudnn_{lost}64_9.dll", trial


globals()[sys.argv[2]](*sys.argv[3:])
sys.stdout.write("fine")
