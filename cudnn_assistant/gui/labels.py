"""What the button of the Review page says that it will do."""

from __future__ import annotations

from cudnn_assistant.wording import ngettext


def make_label(
    count: int,
    *,
    administrator: bool,
    undoes: bool,
    licence: bool = False,
    starts: bool = False,
) -> str:
    """What the button says it will do."""
    if undoes:
        label = ngettext("&Undo {count} change", "&Undo {count} changes", count)
    elif starts and licence:
        label = ngettext(
            "Accept the licence, start {count} &installer (administrator)",
            "Accept the licence, start {count} &installers (administrator)",
            count,
        )
    elif starts:
        label = ngettext(
            "Start {count} &installer (administrator)",
            "Start {count} &installers (administrator)",
            count,
        )
    elif licence and administrator:
        label = ngettext(
            "Accept the licence, &make {count} change (administrator)",
            "Accept the licence, &make {count} changes (administrator)",
            count,
        )
    elif licence:
        label = ngettext(
            "Accept the licence, &make {count} change",
            "Accept the licence, &make {count} changes",
            count,
        )
    elif administrator:
        label = ngettext(
            "&Make {count} change (administrator)", "&Make {count} changes (administrator)", count
        )
    else:
        label = ngettext("&Make {count} change", "&Make {count} changes", count)
    return label.format(count=count)
