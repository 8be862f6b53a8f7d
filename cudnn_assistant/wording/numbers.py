"""Numbers, moments, lists and sentences as the language that is spoken writes them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from cudnn_assistant.regex import regex
from cudnn_assistant.wording.sentences import say


def number(value: float, digits: int = 0) -> str:
    """``value`` with ``digits`` decimals and its thousands in groups: "12,345.6", "12.345,6"."""
    marks = {",": say("numbers.group"), ".": say("numbers.point")}
    return "".join(marks.get(sign, sign) for sign in f"{value:,.{digits}f}")


def percent(share: float) -> str:
    """A share of one: "57%"."""
    return say("numbers.percent", number=number(100 * share))


_MOMENT = regex(
    r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)T(?P<hour>\d\d):(?P<minute>\d\d)"
    r"(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)",
)


def moment(text: str) -> str:
    """A time as people write it: 2026-11-21 17:08 UTC. What is no time is given back."""
    known = _MOMENT.fullmatch(text)
    return say("numbers.moment", **known.groupdict()) if known else text


_DAY = regex(r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)")


def day(text: str) -> str:
    """A day as people write it: 2026-11-21. What is none is given back."""
    known = _DAY.fullmatch(text)
    return say("numbers.day", **known.groupdict()) if known else text


_SIZE = regex(r"(?<![\w.,])(\d{1,9}\.\d) (?=[MG]i?B\b)")


def sized(text: str) -> str:
    """A text with its sizes ("11.0 GB") in the marks of the language."""
    return _SIZE.sub(lambda found: f"{number(float(found[1]), 1)} ", text)


def listed(names: Iterable[str]) -> str:
    """One name after another."""
    return _joined("numbers.between-names", names)


def together(clauses: Iterable[str]) -> str:
    """One clause after another in one sentence."""
    return _joined("numbers.between-clauses", clauses)


def prose(sentences: Iterable[str]) -> str:
    """One sentence after another; those that are empty are left out."""
    return _joined("numbers.between-sentences", filter(None, sentences))


def _joined(key: str, texts: Iterable[str]) -> str:
    known = list(texts)
    return reduce(lambda one, other: say(key, first=one, second=other), known) if known else ""
