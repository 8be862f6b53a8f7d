"""The support report: one Markdown file for people, with the whole snapshot inside for machines."""

from cudnn_assistant.report.compare import Difference, compare
from cudnn_assistant.report.reading import NotAReport, read_machine
from cudnn_assistant.report.redaction import redacted, redacted_text
from cudnn_assistant.report.text import write_page, write_report, write_short

__all__ = [
    "Difference",
    "NotAReport",
    "compare",
    "read_machine",
    "redacted",
    "redacted_text",
    "write_page",
    "write_report",
    "write_short",
]
