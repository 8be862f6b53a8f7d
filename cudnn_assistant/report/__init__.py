"""The support report: one Markdown file for people, with the whole snapshot inside for machines."""

from cudnn_assistant.report.compare import compare as compare
from cudnn_assistant.report.log import write_log as write_log
from cudnn_assistant.report.packing import LOG as LOG
from cudnn_assistant.report.packing import MESSAGE as MESSAGE
from cudnn_assistant.report.packing import PAGE as PAGE
from cudnn_assistant.report.packing import REPORT as REPORT
from cudnn_assistant.report.packing import pack as pack
from cudnn_assistant.report.reading import open_report as open_report
from cudnn_assistant.report.reading import read_machine as read_machine
from cudnn_assistant.report.reading import read_report as read_report
from cudnn_assistant.report.redaction import Line as Line
from cudnn_assistant.report.redaction import Redactor as Redactor
from cudnn_assistant.report.text import file_name as file_name
from cudnn_assistant.report.text import write_report as write_report
from cudnn_assistant.report.text import write_short as write_short
