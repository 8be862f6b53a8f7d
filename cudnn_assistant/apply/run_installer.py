"""The kind of step that starts an official installer or the distribution's package manager.

It can't be taken back, so it is never begun without need: the person's no, a file that isn't
signed as it should be, and a lost connection leave everything as it was. What has been begun goes
on to its end, also when we are killed, and its output and that it was begun are on the disk; how it
ended is a fact for the journal, and what it brought about is for the look that follows.
"""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from cudnn_assistant import places
from cudnn_assistant.apply.downloads import cache, fetched, lies_ready, prepared, refuse_other
from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.plain_file import plain
from cudnn_assistant.plan import Download, RunInstaller, installers
from cudnn_assistant.plan.installer_table import PACKAGES, PROGRAMS
from cudnn_assistant.plan.kinds.installer import RESTART, went_well
from cudnn_assistant.system import administrator
from cudnn_assistant.trouble import Refused

_UNCHANGED = {1223: "installer-ended", 1602: "installer-ended", 1618: "windows-busy"}
"""Exit codes that say that nothing was changed."""
_LINES = 12
_LONGEST = 4000


def record(step: RunInstaller) -> str:
    """The file that holds what it said."""
    return str(places.state() / f"installer-{step.run}.log")


def compare(step: RunInstaller, _tools: Tools) -> None:
    """Refuse what is not in our table, and anything while an earlier one is at work."""
    if not installers.is_of_the_table(step):
        raise Refused("not-of-the-table")
    if at_work():
        raise Refused("still-at-work")


def prepare(step: RunInstaller, _tools: Tools) -> RunInstaller:
    """The step with a name for the record of its output; earlier records go."""
    for path in _records():
        with contextlib.suppress(OSError):
            os.unlink(path)
    return msgspec.structs.replace(step, run=secrets.token_hex(4))


def at_work() -> bool:
    """Whether one that was begun, perhaps by a run of ours that was killed, has not ended yet."""
    return any(_is_held(path) for path in _records())


def _records() -> list[str]:
    return glob.glob(glob.escape(str(places.state())) + "/installer-*.log")


def _is_held(path: str) -> bool:
    if os.name == "nt":
        # Its second line is the program, whose file can't be opened for writing while it runs;
        # none where we were killed before that, or somebody else has written it.
        with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as file:
            _first, program = file.readline(), file.readline().rstrip("\n")
            return os.path.exists(program) and not _may_be_written(program)
        return False
    try:
        with _locked(path, os.O_RDWR):
            return False
    except BlockingIOError:
        return True
    except OSError:
        return False


def _may_be_written(path: str) -> bool:
    with contextlib.suppress(OSError), open(path, "r+b"):
        return True
    return False


@contextmanager
def _locked(path: str, flags: int) -> Iterator[int]:
    """The file, open and locked as long as anybody has it open whom we gave it."""
    import fcntl

    handle = os.open(path, flags, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield handle
    finally:
        os.close(handle)


def fetches(step: RunInstaller) -> bool:
    """Whether it doesn't lie ready; a package manager has its own servers."""
    return not lies_ready(step.link)


def do(step: RunInstaller, tools: Tools) -> RunInstaller:
    """Start it, wait for its end, and keep how it ended."""
    run = _run_packages if step.row in PACKAGES else _run_program
    return run(step, tools)


def _run_packages(step: RunInstaller, tools: Tools) -> RunInstaller:
    path = record(step)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with _locked(path, os.O_RDWR | os.O_CREAT | os.O_APPEND) as output:
        tools.tell("installer", 0, 0)
        code = administrator.run_lines(
            installers.lines_of(step), output, os.environ, PACKAGES[step.row].check
        )
        said = os.pread(output, 1 << 20, max(0, os.fstat(output).st_size - _LONGEST))
    return _ended(step, code, said.decode("utf-8", "replace"))


def _run_program(step: RunInstaller, tools: Tools) -> RunInstaller:
    from cudnn_assistant.system import authenticode

    program = PROGRAMS[step.row]
    newest = Download(url=step.link, size=0, sha256="")
    ready = prepared(step.link, "installer-not-prepared")
    path = ready or fetched(newest, tools, hosts=program.hosts, signed=True)
    try:
        with authenticode.held(path):
            if program.sha256:
                refuse_other(path, program.sha256)
            authenticode.refuse_unless_signed_by(program.publisher, path)
            tools.tell("installer", 0, 0)
            _write_begun(step, path)
            code = administrator.run_program([path, *installers.arguments_of(step)])
        if code in _UNCHANGED:
            raise Refused(_UNCHANGED[code])
    except Refused:
        with contextlib.suppress(OSError):
            os.unlink(record(step))
        raise
    finally:
        if os.path.dirname(path) == cache():
            with contextlib.suppress(OSError):
                os.unlink(path)
    return _ended(step, code, "")


def _write_begun(step: RunInstaller, path: str) -> None:
    os.makedirs(os.path.dirname(record(step)), mode=0o700, exist_ok=True)
    with open(record(step), "w", encoding="utf-8", newline="\n") as file:
        file.write(administrator.BEGUN.decode() + path + "\n")


def _ended(step: RunInstaller, code: int, output: str) -> RunInstaller:
    done = msgspec.structs.replace(step, exit=code, restart=step.restart or code in RESTART)
    if went_well(done):
        return done
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return msgspec.structs.replace(done, said="\n".join(lines[-_LINES:]))


def put_back(step: RunInstaller, _tools: Tools, _settle: bool) -> bool:
    """Nothing where it was not begun; Refused where it was."""
    if reached(step):
        raise Refused("installer-stays")
    return False


def reached(step: RunInstaller) -> bool:
    """Whether it was begun: then it is done, one way or the other."""
    try:
        with plain(record(step)) as file:
            return file.read(len(administrator.BEGUN)) == administrator.BEGUN
    except OSError:
        return False
