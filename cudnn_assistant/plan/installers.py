"""Which of the official installers is right for a computer, and the step that starts it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cudnn_assistant.compat import Compat, architecture, driver_knows, gpu_by_pci, newest_branch
from cudnn_assistant.distributions import for_distribution
from cudnn_assistant.finding import Finding, Installer, Manual
from cudnn_assistant.machine import Gpu, Machine, OperatingSystem
from cudnn_assistant.plan.installer_table import (
    DRIVER,
    DRIVERS,
    NEWEST,
    PACKAGES,
    PROGRAMS,
    SAME_DRIVERS,
    TOOLKIT,
    Packages,
)
from cudnn_assistant.plan.steps import RunInstaller
from cudnn_assistant.regex import regex
from cudnn_assistant.shell import Syntax, command
from cudnn_assistant.versions import major, numbers, series

_WINDOWS_10 = 10240
"""The first build of Windows that these drivers are for."""
_NOTEBOOK = regex(r"Laptop|Mobile|Max-Q|\bMX\d|\dM\b")
_EITHER = regex(r"GeForce (GTX 16|RTX 20)")
"""Names of cards and of notebooks alike, also in the lists of devices."""
_WORKSTATION = regex(r"Quadro|RTX (A|PRO |\d{4} (SFF )?Ada|[3456]000)|\bT\d{3,4}\b")
_GEFORCE = regex(r"GeForce|TITAN")


def driver(
    machine: Machine, compat: Compat, needed: str = "", *, instead: bool = False
) -> Installer | None:
    """The row that brings a driver for every GPU here; ``None`` where none surely does.

    ``needed`` is the oldest version that would do. ``instead``: of one that is there and isn't for
    the GPU. Never inside WSL or a container, whose driver is the host's, and on Windows never one
    that is older than what is there.
    """
    system = machine.os
    bare = not (system.wsl or system.container or system.sandbox)
    if not bare or system.architecture != "x86_64":
        return None
    if system.family == "windows":
        return _windows_driver(machine, compat, needed)
    if system.main_alone or not SAME_DRIVERS.intersection(system.distribution[:1]):
        return None
    there = instead or (machine.driver and machine.driver.cuda_library)
    if there and not _package(machine):
        return None
    for row in _rows(system):
        # Which flavour and branch the GPU needs, most leave to the person.
        if _is_for(PACKAGES[row], machine, compat) and not (instead and PACKAGES[row].branch):
            return Installer(row=row)
    return None


def part(machine: Machine, kind: str) -> Installer | None:
    """The row for a part of the driver that is packed apart, "driver-compute".

    ``None`` where the driver that is there isn't the distribution's.
    """
    system, driver = machine.os, machine.driver
    rows = {one.removeprefix(f"{kind}-"): one for one in PACKAGES if one.startswith(kind)}
    row = for_distribution(system.distribution, rows)
    inside = system.wsl or system.container or system.sandbox
    if not (row and driver and _package(machine)) or inside:
        return None
    known = (_package(machine), driver.version or driver.kernel_version)
    version = next((v for v in known if re.fullmatch(PACKAGES[row].versions, v)), "")
    return Installer(row=row, version=version) if version else None


def _package(machine: Machine) -> str:
    """How the packages of Ubuntu's driver that is there end, "570-server"; "" if it isn't Ubuntu's.

    NVIDIA's own installer leaves files that a package's would be mixed with.
    """
    owners = (lib.owner for lib in machine.libraries if lib.name in ("cuda", "nvml"))
    found = (re.match(r"libnvidia-compute-(\S+)", owner) for owner in owners)
    known = SAME_DRIVERS.intersection(machine.os.distribution[:1])
    return next((match[1] for match in found if match and known), "")


def _windows_driver(machine: Machine, compat: Compat, needed: str) -> Installer | None:
    system, there = machine.os, machine.driver.version if machine.driver else ""
    build = system.version.rpartition(".")[2]
    if not build.isdecimal() or int(build) < _WINDOWS_10 or "Server" in system.name:
        return None
    if numbers(there) >= numbers(DRIVER) or numbers(needed) > numbers(DRIVER):
        return None
    kinds = {_kind(gpu, compat) for gpu in machine.gpus}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return Installer(row=f"driver-windows-{kind}") if kind else None


def _kind(gpu: Gpu, compat: Compat) -> str:
    """What NVIDIA's page would ask for: desktop, notebook or workstation; "" where unsure."""
    listed, compute = gpu_by_pci(compat, gpu.pci_id)
    if not driver_knows(compat, DRIVER, gpu.compute or compute):
        return ""
    names = f"{listed}, {gpu.name}"
    if _WORKSTATION.search(names):
        return "workstation"
    if not _GEFORCE.search(names):
        return ""
    if _NOTEBOOK.search(names):
        return "notebook"
    # The driver gives notebooks before the RTX 30 series the names of cards.
    unsure = _EITHER.search(names) or ("GTX" in names and not listed)
    return "" if unsure else "desktop"


def commands(machine: Machine, compat: Compat, needed: str = "") -> tuple[str, ...]:
    """What a person would type for a driver, whether or not it is started from here.

    Of a distribution that is like a known one, that one's; () when none is known, or when the
    driver that it packs is known not to do: for a GPU here, or older than ``needed``.
    """
    system = machine.os
    rows = [r for r in _rows(system) if _does(PACKAGES[r], machine, compat, needed) is not False]
    fitting = [row for row in rows if re.search(PACKAGES[row].kernel, system.version)]
    lines = next((step_of(Installer(row=row)).commands for row in (*fitting, *rows)), ())
    return (_with_sections(system.main_alone), *lines) if system.main_alone else lines


def _with_sections(source: str) -> str:
    """Debian's packages of the driver lie in sections that are switched off."""
    line = f"deb {source} contrib non-free non-free-firmware"
    file = "/etc/apt/sources.list.d/non-free.list"
    return command("sh", "echo", line, Syntax("|"), "sudo", "tee", file)


def _rows(system: OperatingSystem) -> tuple[str, ...]:
    return for_distribution(system.distribution, DRIVERS) or ()


def _is_for(packages: Packages, machine: Machine, compat: Compat) -> bool:
    system = machine.os
    if not re.search(packages.kernel, system.version):
        return False
    if system.secure_boot is not False and not packages.signed:
        # A module without a known signature would leave the computer without any driver.
        return False
    return bool(_does(packages, machine, compat))


def _does(packages: Packages, machine: Machine, compat: Compat, needed: str = "") -> bool | None:
    """Whether what they bring is new enough, and knows every GPU here; ``None``: unknown."""
    brings = str(newest_branch(compat)) if packages.branch == NEWEST else packages.branch
    if not brings:
        return True  # chosen by the GPU
    known = [driver_knows(compat, brings, gpu.compute) for gpu in machine.gpus]
    if packages.only_closed:
        modules = (architecture(compat, gpu.compute).kernel_module for gpu in machine.gpus)
        known += [module == "closed" for module in modules]
    if False in known or major(brings) < major(needed):
        return False
    return True if known and all(known) else None


def vc_runtime(system: OperatingSystem) -> Installer | None:
    """Microsoft's run-time files for this processor."""
    row = f"vc-runtime-{system.architecture}"
    return Installer(row=row) if system.family == "windows" and row in PROGRAMS else None


def toolkit(system: OperatingSystem, versions: Sequence[str]) -> Installer | None:
    """The newest of these CUDA toolkits that has an installer for this Windows."""
    if system.family != "windows" or system.architecture != "x86_64":
        return None
    known = (
        Installer(row=row, version=version)
        for version in versions
        for row, program in PROGRAMS.items()
        if row.startswith(TOOLKIT) and re.fullmatch(program.versions, version)
    )
    return max(known, key=lambda one: numbers(one.version), default=None)


def installer_steps(findings: Sequence[Finding], machine: Machine) -> Iterator[RunInstaller]:
    """One step for each installer that findings wish, where somebody can say yes to it here."""
    if not (machine.os.administrator or machine.os.desktop):
        return
    wishes: dict[Installer, list[tuple[str, bool]]] = {}
    for finding in findings:
        remedy = finding.remedy
        if isinstance(remedy, Manual) and remedy.installer is not None:
            wishes.setdefault(remedy.installer, []).append((finding.code, remedy.restart))
    for wish, served in wishes.items():
        codes = tuple(dict.fromkeys(code for code, _restart in served))
        restart = any(restart for _code, restart in served)
        yield step_of(wish, restart=restart, why=codes)


def step_of(wish: Installer, *, restart: bool = False, why: tuple[str, ...] = ()) -> RunInstaller:
    """The step with all that the person is shown of it. Raises :class:`KeyError` or ValueError."""
    row, version = wish.row, wish.version
    known = PACKAGES.get(row) or PROGRAMS[row]
    if not re.fullmatch(known.versions, version):
        raise ValueError(version)
    if isinstance(known, Packages):
        return RunInstaller(
            name=known.name,
            commands=tuple(f"sudo {line}" for line in lines_of(wish)),
            restart=restart,
            row=row,
            version=version,
            back=_of_version(known.back, version),
            why=why,
        )
    return RunInstaller(
        name=known.name.format(version=version),
        link=known.address.format(version=version, series=series(version)),
        restart=restart,
        row=row,
        version=version,
        licence=known.licence,
        why=why,
    )


def lines_of(one: Installer | RunInstaller) -> tuple[str, ...]:
    """What a row's package manager is told, for the version."""
    return tuple(_of_version(line, one.version) for line in PACKAGES[one.row].lines)


def _of_version(line: str, version: str) -> str:
    return line.format(version=version, branch=version.partition(".")[0]) if version else line


def arguments_of(step: RunInstaller) -> tuple[str, ...]:
    """What a program of the table is started with."""
    of_two = series(step.version)
    return tuple(text.format(series=of_two) for text in PROGRAMS[step.row].arguments)


def is_of_the_table(step: RunInstaller) -> bool:
    """Whether what the person was shown is what the table says."""
    try:
        known = step_of(Installer(row=step.row, version=step.version))
    except (KeyError, ValueError):
        return False
    shown = (step.name, step.link, step.commands, step.licence, step.back)
    return shown == (known.name, known.link, known.commands, known.licence, known.back)
