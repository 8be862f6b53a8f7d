"""The log that goes with a packed report: what this program did and saw, as plain lines of text.

It says nothing that the report doesn't hold as well, so that whoever read the report before
saving it has read the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnn_assistant.machine import Machine, Trial
from cudnn_assistant.plan import Entry, preview
from cudnn_assistant.visible import visible


def write_log(machine: Machine, entries: Sequence[Entry] = ()) -> str:
    """All changes, oldest first, then this look. Both are written as given: redact them before."""
    rows = [row for entry in entries for row in _entry(entry, machine)]
    rows += [f"{machine.taken_at} looked, {machine.tool}"]
    rows += [f"  {time.part}: {time.milliseconds:.0f} ms" for time in machine.timings]
    rows += [f"  not read: {gap.what}: {gap.why}" for gap in machine.gaps]
    rows += [row for trial in machine.trials for row in _trial(trial)]
    return "".join(f"{visible(row)}\n" for row in rows)


def _entry(entry: Entry, machine: Machine) -> Iterator[str]:
    ended = "finished" if entry.finished else "not finished"
    yield f"{entry.when} change {entry.id}, {ended}"
    if entry.plan.undoes:
        yield f"  takes back {entry.plan.undoes}"
    for number, change in enumerate(preview(entry.plan, machine)):
        state = entry.states[number] if number < len(entry.states) else "planned"
        yield f"  {change.title}: {state}"
        yield from (f"    {line.sign} {line.text}" for line in change.lines if line.sign != " ")
    if entry.undone_by:
        yield f"  taken back by {entry.undone_by}"


def _trial(trial: Trial) -> Iterator[str]:
    code = "" if trial.code is None else f", code {trial.code} {trial.code_name}".rstrip()
    yield f"  test of {trial.subject}: {trial.status} at {trial.stage}{code}"
    yield from (f"    {time.stage}: {time.milliseconds:.0f} ms" for time in trial.times)
    if trial.detail:
        yield f"    said: {trial.detail}"
    yield from (f"    | {row}" for row in trial.output.splitlines())
