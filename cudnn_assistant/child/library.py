"""Child program: what one copy of cuDNN says when it is loaded. Needs no GPU and no driver."""

from __future__ import annotations

import json

from cudnn_assistant.child import loading
from cudnn_assistant.child.channel import Channel, conclude, limit_process, open_channel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(arguments: list[str]) -> int:
    """Run with one JSON argument: pipe, deadline, names, folders, steps, parts, after, first.

    ``after`` names a call that an earlier child didn't survive: what comes behind it is asked
    here, of a library of ``major``; ``first`` is the only call to be made.
    """
    wish = json.loads(arguments[0])
    channel = open_channel(wish["pipe"])
    limit_process(wish["deadline"], driver=False)
    conclude(channel, lambda: _check(channel, wish))
    return 0


def _check(channel: Channel, wish: dict[str, Any]) -> None:
    home = wish["library"]
    library = loading.load(channel, wish["names"], home, wish["folders"], wish["steps"])
    if wish["first"]:
        loading.first_call(channel, library, wish["first"])
        return
    if wish["after"]:
        library.suppose(wish["major"])
    else:
        loading.versions(channel, library)
    loading.sublibraries(channel, library, wish["parts"], wish["after"])
    loading.stay_home(home)
