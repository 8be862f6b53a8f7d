"""What whoever looks after this computer has decided about this program.

Linux: the file ``/etc/cudnn-assistant/policy.toml`` with ``read-only = true``, ``archives =
"/folder"``, ``ask = false`` (nobody is asked what is newer), ``allow = ["code", …]``, ``downloads =
false`` and ``spread = 3600``. Windows: the values ``ReadOnly``, ``Ask``, ``Downloads``, ``Spread``
(REG_DWORD), ``Archives`` (REG_SZ) and ``Allow`` (REG_MULTI_SZ) of the key
``HKLM\\SOFTWARE\\Policies\\cuDNN Assistant``. Both are written by administrators alone.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import msgspec

from cudnn_assistant import places
from cudnn_assistant.plain_file import plain
from cudnn_assistant.system.windows_registry import WindowsRegistry
from cudnn_assistant.trouble import Refused

LINUX = "/etc/cudnn-assistant/policy.toml"
WINDOWS = r"SOFTWARE\Policies\cuDNN Assistant"
_LARGEST = 1 << 16
"""Bytes of it that are read; a larger one can't be, and forbids every change."""
ARCHIVES = "CUDNN_ASSISTANT_ARCHIVES"
"""The variable by which a person names a folder of archives where no policy does."""


class Policy(msgspec.Struct, frozen=True, rename="kebab", forbid_unknown_fields=True):
    """Without any, everything may be done; one with a name that isn't here forbids every change."""

    read_only: bool = False
    """This program changes nothing here."""
    archives: str = ""
    """Folder with the only archives that may be installed; nothing is downloaded. "": any."""
    ask: bool = True
    """The feed, or without one NVIDIA's and PyPI's own indexes, may be asked what is newer."""
    allow: tuple[str, ...] | None = None
    """The codes of the only causes that may be mended; ``None``: all."""
    downloads: bool = True
    """What isn't in the folder of archives may be fetched; packages are, by pip, as well."""
    spread: Annotated[int, msgspec.Meta(ge=0, le=7 * 86400)] = 0
    """Seconds within which a change that nobody is asked about begins to download, so that many
    computers don't do so at the same moment."""
    place: str = ""
    """Where it stands, for the person; "" where there is none."""


def policy() -> Policy:
    """The policy of this computer. One that is there but can't be read forbids every change."""
    return _windows() if sys.platform == "win32" else _linux(LINUX)


def archives() -> str:
    """The folder in which archives lie ready, by policy or by the person's wish; "" for none."""
    return policy().archives or os.environ.get(ARCHIVES, "")


def refuse_where_nothing_may_change() -> None:
    """Raises :class:`Refused` where whoever looks after the computer has decided so."""
    places.refuse_anothers(*_ours())
    decided = policy()
    if decided.read_only:
        raise Refused("policy", place=decided.place)


def anothers_place() -> str:
    """What somebody else owns of the folders that root writes to; "" for nothing.

    The home (``sudo -E``), or where a link or a variable of XDG leads.
    """
    return next(filter(None, map(places.anothers, _ours())), "")


def _ours() -> tuple[str | os.PathLike[str], ...]:
    if sys.platform == "win32":
        return ()
    from cudnn_assistant.system.account import home_of

    home = home_of(os.environ) or places.state()
    return home, places.config(), places.state(), places.saved(), places.own_libraries()


def _linux(path: str) -> Policy:
    import tomllib

    try:
        with plain(path) as file:
            text = file.read(_LARGEST + 1).decode()
        settings = tomllib.loads(text) if len(text) <= _LARGEST else {"too": "large"}
    except FileNotFoundError:
        # A link that leads nowhere: what it led to may be on a disk that isn't connected now.
        return _undecided(path) if os.path.islink(path) else Policy()
    except (OSError, ValueError, RecursionError):
        return _undecided(path)
    return _of(settings, path)


def _windows() -> Policy:
    place = "HKLM\\" + WINDOWS
    try:
        stored = WindowsRegistry({"machine": ("HKEY_LOCAL_MACHINE", WINDOWS)}).values("machine")
    except OSError:
        return _undecided(place)
    if not stored:
        return Policy()
    # The file's names without the hyphen, in any letters; a flag is a number there.
    named = {one.encode_name.replace("-", ""): one for one in msgspec.structs.fields(Policy)}
    told = [(named.get(one.name.lower()), one.data) for one in stored]
    settings = {one.encode_name: _meant(one.type, data) for one, data in told if one}
    return _of(settings, place)


def _meant(kind: object, data: object) -> object:
    """A flag is a number, and "0" as a text is not taken for one; no data is bytes of none."""
    if kind is bool and isinstance(data, int):
        return bool(data)
    return b"" if data is None else data


def _of(settings: dict[str, Any], place: str) -> Policy:
    try:
        found = msgspec.convert(settings, Policy)
    except (msgspec.ValidationError, UnicodeError):
        return _undecided(place)
    # Where a relative folder lies depends on where somebody stands.
    absolute = not found.archives or os.path.isabs(found.archives)
    return msgspec.structs.replace(found, place=place) if absolute else _undecided(place)


def _undecided(place: str) -> Policy:
    """What holds while a policy is there and can't be read."""
    return Policy(read_only=True, ask=False, downloads=False, place=place)
