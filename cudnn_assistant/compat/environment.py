"""A whole environment: every GPU package of a requirements file, with one CUDA for all of them,
as lines for pip, uv and conda."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, product

from msgspec.structs import replace

from cudnn_assistant.compat.advice import FrameworkAdvice, Recommendation
from cudnn_assistant.compat.facts import Compat
from cudnn_assistant.compat.limits import packages_since
from cudnn_assistant.compat.lookup import at_least, in_series, order
from cudnn_assistant.compat.packages import index_of
from cudnn_assistant.compat.ranking import rank
from cudnn_assistant.compat.recommend import fitting, recommend_for, wished_builds
from cudnn_assistant.compat.releases import allowed
from cudnn_assistant.compat.situation import Situation
from cudnn_assistant.compat.wishes import Wanted, Wishes
from cudnn_assistant.machine import Struct
from cudnn_assistant.versions import major, series

_Choice = tuple[Wanted, tuple[str, ...]]
"""An exact build, and the releases of cuDNN that may serve it, best first; () where it brings its
own, or uses none."""


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
    snippets: Snippets | None = None
    """The same set for pip, uv and conda; None where something doesn't fit."""


def recommend_environment(here: Situation, compat: Compat, asked: Wishes) -> EnvironmentAdvice:
    """One set for all packages: the newest CUDA that each of them has a build for.

    Where no Python is given, it is the newest on which all of them fit.
    """
    pythons = tuple(_on_each_python(here, compat, asked.python))
    for there in pythons:
        if found := _together(there, compat, asked.packages):
            return found
    alone = [_alone(pythons, compat, one) or _against(here, compat, one) for one in asked.packages]
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
    # What packages can share, newest first: a CUDA major, and before 11 a release.
    shared = {series(one.cuda) if "." in one.cuda else one.cuda for one in compat.floors}
    for cuda in sorted(shared, key=order, reverse=True):
        if sets := _set(here, compat, asked, cuda):
            made = snippets([one.framework for one in sets if one.framework], here.python)
            return EnvironmentAdvice(
                possible=all(one.possible for one in sets) or None,
                packages=tuple(sets), cuda_major=major(cuda), python=here.python,
                snippets=made,
            )  # fmt: skip
    return None


def _set(
    here: Situation, compat: Compat, asked: Sequence[Wanted], cuda: str
) -> list[Recommendation]:
    """The newest of each for one CUDA and one cuDNN; [] where something lacks.

    An environment holds one cuDNN, which packages may pin: who has the least choice goes first.
    """
    choices: list[list[_Choice]] = []
    # What has the fewest releases mostly has none, and nothing else need be judged then.
    for wish in sorted(asked, key=lambda one: len(wished_builds(_asking(here, one), compat))):
        choices.append(_choices(here, compat, wish, cuda))
        if not choices[-1]:
            return []
    for several in product(*sorted(choices, key=len)):
        needed = [cudnns for _, cudnns in several if cudnns] or [("",)]
        if shared := [one for one in needed[0] if all(one in cudnns for cudnns in needed)]:
            pin = f"=={shared[0]}" if shared[0] else ""
            there = replace(here, cudnn_allowed=pin)
            exact = {build.name: build for build, _ in several}
            sets = [fitting(_asking(there, exact[wish.name]), compat)[0] for wish in asked]
            return [one for one in sets if one and _fits(one)] if all(sets) else []
    return []


def _choices(here: Situation, compat: Compat, wish: Wanted, cuda: str) -> list[_Choice]:
    """The newest build for each group of cuDNN releases that may serve one, newest first.

    A release with packages of CUDA in its extra is taken with them.
    """
    if wish.cuda and not in_series(wish.cuda, cuda):
        return []
    since = packages_since(compat, wish.name, here.family)
    served: dict[Wanted, list[str]] = {}
    fit = fitting(_asking(here, wish, cuda), compat)[1]
    for one in sorted(fit, key=lambda one: rank(here, compat, one), reverse=True):
        build, cudnn = one.framework, one.cudnn
        whole = build and (build.found == "wheel" or not at_least(build.version, since))
        if build and whole and not one.unknown:
            exact = Wanted(name=wish.name, allowed=f"=={build.version}", cuda=build.cuda)
            needed = [cudnn.full] if cudnn and build.found != "bundled" else []
            served.setdefault(exact, []).extend(needed)
    choices: dict[frozenset[str], _Choice] = {}
    for exact, cudnns in served.items():
        choices.setdefault(frozenset(cudnns), (exact, tuple(cudnns)))
    return list(choices.values())


def _fits(found: Recommendation) -> bool:
    """Whether at most the driver isn't known; each set says which one it needs."""
    return found.possible or {"driver-unknown"} == {reason.code for reason in found.unknown}


def _asking(here: Situation, wish: Wanted, cuda: str = "") -> Situation:
    return replace(
        here, framework=wish.name, framework_version="", framework_allowed=wish.allowed,
        framework_cuda="", installed=False, want_cuda=wish.cuda or cuda,
    )  # fmt: skip


def _alone(pythons: Sequence[Situation], compat: Compat, wish: Wanted) -> Recommendation | None:
    """The newest allowed release that is known to fit, on the first of these on which one does."""
    found = (fitting(_asking(here, wish), compat)[0] for here in pythons)
    return next((one for one in found if one and _fits(one)), None)


def _against(here: Situation, compat: Compat, wish: Wanted) -> Recommendation:
    """What stands against the newest allowed release, or against the one that isn't listed."""
    asking = _asking(here, wish)
    listed = [one.version for one in wished_builds(asking, compat)]
    newest = max(listed, key=order, default=wish.allowed.lstrip("="))
    return recommend_for(replace(asking, framework_version=newest, framework_allowed=""), compat)


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
    return sorted({package for one in chosen for package in one.beside})


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
