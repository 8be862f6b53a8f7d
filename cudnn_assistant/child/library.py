"""Child program: what one copy of cuDNN says when it is loaded. Needs no GPU and no driver."""

from __future__ import annotations

from cudnn_assistant.child import loading
from cudnn_assistant.child.channel import Channel, Wish, serve


def main(arguments: list[str]) -> int:
    """Run with one JSON argument: pipe, deadline, names, folders, steps, parts, after, first.

    ``after`` names a call that an earlier child didn't survive: what comes behind it is asked
    here, of a library of ``major``; ``first`` is the only call to be made.
    """
    return serve(arguments, _check, driver=False)


def _check(channel: Channel, wish: Wish) -> None:
    library = loading.load(channel, wish)
    if wish["first"]:
        loading.first_call(channel, library, wish["first"])
        return
    if wish["after"]:
        library.suppose(wish["major"])
    else:
        loading.versions(channel, library)
    _, lesser = loading.sublibraries(channel, library, wish["parts"], wish["after"])
    if lesser is not None:
        raise lesser
    loading.stay_home(wish["library"])
