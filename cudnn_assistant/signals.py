"""The signals by which a person, a shell or a system ends a program: a closed terminal too."""

from __future__ import annotations

import signal

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
SIGNALS = tuple(getattr(signal, name) for name in _NAMES if hasattr(signal, name))


def listening() -> tuple[signal.Signals, ...]:
    """Those that reach us: under ``nohup``, and behind a shell's ``&``, some are to be ignored."""
    return tuple(one for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN)
