"""What is said of many computers at once. ``report --many --json`` prints a :class:`Fleet`."""

from __future__ import annotations

from msgspec import field

from cudnn_assistant.finding import Severity, Verdict
from cudnn_assistant.machine import Family, Struct


class Computer(Struct, kw_only=True, omit_defaults=False):
    """One computer as its report shows it."""

    name: str
    """By its report's file, since no report names a computer."""
    file: str
    taken_at: str
    verdict: Verdict
    title: str
    """The answer in words, as the window says it."""
    causes: tuple[str, ...]
    """Codes, most serious first; what is only good to know isn't among them."""
    system: str
    gpus: tuple[str, ...]
    facts: dict[str, str]
    """What computers with the same GPUs should share: "driver", "CUDA", "cuDNN", frameworks.
    "": known to be absent; what couldn't be read is left out."""
    gaps: tuple[str, ...]
    """Parts that couldn't be read."""


class Remedy(Struct, kw_only=True, omit_defaults=False):
    """One way to help, and the computers that it helps."""

    kind: str
    why: str
    fix: str
    commands: tuple[str, ...]
    computers: tuple[str, ...]


class FleetCause(Struct, kw_only=True, omit_defaults=False):
    """One cause and all computers that have it."""

    code: str
    severity: Severity
    title: str
    computers: tuple[str, ...]
    suspected: tuple[str, ...]
    """Those of them where it is likely, but not proven."""
    remedies: tuple[Remedy, ...]


class Value(Struct, kw_only=True, omit_defaults=False):
    """What one fact is on some computers."""

    value: str
    computers: tuple[str, ...]


class Unlike(Struct, kw_only=True, omit_defaults=False):
    """A fact that is not the same on all computers with the same GPUs and kind of system."""

    gpus: tuple[str, ...]
    family: Family
    fact: str
    values: tuple[Value, ...]
    """The commonest first."""


class Changed(Struct, kw_only=True, omit_defaults=False):
    """What is not as it was at an earlier time."""

    name: str
    before: Verdict | None
    """``None``: no earlier report of it."""
    after: Verdict | None
    """``None``: no report of it now."""
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    """Codes of causes."""
    facts: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)


class PassedOver(Struct, kw_only=True, omit_defaults=False):
    """A file that is no report that can be read."""

    file: str
    why: str


class Fleet(Struct, kw_only=True, omit_defaults=False):
    """The answer about many computers; ``report --many --json`` prints it."""

    schema: int = 1
    tool: str
    data: str
    """Which compatibility data all of them were judged by."""
    verdicts: dict[Verdict, int]
    computers: tuple[Computer, ...]
    causes: tuple[FleetCause, ...]
    """The most serious first, and of those the commonest."""
    unlike: tuple[Unlike, ...]
    changed: tuple[Changed, ...] | None
    """Since an earlier time; ``None``: none was named."""
    passed_over: tuple[PassedOver, ...]
