"""An assistant asks over the protocol's own client: it may look, and change only on a yes."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import needs
import pytest

ROOT = Path(__file__).parents[2]
SERVER = Path(__file__).parent / "assistant_server.py"
BROKEN = "linux-cudnn-not-on-path"

pytestmark = needs.modules("mcp")


class Person:
    """Answers the protocol's question, and remembers what was asked."""

    def __init__(self, action: str, **content: Any) -> None:
        self.action, self.content, self.asked = action, content, []  # type: ignore[var-annotated]

    async def __call__(self, _context: Any, asked: Any) -> Any:
        from mcp_types import ElicitResult

        self.asked.append(asked.message)
        return ElicitResult(action=self.action, content=self.content or None)


def talk(
    home: Path, talk_to: Callable[[Any], Awaitable[Any]], person: Person | None = None, *words: str
) -> Any:
    """What is said with a server of its own, over standard input and output."""
    import anyio
    from mcp import Client, StdioServerParameters

    home.mkdir(exist_ok=True)
    arguments = list(words) or [str(SERVER), BROKEN, str(home)]
    surroundings = {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}:{SERVER.parent}", "HOME": str(home),
                    "CUDNN_ASSISTANT_ASK": "no"}  # fmt: skip
    server = StdioServerParameters(command=sys.executable, args=arguments, env=surroundings)

    async def whole() -> Any:
        async with Client(server, elicitation_callback=person, read_timeout_seconds=90) as client:
            return await talk_to(client)

    return anyio.run(whole)


def files(home: Path) -> set[str]:
    return {str(path.relative_to(home)) for path in home.rglob("*") if path.is_file()}


def test_the_tools_say_what_they_do(tmp_path: Path) -> None:
    listed = talk(tmp_path / "h", lambda client: client.list_tools()).tools
    tools = {tool.name: tool for tool in listed}
    assert set(tools) == {"check", "explain", "recommend", "report", "plan_fix", "fix"}
    assert [name for name, tool in tools.items() if not tool.annotations.read_only_hint] == ["fix"]
    assert all(tool.description for tool in listed)
    assert all(tool.output_schema for tool in listed)


def test_the_command_serves_this_computer(tmp_path: Path) -> None:
    async def ask(client: Any) -> Any:
        return await client.call_tool("check", {"test": False})

    words = ("-m", "cudnn_assistant", "mcp")
    told = talk(tmp_path / "h", ask, None, *words).structured_content
    assert told["verdict"] in ("works", "broken", "impossible", "unknown")
    assert told["title"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_who_ends_it_waits_for_nobody(number: signal.Signals) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "cudnn_assistant", "mcp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    assert server.stdin
    assert server.stdout
    us = {"name": "a", "version": "1"}
    facts = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": us}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": facts}
    server.stdin.write(json.dumps(hello).encode() + b"\n")
    server.stdin.flush()
    assert b"cudnn-assistant" in server.stdout.readline()
    server.send_signal(number)
    try:
        assert server.wait(20) == 130
    finally:
        server.kill()
        server.communicate()


def test_looking_changes_nothing_and_tells_no_names(tmp_path: Path) -> None:
    home = tmp_path / "h"

    async def ask(client: Any) -> list[Any]:
        asked = (
            ("check", {}),
            ("explain", {"message": "CUDNN_STATUS_NOT_INITIALIZED"}),
            ("recommend", {"gpu": "8.6", "framework": "torch"}),
            ("report", {}),
            ("plan_fix", {}),
        )
        return [(await client.call_tool(*words)).structured_content for words in asked]

    checked, explained, fits, report, planned = talk(home, ask)
    assert checked["verdict"] == "broken"
    assert [one["code"] for one in checked["problems"]] == ["cudnn-not-on-path"]
    assert (explained["basis"], explained["clear"]) == ("computer", True)
    assert 0.5 < explained["causes"][0]["score"] <= 1, "how sure it is"
    assert fits["headline"]
    assert "json cudnn-assistant-machine" in report["result"]
    assert planned["plan"]
    assert any("LD_LIBRARY_PATH" in change for change in planned["changes"])
    assert str(home) not in str((checked, explained, fits, report, planned))
    assert files(home) <= {"journal"}


async def planned_and_asked(client: Any) -> Any:
    planned = (await client.call_tool("plan_fix", {})).structured_content
    return planned, await client.call_tool("fix", {"plan": planned["plan"]})


def test_a_yes_makes_the_change_that_was_shown(tmp_path: Path) -> None:
    home, person = tmp_path / "h", Person("accept", yes=True)
    planned, done = talk(home, planned_and_asked, person)
    (asked,) = person.asked
    assert all(change in asked for change in planned["changes"])
    assert done.structured_content["changed"] is True
    assert done.structured_content["verdict"] == "works"
    assert "cudnn-assistant undo" in done.structured_content["said"]
    assert ".config/cudnn-assistant/environment.sh" in files(home)


@pytest.mark.spread(4)
@pytest.mark.parametrize(
    "person",
    [None, Person("decline"), Person("cancel"), Person("accept", yes=False)],
    ids=["cannot-ask", "declines", "cancels", "says-no"],
)
def test_without_a_yes_nothing_is_changed(person: Person | None, tmp_path: Path) -> None:
    from mcp import MCPError

    home = tmp_path / "h"

    async def ask(client: Any) -> Any:
        try:
            return await planned_and_asked(client)
        except MCPError as refused:
            return None, refused

    _planned, done = talk(home, ask, person)
    said = getattr(done, "structured_content", None) or {}
    assert said.get("changed") is not True
    assert files(home) <= {"journal"}


@pytest.mark.parametrize(
    ("tool", "words", "said"),
    [
        ("fix", {"plan": "deadbeef"}, "Ask plan_fix first"),
        ("plan_fix", {"codes": ["nope"]}, "nope is no code of a cause"),
        ("recommend", {"framework": "nope"}, "Nothing is known about nope"),
    ],
)
def test_what_was_asked_wrongly_is_said_and_changes_nothing(
    tool: str, words: dict[str, Any], said: str, tmp_path: Path
) -> None:
    home, person = tmp_path / "h", Person("accept", yes=True)

    async def ask(client: Any) -> Any:
        return await client.call_tool(tool, words)

    answer = talk(home, ask, person)
    assert answer.is_error
    assert said in answer.content[0].text
    assert not person.asked
    assert files(home) <= {"journal"}


def test_why_nothing_was_changed_holds_no_names_either(tmp_path: Path) -> None:
    computer = tmp_path / "merger"
    computer.mkdir()
    (computer / ".config").write_text("no folder")
    words = (str(SERVER), BROKEN, str(computer))
    _planned, done = talk(tmp_path / "h", planned_and_asked, Person("accept", yes=True), *words)
    assert done.structured_content["changed"] is False
    assert "a file stands where a folder should be" in done.structured_content["said"]
    assert "merger" not in str(done.structured_content)


def test_without_the_package_it_says_how_to_get_it(tmp_path: Path) -> None:
    hidden = (
        "import sys; sys.modules['mcp'] = None; sys.argv[1:] = ['mcp'];"
        "from cudnn_assistant.__main__ import main; sys.exit(main())"
    )
    whole = [sys.executable, "-c", hidden]
    done = subprocess.run(
        whole, capture_output=True, text=True, timeout=60, input="",
        env={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 2
    assert "cudnn-assistant[mcp]" in done.stderr, done.stderr


@pytest.mark.spread(2)
@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_no_is_an_answer_and_no_trouble(action: str, tmp_path: Path) -> None:
    _planned, done = talk(tmp_path / "h", planned_and_asked, Person(action))
    assert not done.is_error
    assert done.structured_content["changed"] is False
    assert done.structured_content["said"]
