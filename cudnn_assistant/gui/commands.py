"""A plan as commands, for those who would rather type: the same values, nothing else."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from cudnn_assistant.machine import Family
from cudnn_assistant.plan import (
    InstallArchive,
    InstallPackage,
    Plan,
    RemoveArchive,
    RunInstaller,
    SetVariable,
    Step,
)
from cudnn_assistant.system import loader_folders

_LOADER = "/etc/ld.so.conf.d/cudnn-assistant.conf"
Quote = Callable[[str], str]

_KEYS = {
    "user": r"HKCU\Environment",
    "machine": r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment",
}


def commands(plan: Plan, family: Family) -> str:
    """One command a line: PowerShell on Windows, a POSIX shell on Linux."""
    quote = _quote_windows if family == "windows" else shlex.quote
    return "\n".join(line for step in plan.steps for line in _of(step, family, quote))


def _quote_windows(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _of(step: Step, family: Family, quote: Quote) -> list[str]:
    match step:
        case SetVariable():
            return [_registry(step, quote) if family == "windows" else _export(step, quote)]
        case InstallArchive():
            return _archive(step, family, quote)
        case RemoveArchive():
            folder = quote(step.archive.folder)
            return [f"Remove-Item -Recurse {folder}" if family == "windows" else f"rm -r {folder}"]
        case InstallPackage():
            return _packages(step, family, quote)
        case RunInstaller():
            return list(step.commands) or [f"# {step.link}"]


def _registry(step: SetVariable, quote: Quote) -> str:
    key = quote(_KEYS.get(step.scope, _KEYS["user"]))
    if step.after is None:
        return f"reg delete {key} /v {quote(step.name)} /f"
    kind = "REG_EXPAND_SZ" if step.after.expand else "REG_SZ"
    return f"reg add {key} /v {quote(step.name)} /t {kind} /d {quote(step.after.text)} /f"


def _export(step: SetVariable, quote: Quote) -> str:
    if step.scope == "machine":
        folders = step.after.text.split(":") if step.after else []
        return "\n".join(loader_folders.commands(_LOADER, folders))
    if step.after is None:
        return f"unset {step.name}"
    if step.name.endswith("PATH") and step.name not in ("CUDA_PATH", "CUDNN_PATH"):
        rest = f'"${{{step.name}:+:${step.name}}}"'
        return f"export {step.name}={quote(step.after.text)}{rest}"
    return f"export {step.name}={quote(step.after.text)}"


def _packages(step: InstallPackage, family: Family, quote: Quote) -> list[str]:
    pip = f"{'& ' if family == 'windows' else ''}{quote(step.python)} -m pip"
    gone = " ".join(quote(name) for name in step.remove)
    wanted = " ".join(quote(text) for text in step.requirements)
    uninstall = [f"{pip} uninstall -y {gone}"] if gone else []
    again = " ".join(quote(text) for text in step.again)
    alone = "--no-deps " if step.exact else ""
    install = [f"{pip} install {alone}{wanted}"] if wanted else []
    anew = [f"{pip} install --force-reinstall --no-deps {again}"] if again else []
    return uninstall + install + anew


def _archive(step: InstallArchive, family: Family, quote: Quote) -> list[str]:
    name = step.download.url.rsplit("/", 1)[-1]
    get = "curl.exe" if family == "windows" else "curl"
    return [
        f"{get} -fL -o {quote(name)} {quote(step.download.url)}",
        f"# SHA-256: {step.download.sha256}",
        f"mkdir {quote(step.folder)}" if family == "windows" else f"mkdir -p {quote(step.folder)}",
        f"tar -xf {quote(name)} -C {quote(step.folder)} --strip-components=1",
    ]
