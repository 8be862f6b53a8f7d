"""A world for the test child: stub driver and stub cuDNN, compiled once, found by LD_LIBRARY_PATH.

The stubs are programs of their own with behaviour; the child, its watcher and everything between
them are the real ones.
"""

from __future__ import annotations

import shutil
import sys

import pytest
from stub_world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    if sys.platform != "linux" or not shutil.which("gcc"):
        pytest.skip("needs Linux and gcc")
    return World(tmp_path_factory.mktemp("world"))
