"""The support report: one Markdown file for people, with the whole snapshot inside for machines."""

from cudnn_assistant.report.compare import Difference, compare
from cudnn_assistant.report.log import write_log
from cudnn_assistant.report.newer import Unknown, dump_with
from cudnn_assistant.report.packing import LOG, MESSAGE, PAGE, REPORT, pack
from cudnn_assistant.report.reading import (
    Report,
    newer_report,
    open_report,
    read_machine,
    read_report,
)
from cudnn_assistant.report.redaction import Line, Redactor, redacted
from cudnn_assistant.report.text import file_name, write_page, write_report, write_short

__all__ = [
    "LOG",
    "MESSAGE",
    "PAGE",
    "REPORT",
    "Difference",
    "Line",
    "Redactor",
    "Report",
    "Unknown",
    "compare",
    "dump_with",
    "file_name",
    "newer_report",
    "open_report",
    "pack",
    "read_machine",
    "read_report",
    "redacted",
    "write_log",
    "write_page",
    "write_report",
    "write_short",
]
