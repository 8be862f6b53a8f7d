"""What a text with an error message really means: telling lines, and ranked causes.

``explain`` is pure: it reads no computer, only the text, what the person gives, and a snapshot.

How it works, in the order of the modules:

* ``reading``   bytes to lines: encodings, colours, wrapped lines.
* ``patterns``  which known messages occur (``resources/errors/patterns/*.toml``).
* ``given``     versions, GPU and system that the text states or the person gives.
* ``versions``  how versions are spelled, and which GPU, driver and CUDA belong together.
* ``wanted``    what the program asks for.
* ``comparing`` what follows from facts side by side ("needs CUDA 10.0, there is 10.1"), and
  ``generations`` what follows from the GPU's generation and the driver.
* ``question``  which lines and words are compared with earlier reports.
* ``precedents`` what was the cause in public reports with similar words.
* ``ranking``   weights of all evidence added up (``resources/errors/rules.toml``).
* ``learned``   what single words add to that, learned from those reports.
* ``case``      all of these for one text.
* ``snapshot``  what a snapshot of the computer confirms or rules out.
* ``causes``    the words (``resources/errors/causes.toml``).

How to add a pattern
--------------------
Append a ``[[pattern]]`` to the file of ``resources/errors/patterns`` that fits:

* ``find``: one or more literals in small letters. A line is looked at only if one is in it, so
  each message that ``match`` takes must contain one of them. Rare words keep the search fast.
* ``match``: a regular expression, case ignored. Every repetition has an upper bound
  (``\\S{1,80}``, never ``\\S+``): a test refuses others, because a log can be hostile. Named groups
  hand on facts: ``missing`` (a file name), ``loaded`` and ``built`` (cuDNN), ``cuda``, ``driver``,
  ``sm``, ``smlist``; a digit at the end (``missing2``) is another spelling of the same name.
* ``example``: a line that it matches (tested), ``source``: where the message was seen.
* ``means``: what it says, in words for people (no status code as an explanation).
* ``votes``: log weights for classes. What the message *literally* says gets 3 to 5; a code
  that has many causes gets about 1 to 2 for each of them. Patterns in one ``group`` say the same
  thing in other words: of them only the strongest vote counts.
* ``code``: the catalogue id that it points at.

What a message means only together with something else is a ``[[rule]]`` in ``rules.toml``.
Then run ``tests/bench/bench_explain.py`` and look at what it says about *other* cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cudnn_assistant.explain.answer import Cause, Explanation, Line, State
from cudnn_assistant.explain.case import case
from cudnn_assistant.explain.causes import cause, classes
from cudnn_assistant.explain.learned import Learned, learned
from cudnn_assistant.explain.patterns import Hit
from cudnn_assistant.explain.ranking import Evidence, added, shares
from cudnn_assistant.explain.show import doubt, text_lines
from cudnn_assistant.explain.snapshot import facts_of, same_computer, spoken, states
from cudnn_assistant.explain.words import _
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import Machine

__all__ = ["Cause", "Explanation", "Line", "State", "doubt", "explain", "text_lines"]

_SHOWN_SHARE = 0.01
_SHOWN_AT_LEAST = 3
_SHOWN_AT_MOST = 10
_LINE_WIDTH = 400
_LOUD = 0.5
"""Votes from here on are named as reasons; weaker ones only where there is nothing louder."""


def explain(
    text: str | bytes,
    machine: Machine | None = None,
    given: Mapping[str, str] | None = None,
    compat: object = None,
    *,
    findings: Sequence[Finding] = (),
    leave_out: str = "",
    words: Learned | None = None,
) -> Explanation:
    """Telling lines of ``text`` and the causes they speak for, best first.

    ``text`` may be a whole log, as text or as bytes in any common encoding; time and memory grow
    linearly with it. ``given`` is what the person knows: the keys gpu, driver, cuda, cudnn,
    python, framework, os are read as facts, any other as a sentence. With ``machine`` (and what
    the diagnosis found on it, ``findings``) each cause is said to be confirmed, possible or
    ruled out. ``compat`` is accepted for callers that have it at hand and is not needed.
    For measuring, ``leave_out`` names a known report that may not speak, and ``words`` are
    weights that were learned without it.

    Never raises for any text; nothing recognised gives an empty answer.
    """
    del compat
    asked = case(text, given or {}, facts_of(machine) if machine else {}, leave_out)
    lines = _lines(asked.found, asked.told)
    if not asked.worth:
        return Explanation(lines=lines, causes=())
    here = machine if machine and same_computer(machine, asked.known) else None
    more = [(words or learned()).evidence(asked.signs)]
    more += spoken(here, findings, asked.known) if here is not None else []
    return Explanation(
        lines=lines,
        causes=_causes(
            added(asked.taught(), more),
            [*asked.pieces, *asked.heard.evidence, *more],
            states(classes(), here, findings, asked.known),
        ),
    )


def _lines(found: Sequence[Hit], told: Sequence[Hit]) -> tuple[Line, ...]:
    """Every hit, save what plain words say of a line that a message's own pattern explains."""
    explained = {hit.text for hit in (*found, *told) if not hit.pattern.words}
    return tuple(
        Line(
            number=number,
            text=" ".join(hit.text.split())[:_LINE_WIDTH],
            means=_(hit.pattern.means),
            pattern=hit.pattern.id,
        )
        for number, hit in [*((h.line + 1, h) for h in found), *((0, h) for h in told)]
        if not hit.pattern.words or hit.text not in explained
    )


def _causes(
    total: Mapping[str, float], pieces: Sequence[Evidence], state: Mapping[str, State]
) -> tuple[Cause, ...]:
    share = shares(total)
    best = sorted(share, key=lambda cls: (state[cls] == "ruled-out", -share[cls]))
    reasons = {cls: _reasons(cls, pieces) for cls in best}
    shown = [
        cls
        for place, cls in enumerate(best[:_SHOWN_AT_MOST])
        if place < _SHOWN_AT_LEAST or (share[cls] >= _SHOWN_SHARE and reasons[cls])
    ]
    return tuple(cause(c, share[c], state[c], reasons[c], pieces) for c in shown)


def _reasons(cls: str, pieces: Sequence[Evidence]) -> list[str]:
    speaking = [piece for piece in pieces if piece.votes.get(cls, 0.0) > 0 and piece.because]
    loud = [piece for piece in speaking if piece.votes[cls] >= _LOUD]
    return [p.because for p in sorted(loud or speaking, key=lambda p: -p.votes[cls])]
