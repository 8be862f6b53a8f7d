"""``--offline``: nobody is asked anything over the network; without it, those that are set are."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from feed_shop import Server
from pytest_socket import enable_socket, socket_allow_hosts
from test_command_line import snapshot

from cudnn_assistant.cli import run
from cudnn_assistant.feed.address import ASK, NVIDIA_AT, PYPI_AT

COMMANDS = (
    "check --no-test",
    "check --machine {healthy}",
    "fix --dry-run --no-test",
    "report - --no-test",
    "recommend --gpu RTX~3060",
    "recommend",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_offline_asks_nobody(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    enable_socket()
    socket_allow_hosts(["127.0.0.1"])
    server = Server(tmp_path)
    monkeypatch.delenv(ASK)
    for name in (NVIDIA_AT, PYPI_AT):
        monkeypatch.setenv(name, server.url)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    words = command.format(healthy=snapshot("linux-healthy", tmp_path)).split()
    words = [word.replace("~", " ") for word in words]
    run([*words, "--offline"])
    assert server.asked == []
    run(words)
    assert server.asked != []
    assert "Traceback" not in "".join(capsys.readouterr())
    server.close()
