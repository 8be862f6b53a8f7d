"""``feed``: where the compatibility data is from, or the newest of it."""

from __future__ import annotations

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.session import Session, describe, news

NO_ADDRESS = 6
"""Exit code of ``feed update`` where there is nobody to ask."""


def feed(session: Session, options: Options, screen: Screen) -> int:
    """Show where the compatibility data is from, or fetch it."""
    update = options.action == "update"
    source = session.fetch_data(offline=not update, insist=update)
    if options.json:
        screen.as_json(source)
    else:
        screen.lines((describe(source), *news(source)))
    if not update or not source.trouble:
        return 0
    return NO_ADDRESS if source.trouble == "no-address" else 3
