"""Toolkits, copies of cuDNN and the libraries beside them."""

from __future__ import annotations

from typing import Literal

from cudnn_assistant.machine.base import Struct


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


Doubt = Literal["", "place", "owner", "writable", "many"]
"""Why code isn't run by itself. place: found by looking around, where no program of the person's is
known to take it from; owner: it belongs to somebody else; writable: others may change it;
many: as many others as one look tries are likelier to be in use."""


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
    only lies there), "trial" (a test loaded it)."""
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
