"""The test inside the person's own framework: their interpreter, their packages, one convolution.

What a framework prints or raises is read for the library that was missing or the status that
cuDNN gave; nothing of the framework is imported here.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import msgspec

from cudnn_assistant import codes
from cudnn_assistant.child.framework import FIRST, STARTS
from cudnn_assistant.machine import SYSTEM, Family, Trial, readable
from cudnn_assistant.probe.running.children import Cancel, Ended, never, run_command
from cudnn_assistant.probe.trials.endings import classify, missing_library
from cudnn_assistant.probe.trials.trial import as_trial
from cudnn_assistant.versions import major

FRAMEWORKS = ("torch", "tensorflow", "jax", "onnxruntime", "cupy")
"""Frameworks that can be asked for."""

_POLITE = {
    "tensorflow": ("TF_FORCE_GPU_ALLOW_GROWTH", "true"),
    "jax": ("XLA_PYTHON_CLIENT_PREALLOCATE", "false"),
}
"""Frameworks that take nearly all GPU memory at once unless these are set."""
PRELOAD = "onnxruntime.preload_dlls()"
"""Loads the CUDA libraries that lie in the environment as packages (ONNX Runtime 1.21)."""
_STATUS = re.compile(r"\b(CUDNN_STATUS_[A-Z_]+|CUDA_ERROR_[A-Z_]+|cudaError[A-Z]\w+)")
_MEMORY = re.compile(r"(?i)out of memory|RESOURCE_EXHAUSTED|CUDA_ERROR_OUT_OF_MEMORY|ALLOC_FAILED")
_NO_GPU = re.compile(
    r"(?i)no CUDA-capable device|no NVIDIA driver|no NVIDIA GPU|CUDA_ERROR_NO_DEVICE"
    r"|cudaErrorNoDevice|no CUDA GPUs? (?:is|are) available|Unknown backend"
    r"|not compiled with CUDA"
)
_REFUSED = re.compile(r"\[WinError (\d+)\](?:.*?\"(?:[^\"]*[\\/])?([^\"\\/]+)\")?", re.DOTALL)
"""[WinError 126] … Error loading "C:\\…\\fbgemm.dll" or one of its dependencies."""
_NOT_FOUND = 126
_NO_MODULE = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'")


def bare(
    environment: Mapping[str, str], sites: Iterable[str], starts: Iterable[str]
) -> dict[str, str]:
    """The same for a Python with these folders of packages that runs nothing by itself at its start
    but the files ``starts``."""
    mine = filter(None, (environment.get("PYTHONPATH", ""), *sites))
    own = {"PYTHONPATH": os.pathsep.join(mine), STARTS: os.pathsep.join(starts)}
    return {**environment, **own}


def texts() -> list[Traversable]:
    """Of the child's program, which the framework's own Python runs."""
    own = files("cudnn_assistant.child")
    return [own / f"{name}.py" for name in ("channel", "mapped", "framework")]


def run_framework(
    environment: Mapping[str, str],
    python: str,
    framework: str,
    *,
    subject: str = SYSTEM,
    family: Family = "linux",
    deadline: float = 120.0,
    cancel: Cancel = never,
) -> Trial:
    """Run a convolution inside ``framework`` by the interpreter ``python``.

    Memory is taken as it is needed, unless the person has set otherwise. When the run does not come
    to its end and there is one setting that may be why, a second run without it tells
    (``helped_by``).
    """
    nothing = Trial(subject=subject, stage="start", status="not-run", framework=framework)
    program = "\n".join(text.read_text("utf-8") for text in texts())
    command = [python, *["-S"] * (STARTS in environment), "-c", program]
    wish = {"framework": framework}

    def test(here: Mapping[str, str]) -> Trial:
        polite = dict(_POLITE.values()) | dict(here)
        try:
            # An empty folder to start in: a stray torch.py beside the person must not be imported.
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as empty:
                ended = run_command(command, wish, polite, deadline, empty, cancel=cancel)
        except (OSError, ValueError) as refusal:
            code = getattr(refusal, "winerror", None)
            return msgspec.structs.replace(nothing, code=code, detail=readable(str(refusal)))
        return _trial(ended, framework, subject, family)

    first = test(environment)
    for change, changed in _what_may_help(first, environment, framework):
        if test(changed).status == "ok":
            return msgspec.structs.replace(first, helped_by=change)
    return first


def _what_may_help(
    trial: Trial, environment: Mapping[str, str], framework: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """The single changes to try, most likely first, each with the environment it makes."""
    if trial.status in ("ok", "timed-out", "not-run"):
        return
    if trial.status == "out-of-memory":
        name, text = _POLITE.get(framework, ("", ""))
        if name and environment.get(name, text) != text:
            yield f"{name}={text}", {**environment, name: text}
        return
    if framework == "onnxruntime" and trial.status in ("missing-library", "status-code"):
        yield PRELOAD, {**environment, FIRST: PRELOAD}
    variable = "CUDA_VISIBLE_DEVICES" if trial.status == "no-gpu" else "LD_LIBRARY_PATH"
    if variable in environment:
        yield variable, {name: text for name, text in environment.items() if name != variable}


def _trial(ended: Ended, framework: str, subject: str, family: Family) -> Trial:
    known = classify(ended, family)
    if known["status"] in ("raised", "stopped"):
        known |= _understood(known, framework, ended.output)
    named = f"{framework} {known.get('framework', '')}".strip()
    return as_trial(known, ended, subject=subject, framework=named)


def _understood(known: Mapping[str, Any], framework: str, output: str) -> dict[str, Any]:
    """What an exception, or what was printed before a framework gave up, says in our terms."""
    detail, why = known["detail"], known.get("why")
    if absent := _NO_MODULE.match(detail):
        # Another module that isn't there stops the person's program as well.
        status = "not-run" if absent[1] == framework else "unloadable"
        return {"status": status, "missing": absent[1]}
    if why == "no-cudnn":
        return {"status": "not-run"}
    # An import that raises has said it all: TensorFlow goes on where it warns of a library.
    imported = known["status"] != "raised" or known["stage"] != "load"
    missing = missing_library(detail) or (missing_library(output) if imported else "")
    code, file = refused.groups("") if (refused := _REFUSED.search(detail)) else (0, "")
    missing = missing or (file if int(code) == _NOT_FOUND else "")
    symbol = _STATUS.search(detail) or _STATUS.search(output)
    found: dict[str, Any] = {"status": "status-code", "code_name": symbol[1] if symbol else ""}
    if _MEMORY.search(detail):
        found["status"] = "out-of-memory"
    elif missing:
        found |= {"status": "missing-library", "missing": missing}
    elif why in ("no-cuda", "no-gpu") or _NO_GPU.search(detail):
        found["status"] = "no-gpu"
    elif not imported:
        found["status"] = "unloadable"
    if code:
        found["code"] = int(code)
    elif symbol:
        found["code"] = codes.number(symbol[1], major(known.get("version", "")))
    return found
