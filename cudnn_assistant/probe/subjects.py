"""Tests of subjects and copies, and what they prove about which copy each subject gets."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from cudnn_assistant.compat import PartsTable
from cudnn_assistant.envpath import inside
from cudnn_assistant.machine import (
    SYSTEM,
    CudnnCopy,
    Doubt,
    Family,
    Framework,
    Gpu,
    Library,
    Machine,
    PythonEnvironment,
    Trial,
    readable,
)
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries.folders import Candidate
from cudnn_assistant.probe.pythons.environments import library_folders
from cudnn_assistant.probe.running.children import Cancel, never, run_child
from cudnn_assistant.probe.trials.activation import activated
from cudnn_assistant.probe.trials.framework import FRAMEWORKS, run_framework
from cudnn_assistant.probe.trials.linking import loading_steps
from cudnn_assistant.probe.trials.trial import check_library, run_trial
from cudnn_assistant.probe.trust import BRINGING, Reason, Trust
from cudnn_assistant.versions import major

MOST_ENVIRONMENTS = 40
"""Those with a cuDNN of their own that one look tries."""
MOST_GPUS = 8
MOST_CHECKS = 40
_OPINION = ("cudnn", "cublasLt", "cublas", "cudart", "nvrtc")
"""In the words of cuda-pathfinder; cuDNN first, because it asks for the others."""
_AT_ONCE = max(2, min(4, os.cpu_count() or 2))


class Terms(msgspec.Struct, frozen=True, dict=True):
    """On what terms the tests of one look are run."""

    environment: Mapping[str, str]
    """What a program that starts afresh gets."""
    trust: Trust
    start_in: str = ""
    """Where programs start, if it matters to what they load."""
    table: PartsTable = ()
    cancel: Cancel = never

    @property
    def family(self) -> Family:
        """Of the system."""
        return self.trust.family

    @cached_property
    def everybody(self) -> Reason:
        """What the person's settings bring into every program that may be somebody else's."""
        return self.trust.surroundings(self.environment, self.start_in)

    @cached_property
    def own_alone(self) -> Mapping[str, str]:
        """The person's environment, without what would bring somebody else's code along."""
        foreign = ("LD_LIBRARY_PATH", *BRINGING) if self.everybody[0] else ()
        return {name: text for name, text in self.environment.items() if name not in foreign}


def tried(terms: Terms, machine: Machine) -> tuple[Trial, ...]:
    """The cuDNN test of the system, then of environments whose framework brings its own cuDNN.

    Each on the GPU that programs take first; the first subject that passes is tested on the other
    GPUs as well. Side by side where there is room for it, else one after the other.
    Environments that take another major from the system than the one tested, or whose activation
    has the loader look elsewhere, get a test of that.
    What cuda-pathfinder finds is asked meanwhile, and kept with the system's test.
    """
    doubts = _doubts(terms, _bringing(machine.pythons))
    if doubts[SYSTEM][0]:
        return tuple(_tried(terms, machine, doubts))
    # It would load from these as well, where the system's programs don't look.
    elsewhere = ("CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX")
    here = {name: text for name, text in terms.environment.items() if name not in elsewhere}
    with ThreadPoolExecutor(1) as beside:
        opinion = beside.submit(second_opinion, here, cancel=terms.cancel)
        found = _tried(terms, machine, doubts)
        known = msgspec.structs.replace(found[0], second_opinion=opinion.result())
    return (known, *found[1:])


def second_opinion(
    environment: Mapping[str, str], *, deadline: float = 15.0, cancel: Cancel = never
) -> tuple[Library, ...]:
    """The libraries that cuda-pathfinder loads under ``environment``, with how it found each.

    Empty when it finds none, isn't installed, or came to no answer: an opinion is no fact that
    anything depends on.
    """
    try:
        asked = {"names": _OPINION}
        ended = run_child("cuda_pathfinder", asked, environment, deadline, cancel=cancel)
    except (OSError, ValueError):
        return ()
    told = (line["found"] for line in ended.lines if "found" in line)
    found = msgspec.convert([one | {"path": readable(one["path"])} for one in told], list[Library])
    return tuple(found)


def _tried(terms: Terms, machine: Machine, doubts: Mapping[str, Reason]) -> list[Trial]:
    environment, gpus = terms.environment, machine.gpus
    own = {one.id: one for one in _bringing(machine.pythons)}
    subjects = (SYSTEM, *own)
    test = partial(
        run_trial,
        family=terms.family,
        start_in=terms.start_in,
        reason=True,
        table=terms.table,
        cancel=terms.cancel,
    )

    def run(subject: str, gpu: str = "") -> Trial:
        doubt, path = doubts[subject]
        if doubt:
            return untried(subject, doubt, path)
        one = own.get(subject)
        here = surroundings_of(environment, one)
        return test(here, subject=subject, **asked_for(one)._asdict(), gpu=gpu)

    with ThreadPoolExecutor(room(gpus)) as pool:
        found = list(pool.map(run, subjects))
    first = next((n for n, trial in enumerate(found) if trial.status == "ok"), None)
    if first is not None:
        # Those that CUDA shows besides the one that was tested.
        shown = [one.uuid for one in gpus if one.cuda_index is not None and not one.mig]
        others = [uuid for uuid in shown if uuid.lower() not in ("", found[first].gpu.lower())]
        more = [run(subjects[first], uuid) for uuid in others[: MOST_GPUS - 1]]
        found[first + 1 : first + 1] = more
    others_of_system = [one for one in machine.pythons if one.id not in own]
    for (number, here), ids in _asking(terms, others_of_system, found[0]).items():
        doubt, path = terms.trust.surroundings(dict(here))
        trial = untried("", doubt, path) if doubt else test(dict(here), major=number)
        found += [msgspec.structs.replace(trial, subject=subject) for subject in ids]
    return found


_Asked = tuple[int, tuple[tuple[str, str], ...]]
"""A major, and the environment in which it is asked for."""


def _asking(
    terms: Terms, pythons: Iterable[PythonEnvironment], system: Trial
) -> dict[_Asked, list[str]]:
    """Environments that take a cuDNN from the system of which its own test says nothing: of another
    major, or where what their activation sets has the loader look.

    One test serves all that ask for the same: it is the same library in the same surroundings.
    """
    found: dict[_Asked, list[str]] = {}
    for one in pythons if not system.doubt else ():
        if not any(f.uses_system_cudnn for f in one.frameworks):
            continue
        here, number = surroundings_of(terms.environment, one), asked_for(one).major
        if here != terms.environment and _doubt(terms, one)[0]:
            here = terms.environment
        elsewhere = here.get("LD_LIBRARY_PATH") != terms.environment.get("LD_LIBRARY_PATH")
        another = system.version and number not in (0, major(system.version))
        if elsewhere or another:
            found.setdefault((number, tuple(here.items())), []).append(one.id)
    return found


_ROOM = 4 << 30
"""Free bytes of a GPU at which several of our tests fit, each of which takes a few hundred MB."""


def room(gpus: Sequence[Gpu]) -> int:
    """How many tests may run at a time: two would compete for the memory of a full GPU, for one
    that admits a single program, and for the processors of a small computer."""
    open_to_all = all(one.compute_mode in ("", "default") for one in gpus)
    free = min((one.memory_free or 0 for one in gpus), default=0)
    return _AT_ONCE if open_to_all and free >= _ROOM and (os.cpu_count() or 1) >= 4 else 1


def _bringing(pythons: Sequence[PythonEnvironment]) -> list[PythonEnvironment]:
    """The environments that are tested: those that bring a cuDNN of their own."""
    return [one for one in pythons if any(f.brings_cudnn for f in one.frameworks)]


def _doubts(terms: Terms, pythons: Sequence[PythonEnvironment]) -> dict[str, Reason]:
    """What is not tested without a yes. What is in doubt for the system's is for everybody's."""
    found: dict[str, Reason] = dict.fromkeys((SYSTEM, *(o.id for o in pythons)), terms.everybody)
    left = 0 if terms.everybody[0] else MOST_ENVIRONMENTS
    for one in () if terms.everybody[0] else _likely(terms, pythons):
        found[one.id] = _doubt(terms, one) if left else ("many", one.id)
        left -= 0 if found[one.id][0] else 1
    return found


def _likely(terms: Terms, pythons: Iterable[PythonEnvironment]) -> list[PythonEnvironment]:
    """The ones first that the person's programs probably run in: what ``python`` means, what was
    named, what is activated, and where something was installed last."""

    def place(one: PythonEnvironment) -> tuple[bool, bool, bool, float]:
        named = any(inside(path, one.id, terms.family) for path in terms.trust.folders)
        changed = 0.0
        for site in one.sites:
            with suppress(OSError, ValueError):
                changed = max(changed, os.stat(site).st_mtime)
        return not one.active, not named, not one.activated, -changed

    return sorted(pythons, key=place)


def _doubt(terms: Terms, one: PythonEnvironment) -> Reason:
    """What speaks against running an environment's code, and what its activation brings along."""
    active = surroundings_of(terms.environment, one)
    found = terms.trust.surroundings(active) if active != terms.environment else ("", "")
    return found if found[0] else terms.trust.environment(one, active)


def surroundings_of(
    environment: Mapping[str, str], one: PythonEnvironment | None
) -> Mapping[str, str]:
    """What programs of a Python environment, or the system's, get from outside once it is
    activated."""
    return activated(environment, one) if one and sys.platform == "linux" else environment


def untried(subject: str, doubt: Doubt, path: str) -> Trial:
    """A test that didn't begin, since it would run what may be somebody else's."""
    return Trial(
        subject=subject, stage="start", status="not-run", doubt=doubt, detail=readable(path)
    )


MOST_ASKED = 8
"""Frameworks that are asked, those of the active environment first."""


def asked_frameworks(terms: Terms, pythons: Sequence[PythonEnvironment]) -> tuple[Trial, ...]:
    """A convolution inside each framework that uses cuDNN, by its environment's own Python.

    Only what the person's programs run anyway; two at a time, since each takes memory of the GPU.
    """
    if terms.trust.surroundings(terms.environment)[0]:
        return ()
    wanted = (
        (one, name)
        for one in _likely(terms, pythons)
        if (names := frameworks_of(one)) and not _doubt(terms, one)[0]
        for name in names
    )

    def ask(which: tuple[PythonEnvironment, str]) -> Trial:
        one, name = which
        return run_framework(
            surroundings_of(terms.environment, one),
            one.python,
            name,
            subject=one.id,
            family=terms.family,
            deadline=60.0,
            cancel=terms.cancel,
        )

    with ThreadPoolExecutor(2) as pool:
        return tuple(pool.map(ask, islice(wanted, MOST_ASKED)))


def frameworks_of(one: PythonEnvironment) -> list[str]:
    """Frameworks of an environment that can be asked to run a convolution on the GPU."""
    names = (f.name for f in one.frameworks if f.uses_cudnn and f.name in FRAMEWORKS)
    return list(dict.fromkeys(names)) if one.python else []


class WhichCudnn(NamedTuple):
    """Which cuDNN is tested: see :func:`run_trial`."""

    folders: tuple[str, ...] = ()
    major: int = 0
    steps: tuple[dict[str, Any], ...] = ()


def asked_for(one: PythonEnvironment | None) -> WhichCudnn:
    """The cuDNN that an environment's programs get: its own, or the system's of their major. That
    of the system's programs is any."""
    if one is None:
        return WhichCudnn()
    using_system = [f for f in one.frameworks if f.uses_system_cudnn]
    own = [f for f in one.frameworks if f.brings_cudnn]
    if using_system and not own:
        return WhichCudnn(major=_major(using_system))
    steps = loading_steps(one) if sys.platform == "linux" else ()
    return WhichCudnn(library_folders(one), _major(own), steps)


def _major(frameworks: Iterable[Framework]) -> int:
    """The major that the first of them that says one was built for."""
    return next((number for f in frameworks if (number := major(f.cudnn))), 0)


def checked(terms: Terms, machine: Machine) -> tuple[CudnnCopy, ...]:
    """The copies with what loading each of them said; several children at a time.

    A copy for another processor, and one whose main file is no library, is not loaded: its files
    have said all there is. Nor is one that the person's programs aren't known to load.
    """
    cuda_folders = [
        folder
        for folder in _system_cuda_folders(machine.libraries)
        if not terms.trust.folder(folder)[0]
    ]
    known = {one.id: one for one in machine.pythons}
    copies = [
        msgspec.structs.replace(copy, doubt=terms.trust.copy(copy, known)[0])
        for copy in machine.cudnns
    ]

    def check(copy: CudnnCopy) -> CudnnCopy:
        found = check_library(
            copy,
            terms.own_alone,
            terms.family,
            folders=cuda_folders,
            table=terms.table,
            cancel=terms.cancel,
        )
        built = major(found.cuda) if found else 0
        return msgspec.structs.replace(
            copy, check=found, cuda_major=copy.cuda_major or built or None
        )

    loadable = [one for one in copies if not one.doubt and _loadable(one, machine.os.architecture)]
    wanted = loadable[:MOST_CHECKS]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        done = dict(zip(map(id, wanted), pool.map(check, wanted), strict=True))
    return tuple(done.get(id(copy), copy) for copy in copies)


def _loadable(copy: CudnnCopy, architecture: str) -> bool:
    main = next((part for part in copy.parts if part.name == "cudnn"), None)
    whole = main is not None and main.state == "ok"
    # A dispatcher that is bundled alone finds its other parts elsewhere, or ends the process.
    return whole and copy.flavour != "shim" and copy.architecture in ("", architecture)


def _system_cuda_folders(libraries: Iterable[Library]) -> tuple[str, ...]:
    """Folders of cuBLAS and NVRTC of the system, for copies that have none beside them."""
    wanted = [one for one in libraries if one.name in ("cublasLt", "nvrtc")]
    outside = [one for one in wanted if not {"wheel", "bundled", "conda"} & {*one.found_via}]
    folders = (re.sub(r"[\\/][^\\/]*$", "", one.path) for one in outside)
    return tuple(dict.fromkeys(folders))[:8]


def unlisted(
    copies: Sequence[CudnnCopy], trials: Iterable[Trial], disk: Disk
) -> Iterator[Candidate]:
    """Folders out of which tests loaded what is none of the copies: by a preload, by a folder for
    newer processors or a $LIB that only the loader spells out."""
    for trial in trials:
        if trial.loaded and _loaded(copies, trial, disk) is None:
            folder = disk.parent(trial.loaded)
            own = trial.subject if inside(folder, trial.subject, disk.family) else ""
            yield Candidate(folder, "trial", own)


def winners(
    copies: Sequence[CudnnCopy], trials: Iterable[Trial], disk: Disk
) -> tuple[CudnnCopy, ...]:
    """The copies with the subjects that were seen to load them."""
    loading = [trial for trial in trials if trial.loaded and not trial.library]
    loaded = [(trial.subject, _loaded(copies, trial, disk)) for trial in loading]

    def wins(copy: CudnnCopy) -> tuple[str, ...]:
        return tuple(dict.fromkeys(subject for subject, one in loaded if one is copy))

    return tuple(msgspec.structs.replace(copy, wins_for=wins(copy)) for copy in copies)


def _loaded(copies: Sequence[CudnnCopy], trial: Trial, disk: Disk) -> CudnnCopy | None:
    """The copy whose main file was mapped. The system reports real paths, without links."""
    path = disk.canonical(trial.loaded)
    by_file = [copy for copy in copies if disk.canonical(disk.join(copy.folder, copy.file)) == path]
    by_folder = [copy for copy in by_file if disk.canonical(copy.folder) == disk.parent(path)]
    return next(iter(by_folder or by_file), None)
