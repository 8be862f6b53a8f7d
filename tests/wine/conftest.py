"""One Wine for all tests: its server and X server start once, and no other run's beside."""

from __future__ import annotations

from collections.abc import Iterator

import needs
import pytest
import windows_python
from filelock import FileLock
from windows_python import Wine


@pytest.fixture(scope="session")
def wine() -> Iterator[Wine]:
    needs.require("wine", "wineserver")
    with FileLock(f"{windows_python.folder()}.lock"):
        try:
            base = windows_python.prepare()
        except windows_python.NotPossible as why:
            pytest.skip(f"Windows' Python under Wine can't be had: {why}")
        with windows_python.running(base) as environment:
            yield Wine(base, environment)
