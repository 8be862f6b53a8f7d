"""Who may write a file of Windows, as its security descriptor says in text (SDDL). Pure.

``O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;;0x1200a9;;;BU)``: an owner, and entries each with kind, flags,
rights and whom they are for. Names of accounts are two letters or a number such as S-1-5-18.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from cudnn_assistant.machine import Doubt

SYSTEMS = {
    "SY", "BA", "LA", "DA", "EA", "CO", "OW", "S-1-5-18", "S-1-5-32-544", "S-1-3-0", "S-1-3-4",
    "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464",
}  # fmt: skip
"""The system, its administrators (of the domain, too) and installer, and who makes or owns a
file."""
EVERYBODY = {
    "WD", "AU", "BU", "IU", "S-1-1-0", "S-1-5-11", "S-1-5-32-545", "S-1-5-4", "S-1-2-0",
}  # fmt: skip
"""All accounts: nobody but the person where the computer has no other."""

_ENTRY = re.compile(r"\(([^();]{0,40});([^();]*);([^();]*);([^();]*);([^();]*);([^();]*)[;)]")
_OWNER = re.compile(r"O:(S-[\d-]+|[A-Z]{2})")
_ALLOWS = {"A", "XA"}
_RIGHTS = {
    "FA": 0x1F01FF, "FR": 0x120089, "FW": 0x120116, "FX": 0x1200A0, "GA": 0x10000000,
    "GW": 0x40000000, "GR": 0x80000000, "GX": 0x20000000, "SD": 0x10000, "RC": 0x20000,
    "WD": 0x40000, "WO": 0x80000, "CC": 1, "DC": 2, "LC": 4, "SW": 8, "RP": 0x10, "WP": 0x20,
    "DT": 0x40, "LO": 0x80, "CR": 0x100,
}  # fmt: skip
_EXCHANGE = 0x10000 | 0x40000 | 0x80000 | 0x10000000 | 0x40000000
"""To delete it or to change who may: what is there can be put aside for something else."""
_ADD, _APPEND, _DELETE_WITHIN = 2, 4, 0x40


def doubt(text: str, me: str, *, folder: bool, last: bool, alone: bool) -> Doubt:
    """Why what has this security descriptor isn't one's own to run; "" where it is.

    ``me`` is one's account; ``alone``: no other account of a person can be used here. ``last``: a
    file, or the folder that is searched; of those on the way only exchanging them counts.
    """
    owned = _OWNER.match(text)
    trusted = SYSTEMS | {me} | (EVERYBODY if alone else set())
    if owned is None or owned[1] not in trusted:
        return "owner"
    lists = text.partition("D:")[2].partition("S:(")[0]
    if not text.count("D:") or lists.startswith("NO_ACCESS_CONTROL"):
        return "" if alone else "writable"
    rights = _EXCHANGE
    if folder:
        rights |= _DELETE_WITHIN | (_ADD if last else 0)
    else:
        rights |= _ADD | _APPEND
    return "writable" if _given(lists, rights, trusted) else ""


def _given(lists: str, rights: int, trusted: Collection[str]) -> bool:
    """Whether others get one of the rights; what a list takes away is passed over, which errs on
    the safe side. IO: the entry is for what will be made in the folder, not for the folder."""
    return any(
        kind in _ALLOWS
        and "IO" not in re.findall("..", flags)
        and _number(given) & rights
        and account not in trusted
        for kind, flags, given, _object, _inherited, account in _ENTRY.findall(lists)
    )


def _number(rights: str) -> int:
    if rights.startswith("0x"):
        return int(rights, 16)
    total = 0
    for name in re.findall("..", rights):
        total |= _RIGHTS.get(name, _EXCHANGE)
    return total
