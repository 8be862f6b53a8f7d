"""Are the packages and frameworks of a Python environment whole, and do they get along?"""

from __future__ import annotations

import re

from cudnn_assistant.compat import cudnn_package, without_cudnn_since
from cudnn_assistant.diagnose.needs import stopped
from cudnn_assistant.diagnose.remedies import cuda_majors, install_packages
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Finding, Having, Manual, Severity
from cudnn_assistant.machine import Package
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import major, numbers, older, series
from cudnn_assistant.wording.products import called

_SAME_FOLDER = {
    "onnxruntime": regex(r"onnxruntime(-gpu|-directml|-openvino|-qnn|-rocm|-migraphx|-training)?"),
    "cupy": regex(r"cupy(-cuda\d+x?|-rocm-[\d-]+)?"),
    "cudnn": regex(r"nvidia-cudnn-cu\d+"),
}
"""What has several packages that all own the same folder, and the names of those."""


def overwritten(ctx: Context) -> dict[str, list[Package]]:
    """What has more than one such package: whichever came last lies over the others."""
    named = {
        what: [p for p in ctx.packages if names.fullmatch(p.name)]
        for what, names in _SAME_FOLDER.items()
    }
    return {what: found for what, found in named.items() if len(found) > 1}


@rule("two-cudnn-packages", layer=Layer.INTEGRITY)
def two_cudnn_packages(ctx: Context) -> Findings:
    """Two nvidia-cudnn packages write the same folder."""
    found = overwritten(ctx).get("cudnn")
    if not found or ctx.works:
        return
    pinned = next((p for f in ctx.frameworks for p in f.pins if "cudnn" in p.package), None)
    keep = next((p for p in found if pinned and p.name == pinned.package), found[-1])
    drop = [p.name for p in found if p.name != keep.name]
    remedy = install_packages(ctx, f"{keep.name}=={keep.version}", remove=tuple(drop))
    severity: Severity = "error" if ctx.stopped else "warning"
    facts = Facts(kept_package=keep.name, other=tuple(drop))
    yield ctx.finding(severity, remedy, *(f"{p.name} {p.version}" for p in found), **facts)


@rule("package-changed", layer=Layer.INTEGRITY)
def changed(ctx: Context) -> Findings:
    """Libraries are not those that their packages brought: their size is another.

    Some people make files smaller on purpose, so that nothing is wrong where all runs.
    """
    parts = {p.file for c in ctx.copies for p in c.damaged}
    told = [p for found in overwritten(ctx).values() for p in found]
    off = [p for p in ctx.packages if p.changed and not parts.issuperset(p.changed)]
    off = [p for p in off if p not in told]
    if not off:
        return
    files = list(dict.fromkeys(name for p in off for name in p.changed))
    trials = [t for t in (ctx.trial, *ctx.framework_trials) if t is not None and stopped(t)]
    said = " ".join(f"{t.missing} {t.detail} {t.output}" for t in trials)
    yield ctx.finding(
        "error" if trials else "info",
        install_packages(ctx, *(f"{p.name}=={p.version}" for p in off)),
        *(Having(what=f"{p.name} {p.version}", names=p.changed[:8]) for p in off),
        sure=any(name in said for name in files),
        package=tuple(f"{p.name} {p.version}" for p in off),
        file=tuple(files[:4]),
        count=len(files),
    )


@rule("package-incomplete", layer=Layer.FRAMEWORK, provable=False)
def incomplete(ctx: Context) -> Findings:
    """Packages' own records list library files that are gone."""
    told: dict[Severity, list[Package]] = {"error": [], "warning": [], "info": []}
    for package in ctx.packages:
        asked = any(t.missing in package.missing for t in ctx.framework_trials)
        record_only = _unimportable(ctx, package)
        gone = package.files_missing > 0 and not _parts_of_a_copy(ctx, package)
        if not (gone or record_only):
            continue
        slimmed = bool(package.missing) and all(map(_SPARE.match, package.missing))
        stops = ctx.stopped and not slimmed
        hard = stops or asked or record_only or _torch_lacks(ctx, package)
        told["error" if hard else "info" if slimmed else "warning"].append(package)
    return (lacking(ctx, severity, *found) for severity, found in told.items() if found)


_SPARE = regex(
    r"(?:lib)?(?:nvblas|cufftw|cusolverMg|cupti_|pcsamplingutil|nvperf|nvrtc-?builtins[._]alt"
    r"|nvrtc\.alt|nvrtc64_\d+_\d+\.alt|cufile_rdma|accinj|cuinj|checkpoint)"
)
"""Libraries of NVIDIA's packages that people take out to save space: none starts them by itself."""


def _parts_of_a_copy(ctx: Context, package: Package) -> bool:
    """Whether what is gone are parts of a copy of cuDNN, of which those rules tell better."""
    parts = {p.file for c in ctx.copies for p in c.damaged}
    return bool(package.missing) and parts.issuperset(package.missing)


def _unimportable(ctx: Context, package: Package) -> bool:
    """Whether Python finds nothing to import of the framework that the package is a record of."""
    mine = (f for f in ctx.frameworks if package.name in (f.name, f.package))
    return any(t.missing.split(".")[0] == f.name for f in mine for t in ctx.tests_in(f))


_LINKED = {"cublas": ("cublas", "cublasLt"), "cuda-runtime": ("cudart",)}
"""Libraries of packages that PyTorch is linked with: without one it can't even be imported."""


def _torch_lacks(ctx: Context, package: Package) -> bool:
    names = next((v for key, v in _LINKED.items() if key in package.name), ())
    linked = any(f.name == "torch" and f.gpu for f in ctx.frameworks) and not ctx.windows
    there = {name for name in names for lib in ctx.libraries(name) if ctx.loadable(lib)}
    return linked and not there.issuperset(names)


def lacking(ctx: Context, severity: Severity, *found: Package) -> Finding:
    """Packages that are installed by their records, and their files are gone."""
    facts = Facts(package=tuple(p.name for p in found))
    if severity == "info":
        files = [name for package in found for name in package.missing]
        facts |= {"lacking": "spare", "missing_files": tuple(files[:8])}
    elif count := sum(package.files_missing for package in found):
        facts |= {"count": count}
    else:
        facts |= {"lacking": "record"}
    told = {f"{p.name} {p.version}": p.missing[:8] or (str(p.files_missing or "–"),) for p in found}
    return ctx.finding(
        severity,
        install_packages(ctx, *(f"{p.name}=={p.version}" for p in found)),
        *(Having(what=what, names=names) for what, names in told.items()),
        **facts,
    )


def reserved(package: Package) -> bool:
    """Whether a package of NVIDIA's holds nothing but its name."""
    return package.name.startswith("nvidia-") and numbers(package.version)[:2] == (0, 0)


@rule("framework-needs-packages", layer=Layer.FRAMEWORK, provable=False)
def pins(ctx: Context) -> Findings:
    """A CUDA package differs from what the framework asks for."""
    if ctx.environment is None:
        return
    for framework in ctx.unproven:
        off = [p for p in framework.pins if p.satisfied is False and "cudnn" not in p.package]
        if not off or (ctx.works and all(p.has for p in off)):
            continue
        # PyTorch is linked with the files of its packages: without one it can't even be imported.
        linked = framework.name == "torch" and not all(p.has for p in off)
        stops = ctx.stopped or any(map(stopped, ctx.tests_in(framework)))
        yield ctx.finding(
            "error" if linked or stops else "warning",
            install_packages(ctx, *(f"{p.package}{p.wants}" for p in off)),
            *(f"{p.package}{p.wants}: {p.has or '–'}" for p in off),
            sure=bool(linked or ctx.stopped or not stops),
            program=called(framework),
            package=off[0].package,
            count=len(off),
        )


@rule("placeholder-package", layer=Layer.FRAMEWORK)
def placeholder(ctx: Context) -> Findings:
    """A package of NVIDIA's that only reserves its name and holds no library."""
    for package in ctx.packages:
        if not reserved(package):
            continue
        cuda = next(iter(cuda_majors(ctx)), 0)
        real = re.sub(r"-cu\d+$", "", package.name)
        if "cudnn" in package.name:
            real = cudnn_package(ctx.compat, cuda)
        evidence = f"{package.name} {package.version}"
        yield ctx.note(Manual(), evidence, package=package.name, real_package=real)


@rule("user-packages-first", layer=Layer.FRAMEWORK, provable=False)
def user_site(ctx: Context) -> Findings:
    """A framework in the person's own folder comes before the one of an installation."""
    environment = ctx.environment
    if environment is None or environment.kind in ("venv", "uv", "pipx", "user-site", ""):
        return
    if ctx.machine.variable("PYTHONNOUSERSITE"):
        return
    own = series(environment.version)
    mine = {f.name: f for f in ctx.frameworks}
    for other in ctx.machine.pythons:
        same = other.kind == "user-site" and series(other.version) == own
        for framework in other.frameworks if same else ():
            if framework.name in mine:
                severity: Severity = "warning" if ctx.stopped else "info"
                # What was tested is the installation's own, which no program gets.
                slower = framework.gpu is False and mine[framework.name].gpu is not False
                yield ctx.finding(
                    "error" if slower else severity,
                    Manual(),
                    other.id,
                    ctx.subject,
                    program=called(framework),
                    folder=other.id,
                    without_gpu=slower,
                )


@rule("environment-python-gone", layer=Layer.START, provable=False)
def interpreter_gone(ctx: Context) -> Findings:
    """An environment outlived the Python that it was made with: an upgrade replaced that one."""
    environment = ctx.environment
    if environment is not None and environment.dead:
        yield ctx.error(Manual(), environment.id)


@rule("frameworks-disagree", layer=Layer.FRAMEWORK)
def two_majors(ctx: Context) -> Findings:
    """Two frameworks of one environment ask for different majors of cuDNN."""
    asked = {major(f.cudnn): f for f in ctx.frameworks if f.cudnn and f.uses_cudnn}
    if ctx.environment is None or len(asked) < 2:
        return
    (low, one), (high, other) = min(asked.items()), max(asked.items())
    yield ctx.finding(
        "error" if ctx.stopped or any(map(stopped, ctx.framework_trials)) else "warning",
        Manual(),
        *(f"{called(f)}: cuDNN {f.cudnn}" for f in asked.values()),
        one=called(one),
        other=called(other),
        lower_major=low,
        higher_major=high,
    )


@rule("store-python", layer=Layer.FRAMEWORK)
def store_python(ctx: Context) -> Findings:
    """The Python of Microsoft's Store searches for libraries in its own way."""
    environment = ctx.environment if ctx.stopped else None
    if environment and environment.kind == "store" and any(f.gpu for f in ctx.frameworks):
        page = Manual(link="https://www.python.org/downloads/windows/")
        yield ctx.warning(page, environment.python)


@rule("cupy-without-cudnn", layer=Layer.FRAMEWORK)
def cupy(ctx: Context) -> Findings:
    """Newer CuPy doesn't use cuDNN at all."""
    since = without_cudnn_since(ctx.compat, "cupy", ctx.machine.os.family)
    for framework in ctx.frameworks if ctx.environment is not None and since else ():
        known = framework.name == "cupy" and framework.version
        if known and not older(framework.version, since):
            yield ctx.note(Manual(), f"cupy {framework.version}", program=called(framework))
