"""What a report says: what is wrong on top, then the facts, then the snapshot itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from cudnn_assistant.codes import cudnn_status
from cudnn_assistant.finding import Finding, Manual, Verdict
from cudnn_assistant.machine import (
    CudnnCopy,
    Framework,
    Gpu,
    Machine,
    PythonEnvironment,
    Trial,
    dump,
)
from cudnn_assistant.plan import (
    Entry,
    InstallArchive,
    InstallPackage,
    RemoveArchive,
    SetVariable,
    Step,
)
from cudnn_assistant.report.document import (
    Block,
    Bullets,
    Code,
    Heading,
    Item,
    Paragraph,
    Part,
    Pieces,
    Strong,
    Table,
)
from cudnn_assistant.report.markdown import markdown
from cudnn_assistant.report.page import page
from cudnn_assistant.report.reading import MARK
from cudnn_assistant.summary import headline, lines
from cudnn_assistant.wording import words

MARKS = {"ok": "✓", "note": "!", "bad": "✗", "unknown": "?", "wait": "…"}
SHORT = 60
"""Lines of a short report at the most."""


def write_report(
    machine: Machine,
    findings: Sequence[Finding],
    verdict: Verdict,
    *,
    entries: Sequence[Entry] = (),
    data: str = "",
    note: str = "",
    text: str = "",
) -> str:
    """The whole report as Markdown. The snapshot is written as given: redact it before.

    ``data`` says which compatibility data was used; ``note`` is text of a crash and ``text`` the
    message that the person pasted, both kept verbatim. Pure: the same facts give the same bytes.
    """
    return markdown(_parts(machine, findings, verdict, entries, data, note, text))


def write_page(
    machine: Machine,
    findings: Sequence[Finding],
    verdict: Verdict,
    *,
    entries: Sequence[Entry] = (),
    data: str = "",
    note: str = "",
    text: str = "",
) -> str:
    """The same as one HTML page, without scripts and without anything from outside."""
    parts = _parts(machine, findings, verdict, entries, data, note, text)
    return page(parts, "cuDNN Assistant report")


def write_short(machine: Machine, findings: Sequence[Finding], verdict: Verdict) -> str:
    """A form for chats: at most :data:`SHORT` lines of Markdown, without the snapshot."""
    parts = [*_top(machine, findings, verdict)]
    for finding in findings[:4]:
        told = words(finding, machine)
        parts.append(Paragraph((Strong(told.title), " ", Code(finding.code), f" {told.why}")))
    parts.extend(_tests(machine.trials[:3]))
    about = (f"{machine.tool}, {machine.os.name} {machine.os.version}, {machine.taken_at}",)
    rows = markdown([*parts, Paragraph(about)]).splitlines()
    return "\n".join(rows if len(rows) <= SHORT else [*rows[: SHORT - 2], "…", rows[-1]]) + "\n"


def _parts(
    machine: Machine,
    findings: Sequence[Finding],
    verdict: Verdict,
    entries: Sequence[Entry],
    data: str,
    note: str,
    text: str,
) -> Iterator[Part]:
    yield Heading(1, ("cuDNN Assistant report",))
    yield from _top(machine, findings, verdict)
    yield from _problems(machine, findings)
    yield from _verbatim("The message", text)
    yield from _tests(machine.trials)
    yield from _gpus(machine)
    yield from _copies(machine.cudnns)
    yield from _environments(machine.pythons)
    yield from _settings(machine)
    yield from _history(entries)
    yield from _gaps(machine)
    yield from _verbatim("This program stopped unexpectedly", note)
    yield from _about(machine, data)
    yield Block(_snapshot(machine), f"json {MARK}")


def _snapshot(machine: Machine) -> str:
    """The JSON with characters that can't be seen spelled out, as JSON itself spells them."""
    text = msgspec.json.format(dump(machine), indent=1).decode()
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _section(title: str, items: Iterable[Item]) -> Iterator[Part]:
    """A heading and a list; nothing for an empty list."""
    known = tuple(items)
    if known:
        yield Heading(2, (title,))
        yield Bullets(known)


def _top(machine: Machine, findings: Sequence[Finding], verdict: Verdict) -> Iterator[Part]:
    title, sentence = headline(verdict, machine, findings)
    yield Paragraph((Strong(title),))
    if sentence:
        yield Paragraph((sentence,))
    rows = lines(machine, findings)
    yield Bullets(tuple(Item((f"{MARKS[row.mark]} {row.label}: {row.text}",)) for row in rows))


def _problems(machine: Machine, findings: Sequence[Finding]) -> Iterator[Part]:
    if findings:
        yield Heading(2, ("What we found",))
    for finding in findings:
        told = words(finding, machine)
        unsure = "" if finding.sure else ", suspected"
        yield Heading(3, (told.title,))
        yield Paragraph(
            (Code(finding.code), f" ({finding.severity}{unsure}), for ", Code(finding.subject))
        )
        yield from (Paragraph((sentence,)) for sentence in (told.why, told.fix) if sentence)
        if isinstance(finding.remedy, Manual) and finding.remedy.commands:
            yield Block("\n".join(finding.remedy.commands))
        if told.details:
            yield Bullets(tuple(Item((detail,)) for detail in told.details))


def _verbatim(title: str, text: str) -> Iterator[Part]:
    if text:
        yield Heading(2, (title,))
        yield Block(text)


def _tests(trials: Iterable[Trial]) -> Iterator[Part]:
    yield from _section("Tests", (Item(_trial(trial), _trial_facts(trial)) for trial in trials))


def _trial(trial: Trial) -> Pieces:
    about: Pieces = (" of the copy in ", Code(trial.library)) if trial.library else ()
    where = f" on {trial.gpu_name}" if trial.gpu_name else ""
    ended = (Strong(trial.status), f" at {trial.stage}")
    return (Code(trial.subject), *about, f"{where}: ", *ended)


def _trial_facts(trial: Trial) -> tuple[Pieces, ...]:
    name = trial.code_name
    if trial.code is not None and not name:
        name = cudnn_status(trial.code, int(trial.version.split(".")[0] or 9))
    facts = (
        ("code", "" if trial.code is None else f"{trial.code} {name}"),
        ("cuDNN", trial.version),
        ("loaded", trial.loaded),
        ("missing", trial.missing),
        ("said", trial.detail),
        ("agreed with the CPU", ", ".join(trial.checks)),
        ("times", ", ".join(f"{t.stage} {t.milliseconds:.0f} ms" for t in trial.times)),
        ("printed", trial.output[-400:]),
    )
    return tuple((f"{label}: ", Code(text)) for label, text in facts if text)


def _gpus(machine: Machine) -> Iterator[Part]:
    items = [_driver(machine)]
    items += [_gpu(gpu) for gpu in machine.gpus]
    items += [Item(("Other display adapter: ", Code(name))) for name in machine.other_gpus]
    yield from _section("GPU and driver", items)


def _driver(machine: Machine) -> Item:
    driver = machine.driver
    if driver is None:
        return Item(("No NVIDIA driver was seen",))
    kernel = f", kernel module {driver.kernel_version}" if driver.kernel_version else ""
    speaks = f", speaks CUDA up to {driver.cuda}" if driver.cuda else ""
    asked = (("NVML", driver.nvml), ("cuInit", driver.cuda_init))
    troubles: tuple[Pieces, ...] = tuple(
        (f"{label} answered {answer.code} ", Code(answer.name or answer.text))
        for label, answer in asked
        if answer and answer.code
    )
    return Item(("Driver ", Code(driver.version or "?"), f"{kernel}{speaks}"), troubles)


def _gpu(gpu: Gpu) -> Item:
    told = [f" ({gpu.compute or '?'})"]
    if gpu.memory_total:
        free = "" if gpu.memory_free is None else f"{gpu.memory_free / 2**30:.1f} of "
        told.append(f"{free}{gpu.memory_total / 2**30:.1f} GiB free")
    if gpu.cuda_index is None:
        told.append("not visible to CUDA programs")
    return Item((Code(gpu.name or gpu.pci_id), ", ".join(told)))


def _copies(copies: Iterable[CudnnCopy]) -> Iterator[Part]:
    rows = tuple(map(_copy, copies))
    if rows:
        yield Heading(2, ("Copies of cuDNN",))
        yield Table(
            ("cuDNN", "for CUDA", "folder", "found by", "belongs to", "damaged or missing"), rows
        )


def _copy(copy: CudnnCopy) -> tuple[Pieces, ...]:
    return (
        (copy.version or f"{copy.major}.?",),
        (str(copy.cuda_major or "?"),),
        (Code(copy.folder),),
        (", ".join(copy.found_via),),
        (copy.owner,),
        (", ".join(f"{part.file} {part.state}" for part in copy.damaged),),
    )


def _environments(environments: Iterable[PythonEnvironment]) -> Iterator[Part]:
    items = (Item(_framework(e, f)) for e in environments for f in e.frameworks)
    yield from _section("Python environments with GPU frameworks", items)


def _framework(environment: PythonEnvironment, framework: Framework) -> Pieces:
    build = {True: "GPU build", False: "CPU-only", None: "build unknown"}[framework.gpu]
    made = f"{build}; CUDA {framework.cuda or '?'}, cuDNN {framework.cudnn or '?'}"
    named = f" Python {environment.version}: {framework.name} {framework.version}"
    return (Code(environment.id), f"{named} ({made} from {framework.cudnn_from or '?'})")


def _settings(machine: Machine) -> Iterator[Part]:
    items = []
    for variable in machine.variables:
        kind = " (expandable)" if variable.value.expand else ""
        source: Pieces = (" from ", Code(variable.source)) if variable.source else ()
        said: Pieces = (f"{variable.scope} ", Code(variable.name), f"{kind} = ")
        items.append(Item((*said, Code(variable.value.text), *source)))
    yield from _section("Settings", items)


def _history(entries: Sequence[Entry]) -> Iterator[Part]:
    yield from _section("Changes made by cuDNN Assistant", map(_entry, entries))


def _entry(entry: Entry) -> Item:
    undone = ", undone" if entry.undone_by else ""
    return Item((f"{entry.when}{undone}: {'; '.join(map(_step, entry.plan.steps))}",))


def _step(step: Step) -> str:
    if isinstance(step, SetVariable):
        return f"{step.scope} variable {step.name}"
    if isinstance(step, InstallArchive):
        return f"installed {step.product} {step.version} for CUDA {step.cuda_major}"
    if isinstance(step, RemoveArchive):
        archive = step.archive
        return f"removed {archive.product} {archive.version} for CUDA {archive.cuda_major}"
    if isinstance(step, InstallPackage):
        return f"packages {' '.join(step.requirements)}"
    return step.name


def _gaps(machine: Machine) -> Iterator[Part]:
    yield from _section(
        "What could not be read", (Item((f"{gap.what}: {gap.why}",)) for gap in machine.gaps)
    )


def _about(machine: Machine, data: str) -> Iterator[Part]:
    times = ", ".join(f"{timing.part} {timing.milliseconds:.0f} ms" for timing in machine.timings)
    items = [Item((f"{machine.tool}, {machine.taken_at}, on {machine.os.name}",))]
    if data:
        items.append(Item((f"Compatibility data: {data}",)))
    if times:
        items.append(Item((f"Looking took: {times}",)))
    items.append(Item(("Names of people, computers and projects are left out.",)))
    items.append(Item(("Open it elsewhere: ", Code("cudnn-assistant check --machine FILE"))))
    yield from _section("About this report", items)
