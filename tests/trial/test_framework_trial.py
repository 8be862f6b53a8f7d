"""The test inside a framework: what its ways of going wrong mean in our terms."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest
from forged_frameworks import forge

from cudnn_assistant.diagnose.needs import named_by
from cudnn_assistant.probe.trials.framework import run_framework, texts
from cudnn_assistant.summary import not_tested


@pytest.fixture
def environment(tmp_path):
    def make(**variables: str) -> dict[str, str]:
        path = str(forge(tmp_path))
        return {"PATH": os.environ["PATH"], "PYTHONPATH": path, **variables}

    return make


def test_a_framework_that_works(environment):
    trial = run_framework(environment(), sys.executable, "torch", subject="env")
    assert (trial.status, trial.stage, trial.checks) == ("ok", "convolution", ("fp32",))
    assert (trial.framework, trial.version) == ("torch 2.9.0+cu128", "9.10.2")
    assert (trial.subject, trial.gpu_name, trial.helped_by) == ("env", "Forged GPU", "")


@pytest.mark.parametrize("text", texts(), ids=lambda path: path.name)
def test_its_program_is_one_that_python_3_6_reads(text):
    """No later syntax, and no annotation that only later ones can work out."""
    tree = ast.parse(text.read_text("ascii"), feature_version=(3, 6))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    given = [one.annotation for f in functions for one in (*f.args.args, *f.args.kwonlyargs)]
    said = [*filter(None, given), *(f.returns for f in functions if f.returns)]
    assert not [ast.unparse(one) for one in said if not isinstance(one, ast.Name | ast.Constant)]
    assert "from __future__ import" not in text.read_text("ascii")


def test_a_framework_works_where_the_language_is_c(environment):
    """A command is read in the locale's encoding: by all of Python 3.6, by others on demand."""
    plain = environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert run_framework(plain, sys.executable, "torch").status == "ok"


@pytest.mark.parametrize(
    ("day", "stage", "status", "found"),
    [
        ("import", "load", "missing-library", "libcudnn.so.9"),
        ("windows", "load", "missing-library", "fbgemm.dll"),
        ("blocked", "load", "unloadable", ""),
        ("driver", "driver", "no-gpu", ""),
        ("handle", "convolution", "status-code", "CUDNN_STATUS_NOT_INITIALIZED"),
        ("memory", "convolution", "out-of-memory", ""),
        ("unacceptable", "convolution", "not-run", ""),
        ("wrong", "convolution", "wrong-result", ""),
        ("abort", "load", "crashed", "SIGABRT"),
    ],
)
def test_how_a_framework_stops(environment, day, stage, status, found):
    trial = run_framework(environment(FORGED_DAY=day), sys.executable, "torch")
    assert (trial.stage, trial.status) == (stage, status)
    assert found in (trial.missing, trial.code_name)
    assert trial.detail


def test_the_number_of_a_status(environment):
    trial = run_framework(environment(FORGED_DAY="handle"), sys.executable, "torch")
    assert trial.code == 1001
    assert run_framework(environment(FORGED_DAY="blocked"), sys.executable, "torch").code == 4551


@pytest.mark.parametrize("code", [577, 1260, 4551, 5])
def test_a_python_that_a_rule_does_not_let_start_is_said(environment, monkeypatch, code):
    """AppLocker and Smart App Control answer Windows' CreateProcess so."""

    class Answer(OSError):
        winerror = code

    def refuse(*_words, **_more):
        raise Answer(13, "blocked")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    trial = run_framework(environment(), "C:\\ai\\python.exe", "torch", family="windows")
    assert (trial.status, trial.code) == ("not-run", code)
    assert ("AppLocker" in not_tested(trial)) is (code != 5)


def test_a_framework_that_hangs(environment):
    trial = run_framework(environment(FORGED_DAY="hang"), sys.executable, "torch", deadline=2.0)
    assert (trial.stage, trial.status) == ("load", "timed-out")


def test_a_build_without_cuda(environment):
    trial = run_framework(environment(FORGED_CUDA=""), sys.executable, "torch")
    assert (trial.stage, trial.status) == ("driver", "no-gpu")
    assert "without CUDA" in trial.detail


def test_a_hidden_gpu_is_told_by_a_second_run(environment):
    trial = run_framework(environment(CUDA_VISIBLE_DEVICES=""), sys.executable, "torch")
    assert (trial.status, trial.helped_by) == ("no-gpu", "CUDA_VISIBLE_DEVICES")


def test_a_search_path_that_leads_astray_is_told_by_a_second_run(environment):
    trapped = environment(FORGED_DAY="trap", LD_LIBRARY_PATH="/somewhere")
    trial = run_framework(trapped, sys.executable, "torch")
    assert (trial.stage, trial.status, trial.helped_by) == (
        "load", "unloadable", "LD_LIBRARY_PATH",
    )  # fmt: skip


def test_a_second_run_that_does_not_help_says_nothing(environment):
    trapped = environment(FORGED_DAY="handle", LD_LIBRARY_PATH="/somewhere")
    assert run_framework(trapped, sys.executable, "torch").helped_by == ""


def test_what_tensorflow_only_prints(environment):
    trial = run_framework(environment(), sys.executable, "tensorflow")
    assert (trial.stage, trial.status, trial.missing) == (
        "driver", "missing-library", "libcudnn.so.8",
    )  # fmt: skip


def test_a_library_that_tensorflow_goes_on_without_is_not_why_its_import_raises(environment):
    """Seen of 2.10.1 with NumPy 2, which warned of libcudart.so.11.0 before."""
    trial = run_framework(environment(FORGED_DAY="numpy"), sys.executable, "tensorflow")
    assert (trial.stage, trial.status, trial.missing) == ("load", "unloadable", "")
    assert "libcudnn.so.8" in trial.output
    assert named_by(trial).needs == "numpy<2"


@pytest.mark.parametrize(
    ("day", "code", "needs"),
    [
        ("protobuf", "python-packages-conflict", "protobuf<4"),
        ("openmp", "python-packages-conflict", ""),
        ("windows", "msvc-runtime-missing", ""),
        ("abort", "", ""),
        ("hang", "", ""),
        ("trap", "", ""),
    ],
)
def test_what_a_framework_names_itself(environment, day, code, needs):
    here = environment(FORGED_DAY=day, LD_LIBRARY_PATH="")
    told = named_by(run_framework(here, sys.executable, "torch", deadline=2.0))
    assert (told.code, told.needs) == (code, needs)


def test_memory_is_not_taken_all_at_once(environment):
    trial = run_framework(environment(), sys.executable, "jax")
    assert (trial.stage, trial.status) == ("driver", "no-gpu")


def test_the_persons_own_choice_about_memory_stays(environment):
    trial = run_framework(environment(XLA_PYTHON_CLIENT_PREALLOCATE="true"), sys.executable, "jax")
    assert trial.status == "out-of-memory"


def test_tensorflow_that_takes_all_memory_is_told_by_a_second_run(environment):
    greedy = environment(FORGED_GPU="1", TF_FORCE_GPU_ALLOW_GROWTH="false")
    trial = run_framework(greedy, sys.executable, "tensorflow")
    assert (trial.status, trial.helped_by) == ("out-of-memory", "TF_FORCE_GPU_ALLOW_GROWTH=true")


def test_tensorflow_that_works(environment):
    trial = run_framework(environment(FORGED_GPU="1"), sys.executable, "tensorflow")
    assert (trial.status, trial.gpu_name) == ("ok", "/physical_device:GPU:0")


def test_what_jax_only_logs(environment):
    trial = run_framework(environment(FORGED_DAY="plugin"), sys.executable, "jax")
    assert trial.detail == "RuntimeError: Unable to load cuDNN. Is it installed?"
    assert trial.status != "no-gpu"


def test_a_jax_without_its_part_for_gpus(environment):
    trial = run_framework(environment(), sys.executable, "jax")
    assert "built without CUDA" in trial.detail


@pytest.mark.parametrize(("day", "helps"), [("", True), ("old", False), ("without", False)])
def test_onnx_runtime_that_has_to_load_its_libraries_first(environment, day, helps):
    trial = run_framework(environment(FORGED_DAY=day), sys.executable, "onnxruntime")
    assert (trial.status, trial.stage) == ("status-code", "convolution")
    assert trial.helped_by == ("onnxruntime.preload_dlls()" if helps else "")


def test_a_cupy_that_does_not_call_cudnn(environment):
    trial = run_framework(environment(), sys.executable, "cupy")
    assert (trial.status, trial.missing, trial.framework) == ("not-run", "", "cupy 14.2.0")


def test_a_framework_that_is_not_there(environment, tmp_path):
    there = environment()
    (tmp_path / "cupy.py").unlink()
    trial = run_framework(there, sys.executable, "cupy")
    assert (trial.status, trial.missing) == ("not-run", "cupy")
    (tmp_path / "cupy.py").write_text("import fastrlock")
    trial = run_framework(there, sys.executable, "cupy")
    assert (trial.stage, trial.status, trial.missing) == ("load", "unloadable", "fastrlock")


def test_what_cannot_be_started(environment):
    assert run_framework(environment(), "/nowhere/python", "torch").status == "not-run"


def test_files_beside_the_person_are_not_imported(environment, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "json.py").write_text("raise SystemExit('stray')")
    monkeypatch.chdir(tmp_path / "here")
    assert run_framework(environment(), sys.executable, "torch").status == "ok"
