"""A whole environment: every GPU package of a requirements file, with one CUDA for all of them,
as lines for pip, uv and conda."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec.structs import replace

from cudnn_assistant.compat.advice import CudnnAdvice, FrameworkAdvice, Recommendation
from cudnn_assistant.compat.facts import Compat
from cudnn_assistant.compat.limits import known_cuda_majors, packages_since
from cudnn_assistant.compat.lookup import at_least, order
from cudnn_assistant.compat.packages import index_of
from cudnn_assistant.compat.recommend import fitting, recommend_for, wished_builds
from cudnn_assistant.compat.releases import allowed
from cudnn_assistant.compat.situation import Situation
from cudnn_assistant.compat.wishes import Wanted, Wishes
from cudnn_assistant.machine import Struct


class Snippets(Struct, kw_only=True):
    """The same set for each tool; every text ends without a line break."""

    pip: str
    """Lines for requirements.txt, which uv's pip interface reads as well."""
    uv: str
    """Tables for pyproject.toml. Each package keeps to its own index, so that nothing else is
    taken from there."""
    conda: str
    """An environment.yml: conda's own channels have other builds, so pip installs these."""


class EnvironmentAdvice(Struct, kw_only=True):
    """What fits each GPU package, all of them for one CUDA where that is possible."""

    possible: bool | None
    packages: tuple[Recommendation, ...] = ()
    cuda_major: int | None = None
    """None: the packages can't share one."""
    python: str = ""
    """The Python that they share, "3.12"; "" where something doesn't fit."""
    snippet: str = ""
    """Lines for requirements.txt; "" where something doesn't fit."""
    snippets: Snippets | None = None
    """The same set for pip, uv and conda; None where something doesn't fit."""


def recommend_environment(here: Situation, compat: Compat, asked: Wishes) -> EnvironmentAdvice:
    """One set for all packages: the newest CUDA major that each of them has a build for.

    Where no Python is given, it is the newest on which all of them fit.
    """
    pythons = tuple(_on_each_python(here, compat, asked.python))
    for there in pythons:
        if found := _together(there, compat, asked.packages):
            return found
    alone = [
        next(filter(None, (_newest(there, compat, one) for there in pythons)), None)
        or _against(here, compat, one)
        for one in asked.packages
    ]
    possible = False if any(one.possible is False for one in alone) else None
    return EnvironmentAdvice(possible=possible, packages=tuple(alone))


def _on_each_python(here: Situation, compat: Compat, within: str) -> Iterator[Situation]:
    """The situation with its own Python, else with each that a build knows, newest first."""
    if here.python:
        yield here
        return
    named = {int(n) for one in compat.frameworks for n in re.findall(r"3\.(\d+)", one.python)}
    for minor in range(max(named, default=0), min(named, default=0) - 1, -1):
        if f"3.{minor}" in allowed(within):
            yield replace(here, python=f"3.{minor}")


def _together(here: Situation, compat: Compat, asked: Sequence[Wanted]) -> EnvironmentAdvice | None:
    for major in known_cuda_majors(compat):
        sets = _set(here, compat, asked, str(major))
        frameworks = [one.framework for one in sets if one.framework]
        if sets and {one.cuda.split(".")[0] for one in frameworks} <= {str(major), ""}:
            made = snippets(frameworks, here.python)
            return EnvironmentAdvice(
                possible=all(one.possible for one in sets) or None,
                packages=tuple(sets), cuda_major=major, python=here.python,
                snippet=made.pip, snippets=made,
            )  # fmt: skip
    return None


def _set(
    here: Situation, compat: Compat, asked: Sequence[Wanted], cuda: str
) -> list[Recommendation]:
    """The newest of each for one CUDA and one cuDNN; () where something lacks.

    An environment holds one cuDNN, which packages may pin: who has the least choice goes first.
    """
    chosen: dict[str, str] = {}
    for wish in sorted(asked, key=lambda one: len(_allowed(here, compat, one, cuda))):
        found = _newest(here, compat, wish, cuda)
        if found is None or found.framework is None:
            return []
        chosen[wish.name] = found.framework.version
        pins = (here.cudnn_allowed, _pin(found.framework, found.cudnn))
        here = replace(here, cudnn_allowed=",".join(filter(None, pins)))
    sets = [fitting(_asking(here, wish, chosen[wish.name], cuda), compat) for wish in asked]
    return [one for one in sets if one and _fits(one)] if all(sets) else []


def _pin(framework: FrameworkAdvice, cudnn: CudnnAdvice | None) -> str:
    """What a build demands of the one cuDNN: where no range is known, the very release of a package
    that it brings, and of the system's the major."""
    if framework.cudnn_spec or not cudnn or framework.found not in ("wheel", "system"):
        return framework.cudnn_spec
    any_of_major = f"{cudnn.version.partition('.')[0]}.*"
    return f"=={cudnn.full if framework.found == 'wheel' else any_of_major}"


def _newest(here: Situation, compat: Compat, wish: Wanted, cuda: str = "") -> Recommendation | None:
    """The newest allowed release that is known to fit, with its own CUDA where it can bring it."""
    since = packages_since(compat, wish.name, here.family)
    for version in _allowed(here, compat, wish, cuda)[::-1]:
        found = fitting(_asking(here, wish, version, cuda), compat)
        brings = found and found.framework and found.framework.found == "wheel"
        if found and _fits(found) and (brings or not at_least(version, since)):
            return found
    return None


def _fits(found: Recommendation) -> bool:
    """Whether at most the driver isn't known; each set says which one it needs."""
    return found.possible or {"driver-unknown"} == {reason.code for reason in found.unknown}


def _asking(here: Situation, wish: Wanted, version: str, cuda: str = "") -> Situation:
    return replace(
        here, framework=wish.name, framework_version=version, framework_allowed="",
        framework_cuda="", installed=False, want_cuda=wish.cuda or cuda,
    )  # fmt: skip


def _against(here: Situation, compat: Compat, wish: Wanted) -> Recommendation:
    """What stands against the newest allowed release, or against the one that isn't listed."""
    unlisted = wish.allowed.lstrip("=")
    newest = [unlisted, *_allowed(here, compat, wish)][-1]
    return recommend_for(_asking(here, wish, newest), compat)


def _allowed(here: Situation, compat: Compat, wish: Wanted, cuda: str = "") -> list[str]:
    """The releases that a wish allows, the newest last."""
    any_of_them = replace(_asking(here, wish, "", cuda), framework_allowed=wish.allowed)
    return sorted({one.version for one in wished_builds(any_of_them, compat)}, key=order)


# The same set for each tool


def snippets(chosen: Sequence[FrameworkAdvice], python: str) -> Snippets:
    """The texts for ``chosen``; ``python`` is the version of the environment, "" for any."""
    lines = list(_for_pip(chosen))
    conda = ["dependencies:", f"  - python={python}" if python else "  - python", "  - pip"]
    return Snippets(
        pip="\n".join(lines),
        uv="\n".join(_for_uv(chosen)),
        conda="\n".join([*conda, "  - pip:", *(f'      - "{line}"' for line in lines)]),
    )


def _for_pip(chosen: Sequence[FrameworkAdvice]) -> Iterator[str]:
    for address in sorted({index_of(one.name, one.index) for one in chosen if one.index}):
        yield f"--extra-index-url {address}"
    for one in chosen:
        local = f"+{one.index}" if one.index and one.name == "torch" else ""
        yield one.requirement + local
    yield from _beside(chosen)


def _beside(chosen: Sequence[FrameworkAdvice]) -> list[str]:
    return sorted({one.beside for one in chosen if one.beside})


def _for_uv(chosen: Sequence[FrameworkAdvice]) -> Iterator[str]:
    packages = (*(one.requirement for one in chosen), *_beside(chosen))
    yield from ("dependencies = [", *(f'    "{one}",' for one in packages), "]")
    indexed = [one for one in chosen if one.index]
    named = {_index(one): index_of(one.name, one.index) for one in indexed}
    yield from chain.from_iterable(
        ("", "[[tool.uv.index]]", f'name = "{name}"', f'url = "{address}"', "explicit = true")
        for name, address in sorted(named.items())
    )
    if indexed:
        yield from ("", "[tool.uv.sources]")
    for one in indexed:
        package = one.requirement.partition("==")[0].partition("[")[0]
        yield f'{package} = {{ index = "{_index(one)}" }}'


def _index(one: FrameworkAdvice) -> str:
    return f"{one.name}-{one.index}"
