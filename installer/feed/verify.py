"""Holds every row against its evidence; each rule yields a sentence for what doesn't agree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from cudnn_assistant.compat import framework_name, order
from cudnn_assistant.feed.direct import PROJECTS
from cudnn_assistant.feed.registry import Release
from installer.feed.recorded import ARM, PLATFORMS, kernels, project
from installer.feed.tables import Row, read_all

_Tables = Mapping[str, list[Row]]
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[([a-z0-9_,-]+)\])?==(.+)\Z")
_IN_NAME = re.compile(r"_([0-9]{3}\.[0-9]{2,3}(?:\.[0-9]{2})?)_(?:linux|windows|win10)")


def findings(folder: Path) -> tuple[str, ...]:
    """Everything in ``folder`` that its evidence doesn't bear out; empty when all does."""
    tables = read_all(folder)
    return tuple(finding for rule in RULES for finding in rule(tables))


def _built(tables: _Tables) -> Iterator[tuple[Row, str, str, str]]:
    """The rows with a build for GPUs that can be asked for: its package, extra and version."""
    for row in tables["frameworks"]:
        if row["gpu"] != "no" and row["requirement"]:
            found = _REQUIREMENT.match(row["requirement"])
            yield (row, found[1], found[2] or "", found[3]) if found else (row, "", "", "")


def _named(row: Row) -> str:
    return f"{row['name']} {row['version']} ({row['family']}, {row['index'] or 'PyPI'})"


def _published(tables: _Tables) -> Iterator[str]:
    """A requirement can be installed: the release exists, with wheels for this system."""
    for row, package, _, version in _built(tables):
        release = project(package).release(version)
        if row["index"]:
            continue
        if release is None:
            yield f"{_named(row)}: {row['requirement']} isn't in PyPI's answer"
        elif package.startswith("tensorrt-"):
            continue
        elif not {PLATFORMS[row["family"]], "any"} & release.platforms():
            yield f"{_named(row)}: {row['requirement']} has no wheel for it"


def _pythons(tables: _Tables) -> Iterator[str]:
    """Both ends of the Pythons are those of the wheels' tags, or narrower for what they pull."""
    for row, package, _, version in _built(tables):
        holds = f"{package}-bindings" if package.startswith("tensorrt-") else package
        release = project(holds).release(version)
        made = release.pythons(PLATFORMS[row["family"]]) if release else ""
        if release is None or not made:
            continue
        if row["name"] in ("jax", "faster-whisper"):
            if not _within(row["python"], made):
                yield f"{_named(row)}: Python {row['python']} is wider than {made}"
            if "<" not in row["python"]:
                yield f"{_named(row)}: Python {row['python']} has no end"
        elif row["python"] != made and row["name"] != "mxnet":
            yield f"{_named(row)}: Python {row['python'] or 'unknown'}, its tags say {made}"


def _arm(tables: _Tables) -> Iterator[str]:
    """What PyPI has no wheel of for Arm has no build there, and what has a build has a wheel."""
    for row, package, extra, version in _built(tables):
        wheels = {"jax": f"jax-{extra}-plugin", "tensorrt": f"{package}-bindings"}
        release = project(wheels.get(row["name"], package)).release(version)
        made = release.platforms() if release else set()
        if row["index"] or not made or "any" in made:
            continue
        there = ARM[row["family"]] in made
        if row["arm"] != "no" and not there:
            yield f"{_named(row)}: Arm {row['arm'] or 'unknown'}, its wheels: {sorted(made)}"


def _within(inner: str, outer: str) -> bool:
    """Whether every Python 3 of ``inner`` lies in ``outer``."""
    allowed, wide = SpecifierSet(inner), SpecifierSet(outer)
    return all(f"3.{n}" not in allowed or f"3.{n}" in wide for n in range(3, 30))


def _kernels(tables: _Tables) -> Iterator[str]:
    """What a build's kernels run on is what was read out of its published wheel."""
    seen = kernels()
    for row, package, _, version in _built(tables):
        made = "" if row["index"] else seen.get((package, version, row["family"]), "")
        if made and row["compute"] != made:
            yield f"{_named(row)}: kernels {row['compute'] or 'unknown'}, its wheel has {made}"


def _tags_without_holes(tables: _Tables) -> Iterator[str]:
    """A specifier stands for a list of tags only while no Python between is left out."""
    for package, version in sorted({(package, one) for _, package, _, one in _built(tables)}):
        release = project(package).release(version)
        tags = release.wheels.split() if release else []
        minors = sorted({int(n) for tag in tags for n in re.findall(r"cp3([0-9]+)", tag)})
        for low, high in pairwise(minors):
            if high != low + 1:
                yield f"{package} {version}: wheels for 3.{low} and 3.{high}, none between"


def _newest_is_listed(tables: _Tables) -> Iterator[str]:
    for package in (*PROJECTS, "faster-whisper"):
        name, offered = framework_name(package), project(package).offered()
        final = [text for text in offered if not Version(text).is_postrelease]
        newest = max(final, key=order, default="")
        if newest and not any(
            row["name"] == name and row["version"] == newest for row in tables["frameworks"]
        ):
            yield f"{name} {newest} is on PyPI and not in the table"


def _wheels(tables: _Tables) -> Iterator[str]:
    """The table of NVIDIA's packages is PyPI's answer: no release more, none less."""
    listed = {(row["package"], Version(row["version"])): row for row in tables["wheels"]}
    packages = sorted({package for package, _ in listed})
    known: set[tuple[str, Version]] = set()
    for package in packages:
        for text, release in project(package).offered().items():
            key = (package, Version(text))
            known.add(key)
            yield from _wheel(package, text, release, listed.get(key))
    for package, version in sorted(listed.keys() - known):
        yield f"{package} {version} isn't in PyPI's answer"


def _wheel(package: str, text: str, release: Release, row: Row | None) -> Iterator[str]:
    platforms = sorted(release.platforms() - {"any"})
    if row is None and platforms and not Version(text).is_postrelease:
        yield f"{package} {text} is on PyPI and not in the table"
    elif row is not None and row["platforms"].split() != platforms:
        yield f"{package} {text}: for {row['platforms']}, PyPI has {' '.join(platforms)}"


def _toolkits(tables: _Tables) -> Iterator[str]:
    """Every toolkit names its driver, and the installer's name names no other."""
    for row in tables["toolkits"]:
        for field in ("driver_linux", "driver_windows", "released"):
            if not row[field] and not row["reason"]:
                yield f"CUDA {row['version']}: no {field}, and no reason"
        for file in tables["installers"]:
            named = _IN_NAME.search(file["url"])
            if file["version"] != row["version"] or not named or "linux" not in file["platform"]:
                continue
            if row["driver_linux"] and row["installer_linux"] not in ("", named[1]):
                yield f"CUDA {row['version']}: driver {row['installer_linux']}, not {named[1]}"


def _chips(tables: _Tables) -> Iterator[str]:
    """Every PCI id has the capability of its chip, and every name that of its ids."""
    chips = {row["chip"]: row["compute"] for row in tables["chips"]}
    for row in tables["pci"]:
        # GK107GLM, GK107GL … GK1: the longest that is listed counts.
        names = (row["chip"][:end] for end in range(len(row["chip"]), 2, -1))
        known = next((chips[name] for name in names if name in chips), "")
        if row["chip"] and not known:
            yield f"device {row['device']}: chip {row['chip']} isn't listed"
        elif known and known != row["compute"]:
            yield f"device {row['device']}: {row['compute']}, its chip {row['chip']} is {known}"


def _releases(tables: _Tables) -> Iterator[str]:
    for row in tables["cudnn"]:
        if not row["reason"] and not (row["cuda"] and row["released"]):
            yield f"cuDNN {row['version']}: no build or no date, and no reason"
    for name in ("cudnn", "toolkits"):
        for row in tables[name]:
            if row["released"] > row["read"]:
                yield f"{name} {row['version']}: released {row['released']}, read {row['read']}"
            wide = row.get("cuda_min"), row.get("cuda_max")
            if all(wide) and order(wide[0] or "") > order(wide[1] or ""):
                yield f"cuDNN {row['version']}: CUDA {wide[0]} to {wide[1]}"


def _architectures(tables: _Tables) -> Iterator[str]:
    """The toolkits of an architecture have no hole: an end has a beginning before it.

    Except where it ended before the first toolkit that there are files of.
    """
    oldest = min(order(row["version"]) for row in tables["toolkits"])
    for row in tables["architectures"]:
        early = order(row["last_cuda"]) < oldest
        if row["last_cuda"] and not (row["first_cuda"] or early):
            yield f"capability {row['compute']}: last CUDA {row['last_cuda']} without a first"


RULES: tuple[Callable[[_Tables], Iterator[str]], ...] = (
    _published, _pythons, _arm, _kernels, _tags_without_holes, _newest_is_listed, _wheels,
    _toolkits, _chips, _releases, _architectures,
)  # fmt: skip
