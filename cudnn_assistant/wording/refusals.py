"""Why something wasn't done, in words."""

from __future__ import annotations

from cudnn_assistant.trouble import Fact, Trouble
from cudnn_assistant.wording.numbers import number
from cudnn_assistant.wording.reasons import reason
from cudnn_assistant.wording.sentences import refusal


def why(trouble: BaseException) -> str:
    """The sentence of a trouble in the language spoken now; one that it names is said as well."""
    if isinstance(trouble, OSError):
        return reason(trouble)
    if not isinstance(trouble, Trouble):
        return str(trouble)
    return refusal(trouble.code, **{name: _said(fact) for name, fact in trouble.facts.items()})


def _said(fact: Fact) -> str:
    if isinstance(fact, BaseException):
        return why(fact)
    return number(fact) if isinstance(fact, int) else fact
