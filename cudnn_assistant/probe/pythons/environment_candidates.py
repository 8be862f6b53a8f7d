"""In what order candidates for Python environments are looked at, and where they come from."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from cudnn_assistant.envpath import inside, split
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.files.windows_registry import Registry
from cudnn_assistant.probe.pythons.kernels import kernels
from cudnn_assistant.probe.pythons.layout import STORE
from cudnn_assistant.probe.pythons.usual_folders import (
    Candidate,
    LookAround,
    known_places,
    of_projects,
)
from cudnn_assistant.versions import numbers

_MOST_PATH_ENTRIES = 2_000
_MOST_PARENTS = 12
_NAMES = {
    "linux": ("python", "python3", *(f"python3.{minor}" for minor in range(6, 20)),
              *(f"python3.{minor}t" for minor in range(13, 20))),
    "windows": ("python.exe", "python3.exe"),
}  # fmt: skip
_REGISTERED = r"Software\Python"
_HIVES = (
    Registry("HKEY_CURRENT_USER"),
    Registry("HKEY_LOCAL_MACHINE"),
    Registry("HKEY_LOCAL_MACHINE", "KEY_WOW64_32KEY"),
)


class Candidates:
    """The candidates on one computer, the ones a person is most likely to use first."""

    def __init__(
        self,
        disk: Disk,
        terminal: Mapping[str, str],
        current: str | None = None,
        registered: Iterable[str] | None = None,
    ) -> None:
        self._disk = disk
        self._terminal = terminal
        self._registered = registered
        self.home = terminal.get("USERPROFILE" if disk.family == "windows" else "HOME", "")
        self._current = current_folder() if current is None and not disk.root else current or ""
        self.around = LookAround(disk)

    @cached_property
    def home_is_remote(self) -> bool:
        """The person's home is on the network: its usual places are read, it isn't searched."""
        return self._disk.remote(self.home)

    def all(self, extra: str = "", folders: Sequence[str] = ()) -> Iterator[Candidate]:
        """Every candidate; the first that turns out to be an environment is the active one."""
        yield from self._active()
        if extra:
            yield Candidate(extra, "added")
        yield from self._on_path(*_NAMES[self._disk.family])
        yield from self._in_registry()
        for folder in folders:
            yield from self._below(folder, 3, "added")
        yield from known_places(self._disk, self._terminal, network=self.home_is_remote)
        yield from self._of_conda()
        yield from self._of_jupyter()
        yield from self._near_projects()

    def user_sites(self) -> list[str]:
        """Existing folders of packages of the person's own, for every version of Python."""
        above, usual, pattern = self.home, ".local", "lib/python3*/site-packages"
        if self._disk.family == "windows":
            above, usual = self._terminal.get("APPDATA", ""), "Python"
            pattern = "Python3*/site-packages"
        base = self._terminal.get("PYTHONUSERBASE") or self._disk.join(above, usual)
        known = self._disk.paths.isabs(base)
        network = self.home_is_remote
        return self._disk.matching(base, (pattern,), network=network) if known else []

    def _active(self) -> Iterator[Candidate]:
        """What ``python`` means: the first on PATH, else an activated environment."""
        activated = [
            Candidate(self._terminal[name], name)
            for name in ("VIRTUAL_ENV", "CONDA_PREFIX")
            if self._terminal.get(name)
        ]
        # It was activated in a terminal whose PATH we don't have, or its Python is gone.
        yield from (one for one in activated if not self._is_on_path(one.path))
        for name in _NAMES[self._disk.family][:2]:
            yield from islice(self._on_path(name), 1)
        yield from activated

    def _is_on_path(self, root: str) -> bool:
        """Whether the Python of an environment is in a folder of PATH."""
        below = "Scripts" if self._disk.family == "windows" else "bin"
        own = {self._disk.key(root), self._disk.key(self._disk.join(root, below))}
        found = self._on_path(*_NAMES[self._disk.family][:2])
        return any(self._disk.key(self._disk.parent(one.path)) in own for one in found)

    def _on_path(self, *names: str) -> Iterator[Candidate]:
        paths = (self._disk.join(folder, name) for name in names for folder in self._path)
        return (Candidate(meant, "PATH") for meant in map(self._meant, paths) if meant)

    @cached_property
    def _path(self) -> list[str]:
        listed = split(self._terminal.get("PATH", ""), self._disk.family)
        folders = (text.strip('" ') for text in listed)
        absolute = (folder for folder in folders if self._disk.paths.isabs(folder))
        unique = list(dict.fromkeys(absolute))[:_MOST_PATH_ENTRIES]
        return [folder for folder in unique if self._disk.is_folder(folder)]

    def _meant(self, path: str) -> str:
        """The interpreter behind ``path``: a chooser's script stands for the one it would start."""
        if self._disk.name(self._disk.parent(path)) == "shims":
            # On Windows they are python.bat, and beside it one without an ending for other shells.
            shim = path.removesuffix(".exe")
            return self._chosen_by_pyenv(shim) if self._disk.exists(shim) else ""
        if not self._disk.exists(path):
            return ""
        if self._disk.size(path):
            return path
        # Windows' own python.exe of length 0 starts the one from the store, else what Python's
        # install manager calls by that name, or opens the store.
        local = self._terminal.get("LOCALAPPDATA", "")
        stores = self._disk.matching(local, ("Packages/PythonSoftwareFoundation.Python.*",))
        by_version = sorted((numbers(STORE.sub(r"\1", self._disk.name(s))), s) for s in stores)
        managed = self._disk.join(local, "Python", "bin", self._disk.name(path))
        return by_version[-1][1] if by_version else managed

    def _chosen_by_pyenv(self, shim: str) -> str:
        root = self._disk.parent(self._disk.parent(shim))
        version = self._terminal.get("PYENV_VERSION", "").split(":")[0] or self._pyenv_version(root)
        disk, versions = self._disk, self._disk.join(root, "versions")
        below = ("bin", "python3") if disk.family == "linux" else ("python.exe",)
        # "3.12" is the newest 3.12 where nothing has just that name.
        longer = disk.matching(versions, (f"{version}.*",) if version else ())
        longer.sort(key=lambda folder: numbers(disk.name(folder)), reverse=True)
        for folder in (disk.join(versions, version or ".."), *longer):
            path = disk.paths.normpath(disk.join(folder, *below))
            # A project's own file says which version, never which other folder.
            if inside(path, versions, disk.family) and disk.is_file(path):
                return str(path)
        return ""

    def _pyenv_version(self, root: str) -> str:
        files = [self._disk.join(folder, ".python-version") for folder in self._parents()]
        texts = (self._disk.text(file, 400) for file in [*files, self._disk.join(root, "version")])
        return next((text.split()[0] for text in texts if text.split()), "")

    def _in_registry(self) -> Iterator[Candidate]:
        folders = _registered() if self._registered is None else self._registered
        for folder in folders:
            if "\\windowsapps\\" not in folder.lower():
                yield Candidate(folder, "registry", "registered")

    def _of_conda(self) -> Iterator[Candidate]:
        listed = self._disk.join(self.home, ".conda", "environments.txt")
        for line in self._disk.text(listed, 1 << 18).splitlines() if self.home else ():
            if self._disk.paths.isabs(line.strip()):
                yield Candidate(line.strip(), "conda")
        if command := self._terminal.get("CONDA_EXE"):
            base = self._disk.parent(self._disk.parent(command))
            for folder in (base, *self._disk.matching(base, ("envs/*",))):
                yield Candidate(folder, "conda")

    def _of_jupyter(self) -> Iterator[Candidate]:
        """What notebooks are run by: those of the person, then everybody's (jupyter_core.paths)."""
        told, windows = self._terminal.get, self._disk.family == "windows"
        data = told("XDG_DATA_HOME") or self._disk.join(self.home, ".local", "share")
        own = told("APPDATA", "") if windows else data
        shared = [told("PROGRAMDATA", "")] if windows else ["/usr/local/share", "/usr/share"]
        bases = [
            *split(told("JUPYTER_PATH", ""), self._disk.family),
            told("JUPYTER_DATA_DIR") or self._disk.join(own, "jupyter"),
            *(self._disk.join(one, "jupyter") for one in shared),
        ]
        for base in dict.fromkeys(filter(self._disk.paths.isabs, bases)):
            for program, kernel in kernels(self._disk, base, network=self.home_is_remote):
                yield Candidate(program, "jupyter", kernel=kernel)

    def _near_projects(self) -> Iterator[Candidate]:
        for folder in self._parents():
            for path in self.around.inside(folder):
                yield Candidate(path, "project")
        if self.home and not self.home_is_remote:
            for entry in self._disk.entries(self.home):
                if entry.folder and of_projects(entry.name):
                    yield from self._below(self._disk.join(self.home, entry.name), 2, "project")
            yield from self._below(self.home, 2, "project")
        for drive in self._disk.drives():
            yield from self._below(drive, 2, "project")

    def _below(self, folder: str, depth: int, via: str) -> Iterator[Candidate]:
        for path in self.around.below(folder, depth):
            yield Candidate(path, via)

    def _parents(self) -> list[str]:
        folder = self._current
        folders: list[str] = []
        while folder and len(folders) < _MOST_PARENTS and folder not in folders:
            folders.append(folder)
            folder = self._disk.parent(folder)
        return folders


def _registered() -> Iterator[str]:
    """Python installations that Windows' registry knows, those of 32 bits too (PEP 514)."""
    for registry in _HIVES:
        for company in registry.keys(_REGISTERED):
            for tag in registry.keys(rf"{_REGISTERED}\{company}"):
                folder = registry.text(rf"{_REGISTERED}\{company}\{tag}\InstallPath", "")
                # The launcher has an entry of its own beside the interpreters.
                if folder and company != "PyLauncher":
                    yield folder


def current_folder() -> str:
    """Where the person stands; "" where that folder is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""
