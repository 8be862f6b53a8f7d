"""Sources → compat.json: what is refused, what changed, and that the built-in copy is current."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cudnn_assistant import places
from cudnn_assistant.compat import Compat, File
from cudnn_assistant.compat.facts import KnownBad
from cudnn_assistant.feed import load_builtin
from installer.feed import tables
from installer.feed.__main__ import main
from installer.feed.difference import difference
from installer.feed.invariants import breaches


@pytest.fixture
def resources(tmp_path: Path) -> Path:
    """A copy of the sources and of what they compile to."""
    folder = tmp_path / "compat"
    shutil.copytree(places.resource("compat"), folder)
    return folder


def edit(resources: Path, table: str, change: Callable[[list[dict[str, str]]], None]) -> None:
    """Change a table the way a person would."""
    sources = resources / "sources"
    rows = tables.read(sources, table)
    change(rows)
    tables.write(sources, table, rows)


def compiled(resources: Path, *more: str) -> int:
    return main(["--resources", str(resources), "compile", "--day", "2027-01-02", *more])


def test_the_built_in_copy_is_what_the_sources_say(
    resources: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compiled(resources, "--check") == 0
    assert "up to date" in capsys.readouterr().out


def test_nothing_changes_when_nothing_changed(resources: Path) -> None:
    before = (resources / "compat.json").read_bytes()
    assert compiled(resources) == 0
    assert (resources / "compat.json").read_bytes() == before


def test_a_change_counts_the_version_up_and_is_shown(
    resources: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        row = next(row for row in rows if row["version"] == "9.10.2" and row["cuda"] == "12")
        row["driver_min_linux"] = "530.30.02"

    edit(resources, "cudnn", change)
    assert compiled(resources) == 1
    said = capsys.readouterr()
    assert "~ cuDNN 9.10.2, for CUDA 12, driver_min_linux: 525.60.13 → 530.30.02" in said.out
    assert "driver_min_linux of cuDNN for CUDA 12 falls from 530.30.02 (9.10.2)" in said.err


def test_an_allowed_change_is_written_with_its_day(resources: Path) -> None:
    def change(rows: list[dict[str, str]]) -> None:
        rows[-1]["name"] = "Another Name"

    edit(resources, "pci", change)
    assert compiled(resources) == 0
    made = msgspec.json.decode((resources / "compat.json").read_bytes(), type=Compat)
    assert (made.version, made.published) == (load_builtin().version + 1, "2027-01-02")


def _set(index: int, **cells: str) -> Callable[[list[dict[str, str]]], None]:
    return lambda rows: rows[index].update(cells)


@pytest.mark.parametrize(
    ("table", "change", "said"),
    [
        ("gpus", _set(0, source=""), "gpus.csv line 2: needs a source"),
        ("gpus", _set(3, read="yesterday"), "gpus.csv line 5: needs a source and the day"),
        ("cudnn_files", _set(0, url="https://example.com/x.tgz"), "url"),
        ("cudnn_files", _set(0, sha256=""), "a hash, or the mark that there is none"),
        ("cudnn_files", _set(0, unproven="yes"), "a hash, or the mark that there is none"),
        ("cudnn_files", _set(0, version="9.99.9"), "names builds that aren't listed"),
        ("installers", _set(0, version="99.1.0"), "names toolkits that aren't listed"),
        ("components", _set(0, toolkit="99.1.0"), "names toolkits that aren't listed"),
        ("pins", _set(0, toolkit="99.1.0"), "names toolkits that aren't listed"),
        ("pins", _set(0, pin="@ https://example.com/x"), "requirements"),
        ("frameworks", _set(0, requirement="torch; reboot"), "requirement"),
        ("frameworks", _set(0, name="caffe;rm"), "name"),
        ("architectures", _set(0, board="perhaps"), "board can't be 'perhaps'"),
        ("cudnn", _set(20, driver_min_linux="about 450"), "driver_min_linux"),
    ],
)
def test_a_row_that_may_not_be(
    resources: Path,
    capsys: pytest.CaptureFixture[str],
    table: str,
    change: Callable[[list[dict[str, str]]], None],
    said: str,
) -> None:
    before = (resources / "compat.json").read_bytes()
    edit(resources, table, change)
    assert compiled(resources) == 1
    assert said in capsys.readouterr().err
    assert (resources / "compat.json").read_bytes() == before


def test_a_row_with_too_many_cells(resources: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = resources / "sources/gpus.csv"
    with path.open("a", newline="") as file:
        csv.writer(file).writerow(["x"] * 9)
    assert compiled(resources) == 1
    assert "number of cells differs from the heading" in capsys.readouterr().err


# The rules beyond the types, each broken once


def _row(compat: Compat, table: str, index: int, **changes: Any) -> Compat:
    rows = list(getattr(compat, table))
    rows[index] = msgspec.structs.replace(rows[index], **changes)
    return msgspec.structs.replace(compat, **{table: tuple(rows)})


def _build(compat: Compat, version: str, **changes: Any) -> Compat:
    at = next(i for i, one in enumerate(compat.cudnns) if one.version == version)
    builds = list(compat.cudnns[at].builds)
    builds[-1] = msgspec.structs.replace(builds[-1], **changes)
    return _row(compat, "cudnns", at, builds=tuple(builds))


def _twin(compat: Compat, table: str) -> Compat:
    rows = getattr(compat, table)
    return msgspec.structs.replace(compat, **{table: (*rows, rows[0])})


BREAKS: list[tuple[Callable[[Compat], Compat], str]] = [
    (lambda c: _twin(c, "architectures"), "capability 1.0 is listed 2 times"),
    (lambda c: _twin(c, "branches"), "is listed 2 times"),
    (lambda c: _twin(c, "floors"), "floor for CUDA 7.0.28 is listed 2 times"),
    (lambda c: _twin(c, "toolkits"), "toolkit 8.0.44 is listed 2 times"),
    (lambda c: _twin(c, "cudnns"), "cuDNN 6.0 is listed 2 times"),
    (lambda c: _twin(c, "frameworks"), "framework"),
    (lambda c: _twin(c, "wheels"), "wheel"),
    (lambda c: _row(c, "branches", -1, cuda="12.0"), "cuda of the driver branches falls"),
    (lambda c: _row(c, "floors", -1, linux="400.1"), "linux floor falls"),
    (lambda c: _row(c, "floors", -1, windows_safe="1.0"), "the safe value 1.0 is below"),
    (lambda c: _row(c, "architectures", 4, last_cuda="2.0"), "last CUDA 2.0 is before the first"),
    (lambda c: _row(c, "architectures", 0, last_driver="391"), "driver branch 391 isn't listed"),
    (lambda c: _row(c, "architectures", 0, last_cudnn="9.99"), "cuDNN 9.99 isn't listed"),
    (lambda c: _build(c, "9.28.0", compute_min="5.0"), "compute_min of cuDNN for CUDA 13 falls"),
    (lambda c: _build(c, "9.10.2", full="9.10.1.4"), "9.10.1.4 is another release"),
    (lambda c: _build(c, "9.10.2", compute_max="3.0"), "capability 3.0 is below 5.0"),
    (lambda c: _build(c, "9.10.2", late_linux=""), "minimums for late GPUs are incomplete"),
    (lambda c: _build(c, "9.10.2", files=_builds(c, "9.9.0")), "doesn't name the version"),
    (lambda c: _row(c, "frameworks", 0, cudnn="9.99"), "cuDNN 9.99 isn't listed"),
    (lambda c: _row(c, "frameworks", 0, cuda="12.7"), "CUDA 12.7 isn't listed"),
    (lambda c: _row(c, "frameworks", 0, gpu=False), "yet has no build for GPUs"),
    (lambda c: _row(c, "wheels", -1, package="nvidia-cudnn-cu13", version="9.99.1"), "9.99.1"),
    (lambda c: msgspec.structs.replace(c, gpus={"x": "4.4"}), "capability 4.4 isn't listed"),
    (lambda c: msgspec.structs.replace(c, pci={"0001": "4.4 X"}), "names no listed capability"),
]


def _builds(compat: Compat, version: str) -> Any:
    return next(one for one in compat.cudnns if one.version == version).builds[-1].files


@pytest.mark.parametrize(("break_it", "said"), BREAKS, ids=[said for _, said in BREAKS])
def test_each_rule_notices_its_breach(break_it: Callable[[Compat], Compat], said: str) -> None:
    assert breaches(load_builtin()) == ()
    assert any(said in breach for breach in breaches(break_it(load_builtin())))


def _with(file: File, bad: KnownBad) -> File:
    same = file.platform == bad.platform
    return msgspec.structs.replace(file, sha256=bad.sha256) if same else file


def test_a_hash_that_is_known_to_be_wrong_is_noticed() -> None:
    compat = load_builtin()
    bad = next(one for one in compat.known_bad if one.product == "cudnn")
    at = next(i for i, one in enumerate(compat.cudnns) if one.version == "8.9.5")
    builds = tuple(
        msgspec.structs.replace(build, files=tuple(_with(file, bad) for file in build.files))
        for build in compat.cudnns[at].builds
    )
    found = breaches(_row(compat, "cudnns", at, builds=builds))
    assert any("its hash is known to be wrong" in breach for breach in found)


# The difference


def test_no_difference_to_itself() -> None:
    compat = load_builtin()
    later = msgspec.structs.replace(compat, version=compat.version + 9, published="2030-01-01")
    assert difference(compat, later) == ()


def test_the_difference_names_each_change_once() -> None:
    old = load_builtin()
    new = msgspec.structs.replace(
        old,
        cudnns=old.cudnns[:-1],
        branches=(*old.branches, msgspec.structs.replace(old.branches[-1], branch=700)),
        gpus={**old.gpus, "geforce rtx 6090": "13.0"},
    )
    assert sorted(difference(old, new)) == [
        "+ driver branch 700",
        "+ gpus geforce rtx 6090: unknown → 13.0",
        f"- cuDNN {old.cudnns[-1].version}",
    ]


def test_a_changed_hash_is_shown_whole() -> None:
    old = load_builtin()
    release = next(one for one in reversed(old.cudnns) if one.builds[-1].files)
    build = release.builds[-1]
    file = msgspec.structs.replace(build.files[0], sha256="0" * 64)
    new = _build(old, release.version, files=(file, *build.files[1:]))
    (line,) = difference(old, new)
    assert line.endswith(f"sha256: {build.files[0].sha256} → {'0' * 64}")
