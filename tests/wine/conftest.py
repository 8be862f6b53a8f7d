"""One Wine for all tests: its server and its X server are started once."""

from __future__ import annotations

from collections.abc import Iterator

import needs
import pytest
import windows_python
from windows_python import Wine


@pytest.fixture(scope="session")
def wine() -> Iterator[Wine]:
    needs.require("wine", "wineserver")
    try:
        base = windows_python.prepare()
    except windows_python.NotPossible as why:
        pytest.skip(f"Windows' Python under Wine can't be had: {why}")
    with windows_python.running(base) as environment:
        yield Wine(base, environment)
