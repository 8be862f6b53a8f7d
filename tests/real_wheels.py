"""Real cuDNN, as wheels that were fetched and unpacked by ``tests/trial/fetch_wheels.sh``.

They lie in the folder that CUDNN_WHEELS names, by default in the cache of the person who runs the
tests (not in the home that a test gets). Without them the tests that need them are left out.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

NEW = "nvidia-cudnn-cu13==9.27.0.42"
OLD = "nvidia-cudnn-cu13==9.12.0.46"
JIT = "nvidia-cudnn-jit-cu13==9.27.0.42"
EIGHT = "nvidia-cudnn-cu11==8.9.6.50"
WINDOWS = "nvidia-cudnn-cu13==9.13.0.50-windows"
ALL = (NEW, OLD, JIT, EIGHT, WINDOWS)


def _folder() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    named = os.environ.get("CUDNN_WHEELS") or cache / "cudnn-assistant-tests" / "wheels"
    return Path(named).resolve()


FOLDER = _folder()
"""Found when the tests are collected: later HOME is another. Without links, as the system names
what a process has loaded."""

needs_wheels = pytest.mark.skipif(
    not all((FOLDER / name).is_dir() for name in ALL),
    reason="real cuDNN is missing: run tests/trial/fetch_wheels.sh (1.9 GB)",
)


def libraries(name: str) -> Path:
    """The folder of a wheel's libraries."""
    below = "bin" if name.endswith("windows") else "lib"
    return next((FOLDER / name).glob(f"nvidia/cudnn*/{below}"))
