"""The types of a plan: its steps, and an entry of the journal."""

from __future__ import annotations

from typing import Literal

from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import Package, Scope, Struct, Value


class SetVariable(Struct, tag="set-variable", kw_only=True):
    """Change one variable in one scope; at most one of these per variable and scope in a plan.

    On Windows ``before`` and ``after`` are the registry's raw value and kind. On Linux they are
    the value that our own settings file gives the variable (``None``: our file doesn't name it);
    for list variables that is the folders we put first, the person's own entries follow.
    """

    scope: Scope
    name: str
    before: Value | None = None
    after: Value | None = None
    why: tuple[str, ...] = ()
    """Codes of the findings it serves."""


class Download(Struct, kw_only=True):
    """One official file: where it is and how it is recognised."""

    url: str
    size: int
    """Bytes."""
    sha256: str


class InstallArchive(Struct, tag="install-archive", kw_only=True):
    """Unpack NVIDIA's archive into a versioned folder of our own."""

    product: str
    version: str
    cuda_major: int
    cuda: str = ""
    """Exact CUDA ("10.1") where each has a build of its own, as before CUDA 11."""
    download: Download
    folder: str
    """The final folder; it appears whole or not at all."""
    licence: str = ""
    """Address of the licence text that is shown before the download."""
    search: str = ""
    """The folder inside, that holds the run-time libraries and goes on the search path."""
    why: tuple[str, ...] = ()


class RemoveArchive(Struct, tag="remove-archive", kw_only=True):
    """Take back an :class:`InstallArchive`: its folder goes, with all in it."""

    archive: InstallArchive
    why: tuple[str, ...] = ()


class PackageChange(Struct, kw_only=True):
    """One package of an environment, before and after."""

    name: str
    before: str = ""
    """Version; "" when it was not there."""
    after: str = ""
    """Version; "" when it is gone."""
    source: str = ""
    """Address that the one before was installed from, where that was no index (PEP 610)."""


class InstallPackage(Struct, tag="install-package", kw_only=True):
    """Run the environment's own pip with exact requirements."""

    python: str
    requirements: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    """Requirements that are met but damaged: their files are put there anew, and nothing else."""
    index: str = ""
    """Address of a framework's own index that is asked as well, one of ``compat.packages``."""
    before: tuple[Package, ...] = ()
    """The packages as they were: those we know of; in the journal all of the environment."""
    remove: tuple[str, ...] = ()
    """Packages to uninstall first: another's files lie in theirs, or they were not there (undo)."""
    exact: bool = False
    """These and no others, whatever they require (undo)."""
    changes: tuple[PackageChange, ...] | None = None
    """What pip says it would change; in the journal, once it is done, what did change.
    ``None``: not known."""
    why: tuple[str, ...] = ()


class RunInstaller(Struct, tag="run-installer", kw_only=True):
    """Start an official installer, or the distribution's package manager; not undoable by us.

    What is run is looked up again by ``row`` and ``version``; the texts here are what the person
    was shown, and a step whose texts differ from the table is not run.
    """

    name: str
    """Of the product, "NVIDIA driver"."""
    link: str = ""
    """Address of the installer, where there is one."""
    commands: tuple[str, ...] = ()
    """Linux: what is run, as a person would type it."""
    restart: bool = False
    row: str = ""
    """Key in ``plan.installer_table``."""
    version: str = ""
    licence: str = ""
    """Address of the licence that is accepted by starting it, where it asks no question."""
    back: str = ""
    """Linux: the command by which the person takes it back."""
    run: str = ""
    """Names the record of its output, from the moment it is begun."""
    exit: int | None = None
    """How it ended; ``None``: not known (yet)."""
    said: str = ""
    """The last lines of its output, where it did not end well."""
    why: tuple[str, ...] = ()


Step = SetVariable | InstallArchive | RemoveArchive | InstallPackage | RunInstaller


class Rehearsal(Struct, kw_only=True):
    """What came of trying a plan in a child process before anything was changed."""

    outcome: Literal["works", "stopped", "later", "impossible"]
    """later: once what it needs is downloaded, and before anything is changed."""
    why: str = ""
    """impossible: the reason, a key of the words "plan.untried-…"."""
    milliseconds: float = 0.0
    """Of the convolution that ran."""
    framework: str = ""
    """Which ran it, as in a trial; "" for cuDNN itself."""
    subjects: tuple[str, ...] = ()
    """Those that cuDNN works for with the changes, and didn't without."""
    also: tuple[Finding, ...] = ()
    """What only the try has shown; the plan has grown by what mends it."""
    hindrances: tuple[Finding, ...] = ()
    """stopped: what stands in the way next."""


class Plan(Struct, kw_only=True):
    """Steps in the order they are carried out."""

    steps: tuple[Step, ...] = ()
    undoes: str = ""
    """Id of the journal entry that this plan takes back; "" for a plan of its own."""
    rehearsal: Rehearsal | None = None
    """``None``: nobody has tried it."""

    @property
    def codes(self) -> frozenset[str]:
        """Of the problems that its steps are for."""
        return frozenset(code for step in self.steps for code in step.why)

    @property
    def in_vain(self) -> bool:
        """Whether it was tried, and would not help."""
        return self.rehearsal is not None and self.rehearsal.outcome == "stopped"


StepState = Literal["planned", "done", "taken-back", "stopped"]
"""planned: the write may or may not have happened; stopped: refused, nothing written. An installer
is done when it has ended, whichever way."""


class Accepted(Struct, kw_only=True):
    """A licence that the person accepted before the plan was carried out."""

    address: str
    sha256: str
    """Of the text as it was fetched then."""
    when: str
    """UTC, ISO 8601."""
    how: str
    """"asked", "--yes" or "window"."""


class Entry(Struct, kw_only=True):
    """One line of the journal: a plan and how far it came."""

    id: str
    when: str
    """UTC, ISO 8601."""
    plan: Plan
    states: tuple[StepState, ...] = ()
    finished: bool = False
    undone_by: str = ""
    accepted: tuple[Accepted, ...] = ()
    place: str = ""
    """Where the person's settings were kept; another HOME has others."""
