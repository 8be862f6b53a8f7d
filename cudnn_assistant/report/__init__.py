"""The support report: one Markdown file for people, with the whole snapshot inside for machines."""

from cudnn_assistant.report.reading import NotAReport, read_machine
from cudnn_assistant.report.redaction import redacted
from cudnn_assistant.report.text import write_report

__all__ = ["NotAReport", "read_machine", "redacted", "write_report"]
