"""An explanation as plain lines of text, for the command line and the report."""

from __future__ import annotations

from collections.abc import Sequence

from cudnn_assistant.explain.answer import Cause, Explanation, Understood
from cudnn_assistant.wording import percent, prose, say, together

_MOST_LINES = 6
_MOST_REASONS = 3
WORTH_SHOWING = 0.01
"""Probability below which a cause says nothing."""
_WHOLE = 3
"""Causes that are told whole."""


def text_lines(explanation: Explanation) -> list[str]:
    """Lines for people, without colours; unwrapped, so that paths stay whole."""
    if not explanation.causes:
        nothing = say("explain.no-known-message-about-gpu-cuda")
        named = [basis(explanation)] if explanation.filled_in else []
        return [*_understood(explanation), nothing, *_would_tell(explanation), *named]
    doubtful = doubt(explanation)
    return [
        *_telling(explanation),
        *_understood(explanation),
        *([doubtful, ""] if doubtful else []),
        *(_causes(likely(explanation)) if explanation.clear else _possible(explanation)),
        basis(explanation),
    ]


def doubt(explanation: Explanation) -> str:
    """What to say before the causes if none of them is likelier than all others; else ""."""
    if explanation.clear or not explanation.causes:
        return ""
    return say("explain.cannot-tell")


def basis(explanation: Explanation) -> str:
    """What the answer goes by: the text alone, some facts beside it, or a whole computer."""
    by = [say("explain.judged-with-computer")] if explanation.basis == "computer" else []
    if explanation.filled_in:
        by.append(say("explain.judged-filled-in", read=_listed(explanation.filled_in)))
    return prose(by or [say("explain.judged-alone")])


def likely(explanation: Explanation) -> tuple[Cause, ...]:
    """The causes that are worth a look: the first, and those with at least one chance in 100."""
    return tuple(c for n, c in enumerate(explanation.causes) if not n or c.score >= WORTH_SHOWING)


def _possible(explanation: Explanation) -> list[str]:
    """Names without remedies, and what would tell: a remedy at random does harm."""
    return [
        say("explain.possible-first"),
        *(f"   {_head(n, c)}" for n, c in enumerate(likely(explanation)[:_WHOLE], 1)),
        *_would_tell(explanation),
    ]


def _would_tell(explanation: Explanation) -> list[str]:
    told = [f"   {text}" for text in explanation.would_tell]
    return ["", say("explain.would-tell"), *told] if told else []


def _understood(explanation: Explanation) -> list[str]:
    """What was read, in one line, so that a person sees what is wrong or lacking."""
    read = _listed(explanation.understood)
    return [say("explain.understood", read=read), ""] if read else []


def _listed(read: Sequence[Understood]) -> str:
    return together(f"{one.label} {one.value}" for one in read)


def _telling(explanation: Explanation) -> list[str]:
    lines = [line for line in explanation.lines if line.number]
    if not lines:
        return []
    result = [say("explain.what-text-says")]
    said: set[str] = set()
    shown = ""
    for line in lines:
        if line.means not in said and len(said) < _MOST_LINES:
            said.add(line.means)
            quoted = f"  {line.number}: {line.text}"
            result += [*([quoted] if quoted != shown else []), f"     {line.means}"]
            shown = quoted
    return [*result, ""]


def _causes(causes: Sequence[Cause]) -> list[str]:
    """The first ones whole, the rest by their names: nobody tries ten things one by one."""
    told: set[str] = set()
    result = [t for n, cause in enumerate(causes[:_WHOLE], 1) for t in _cause(n, cause, told)]
    rest = causes[_WHOLE:]
    if rest:
        result += [
            say("explain.less-likely"),
            *(f"   {_head(n, c)}" for n, c in enumerate(rest, _WHOLE + 1)),
        ]
    return result


def _head(place: int, cause: Cause) -> str:
    state = say(f"gui.standing-{cause.state}")
    return f"{place}. {cause.title}  [{cause.code}, {state}, {percent(cause.score)}]"


def _cause(place: int, cause: Cause, told: set[str]) -> list[str]:
    """``told``: reasons of the causes before, which speak for this one as well."""
    body = [f"   {cause.why}"] if place == 1 else []
    new = [reason for reason in cause.because[:_MOST_REASONS] if reason not in told]
    told.update(new)
    return [
        _head(place, cause),
        *body,
        *(f"   {say('explain.because')} {reason}" for reason in new),
        f"   {say('explain.what-helps')} {cause.fix}",
        *([f"   {say('explain.sure')} {cause.confirm}"] if cause.confirm else []),
        "",
    ]
