"""The report's text: what is wrong on top, then the facts, then the snapshot itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from cudnn_assistant.codes import cudnn_status
from cudnn_assistant.finding import Finding, Verdict
from cudnn_assistant.machine import CudnnCopy, Gpu, Machine, PythonEnvironment, Trial, dump
from cudnn_assistant.plan import (
    Entry,
    InstallArchive,
    InstallPackage,
    RemoveArchive,
    SetVariable,
    Step,
)
from cudnn_assistant.report.reading import MARK
from cudnn_assistant.summary import headline, lines
from cudnn_assistant.wording import words

MARKS = {"ok": "✓", "note": "!", "bad": "✗", "unknown": "?", "wait": "…"}


def write_report(
    machine: Machine,
    findings: Sequence[Finding],
    verdict: Verdict,
    *,
    entries: Sequence[Entry] = (),
    data: str = "",
    note: str = "",
) -> str:
    """The whole report as Markdown. The snapshot is written as given: redact it before.

    ``data`` says which compatibility data was used; ``note`` is text of a crash, kept verbatim.
    Pure; the same facts give the same bytes.
    """
    sections = (
        _top(machine, findings, verdict),
        _problems(machine, findings),
        _tests(machine.trials),
        _gpus(machine),
        _copies(machine.cudnns),
        _environments(machine.pythons),
        _settings(machine),
        _history(entries),
        _gaps(machine),
        _note(note),
        _about(machine, data),
        _block(machine),
    )
    return "\n".join(line for section in sections for line in section) + "\n"


def inline(text: str) -> str:
    """``text`` as a code span: on one line, without control characters, backticks harmless."""
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    fence = "`" * (max((len(run) for run in _ticks(shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") or not shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def plain(text: str) -> str:
    """``text`` as prose: no control characters, no Markdown or HTML of its own."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return "".join("\\" + c if c in "\\`*_[]<>#|~&" else c for c in shown)


def _ticks(text: str) -> Iterator[str]:
    run = ""
    for c in text + " ":
        if c == "`":
            run += c
        elif run:
            yield run
            run = ""


def _top(machine: Machine, findings: Sequence[Finding], verdict: Verdict) -> Iterator[str]:
    title, sentence = headline(verdict, machine, findings)
    yield "# cuDNN Assistant report"
    yield ""
    yield f"**{plain(title)}**"
    yield ""
    if sentence:
        yield plain(sentence)
        yield ""
    for line in lines(machine, findings):
        yield f"- {MARKS[line.mark]} {plain(line.label)}: {plain(line.text)}"
    yield ""


def _problems(machine: Machine, findings: Sequence[Finding]) -> Iterator[str]:
    if not findings:
        return
    yield "## What we found"
    yield ""
    for finding in findings:
        told = words(finding, machine)
        unsure = "" if finding.sure else ", suspected"
        yield f"### {plain(told.title)}"
        yield ""
        subject = inline(finding.subject)
        yield f"{inline(finding.code)} ({finding.severity}{unsure}), for {subject}"
        yield ""
        yield from (plain(text) for text in (told.why, told.fix) if text)
        yield ""
        yield from _bullets(told.details)


def _tests(trials: Iterable[Trial]) -> Iterator[str]:
    shown = False
    for trial in trials:
        if not shown:
            yield from ("## Tests", "")
            shown = True
        about = f" of the copy in {inline(trial.library)}" if trial.library else ""
        where = f" on {plain(trial.gpu_name)}" if trial.gpu_name else ""
        yield f"- {inline(trial.subject)}{about}{where}: **{trial.status}** at {trial.stage}"
        yield from _trial_facts(trial)
    if shown:
        yield ""


def _trial_facts(trial: Trial) -> Iterator[str]:
    if trial.code is not None:
        major = int(trial.version.split(".")[0]) if trial.version[:1].isdigit() else 9
        name = trial.code_name or cudnn_status(trial.code, major)
        yield f"  - code {trial.code} {inline(name)}"
    facts = (
        ("cuDNN", trial.version),
        ("loaded", trial.loaded),
        ("missing", trial.missing),
        ("said", trial.detail),
        ("agreed with the CPU", ", ".join(trial.checks)),
        ("times", ", ".join(f"{t.stage} {t.milliseconds:.0f} ms" for t in trial.times)),
        ("printed", trial.output[-400:]),
    )
    yield from (f"  - {label}: {inline(text)}" for label, text in facts if text)


def _gpus(machine: Machine) -> Iterator[str]:
    yield "## GPU and driver"
    yield ""
    driver = machine.driver
    if driver:
        kernel = f", kernel module {driver.kernel_version}" if driver.kernel_version else ""
        speaks = plain(f"{kernel}, speaks CUDA up to {driver.cuda or '?'}")
        yield f"- Driver {inline(driver.version or '?')}{speaks}"
        answers = (("NVML", driver.nvml), ("cuInit", driver.cuda_init))
        for label, answer in answers:
            if answer and answer.code:
                yield f"- {label} answered {answer.code} {inline(answer.name or answer.text)}"
    else:
        yield "- No NVIDIA driver was seen"
    yield from (_gpu(gpu) for gpu in machine.gpus)
    yield from (f"- Other display adapter: {inline(name)}" for name in machine.other_gpus)
    yield ""


def _gpu(gpu: Gpu) -> str:
    memory = ""
    if gpu.memory_total:
        free = f"{(gpu.memory_free or 0) / 2**30:.1f} of " if gpu.memory_free is not None else ""
        memory = f", {free}{gpu.memory_total / 2**30:.1f} GiB free"
    cuda = "" if gpu.cuda_index is not None else ", not visible to CUDA programs"
    return f"- {inline(gpu.name or gpu.pci_id)} ({gpu.compute or '?'}){memory}{cuda}"


def _copies(copies: Iterable[CudnnCopy]) -> Iterator[str]:
    rows = [
        "| cuDNN | for CUDA | folder | found by | belongs to | parts not as they should be |",
        "|---|---|---|---|---|---|",
    ]
    for copy in copies:
        damaged = ", ".join(f"{part.file} {part.state}" for part in copy.damaged)
        cells = (
            copy.version or f"{copy.major}.?",
            str(copy.cuda_major or "?"),
            inline(copy.folder),
            ", ".join(copy.found_via),
            copy.owner,
            damaged,
        )
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    if len(rows) > 2:
        yield from ("## Copies of cuDNN", "", *rows, "")


def _environments(environments: Iterable[PythonEnvironment]) -> Iterator[str]:
    rows = []
    for environment in environments:
        for framework in environment.frameworks:
            build = {True: "GPU build", False: "CPU-only", None: "build unknown"}[framework.gpu]
            rows.append(
                f"- {inline(environment.id)} Python {environment.version}: {framework.name} "
                f"{framework.version} ({build}; CUDA {framework.cuda or '?'}, cuDNN "
                f"{framework.cudnn or '?'} from {framework.cudnn_from or '?'})"
            )
    if rows:
        yield from ("## Python environments with GPU frameworks", "", *rows, "")


def _settings(machine: Machine) -> Iterator[str]:
    if not machine.variables:
        return
    yield from ("## Settings", "")
    for variable in machine.variables:
        kind = " (expandable)" if variable.value.expand else ""
        source = f" from {inline(variable.source)}" if variable.source else ""
        text = inline(variable.value.text)
        yield f"- {variable.scope} {inline(variable.name)}{kind} = {text}{source}"
    yield ""


def _history(entries: Sequence[Entry]) -> Iterator[str]:
    if not entries:
        return
    yield from ("## Changes made by cuDNN Assistant", "")
    for entry in entries:
        what = "; ".join(_step(step) for step in entry.plan.steps)
        undone = ", undone" if entry.undone_by else ""
        yield f"- {entry.when}{undone}: {what}"
    yield ""


def _step(step: Step) -> str:
    if isinstance(step, SetVariable):
        return f"{step.scope} variable {inline(step.name)}"
    if isinstance(step, InstallArchive):
        return f"installed {step.product} {step.version} for CUDA {step.cuda_major}"
    if isinstance(step, RemoveArchive):
        archive = step.archive
        return f"removed {archive.product} {archive.version} for CUDA {archive.cuda_major}"
    if isinstance(step, InstallPackage):
        return f"packages {inline(' '.join(step.requirements))}"
    return plain(step.name)


def _gaps(machine: Machine) -> Iterator[str]:
    if machine.gaps:
        yield from ("## What could not be read", "")
        yield from (f"- {plain(gap.what)}: {plain(gap.why)}" for gap in machine.gaps)
        yield ""


def _note(note: str) -> Iterator[str]:
    if note:
        yield from ("## This program stopped unexpectedly", "")
        yield from ("    " + line for line in note.splitlines())
        yield ""


def _about(machine: Machine, data: str) -> Iterator[str]:
    times = ", ".join(f"{timing.part} {timing.milliseconds:.0f} ms" for timing in machine.timings)
    yield from ("## About this report", "")
    yield f"- {plain(machine.tool)}, {machine.taken_at}, on {plain(machine.os.name)}"
    if data:
        yield f"- Compatibility data: {plain(data)}"
    if times:
        yield f"- Looking took: {times}"
    yield "- Names of people and computers are left out. Open it on any computer with"
    yield "  `cudnn-assistant check --machine FILE`."
    yield ""


def _block(machine: Machine) -> Iterator[str]:
    yield f"```json {MARK}"
    yield msgspec.json.format(dump(machine), indent=1).decode()
    yield "```"


def _bullets(texts: Iterable[str]) -> Iterator[str]:
    shown = [f"- {plain(text)}" for text in texts]
    if shown:
        yield from (*shown, "")
