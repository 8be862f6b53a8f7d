"""What is installed in an environment, by the records that pip and its like, and conda, leave.

Of a folder of packages its ``.dist-info`` folders, by the specification of recorded projects
(METADATA, RECORD); of conda the names of its records alone. Every reader takes any bytes: what
makes no sense is passed over, sizes are bounded, and nothing is raised.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from cudnn_assistant.machine import Package, Pin, PythonEnvironment, readable
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import dotted

if TYPE_CHECKING:
    from packaging.requirements import Requirement

_FOLDER = regex(r"(?P<name>[^~].*?)-(?P<version>[^-]+)(?:-py[\d.]+)?\.(?:dist|egg)-info")
_LIBRARY_END = regex(rb'\.(?:so(?:\.\d+)*|dll)(?="?,)')
_DIGEST_AND_SIZE = regex(rb'"?,(?:sha256=([\w-]{43})|[^,\n]{0,200}),(\d{1,15})\r?(?:\n|$)')
_CONDA_RECORD = regex(r"(?P<name>.+)-(?P<version>[^-]+)-(?P<build>[^-]+)\.json")
_CUDA = regex(r"cuda_?(\d+(?:\.\d+)?)")
_CUDNN = regex(r"cudnn(\d+(?:\.\d+)*)")
_LONGEST_NAME = 400
_MOST_METADATA = 1 << 18
_MOST_RECORD = 16 << 20
_MOST_LIBRARIES = 5_000
_MOST_NAMES = 40
_BLOCK = 8 << 20


class Distribution(msgspec.Struct, frozen=True):
    """One installed project."""

    name: str
    """Normalised: lower case, "-" between words."""
    version: str
    site: str
    """The folder of packages it lies in."""
    folder: str
    """Its ``.dist-info`` folder (or ``.egg-info`` folder or file)."""


def normalised(name: str) -> str:
    """The one spelling of a project's name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(disk: Disk, sites: Sequence[str]) -> dict[str, Distribution]:
    """The projects in ``sites`` by name; the first folder that has one wins, as on sys.path.

    Names and versions come from folder names alone, so that one listing per folder is enough.
    Where an interrupted upgrade left two records, the one with a list of files counts.
    """
    found: dict[str, Distribution] = {}
    for site in sites:
        here: dict[str, Distribution] = {}
        for name in disk.names(site):
            if match := _FOLDER.fullmatch(name):
                one = Distribution(
                    normalised(match["name"]), match["version"], site, disk.join(site, name)
                )
                if one.name not in here or disk.is_file(disk.join(one.folder, "RECORD")):
                    here[one.name] = one
        found = {**here, **found}
    return found


Whole = Callable[[str, str], bool]
"""Whether the content of a file has a SHA-256, in RECORD's spelling (PEP 376)."""


def package(disk: Disk, one: Distribution, whole: Whole | None = None) -> Package:
    """A project, with what of its libraries isn't as its RECORD says; nothing without one.

    Without ``whole`` each file of the recorded size is taken for the recorded one.
    """
    record = disk.data(disk.join(one.folder, "RECORD"), _MOST_RECORD)
    installer = disk.text(disk.join(one.folder, "INSTALLER"), 80)
    missing, changed, closed = [], [], ""
    for name, digest, size in islice(_libraries(record), _MOST_LIBRARIES):
        path = disk.join(one.site, *name.split("/"))
        found = disk.size(path)
        if found == 0 and not disk.exists(path):
            if barred := disk.closed(disk.parent(path)):
                closed = closed or barred
            else:
                missing.append(name)
        elif size is not None and (size != found or (whole and digest and not whole(path, digest))):
            changed.append(name)
    return Package(
        name=one.name,
        version=one.version,
        files_missing=len(missing),
        missing=_names(missing),
        changed=_names(changed),
        closed=readable(closed),
        manager="conda" if installer.strip() == "conda" else "",
    )


def with_contents(
    disk: Disk, one: PythonEnvironment, over: Callable[[], bool]
) -> PythonEnvironment:
    """The environment with all libraries of NVIDIA's packages compared with their records, byte for
    byte: slow, since gigabytes are read.

    cuDNN's come first; what isn't read before it is ``over`` counts as unchanged.
    """

    def whole(path: str, digest: str) -> bool:
        return _digest(disk, path, over) in ("", digest)

    def compared(known: Package) -> Package:
        return package(disk, have[known.name], whole) if known.name in mine else known

    have = installed(disk, one.sites)
    mine = {name for name in have if name.startswith("nvidia-")}
    order = sorted(one.packages, key=lambda known: "cudnn" not in known.name)
    found = {known.name: compared(known) for known in order}
    packages = tuple(found[known.name] for known in one.packages)
    return msgspec.structs.replace(one, packages=packages)


def _digest(disk: Disk, path: str, over: Callable[[], bool]) -> str:
    """The SHA-256 of a file in RECORD's spelling; "" where it was not read to its end."""
    # Late: most looks read no file to its end.
    import hashlib
    from base64 import urlsafe_b64encode

    found, read = hashlib.sha256(), 0
    while not over() and (block := disk.data(path, _BLOCK, read)):
        found.update(block)
        read += len(block)
    return urlsafe_b64encode(found.digest()).decode().rstrip("=") if read == disk.size(path) else ""


def _names(recorded: Sequence[str]) -> tuple[str, ...]:
    return tuple(readable(name.rpartition("/")[2]) for name in recorded[:_MOST_NAMES])


def _libraries(record: bytes) -> Iterator[tuple[str, str, int | None]]:
    """Names, digests and sizes in bytes of the libraries that a RECORD lists."""
    # From the end of each name back to its line's start: of the 13,000 lines of PyTorch's RECORD
    # a few dozen are libraries, and the csv module would take ten times as long.
    for match in _LIBRARY_END.finditer(record):
        start = record.rfind(b"\n", max(0, match.start() - _LONGEST_NAME), match.start()) + 1
        name = record[start : match.end()]
        if start or match.end() < _LONGEST_NAME:
            rest = _DIGEST_AND_SIZE.match(record, match.end())
            text = name.lstrip(b'"').decode("utf-8", "surrogateescape")
            yield (text, (rest[1] or b"").decode(), int(rest[2])) if rest else (text, "", None)


def requirement_lines(disk: Disk, one: Distribution) -> tuple[str, ...]:
    """The ``Requires-Dist`` values of a project's METADATA, as written."""
    return requires_dist(disk.text(disk.join(one.folder, "METADATA"), _MOST_METADATA))


def requires_dist(metadata: str) -> tuple[str, ...]:
    """The ``Requires-Dist`` values in the header of a METADATA text (before the first blank line).

    >>> requires_dist("Name: a\\nRequires-Dist: b>=1\\n\\nRequires-Dist: no header")
    ('b>=1',)
    """
    header = re.split(r"\r?\n\r?\n", metadata, maxsplit=1)[0]
    lines = (line.partition(":") for line in header.splitlines())
    return tuple(value.strip() for key, _, value in lines if key.lower() == "requires-dist")


def pins(
    lines: Sequence[str],
    have: Mapping[str, Distribution],
    marker: Mapping[str, str],
    matters: re.Pattern[str],
) -> tuple[Pin, ...]:
    """What ``lines`` demand of the projects whose normalised name ``matters``.

    ``marker`` describes the environment (PEP 508). A demand of an extra counts only while its
    project is installed: whether the extra was asked for isn't recorded anywhere.
    """
    found: dict[str, Pin] = {}
    for name, requirement, asked in demands(lines, marker, matters):
        if asked == "always" or name in have:
            has = have[name].version if name in have else ""
            found.setdefault(name, pin(name, str(requirement.specifier), has))
    return tuple(found.values())


def demands(
    lines: Sequence[str], marker: Mapping[str, str], matters: re.Pattern[str]
) -> Iterator[tuple[str, Requirement, str]]:
    """Requirements by name, those of extras as well, and whether they hold always."""
    for line in lines:
        requirement = _requirement(line) if len(line) < 1000 else None
        if requirement is None or not matters.fullmatch(normalised(requirement.name)):
            continue
        if asked := _applies(line, tuple(marker.items())):
            yield normalised(requirement.name), requirement, asked


def pin(name: str, wants: str, has: str) -> Pin:
    """A demand, and what is there of it."""
    satisfied = satisfies(has, wants) if has else False
    return Pin(package=name, wants=wants, has=has, satisfied=satisfied)


def satisfies(version: str, wants: str) -> bool | None:
    """Whether a version meets a specifier; ``None`` when either can't be read."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion

    try:
        return SpecifierSet(wants).contains(version, prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return None


@lru_cache(maxsize=4096)
def _requirement(line: str) -> Requirement | None:
    from packaging.requirements import InvalidRequirement, Requirement

    # Older tools wrote "name (>=1)"; packaging reads both. Deep brackets exhaust its recursion.
    try:
        return Requirement(line)
    except (InvalidRequirement, RecursionError, ValueError):
        return None


@lru_cache(maxsize=4096)
def _applies(line: str, marker: tuple[tuple[str, str], ...]) -> str:
    """ "always", "extra" (for some extra), or "" (not on this system)."""
    requirement = _requirement(line)
    if requirement is None or requirement.marker is None:
        return "always"
    extras = re.findall(r"extra\s*==\s*[\"']([^\"']+)[\"']", str(requirement.marker))
    environment = dict(marker)
    try:
        if requirement.marker.evaluate({**environment, "extra": ""}):
            return "always"
        given = ({**environment, "extra": extra} for extra in extras)
        return "extra" if any(map(requirement.marker.evaluate, given)) else ""
    except Exception:  # noqa: BLE001  (packaging raises several kinds for nonsense in a marker)
        return ""


class CondaPackage(msgspec.Struct, frozen=True):
    """One package of a conda environment. Conda puts the CUDA it was built for in ``build``."""

    name: str
    version: str
    build: str

    @property
    def cuda(self) -> str:
        """CUDA by the build's name: "py3.10_cuda11.8_cudnn8.7.0_0", "cuda126py312h…"."""
        match = _CUDA.search(self.build)
        return dotted(match[1]) if match else ""

    @property
    def cudnn(self) -> str:
        """cuDNN by the build's name, "" when it isn't named."""
        match = _CUDNN.search(self.build)
        return match[1] if match else ""


def conda_packages(disk: Disk, root: str) -> dict[str, CondaPackage]:
    """Packages by name of the conda environment at ``root``; empty when it is none.

    One listing; the records themselves (with every file's path) are not opened.
    """
    matches = map(_CONDA_RECORD.fullmatch, disk.names(disk.join(root, "conda-meta")))
    packages = (CondaPackage(m["name"], m["version"], m["build"]) for m in matches if m)
    return {package.name: package for package in packages}
