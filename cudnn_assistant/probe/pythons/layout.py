"""The parts of one Python installation or virtual environment: where they lie, by its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from cudnn_assistant.probe.files.binary import dll_version
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex

_MOST_LINKS = 10
_MOST_ADDED = 50
_IMPORT = ("import ", "import\t")
_FINDER = regex(r"import (__editable__\w+)")
_TABLE = regex(r"^MAPPING\b.*", re.MULTILINE)
_MODULES = ("sitecustomize.py", "usercustomize.py")
_LIBRARY = regex(r"(?:python|pypy)(\d+\.\d+)t?")
_NUMBERS = regex(r"\d{1,3}\.\d{1,3}(?:\.\d{1,3})?")
_CONDA_PYTHON = regex(r"python-(\d+\.\d+\.\d+)-.*\.json")
STORE = regex(r"PythonSoftwareFoundation\.Python\.(\d+\.\d+)_\w+")
"""Folder name of a Python from Microsoft's store: its packages lie apart from its program."""
_IN_FOLDER_NAME = regex(r"(?:cpython-|^)(\d+\.\d+\.\d+)")


class Layout(msgspec.Struct, frozen=True):
    """Where the parts of an environment are."""

    root: str
    """Canonical."""
    python: str
    """The interpreter as it was found; "" when it is gone."""
    library: str
    """Its folder under lib: "python3.11"; on Windows "Lib"; "" when there is none."""
    config: Mapping[str, str]
    """Of pyvenv.cfg; empty when it is no virtual environment."""
    conda: bool
    shared: bool = False
    """Another version of Python lives under the same root (``/usr``)."""

    @property
    def id(self) -> str:
        """The root, or the interpreter where a root has several."""
        return self.python if self.shared else self.root


def layout(disk: Disk, path: str) -> Layout | None:
    """The environment that ``path`` is the root or the interpreter of, if it is one."""
    if disk.is_folder(path):
        return _at_root(disk, path, "")
    if not disk.is_file(path):
        return None
    for step in _links(disk, path):
        folder = disk.parent(step)
        for root in (disk.parent(folder), folder):
            if disk.is_file(disk.join(root, "pyvenv.cfg")) or _has_conda(disk, root):
                return _at_root(disk, root, path)
    return _installation(disk, path)


def _links(disk: Disk, path: str) -> Iterator[str]:
    """A path and what it points to, link by link, so that a virtual environment is not missed.

    On Windows a command of Python's install manager has a file beside it that names its target.
    """
    for _ in range(_MOST_LINKS):
        yield path
        named = disk.text(f"{path}.__target__", 4096) if disk.family == "windows" else ""
        path = disk.link(path) or named.strip()
        if not disk.paths.isabs(path):
            return


def _has_conda(disk: Disk, folder: str) -> bool:
    return disk.is_folder(disk.join(folder, "conda-meta"))


def _at_root(disk: Disk, folder: str, python: str) -> Layout | None:
    config = pyvenv_config(disk.text(disk.join(folder, "pyvenv.cfg")))
    root = disk.canonical(folder)
    if STORE.fullmatch(disk.name(root)):
        return _from_store(disk, root)
    python = python or _interpreter(disk, root)
    conda = _has_conda(disk, root)
    library = _library(disk, root, config.get("version", ""), python)
    parts = (bool(python), conda, bool(library))
    if not config and sum(parts) < 2:
        return None
    if config and _outlived(disk, root, python):
        python = ""
    return Layout(root, python, library, config, conda)


def _outlived(disk: Disk, root: str, python: str) -> bool:
    """Whether an upgrade put another Python in the place of the one that packages are for."""
    now = disk.name(list(_links(disk, python))[-1]) if python else ""
    return bool(_LIBRARY.fullmatch(now)) and not _library(disk, root, now, "")


def _from_store(disk: Disk, root: str) -> Layout | None:
    version = STORE.sub(r"\1", disk.name(root)).replace(".", "")
    library = disk.join("LocalCache", "local-packages", f"Python{version}")
    if not disk.is_folder(disk.join(root, library)):
        return None
    local = disk.parent(disk.parent(root))
    python = disk.join(local, "Microsoft", "WindowsApps", disk.name(root), "python.exe")
    return Layout(root, python if disk.exists(python) else "", library, {}, conda=False)


def _installation(disk: Disk, path: str) -> Layout | None:
    """An interpreter outside of any environment: the last of its links lies in the installation."""
    own = list(_links(disk, path))[-1]
    folder = disk.canonical(disk.parent(own))
    root, path = (folder, own) if disk.family == "windows" else (disk.parent(folder), path)
    library = _library(disk, root, "", disk.join(folder, disk.name(own)))
    if not library:
        return None
    shared = disk.family == "linux" and library != _default_library(disk, root)
    return Layout(root, path, library, {}, conda=False, shared=shared)


def _default_library(disk: Disk, root: str) -> str:
    """The library of what ``python3`` means under a root with several versions."""
    for name in ("python3", "python"):
        path = disk.join(root, "bin", name)
        if disk.exists(path):
            return _library(disk, root, "", list(_links(disk, path))[-1])
    return _library(disk, root, "", "")


def _interpreter(disk: Disk, root: str) -> str:
    names = (
        (("Scripts", "python.exe"), ("python.exe",), ("bin", "python.exe"))
        if disk.family == "windows"
        else (("bin", "python3"), ("bin", "python"), ("install", "bin", "python3"))
    )
    paths = (disk.join(root, *parts) for parts in names)
    return next((path for path in paths if disk.is_file(path)), "")


def _library(disk: Disk, root: str, version: str, python: str) -> str:
    """The folder of libraries for a version, else for an interpreter's name, else the only one."""
    if disk.family == "windows":
        # The embeddable package keeps its standard library in a zip file.
        embedded = any(
            disk.is_file(disk.join(root, name)) for name in ("python.exe", "python3.dll")
        )
        return "Lib" if disk.is_folder(disk.join(root, "Lib")) or embedded else ""
    folders = [entry.name for entry in disk.entries(disk.join(root, "lib")) if entry.folder]
    names = [*filter(_LIBRARY.fullmatch, folders)]
    wanted = version or disk.name(list(_links(disk, python))[-1] if python else "")
    match = _NUMBERS.search(wanted)
    short = ".".join(match[0].split(".")[:2]) if match else ""
    fitting = [name for name in names if _LIBRARY.sub(r"\1", name) == short] if short else names
    # The free-threaded 3.13 has a folder of its own beside the usual one: python3.13t.
    fitting.sort(key=lambda name: name.endswith("t") == wanted.endswith("t"))
    return fitting[-1] if len(fitting) == 1 or (fitting and short) else ""


def pyvenv_config(text: str) -> dict[str, str]:
    """The settings of a pyvenv.cfg: lower-case names, ``version_info`` counted as ``version``.

    >>> pyvenv_config("home = /usr/bin\\nVersion_Info = 3.11.2.final.0")
    {'home': '/usr/bin', 'version': '3.11.2'}
    """
    config: dict[str, str] = {}
    for line in text.splitlines():
        key, equals, value = line.partition("=")
        if equals:
            config[key.strip().lower()] = value.strip()
    match = _NUMBERS.match(config.pop("version_info", "") or config.get("version", ""))
    if match:
        config["version"] = match[0]
    return config


def version_of(disk: Disk, where: Layout) -> str:
    """The version of its Python, as exact as files tell: "3.11.2", else "3.11"."""
    if where.config.get("version"):
        return where.config["version"]
    if where.conda:
        for name in disk.names(disk.join(where.root, "conda-meta")):
            if match := _CONDA_PYTHON.fullmatch(name):
                return match[1]
    if store := STORE.fullmatch(disk.name(where.root)):
        return store[1]
    if disk.family == "windows":
        resource = dll_version(disk.real(where.python)) if where.python else ""
        return _windows_version(resource) or _version_of_dll(disk, where.root)
    short = _LIBRARY.sub(r"\1", where.library)
    named = _IN_FOLDER_NAME.search(disk.name(where.root))
    if named and named[1].startswith(short + "."):
        return named[1]
    header = disk.join(where.root, "include", where.library, "patchlevel.h")
    exact = re.search(r'#define PY_VERSION\s+"(\d+\.\d+\.\d+)', disk.text(header))
    return exact[1] if exact else short


def _windows_version(resource: str) -> str:
    # python.exe counts its patch level in thousands: 3.11.9150.1013 is 3.11.9.
    match = re.fullmatch(r"(\d+)\.(\d+)\.(\d+)\.\d+", resource)
    return f"{match[1]}.{match[2]}.{int(match[3]) // 1000}" if match else ""


def _version_of_dll(disk: Disk, root: str) -> str:
    matches = (re.fullmatch(r"python(3)(\d+)t?\.dll", n.lower()) for n in disk.names(root))
    return next((f"{match[1]}.{match[2]}" for match in matches if match), "")


def sites_of(disk: Disk, where: Layout) -> tuple[str, ...]:
    """The existing folders of its packages in the order of sys.path, the person's own left out."""
    if disk.family == "windows":
        folders = [disk.join(where.root, where.library or "Lib", "site-packages")]
    else:
        own = [
            disk.join(where.root, lib, where.library, packages)
            for lib in ("lib", "lib64")
            for packages in ("site-packages", "dist-packages")
            if where.library
        ]
        folders = [*_local(disk, where), *own]
        if where.root == "/usr":
            folders.append("/usr/lib/python3/dist-packages")
    base = _base(disk, where)
    folders += [added for folder in folders for added in _added(disk, folder)]
    found = {disk.key(folder): folder for folder in reversed(folders) if disk.is_folder(folder)}
    return (*reversed(found.values()), *(sites_of(disk, base) if base else ()))


def _added(disk: Disk, site: str) -> Iterator[str]:
    """Folders that the .pth files of a folder of packages add, as for editable installs.

    setuptools writes a module that finds each package, with a table of where it lies.
    """
    for name in (name for name in disk.names(site) if name.endswith(".pth")):
        for line in _lines(disk, site, name)[:_MOST_ADDED]:
            if finder := _FINDER.match(line):
                table = _TABLE.search(disk.text(disk.join(site, f"{finder[1]}.py")))
                packages = re.findall(r": '([^']+)'", table[0] if table else "")
                yield from dict.fromkeys(map(disk.parent, packages))
            elif line.strip() and not line.startswith(("#", *_IMPORT)):
                yield str(disk.paths.normpath(disk.join(site, line.strip())))


def start_files(disk: Disk, sites: Iterable[str]) -> tuple[str, ...]:
    """Files in folders of packages that run by themselves whenever Python starts (module site)."""

    def runs(site: str, name: str) -> bool:
        listing = name.endswith(".pth")
        imports = listing and any(line.startswith(_IMPORT) for line in _lines(disk, site, name))
        return name in _MODULES or imports

    return tuple(disk.join(s, name) for s in sites for name in disk.names(s) if runs(s, name))


def _lines(disk: Disk, site: str, name: str) -> list[str]:
    return disk.text(disk.join(site, name)).splitlines()


def _local(disk: Disk, where: Layout) -> list[str]:
    # Debian and Fedora let the system's Python look into /usr/local, unless that has its own.
    if where.root != "/usr" or disk.exists(f"/usr/local/bin/{where.library}"):
        return []
    below = ("lib/{}/dist-packages", "lib/{}/site-packages", "lib64/{}/site-packages")
    return [f"/usr/local/{one.format(where.library)}" for one in below]


def _base(disk: Disk, where: Layout) -> Layout | None:
    """The installation below a virtual environment that also uses its packages."""
    if where.config.get("include-system-site-packages", "").lower() != "true":
        return None
    home = where.config.get("home", "")
    name = "python.exe" if disk.family == "windows" else where.library
    base = layout(disk, disk.join(home, name)) or layout(disk, disk.join(home, "python3"))
    return base if base and not base.config else None


def externally_managed(disk: Disk, where: Layout) -> bool:
    """Whether its standard library holds the marker of PEP 668 (no matter in a venv)."""
    inside = ("Lib",) if disk.family == "windows" else ("lib", where.library)
    marker = disk.join(where.root, *inside, "EXTERNALLY-MANAGED")
    return not where.config and bool(where.library) and disk.is_file(marker)
