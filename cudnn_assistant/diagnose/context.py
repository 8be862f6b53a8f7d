"""What a rule may ask: one computer as one subject's programs see it.

A rule is a pure function from a :class:`Context` to findings. It looks at facts only; a fact
that could not be read is unknown, and a rule that needs it says nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Unpack

from cudnn_assistant.diagnose.computer import Computer
from cudnn_assistant.diagnose.needs import Need, highest_by_major, meets, need_of, passed, stopped
from cudnn_assistant.diagnose.pip_extras import requirement
from cudnn_assistant.finding import Automatic, Evidence, Facts, Finding, Manual, Remedy, Severity
from cudnn_assistant.machine import (
    SYSTEM,
    CudnnCopy,
    Framework,
    Gpu,
    Library,
    Package,
    PythonEnvironment,
    Trial,
)
from cudnn_assistant.versions import numbers


class Context(Computer, frozen=True, dict=True):
    """One computer, the compatibility data, and the subject to judge."""

    subject: str = SYSTEM

    # -- the subject ---------------------------------------------------------------------------

    @cached_property
    def environment(self) -> PythonEnvironment | None:
        """The Python environment that is the subject; ``None`` for the system."""
        return self.machine.environment(self.subject)

    @property
    def packages(self) -> tuple[Package, ...]:
        """The packages of the subject's environment."""
        return self.environment.packages if self.environment else ()

    @cached_property
    def frameworks(self) -> tuple[Framework, ...]:
        """The subject's frameworks; of the system: those that take cuDNN from it."""
        if self.environment is not None:
            return self.environment.frameworks
        return tuple(f for f, _where in self.system_users)

    @cached_property
    def unproven(self) -> list[Framework]:
        """Those that didn't run a convolution of their own: something may be in the way."""
        return [f for f in self.frameworks if f.name not in self.machine.ran(self.subject)]

    @cached_property
    def trial(self) -> Trial | None:
        """The subject's test of cuDNN itself, not one inside a framework."""
        mine = self.machine.trials_of(self.subject)
        return next((t for t in mine if not t.framework), None)

    @property
    def stopped(self) -> Trial | None:
        """The same where it ran and did not get to its end."""
        return self.trial if stopped(self.trial) else None

    def stopped_tests(self) -> tuple[Trial, ...]:
        """The same for rules: where somebody needs what it tests, and no framework passed."""
        spare = not self.needs and self.environment is None
        return (self.stopped,) if self.stopped and not self.framework_passed and not spare else ()

    def whatever_stopped(self) -> tuple[Trial, ...]:
        """The same, else the tests inside frameworks that no setting helped."""
        inside = (t for t in self.framework_trials if stopped(t) and not t.helped_by)
        return self.stopped_tests() or tuple(inside)

    @property
    def framework_trials(self) -> tuple[Trial, ...]:
        """Tests inside the subject's frameworks that took place."""
        mine = (t for t in self.machine.trials_of(self.subject) if t.framework)
        return tuple(t for t in mine if t.status != "not-run")

    def tests_in(self, framework: Framework) -> list[Trial]:
        """Those inside one framework; it told its version where it could be imported."""
        mine = self.machine.trials_of(self.subject)
        return [t for t in mine if t.framework.partition(" ")[0] == framework.name]

    @property
    def framework_passed(self) -> bool:
        """Each framework that was asked ran its convolution, whatever else may be wrong."""
        return bool(self.framework_trials) and all(map(passed, self.framework_trials))

    @property
    def works(self) -> bool:
        """The subject's test passed, and with a cuDNN that all its programs can use.

        The framework has the last word, where it was asked.
        """
        if self.environment is not None:
            return self.framework_passed if self.framework_trials else passed(self.trial)
        return passed(self.trial) and all(self.met(need) for need in self.needs)

    def met(self, need: Need) -> bool:
        """A test passed with what this need asks for: the subject's, or that of who asks."""
        theirs = self.machine.trial(need.where)
        return meets(self.trial, need) or (bool(need.where) and meets(theirs, need))

    def stopped_alone(self, gpu: Gpu) -> bool:
        """A test stopped on this GPU, and one passed on another."""
        mine = [t for t in self.machine.trials if t.gpu == gpu.uuid and not t.library]
        return self.runs and any(map(stopped, mine)) and not any(map(passed, mine))

    @cached_property
    def system_users(self) -> tuple[tuple[Framework, str], ...]:
        """Frameworks that take cuDNN from the system, with their environments.

        Not those that could bring it as packages and find none on the system: they are told to.
        """
        return tuple(
            (f, e.id)
            for e in self.machine.pythons
            for f in e.frameworks
            if f.uses_system_cudnn and not requirement(self, e, f)
        )

    @cached_property
    def needs(self) -> tuple[Need, ...]:
        """What the subject's programs ask of cuDNN: one entry for each major."""
        if self.environment is None:
            found = [need_of(f, where) for f, where in self.system_users]
            return highest_by_major(found) or ((Need(),) if self.wanted or self.copies else ())
        return highest_by_major(
            [need_of(f, self.subject) for f in self.environment.frameworks if f.brings_cudnn]
        )

    @property
    def who(self) -> Facts:
        """Who asks for cuDNN first."""
        need = self.needs[0] if self.needs else Need()
        return Facts(program=need.who, environment=need.where)

    @cached_property
    def wanted(self) -> bool:
        """Whether somebody misses a cuDNN of the system when there is none.

        A framework takes it from there, or no Python environment has one meant for the GPU.
        """
        return bool(self.system_users) or not any(e.meant_for_gpu for e in self.machine.pythons)

    @property
    def serious(self) -> Severity:
        """How much trouble with the subject's cuDNN matters: for a spare copy it is a note."""
        return "error" if self.environment is not None or self.wanted else "info"

    @property
    def lesser(self) -> Severity:
        """The same of what has done no harm yet."""
        return "warning" if self.serious == "error" else "info"

    # -- the hardware --------------------------------------------------------------------------

    @property
    def gpu(self) -> Gpu | None:
        """The GPU that the subject's test used, else the first that programs are given, which is
        the most capable one where CUDA doesn't say."""
        trial = self.trial
        used = next((g for g in self.gpus if trial and trial.gpu and g.uuid == trial.gpu), None)
        first = next((g for g in self.gpus if g.cuda_index == 0), None)
        return used or first or max(self.gpus, key=lambda g: numbers(g.compute), default=None)

    @property
    def compute(self) -> str:
        """The compute capability of that GPU, "" where it isn't known."""
        return self.gpu.compute if self.gpu else ""

    # -- libraries -----------------------------------------------------------------------------

    @cached_property
    def copies(self) -> tuple[CudnnCopy, ...]:
        """cuDNN copies that are the subject's: its environment's, or those of no environment."""
        mine = "" if self.environment is None else self.subject
        own = (c for c in self.machine.cudnns if c.environment == mine)
        return tuple(c for c in own if mine or set(c.found_via) != {"bundled"})

    @cached_property
    def winner(self) -> CudnnCopy | None:
        """The copy that the subject's programs load, as measured; ``None``: unknown or none."""
        for copy in self.machine.cudnns:
            if self.subject in copy.wins_for:
                return copy
        folder = self.key(self.parent(self.trial.loaded)) if self.trial else ""
        here = (c for c in self.machine.cudnns if folder and self.key(c.folder) == folder)
        return next(here, None)

    def loadable(self, library: Library) -> bool:
        """Whether a program of the subject would find that file."""
        if self.environment is not None and self.belongs(library.path, self.environment):
            return True
        return self.finds(library)

    @property
    def cublas_majors(self) -> set[int]:
        """The CUDA majors of the cuBLAS that the subject's programs find."""
        return {lib.major for lib in self.libraries("cublasLt") if lib.major and self.loadable(lib)}

    # -- saying it -----------------------------------------------------------------------------

    def finding(
        self,
        severity: Severity,
        remedy: Remedy,
        *evidence: Evidence,
        sure: bool = True,
        **facts: Unpack[Facts],
    ) -> Finding:
        """A finding about this subject, to which its rule gives the code.

        Empty lines of evidence are left out. A note never asks for a change, so that mending
        something else doesn't touch it. An environment's says where that is.
        """
        if severity == "info" and isinstance(remedy, Automatic):
            remedy = Manual()
        if self.environment is not None:
            facts.setdefault("environment", self.subject)
        return Finding(
            code="",
            severity=severity,
            subject=self.subject,
            sure=sure,
            facts=facts,
            evidence=tuple(text for text in evidence if text),
            remedy=remedy,
        )

    def error(
        self, remedy: Remedy, *evidence: Evidence, sure: bool = True, **facts: Unpack[Facts]
    ) -> Finding:
        """A finding that keeps cuDNN from working."""
        return self.finding("error", remedy, *evidence, sure=sure, **facts)

    def trouble(
        self, remedy: Remedy, *evidence: Evidence, sure: bool = True, **facts: Unpack[Facts]
    ) -> Finding:
        """A finding that is as serious as trouble with the subject's cuDNN is."""
        return self.finding(self.serious, remedy, *evidence, sure=sure, **facts)

    def warning(self, remedy: Remedy, *evidence: Evidence, **facts: Unpack[Facts]) -> Finding:
        """A finding of what is fragile or slow."""
        return self.finding("warning", remedy, *evidence, **facts)

    def note(self, remedy: Remedy, *evidence: Evidence, **facts: Unpack[Facts]) -> Finding:
        """A finding that is worth knowing."""
        return self.finding("info", remedy, *evidence, **facts)
