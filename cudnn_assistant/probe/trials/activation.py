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
from cudnn_assistant.regex import regex

_MATTERS = regex(r"LD_(LIBRARY_PATH|PRELOAD)|(CUDA|CUDNN|NVIDIA|TORCH|TF|XLA|JAX)_\w+")
_EXPORT = regex(
    r"""(?m)^export[ \t]+(\w+)=(?:"([^"`\\\n]*)"|'([^'\n]*)'|([^\s"'`;&|<>()\\]*))[ \t]*(?:#.*)?$"""
)
_NAME = regex(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.ASCII)
_LONGEST = 1 << 17
"""Linux starts no program with a longer variable."""
_MOST = 500
"""Files of one folder that are read."""


def activated(environment: Mapping[str, str], one: PythonEnvironment) -> dict[str, str]:
    """The environment of a program that starts once ``one`` is activated (Linux)."""
    result = dict(environment)
    known = {"CONDA_PREFIX": one.id, "VIRTUAL_ENV": one.id}
    disk = Disk("linux")
    for path in activation_files(one):
        script = path.endswith((".sh", "activate"))
        for name, text, literal in (_exports if script else _of_json)(disk.text(path)):
            value = text if literal else _filled(text, known | result)
            if value is not None and _MATTERS.fullmatch(name) and _can_be_held(value):
                result[name] = value
    return result


def activation_files(one: PythonEnvironment) -> list[str]:
    """What activating an environment reads, in that order; nothing where it is active already."""
    disk = Disk("linux")
    if one.active or one.kind not in ("conda", "venv", "uv"):
        return []
    if one.kind != "conda":
        return [disk.join(one.id, "bin", "activate")]
    hooks = disk.join(one.id, "etc", "conda")
    return [
        *_files(disk, disk.join(hooks, "activate.d"), ".sh"),
        *_files(disk, disk.join(hooks, "env_vars.d"), ".json"),
        disk.join(one.id, "conda-meta", "state"),
    ]


def _files(disk: Disk, folder: str, ending: str) -> list[str]:
    names = (name for name in disk.names(folder) if name.endswith(ending))
    return [disk.join(folder, name) for name in names][:_MOST]


def _exports(script: str) -> Iterator[tuple[str, str, bool]]:
    """Names with texts in the order they are set, and whether nothing in them is replaced.

    Only what stands at the beginning of a line: what is set on a condition is unknown.
    """
    for name, double, single, bare in _EXPORT.findall(script):
        yield name, double or single or bare, bool(single)


def _of_json(text: str) -> Iterator[tuple[str, str, bool]]:
    """The same of conda's records: one of names alone, or its "state" with all that it knows."""
    try:
        found = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return
    pairs = found.get("env_vars", found) if isinstance(found, dict) else ()
    if isinstance(pairs, dict):
        yield from ((str(n), v, True) for n, v in pairs.items() if isinstance(v, str))


def _filled(text: str, known: Mapping[str, str]) -> str | None:
    """The text with its names replaced, as a shell does; ``None`` for what only a shell can do."""
    named = [known.get(match[1] or match[2], "") for match in _NAME.finditer(text)]
    # A list that is put before itself again and again would grow beyond all memory.
    if {*"${~"} & {*_NAME.sub("", text)} or sum(map(len, named)) > _LONGEST:
        return None
    return _NAME.sub(lambda match: known.get(match[1] or match[2], ""), text)


def _can_be_held(value: str) -> bool:
    """Whether a program can be started with it at all."""
    whole = not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value)
    return whole and len(value) <= _LONGEST
