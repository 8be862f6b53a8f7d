"""A foreign cuDNN in an environment, where the small test runs and the framework refuses it.

Seen on a real H100: PyTorch made with cuDNN 9.19, LD_LIBRARY_PATH naming a folder with 9.14.
"""

from __future__ import annotations

import msgspec
from machines.computers import COMPUTERS

from cudnn_assistant.diagnose import diagnose, verdict
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import Machine, Trial


def overridden(**trial: str) -> tuple[Machine, str]:
    """The golden computer with a foreign cuDNN in front of PyTorch's, its test passed."""
    machine = COMPUTERS["linux-torch-overridden-by-library-path"].machine
    subject = next(t.subject for t in machine.trials if t.subject != "system")

    def passed(one: Trial) -> Trial:
        if one.subject != subject:
            return one
        ok = {"stage": "convolution", "status": "ok", "code": None, "code_name": "", **trial}
        return msgspec.structs.replace(one, **ok)

    trials = tuple(map(passed, machine.trials))
    return msgspec.structs.replace(machine, trials=trials), subject


def told(machine: Machine, subject: str) -> tuple[set[str], str]:
    found = diagnose(machine, load_builtin())
    return {f.code for f in found if f.subject == subject and f.severity == "error"}, verdict(
        machine, found, subject
    )


def test_an_older_minor_than_the_framework_was_made_with_is_named() -> None:
    machine, subject = overridden(version="9.1.0")
    assert told(machine, subject) == ({"library-path-overrides"}, "broken")


def test_the_same_or_a_newer_minor_is_no_problem() -> None:
    for version in ("9.10.1", "9.28.0"):
        machine, subject = overridden(version=version)
        assert told(machine, subject) == (set(), "works")


def test_an_unknown_version_says_nothing() -> None:
    machine, subject = overridden(version="")
    assert not told(machine, subject)[0]
