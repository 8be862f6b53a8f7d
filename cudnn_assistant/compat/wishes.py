"""What is wished, as people and their files write it: "torch 2.8+cu128", a requirements file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from cudnn_assistant.compat.facts import Compat
from cudnn_assistant.compat.releases import framework_name
from cudnn_assistant.compat.situation import Situation, in_markers
from cudnn_assistant.machine import Struct

_WISH = re.compile(
    r"(?P<name>[a-z][a-z0-9 ._-]*?)(?:\[cuda(?P<extra>\d\d)[\w,-]*\]|\[[\w,-]*\])?\s*"
    r"(?P<spec>[<>=!~]=?[^+]+|(?<=\s)v?\d[\w.]*)?(?:\s*\+?\s*cu(?:da)?\s*(?P<cuda>\d[\d.]*))?"
)
_PACKAGE = re.compile(r"-cuda(\d\d)x\Z")
_CONDA = re.compile(r"([\w.-]+) ?= ?([\d.]+)(?:=\S*)?")
"""Conda's "pytorch=2.5" is any release of the series."""
_LISTED = re.compile(r"\A(?:- +)?([\"']?)(.*)\1\Z")
"""A line of environment.yml, without its dash and quotation marks."""


def framework_wish(text: str) -> dict[str, str]:
    """Name, release and CUDA: "onnx runtime 1.20", "torch==2.9.1+cu128", "jax[cuda12]"."""
    plain = " ".join(text.lower().split())
    found = _WISH.fullmatch(plain)
    if found is None:
        return {"framework": plain, "framework_version": ""}
    name, spec = found["name"].strip(" -_"), (found["spec"] or "").strip()
    package = _PACKAGE.search(name)
    cuda = found["cuda"] or found["extra"] or (package[1] if package else "")
    if cuda and "." not in cuda and len(cuda) > 2:
        cuda = f"{cuda[:-1]}.{cuda[-1]}"
    exact = spec.lstrip("=").removeprefix("v").strip().removesuffix(".*")
    several = exact[:1] in tuple("<>!~") and _is_specifier(spec)
    return {
        "framework": name, "framework_version": "" if several else exact,
        "framework_allowed": spec if several else "", "want_cuda": cuda,
    }  # fmt: skip


def wanted_framework(text: str) -> Wanted:
    """The same as a package of an environment."""
    said = framework_wish(text)
    version = said["framework_version"]
    series = f"=={version}.*"
    exact = series if _is_specifier(series) else f"==={version}"
    return Wanted(
        name=framework_name(said["framework"]),
        allowed=said.get("framework_allowed") or (exact if version else ""),
        cuda=said.get("want_cuda", ""),
    )


def _is_specifier(text: str) -> bool:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        return False
    return True


# Files


class Wanted(Struct, kw_only=True):
    """A GPU package that an environment asks for, and the releases that it allows."""

    name: str
    allowed: str = ""
    cuda: str = ""
    """CUDA that its build is to be for, "12.8" or "12"; "" for any."""


class Wishes(Struct, kw_only=True):
    """What a file asks for."""

    packages: tuple[Wanted, ...] = ()
    python: str = ""
    """The Pythons that it allows."""


def wanted(text: str, compat: Compat, here: Situation) -> Wishes:
    """The GPU packages in a requirements file, a pyproject.toml or an environment.yml.

    Others are left out, and those whose marker is about another system or another Python.
    """
    names = {one.name for one in compat.frameworks}
    found: dict[str, Wanted] = {}
    python = ""
    told = in_markers(here.family, "aarch64" if here.arm else "x86_64", here.python)
    for line in _lines(text):
        try:
            one = Requirement(_plain(line))
            if one.marker is not None and not one.marker.evaluate(told):
                continue
        except ValueError:  # Also for a marker that compares what can't be compared.
            continue
        name = framework_name(one.name)
        if name == "python":
            python = str(one.specifier)
        elif name in names:
            found.setdefault(name, _package(name, one))
    return Wishes(packages=tuple(found.values()), python=python)


def _plain(line: str) -> str:
    """A requirement in the words of pip that name a release, also of the address of a wheel."""
    if _CONDA.fullmatch(line):
        return _CONDA.sub(r"\1==\2.*", line)
    wanted, semicolon, marker = line.partition(" ;")
    file = unquote(wanted).partition("#")[0].rpartition("/")[2].strip()
    name, _, version = file.partition("-")
    if file.endswith(".whl"):
        return f"{name}=={version.partition('-')[0]}{semicolon}{marker}"
    return line


def _package(name: str, one: Requirement) -> Wanted:
    """Without the local part of its version, "+cu128", which names the CUDA."""
    if one.url:
        return Wanted(name=name, allowed="===" + re.sub(r"[\s,;)]", "_", one.url))
    said = framework_wish(f"{one.name}[{','.join(one.extras)}] {one.specifier}")
    plain = re.sub(r"\+[\w.]*", "", str(one.specifier))
    return Wanted(name=name, allowed=plain, cuda=said.get("want_cuda", ""))


def _lines(text: str) -> Iterator[str]:
    try:
        yield from _of_project(tomllib.loads(text))
    except (ValueError, AttributeError, TypeError, RecursionError):
        # A line goes on after a backslash, as where hashes are pinned. Each once: half a million
        # empty lines would be read for seconds.
        whole = re.sub(r"\\\r?\n", " ", text)
        rows = (re.split(r"\s#|\s--", line)[0].strip() for line in whole.splitlines())
        yield from dict.fromkeys(_LISTED.sub(r"\2", row) for row in rows)


def _of_project(read: dict[str, Any]) -> Iterator[str]:
    project = read.get("project", {})
    yield f"python{project.get('requires-python', '')}"
    for rows in (
        project.get("dependencies", ()),
        *project.get("optional-dependencies", {}).values(),
        *read.get("dependency-groups", {}).values(),
    ):
        yield from (row for row in rows if isinstance(row, str))
    yield from _of_tools(read.get("tool", {}))


def _of_tools(table: dict[str, Any]) -> Iterator[str]:
    """What Poetry, Pixi, PDM and others keep in tables of their own, named "dependencies"."""
    for key, one in table.items():
        if key.endswith("dependencies"):
            for name, said in one.items() if isinstance(one, dict) else [("", one)]:
                yield from _of_table(name, said)
        elif isinstance(one, dict):
            yield from _of_tools(one)


def _of_table(name: str, said: Any) -> Iterator[str]:
    """A package by its name and what is said of it: a release, a table, or a list."""
    if isinstance(said, list):
        for one in said:
            yield from [one] if isinstance(one, str) else _of_table(name, one)
    elif isinstance(said, dict):
        place = said.get("url") or said.get("git") or said.get("path")
        wanted = f" @ {place}" if place else _specifier(said.get("version", "*"))
        marker = f" ; {said['markers']}" if "markers" in said else ""
        yield f"{name}[{','.join(said.get('extras', ()))}]{wanted}{marker}"
    else:
        yield name + _specifier(said)


def _specifier(text: str) -> str:
    """What Poetry and Pixi write for releases: "^2.5" is 2.5 or newer of 2, "~2.5" of 2.5."""
    last = text.rpartition("||")[2].strip()
    if last[:1].isdigit():
        return f"=={last}"
    steady = {"^": r"(0\.)*\d+", "~": r"\d+(\.\d+)?"}.get(last[:1])
    kept = re.match(steady, last[1:]) if steady else None
    return f">={last[1:]},=={kept[0]}.*" if kept else last.removeprefix("*")
