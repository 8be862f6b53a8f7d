"""Where things live: resources, settings, state, our own library folder, the child's command."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from functools import cache
from pathlib import Path

import platformdirs

from cudnn_assistant.trouble import Refused

_PACKAGE = Path(__file__).parent
_DEBIAN = Path("/usr/lib/cudnn-assistant")
"""Where the .deb keeps us; its programs in /usr/bin know the way here, Python doesn't."""
_NAME = "cuDNN Assistant" if sys.platform == "win32" else "cudnn-assistant"

UNFINISHED = MAKING, REMOVED = ".making", ".removed"
"""What a folder of ours is called by, behind its name, while it is unpacked and while it goes."""

WINDOW_ID = "cuDNNAssistant.Window"
"""What Windows' taskbar knows the window by; Setup writes the same into the Start menu's entry."""


def resource(name: str) -> Path:
    """A file or folder of ``resources/``, installed inside the package or beside it in a checkout.

    The path is not checked to exist.
    """
    inside = _PACKAGE / "resources"
    return (inside if inside.is_dir() else _PACKAGE.parent / "resources") / name


def config() -> Path:
    """Folder of the settings file that we own (Linux: the one that start-up files source)."""
    return _folder("config")


def state() -> Path:
    """Folder of the journal and the log."""
    return _folder("state")


def journal() -> Path:
    """The journal of changes."""
    return state() / "journal.jsonl"


def saved() -> Path:
    """Folder of what can be fetched again: the last verified feed, unfinished downloads."""
    return _folder("cache")


def own_libraries() -> Path:
    """Folder under which each cuDNN that we installed has a folder of its own.

    Other programs must see it. What the Microsoft Store's Python writes into AppData is kept for it
    alone (Windows redirects it), so that with that one the folder lies beside AppData.
    """
    if _in_store(sys.base_prefix) and _home_known():
        return Path.home() / _NAME / "libraries"
    return _folder("data") / "libraries"


def _in_store(prefix: str) -> bool:
    """Whether that Python is the Microsoft Store's; a virtual environment has its base's."""
    return "\\windowsapps\\" in prefix.lower().replace("/", "\\")


@cache
def _home_known() -> bool:
    try:
        Path.home()
    except RuntimeError:
        return False
    return os.path.isabs(os.path.expanduser("~"))


def _folder(kind: str) -> Path:
    if not _home_known():
        # A service without a home can still check; what it writes is its own and short-lived.
        import tempfile

        owner = os.getuid() if hasattr(os, "getuid") else "user"
        return Path(tempfile.gettempdir()) / f"{_NAME}-{owner}" / kind
    return Path(getattr(platformdirs, f"user_{kind}_dir")(_NAME, appauthor=False))


def anothers(path: str | os.PathLike[str]) -> str:
    """Where a path really leads, as far as it exists, if root runs us and it is somebody else's.

    "" for our own. What root writes there, its owner can't change or take back any more.
    """
    if sys.platform == "win32" or os.geteuid():
        return ""
    real = os.path.realpath(path)
    while not os.path.exists(real):
        real = os.path.dirname(real)
    return real if os.stat(real).st_uid else ""


def refuse_anothers(*paths: str | os.PathLike[str]) -> None:
    """Raises :class:`Refused` where root would write into what is somebody else's."""
    for path in paths:
        if place := anothers(path):
            raise Refused("anothers-home", home=place)


def window_command() -> list[str]:
    """The command that opens the window later on, when this process and its mount are gone."""
    image, mount = os.environ.get("APPIMAGE", ""), os.environ.get("APPDIR", "")
    if image and mount and _PACKAGE.is_relative_to(mount):
        return [image, "--window"]
    if _PACKAGE.parent == _DEBIAN:
        return ["/usr/bin/cudnn-assistant", "--window"]
    return [sys.executable, "-m", "cudnn_assistant", "--window"]


def terminal_command() -> tuple[str, ...]:
    """What starts the command line in a terminal like ours: its name alone where that finds us."""
    name = "cudnn-assistant"
    ours = _launcher(name)
    found = shutil.which(name)
    with contextlib.suppress(OSError):
        if found and os.path.samefile(found, ours):
            return (name,)
    return (ours,) if os.path.isfile(ours) else (sys.executable, "-m", "cudnn_assistant")


def _launcher(name: str) -> str:
    """Where our launcher lies, if there is one."""
    if image := os.environ.get("APPIMAGE", ""):
        return image
    if _PACKAGE.parent == _DEBIAN:
        return f"/usr/bin/{name}"
    installed = _PACKAGE.parents[1] / "command" / f"{name}.cmd"
    if installed.is_file():
        return str(installed)
    ending = ".exe" if sys.platform == "win32" else ""
    return os.path.join(os.path.dirname(sys.executable), name + ending)


def program_folder() -> str:
    """Where the interpreter lies that really runs our children."""
    return os.path.dirname(getattr(sys, "_base_executable", sys.executable))


def child_command(kind: str, *arguments: str, python: str = "") -> list[str]:
    """The command that starts one of our child programs.

    ``python``, or the interpreter that runs us, starts our ``__main__`` isolated (``-I``), so that
    no PYTHON* variable and no file in the current folder of a troubled machine can reach it; it
    finds our libraries through ``--path``.
    """
    folders = dict.fromkeys(filter(None, (str(_PACKAGE.parent), *sys.path)))
    main = str(_PACKAGE / "__main__.py")
    # Where we were told to write nothing beside our files, a child is told the same.
    silent = ["-B"] if sys.flags.dont_write_bytecode else []
    words = [python or sys.executable, "-I", "-S", *silent, main]
    # One word each: what else could stand between them may be part of a folder's name.
    here = [word for folder in folders for word in ("--path", folder)]
    return [*words, "--child", kind, *here, *arguments]
