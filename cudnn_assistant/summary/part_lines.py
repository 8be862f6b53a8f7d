"""The lines of the parts: GPU and driver, CUDA, cuDNN, settings, test."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from cudnn_assistant.causes import cause
from cudnn_assistant.envpath import inside
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import SYSTEM, CudnnCopy, Machine
from cudnn_assistant.summary.chain import system_needed
from cudnn_assistant.summary.environments import environments
from cudnn_assistant.summary.line import PARTS, Line, Mark, PartName, card, newest
from cudnn_assistant.summary.outcome import trial_text
from cudnn_assistant.versions import numbers, short
from cudnn_assistant.wording import listed, say, told, words

_GAPS: dict[PartName, tuple[str, ...]] = {
    "gpu": ("gpu", "driver"),
    "cuda": ("toolkits",),
    "cudnn": ("cudnn",),
    "settings": ("variables",),
    "trial": ("trial",),
}
"""Gaps of the snapshot that hide a part."""


def lines(machine: Machine, findings: Iterable[Finding]) -> tuple[Line, ...]:
    """A line for each part of the computer, then one for each Python environment."""
    known = tuple(findings)
    needed = system_needed(machine, known)
    rows = [_part(part, machine, known, needed=needed) for part in PARTS]
    return (*rows, *environments(machine, known))


def _read(part: PartName, machine: Machine, *, needed: bool) -> Line:
    """The line of one part by what was read alone."""
    gap = next((g for g in machine.gaps if g.what in _GAPS[part]), None)
    mark, text = _TEXTS[part](machine, needed)
    if gap is not None and mark != "ok":
        mark, text = "unknown", say("summary.could-not-read-why", why=told(gap.why))
    return Line(part, mark, say(f"summary.label-{part}"), text)


def _part(part: PartName, machine: Machine, findings: tuple[Finding, ...], *, needed: bool) -> Line:
    """The line marked by the worst finding of its part; a problem without facts names itself."""
    line = _read(part, machine, needed=needed)
    mine = [
        f
        for f in findings
        if _part_of(f) == line.part
        and f.severity != "info"
        # What is set is no part of an environment, even where it stops one alone.
        and (f.subject == SYSTEM or cause(f.code).about == "settings")
    ]
    if not mine:
        if line.part == "cudnn" and line.mark == "note" and not needed:
            return replace(line, mark="ok", text=say("summary.not-system-nothing-here-needs-there"))
        return line
    mark: Mark = "bad" if mine[0].severity == "error" else "note"
    if line.part == "settings" or line.mark in ("note", "bad"):
        return replace(line, mark=mark, text=words(mine[0], machine).title)
    return replace(line, mark=mark)


def _part_of(finding: Finding) -> str:
    """The part that a finding is about; what is told of environments may hold for the system."""
    about = cause(finding.code).about
    if about != "python" or "product" not in finding.facts:
        return about
    return "settings" if finding.facts.get("entry") else "cudnn"


def _gpu(machine: Machine, _needed: bool) -> tuple[Mark, str]:
    if not machine.gpus:
        return "bad", say("summary.no-nvidia-gpu-found")
    names = [card(g.name) for g in machine.gpus]
    counted = [f"{names.count(n)} × {n}" if names.count(n) > 1 else n for n in dict.fromkeys(names)]
    text = listed(counted)
    driver = machine.driver
    if driver is None or not driver.version:
        return "bad", say("summary.gpu-no-driver", gpu=text)
    if not driver.cuda:
        return "ok", say("summary.gpu-driver-driver", gpu=text, driver=driver.version)
    return "ok", say(
        "summary.gpu-driver-cuda-up-cuda", gpu=text, driver=driver.version, cuda=driver.cuda
    )


def _cuda(machine: Machine, needed: bool) -> tuple[Mark, str]:
    if not machine.toolkits:
        if needed:
            return "note", say("summary.not-found")
        return "ok", say("summary.no-cuda-toolkit-python-environments-bring")
    best = newest(machine.toolkits)
    others = len(machine.toolkits) - 1
    text = f"{best.version or '?'}  {best.root}"
    if others:
        text = listed((text, say("summary.count-more", count=others)))
    return "ok", text


def _cudnn(machine: Machine, _needed: bool) -> tuple[Mark, str]:
    copies = [c for c in machine.cudnns if not c.environment]
    if not copies:
        return "note", say("summary.not-found")
    copy = next((c for c in copies if SYSTEM in c.wins_for), None) or _loaded(machine, copies)
    copy = copy or max(copies, key=lambda c: (numbers(c.version), c.folder))
    return "ok", f"{short(copy.version) or '?'}  {copy.folder}"


def _loaded(machine: Machine, copies: list[CudnnCopy]) -> CudnnCopy | None:
    trial = machine.trial(SYSTEM)
    loaded, family = trial.loaded if trial else "", machine.os.family
    return next((c for c in copies if inside(loaded, c.folder, family)), None)


def _settings(_machine: Machine, _needed: bool) -> tuple[Mark, str]:
    return "ok", say("summary.nothing-way")


def _trial(machine: Machine, needed: bool) -> tuple[Mark, str]:
    system = machine.trial(SYSTEM)
    if system is not None and (system.status == "ok" or needed):
        return trial_text(system)
    ids = {e.id for e in machine.pythons}
    others = [t for t in machine.trials if t.subject in ids and not t.library]
    best = next((t for t in others if t.status == "ok"), None) or next(iter(others), None)
    return trial_text(best) if best is not None else ("unknown", say("summary.not-run"))


_TEXTS = {"gpu": _gpu, "cuda": _cuda, "cudnn": _cudnn, "settings": _settings, "trial": _trial}
