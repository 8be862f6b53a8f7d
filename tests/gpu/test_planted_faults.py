"""Faults planted on a computer with a real NVIDIA GPU, each in a mount namespace of its own.

Nothing of the computer is changed: what a fault moves or removes is covered by a mount that ends
with the test's processes. Needs root, a cuDNN 9 installed by the system's packages (its folder
can be named by SYSTEM_CUDNN) and, for some, a PyTorch environment (TORCH_ENVIRONMENT).
"""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.gpu

SYSTEM = os.environ.get("SYSTEM_CUDNN", "/usr/lib/x86_64-linux-gnu")
TORCH = os.environ.get("TORCH_ENVIRONMENT", "/opt/torch/.venv")
ROOT = str(Path(__file__).parents[2])

PREPARE = f"""
set -eu
mkdir -p lab/own lab/empty lab/cover
cp -a {SYSTEM}/libcudnn*.so* lab/own/
mount --bind {SYSTEM} lab/cover
"""
"""A second copy of the system's cuDNN for the fault to use; the folder as it was, elsewhere."""

NO_SYSTEM_CUDNN = f"""
mkdir lab/links && cp -as "$PWD/lab/cover/." lab/links/ && rm -f lab/links/libcudnn*
mount --bind lab/links {SYSTEM}
ldconfig -C lab/cache && mount --bind lab/cache /etc/ld.so.cache
"""
NO_TORCH = f"[ ! -d {TORCH} ] || mount --bind lab/empty {TORCH}; hash -r\n"
"""What remains is a computer whose programs take cuDNN from the system."""

BARE = NO_SYSTEM_CUDNN + NO_TORCH


EIGHT = os.environ.get("CUDNN_EIGHT", "")
"""Folder with an unpacked nvidia-cudnn-cu11 8; its main library and its record are enough."""
PACKAGES = next(iter(glob.glob(f"{TORCH}/lib/python3.*/site-packages")), "")

OTHER_PACKAGES = f"""
lay() {{  # lay FROM TO WITHOUT: all entries of a folder but some, where it stands
    mount -t tmpfs none "$2"
    for entry in "$1"/*; do
        name=${{entry##*/}}
        if [[ $name =~ ^($3)$ ]]; then continue; fi
        if [ -d "$entry" ]; then mkdir "$2/$name"; else : >"$2/$name"; fi
        mount --bind "$entry" "$2/$name"
    done
}}
mkdir -p lab/packages; mount --bind {PACKAGES} lab/packages; packages=$PWD/lab/packages
"""
"""An environment's packages can be changed one by one, each in its place."""


def run(tmp_path: Path, plant: str, then: str, **environment: str) -> tuple[int, str]:
    """Plant a fault, run shell commands under it; exit code and standard output."""
    script = f"cd {tmp_path}\n{PREPARE}\n{plant}\nset +e; cd {ROOT}\n{then}\n"
    # The interpreter inside an environment would vanish with it.
    python = os.path.realpath(sys.executable)
    path = [p for p in sys.path if p and not p.startswith(TORCH)]
    shell = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([ROOT, *path]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LAB": str(tmp_path / "lab"),
        "CA": f"{python} -m cudnn_assistant",
        **environment,
    }
    shell["PATH"] = os.pathsep.join(
        p for p in shell["PATH"].split(os.pathsep) if "torch" not in p or "torch" in environment
    )
    ended = subprocess.run(
        ["unshare", "-m", "bash", "-c", script],
        env=shell,
        capture_output=True,
        text=True,
        timeout=300,
    )
    print(ended.stdout, ended.stderr, sep="\n")  # noqa: T201  (the record of the run)
    return ended.returncode, ended.stdout


def check(tmp_path: Path, plant: str, prefix: str = "", **environment: str) -> dict[str, Any]:
    """What ``check`` says under a fault."""
    code, text = run(
        tmp_path, plant, f"{prefix} $CA check; {prefix} $CA check --json", **environment
    )
    answer: dict[str, Any] = json.loads(text[text.index('{"schema"') :])
    assert code == {"works": 0, "broken": 1, "impossible": 1, "unknown": 3}[answer["verdict"]]
    return answer


def codes(answer: dict[str, Any]) -> set[str]:
    return {f["code"] for f in answer["findings"] if f["severity"] != "info"}


def test_the_machine_as_it_is_works_and_gets_no_finding(tmp_path: Path) -> None:
    answer = check(tmp_path, "")
    assert answer["verdict"] == "works"
    assert not codes(answer)
    trial = next(t for t in answer["machine"]["trials"] if t["subject"] == "system")
    assert trial["checks"]
    assert os.path.isfile(trial["loaded"])


def test_an_empty_folder_on_the_search_path_is_harmless(tmp_path: Path) -> None:
    answer = check(tmp_path, "", "LD_LIBRARY_PATH=$LAB/empty")
    assert answer["verdict"] == "works"
    assert not codes(answer)


def test_a_stub_of_the_driver_is_named(tmp_path: Path) -> None:
    plant = (
        "mkdir lab/stubs; cp /usr/local/cuda/lib64/stubs/libcuda.so lab/stubs/;"
        "ln -s libcuda.so lab/stubs/libcuda.so.1"
    )
    answer = check(tmp_path, plant, "LD_LIBRARY_PATH=$LAB/stubs")
    assert answer["verdict"] == "broken"
    assert "stub-library-loaded" in codes(answer)


def test_a_hidden_gpu_is_named(tmp_path: Path) -> None:
    answer = check(tmp_path, "", "CUDA_VISIBLE_DEVICES=-1")
    assert codes(answer) == {"gpu-hidden"}


def test_a_missing_cudnn_is_named(tmp_path: Path) -> None:
    answer = check(tmp_path, BARE + "rm -rf lab/own")
    assert "cudnn-missing" in codes(answer)


def test_an_empty_library_in_front_is_named(tmp_path: Path) -> None:
    plant = "mkdir lab/stub; : >lab/stub/libcudnn.so.9"
    answer = check(tmp_path, NO_TORCH + plant, "LD_LIBRARY_PATH=$LAB/stub")
    assert answer["verdict"] == "broken"
    assert codes(answer) & {"cudnn-damaged", "cudnn-part-missing"}


def test_a_second_older_copy_in_front_of_pytorch_is_named(tmp_path: Path) -> None:
    if not os.path.isdir(TORCH):
        pytest.skip("needs a PyTorch environment")
    # The whole PATH stays, so that the environment is the active one.
    answer = check(tmp_path, "", "LD_LIBRARY_PATH=$LAB/own", torch="yes")
    assert answer["verdict"] == "broken"
    found = next(f for f in answer["findings"] if f["code"] == "library-path-overrides")
    assert found["subject"] == TORCH
    assert str(tmp_path / "lab" / "own") in found["facts"]["folder"]


def of_torch(answer: dict[str, Any]) -> set[str]:
    serious = (f for f in answer["findings"] if f["severity"] in ("error", "warning"))
    return {f["code"] for f in serious if f["subject"] == TORCH}


def test_a_pip_package_of_the_wrong_major_is_named(tmp_path: Path) -> None:
    if not (PACKAGES and EIGHT):
        pytest.skip("needs a PyTorch environment, and cuDNN 8's wheel in CUDNN_EIGHT")
    plant = (
        OTHER_PACKAGES
        + f"""
lay "$packages" {PACKAGES} 'nvidia_cudnn_cu1.*'
cp -r {EIGHT}/nvidia_cudnn_cu11-*.dist-info {PACKAGES}/
mount --bind {EIGHT}/nvidia/cudnn/lib {PACKAGES}/nvidia/cudnn/lib
"""
    )
    answer = check(tmp_path, plant, torch="yes")
    assert answer["verdict"] == "broken"
    assert of_torch(answer) == {"cudnn-package-missing"}


def test_a_pytorch_for_the_processor_is_named(tmp_path: Path) -> None:
    if not PACKAGES:
        pytest.skip("needs a PyTorch environment")
    # What a wheel for the processor holds, and says of itself.
    plant = (
        OTHER_PACKAGES
        + f"""
lay "$packages" {PACKAGES} 'torch|torch-.*'
mkdir {PACKAGES}/torch; lay "$packages/torch" {PACKAGES}/torch 'lib|version.py'
mkdir {PACKAGES}/torch/lib
lay "$packages/torch/lib" {PACKAGES}/torch/lib 'lib(torch|c10)_cuda.*'
sed -E "s/^cuda(.*)= .*/cuda\\1= None/; s/\\+cu[0-9]+/+cpu/" \
    "$packages/torch/version.py" >{PACKAGES}/torch/version.py
cp -r "$packages"/torch-*.dist-info lab/info
sed -i -E "s/^(Version: [0-9.]+).*/\\1+cpu/; /^Requires-Dist: (nvidia|cuda)/d" lab/info/METADATA
version=$(sed -n "s/^Version: //p" lab/info/METADATA)
cp -r lab/info {PACKAGES}/torch-"$version".dist-info
"""
    )
    answer = check(tmp_path, plant, torch="yes")
    # Others in this environment still compute on the GPU.
    assert "cpu-only-framework" in of_torch(answer)


@pytest.mark.parametrize("part", ["ops", "cnn", "graph", "engines_precompiled", "heuristic"])
def test_a_removed_part_is_named(tmp_path: Path, part: str) -> None:
    plant = BARE + f"rm lab/own/libcudnn_{part}.so*"
    answer = check(tmp_path, plant, "LD_LIBRARY_PATH=$LAB/own")
    # Without its heuristics cuDNN falls back, and the small convolution of the test runs.
    assert answer["verdict"] == "broken" or part == "heuristic"
    assert "cudnn-part-missing" in codes(answer)
    assert part in json.dumps([f for f in answer["findings"] if f["code"] == "cudnn-part-missing"])


def test_a_truncated_part_is_named(tmp_path: Path) -> None:
    plant = (
        BARE
        + 'f=$(readlink -f lab/own/libcudnn_cnn.so.9); truncate -s 40% "$f" || truncate -s 1M "$f"'
    )
    answer = check(tmp_path, plant, "LD_LIBRARY_PATH=$LAB/own")
    assert answer["verdict"] == "broken"
    assert codes(answer) & {"cudnn-damaged", "cudnn-part-missing"}


def test_memory_taken_by_another_process_is_named(tmp_path: Path) -> None:
    plant = (
        NO_TORCH
        + f"""
fill="{os.path.realpath(sys.executable)} {Path(__file__).parent}/fill_memory.py"
mkfifo lab/hold; exec 9<>lab/hold
$fill 200 <lab/hold >lab/filled 2>/dev/null 9>&- &
filler=$!; trap 'kill $filler; wait' EXIT
for i in $(seq 60); do [ -s lab/filled ] && break; sleep 0.5; done
"""
    )
    answer = check(tmp_path, plant)
    assert answer["verdict"] == "broken"
    assert codes(answer) & {"gpu-memory-taken", "gpu-memory-held", "gpu-memory-small"}


def test_fix_makes_a_copy_outside_the_search_path_work_and_undo_takes_it_back(
    tmp_path: Path, own_home: Path
) -> None:
    (own_home / ".bashrc").write_text("# mine, no final newline\nalias ll='ls -l'")
    (own_home / ".profile").write_text("export EDITOR=vi\n")
    shutil.copytree(own_home, tmp_path / "before")
    plant = BARE + "mkdir -p /opt/cudnn && mount --bind lab/own /opt/cudnn 2>/dev/null"
    then = """
$CA check; echo "exit $?"; $CA fix --dry-run; echo "exit $?"
$CA fix --yes; echo "fixed $?"
env -i HOME=$HOME PATH=$PATH bash -ic 'echo "new terminal: $LD_LIBRARY_PATH"' 2>/dev/null
$CA undo --list; $CA undo --yes; echo "undone $?"
"""
    _code, text = run(tmp_path, plant, then)
    assert "cudnn-not-on-path" in text
    assert "fixed 0" in text
    assert "new terminal: /opt/cudnn" in text
    assert "undone 0" in text
    for name in (".bashrc", ".profile"):
        assert (own_home / name).read_bytes() == (tmp_path / "before" / name).read_bytes()
    left = {p.relative_to(own_home).as_posix() for p in own_home.rglob("*") if p.is_file()}
    assert not [name for name in left if name.endswith("environment.sh")]


PACK = r"""
top=$($PYTHON - <<'P'
import re
data = open("resources/compat/compat.json").read()
found = re.findall(r'"[^"]*/(cudnn-linux-x86_64-(9[\d.]*)_cuda13-archive)\.tar\.xz"', data)
print(max(found, key=lambda pair: [int(n) for n in pair[1].split(".")])[0])
P
)
mkdir -p $LAB/pack/$top/lib $LAB/mirror && cp -a $LAB/own/libcudnn*.so* $LAB/pack/$top/lib/
echo "the licence" >$LAB/pack/$top/LICENSE; echo "the licence" >$LAB/mirror/LICENSE.txt
tar -C $LAB/pack -cf - $top | xz -T0 -0 >$LAB/mirror/$top.tar.xz
$PYTHON - $top $LAB/mirror/$top.tar.xz <<'P'
import hashlib, os, re, sys
top, archive = sys.argv[1:]
path = "resources/compat/compat.json"
data = open(path).read()
with open(archive, "rb") as file:
    digest = hashlib.file_digest(file, "sha256").hexdigest()
row = re.compile('("[^"]*/' + re.escape(top) + r'\.tar\.xz","sha256":)"[0-9a-f]+","size":\d+')
data, times = row.subn(rf'\g<1>"{digest}","size":{os.path.getsize(archive)}', data)
assert times == 1, times
open(path, "w").write(data)
P
rm -rf $LAB/own $LAB/pack
"""
"""The system's cuDNN packed as on NVIDIA's server, and a feed that names it."""


def test_fix_installs_a_missing_cudnn_and_undo_removes_it(tmp_path: Path, own_home: Path) -> None:
    copy = tmp_path / "program"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".whl", ".gpu", "tests"))
    then = f"""
cd {copy}; export PYTHONPATH={copy}:$PYTHONPATH PYTHON="${{CA%% *}}"
set -e; {PACK}
set +e; export CUDNN_ASSISTANT_ARCHIVES=$LAB/mirror
$CA check; echo "exit $?"
$CA fix --yes; echo "fixed $?"
env -i HOME=$HOME PATH=$PATH bash -ic 'echo "new terminal: $LD_LIBRARY_PATH"' 2>/dev/null
$CA installed; $CA undo --yes; echo "undone $?"; $CA check -q; echo "exit $?"
find $HOME -type f | sort
"""
    _code, text = run(tmp_path, BARE, then)
    assert "cudnn-missing" in text
    assert "fixed 0" in text
    assert "convolution ran on" in text
    assert "undone 0" in text
    files = [p for p in own_home.rglob("*") if p.is_file()]
    assert not [p for p in files if "libcudnn" in p.name or p.name in (".bashrc", ".profile")]
