"""Words for people: every sentence comes from here, in every language.

A finding's words are those of its cause (``cudnn_assistant.causes``) filled with its facts; all
other sentences stand in ``resources/words`` under the key by which they are said.
"""

from __future__ import annotations

from cudnn_assistant.wording.facts import convolution as convolution
from cudnn_assistant.wording.facts import in_words as in_words
from cudnn_assistant.wording.facts import met as met
from cudnn_assistant.wording.facts import told as told
from cudnn_assistant.wording.findings import Words as Words
from cudnn_assistant.wording.findings import words as words
from cudnn_assistant.wording.language import LANGUAGES as LANGUAGES
from cudnn_assistant.wording.language import choose as choose
from cudnn_assistant.wording.language import spoken as spoken
from cudnn_assistant.wording.numbers import day as day
from cudnn_assistant.wording.numbers import listed as listed
from cudnn_assistant.wording.numbers import moment as moment
from cudnn_assistant.wording.numbers import number as number
from cudnn_assistant.wording.numbers import percent as percent
from cudnn_assistant.wording.numbers import prose as prose
from cudnn_assistant.wording.numbers import together as together
from cudnn_assistant.wording.sentences import refusal as refusal
from cudnn_assistant.wording.sentences import say as say
from cudnn_assistant.wording.sentences import stage as stage
from cudnn_assistant.wording.sentences import symbol_means as symbol_means
