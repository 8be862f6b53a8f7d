"""Does an environment have the cuDNN package that its framework pins?"""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.needs import stopped, too_old
from cudnn_assistant.diagnose.remedies import install_packages
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import Framework, Pin
from cudnn_assistant.versions import major, numbers, short


def pins(ctx: Context) -> Iterator[Finding]:
    """L01, L02, L03, L31, F12: the framework pins another cuDNN than its environment has."""
    if ctx.environment is None:
        return
    for framework in ctx.frameworks:
        for pin in framework.pins:
            if pin.satisfied is not False or "cudnn" not in pin.package:
                continue
            small = not pin.has and {c.flavour for c in ctx.copies} == {"jit"}
            refused = small or _refuses(framework, pin) or _stands_in(ctx, pin)
            if ctx.works and not refused:
                continue
            requirement = f"{pin.package}{pin.wants}"
            wrong = bool(pin.has) and major(pin.has) != major(pin.wants.lstrip("=~<>! "))
            code = "cudnn-package-wrong-major" if wrong else "cudnn-package-differs"
            if not pin.has:
                code = "cudnn-jit-only" if small else "cudnn-package-missing"
            yield ctx.finding(
                code,
                "error" if wrong or refused or not pin.has or stopped(ctx.trial) else "warning",
                install_packages(ctx, requirement),
                f"{pin.package} {pin.has or '–'}; {requirement}",
                program=ctx.needs[0].who if ctx.needs else "",
                package=pin.package,
                has=short(pin.has),
                wants=pin.wants,
                where=ctx.subject,
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


RULES = (
    Rule(
        pins,
        (
            "cudnn-package-missing",
            "cudnn-package-wrong-major",
            "cudnn-package-differs",
            "cudnn-jit-only",
        ),
        ("L01", "L02", "L03", "L31"),
        provable=False,
    ),
)
