"""A world for the test child: stub driver and stub cuDNN, compiled once, found by LD_LIBRARY_PATH.

The stubs are programs of their own with behaviour; the child, its watcher and everything between
them are the real ones.
"""

from __future__ import annotations

import needs
import pytest
from stub_world import World


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    needs.require("gcc")
    return World(tmp_path_factory.mktemp("world"))
