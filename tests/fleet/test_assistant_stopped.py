"""An assistant's server that ends in the middle of a change leaves a state that is known."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import needs
import pytest
from test_assistants import BROKEN, ROOT, SERVER, files

from cudnn_assistant.apply import apply, recover
from cudnn_assistant.journal import Journal
from cudnn_assistant.plan import undo_plan
from cudnn_assistant.system.linux import Linux

pytestmark = needs.modules("mcp")

YES = {"action": "accept", "content": {"yes": True}}


def served(home: Path, *words: str) -> subprocess.Popen[str]:
    home.mkdir()
    (home / ".bashrc").write_text("# mine")
    return subprocess.Popen(
        [sys.executable, str(SERVER), BROKEN, str(home), *words],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}:{SERVER.parent}", "HOME": str(home),
             "CUDNN_ASSISTANT_ASK": "no", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip


def said_yes(server: subprocess.Popen[str]) -> None:
    """Talk until the person's yes is sent."""

    def send(**message: Any) -> None:
        assert server.stdin
        server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        server.stdin.flush()

    def answer(key: str) -> Any:
        assert server.stdout
        for line in server.stdout:
            if key in (heard := json.loads(line)):
                return heard
        raise AssertionError("it went away")

    client = {"name": "a", "version": "1"}
    facts = {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}}
    send(id=1, method="initialize", params={**facts, "clientInfo": client})
    answer("result")
    send(method="notifications/initialized")
    send(id=2, method="tools/call", params={"name": "plan_fix", "arguments": {}})
    plan = answer("result")["result"]["structuredContent"]["plan"]
    send(id=3, method="tools/call", params={"name": "fix", "arguments": {"plan": plan}})
    asked = answer("method")
    assert asked["method"] == "elicitation/create"
    send(id=asked["id"], result=YES)


def brought_back(home: Path) -> bool:
    """Whether something was left to take back; afterwards the home is as it was."""
    system = Linux(
        {"HOME": str(home), "SHELL": "/bin/bash"}, home=str(home),
        config=str(home / ".config/cudnn-assistant"), etc=str(home / "etc"),
    )  # fmt: skip
    journal = Journal(home / "journal")
    plan = recover(journal, system)
    entries = journal.entries()
    if plan is None and entries and entries[-1].states == ("done",):
        plan = undo_plan(entries[-1], system.read, "linux")
    if plan:
        apply(plan, system, journal)
    assert recover(journal, system) is None
    assert journal.unfinished() == ()
    assert files(home) - {"journal", "journal.lock"} == {".bashrc"}
    assert (home / ".bashrc").read_text() == "# mine"
    return plan is not None


def test_a_kill_in_the_middle_leaves_a_way_back(tmp_path: Path) -> None:
    back = 0
    for call in (4, 20, 36, 52):
        server = served(tmp_path / str(call), str(call))
        said_yes(server)
        server.communicate(timeout=90)
        if server.returncode == 0:
            break
        assert server.returncode == -signal.SIGKILL
        back += brought_back(tmp_path / str(call))
    assert back >= 2


@pytest.mark.parametrize("how", ["input closed", "terminated"])
def test_who_goes_away_after_the_yes_can_take_it_back(how: str, tmp_path: Path) -> None:
    server = served(tmp_path / "h")
    said_yes(server)
    if how == "terminated":
        server.terminate()
    server.communicate(timeout=90)
    assert server.returncode in (0, 130)
    brought_back(tmp_path / "h")
