"""Tests of cuDNN, and those that were repeated with one difference."""

from __future__ import annotations

from typing import Literal

from cudnn_assistant.machine.base import Struct
from cudnn_assistant.machine.libraries import Doubt, Library, PartCheck

Stage = Literal[
    "start", "driver", "context", "load", "version", "sublibraries", "handle", "convolution"
]
TrialStatus = Literal[
    "ok", "missing-library", "unloadable", "other-copy", "status-code", "wrong-result", "crashed",
    "timed-out", "out-of-memory", "no-gpu", "not-run",
]  # fmt: skip


class StageTime(Struct, kw_only=True):
    """How long a stage of the test took."""

    stage: Stage
    milliseconds: float


class Trial(Struct, kw_only=True):
    """One run of the cuDNN test in a child process: how far it came and what it saw."""

    subject: str
    gpu: str = ""
    """UUID of the GPU it ran on, or was asked to; "" when any would do and none was reached."""
    gpu_name: str = ""
    library: str = ""
    """Folder of the one copy that was asked for; "" for what programs get by name."""
    stage: Stage
    """The last stage that was entered; "convolution" with status ok means that all is well."""
    status: TrialStatus
    code: int | None = None
    """Status number of the call that stopped it, or exit code of a child that died."""
    code_name: str = ""
    """The number's symbol in the table of the loaded major: CUDNN_STATUS_NOT_INITIALIZED."""
    detail: str = ""
    """What the library or loader said itself."""
    missing: str = ""
    """File name of the library that could not be loaded."""
    version: str = ""
    """cuDNN that answered, "9.10.2"."""
    loaded: str = ""
    """The real path of the main library that was mapped."""
    mapped: tuple[str, ...] = ()
    """All cuDNN and CUDA libraries the process had mapped."""
    memory_free: int | None = None
    """Bytes free on the GPU after the context was made."""
    checks: tuple[str, ...] = ()
    """Convolutions that ran and agreed with the CPU: "fp32", "fp16", "fp32 backward data"."""
    skipped: tuple[str, ...] = ()
    """Types this GPU or cuDNN doesn't have."""
    times: tuple[StageTime, ...] = ()
    framework: str = ""
    """The framework whose own convolution this was, with its version: "torch 2.11.0"."""
    spared: tuple[PartCheck, ...] = ()
    """A test that passed: calls of parts that convolutions do without, which did not."""
    helped_by: str = ""
    """The one setting with which a second run came to its end: "LD_LIBRARY_PATH" and
    "CUDA_VISIBLE_DEVICES" were taken out, others set ("TF_FORCE_GPU_ALLOW_GROWTH=true")."""
    tested_at: str = ""
    """UTC, of a test that was asked for after the look; "" for those of the look itself."""
    doubt: Doubt = ""
    """Why it was not run without being asked to; ``detail`` is the file or folder in doubt."""
    output: str = ""
    """The end of what the child printed besides its answer, for Details."""
    second_opinion: tuple[Library, ...] = ()
    """The system's test: what cuda-pathfinder, NVIDIA's own locator, loads in the same place."""

    @property
    def asked(self) -> bool:
        """Whether a framework was asked that uses cuDNN, though its Python may not have started."""
        return bool(self.framework) and (self.status != "not-run" or self.stage == "start")

    @property
    def milliseconds(self) -> float:
        """Time of all stages together."""
        return sum(time.milliseconds for time in self.times)


DifferenceKind = Literal[
    "preload", "search-entry", "search-order", "variable", "limit", "working-folder",
    "program-folder", "python-start", "gpus", "settings",
]  # fmt: skip
"""What an experiment does without. "search-order": with an entry behind all others;
"program-folder": Windows' libraries beside the program; "settings": all of these at once."""


class Difference(Struct, kw_only=True):
    """The one thing that an experiment did differently from the test it repeats."""

    kind: DifferenceKind
    name: str = ""
    """The variable or limit it concerns: "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "as"."""
    without: tuple[str, ...] = ()
    """What was left out: entries of a list, a variable's text, a limit's number."""


class Outcome(Struct, kw_only=True):
    """How a test ended, as far as experiments compare it."""

    stage: Stage
    status: TrialStatus
    code: int | None = None
    missing: str = ""
    version: str = ""
    loaded: str = ""


class Experiment(Struct, kw_only=True):
    """A test of a subject, repeated with one difference."""

    subject: str
    framework: str = ""
    """The framework that was asked, as in :class:`Trial`; "" for cuDNN itself."""
    difference: Difference
    before: Outcome
    after: Outcome
    proven: bool = False
    """It helped, twice, and without the difference the test stopped in the same way, twice."""
