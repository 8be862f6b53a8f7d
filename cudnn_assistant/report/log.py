"""The log that goes with a packed report: what this program did and saw, as plain lines of text.

It says nothing that the report doesn't hold as well, so that whoever read the report before
saving it has read the log, and says it in the same language. What others said stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnn_assistant.machine import SYSTEM, Machine, Trial
from cudnn_assistant.plan import Entry, preview
from cudnn_assistant.visible import visible
from cudnn_assistant.wording import in_words, number, say, stage, told


def write_log(machine: Machine, entries: Sequence[Entry] = ()) -> str:
    """All changes, oldest first, then this look. Both are written as given: redact them before."""
    rows = [row for entry in entries for row in _entry(entry, machine)]
    rows.append(say("report.log-looked", when=machine.taken_at, tool=machine.tool))
    rows += [_time(in_words(time.part), time.milliseconds) for time in machine.timings]
    rows += [
        "  " + say("report.log-not-read", what=in_words(gap.what), why=told(gap.why))
        for gap in machine.unread
    ]
    rows += [row for trial in machine.trials for row in _trial(trial)]
    return "".join(f"{visible(row)}\n" for row in rows)


def _time(what: str, milliseconds: float) -> str:
    return f"  {what}: {number(milliseconds)} ms"


def _entry(entry: Entry, machine: Machine) -> Iterator[str]:
    ended = "changed" if entry.finished else "unfinished"
    yield say(f"report.log-{ended}", when=entry.when, id=entry.id)
    if entry.plan.undoes:
        yield "  " + say("report.log-takes-back", id=entry.plan.undoes)
    for place, change in enumerate(preview(entry.plan, machine)):
        state = entry.states[place] if place < len(entry.states) else "planned"
        yield f"  {change.title}: {say(f'report.state-{state}')}"
        yield from (f"    {line.sign} {line.text}" for line in change.lines if line.sign != " ")
    if entry.undone_by:
        yield "  " + say("report.log-taken-back", id=entry.undone_by)


def _trial(trial: Trial) -> Iterator[str]:
    whom = say("report.whom-system") if trial.subject == SYSTEM else trial.subject
    ended = in_words(trial.status)
    yield "  " + say("report.log-test", whom=whom, ended=ended, stage=stage(trial.stage))
    if trial.code is not None:
        yield "    " + say("report.test-code", value=f"{trial.code} {trial.code_name}".rstrip())
    yield from ("  " + _time(stage(time.stage), time.milliseconds) for time in trial.times)
    if trial.detail:
        yield "    " + say("report.test-detail", value=told(trial.detail))
    yield from (f"    | {row}" for row in trial.output.splitlines())
