"""Are the GPU frameworks of a Python environment the right builds, and whole?

A test of cuDNN can't see these: a framework without GPU code never asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnn_assistant.compat import oldest_usable_cuda
from cudnn_assistant.diagnose import packages
from cudnn_assistant.diagnose.bringing import requirement
from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.needs import called, counts, passed, stopped
from cudnn_assistant.diagnose.remedies import FRAMEWORK_PAGES, install_packages
from cudnn_assistant.finding import Finding, Impossible, Manual, Remedy, Severity
from cudnn_assistant.machine import Framework
from cudnn_assistant.versions import major, numbers, older, short


def _alone(ctx: Context) -> bool:
    """No other Python environment has a framework that uses the GPU."""
    others = (e for e in ctx.machine.pythons if e.id != ctx.subject)
    return not any(f.gpu and counts(f) for e in others for f in e.frameworks)


def cpu_only(ctx: Context) -> Iterator[Finding]:
    """F01, F03, F08: the framework was installed without GPU code."""
    if ctx.environment is None or not ctx.machine.gpus:
        return
    builds = [f for f in ctx.frameworks if f.gpu is False and (counts(f) or asked(ctx, f))]
    for framework in builds:
        same = [f for f in builds if f.name == framework.name]
        # Two packages of one framework write the same folder: one thing to say.
        twin = framework is not same[0] or any(
            f.gpu and f.name == framework.name for f in ctx.frameworks
        )
        if twin or _dropped(ctx, framework) or (ctx.windows and framework.name == "jax"):
            continue
        severity: Severity = "error" if _alone(ctx) and not _another_gpu(ctx) else "warning"
        yield ctx.finding(
            "cpu-only-framework",
            severity,
            _gpu_build(ctx, framework),
            *(f"{f.package or f.name} {f.version}" for f in same),
            program=called(framework),
            where=ctx.subject,
        )


def asked(ctx: Context, framework: Framework) -> bool:
    """Whether its own convolution was asked for, and stopped: then it is meant for the GPU."""
    return any(
        trial.subject == ctx.subject
        and trial.framework.startswith(f"{framework.name} ")
        and trial.status != "ok"
        for trial in ctx.machine.trials
    )


def _another_gpu(ctx: Context) -> bool:
    return any(f.gpu for f in ctx.frameworks)


def _gpu_build(ctx: Context, framework: Framework) -> Remedy:
    cuda = 13 if _branch(ctx) >= 580 and _capability(ctx) >= (7, 5) else 12
    if framework.name == "jax" and not ctx.windows and framework.version:
        return install_packages(ctx, f"jax[cuda{cuda}]=={framework.version}")
    if framework.package == "tensorflow-cpu" and not ctx.windows:
        return install_packages(ctx, f"tensorflow[and-cuda]=={framework.version}")
    # The GPU builds of PyTorch and others lie on indexes of their own, one for each CUDA.
    return Manual(link=FRAMEWORK_PAGES.get(framework.name, ""))


def _branch(ctx: Context) -> int:
    return major(ctx.machine.driver.version) if ctx.machine.driver else 0


def _capability(ctx: Context) -> tuple[int, ...]:
    return numbers(ctx.gpu.compute) if ctx.gpu else (0,)


def _dropped(ctx: Context, framework: Framework) -> bool:
    return (
        ctx.windows
        and framework.name == "tensorflow"
        and numbers(framework.version) >= (2, 11)
    )  # fmt: skip


def tensorflow_on_windows(ctx: Context) -> Iterator[Finding]:
    """F02: TensorFlow 2.11 and later have no GPU code for Windows."""
    for framework in ctx.frameworks if ctx.environment is not None else ():
        if _dropped(ctx, framework) and ctx.machine.gpus:
            severity: Severity = "error" if _alone(ctx) and not _another_gpu(ctx) else "warning"
            yield ctx.finding(
                "tensorflow-on-windows",
                severity,
                Impossible(),
                f"{framework.package or framework.name} {framework.version}",
                program=called(framework),
                where=ctx.subject,
                python=ctx.environment.version if ctx.environment else "",
            )


def without_packages(ctx: Context) -> Iterator[Finding]:
    """F04, F06, L01: installed without the packages that hold the framework's CUDA and cuDNN."""
    environment = ctx.environment
    if environment is None or not ctx.machine.gpus or passed(ctx.trial):
        return
    for framework in ctx.frameworks:
        wanted = requirement(ctx.machine, ctx.compat, environment, framework)
        if not framework.uses_system_cudnn or not wanted:
            continue
        preload = framework.name == "onnxruntime"
        yield ctx.finding(
            f"{framework.name}-without-packages", "error",
            install_packages(ctx, wanted, *(_old_gpu(ctx, framework) if preload else ())),
            f"{framework.package or framework.name} {framework.version}",
            program=called(framework), where=ctx.subject,
            call="onnxruntime.preload_dlls" if preload else "",
        )  # fmt: skip


def _old_gpu(ctx: Context, framework: Framework) -> tuple[str, ...]:
    """cuDNN 9.11 and later know no GPU below 7.5; "~=9.0" of the framework would bring one."""
    if not ctx.gpu or numbers(ctx.gpu.compute) >= (7, 5):
        return ()
    return (f"nvidia-cudnn-cu{major(framework.cuda) or 12}<9.11",)


def jax_on_windows(ctx: Context) -> Iterator[Finding]:
    """F08: JAX has no GPU packages for Windows."""
    for framework in ctx.frameworks if ctx.environment is not None else ():
        if ctx.windows and framework.name == "jax" and framework.gpu is False and ctx.machine.gpus:
            severity: Severity = "error" if _alone(ctx) and not _another_gpu(ctx) else "warning"
            yield ctx.finding(
                "jax-on-windows", severity, Impossible(), f"jax {framework.version}",
                program=called(framework), where=ctx.subject,
            )  # fmt: skip


def jax_plugin(ctx: Context) -> Iterator[Finding]:
    """F08: JAX leaves out a CUDA plugin whose version isn't that of jaxlib."""
    have = {p.name: p.version for p in packages.packages_of(ctx)}
    plugins = {n: v for n, v in have.items() if re.fullmatch(r"jax-cuda\d+-plugin", n)}
    library, jax = (
        have.get("jaxlib", ""),
        next((f for f in ctx.frameworks if f.name == "jax"), None),
    )
    if not plugins or not library or jax is None:
        return
    name, version = max(plugins.items())
    parts = (name, name.replace("-plugin", "-pjrt"))
    if any(numbers(known) == numbers(library) for known in plugins.values()):
        name, version = parts[1], have.get(parts[1], "")
        if not version or numbers(version) == numbers(library):
            return
    yield ctx.finding(
        "jax-plugin-differs", "error",
        install_packages(ctx, *(f"{part}=={short(library)}" for part in parts)),
        f"{name} {version}; jaxlib {library}",
        package=name, has=version, library=library, where=ctx.subject,
    )  # fmt: skip


def no_kernels(ctx: Context) -> Iterator[Finding]:
    """H01, H03: the build has no GPU code that this GPU can run.

    Code for a lower minor of the same major family runs ("8.0" on 8.6), and PTX of any lower
    version is translated at the first start.
    """
    if ctx.gpu is None or ctx.environment is None:
        return
    for framework in ctx.frameworks:
        if not framework.gpu or has_code(ctx, framework):
            continue
        lowest = min((numbers(a.split("+")[0]) for a in framework.architectures), default=())
        young = numbers(ctx.gpu.compute) > lowest
        built = ", ".join(framework.architectures) or f"CUDA {framework.cuda}"
        yield ctx.finding(
            "gpu-too-new-for-framework" if young else "gpu-too-old-for-framework",
            "error",
            Manual(link=FRAMEWORK_PAGES.get(framework.name, "")),
            f"{ctx.gpu.name}: {ctx.gpu.compute}",
            f"{called(framework)}: {built}",
            gpu=ctx.gpu.name,
            program=called(framework),
            where=ctx.subject,
        )


def has_code(ctx: Context, framework: Framework) -> bool:
    """Whether the build has code for the GPU, or that can't be told.

    PyTorch's builds carry no PTX, so one for a CUDA that is older than the GPU has none.
    """
    compute = ctx.gpu.compute if ctx.gpu else ""
    if framework.architectures:
        return runs(compute, framework.architectures)
    oldest = oldest_usable_cuda(ctx.compat, compute)
    known = framework.name == "torch" and bool(framework.cuda and oldest)
    return not (known and older(framework.cuda, oldest))


def runs(compute: str, architectures: tuple[str, ...]) -> bool:
    """Whether code built for ``architectures`` runs on a GPU of that compute capability."""
    have = numbers(compute)
    for text in architectures:
        built = numbers(text.removesuffix("+PTX"))
        same_family = built[:1] == have[:1] and built <= have
        if same_family or (text.endswith("+PTX") and built <= have):
            return True
    return False


def bits(ctx: Context) -> Iterator[Finding]:
    """F10: cuDNN exists for 64-bit programs only."""
    environment = ctx.environment
    if environment is not None and environment.bits == 32:
        yield ctx.finding(
            "python-32-bit", "error", Manual(link="https://www.python.org/downloads/"),
            f"{environment.python}: 32", where=ctx.subject,
        )  # fmt: skip


def interpreter_gone(ctx: Context) -> Iterator[Finding]:
    """An environment outlived the Python that it was made with: an upgrade replaced that one."""
    environment = ctx.environment
    if environment is not None and environment.dead:
        yield ctx.finding(
            "environment-python-gone", "error", Manual(), environment.id, where=ctx.subject
        )


def cupy(ctx: Context) -> Iterator[Finding]:
    """F09: CuPy 14 and later don't use cuDNN at all."""
    for framework in ctx.frameworks if ctx.environment is not None else ():
        if framework.name == "cupy" and numbers(framework.version) >= (14,):
            yield ctx.finding(
                "cupy-without-cudnn", "info", Manual(), f"cupy {framework.version}",
                program=called(framework), where=ctx.subject,
            )  # fmt: skip


def two_majors(ctx: Context) -> Iterator[Finding]:
    """F07: two frameworks of one environment ask for different majors of cuDNN."""
    asked = {major(f.cudnn): f for f in ctx.frameworks if f.cudnn and f.uses_cudnn}
    if ctx.environment is None or len(asked) < 2:
        return
    severity: Severity = "error" if stopped(ctx.trial) else "warning"
    (low, one), (high, other) = min(asked.items()), max(asked.items())
    yield ctx.finding(
        "frameworks-disagree", severity, Manual(),
        *(f"{called(f)}: cuDNN {f.cudnn}" for f in asked.values()),
        one=called(one), other=called(other), low=str(low), high=str(high), where=ctx.subject,
    )  # fmt: skip


def tensorflow_216(ctx: Context) -> Iterator[Finding]:
    """F04: TensorFlow 2.16 doesn't look into the folders of the packages it brings."""
    for framework in ctx.frameworks if ctx.environment is not None else ():
        affected = framework.name == "tensorflow" and numbers(framework.version)[:2] == (2, 16)
        if affected and framework.brings_cudnn and not ctx.windows:
            yield ctx.finding(
                "tensorflow-216", "warning",
                install_packages(ctx, "tensorflow[and-cuda]==2.17.1"),
                f"tensorflow {framework.version}", program=called(framework), where=ctx.subject,
            )  # fmt: skip


def store_python(ctx: Context) -> Iterator[Finding]:
    """E13: the Python of Microsoft's Store searches for libraries in its own way."""
    environment = ctx.environment
    if (
        environment is not None
        and environment.kind == "store"
        and any(f.gpu for f in ctx.frameworks)
    ):
        severity: Severity = "warning" if stopped(ctx.trial) else "info"
        yield ctx.finding(
            "store-python", severity, Manual(link="https://www.python.org/downloads/windows/"),
            environment.python, where=ctx.subject,
        )  # fmt: skip


def arm(ctx: Context) -> Iterator[Finding]:
    """F11: Windows on ARM; few programs have GPU builds for it."""
    arm64 = ctx.windows and ctx.machine.os.architecture in ("aarch64", "arm64")
    cpu = any(f.gpu is False and counts(f) for f in ctx.frameworks)
    if arm64 and cpu and ctx.environment is not None:
        yield ctx.finding("windows-on-arm", "info", Manual(), "aarch64", where=ctx.subject)


RULES = (
    Rule(bits, ("python-32-bit",), ("F10",), provable=False),
    Rule(tensorflow_on_windows, ("tensorflow-on-windows",), ("F02",), provable=False),
    Rule(
        without_packages,
        ("tensorflow-without-packages", "jax-without-packages", "onnxruntime-without-packages"),
        ("F04", "F06", "L01"),
        provable=False,
    ),
    Rule(jax_on_windows, ("jax-on-windows",), ("F08",), provable=False),
    Rule(jax_plugin, ("jax-plugin-differs",), ("F08",), provable=False),
    Rule(arm, ("windows-on-arm",), ("F11",)),
    Rule(cpu_only, ("cpu-only-framework",), ("F01", "F03", "F08", "F15"), provable=False),
    Rule(packages.two_onnxruntimes, ("onnxruntime-twice",), ("F05",), provable=False),
    Rule(
        no_kernels,
        ("gpu-too-new-for-framework", "gpu-too-old-for-framework"),
        ("H01", "H03"),
        provable=False,
    ),
    *packages.RULES[1:],
    Rule(two_majors, ("frameworks-disagree",), ("F07",)),
    Rule(tensorflow_216, ("tensorflow-216",), ("F04",)),
    Rule(store_python, ("store-python",), ("E13",)),
    Rule(cupy, ("cupy-without-cudnn",), ("F09",)),
)

FIRST = (Rule(interpreter_gone, ("environment-python-gone",), (), provable=False),)
"""What has to be well before anything else in an environment matters."""
