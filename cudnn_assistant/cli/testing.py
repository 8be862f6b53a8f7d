"""The command ``test``: only the cuDNN test, for scripts; a line for each GPU, and why it stopped.

``--json`` prints the :class:`~cudnn_assistant.machine.Trial` of the run: one object for one GPU
(and for a framework), a list of them, in CUDA's order, when several GPUs were tested.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cudnn_assistant.cli.looking import show_finding, trusted
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Mark, Screen, column
from cudnn_assistant.finding import Unknown
from cudnn_assistant.machine import Trial
from cudnn_assistant.session import Checkup, Session
from cudnn_assistant.session.trials import (
    Tested,
    TestRequest,
    look_for_reason,
    relevant,
    run_tests,
)
from cudnn_assistant.summary import helped, meaning, not_tested, stopped
from cudnn_assistant.wording import convolution, listed, number, say, stage, told
from cudnn_assistant.wording.products import titled

_MARKS: dict[str, Mark] = {"ok": "ok", "no-gpu": "unknown", "not-run": "unknown"}
_MOST = 2
"""Findings that are told; the command check tells all."""


def test(session: Session, options: Options, screen: Screen) -> int:
    """Run the test that the flags name on every GPU, say how far it came, and what that means.

    0: it passed everywhere; 3: there was nothing to test (no GPU, a framework that isn't there
    or doesn't use cuDNN); 1: it stopped.
    """
    asked = msgspec.convert(options, TestRequest, from_attributes=True)
    request = msgspec.structs.replace(asked, trusted=trusted(options))
    screen.progress(say("looking.trial"))
    tested = run_tests(request, session.system)
    screen.progress("")
    if screen.json:
        printed = tested.trials if len(tested.trials) > 1 else tested.trials[0]
        screen.as_json(printed)
        return _exit_code(tested.trials)
    _show(tested, screen, verbose=options.verbose)
    ended = (trial for trial in tested.trials if trial.status not in ("ok", "not-run"))
    if not screen.quiet and (first := next(ended, None)):
        screen.progress(say("cli.looking-for-reason"))
        checkup = look_for_reason(tested, request, session.system, session.compat)
        screen.progress("")
        _show_reason(checkup, first, screen, verbose=options.verbose)
    return _exit_code(tested.trials)


def _exit_code(trials: Sequence[Trial]) -> int:
    """The answer of several tests as one number."""
    if all(trial.status == "ok" for trial in trials):
        return 0
    return 3 if all(trial.status in ("no-gpu", "not-run") for trial in trials) else 1


def _show(tested: Tested, screen: Screen, *, verbose: bool) -> None:
    trials = tested.trials
    if screen.quiet:
        screen.line(_sentence(next((t for t in trials if t.status != "ok"), trials[0])))
        return
    if tested.visible is not None:
        screen.line(_seen(tested.visible))
    if len(trials) == 1:
        _one(trials[0], screen, verbose=verbose)
        return
    width = column(map(_gpu, trials))
    for trial in trials:
        mark = _MARKS.get(trial.status, "bad")
        screen.marked(mark, _gpu(trial), _sentence(trial, name=False), column=width)
    for trial in trials:
        if verbose or trial.status != "ok":
            screen.line()
            screen.line(_gpu(trial))
            _one(trial, screen, verbose=verbose)


def _seen(visible: str) -> str:
    # The driver ends the list at the first entry that names no GPU, -1 for instance.
    if not visible.strip() or visible.lstrip().startswith("-"):
        return say("cli.visible-devices-hide-all", text=visible)
    return say("cli.visible-devices-limited", text=visible)


def _gpu(trial: Trial) -> str:
    # Two of one kind are told apart by the start of their UUIDs, as nvidia-smi does.
    return f"{trial.gpu_name} {trial.gpu[:12]}".strip() or say("cli.gpu-unnamed")


def _one(trial: Trial, screen: Screen, *, verbose: bool) -> None:
    width = column(stage(time.stage) for time in trial.times)
    for time in trial.times:
        last = time.stage == trial.stage
        mark = _MARKS.get(trial.status, "bad") if last and trial.status != "ok" else "ok"
        screen.marked(mark, stage(time.stage), f"{number(time.milliseconds)} ms", column=width)
    screen.line(_sentence(trial))
    if trial.status != "ok" and not not_tested(trial):
        screen.lines(filter(None, (meaning(trial), told(trial.detail), helped(trial))), indent=2)
    if trial.loaded:
        screen.line(trial.loaded, indent=2)
    if trial.skipped:
        screen.line(say("cli.checks-skipped", what=listed(map(convolution, trial.skipped))))
    if verbose:
        screen.lines(trial.mapped, indent=4)
        if trial.output:
            screen.line(trial.output, indent=4)


def _sentence(trial: Trial, *, name: bool = True) -> str:
    if trial.status != "ok":
        return not_tested(trial) or stopped(trial)
    facts = {
        "program": titled(trial.framework),
        "version": trial.version,
        "gpu": trial.gpu_name,
        "checks": listed(map(convolution, trial.checks)),
        "seconds": number(trial.milliseconds / 1000, 1),
    }
    alone = "cli.cudnn-works-on-gpu" if name else "cli.cudnn-works"
    return say("cli.program-works" if trial.framework else alone, **facts)


def _show_reason(checkup: Checkup, trial: Trial, screen: Screen, *, verbose: bool) -> None:
    """Print what may be why a test stopped, and what to do next."""
    found = [*relevant(checkup, trial)][:_MOST]
    for finding in found:
        show_finding(finding, checkup, screen, verbose=verbose)
    if not found:
        screen.line()
        screen.line(say("cli.stopped-for-unknown-reason"))
    if not found or any(isinstance(f.remedy, Unknown) for f in found):
        screen.line(say("cli.run-report"))
    elif any(finding.code in checkup.plan.codes for finding in found):
        screen.line(say("cli.run-fix"))
