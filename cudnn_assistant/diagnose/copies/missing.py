"""Is there a cuDNN of the right major, and the package of it that a framework pins?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cudnn_assistant.diagnose.copies.loaded_copy import best, candidates, product
from cudnn_assistant.diagnose.needs import Need, too_old
from cudnn_assistant.diagnose.programs.packages import lacking
from cudnn_assistant.diagnose.remedies import install_cudnn, install_packages, own_copy, reinstall
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Facts, Manual
from cudnn_assistant.machine import CudnnCopy, Framework, Package, Pin
from cudnn_assistant.regex import regex
from cudnn_assistant.shell import command
from cudnn_assistant.versions import major, numbers, short
from cudnn_assistant.wording.products import called


@family(
    {
        "cudnn-jit-only": "jit-only",
        "cudnn-package-missing": "missing",
        "cudnn-package-wrong-major": "wrong-major",
        "cudnn-package-differs": "differs",
    },
    layer=Layer.SEARCH,
    provable=False,
)
def unmet(ctx: Context, how: str) -> Findings:
    """The cuDNN package that a framework pins isn't there as it pins it.

    There is the small one in its place, none, another major, or another version.
    """
    for framework, pin in _off(ctx) if ctx.environment is not None else ():
        if how != _how(ctx, pin):
            continue
        # The framework itself stops, whatever our small test does.
        stands_in = not pin.has and ctx.trial is not None and too_old(ctx.needs, ctx.trial)
        refused = how == "jit-only" or _refuses(framework, pin) or stands_in
        fragile = how == "differs" and not (refused or ctx.stopped)
        if refused or not (ctx.works or (fragile and not ctx.framework_trials)):
            wanted = f"{pin.package}{pin.wants}"
            yield ctx.finding(
                "warning" if fragile else "error",
                install_packages(ctx, wanted),
                f"{pin.package} {pin.has or '–'}; {wanted}",
                program=called(framework),
                package=pin.package,
                present_version=short(pin.has),
                requirement=pin.wants,
            )


def _off(ctx: Context) -> Iterable[tuple[Framework, Pin]]:
    """Of each package of cuDNN that isn't as pinned, who asks for the newest: it serves all.

    Another major would take it from a framework that pins the one that is there.
    """
    known = [(f, p) for f in ctx.frameworks for p in f.pins if "cudnn" in p.package]
    kept = {p.package for _f, p in known if p.satisfied}
    off = [(f, p) for f, p in known if p.satisfied is False]
    off = [(f, p) for f, p in off if p.package not in kept or _how(ctx, p) != "wrong-major"]
    off.sort(key=lambda pair: numbers(pair[1].wants.lstrip("=~<>! ")))
    return {pin.package: (framework, pin) for framework, pin in off}.values()


def _how(ctx: Context, pin: Pin) -> str:
    if pin.has:
        same = major(pin.has) == major(pin.wants.lstrip("=~<>! "))
        return "differs" if same else "wrong-major"
    return "jit-only" if {c.flavour for c in ctx.copies} == {"jit"} else "missing"


def _refuses(framework: Framework, pin: Pin) -> bool:
    """Whether the framework itself stops at a cuDNN which our small test runs with.

    PyTorch, TensorFlow and JAX compare: the minor may not be below that of their build.
    """
    built, there = numbers(framework.cudnn)[:2], numbers(pin.has)[:2]
    return len(built) == 2 and bool(there) and there[0] == built[0] and there < built


_LIKELY = regex("cuda|cudnn|nvidia", re.IGNORECASE)
"""In the name of a folder that is likely to hold cuDNN."""


@rule("search-folder-closed", layer=Layer.SEARCH)
def closed(ctx: Context) -> Findings:
    """A folder of libraries can't be opened: a package's, or one of the search list where cuDNN
    wasn't found in the others."""
    if ctx.windows or ctx.works or not (ctx.stopped or ctx.framework_trials):
        return
    if barred := [p for p in ctx.packages if p.closed]:
        remedy = _open("-R", "a+rX", *dict.fromkeys(p.closed for p in barred))
        yield ctx.error(remedy, folder=barred[0].closed, package=tuple(p.name for p in barred))
    lost = [t for t in ctx.stopped_tests() if t.status == "missing-library"]
    entry = next((e for e in ctx.machine.search if e.closed and _LIKELY.search(e.folder)), None)
    if entry and any("cudnn" in t.missing for t in lost) and not (ctx.environment or ctx.copies):
        new = own_copy(ctx, _open("a+rx", ctx.parent(entry.folder), entry.folder))
        named = Facts(folder=entry.folder, variable=entry.variable)
        evidence = f"{entry.variable}: {entry.text}"
        yield ctx.trouble(new, evidence, sure=False, **named)


def _open(*rights: str) -> Manual:
    return Manual(commands=(command("sh", "sudo", "chmod", *rights),), administrator=True)


def _lacks(ctx: Context) -> Iterator[tuple[Need, Package | CudnnCopy | None]]:
    """The needs that no copy serves, each with the best of what is there in its place.

    That is its package's record, a cuDNN of another major, a part of one, or nothing.
    """
    if ctx.machine.unknown("cudnn") or (ctx.environment is None and not ctx.wanted):
        return
    jit = next((c for c in ctx.copies if c.flavour == "jit"), None)
    for need in ctx.needs:
        if not (candidates(ctx, need) or ctx.met(need) or _serves_another(ctx, need)):
            others = _others(ctx, need)
            yield need, _recorded(ctx, need) or (best(ctx, others) if others else jit)


def _others(ctx: Context, need: Need) -> list[CudnnCopy]:
    return [c for c in ctx.copies if c.major != need.major and c.flavour == "full"]


@rule("package-incomplete", layer=Layer.SEARCH)
def recorded_only(ctx: Context) -> Findings:
    """The package of the needed cuDNN is installed by its record alone."""
    for _need, there in _lacks(ctx):
        if isinstance(there, Package) and not there.closed:
            yield lacking(ctx, "error", there)


@family(
    {"cudnn-jit-only": "jit", "cudnn-wrong-major": "full", "cudnn-missing": ""},
    layer=Layer.SEARCH,
)
def missing(ctx: Context, flavour: str) -> Findings:
    """There is no cuDNN of the major that programs ask for: the small one alone, which holds none
    of the engines that they ask for, another major, or none."""
    for need, copy in _lacks(ctx):
        if isinstance(copy, Package) or flavour != (copy.flavour if copy else ""):
            continue
        evidence = [f"{copy.file}: {copy.folder}" if copy else f"{_main_file(ctx, need)}: –"]
        if flavour == "full":
            evidence = [f"{product(c.version)}: {c.folder}" for c in _others(ctx, need)]
        yield ctx.error(
            reinstall(ctx) if ctx.environment is not None else install_cudnn(ctx, need),
            *evidence,
            product=f"cuDNN {need.major}" if need.major else "cuDNN",
            program=need.who,
            environment=need.where,
            present=product(copy.version) if copy and flavour == "full" else "",
            libraries="" if ctx.machine.toolkits or ctx.libraries("cublasLt") else "cuBLAS",
        )


def _serves_another(ctx: Context, need: Need) -> bool:
    """The environment has the cuDNN of another framework in it; one package is for one."""
    others = (n for n in ctx.needs if n.major != need.major)
    return ctx.environment is not None and any(candidates(ctx, other) for other in others)


def _main_file(ctx: Context, need: Need) -> str:
    """The file that was asked for in vain, or would be: cuDNN's main library of that major."""
    asked = ctx.stopped.missing if ctx.stopped else ""
    major_of = need.major or 9
    usual = f"cudnn64_{major_of}.dll" if ctx.windows else f"libcudnn.so.{major_of}"
    return asked if "cudnn" in asked else usual


def _recorded(ctx: Context, need: Need) -> Package | None:
    """The package of that cuDNN which is installed by its record alone."""
    same = (p for p in ctx.packages if major(p.version) == need.major and not p.manager)
    return next((p for p in same if re.fullmatch(r"nvidia-cudnn-cu\d+", p.name)), None)
