"""Frameworks whose CUDA and cuDNN pip could bring along, where the system has none for them."""

from __future__ import annotations

from cudnn_assistant.compat import Compat, framework_needs, packages_since
from cudnn_assistant.diagnose.needs import own_folders
from cudnn_assistant.envpath import inside
from cudnn_assistant.machine import Framework, Library, Machine, PythonEnvironment
from cudnn_assistant.versions import major, older


def requirement(
    machine: Machine, compat: Compat, environment: PythonEnvironment, framework: Framework
) -> str:
    """What pip is asked for, "tensorflow[and-cuda]==2.20.0"; "" when that is not the way."""
    windows = machine.os.family == "windows"
    since = packages_since(compat, framework.name, "linux")
    extra = bool(since and framework.version) and not older(framework.version, since)
    if framework.name == "tensorflow" and extra and not windows:
        majors = {copy.major for copy in machine.cudnns if not copy.environment}
        lacks = major(framework.cudnn) not in majors
        return f"tensorflow[and-cuda]=={framework.version}" if lacks else ""
    if framework.name == "jax" and framework.cuda and not windows:
        cuda = major(framework.cuda)
        outside = any(not copy.environment for copy in machine.cudnns)
        lacks = not (outside and _has_cuda(machine, cuda))
        return f"jax[cuda{cuda}]=={framework.version}" if lacks else ""
    if framework.package != "onnxruntime-gpu" or environment.kind != "venv":
        return ""
    return _of_onnxruntime(machine, compat, framework)


def _of_onnxruntime(machine: Machine, compat: Compat, framework: Framework) -> str:
    """ONNX Runtime asks for more of CUDA than cuDNN does (curand, cufft): the toolkit, or this.

    With a toolkit in place cuDNN alone is missing, and programs need no further line.
    """
    release = framework_needs(
        compat, "onnxruntime", framework.version, machine.os.family, framework.cuda
    )
    wanted = major(framework.cuda) or major(release.cuda if release else "")
    speaks = major(machine.driver.cuda) if machine.driver else 0
    if release is None or "[" not in release.requirement or not wanted <= speaks:
        return ""
    if _has_cuda(machine, wanted):
        return ""
    return f"{release.requirement.split('==')[0]}=={framework.version}"


def _has_cuda(machine: Machine, wanted: int) -> bool:
    """Whether a toolkit, or cuBLAS outside of every environment, is of that major."""
    outside = (lib for lib in machine.libraries if not _in_environment(machine, lib))
    majors = {lib.major for lib in outside if lib.name.startswith("cublas")}
    return wanted in majors or any(major(t.version) in (wanted, 0) for t in machine.toolkits)


def _in_environment(machine: Machine, library: Library) -> bool:
    folders = (folder for e in machine.pythons for folder in own_folders(e))
    return any(inside(library.path, folder, machine.os.family) for folder in folders)
