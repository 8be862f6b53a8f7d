"""Watches the person's own program from outside: which CUDA and cuDNN files it really loads."""

from __future__ import annotations

from cudnn_assistant.probe.watch.watching import Watched, watch, watch_running

__all__ = ["Watched", "watch", "watch_running"]
