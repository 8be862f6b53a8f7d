"""Looking and telling: what check, report, explain and fix have in common."""

from __future__ import annotations

import argparse
import os

import msgspec

from cudnn_assistant import feed
from cudnn_assistant.checkup import Checkup, check, think
from cudnn_assistant.cli.answer import Data, answer
from cudnn_assistant.cli.screen import Screen, column
from cudnn_assistant.compat import Compat
from cudnn_assistant.finding import Finding, Manual, Verdict
from cudnn_assistant.machine import SCHEMA, SYSTEM, Machine
from cudnn_assistant.plan import Plan
from cudnn_assistant.probe import Part
from cudnn_assistant.report import NotAReport, Report, newer_report, open_report
from cudnn_assistant.report.facts import moment
from cudnn_assistant.summary import headline, lines
from cudnn_assistant.system import this_system
from cudnn_assistant.wording import _, say, words

EXIT: dict[Verdict, int] = {"works": 0, "broken": 1, "impossible": 1, "unknown": 3}
"""Exit codes of a look, by verdict."""


class CantRead(Exception):
    """A file that was named can't be used; the text says why, for the person."""


def compat_data(offline: bool) -> tuple[Compat, Data]:
    """The compatibility data to judge by and what it is."""
    compat, source = feed.current(offline=offline)
    return compat, Data(version=compat.version, published=compat.published, source=source.kind)


def look(told: argparse.Namespace, screen: Screen, compat: Compat) -> Checkup:
    """A checkup of this computer, or of the report named by ``--machine``.

    Raises :class:`CantRead` for a file that is no report.
    """
    if getattr(told, "machine", ""):
        opened = saved_report(told.machine)
        seen = think(opened.machine, compat, opened.unknown)
        # Nothing of another computer can be changed here, and the plan would name folders of ours.
        return msgspec.structs.replace(seen, plan=Plan())

    def show(part: Part, done: bool, _machine: Machine) -> None:
        screen.progress("" if done else say(f"looking.{part}"))

    checkup = check(
        this_system(), compat, trial=not told.no_test, say=show, python=python_of(told.python)
    )
    screen.progress("")
    return checkup


def python_of(path: str) -> str:
    """The environment that the person named. Raises :class:`CantRead` when nothing is there."""
    if path and not os.path.exists(path):
        raise CantRead(_("There is no Python environment at {path}.").format(path=path))
    return os.path.abspath(path) if path else ""


def saved_machine(path: str) -> Machine:
    """The snapshot in a saved report. Raises :class:`CantRead` with a sentence why not."""
    return saved_report(path).machine


def saved_report(path: str) -> Report:
    """A saved report, a packed one too. Raises :class:`CantRead` with a sentence why not."""
    try:
        return open_report(path)
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        raise CantRead(_("{path} can't be read: {why}.").format(path=path, why=why)) from trouble
    except NotAReport as trouble:
        raise CantRead(f"{path}: {trouble}") from trouble


def show(checkup: Checkup, data: Data, screen: Screen, told: argparse.Namespace) -> None:
    """Print a checkup the way the flags ask for."""
    if screen.json:
        screen.raw(answer(checkup, data).decode() + "\n")
        return
    title, sentence = headline(checkup.verdict, checkup.machine, checkup.findings)
    if screen.quiet:
        screen.line(title)
        return
    if getattr(told, "machine", ""):
        screen.line(
            _("A report of {when}, of another computer:").format(
                when=moment(checkup.machine.taken_at) or "?"
            )
        )
        if checkup.machine.schema > SCHEMA:
            screen.line(newer_report())
    show_lines(checkup, screen)
    for finding in checkup.findings:
        if finding.severity != "info" or told.verbose:
            show_finding(finding, checkup, screen, verbose=told.verbose)
    if told.verbose:
        show_facts(checkup.machine, data, screen)
    screen.line()
    screen.line(_closing(checkup.verdict, title, sentence))
    if not getattr(told, "machine", "") and checkup.plan.steps and told.command != "fix":
        screen.line(_("Run: cudnn-assistant fix"))


def _closing(verdict: Verdict, title: str, sentence: str) -> str:
    """The last line; the problem itself stands above it already."""
    if verdict == "broken":
        return _("cuDNN doesn't work yet.")
    if verdict == "impossible":
        return _("cuDNN can't work on this computer as it is.")
    return f"{title}. {sentence}".strip()


def show_lines(checkup: Checkup, screen: Screen) -> None:
    """The short list: one line for each part and each user of cuDNN."""
    rows = lines(checkup.machine, checkup.findings)
    # Names of frameworks can be long; they don't push the text of all other lines away.
    width = column(row.label for row in rows if row.part != "python")
    for row in rows:
        screen.marked(row.mark, row.label, row.text, column=width)


def show_finding(finding: Finding, checkup: Checkup, screen: Screen, *, verbose: bool) -> None:
    """One problem: what it is, why it matters, what would help, how to go back."""
    said = words(finding, checkup.machine)
    screen.line()
    doubt = "" if finding.sure else _(" (suspected)")
    where = "" if finding.subject == SYSTEM else f"  {finding.subject}"
    screen.line(f"{said.title}{doubt}  [{finding.code}]{where}")
    for text in (said.why, said.fix, said.undo):
        if text:
            screen.line(text, indent=2)
    if isinstance(finding.remedy, Manual):
        for command in finding.remedy.commands:
            screen.raw(f"    {command}\n")
        if finding.remedy.link:
            screen.raw(f"    {finding.remedy.link}\n")
    if verbose:
        for detail in said.details:
            screen.line("- " + detail, indent=4)


def show_facts(machine: Machine, data: Data, screen: Screen) -> None:
    """All that was seen, for ``--verbose``."""
    screen.line()
    for copy in machine.cudnns:
        damaged = ", ".join(f"{part.file} {part.state}" for part in copy.damaged)
        text = f"{copy.version or copy.major} {copy.folder} ({', '.join(copy.found_via)}) {damaged}"
        screen.line("cuDNN " + text.strip())
    for toolkit in machine.toolkits:
        screen.line(f"CUDA {toolkit.version} {toolkit.root} ({', '.join(toolkit.found_via)})")
    for variable in machine.variables:
        screen.line(f"{variable.scope} {variable.name}={variable.value.text} {variable.source}")
    for trial in machine.trials:
        times = " ".join(f"{time.stage}={time.milliseconds:.0f}ms" for time in trial.times)
        screen.line(f"test {trial.subject}: {trial.status} at {trial.stage} {times}")
        if trial.loaded:
            screen.line(trial.loaded, indent=2)
        for library in trial.second_opinion:
            via = ", ".join(library.found_via)
            screen.line(f"cuda-pathfinder: {library.name} {library.path} ({via})", indent=2)
    for gap in machine.gaps:
        screen.line(f"? {gap.what}: {gap.why}")
    for timing in machine.timings:
        screen.line(f"{timing.part} {timing.milliseconds:.0f} ms")
    screen.line(
        _("Compatibility data {version} of {published} ({source})").format(
            version=data.version, published=data.published, source=data.source
        )
    )
