"""A whole requirements file: one CUDA for all GPU packages, or what keeps them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from cudnn_assistant.cli import run
from cudnn_assistant.compat import (
    EnvironmentAdvice,
    Situation,
    load_builtin,
    recommend_environment,
    wanted,
)

DATA = load_builtin()
GPU = ["--gpu", "RTX 3060", "--driver", "580.65.06", "--system", "linux", "--offline"]


def here(compute: str = "8.6", python: str = "3.12") -> Situation:
    return Situation(
        computes=(compute,), driver="580.65.06", cuda="13.0", has_driver=True, python=python
    )


def ask(text: str, compute: str = "8.6", python: str = "3.12") -> EnvironmentAdvice:
    there = here(compute, python)
    return recommend_environment(there, DATA, wanted(text, DATA, there))


REQUIREMENTS = """
# an ordinary environment
torch>=2.4,<2.9   # the model
tensorflow[and-cuda]==2.19.0 ; python_version >= "3.9"
onnxruntime-gpu
jax ; sys_platform == "win32"
numpy<2
-r other.txt
"""


def test_all_packages_share_one_cuda() -> None:
    found = ask(REQUIREMENTS)
    assert (found.possible, found.cuda_major) == (True, 12)
    assert found.snippet.splitlines() == [
        "torch==2.8.0",
        "tensorflow[and-cuda]==2.19.0",
        "onnxruntime-gpu[cuda,cudnn]==1.26.0",
    ]


def test_an_older_gpu_has_its_own_index() -> None:
    found = ask("torch>=2.4,<2.9\nonnxruntime-gpu", "6.1")
    first, torch, *_rest = found.snippet.splitlines()
    assert first.startswith("--extra-index-url ")
    assert first.endswith("/whl/cu126")
    assert torch == "torch==2.8.0+cu126"


def test_one_package_that_cannot_be_met_is_named() -> None:
    found = ask("torch==2.8.0\ntensorflow==2.19.0", "12.0")
    assert (found.possible, found.snippet) == (False, "")
    torch, tensorflow = found.packages
    assert torch.possible is True
    assert [reason.code for reason in tensorflow.unmet] == ["gpu-too-new"]


def test_no_common_cuda() -> None:
    found = ask("torch==2.15.0\ntensorflow==2.19.0")
    assert found.possible is None
    assert all(one.possible for one in found.packages)


def test_a_release_that_the_file_forbids_is_not_taken() -> None:
    (package,) = ask("torch<2.3").packages
    assert package.framework is not None
    assert package.framework.version == "2.2.2"


def test_pyproject_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "x"\ndependencies = ["torch==2.8.0", "requests"]\n')
    asked = ["recommend", *GPU, "--python-version", "3.12", "--requirements", str(file)]
    assert run(asked) == 0
    assert "torch==2.8.0" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["numpy\nrequests", "", "%%%", "[project]\ndependencies = 3"])
def test_a_file_without_gpu_packages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(text)
    assert run(["recommend", *GPU, "--requirements", str(file)]) == 2
    assert "No package in this file uses the GPU" in capsys.readouterr().err


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recommend", *GPU, "--requirements", str(tmp_path / "none")]) == 2
    assert "can't be read" in capsys.readouterr().err
