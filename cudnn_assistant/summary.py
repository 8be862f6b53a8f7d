"""The summary: one line for each part and each Python environment, and the one answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from cudnn_assistant.finding import Finding, Impossible, Manual, Unknown, Verdict
from cudnn_assistant.machine import (
    SYSTEM,
    CudnnCopy,
    Framework,
    Machine,
    PythonEnvironment,
    Toolkit,
    Trial,
)
from cudnn_assistant.wording import PRODUCTS, _, ngettext, stage, text_of, words

Mark = Literal["ok", "note", "bad", "unknown", "wait"]
PartName = Literal["gpu", "cuda", "cudnn", "settings", "trial"]

PARTS: tuple[PartName, ...] = ("gpu", "cuda", "cudnn", "settings", "trial")
"""In the order of the lines, from the ground up."""

_GAPS: dict[PartName, tuple[str, ...]] = {
    "gpu": ("gpu", "driver"),
    "cuda": ("toolkits",),
    "cudnn": ("cudnn",),
    "settings": ("variables",),
    "trial": ("trial",),
}
"""Gaps of the snapshot that hide a part."""


class Line(NamedTuple):
    """One line: which part, how it is, its label and what to know about it."""

    part: str
    """gpu, cuda, cudnn, settings, trial; "python" for a line about one environment."""
    mark: Mark
    label: str
    text: str


def label(part: str) -> str:
    """What a part is called."""
    return {
        "gpu": _("GPU and driver"),
        "cuda": _("CUDA"),
        "cudnn": _("cuDNN"),
        "settings": _("Settings"),
        "trial": _("Test"),
        "python": _("Python"),
    }[part]


def lines(machine: Machine, findings: Iterable[Finding]) -> tuple[Line, ...]:
    """A line for each part of the computer, then one for each Python environment."""
    known = tuple(findings)
    rows = [_with_findings(part_line(part, machine), machine, known) for part in PARTS]
    return (*rows, *_environments(machine, known))


def part_line(part: PartName, machine: Machine) -> Line:
    """The line of one part by what was read alone; for a look that is still under way."""
    gap = next((g for g in machine.gaps if g.what in _GAPS[part]), None)
    mark, text = _TEXTS[part](machine)
    if gap is not None and mark != "ok":
        return Line(part, "unknown", label(part), _("could not be read: {why}").format(why=gap.why))
    return Line(part, mark, label(part), text)


def _with_findings(line: Line, machine: Machine, findings: tuple[Finding, ...]) -> Line:
    """The line marked by the worst finding of its part; a problem without facts names itself."""
    mine = [
        f
        for f in findings
        if f.subject == SYSTEM and text_of(f, machine).part == line.part and f.severity != "info"
    ]
    if not mine:
        if line.part == "cudnn" and line.mark == "note" and not _asked(machine):
            return line._replace(
                mark="ok", text=_("not on the system; nothing here needs it there")
            )
        return line
    mark: Mark = "bad" if mine[0].severity == "error" else "note"
    if line.part == "settings" or line.mark in ("note", "bad"):
        return line._replace(mark=mark, text=words(mine[0], machine).title)
    return line._replace(mark=mark)


def _asked(machine: Machine) -> bool:
    """Whether something may need the system's cuDNN: not if all environments bring their own."""
    frameworks = [f for e in machine.pythons for f in e.frameworks if f.gpu is not False]
    brings = [f for f in frameworks if f.cudnn_from in ("wheel", "bundled", "conda")]
    return not brings or any(f.cudnn_from == "system" for f in frameworks)


# What each part's line says


def _gpu(machine: Machine) -> tuple[Mark, str]:
    if not machine.gpus:
        return "bad", _("no NVIDIA GPU found")
    names = [_card(g.name) for g in machine.gpus]
    counted = [f"{names.count(n)} × {n}" if names.count(n) > 1 else n for n in dict.fromkeys(names)]
    text = ", ".join(counted)
    driver = machine.driver
    if driver is None or not driver.version:
        return "bad", _("{gpu}, no driver").format(gpu=text)
    if not driver.cuda:
        return "ok", _("{gpu}, driver {driver}").format(gpu=text, driver=driver.version)
    return "ok", _("{gpu}, driver {driver} (CUDA up to {cuda})").format(
        gpu=text, driver=driver.version, cuda=driver.cuda
    )


def _cuda(machine: Machine) -> tuple[Mark, str]:
    if not machine.toolkits:
        if _asked(machine):
            return "note", _("not found")
        return "ok", _("no CUDA Toolkit; Python environments bring what they need")
    best = max(machine.toolkits, key=_toolkit_order)
    others = len(machine.toolkits) - 1
    text = f"{best.version or '?'}  {best.root}"
    if others:
        more = ngettext("and {count} more", "and {count} more", others).format(count=others)
        text = f"{text}, {more}"
    return "ok", text


def _card(name: str) -> str:
    """A GPU's name without the maker's, which the label says."""
    return name.removeprefix("NVIDIA ") or _("NVIDIA GPU")


def _toolkit_order(toolkit: Toolkit) -> tuple[tuple[int, ...], str]:
    return _numbers(toolkit.version), toolkit.root


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d{1,9}", version)[:4])


def _short(version: str) -> str:
    parts = _numbers(version)[:3]
    return ".".join(str(n) for n in (parts[:2] if parts[2:] == (0,) else parts))


def _cudnn(machine: Machine) -> tuple[Mark, str]:
    copies = [c for c in machine.cudnns if not c.environment]
    if not copies:
        return "note", _("not found")
    copy = next((c for c in copies if SYSTEM in c.wins_for), None) or _loaded(machine, copies)
    copy = copy or max(copies, key=lambda c: (_numbers(c.version), c.folder))
    return "ok", f"{_short(copy.version) or '?'}  {copy.folder}"


def _loaded(machine: Machine, copies: list[CudnnCopy]) -> CudnnCopy | None:
    trial = machine.trial(SYSTEM)
    loaded = trial.loaded.casefold() if trial else ""
    return next((c for c in copies if loaded.startswith(c.folder.casefold() + "/")), None) or next(
        (c for c in copies if loaded.startswith(c.folder.casefold() + "\\")), None
    )


def _settings(machine: Machine) -> tuple[Mark, str]:
    del machine
    return "ok", _("nothing in the way")


def _trial(machine: Machine) -> tuple[Mark, str]:
    system = machine.trial(SYSTEM)
    if system is not None and (system.status == "ok" or _asked(machine)):
        return _test(system)
    others = [t for e in machine.pythons if (t := machine.trial(e.id)) is not None]
    best = next((t for t in others if t.status == "ok"), None) or next(iter(others), system)
    return _test(best) if best is not None else ("unknown", _("not run"))


def _test(trial: Trial) -> tuple[Mark, str]:
    if trial.status == "not-run":
        return "unknown", _("not run")
    if trial.status == "ok":
        return "ok", _("a convolution ran on {gpu} in {seconds} s").format(
            gpu=_card(trial.gpu_name), seconds=f"{trial.milliseconds / 1000:.1f}"
        )
    return "bad", stopped(trial)


def stopped(trial: Trial) -> str:
    """Where a test that did not pass came to its end, as half a sentence."""
    if trial.missing:
        return _("{file} not found").format(file=trial.missing)
    said = {
        "no-gpu": _("no GPU could be used"),
        "out-of-memory": _("the GPU has no free memory"),
        "timed-out": _("stopped after too long a time"),
        "wrong-result": _("the GPU computed wrong numbers"),
    }
    if trial.status in said:
        return said[trial.status]
    return _("stopped while {doing}").format(doing=stage(trial.stage))


_TEXTS = {"gpu": _gpu, "cuda": _cuda, "cudnn": _cudnn, "settings": _settings, "trial": _trial}


# Python environments


def _environments(machine: Machine, findings: tuple[Finding, ...]) -> list[Line]:
    return [
        _environment(machine, environment, findings)
        for environment in machine.pythons
        if environment.frameworks
    ]


def _environment(
    machine: Machine, environment: PythonEnvironment, findings: tuple[Finding, ...]
) -> Line:
    name, *others = [_called(f) for f in _about(environment.frameworks)]
    mine = [f for f in findings if f.subject == environment.id and f.severity != "info"]
    where = _("in {place}").format(place=environment.id)
    mark, state = _state(machine, environment)
    if mine:
        mark = "bad" if mine[0].severity == "error" else "note"
        state = words(mine[0], machine).title
    also = _("also {programs}").format(programs=", ".join(others)) if others else ""
    return Line("python", mark, name, ", ".join(filter(None, (state, where, also))))


def _about(frameworks: tuple[Framework, ...]) -> list[Framework]:
    """The frameworks an environment's line is about: those that use cuDNN, if there are any."""
    using = [f for f in frameworks if f.gpu is not False and f.cudnn_from != "none"]
    return using or list(frameworks)


def _called(framework: Framework) -> str:
    version = framework.version.split("+")[0]
    return f"{PRODUCTS.get(framework.name, framework.name)} {version}".strip()


def _state(machine: Machine, environment: PythonEnvironment) -> tuple[Mark, str]:
    frameworks = environment.frameworks
    leans = [f for f in frameworks if f.cudnn_from == "system" and f.gpu is not False]
    trial = machine.trial(environment.id) or _of_system(machine, leans)
    if all(f.gpu is False for f in frameworks):
        return "ok", _("without GPU support")
    if all(f.gpu is False or f.cudnn_from == "none" for f in frameworks):
        return "ok", _("doesn't use cuDNN")
    if trial is None or trial.status == "not-run":
        return "unknown", _("not tested")
    if trial.status != "ok":
        return "bad", stopped(trial)
    version = _short(trial.version)
    if leans:
        return "ok", _("works with cuDNN {version} of the system").format(version=version)
    return "ok", _("works with its own cuDNN {version}").format(version=version)


def _of_system(machine: Machine, leans: list[Framework]) -> Trial | None:
    """The system's test, where it says something about frameworks that take cuDNN from there."""
    trial = machine.trial(SYSTEM)
    majors = {_numbers(f.cudnn)[:1] for f in leans}
    fits = trial is not None and majors <= {_numbers(trial.version)[:1], ()}
    return trial if leans and fits else None


# The answer


def headline(verdict: Verdict, machine: Machine, findings: Iterable[Finding]) -> tuple[str, str]:
    """Title and sentence of the outcome: works, needs you, not possible here, we don't know."""
    known = tuple(findings)
    errors = [f for f in known if f.severity == "error"]
    if verdict == "works":
        return _works(machine)
    if verdict == "impossible":
        blocked = next((f for f in errors if isinstance(f.remedy, Impossible)), errors[0])
        said = words(blocked, machine)
        return said.title, f"{said.why} {said.fix}".strip()
    if not errors:
        return _unknown(machine)
    first = words(errors[0], machine)
    if isinstance(errors[0].remedy, Unknown):
        return first.title, _("{why} Everything we saw is in the report.").format(why=first.why)
    if isinstance(errors[0].remedy, Manual):
        return first.title, f"{first.fix} {_('Then start this again.')}".strip()
    fixable = sum(not isinstance(f.remedy, Manual | Impossible | Unknown) for f in errors)
    return first.title, ngettext(
        "This can be fixed here. Nothing has been changed yet.",
        "These {count} problems can be fixed here. Nothing has been changed yet.",
        fixable,
    ).format(count=fixable)


def _works(machine: Machine) -> tuple[str, str]:
    tests = [t for t in machine.trials if t.status == "ok" and not t.library]
    test = next((t for t in tests if t.subject == SYSTEM), tests[0] if tests else None)
    if test is None:
        return _("cuDNN works"), ""
    sentence = _(
        "Tested now: loaded, handle created, convolution run on {gpu}, {seconds} s."
    ).format(gpu=_card(test.gpu_name), seconds=f"{test.milliseconds / 1000:.1f}")
    return _("cuDNN {version} works").format(version=_short(test.version)), sentence


def _unknown(machine: Machine) -> tuple[str, str]:
    if any(t.status not in ("ok", "not-run") for t in machine.trials):
        return _("cuDNN still doesn't start"), _(
            "We couldn't find out why. Everything we saw is in the report."
        )
    if machine.gaps:
        gap = machine.gaps[0]
        return _("We can't tell whether cuDNN works"), _(
            "Something could not be read: {why}"
        ).format(why=gap.why)
    return _("cuDNN was not tested"), _(
        "No problem was found, but only a test on the GPU shows that cuDNN works."
    )
