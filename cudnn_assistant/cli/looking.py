"""Looking and telling: what check, report, explain and fix have in common."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator

import msgspec

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.saving import replace
from cudnn_assistant.cli.screen import Screen, column
from cudnn_assistant.finding import Finding, Manual, Unknown, Verdict
from cudnn_assistant.machine import SCHEMA, SYSTEM, Machine
from cudnn_assistant.session import (
    Checkup,
    LookRequest,
    Misuse,
    Refused,
    Session,
    Source,
    data_named,
    newer_program,
)
from cudnn_assistant.session.events import PartLooked
from cudnn_assistant.session.given_file import beginning
from cudnn_assistant.session.json_output import encoded
from cudnn_assistant.summary import headline, lines, trial_text
from cudnn_assistant.summary.line import damaged
from cudnn_assistant.wording import in_words, listed, moment, number, say, stage, told, words
from cudnn_assistant.wording.refusals import cause

EXIT: dict[Verdict, int] = {"works": 0, "broken": 1, "impossible": 1, "unknown": 3}
"""Exit codes of a look, by verdict."""


def check(session: Session, options: Options, screen: Screen) -> int:
    """Look, test, say what is wrong."""
    if screen.json and options.prometheus == "-":
        raise Misuse("two-outputs")
    checkup, metrics = look(session, options, screen), options.prometheus
    if metrics == "-":
        screen.raw(_metrics(checkup))
    else:
        show(checkup, session.source, screen, options)
    if not options.machine and session.past.interrupted():
        screen.trouble(say("cli.change-interrupted"))
    if (newer := newer_program(session.source)) and not (screen.json or screen.quiet):
        screen.trouble(newer)
    if metrics not in ("", "-") and not replace(metrics, _metrics(checkup).encode(), screen):
        return EXIT["unknown"]
    return EXIT[checkup.verdict]


def _metrics(checkup: Checkup) -> str:
    from cudnn_assistant.report.prometheus import write_metrics

    return write_metrics(checkup.machine, checkup.findings, checkup.verdict)


def look(session: Session, options: Options, screen: Screen, *, again: bool = False) -> Checkup:
    """A checkup of this computer, or of the report named by ``--machine``.

    ``again``: after a change, by the same data. Raises :class:`Misuse` for what is no report.
    """
    if options.machine:
        session.fetch_data(offline=options.offline)
        return checkup_of_file(session, options.machine)
    request = LookRequest(
        trial=not options.no_test,
        frameworks=not options.quick,
        python=options.python,
        trusted=trusted(options),
        offline=options.offline,
        keep_data=again,
    )
    return look_with_progress(session, request, screen)


def trusted(options: Options) -> tuple[str, ...]:
    """What may be run, with whole paths. Raises :class:`Misuse` for one that isn't there."""
    for path in options.trust:
        if not os.path.exists(path):
            raise Misuse("nothing-there", path=path)
    return tuple(map(os.path.abspath, options.trust))


def look_with_progress(session: Session, request: LookRequest, screen: Screen) -> Checkup:
    """A checkup of this computer, telling what goes on."""

    def hear(looked: PartLooked) -> None:
        screen.progress("" if looked.done else say(f"looking.{looked.part}"))

    checkup = session.check(request, hear)
    screen.progress("")
    return checkup


def checkup_of_file(session: Session, path: str) -> Checkup:
    """The checkup of a saved report. Raises :class:`Misuse` when it can't be read."""
    if path == "-":
        raise Misuse("not-from-input")
    try:
        return session.judge(path)
    except OSError as trouble:
        raise unreadable(path, trouble) from trouble
    except Refused as trouble:
        raise Misuse("named-unreadable", path=path, why=trouble) from trouble


def given(path: str, limit: int, screen: Screen) -> bytes:
    """The beginning of a file, or all that is pasted or piped where it is "-".

    Somebody who sees nothing happen is told how to end it. Raises :class:`Misuse`.
    """
    wait = 10 if sys.stdin is None or not sys.stdin.isatty() else 0
    silence = threading.Timer(wait, lambda: screen.trouble(say("cli.paste")))
    if path == "-":
        silence.start()
    try:
        return beginning(path, limit)
    except OSError as trouble:
        raise unreadable(path, trouble) from trouble
    finally:
        silence.cancel()


def unreadable(path: str, trouble: OSError) -> Misuse:
    """A file that was named and can't be read."""
    return Misuse("unreadable", path=path, why=cause(trouble))


def show(checkup: Checkup, source: Source, screen: Screen, options: Options) -> None:
    """Print a checkup the way the flags ask for."""
    if screen.json:
        screen.as_json(msgspec.Raw(encoded(checkup, source)))
        return
    told = checkup.verdict, checkup.machine, checkup.findings
    title, sentence = headline(*told, when=moment if checkup.reported else None)
    if screen.quiet:
        screen.line(title)
        return
    if options.machine:
        when = moment(checkup.machine.taken_at) or "?"
        screen.line(say("cli.report-of-another-computer", when=when))
    if checkup.machine.schema > SCHEMA:
        screen.line(say("report.newer"))
    rows = lines(checkup.machine, checkup.findings)
    # Names of frameworks can be long; they don't push the text of all other lines away.
    width = column(row.label for row in rows if row.part != "python")
    for row in rows:
        screen.marked(row.mark, row.label, row.text, column=width)
    # Where nothing explains the trouble, what is merely worth knowing may.
    unsolved = any(isinstance(f.remedy, Unknown) for f in checkup.findings if f.severity == "error")
    for finding in checkup.findings:
        if finding.severity != "info" or options.verbose or unsolved:
            show_finding(finding, checkup, screen, verbose=options.verbose)
    if options.verbose:
        show_facts(checkup.machine, source, screen)
    screen.line()
    screen.line(_closing(checkup.verdict, title, sentence))
    if not options.machine:
        screen.lines(_next_command(checkup, options.command))


def _next_command(checkup: Checkup, command: str) -> Iterator[str]:
    """What helps next: a change of ours, or else somebody who reads the report."""
    if checkup.plan.steps:
        if command != "fix":
            yield say("cli.run-fix")
    elif checkup.verdict != "works":
        yield say("cli.run-report")


def _closing(verdict: Verdict, title: str, sentence: str) -> str:
    """The last line; the problem itself stands above it already."""
    if verdict == "broken":
        return say("cli.not-working-yet")
    if verdict == "impossible":
        return say("cli.cannot-work-here")
    return f"{title}. {sentence}".strip()


def show_finding(finding: Finding, checkup: Checkup, screen: Screen, *, verbose: bool) -> None:
    """One problem: what it is, why it matters, what would help, how to go back."""
    said = words(finding, checkup.machine)
    screen.line()
    doubt = "" if finding.sure else f" ({say('cli.suspected')})"
    where = "" if finding.subject == SYSTEM else f"  {finding.subject}"
    screen.line(f"{said.title}{doubt}  [{finding.code}]{where}")
    screen.lines(filter(None, (said.why, said.fix, said.undo)), indent=2)
    if isinstance(finding.remedy, Manual):
        for command in finding.remedy.commands:
            screen.verbatim(command)
        if finding.remedy.link:
            screen.verbatim(finding.remedy.link)
    if verbose:
        for detail in said.details:
            screen.line("- " + detail, indent=4)


def _ways(found_via: Iterable[str]) -> str:
    return listed(map(in_words, found_via))


def _took(what: str, milliseconds: float) -> str:
    return f"{what}: {number(milliseconds)} ms"


def show_facts(machine: Machine, source: Source, screen: Screen) -> None:
    """All that was seen, for ``--verbose``."""
    screen.line()
    for copy in machine.cudnns:
        found = f"{copy.version or copy.major} {copy.folder} ({_ways(copy.found_via)})"
        screen.line(f"cuDNN {found} {damaged(copy)}".strip())
    for toolkit in machine.toolkits:
        screen.line(f"CUDA {toolkit.version} {toolkit.root} ({_ways(toolkit.found_via)})")
    for variable in machine.variables:
        where = (in_words(variable.scope), variable.source)
        screen.line(f"{variable.name}={variable.value.text} ({listed(filter(None, where))})")
    for trial in machine.trials:
        whom = say("report.whom-system") if trial.subject == SYSTEM else trial.subject
        screen.line(say("report.test", whom=whom, ended=trial_text(trial)[1]))
        for time in trial.times:
            screen.line(_took(stage(time.stage), time.milliseconds), indent=2)
        if trial.loaded:
            screen.line(trial.loaded, indent=2)
        for library in trial.second_opinion:
            via = _ways(library.found_via)
            screen.line(f"cuda-pathfinder: {library.name} {library.path} ({via})", indent=2)
    for gap in machine.gaps:
        told_of = say("report.gap", what=in_words(gap.what), why=told(gap.why))
        screen.line(f"? {told_of}")
    for timing in machine.timings:
        screen.line(_took(in_words(timing.part), timing.milliseconds))
    screen.line(say("report.data", data=data_named(source)))
