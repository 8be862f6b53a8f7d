"""``integrate``: what a package would add to the menus, for a copy that pip or pipx installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from cudnn_assistant import places
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.session import Misuse, Refused, Session
from cudnn_assistant.shell import quote
from cudnn_assistant.whole_file import put
from cudnn_assistant.wording import say
from cudnn_assistant.wording.refusals import cause, why

_ABOUT = "io.github.cudnn_assistant.cudnn_assistant.metainfo.xml"
FILES = (
    ("desktop/cudnn-assistant.desktop", "applications/cudnn-assistant.desktop"),
    (f"desktop/{_ABOUT}", f"metainfo/{_ABOUT}"),
    ("desktop/cudnn-assistant.1", "man/man1/cudnn-assistant.1"),
    ("icons/app.svg", "icons/hicolor/scalable/apps/cudnn-assistant.svg"),
)
"""Resources, and where they go under a data folder of XDG, a person's or a package's."""


def integrate(_session: Session, options: Options, screen: Screen) -> int:
    """Add the program to this person's menus, or with ``--remove`` take that back.

    Only files of these names are written or removed. Returns 0, or 5 where one can't be.
    """
    if sys.platform == "win32":
        raise Misuse("menus-by-installer")
    share = Path()
    try:
        share = data_home()
        places.refuse_anothers(*(share / name for _source, name in FILES))
        for source, name in FILES:
            if options.out_of_menus:
                (share / name).unlink(missing_ok=True)
            else:
                _put(source, share / name)
    except OSError as trouble:
        path = trouble.filename or share
        screen.trouble(say("cli.menu-not-writable", path=path, why=cause(trouble)))
        return 5
    except Refused as trouble:
        screen.trouble(why(trouble))
        return 5
    screen.line(say("cli.menu-removed" if options.out_of_menus else "cli.menu-added"))
    return 0


def data_home() -> Path:
    """$XDG_DATA_HOME where it is an absolute path, else ``~/.local/share``.

    Raises :class:`Refused` where nobody knows a home.
    """
    chosen = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(chosen):
        return Path(chosen)
    home = os.environ.get("HOME", os.path.expanduser("~"))
    if not os.path.isabs(home):
        raise Refused("no-home")
    return Path(home) / ".local" / "share"


def _put(source: str, target: Path) -> None:
    text = places.resource(source).read_text("utf-8")
    if target.suffix == ".desktop":
        # A menu knows nothing of a virtual environment's PATH.
        text = text.replace("Exec=cudnn-assistant-gui", f"Exec={_command()}")
    target.parent.mkdir(parents=True, exist_ok=True)
    # A menu shows an empty entry of a full disk.
    put(target, text.encode(), mode=0o644)


def _command() -> str:
    beside = os.path.join(os.path.dirname(sys.executable), "cudnn-assistant-gui")
    if os.access(beside, os.X_OK):
        return quote(beside, "Exec")
    words = [sys.executable, "-m", "cudnn_assistant", "--window"]
    return " ".join(quote(word, "Exec") for word in words)
