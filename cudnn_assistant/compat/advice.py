"""What a recommendation says. Codes and facts only; the words live in wording.py."""

from __future__ import annotations

from typing import Literal

from cudnn_assistant.compat.facts import Component, File
from cudnn_assistant.machine import Struct

Code = Literal[
    "no-gpu", "gpu-unknown", "gpu-too-old", "gpu-too-new", "gpu-left-out", "gpu-support-unknown",
    "gpu-dropped-by-driver", "driver-missing", "driver-too-old", "driver-unknown",
    "python-not-supported", "python-unknown", "no-gpu-build-on-windows", "no-gpu-build",
    "framework-unknown", "framework-needs-unknown", "no-official-file", "hash-unknown", "known-bad",
    "wanted-cuda", "wanted-cudnn", "already-there", "cuda-present", "cuda-of-driver",
    "tested-with-framework", "last-for-gpu", "inferred", "disputed", "platform-unknown",
    "processor-unknown", "gpu-ambiguous", "other-maker", "not-published", "not-reviewed",
    "release-not-listed", "driver-too-new", "musl-system",
]  # fmt: skip


class Release(Struct, frozen=True):
    """A product's release, made for one CUDA where that is known."""

    product: str
    version: str
    cuda: str = ""

    def __str__(self) -> str:
        made = f" for CUDA {self.cuda}" if self.cuda else ""
        return f"{self.product} {self.version}".strip() + made


class Reason(Struct, kw_only=True):
    """Why something was chosen, dropped or can't be said."""

    code: Code
    about: str = ""
    """What it is about: "cuDNN 9.28.0 for CUDA 13", "torch 2.14.1", a GPU's capability."""
    release: Release | None = None
    """The same by its parts, where it is a product's release."""
    facts: dict[str, str | tuple[str, ...]] = {}  # noqa: RUF012 - msgspec copies empty defaults


def reason(code: Code, release: Release, **facts: str) -> Reason:
    """A reason that is about a product's release."""
    return Reason(code=code, about=str(release), release=release, facts=dict(facts))


class DriverAdvice(Struct, kw_only=True):
    """The driver that the set needs."""

    minimum: str
    present: str = ""
    enough: bool | None = None
    """None: the present driver is unknown."""
    possible: bool | None = None
    """Whether these GPUs can ever get it."""
    last_branch: int | None = None
    """The last branch for these GPUs; None when there is no end yet or it is unknown."""
    disputed: bool = False


class ToolkitAdvice(Struct, kw_only=True):
    """The CUDA libraries that the set needs."""

    cuda_major: int
    version: str = ""
    """A toolkit release that fits; "" when a present one does."""
    present: str = ""
    """The one that is already there."""
    file: File | None = None
    """The installer."""
    components: tuple[Component, ...] = ()
    """The libraries that cuDNN loads as archives, which need no administrator; each has the one
    file for this platform."""
    requirements: tuple[str, ...] = ()
    """The same libraries as packages for Python."""


class CudnnAdvice(Struct, kw_only=True):
    """The cuDNN of the set."""

    version: str
    full: str = ""
    cuda_major: int
    cuda: str = ""
    """The exact CUDA where it was built for one release only ("11.2")."""
    file: File | None = None
    """The official archive; None where a wheel or the framework itself brings it."""
    requirement: str = ""
    """The same release as a package for Python."""
    folder: str = ""
    """Where it is already."""
    needs_zlibwapi: bool = False


class FrameworkAdvice(Struct, kw_only=True):
    """The framework build of the set."""

    name: str
    version: str
    cuda: str = ""
    cudnn: str = ""
    cudnn_spec: str = ""
    """What it demands of the cuDNN package, "==9.10.2.21"."""
    found: Literal["", "system", "wheel", "bundled", "none"] = ""
    requirement: str = ""
    index: str = ""
    command: str = ""
    """The words after "python -m" that install it, its index included."""
    beside: tuple[str, ...] = ()
    """Packages to name with it, where pip would take ones that it doesn't run with: a NumPy that
    is too new for it, a cuDNN that has dropped the GPU."""
    python: str = ""
    installed: bool = False


Price = Literal["", "another-release", "another-python", "another-framework"]


class Alternative(Struct, kw_only=True):
    """Another way to the goal when the wish itself can't be met."""

    way: Literal["wsl2", "framework", "other-gpu", "container", "source-build"]
    framework: FrameworkAdvice | None = None
    price: Price = ""
    """What has to be given up for it."""
    about: str = ""
    """Of another GPU: the capability from which on it would do."""


class Recommendation(Struct, kw_only=True):
    """One coherent set for a subject, why it was chosen, and what can't be met."""

    subject: str
    possible: bool | None
    """None: what is unknown decides; the set is then the best guess and says so."""
    driver: DriverAdvice | None = None
    toolkit: ToolkitAdvice | None = None
    cudnn: CudnnAdvice | None = None
    framework: FrameworkAdvice | None = None
    because: tuple[Reason, ...] = ()
    next_newer: Reason | None = None
    """What keeps the next newer release from being the answer."""
    ruled_out: tuple[Reason, ...] = ()
    """The nearest of what is newer that each reason excluded."""
    unmet: tuple[Reason, ...] = ()
    unknown: tuple[Reason, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
