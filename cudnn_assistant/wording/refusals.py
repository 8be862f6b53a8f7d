"""Why something wasn't done, or the system did not allow it, in words for the person."""

from __future__ import annotations

import errno
import os

from cudnn_assistant.machine import readable
from cudnn_assistant.trouble import Fact, Trouble
from cudnn_assistant.wording.language import english
from cudnn_assistant.wording.numbers import listed, number
from cudnn_assistant.wording.sentences import capitalized, refusal, rows, say


def why(trouble: BaseException) -> str:
    """The sentence of a trouble in the language spoken now; one that it names is said as well."""
    if isinstance(trouble, OSError):
        return reason(trouble)
    if not isinstance(trouble, Trouble):
        return str(trouble)
    return refusal(trouble.code, **{name: _said(fact) for name, fact in trouble.facts.items()})


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
    text = _known(trouble) or f"{(trouble.strerror or str(trouble)).rstrip('.')}."
    return f"{file}: {text}" if file else capitalized(text)


def _known(trouble: OSError) -> str:
    # By symbol, because the numbers and which of them exist differ between the systems.
    codes = (errno.errorcode.get(trouble.errno or 0, ""), trouble.strerror or "")
    return next((say(f"errno.{code}") for code in codes if code in rows("errno")), "")
