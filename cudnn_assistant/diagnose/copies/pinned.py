"""Does an environment have the cuDNN package that its framework pins?"""

from __future__ import annotations

from typing import Literal

from cudnn_assistant.diagnose.needs import too_old
from cudnn_assistant.diagnose.remedies import install_packages
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Finding, Severity
from cudnn_assistant.machine import Framework, Pin
from cudnn_assistant.versions import major, numbers, short

Unmet = Literal["jit-only", "missing", "wrong-major", "differs"]


@rule("cudnn-jit-only", layer=Layer.SEARCH, provable=False)
def jit_only(ctx: Context) -> Findings:
    """The framework pins the whole cuDNN, and its environment has the small one."""
    return _unmet(ctx, "jit-only")


@rule("cudnn-package-missing", layer=Layer.SEARCH, provable=False)
def package_missing(ctx: Context) -> Findings:
    """The cuDNN package that the framework pins is not installed."""
    return _unmet(ctx, "missing")


@rule("cudnn-package-wrong-major", layer=Layer.SEARCH, provable=False)
def package_wrong_major(ctx: Context) -> Findings:
    """The package is there in another major than the framework pins."""
    return _unmet(ctx, "wrong-major")


@rule("cudnn-package-differs", layer=Layer.SEARCH, provable=False)
def package_differs(ctx: Context) -> Findings:
    """The package is there in another version than the framework pins."""
    return _unmet(ctx, "differs")


def _unmet(ctx: Context, how: Unmet) -> Findings:
    for framework in ctx.frameworks if ctx.environment is not None else ():
        for pin in framework.pins:
            if pin.satisfied is not False or "cudnn" not in pin.package or how != _how(ctx, pin):
                continue
            # The framework itself stops, whatever our small test does.
            refused = how == "jit-only" or _refuses(framework, pin) or _stands_in(ctx, pin)
            if refused or not ctx.works:
                fragile = how == "differs" and not (refused or ctx.stopped)
                yield _wrong_package(ctx, pin, "warning" if fragile else "error")


def _how(ctx: Context, pin: Pin) -> Unmet:
    if pin.has:
        same = major(pin.has) == major(pin.wants.lstrip("=~<>! "))
        return "differs" if same else "wrong-major"
    return "jit-only" if {c.flavour for c in ctx.copies} == {"jit"} else "missing"


def _wrong_package(ctx: Context, pin: Pin, severity: Severity) -> Finding:
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
