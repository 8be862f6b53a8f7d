"""One look under way: its parts, what they need from each other, and what is known so far."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

import msgspec

from cudnn_assistant import __version__
from cudnn_assistant.compat import PartsTable
from cudnn_assistant.machine import Gap, Machine, OperatingSystem, PythonEnvironment, Struct, Trial
from cudnn_assistant.probe.computer import gpu, gpu_child, host, kernel, pci, windows_devices
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import chain, copies, ld_cache, search, toolkits
from cudnn_assistant.probe.libraries import folders as library_folders
from cudnn_assistant.probe.libraries.owners import Records
from cudnn_assistant.probe.pythons.environment_candidates import current_folder
from cudnn_assistant.probe.pythons.environments import pythons
from cudnn_assistant.probe.running.children import Cancel
from cudnn_assistant.probe.running.together import Facts, Work, together
from cudnn_assistant.system import Readable
from cudnn_assistant.wording import met

if TYPE_CHECKING:
    from concurrent.futures import Future

    from cudnn_assistant.probe.subjects import Terms

Part = Literal["gpu", "cuda", "cudnn", "settings", "trial", "frameworks"]
Say = Callable[[Part, bool, Machine], None]
"""Hears that a part begins (False) and is done (True), with the snapshot as far as it is known."""

DEADLINE = 40.0
"""Seconds that any part but the tests may take."""
_CACHED = ("libcudnn", "libcudart", "libcublas", "libnvrtc", "libz.", "libcuda.", "libnvidia-ml")
_PARTS: dict[str, Part] = {"gpu": "gpu", "toolkits": "cuda", "cudnn": "cudnn"}


class Wish(Struct, kw_only=True):
    """How to look; nothing is changed by it."""

    trial: bool = True
    """Run the cuDNN test."""
    truth: bool | None = None
    """Load each copy of cuDNN, in a child process, for its version; by default where the test
    runs."""
    frameworks: bool = True
    """Afterwards, have frameworks run a convolution themselves."""
    python: str = ""
    """An environment to look at besides; the person says that it may be run."""
    trusted: tuple[str, ...] = ()
    """Folders whose libraries and environments may be run, wherever they lie."""
    folders: tuple[str, ...] = ()
    """Folders that may hold cuDNN or Python environments."""
    parts: PartsTable = ()
    """What each cuDNN is made of; () as the built-in data says."""


@dataclass
class Look:
    """One look under way: the snapshot so far, and what its parts need from each other."""

    system: Readable
    wish: Wish
    say: Say
    cancel: Cancel

    def __post_init__(self) -> None:
        self._environment: Mapping[str, str] = dict(os.environ)
        self._disk = Disk(self.system.family)
        self._pythons: tuple[PythonEnvironment, ...] = ()
        self._pythons_known = threading.Event()
        self._asking: Future[tuple[Trial, ...]] | None = None
        self.machine = Machine(
            taken_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            tool=f"cudnn-assistant {__version__}",
            os=OperatingSystem(family=self.system.family),
        )

    def _do(self, works: Mapping[str, Work], deadline: float) -> None:
        for seen in together(works, deadline, self.cancel):
            self._environment = seen.facts.pop("environment", self._environment)
            found = msgspec.structs.replace(self.machine, **seen.facts)
            self.machine = msgspec.structs.replace(
                found, gaps=found.gaps + seen.gaps, timings=(*found.timings, seen.timing)
            )
            if seen.part in _PARTS:
                self.say(_PARTS[seen.part], True, self.machine)

    def settings(self) -> None:
        """The host, the variables and the environment of a fresh program; the rest needs them."""
        self.say("settings", False, self.machine)
        works = {
            "host": Work(lambda: {"os": self._host()}, ("host",)),
            "variables": Work(self._variables, ("variables",)),
            "environment": Work(
                lambda: {"environment": self.system.fresh_environment()}, ("variables",)
            ),
        }
        self._do(works, DEADLINE)
        look_up = partial(search.order, self._disk, self._environment, self.machine.variables)
        self._do({"search": Work(lambda: {"search": look_up()}, ("search",))}, DEADLINE)
        self.say("settings", True, self.machine)

    def _host(self) -> OperatingSystem:
        if self.system.family == "windows":
            return windows_devices.operating_system()
        return host.operating_system(self._disk, os.environ)

    def _variables(self) -> Facts:
        found = search.with_existence(self._disk, self.system.variables())
        return {"variables": found, "gaps": self.system.gaps()}

    def parts(self) -> None:
        """GPUs, toolkits and copies beside each other."""
        for part in _PARTS.values():
            self.say(part, False, self.machine)
        works = {
            "gpu": Work(self._gpu, ("gpu", "driver")),
            "toolkits": Work(self._toolkits, ("toolkits",)),
            "pythons": Work(self._find_pythons, ("pythons",)),
            "cudnn": Work(self._cudnn, ("cudnn",)),
        }
        self._do(works, DEADLINE)

    def _gpu(self) -> Facts:
        system = self.machine.os
        if system.family == "windows":
            facts = windows_devices.look()
        else:
            facts = kernel.look(self._disk, system.version, system.wsl)
        if gpu_child.no_driver(self._disk, facts, self.machine.search, self._environment):
            answers = gpu_child.NO_DRIVER
        else:
            answers = gpu_child.ask(self._terms.own_alone, cancel=self.cancel)
        names = [one.name for one in facts.adapters if one.vendor != pci.NVIDIA]
        return {
            "driver": gpu.driver(answers, facts, system),
            "gpus": gpu.gpus(answers, facts, contained=bool(system.container)),
            "other_gpus": tuple(dict.fromkeys(names)),
            "switched_off": facts.switched_off,
            "gaps": answers.gaps + facts.gaps,
        }

    def _toolkits(self) -> Facts:
        found = toolkits.toolkits(self._disk, self._environment)
        whys = [met("no-answer-from", call=server) for server in self._disk.silent]
        return {"toolkits": found, "gaps": tuple(Gap(what="toolkits", why=why) for why in whys)}

    def _find_pythons(self) -> Facts:
        notes = list[str]()
        try:
            self._pythons = pythons(
                self.system.family,
                self._environment,
                self.machine.variables,
                extra=self.wish.python,
                folders=self.wish.folders,
                note=notes.append,
            )
        finally:
            self._pythons_known.set()
        return {"pythons": self._pythons, "gaps": _left_out(notes)}

    def _cudnn(self) -> Facts:
        disk, machine, wish, notes = self._disk, self.machine, self.wish, list[str]()
        installed = toolkits.toolkits(disk, self._environment)
        of_system = library_folders.of_system(
            disk, self._environment, machine.variables, machine.search, installed, wish.folders
        )
        whole = [*of_system]
        # Environments on a disk that doesn't answer must not cost the system's own copies.
        self._pythons_known.wait(DEADLINE / 2)
        whole += library_folders.of_environments(disk, self._pythons)
        opened = copies.open_folders(disk, whole)
        if len(opened) >= copies.MOST_FOLDERS:
            notes.append(met("too-many-folders-of-copies"))
        cached = ld_cache.libraries(disk, *_CACHED) if disk.family == "linux" else {}
        in_cache = {disk.canonical(path) for path in cached.values()}
        records = Records(disk)
        return {
            "cudnns": copies.copies(disk, opened, in_cache, records, wish.parts),
            "libraries": chain.libraries(disk, opened, in_cache, records),
            "gaps": _left_out(notes),
        }

    def tests(self) -> None:
        """The cuDNN test of every subject, every copy loaded once, and what stopped explored."""
        from cudnn_assistant.probe import subjects

        def checked() -> Facts:
            return {"cudnns": subjects.checked(self._terms, self.machine)}

        def tried() -> Facts:
            return {"trials": subjects.tried(self._terms, self.machine)}

        self.say("trial", False, self.machine)
        trial, truth = self.wish.trial, self.wish.truth
        truth = trial if truth is None else truth
        works = {"copies": Work(checked, ("cudnn-truth",))} if truth else {}
        works |= {"trial": Work(tried, ("trial",))} if trial else {}
        self._do(works, 600)
        self._do({"winners": Work(partial(self._winners, truth=truth), ())}, DEADLINE)
        if trial:
            self._do({"experiments": Work(self._experiments, ("experiments",))}, DEADLINE)
        self.say("trial", True, self.machine)

    def _winners(self, *, truth: bool) -> Facts:
        """Who loads which copy; those among them that only a test has led to."""
        from cudnn_assistant.probe import subjects

        disk, known, trials = self._disk, self.machine.cudnns, self.machine.trials
        opened = copies.open_folders(disk, subjects.unlisted(known, trials, disk))
        more = copies.copies(disk, opened, {}, Records(disk), self.wish.parts)
        if truth:
            alone = msgspec.structs.replace(self.machine, cudnns=more)
            more = subjects.checked(self._terms, alone)
        return {"cudnns": subjects.winners((*known, *more), trials, disk)}

    @cached_property
    def _terms(self) -> Terms:
        """On what the tests are run. Relative entries matter for where programs start."""
        from cudnn_assistant.probe.subjects import Terms
        from cudnn_assistant.probe.trust import Trust

        listed = (one.text for one in self.machine.search if one.variable == "LD_LIBRARY_PATH")
        start_in = "" if all(map(os.path.isabs, listed)) else current_folder()
        trust = Trust(self.system.family, self.wish.trusted)
        return Terms(self._environment, trust, start_in, self.wish.parts, self.cancel)

    def ask_early(self) -> None:
        """Ask the frameworks while the tests run, where there is room for both."""
        from concurrent.futures import ThreadPoolExecutor

        from cudnn_assistant.probe.subjects import asked_frameworks, room

        if room(self.machine.gpus) > 1:
            ask = ThreadPoolExecutor(1).submit
            self._asking = ask(lambda: asked_frameworks(self._terms, self.machine.in_use().pythons))

    def frameworks(self) -> None:
        """The frameworks' own word, after the quick answer."""
        self.say("frameworks", False, self.machine)
        self._do({"frameworks": Work(self._frameworks, ("frameworks",))}, 600)
        self.say("frameworks", True, self.machine)

    def _frameworks(self) -> Facts:
        from cudnn_assistant.probe.exploring import BUDGET_OF_FRAMEWORKS, compared, explored
        from cudnn_assistant.probe.subjects import asked_frameworks

        machine, pythons = self.machine, self.machine.pythons
        if not machine.gpus:
            return {}
        terms = self._terms
        used = machine.in_use().pythons
        found = self._asking.result() if self._asking else asked_frameworks(terms, used)
        tried, gaps = explored(terms, pythons, found, BUDGET_OF_FRAMEWORKS)
        trials, tried = (*machine.trials, *found), (*machine.experiments, *tried)
        pythons = compared(terms, pythons, trials, tried)
        return {"trials": trials, "experiments": tried, "pythons": pythons, "gaps": gaps}

    def _experiments(self) -> Facts:
        """Tests that stopped, repeated with one difference at a time."""
        from cudnn_assistant.probe.exploring import explored

        machine = self.machine
        if not (machine.gpus or machine.driver or machine.unknown("gpu")):
            # Whatever cures a test for a while, nothing runs without an NVIDIA GPU.
            return {}
        tried, gaps = explored(self._terms, machine.pythons, machine.trials)
        return {"experiments": tried, "gaps": gaps}


def _left_out(notes: Sequence[str]) -> tuple[Gap, ...]:
    return tuple(Gap(what="everything", why=note) for note in notes)
