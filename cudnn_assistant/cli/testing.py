"""The command ``test``: only the cuDNN test, for scripts.

``--json`` prints the :class:`~cudnn_assistant.machine.Trial` of the run: one object for one GPU
(and for a framework), a list of them, in CUDA's order, when several GPUs were tested.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.cli.tested import show, show_reason, wants_reason
from cudnn_assistant.machine import Trial
from cudnn_assistant.session import Session
from cudnn_assistant.session.trials import TestRequest, look_for_reason, run_tests
from cudnn_assistant.wording import say


def test(session: Session, options: Options, screen: Screen) -> int:
    """Run the test that the flags name on every GPU, say how far it came, and what that means.

    0: it passed everywhere; 3: there was nothing to test (no GPU, a framework that isn't there
    or doesn't use cuDNN); 1: it stopped.
    """
    request = TestRequest(
        python=options.python,
        library=options.library,
        framework=options.framework,
        gpu=options.gpu,
        trusted=tuple(map(os.path.abspath, options.trust)),
    )
    screen.progress(say("cli.testing"))
    tested = run_tests(request, session.system)
    screen.progress("")
    if screen.json:
        printed = tested.trials if len(tested.trials) > 1 else tested.trials[0]
        screen.as_json(printed)
        return exit_code(tested.trials)
    show(tested, screen, verbose=options.verbose)
    if not screen.quiet and (stopped := wants_reason(tested)):
        screen.progress(say("cli.looking-for-reason"))
        checkup = look_for_reason(tested, request, session.system, session.compat)
        screen.progress("")
        show_reason(checkup, stopped, screen, verbose=options.verbose)
    return exit_code(tested.trials)


def exit_code(trials: Sequence[Trial]) -> int:
    """The answer of several tests as one number."""
    if all(trial.status == "ok" for trial in trials):
        return 0
    return 3 if all(trial.status in ("no-gpu", "not-run") for trial in trials) else 1
