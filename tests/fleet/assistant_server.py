"""The real server for assistants, at a golden computer: NAME HOME."""

from __future__ import annotations

import sys
from pathlib import Path

from fleet_computer import following

from cudnn_assistant.cli.serving import serve
from cudnn_assistant.journal import Journal
from cudnn_assistant.session import Session
from cudnn_assistant.system.linux import Linux

if __name__ == "__main__":
    name, home = sys.argv[1], Path(sys.argv[2])
    system = Linux(
        {"HOME": str(home), "SHELL": "/bin/bash"},
        home=str(home),
        config=str(home / ".config/cudnn-assistant"),
        etc=str(home / "etc"),
    )
    journal = Journal(home / "journal")
    serve(Session(system, journal, look=following(name, "linux-healthy")))
