"""How a child of the test ended, in the terms of a trial, and what cuDNN printed by the way.

Looks only which files exist.
"""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Any

from cudnn_assistant import codes
from cudnn_assistant.compat import PartsTable, cudnn_majors, parts_of
from cudnn_assistant.machine import Family
from cudnn_assistant.probe.files.catalogue import MAIN, part_file
from cudnn_assistant.probe.running.children import Ended
from cudnn_assistant.wording import met

_UNABLE = (1008, 3000, 3009)
"""cuDNN 9 answers these when it would need a part that is not there: 9.19 without its precompiled
engines was seen to offer no algorithm at all."""
_ALARM = -14
"""The child's own deadline, when ours was late."""
_GUESS = "zlibwapi.dll"
"""cuDNN for Windows names it whenever one of its parts lacks anything, even where no part needs
it: 9.10 without cudnn_ops64_9.dll was seen to ask for it."""
_NAME = r"[\w.+-]+?(?:\.so(?:\.\d+)*|\.dll)"
_NOT_FOUND = (
    # glibc, also inside cuDNN 8's "Could not load library X. Error: Y: cannot open ..."
    re.compile(rf"({_NAME}): cannot open shared object file: No such file"),
    # cuDNN on Windows
    re.compile(rf"Could not locate ({_NAME})"),
    re.compile(rf"Could not load library ({_NAME})\. Error code 126"),
    # PyTorch, of what it loads by itself
    re.compile(r"(lib\w+\.so)\.\*\[0-9\] not found in the system path"),
)
_ANY_OF = re.compile(r"Unable to load any of \{([^}]*)\}")
"""cuDNN 9 lists every name it tried, longest first."""
_SYMBOL = re.compile(r"Cannot load symbol cudnn(?:(\w+)VersionCheck)?")
_CUDA_SYMBOL = re.compile(r"Cannot load symbol (cublasLt|cublas)[A-Z]")
"""Seen of 9.14 and 9.19 without cuBLAS, of which they only name a function, then abort."""


def main_names(family: Family, major: int = 0, table: PartsTable = ()) -> list[str]:
    """File names of cuDNN's main library, most wanted first; one when the major is given."""
    majors = (major,) if major else cudnn_majors(table)
    return [part_file("cudnn", number, family) for number in majors]


def classify(ended: Ended, family: Family, table: PartsTable = ()) -> dict[str, Any]:
    """All that a child told, merged, with "status" for every way it can end."""
    known: dict[str, Any] = {"stage": "start", "checks": [], "skipped": []}
    for line in ended.lines:
        gathered = {name: known[name] + list(line.get(name, ())) for name in ("checks", "skipped")}
        known |= {**line, **gathered}
    if "status" not in known:
        known |= _without_answer(ended, family, known)
    if known["status"] in ("crashed", "status-code") and not known.get("missing"):
        known |= _explained(known, ended.output, family, table)
    if known.get("api") == "cudnn" and known["code"] in _UNABLE and not known.get("missing"):
        known["missing"] = _lacking(known.get("loaded", ""), family, table)
    return known


def _without_answer(ended: Ended, family: Family, known: Mapping[str, Any]) -> dict[str, Any]:
    during = known.get("call") or known["stage"]
    if ended.too_large:
        return {"status": "crashed", "detail": met("too-much-memory", call=during)}
    if ended.timed_out or ended.exit_code == _ALARM:
        return {"status": "timed-out", "detail": met("no-answer-from", call=during)}
    if ended.exit_code is None:
        return {"status": "timed-out", "detail": met("cannot-be-ended", call=during)}
    name = codes.process_end(ended.exit_code, family)
    return {
        "status": "crashed",
        "code": ended.exit_code,
        "code_name": name,
        "detail": met("ended-in" if ended.exit_code else "ended-without-answer", call=during),
    }


def _explained(
    known: Mapping[str, Any], output: str, family: Family, table: PartsTable
) -> dict[str, Any]:
    """What the noise adds: a library that was asked for and is not there is what is wrong.

    A file that is there but can't be used is not missing; then the status stays what it was.
    """
    folder = (ntpath if family == "windows" else posixpath).dirname(known.get("loaded", ""))
    missing = missing_library(output)
    if not missing and folder and (part := part_asked_for(output)):
        missing = part_file(part, 9, family)
    if not missing and (library := _CUDA_SYMBOL.search(output)):
        name, major = library[1], known.get("cuda", "").split(".")[0]
        linux = f"lib{name}.so.{major}".rstrip(".")
        missing = linux if family == "linux" else f"{name}64_{major}.dll"
    if not missing:
        return {}
    there = folder and os.path.lexists(os.path.join(folder, missing))
    if there or missing.lower() == _GUESS:
        asked, missing = missing, _lacking(known.get("loaded", ""), family, table)
        if there and not missing:
            return {
                "detail": f"{known.get('detail', '')}; {met('could-not-be-loaded', file=asked)}"
            }
        missing = missing or asked
    status = "missing-library" if known["status"] == "crashed" else known["status"]
    return {"status": status, "missing": missing}


def _lacking(main: str, family: Family, table: PartsTable) -> str:
    """The part that is not beside a main library that has others; "" for none."""
    path = ntpath if family == "windows" else posixpath
    folder, file = path.split(main)
    named = MAIN[family].fullmatch(file)
    major = int((named and named[1]) or cudnn_majors(table)[0])
    series = parts_of(table, major)
    files = {part: part_file(part, major, family) for part in series.always(family)}
    lost = [part for part in files if not os.path.lexists(os.path.join(folder, files[part]))]
    there = files.keys() - {*lost}
    return files[lost[0]] if lost and there and not series.is_jit(there) else ""


def missing_library(output: str) -> str:
    """The file name of the library that was looked for in vain, "" when none is told of."""
    for pattern in _NOT_FOUND:
        if found := pattern.search(output):
            return ntpath.basename(found[1])
    if found := _ANY_OF.search(output):
        return _usual_name(found[1].split(","))
    return ""


def _usual_name(tried: Iterable[str]) -> str:
    """Of libX.so.9.28.0, .so.9.28, .so.9, .so: the one that every package has."""
    names = [name.strip() for name in tried]
    one_number = [name for name in names if re.search(r"\.so\.\d+$", name)]
    return (one_number or names)[0]


def part_asked_for(output: str) -> str:
    """The part of cuDNN 9 that it could not load when it only names the function, else "".

    What isn't a check of one part (cudnnGetVersion, cudnnCreate) lives in the graph library.
    """
    found = _SYMBOL.search(output)
    return (found[1] or "graph").lower() if found else ""
