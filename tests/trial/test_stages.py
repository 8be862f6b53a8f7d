"""The test from its first stage to its last, on a healthy machine and on others."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from stub_world import compiled

from cudnn_assistant.machine import Machine, OperatingSystem, dump, load
from cudnn_assistant.probe.trials.trial import run_trial


@pytest.mark.parametrize(("major", "version"), [(7, "7.6.5"), (8, "8.9.7"), (9, "9.10.2")])
def test_a_healthy_machine_comes_to_the_end(world, major, version):
    trial = run_trial(world.healthy(major), "linux")
    assert (trial.status, trial.stage, trial.checks) == ("ok", "convolution", ("fp32",))
    assert trial.version == version
    assert trial.loaded == str(world.cudnn[major] / f"libcudnn.so.{major}")
    assert trial.gpu == "GPU-01010101-0101-0101-0101-010101010101"
    assert trial.gpu_name == "Stub GPU 0"
    assert trial.memory_free == 40 << 30
    assert [time.stage for time in trial.times] == [
        "start", "driver", "load", "version", "sublibraries", "context", "handle", "convolution",
    ]  # fmt: skip
    assert trial.output == ""
    assert (trial.code, trial.code_name, trial.missing, trial.detail) == (None, "", "", "")


def test_a_trial_survives_json(world):
    trial = run_trial(world.healthy(), "linux")
    machine = Machine(os=OperatingSystem(family="linux"), trials=(trial,))
    assert load(dump(machine)) == machine


def test_every_type_layout_and_direction(world):
    trial = run_trial(world.healthy(), "linux", full=True)
    assert trial.status == "ok"
    assert trial.skipped == ()
    assert set(trial.checks) == {
        "fp32", "fp32 channels last", "tf32", "fp16", "fp16 channels last", "bf16",
        "bf16 channels last", "fp32 backward data", "fp32 backward filter", "fp32 wide",
        "fp16 wide", "fp32 fractions", "fp16 graph",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("major", "compute", "skipped"),
    [
        (7, "7.0", {"tf32", "bf16", "bf16 channels last", "fp16 graph"}),
        (9, "7.5", {"tf32", "bf16", "bf16 channels last", "fp16 graph"}),
        (
            9,
            "6.1",
            {"tf32", "bf16", "bf16 channels last", "fp16 channels last", "fp16 wide", "fp16 graph"},
        ),
        (
            8,
            "5.2",
            {
                "tf32",
                "fp16",
                "bf16",
                "bf16 channels last",
                "fp16 channels last",
                "fp16 wide",
                "fp16 graph",
            },
        ),
    ],
)
def test_what_the_gpu_does_not_have_is_skipped(world, major, compute, skipped):
    trial = run_trial(world.healthy(major, STUB_CUDA_COMPUTE=compute), "linux", full=True)
    assert trial.status == "ok"
    assert set(trial.skipped) == skipped


def test_bf16_came_with_8_1(world):
    environment = world.healthy(8, STUB_CUDNN_VERSION="8005")
    trial = run_trial(environment, "linux", full=True)
    assert set(trial.skipped) == {"bf16", "bf16 channels last", "fp16 graph"}


def test_cudnn_jit_goes_through_the_graph(world):
    trial = run_trial(world.environment(world.jit, world.driver), "linux")
    assert (trial.status, trial.stage, trial.checks) == ("ok", "convolution", ("fp16 graph",))


def test_cudnn_jit_with_every_type(world):
    trial = run_trial(world.environment(world.jit, world.driver), "linux", full=True)
    assert (trial.status, trial.checks) == ("ok", ("fp16 graph", "bf16 graph", "tf32 graph"))


def test_cudnn_jit_that_offers_nothing(world):
    environment = world.environment(
        world.jit, world.driver, STUB_CUDNN_DAY="cudnnBackendFinalize:3000"
    )
    trial = run_trial(environment, "linux")
    assert (trial.stage, trial.status, trial.code) == ("convolution", "status-code", 3000)
    assert trial.skipped == ("fp16 graph", "bf16 graph", "tf32 graph")


def test_the_newest_major_is_what_programs_get(world):
    folders = [*world.cudnn.values(), world.driver]
    assert run_trial(world.environment(*folders), "linux").version == "9.10.2"


def test_a_given_major(world):
    folders = [*world.cudnn.values(), world.driver]
    trial = run_trial(world.environment(*folders), "linux", major=8)
    assert trial.loaded.endswith("libcudnn.so.8")
    assert trial.version == "8.9.7"


@pytest.mark.parametrize("majors", [(8, 9), (9, 8), (7, 8), (8, 7)])
def test_the_one_that_was_asked_for_is_told_where_two_are_mapped(world, majors):
    both = [str(world.cudnn[major] / f"libcudnn.so.{major}") for major in majors]
    trial = run_trial(world.healthy(LD_PRELOAD=":".join(both)), "linux", major=majors[0])
    assert trial.loaded == both[0]
    assert {*both} <= {*trial.mapped}


def test_a_copy_of_links_is_no_other_copy(world, tmp_path):
    """As uv and conda make them on request: a link for each file of the package."""
    (tmp_path / "libcudnn.so.9").symlink_to(world.cudnn[9] / "libcudnn.so.9")
    environment = world.environment(world.driver)
    assert run_trial(environment, "linux", library=str(tmp_path)).status == "ok"


def test_no_cudnn(world):
    trial = run_trial(world.environment(world.driver), "linux")
    assert (trial.stage, trial.status, trial.missing) == (
        "load", "missing-library", "libcudnn.so.9",
    )  # fmt: skip
    assert "cannot open shared object file" in trial.detail


def test_a_missing_dependency_is_named(world, tmp_path):

    (tmp_path / "a.c").write_text("int needed(void);int f(void){return needed();}")
    (tmp_path / "b.c").write_text("int needed(void){return 1;}")
    subprocess.run(
        ["gcc", "-shared", "-Wl,-soname,libnvrtc.so.99", "-o", "libnvrtc.so.99", "b.c"],
        check=True,
        cwd=tmp_path,
    )
    subprocess.run(
        ["gcc", "-shared", "-o", "libcudnn.so.9", "a.c", "./libnvrtc.so.99"],
        check=True,
        cwd=tmp_path,
    )
    (tmp_path / "libnvrtc.so.99").unlink()
    # The newest is there and can't be loaded: an older major is no answer to that.
    trial = run_trial(world.environment(tmp_path, world.cudnn[8], world.driver), "linux")
    assert (trial.stage, trial.status, trial.missing) == (
        "load", "missing-library", "libnvrtc.so.99",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "file too short"), (b"\x7fELF" + b"\0" * 60, "ELF"), (b"text\n" * 99, "invalid ELF")],
)
def test_a_file_that_is_no_library(world, tmp_path, content, said):
    (tmp_path / "libcudnn.so.9").write_bytes(content)
    trial = run_trial(world.environment(tmp_path, world.driver), "linux")
    assert (trial.stage, trial.status, trial.missing) == ("load", "unloadable", "")
    assert said in trial.detail


def test_a_library_that_is_not_cudnn(world, tmp_path):
    shutil.copy(world.driver / "libcuda.so.1", tmp_path / "libcudnn.so.9")
    trial = run_trial(world.environment(tmp_path, world.driver), "linux")
    assert (trial.stage, trial.status) == ("load", "unloadable")
    assert "cudnnGetVersion" in trial.detail


# -- the driver -----------------------------------------------------------------------------------


def test_no_driver_is_no_fault_of_cudnn(world):
    trial = run_trial(world.environment(world.cudnn[9]), "linux")
    assert (trial.stage, trial.status, trial.missing) == ("driver", "no-gpu", "libcuda.so.1")
    assert trial.version == "9.10.2"


def test_no_gpu(world):
    trial = run_trial(world.healthy(STUB_CUDA_COUNT="0"), "linux")
    assert (trial.stage, trial.status, trial.code) == ("driver", "no-gpu", 100)
    assert trial.code_name == "CUDA_ERROR_NO_DEVICE"


@pytest.mark.parametrize("hiding", ["", "-1", "7", "GPU-ffffffff"])
def test_a_hidden_gpu(world, hiding):
    trial = run_trial(world.healthy(CUDA_VISIBLE_DEVICES=hiding), "linux")
    assert (trial.stage, trial.status, trial.code) == ("driver", "no-gpu", 100)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (3, "CUDA_ERROR_NOT_INITIALIZED"),
        (34, "CUDA_ERROR_STUB_LIBRARY"),
        (35, "cudaErrorInsufficientDriver"),
        (802, "CUDA_ERROR_SYSTEM_NOT_READY"),
        (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        (804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
        (999, "CUDA_ERROR_UNKNOWN"),
    ],
)
def test_a_driver_that_does_not_start(world, code, name):
    trial = run_trial(world.healthy(STUB_CUDA_INIT=str(code)), "linux")
    assert (trial.stage, trial.status, trial.code, trial.code_name) == (
        "driver", "status-code", code, name,
    )  # fmt: skip


@pytest.mark.parametrize(("code", "status"), [(2, "out-of-memory"), (46, "status-code")])
def test_a_context_that_cannot_be_made(world, code, status):
    trial = run_trial(world.healthy(STUB_CUDA_RETAIN=str(code)), "linux")
    assert (trial.stage, trial.status, trial.code) == ("context", status, code)
    assert trial.gpu_name == "Stub GPU 0"


def test_a_driver_library_that_lacks_calls(world, tmp_path):
    (tmp_path / "a.c").write_text("int nothing(void){return 0;}")
    compiled(tmp_path / "a.c", tmp_path / "libcuda.so.1")
    trial = run_trial(world.environment(tmp_path, world.cudnn[9]), "linux")
    assert (trial.stage, trial.status, trial.code_name) == (
        "driver", "status-code", "CUDA_ERROR_NOT_FOUND",
    )  # fmt: skip
    assert trial.detail == "cuInit"


def test_trouble_of_the_library_comes_before_a_missing_driver(world, tmp_path):
    trial = run_trial(world.environment(tmp_path), "linux")
    assert (trial.stage, trial.status, trial.missing) == (
        "load", "missing-library", "libcudnn.so.9",
    )  # fmt: skip


# -- which GPU ------------------------------------------------------------------------------------


def uuid(number: int) -> str:
    pair = f"{number + 1:02x}"
    return f"GPU-{pair * 4}-{pair * 2}-{pair * 2}-{pair * 2}-{pair * 6}"


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_gpu_by_uuid(world, number):
    trial = run_trial(world.healthy(STUB_CUDA_COUNT="3"), "linux", gpu=uuid(number))
    assert (trial.status, trial.gpu, trial.gpu_name) == ("ok", uuid(number), f"Stub GPU {number}")


def test_a_gpu_by_ordinal_counts_the_visible_ones(world):
    environment = world.healthy(STUB_CUDA_COUNT="3", CUDA_VISIBLE_DEVICES="2,0")
    assert run_trial(environment, "linux", gpu="0").gpu_name == "Stub GPU 2"
    assert run_trial(environment, "linux", gpu="1").gpu_name == "Stub GPU 0"
    assert run_trial(environment, "linux", gpu="2").status == "no-gpu"


def test_without_a_wish_the_persons_choice_is_honoured(world):
    environment = world.healthy(STUB_CUDA_COUNT="3", CUDA_VISIBLE_DEVICES="1")
    assert run_trial(environment, "linux").gpu_name == "Stub GPU 1"


def test_a_gpu_that_the_person_hides_is_said_to_be_hidden(world):
    environment = world.healthy(STUB_CUDA_COUNT="3", CUDA_VISIBLE_DEVICES="0")
    trial = run_trial(environment, "linux", gpu=uuid(2))
    assert (trial.stage, trial.status) == ("driver", "no-gpu")
    assert "among the 1 that are visible" in trial.detail
