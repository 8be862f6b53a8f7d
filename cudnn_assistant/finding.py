"""What is wrong: a finding is data. Its words live in wording.py, found by its code."""

from __future__ import annotations

from typing import Literal

from cudnn_assistant.machine import SYSTEM, Scope, Struct

Severity = Literal["error", "warning", "info"]
"""error: cuDNN can't work for the subject; warning: fragile or slow; info: worth knowing."""

Verdict = Literal["works", "broken", "impossible", "unknown"]
"""works: a convolution ran a moment ago; unknown: something that matters could not be read."""


class PutFirst(Struct, tag="put-first", kw_only=True):
    """Wish: ``folder`` stands before all other entries of a list variable."""

    variable: str
    folder: str
    scope: Scope = "user"


class TakeOut(Struct, tag="take-out", kw_only=True):
    """Wish: ``folder`` stands in a list variable no more."""

    variable: str
    folder: str
    scope: Scope = "user"


class SetTo(Struct, tag="set-to", kw_only=True):
    """Wish: a variable has this text; ``None`` removes it."""

    variable: str
    text: str | None
    scope: Scope = "user"


class InstallCudnn(Struct, tag="install-cudnn", kw_only=True):
    """Wish: a cuDNN of this major for this CUDA major, chosen by the feed, in our own folder."""

    major: int
    cuda_major: int
    version: str = ""
    """Exact version where only one will do."""
    cuda: str = ""
    """Exact CUDA ("10.1") where each minor has a cuDNN of its own, as before CUDA 11."""


class InstallCuda(Struct, tag="install-cuda", kw_only=True):
    """Wish: the libraries of this CUDA ("10.1") in our own folder, without an administrator."""

    cuda: str


class InstallPackages(Struct, tag="install-packages", kw_only=True):
    """Wish: these exact requirements in that environment, by its own pip."""

    python: str
    requirements: tuple[str, ...]


Edit = PutFirst | TakeOut | SetTo | InstallCudnn | InstallCuda | InstallPackages


class Automatic(Struct, tag="automatic", kw_only=True):
    """We can do it: the wishes, to be settled by the plan."""

    edits: tuple[Edit, ...]


class Installer(Struct, tag="installer", kw_only=True):
    """Wish: an official installer is started for the person: a row of our own table of them."""

    row: str
    """Key in ``plan.installers``; what is run stands there and nowhere else."""
    version: str = ""
    """Of a row that has several, "12.6.3"."""


class Manual(Struct, tag="manual", kw_only=True):
    """The person does it: where to go, or what to type."""

    link: str = ""
    commands: tuple[str, ...] = ()
    restart: bool = False
    """The computer must be restarted afterwards (or the restart is the remedy)."""
    administrator: bool = False
    installer: Installer | None = None
    """The same, started by us where the person says yes to it."""


class Impossible(Struct, tag="impossible", kw_only=True):
    """No setting and no download can help on this computer."""


class Unknown(Struct, tag="unknown", kw_only=True):
    """We don't know what would help; the report is the way out."""


Remedy = Automatic | Manual | Impossible | Unknown


class Finding(Struct, kw_only=True):
    """One problem of one subject."""

    code: str
    """Key of the words, "cudnn-not-on-path"."""
    severity: Severity
    subject: str = SYSTEM
    sure: bool = True
    """Confirmed; False: suspected, a fact that would settle it is unknown."""
    facts: dict[str, str] = {}  # noqa: RUF012  (msgspec gives each finding a dictionary of its own)
    """What the words may name: {"version": "9.8", "folder": "/opt/x"}; paths and versions whole."""
    evidence: tuple[str, ...] = ()
    """The very facts it rests on, for Details: "LD_LIBRARY_PATH names /opt/x/stubs"."""
    remedy: Remedy
