"""A whole environment: every GPU package of a requirements file, with one CUDA for all of them,
as lines for pip, uv and conda."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet

from cudnn_assistant.compat.advice import FrameworkAdvice, Recommendation
from cudnn_assistant.compat.facts import Compat
from cudnn_assistant.compat.limits import known_cuda_majors
from cudnn_assistant.compat.lookup import order
from cudnn_assistant.compat.packages import INDEXES
from cudnn_assistant.compat.recommend import fitting, recommend_for
from cudnn_assistant.compat.releases import framework_builds, framework_name
from cudnn_assistant.compat.situation import Situation
from cudnn_assistant.machine import Struct

_MOST = 12
"""Releases of one package that are tried, newest first."""

_MACHINE = {
    (True, False): "AMD64", (True, True): "ARM64", (False, False): "x86_64",
    (False, True): "aarch64",
}  # fmt: skip
"""What Python calls the processor, by whether it is Windows and whether it is an Arm."""


class Wanted(Struct, kw_only=True):
    """A GPU package that an environment asks for, and the releases that it allows."""

    name: str
    allowed: str = ""


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
        "platform_machine": _MACHINE[windows, here.arm],
    }
    return told | ({"python_version": here.python} if here.python else {})


def _lines(text: str) -> Iterator[str]:
    try:
        project = tomllib.loads(text).get("project", {})
        yield from project.get("dependencies", ())
        for group in project.get("optional-dependencies", {}).values():
            yield from group
    except (ValueError, AttributeError, TypeError, RecursionError):
        # Each once: half a million empty lines would be read for seconds.
        rows = (re.split(r"\s#|\s--", line)[0].strip() for line in text.splitlines())
        yield from dict.fromkeys(rows)


def recommend_environment(
    here: Situation, compat: Compat, asked: Sequence[Wanted]
) -> EnvironmentAdvice:
    """One set for all packages: the newest CUDA major that each of them has a build for.

    Where no Python is given, it is the newest on which all of them fit.
    """
    for there in _on_each_python(here, compat):
        if found := _together(there, compat, asked):
            return found
    alone = [_newest(here, compat, wish) or _against(here, compat, wish) for wish in asked]
    impossible = not all(one.possible is not False for one in alone)
    return EnvironmentAdvice(possible=False if impossible else None, packages=tuple(alone))


def _on_each_python(here: Situation, compat: Compat) -> Iterator[Situation]:
    """The situation with its own Python, else with each that a build knows, newest first."""
    if here.python:
        yield here
        return
    named = {int(n) for one in compat.frameworks for n in re.findall(r"3\.(\d+)", one.python)}
    for minor in range(max(named, default=0), min(named, default=0) - 1, -1):
        yield msgspec.structs.replace(here, python=f"3.{minor}")


def _together(here: Situation, compat: Compat, asked: Sequence[Wanted]) -> EnvironmentAdvice | None:
    for major in known_cuda_majors(compat):
        sets = [one for wish in asked if (one := _newest(here, compat, wish, str(major)))]
        if sets and len(sets) == len(asked) and _share(sets, major):
            made = snippets([one.framework for one in sets if one.framework], here.python)
            return EnvironmentAdvice(
                possible=True,
                packages=tuple(sets),
                cuda_major=major,
                python=here.python,
                snippet=made.pip,
                snippets=made,
            )
    return None


def _share(sets: Sequence[Recommendation], major: int) -> bool:
    cudas = {one.framework.cuda.split(".")[0] for one in sets if one.framework}
    return cudas <= {str(major), ""}


def _newest(here: Situation, compat: Compat, wish: Wanted, cuda: str = "") -> Recommendation | None:
    """The newest allowed release that is known to fit."""
    for version in _allowed(here, compat, wish)[-_MOST:][::-1]:
        found = fitting(_asking(here, wish.name, version, cuda), compat)
        if found and found.possible:
            return found
    return None


def _asking(here: Situation, name: str, version: str, cuda: str = "") -> Situation:
    return msgspec.structs.replace(
        here, framework=name, framework_version=version, framework_cuda="",
        installed=False, want_cuda=cuda,
    )  # fmt: skip


def _against(here: Situation, compat: Compat, wish: Wanted) -> Recommendation:
    """What stands against the newest allowed release."""
    newest = [wish.allowed, *_allowed(here, compat, wish)][-1]
    return recommend_for(_asking(here, wish.name, newest), compat)


def _allowed(here: Situation, compat: Compat, wish: Wanted) -> list[str]:
    """The releases that a wish allows, the newest last."""
    allowed = SpecifierSet(wish.allowed)
    builds = framework_builds(compat, wish.name, "", here.family)
    return sorted({one.version for one in builds if one.version in allowed}, key=order)


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
    for address in sorted({_address(one) for one in chosen if one.index}):
        yield f"--extra-index-url {address}"
    for one in chosen:
        local = f"+{one.index}" if one.index and one.name == "torch" else ""
        yield one.requirement + local


def _for_uv(chosen: Sequence[FrameworkAdvice]) -> Iterator[str]:
    yield from ("dependencies = [", *(f'    "{one.requirement}",' for one in chosen), "]")
    indexed = [one for one in chosen if one.index]
    named = {_index(one): _address(one) for one in indexed}
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


def _address(one: FrameworkAdvice) -> str:
    return INDEXES[one.name].format(index=one.index)
