"""Numbers as the language that is spoken writes them."""

from __future__ import annotations

from cudnn_assistant.wording.sentences import say


def number(value: float, digits: int = 0) -> str:
    """``value`` with ``digits`` decimals and its thousands in groups: "12,345.6", "12.345,6"."""
    marks = {",": say("numbers.group"), ".": say("numbers.point")}
    return "".join(marks.get(sign, sign) for sign in f"{value:,.{digits}f}")
