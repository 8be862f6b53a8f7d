"""The reports of many computers: found, read, and judged one after the other."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence

from cudnn_assistant.compat import Compat
from cudnn_assistant.diagnose import diagnose, verdict
from cudnn_assistant.report.fleet import Fleet, Judged, PassedOver, fleet, judged
from cudnn_assistant.report.reading import open_report
from cudnn_assistant.trouble import Misuse, Refused
from cudnn_assistant.wording.refusals import why

ENDINGS = (".md", ".json", ".zip", ".html", ".htm", ".cudnn-report")
"""Of the files in a folder that are taken for reports."""
_LOOKED = 20_000
"""Names for each report: a folder that holds fewer reports is none of reports."""
_NOBODYS_NAME = re.compile(r"cudnn-report(-\d{4}-\d\d-\d\d)?", re.ASCII)
"""The name that a report gets by itself; the computer's is then that of its folder."""


def read_fleet(paths: Sequence[str], earlier: str, compat: Compat, data: str) -> Fleet:
    """Judge all reports in these folders and files; ``earlier`` is a folder to compare with.

    A file that can't be read is named in the answer. At no time more than one snapshot is held.
    Raises :class:`Misuse` for a path that isn't there.
    """
    passed: list[PassedOver] = []
    seen = _read(paths, compat, passed)
    before = _read([earlier], compat, passed) if earlier else None
    return fleet(seen, data=data, earlier=before, passed_over=passed)


def _read(paths: Sequence[str], compat: Compat, passed: list[PassedOver]) -> list[Judged]:
    seen: dict[str, Judged] = {}
    for path, base in _files(paths, passed, seen):
        try:
            machine = open_report(path).machine
        except (Refused, OSError) as trouble:
            passed.append(PassedOver(file=path, why=why(trouble)))
            continue
        twin = seen[base].computer if base in seen else None
        beside = twin and os.path.dirname(twin.file) == os.path.dirname(path)
        if twin and beside and twin.taken_at == machine.taken_at:
            continue  # Text and page of one report.
        # Two reports of one name are two computers: the second is known by its whole file name.
        name = path if twin else base
        findings = diagnose(machine, compat)
        seen[name] = judged(name, path, machine, findings, verdict(machine, findings))
    return list(seen.values())


def _files(
    paths: Sequence[str], passed: list[PassedOver], seen: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Path and computer's name of each."""
    for path in dict.fromkeys(paths):
        if os.path.isdir(path):
            yield from _in_folder(path, passed, seen)
        elif os.path.lexists(path):
            yield path, _name(os.path.basename(path), os.path.dirname(path))
        else:
            raise Misuse("nothing-there", path=path)


def _in_folder(
    top: str, passed: list[PassedOver], seen: Collection[str]
) -> Iterator[tuple[str, str]]:
    looked = 0

    def closed(trouble: OSError) -> None:
        passed.append(PassedOver(file=str(trouble.filename), why=why(trouble)))

    for folder, folders, files in os.walk(top, onerror=closed):
        folders.sort()
        looked += len(folders) + len(files)
        if looked > _LOOKED * (len(seen) + 1):
            raise Misuse("no-folder-of-reports", path=top, count=looked, reports=len(seen))
        for file in sorted(files):
            if file.lower().endswith(ENDINGS) and not file.startswith("."):
                path = os.path.join(folder, file)
                yield path, _name(os.path.relpath(path, top), "")


def _name(path: str, folder: str) -> str:
    """What a report's computer is called: its file without the ending, or its folder."""
    inside, stem = os.path.split(os.path.splitext(path)[0])
    if _NOBODYS_NAME.fullmatch(stem):
        return inside or os.path.basename(folder) or stem
    return os.path.join(inside, stem)
