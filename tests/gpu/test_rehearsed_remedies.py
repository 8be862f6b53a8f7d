"""Remedies on a computer with a real NVIDIA GPU: tried before they are made, and then they help.

As in test_planted_faults.py each fault lives in a mount namespace of its own. A PyTorch
environment (TORCH_ENVIRONMENT) is covered by an overlay, so that its own pip may change it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from test_planted_faults import BARE, PACKAGES, TORCH, run

pytestmark = pytest.mark.gpu

TRIED = "Tried with these changes: "
ELSEWHERE = BARE + "mkdir -p /opt/cudnn && mount --bind lab/own /opt/cudnn\n"
CHANGEABLE = f"""
mkdir lab/layers && mount -t tmpfs none lab/layers && mkdir lab/layers/upper lab/layers/work
mount -t overlay overlay -o lowerdir={TORCH},upperdir=$PWD/lab/layers/upper,\
workdir=$PWD/lab/layers/work {TORCH}
mkdir lab/wheels; $PYTHON - {PACKAGES} lab/wheels <<'P'
import csv, pathlib, sys, zipfile
site, shelf = map(pathlib.Path, sys.argv[1:])
for info in site.glob("nvidia_cudnn_cu1*.dist-info"):
    name, version = info.name.removesuffix(".dist-info").rsplit("-", 1)
    with zipfile.ZipFile(shelf / f"{{name}}-{{version}}-py3-none-any.whl", "w") as wheel:
        for path, *_rest in csv.reader((info / "RECORD").open()):
            if "__pycache__" not in path and ".." not in path and (site / path).is_file():
                if not path.endswith(("/RECORD", "/INSTALLER", "/REQUESTED")):
                    wheel.write(site / path, path)
        wheel.writestr(f"{{info.name}}/RECORD", "")
P
export PIP_NO_INDEX=1 PIP_FIND_LINKS=$PWD/lab/wheels UV_OFFLINE=1 UV_FIND_LINKS=$PWD/lab/wheels
"""
"""The environment as it is, to be changed, and the wheel of its cuDNN packed again.

uv knows no UV_NO_INDEX (0.2 to 0.13 were asked): UV_OFFLINE keeps it to what lies on the disk.
"""


def fix(tmp_path: Path, plant: str, prefix: str = "", **environment: str) -> tuple[str, str]:
    """What ``fix --dry-run`` and ``fix --yes`` say; the latter has to end well."""
    then = f"""
time {prefix} $CA check -q; time {prefix} $CA fix --dry-run; echo ==; time {prefix} $CA fix --yes
echo "fixed $?"; $CA fix --yes >/dev/null; echo "again $?"
"""
    python = os.path.realpath(sys.executable)
    _code, text = run(tmp_path, plant, then, PYTHON=python, **environment)
    before, _mark, after = text.partition("\n==\n")
    return before, after


def test_a_folder_on_the_search_path_is_tried_before(tmp_path: Path, own_home: Path) -> None:
    before, after = fix(tmp_path, ELSEWHERE)
    assert f"{TRIED}a convolution ran in " in before
    assert f"{TRIED}a convolution ran in " in after
    assert "fixed 0" in after
    line = next(own_home.rglob("journal.jsonl")).read_text().splitlines()[-1]
    entry = json.loads(line[line.index("{") :])
    assert entry["plan"]["rehearsal"]["outcome"] == "works"


@pytest.mark.parametrize("part", ["graph", "engines_precompiled"])
def test_a_package_is_tried_in_a_shadow_of_its_environment(
    tmp_path: Path, own_home: Path, part: str
) -> None:
    if not PACKAGES:
        pytest.skip("needs a PyTorch environment")
    plant = CHANGEABLE + f"rm {PACKAGES}/nvidia/cudnn/lib/libcudnn_{part}.so*\n"
    before, after = fix(tmp_path, plant, torch="yes")
    assert "It is tried once everything is downloaded" in before
    assert TRIED in after
    assert "fixed 0" in after
    assert not list(own_home.rglob("shadow")), "nothing is left of the shadow"
