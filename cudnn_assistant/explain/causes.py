"""The words of a cause, where only an error text is known and where the computer shows it."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence

from cudnn_assistant import causes
from cudnn_assistant.explain.answer import Cause, State
from cudnn_assistant.explain.evidence import Evidence
from cudnn_assistant.explain.facts import Facts
from cudnn_assistant.explain.remedies import advising, fitting, situations
from cudnn_assistant.finding import Automatic, Finding
from cudnn_assistant.machine import Machine
from cudnn_assistant.wording import prose, say, words
from cudnn_assistant.wording.language import pgettext

_MOST_REASONS = 8
_GENERAL = "general"


def cause(
    cls: str,
    score: float,
    state: State,
    reasons: Iterable[str],
    found: Sequence[Evidence],
    facts: Facts,
    *,
    remedy: bool = True,
    first: bool = True,
) -> Cause:
    """The cause of a class, in the words of the one that the evidence names, and for the facts.

    Only the ``first`` cause's advice names a build: a second one would seem another way.
    """
    name = closest(cls, found)
    title, why, _own = general(name)
    _title, _why, fix = general(advising(facts, name, cls), *situations(facts))
    more = fitting(facts, cls) if first else ""
    fix = f"{fix} {more}".strip() if remedy else ""
    return Cause(
        code=name,
        cls=cls,
        score=round(score, 4),
        state=state,
        because=tuple(dict.fromkeys(filter(None, reasons)))[:_MOST_REASONS],
        title=title,
        why=why,
        fix=fix,
        confirm=_confirm(name),
    )


def shown_by(cause: Cause, finding: Finding, machine: Machine) -> Cause:
    """The cause as the diagnosis found it on this computer, in the finding's own words."""
    said = words(finding, machine)
    help_of_ours = say("explain.fix") if isinstance(finding.remedy, Automatic) else ""
    return Cause(
        code=finding.code,
        cls=cause.cls,
        score=cause.score,
        state=cause.state,
        because=cause.because,
        title=said.title,
        why=said.why,
        fix=f"{said.fix} {help_of_ours}".strip(),
        confirm=_confirm(finding.code),
    )


def closest(cls: str, found: Sequence[Evidence]) -> str:
    """The cause whose evidence speaks loudest for the class; the class itself for none."""
    loud: dict[str, float] = {}
    for piece in found:
        if piece.code and causes.cause(piece.code).cls == cls:
            loud[piece.code] = loud.get(piece.code, 0.0) + piece.votes.get(cls, 0.0)
    best = max(loud, key=lambda code: loud[code], default="")
    return best if best and loud[best] > 0 else cls


def general(name: str, *forms: str) -> tuple[str, str, str]:
    """Title, reason and advice of a cause without facts; its class's where they need some.

    The advice is that of the first of ``forms`` that the row has.
    """
    row = causes.cause(name)
    own, group = row.text(_GENERAL), causes.cause(row.cls).text(_GENERAL)
    fix = row.text(*forms, _GENERAL).fix
    titles = [title for title in own.title if not _needs_facts((title,))]
    return (
        pgettext(name, titles[0]) if titles else pgettext(row.cls, group.title[-1]),
        _whole(name, own.why) or _whole(row.cls, group.why),
        _whole(name, fix) or _whole(row.cls, group.fix),
    )


def _whole(name: str, sentences: Sequence[str]) -> str:
    if _needs_facts(sentences):
        return ""
    return prose(pgettext(name, sentence) for sentence in sentences)


def _needs_facts(sentences: Iterable[str]) -> bool:
    return any(place for s in sentences for _t, place, _f, _c in string.Formatter().parse(s))


def _confirm(name: str) -> str:
    row = causes.cause(name)
    name, text = (name, row.confirm) if row.confirm else (row.cls, causes.cause(row.cls).confirm)
    return pgettext(name, text) if text else ""
