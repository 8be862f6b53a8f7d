"""What somebody may have meant who mistyped a name."""

from __future__ import annotations

from collections.abc import Iterable

from cudnn_assistant.wording.sentences import refusal


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The question whether the name that is spelled nearly so was meant; "" where none is."""
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), tuple(known), n=1)
    return refusal("did-you-mean", name=near[0]) if near else ""
