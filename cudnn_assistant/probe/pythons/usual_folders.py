"""Where Python environments are usually kept: a table of folders, and a bounded look around.

Nothing here judges: it names candidates (an interpreter or a folder) with how they were found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from cudnn_assistant.envpath import is_list, split
from cudnn_assistant.machine import EnvironmentKind
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex


class Candidate(msgspec.Struct, frozen=True):
    """A folder that may be the root of an environment, or an interpreter in one."""

    path: str
    via: str
    kind: EnvironmentKind = ""
    """What it is if its own files don't say: where it was found often does."""


class Place(msgspec.Struct, frozen=True):
    """Folders that are environments."""

    base: str
    """A variable of the environment that names the folder they lie below (unset, they are no
    place), or that folder."""
    via: str
    kind: EnvironmentKind
    patterns: tuple[str, ...]


_ENVIRONMENTS = tuple(
    name + tail
    for name in ("miniconda*", "anaconda*", "miniforge*", "mambaforge*", "micromamba", "conda")
    for tail in ("", "/envs/*")
)
_LINUX = (
    Place("UV_PROJECT_ENVIRONMENT", "uv", "venv", ("",)),
    Place("HOME", "common-folder", "", (
        ".venv", "venv*", "env", "envs/*", "venvs/*", ".venvs/*", ".envs/*", ".virtualenvs/*",
        "virtualenvs/*")),
    Place("XDG_DATA_HOME", "pipenv", "", ("virtualenvs/*",)),
    Place("XDG_CACHE_HOME", "poetry", "", ("pypoetry/virtualenvs/*",)),
    Place("XDG_DATA_HOME", "hatch", "", ("hatch/env/virtual/*/*/*",)),
    Place("XDG_DATA_HOME", "pdm", "", ("pdm/venvs/*",)),
    Place("XDG_DATA_HOME", "uv", "uv", ("uv/tools/*", "uv/python/*")),
    Place("XDG_DATA_HOME", "pipx", "pipx", ("pipx/venvs/*",)),
    Place("HOME", "pipx", "pipx", (".local/pipx/venvs/*",)),
    Place("/", "pipx", "pipx", ("opt/pipx/venvs/*",)),
    Place("HOME", "pyenv", "pyenv", (".pyenv/versions/*",)),
    Place("HOME", "pyenv", "", (".pyenv/versions/*/envs/*",)),
    Place("HOME", "asdf", "", (".asdf/installs/python/*",)),
    Place("XDG_DATA_HOME", "mise", "", ("mise/installs/python/*",)),
    Place("HOME", "common-folder", "", ("pinokio/api/*/env", "pinokio/api/*/app/env")),
    Place("HOME", "conda", "", (*_ENVIRONMENTS, ".conda/envs/*", ".pixi/envs/*")),
    Place("XDG_DATA_HOME", "conda", "", ("mamba/envs/*", "r-miniconda/envs/*")),
    Place("/usr/local", "conda", "", _ENVIRONMENTS),
    Place("/opt", "conda", "", _ENVIRONMENTS),
    Place("/", "common-folder", "", (
        "opt/*", "opt/*/venv", "opt/*/.venv", "srv/*/venv", "workspace/*", "workspace/*/venv",
        "app/.venv", "app/venv", "venv")),
)  # fmt: skip

_WINDOWS = (
    Place("USERPROFILE", "common-folder", "", (
        ".venv", "venv*", "env", "envs/*", "venvs/*", ".virtualenvs/*")),
    Place("LOCALAPPDATA", "poetry", "", ("pypoetry/Cache/virtualenvs/*",)),
    Place("LOCALAPPDATA", "hatch", "", ("hatch/env/virtual/*/*/*",)),
    Place("LOCALAPPDATA", "pdm", "", ("pdm/pdm/venvs/*",)),
    Place("APPDATA", "uv", "uv", (
        "uv/tools/*", "uv/python/*", "uv/data/tools/*", "uv/data/python/*")),
    Place("USERPROFILE", "pipx", "pipx", ("pipx/venvs/*", ".local/pipx/venvs/*")),
    Place("LOCALAPPDATA", "pipx", "pipx", ("pipx/pipx/venvs/*",)),
    Place("USERPROFILE", "pyenv", "pyenv", (".pyenv/pyenv-win/versions/*",)),
    Place("LOCALAPPDATA", "common-folder", "registered", ("Programs/Python/*", "Python/python*")),
    Place("PROGRAMFILES", "common-folder", "registered", ("Python3*",)),
    Place("SYSTEMDRIVE", "common-folder", "registered", ("Python3*",)),
    *(
        Place(base, "conda", "", _ENVIRONMENTS)
        for base in ("USERPROFILE", "LOCALAPPDATA", "PROGRAMDATA", "SYSTEMDRIVE")
    ),
    Place("USERPROFILE", "conda", "", (".conda/envs/*", ".pixi/envs/*")),
    Place("LOCALAPPDATA", "store", "store", ("Packages/PythonSoftwareFoundation.Python.*",)),
    Place("APPDATA", "common-folder", "", ("StabilityMatrix/Packages/*/venv",)),
    Place("SYSTEMDRIVE", "common-folder", "", (
        "pinokio/api/*/env", "pinokio/api/*/app/env")),
    Place("SYSTEMDRIVE", "conda", "", ("pinokio/bin/miniconda",)),
)  # fmt: skip

_NAMED = (
    Place("POETRY_VIRTUALENVS_PATH", "poetry", "", ("*",)),
    Place("POETRY_CACHE_DIR", "poetry", "", ("virtualenvs/*",)),
    Place("WORKON_HOME", "common-folder", "", ("*",)),
    Place("UV_TOOL_DIR", "uv", "uv", ("*",)),
    Place("UV_PYTHON_INSTALL_DIR", "uv", "uv", ("*",)),
    Place("PIPX_HOME", "pipx", "pipx", ("venvs/*",)),
    Place("PYENV_ROOT", "pyenv", "pyenv", ("versions/*",)),
    Place("MAMBA_ROOT_PREFIX", "conda", "", ("envs/*",)),
    Place("CONDA_ENVS_PATH", "conda", "", ("*",)),
    Place("CONDA_ENVS_DIRS", "conda", "", ("*",)),
)
_XDG = {"XDG_DATA_HOME": ".local/share", "XDG_CACHE_HOME": ".cache"}
"""Linux: where these lie below a person's home as long as no variable says (XDG Base Directory)."""
PLACES = {"linux": (*_LINUX, *_NAMED), "windows": (*_WINDOWS, *_NAMED)}

INSIDE_PROJECTS = (
    ".venv", "venv", "env", ".env", ".pixi/envs/*", "python_embeded", "python_embedded", "python",
)  # fmt: skip
"""What a project calls the environments inside it ("embeded" is ComfyUI's spelling)."""

_PASSED_OVER = frozenset({
    "node_modules", "__pycache__", "site-packages", "appdata", "library", "go", "snap",
    "windows", "programdata", "users", "perflogs", "recovery", "proc", "sys", "dev", "run",
    "lost+found", "program files", "program files (x86)", "system volume information",
    "$recycle.bin",
})  # fmt: skip
"""Folders (lower case) that hold no projects but very many files."""

MOST_FOLDERS = 4_000
"""Folders that one look around lists; a home of usual size has a few hundred."""


def known_places(disk: Disk, variables: Mapping[str, str], *, network: bool) -> Iterator[Candidate]:
    """The candidates of the table that exist; on the ``network`` only where that is wanted."""
    home = variables.get("HOME", "")
    unset = {name: disk.join(home, below) for name, below in _XDG.items() if home}
    for place in PLACES[disk.family]:
        named = variables.get(place.base) or unset.get(place.base, "")
        text = place.base if place.base.startswith("/") else named
        several = is_list(place.base, disk.family)
        for base in filter(None, split(text, disk.family) if several else [text]):
            root = disk.paths.sep if base.endswith(":") else ""
            for path in disk.matching(base + root, place.patterns, network=network):
                yield Candidate(path, place.via, place.kind)


def is_environment(disk: Disk, folder: str) -> bool:
    """Whether a folder's own files say that it is an environment (not: a whole installation)."""
    return (
        disk.is_file(disk.join(folder, "pyvenv.cfg"))
        or disk.is_folder(disk.join(folder, "conda-meta"))
        or (disk.family == "windows" and disk.is_file(disk.join(folder, "python.exe")))
    )


class LookAround:
    """Environments near people's projects, with one limit for all that it lists."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._left = MOST_FOLDERS
        self._stay_out = True
        self._seen: set[str] = set()

    @property
    def cut_short(self) -> bool:
        """The limit was passed: there may be more."""
        return self._left < 0

    def below(self, start: str, depth: int) -> Iterator[str]:
        """Environments at ``start``, in its folders to ``depth`` levels, and one inside each.

        Breadth first; enters no folder twice, no hidden folder, and no network mount unless
        ``start`` is on one.
        """
        self._stay_out = not self._disk.remote(start)
        level = [start]
        for _ in range(depth + 1):
            following: list[str] = []
            for folder in level:
                if is_environment(self._disk, folder):
                    yield folder
                else:
                    yield from self.inside(folder)
                    following.append(folder)
            level = [path for folder in following for path in self._children(folder)]

    def inside(self, project: str) -> Iterator[str]:
        """The environments that a project folder holds under a usual name."""
        found = self._disk.matching(project, INSIDE_PROJECTS)
        return (path for path in found if is_environment(self._disk, path))

    def _children(self, folder: str) -> Iterator[str]:
        self._left -= 1
        if self._left < 0:
            return
        # Only what a link leads to can be met twice: a folder has one parent.
        for entry in self._disk.entries(folder):
            name = entry.name.lower()
            if not entry.folder or name.startswith(".") or name in _PASSED_OVER:
                continue
            path = self._disk.join(folder, entry.name)
            if self._stay_out and self._disk.remote(path):
                continue
            key = self._disk.key(path) if entry.link else path
            if key not in self._seen:
                self._seen.add(key)
                yield path


PROJECT_FOLDERS = regex(
    r"(?i)code|src|source|projects?|git|github|gitlab|repos?|dev|development|work|workspace|ai|ml"
    r"|documents|desktop|downloads|pycharmprojects|onedrive(?: - .*)?|notebooks|experiments"
    r"|research|uni|study"
)
"""Folders under home that hold projects, and are therefore looked into one level deeper."""
