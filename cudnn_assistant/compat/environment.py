"""A whole environment: every GPU package of a requirements file, with one CUDA for all of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence

import msgspec
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet

from cudnn_assistant.compat.advice import Recommendation
from cudnn_assistant.compat.facts import Compat
from cudnn_assistant.compat.limits import known_cuda_majors
from cudnn_assistant.compat.lookup import order
from cudnn_assistant.compat.packages import INDEXES
from cudnn_assistant.compat.recommend import recommend_for
from cudnn_assistant.compat.releases import framework_builds, framework_name
from cudnn_assistant.compat.situation import Situation
from cudnn_assistant.machine import Struct

_MOST = 12
"""Releases of one package that are tried, newest first."""


class Wanted(Struct, kw_only=True):
    """A GPU package that an environment asks for, and the releases that it allows."""

    name: str
    allowed: str = ""


class EnvironmentAdvice(Struct, kw_only=True):
    """What fits each GPU package, all of them for one CUDA where that is possible."""

    possible: bool | None
    packages: tuple[Recommendation, ...] = ()
    cuda_major: int | None = None
    """None: the packages can't share one."""
    snippet: str = ""
    """Lines for requirements.txt, read by pip and uv; "" where something doesn't fit."""


def wanted(text: str, compat: Compat, here: Situation) -> tuple[Wanted, ...]:
    """The GPU packages in a requirements file or a pyproject.toml; others are left out.

    So are those whose marker is about another system or another Python.
    """
    names = {one.name for one in compat.frameworks}
    found: dict[str, Wanted] = {}
    for line in _lines(text):
        try:
            one = Requirement(line)
        except InvalidRequirement:
            continue
        name = framework_name(one.name)
        if name in names and (one.marker is None or one.marker.evaluate(_marked(here))):
            found.setdefault(name, Wanted(name=name, allowed=str(one.specifier)))
    return tuple(found.values())


def _marked(here: Situation) -> dict[str, str]:
    windows = here.family == "windows"
    told = {
        "extra": "",
        "sys_platform": "win32" if windows else "linux",
        "platform_system": "Windows" if windows else "Linux",
        "os_name": "nt" if windows else "posix",
        "platform_machine": "AMD64" if windows else "x86_64",
    }
    return told | ({"python_version": here.python} if here.python else {})


def _lines(text: str) -> Iterator[str]:
    try:
        project = tomllib.loads(text).get("project", {})
        yield from project.get("dependencies", ())
        for group in project.get("optional-dependencies", {}).values():
            yield from group
    except (ValueError, AttributeError, TypeError, RecursionError):
        for line in text.splitlines():
            yield re.split(r"\s#|\s--", line)[0].strip()


def recommend_environment(
    here: Situation, compat: Compat, asked: Sequence[Wanted]
) -> EnvironmentAdvice:
    """One set for all packages: the newest CUDA major that each of them has a build for."""
    for major in known_cuda_majors(compat):
        sets = [_one(here, compat, wish, str(major)) for wish in asked]
        if sets and all(one.possible for one in sets) and _share(sets, major):
            return EnvironmentAdvice(
                possible=True, packages=tuple(sets), cuda_major=major, snippet=_snippet(sets)
            )
    alone = [_one(here, compat, wish, "") for wish in asked]
    impossible = not all(one.possible is not False for one in alone)
    return EnvironmentAdvice(possible=False if impossible else None, packages=tuple(alone))


def _share(sets: Sequence[Recommendation], major: int) -> bool:
    cudas = {one.framework.cuda.split(".")[0] for one in sets if one.framework}
    return cudas <= {str(major), ""}


def _one(here: Situation, compat: Compat, wish: Wanted, cuda: str) -> Recommendation:
    """The newest allowed release that is known to fit, else what stands against the newest."""
    allowed = SpecifierSet(wish.allowed)
    builds = framework_builds(compat, wish.name, "", here.family)
    versions = sorted({one.version for one in builds if one.version in allowed}, key=order)
    first: Recommendation | None = None
    for version in reversed(versions[-_MOST:]):
        there = msgspec.structs.replace(
            here, framework=wish.name, framework_version=version, framework_cuda="",
            installed=False, want_cuda=cuda,
        )  # fmt: skip
        found = recommend_for(there, compat)
        if found.possible:
            return found
        first = first or found
    missing = msgspec.structs.replace(here, framework=wish.name, framework_version=wish.allowed)
    return first or recommend_for(missing, compat)


def _snippet(sets: Sequence[Recommendation]) -> str:
    chosen = [one.framework for one in sets if one.framework]
    indices = sorted({INDEXES[one.name].format(index=one.index) for one in chosen if one.index})
    lines = [f"--extra-index-url {address}" for address in indices]
    for one in chosen:
        local = f"+{one.index}" if one.index and one.name == "torch" else ""
        lines.append(one.requirement + local)
    return "\n".join(lines)
