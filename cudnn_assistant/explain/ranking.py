"""From evidence to a ranking: the votes of five voices add up for each class.

The voices are patterns with rules (``evidence``), earlier reports (``similar_reports``), single
words (``word_model``) and the computer's snapshot (``snapshot``), on top of how often a class is
the cause at all. Votes are natural logarithms, so that sums become shares of 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from cudnn_assistant.explain.answer import State
from cudnn_assistant.explain.cases import Case
from cudnn_assistant.explain.evidence import Evidence, rules
from cudnn_assistant.explain.word_model import WordModel

_LOUD = 0.5
"""Votes from here on are named as reasons; weaker ones only where there is nothing louder."""


class Ranked(NamedTuple):
    """A class with how likely it is, and what spoke for it, strongest first."""

    cls: str
    probability: float
    state: State
    reasons: list[str]


def rank(
    case: Case, model: WordModel, here: Sequence[Evidence], state: Mapping[str, State]
) -> list[Ranked]:
    """Every class, the likeliest first and what ``state`` rules out last."""
    words = model.evidence(case.signs)
    shares = _shares(_added(without_words(case), [words, *here]))
    ours = 1 - model.elsewhere(case.signs_of_text)
    likely = _probabilities(shares, ours, model, informed=case.informed or bool(here))
    voices = [*case.evidence, *case.similar, words, *here]
    order = sorted(likely, key=lambda cls: (state[cls] == "ruled-out", -likely[cls]))
    return [Ranked(cls, likely[cls], state[cls], _reasons(cls, voices)) for cls in order]


def without_words(case: Case) -> dict[str, float]:
    """What patterns, rules and reports say together: what the words are learned on top of."""
    return _added(_weights(case.evidence), case.similar)


def _weights(found: Iterable[Evidence]) -> dict[str, float]:
    """The sum for each class. Within a group only the strongest vote for a class counts."""
    total = dict(rules().prior)
    loudest: dict[tuple[str, str], float] = {}
    for piece in found:
        for cls, vote in piece.votes.items():
            key = (piece.group, cls)
            if not piece.group or vote < 0:
                total[cls] += vote
            elif vote > loudest.get(key, 0.0):
                total[cls] += vote - loudest.get(key, 0.0)
                loudest[key] = vote
    return total


def _added(total: Mapping[str, float], pieces: Iterable[Evidence]) -> dict[str, float]:
    sums = dict(total)
    for piece in pieces:
        for cls, vote in piece.votes.items():
            sums[cls] += vote
    return sums


def _shares(total: Mapping[str, float]) -> dict[str, float]:
    """Weights as shares that add up to 1."""
    top = max(total.values())
    powers = {cls: math.exp(weight - top) for cls, weight in total.items()}
    whole = sum(powers.values())
    return {cls: power / whole for cls, power in powers.items()}


def _probabilities(
    share: Mapping[str, float], ours: float, model: WordModel, *, informed: bool
) -> dict[str, float]:
    """That of the first from experience; the others divide what is left as they did."""
    first = max(share, key=lambda cls: share[cls])
    sure = model.probability(ours * share[first], informed=informed)
    rest = (1 - sure) / max(1 - share[first], 1e-9)
    return {cls: sure if cls == first else rest * part for cls, part in share.items()}


def top_shares(
    said: Mapping[str, float], signs: Iterable[str], model: WordModel
) -> list[tuple[str, float]]:
    """Classes with their shares, best first, before the first one's becomes a probability.

    ``said`` is what :func:`without_words` gave.
    """
    share = _shares(_added(said, [model.evidence(signs)]))
    return sorted(share.items(), key=lambda pair: -pair[1])


def _reasons(cls: str, voices: Sequence[Evidence]) -> list[str]:
    speaking = [piece for piece in voices if piece.votes.get(cls, 0.0) > 0 and piece.because]
    loud = [piece for piece in speaking if piece.votes[cls] >= _LOUD]
    return [p.because for p in sorted(loud or speaking, key=lambda p: -p.votes[cls])]
