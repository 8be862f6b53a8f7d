"""The command ``test``: each GPU in a process of its own, over stub drivers and forged frameworks.

The command line, what it starts and what explains the outcome are the real program.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import needs
import pytest
from forged_frameworks import forge
from stub_world import World

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import Trial
from cudnn_assistant.report.reading import read_report
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.trials import relevant

ROOT = Path(__file__).parents[2]
FIRST = "GPU-01010101-0101-0101-0101-010101010101"
SECOND = "GPU-02020202-0202-0202-0202-020202020202"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    needs.require("gcc")
    return World(tmp_path_factory.mktemp("world"))


def outcome(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cudnn_assistant", "test", *words]
    environment = {"HOME": os.environ["HOME"], "PYTHONUTF8": "1", **environment}
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=120
    )


def test_one_gpu_is_one_object(world: World) -> None:
    done = outcome(world.healthy(), "--json")
    trial = json.loads(done.stdout)
    assert (done.returncode, trial["status"], trial["gpu"]) == (0, "ok", FIRST)
    assert {"fp32", "fp16", "bf16", "tf32", "fp32 backward data"} <= set(trial["checks"])


def test_two_gpus_are_a_list_in_the_order_of_cuda(world: World) -> None:
    done = outcome(world.healthy(STUB_CUDA_COUNT="2"), "--json")
    trials = json.loads(done.stdout)
    assert [(t["gpu"], t["gpu_name"], t["status"]) for t in trials] == [
        (FIRST, "Stub GPU 0", "ok"), (SECOND, "Stub GPU 1", "ok"),
    ]  # fmt: skip
    assert done.returncode == 0


def test_two_gpus_are_a_line_each(world: World) -> None:
    done = outcome(world.healthy(STUB_CUDA_COUNT="2"))
    rows = [row for row in done.stdout.splitlines() if "cuDNN 9.10.2 works" in row]
    assert len(rows) == 2
    assert FIRST[:12] in rows[0]
    assert SECOND[:12] in rows[1]


def test_one_of_two_gpus_that_stops(world: World) -> None:
    done = outcome(world.healthy(STUB_CUDA_COUNT="2", STUB_CUDA_RETAIN_1="46"), "--json")
    assert [t["status"] for t in json.loads(done.stdout)] == ["ok", "status-code"]
    assert done.returncode == 1
    shown = outcome(world.healthy(STUB_CUDA_COUNT="2", STUB_CUDA_RETAIN_1="46")).stdout
    assert "Another program has the GPU for itself, or its compute mode forbids use." in shown
    assert "[one-gpu-stopped]" in shown
    assert "cudnn-assistant report" in shown


def test_one_gpu_that_is_chosen(world: World) -> None:
    done = outcome(world.healthy(STUB_CUDA_COUNT="2"), "--json", "--gpu", SECOND)
    assert json.loads(done.stdout)["gpu"] == SECOND


def test_a_gpu_that_hangs_costs_the_other_nothing(world: World) -> None:
    hanging = world.healthy(STUB_CUDA_COUNT="2", STUB_CUDA_RETAIN_1="999")
    first, second = json.loads(outcome(hanging, "--json").stdout)
    assert (first["status"], second["code_name"]) == ("ok", "CUDA_ERROR_UNKNOWN")


def test_the_persons_choice_of_gpus_is_kept_and_shown(world: World) -> None:
    chosen = world.healthy(STUB_CUDA_COUNT="2", CUDA_VISIBLE_DEVICES="1")
    assert json.loads(outcome(chosen, "--json").stdout)["gpu"] == SECOND
    assert "CUDA_VISIBLE_DEVICES is set to “1”" in outcome(chosen).stdout
    assert "CUDA_VISIBLE_DEVICES" not in outcome(world.healthy()).stdout
    hidden = outcome(world.healthy(CUDA_VISIBLE_DEVICES="-1")).stdout
    assert "“-1”: it hides every GPU from programs." in hidden
    odd = outcome(world.healthy(CUDA_VISIBLE_DEVICES="{0}")).stdout
    assert "“{0}”" in odd


def test_where_it_stopped_and_why(world: World) -> None:
    done = outcome(world.environment(world.driver))
    assert done.returncode == 1
    assert "libcudnn.so.9 not found" in done.stdout
    assert "[cudnn-missing]" in done.stdout
    times = [line for line in done.stdout.splitlines() if line.endswith(" ms")]
    assert "asking the driver for a GPU  " in done.stdout
    assert len({re.search(r"\d+ ms$", line).start() for line in times}) == 1  # type: ignore[union-attr]


def test_what_an_answer_of_cudnn_means(world: World) -> None:
    done = outcome(world.healthy(STUB_CUDNN_DAY="cudnnCreate:4000"))
    assert "stopped while creating the handle" in done.stdout
    assert "cuDNN stopped inside and doesn't say why." in done.stdout
    assert done.returncode == 1


def test_only_the_last_line(world: World) -> None:
    assert len(outcome(world.healthy(), "--quiet").stdout.splitlines()) == 1


# -- inside frameworks ----------------------------------------------------------------------------


@pytest.fixture
def frameworks(tmp_path: Path) -> dict[str, str]:
    """The environment of a person whose ``python`` has the forged frameworks."""
    (tmp_path / "forged").mkdir()
    folder = str(forge(tmp_path / "forged"))
    path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
    return {"PATH": path, "PYTHONPATH": folder}


def test_the_active_environment_is_meant_without_a_name(frameworks: dict[str, str]) -> None:
    done = outcome(frameworks, "--framework", "torch")
    assert "PyTorch 2.9.0 runs a convolution on Forged GPU" in done.stdout
    assert done.returncode == 0


def test_a_framework_without_cudnn_is_no_trouble(frameworks: dict[str, str]) -> None:
    done = outcome(frameworks, "--framework", "CuPy")
    assert "CuPy 14.2.0 doesn't use cuDNN, so there is nothing to test." in done.stdout
    assert done.returncode == 3


def test_a_framework_that_is_not_installed(frameworks: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "forged" / "cupy.py").unlink()
    done = outcome(frameworks, "--framework", "cupy")
    assert "CuPy is not installed in this environment." in done.stdout
    assert done.returncode == 3


@pytest.mark.parametrize(
    ("name", "variables", "sentence"),
    [
        (
            "tensorflow",
            {"FORGED_GPU": "1", "TF_FORCE_GPU_ALLOW_GROWTH": "false"},
            "With TF_FORCE_GPU_ALLOW_GROWTH=true it works.",
        ),
        ("onnxruntime", {}, "When the program calls onnxruntime.preload_dlls() first, it works."),
        (
            "torch",
            {"CUDA_VISIBLE_DEVICES": ""},
            "Without CUDA_VISIBLE_DEVICES, as it is set now, it works.",
        ),
    ],
)
def test_what_would_help_is_said(
    frameworks: dict[str, str], name: str, variables: dict[str, str], sentence: str
) -> None:
    done = outcome({**frameworks, **variables}, "--framework", name)
    assert sentence in done.stdout
    assert done.returncode in (1, 3)


@pytest.mark.skipif(sys.platform != "linux", reason="activation is read on Linux")
def test_an_environment_is_tested_as_its_programs_start(
    frameworks: dict[str, str], tmp_path: Path
) -> None:
    root = tmp_path / "venv"
    (root / "bin").mkdir(parents=True)
    (root / "bin/python3").symlink_to(sys.executable)
    home, version = os.path.dirname(sys.executable), f"3.{sys.version_info.minor}"
    (root / "lib" / f"python{version}" / "site-packages").mkdir(parents=True)
    (root / "pyvenv.cfg").write_text(f"home = {home}\nversion = {version}.0\n")
    (root / "bin/activate").write_text("export CUDA_VISIBLE_DEVICES=''\n")
    asked = ("--framework", "torch", "--python", str(root))
    assert "Without CUDA_VISIBLE_DEVICES" in outcome(frameworks, *asked).stdout
    # Activated already, what somebody has set since counts.
    done = outcome({**frameworks, "VIRTUAL_ENV": str(root)}, *asked)
    assert "runs a convolution" in done.stdout


def test_a_lesser_finding_that_names_the_framework_is_told() -> None:
    """As seen on that computer: its ONNX Runtime is for the processor, its PyTorch works."""
    report = ROOT / "tests" / "machines" / "reports" / "h100-pytorch-healthy.md"
    machine = read_report(report.read_text(encoding="utf-8")).machine
    stopped = Trial(
        subject=next(one.id for one in machine.pythons if one.frameworks),
        framework="onnxruntime 1.30.0",
        stage="driver",
        status="no-gpu",
    )
    seen = msgspec.structs.replace(machine, trials=(*machine.trials, stopped))
    checkup = think(seen, load_builtin())
    assert [f.code for f in relevant(checkup, stopped)] == ["cpu-only-framework"]
