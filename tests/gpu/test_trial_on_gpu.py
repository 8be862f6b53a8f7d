"""The cuDNN test on real hardware, with the machine's own cuDNN, whole and damaged."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.probe.trials.framework import run_framework
from cudnn_assistant.probe.trials.trial import check_library, run_trial

pytestmark = pytest.mark.gpu


def test_a_copy_alone(copy, bare, told):
    trial = told(run_trial(bare, "linux", library=str(copy)))
    assert (trial.status, trial.checks) == ("ok", ("fp32",))
    assert trial.loaded.startswith(str(copy))
    assert trial.gpu.startswith(("GPU-", "MIG-"))


def test_every_type(copy, bare, told):
    trial = told(run_trial(bare, "linux", library=str(copy), full=True))
    assert trial.status == "ok"
    assert {"fp32", "fp32 backward data", "fp32 backward filter", "fp32 wide"} <= set(trial.checks)


def test_without_cuda_python(copy, bare, told, tmp_path, monkeypatch):
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)  # a child looks where we do
    trial = told(run_trial(bare, "linux", library=str(copy), full=True))
    assert trial.status == "ok"


def test_an_environment(folders, bare, told):
    trial = told(run_trial(bare, "linux", subject="environment", folders=folders, full=True))
    assert trial.status == "ok"
    assert trial.loaded.startswith(folders[0])


def test_what_programs_get_by_name(copy, bare, told):
    trial = told(run_trial({**bare, "LD_LIBRARY_PATH": str(copy)}, "linux"))
    assert trial.status == "ok"
    assert trial.loaded.startswith(str(copy))


def test_the_copy_as_cudnn_jit_has_it(copy, bare, told, tmp_path):
    """Main library, graph and run-time compiler alone: the graph calls must do."""
    packages = tmp_path / "nvidia"
    (packages / "cudnn" / "lib").mkdir(parents=True)
    for package in copy.parent.parent.iterdir():
        if package.is_dir() and package.name != "cudnn":
            (packages / package.name).symlink_to(package)
    for name in ("libcudnn", "libcudnn_graph", "libcudnn_engines_runtime_compiled"):
        shutil.copy(copy / f"{name}.so.9", packages / "cudnn" / "lib")
    library = str(packages / "cudnn" / "lib")
    trial = told(run_trial(bare, "linux", library=library, full=True))
    assert (trial.stage, trial.status) == ("convolution", "ok")


# -- the search path ------------------------------------------------------------------------------


def test_nothing_to_be_found(bare, told, tmp_path):
    trial = told(run_trial({**bare, "LD_LIBRARY_PATH": str(tmp_path)}, "linux"))
    if trial.status == "ok":
        pytest.skip("this machine has a system cuDNN")
    assert (trial.stage, trial.status) == ("load", "missing-library")


def test_a_placeholder_of_the_driver(copy, bare, told, tmp_path):
    (tmp_path / "stub.c").write_text("int cuInit(unsigned f){return 34;}")
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", "libcuda.so.1", "stub.c"],
        cwd=tmp_path,
        check=True,
    )
    path = f"{tmp_path}:{copy}"
    trial = told(run_trial({**bare, "LD_LIBRARY_PATH": path}, "linux"))
    assert trial.stage in ("sublibraries", "driver")
    assert trial.status != "ok"


# -- the GPU --------------------------------------------------------------------------------------


def test_no_gpu_is_visible(copy, bare, told):
    trial = told(run_trial({**bare, "CUDA_VISIBLE_DEVICES": ""}, "linux", library=str(copy)))
    assert (trial.stage, trial.status, trial.code) == ("driver", "no-gpu", 100)


def test_by_uuid(copy, bare, told):
    uuid = run_trial(bare, "linux", library=str(copy)).gpu
    trial = told(run_trial(bare, "linux", library=str(copy), gpu=uuid))
    assert (trial.status, trial.gpu) == ("ok", uuid)


def test_an_unknown_gpu(copy, bare, told):
    other = "GPU-00000000-0000-0000-0000-000000000000"
    trial = told(run_trial(bare, "linux", library=str(copy), gpu=other))
    assert (trial.stage, trial.status) == ("driver", "no-gpu")


@pytest.mark.parametrize("megabytes", [2000, 600, 200])
def test_memory_that_others_hold(copy, bare, told, megabytes):
    """The context itself takes some: what is free is measured when it is there."""
    filler = subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "fill_memory.py"), str(megabytes)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**bare, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        free = filler.stdout.readline().strip()
        trial = told(
            run_trial(bare, "linux", library=str(copy), full=True), f"{free} MiB free before"
        )
    finally:
        filler.kill()
        filler.wait()
    assert trial.status in ("ok", "out-of-memory")


# -- damage ---------------------------------------------------------------------------------------

PARTS = ("graph", "ops", "cnn", "adv", "heuristic", "engines_precompiled")
OPTIONAL = ("engines_runtime_compiled", "engines_tensor_ir", "ext")


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("how", ["missing", "empty", "cut"])
def test_a_damaged_part(changed, bare, told, copy, part, how):
    folder = changed(part, how)
    trial = told(run_trial(bare, "linux", library=str(folder)), f"{part} {how}")
    check = check_library(
        CudnnCopy(folder=str(folder), file=next(copy.glob("libcudnn.so.?")).name, major=9),
        bare,
        "linux",
    )
    told(trial, f"    and by itself: {check}")
    assert trial.status not in ("timed-out", "no-gpu", "not-run", "wrong-result")


@pytest.mark.parametrize("part", OPTIONAL)
@pytest.mark.parametrize("how", ["missing", "cut"])
def test_a_damaged_part_that_few_need(changed, bare, told, copy, part, how):
    if not list(copy.glob(f"libcudnn_{part}.so.*")):
        pytest.skip(f"this cuDNN has no {part}")
    trial = told(run_trial(bare, "linux", library=str(changed(part, how))), f"{part} {how}")
    assert trial.status not in ("timed-out", "no-gpu", "not-run", "wrong-result")


def test_a_part_of_another_version(changed, bare, told):
    other = os.environ.get("CUDNN_OTHER")
    if not other:
        pytest.skip("name a folder with libcudnn_cnn.so.9 of another version in CUDNN_OTHER")
    trial = told(run_trial(bare, "linux", library=str(changed("cnn", "swapped"))))
    assert (trial.stage, trial.status) == ("sublibraries", "status-code")


def test_without_the_compiler(copy, bare, told, tmp_path):
    """NVRTC and cuBLAS are not to be found: what stops, and with which words?"""
    trial = told(run_trial(bare, "linux", library=str(shutil.copytree(copy, tmp_path / "lib"))))
    assert trial.status not in ("timed-out", "no-gpu", "not-run", "wrong-result")


# -- several --------------------------------------------------------------------------------------


def test_every_gpu_side_by_side(copy, bare, told):
    from cudnn_assistant.probe.trials.trial import run_trials

    one = time.monotonic()
    first = run_trial(bare, "linux", library=str(copy))
    one = time.monotonic() - one
    listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    uuids = [line.split("UUID: ")[1].rstrip(")") for line in listed.splitlines() if "UUID" in line]
    began = time.monotonic()
    trials = run_trials(bare, "linux", gpus=uuids, library=str(copy))
    took = time.monotonic() - began
    for trial in trials:
        told(trial, f"{len(uuids)} side by side in {took:.2f} s, one {one:.2f} s")
    assert [trial.gpu for trial in trials] == uuids
    assert {trial.status for trial in trials} == {"ok"}
    assert first.status == "ok"


# -- inside frameworks ----------------------------------------------------------------------------


@pytest.mark.parametrize("framework", ["torch", "jax", "onnxruntime", "cupy", "tensorflow"])
def test_a_convolution_inside_a_framework(bare, told, framework):
    """Ok, or a reason that is none of ours: not installed, a CPU build, no cuDNN in it."""
    environment = {name: text for name, text in bare.items() if name != "PYTHONPATH"}
    trial = told(run_framework(environment, sys.executable, framework))
    assert trial.status in ("ok", "not-run", "no-gpu")
    if trial.status == "no-gpu":
        assert "without CUDA" in trial.detail or "Unknown backend" in trial.detail


def test_a_hidden_gpu_is_told_by_a_second_run(bare, told):
    hidden = {**bare, "CUDA_VISIBLE_DEVICES": ""}
    hidden.pop("PYTHONPATH", None)
    trial = told(run_framework(hidden, sys.executable, "torch"))
    if trial.status == "not-run":
        pytest.skip("no PyTorch on this machine")
    assert (trial.status, trial.helped_by) == ("no-gpu", "CUDA_VISIBLE_DEVICES")
