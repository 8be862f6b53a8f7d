"""A program that is watched runs as it would alone, and what it loads is seen."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from machines.computers import golden

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import CudnnCopy, Machine, OperatingSystem
from cudnn_assistant.probe.computer.kernel_log import crashed_in
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.running import processes
from cudnn_assistant.probe.running.loader_notes import LoaderNotes, refusals
from cudnn_assistant.probe.watch import watch, watch_running
from cudnn_assistant.session import Session
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.watching import WatchResult, concerning, loaded_copies, told
from cudnn_assistant.wording import say

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
EXACT = "print(w.exit_code, w.complete, *w.libraries, list(w.refusals))"
WATCH = "import sys; from cudnn_assistant.probe.watch import watch; w = watch(sys.argv[1:]);"
ASKING = WATCH.replace("argv[1:]", "argv[1:], exact=True")


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def outside(
    words: list[str], tail: str = "sys.exit(w.exit_code)", start: str = WATCH, **how
) -> subprocess.Popen:
    """Somebody who watches, as a process of its own."""
    return subprocess.Popen([sys.executable, "-c", start + tail, *words], **how)


@pytest.mark.parametrize(("program", "code"), [("raise SystemExit(7)", 7), ("pass", 0)])
def test_the_exit_code_is_the_program_s(program, code):
    assert watch(python(program)).exit_code == code


def test_a_program_that_is_killed_ends_as_a_shell_says():
    assert watch(["sh", "-c", "kill -ABRT $$"]).exit_code == 128 + signal.SIGABRT


def test_a_folder_that_is_gone_is_no_reason_not_to_start(tmp_path):
    start = ["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', tmp_path / "gone", sys.executable]
    (tmp_path / "gone").mkdir()
    done = subprocess.run([*start, "-c", WATCH + "sys.exit(w.exit_code)", "sh", "-c", "exit 7"])
    assert done.returncode == 7


def test_output_passes_through_to_the_byte_and_its_end_is_kept():
    program = (
        "import os; os.write(1, b'\\xff out\\r\\n'); os.write(2, b'\\x1b[31mred\\x1b[0m\\r 50%\\n')"
    )
    done = outside(python(program), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, said = done.communicate(timeout=60)
    assert (out, said) == (b"\xff out\r\n", b"\x1b[31mred\x1b[0m\r 50%\n")


def test_a_program_in_a_terminal_finds_a_terminal():
    import pty

    ours, theirs = pty.openpty()
    done = outside(python("import os; print(*map(os.isatty, (0, 1, 2)))"), stdin=theirs,
                   stdout=theirs, stderr=theirs)  # fmt: skip
    os.close(theirs)
    assert done.wait(timeout=60) == 0
    assert b"True True True" in os.read(ours, 4096)


def test_signals_reach_the_program():
    program = (
        "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(5));"
        "print('up', flush=True); time.sleep(60)"
    )
    done = outside(python(program), stdout=subprocess.PIPE)
    assert done.stdout is not None
    assert done.stdout.readline() == b"up\n"
    done.send_signal(signal.SIGTERM)
    assert done.wait(timeout=30) == 5


@pytest.fixture
def library(tmp_path: Path) -> Path:
    source = tmp_path / "empty.c"
    source.write_text("int nothing;\n")
    file = tmp_path / "lib" / "libcudnn.so.9"
    file.parent.mkdir()
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", file, source], check=True)
    return file


def test_what_a_grandchild_loads_is_seen(library):
    load = f"import ctypes, time; ctypes.CDLL({str(library)!r}); time.sleep(0.5)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {load!r}])"
    assert str(library) in watch(python(parent)).libraries


def test_a_program_that_ends_at_once_is_not_called_complete():
    assert watch(["sh", "-c", "exit 3"]).complete is False


def test_the_loader_tells_what_a_program_of_milliseconds_opened(library):
    program = (
        f"import ctypes, os; ctypes.CDLL({str(library)!r}); os.write(2, b'own 50%\\r'); os._exit(3)"
    )
    done = outside(python(program), EXACT, ASKING, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, said = done.communicate(timeout=60)
    assert said == b"own 50%\r", "the loader's lines are taken out, and nothing else"
    assert out.decode().splitlines() == [f"3 True {library} []"]


def test_the_loader_tells_why_it_refused_a_file(tmp_path):
    source = tmp_path / "asks.c"
    source.write_text("extern int nobody_has_it; int *f(void) { return &nobody_has_it; }\n")
    part = tmp_path / "libcudnn_cnn.so.9"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", part, source], check=True)
    seen = watch(python(f"import ctypes; ctypes.CDLL({str(part)!r})"), exact=True)
    assert seen.exit_code == 1
    (refusal,) = seen.refusals
    assert refusal.startswith(f"{part}: ")
    assert "undefined symbol: nobody_has_it" in refusal


def test_a_part_for_a_newer_c_library_is_named_with_what_it_asks_for():
    line = (
        "    11:\t/lib/libm.so.6: error: version lookup error: version `GLIBC_2.99' not found "
        "(required by /opt/cudnn/lib/libcudnn_ops.so.9) (fatal)\n"
    )
    wanted = "libm.so.6: version `GLIBC_2.99' not found (required by libcudnn_ops.so.9)"
    assert refusals(line) == [wanted]
    assert refusals(line.replace("cudnn_ops", "other")) == []


def test_a_line_of_the_loader_that_comes_in_two_pieces():
    notes = LoaderNotes()
    whole = b"mine\n      4711:\tcalling init: /opt/libcudnn.so.9\nyours 4711: done\n"
    pieces = [notes.sift(whole[:30]), notes.sift(whole[30:])]
    assert b"".join(pieces) == b"mine\nyours 4711: done\n"
    assert list(notes.files) == ["/opt/libcudnn.so.9"]


def test_a_running_program(library):
    load = f"import ctypes, time; ctypes.CDLL({str(library)!r}); print(flush=True); time.sleep(60)"
    with subprocess.Popen(python(load), stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.readline()
        seen = watch_running(running.pid)
        running.kill()
    assert seen is not None
    assert seen.libraries == (str(library),)
    assert watch_running(2**22 + 1) is None


def test_copies_by_folder_with_their_versions():
    machine = Machine(
        os=OperatingSystem(family="linux"),
        cudnns=(CudnnCopy(folder="/v", file="libcudnn.so.9", major=9, file_version="9.19.0"),),
    )
    paths = (
        "/s/libcudnn_ops.so.9.14.0",
        "/v/libcudnn.so.9",
        "/v/libcudnn_graph.so.9",
        "/c/libcuda.so.1",
    )
    main, part = loaded_copies(paths, machine)
    assert (main.folder, main.version, main.main) == ("/v", "9.19.0", True)
    assert (part.folder, part.version, part.main) == ("/s", "9.14.0", False)


def test_a_copy_is_known_by_any_name_of_its_folder(tmp_path):
    """On Windows in other letters, or short ones."""
    (tmp_path / "real").mkdir()
    (tmp_path / "other").symlink_to(tmp_path / "real")
    known = CudnnCopy(
        folder=f"{tmp_path}/real", file="cudnn64_9.dll", major=9, file_version="9.8.0"
    )
    machine = Machine(os=OperatingSystem(family="windows"), cudnns=(known,))
    (copy,) = loaded_copies((f"{tmp_path}/other/cudnn64_9.dll",), machine)
    assert (copy.folder, copy.version) == (known.folder, "9.8.0")


def test_a_main_library_that_a_wheel_has_given_a_hash_is_the_cudnn_that_it_used() -> None:
    """CTranslate2's wheel brings one, as auditwheel names what it packs."""
    path = "/e/lib/python3.12/site-packages/ctranslate2.libs/libcudnn-74a4c495.so.9.1.0"
    (copy,) = loaded_copies((path,), Machine(os=OperatingSystem(family="linux")))
    assert (copy.main, copy.version) == (True, "9.1.0")


@pytest.mark.parametrize("files", [("/opt/app/lib/libcudnn.so.9",), ()])
def test_who_has_found_cudnn_is_not_told_that_nobody_searches_it(files):
    seen = think(golden("linux-cudnn-not-on-path"), load_builtin())
    copies = loaded_copies(files, seen.machine)
    codes = [finding.code for finding in concerning(copies, seen).findings]
    assert codes == ([] if files else ["cudnn-not-on-path"])


def test_a_message_is_explained_with_the_cudnn_that_its_program_had(tmp_path):
    """The same words point at the memory where nothing is known of the versions."""
    library = tmp_path / "libcudnn.so.8.9.7"
    subprocess.run(["gcc", "-shared", "-xc", "/dev/null", "-o", library], check=True)
    said = "import torch\nRuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED (torch 2.6.0)"
    ended = f"time.sleep(1); sys.exit({said!r})"
    program = f"import ctypes, sys, time; ctypes.CDLL({str(library)!r}); {ended}"
    seen = Session(look=lambda *_: golden("linux-healthy")).watch(python(program))
    assert seen.explanation.causes[0].cls == "cudnn-version-mismatch"


@pytest.fixture
def memory_group() -> Iterator[Path]:
    """A control group for 200 MB, of either version."""
    for below, limit in (("memory", "memory.limit_in_bytes"), ("", "memory.max")):
        group = Path("/sys/fs/cgroup", below, f"cudnn-assistant-test-{os.getpid()}")
        if os.access(group.parent, os.W_OK) and (group.parent / "cgroup.procs").exists():
            group.mkdir()
            if (group / limit).exists():
                (group / limit).write_text(str(200 << 20))
                yield group
                group.rmdir()
                return
            group.rmdir()
    pytest.skip("no control group can be made here")


def test_what_the_kernel_ended_for_its_memory_is_told_from_what_another_ended(memory_group):
    tail = "print(w.end, w.memory_ran_out, w.stopped)"
    enter = "import os; open(sys.argv.pop(1), 'w').write(str(os.getpid())); w = watch("
    start = WATCH.replace("w = watch(", enter)
    for program, said in (
        ("held = bytearray(1 << 30); held[::4096] = b'1' * (1 << 18)", "SIGKILL True False"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL False True"),
    ):
        words = [str(memory_group / "cgroup.procs"), *python(program)]
        done = outside(words, tail, start, stdout=subprocess.PIPE, text=True)
        assert done.communicate(timeout=60)[0].strip() == said


@pytest.mark.parametrize(
    ("program", "means", "next_step"),
    [
        ("kill -KILL $$", "ended", False),
        ("kill -TERM $$", "It was told to stop.", False),
        ("kill -SEGV $$", "139 (SIGSEGV). The program crashed", True),
        ("kill -ILL $$", "132 (SIGILL). The program came to an instruction", False),
        ("exit 3", "exit code 3.", True),
        ("exit 137", "137 (SIGKILL). The system ended the program, as it does", False),
    ],
)
def test_what_is_known_of_a_silent_end_is_told(program, means, next_step):
    seen = Session(look=lambda *_: golden("linux-healthy")).watch(["sh", "-c", program])
    assert means in told(seen)[0]
    assert (say("watching.unexplained") in told(seen)) is next_step


@pytest.mark.parametrize(
    "program",
    [
        "ctypes.CDLL({!r}).crash()",
        "threading.Thread(target=lambda: (time.sleep(0.5), ctypes.CDLL({!r}).crash())).start()",
    ],
    ids=["itself", "a thread"],
)
def test_the_file_in_which_a_program_crashed_is_named_where_the_kernel_says_it(tmp_path, program):
    if not os.access("/dev/kmsg", os.R_OK):
        pytest.skip("the kernel's log is closed here")
    library, source = tmp_path / "libcudnn.so.9", tmp_path / "crash.c"
    source.write_text("int crash(void) { return *(volatile int *)8; }")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    seen = watch(python("import ctypes, threading, time; " + program.format(str(library))))
    assert (seen.end, seen.crashed_in) == ("SIGSEGV", "libcudnn.so.9")


def test_a_crash_of_another_with_the_same_number_is_not_this_one_s(tmp_path):
    line = "4,9,{at},-;python[77]: segfault at 8 ip 0 sp 0 error 6 in {file}[1,2+3] likely on CPU\n"
    (tmp_path / "dev").mkdir()
    lines = [line.format(at=n * 10**6, file=f"lib{n}.so") for n in (90, 200)]
    (tmp_path / "dev" / "kmsg").write_text("".join(lines))
    disk = Disk("linux", str(tmp_path))
    assert [crashed_in(disk, {77}, since) for since in (195, 205)] == ["lib200.so", ""]
    assert crashed_in(disk, {78}, 0) == ""


TALK = "import os; names = ('CUDNN_LOGLEVEL_DBG', 'CUDNN_LOGDEST_DBG', 'PYTHONFAULTHANDLER')"


@pytest.mark.parametrize(("exact", "said"), [(False, "None None None"), (True, "1 /my/log 1")])
def test_cudnn_and_python_are_asked_to_say_more_and_what_was_set_stays(exact, said, monkeypatch):
    if exact:
        monkeypatch.setenv("CUDNN_LOGDEST_DBG", "/my/log")
    seen = watch(python(f"{TALK}; os.write(2, b' '.join(str(os.environ.get(n)).encode() for n in "
                        "names))"), exact=exact)  # fmt: skip
    assert (seen.said, seen.exact) == (said, exact)


def stopped(command: list[str], ready: Callable[[], bool]) -> WatchResult:
    """What is seen of a program that is stopped once it is ``ready``."""
    stop = threading.Event()

    def wait_and_stop() -> None:
        while not ready():
            time.sleep(0.02)
        stop.set()

    threading.Thread(target=wait_and_stop, daemon=True).start()
    return Session(look=lambda *_: golden("linux-healthy")).watch(command, stop=stop)


DEAF = "trap '' TERM;"


@pytest.mark.parametrize(
    ("above", "below", "end"),
    [
        ("", "", "SIGTERM"),
        (DEAF, DEAF, "SIGKILL"),
        ("", DEAF, "SIGTERM"),
        ("", "trap 'setsid sh \"$0\" again & exit' TERM;", "SIGTERM"),
    ],
    ids=["willing", "deaf", "a deaf child", "a child that starts another when it is told"],
)
def test_a_program_is_stopped_with_all_that_it_started(tmp_path, monkeypatch, above, below, end):
    monkeypatch.setattr("cudnn_assistant.probe.watch._FAREWELL", 0.5)
    child, numbers = tmp_path / "child", tmp_path / "numbers"
    child.write_text(f"{below} echo $$ >> {numbers}; while :; do sleep 0.1; done")
    command = ["sh", "-c", f"{above} sh {child}; true"]
    seen = stopped(command, lambda: numbers.exists() and "\n" in numbers.read_text())
    assert (seen.end, seen.stopped) == (end, True)
    assert say("watching.stopped") in told(seen)[0]
    left = numbers.read_text().split()
    until = time.monotonic() + 5
    while any(os.path.exists(f"/proc/{pid}") for pid in left) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [pid for pid in left if os.path.exists(f"/proc/{pid}")]


def test_who_has_ended_is_not_alive_though_nobody_has_asked_for_it():
    """Of those that hide their memory, too: their state everybody may read."""
    process = subprocess.Popen(["sh", "-c", "read line"], stdin=subprocess.PIPE)
    assert processes.alive(process.pid)
    assert process.stdin is not None
    process.stdin.close()
    until = time.monotonic() + 10
    while processes.alive(process.pid) and time.monotonic() < until:
        time.sleep(0.01)
    assert not processes.alive(process.pid)
    assert os.path.exists(f"/proc/{process.pid}")
    process.wait()
    assert not processes.alive(process.pid)


@pytest.mark.parametrize("ends", ["exec sleep 30", "trap 'exit 0' TERM; sleep 30 & wait"])
def test_what_a_program_said_that_was_stopped_is_explained_where_it_tells(tmp_path, ends):
    for said, tells in (("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", True), ("epoch 1", False)):
        command = ["sh", "-c", f"echo '{said}' >&2; touch '{tmp_path}/{said}'; {ends}"]
        seen = stopped(command, (tmp_path / said).exists)
        lines = seen.explanation.lines if seen.explanation else ()
        assert [line.text for line in lines] == ([said] if tells else [])
        assert seen.said == (f"{said}\n" if tells else "")


COLOURED = b"""Traceback (most recent call last):
  File \x1b[35m"a.py"\x1b[0m, line \x1b[35m1\x1b[0m, in \x1b[35m<module>\x1b[0m
\x1b[1;35mKeyError\x1b[0m: 4
"""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("raise ValueError('no such option --foo')", "ValueError: no such option --foo"),
        ("import argparse; argparse.ArgumentParser('p').parse_args(['--foo'])",
         "p: error: unrecognized arguments: --foo"),
        ("sys.exit('Usage: p [OPTIONS]\\n\\nError: No such option: --foo\\n')",
         "Error: No such option: --foo"),
        (f"os.write(2, {COLOURED!r}); sys.exit(1)", "KeyError: 4"),
        ("raise RuntimeError('in a layer:\\n cuDNN error: CUDNN_STATUS_EXECUTION_FAILED')", ""),
        ("os.write(2, b'usage: p\\n'); os.abort()", ""),
        ("os.write(2, b'[rank0]: RuntimeError: CUDA error: out of memory\\n'); assert 0", ""),
        ("print('see usage: p', file=sys.stderr); sys.exit(1)", ""),
    ],
    ids=["exception", "argparse", "click", "colours", "cuDNN", "crash", "consequence", "aside"],
)  # fmt: skip
def test_who_said_plainly_why_it_stopped_is_pointed_at_and_not_run_again(program, words):
    look = Session(look=lambda *_: golden("linux-healthy"))
    seen = look.watch(python(f"import os, sys; {program}"))
    assert seen.own_words == words
    assert not words or seen.explanation is None
    assert (say("watching.said", said=words) in told(seen)) is bool(words)
    assert not (words and seen.unexplained)


def test_a_program_that_is_ended_keeps_its_files_and_its_end(tmp_path):
    library = tmp_path / "libcudnn.so.9"
    subprocess.run(["gcc", "-shared", "-xc", "/dev/null", "-o", library], check=True)
    ended = "time.sleep(1); os.kill(os.getpid(), 15)"
    seen = watch(python(f"import ctypes, os, time; ctypes.CDLL({str(library)!r}); {ended}"))
    assert [str(library)] == list(seen.libraries)
    assert seen.exit_code == 128 + signal.SIGTERM
    assert seen.seconds < 30
