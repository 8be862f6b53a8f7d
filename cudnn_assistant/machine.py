"""What a computer is: the snapshot that every thought starts from.

Everything here is a fact that was read, never an opinion. The types are frozen, have no
behaviour beyond looking things up, and survive a round trip through JSON unchanged.

Conventions that hold for every field:

* "" and ``None`` mean *unknown*; that something is absent is said by a field of its own or by
  an empty tuple. A part that could not be read leaves a :class:`Gap`.
* Sizes are bytes, times are milliseconds, versions are dotted text without a leading "v".
* Paths are text in the spelling of the machine they were read on. Bytes that are no text are
  spelled ``\\xNN`` (see :func:`readable`); such a path can be shown but not be opened again.
"""

from __future__ import annotations

import re
from typing import Literal, dataclass_transform

import msgspec

SCHEMA = 1
"""Version of the snapshot's shape. A field never goes away and never changes what it means, so
that every older report can be opened for ever; the number counts up when fields were added that
an older program should say it doesn't understand."""

Family = Literal["windows", "linux"]
Scope = Literal["user", "machine", "process"]

SYSTEM = "system"
"""The subject of every program that takes cuDNN from the system."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Struct(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of all types of data: immutable, defaults left out of the JSON."""


LimitName = Literal["AS", "DATA", "STACK", "NOFILE", "NPROC", "MEMLOCK"]


class Limit(Struct, kw_only=True):
    """A limit of this account's programs (setrlimit) that is low, and that they can't raise."""

    name: LimitName
    most: int
    """Bytes; of NOFILE and NPROC a count."""


class OperatingSystem(Struct, kw_only=True):
    """The system the snapshot was taken on."""

    family: Family
    name: str = ""
    """As the system calls itself: "Ubuntu 24.04.1 LTS", "Windows 11 Pro"."""
    version: str = ""
    """Kernel release on Linux, build number on Windows."""
    distribution: tuple[str, ...] = ()
    """Linux: ID and ID_LIKE of os-release, most specific first."""
    architecture: str = ""
    """"x86_64" or "aarch64", of the system, whatever runs us."""
    libc: str = ""
    """Linux: "glibc 2.39" or "musl"."""
    wsl: int = 0
    """0, 1 or 2."""
    container: str = ""
    """"docker", "podman", "lxc" …, "" when none was seen."""
    sandbox: str = ""
    """"snap" or "flatpak", "" when none was seen."""
    administrator: bool = False
    """This program runs elevated (root, or an elevated token)."""
    secure_boot: bool | None = None
    """UEFI Secure Boot is on."""
    desktop: bool | None = None
    """A display is there to open a window on."""
    main_alone: str = ""
    """Debian: address and release of the source of packages, where its sections contrib and
    non-free, which hold the driver, are switched off; "" where they aren't, or elsewhere."""
    limits: tuple[Limit, ...] = ()
    """Linux: low limits that no experiment can lift."""


class Answer(Struct, kw_only=True):
    """What a library call returned: the number and its symbolic name."""

    code: int
    name: str = ""
    text: str = ""


class DeviceNode(Struct, kw_only=True):
    """A file under /dev that a driver library must be able to open."""

    path: str
    exists: bool
    openable: bool | None = None
    mode: str = ""
    owner: str = ""


class Driver(Struct, kw_only=True):
    """The NVIDIA driver as its three parts see it: kernel, NVML, driver API."""

    version: str = ""
    """Of the user-space libraries, by NVML or by their file name."""
    kernel_version: str = ""
    """Of the loaded kernel module (Linux: /proc/driver/nvidia/version; Windows: the registry)."""
    kernel_flavour: Literal["", "open", "proprietary"] = ""
    cuda: str = ""
    """Highest CUDA version that the driver speaks ("13.0"); not an installed toolkit."""
    nvml: Answer | None = None
    """Answer of nvmlInit. ``None``: not asked or unknown."""
    cuda_init: Answer | None = None
    """Answer of cuInit. ``None``: not asked or unknown."""
    nvml_library: str = ""
    """The file NVML was loaded from; "" when there is none."""
    cuda_library: str = ""
    """The file the driver API was loaded from; "" when there is none."""
    modules: tuple[str, ...] = ()
    """Loaded kernel modules among nvidia, nvidia_uvm, nvidia_modeset, nouveau, nova_core."""
    module_on_disk: bool | None = None
    """Linux: a module file for the running kernel exists."""
    kernel_headers: bool | None = None
    """Linux: the headers of the running kernel are installed."""
    nodes: tuple[DeviceNode, ...] = ()
    problem_codes: tuple[int, ...] = ()
    """Windows: Device Manager problem codes of NVIDIA devices (22 disabled, 28 no driver, 43 …)."""
    log: tuple[str, ...] = ()
    """Telling lines of the kernel log (NVRM, Xid, module rejected), prefixes stripped."""


SwitchTool = Literal["", "prime-select", "envycontrol", "supergfxctl", "system76-power"]


class SwitchedOff(Struct, kw_only=True):
    """A setting that keeps NVIDIA's GPU, or its driver, off: the processor draws alone."""

    tool: SwitchTool = ""
    """Who wrote it; "": no tool that is known, so a person or a package."""
    file: str
    line: str = ""
    """What stands there: "off", "blacklist nvidia", a rule that takes the GPU off the bus."""


class GpuProcess(Struct, kw_only=True):
    """A process that holds memory on a GPU."""

    pid: int
    name: str = ""
    memory: int | None = None
    """Bytes; ``None`` under WDDM, which does not say."""
    kind: Literal["compute", "graphics"] = "compute"


class Gpu(Struct, kw_only=True):
    """One NVIDIA GPU, joined by UUID (NVML and CUDA number GPUs differently)."""

    uuid: str = ""
    name: str = ""
    pci_bus: str = ""
    """"0000:01:00.0"."""
    pci_id: str = ""
    """Vendor and device, "10de:2684"."""
    compute: str = ""
    """Compute capability, "8.9"."""
    architecture: str = ""
    """"Ada", "Hopper" …"""
    memory_total: int | None = None
    memory_free: int | None = None
    memory_used: int | None = None
    memory_reserved: int | None = None
    processes: tuple[GpuProcess, ...] = ()
    compute_mode: Literal["", "default", "prohibited", "exclusive-process"] = ""
    driver_model: Literal["", "wddm", "tcc", "mcdm"] = ""
    kernel_driver: str = ""
    """Linux: the driver bound to the device: nvidia, nouveau, nova_core, vfio-pci, "" for none."""
    mig: bool | None = None
    mig_instances: tuple[str, ...] = ()
    """UUIDs of MIG instances."""
    virtualization: Literal["", "none", "passthrough", "vgpu", "host-vgpu", "host-vsga"] = ""
    ecc: bool | None = None
    ecc_uncorrected: int | None = None
    remap_pending: bool | None = None
    remap_failed: bool | None = None
    xids: tuple[int, ...] = ()
    """Xid numbers of this boot's kernel log for this GPU."""
    throttled: tuple[str, ...] = ()
    """Harmful clock reasons now: hw-thermal, sw-thermal, power-brake, hw-slowdown."""
    temperature: int | None = None
    """Degrees Celsius."""
    display: bool | None = None
    asleep: bool | None = None
    """Linux: runtime-suspended (hybrid laptop)."""
    nvml_index: int | None = None
    cuda_index: int | None = None
    """Ordinal in a CUDA program under the person's environment; ``None``: CUDA doesn't see it."""
    seen_by: tuple[Literal["nvml", "cuda", "pci"], ...] = ()


class Toolkit(Struct, kw_only=True):
    """An installed CUDA toolkit."""

    version: str = ""
    root: str
    """Canonical folder; links to it are in ``links``."""
    links: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    """Folders that hold its run-time libraries (lib64; bin, bin\\x64)."""
    found_via: tuple[str, ...] = ()


class Library(Struct, kw_only=True):
    """A CUDA or support library that cuDNN or a framework needs, cuDNN itself excluded."""

    name: str
    """cudart, cublas, cublasLt, nvrtc, nvrtc-builtins, zlib, zlibwapi, msvcp140 …"""
    path: str
    major: int | None = None
    """Major by file name: CUDA's for CUDA libraries."""
    version: str = ""
    architecture: str = ""
    found_via: tuple[str, ...] = ()
    owner: str = ""


PartState = Literal[
    "ok", "missing", "empty", "truncated", "not-a-library", "unreadable", "damaged-link"
]


class Part(Struct, kw_only=True):
    """One file of a copy of cuDNN."""

    name: str
    """Without prefix and suffix: "cudnn", "ops", "cnn_infer", "engines_precompiled"."""
    file: str
    """File name in the copy's folder."""
    state: PartState
    version: str = ""
    architecture: str = ""


class PartCheck(Struct, kw_only=True):
    """What one of cuDNN's own version checks answered; each loads a part and compares it."""

    call: str
    """The function: "cudnnCnnVersionCheck"."""
    status: Literal["ok", "status-code", "crashed", "timed-out"]
    code: int | None = None
    """Its status, or the exit code of the child that died in it."""
    detail: str = ""


class LibraryCheck(Struct, kw_only=True):
    """What loading this very copy in a child process said (no GPU needed)."""

    status: Literal[
        "ok", "missing-library", "unloadable", "status-code", "crashed", "timed-out", "other-copy"
    ]
    """unloadable: the loader refused a file that is there (damaged, other architecture …)."""
    version: str = ""
    """By cudnnGetVersion."""
    cuda: str = ""
    """CUDA it was built with, by cudnnGetCudartVersion: "12.9"."""
    code: int | None = None
    """Status of the first VersionCheck that was not 0, or the exit code of a crashed child."""
    detail: str = ""
    mapped: tuple[str, ...] = ()
    """cuDNN files that the process had mapped afterwards."""
    parts: tuple[PartCheck, ...] = ()
    """The outcome of each version check; one that ends its child leaves the others theirs."""


Doubt = Literal["", "place", "owner", "writable"]
"""Why code isn't run by itself. place: found by looking around, where no program of the person's is
known to take it from; owner: it belongs to somebody else; writable: others may change it."""


Flavour = Literal["full", "jit", "shim"]
"""jit: nvidia-cudnn-jit; shim: the main library alone, as CTranslate2 bundles it."""


class CudnnCopy(Struct, kw_only=True):
    """One copy of cuDNN: a folder with a main library. Its four versions may disagree."""

    folder: str
    file: str
    """The main library: libcudnn.so.9, cudnn64_9.dll."""
    major: int
    """By file name."""
    flavour: Flavour = "full"
    header_version: str = ""
    file_version: str = ""
    """Suffix of the real file name, or the PE version resource."""
    package_version: str = ""
    check: LibraryCheck | None = None
    cuda_major: int | None = None
    architecture: str = ""
    parts: tuple[Part, ...] = ()
    found_via: tuple[str, ...] = ()
    """How it was found: "LD_LIBRARY_PATH", "PATH", "ld-cache", "system-folder", "toolkit",
    "installer", "wheel", "bundled", "conda", "CUDNN_PATH", "assistant", "added", "home" (it
    only lies there)."""
    owner: str = ""
    """Package that owns it: "libcudnn9-cuda-12 9.5.1.17-1", "nvidia-cudnn-cu12 9.10.2.21"."""
    environment: str = ""
    """Id of the Python environment it lies in."""
    doubt: Doubt = ""
    """Why it wasn't loaded without being asked to."""
    wins_for: tuple[str, ...] = ()
    """Subjects whose programs load this copy, as measured."""

    @property
    def version(self) -> str:
        """The most trustworthy version known: loaded, else file, package, header.

        Where parts of it are gone, those of another copy may have answered.
        """
        loaded = self.check.version if self.check and self.check.status != "other-copy" else ""
        own = self.file_version or self.package_version
        return (own or loaded if self.damaged else loaded or own) or self.header_version

    @property
    def damaged(self) -> tuple[Part, ...]:
        """Parts that are not as they should be."""
        return tuple(part for part in self.parts if part.state != "ok")


class Value(Struct, kw_only=True):
    """The text of a variable as it is stored."""

    text: str
    expand: bool = False
    """Windows: stored as REG_EXPAND_SZ. Read, never guessed from "%"."""
    gone: bool = False
    """Linux, in our own settings file: the variable is taken away, whoever set it before."""
    length: int | None = None
    """In a report: characters of the stored text, where names in it were replaced."""

    @property
    def characters(self) -> int:
        """Characters of the stored text."""
        return len(self.text) if self.length is None else self.length


class Variable(Struct, kw_only=True):
    """One layer of one environment variable."""

    scope: Scope
    name: str
    value: Value
    source: str = ""
    """Registry key, or file (and line: "/home/x/.bashrc:12"), or "" for the process."""
    ours: bool = False
    """Linux: it stands in the settings file that this program owns."""
    exists: bool | None = None
    """Whether the folder is there, for a variable that names one folder (CUDA_PATH)."""


class PathEntry(Struct, kw_only=True):
    """One folder of a search list, in the order that new programs use."""

    variable: str
    """PATH, LD_LIBRARY_PATH, "ld.so.conf" or "default"."""
    scope: Scope
    text: str
    """As stored."""
    folder: str = ""
    """Expanded and absolute; "" when it can't be."""
    exists: bool | None = None
    closed: bool = False
    """The person may not look into it, so what it holds is unknown."""
    source: str = ""


class Package(Struct, kw_only=True):
    """A Python distribution that matters here (nvidia-*, a framework, its plugins)."""

    name: str
    version: str
    files_missing: int = 0
    """Library files of its RECORD that are not there."""
    missing: tuple[str, ...] = ()
    """Names of those files, the first 40; () where none is missing and in older reports."""
    changed: tuple[str, ...] = ()
    """Names of library files whose size isn't that of its RECORD, the first 40."""
    closed: str = ""
    """A folder on the way to its libraries that the person may not open, so that it is unknown
    what it holds; "" for none."""
    manager: Literal["", "conda"] = ""
    """Who installed it: "" for pip and its like."""


class Pin(Struct, kw_only=True):
    """What a framework's metadata demands, and what is there."""

    package: str
    wants: str
    """Version specifier, "==9.10.2.21"."""
    has: str = ""
    satisfied: bool | None = None


class Framework(Struct, kw_only=True):
    """A GPU framework in a Python environment, read from its files without importing it."""

    name: str
    """tensorflow, torch, jax, onnxruntime, cupy, ctranslate2, paddle, mxnet, tensorrt."""
    version: str = ""
    package: str = ""
    """The distribution that brought it: "onnxruntime-gpu"."""
    gpu: bool | None = None
    """Built for NVIDIA GPUs."""
    cuda: str = ""
    cudnn: str = ""
    """cuDNN it was built against: "9", "9.10", "9.10.2"."""
    cudnn_from: Literal["", "system", "wheel", "bundled", "conda", "none"] = ""
    """Where it takes cuDNN from. "none": it doesn't use cuDNN."""
    pins: tuple[Pin, ...] = ()
    architectures: tuple[str, ...] = ()
    """Compute capabilities with kernels in the build: "7.5", "9.0+PTX"."""

    @property
    def uses_cudnn(self) -> bool:
        """Whether it may ask for cuDNN: not a build for the processor alone."""
        return self.gpu is not False and self.cudnn_from != "none"

    @property
    def brings_cudnn(self) -> bool:
        """Whether it comes with its own cuDNN, or pins it as a package."""
        return self.gpu is not False and self.cudnn_from in ("wheel", "bundled", "conda")

    @property
    def uses_system_cudnn(self) -> bool:
        """Whether it takes cuDNN from the system."""
        return self.gpu is not False and self.cudnn_from == "system"

    @property
    def expected_on_gpu(self) -> bool:
        """Whether a person would expect it to use the GPU.

        The plain onnxruntime package is a CPU build that many programs carry for small work.
        """
        return self.gpu is not False or self.name != "onnxruntime"


class PythonEnvironment(Struct, kw_only=True):
    """A Python installation or virtual environment."""

    id: str
    """Its root folder; the subject's id."""
    python: str = ""
    """The interpreter."""
    version: str = ""
    bits: int | None = None
    kind: Literal[
        "", "venv", "conda", "system", "pyenv", "uv", "pipx", "store", "registered", "user-site",
        "pythonpath",
    ] = ""  # fmt: skip
    active: bool = False
    """The one that ``python`` means in the person's terminal."""
    externally_managed: bool = False
    """PEP 668: pip must not change it."""
    architecture: str = ""
    """Of the interpreter: "x86_64", "aarch64", "x86"."""
    pip: bool | None = None
    """pip is installed in it (environments made by uv have none)."""
    sites: tuple[str, ...] = ()
    """Existing folders of its packages, in the order that they are searched for an import."""
    packages: tuple[Package, ...] = ()
    frameworks: tuple[Framework, ...] = ()
    found_via: tuple[str, ...] = ()

    @property
    def dead(self) -> bool:
        """Whether nothing in it can start: the Python that it was made with is gone."""
        return not self.python and self.kind in ("venv", "uv", "pipx")

    @property
    def meant_for_gpu(self) -> bool:
        """Whether a person expects something in it to use cuDNN.

        Also where the build that is there can't: one for the processor alone, or an onnxruntime-gpu
        that the plain package has overwritten.
        """
        if any(
            f.expected_on_gpu and (f.cudnn_from != "none" or f.gpu is False)
            for f in self.frameworks
        ):
            return True
        return any(p.name == "onnxruntime-gpu" for p in self.packages)


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
    doubt: Doubt = ""
    """Why it was not run without being asked to; ``detail`` is the file or folder in doubt."""
    output: str = ""
    """The end of what the child printed besides its answer, for Details."""
    second_opinion: tuple[Library, ...] = ()
    """The system's test: what cuda-pathfinder, NVIDIA's own locator, loads in the same place."""

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


class Gap(Struct, kw_only=True):
    """A fact that could not be read. Rules that need it stay silent."""

    what: str
    """Name of the part: "gpu", "driver", "variables", "toolkits", "cudnn", "pythons", "trial"."""
    why: str


class Timing(Struct, kw_only=True):
    """How long one part of the look took."""

    part: str
    milliseconds: float


class Machine(Struct, kw_only=True, omit_defaults=False):
    """One computer at one moment."""

    schema: int = SCHEMA
    taken_at: str = ""
    """UTC, ISO 8601 with seconds."""
    tool: str = ""
    """"cudnn-assistant 0.1.0"."""
    os: OperatingSystem
    driver: Driver | None = None
    """``None``: no part of an NVIDIA driver was found (or a gap "driver" says why unknown)."""
    gpus: tuple[Gpu, ...] = ()
    other_gpus: tuple[str, ...] = ()
    """Names of display adapters that are not NVIDIA's."""
    switched_off: SwitchedOff | None = None
    """Linux, where the driver's module isn't loaded: what keeps the GPU off."""
    toolkits: tuple[Toolkit, ...] = ()
    cudnns: tuple[CudnnCopy, ...] = ()
    libraries: tuple[Library, ...] = ()
    variables: tuple[Variable, ...] = ()
    search: tuple[PathEntry, ...] = ()
    """Where the loader looks for a bare name, in order, for programs started afresh."""
    pythons: tuple[PythonEnvironment, ...] = ()
    trials: tuple[Trial, ...] = ()
    experiments: tuple[Experiment, ...] = ()
    """Tests of subjects that stopped, each repeated with one difference."""
    gaps: tuple[Gap, ...] = ()
    timings: tuple[Timing, ...] = ()

    def variable(self, name: str, *scopes: Scope) -> Variable | None:
        """The first layer of ``name`` in ``scopes`` order; names ignore case on Windows."""
        fold = str.casefold if self.os.family == "windows" else str
        for scope in scopes or ("process", "user", "machine"):
            for variable in self.variables:
                same = variable.scope == scope and fold(variable.name) == fold(name)
                if same and not variable.value.gone:
                    return variable
        return None

    def unknown(self, what: str) -> bool:
        """Whether a gap hides ``what``."""
        return any(gap.what == what for gap in self.gaps)

    def environment(self, subject: str) -> PythonEnvironment | None:
        """The Python environment that a subject is; ``None`` for the system."""
        return next((one for one in self.pythons if one.id == subject), None)

    def trials_of(self, subject: str) -> list[Trial]:
        """The tests of a subject that are not about one chosen copy."""
        return [one for one in self.trials if one.subject == subject and not one.library]

    def trial(self, subject: str) -> Trial | None:
        """The first of them."""
        return next(iter(self.trials_of(subject)), None)


def dump(machine: Machine) -> bytes:
    """JSON of a snapshot; ``load(dump(m)) == m``."""
    return msgspec.json.encode(machine)


def load(data: bytes | str) -> Machine:
    """A snapshot from its JSON.

    Raises :class:`msgspec.ValidationError` with the place of the fault, or
    :class:`msgspec.DecodeError` for what is no JSON. Unknown fields are passed over.
    """
    return msgspec.json.decode(data, type=Machine)


def readable(text: str) -> str:
    """``text`` fit for JSON: undecodable bytes (Linux) spelled ``\\xNN``, and halves of characters
    (Windows, whose names are any 16 bits) ``\\uNNNN``."""
    whole = _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    return whole.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Surrogates that stand for no byte."""
