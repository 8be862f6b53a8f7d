"""Python environments, and what frameworks in them were built for and demand."""

from __future__ import annotations

from typing import Literal

from cudnn_assistant.machine.base import Struct
from cudnn_assistant.machine.settings import Variable

EnvironmentKind = Literal[
    "", "venv", "conda", "system", "pyenv", "uv", "pipx", "store", "registered", "user-site",
    "pythonpath",
]  # fmt: skip
CudnnOrigin = Literal["", "system", "wheel", "bundled", "conda", "none"]


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
    cudnn_from: CudnnOrigin = ""
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


class Kernel(Struct, kw_only=True):
    """One of Jupyter's ways to run notebooks."""

    path: str
    """Its kernel.json."""
    variables: tuple[Variable, ...] = ()
    """Those that it sets and that matter; what Jupyter replaces in them, ${NAME}, stands there."""


class PythonEnvironment(Struct, kw_only=True):
    """A Python installation or virtual environment."""

    id: str
    """Its root folder; the subject's id."""
    python: str = ""
    """The interpreter."""
    version: str = ""
    bits: int | None = None
    kind: EnvironmentKind = ""
    active: bool = False
    """The one that ``python`` means in the person's terminal."""
    externally_managed: bool = False
    """PEP 668: pip must not change it."""
    architecture: str = ""
    """Of the interpreter: "x86_64", "aarch64", "x86"."""
    pip: bool | None = None
    """pip is installed in it (environments made by uv have none)."""
    lock: str = ""
    """The uv.lock whose versions uv brings back whenever it runs something here; "" for none."""
    sites: tuple[str, ...] = ()
    """Existing folders of its packages, in the order that they are searched for an import."""
    packages: tuple[Package, ...] = ()
    frameworks: tuple[Framework, ...] = ()
    found_via: tuple[str, ...] = ()
    notebooks: tuple[Kernel, ...] = ()
    """Jupyter's kernels that run notebooks in it; those that lie in it only a Jupyter in it
    offers."""

    @property
    def set_by_kernels(self) -> tuple[Variable, ...]:
        """What notebooks in it are started with: what all kernels that set something set alike.

        () where the terminal's programs run in it. The choice of GPUs is told of by itself.
        """
        known = [one.variables for one in self.notebooks if one.variables and not self.active]
        said = {tuple((one.name, one.value) for one in variables) for variables in known}
        alike = known[0] if len(said) == 1 else ()
        return tuple(one for one in alike if one.name != "CUDA_VISIBLE_DEVICES")

    @property
    def activated(self) -> bool:
        """Whether the person's terminal was told to use it."""
        return not {"VIRTUAL_ENV", "CONDA_PREFIX"}.isdisjoint(self.found_via)

    @property
    def dead(self) -> bool:
        """Whether nothing in it can start: the Python that it was made with is gone."""
        return not self.python and self.kind in ("venv", "uv", "pipx", "conda")

    @property
    def meant_for_gpu(self) -> bool:
        """Whether a person expects something in it to use the GPU.

        Also where the build that is there can't: one for the processor alone, or an onnxruntime-gpu
        that the plain package has overwritten.
        """
        expected = any(f.expected_on_gpu for f in self.frameworks)
        return expected or any(p.name == "onnxruntime-gpu" for p in self.packages)
