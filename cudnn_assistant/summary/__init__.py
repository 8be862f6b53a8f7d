"""The summary: one line for each part and each Python environment, and the one answer. Pure."""

from cudnn_assistant.summary.line import Line as Line
from cudnn_assistant.summary.outcome import helped as helped
from cudnn_assistant.summary.outcome import meaning as meaning
from cudnn_assistant.summary.outcome import not_tested as not_tested
from cudnn_assistant.summary.outcome import stopped as stopped
from cudnn_assistant.summary.outcome import trial_text as trial_text
from cudnn_assistant.summary.part_lines import lines as lines
from cudnn_assistant.summary.verdict import headline as headline
