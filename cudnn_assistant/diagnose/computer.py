"""A computer as rules ask for it: its paths, its driver, and the folders that are searched."""

from __future__ import annotations

import ntpath
import posixpath
import re
from collections.abc import Iterable
from functools import cached_property

import msgspec

from cudnn_assistant import envpath
from cudnn_assistant.codes import CudaResult, DeviceProblem, NvmlReturn, cuda_result, nvml_return
from cudnn_assistant.compat import Compat
from cudnn_assistant.diagnose.needs import passed
from cudnn_assistant.machine import (
    Driver,
    Family,
    Gpu,
    Library,
    Machine,
    PathEntry,
    PythonEnvironment,
)
from cudnn_assistant.shell import Shell, shell_of


class Computer(msgspec.Struct, frozen=True, dict=True):
    """One computer, and the compatibility data."""

    machine: Machine
    compat: Compat

    @property
    def windows(self) -> bool:
        """Whether the snapshot is of a Windows computer."""
        return self.machine.os.family == "windows"

    @property
    def shell(self) -> Shell:
        """Where the person pastes commands."""
        return shell_of(self.machine.os.family)

    @property
    def driver_family(self) -> Family:
        """Whose driver it is, and whose numbers it has: in WSL that of Windows below."""
        return "windows" if self.machine.os.wsl else self.machine.os.family

    @property
    def bare_linux(self) -> bool:
        """Linux of its own, with the driver's module: no WSL, no container, no small board."""
        own = self.machine.driver_from in ("", "vgpu")
        return self.machine.os.family == "linux" and own

    @property
    def variable(self) -> str:
        """PATH or LD_LIBRARY_PATH."""
        return envpath.search_variable(self.machine.os.family)

    def key(self, path: str) -> str:
        """A path for comparing: two spellings of one place have the same key."""
        return envpath.key(path, self.machine.os.family)

    def parent(self, path: str) -> str:
        """The folder that holds a path."""
        return ntpath.dirname(path) if self.windows else posixpath.dirname(path)

    def name(self, path: str) -> str:
        """The last part of a path."""
        return ntpath.basename(path) if self.windows else posixpath.basename(path)

    def join(self, *parts: str) -> str:
        """A path made of parts."""
        return ntpath.join(*parts) if self.windows else posixpath.join(*parts)

    def inside(self, path: str, folder: str) -> bool:
        """Whether a path is the folder itself or lies somewhere under it."""
        return envpath.inside(path, folder, self.machine.os.family)

    def belongs(self, path: str, environment: PythonEnvironment) -> bool:
        """Whether a file is a Python environment's, not that of the system around it.

        The system's own Python has its root in /usr, as half of the computer has.
        """
        shared = environment.id in ("/", "/usr", "/usr/local")
        folders = environment.sites if shared else (environment.id, *environment.sites)
        return any(self.inside(path, folder) for folder in folders)

    def foreign(self, architecture: str) -> bool:
        """Whether a file of that kind is made for another processor than this computer's."""
        return architecture not in ("", self.machine.os.architecture or architecture)

    def in_environment(self, library: Library) -> bool:
        """Whether a file is some Python environment's."""
        return any(self.belongs(library.path, e) for e in self.machine.pythons)

    # -- the driver and the GPUs ---------------------------------------------------------------

    @property
    def driver(self) -> Driver:
        """The driver; one of which nothing is known where no part of it was found."""
        return self.machine.driver or Driver()

    @property
    def module_loaded(self) -> bool:
        """Whether the driver's part in the kernel runs."""
        modules = self.driver.modules
        return bool(self.driver.kernel_version) or any(m.startswith("nvidia") for m in modules)

    @property
    def driver_there(self) -> bool:
        """Whether the driver is there. Packages of programs bring its libraries, but no module."""
        driver = self.driver
        never = driver.module_on_disk is False and driver.module_elsewhere is False
        files = driver.nvml_library or driver.cuda_library or driver.module_on_disk
        return self.module_loaded or (bool(files) and not never)

    @property
    def nvml_code(self) -> int | None:
        """What nvmlInit answered; ``None`` when it wasn't asked."""
        return self.driver.nvml.code if self.driver.nvml else None

    @property
    def cuda_code(self) -> int | None:
        """What cuInit answered; ``None`` when it wasn't asked."""
        return self.driver.cuda_init.code if self.driver.cuda_init else None

    @property
    def answering(self) -> bool:
        """NVML or the driver API answered well: the kernel module is there."""
        return self.nvml_code == NvmlReturn.SUCCESS or self.cuda_code == CudaResult.SUCCESS

    @property
    def problems(self) -> frozenset[int]:
        """Device Manager's codes, where no GPU works: others may be switched off for good. A new
        driver waits for a restart while the old one works on."""
        works = any({*gpu.seen_by} - {"pci"} for gpu in self.machine.gpus)
        found = frozenset(self.driver.problem_codes)
        return found & {DeviceProblem.NEED_RESTART} if works else found

    @property
    def answers(self) -> str:
        """What the driver's libraries answered, by name and number."""
        nvml, cuda = self.nvml_code, self.cuda_code
        if cuda:
            return f"{cuda_result(cuda)} ({cuda})"
        return f"{nvml_return(nvml)} ({nvml})" if nvml else ""

    @property
    def judgeable(self) -> bool:
        """Whether it is known which driver there is, and whether a finding about it makes sense."""
        machine = self.machine
        return not (machine.unknown("driver") or self.runs) and bool(machine.gpus or machine.os.wsl)

    def log_line(self, pattern: str) -> str:
        """The first kernel log line with a pattern, "" when there is none."""
        found = (line for line in self.driver.log if re.search(pattern, line, re.IGNORECASE))
        return next(found, "")

    @cached_property
    def runs(self) -> bool:
        """Some test passed: GPU and driver work, whatever else may not."""
        return any(passed(trial) for trial in self.machine.trials)

    @cached_property
    def gpus(self) -> tuple[Gpu, ...]:
        """The GPUs that can be judged by their compute capability."""
        return tuple(g for g in self.machine.gpus if g.compute)

    @property
    def gpu_name(self) -> str:
        """Name of the first GPU, "" when there is none."""
        return self.machine.gpus[0].name if self.machine.gpus else ""

    # -- libraries and where they are searched -------------------------------------------------

    def libraries(self, *names: str) -> tuple[Library, ...]:
        """All files of these CUDA or support libraries, wherever they lie, one after another."""
        return tuple(lib for name in names for lib in self.machine.libraries if lib.name == name)

    @cached_property
    def searched(self) -> dict[str, PathEntry]:
        """The loader's folders for programs started afresh, by key, in order, first of each."""
        found: dict[str, PathEntry] = {}
        for entry in self.machine.search:
            key = self.key(entry.folder or entry.text)
            if key:
                found.setdefault(key, entry)
        return found

    def reachable(self, folder: str, found_via: Iterable[str] = ()) -> bool:
        """Whether the loader finds what lies in a folder by its bare name."""
        # Not "PATH" or "LD_LIBRARY_PATH": those may be the terminal's alone, not a fresh program's.
        ways = {"ld-cache", "ld.so.conf", "system-folder"}
        return self.key(folder) in self.searched or bool(ways & set(found_via))

    def finds(self, library: Library) -> bool:
        """The same for a library."""
        return self.reachable(self.parent(library.path), library.found_via)

    def rank(self, folder: str) -> int:
        """Position of a folder in the search order; large when it isn't searched by variable."""
        keys = list(self.searched)
        key = self.key(folder)
        return keys.index(key) if key in keys else len(keys)
