"""Where Python environments are usually kept: a table of folders, and a bounded look around.

Nothing here judges: it names candidates (an interpreter or a folder) with how they were found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from cudnn_assistant.probe.files.disk import Disk

Kind = Literal[
    "", "venv", "conda", "system", "pyenv", "uv", "pipx", "store", "registered", "user-site"
]


class Candidate(NamedTuple):
    """A folder that may be the root of an environment, or an interpreter in one."""

    path: str
    via: str
    kind: Kind = ""
    """What it is if its own files don't say: where it was found often does."""


class Place(NamedTuple):
    """A folder whose sub-folders are environments (or that is one, without a final ``*``)."""

    pattern: str
    """``{NAME}`` is a variable of the environment; a place whose variable is unset is no place."""
    via: str
    kind: Kind = ""


_LINUX = (
    Place("{UV_PROJECT_ENVIRONMENT}", "uv", "venv"),
    Place("{HOME}/.venv", "common-folder"),
    Place("{HOME}/venv*", "common-folder"),
    Place("{HOME}/env", "common-folder"),
    Place("{HOME}/envs/*", "common-folder"),
    Place("{HOME}/venvs/*", "common-folder"),
    Place("{HOME}/.venvs/*", "common-folder"),
    Place("{HOME}/.envs/*", "common-folder"),
    Place("{HOME}/.virtualenvs/*", "common-folder"),
    Place("{HOME}/virtualenvs/*", "common-folder"),
    Place("{WORKON_HOME}/*", "common-folder"),
    Place("{HOME}/.local/share/virtualenvs/*", "pipenv"),
    Place("{HOME}/.cache/pypoetry/virtualenvs/*", "poetry"),
    Place("{HOME}/.local/share/hatch/env/virtual/*/*/*", "hatch"),
    Place("{HOME}/.local/share/uv/tools/*", "uv", "uv"),
    Place("{UV_TOOL_DIR}/*", "uv", "uv"),
    Place("{HOME}/.local/share/uv/python/*", "uv", "uv"),
    Place("{UV_PYTHON_INSTALL_DIR}/*", "uv", "uv"),
    Place("{HOME}/.local/share/pipx/venvs/*", "pipx", "pipx"),
    Place("{HOME}/.local/pipx/venvs/*", "pipx", "pipx"),
    Place("{PIPX_HOME}/venvs/*", "pipx", "pipx"),
    Place("/opt/pipx/venvs/*", "pipx", "pipx"),
    Place("{HOME}/.pyenv/versions/*", "pyenv", "pyenv"),
    Place("{PYENV_ROOT}/versions/*", "pyenv", "pyenv"),
    Place("{HOME}/.pyenv/versions/*/envs/*", "pyenv"),
    Place("{HOME}/.asdf/installs/python/*", "asdf"),
    Place("{HOME}/.local/share/mise/installs/python/*", "mise"),
    *(
        Place(f"{base}/{name}{tail}", "conda")
        for base in ("{HOME}", "/opt")
        for name in ("miniconda*", "anaconda*", "miniforge*", "mambaforge*", "micromamba", "conda")
        for tail in ("", "/envs/*")
    ),
    Place("{HOME}/.conda/envs/*", "conda"),
    Place("{HOME}/.local/share/mamba/envs/*", "conda"),
    Place("{MAMBA_ROOT_PREFIX}/envs/*", "conda"),
    Place("{CONDA_ENVS_PATH}/*", "conda"),
    Place("{HOME}/.local/share/r-miniconda/envs/*", "conda"),
    Place("/opt/*", "common-folder"),
    Place("/opt/*/venv", "common-folder"),
    Place("/opt/*/.venv", "common-folder"),
    Place("/srv/*/venv", "common-folder"),
    Place("/workspace/*", "common-folder"),
    Place("/workspace/*/venv", "common-folder"),
    Place("/app/.venv", "common-folder"),
    Place("/app/venv", "common-folder"),
    Place("/venv", "common-folder"),
)

_WINDOWS = (
    Place(r"{USERPROFILE}\.venv", "common-folder"),
    Place(r"{USERPROFILE}\venv*", "common-folder"),
    Place(r"{USERPROFILE}\env", "common-folder"),
    Place(r"{USERPROFILE}\envs\*", "common-folder"),
    Place(r"{USERPROFILE}\venvs\*", "common-folder"),
    Place(r"{USERPROFILE}\Envs\*", "common-folder"),
    Place(r"{USERPROFILE}\.virtualenvs\*", "common-folder"),
    Place(r"{WORKON_HOME}\*", "common-folder"),
    Place(r"{LOCALAPPDATA}\pypoetry\Cache\virtualenvs\*", "poetry"),
    Place(r"{APPDATA}\uv\tools\*", "uv", "uv"),
    Place(r"{UV_TOOL_DIR}\*", "uv", "uv"),
    Place(r"{APPDATA}\uv\python\*", "uv", "uv"),
    Place(r"{UV_PYTHON_INSTALL_DIR}\*", "uv", "uv"),
    Place(r"{USERPROFILE}\pipx\venvs\*", "pipx", "pipx"),
    Place(r"{LOCALAPPDATA}\pipx\pipx\venvs\*", "pipx", "pipx"),
    Place(r"{PIPX_HOME}\venvs\*", "pipx", "pipx"),
    Place(r"{USERPROFILE}\.pyenv\pyenv-win\versions\*", "pyenv", "pyenv"),
    Place(r"{PYENV_ROOT}\versions\*", "pyenv", "pyenv"),
    Place(r"{LOCALAPPDATA}\Programs\Python\*", "common-folder", "registered"),
    Place(r"{LOCALAPPDATA}\Python\*", "common-folder", "registered"),
    Place(r"{ProgramFiles}\Python3*", "common-folder", "registered"),
    Place(r"{SystemDrive}\Python3*", "common-folder", "registered"),
    *(
        Place(rf"{base}\{name}{tail}", "conda")
        for base in ("{USERPROFILE}", "{LOCALAPPDATA}", "{ProgramData}", "{SystemDrive}")
        for name in ("miniconda*", "anaconda*", "miniforge*", "mambaforge*", "micromamba")
        for tail in ("", r"\envs\*")
    ),
    Place(r"{USERPROFILE}\.conda\envs\*", "conda"),
    Place(r"{MAMBA_ROOT_PREFIX}\envs\*", "conda"),
    Place(r"{LOCALAPPDATA}\Packages\PythonSoftwareFoundation.Python.*", "store", "store"),
    Place(r"{APPDATA}\StabilityMatrix\Packages\*\venv", "common-folder"),
    Place(r"{SystemDrive}\pinokio\api\*\env", "common-folder"),
    Place(r"{SystemDrive}\pinokio\bin\miniconda", "conda"),
)

PLACES = {"linux": _LINUX, "windows": _WINDOWS}

INSIDE_PROJECTS = (".venv", "venv", "env", ".env", "python_embeded", "python_embedded", "python")
"""What a project calls the environment inside it ("embeded" is ComfyUI's spelling)."""

_PASSED_OVER = frozenset(
    (
        "node_modules", "__pycache__", "site-packages", "appdata", "library", "go", "snap",
        "windows", "programdata", "users", "perflogs", "recovery", "proc", "sys", "dev", "run",
        "lost+found", "program files", "program files (x86)", "system volume information",
        "$recycle.bin",
    )
)  # fmt: skip
"""Folders (lower case) that hold no projects but very many files."""

MOST_FOLDERS = 4_000
"""Folders that one look around lists; a home of usual size has a few hundred."""


def known_places(disk: Disk, variables: Mapping[str, str]) -> Iterator[Candidate]:
    """The candidates of the table that exist."""
    for place in PLACES[disk.family]:
        try:
            pattern = place.pattern.format_map(variables)
        except KeyError:
            continue
        for path in matching(disk, pattern):
            yield Candidate(path, place.via, place.kind)


def matching(disk: Disk, pattern: str) -> Iterator[str]:
    """Folders that match a path whose parts may have one ``*`` each; no listing without one."""
    head, star, _ = pattern.partition("*")
    if not star:
        if disk.is_folder(pattern):
            yield pattern
        return
    separator = disk.paths.sep
    folder, _, start = head.rpartition(separator)
    rest = pattern[len(head) + 1 :]
    tail, _, below = rest.partition(separator)
    # A pattern for a drive's root has lost its separator ("C:\*" → "C:").
    for entry in disk.entries(folder + separator if folder[-1:] in ("", ":") else folder):
        name = entry.name if disk.family == "linux" else entry.name.lower()
        wanted = start if disk.family == "linux" else start.lower()
        if entry.folder and name.startswith(wanted) and name.endswith(tail):
            path = disk.join(folder + separator, entry.name)
            yield from matching(disk, disk.join(path, below)) if below else (path,)


def is_environment(disk: Disk, folder: str) -> bool:
    """Whether a folder's own files say that it is an environment (not: a whole installation)."""
    if disk.is_file(disk.join(folder, "pyvenv.cfg")):
        return True
    if disk.is_folder(disk.join(folder, "conda-meta")):
        return True
    return disk.family == "windows" and disk.is_file(disk.join(folder, "python.exe"))


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
        for name in INSIDE_PROJECTS:
            path = self._disk.join(project, name)
            if is_environment(self._disk, path):
                yield path

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


PROJECT_FOLDERS = re.compile(
    r"(?i)code|src|source|projects?|git|github|gitlab|repos?|dev|development|work|workspace|ai|ml"
    r"|documents|desktop|pycharmprojects|onedrive|notebooks|experiments|research|uni|study"
)
"""Folders under home that hold projects, and are therefore looked into one level deeper."""
