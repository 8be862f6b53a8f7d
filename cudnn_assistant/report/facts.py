"""The facts of a report, section by section."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from cudnn_assistant import envpath
from cudnn_assistant.machine import (
    CudnnCopy,
    Driver,
    Framework,
    Gpu,
    Machine,
    PythonEnvironment,
    Variable,
)
from cudnn_assistant.plan import Change, Entry, preview
from cudnn_assistant.report.document import Bullets, Code, Heading, Item, Part, Pieces, Table


def section(title: str, items: Iterable[Item]) -> Iterator[Part]:
    """A heading and a list; nothing for an empty list."""
    known = tuple(items)
    if known:
        yield Heading(2, (title,))
        yield Bullets(known)


LISTS = {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH"}
"""Variables that hold a list of folders."""


def moment(text: str) -> str:
    """A time as people write it: 2026-11-21 17:08 UTC. What is no time is given back."""
    shape = r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)"
    return re.sub(rf"^{shape}$", r"\1 \2 UTC", text, flags=re.ASCII)


def gpus(machine: Machine) -> Iterator[Part]:
    """Driver and GPUs."""
    items = [_driver(machine)]
    items += [_gpu(gpu) for gpu in machine.gpus]
    items += [Item(("Other display adapter: ", Code(name))) for name in machine.other_gpus]
    yield from section("GPU and driver", items)


def _driver(machine: Machine) -> Item:
    driver = machine.driver
    if driver is None:
        return Item(("No NVIDIA driver was seen",))
    kernel = _kernel(machine, driver)
    speaks = f", speaks CUDA up to {driver.cuda}" if driver.cuda else ""
    asked = (("NVML", driver.nvml), ("cuInit", driver.cuda_init))
    troubles: tuple[Pieces, ...] = tuple(
        (f"{label} answered {answer.code} ", Code(answer.name or answer.text))
        for label, answer in asked
        if answer and answer.code
    )
    return Item(("Driver ", Code(driver.version or "?"), f"{kernel}{speaks}"), troubles)


def _kernel(machine: Machine, driver: Driver) -> str:
    """The part of the driver that the system itself has loaded, in the words of that system."""
    if machine.os.family == "linux":
        return f", kernel module {driver.kernel_version}" if driver.kernel_version else ""
    same = driver.kernel_version in ("", driver.version)
    return "" if same else f", installed in Windows as {driver.kernel_version}"


def _gpu(gpu: Gpu) -> Item:
    told = [f", compute capability {gpu.compute or '?'}"]
    if gpu.memory_total:
        free = "" if gpu.memory_free is None else f"{gpu.memory_free / 2**30:.1f} of "
        told.append(f"{free}{gpu.memory_total / 2**30:.1f} GiB free")
    if gpu.driver_model:
        told.append(f"driver model {gpu.driver_model.upper()}")
    if gpu.cuda_index is None:
        told.append("not visible to CUDA programs")
    return Item((Code(gpu.name or gpu.pci_id), ", ".join(told)))


def copies(found: Iterable[CudnnCopy]) -> Iterator[Part]:
    """Every copy of cuDNN; columns that say nothing for any of them are left out."""
    rows = tuple(map(_copy, found))
    used = [n for n in range(len(_COLUMNS)) if any(row[n] != ("",) for row in rows)]
    if rows:
        yield Heading(2, ("Copies of cuDNN",))
        yield Table(
            tuple(_COLUMNS[n] for n in used), tuple(tuple(row[n] for n in used) for row in rows)
        )


_COLUMNS = ("cuDNN", "for CUDA", "folder", "found by", "belongs to", "damaged or missing")


def _copy(copy: CudnnCopy) -> tuple[Pieces, ...]:
    return (
        (copy.version or f"{copy.major}.?",),
        (str(copy.cuda_major or "?"),),
        (Code(copy.folder),),
        (", ".join(copy.found_via),),
        (copy.owner,),
        (", ".join(f"{part.file} {part.state}" for part in copy.damaged),),
    )


def second_opinion(machine: Machine) -> Iterator[Part]:
    """What NVIDIA's own locator finds where the system's programs look."""
    found = (library for trial in machine.trials for library in trial.second_opinion)
    items = (
        Item((f"{one.name} ", Code(one.path), f" ({', '.join(one.found_via)})")) for one in found
    )
    yield from section("What cuda-pathfinder finds", items)


def environments(found: Iterable[PythonEnvironment]) -> Iterator[Part]:
    """GPU frameworks in Python environments."""
    items = (Item(_framework(e, f)) for e in found for f in e.frameworks)
    yield from section("Python environments with GPU frameworks", items)


def _framework(environment: PythonEnvironment, framework: Framework) -> Pieces:
    build = {True: "GPU build", False: "CPU-only", None: "build unknown"}[framework.gpu]
    made = f"{build}; CUDA {framework.cuda or '?'}, cuDNN {framework.cudnn or '?'}"
    named = f" Python {environment.version}: {framework.name} {framework.version}"
    return (Code(environment.id), f"{named} ({made} from {framework.cudnn_from or '?'})")


def settings(machine: Machine) -> Iterator[Part]:
    """Layers of the variables that matter here; a list of folders one below the other."""
    yield from section("Settings", (_setting(one, machine) for one in machine.variables))


_LAYERS = {
    "machine": " for all users",
    "user": " of the account",
    "process": " as this program was started",
}


def _setting(variable: Variable, machine: Machine) -> Item:
    kind = ", expandable" if variable.value.expand else ""
    source: Pieces = (", from ", Code(variable.source)) if variable.source else ()
    named: Pieces = (Code(variable.name), _LAYERS[variable.scope] + kind, *source)
    folders = envpath.split(variable.value.text, machine.os.family)
    if variable.name.upper() in LISTS and len(folders) > 1:
        return Item(named, tuple((Code(folder),) for folder in folders))
    return Item((*named, ": ", Code(variable.value.text)))


def history(entries: Sequence[Entry], machine: Machine) -> Iterator[Part]:
    """What this program changed: each entry of the journal with what was before and after."""
    yield from section(
        "Changes made by cuDNN Assistant",
        (_change(entry, number, change) for entry in entries
         for number, change in enumerate(preview(entry.plan, machine))),
    )  # fmt: skip


def _change(entry: Entry, number: int, change: Change) -> Item:
    state = entry.states[number] if number < len(entry.states) else "planned"
    undone = ", undone since" if entry.undone_by else ""
    back = ", to undo an earlier change" if entry.plan.undoes else ""
    told = f"{moment(entry.when)}, {change.title}: {state}{undone}{back}"
    lines = (line for line in change.lines if line.sign != " ")
    done = {"+": "added ", "-": "removed "}
    return Item((told,), tuple((done[line.sign], Code(line.text)) for line in lines))


def gaps(machine: Machine) -> Iterator[Part]:
    """What could not be read, and why."""
    yield from section(
        "What could not be read", (Item((f"{gap.what}: {gap.why}",)) for gap in machine.gaps)
    )


def about(machine: Machine, data: str) -> Iterator[Part]:
    """With what the look was taken, and how long it took."""
    times = ", ".join(f"{timing.part} {timing.milliseconds:.0f} ms" for timing in machine.timings)
    items = [Item((f"Made by {machine.tool}",))]
    if data:
        items.append(Item((f"Compatibility data: {data}",)))
    if times:
        items.append(Item((f"Looking took: {times}",)))
    items.append(Item(("Names of people, computers and projects are left out.",)))
    yield from section("About this report", items)
