"""Frameworks whose CUDA and cuDNN pip could bring along, where the system has none for them."""

from __future__ import annotations

from cudnn_assistant.compat import framework_needs, packages_since
from cudnn_assistant.diagnose.computer import Computer
from cudnn_assistant.machine import Framework, PythonEnvironment
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import major, older

OF_CUDA = regex(r"lib(?:cudart|cublas|cublasLt|cufft|curand|cusolver|cusparse|cupti)\.so\b")
"""Files that these packages bring beside cuDNN. The driver's libcuda is none of them."""


def requirement(here: Computer, environment: PythonEnvironment, framework: Framework) -> str:
    """What pip is asked for, "tensorflow[and-cuda]==2.20.0"; "" when that is not the way."""
    compat, windows = here.compat, here.windows
    outside = {
        c.major
        for c in here.machine.cudnns
        if not c.environment and here.reachable(c.folder, c.found_via)
    }
    since = packages_since(compat, framework.name, "linux")
    extra = bool(since and framework.version) and not older(framework.version, since)
    if framework.name == "tensorflow" and extra and not windows:
        lacks = major(framework.cudnn) not in outside
        return f"tensorflow[and-cuda]=={framework.version}" if lacks else ""
    if framework.name == "jax" and framework.cuda and not windows:
        cuda = major(framework.cuda)
        lacks = not (outside and has_cuda(here, cuda))
        return f"jax[cuda{cuda}]=={framework.version}" if lacks else ""
    # A program that a tool installed, or that brings a Python, loads nothing at a person's call.
    by_tool = environment.kind in ("", "pipx", "uv") or environment.externally_managed
    mine = framework.package == "onnxruntime-gpu" and not by_tool
    return _of_onnxruntime(here, framework) if mine else ""


def _of_onnxruntime(here: Computer, framework: Framework) -> str:
    """ONNX Runtime asks for more of CUDA than cuDNN does (curand, cufft): the toolkit, or this.

    With a toolkit in place cuDNN alone is missing, and programs need no further line.
    """
    release = framework_needs(
        here.compat, "onnxruntime", framework.version, here.machine.os.family, framework.cuda
    )
    wanted = major(framework.cuda) or major(release.cuda if release else "")
    speaks = major(here.driver.cuda)
    if release is None or "[" not in release.requirement or wanted > speaks:
        return ""
    if has_cuda(here, wanted):
        return ""
    return f"{release.requirement.split('==')[0]}=={framework.version}"


def has_cuda(here: Computer, wanted: int) -> bool:
    """Whether a toolkit, or cuBLAS outside of every environment, is of that major."""
    known = here.libraries("cublas", "cublasLt")
    majors = {lib.major for lib in known if not here.in_environment(lib)}
    return wanted in majors or any(major(t.version) in (wanted, 0) for t in here.machine.toolkits)
