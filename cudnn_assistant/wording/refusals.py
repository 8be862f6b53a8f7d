"""Why something wasn't done, or the system did not allow it, in words for the person."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable

from cudnn_assistant.machine import readable
from cudnn_assistant.trouble import Fact, Trouble
from cudnn_assistant.wording.language import english
from cudnn_assistant.wording.numbers import listed, number, prose
from cudnn_assistant.wording.sentences import capitalized, refusal, rows, say


def why(trouble: BaseException) -> str:
    """The sentence of a trouble in the language spoken now; one that it names is said as well.

    Behind a ``name`` that isn't among those ``known`` stands which of them may have been meant.
    """
    if isinstance(trouble, OSError):
        return reason(trouble)
    if not isinstance(trouble, Trouble):
        return str(trouble)
    said = refusal(trouble.code, **{name: _said(fact) for name, fact in trouble.facts.items()})
    name, known = (trouble.facts.get(fact) for fact in ("name", "known"))
    if isinstance(name, str) and isinstance(known, tuple):
        return prose((said, did_you_mean(name, known)))
    return said


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The question whether the name that is spelled nearly so was meant; "" where none is."""
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), tuple(known), n=1)
    return refusal("did-you-mean", name=near[0]) if near else ""


def why_in_facts(trouble: BaseException) -> str:
    """The same in English, for facts, which are the same in every language."""
    with english():
        return why(trouble)


def _said(fact: Fact) -> str:
    if isinstance(fact, BaseException):
        return why(fact)
    if isinstance(fact, tuple):
        return listed(fact)
    return number(fact) if isinstance(fact, int) else readable(fact)


def reason(trouble: OSError) -> str:
    """One sentence, with the file where one is known."""
    named = trouble.filename or trouble.filename2 or ""
    file = readable(os.fsdecode(named)) if isinstance(named, str | bytes) else ""
    return f"{file}: {because(trouble)}" if file else capitalized(because(trouble))


def because(trouble: OSError) -> str:
    """The same behind the name of the file."""
    # By symbol, because the numbers and which of them exist differ between the systems.
    codes = (errno.errorcode.get(trouble.errno or 0, ""), trouble.strerror or "")
    known = next((say(f"errno.{code}") for code in codes if code in rows("errno")), "")
    return known or f"{(trouble.strerror or str(trouble)).rstrip('.')}."


def cause(trouble: OSError) -> str:
    """The same within a sentence."""
    return because(trouble).rstrip(".。")
