"""What a computer is: the snapshot that every thought starts from.

Everything here is a fact that was read, never an opinion. The types are frozen, have no
behaviour beyond looking things up, and survive a round trip through JSON unchanged.

Conventions that hold for every field:

* "" and ``None`` mean *unknown*; that something is absent is said by a field of its own or by
  an empty tuple. A part that could not be read leaves a :class:`Gap`.
* Sizes are bytes, times are milliseconds, versions are dotted text without a leading "v".
* Paths are text in the spelling of the machine they were read on. Bytes that are no text are
  spelled ``\\xNN`` (see :func:`readable`); such a path can be shown but not be opened again.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from cudnn_assistant.machine.base import *
from cudnn_assistant.machine.computer import *
from cudnn_assistant.machine.libraries import *
from cudnn_assistant.machine.pythons import *
from cudnn_assistant.machine.settings import *
from cudnn_assistant.machine.trials import *
from cudnn_assistant.versions import major

SCHEMA = 1
"""Version of the snapshot's shape. A field never goes away and never changes what it means, so
that every older report can be opened for ever; the number counts up when fields were added that
an older program should say it doesn't understand."""


class Gap(Struct, kw_only=True):
    """A fact that could not be read. Rules that need it stay silent."""

    what: str
    """Name of the part: "gpu", "driver", "variables", "toolkits", "cudnn", "pythons", "trial"."""
    why: str


class Timing(Struct, kw_only=True):
    """How long one part of the look took."""

    part: str
    milliseconds: float


DriverFrom = Literal["", "wsl", "container", "vgpu", "jetson"]
"""Windows around a WSL, the host of a container, the server that shares a GPU, the system of
NVIDIA's small boards."""


class Machine(Struct, kw_only=True, omit_defaults=False):
    """One computer at one moment."""

    schema: int = SCHEMA
    taken_at: str = ""
    """UTC, ISO 8601 with seconds."""
    tool: str = ""
    """"cudnn-assistant 0.1.0"."""
    os: OperatingSystem
    driver: Driver | None = None
    """``None``: no part of an NVIDIA driver was found (or a gap "driver" says why unknown)."""
    gpus: tuple[Gpu, ...] = ()
    other_gpus: tuple[str, ...] = ()
    """Names of display adapters that are not NVIDIA's."""
    switched_off: SwitchedOff | None = None
    """Linux, where the driver's module isn't loaded: what keeps the GPU off."""
    toolkits: tuple[Toolkit, ...] = ()
    cudnns: tuple[CudnnCopy, ...] = ()
    libraries: tuple[Library, ...] = ()
    variables: tuple[Variable, ...] = ()
    search: tuple[PathEntry, ...] = ()
    """Where the loader looks for a bare name, in order, for programs started afresh."""
    pythons: tuple[PythonEnvironment, ...] = ()
    trials: tuple[Trial, ...] = ()
    experiments: tuple[Experiment, ...] = ()
    """Tests of subjects that stopped, each repeated with one difference."""
    gaps: tuple[Gap, ...] = ()
    timings: tuple[Timing, ...] = ()

    def variable(self, name: str, *scopes: Scope) -> Variable | None:
        """The first layer of ``name`` in ``scopes`` order; names ignore case on Windows."""
        fold = str.casefold if self.os.family == "windows" else str
        for scope in scopes or ("process", "user", "machine"):
            for variable in self.variables:
                same = variable.scope == scope and fold(variable.name) == fold(name)
                if same and not variable.value.gone:
                    return variable
        return None

    def unknown(self, what: str) -> bool:
        """Whether a gap hides ``what``."""
        return any(gap.what == what for gap in self.gaps)

    @property
    def unread(self) -> tuple[Gap, ...]:
        """What could not be read; experiments that were not begun are nothing to read."""
        return tuple(gap for gap in self.gaps if gap.what != "experiments")

    @property
    def small_board(self) -> bool:
        """NVIDIA's kernel for its small boards (Jetson) runs, maybe below a container."""
        return "tegra" in self.os.version or "-l4t-" in self.os.version

    @property
    def driver_from(self) -> DriverFrom:
        """Who brings the driver where none is installed in this system itself; "" where one is."""
        if self.os.wsl or self.os.container:
            return "wsl" if self.os.wsl else "container"
        if any(gpu.virtualization == "vgpu" for gpu in self.gpus):
            return "vgpu"
        # The GPU of NVIDIA's small boards isn't on the bus.
        board = self.small_board or not all(gpu.pci_bus for gpu in self.gpus)
        return "jetson" if board and self.os.family == "linux" else ""

    def in_use(self) -> Machine:
        """The same without the frameworks that nobody can use, or that don't miss cuDNN.

        Old projects leave environments behind whose Python an upgrade of the system took away. What
        ran its own convolution has a cuDNN, wherever the system's programs look; so has what passed
        its own test where the system's stopped: its activation leads to one. And CuPy opens
        cuDNN for who asks it to: beside another framework, without one of its major, nobody does.
        """
        alive = [one for one in self.pythons if one.active or not one.dead]
        others = any(f.uses_cudnn and f.name != "cupy" for e in alive for f in e.frameworks)
        meant = [c for c in self.cudnns if not c.environment and c.found_via != ("home",)]
        tests = [t for t in self.trials if t.status == "ok" and not (t.framework or t.library)]
        stops = self.trial(SYSTEM) is not None and all(t.subject != SYSTEM for t in tests)
        # Beside a framework that brings one, a test speaks for that one.
        alone = [e.id for e in alive if not any(f.brings_cudnn for f in e.frameworks)]
        apart = {t.subject: major(t.version) for t in tests if stops and t.subject in alone}

        def used(framework: Framework, where: str) -> Framework:
            origin, wants = framework.cudnn_from, major(framework.cudnn)
            tested = where in apart and wants in (0, apart[where])
            if origin == "system" and (tested or framework.name in self.ran(where)):
                origin = "bundled"
            elif origin == "system" and framework.name == "cupy" and others:
                served = any(wants in (0, copy.major) for copy in meant)
                origin = "system" if served else "none"
            return msgspec.structs.replace(framework, cudnn_from=origin)

        pythons = tuple(
            msgspec.structs.replace(
                one, frameworks=tuple(used(f, one.id) for f in one.frameworks if one in alive)
            )
            for one in self.pythons
        )
        return msgspec.structs.replace(self, pythons=pythons)

    def environment(self, subject: str) -> PythonEnvironment | None:
        """The Python environment that a subject is; ``None`` for the system."""
        return next((one for one in self.pythons if one.id == subject), None)

    def trials_of(self, subject: str) -> list[Trial]:
        """The tests of a subject that are not about one chosen copy."""
        return [one for one in self.trials if one.subject == subject and not one.library]

    def trial(self, subject: str) -> Trial | None:
        """The first of them."""
        return next(iter(self.trials_of(subject)), None)

    def ran(self, subject: str) -> frozenset[str]:
        """Names of the frameworks that ran their own convolution in an environment."""
        mine = (t for t in self.trials_of(subject) if t.framework and t.status == "ok")
        return frozenset(t.framework.partition(" ")[0] for t in mine)


def dump(machine: Machine) -> bytes:
    """JSON of a snapshot; ``load(dump(m)) == m``."""
    return msgspec.json.encode(machine)


def load(data: bytes | str) -> Machine:
    """A snapshot from its JSON.

    Raises :class:`msgspec.ValidationError` with the place of the fault, or
    :class:`msgspec.DecodeError` for what is no JSON. Unknown fields are passed over.
    """
    return msgspec.json.decode(data, type=Machine)
