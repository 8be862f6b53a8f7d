"""Copies of cuDNN: every folder with a main library, with all that files tell about it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

import msgspec

from cudnn_assistant.compat import PartsTable, parts_of
from cudnn_assistant.machine import CudnnCopy, readable
from cudnn_assistant.probe.files import headers
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.files.needed_libraries import cuda_major
from cudnn_assistant.probe.libraries.copy_files import CopyFiles
from cudnn_assistant.probe.libraries.folders import Candidate
from cudnn_assistant.probe.libraries.owners import Owner, Records
from cudnn_assistant.regex import regex

MOST_COPIES = 1000
MOST_FOLDERS = 20_000
_IN_PATH = regex(r"cuda-?_?(\d{1,2})(?:\.\d+)?[-_]archive|[\\/]bin[\\/](\d{2})\.\d+(?:[\\/]|$)")
_IN_WHEEL = regex(r"(.+)[\\/]nvidia[\\/]cudnn(?:_jit)?[\\/](?:lib|bin)")
_INTERESTING = regex(
    r"(?:lib)?(?:cudnn|cudart|cublas|nvrtc|z\.so|zlibwapi|msvcp140|vcruntime140|cuda\.so|nvcuda"
    r"|nvidia-ml|nvml)",
    re.IGNORECASE,
)


class Folder(msgspec.Struct):
    """One folder that was looked into, by whatever ways it was found."""

    path: str
    """Canonical."""
    environment: str = ""
    """Id of the Python environment it lies in."""
    site: str = ""
    """That environment's folder of packages, where it lies in one."""
    via: list[str] = []
    names: tuple[str, ...] = ()
    """Interesting names in it, in alphabetical order."""


def open_folders(disk: Disk, candidates: Iterable[Candidate]) -> list[Folder]:
    """Each folder once, in the order of the candidates, with the names that matter here."""
    found: dict[str, Folder] = {}
    for candidate in candidates:
        if len(found) >= MOST_FOLDERS:
            break
        if not disk.is_folder(candidate.folder):
            continue  # most are not there, and seeing through links costs a call for each level
        path = disk.canonical(candidate.folder)
        if path not in found:
            names = filter(_INTERESTING.match, disk.names(path))
            found[path] = Folder(path, names=tuple(names))
        folder = found[path]
        if candidate.via not in folder.via:
            folder.via.append(candidate.via)
        if candidate.environment and not folder.environment:
            folder.environment, folder.site = candidate.environment, candidate.site
    return [folder for folder in found.values() if folder.names]


def copies(
    disk: Disk,
    folders: Iterable[Folder],
    in_cache: Container[str],
    records: Records,
    table: PartsTable = (),
) -> tuple[CudnnCopy, ...]:
    """All copies in ``folders``; ``in_cache``: the real paths in the loader's cache."""
    found: list[CudnnCopy] = []
    for folder in folders:
        files = CopyFiles(disk, folder.path, folder.names, table)
        mains = files.mains()
        for major, main in sorted(mains.items(), reverse=True)[: MOST_COPIES - len(found)]:
            path = disk.canonical(disk.join(folder.path, main))
            ways = [*folder.via, *(["ld-cache"] if path in in_cache else [])]
            owner = _owner(disk, folder, main, records)
            header = headers.version(disk, folder.path, major, alone=len(mains) == 1)
            found.append(_copy(files, folder, major, main, ways, owner, header))
    return tuple(found)


def _copy(
    files: CopyFiles,
    folder: Folder,
    major: int,
    main: str,
    ways: list[str],
    owner: Owner | None,
    header: str,
) -> CudnnCopy:
    of_file, package = files.version(main), owner.cudnn if owner else ""
    # Only what belongs to this major can say which parts are due.
    known = next((v for v in (of_file, package, header) if v.split(".")[0] == str(major)), "")
    flavour = files.flavour(major, bundled="bundled" in ways)
    found = tuple(files.parts(major, main, known))
    if flavour != "full":
        found = tuple(part for part in found if part.state != "missing")
    return CudnnCopy(
        folder=readable(folder.path),
        file=readable(main),
        major=major,
        flavour=flavour,
        header_version=header,
        file_version=of_file,
        package_version=package,
        cuda_major=_cuda_major(files, major, owner),
        architecture=next((p.architecture for p in found if p.architecture), ""),
        parts=found,
        found_via=tuple(ways),
        owner=str(owner) if owner else "",
        environment=readable(folder.environment),
    )


def _owner(disk: Disk, folder: Folder, main: str, records: Records) -> Owner | None:
    wheel = _IN_WHEEL.fullmatch(folder.path)
    if wheel or folder.site:
        # An environment that nobody listed still has its record beside the folder.
        return records.of_site(wheel[1] if wheel else folder.site, folder.path)
    if folder.environment:
        return records.of_library("cudnn", None, "", folder.environment)
    path = disk.join(folder.path, main)
    return records.of_file(path) or records.of_file(disk.canonical(path))


def _cuda_major(files: CopyFiles, major: int, owner: Owner | None) -> int | None:
    """CUDA major by package, by the folder's name, else by the cuBLAS that the files ask for."""
    if owner and owner.cuda_major:
        return owner.cuda_major
    if match := _IN_PATH.search(files.folder):
        return int(match[1] or match[2])
    for name in parts_of(files.table, major).cublas:
        pattern = rf"(?:lib)?cudnn_{name}(?:64_{major}\.dll|(?:-\w+)?\.so\.{major}(?:\.\d+)*)"
        file = next((file for file in files.names if re.fullmatch(pattern, file)), "")
        if file and (found := cuda_major(files.disk, files.disk.join(files.folder, file))):
            return int(found)
    return None
