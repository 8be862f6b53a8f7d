"""What the person asked for, as the words of the command line say it."""

from __future__ import annotations

from typing import Literal

import msgspec

Color = Literal["auto", "always", "never"]


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Every flag of every command; those that a command doesn't have keep their defaults."""

    command: str = "check"
    # How to say it.
    json: bool = False
    quiet: bool = False
    verbose: bool = False
    color: Color = "auto"
    # How to look.
    no_test: bool = False
    quick: bool = False
    """Don't have frameworks run a convolution themselves."""
    trust: tuple[str, ...] = ()
    """Folders whose libraries may be run."""
    offline: bool = False
    python: str = ""
    machine: str = ""
    """A saved report to examine instead of this computer."""
    prometheus: str = ""
    """A file for metrics."""
    # How to change.
    yes: bool = False
    dry_run: bool = False
    only: tuple[str, ...] = ()
    """Codes of the only causes to mend."""
    id: str = ""
    list: bool = False
    remove: str = ""
    """A copy of ours."""
    out_of_menus: bool = False
    # explain and report
    file: str = ""
    given: tuple[str, ...] = ()
    here: bool = False
    no_look: bool = False
    short: bool = False
    html: bool = False
    text: str = ""
    keep_lines: tuple[int, ...] = ()
    """Lines of that text, from 1, in which nothing is left out."""
    compare: tuple[str, str] | None = None
    many: tuple[str, ...] = ()
    """Folders and files with the reports of many computers."""
    earlier: str = ""
    csv: bool = False
    # test and recommend
    library: str = ""
    framework: str = ""
    wishes: tuple[str, ...] = ()
    """Frameworks that are to work, all of them in one environment."""
    gpu: str = ""
    driver: str = ""
    python_version: str = ""
    system: Literal["", "linux", "windows"] = ""
    requirements: str = ""
    """A requirements file, pyproject.toml or environment.yml whose packages are to fit together."""
    tool: Literal["pip", "uv", "conda"] = "pip"
    """Whose file the answer for all packages is written for."""
    # watch
    program: tuple[str, ...] = ()
    pid: int = 0
    exact: bool = False
    """Have the loader tell what it does."""
    # feed
    action: Literal["show", "update"] = "show"
