"""The pseudo-language: every text two fifths longer and full of accents, to find what is cut."""

from __future__ import annotations

import gettext
import re
from functools import cache

from cudnn_assistant.wording import language

_ACCENTS = str.maketrans("aceinouyACEINOUY", "àçéîñöüýÂÇÊÎÑÖÜÝ")
_KEPT = re.compile(r"(\{[^}]*\}|%\([a-z]+\)s|&)")


@cache
def pseudo(text: str) -> str:
    """``text`` with accents and 40 % more letters; places for facts and mnemonics stay."""
    if not text:
        return text
    parts = _KEPT.split(text)
    said = "".join(p if _KEPT.fullmatch(p) else p.translate(_ACCENTS) for p in parts)
    more = round(len(_KEPT.sub("", text)) * 0.4)
    padding = ("~ " + "öxygèn " * (more // 7 + 1))[:more].rstrip()
    return f"{said}{padding}" if more > 2 else f"{said}~"


class _Pseudo(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return pseudo(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return pseudo(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message)

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return self.ngettext(msgid1, msgid2, n)


def speak(*, pseudo: bool) -> None:
    """Speak the pseudo-language from now on, or English."""
    language._current = _Pseudo() if pseudo else gettext.NullTranslations()
