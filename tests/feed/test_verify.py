"""Every row of the sources against what is kept of the registry's answers and of the wheels."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cudnn_assistant import places
from installer.feed import recorded, tables
from installer.feed.__main__ import main
from installer.feed.verify import findings

Change = Callable[[dict[str, str]], object]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "compat"
    shutil.copytree(places.resource("compat"), folder)
    return folder / "sources"


def test_the_sources_agree_with_their_evidence(sources: Path) -> None:
    assert findings(sources) == ()


def spoilt(sources: Path, table: str, which: dict[str, str], change: dict[str, str]) -> str:
    """What is found after one row was changed."""
    rows = tables.read(sources, table)
    row = next(row for row in rows if which.items() <= row.items())
    row.update(change)
    tables.write(sources, table, rows)
    return "\n".join(findings(sources))


TORCH = {"name": "torch", "version": "2.5.1", "family": "linux", "index": ""}


@pytest.mark.parametrize(
    ("table", "which", "change", "told"),
    [
        ("frameworks", TORCH, {"python": ">=3.9,<3.13"}, "its tags say >=3.9,<3.14"),
        ("frameworks", TORCH, {"python": ">=3.9"}, "its tags say >=3.9,<3.14"),
        ("frameworks", TORCH, {"python": ""}, "Python unknown"),
        (
            "frameworks",
            {"name": "torch", "version": "2.14.1", "family": "windows", "index": "cu130"},
            {"python": ">=3.10,<3.16"},
            "its tags say >=3.10,<3.15",
        ),
        (
            "frameworks",
            {"name": "jax", "version": "0.9.0", "cuda": "12"},
            {"python": ">=3.11"},
            "has no end",
        ),
        (
            "frameworks",
            {"name": "onnxruntime", "version": "1.8", "family": "linux"},
            {"requirement": "onnxruntime-gpu==1.8.0"},
            "isn't in PyPI's answer",
        ),
        (
            "frameworks",
            {"name": "ctranslate2", "version": "4.8.5", "family": "linux"},
            {"version": "4.8.6", "requirement": "ctranslate2==4.8.6"},
            "isn't in PyPI's answer",
        ),
        (
            "wheels",
            {"package": "nvidia-cudnn-cu13", "version": "9.28.1.4"},
            {"version": "9.28.2.0"},
            "nvidia-cudnn-cu13 9.28.1.4 is on PyPI and not in the table",
        ),
        ("frameworks", TORCH, {"compute": "3.5 9.0"}, "kernels 3.5 9.0, its wheel has 5.0 6.0"),
        (
            "frameworks",
            {"name": "onnxruntime", "version": "1.23.0", "family": "linux"},
            {"compute": "6.0 7.0 7.5 8.0 8.6 9.0+PTX"},
            "its wheel has 6.0 7.0 7.5 8.0 8.6 9.0",
        ),
        ("pci", {"device": "1024"}, {"compute": "3.0"}, "its chip GK180GL is 3.5"),
        ("toolkits", {"version": "13.2.0"}, {"driver_linux": "", "reason": ""}, "no driver_linux"),
        ("toolkits", {"version": "13.2.0"}, {"installer_linux": "590.48.01"}, "not 595.45.04"),
        ("cudnn", {"version": "7.0.1"}, {"reason": ""}, "no build or no date"),
        ("cudnn", {"version": "9.28.1"}, {"released": "2027-01-01"}, "released 2027-01-01"),
        ("cudnn", {"version": "9.0.0", "cuda": "11"}, {"cuda_min": "11.9"}, "CUDA 11.9 to 11.8"),
    ],
)
def test_a_wrong_row_is_found(
    sources: Path, table: str, which: dict[str, str], change: dict[str, str], told: str
) -> None:
    assert told in spoilt(sources, table, which, change)


def test_verify_is_a_command(sources: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--resources", str(sources.parent), "verify"]) == 0
    spoilt(sources, "frameworks", TORCH, {"python": ""})
    assert main(["--resources", str(sources.parent), "verify"]) == 1
    assert "torch 2.5.1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tags", "requires", "told"),
    [
        ("cp310-cp310-manylinux1_x86_64 cp312-cp312-manylinux1_x86_64", "", ">=3.10,<3.13"),
        ("cp313-cp313t-manylinux_2_28_x86_64 cp312-cp312-manylinux_2_28_x86_64", "",
         ">=3.12,<3.13"),
        ("cp38-abi3-manylinux2014_x86_64", "", ">=3.8"),
        ("py3-none-any", ">=3.9", ">=3.9"),
        ("cp39-cp39-win_amd64", "", ""),
        (f"cp3{'9' * 5000}-none-any cp39-none-any", f">=3.{'9' * 5000}", ">=3.9,<3.10"),
        ("cp37-cp37m-manylinux1_x86_64 cp38-cp38-manylinux1_x86_64", ">=3.8.0", ">=3.8,<3.9"),
    ],
)  # fmt: skip
def test_tags_become_both_ends(tags: str, requires: str, told: str) -> None:
    release = recorded.Release(requires, tags)
    assert release.pythons("linux-x86_64") == told


def test_withdrawn_files_are_no_files() -> None:
    withdrawn = recorded.project("nvidia-cudnn-cu12")
    assert "9.25.0.15" in withdrawn.releases
    assert "9.25.0.15" not in withdrawn.offered()
