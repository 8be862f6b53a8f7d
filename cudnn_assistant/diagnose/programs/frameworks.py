"""Are the GPU frameworks of a Python environment the right builds, and whole?

A test of cuDNN can't see these: a framework without GPU code never asks for it.
"""

from __future__ import annotations

from cudnn_assistant.compat import without_cudnn_since
from cudnn_assistant.diagnose.remedies import install_packages
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Manual
from cudnn_assistant.versions import major, numbers, older
from cudnn_assistant.wording.products import called


@rule("environment-python-gone", layer=Layer.START, provable=False)
def interpreter_gone(ctx: Context) -> Findings:
    """An environment outlived the Python that it was made with: an upgrade replaced that one."""
    environment = ctx.environment
    if environment is not None and environment.dead:
        yield ctx.error(Manual(), environment.id, environment=ctx.subject)


@rule("frameworks-disagree", layer=Layer.FRAMEWORK)
def two_majors(ctx: Context) -> Findings:
    """Two frameworks of one environment ask for different majors of cuDNN."""
    asked = {major(f.cudnn): f for f in ctx.frameworks if f.cudnn and f.uses_cudnn}
    if ctx.environment is None or len(asked) < 2:
        return
    (low, one), (high, other) = min(asked.items()), max(asked.items())
    yield ctx.finding(
        "error" if ctx.stopped else "warning",
        Manual(),
        *(f"{called(f)}: cuDNN {f.cudnn}" for f in asked.values()),
        one=called(one),
        other=called(other),
        lower_major=low,
        higher_major=high,
        environment=ctx.subject,
    )


@rule("tensorflow-216", layer=Layer.FRAMEWORK)
def tensorflow_216(ctx: Context) -> Findings:
    """TensorFlow 2.16 doesn't look into the folders of the packages it brings."""
    for framework in ctx.frameworks if ctx.environment is not None else ():
        affected = framework.name == "tensorflow" and numbers(framework.version)[:2] == (2, 16)
        if affected and framework.brings_cudnn and not ctx.windows:
            yield ctx.warning(
                install_packages(ctx, "tensorflow[and-cuda]==2.17.1"),
                f"tensorflow {framework.version}",
                program=called(framework),
                environment=ctx.subject,
            )


@rule("store-python", layer=Layer.FRAMEWORK)
def store_python(ctx: Context) -> Findings:
    """The Python of Microsoft's Store searches for libraries in its own way."""
    environment = ctx.environment
    if environment and environment.kind == "store" and any(f.gpu for f in ctx.frameworks):
        yield ctx.finding(
            "warning" if ctx.stopped else "info",
            Manual(link="https://www.python.org/downloads/windows/"),
            environment.python,
            environment=ctx.subject,
        )


@rule("cupy-without-cudnn", layer=Layer.FRAMEWORK)
def cupy(ctx: Context) -> Findings:
    """Newer CuPy doesn't use cuDNN at all."""
    since = without_cudnn_since(ctx.compat, "cupy", ctx.machine.os.family)
    for framework in ctx.frameworks if ctx.environment is not None and since else ():
        known = framework.name == "cupy" and framework.version
        if known and not older(framework.version, since):
            facts = Facts(program=called(framework), environment=ctx.subject)
            yield ctx.note(Manual(), f"cupy {framework.version}", **facts)
