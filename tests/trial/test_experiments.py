"""One difference at a time: real children in worlds of stub libraries with planted faults."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cudnn_assistant import places
from cudnn_assistant.machine import SYSTEM, Framework, PythonEnvironment, Trial
from cudnn_assistant.probe.experiments.conditions import Conditions
from cudnn_assistant.probe.experiments.experiments import experiments, unfinished
from cudnn_assistant.probe.exploring import explored
from cudnn_assistant.probe.subjects import Terms
from cudnn_assistant.probe.trials.child_environment import apart
from cudnn_assistant.probe.trials.linking import loading_steps
from cudnn_assistant.probe.trials.trial import run_trial
from cudnn_assistant.probe.trust import Trust


def tried(environment, folder=""):
    def test(conditions: Conditions):
        return run_trial(
            conditions.environment, "linux", start_in=conditions.folder, lifted=conditions.lifted
        )

    conditions = Conditions(environment, folder)
    return experiments(test, conditions, test(conditions), "linux")


def proven(found):
    return [(e.difference.kind, e.difference.name, e.difference.without) for e in found if e.proven]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder with a file that is called cuDNN and is none."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "libcudnn.so.9").write_bytes(b"no library")
    return tmp_path / "broken"


def test_the_one_entry_of_many_that_is_in_the_way(world, broken):
    around = [f"/nowhere/{n}" for n in range(5)]
    folders = (*around[:2], broken, *around[2:], world.cudnn[9], world.driver)
    found = tried(world.environment(*folders))
    assert proven(found) == [("search-entry", "LD_LIBRARY_PATH", (str(broken),))]
    cure = next(e for e in found if e.proven)
    assert (cure.before.status, cure.after.status) == ("unloadable", "ok")


def test_a_variable_that_hides_the_gpu(world):
    found = tried(world.healthy(9, CUDA_VISIBLE_DEVICES="-1"))
    assert proven(found) == [("variable", "CUDA_VISIBLE_DEVICES", ("-1",))]


def test_two_entries_that_only_together_give_way(world, broken, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "libcudnn.so.9").write_bytes(b"no library either")
    found = tried(world.environment(broken, other, world.cudnn[9], world.driver))
    assert proven(found) == [("search-entry", "LD_LIBRARY_PATH", (str(broken), str(other)))]


def test_the_current_folder_by_an_empty_entry(world, broken):
    found = tried(world.environment("", world.cudnn[9], world.driver), str(broken))
    kinds = {(kind, without) for kind, _, without in proven(found)}
    assert kinds <= {("search-entry", ("",)), ("working-folder", (str(broken),))}
    assert kinds


def test_a_failure_that_no_difference_cures_is_proven_by_none(world, broken):
    found = tried(world.environment(broken, world.driver, CUDA_CACHE_PATH="/x"))
    assert found
    assert proven(found) == []


@pytest.mark.parametrize(("seconds", "cut"), [(0.01, ["experiments"]), (30.0, [])])
def test_it_is_known_where_the_time_for_experiments_was_over(world, broken, seconds, cut):
    environment = world.environment(broken, world.cudnn[9], world.driver)
    trials = (run_trial(environment, "linux"),)
    found, gaps = explored(Terms(environment, Trust("linux")), (), trials, seconds)
    assert [gap.what for gap in gaps] == cut
    assert bool(proven(found)) is not bool(cut)


def test_nothing_is_tried_where_the_loader_found_no_cudnn(world, broken):
    trials = [run_trial(world.environment(folder), "linux") for folder in (broken, "/nowhere")]
    assert [unfinished(trial) for trial in trials] == [True, False]


def test_nothing_to_leave_out_is_nothing_to_try(world, broken):
    environment = world.environment(broken, world.driver)
    assert {e.difference.kind for e in tried(environment)} == {"search-entry", "search-order"}


def test_a_setting_that_nobody_knows_is_named_and_its_text_is_not_kept(world):
    found = tried(world.healthy(9, STUB_CUDNN_DAY="cudnnCreate:1001", API_TOKEN="geheim"))
    assert proven(found) == [("variable", "STUB_CUDNN_DAY", ())]
    assert not [e for e in found if "geheim" in str(e) or "API_TOKEN" in str(e)]


def test_the_order_of_two_folders_of_which_neither_can_be_left_out(world, tmp_path):
    """One holds a cuDNN that is none, and the driver's library besides."""
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    (mixed / "libcudnn.so.9").write_bytes(b"no library")
    (mixed / "libcuda.so.1").symlink_to(world.driver / "libcuda.so.1")
    found = tried(world.environment(mixed, world.cudnn[9]))
    assert proven(found) == [("search-order", "LD_LIBRARY_PATH", (str(mixed),))]


@pytest.mark.parametrize(("with_libraries", "cured", "most"), [(0, False, 8), (31, True, 20)])
def test_many_entries_cost_few_tests(tmp_path, with_libraries, cured, most):
    """Those without a library are left alone, the others left out by halves."""
    folders = [tmp_path / f"{number:02}" for number in range(32)]
    for number, folder in enumerate(folders):
        folder.mkdir()
        if number in (2, 29)[: 1 + cured] or number < with_libraries:
            (folder / "libcudnn.so.9").touch()
    asked = []

    def test(conditions: Conditions) -> Trial:
        listed = conditions.environment.get("LD_LIBRARY_PATH", "")
        asked.append(listed)
        time.sleep(0.01)  # as long as it takes to hear of one, else hundreds are begun meanwhile
        well = cured and str(folders[2]) in listed and str(folders[29]) not in listed
        return Trial(subject=SYSTEM, stage="version", status="ok" if well else "crashed")

    here = Conditions({"LD_LIBRARY_PATH": ":".join(map(str, folders))})
    found = experiments(test, here, test(here), "linux")
    cure = [("search-entry", "LD_LIBRARY_PATH", (str(folders[29]),))]
    assert (proven(found), len(asked) <= most) == (cure if cured else [], True), len(asked)


@pytest.mark.parametrize("family", ["windows", "linux"])
def test_a_library_beside_the_program_of_windows(tmp_path, family):
    (tmp_path / "cudnn64_9.dll").write_bytes(b"no library")

    def test(conditions: Conditions) -> Trial:
        if conditions.beside:
            return Trial(subject=SYSTEM, stage="load", status="unloadable")
        return Trial(subject=SYSTEM, stage="convolution", status="ok")

    there = Conditions({}, beside=str(tmp_path))
    found = experiments(test, there, test(there), family)
    expected = [("program-folder", "", (str(tmp_path),))]
    assert proven(found) == (expected if family == "windows" else [])
    assert experiments(test, Conditions({}), test(there), family) == ()


def test_a_python_apart_has_nothing_beside_it_that_it_does_not_need(tmp_path, monkeypatch):
    needed = {"python.exe", "python3.dll", "python311.dll", "vcruntime140.dll"}
    for name in (*needed, "pythonw.exe", "cudnn64_9.dll", "zlibwapi.dll"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(sys, "_base_executable", str(tmp_path / "python.exe"))
    with apart() as python:
        assert {*os.listdir(os.path.dirname(python))} == {*needed, "pyvenv.cfg"}
        assert Path(python).read_text() == "python.exe"
        config = Path(python).with_name("pyvenv.cfg").read_text()
        assert config == f"home = {tmp_path}\n"
        assert places.child_command("trial", "{}", python=python)[0] == python
    assert not os.path.exists(python)
    assert places.child_command("trial", "{}")[0] == sys.executable


@pytest.mark.parametrize("name", ["libcudnn.so.9", "libcuda.so.1"])
def test_a_pipe_in_the_place_of_a_library_keeps_nobody_waiting(world, tmp_path, name):
    os.mkfifo(tmp_path / name)
    folders = (world.cudnn[9], world.driver)
    began = time.monotonic()
    found = tried(world.environment(tmp_path, *folders))
    assert time.monotonic() - began < 20  # not a measurement: a test waits for a minute
    assert proven(found) == [("search-entry", "LD_LIBRARY_PATH", (str(tmp_path),))]
    assert (
        f"{tmp_path / name} is a pipe"
        in run_trial(world.environment(tmp_path, *folders), "linux").detail
    )
    assert run_trial(world.environment(*folders, tmp_path), "linux").status == "ok"


@pytest.fixture
def torch(world, tmp_path: Path) -> PythonEnvironment:
    """An environment whose PyTorch is linked with the cuDNN beside it, as the real wheels are."""
    site = tmp_path / "venv" / "lib" / "python3.12" / "site-packages"
    own = site / "nvidia" / "cudnn" / "lib"
    own.mkdir(parents=True)
    (own / "libcudnn.so.9").write_bytes((world.cudnn[9] / "libcudnn.so.9").read_bytes())
    (site / "torch" / "lib").mkdir(parents=True)
    source = tmp_path / "torch.c"
    source.write_text("extern int cudnnGetVersion(void);int f(void){return cudnnGetVersion();}")
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-o", site / "torch/lib/libtorch_cuda.so", source,
         own / "libcudnn.so.9", "-Wl,--disable-new-dtags",
         "-Wl,-rpath,$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN"], check=True,
    )  # fmt: skip
    framework = Framework(name="torch", version="2.9.0", gpu=True, cudnn="9", cudnn_from="wheel")
    return PythonEnvironment(id=str(tmp_path / "venv"), sites=(str(site),), frameworks=(framework,))


def trial_of(torch, environment):
    steps = loading_steps(torch)
    assert steps
    return run_trial(environment, "linux", steps=steps, subject=torch.id)


def test_the_framework_s_own_path_leads_to_its_own_copy(world, torch):
    trial = trial_of(torch, world.environment(world.driver))
    assert trial.status == "ok"
    assert trial.loaded.startswith(torch.id)


def test_an_rpath_comes_before_the_search_list(world, torch):
    trial = trial_of(torch, world.environment(world.cudnn[9], world.driver))
    assert trial.loaded.startswith(torch.id)


def test_a_preload_takes_the_place_of_the_framework_s_own(world, torch):
    preload = str(world.cudnn[9] / "libcudnn.so.9")
    trial = trial_of(torch, world.environment(world.driver, LD_PRELOAD=preload))
    assert trial.loaded == os.path.realpath(preload)


def test_a_preload_that_can_t_work_is_proven(world, torch, tmp_path):
    source = tmp_path / "wrong.c"
    source.write_text("unsigned long cudnnGetVersion(void) { __builtin_trap(); }\n")
    wrong = tmp_path / "libcudnn.so.9"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-Wl,-soname,libcudnn.so.9", "-o", wrong, source], check=True
    )
    steps = loading_steps(torch)

    def test(conditions: Conditions):
        return run_trial(conditions.environment, "linux", steps=steps, subject=torch.id)

    conditions = Conditions(world.environment(world.driver, LD_PRELOAD=str(wrong)))
    found = experiments(test, conditions, test(conditions), "linux")
    assert proven(found) == [("preload", "LD_PRELOAD", (str(wrong),))]
