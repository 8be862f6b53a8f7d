"""The types of the compatibility data: what the feed may say, and nothing else.

Every text is held to a pattern, so that data can't carry a command, a path to run, prose to show
or an address outside NVIDIA's own server, whoever signed it. ``strict.py`` enforces the patterns
for what comes from outside and for what is compiled; the built-in copy was compiled that way and
is decoded without, six times faster.

"" and 0 mean *unknown*, never "none". ``ONGOING`` says that something has no end yet.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from functools import cache, cached_property, wraps
from typing import Annotated, Any, Concatenate, Literal, ParamSpec, TypeVar

import msgspec

from cudnn_assistant import places
from cudnn_assistant.machine import Family, Struct
from cudnn_assistant.versions import numbers

SCHEMA = 1
"""Version of the data's shape. Fields are only ever added within one number."""

ONGOING = "ongoing"
"""Still supported by the newest release known; "" in the same place means unknown."""


_About = ParamSpec("_About")
_Answer = TypeVar("_Answer")


class Held(msgspec.Struct, frozen=True):
    """The whole of a text matches ``pattern`` and isn't longer than ``length``."""

    pattern: str
    length: int = 120


VersionText = Annotated[str, Held(r"([0-9]+(\.[0-9]+)*)?", 24)]
Limit = Annotated[str, Held(r"([0-9]+(\.[0-9]+)*|ongoing)?", 24)]
Compute = Annotated[str, Held(r"([0-9]{1,2}\.[0-9])?")]
Kernel = Annotated[str, Held(r"[0-9]{1,2}\.[0-9](\+PTX)?")]
Arm = Annotated[str, Held(r"no|yes|[0-9]{1,2}\.[0-9](\+PTX)?")]
Day = Annotated[str, Held(r"([0-9]{4}-[0-9]{2}-[0-9]{2})?")]
Name = Annotated[str, Held(r"[\w .,+()/&'-]{0,90}")]
Word = Annotated[str, Held(r"[A-Za-z0-9._-]{0,60}")]
Device = Annotated[str, Held(r"[0-9a-f]{4}")]
Loose = Annotated[str, Held(r"[0-9A-Za-z.]{0,30}")]
Official = Annotated[str, Held(r"https://developer\.download\.nvidia\.com/[\w./+-]+", 300)]
Sha256 = Annotated[str, Held(r"([0-9a-f]{64})?")]
Specifier = Annotated[str, Held(r"([<>=~!]=?[0-9.*]+(,[<>=~!]=?[0-9.*]+)*)?")]
Requirement = Annotated[str, Held(r"([A-Za-z0-9._-]+(\[[a-z0-9_,-]+\])?(==[0-9A-Za-z.*+]+)?)?", 90)]

Platform = Literal["linux-x86_64", "linux-sbsa", "linux-aarch64", "windows-x86_64", "windows-arm64"]
"""NVIDIA's names: sbsa is an ordinary 64-bit Arm computer, aarch64 a Jetson."""


class File(Struct, kw_only=True):
    """One official file, free of log-in, on NVIDIA's download server."""

    platform: Platform
    url: Official
    sha256: Sha256 = ""
    """"" : no hash is known, so that a download can't be proven; never install such a file."""
    size: int = 0
    """Bytes; 0 when unknown."""


class Architecture(Struct, kw_only=True):
    """What supports one compute capability, from when and until when."""

    compute: Compute
    name: Name
    first_cuda: VersionText = ""
    last_cuda: Limit = ""
    first_driver: VersionText = ""
    """Branch, "570"."""
    last_driver: Limit = ""
    """Branch, "580"."""
    first_cudnn: VersionText = ""
    last_cudnn: Limit = ""
    kernel_module: Literal["", "open", "closed", "both"] = ""
    """The flavours of Linux' kernel module that run it."""
    board: bool = False
    """A Jetson or the like, whose driver comes with its own system image."""


class DriverBranch(Struct, kw_only=True):
    """A driver branch and the highest CUDA that its driver speaks."""

    branch: int
    cuda: VersionText
    linux: VersionText = ""
    """First driver that speaks it."""
    windows: VersionText = ""


class DriverFloor(Struct, kw_only=True):
    """The oldest driver that runs programs of one CUDA (major from 11 on, release before)."""

    cuda: VersionText
    linux: VersionText
    windows: VersionText
    linux_safe: VersionText = ""
    """The stricter value where sources disagree; advice uses it, a diagnosis doesn't."""
    windows_safe: VersionText = ""
    disputed: bool = False


class Component(Struct, kw_only=True):
    """A part of a toolkit as an archive of its own, which needs no administrator."""

    name: Word
    """libcublas, cuda_nvrtc, cuda_cudart."""
    version: VersionText
    files: tuple[File, ...] = ()


class ToolkitRelease(Struct, kw_only=True):
    """One CUDA toolkit release with its official installers."""

    version: VersionText
    released: Day = ""
    disputed: bool = False
    files: tuple[File, ...] = ()
    """Installers."""
    components: tuple[Component, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    """The packages for Python that hold the libraries which cuDNN loads."""


class CudnnBuild(Struct, kw_only=True):
    """One cuDNN release built for one CUDA."""

    version: VersionText
    """Three parts, "9.10.2" (two before 7)."""
    full: VersionText = ""
    """Four parts, "9.10.2.21"."""
    cuda: VersionText
    """CUDA it is built for: "12", or "11.2" where only that one was built."""
    cuda_max: VersionText = ""
    driver_min_linux: VersionText = ""
    driver_min_windows: VersionText = ""
    compute_min: Compute = ""
    compute_max: Compute = ""
    late_compute: Compute = ""
    """From this capability on the ``late_`` minimums hold as well (Blackwell)."""
    late_linux: VersionText = ""
    late_windows: VersionText = ""
    needs_zlibwapi: bool = False
    """Windows: looks for zlibwapi.dll on PATH."""
    inferred: tuple[Literal["cuda", "driver", "compute"], ...] = ()
    """Facts taken from neighbouring releases because no table of this release is known."""
    files: tuple[File, ...] = ()

    @property
    def cuda_major(self) -> int:
        """The CUDA major it needs."""
        return int(self.cuda.split(".", maxsplit=1)[0])

    def driver_min(self, family: Family) -> str:
        """The oldest driver by the support matrix, "" when unknown."""
        return self.driver_min_windows if family == "windows" else self.driver_min_linux

    def file(self, platform: str) -> File | None:
        """Its official archive for a platform."""
        return next((file for file in self.files if file.platform == platform), None)


class CudnnRelease(Struct, kw_only=True):
    """One cuDNN release with all of its builds."""

    version: VersionText
    full: VersionText = ""
    released: Day = ""
    builds: tuple[CudnnBuild, ...] = ()


class CudnnParts(Struct, kw_only=True):
    """The sub-libraries of a cuDNN series, without prefix and suffix ("ops", "cnn_infer")."""

    first: VersionText
    last: VersionText
    windows: tuple[Word, ...] = ()
    linux: tuple[Word, ...] = ()
    extra: tuple[Word, ...] = ()
    """Files that only some releases of the series have."""
    since: tuple[VersionText, ...] = ()
    """The first release with each of ``extra``."""
    needed: tuple[Word, ...] = ()
    """Without one of these no convolution runs."""
    jit: tuple[Word, ...] = ()
    """All that the small cuDNN has, which builds its code at run time; () where there is none."""
    checks: tuple[Word, ...] = ()
    """Those with a version check, in the order in which asking hides nothing: in cuDNN 9 ``ops``
    comes last, since asked first the main library would load it from its own folder, which hides
    that ``cnn`` and ``adv`` take it from LD_LIBRARY_PATH (their RUNPATH loses)."""
    cublas: tuple[Word, ...] = ()
    """Those that name the cuBLAS they open, smallest text first."""

    def always(self, family: Family) -> tuple[str, ...]:
        """The sub-libraries that every release of the series has."""
        return self.windows if family == "windows" else self.linux

    def due(self, text: str, family: Family) -> tuple[str, ...]:
        """The main library ("cudnn") and what a release has besides; "" asks for any release."""
        later = zip(self.extra, self.since, strict=False)
        there = (name for name, first in later if numbers(first) <= numbers(text))
        return ("cudnn", *self.always(family), *there)

    @property
    def beyond_jit(self) -> tuple[str, ...]:
        """The sub-libraries that the small cuDNN lacks on purpose."""
        return tuple(name for name in self.linux if name not in self.jit)

    def is_jit(self, there: AbstractSet[str]) -> bool:
        """Whether these parts are the small cuDNN, and not a full one that has lost files."""
        return bool(self.jit) and {*self.jit} <= there and not {*self.beyond_jit} & there


class FrameworkRelease(Struct, kw_only=True):
    """What one build of a framework release needs."""

    name: Word
    """Lower case: torch, tensorflow, onnxruntime."""
    version: VersionText
    family: Family
    gpu: bool = True
    """False: this release has no build for NVIDIA GPUs on this family."""
    python: Specifier = ""
    cuda: VersionText = ""
    cudnn: VersionText = ""
    """cuDNN it was built against: "8.1", "9.10.2.21"."""
    cudnn_spec: Specifier = ""
    """What its package metadata demands of the cuDNN wheel."""
    found: Literal["", "system", "wheel", "bundled", "none"] = ""
    """Where it takes cuDNN from. "none": it doesn't use cuDNN."""
    requirement: Requirement = ""
    index: Word = ""
    """Variant of the framework's own package index, "cu130"; "" for the ordinary one."""
    compute: tuple[Kernel, ...] = ()
    """Capabilities with kernels in the build; empty when unknown."""
    compute_min: Compute = ""
    arm: tuple[Arm, ...] = ()
    """Its build for 64-bit Arm, where the rest is about x86-64: ("no",) has no code for GPUs,
    ("yes",) the same, else the capabilities with kernels in it; empty when unknown."""
    beside: tuple[Requirement, ...] = ()
    """What its package metadata leaves open, and newer ones of which it doesn't import with."""
    sure: bool = True
    """False: rests on general knowledge or a plan, not on a published table."""


class Wheel(Struct, kw_only=True):
    """One release of an NVIDIA package for Python and the systems it has files for."""

    package: Word
    version: VersionText
    platforms: tuple[Platform, ...]


class KnownBad(Struct, kw_only=True):
    """A release or a hash that must not be used."""

    kind: Literal["hash", "release"]
    product: Word
    version: Loose = ""
    platform: Platform | Literal[""] = ""
    sha256: Sha256 = ""
    """A hash that some list gives for the file of this platform, and that is not its hash."""
    why: Literal["wrong-hash", "extra-not-installable", "placeholder", "preview"]


class Compat(Struct, kw_only=True, omit_defaults=False, dict=True):
    """All facts of one version of the feed."""

    schema: int = SCHEMA
    version: int
    """Counts up with every publication."""
    published: Day
    architectures: tuple[Architecture, ...] = ()
    branches: tuple[DriverBranch, ...] = ()
    floors: tuple[DriverFloor, ...] = ()
    toolkits: tuple[ToolkitRelease, ...] = ()
    cudnns: tuple[CudnnRelease, ...] = ()
    parts: tuple[CudnnParts, ...] = ()
    frameworks: tuple[FrameworkRelease, ...] = ()
    wheels: tuple[Wheel, ...] = ()
    known_bad: tuple[KnownBad, ...] = ()
    gpus: dict[Name, Compute] = msgspec.field(default_factory=dict)
    """Product name, lower case → capability; "" where one name was sold with several."""
    pci: dict[Device, Name] = msgspec.field(default_factory=dict)
    """Device id → "capability name", "8.9 GeForce RTX 4090"."""
    unreviewed: tuple[Name, ...] = ()
    """Releases that machines announced and no person has looked at: "cuDNN 9.29.0"."""
    program: VersionText = ""
    """The newest published version of this program itself."""

    @cached_property
    def answers(self) -> dict[tuple[Any, ...], Any]:
        """What these facts have answered (see :func:`once`); no part of them."""
        return {}


def once(
    question: Callable[Concatenate[Compat, _About], _Answer],
) -> Callable[Concatenate[Compat, _About], _Answer]:
    """A question that each version of the data answers once for the same words.

    A recommendation asks it of hundreds of candidates, and again for each other way to the goal;
    ``functools.cache`` would hash all the data for each.
    """

    @wraps(question)
    def asked(compat: Compat, /, *about: _About.args, **named: _About.kwargs) -> _Answer:
        key = (question, about, *sorted(named.items()))
        if key not in compat.answers:
            compat.answers[key] = question(compat, *about, **named)
        return compat.answers[key]  # type: ignore[no-any-return]

    return asked


def decode(data: bytes) -> Compat:
    """Data from its JSON, with the shape checked but not the texts (see ``strict.py``).

    Raises :class:`msgspec.ValidationError` for another shape and :class:`msgspec.DecodeError` for
    what is no JSON; both are :class:`msgspec.MsgspecError`.
    """
    return msgspec.json.decode(data, type=Compat)


@cache
def load_builtin() -> Compat:
    """The data that came with this program; it is always there."""
    return decode(places.resource("compat/compat.json").read_bytes())
