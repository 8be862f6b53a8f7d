"""``mcp``: serve an assistant on this computer over standard input and output."""

from __future__ import annotations

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.session import Misuse, Session


def mcp(session: Session, _options: Options, _screen: Screen) -> int:
    """Answer until the assistant goes away. Raises :class:`Misuse` without the package for it."""
    try:
        from cudnn_assistant.cli.serving import serve
    except ImportError as trouble:
        raise Misuse("no-mcp") from trouble
    serve(session)
    return 0
