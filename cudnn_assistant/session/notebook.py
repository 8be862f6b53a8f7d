"""The answer of a check as a notebook shows it: with the sentences of everywhere else.

Colours and fonts are the notebook's own, in light and in dark; there is no script, and the same as
text for where pages aren't shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.report.document import (
    Block,
    Bullets,
    Code,
    Heading,
    Item,
    Paragraph,
    Part,
)
from cudnn_assistant.report.page import fragment
from cudnn_assistant.report.text import MARKS
from cudnn_assistant.session.json_output import Answer, FindingWords
from cudnn_assistant.visible import visible


def html(answer: Answer) -> str:
    """A part of a page."""
    return fragment(_parts(answer))


def text(answer: Answer) -> str:
    """The same where only text is shown."""
    rows = [answer.title, *filter(None, [answer.sentence])]
    rows += [f"{MARKS[line.mark]} {line.label}: {line.text}" for line in answer.lines]
    for finding in _told(answer):
        rows += ["", f"{finding.title}  [{finding.code}]"]
        said = (finding.why, finding.fix, *finding.commands, finding.link)
        rows += [f"  {line}" for line in said if line]
    return "\n".join(map(visible, rows))


def _told(answer: Answer) -> list[FindingWords]:
    return [finding for finding in answer.findings if finding.severity != "info"]


def _parts(answer: Answer) -> Iterator[Part]:
    yield Heading(3, (answer.title,))
    if answer.sentence:
        yield Paragraph((answer.sentence,))
    yield Bullets(
        tuple(Item((f"{MARKS[row.mark]} {row.label}: {row.text}",)) for row in answer.lines)
    )
    for finding in _told(answer):
        yield Heading(4, (f"{finding.title} ", Code(finding.code)))
        yield from (Paragraph((said,)) for said in (finding.why, finding.fix) if said)
        if finding.commands or finding.link:
            yield Block("\n".join((*finding.commands, *filter(None, [finding.link]))))
