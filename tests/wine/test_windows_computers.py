"""Whole Windows computers under Wine: the real command line on stub DLLs of driver and cuDNN.

What Wine does alike: the registry's settings, the loader's search for DLLs, drives, PE files,
children and their pipes. Driver and cuDNN are the lab's stubs; there is no SetupAPI device, and
NVML is not asked, so the GPU is the one that CUDA shows.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import needs
import pefile
import pytest
import stubs
from windows_python import Wine

pytestmark = pytest.mark.wine

REPOSITORY = Path(__file__).parents[2]
EXPECTED = {
    "healthy": "works",
    "healthy_in_the_toolkit": "works",
    "torch_whose_python_does_not_start": "unknown",
    "older_copy_first_that_works_healthy": "works",
    "folder_above_on_path": "error cudnn-parent-on-path",
    "part_missing": "error cudnn-part-missing",
    "stray_copy_in_system32": "error stray-cudnn-first",
    "file_that_is_no_library_beside_python": "error working-folder-stops-cudnn",
    "cuda_path_stale": "warning cuda-path-stale",
    "zlibwapi_missing": "error zlibwapi-missing",
    "without_nvidia": "error no-nvidia-gpu",
    "driver_too_old": "error driver-too-old",
    "onnxruntime_without_cuda": "error onnxruntime-without-packages",
    "blanks_around_the_folder": "error cudnn-not-on-path",
    "name_that_nobody_set": "error cudnn-not-on-path",
    "ctranslate2_without_the_parts": "error cudnn-missing",
    "other_programs_dlls_come_first_healthy": "works",
    "archive_that_explorer_unpacked": "error cudnn-not-on-path",
}
"""By computer (computers_inside.py): its first finding, or the verdict of one without a fault."""


@pytest.fixture(scope="module")
def told(
    wine: Wine, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    """What was said about each computer that is asked for; all are checked in one go."""
    needs.require(*stubs.TOOLS)
    folder = tmp_path_factory.mktemp("dlls")
    stubs.build(folder)
    libraries = str(Path(pefile.__file__).parent)
    asked = (
        item.callspec.params["name"]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and item.path == request.path
        and (needs.night() or not item.get_closest_marker("nightly"))
    )
    done = wine.run("computers_inside.py", libraries, str(folder), *asked)
    assert done.code == 0, done.output
    lines = (line for line in done.output.splitlines() if line.startswith('{"name"'))
    return {answer["name"]: answer for answer in map(json.loads, lines)}


@pytest.mark.spread(18)
@pytest.mark.parametrize("name", EXPECTED)
def test_a_windows_computer(told: dict[str, dict[str, Any]], name: str) -> None:
    answer = told[name]
    expected = EXPECTED[name]
    if expected in ("works", "unknown"):
        code = 0 if expected == "works" else 3
        assert (answer.get("verdict"), answer["code"]) == (expected, code), answer
        assert all(line.startswith("info ") for line in answer["findings"]), answer
        return
    assert answer.get("findings", [""])[0] == expected, answer
    assert answer["code"] == (0 if expected.startswith("warning") else 1), answer
