"""Child program: what one copy of cuDNN says when it is loaded. Needs no GPU and no driver."""

from __future__ import annotations

import json

from cudnn_assistant.child import loading
from cudnn_assistant.child.channel import Stopped, answer, open_channel, rein


def main(arguments: list[str]) -> int:
    """Run with one JSON argument: pipe, deadline, names, folder. Answers on the pipe."""
    wish = json.loads(arguments[0])
    channel = open_channel(wish["pipe"])
    rein(wish["deadline"])
    try:
        library = loading.load(channel, wish["names"], wish["library"], wish["folders"])
        loading.versions(channel, library)
        loading.sublibraries(channel, library)
        loading.stay_home(wish["library"])
        answer(channel, {"status": "ok"})
    except Stopped as stopped:
        strangers = loading.foreign(wish["library"]) if wish["library"] else []
        if strangers and stopped.facts["status"] == "status-code":
            stopped.facts["detail"] = f"{stopped.facts['detail']}; mapped: {', '.join(strangers)}"
        answer(channel, stopped.facts)
    return 0
