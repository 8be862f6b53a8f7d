"""What starting a Python environment sets, read from its files: none of them is run.

Programs of an environment that isn't active now start with these once it is, notebooks with what
their kernel says. Only what is written out counts
(``export LD_LIBRARY_PATH=$CONDA_PREFIX/lib:$LD_LIBRARY_PATH``); what a script works out by itself,
or does on a condition, stays unknown.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from string import Template

from cudnn_assistant.machine import PythonEnvironment
from cudnn_assistant.probe.files.disk import Disk, json_object
from cudnn_assistant.probe.trials.shell_script import Setting, settings
from cudnn_assistant.regex import regex

_MATTERS = regex(r"LD_(LIBRARY_PATH|PRELOAD)|(CUDA|CUDNN|NVIDIA|TORCH|TF|XLA|JAX)_\w+")
_NAME = regex(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", re.ASCII)
_LONGEST = 1 << 17
"""Linux starts no program with a longer variable."""
_ROOM = 1 << 21
"""Characters that all that is set may have; Linux gives programs no more."""
_MOST = 500
"""Files of one folder that are read."""


def activated(environment: Mapping[str, str], one: PythonEnvironment) -> dict[str, str]:
    """The environment of a program that starts once ``one`` is activated (Linux).

    What its files don't say for certain stays as it was. Jupyter's kernels activate nothing.
    """
    if one.id in (environment.get("CONDA_PREFIX"), environment.get("VIRTUAL_ENV")):
        return dict(environment)
    told = {v.name: Template(v.value.text).safe_substitute(environment) for v in one.set_by_kernels}
    told = {name: text for name, text in told.items() if _can_be_held(text)}
    if any(name.startswith("LD_") for name in told):
        return {**environment, **told}
    given: dict[str, str | None] = {"CONDA_PREFIX": one.id, "VIRTUAL_ENV": one.id}
    shell = _Shell(dict(environment), dict.fromkeys(environment, True))
    disk = Disk("linux")
    for path in activation_files(one):
        script = path.endswith((".sh", "activate"))
        for said in (settings if script else _of_json)(disk.text(path)):
            if said.name not in given:
                shell.hear(said, given)
    return shell.left(environment) | told


class _Shell:
    """The variables of a shell, as far as they are known."""

    def __init__(self, texts: dict[str, str | None], exported: dict[str, bool | None]) -> None:
        self.texts = texts
        """``None``: set or not, nobody knows."""
        self.exported = exported
        """``None``: nobody knows."""
        self.room = _ROOM

    def hear(self, said: Setting, given: dict[str, str | None]) -> None:
        """Do what a script says."""
        if said.kind == "export":
            self.exported[said.name] = True
        elif said.kind == "unset":
            self.texts.pop(said.name, None)
            self.exported[said.name] = False
        elif said.kind == "unknown":
            self.texts[said.name] = self.exported[said.name] = None
        else:
            known = ChainMap(given, self.texts)
            text = said.text if said.literal else _filled(said.text, known)
            self.room -= len(text or "")
            self.texts[said.name] = text if self.room > 0 else None

    def left(self, environment: Mapping[str, str]) -> dict[str, str]:
        """What a program gets: what isn't known is as it was."""
        result = dict(environment)
        for name in filter(_MATTERS.fullmatch, sorted({*environment, *self.texts})):
            text, exported = self.texts.get(name, ""), self.exported.get(name, False)
            if text is None or exported is None or not _can_be_held(text):
                continue
            if name in self.texts and exported:
                result[name] = text
            else:
                result.pop(name, None)
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


def _of_json(text: str) -> Iterator[Setting]:
    """The same of conda's records: one of names alone, or its "state" with all that it knows."""
    found = json_object(text)
    pairs = found.get("env_vars", found)
    if isinstance(pairs, dict):
        for name, value in pairs.items():
            if isinstance(value, str):
                yield Setting(str(name), "set", value, literal=True)
                yield Setting(str(name), "export")


def _filled(text: str, known: Mapping[str, str | None]) -> str | None:
    """The text with its names replaced, as a shell does; ``None`` for what only a shell can do."""
    named = [known.get(match[1] or match[2], "") for match in _NAME.finditer(text)]
    values = [one for one in named if one is not None]
    # A list that is put before itself again and again would grow beyond all memory.
    if len(values) < len(named) or sum(map(len, values)) > _LONGEST:
        return None
    if {*"${~"} & {*_NAME.sub("", text)}:
        return None
    filled = iter(values)
    return _NAME.sub(lambda _match: next(filled), text)


def _can_be_held(value: str) -> bool:
    """Whether a program can be started with it at all."""
    whole = not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value)
    return whole and len(value) <= _LONGEST
