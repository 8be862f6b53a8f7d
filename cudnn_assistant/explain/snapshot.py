"""What a snapshot of the computer says about the classes of causes.

The diagnosis's findings confirm; plain facts rule out. Only what can't be otherwise is ruled
out: an unknown fact rules out nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cudnn_assistant.causes import cause
from cudnn_assistant.compat import without_gpu_since
from cudnn_assistant.explain.answer import State
from cudnn_assistant.explain.evidence import Evidence
from cudnn_assistant.explain.facts import Facts, may_be_of
from cudnn_assistant.explain.versions import version
from cudnn_assistant.explain.wanted import wanted_cudnn
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import Machine
from cudnn_assistant.wording import say, words

_CONFIRMED_VOTE, _SUSPECTED_VOTE, _OUT_VOTE = 6.5, 1.5, -8.0


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
    """Whether the text can come from this computer, as who asks has it: it has the same system, and
    a GPU where the text names one."""
    computes = machine.gpus or machine.unknown("gpu") or machine.driver or not facts.gpu
    return bool(computes) and may_be_of(machine.os.family, facts.os)


def snapshot_evidence(
    machine: Machine, findings: Sequence[Finding], facts: Facts
) -> Iterator[Evidence]:
    """Evidence that the snapshot gives, for and against."""
    for finding in findings:
        if finding.severity != "info":
            vote = _CONFIRMED_VOTE if finding.sure else _SUSPECTED_VOTE
            says = say("explain.check-found", finding=words(finding, machine).title)
            yield Evidence(votes={cause(finding.code).cls: vote}, because=says)
    if _link_alone(machine, facts):
        votes = {"corrupted-install": _CONFIRMED_VOTE}
        yield Evidence(votes=votes, because="", code="cudnn-links-missing")
    for cls in ruled_out(machine, facts) - proven(findings).keys():
        yield Evidence(votes={cls: _OUT_VOTE}, because="")


def proven(findings: Iterable[Finding]) -> dict[str, Finding]:
    """For each class the first finding that proves a cause of it."""
    found: dict[str, Finding] = {}
    for finding in findings:
        if finding.sure and finding.severity != "info":
            found.setdefault(cause(finding.code).cls, finding)
    return found


def states(
    classes: Iterable[str], machine: Machine | None, findings: Sequence[Finding], facts: Facts
) -> dict[str, State]:
    """The state of each class. Without a snapshot everything stays possible."""
    if machine is None:
        return dict.fromkeys(classes, "possible")
    sure, out = proven(findings), ruled_out(machine, facts)
    return {
        cls: "confirmed" if cls in sure else "ruled-out" if cls in out else "possible"
        for cls in classes
    }


def ruled_out(machine: Machine, facts: Facts) -> set[str]:
    """Classes that can't be the cause on this computer as it is now."""
    by_computer = (*_by_system(machine), *_by_driver(machine))
    return {*by_computer, *_by_libraries(machine, facts), *_by_framework(machine, facts)}


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
        yield from ("driver-missing", "driver-library-mismatch", "no-nvidia-gpu")
    if "nvidia" in driver.modules:
        yield "secure-boot-or-nouveau"
    if driver.nodes and all(node.openable for node in driver.nodes if node.exists):
        yield "permission"


def _by_libraries(machine: Machine, facts: Facts) -> Iterator[str]:
    wanted = wanted_cudnn(facts)
    if _link_alone(machine, facts):
        yield from ("cudnn-missing", "cudnn-not-on-path")
    whole = {c.major for c in machine.cudnns if c.flavour == "full" and not c.damaged}
    if wanted and wanted[0] in whole:
        yield "cudnn-missing"
    if len(machine.cudnns) == 1 and not machine.unknown("cudnn"):
        yield "cudnn-conflicting-copies"


def _link_alone(machine: Machine, facts: Facts) -> bool:
    """Whether the file without a number was asked for in vain, where the loader finds the rest.

    It is a link that NVIDIA's packages for developers bring, and wheels don't.
    """
    found = {"ld-cache", "ld.so.conf", "system-folder", "LD_LIBRARY_PATH"}
    whole = (c for c in machine.cudnns if c.flavour == "full" and not c.damaged)
    return "libcudnn.so" in facts.lacking and any(found.intersection(c.found_via) for c in whole)


def _by_framework(machine: Machine, facts: Facts) -> Iterator[str]:
    # The snapshot knows each by its package.
    name = facts.framework.replace("pytorch", "torch")
    installed = [f for python in machine.pythons for f in python.frameworks if f.name == name]
    if name and installed and all(f.gpu for f in installed):
        yield "cpu-only-build"
    if name == "tensorflow" and installed:
        old = (version(framework.version) for framework in installed)
        since = version(without_gpu_since(facts.compat, name, "windows"))[:2]
        if all(since > found > () for found in old):
            yield "framework-dropped-windows-gpu"
