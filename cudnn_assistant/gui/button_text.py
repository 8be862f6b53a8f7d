"""What the button of the Review page says that it will do."""

from __future__ import annotations

from cudnn_assistant.wording import say


def change_button_text(
    count: int,
    *,
    administrator: bool,
    undoes: bool,
    licence: bool = False,
    starts: bool = False,
) -> str:
    """What the button says it will do."""
    if undoes:
        return say("gui.undo-button", count=count)
    if starts and licence:
        return say("gui.accept-and-install-button", count=count)
    if starts:
        return say("gui.install-button", count=count)
    if licence and administrator:
        return say("gui.accept-and-change-admin-button", count=count)
    if licence:
        return say("gui.accept-and-change-button", count=count)
    if administrator:
        return say("gui.change-admin-button", count=count)
    return say("gui.change-button", count=count)
