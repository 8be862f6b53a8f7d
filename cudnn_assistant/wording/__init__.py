"""Words for people: every sentence comes from here, in every language.

A finding's words are those of its cause (``cudnn_assistant.causes``) filled with its facts; all
other sentences stand in ``resources/words`` under the key by which they are said.
"""

from __future__ import annotations

from cudnn_assistant.wording.findings import Words, words
from cudnn_assistant.wording.language import choose, install
from cudnn_assistant.wording.products import PRODUCTS
from cudnn_assistant.wording.sentences import refusal, say
from cudnn_assistant.wording.stages import stage
from cudnn_assistant.wording.symbols import meaning as symbol_means

__all__ = [
    "PRODUCTS",
    "Words",
    "choose",
    "install",
    "refusal",
    "say",
    "stage",
    "symbol_means",
    "words",
]
