"""The real server for assistants, at a golden computer: NAME HOME [CALL].

With CALL, a power cut ends it there, counted from the beginning of a change.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fleet_computer import following

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.cli.serving import mcp
from cudnn_assistant.journal import Journal
from cudnn_assistant.session import Session
from cudnn_assistant.system.linux import Linux


class Dying(Session):
    def apply(self, *arguments: Any, **more: Any) -> Any:
        from test_apply import _count_down

        _count_down(int(sys.argv[3]), torn=True)
        return super().apply(*arguments, **more)


if __name__ == "__main__":
    name, home = sys.argv[1], Path(sys.argv[2])
    system = Linux(
        {"HOME": str(home), "SHELL": "/bin/bash"},
        home=str(home),
        config=str(home / ".config/cudnn-assistant"),
        etc=str(home / "etc"),
    )
    journal = Journal(home / "journal")
    session = Dying if sys.argv[3:] else Session
    mcp(session(system, journal, look=following(name, "linux-healthy")), Options(), Screen())
