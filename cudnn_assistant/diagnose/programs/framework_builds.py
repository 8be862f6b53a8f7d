"""Are the frameworks of a Python environment builds for the GPU, and for this one?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from cudnn_assistant import compat
from cudnn_assistant.compat import oldest_usable_cuda
from cudnn_assistant.diagnose.needs import passed, stopped
from cudnn_assistant.diagnose.pip_extras import OF_CUDA, requirement
from cudnn_assistant.diagnose.programs.packages import overwritten
from cudnn_assistant.diagnose.remedies import (
    cuda_majors,
    install_build,
    install_packages,
    makers_page,
    of_conda,
    usual_cuda,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Facts, Having, Impossible, Manual, Remedy, Severity
from cudnn_assistant.machine import Framework, Gpu, Package
from cudnn_assistant.versions import major, numbers, older, short
from cudnn_assistant.wording.products import called, titled


@rule("python-32-bit", layer=Layer.FRAMEWORK, provable=False)
def bits(ctx: Context) -> Findings:
    """CuDNN exists for 64-bit programs only."""
    environment = ctx.environment
    if environment is not None and environment.bits == 32:
        page = Manual(link="https://www.python.org/downloads/")
        yield ctx.error(page, f"{environment.python}: 32")


@family(
    {"tensorflow-on-windows": "tensorflow", "jax-on-windows": "jax"},
    layer=Layer.FRAMEWORK,
    provable=False,
)
def not_on_windows(ctx: Context, name: str) -> Findings:
    """TensorFlow 2.11 and later have no GPU code for Windows, and JAX no GPU packages for it."""
    for framework in ctx.frameworks if ctx.environment and ctx.machine.gpus else ():
        if framework.name == name and _dropped(ctx, framework):
            yield ctx.finding(
                _weight(ctx),
                Impossible(),
                f"{framework.package or framework.name} {framework.version}",
                program=called(framework),
            )


@rule("tensorflow-216", layer=Layer.FRAMEWORK)
def tensorflow_216(ctx: Context) -> Findings:
    """TensorFlow 2.16 doesn't look into the folders of the packages it brings."""
    for framework in ctx.unproven if ctx.environment is not None else ():
        affected = framework.name == "tensorflow" and numbers(framework.version)[:2] == (2, 16)
        if affected and framework.brings_cudnn and not ctx.windows:
            yield ctx.finding(
                "error" if any(map(stopped, ctx.tests_in(framework))) else "warning",
                install_packages(ctx, "tensorflow[and-cuda]==2.17.1"),
                f"tensorflow {framework.version}",
                program=called(framework),
            )


@family(
    {
        "tensorflow-without-packages": "tensorflow",
        "jax-without-packages": "jax",
        "onnxruntime-without-packages": "onnxruntime",
    },
    layer=Layer.FRAMEWORK,
    provable=False,
)
def without_packages(ctx: Context, name: str) -> Findings:
    """A framework was installed without the packages that hold its CUDA and cuDNN.

    ONNX Runtime has to be told of them besides.
    """
    call = "onnxruntime.preload_dlls" if name == "onnxruntime" else ""
    environment = ctx.environment
    if environment is None or not ctx.machine.gpus:
        return
    for framework in ctx.frameworks:
        wanted = requirement(ctx, environment, framework)
        # Of its packages there may be some, with that of cuDNN among them.
        asked = [t.missing for t in ctx.tests_in(framework) if not t.helped_by]
        lost = list(filter(OF_CUDA.match, asked))
        lacks = lost or (framework.uses_system_cudnn and not passed(ctx.trial))
        if framework.name == name and lacks and wanted:
            yield ctx.error(
                install_packages(ctx, wanted, *(_old_gpu(ctx, framework) if call else ())),
                f"{framework.package or framework.name} {framework.version}",
                *lost,
                program=called(framework),
                call=call,
            )


def _old_gpu(ctx: Context, framework: Framework) -> tuple[str, ...]:
    """Where newer releases dropped the GPU; "~=9.0" of the framework would bring one of them."""
    limit = compat.first_cudnn_without(ctx.compat, ctx.compute)
    package = compat.cudnn_package(ctx.compat, major(framework.cuda))
    return (f"{package}<{limit}",) if limit else ()


@rule("jax-plugin-differs", layer=Layer.FRAMEWORK, provable=False)
def jax_plugin(ctx: Context) -> Findings:
    """JAX leaves out a CUDA plugin whose version isn't that of jaxlib."""
    have = {p.name: p.version for p in ctx.packages}
    plugins = {n: v for n, v in have.items() if re.fullmatch(r"jax-cuda\d+-plugin", n)}
    library = have.get("jaxlib", "")
    if not plugins or not library or not any(f.name == "jax" for f in ctx.unproven):
        return
    name, version = max(plugins.items())
    parts = (name, name.replace("-plugin", "-pjrt"))
    if any(numbers(known) == numbers(library) for known in plugins.values()):
        name, version = parts[1], have.get(parts[1], "")
        if not version or numbers(version) == numbers(library):
            return
    facts = Facts(package=name, present_version=version, library=library)
    yield ctx.error(
        install_packages(ctx, *(f"{part}=={short(library)}" for part in parts)),
        f"{name} {version}; jaxlib {library}",
        **facts,
    )


@rule("windows-on-arm", layer=Layer.FRAMEWORK)
def arm(ctx: Context) -> Findings:
    """Windows on ARM; few programs have GPU builds for it."""
    arm64 = ctx.windows and ctx.machine.os.architecture in ("aarch64", "arm64")
    cpu = any(f.gpu is False and f.expected_on_gpu for f in ctx.frameworks)
    if arm64 and cpu and ctx.environment is not None:
        yield ctx.note(Manual(), "aarch64")


@rule("cpu-only-framework", layer=Layer.FRAMEWORK, provable=False)
def cpu_only(ctx: Context) -> Findings:
    """The framework was installed without GPU code."""
    for framework, *same in _cpu_builds(ctx):
        yield ctx.finding(
            _weight(ctx),
            _gpu_build(ctx, framework),
            *(f"{f.package or f.name} {f.version}" for f in (framework, *same)),
            program=called(framework),
            made_for=_other_maker(framework),
        )


def _other_maker(framework: Framework) -> str:
    """Whose GPUs a build without code for NVIDIA's is for; "" where it is for the processor."""
    build = f"{framework.package} {framework.version}"
    makers = {"rocm": "AMD", "xpu": "Intel"}
    return next((maker for sign, maker in makers.items() if sign in build), "")


def _cpu_builds(ctx: Context) -> Iterator[list[Framework]]:
    """Builds for the processor that are meant for the GPU, and could be.

    Two packages of one framework write the same folder: one thing to say.
    """
    if ctx.environment is None or not ctx.machine.gpus:
        return
    # One whose own convolution was asked for, and stopped, is meant for the GPU.
    builds = [
        f
        for f in ctx.unproven
        if f.gpu is False and (f.expected_on_gpu or any(map(stopped, ctx.tests_in(f))))
    ]
    for name in dict.fromkeys(f.name for f in builds):
        same = [f for f in builds if f.name == name]
        twin = any(f.gpu and f.name == name for f in ctx.frameworks)
        if not (twin or _dropped(ctx, same[0])):
            yield same


def _weight(ctx: Context) -> Severity:
    """An error where nothing else uses the GPU: nothing in this environment, and no other one,
    unless the person has chosen this one of them in the terminal; conda's base comes by itself."""
    mine, default = ctx.environment, ctx.machine.variable("CONDA_DEFAULT_ENV", "process")
    base = mine is not None and mine.kind == "conda" and default and default.value.text == "base"
    chosen = mine is not None and mine.active and mine.activated and not base
    others = [] if chosen else [f for e in ctx.machine.pythons for f in e.frameworks]
    known = (*ctx.frameworks, *(f for f in others if f.expected_on_gpu))
    return "warning" if any(f.gpu for f in known) else "error"


def _gpu_build(ctx: Context, framework: Framework) -> Remedy:
    if _weight(ctx) == "warning":
        # Another environment uses the GPU: this one may well be meant for the processor.
        return makers_page(framework.name)
    if conda := of_conda(ctx, framework):
        return conda
    if framework.name == "jax" and not ctx.windows and framework.version:
        return install_packages(ctx, f"jax[cuda{usual_cuda(ctx)}]=={framework.version}")
    if framework.package == "tensorflow-cpu" and not ctx.windows:
        return install_packages(ctx, f"tensorflow[and-cuda]=={framework.version}")
    # The GPU builds of PyTorch lie on indexes of their own, one for each CUDA.
    return install_build(ctx, framework)


def _dropped(ctx: Context, framework: Framework) -> bool:
    """Whether there is no build of it for the GPU on Windows."""
    if ctx.windows and framework.name == "jax":
        return framework.gpu is False
    since = compat.without_gpu_since(ctx.compat, "tensorflow", "windows")
    later = bool(since and framework.version) and not older(framework.version, since)
    return ctx.windows and framework.name == "tensorflow" and later


@rule("framework-twice", layer=Layer.FRAMEWORK, provable=False)
def twice(ctx: Context) -> Findings:
    """Packages of one framework write the same folder; the one installed last wins."""
    for name, found in overwritten(ctx).items():
        keep = max(found, key=lambda package: _preference(ctx, package))
        if not any(_preference(ctx, keep)) or name in ctx.machine.ran(ctx.subject):
            continue
        others = tuple(p.name for p in found if p is not keep)
        works = any(f.name == name and f.gpu for f in ctx.frameworks)
        yield ctx.finding(
            "warning" if works else "error",
            install_packages(ctx, f"{keep.name}=={keep.version}", remove=others),
            *(f"{p.name} {p.version}" for p in found),
            program=titled(name),
            kept_package=keep.name,
            other=others,
        )


def _preference(ctx: Context, package: Package) -> tuple[bool, bool, int]:
    """What is made for NVIDIA GPUs is kept; of several, for the newest CUDA that runs here."""
    cuda = re.search(r"-cuda(\d+)", package.name)
    major = int(cuda[1][:2]) if cuda else 0  # "cuda11x", and "cuda110" before
    return package.name.endswith("-gpu"), major in cuda_majors(ctx), major


@family(
    {"gpu-too-new-for-framework": True, "gpu-too-old-for-framework": False},
    layer=Layer.START,
    provable=False,
)
def no_code(ctx: Context, younger: bool) -> Findings:
    """The build has no code for the GPU, which is younger than it, or older than it supports.

    Code for a lower minor of the same major family runs ("8.0" on 8.6), and PTX of any lower
    version is translated at the first start. Another build brings its own CUDA and cuDNN, so that
    nothing of these is worth a look before.
    """
    builds = (f for f in ctx.unproven if f.gpu and ctx.environment)
    given = [g for g in ctx.gpus if g == ctx.gpu or g.cuda_index is not None]
    for framework, gpu in product(builds, given):
        code = _code(ctx, framework)
        lowest = min((numbers(one.split("+")[0]) for one in code), default=_oldest(ctx, framework))
        if _has_code(ctx, framework, gpu) or (numbers(gpu.compute) > lowest) is not younger:
            continue
        listed = _builds(ctx, framework)
        others = (b.cuda for b in listed if compat.runs_kernels(b.compute, gpu.compute))
        # Another GPU than the one that programs are given is theirs to choose.
        yield ctx.finding(
            "error" if gpu == ctx.gpu else "info",
            install_build(ctx, framework) if gpu == ctx.gpu else makers_page(framework.name),
            f"{gpu.name}: {gpu.compute}",
            Having(what=called(framework), names=tuple(code) or (f"CUDA {framework.cuda}",)),
            gpu=gpu.name,
            program=called(framework),
            cuda=max(others, key=numbers, default=""),
            oldest_cuda=oldest_usable_cuda(ctx.compat, gpu.compute),
        )


def _builds(ctx: Context, framework: Framework) -> tuple[compat.FrameworkRelease, ...]:
    """The listed builds of the very release of a framework, for each CUDA."""
    family = ctx.machine.os.family
    listed = compat.framework_builds(ctx.compat, framework.name, framework.version, family)
    release = numbers(framework.version.split("+")[0])
    return tuple(one for one in listed if numbers(one.version) == release)


def _code(ctx: Context, framework: Framework) -> tuple[str, ...]:
    """Compute capabilities that a build has code for: by its files, else as it is listed."""
    same = (b for b in _builds(ctx, framework) if b.cuda == framework.cuda and framework.cuda)
    listed = {one for build in same for one in build.compute}
    return framework.architectures or tuple(sorted(listed))


def _oldest(ctx: Context, framework: Framework) -> tuple[int, ...]:
    """Compute capability of the oldest GPU that the build's CUDA runs on; () where unknown."""
    return numbers(compat.oldest_gpu(ctx.compat, str(major(framework.cuda))))


def _has_code(ctx: Context, framework: Framework, gpu: Gpu) -> bool:
    """Whether the build has code for the GPU, or that can't be told.

    PyTorch's builds carry no PTX, so one for a CUDA that is older than the GPU has none.
    """
    if code := _code(ctx, framework):
        # Where it says that it has none, what is listed to be translated for the GPU isn't.
        said = (t.detail for t in ctx.tests_in(framework) if gpu == ctx.gpu)
        refused = any("no kernel image" in detail for detail in said)
        listed = (one.removesuffix("+PTX") if refused else one for one in code)
        return compat.runs_kernels(tuple(listed), gpu.compute)
    if numbers(gpu.compute) < _oldest(ctx, framework):
        return False
    oldest = oldest_usable_cuda(ctx.compat, gpu.compute)
    known = framework.name == "torch" and bool(framework.cuda and oldest)
    return not (known and older(framework.cuda, oldest))
