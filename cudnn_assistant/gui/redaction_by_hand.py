"""Leaving more out of a report before it is saved. Pure: text in, text out.

The machine data in a report is JSON that another computer can open. What the person takes out of
it is replaced by ``***`` as long as that keeps it readable; where it does not, the data is marked
as cut, for the person and for whoever reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from cudnn_assistant.report.markdown import escaped
from cudnn_assistant.report.marks import HIDDEN, LEFT_OUT
from cudnn_assistant.report.marks import MARK as PLACED
from cudnn_assistant.report.reading import MARK, read_report
from cudnn_assistant.trouble import Refused
from cudnn_assistant.wording import say

SHORTEST = 3
"""Letters of a word that is replaced everywhere; shorter ones are part of too much else."""

_LEFT_OUT = re.compile(rf"{LEFT_OUT}|(?:\\\*){{3}}|\*{{3}}|{PLACED.pattern}")
"""What the redaction puts in place of names and secrets."""
_BEGIN, _END = f"```json {MARK}", "```"
_VALUE = re.compile(r'(\s*(?:"(?:[^"\\]|\\.)*": )?)"((?:[^"\\]|\\.)*)"(,?)')
"""A line of the machine data whose value is text: what is before it, the value, a comma."""


def marks(line: str) -> Iterator[tuple[int, int]]:
    """Where in a line something was left out: start and length of each place."""
    for match in _LEFT_OUT.finditer(line):
        yield match.start(), match.end() - match.start()


def readable(text: str) -> bool:
    """Whether cuDNN Assistant can open this report."""
    try:
        read_report(text)
    except Refused:
        return False
    return True


def without_lines(text: str, first: int, last: int) -> str:
    """The report without these lines (counted from 0, the last one included).

    Their place says how many they were.
    """
    rows = text.split("\n")
    begin, end = _data(rows)
    before, after = rows[:first], rows[last + 1 :]
    if not begin < first <= last < end:
        gone = say("gui.lines-left-out", count=last - first + 1)
        return _settled(text, "\n".join([*before, gone, *after]))
    hidden = [_VALUE.sub(rf'\1"{HIDDEN}"\3', row) for row in rows[first : last + 1]]
    changed = "\n".join([*before, *hidden, *after])
    if changed != text and readable(changed):
        return changed
    return _settled(text, "\n".join([*before, *after]))


def without_words(text: str, words: str) -> str:
    """The report with these words replaced wherever they stand, however they are written there.

    Keys of the machine data stay, so that it can still be opened.
    """
    plain = re.sub(r"\\([\\`*_\[\]<>#|~&])", r"\1", words)
    forms = {words, plain, json.dumps(plain, ensure_ascii=False)[1:-1]}
    forms.add(escaped(plain))
    ordered = sorted(forms, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, ordered)), re.IGNORECASE)
    rows = text.split("\n")
    begin, end = _data(rows)
    changed = [
        _in_value(pattern, row) if begin <= number <= end else pattern.sub(HIDDEN, row)
        for number, row in enumerate(rows)
    ]
    return _settled(text, "\n".join(changed))


def _in_value(pattern: re.Pattern[str], row: str) -> str:
    return _VALUE.sub(lambda at: f'{at[1]}"{pattern.sub(HIDDEN, at[2])}"{at[3]}', row)


def _data(rows: list[str]) -> tuple[int, int]:
    """Numbers of the first and the last line of the machine data; two that enclose nothing."""
    if _BEGIN not in rows:
        return len(rows), -1
    begin = len(rows) - 1 - rows[::-1].index(_BEGIN)
    ends = (number for number in range(begin + 1, len(rows)) if rows[number] == _END)
    return begin, next(ends, len(rows))


def _settled(before: str, after: str) -> str:
    """``after``; said inside where its machine data can't be opened any more."""
    if _BEGIN not in after.split("\n") or readable(after) or not readable(before):
        return after
    said = say("gui.machine-data-cut")
    head, _begin, tail = after.rpartition(f"{_BEGIN}\n")
    return f"{head}{said}\n\n```json\n{tail}"
