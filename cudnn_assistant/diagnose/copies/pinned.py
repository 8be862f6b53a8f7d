"""Does an environment have the cuDNN package that its framework pins?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cudnn_assistant.diagnose.needs import stopped, too_old
from cudnn_assistant.diagnose.remedies import install_packages
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Finding, Severity
from cudnn_assistant.machine import Framework, Pin
from cudnn_assistant.versions import major, numbers, short


class _Unmet(NamedTuple):
    """A pinned cuDNN package that is missing, or is there in another version."""

    pin: Pin
    refused: bool
    """The framework itself stops, whatever our small test does."""
    jit: bool
    """The small cuDNN is all there is."""

    @property
    def wrong_major(self) -> bool:
        has, wants = self.pin.has, self.pin.wants.lstrip("=~<>! ")
        return bool(has) and major(has) != major(wants)


def _unmet(ctx: Context) -> Iterator[_Unmet]:
    if ctx.environment is None:
        return
    for framework in ctx.frameworks:
        for pin in framework.pins:
            if pin.satisfied is not False or "cudnn" not in pin.package:
                continue
            jit = not pin.has and {c.flavour for c in ctx.copies} == {"jit"}
            refused = jit or _refuses(framework, pin) or _stands_in(ctx, pin)
            if refused or not ctx.works:
                yield _Unmet(pin, refused, jit)


@rule("cudnn-jit-only", layer=Layer.SEARCH, provable=False)
def jit_only(ctx: Context) -> Findings:
    """The framework pins the whole cuDNN, and its environment has the small one."""
    for unmet in _unmet(ctx):
        if unmet.jit:
            yield _wrong_package(ctx, unmet, "error")


@rule("cudnn-package-missing", layer=Layer.SEARCH, provable=False)
def package_missing(ctx: Context) -> Findings:
    """The cuDNN package that the framework pins is not installed."""
    for unmet in _unmet(ctx):
        if not unmet.pin.has and not unmet.jit:
            yield _wrong_package(ctx, unmet, "error")


@rule("cudnn-package-wrong-major", layer=Layer.SEARCH, provable=False)
def package_wrong_major(ctx: Context) -> Findings:
    """The package is there in another major than the framework pins."""
    for unmet in _unmet(ctx):
        if unmet.wrong_major:
            yield _wrong_package(ctx, unmet, "error")


@rule("cudnn-package-differs", layer=Layer.SEARCH, provable=False)
def package_differs(ctx: Context) -> Findings:
    """The package is there in another version than the framework pins."""
    for unmet in _unmet(ctx):
        if unmet.pin.has and not unmet.wrong_major:
            hard = unmet.refused or stopped(ctx.trial)
            yield _wrong_package(ctx, unmet, "error" if hard else "warning")


def _wrong_package(ctx: Context, unmet: _Unmet, severity: Severity) -> Finding:
    pin = unmet.pin
    requirement = f"{pin.package}{pin.wants}"
    return ctx.finding(
        severity,
        install_packages(ctx, requirement),
        f"{pin.package} {pin.has or '–'}; {requirement}",
        program=ctx.needs[0].who if ctx.needs else "",
        package=pin.package,
        present_version=short(pin.has),
        requirement=pin.wants,
        environment=ctx.subject,
    )


def _refuses(framework: Framework, pin: Pin) -> bool:
    """Whether the framework itself stops at a cuDNN which our small test runs with.

    PyTorch, TensorFlow and JAX compare: the minor may not be below that of their build.
    """
    built = numbers(framework.cudnn)[:2]
    there = numbers(pin.has)[:2]
    return len(built) == 2 and bool(there) and there[0] == built[0] and there < built


def _stands_in(ctx: Context, pin: Pin) -> bool:
    """Whether the pinned package is missing, and what answered in its place is too old for it."""
    return not pin.has and ctx.trial is not None and too_old(ctx.needs, ctx.trial)
