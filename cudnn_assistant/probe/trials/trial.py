"""The cuDNN test, as one who watches it: start the child, see how it ends, say what that means.

How a child can end is data: it answers, it dies, it hangs, it says nothing, it babbles.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from cudnn_assistant import codes
from cudnn_assistant.child.mapped import of_cudnn
from cudnn_assistant.compat import PartsTable
from cudnn_assistant.machine import (
    SYSTEM,
    CudnnCopy,
    Family,
    LibraryCheck,
    PartCheck,
    StageTime,
    Trial,
    readable,
)
from cudnn_assistant.probe.files import imports
from cudnn_assistant.probe.running.children import LARGEST_LIBRARY, Cancel, Ended, never, run_child
from cudnn_assistant.probe.running.loader_notes import VARIABLES, refusals
from cudnn_assistant.probe.trials import child_environment, part_checks
from cudnn_assistant.probe.trials.endings import classify, main_names

_SHOWN = 4000
"""Characters of the child's output that a trial keeps."""


def run_trial(
    environment: Mapping[str, str],
    family: Family,
    *,
    subject: str = SYSTEM,
    library: str = "",
    gpu: str = "",
    folders: Sequence[str] = (),
    steps: Sequence[Mapping[str, Any]] = (),
    deadline: float = 60.0,
    full: bool = False,
    major: int = 0,
    start_in: str = "",
    lifted: Sequence[str] = (),
    python: str = "",
    reason: bool = False,
    table: PartsTable = (),
    cancel: Cancel = never,
) -> Trial:
    """Run the cuDNN test in a child process and return how far it came.

    Without ``library`` and ``folders`` it is what programs get: cuDNN by its bare name in exactly
    this ``environment``. ``folders`` are the library folders of a Python environment, loaded the
    way its frameworks do, under the same ``environment`` (an LD_LIBRARY_PATH that reaches into such
    an environment is thus part of what is tested); ``steps`` have the loader find cuDNN as its
    framework's own library does (linking.py). ``library`` is one folder whose copy alone may
    answer. ``major`` fixes which main library is wanted. ``gpu`` is a UUID or an ordinal among the
    visible GPUs, "" the first of them. ``full`` adds the other types, layouts and directions.
    ``start_in`` is the child's working folder, else one of the system; ``lifted`` names limits that
    it raises first; ``python`` runs it in place of our own interpreter. ``reason`` asks the loader
    why it refused a part of cuDNN, which cuDNN itself doesn't tell.
    """
    parts = part_checks.part_lists(table)
    wish = {
        "names": main_names(family, major, table),
        "library": library,
        "folders": [str(folder) for folder in folders],
        "steps": list(steps),
        "gpu": gpu,
        "full": full,
        "lifted": list(lifted),
        "parts": parts,
        "unasked": [],
    }
    if library:
        environment, wish["folders"] = child_environment.of_copy(
            environment, family, library, folders
        )
    environment = child_environment.for_gpu(child_environment.talkative(environment), gpu)

    def ask(kind: str, variables: Mapping[str, str] | None = None, **more: object) -> Ended:
        asked, here = {**wish, **more}, {**environment, **(variables or {})}
        return run_child(kind, asked, here, deadline, start_in, python=python, cancel=cancel)

    try:
        ended = ask("trial")
        known = classify(ended, family, table)
        if end := part_checks.ended_in_spare_part(known, parts):
            again = ask("trial", unasked=[end.call])
            if classify(again, family, table)["status"] == "ok":
                ended, known = again, classify(again, family, table) | {"spared": [end]}
        in_loading = known["status"] == "crashed" and known["stage"] in ("version", "sublibraries")
        if reason and family == "linux" and in_loading:
            noted = refusals(ask("trial", VARIABLES).output)
            known["detail"] = "; ".join(filter(None, (known["detail"], *noted)))
        if known["status"] == "ok" and not library:
            known |= {"spared": _spared(known, ended, environment, family, parts, ask)}
    except (OSError, ValueError) as refusal:
        return Trial(
            subject=subject, library=library, stage="start", status="not-run", detail=str(refusal)
        )
    if family == "windows" and known["status"] == "missing-library":
        known |= _named(known, environment, wish)
    known["code_name"] = _code_name(known)
    return as_trial(known, ended, subject=subject, library=library)


def _spared(
    known: Mapping[str, Any],
    ended: Ended,
    environment: Mapping[str, str],
    family: Family,
    parts: part_checks.Parts,
    ask: Callable[..., Ended],
) -> list[PartCheck]:
    """Calls that didn't pass in a test that did, and those that stop programs of another order."""

    def first(call: str) -> Ended:
        return ask("library", first=call, after="", major=0)

    told = [*known.get("spared", ()), *part_checks.answered(ended)]
    found = [one for one in told if one.status != "ok"]
    if not found and part_checks.others_are_searched(environment, family, known["loaded"]):
        found += part_checks.refused_first_calls(known, parts, family, first)
    return found


def check_library(
    copy: CudnnCopy,
    environment: Mapping[str, str],
    family: Family,
    *,
    folders: Sequence[str] = (),
    deadline: float = 30.0,
    table: PartsTable = (),
    cancel: Cancel = never,
) -> LibraryCheck | None:
    """What one copy of cuDNN says when it is loaded in a child process. Needs no GPU.

    ``None``: no process could be started, so nothing is known. Only the copy's own folder is
    searched, after it ``folders`` and what lies beside it as in wheels (cuBLAS, NVRTC). What a
    version check that ends its child leaves unasked is asked in further ones.
    """
    alone, cuda_folders = child_environment.of_copy(environment, family, copy.folder, folders)
    alone = child_environment.talkative(alone)
    wish: dict[str, object] = {
        "names": [copy.file],
        "library": copy.folder,
        "folders": cuda_folders,
        "major": copy.major,
        "parts": part_checks.part_lists(table),
        "first": "",
        "steps": [],
    }

    def ask(after: str) -> Ended:
        asked, most = {**wish, "after": after}, LARGEST_LIBRARY
        return run_child("library", asked, alone, deadline, cancel=cancel, largest=most)

    try:
        ended = ask("")
        checks = part_checks.part_checks(ended, family, ask)
    except (OSError, ValueError):
        return None
    known = classify(ended, family, table)
    told = {**known, "mapped": of_cudnn(known.get("mapped", [])), "parts": checks}
    return msgspec.convert(_shown(told), LibraryCheck)


def _named(
    known: Mapping[str, Any], environment: Mapping[str, str], wish: Mapping[str, Any]
) -> dict[str, Any]:
    """Windows: which DLL it is that is missing, the one asked for or one that it needs."""
    folders = child_environment.searched_by_windows(
        environment, [wish["library"], *wish["folders"]]
    )
    for name in wish["names"]:
        if path := imports.locate(name, folders):
            return {"missing": imports.first_missing(path, folders) or known["missing"]}
    return {}


def as_trial(known: Mapping[str, Any], ended: Ended, **more: str) -> Trial:
    """What a child told, as far as a trial has a field for it, with ``more`` of its fields."""
    told = {
        **known,
        "loaded": os.path.realpath(known["loaded"]) if known.get("loaded") else "",
        # Windows tells them as a program's PATH has them: in other letters, through a junction.
        "mapped": [*map(os.path.realpath, known.get("mapped", ()))],
        "memory_free": known.get("memory_after", known.get("memory_free")),
        "times": _stage_times(ended),
        "output": ended.output[-_SHOWN:].strip(),
        **more,
    }
    return msgspec.convert(_shown(told), Trial)


def _shown(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shown(one) for name, one in value.items()}
    if isinstance(value, list):
        return [*map(_shown, value)]
    return readable(value) if isinstance(value, str) else value


def _code_name(known: Mapping[str, Any]) -> str:
    code = known.get("code")
    if code is None or known.get("code_name"):
        return str(known.get("code_name", ""))
    if known["status"] == "crashed":
        return codes.process_end(code, "windows")
    if known.get("api") == "cuda":
        return codes.cuda_result(code)
    if known.get("api") == "cudnn":
        return codes.cudnn_status(code, int(known.get("version", "0").split(".")[0] or 0))
    return ""


def _stage_times(ended: Ended) -> tuple[StageTime, ...]:
    """How long each stage took; one that never ended lasted until the child's end."""
    began = (line for line in ended.lines if "stage" in line and "status" not in line)
    entered = [(line["stage"], line["at"]) for line in began]
    last = ended.lines[-1] if ended.lines else {}
    end = last.get("at") if "status" in last else ended.milliseconds - ended.started
    times = [StageTime(stage="start", milliseconds=ended.started)] if ended.started else []
    ends = [*(at for _, at in entered[1:]), end] if entered else []
    for (stage, begin), until in zip(entered, ends, strict=True):
        times.append(StageTime(stage=stage, milliseconds=max(float(until) - float(begin), 0.0)))
    return tuple(times)


def run_trials(
    environment: Mapping[str, str], family: Family, *, gpus: Sequence[str], **wishes: Any
) -> tuple[Trial, ...]:
    """:func:`run_trial` on each of ``gpus`` (UUIDs), each in a child of its own, side by side.

    One GPU that hangs or dies says nothing about the others. Each test names the GPU that was
    asked for, also when it was not reached.
    """
    with ThreadPoolExecutor(max(len(gpus), 1)) as threads:
        found = threads.map(lambda gpu: run_trial(environment, family, gpu=gpu, **wishes), gpus)
        return tuple(
            trial if trial.gpu or gpu.isdigit() else msgspec.structs.replace(trial, gpu=gpu)
            for trial, gpu in zip(found, gpus, strict=True)
        )
