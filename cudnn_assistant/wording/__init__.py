"""Words for people: every sentence comes from here, in every language.

A finding's words are those of its cause (``cudnn_assistant.causes``) filled with its facts; all
other sentences stand in ``resources/words`` under the key by which they are said.
"""

from __future__ import annotations

from cudnn_assistant.wording.findings import Words, words
from cudnn_assistant.wording.language import LANGUAGES, choose, install, spoken
from cudnn_assistant.wording.numbers import number
from cudnn_assistant.wording.products import PRODUCTS
from cudnn_assistant.wording.sentences import refusal, say
from cudnn_assistant.wording.stages import stage
from cudnn_assistant.wording.symbols import meaning as symbol_means

__all__ = [
    "LANGUAGES",
    "PRODUCTS",
    "Words",
    "choose",
    "install",
    "number",
    "refusal",
    "say",
    "spoken",
    "stage",
    "symbol_means",
    "words",
]
