"""Finding Python environments and reading what is in them, from files alone.

Nothing is imported or run, no link loop is followed, network mounts are left alone unless the
person's own search path names them, and every listing is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec

from cudnn_assistant import envpath
from cudnn_assistant.compat.situation import in_markers
from cudnn_assistant.machine import (
    EnvironmentKind,
    Family,
    Kernel,
    PythonEnvironment,
    Variable,
    readable,
)
from cudnn_assistant.probe.files import binary
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.pythons.environment_candidates import Candidates
from cudnn_assistant.probe.pythons.frameworks import frameworks, packages
from cudnn_assistant.probe.pythons.kernels import kernels
from cudnn_assistant.probe.pythons.layout import (
    Layout,
    externally_managed,
    layout,
    sites_of,
    version_of,
)
from cudnn_assistant.probe.pythons.records import conda_packages, installed
from cudnn_assistant.probe.pythons.usual_folders import Candidate
from cudnn_assistant.versions import series
from cudnn_assistant.wording import met

MOST_ENVIRONMENTS = 500
"""Environments that one look reads; the person's own choices come first."""

_MOST_KERNELS = 20
"""Of one environment."""
_BITS = {"x86_64": 64, "aarch64": 64, "x86": 32, "arm": 32}
_ACTIVE = frozenset({"PATH", "VIRTUAL_ENV", "CONDA_PREFIX"})
_ALWAYS = _ACTIVE | {"added", "registry"}
"""Found by a way on which a person would go to the network too."""


class _Found(msgspec.Struct, frozen=True):
    where: Layout
    kind: EnvironmentKind
    via: tuple[str, ...]
    active: bool
    kernels: tuple[Kernel, ...] = ()


def pythons(
    family: Family,
    environment: Mapping[str, str],
    variables: Sequence[Variable] = (),
    *,
    extra: str = "",
    folders: Sequence[str] = (),
    root: str = "/",
    current: str | None = None,
    registered: Sequence[str] | None = None,
    note: Callable[[str], None] = lambda _: None,
) -> tuple[PythonEnvironment, ...]:
    """Every Python environment that can be found, the active one first, then by its id.

    ``environment`` is that of a program started afresh (``system.fresh_environment()``);
    ``variables`` adds what the person's terminal has set in this process (PATH, VIRTUAL_ENV).
    ``extra`` is an interpreter or environment that the person named, ``folders`` are folders to
    look through besides. ``current`` is the current folder (``None``: ours). ``root`` and
    ``registered`` replace the disk and the registry, to read a tree of either family anywhere.
    ``note`` is told, in words, what was left out by a limit. Never raises for what it finds.
    """
    disk, terminal = Disk(family, root), _terminal(family, environment, variables)
    candidates = Candidates(disk, terminal, current, registered)
    found = _resolved(disk, candidates.all(extra, folders), candidates, note)
    if candidates.around.cut_short:
        note(met("too-many-folders-of-environments"))
    if candidates.home_is_remote:
        note(met("home-on-network"))
    environments = [_read(disk, one) for one in found]
    environments += [
        *(_user_site(disk, s, environments) for s in candidates.user_sites()),
        *_of_python_path(disk, terminal.get("PYTHONPATH", ""), environments),
    ]
    for server in disk.silent:
        note(met("no-answer-from", call=server))
    return tuple(sorted(environments, key=lambda one: (not one.active, one.id)))


def one_python(path: str, family: Family, *, root: str = "/") -> PythonEnvironment | None:
    """The environment that has ``path`` as its interpreter or folder; ``None`` if it is none."""
    disk = Disk(family, root)
    where = layout(disk, path)
    return _read(disk, _Found(where, "", ("added",), active=False)) if where else None


def _terminal(
    family: Family, environment: Mapping[str, str], variables: Sequence[Variable]
) -> dict[str, str]:
    """The environment of the person's terminal; Windows' names in capitals."""
    process = {one.name: one.value.text for one in variables if one.scope == "process"}
    merged = {**environment, **process}
    return {n.upper(): text for n, text in merged.items()} if family == "windows" else merged


def _resolved(
    disk: Disk, candidates: Iterator[Candidate], source: Candidates, note: Callable[[str], None]
) -> list[_Found]:
    found: dict[str, _Found] = {}
    for one in candidates:
        path, via = one.path, one.via
        # What a relative setting means depends on the folder that somebody happens to be in.
        if not disk.paths.isabs(path):
            continue
        if via not in _ALWAYS and disk.remote(path) and not source.home_is_remote:
            continue
        where = layout(disk, path)
        if where is None:
            continue
        key = disk.key(where.root) + ("|" + where.library if where.shared else "")
        known = found.get(key) or _Found(where, "", (), active=not found and via in _ACTIVE)
        if key not in found and len(found) >= MOST_ENVIRONMENTS:
            note(met("too-many-environments", most=MOST_ENVIRONMENTS))
            break
        found[key] = msgspec.structs.replace(
            known,
            kind=known.kind or one.kind,
            via=tuple(dict.fromkeys((*known.via, via))),
            kernels=(*known.kernels, *filter(None, [one.kernel]))[:_MOST_KERNELS],
        )
    return list(found.values())


def _read(disk: Disk, one: _Found) -> PythonEnvironment:
    """All facts about one environment."""
    where = one.where
    sites = sites_of(disk, where)
    have = installed(disk, sites)
    conda = conda_packages(disk, where.root) if where.conda else {}
    version = version_of(disk, where)
    architecture = binary.look_at(disk.real(where.python)).architecture if where.python else ""
    marker = in_markers(disk.family, architecture or "x86_64", version)
    lock = disk.join(disk.parent(where.root), "uv.lock") if "uv" in where.config else ""
    return PythonEnvironment(
        id=readable(where.id),
        python=readable(where.python),
        version=version,
        bits=_BITS.get(architecture),
        kind=_kind(one),
        active=one.active,
        externally_managed=externally_managed(disk, where),
        architecture=architecture,
        pip="pip" in have,
        lock=readable(lock) if lock and disk.is_file(lock) else "",
        sites=tuple(readable(site) for site in sites),
        packages=packages(disk, have, conda),
        frameworks=frameworks(disk, have, conda, marker, sites=sites),
        found_via=one.via,
        notebooks=tuple(dict.fromkeys((*one.kernels, *_own_kernels(disk, where)))),
    )


def _own_kernels(disk: Disk, where: Layout) -> Iterator[Kernel]:
    """Those that lie in it and run its Python."""
    for program, kernel in kernels(disk, disk.join(where.root, "share", "jupyter")):
        # "python" is the one that Jupyter itself runs in.
        own = not disk.paths.isabs(program) or envpath.inside(program, where.root, disk.family)
        if own and disk.paths.basename(program).casefold().startswith("python"):
            yield kernel


def _user_site(disk: Disk, site: str, others: Sequence[PythonEnvironment]) -> PythonEnvironment:
    """The person's own packages, which every installation of one version of Python sees."""
    named = re.search(r"(\d)\.?(\d+)t?$", disk.name(disk.parent(site)))
    version = f"{named[1]}.{named[2]}" if named else ""
    fitting = (o for o in others if o.kind not in ("venv", "pipx") and series(o.version) == version)
    base = next(fitting, PythonEnvironment(id="", version=version))
    return _with_more(disk, base, disk.parent(site), site, "user-site")


def _of_python_path(
    disk: Disk, listed: str, others: Sequence[PythonEnvironment]
) -> Iterator[PythonEnvironment]:
    """Frameworks in the folders of PYTHONPATH, with the Python that the person's terminal has.

    Every Python sees them; nothing installs into them but ``pip install --target``.
    """
    base = next((one for one in others if one.active and one.python), None)
    if base is None:
        return
    known = {disk.key(site) for one in others for site in one.sites}
    named = filter(disk.paths.isabs, envpath.split(listed, disk.family))
    for folder in dict.fromkeys(map(disk.canonical, named)):
        if disk.key(folder) not in known:
            one = _with_more(disk, base, folder, folder, "pythonpath")
            if one.frameworks:
                yield msgspec.structs.replace(one, externally_managed=True)


def _with_more(
    disk: Disk, base: PythonEnvironment, root: str, site: str, kind: EnvironmentKind
) -> PythonEnvironment:
    """A Python with one more folder of packages in front of its own."""
    have, below = installed(disk, (site,)), installed(disk, base.sites)
    marker = in_markers(disk.family, base.architecture or "x86_64", base.version)
    return msgspec.structs.replace(
        base,
        id=readable(root),
        kind=kind,
        active=False,
        notebooks=() if base.active else base.notebooks,
        lock="",
        pip="pip" in have or "pip" in below,
        sites=(readable(site), *base.sites),
        packages=packages(disk, have, {}),
        frameworks=frameworks(disk, have, {}, marker, below, (site,), base.frameworks),
        found_via=(kind,),
    )


def _kind(one: _Found) -> EnvironmentKind:
    if one.where.conda:
        return "conda"
    if one.where.config:
        return one.kind if one.kind in ("pipx", "uv") else "venv"
    if one.where.root in ("/usr", "/usr/local", "/"):
        return "system"
    return one.kind


def library_folders(environment: PythonEnvironment, *, root: str = "/") -> tuple[str, ...]:
    """Existing folders of the CUDA and cuDNN libraries in an environment, in the order of use.

    As its frameworks add them: the whole copy that a framework brings itself (``torch/lib``), what
    conda installed where that is used, cuDNN's wheel, the common folder of CUDA 13, one folder for
    each CUDA 12 library, then the rest. For the search path of this environment's cuDNN test.
    """
    windows = ":" in environment.id[:3] or "\\" in environment.id
    disk = Disk("windows" if windows else "linux", root)
    origins = {one.cudnn_from: one.name for one in reversed(environment.frameworks)}
    conda = [disk.join(environment.id, *(("Library", "bin") if windows else ("lib",)))]
    conda *= environment.kind == "conda"
    folders = conda if "conda" in origins else []
    for site in environment.sites:
        own = [disk.join(site, *folder.split("/")) for folder in _BUNDLES[disk.family]]
        # CTranslate2 brings the main library alone, which must not come before a whole copy.
        whole = own[:-1] if origins.get("bundled", "ctranslate2") != "ctranslate2" else []
        folders = [*folders, *whole, *_wheel_folders(disk, site), *own]
    return tuple(path for path in dict.fromkeys(folders + conda) if disk.is_folder(path))


_BUNDLES: dict[Family, tuple[str, ...]] = {
    "linux": ("torch/lib", "paddle/libs", "ctranslate2.libs"),
    "windows": ("torch/lib", "paddle/libs", "ctranslate2"),
}
_BELOW_WHEEL: dict[Family, tuple[str, ...]] = {
    "linux": ("lib",),
    # CUDA 13's wheels put their files one level deeper, by processor.
    "windows": ("bin", "bin/x86_64", "bin/arm64"),
}


def _wheel_folders(disk: Disk, site: str) -> list[str]:
    base = disk.join(site, "nvidia")
    names = [entry.name for entry in disk.entries(base) if entry.folder]
    ordered = sorted(names, key=lambda name: (name != "cudnn", not name[2:].isdigit(), name))
    below = _BELOW_WHEEL[disk.family]
    return [disk.join(base, name, *part.split("/")) for name in ordered for part in below]
