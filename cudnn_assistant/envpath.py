"""Values that are lists of folders (PATH, LD_LIBRARY_PATH): read and edited entry by entry.

Pure, and for both systems on either: the family is an argument. Entries that are not touched
stay byte for byte and in order; ``join(split(text)) == text`` for every text.
"""

from __future__ import annotations

import ntpath
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from cudnn_assistant.machine import Family
from cudnn_assistant.regex import regex

Lookup = Callable[[str], "str | None"]

LISTS = frozenset({
    "PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "PYTHONPATH", "PATHEXT", "LIBPATH",
    "OS2LIBPATH", "LIB", "INCLUDE", "ld.so.conf", "CONDA_ENVS_PATH", "CONDA_ENVS_DIRS",
})  # fmt: skip
"""Variables whose value is a list; the rest are one value each."""

LIMIT = 32_767
"""Windows: characters that one variable can hold (Microsoft, "Environment Variables")."""


def is_list(name: str, family: Family) -> bool:
    """Whether a variable's value is a list of folders. Names ignore case on Windows."""
    return (name.upper() if family == "windows" else name) in LISTS


def separator(family: Family) -> str:
    """What stands between two entries."""
    return ";" if family == "windows" else ":"


def search_variable(family: Family) -> str:
    """The variable that lists folders for the loader."""
    return "PATH" if family == "windows" else "LD_LIBRARY_PATH"


def search_list(environment: Mapping[str, str], family: Family) -> tuple[str, tuple[str, ...]]:
    """That variable, as it is spelled here, and its entries."""
    name = spelled(environment, search_variable(family), family)
    return name, searched(environment.get(name, ""), family)


def searched(text: str, family: Family) -> tuple[str, ...]:
    """The entries of :func:`search_variable` as the loader reads them: Linux' takes ";" as well."""
    return split(text.replace(";", ":") if family == "linux" else text, family)


def spelled(environment: Mapping[str, str], name: str, family: Family) -> str:
    """The name of a variable, given in capitals, as it is spelled here.

    Windows' names ignore case, and a mapping of the caller's may be a plain one.
    """
    if name in environment or family == "linux":
        return name
    return next((key for key in environment if key.upper() == name), name)


def value_of(environment: Mapping[str, str], name: str, family: Family) -> str:
    """The text of a variable, named in capitals; on Windows its name ignores case."""
    return environment.get(spelled(environment, name, family), "")


def split(text: str, family: Family) -> tuple[str, ...]:
    """The raw entries, empty ones included; ``()`` for an empty text.

    On Windows a ``;`` between double quotes belongs to its entry, as the shell reads it.
    """
    if not text:
        return ()
    if family != "windows":
        return tuple(text.split(":"))
    pieces: list[str] = []
    for piece in text.split(";"):
        if pieces and pieces[-1].count('"') % 2:
            pieces[-1] += ";" + piece
        else:
            pieces.append(piece)
    return tuple(pieces)


def join(entries: Sequence[str], family: Family) -> str:
    """The text of a list of raw entries."""
    return separator(family).join(entries)


def parts(text: str) -> tuple[list[str], list[str]]:
    """Of a list in our own settings file on Linux: the folders that it begins with, and those that
    are taken out of what others have set, which stand behind a minus."""
    entries = split(text, "linux")
    first = [entry for entry in entries if not entry.startswith("-")]
    return first, [entry[1:] for entry in entries if entry.startswith("-")]


def fits(folder: str, family: Family) -> bool:
    """Whether ``folder`` can stand in such a list and mean itself: absolute, no separator on
    Linux, no quote or ``%…%`` on Windows, no control characters, valid Unicode."""
    if any(ord(c) < 32 or 0xD800 <= ord(c) <= 0xDFFF for c in folder):
        return False
    if family == "windows":
        absolute = bool(ntpath.splitdrive(folder)[0]) and ntpath.isabs(folder)
        return absolute and '"' not in folder and folder.count("%") < 2
    return folder.startswith("/") and ":" not in folder


def key(entry: str, family: Family) -> str:
    """What two spellings of one folder have in common. For comparison only, never to be stored.

    Windows: blanks, quotes, slashes, case and a closing backslash don't count. 8.3 names and
    junctions are not seen through. Linux: repeated and closing slashes and ``/./`` don't count.
    """
    if family == "windows":
        bare = entry.strip().replace('"', "").replace("/", "\\")
        return _upper(ntpath.normpath(bare)) if bare else ""
    parts = [part for part in entry.split("/") if part not in ("", ".")]
    root = "/" if entry.startswith("/") else ""
    return (root + "/".join(parts)) or ("." if entry else "")


def _upper(text: str) -> str:
    # Windows' file names fold letter by letter: "ß" is never "SS" there.
    return "".join(up if len(up := c.upper()) == 1 else c for c in text)


def inside(path: str, folder: str, family: Family) -> bool:
    """Whether a path is the folder itself or lies somewhere under it; "" holds nothing."""
    one, other = key(path, family), key(folder, family)
    below = other if other.endswith(("/", "\\")) else other + ("\\" if family == "windows" else "/")
    return bool(other) and (one == other or one.startswith(below))


def same_folder(a: str, b: str, family: Family, lookup: Lookup | None = None) -> bool:
    """Whether two entries name one folder, ``%NAME%`` expanded first when ``lookup`` is given."""
    if lookup and family == "windows":
        a, b = expand(a, lookup, family), expand(b, lookup, family)
    return key(a, family) == key(b, family)


def put_first(text: str, folder: str, family: Family, lookup: Lookup | None = None) -> str:
    """``text`` with ``folder`` before all other entries, and there only.

    Unchanged when it already comes first, and not in quotes or blanks, which the loader of Windows
    takes for a part of the name. Raises :class:`ValueError` when the folder can't stand in such a
    list (see :func:`fits`).
    """
    if not fits(folder, family):
        raise ValueError(f"{folder!r} can't stand in a list of folders")
    entries = split(text, family)
    new = f'"{folder}"' if family == "windows" and ";" in folder else folder
    first = entries[0] if entries else ""
    bare = first == first.strip() and ('"' in first) == ('"' in new)
    if entries and bare and same_folder(first, folder, family, lookup):
        return text
    # Of the entries, not of a text: one empty entry alone has no text that says so.
    return join((new, *_others(entries, folder, family, lookup)), family)


def take_out(text: str, folder: str, family: Family, lookup: Lookup | None = None) -> str:
    """``text`` without any entry that names ``folder``."""
    entries = split(text, family)
    kept = _others(entries, folder, family, lookup)
    return text if len(kept) == len(entries) else join(kept, family)


def _others(
    entries: Sequence[str], folder: str, family: Family, lookup: Lookup | None
) -> tuple[str, ...]:
    return tuple(e for e in entries if not same_folder(e, folder, family, lookup))


def take_back(before: str, after: str, now: str, family: Family) -> str:
    """``now`` without the change from ``before`` to ``after``, other people's edits kept.

    Entries that the change added go (one each); those it removed, or moved and are still there,
    come back beside an old neighbour. ``take_back(b, a, a) == b`` byte for byte.
    """
    if now == after:
        return before
    old, new = split(before, family), split(after, family)
    added, removed = _difference(old, new, family)
    entries = list(split(now, family))
    # What was moved, and taken out by somebody since, has no place to go back to.
    gone = {key(e, family) for e in added} - {key(e, family) for e in entries}
    # What somebody has put back meanwhile isn't put back a second time.
    surplus = Counter(key(e, family) for e in entries) - Counter(key(e, family) for e in new)
    for entry in added:
        _drop(entries, entry, family)
    for index in removed:
        if surplus[key(old[index], family)] > 0:
            surplus[key(old[index], family)] -= 1
        elif key(old[index], family) not in gone:
            _bring_back(entries, old, index, family)
    return join(entries, family)


def _difference(
    old: Sequence[str], new: Sequence[str], family: Family
) -> tuple[list[str], list[int]]:
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(
        None, [key(e, family) for e in old], [key(e, family) for e in new], autojunk=False
    )
    added: list[str] = []
    removed: list[int] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            removed.extend(range(i1, i2))
            added.extend(new[j1:j2])
    return added, removed


def _drop(entries: list[str], entry: str, family: Family) -> None:
    for index, other in enumerate(entries):
        if same_folder(entry, other, family):
            del entries[index]
            return


def _bring_back(entries: list[str], old: Sequence[str], index: int, family: Family) -> None:
    here = [key(entry, family) for entry in entries]
    before = ((key(entry, family), 1) for entry in reversed(old[:index]))
    after = ((key(entry, family), 0) for entry in old[index + 1 :])
    places = (here.index(one) + shift for one, shift in chain(before, after) if one in here)
    entries.insert(next(places, 0), old[index])


_PERCENT = regex("%([^%=]+)%")
_DOLLAR = regex(
    r"\$(?:(?P<bare>[A-Za-z_]\w*)"
    r"|\{(?P<name>[A-Za-z_]\w*)(?:(?P<colon>:?)(?P<sign>[-+])(?P<word>[^{}]*))?\})",
    re.ASCII,
)


def expand(text: str, lookup: Lookup, family: Family) -> str:
    """``text`` with variables replaced, once, as the system does.

    Windows: an unknown ``%NAME%`` stays as it is. Linux: ``$NAME``, ``${NAME}``, ``${NAME:-x}``
    and ``${NAME:+x}``; an unknown one is empty.
    """
    if family == "windows":
        return _PERCENT.sub(lambda m: m[0] if (told := lookup(m[1])) is None else told, text)
    return _DOLLAR.sub(lambda match: _dollar(match, lookup), text)


def _dollar(match: re.Match[str], lookup: Lookup) -> str:
    value = lookup(match["bare"] or match["name"])
    if not match["sign"]:
        return value or ""
    there = bool(value) if match["colon"] else value is not None
    word = expand(match["word"], lookup, "linux")
    if match["sign"] == "-":
        return (value or "") if there else word
    return word if there else ""
