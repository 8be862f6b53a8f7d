"""The kind of step that changes packages of one Python environment, by its own pip (or uv)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator

from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.plan import InstallPackage, project
from cudnn_assistant.system import Refused
from cudnn_assistant.wording import _

_QUERY = """
import importlib.metadata as m, json, os, sys, sysconfig
marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
managed = sys.prefix == sys.base_prefix and os.path.exists(marker)
try:
    import pip
except ImportError:
    pip = None
packages = {d.metadata["Name"]: d.version for d in m.distributions() if d.metadata["Name"]}
print(json.dumps({"managed": managed, "pip": pip is not None, "packages": packages}))
"""
_QUERY_SECONDS = 60
_PIP_SECONDS = 3600


def compare(step: InstallPackage, _tools: Tools) -> None:
    """Refuse when the environment must not be changed, or is no longer as the plan saw it."""
    found = _ask(step.python)
    if found["managed"]:
        raise Refused(
            _("{python} belongs to the system, which looks after its packages itself.").format(
                python=step.python
            )
        )
    now = {project(name): version for name, version in found["packages"].items()}
    touched = {project(text) for text in (*step.requirements, *step.remove)}
    for package in step.before:
        name = project(package.name)
        if name in touched and now.get(name, "") != package.version:
            raise Refused(
                _(
                    "{name} was changed by another program since we looked. "
                    "Check again to see the present value."
                ).format(name=package.name)
            )


def _ask(python: str) -> dict[str, dict[str, str]]:
    try:
        done = subprocess.run(
            [python, "-c", _QUERY],
            cwd=os.path.dirname(python) or None,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_QUERY_SECONDS,
            env=_environment(),
        )
        answer: dict[str, dict[str, str]] = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as trouble:
        raise Refused(_("{python} could not be started.").format(python=python)) from trouble
    return answer


def _environment() -> dict[str, str]:
    """Ours, without what would lead another Python astray; pip's own settings stay."""
    leading = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {name: text for name, text in os.environ.items() if name not in leading}


def do(step: InstallPackage, tools: Tools) -> None:
    """Run the environment's own pip; uv where the environment has no pip."""
    for command in _commands(step):
        tools.tell("packages", 0, 0)
        _run(command, tools)


def _commands(step: InstallPackage) -> Iterator[list[str]]:
    if _ask(step.python)["pip"]:
        pip = [step.python, "-m", "pip", "--no-input", "--disable-pip-version-check"]
        uninstall, install = [*pip, "uninstall", "--yes"], [*pip, "install"]
    else:
        uv = _uv(step.python)
        uninstall = [uv, "pip", "uninstall", "--python", step.python]
        install = [uv, "pip", "install", "--python", step.python]
    if step.remove:
        yield [*uninstall, *step.remove]
    if step.requirements:
        yield [*install, *step.requirements]


def _uv(python: str) -> str:
    uv = shutil.which("uv")
    if not uv:
        raise Refused(_("{python} has no pip to change its packages with.").format(python=python))
    return uv


def _run(command: list[str], tools: Tools) -> None:
    if tools.cancel.is_set():
        raise Refused(_("Stopped, as you wished."))
    try:
        process = subprocess.Popen(
            command,
            # Not where we were started: a file there could pose as a module of pip.
            cwd=os.path.dirname(command[0]) or None,
            # If we are killed, nobody begins anything until pip has ended.
            pass_fds=tools.lock,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=_environment(),
        )
    except OSError as trouble:
        raise Refused(_("{python} could not be started.").format(python=command[0])) from trouble
    output = _watch(process, tools)
    if process.returncode:
        raise Refused(
            _("The packages could not be changed. Last lines: {text}").format(text=_end(output))
        )


def _watch(process: subprocess.Popen[bytes], tools: Tools) -> bytes:
    waited = 0.0
    while True:
        try:
            return process.communicate(timeout=0.5)[0]
        except subprocess.TimeoutExpired:
            waited += 0.5
        if tools.cancel.is_set() or waited > _PIP_SECONDS:
            process.terminate()
            process.communicate()
            raise Refused(_("Stopped, as you wished."))


def _end(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return " / ".join(line.strip() for line in lines[-3:])


def put_back(step: InstallPackage, tools: Tools, settle: bool) -> bool:
    """Install the versions before again and uninstall what was not there."""
    from cudnn_assistant.plan.undoing import packages_back

    back = packages_back(step)
    if back is None or not (settle or _differs(step)):
        return False
    do(back, tools)
    return True


def _differs(step: InstallPackage) -> bool:
    now = {project(name): version for name, version in _ask(step.python)["packages"].items()}
    before = {project(package.name): package.version for package in step.before}
    names = {project(text) for text in (*step.requirements, *step.remove)}
    return any(now.get(name) != before.get(name) for name in names)


def reached(_step: InstallPackage) -> bool:
    """A run of pip that was not journalled as done may be a half one."""
    return False


def tidy(_step: InstallPackage, _tools: Tools) -> None:
    """Nothing beside the environment itself."""
