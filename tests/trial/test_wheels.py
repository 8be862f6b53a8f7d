"""Real cuDNN, loaded for real: whole, with parts missing, cut off, or of another version.

None of it needs a GPU; ``tests/trial/fetch_wheels.sh`` fetches the wheels.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from real_wheels import EIGHT, JIT, NEW, OLD, libraries, needs_wheels

from cudnn_assistant.machine import CudnnCopy, LibraryCheck
from cudnn_assistant.probe.running.children import Ended, run_child
from cudnn_assistant.probe.trials.part_checks import (
    others_are_searched,
    part_lists,
    refused_first_calls,
)
from cudnn_assistant.probe.trials.trial import check_library, run_trial

pytestmark = needs_wheels
BARE = {"PATH": os.environ["PATH"]}


def new() -> Path:
    return libraries(NEW)


def old() -> Path:
    return libraries(OLD)


def eight() -> Path:
    return libraries(EIGHT)


def part(file: Path) -> str:
    return file.name.removeprefix("libcudnn").removeprefix("_").split(".")[0]


@pytest.fixture
def other(tmp_path):
    """Makes a copy of a copy, laid out as in an environment, with one part changed."""

    def make(source: Path, changed: str = "", how: str = "", donor: Path | None = None) -> Path:
        folder = tmp_path / "nvidia" / "cudnn" / "lib"
        folder.mkdir(parents=True)
        for file in source.glob("lib*"):
            if part(file) != changed:
                lay(file, folder / file.name)
            elif how == "empty":
                (folder / file.name).touch()
            elif how == "cut":
                with file.open("rb") as whole:
                    (folder / file.name).write_bytes(whole.read(file.stat().st_size * 6 // 10))
            elif donor is not None:
                lay(donor / file.name, folder / file.name)
        return folder

    return make


def lay(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy(source, target)


def checked(folder: Path, major: int = 9, environment=BARE) -> LibraryCheck:
    copy = CudnnCopy(folder=str(folder), file=f"libcudnn.so.{major}", major=major)
    check = check_library(copy, environment, "linux")
    assert check is not None
    return check


@pytest.mark.parametrize(
    ("name", "major", "version", "cuda"),
    [
        (NEW, 9, "9.27.0", "13.4"),
        (OLD, 9, "9.12.0", "13.0"),
        (JIT, 9, "9.27.0", "13.4"),
        (EIGHT, 8, "8.9.6", "11.8"),
    ],
)
def test_a_whole_copy_says_what_it_is(name, major, version, cuda):
    check = checked(libraries(name), major)
    assert (check.status, check.version, check.cuda) == ("ok", version, cuda)
    assert all(path.startswith(str(libraries(name))) for path in check.mapped)


@pytest.mark.parametrize("name", [NEW, JIT])
def test_without_a_driver_the_copy_is_not_to_blame(name):
    trial = run_trial(BARE, "linux", library=str(libraries(name)))
    assert (trial.stage, trial.status, trial.version) == ("driver", "no-gpu", "9.27.0")


def test_what_programs_get_by_name():
    trial = run_trial({**BARE, "LD_LIBRARY_PATH": f"{old()}:{new()}"}, "linux")
    assert (trial.status, trial.version) == ("no-gpu", "9.12.0")
    assert trial.loaded == str(old() / "libcudnn.so.9")


@pytest.mark.parametrize("lost", ["ops", "cnn", "adv"])
def test_cudnn_9_without_a_part(other, lost):
    folder = other(new(), lost, "missing")
    trial = run_trial(BARE, "linux", library=str(folder))
    assert (trial.stage, trial.status, trial.code) == ("sublibraries", "status-code", 3009)
    assert trial.missing == f"libcudnn_{lost}.so.9"
    assert checked(folder).code == 3009


def test_cudnn_9_without_its_graph(other):
    folder = other(new(), "graph", "missing")
    trial = run_trial(BARE, "linux", library=str(folder))
    assert (trial.stage, trial.status, trial.missing) == (
        "version", "missing-library", "libcudnn_graph.so.9",
    )  # fmt: skip
    assert (trial.code, trial.code_name) == (-6, "SIGABRT")


@pytest.mark.parametrize(
    ("lost", "stage"), [("cnn_infer", "sublibraries"), ("ops_infer", "version")]
)
def test_cudnn_8_without_a_part(other, lost, stage):
    trial = run_trial(BARE, "linux", library=str(other(eight(), lost, "missing")))
    assert (trial.stage, trial.status, trial.missing) == (
        stage, "missing-library", f"libcudnn_{lost}.so.8",
    )  # fmt: skip


@pytest.mark.parametrize(("cut", "stage"), [("graph", "version"), ("ops", "sublibraries")])
def test_a_part_that_was_cut_off(other, cut, stage):
    folder = other(new(), cut, "cut")
    trial = run_trial(BARE, "linux", library=str(folder))
    assert (trial.stage, trial.status, trial.code_name) == (stage, "crashed", "SIGBUS")
    assert (checked(folder).status, checked(folder).code) == ("crashed", -7)


def test_an_empty_part_is_not_a_missing_one(other):
    trial = run_trial(BARE, "linux", library=str(other(new(), "ops", "empty")))
    assert (trial.status, trial.code, trial.missing) == ("status-code", 3009, "")
    assert "libcudnn_ops.so.9: file too short" in trial.detail


@pytest.mark.parametrize("swapped", ["ops", "graph"])
def test_a_part_of_another_version(other, swapped):
    trial = run_trial(BARE, "linux", library=str(other(new(), swapped, "swap", old())))
    assert (trial.stage, trial.status) == ("sublibraries", "status-code")
    assert trial.code_name == "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"


def test_a_part_so_old_that_it_does_not_load(other):
    trial = run_trial(BARE, "linux", library=str(other(new(), "cnn", "swap", old())))
    assert (trial.stage, trial.code, trial.missing) == ("sublibraries", 3009, "")
    assert "undefined symbol" in trial.detail


# -- LD_LIBRARY_PATH that reaches into an environment ---------------------------------------------


def test_the_trap_of_a_newer_copy_on_the_search_path():
    trapped = {**BARE, "LD_LIBRARY_PATH": str(new())}
    trial = run_trial(trapped, "linux", subject="env", folders=[str(old())])
    assert trial.loaded == str(old() / "libcudnn.so.9")
    assert trial.version == "9.27.0"  # the main library's RUNPATH loses: all else is the other's
    assert any(path.startswith(str(new())) for path in trial.mapped)


def test_the_trap_of_an_older_copy_on_the_search_path():
    trapped = {**BARE, "LD_LIBRARY_PATH": str(old())}
    trial = run_trial(trapped, "linux", subject="env", folders=[str(new())])
    assert (trial.stage, trial.code) == ("sublibraries", 1002)
    assert "cudnn_cnn version 9.27.0 loaded component cudnn_ops version 9.12.0" in trial.detail


@pytest.mark.parametrize("inside", [old, new])
def test_one_copy_alone_is_not_trapped(inside):
    trapped = {**BARE, "LD_LIBRARY_PATH": f"{old()}:{new()}"}
    trial = run_trial(trapped, "linux", library=str(inside()))
    assert trial.status == "no-gpu"
    assert trial.version == ("9.12.0" if inside is old else "9.27.0")
    assert all(path.startswith(str(inside())) for path in trial.mapped)
    assert checked(inside(), environment=trapped).status == "ok"


def test_another_copy_that_steps_in_is_seen(other, tmp_path):
    """A part that is missing here and found in a folder of its companions is not this copy's."""
    folder = other(new(), "ops", "missing")
    companion = tmp_path / "nvidia" / "cublas" / "lib"
    companion.mkdir(parents=True)
    lay(new() / "libcudnn_ops.so.9", companion / "libcudnn_ops.so.9")
    trial = run_trial(BARE, "linux", library=str(folder))
    assert (trial.stage, trial.status) == ("sublibraries", "other-copy")
    assert str(companion) in trial.detail
    assert checked(folder).status == "other-copy"


def test_a_companion_folder_with_another_cudnn_is_left_out(other, tmp_path):
    folder = other(new(), "ops", "missing")
    trial = run_trial(BARE, "linux", library=str(folder), folders=[str(old())])
    assert (trial.status, trial.missing) == ("status-code", "libcudnn_ops.so.9")


def test_another_version_that_steps_in_for_a_missing_part_is_named(other, tmp_path):
    folder = other(new(), "ops", "missing")
    companion = tmp_path / "nvidia" / "cublas" / "lib"
    companion.mkdir(parents=True)
    lay(old() / "libcudnn_ops.so.9", companion / "libcudnn_ops.so.9")
    trial = run_trial(BARE, "linux", library=str(folder))
    assert (trial.status, trial.code, trial.missing) == ("status-code", 1002, "libcudnn_ops.so.9")
    assert str(companion) in trial.detail


@pytest.mark.parametrize("name", [NEW, JIT])
def test_the_real_library_accepts_our_graph(world, name):
    """Numbers of descriptors and attributes, as far as they are checked without a GPU."""
    program = (
        "import sys\n"
        "from ctypes import c_void_p\n"
        "from cudnn_assistant.child import cudnn\n"
        "from cudnn_assistant.child.graph import Graph\n"
        "from cudnn_assistant.child.convolution import TINY\n"
        "library = cudnn.Cudnn(cudnn.load(sys.argv[1]), sys.argv[1])\n"
        "class Unhandled(Graph):\n"
        "    def _set(self, descriptor, name, *rest):\n"
        "        if name != 800: super()._set(descriptor, name, *rest)\n"
        "with Unhandled(library, c_void_p()) as graph:\n"
        "    graph.describe(TINY, cudnn.HALF)\n"
        "    print('described')\n"
    )
    environment = world.environment(world.driver)
    command = [sys.executable, "-c", program, str(libraries(name) / "libcudnn.so.9")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout.strip().endswith("described"), done.stderr


def first_calls(main: Path, searched: str) -> dict[str, int | None]:
    """Calls that stop a program that is linked with a copy and makes them before any other."""
    environment = {**BARE, "LD_LIBRARY_PATH": searched}
    steps = [{"needed": ["libcudnn.so.9"], "rpath": str(main), "runpath": "", "may": False}]
    wish = {"names": ["libcudnn.so.9"], "library": "", "folders": [], "steps": steps,
            "parts": part_lists(()), "after": "", "major": 0}  # fmt: skip

    def ask(call: str) -> Ended:
        return run_child("library", {**wish, "first": call}, environment, 30.0)

    refused = refused_first_calls({"version": "9.27.0"}, part_lists(()), "linux", ask)
    return {one.call: one.code for one in refused}


def test_the_first_call_decides_which_version_s_parts_come_together() -> None:
    """A graph that is asked first hides it: 9.27 with the parts of 9.12 on the search path."""
    assert first_calls(new(), str(old())) == {
        "cudnnOpsVersionCheck": 1002, "cudnnCnnVersionCheck": 3009, "cudnnAdvVersionCheck": 1002,
    }  # fmt: skip
    assert others_are_searched({"LD_LIBRARY_PATH": str(old())}, "linux", str(new() / "x"))


def test_a_copy_of_one_version_stands_every_first_call() -> None:
    assert first_calls(new(), "") == {}
    assert first_calls(old(), str(old())) == {}
    assert not others_are_searched({"LD_LIBRARY_PATH": str(old())}, "linux", str(old() / "x"))
