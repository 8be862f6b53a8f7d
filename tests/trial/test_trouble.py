"""Everything a library can do to a child, each done by a real library to a real child."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.probe.running.children import Cancelled
from cudnn_assistant.probe.trials.trial import check_library, run_trial


def day(world, when: str, major: int = 9, **variables: str):
    return world.healthy(major, STUB_CUDNN_DAY=when, **variables)


STAGES = {
    "init": "load",
    "cudnnGetVersion": "version",
    "cudnnCnnVersionCheck": "sublibraries",
    "cudnnCreate": "handle",
    "cudnnConvolutionForward": "convolution",
}
SIGNALS = {"abort": (-6, "SIGABRT"), "bus": (-7, "SIGBUS"), "segv": (-11, "SIGSEGV")}


@pytest.mark.spread(2)
@pytest.mark.parametrize("when", STAGES)
@pytest.mark.parametrize("what", SIGNALS)
def test_a_crash_has_a_stage_and_a_name(world, when, what):
    trial = run_trial(day(world, f"{when}:{what}"), "linux")
    assert (trial.stage, trial.status) == (STAGES[when], "crashed")
    assert (trial.code, trial.code_name) == SIGNALS[what]


@pytest.mark.parametrize(("what", "end"), [("ill", (-4, "SIGILL")), ("kill", (-9, "SIGKILL"))])
def test_other_ends(world, what, end):
    trial = run_trial(day(world, f"cudnnCreate:{what}"), "linux")
    assert (trial.status, trial.code, trial.code_name) == ("crashed", *end)


def test_memory_of_the_computer_that_runs_out(world):
    trial = run_trial(day(world, "cudnnCreate:eat"), "linux")
    assert (trial.stage, trial.status, trial.code_name) == ("handle", "crashed", "SIGABRT")
    assert "std::bad_alloc" in trial.output


def test_a_crash_names_the_check_it_came_from(world):
    trial = run_trial(day(world, "cudnnOpsVersionCheck:abort"), "linux")
    assert "cudnnOpsVersionCheck" in trial.detail


def test_a_crash_in_a_part_that_convolutions_do_without_is_kept_beside_them(world):
    trial = run_trial(day(world, "cudnnAdvVersionCheck:abort"), "linux")
    assert trial.status == "ok"
    assert [one.detail for one in trial.spared] == ["ended in cudnnAdvVersionCheck"]


@pytest.mark.spread(2)
@pytest.mark.parametrize("when", STAGES)
@pytest.mark.parametrize("what", ["hang", "deaf"])
def test_a_hang_ends_at_the_deadline(world, when, what):
    trial = run_trial(day(world, f"{when}:{what}"), "linux", deadline=1.0)
    assert (trial.stage, trial.status, trial.code) == (STAGES[when], "timed-out", None)
    assert gone(world)


def test_a_hang_in_the_driver(world):
    trial = run_trial(world.healthy(STUB_CUDA_HANG="cuInit"), "linux", deadline=1.0)
    assert (trial.stage, trial.status) == ("driver", "timed-out")
    assert trial.version == ""  # cuDNN was not touched yet: the driver alone is to blame
    assert gone(world)


def test_what_the_child_started_goes_with_it(world):
    trial = run_trial(day(world, "cudnnCreate:orphan"), "linux", deadline=1.0)
    assert trial.status == "timed-out"
    assert gone(world)


@pytest.mark.parametrize("when", STAGES)
def test_silence_is_no_success(world, when):
    trial = run_trial(day(world, f"{when}:exit"), "linux")
    assert (trial.stage, trial.status, trial.code) == (STAGES[when], "crashed", 0)
    assert "without an answer" in trial.detail


@pytest.mark.parametrize("when", STAGES)
def test_babble_is_no_answer_even_if_it_looks_like_one(world, when):
    trial = run_trial(day(world, f"{when}:babble"), "linux")
    assert (trial.stage, trial.status, trial.code) == (STAGES[when], "crashed", 0)
    assert "65535" in trial.output
    assert len(trial.output) <= 4000


def test_garbage_on_the_answers_own_line(world):
    trial = run_trial(day(world, "cudnnCreate:garbage"), "linux")
    assert (trial.stage, trial.status, trial.code) == ("handle", "crashed", 0)


@pytest.mark.parametrize(
    ("major", "code", "name"),
    [
        (7, 1, "CUDNN_STATUS_NOT_INITIALIZED"),
        (8, 4, "CUDNN_STATUS_INTERNAL_ERROR"),
        (8, 6, "CUDNN_STATUS_ARCH_MISMATCH"),
        (9, 1001, "CUDNN_STATUS_NOT_INITIALIZED"),
        (9, 3005, "CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER"),
        (9, 3007, "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"),
        (9, 4000, "CUDNN_STATUS_INTERNAL_ERROR"),
        (9, 9, "CUDNN_STATUS_9"),
        (9, 3099, "CUDNN_STATUS_NOT_SUPPORTED_3099"),
    ],
)
def test_a_status_is_read_by_the_loaded_major(world, major, code, name):
    trial = run_trial(day(world, f"cudnnCreate:{code}", major), "linux")
    assert (trial.stage, trial.status, trial.code, trial.code_name) == (
        "handle", "status-code", code, name,
    )  # fmt: skip


def test_cudnn_9_says_why(world):
    trial = run_trial(day(world, "cudnnCreate:4000"), "linux")
    assert trial.detail == "cudnnCreate: the stub was told to"


def test_a_failed_sublibrary_check(world):
    trial = run_trial(day(world, "cudnnOpsVersionCheck:1002"), "linux")
    assert (trial.stage, trial.status, trial.code_name) == (
        "sublibraries", "status-code", "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
    )  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        "cudnnSetTensor4dDescriptor",
        "cudnnGetConvolutionForwardAlgorithm_v7",
        "cudnnGetConvolutionForwardWorkspaceSize",
        "cudnnConvolutionForward",
    ],
)
def test_a_status_in_the_convolution(world, call):
    trial = run_trial(day(world, f"{call}:5000"), "linux")
    assert (trial.stage, trial.status, trial.code) == ("convolution", "status-code", 5000)
    assert call in trial.detail


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("fault", "1 of 512 values differ"),
        ("nan", "is nan instead of"),
        ("nothing", "the result was never written"),
    ],
)
def test_wrong_numbers_are_seen(world, what, said):
    trial = run_trial(day(world, f"cudnnConvolutionForward:{what}"), "linux")
    assert (trial.stage, trial.status) == ("convolution", "wrong-result")
    assert said in trial.detail


@pytest.mark.parametrize(
    "call",
    ["cudnnConvolutionBackwardData", "cudnnConvolutionBackwardFilter", "cudnnBackendExecute"],
)
@pytest.mark.parametrize("what", ["fault", "nan", "nothing"])
def test_wrong_numbers_elsewhere(world, call, what):
    trial = run_trial(day(world, f"{call}:{what}"), "linux", full=True)
    assert (trial.stage, trial.status) == ("convolution", "wrong-result")
    assert "fp32" in trial.checks


def test_a_fault_of_the_kernel_shows_when_it_is_waited_for(world):
    trial = run_trial(world.healthy(STUB_CUDA_SYNC="700"), "linux")
    assert (trial.stage, trial.status, trial.code, trial.code_name) == (
        "convolution", "status-code", 700, "CUDA_ERROR_ILLEGAL_ADDRESS",
    )  # fmt: skip


# -- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [1001, 4000, 4004])
def test_a_full_gpu_is_told_from_a_broken_cudnn(world, code):
    full = day(world, f"cudnnCreate:{code}", STUB_CUDA_FREE=str(200 << 20))
    trial = run_trial(full, "linux")
    assert (trial.stage, trial.status, trial.code) == ("handle", "out-of-memory", code)
    assert trial.memory_free == 200 << 20
    assert run_trial(day(world, f"cudnnCreate:{code}"), "linux").status == "status-code"


def test_little_memory_is_enough_when_it_is_enough(world):
    assert run_trial(world.healthy(STUB_CUDA_FREE=str(200 << 20)), "linux").status == "ok"


def test_memory_that_runs_out_in_the_convolution(world):
    trial = run_trial(world.healthy(STUB_CUDA_FREE="3000"), "linux")
    assert (trial.stage, trial.status, trial.code) == ("convolution", "out-of-memory", 2)


def test_what_is_not_about_memory_is_not_put_down_to_it(world):
    environment = day(world, "cudnnCreate:3007", STUB_CUDA_FREE=str(200 << 20))
    assert run_trial(environment, "linux").status == "status-code"


# -- nobody wants to know any more ----------------------------------------------------------------


@pytest.mark.spread(2)
@pytest.mark.parametrize("when", STAGES)
@pytest.mark.parametrize("what", ["hang", "deaf", "orphan"])
def test_a_cancelled_trial_is_dead_at_once_and_not_at_its_deadline(world, when, what, tmp_path):
    reached = tmp_path / "reached"
    environment = day(world, f"{when}:{what}", STUB_CUDNN_REACHED=str(reached))
    with pytest.raises(Cancelled):
        run_trial(environment, "linux", deadline=300.0, cancel=reached.exists)
    assert reached.exists()
    assert not children(world)
    assert gone(world)


def test_a_trial_that_was_cancelled_before_starts_nothing(world, tmp_path):
    reached = tmp_path / "reached"
    environment = day(world, "init:hang", STUB_CUDNN_REACHED=str(reached))
    with pytest.raises(Cancelled):
        run_trial(environment, "linux", cancel=lambda: True)
    assert not reached.exists()
    assert not children(world)


def test_a_copy_that_hangs_can_be_left(world):
    copy = CudnnCopy(folder=str(world.cudnn[9]), file="libcudnn.so.9", major=9)
    hanging = day(world, "cudnnGetVersion:hang")
    with pytest.raises(Cancelled):
        check_library(copy, hanging, "linux", deadline=300.0, cancel=lambda: bool(children(world)))
    assert gone(world)


# -- nothing is left behind -----------------------------------------------------------------------


def test_the_watcher_leaves_no_thread_no_zombie_and_no_file(world):
    run_trial(world.healthy(), "linux")
    threads, files = threading.active_count(), len(os.listdir("/proc/self/fd"))
    for what in ("abort", "exit", "babble", "garbage", "4000"):
        run_trial(day(world, f"cudnnCreate:{what}"), "linux")
    run_trial(day(world, "cudnnCreate:orphan"), "linux", deadline=1.0)
    assert gone(world)
    assert _until(lambda: threading.active_count() <= threads)
    assert len(os.listdir("/proc/self/fd")) <= files


def test_a_child_does_not_outlive_its_parent(world, tmp_path):
    import signal
    import subprocess
    import sys

    program = (
        "import json,sys\n"
        "from cudnn_assistant.probe.trials.trial import run_trial\n"
        "run_trial(json.loads(sys.argv[1]), 'linux')\n"
    )
    import json

    environment = day(world, "cudnnCreate:hang")
    parent = subprocess.Popen([sys.executable, "-c", program, json.dumps(environment)])
    assert seen(world)
    time.sleep(1)  # until it hangs for good: one that still tells would notice by itself
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert gone(world)


def test_no_core_is_left(world, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_trial(day(world, "cudnnCreate:abort"), "linux")
    assert not list(tmp_path.iterdir())


def checked(world, what):
    copy = CudnnCopy(folder=str(world.cudnn[9]), file="libcudnn.so.9", major=9)
    return check_library(copy, day(world, what), "linux", deadline=20.0)


@pytest.mark.parametrize("what", ["init:sessions", "cudnnGetVersion:sessions"])
def test_sessions_of_their_own_are_ended_too(world, what):
    checked(world, what)
    assert not children(world)
    assert gone(world)


def test_what_changed_its_environment_is_ended_too(world):
    copy = CudnnCopy(folder=str(world.cudnn[9]), file="libcudnn.so.9", major=9)
    check_library(copy, day(world, "cudnnGetVersion:bare"), "linux", deadline=1.0)
    lines = [e / "cmdline" for e in Path("/proc").iterdir() if e.name.isdigit()]
    assert not [line for line in lines if _read(line) == b"sleep\0004711\0"]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_one_that_takes_all_memory_is_ended(world):
    said = checked(world, "cudnnGetVersion:greedy")
    assert said.status == "crashed"
    assert "too much memory" in said.detail
    assert gone(world)


def test_a_test_on_the_gpu_may_take_as_much(world):
    assert run_trial(day(world, "cudnnGetVersion:greedy"), "linux").stage != "version"


def test_no_more_rights_can_be_gained(world):
    assert checked(world, "cudnnGetVersion:gain").code == 6


def children(world) -> list[int]:
    """Processes that have a stub mapped (zombies have nothing mapped and are looked for apart)."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if str(world.root) in (entry / "maps").read_text():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def zombies() -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] == "Z" and int(fields[1]) == os.getpid():
                found.append(entry.name)
    return found


def gone(world) -> bool:
    """Whether no child is left, given a moment to the system's own bookkeeping."""
    return _until(lambda: not children(world) and not zombies())


def seen(world) -> bool:
    return _until(lambda: bool(children(world)))


def _until(holds) -> bool:
    for _ in range(500):
        if holds():
            return True
        time.sleep(0.02)
    return False


# -- a child that can't be started ----------------------------------------------------------------


def test_a_variable_that_no_process_can_have(world):
    trial = run_trial({**world.healthy(), "A": "nul\0inside"}, "linux")
    assert (trial.stage, trial.status) == ("start", "not-run")
    copy = CudnnCopy(folder=str(world.cudnn[9]), file="libcudnn.so.9", major=9)
    assert check_library(copy, {"A": "\0"}, "linux") is None
