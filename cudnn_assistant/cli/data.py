"""``feed``: where the compatibility data is from, or the newest of it."""

from __future__ import annotations

import msgspec

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.session import Session, describe


def feed(session: Session, options: Options, screen: Screen) -> int:
    """Show where the compatibility data is from, or fetch it."""
    update = options.action == "update"
    source = session.fetch_data(offline=not update, insist=update)
    if options.json:
        screen.raw(msgspec.json.encode(source).decode() + "\n")
    else:
        screen.line(describe(source))
    return 3 if update and source.trouble else 0
