"""What activating a Python environment sets, read from its files: none of them is run.

Programs of an environment that isn't active now start with these once it is. Only what is written
out counts (``export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH``); what a script works out
by itself stays unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from cudnn_assistant.machine import PythonEnvironment
from cudnn_assistant.probe.files.disk import Disk

_MATTERS = re.compile(r"LD_(LIBRARY_PATH|PRELOAD)|(CUDA|CUDNN|NVIDIA|TORCH|TF|XLA|JAX)_\w+")
_EXPORT = re.compile(
    r"""(?m)^export[ \t]+(\w+)=(?:"([^"`\\\n]*)"|'([^'\n]*)'|([^\s"'`;&|<>()\\]*))[ \t]*(?:#.*)?$"""
)
_NAME = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def activated(environment: Mapping[str, str], one: PythonEnvironment) -> dict[str, str]:
    """The environment of a program that starts once ``one`` is activated (Linux)."""
    result = dict(environment)
    if one.active:
        return result
    known = {"CONDA_PREFIX": one.id, "VIRTUAL_ENV": one.id}
    for name, text, literal in _assignments(Disk("linux"), one):
        value = text if literal else _filled(text, known | result)
        if value is not None and _MATTERS.fullmatch(name):
            result[name] = value
    return result


def _assignments(disk: Disk, one: PythonEnvironment) -> Iterator[tuple[str, str, bool]]:
    """Names with texts in the order they are set, and whether nothing in them is replaced."""
    if one.kind == "conda":
        for path in _files(disk, disk.join(one.id, "etc", "conda", "activate.d"), ".sh"):
            yield from _exports(disk.text(path))
        for path in _files(disk, disk.join(one.id, "etc", "conda", "env_vars.d"), ".json"):
            yield from _of_json(disk.text(path))
        yield from _of_json(disk.text(disk.join(one.id, "conda-meta", "state")), "env_vars")
    elif one.kind in ("venv", "uv"):
        yield from _exports(disk.text(disk.join(one.id, "bin", "activate")))


def _files(disk: Disk, folder: str, ending: str) -> list[str]:
    return [disk.join(folder, name) for name in disk.names(folder) if name.endswith(ending)]


def _exports(script: str) -> Iterator[tuple[str, str, bool]]:
    """Only what stands at the beginning of a line: what is set on a condition is unknown."""
    for name, double, single, bare in _EXPORT.findall(script):
        yield name, double or single or bare, bool(single)


def _of_json(text: str, key: str = "") -> Iterator[tuple[str, str, bool]]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return
    pairs = found.get(key, {}) if key and isinstance(found, dict) else found
    if isinstance(pairs, dict):
        yield from ((str(n), v, True) for n, v in pairs.items() if isinstance(v, str))


def _filled(text: str, known: Mapping[str, str]) -> str | None:
    """The text with its names replaced, as a shell does; ``None`` for what only a shell can do."""
    if "$" in _NAME.sub("", text):
        return None
    return _NAME.sub(lambda match: known.get(match[1] or match[2], ""), text)
