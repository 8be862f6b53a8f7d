"""What the command ``test`` prints: a line for each GPU, and why it stopped where it did."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

import msgspec

from cudnn_assistant.checkup import Checkup, think
from cudnn_assistant.cli.looking import compat_data, python_of, show_finding
from cudnn_assistant.cli.screen import Mark, Screen, column
from cudnn_assistant.diagnose import EVERYBODY
from cudnn_assistant.finding import Finding, Unknown, texts
from cudnn_assistant.machine import SYSTEM, Machine, Trial
from cudnn_assistant.summary import helped, meaning, not_tested, program, stopped
from cudnn_assistant.system import System
from cudnn_assistant.wording import _

_MARKS: dict[str, Mark] = {"ok": "ok", "no-gpu": "unknown", "not-run": "unknown"}
_MOST = 2
"""Findings that are told; the command check tells all."""


def show(
    trials: Sequence[Trial],
    screen: Screen,
    told: argparse.Namespace,
    system: System,
    visible: str | None,
) -> None:
    """Print the tests; ``visible`` is the CUDA_VISIBLE_DEVICES that was in force."""
    if screen.quiet:
        screen.line(_sentence(next((t for t in trials if t.status != "ok"), trials[0])))
        return
    if visible is not None:
        screen.line(_seen(visible).format(text=visible))
    if len(trials) > 1:
        width = column(map(_gpu, trials))
        for trial in trials:
            mark = _MARKS.get(trial.status, "bad")
            screen.marked(mark, _gpu(trial), _sentence(trial, name=False), column=width)
    for trial in trials:
        if len(trials) == 1 or _in_full(told, trial):
            if len(trials) > 1:
                screen.line()
                screen.line(_gpu(trial))
            _one(trial, screen, verbose=told.verbose)
    ended = [trial for trial in trials if trial.status not in ("ok", "not-run")]
    if ended:
        _explain(ended[0], trials, screen, told, system)


def _seen(visible: str) -> str:
    # The driver ends the list at the first entry that names no GPU, -1 for instance.
    if not visible.strip() or visible.lstrip().startswith("-"):
        return _("CUDA_VISIBLE_DEVICES is set to “{text}”: it hides every GPU from programs.")
    return _("CUDA_VISIBLE_DEVICES is set to “{text}”: programs see no other GPUs.")


def _in_full(told: argparse.Namespace, trial: Trial) -> bool:
    """Of several GPUs: whether the stages are shown as well."""
    return bool(told.verbose) or trial.status != "ok"


def _gpu(trial: Trial) -> str:
    # Two of one kind are told apart by the start of their UUIDs, as nvidia-smi does.
    return f"{trial.gpu_name} {trial.gpu[:12]}".strip() or _("GPU")


def _one(trial: Trial, screen: Screen, *, verbose: bool) -> None:
    for time in trial.times:
        last = time.stage == trial.stage
        mark = _MARKS.get(trial.status, "bad") if last and trial.status != "ok" else "ok"
        screen.marked(mark, time.stage, f"{time.milliseconds:.0f} ms")
    screen.line(_sentence(trial))
    if trial.status != "ok" and not not_tested(trial):
        for text in (meaning(trial), trial.detail, helped(trial)):
            if text:
                screen.line(text, indent=2)
    if trial.loaded:
        screen.line(trial.loaded, indent=2)
    if trial.skipped:
        screen.line(_("Not on this GPU or cuDNN: {what}.").format(what=", ".join(trial.skipped)))
    if verbose:
        for path in trial.mapped:
            screen.line(path, indent=4)
        if trial.output:
            screen.line(trial.output, indent=4)


def _sentence(trial: Trial, *, name: bool = True) -> str:
    if trial.status != "ok":
        return not_tested(trial) or stopped(trial)
    facts = {
        "program": program(trial),
        "version": trial.version,
        "gpu": trial.gpu_name,
        "checks": ", ".join(trial.checks),
        "seconds": f"{trial.milliseconds / 1000:.1f}",
    }
    if trial.framework:
        return _("{program} runs a convolution on {gpu}: {checks}. {seconds} s.").format(**facts)
    if name:
        return _("cuDNN {version} works on {gpu}: {checks}. {seconds} s.").format(**facts)
    return _("cuDNN {version} works: {checks}. {seconds} s.").format(**facts)


def _explain(
    trial: Trial,
    trials: Sequence[Trial],
    screen: Screen,
    told: argparse.Namespace,
    system: System,
) -> None:
    screen.progress(_("Looking for the reason…"))
    checkup = think(_machine(trials, told, system), compat_data(True)[0])
    screen.progress("")
    found = [*_relevant(checkup, trial)][:_MOST]
    for finding in found:
        show_finding(finding, checkup, screen, verbose=told.verbose)
    if not found:
        screen.line()
        screen.line(_("We don't know why it stopped there."))
    if not found or any(isinstance(f.remedy, Unknown) for f in found):
        screen.line(_("Run: {command}").format(command="cudnn-assistant report"))
    elif any(finding.code in step.why for step in checkup.plan.steps for finding in found):
        screen.line(_("Run: {command}").format(command="cudnn-assistant fix"))


def _machine(trials: Sequence[Trial], told: argparse.Namespace, system: System) -> Machine:
    """This computer with these tests. A framework's is judged beside all the others."""
    from cudnn_assistant.probe import probe
    from cudnn_assistant.probe.files.disk import Disk
    from cudnn_assistant.probe.subjects import winners

    inside = any(trial.framework for trial in trials)
    folders = [told.library] if told.library else []
    machine = probe(
        system, trial=inside, truth=False, python=python_of(told.python), folders=folders
    )
    # What happens to one chosen copy is judged as if programs got that copy.
    known = [msgspec.structs.replace(trial, library="") for trial in trials]
    tests = (*machine.trials, *known)
    copies = winners(machine.cudnns, tests, Disk(system.family))
    return msgspec.structs.replace(machine, trials=tests, cudnns=copies)


def _relevant(checkup: Checkup, trial: Trial) -> Iterator[Finding]:
    """What may be why: errors about the subject; else a lesser one that names what was missed."""
    subjects = {trial.subject, SYSTEM} if trial.framework else {trial.subject}
    mine = [f for f in checkup.findings if f.subject in subjects or f.code in EVERYBODY]
    errors = [f for f in mine if f.severity == "error" or f.code == "one-gpu-stopped"]
    yield from errors or (f for f in mine if _names(f, trial))


def _names(finding: Finding, trial: Trial) -> bool:
    """Whether a finding speaks of the very file, folder or framework that the test was about."""
    told = (*texts(finding.facts).values(), *finding.evidence)
    wanted = [text for text in (trial.missing, trial.library, trial.framework) if text]
    return any(text in one for text in wanted for one in told)
