"""What is wrong: a finding is data. Its words live in wording.py, found by its code."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal, NamedTuple, TypedDict

import msgspec
from msgspec import field

from cudnn_assistant.machine import SYSTEM, Scope, Struct
from cudnn_assistant.places import resource

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
    others: bool = False
    """Linux: the person's own line names it; our settings, which are read later, take it out."""


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
    least: str = ""
    """What is asked for: an older one that is there doesn't serve."""


class InstallCuda(Struct, tag="install-cuda", kw_only=True):
    """Wish: the libraries of this CUDA ("10.1") in our own folder, without an administrator."""

    cuda: str
    part: str = ""
    """One of NVIDIA's components alone, "cuda_nvrtc"."""


class InstallPackages(Struct, tag="install-packages", kw_only=True):
    """Wish: these exact requirements in that environment, by its own pip."""

    python: str
    requirements: tuple[str, ...]
    remove: tuple[str, ...] = ()
    """Packages that go first, because they have overwritten another's files."""
    index: str = ""
    """Address of the framework's own index, one of ``compat.packages``; "": the usual one."""


Edit = PutFirst | TakeOut | SetTo | InstallCudnn | InstallCuda | InstallPackages


class Automatic(Struct, tag="automatic", kw_only=True):
    """We can do it: the wishes, to be settled by the plan."""

    edits: tuple[Edit, ...]

    @property
    def on_loader_list(self) -> bool:
        """A folder goes on the list of the system's loader, which is for all users (Linux)."""
        puts = (edit for edit in self.edits if isinstance(edit, PutFirst))
        return any(edit.variable == "ld.so.conf" for edit in puts)


class Installer(Struct, tag="installer", kw_only=True):
    """Wish: an official installer is started for the person: a row of our own table of them."""

    row: str
    """Key in ``plan.installers``; what is run stands there and nowhere else."""
    version: str = ""
    """Of a row that has several, "12.6.3"."""


Page = Literal["instructions", "nvidia", "microsoft", "cudnn-archive", "cudnn-file", "before-path"]
"""What a link opens; "cudnn-": where an old cuDNN is found that we may not fetch, and it;
"before-path": no link helps while a cuDNN lies where Windows searches before all of PATH."""


class Manual(Struct, tag="manual", kw_only=True):
    """The person does it: where to go, or what to type."""

    link: str = ""
    page: Page = "instructions"
    """What ``link`` opens."""
    commands: tuple[str, ...] = ()
    own_environment: bool = False
    """The commands make a Python environment, because the system's own must stay as it is."""
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


Names = str | tuple[str, ...]
"""One name, or several: each language lists them in its own manner."""


class Facts(TypedDict, total=False):
    """What the words of a finding may name. Not there, "", 0, False: it isn't known, or isn't so.

    Paths and versions are whole. :func:`texts` says the same to scripts and to templates.
    """

    # Who, and where
    program: Names
    """Who asks, "PyTorch 2.9.0"."""
    environment: str
    """The Python environment that it is about."""
    programs: Names
    """Programs that hold the GPU's memory, with their numbers."""
    product: str
    """"cuDNN 9.8"."""
    present: Names
    """What is there in its place."""
    own_product: str
    """The cuDNN that an environment brings."""
    one: str
    other: Names
    """The two that don't agree: products, packages, versions or folders."""
    others: Names
    """Graphics of other makers."""

    # Versions
    older: str
    newer: str
    needed_version: str
    present_version: str
    header_version: str
    versions: Names
    """All that came together."""
    lower_major: int
    higher_major: int
    cuda: str
    oldest_cuda: str
    """The oldest one that runs on the GPU."""
    path_cuda: str
    home_cuda: str
    account_cuda: str
    """What CUDA_PATH, CUDA_HOME, and the account's own CUDA_PATH name."""
    toolkit: str
    """"CUDA 12.6", which has lost a file."""
    archive: str
    """The CUDA whose libraries we may fetch."""
    kernel: str
    library: str
    """A library's version, or its file."""
    driver: str
    limit: str
    """The highest CUDA that the driver speaks."""
    last_cudnn: str
    """The last cuDNN for the GPU."""
    last_branch: int
    """The last driver branch for the GPU."""
    wants_newer_driver: bool
    """``product`` itself asked for a newer one than ``driver``, and didn't say how new."""
    asking_copy: str
    """The copy of cuDNN that asks for CUDA, where no program does."""

    # Files and folders
    file: Names
    folder: str
    older_folder: str
    path: str
    """A device file."""
    for_root: bool
    """``path`` is the administrator's alone."""
    stray_file: str
    """One file of cuDNN in a folder that Windows searches before all others."""
    leads_nowhere: bool
    """``file`` is a link to nothing."""
    present_file: str
    """A file without the short name that programs ask for."""
    owner: str
    """The package that a file belongs to."""
    made_for: str
    this_architecture: str
    """The kind of processor, or the CUDA major, of a copy, and the one of this computer."""
    count: int
    reinstall: bool
    """``product`` is to be put back whole."""
    libraries: str
    """Libraries of CUDA that come along with ``product``."""

    # Packages
    package: Names
    lacking: Literal["", "record", "spare"]
    """``package`` is there by its record alone; or it lacks only what programs rarely use."""
    missing_files: Names
    real_package: str
    """The one that holds what ``package`` only names."""
    kept_package: str
    requirement: str
    """The version that is asked for, "==9.1.0.70"."""
    without_gpu: bool
    """``program`` is a build for the processor."""
    call: str
    """What a program has to call first."""
    said: str
    """What ``program`` itself said when it stopped."""

    # Settings
    variable: str
    value: str
    setting: Names
    absent: str
    """The variable that isn't set, or in whose folders a file isn't."""
    folder_gone: bool
    """``variable`` names a folder that isn't there."""
    lists: Literal["", "folders", "gpus"]
    """What ``variable`` lists."""
    entry: Names
    listed_in: str
    """The list that ``entry`` stands in."""
    relative_entry: str
    place: str
    """File and line where it is set."""
    startup_file: str
    by_hand: bool
    """The person adds ``folder`` to the list of the system's loader."""
    cut_at: int
    """Characters that a tool left of the list."""
    length: int
    """Characters of the list."""

    # The computer
    gpu: Names
    flag: str
    """The option that a container has to be started with."""
    flag_unsure: bool
    """Whether that is what it lacks isn't known."""
    sandbox: str
    system: str
    scheduler: str
    group: str
    holder: str
    """The kernel driver that owns the GPU."""
    other_gpu_runs: bool
    """Another GPU serves programs meanwhile."""
    tool: str
    """The program that switched the GPU off."""
    problem_code: int
    """Of Windows' Device Manager."""
    free: str
    total: str
    """Memory as people read it."""
    seconds: int
    stage: str
    """Where the test stopped."""


class _Flag(msgspec.Struct, frozen=True):
    """A flag that gives the fact which it is about a key of its own, so that more can be said."""

    name: str
    value: bool | str
    key: str
    fact: str
    instead: bool = False
    """The new key takes the place of the fact's own."""


class _Table(msgspec.Struct, frozen=True):
    """What resources/facts.toml says."""

    flags: tuple[_Flag, ...]
    keys: dict[str, str]
    """How scripts and templates know a field, where that isn't its name."""


@cache
def table() -> _Table:
    """It, read once."""
    return msgspec.convert(tomllib.loads(resource("facts.toml").read_text("utf-8")), _Table)


def texts(facts: Facts, listed: Callable[[Iterable[str]], str] = ", ".join) -> dict[str, str]:
    """The known facts as texts, by the keys that scripts and the templates of words have."""
    values = {name: value for name in Facts.__annotations__ if (value := facts.get(name))}
    keys, flags = table().keys, table().flags
    up = [flag for flag in flags if values.get(flag.name) == flag.value and flag.fact in values]
    left_out = {flag.name for flag in flags} | {flag.fact for flag in up if flag.instead}

    def text(name: str) -> str:
        value = values[name]
        if isinstance(value, tuple):
            return listed(value)
        return f"{value:,}" if name == "length" else str(value)

    known = {keys.get(name, name): text(name) for name in values if name not in left_out}
    return known | {flag.key: text(flag.fact) for flag in up}


class StoppedAt(Struct, kw_only=True):
    """Evidence: the stage at which a test stopped. As text, and to scripts, "test: STAGE"."""

    stage: str

    def __str__(self) -> str:
        return f"test: {self.stage}"


class Having(NamedTuple):
    """Evidence: what these names belong to. As text, and to scripts, "PACKAGE: FILE, FILE"."""

    what: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.what}: {', '.join(self.names)}"


Evidence = str | StoppedAt | Having


class Finding(Struct, kw_only=True):
    """One problem of one subject."""

    code: str
    """Row of its cause, "cudnn-not-on-path"."""
    severity: Severity
    subject: str = SYSTEM
    sure: bool = True
    """Confirmed; False: suspected, a fact that would settle it is unknown."""
    facts: Facts = field(default_factory=Facts)
    evidence: tuple[Evidence, ...] = ()
    """The very facts it rests on, for Details: "LD_LIBRARY_PATH names /opt/x/stubs"."""
    remedy: Remedy
