"""The facts of a report, section by section."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cudnn_assistant import envpath, wording
from cudnn_assistant.machine import (
    CudnnCopy,
    Driver,
    Framework,
    Gap,
    Gpu,
    Machine,
    PythonEnvironment,
    Variable,
)
from cudnn_assistant.plan import Change, Entry, preview
from cudnn_assistant.report.document import Bullets, Code, Heading, Item, Part, Pieces, Table, say
from cudnn_assistant.summary.line import damaged
from cudnn_assistant.wording import in_words, listed, moment, number, told


def section(title: str, items: Iterable[Item]) -> Iterator[Part]:
    """A heading, whose words stand under this name, and a list; nothing for an empty list."""
    known = tuple(items)
    if known:
        yield Heading(2, say(f"report.{title}"))
        yield Bullets(known)


def times(taken: Iterable[tuple[str, float]]) -> str:
    """How long parts of the look or stages of a test took; by names of theirs."""
    return listed(f"{name} {number(milliseconds)} ms" for name, milliseconds in taken)


def gpus(machine: Machine) -> Iterator[Part]:
    """Driver and GPUs."""
    items = [_driver(machine)]
    items += [_gpu(gpu) for gpu in machine.gpus]
    items += [Item(say("report.gpu-other", name=Code(name))) for name in machine.other_gpus]
    yield from section("gpus", items)


def _driver(machine: Machine) -> Item:
    driver = machine.driver
    if driver is None:
        return Item(say("report.no-driver"))
    version = Code(driver.version or "?")
    asked = (("NVML", driver.nvml), ("cuInit", driver.cuda_init))
    troubles = (
        say("report.driver-answered", part=label, code=str(answer.code),
            name=Code(answer.name or answer.text))
        for label, answer in asked
        if answer and answer.code
    )  # fmt: skip
    named = (
        say("report.driver-cuda", version=version, cuda=driver.cuda)
        if driver.cuda
        else say("report.driver", version=version)
    )
    return Item(named, (*_kernel(machine, driver), *troubles))


def _kernel(machine: Machine, driver: Driver) -> Iterator[Pieces]:
    """The part of the driver that the system itself has loaded, in the words of that system."""
    version = driver.kernel_version
    if machine.os.family == "linux" and version:
        yield say("report.kernel-module", version=version)
    elif version not in ("", driver.version):
        yield say("report.driver-installed", version=version)


def _gpu(gpu: Gpu) -> Item:
    told = [wording.say("report.gpu-compute", value=gpu.compute or "?")]
    if gpu.memory_total:
        told.append(_memory(gpu.memory_total, gpu.memory_free))
    if gpu.driver_model:
        told.append(wording.say("report.gpu-driver-model", value=gpu.driver_model.upper()))
    if gpu.cuda_index is None:
        told.append(wording.say("report.gpu-not-visible"))
    return Item(say("report.gpu", name=Code(gpu.name or gpu.pci_id), facts=listed(told)))


def _memory(all_of_it: int, free: int | None) -> str:
    total = number(all_of_it / 2**30, 1)
    if free is None:
        return wording.say("report.gpu-memory", total=total)
    return wording.say("report.gpu-free", free=number(free / 2**30, 1), total=total)


def copies(found: Iterable[CudnnCopy]) -> Iterator[Part]:
    """Every copy of cuDNN; columns that say nothing for any of them are left out."""
    rows = tuple(map(_copy, found))
    used = [n for n in range(len(_COLUMNS)) if any(row[n] != ("",) for row in rows)]
    if rows:
        yield Heading(2, say("report.copies"))
        yield Table(
            tuple(wording.say(f"report.head-{_COLUMNS[n]}") for n in used),
            tuple(tuple(row[n] for n in used) for row in rows),
        )


_COLUMNS = ("version", "cuda", "folder", "found-by", "owner", "damaged")


def _copy(copy: CudnnCopy) -> tuple[Pieces, ...]:
    return (
        (copy.version or f"{copy.major}.?",),
        (str(copy.cuda_major or "?"),),
        (Code(copy.folder),),
        (listed(map(in_words, copy.found_via)),),
        (copy.owner,),
        (damaged(copy),),
    )


def second_opinion(machine: Machine) -> Iterator[Part]:
    """What NVIDIA's own locator finds where the system's programs look."""
    found = (library for trial in machine.trials for library in trial.second_opinion)
    items = (
        Item(
            say(
                "report.located",
                name=one.name,
                path=Code(one.path),
                by=listed(map(in_words, one.found_via)),
            )
        )
        for one in found
    )
    yield from section("locator", items)


def environments(found: Iterable[PythonEnvironment]) -> Iterator[Part]:
    """GPU frameworks in Python environments."""
    items = (Item(_framework(e, f)) for e in found for f in e.frameworks)
    yield from section("environments", items)


def _framework(environment: PythonEnvironment, framework: Framework) -> Pieces:
    build = {True: "gpu", False: "cpu", None: "unknown"}[framework.gpu]
    return say(
        "report.framework",
        place=Code(environment.id),
        python=environment.version,
        framework=f"{framework.name} {framework.version}",
        build=wording.say(f"report.build-{build}"),
        cuda=framework.cuda or "?",
        cudnn=framework.cudnn or "?",
        source=Code(framework.cudnn_from or "?"),
    )


def settings(machine: Machine) -> Iterator[Part]:
    """Layers of the variables that matter here; a list of folders one below the other."""
    yield from section("settings", (_setting(one, machine) for one in machine.variables))


def _setting(variable: Variable, machine: Machine) -> Item:
    told = say(f"report.layer-{variable.scope}", name=Code(variable.name))
    if variable.value.expand:
        told = say("report.expandable", setting=told)
    if variable.source:
        told = say("report.setting-from", setting=told, file=Code(variable.source))
    family = machine.os.family
    folders = envpath.split(variable.value.text, family)
    if envpath.is_list(variable.name, family) and len(folders) > 1:
        return Item(told, tuple((Code(folder),) for folder in folders))
    return Item(say("report.setting", name=told, value=Code(variable.value.text)))


def history(entries: Sequence[Entry], machine: Machine) -> Iterator[Part]:
    """What this program changed: each entry of the journal with what was before and after."""
    yield from section(
        "changes",
        (_change(entry, number, change) for entry in entries
         for number, change in enumerate(preview(entry.plan, machine))),
    )  # fmt: skip


def _change(entry: Entry, number: int, change: Change) -> Item:
    state = entry.states[number] if number < len(entry.states) else "planned"
    key = "report.change-back" if entry.plan.undoes else "report.change"
    told = say(
        key,
        when=moment(entry.when),
        title=change.title,
        state=wording.say("report.state-undone" if entry.undone_by else f"report.state-{state}"),
    )
    done = {"+": "report.added", "-": "report.removed"}
    return Item(
        told,
        tuple(say(done[line.sign], value=Code(line.text)) for line in change.lines
              if line.sign != " "),
    )  # fmt: skip


def gaps(machine: Machine) -> Iterator[Part]:
    """What could not be read, and why."""
    yield from section("gaps", map(gap_told, machine.unread))


def gap_told(gap: Gap) -> Item:
    """What is not there, and why."""
    return Item(say("report.gap", what=in_words(gap.what), why=told(gap.why)))


def about(machine: Machine, data: str) -> Iterator[Part]:
    """With what the look was taken, and how long it took."""
    items = [Item(say("report.made-by", tool=machine.tool))]
    if data:
        items.append(Item(say("report.data", data=data)))
    if machine.timings:
        took = times((in_words(one.part), one.milliseconds) for one in machine.timings)
        items.append(Item(say("report.looking-took", times=took)))
    items.append(Item(say("report.names-left-out")))
    yield from section("about-report", items)
