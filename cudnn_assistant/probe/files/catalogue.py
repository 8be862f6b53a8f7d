"""Tables: names of cuDNN's and CUDA's files, and the folders of each system that may hold them.

Names: NVIDIA's own locator (cuda-pathfinder) and the wheels of cuDNN 8.5 to 9.28. Where NVIDIA
changed a layout, both are listed. Which parts a cuDNN has stands in the compatibility data.
"""

from __future__ import annotations

import re
from itertools import product

import msgspec

from cudnn_assistant.machine import Family
from cudnn_assistant.regex import regex

MAIN = {
    "linux": regex(r"libcudnn(?:-[0-9a-f]{6,})?\.so(?:\.(\d+)(?:\.\d+)*)?"),
    "windows": regex(r"cudnn64_(\d+)\.dll", re.IGNORECASE),
}
"""File names of the main library; group 1 is the major. A hash: bundled by a repaired wheel."""


_SUFFIX = regex(r"\.so\.(\d+(?:\.\d+)+)$")


def version_in_name(path: str) -> str:
    """Linux: "580.65.06" of "libcuda.so.580.65.06"; "" where there is one number, as in ".so.1"."""
    match = _SUFFIX.search(path)
    return match[1] if match else ""


def part_file(name: str, major: int, family: Family) -> str:
    """File name of a part: ``libcudnn_ops.so.9``, ``cudnn_ops64_9.dll``."""
    stem = "cudnn" if name == "cudnn" else f"cudnn_{name}"
    return f"lib{stem}.so.{major}" if family == "linux" else f"{stem}64_{major}.dll"


class LibraryRule(msgspec.Struct, frozen=True):
    """A library that cuDNN or a framework needs beside cuDNN: patterns of its file's name.

    Group 1, where there is one, has the digits of the major; "" where the system has no such file.
    """

    name: str
    linux: str
    windows: str


def _of_cuda(name: str) -> LibraryRule:
    linux, windows = rf"lib{name}\.so\.(\d+)(?:\.\d+)*", rf"{name}64_(\d+)(?:_\d+)?\.dll"
    return LibraryRule(name, linux, windows)


LIBRARIES: tuple[LibraryRule, ...] = (
    *map(_of_cuda, ("cudart", "cublas", "cublasLt", "nvrtc", "nvrtc-builtins")),
    LibraryRule("zlib", r"libz\.so\.(\d+)(?:\.\d+)*", ""),
    LibraryRule("zlibwapi", "", r"zlibwapi\.dll"),
    LibraryRule("msvcp140", "", r"msvcp140\.dll"),
    LibraryRule("msvcp140_atomic_wait", "", r"msvcp140_atomic_wait\.dll"),
    LibraryRule("vcruntime140", "", r"vcruntime140\.dll"),
    LibraryRule("vcruntime140_1", "", r"vcruntime140_1\.dll"),
    LibraryRule("cuda", r"libcuda\.so\.(1)", r"nvcuda\.dll"),
    LibraryRule("nvml", r"libnvidia-ml\.so\.(1)", r"nvml\.dll"),
)
"""The last two belong to the driver, and a second one on the search path is worth knowing; programs
open them by ".so.1" alone: the long name beside it is the same file."""

FOLDER_VARIABLES = regex(
    r"(EBROOT)?CUDNN(_PATH|_HOME|_ROOT|(_ROOT|_LIB|_LIBRARY)?_DIR|_LIB(RARY)?)?"
    r"|CUDA_(PATH|HOME|ROOT|TOOLKIT_ROOT_DIR|PATH_V.*)"
)
"""Variables that name a root of cuDNN or CUDA (no loader reads them; people set them)."""

BELOW_ROOT: dict[Family, tuple[str, ...]] = {
    "linux": ("", "lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu",
              "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "targets/aarch64-linux/lib"),
    "windows": ("", "bin", "bin/x64", "bin/arm64", "lib", "lib/x64"),
}  # fmt: skip
"""Where libraries lie below the root of a toolkit, a cuDNN archive or an added folder."""

TOOLKIT_ROOTS = (
    "usr/local/cuda*", "opt/cuda*", "usr/lib/cuda*", "usr/lib/nvidia-cuda-toolkit",
    "opt/nvidia/cuda*", "opt/nvidia/hpc_sdk/Linux_*/*/cuda/*", "usr/local/lib/cuda*", "usr",
)  # fmt: skip
"""Linux: patterns of toolkit roots below "/"; "usr" is a distribution's own package."""

LIBRARY_FOLDERS = (
    "usr/local/lib", "usr/local/lib64", "usr/local/*/lib", "usr/local/*/lib64",
    "opt/*/lib", "opt/*/lib64", "opt/*/*/lib", "opt/*/*/lib64", "opt/*",
    "usr/local/nvidia/lib", "usr/local/nvidia/lib64", "usr/lib/wsl/lib",
    "run/opengl-driver/lib",
)  # fmt: skip
"""Linux: patterns of folders below "/" where people unpack cuDNN."""

_SPACK = ("opt/spack/*/cudnn-*/lib*", "opt/spack/*/*/cudnn-*/lib*")
"""Since its 1.0, and before."""
MANAGED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("SPACK_ROOT", _SPACK),
    *product(("EASYBUILD_INSTALLPATH", "EASYBUILD_PREFIX"), (("software/cuDNN/*/lib*",),)),
    ("HOME", (*(f"spack/{one}" for one in _SPACK), ".local/easybuild/software/cuDNN/*/lib*")),
    ("/opt", tuple(f"spack/{one}" for one in _SPACK)),
)
"""Linux: a folder, or the variable that names it, and where managers of packages put cuDNN below,
each version in a folder of its own. What Nix and Guix have in their stores is for their own
programs, which know its place; beside others it would bring another C library along."""

_UNPACKED = tuple(map("".join, product(
    ("cudnn*/", "cudnn*/cudnn*/", "cudnn*/cuda/", "cuda/"), ("bin", "bin/x64")
)))  # fmt: skip
"""Windows: what becomes of an archive; Explorer unpacks it into a folder of its own name."""

WINDOWS_FOLDERS = (
    *map("".join, product(("", "*/", "Program Files/NVIDIA*/"), _UNPACKED)),
    "cuda*/bin", "cuda*/cudnn*/bin", "tools/*/bin", "tools/*/bin/x64",
)  # fmt: skip
"""Windows: patterns of folders on a drive where people unpack cuDNN; TensorFlow's instructions
said C:/tools/cuda."""

UNPACKED_FOLDERS: dict[Family, tuple[str, ...]] = {
    "linux": ("cudnn*/lib", "cudnn*/lib64", "cuda/lib64", "*/cudnn*/lib", "*/cudnn*/lib64",
              "*/cuda/lib64", ".local/lib", "lib"),
    "windows": tuple(map("".join, product(("", "*/", "OneDrive*/*/"), _UNPACKED))),
}  # fmt: skip
"""Below a person's home, under any name of Downloads, and below a toolkit: where archives are
unpacked in place."""

LINUX_TRUSTED = (
    "lib/{multiarch}", "usr/lib/{multiarch}", "lib64", "usr/lib64", "lib", "usr/lib",
)  # fmt: skip
"""Linux: the loader's built-in folders, in its order; those of other distributions don't exist."""

_BY_CUDA = ("1*", "1*/x64", "1*/arm64")
BELOW_INSTALLED = tuple(map("".join, product(("", "bin/", "v*/bin/"), _BY_CUDA)))
"""Windows: below a folder of cuDNN's installer, wherever that was told to put it. Up to 9.17 it is
``bin/12.9``, later ``bin/12.9/x64``."""
CUDNN_INSTALLER = tuple(f"NVIDIA/CUDNN/v*/bin{one}" for one in ("", *(f"/{x}" for x in _BY_CUDA)))
"""Windows: below Program Files."""

CUDA_INSTALLER = ("NVIDIA GPU Computing Toolkit/CUDA/v*",)

IN_SITE: tuple[tuple[str, str], ...] = (
    *product((
        "nvidia/cudnn/lib", "nvidia/cudnn/bin", "nvidia/cudnn_jit/lib", "nvidia/cu13/lib",
        "nvidia/cu13/bin/x86_64", "nvidia/cu13/bin/x64", "nvidia/cu13/bin", "nvidia/cublas/lib",
        "nvidia/cublas/bin", "nvidia/cuda_runtime/lib", "nvidia/cuda_runtime/bin",
        "nvidia/cuda_nvrtc/lib", "nvidia/cuda_nvrtc/bin"), ("wheel",)),
    *product((
        "torch/lib", "torch.libs", "ctranslate2", "ctranslate2.libs", "onnxruntime/capi",
        "paddle/libs", "mxnet", "tensorflow", "cupy/.data/lib", "jaxlib/cuda"), ("bundled",)),
)  # fmt: skip
"""Folders below site-packages that hold cuDNN or its neighbours, and how we call the find."""
