"""What a look may run without asking: the code that the person's own programs run anyway."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from glob import escape, glob
from itertools import product
from types import MappingProxyType

import msgspec

from cudnn_assistant import envpath
from cudnn_assistant.machine import CudnnCopy, Doubt, Family, PythonEnvironment
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.files.ownership import doubt, with_libraries, with_modules
from cudnn_assistant.probe.libraries.folders import LIES_THERE
from cudnn_assistant.probe.pythons.environments import library_folders
from cudnn_assistant.probe.pythons.layout import pyvenv_config
from cudnn_assistant.probe.running.person import uid
from cudnn_assistant.probe.trials.activation import activation_files
from cudnn_assistant.probe.trials.child_environment import beside
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import series

Reason = tuple[Doubt, str]
"""A doubt and the file or folder it is about; ("", "") for none."""
_LOOKED_AROUND = {"project"}
"""Ways of finding an environment that only say that it lies there."""
BRINGING = ("LD_PRELOAD", "LD_AUDIT", "CUDA_INJECTION64_PATH")
"""Variables whose libraries come into every program, or into every one that uses CUDA."""
_TOKEN = regex(r"(\$(?:LIB|PLATFORM|ORIGIN)\b|\$\{(?:LIB|PLATFORM|ORIGIN)\})")
_TOKENS = {
    "LIB": ("lib", "lib64", f"lib/{platform.machine()}-linux-gnu"),
    "PLATFORM": (platform.machine(), "haswell", "xeon_phi"),
    "ORIGIN": (os.path.dirname(os.path.realpath(sys.executable)),),
}
"""What the loader puts in their place (ld.so(8))."""


class Trust(msgspec.Struct, frozen=True):
    """Whose word counts: the person's, as far as they gave it."""

    family: Family
    folders: Sequence[str] = ()
    """The person said yes to what lies here. Root takes nothing from others even so."""

    def environment(
        self, one: PythonEnvironment, variables: Mapping[str, str] = MappingProxyType({})
    ) -> Reason:
        """What speaks against running an environment's libraries and frameworks.

        ``variables`` are those that its own Python is started with, where it is.
        """
        ours = os.path.realpath(one.id) == os.path.realpath(sys.prefix)
        if set(one.found_via) <= _LOOKED_AROUND and not ours and not self._named(one.id):
            return "place", one.id
        files = [path for folder in library_folders(one) for path in with_libraries(folder)]
        sites = (*one.sites, *_sites_besides(one, variables))
        modules = [path for site in sites for path in with_modules(site)]
        # What it is started with decides as well what is loaded.
        hooks = activation_files(one) if self.family == "linux" else []
        hooks += [
            kernel.path for kernel in one.notebooks if kernel.variables and one.set_by_kernels
        ]
        return self._first([*_interpreter(one, self.family), *files, *modules, *hooks])

    def copy(self, copy: CudnnCopy, pythons: Mapping[str, PythonEnvironment]) -> Reason:
        """What speaks against loading one copy of cuDNN."""
        if set(copy.found_via) == {LIES_THERE} and not self._named(copy.folder):
            return "place", copy.folder
        if copy.environment in pythons:
            found = self.environment(pythons[copy.environment])
            if found[0]:
                return found
        return self._first(
            [p for f in (copy.folder, *beside(copy.folder, self.family)) for p in with_libraries(f)]
        )

    def folder(self, folder: str) -> Reason:
        """What speaks against loading the libraries of a folder."""
        return self._first(with_libraries(folder))

    def surroundings(self, environment: Mapping[str, str], folder: str = "") -> Reason:
        """What the person's settings would bring into any program: preloads, searched folders."""
        if self.family == "windows":
            return "", ""
        brought = _spelled(re.split("[: ]", ":".join(environment.get(n, "") for n in BRINGING)))
        listed = _spelled(envpath.searched(environment.get("LD_LIBRARY_PATH", ""), "linux"))
        searched = (os.path.join(folder or "/", entry) for entry in listed)
        found = [path for entry in searched if os.path.isdir(entry) for path in _code(entry)]
        return self._first([*filter(os.path.isabs, brought), *found])

    def program(self, one: PythonEnvironment, environment: Mapping[str, str]) -> Reason:
        """What speaks against running an environment's own programs, as they are started."""
        found = self.surroundings(environment)
        return found if found[0] else self.environment(one, environment)

    def _first(self, paths: Sequence[str]) -> Reason:
        root = uid() == 0 and sys.platform != "win32"
        asked = (path for path in paths if root or not self._named(path))
        return next(((found, path) for path in asked if (found := doubt(path, uid()))), ("", ""))

    def _named(self, path: str) -> bool:
        return any(envpath.inside(path, folder, self.family) for folder in self.folders)


def _interpreter(one: PythonEnvironment, family: Family) -> list[str]:
    """An environment's interpreter, what says where its standard library lies, and that."""
    config = os.path.join(one.id, "pyvenv.cfg")
    if family == "windows":
        # A virtual environment's own is no link: it starts the one that its settings name.
        named = pyvenv_config(Disk(family).text(config)).get("home", "")
        base = named or os.path.dirname(one.python) or one.id
        libraries = [*with_libraries(base), os.path.join(base, "Lib"), os.path.join(base, "DLLs")]
    else:
        base = os.path.dirname(os.path.dirname(os.path.realpath(one.python)))
        library = os.path.join(base, "lib", f"python{series(one.version)}")
        libraries = [library, os.path.join(library, "lib-dynload")]
    return [one.python or one.id, config, *libraries]


def _sites_besides(one: PythonEnvironment, variables: Mapping[str, str]) -> list[str]:
    """Folders that an environment's Python imports from before or besides its own."""
    listed = filter(os.path.isabs, variables.get("PYTHONPATH", "").split(os.pathsep))
    home = variables.get("HOME", "")
    user = variables.get("PYTHONUSERBASE") or (os.path.join(home, ".local") if home else "")
    within = all(envpath.inside(site, one.id, "linux") for site in one.sites)
    alone = (one.kind in ("venv", "pipx") and within) or "PYTHONNOUSERSITE" in variables
    below = os.path.join(user, "lib", f"python{series(one.version)}", "site-packages")
    return [*dict.fromkeys(listed), *([below] if user and not alone else [])]


def _spelled(entries: Iterable[str]) -> Iterator[str]:
    """Each entry of a list that the loader reads, once, in each way that it spells its tokens."""
    for entry in dict.fromkeys(entries):
        pieces: list[str] = _TOKEN.split(entry)
        tokens = dict.fromkeys(pieces[1::2])
        for meant in product(*(_TOKENS[token.strip("${}")] for token in tokens)):
            spelled = dict(zip(tokens, meant, strict=True))
            yield "".join(spelled.get(piece, piece) for piece in pieces)


def _code(folder: str) -> list[str]:
    """A folder with its libraries; nothing where it has none that could be loaded."""
    # The loader takes a library for a newer processor from a folder below.
    below = glob(os.path.join(escape(folder), "glibc-hwcaps", "*"))
    found = [path for one in (folder, *below) for path in with_libraries(one)]
    return found if len(found) > 1 else []
