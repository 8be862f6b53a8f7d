"""The search order of one subject as a ladder: which copy wins, and which stand behind it. Pure."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from cudnn_assistant.envpath import key
from cudnn_assistant.machine import SYSTEM, CudnnCopy, Machine
from cudnn_assistant.summary.chain import test_of
from cudnn_assistant.versions import short
from cudnn_assistant.wording import say

RungState = Literal["wins", "parts", "first", "behind", "aside", "nothing"]
"""parts: some of its files are loaded beside the winner; first: found before all others, though
nothing was seen to load it; behind: found only if those above were gone; aside: in no folder that
is searched."""
_CUDNN = re.compile(r"(?i)(?:lib)?(cudnn(?:_[a-z_]+?)?)(?:64_\d+\.dll|\.so[\d.]*)")


class Rung(msgspec.Struct, frozen=True):
    """One copy of cuDNN where it stands in the search; or that the search finds none."""

    state: RungState
    place: int
    """Of its folder among those that are searched, from 1; 0: not searched, or brought along."""
    text: str
    folder: str

    @property
    def sentence(self) -> str:
        """The rung as it is read, after its folder."""
        return "" if self.state == "nothing" else say(f"summary.rung-{self.state}")


def ladder(machine: Machine, subject: str) -> tuple[Rung, ...]:
    """What a subject's programs come across, in the order of their search."""
    family = machine.os.family
    places: dict[str, int] = {}
    for number, entry in enumerate(machine.search, 1):
        places.setdefault(key(entry.folder or entry.text, family), number)
    own = [one for one in machine.cudnns if one.environment == subject]
    system = [one for one in machine.cudnns if not one.environment]
    mapped = {key(folder, family) for folder in _loaded(machine, subject).values()}
    mixed = [one for one in system if key(one.folder, family) in mapped]
    copies = own + (mixed if own else system)
    winner = next((one for one in copies if subject in one.wins_for), None)
    beside = mixed if winner is not None else []

    def rung(one: CudnnCopy) -> Rung:
        place = places.get(key(one.folder, family), 0)
        state: RungState = "behind" if place or one.environment == subject else "aside"
        if one is winner or one in beside:
            state = "wins" if one is winner else "parts"
        return Rung(state, place, f"cuDNN {short(one.version) or '?'}", one.folder)

    def order(one: Rung) -> tuple[bool, int, str]:
        return one.state != "wins", one.place or len(machine.search) + 1, one.folder

    rungs = sorted(map(rung, copies), key=order)
    if rungs and rungs[0].state == "behind":
        rungs[0] = msgspec.structs.replace(rungs[0], state="first")
    if subject == SYSTEM and places and not any(rung.state != "aside" for rung in rungs):
        count = len(places)
        rungs.insert(0, Rung("nothing", 0, say("summary.rung-nothing", count=count), ""))
    return tuple(rungs)


def _loaded(machine: Machine, subject: str) -> dict[str, str]:
    """The folder that each part of cuDNN came from in the subject's test; of two, the last."""
    test = test_of(machine, subject)
    found: dict[str, str] = {}
    for path in test.mapped if test is not None else ():
        folder, _slash, file = path.replace("\\", "/").rpartition("/")
        if match := _CUDNN.fullmatch(file):
            found[match[1].lower()] = folder
    return found


class CopyPart(msgspec.Struct, frozen=True):
    """One file of a copy: there, not there, damaged, or loaded from another copy."""

    name: str
    state: Literal["present", "missing", "damaged", "foreign"]

    @property
    def said(self) -> str:
        """The state in words."""
        return say(f"summary.part-{self.state}")


def parts(machine: Machine, subject: str, copy: CudnnCopy) -> tuple[CopyPart, ...]:
    """The parts of a copy of cuDNN as a subject's programs get them."""
    family = machine.os.family
    loaded = _loaded(machine, subject) if subject in copy.wins_for else {}
    found = []
    for part in copy.parts:
        name = part.name if part.name.startswith("cudnn") else f"cudnn_{part.name}"
        folder = loaded.get(name, "")
        if folder and key(folder, family) != key(copy.folder, family):
            found.append(CopyPart(name, "foreign"))
        elif part.state == "ok":
            found.append(CopyPart(name, "present"))
        else:
            found.append(CopyPart(name, "missing" if part.state == "missing" else "damaged"))
    return tuple(found)
