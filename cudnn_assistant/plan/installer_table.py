"""The official installers that may be started for the person: these, and nothing else.

The data of the feed names none of them: a row is chosen by a rule, and of the feed only a version
number that matches the row's own pattern gets into an address. What a distribution's row holds is
run as root as it stands in resources/installers.toml.
"""

from __future__ import annotations

import tomllib
from typing import Any, TypeVar

import msgspec

from cudnn_assistant.places import resource

_Row = TypeVar("_Row")


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An installer for Windows. Its signature proves it, and its checksum where one is known."""

    name: str
    address: str
    """With ``{version}`` and ``{series}``, its first two numbers, where there is one."""
    hosts: frozenset[str]
    publisher: str
    """Organisation in the certificate that signed it."""
    arguments: tuple[str, ...] = ()
    """With ``{series}``. Without any it asks its own questions in its own window."""
    versions: str = ""
    """Pattern of a version; "": it has none."""
    licence: str = ""
    """Accepted by starting it with these arguments; "": it asks for that itself."""
    sha256: str = ""


NEWEST = "newest"


class Packages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a distribution's package manager is told, line by line, as root."""

    name: str
    lines: tuple[str, ...]
    """With ``{version}`` and ``{branch}``, its first number, where there is a pattern for it."""
    back: str
    """The command by which a person takes it back."""
    versions: str = ""
    """Pattern of the driver's version, or of how its packages end ("570-server"); "": none."""
    branch: str = ""
    """The driver that they bring at least, NEWEST the newest; "": they choose it by the GPU."""
    only_closed: bool = False
    """They are for GPUs that the open kernel module doesn't run."""
    source: str = ""
    """Where the packages come from, if the distribution has that switched off at first."""
    signed: bool = False
    """Its kernel module is one that Secure Boot lets in."""
    kernel: str = ""
    """Pattern of the kernel release that they are for; "": any."""
    check: str = ""
    """Ends well only if they are there; "": the lines themselves tell. Run after them."""


DRIVER = "580.88"
"""Of Windows' rows: the branch that knows every GPU from Maxwell to Blackwell (the next one drops
Maxwell, Pascal and Volta), and speaks CUDA 13."""


def _rows(groups: list[dict[str, Any]], kind: type[_Row]) -> dict[str, _Row]:
    """Each row, with what its group says."""
    return {
        name: msgspec.convert({**group, **row}, kind)
        for group in groups
        for name, row in group.pop("row").items()
    }


_TABLE = tomllib.loads(resource("installers.toml").read_text("utf-8").replace("{driver}", DRIVER))
PROGRAMS = _rows(_TABLE["program"], Program)
PACKAGES = _rows(_TABLE["packages"], Packages)
DRIVERS = msgspec.convert(_TABLE["drivers"], dict[str, tuple[str, ...]])
"""Rows of the driver by the family of a distribution."""
BY_HAND = msgspec.convert(_TABLE["by_hand"], dict[str, dict[str, tuple[str, ...]]])
"""What a person types, by what it is for and the family of a distribution, or what it is about."""
PAGES = msgspec.convert(_TABLE["pages"], dict[str, str])
"""Where it is told how a driver is had, if that is no matter of packages."""
FRAMEWORK_PAGES = msgspec.convert(_TABLE["framework_pages"], dict[str, str])
"""Where it is told how a framework is installed for a GPU."""
TOOLKIT = "toolkit"
"""What the names of the rows of CUDA's toolkits begin with."""
CUDA_LICENCE = PROGRAMS["toolkit"].licence

SAME_DRIVERS = frozenset(_TABLE["same_drivers"]["names"])
"""Distributions whose drivers are packed as their family's are."""
