"""The summary: one line for each part and each Python environment, and the one answer. Pure."""

from cudnn_assistant.summary.line import PARTS, Line, Mark, PartName, label
from cudnn_assistant.summary.outcome import stopped
from cudnn_assistant.summary.part_lines import lines, part_line
from cudnn_assistant.summary.stop import helped, meaning, not_tested, program
from cudnn_assistant.summary.verdict import headline

__all__ = [
    "PARTS",
    "Line",
    "Mark",
    "PartName",
    "headline",
    "helped",
    "label",
    "lines",
    "meaning",
    "not_tested",
    "part_line",
    "program",
    "stopped",
]
