"""Child program: which libraries cuda-pathfinder, NVIDIA's own locator, finds and loads.

A child because what it loads can end the process. One JSON argument: pipe, deadline, names. Says
``found`` (name, path, found_via) for each that it finds; what it doesn't find is passed over.
"""

from __future__ import annotations

from cudnn_assistant.child.channel import Channel, Stopped, Wish, serve


def main(arguments: list[str]) -> int:
    """Ask, tell, end."""
    return serve(arguments, _ask)


def _ask(channel: Channel, wish: Wish) -> None:
    try:
        from cuda.pathfinder import load_nvidia_dynamic_lib as load
    except ImportError as absent:
        raise Stopped("not-run", detail=str(absent)) from absent
    for name in wish["names"]:
        channel.about(name)
        try:
            found = load(name)
        except (RuntimeError, OSError):
            continue
        if found.abs_path:
            via = [found.found_via] if found.found_via else []
            channel.say(found={"name": name, "path": found.abs_path, "found_via": via})
