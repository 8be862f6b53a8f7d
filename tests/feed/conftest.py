"""Fixtures of the feed's tests: loopback only, and a publisher to be set to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from feed_shop import Shop
from pytest_socket import enable_socket, socket_allow_hosts


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests speak HTTP with themselves, and with nobody else."""
    enable_socket()
    socket_allow_hosts(["127.0.0.1"])
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    """A feed that the program is set to, with one version ahead of the built-in one."""
    monkeypatch.delenv("CUDNN_ASSISTANT_ASK")
    made = Shop(tmp_path / "shop")
    made.publish(1)
    made.trust()
    yield made
    made.server.close()
