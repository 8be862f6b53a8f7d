"""Without Qt's own libraries the window's tests are left out, and nothing of Qt is imported."""

from __future__ import annotations

from pathlib import Path

import needs
import pytest

if needs.qt():
    from window_fixtures import *  # noqa: F403
else:

    def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> needs.WithoutQt:
        """Name the tests without importing them."""
        return needs.WithoutQt.from_parent(parent, path=module_path)
