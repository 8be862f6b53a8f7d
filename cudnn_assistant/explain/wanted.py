"""What a program asks for: by names of files it can't find, by its package, by its release."""

from __future__ import annotations

import re

from cudnn_assistant.compat import FrameworkRelease, framework_needs
from cudnn_assistant.explain.facts import Facts
from cudnn_assistant.explain.versions import Version, cuda_number, says, version, version_text


def needs(f: Facts) -> FrameworkRelease | None:
    """What the release of the framework needs; None when the release isn't known.

    Where a family has no build for GPUs, or none is known of, Linux' build speaks.
    """
    if not f.framework or not f.framework_version:
        return None
    asked = (f.compat, f.framework, version_text(f.framework_version))
    build = version_text(f.build_cuda)
    mine = framework_needs(*asked, "windows", build, "system") if f.os == "windows" else None
    return mine if mine and mine.gpu else framework_needs(*asked, "linux", build, "system")


def brings(row: FrameworkRelease | None) -> bool:
    """Whether a release brings its own CUDA, so that the one on the computer doesn't matter."""
    return row is not None and row.found in ("wheel", "bundled")


def wanted_cudnn(f: Facts) -> Version:
    """The cuDNN major that a missing library's name, or the framework's release, asks for."""
    for name in f.lacking:
        found = re.search(r"cudnn\w*?(?:64_|\.so\.|\.| \(r)(\d{1,2})", name)
        if found:
            return (int(found.group(1)),)
    row = needs(f)
    return version(row.cudnn)[:2] if row and not brings(row) else ()


def wanted_cuda(f: Facts) -> Version:
    """The CUDA that a missing library's name, the package, or the framework's release asks for."""
    for name in f.lacking:
        found = _cuda_of_library(name)
        if found:
            return found
    if f.build_cuda:
        return f.build_cuda
    row = needs(f)
    return version(row.cuda) if row and not brings(row) else ()


def _cuda_of_library(name: str) -> Version:
    """CUDA version in a file name. Only cudart, cuBLAS and NVRTC carry CUDA's own number."""
    found = re.search(
        r"(?:cudart|cublas(?:lt)?|nvrtc)(?:64)?(?:_|\.so\.)(\d+)(?:[._](\d)\b)?", name
    )
    if found:
        return cuda_number(found.group(1), found.group(2) or "")
    found = re.search(
        r"(?:cufft|curand|cusolver|cusparse)(?:64)?(?:_|\.so\.)([89])[._]?(\d)?", name
    )
    return (int(found.group(1)), int(found.group(2) or 0)) if found else ()


def cuda_in_use(f: Facts) -> Version:
    """The CUDA the program's code runs with, as well as it is known."""
    if f.build_cuda:
        return f.build_cuda
    row = needs(f)
    if row is not None and brings(row):
        said = f.cuda and says("of-the-build", f.cuda_words)
        return f.cuda if said else version(row.cuda)
    return f.cuda or wanted_cuda(f)
