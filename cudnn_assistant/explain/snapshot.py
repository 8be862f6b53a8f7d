"""What a snapshot of the computer says about the classes of causes.

The diagnosis's findings confirm; plain facts rule out. Only what can't be otherwise is ruled
out: an unknown fact rules out nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from cudnn_assistant.explain.answer import State
from cudnn_assistant.explain.evidence import Evidence
from cudnn_assistant.explain.facts import Facts
from cudnn_assistant.explain.versions import version
from cudnn_assistant.explain.wanted import wanted_cudnn
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import Machine
from cudnn_assistant.wording import _, words

CLASS_OF_FINDING: Mapping[str, str] = {
    "c-library-too-old": "other",
    "compat-library-used": "env-variable-wrong",
    "compute-mode-exclusive": "other-process-uses-gpu",
    "compute-mode-prohibited": "other",
    "computer-memory-full": "other",
    "container-no-compute": "container-runtime",
    "container-no-gpu": "container-runtime",
    "cpu-only-framework": "cpu-only-build",
    "cpu-too-old": "other",
    "cublas-missing-in-environment": "cuda-missing",
    "cublas-not-searched": "cuda-not-on-path",
    "cuda-home-malformed": "env-variable-wrong",
    "cuda-home-stale": "env-variable-wrong",
    "cuda-missing": "cuda-missing",
    "cuda-not-on-path": "cuda-not-on-path",
    "cuda-path-malformed": "env-variable-wrong",
    "cuda-path-stale": "env-variable-wrong",
    "cuda-paths-disagree": "env-variable-wrong",
    "cuda-stopped-after-sleep": "other",
    "cudnn-damaged": "corrupted-install",
    "cudnn-header-differs": "cudnn-version-mismatch",
    "cudnn-jit-only": "cudnn-missing",
    "cudnn-missing": "cudnn-missing",
    "cudnn-mixed-versions": "cudnn-mixed-sublibraries",
    "cudnn-not-on-path": "cudnn-not-on-path",
    "cudnn-package-differs": "cudnn-version-mismatch",
    "cudnn-package-missing": "cudnn-missing",
    "cudnn-package-wrong-major": "cudnn-version-mismatch",
    "cudnn-parent-on-path": "cudnn-not-on-path",
    "cudnn-part-missing": "corrupted-install",
    "cudnn-path-stale": "env-variable-wrong",
    "cudnn-renamed": "cudnn-version-mismatch",
    "cudnn-too-old": "cudnn-version-mismatch",
    "cudnn-unreadable": "permission",
    "cudnn-wrong-architecture": "corrupted-install",
    "cudnn-wrong-cuda-major": "cudnn-version-mismatch",
    "cudnn-wrong-major": "cudnn-version-mismatch",
    "device-permission": "permission",
    "device-permission-container": "container-runtime",
    "device-file-missing": "other",
    "driver-damaged": "corrupted-install",
    "driver-library-mismatch": "driver-library-mismatch",
    "driver-missing": "driver-missing",
    "driver-module-not-built": "secure-boot-or-nouveau",
    "driver-monitor-missing": "corrupted-install",
    "driver-module-not-loaded": "secure-boot-or-nouveau",
    "driver-not-searched": "env-variable-wrong",
    "driver-restart-pending": "driver-library-mismatch",
    "driver-too-old": "driver-too-old",
    "driver-too-old-for-code": "driver-too-old",
    "environment-python-gone": "other",
    "fabric-manager-missing": "other",
    "folder-forbids-programs": "permission",
    "framework-needs-packages": "cuda-missing",
    "frameworks-disagree": "cudnn-conflicting-copies",
    "gpu-dropped-by-driver": "driver-dropped-gpu",
    "gpu-faulted": "hardware-fault",
    "gpu-hidden": "visible-devices-wrong",
    "gpu-lost": "hardware-fault",
    "gpu-memory-faulty": "hardware-fault",
    "gpu-memory-held": "other-process-uses-gpu",
    "gpu-memory-needs-restart": "hardware-fault",
    "gpu-memory-small": "gpu-out-of-memory",
    "gpu-memory-taken": "other-process-uses-gpu",
    "gpu-needs-closed-module": "driver-dropped-gpu",
    "gpu-needs-open-module": "driver-dropped-gpu",
    "gpu-switched-off": "other",
    "gpu-too-new-for-cudnn": "gpu-too-new",
    "gpu-too-new-for-framework": "gpu-too-new",
    "gpu-too-old": "gpu-too-old",
    "gpu-too-old-for-cuda": "gpu-too-old",
    "gpu-too-old-for-cudnn": "gpu-too-old",
    "gpu-too-old-for-framework": "gpu-too-old",
    "gpu-wrong-numbers": "hardware-fault",
    "leaked-library-folder": "env-variable-wrong",
    "libcuda-name-missing": "wsl-driver",
    "library-missing": "cuda-missing",
    "library-path-overrides": "cudnn-conflicting-copies",
    "mig-without-parts": "other",
    "mps-not-answering": "other",
    "no-nvidia-gpu": "other",
    "nouveau-active": "secure-boot-or-nouveau",
    "nvrtc-missing-in-environment": "cuda-missing",
    "older-cudnn-first": "cudnn-conflicting-copies",
    "onnxruntime-twice": "multiple-pip-packages-conflict",
    "openmp-missing": "msvc-runtime-missing",
    "package-incomplete": "corrupted-install",
    "path-cut-off": "env-variable-wrong",
    "path-entry-malformed": "env-variable-wrong",
    "path-entry-unexpanded": "env-variable-wrong",
    "placeholder-package": "cudnn-missing",
    "python-32-bit": "python-version-unsupported",
    "sandbox-hides-gpu": "container-runtime",
    "secure-boot-blocks-driver": "secure-boot-or-nouveau",
    "stray-cudnn-first": "cudnn-conflicting-copies",
    "stub-folder-searched": "cuda-stub-library",
    "stub-library-loaded": "cuda-stub-library",
    "system-cudnn-overrides": "cudnn-conflicting-copies",
    "tensorflow-on-windows": "framework-dropped-windows-gpu",
    "two-cudnn-packages": "multiple-pip-packages-conflict",
    "uvm-missing": "other",
    "vc-runtime-missing": "msvc-runtime-missing",
    "vgpu-licence": "other",
    "wsl-driver-missing": "wsl-driver",
    "wsl-gpu-blocked": "wsl-driver",
    "wsl-linux-driver": "wsl-driver",
    "wsl-no-gpu": "wsl-driver",
    "wsl-version-1": "wsl-driver",
    "zlibwapi-missing": "zlibwapi-missing",
}
"""What each finding of the diagnosis confirms. Findings without a class are not listed."""

_CONFIRMED_VOTE, _SUSPECTED_VOTE, _OUT_VOTE = 5.0, 1.5, -8.0
_FRAMEWORKS = {"pytorch": "torch"}
"""Names that differ between this package and the snapshot."""


def facts_of(machine: Machine) -> dict[str, str]:
    """What the snapshot can add to the given facts, where only one value is possible."""
    known: dict[str, str] = {"os": "wsl" if machine.os.wsl else machine.os.family}
    several: dict[str, set[str]] = {
        "gpu": {gpu.name for gpu in machine.gpus if gpu.name},
        "cuda": {kit.version for kit in machine.toolkits if kit.version},
        "cudnn": {copy.version for copy in machine.cudnns if copy.version},
    }
    known |= {key: values.pop() for key, values in several.items() if len(values) == 1}
    if machine.driver and machine.driver.version:
        known["driver"] = machine.driver.version
    return known


def same_computer(machine: Machine, facts: Facts) -> bool:
    """Whether the text can come from this computer: it has a GPU, and the same system.

    People also look up messages that another computer showed.
    """
    family = {"wsl": "linux"}.get(facts.os, facts.os)
    seen = machine.gpus or machine.unknown("gpu") or machine.driver
    return bool(seen) and family in {"", machine.os.family}


def snapshot_evidence(
    machine: Machine, findings: Sequence[Finding], facts: Facts
) -> Iterator[Evidence]:
    """Evidence that the snapshot gives, for and against."""
    for finding in findings:
        cls = CLASS_OF_FINDING.get(finding.code)
        if cls and finding.severity != "info":
            vote = _CONFIRMED_VOTE if finding.sure else _SUSPECTED_VOTE
            says = _("On this computer: {finding}").format(finding=words(finding, machine).title)
            yield Evidence(votes={cls: vote}, because=says)
    for cls in ruled_out(machine, facts):
        yield Evidence(votes={cls: _OUT_VOTE}, because="")


def states(
    classes: Iterable[str], machine: Machine | None, findings: Sequence[Finding], facts: Facts
) -> dict[str, State]:
    """The state of each class. Without a snapshot everything stays possible."""
    if machine is None:
        return dict.fromkeys(classes, "possible")
    sure = {CLASS_OF_FINDING.get(f.code, "") for f in findings if f.sure and f.severity != "info"}
    out = set(ruled_out(machine, facts)) - sure
    return {
        cls: "confirmed" if cls in sure else "ruled-out" if cls in out else "possible"
        for cls in classes
    }


def ruled_out(machine: Machine, facts: Facts) -> tuple[str, ...]:
    """Classes that can't be the cause on this computer as it is now."""
    return tuple(
        dict.fromkeys(
            [
                *_by_system(machine),
                *_by_driver(machine),
                *_by_libraries(machine, facts),
                *_by_framework(machine, facts),
            ]
        )
    )


def _by_system(machine: Machine) -> Iterator[str]:
    if machine.os.family == "linux":
        yield from ("zlibwapi-missing", "msvc-runtime-missing", "framework-dropped-windows-gpu")
    else:
        yield from ("secure-boot-or-nouveau", "cuda-stub-library", "wsl-driver")
    if machine.os.family == "linux" and not machine.os.wsl and not machine.unknown("system"):
        yield "wsl-driver"
    if not machine.os.container and not machine.os.sandbox and not machine.unknown("system"):
        yield "container-runtime"


def _by_driver(machine: Machine) -> Iterator[str]:
    driver = machine.driver
    if driver is None:
        return
    if driver.nvml and driver.nvml.code == 0 and machine.gpus:
        yield from ("driver-missing", "driver-library-mismatch")
    if "nvidia" in driver.modules:
        yield "secure-boot-or-nouveau"
    if driver.nodes and all(node.openable for node in driver.nodes if node.exists):
        yield "permission"


def _by_libraries(machine: Machine, facts: Facts) -> Iterator[str]:
    wanted = wanted_cudnn(facts)
    whole = {c.major for c in machine.cudnns if c.flavour == "full" and not c.damaged}
    if wanted and wanted[0] in whole:
        yield "cudnn-missing"
    if len(machine.cudnns) == 1 and not machine.unknown("cudnn"):
        yield "cudnn-conflicting-copies"


def _by_framework(machine: Machine, facts: Facts) -> Iterator[str]:
    name = _FRAMEWORKS.get(facts.framework, facts.framework)
    installed = [f for python in machine.pythons for f in python.frameworks if f.name == name]
    if name and installed and all(f.gpu for f in installed):
        yield "cpu-only-build"
    if name == "tensorflow" and installed:
        old = (version(framework.version) for framework in installed)
        if all((2, 11) > found > () for found in old):
            yield "framework-dropped-windows-gpu"
