"""A whole requirements file: one CUDA for all GPU packages, or what keeps them apart."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import msgspec
import pytest
import yaml

from cudnn_assistant.cli import run
from cudnn_assistant.compat import Situation, load_builtin
from cudnn_assistant.compat.environment import EnvironmentAdvice, recommend_environment
from cudnn_assistant.compat.wishes import wanted

DATA = load_builtin()
GPU = ["--gpu", "RTX 3060", "--driver", "580.65.06", "--system", "linux", "--offline"]


def here(compute: str = "8.6", python: str = "3.12") -> Situation:
    return Situation(
        computes=(compute,), driver="580.65.06", cuda="13.0", has_driver=True, python=python
    )


def ask(text: str, compute: str = "8.6", python: str = "3.12") -> EnvironmentAdvice:
    there = here(compute, python)
    return recommend_environment(there, DATA, wanted(text, DATA, there))


def pip(found: EnvironmentAdvice) -> str:
    return found.snippets.pip if found.snippets else ""


REQUIREMENTS = """
# an ordinary environment
torch>=2.4,<2.9   # the model
tensorflow[and-cuda]==2.20.0 ; python_version >= "3.9"
onnxruntime-gpu
jax ; sys_platform == "win32"
numpy<2
-r other.txt
"""


def test_all_packages_share_one_cuda() -> None:
    found = ask(REQUIREMENTS)
    assert (found.possible, found.cuda_major) == (True, 12)
    assert pip(found).splitlines() == [
        "torch==2.8.0",
        "tensorflow[and-cuda]==2.20.0",
        "onnxruntime-gpu[cuda,cudnn]==1.26.0",
    ]


def test_an_older_gpu_has_its_own_index() -> None:
    found = ask("torch>=2.4,<2.9\nonnxruntime-gpu", "6.1")
    first, torch, *_rest = pip(found).splitlines()
    assert first.startswith("--extra-index-url ")
    assert first.endswith("/whl/cu126")
    assert torch == "torch==2.8.0+cu126"


def test_where_no_python_is_known_the_newest_that_serves_all_is_named() -> None:
    found = ask("torch>=2.4,<2.9\ntensorflow==2.20.0", "8.6", python="")
    assert (found.possible, found.python) == (True, "3.13")
    assert found.snippets is not None
    assert "python=3.13" in found.snippets.conda


def test_uv_takes_from_an_index_only_what_belongs_there() -> None:
    found = ask("torch>=2.4,<2.9\nonnxruntime-gpu", "6.1")
    assert found.snippets is not None
    read = tomllib.loads("[project]\n" + found.snippets.uv)
    assert read["project"]["dependencies"][0] == "torch==2.8.0"
    (index,) = read["tool"]["uv"]["index"]
    assert index["name"] == "torch-cu126"
    assert index["url"].endswith("/whl/cu126")
    assert index["explicit"] is True
    assert read["tool"]["uv"]["sources"] == {"torch": {"index": "torch-cu126"}}


def test_uv_itself_reads_its_tables(tmp_path: Path) -> None:
    found = ask("torch>=2.4,<2.9\nonnxruntime-gpu", "6.1")
    assert found.snippets is not None
    head = '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.11"\n'
    (tmp_path / "pyproject.toml").write_text(head + found.snippets.uv)
    done = subprocess.run(
        ["uv", "lock", "--offline", "--directory", str(tmp_path)], capture_output=True, text=True
    )
    # It gets as far as asking for the packages, which nobody may do here.
    assert "parse" not in done.stderr.lower()
    assert "network was disabled" in done.stderr


def test_conda_lets_pip_install_them() -> None:
    found = ask("torch>=2.4,<2.9\nonnxruntime-gpu", "6.1")
    assert found.snippets is not None
    *conda, pip = yaml.safe_load(found.snippets.conda)["dependencies"]
    assert conda[1:] == ["pip"]
    assert conda[0].startswith("python")
    assert pip["pip"] == found.snippets.pip.splitlines()


def test_nothing_fits_a_gpu_of_another_maker() -> None:
    there = msgspec.structs.replace(here(), computes=(), maker="amd")
    found = recommend_environment(there, DATA, wanted("torch", DATA, there))
    assert (found.possible, found.snippets) == (False, None)


def test_one_package_that_cannot_be_met_is_named() -> None:
    found = ask("torch==2.8.0\ntensorflow==2.19.0", "12.0")
    assert (found.possible, pip(found)) == (False, "")
    torch, tensorflow = found.packages
    assert torch.possible is True
    assert [reason.code for reason in tensorflow.unmet] == ["gpu-too-new"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("torch==2.15.0\ntensorflow==2.19.0", id="CUDA 13 and 12"),
        # pip's words: "ResolutionImpossible"; they pin cuDNN 9.10.2.21 and 9.3.0.75.
        pytest.param("torch==2.8.0\ntensorflow[and-cuda]==2.19.0", id="two pinned cuDNN"),
        pytest.param("torch\njax\ntensorflow==2.15.0", id="another major of cuDNN"),
        pytest.param("jax[cuda12]\njax\ntorch==2.15.0", id="a named CUDA"),
    ],
)
def test_what_has_no_cuda_or_no_cudnn_in_common(text: str) -> None:
    found = ask(text, python="")
    assert found.possible is None
    assert all(one.possible for one in found.packages)


def test_one_environment_holds_one_cudnn() -> None:
    found = ask("torch\ntensorflow\njax\nonnxruntime-gpu")
    assert found.possible is True
    assert {one.cudnn.full for one in found.packages if one.cudnn} == {"9.10.2.21"}
    found = ask("paddlepaddle-gpu\nfaster-whisper<1.1", python="3.11")
    assert {one.cudnn.full for one in found.packages if one.cudnn} == {"8.6.0.163"}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("torch>=2\ntensorflow==2.14.1", ["torch==2.3.1+cu118", "tensorflow[and-cuda]==2.14.1"]),
        ("torch>=2\nctranslate2==4.4.0", ["torch==2.3.1", "ctranslate2==4.4.0"]),
        # The build on PyPI pins cuDNN 9.1, which TensorFlow doesn't take; that for cu126 has 9.5.
        ("torch==2.6.0\ntensorflow", ["torch==2.6.0+cu126", "tensorflow[and-cuda]==2.21.0"]),
    ],
)
def test_the_others_follow_who_has_the_least_choice(text: str, lines: list[str]) -> None:
    assert pip(ask(text, python="3.11")).splitlines()[-2:] == lines


def test_before_cuda_11_packages_share_a_release_of_it() -> None:
    found = ask("torch<1.8\ntensorflow==2.3.4", "6.1", python="3.8")
    assert (found.possible, found.cuda_major) == (True, 10)
    named = ["torch==1.7.1+cu101", "tensorflow==2.3.4", "protobuf==3.*"]
    assert pip(found).splitlines()[1:] == named


@pytest.mark.parametrize(
    ("wish", "python", "beside"),
    [
        ("tensorflow==2.10.1", "3.10", ["numpy==1.*"]),
        ("tensorflow==2.9.0", "3.10", ["numpy==1.*", "protobuf==3.*"]),
        ("onnxruntime==1.17.1", "3.10", ["numpy==1.*"]),
        ("onnxruntime==1.18.1", "3.10", []),
        ("jax==0.4.25", "3.10", ["numpy==1.*"]),
        ("jax==0.4.26", "3.10", []),
        ("paddle==2.6.2", "3.12", ["numpy==1.*", "setuptools"]),
    ],
)
def test_what_a_release_does_not_import_with_is_kept_out(
    wish: str, python: str, beside: list[str]
) -> None:
    """Each was installed from PyPI as it is named here, and imported; without, it failed."""
    found = ask(wish, "7.0", python=python)
    assert pip(found).splitlines()[1:] == beside
    (one,) = found.packages
    assert one.framework
    words = one.framework.command.partition(" --index-url")[0].split()
    assert words[3:] == [f'"{package}"' if "*" in package else package for package in beside]


def test_no_cudnn_is_taken_that_has_dropped_the_gpu() -> None:
    found = ask("tensorflow==2.21.0\njax==0.10.0", "7.0")
    assert found.snippets is not None
    pinned = "nvidia-cudnn-cu12==9.10.2.21"
    assert pip(found).splitlines()[2:] == [pinned]
    assert f'"{pinned}",\n]' in found.snippets.uv
    assert all(one.framework and pinned in one.framework.command for one in found.packages)
    assert "cudnn" not in pip(ask("tensorflow==2.21.0\njax==0.10.0"))


@pytest.mark.parametrize(
    "text",
    [
        "torch==2.8.0+cu126\nonnxruntime-gpu==1.26.0",
        "torch==2.8.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nonnxruntime-gpu==1.26.0",
        "torch==2.8.0 \\\r\n --hash=sha256:aa\r\nonnxruntime-gpu==1.26.0",
        "dependencies:\n  - pytorch=2.8\n  - pip:\n    - 'onnxruntime-gpu==1.26.0'",
        "dependencies:\n- pytorch=2.8=cuda129_generic_py312\n- onnxruntime-gpu = 1.26",
        (
            '[project]\ndependencies = ["torch==2.8.0"]\n[dependency-groups]\n'
            'gpu = ["onnxruntime-gpu==1.26.0", {include-group = "test"}]'
        ),
        (
            '[tool.poetry.dependencies]\npython = "^3.10"\ntorch = "~2.8"\nnumpy = "*"\n'
            "[tool.poetry.group.gpu.dependencies]\n"
            'onnxruntime-gpu = {version = "1.26.0", markers = "sys_platform == \'linux\'"}'
        ),
        (
            '[tool.pixi.feature.gpu.pypi-dependencies]\ntorch = "2.8.*"\n'
            'onnxruntime-gpu = [{platform = "linux", version = ">=1.26,<1.27 || ==1.26.0"}]\n'
            '[tool.pdm.dev-dependencies]\nlint = ["ruff"]'
        ),
        (
            "https://x.org/cu126/torch-2.8.0%2Bcu126-cp312-cp312-manylinux_2_28_x86_64.whl#sha256=a\n"
            "onnxruntime-gpu @ https://x.org/onnxruntime_gpu-1.26.0-cp312-cp312-linux_x86_64.whl"
        ),
    ],
)
def test_pins_are_read_as_tools_write_them(text: str) -> None:
    found = ask(text)
    assert [one.framework and one.framework.version for one in found.packages] == [
        "2.8.0",
        "1.26.0",
    ]
    assert found.possible is True


def test_what_we_write_is_what_we_read() -> None:
    made = ask("torch>=2.4,<2.9\nonnxruntime-gpu", "6.1").snippets
    assert made is not None
    for text in (made.pip, "[project]\n" + made.uv, made.conda):
        assert ask(text, "6.1").snippets == made


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ('[project]\nrequires-python = ">=3.9,<3.12"\ndependencies = ["torch"]', "3.11"),
        ("dependencies:\n  - python=3.10\n  - pytorch", "3.10"),
    ],
)
def test_the_file_says_on_which_python(text: str, python: str) -> None:
    assert ask(text, python="").python == python
    assert ask(text, python="3.12").python == "3.12"


def test_a_release_that_is_not_listed_is_said_to_be_so() -> None:
    (package,) = ask("onnxruntime-gpu==1.20.1").packages
    assert [reason.code for reason in package.unknown] == ["release-not-listed"]


def test_without_a_driver_the_lines_are_told_with_what_they_need() -> None:
    there = msgspec.structs.replace(here(), driver="", cuda="", has_driver=None)
    found = recommend_environment(there, DATA, wanted("torch<2.9", DATA, there))
    assert (found.possible, pip(found)) == (None, "torch==2.8.0")
    assert [one.driver.minimum for one in found.packages if one.driver] == ["525.60.13"]


@pytest.mark.parametrize(
    ("wish", "releases"),
    [("^2.5", ">=2.5,==2.*"), ("^0.5.1", ">=0.5.1,==0.5.*"), ("~2", ">=2,==2.*"), ("*", "")],
)
def test_releases_as_poetry_names_them(wish: str, releases: str) -> None:
    (package,) = wanted(f'[tool.poetry.dependencies]\ntorch = "{wish}"', DATA, here()).packages
    assert set(package.allowed.split(",")) == set(releases.split(","))


@pytest.mark.parametrize(
    "text",
    [
        "torch @ git+https://github.com/pytorch/pytorch@v2.8.0",
        "torch @ https://x.org/torch,(2.8).zip",
        '[tool.poetry.dependencies]\ntorch = {git = "https://github.com/pytorch/pytorch.git"}',
    ],
)
def test_what_is_built_from_an_address_is_not_known(text: str) -> None:
    found = ask(text)
    (package,) = found.packages
    assert (found.possible, found.snippets) == (None, None)
    assert [reason.code for reason in package.unknown] == ["framework-unknown"]


def test_a_cuda_that_no_release_is_made_for() -> None:
    (package,) = ask("cupy-cuda11x").packages
    assert [reason.code for reason in package.unknown] == ["framework-unknown"]


def test_a_release_that_the_file_forbids_is_not_taken() -> None:
    (package,) = ask("torch<2.3").packages
    assert package.framework is not None
    assert package.framework.version == "2.2.2"


def test_pyproject_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "x"\ndependencies = ["torch==2.8.0", "requests"]\n')
    asked = ["recommend", *GPU, "--python-version", "3.12", "--requirements", str(file)]
    assert run(asked) == 0
    out = capsys.readouterr().out
    assert "torch==2.8.0" in out
    assert "Compared are Python, CUDA and cuDNN." in " ".join(out.split())


@pytest.mark.parametrize(
    "text",
    [
        "numpy\nrequests",
        "",
        "%%%",
        "[project]\ndependencies = 3",
        "torch; sys_platform ~= 'x'",
    ],
)
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
