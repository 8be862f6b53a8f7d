"""One Python environment and what changes its packages: its own pip, or uv where it is uv's."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

import msgspec

from cudnn_assistant.compat.packages import is_index
from cudnn_assistant.plan import InstallPackage, project
from cudnn_assistant.probe.files.ownership import doubt
from cudnn_assistant.shell import quote
from cudnn_assistant.system.exchangeable import is_own
from cudnn_assistant.trouble import Refused, refusing

_QUERY = """
import importlib.metadata as m, json, os, sys, sysconfig
marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
managed = sys.prefix == sys.base_prefix and os.path.exists(marker)
try:
    import pip
except ImportError:
    pip = None
try:
    with open(os.path.join(sys.prefix, "pyvenv.cfg"), encoding="utf-8") as file:
        uv = any(line.split("=")[0].strip() == "uv" for line in file)
except OSError:
    uv = False
packages = {}
for d in m.distributions():
    try:
        name, version = d.metadata["Name"], d.version or ""
    except Exception:
        continue  # damaged; pip doesn't see it either, nor what begins with a tilde: its left-over
    if not name or name in packages or os.path.basename(getattr(d, "_path", "")).startswith("~"):
        continue
    try:
        direct = json.loads(d.read_text("direct_url.json") or "{}")
        where = "" if "dir_info" in direct else direct.get("url", "")
        kind = "folder" if "dir_info" in direct else "vcs" if "vcs_info" in direct else ""
    except Exception:
        where, kind = "", "unknown"
    packages[name] = [name, version, where, kind]
told = {"python": sys.executable, "managed": managed, "pip": pip is not None, "uv": uv}
print(json.dumps({**told, "packages": packages}))
"""
_FOLDERS = """
import importlib.metadata as m, json, sys
found = set()
for d in (d for name in sys.argv[1:] for d in m.distributions(name=name)):
    for file in d.files or ():
        inside = [f for f in file.parents if f.name and ".." not in f.parts]
        found.update(str(d.locate_file(f)) for f in inside)
print(json.dumps(sorted(found, key=len, reverse=True)))
"""
_QUERY_SECONDS = 60
_LARGEST = 16 << 20
"""Bytes of an answer; that of ten thousand packages has one."""
_PIP_SECONDS = 3600
_STOP_SECONDS = 20
_KILL = getattr(signal, "SIGKILL", 9)


class Installed(NamedTuple):
    """One package that is there."""

    name: str
    version: str
    source: str = ""
    """Address it was installed from, where that was no index."""
    kind: str = ""
    """"folder", "vcs" or "unknown": what can't be brought back as it was."""


class Environment(msgspec.Struct, frozen=True):
    """What an interpreter says about itself."""

    python: str
    managed: bool
    """The system looks after it (PEP 668)."""
    pip: bool
    uv: bool
    """uv made it."""
    packages: dict[str, Installed]
    """By normalised name."""


def ask(python: str) -> Environment:
    """Start the interpreter and ask. Raises :class:`Refused` when it doesn't answer."""
    said = answer(Environment, python, _QUERY)
    packages = {project(name): package for name, package in said.packages.items()}
    return msgspec.structs.replace(said, python=python, packages=packages)


def folders_of(names: Sequence[str], found: Environment) -> list[str]:
    """The folders that these packages have files below, the deepest first."""
    known = [found.packages[key].name for key in map(project, names) if key in found.packages]
    return answer(list[str], found.python, _FOLDERS, *known)


_Answer = TypeVar("_Answer")


def answer(kind: type[_Answer], python: str, query: str, *arguments: str) -> _Answer:
    """What a program prints last, as JSON, that the interpreter runs. Raises :class:`Refused`.

    Root starts no interpreter that somebody else could have exchanged, whoever said yes.
    """
    if sys.platform != "win32" and not os.geteuid() and doubt(python, 0):
        raise Refused("python-of-others", python=python)
    try:
        last = _said([python, "-c", query, *arguments]).splitlines()[-1:]
        return msgspec.json.decode(b"".join(last), type=kind)
    except (OSError, ValueError, RecursionError, msgspec.MsgspecError) as trouble:
        raise Refused("python-not-started", python=python) from trouble


def _said(command: list[str]) -> bytes:
    """What a command prints; nothing where it doesn't come to an end or says too much."""
    process = _begun(command, subprocess.DEVNULL)
    assert process.stdout is not None
    read, said = process.stdout.read, list[bytes]()
    # Whatever it started may hold the line open for ever.
    reader = threading.Thread(target=lambda: said.append(read(_LARGEST + 1)), daemon=True)
    reader.start()
    try:
        reader.join(_QUERY_SECONDS)
    finally:
        _send(process, _KILL)
        process.wait()
    return b"".join(said) if said and len(said[0]) <= _LARGEST else b""


def _begun(command: list[str], errors: int, lock: tuple[int, ...] = ()) -> subprocess.Popen[bytes]:
    """A command in a group of its own, so that Ctrl+C in our terminal reaches us alone."""
    return subprocess.Popen(
        command,
        # Not where we were started: a file there could pose as a module of pip.
        cwd=os.path.dirname(command[0]) or None,
        # If we are killed, nobody begins anything until pip has ended.
        pass_fds=lock,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=variables(),
        start_new_session=os.name != "nt",
        creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )


def _send(process: subprocess.Popen[bytes], number: int) -> None:
    """End all that a command has started, by a signal (Windows: it alone)."""
    with suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, number)


def variables() -> dict[str, str]:
    """Ours, without what would lead another Python astray; pip's own settings stay.

    Into a pipe Windows' Python would write in the code page of the country.
    """
    leading = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    others = {name: text for name, text in os.environ.items() if name not in leading}
    return {**others, "PYTHONIOENCODING": "utf-8:backslashreplace"}


def commands(step: InstallPackage, found: Environment) -> list[list[str]]:
    """What to run, in order. Raises :class:`Refused` when there is nothing to run it with."""
    install, uninstall = _tools(found)
    again = "--reinstall" if _by_uv(found) else "--force-reinstall"
    install += _source(step)
    lines = []
    if step.remove:
        lines.append([*uninstall, *step.remove])
    if step.requirements:
        lines.append([*install, *(["--no-deps"] if step.exact else []), *step.requirements])
    if step.again:
        lines.append([*install, again, "--no-deps", *step.again])
    return lines


def rehearsal(step: InstallPackage, found: Environment) -> list[str]:
    """The command that says what an installation would change, and changes nothing."""
    install, _uninstall = _tools(found)
    flags = ["--dry-run"] if _by_uv(found) else ["--dry-run", "--quiet", "--report", "-"]
    return [*install, *_source(step), *flags, *step.requirements]


def _source(step: InstallPackage) -> list[str]:
    """A framework's own index, if it is one of our table: a journal can be anybody's."""
    if step.index and not is_index(step.index):
        raise Refused("index-unknown", address=step.index)
    return ["--extra-index-url", step.index] if step.index else []


def staging(step: InstallPackage, found: Environment, folder: str) -> list[str]:
    """The command that puts what a rehearsed step would install into a folder of its own."""
    install, _uninstall = _tools(found)
    exact = [f"{one.name}=={one.after}" for one in step.changes or () if one.after]
    return [*install, *_source(step), "--no-deps", "--target", folder, *exact]


def _by_uv(found: Environment) -> bool:
    return not found.pip or (found.uv and bool(_uv()))


def _tools(found: Environment) -> tuple[list[str], list[str]]:
    """The beginnings of the commands that install and uninstall."""
    if not _by_uv(found):
        pip = [found.python, "-m", "pip", "--no-input", "--disable-pip-version-check"]
        return [*pip, "install"], [*pip, "uninstall", "--yes"]
    uv = _uv()
    if not uv:
        raise Refused("no-pip", python=quote(found.python, "sh"))
    where = ["--python", found.python]
    return [uv, "pip", "install", *where], [uv, "pip", "uninstall", *where]


def _uv() -> str:
    """uv, also where its installer puts it without a terminal knowing of it yet."""
    home = os.path.expanduser("~")
    places = [os.path.join(home, *parts) for parts in ((".local", "bin"), (".cargo", "bin"))]
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *places]
    name = "uv.exe" if os.name == "nt" else "uv"
    # Looked for by ourselves: Windows' own way begins in the current folder, which could be
    # anybody's, and so could one that is named from there.
    found = (os.path.join(folder, name) for folder in folders)
    return next((path for path in found if os.path.isfile(path) and is_own(path)), "")


class Output(NamedTuple):
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def end(self) -> str:
        """The last lines, for the person."""
        lines = f"{self.out}\n{self.err}".strip().splitlines()
        # What it is about is said before; a second cry helps nobody.
        ends = (re.sub(r"(?i)^(error|warning): *", "", line.strip()) for line in lines[-3:])
        return " / ".join(ends)


def run(command: list[str], cancel: threading.Event, lock: tuple[int, ...] = ()) -> Output:
    """Run to the end. Raises :class:`Refused` when it can't be started, or was stopped."""
    if cancel.is_set():
        raise Refused("stopped")
    with refusing("python-not-started", python=command[0]):
        process = _begun(command, subprocess.PIPE, lock)
    try:
        out, err = _watch(process, cancel)
    except BaseException:
        _stop(process)
        raise
    texts = (data.decode("utf-8", "replace") for data in (out, err))
    return Output(process.returncode, *texts)


def _watch(process: subprocess.Popen[bytes], cancel: threading.Event) -> tuple[bytes, bytes]:
    waited = 0.0
    while True:
        try:
            return process.communicate(timeout=0.2)
        except subprocess.TimeoutExpired:
            waited += 0.2
        if cancel.is_set() or waited > _PIP_SECONDS:
            raise Refused("stopped")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ask first: pip puts back what it is replacing when it is interrupted."""
    for number in (signal.SIGINT, _KILL):
        _send(process, number)
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_STOP_SECONDS)
            return
