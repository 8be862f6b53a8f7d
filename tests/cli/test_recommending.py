"""``recommend`` as a person or a script meets it: for this computer, and for an imagined one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from machines.computers import golden

from cudnn_assistant.compat import FrameworkRelease, Situation, load_builtin, recommend_for
from cudnn_assistant.feed.additions import Additions, merge
from cudnn_assistant.machine import dump
from cudnn_assistant.wording.recommendation import lines


def ca(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cudnn_assistant", *words],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"},
        timeout=120,
    )


def test_an_imagined_computer_needs_no_look() -> None:
    done = ca("recommend", "--gpu", "RTX 3060", "--driver", "580.65.06", "--system", "linux")
    assert done.returncode == 0
    assert "580.65.06 is enough" in done.stdout
    assert "cudnn-linux-x86_64-9.28.0.42_cuda13-archive.tar.xz (901 MB)" in done.stdout
    assert done.stdout.rstrip().endswith("This fits together.")
    assert done.stderr == ""


def test_what_cannot_be_met_has_its_ways_out() -> None:
    done = ca(
        "recommend", "--gpu", "8.6", "--driver", "581.15", "--system", "windows",
        "--for", "tensorflow 2.15",
    )  # fmt: skip
    assert done.returncode == 1
    assert "tensorflow 2.15 has no GPU support on Windows." in done.stdout
    assert "In WSL2" in done.stdout


def test_json_is_for_programs() -> None:
    done = ca(
        "recommend", "--gpu", "GeForce GTX 1080", "--driver", "470.256.02", "--system", "linux",
        "--for", "torch", "--python-version", "3.11", "--json",
    )  # fmt: skip
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["framework"]["requirement"] == "torch==2.7.1"
    assert found["framework"]["index"] == "cu118"
    assert found["driver"]["last_branch"] == 580


def test_an_unknown_gpu_is_said() -> None:
    done = ca("recommend", "--gpu", "GeForce RTX 9999", "--system", "linux")
    assert done.returncode == 3
    assert "It isn't known what this GPU supports: GeForce RTX 9999." in done.stdout


def test_why_and_what_was_ruled_out_is_told_when_asked() -> None:
    words = ("recommend", "--gpu", "6.1", "--driver", "580.65.06", "--system", "linux")
    plain, all_of_it = ca(*words).stdout, ca(*words, "-v").stdout
    newer = next(line for line in plain.splitlines() if "Why not newer" in line)
    assert "no longer supports GPUs of compute capability 6.1" in newer
    assert "Ruled out" not in plain
    assert "Ruled out" in all_of_it


@pytest.mark.parametrize("cuda", ["13.2", ""])
def test_a_release_that_nobody_has_reviewed_is_named_and_not_advised(cuda: str) -> None:
    new = FrameworkRelease(
        name="torch", version="99.0", family="linux", cuda=cuda, requirement="torch==99.0"
    )
    known = merge(load_builtin(), Additions(frameworks=(new,)))
    here = Situation(computes=("8.6",), driver="580.65.06", python="3.12", framework="torch")
    found = recommend_for(here, known)
    assert found.framework
    assert found.framework.version != new.version
    told = [one.text for one in lines(found) if not one.reason and "torch 99.0" in one.text]
    assert told == ["torch 99.0 is new; nobody has reviewed yet what it runs on."]


@pytest.mark.parametrize("words", [("--driver", "new"), ("--gpu", "8.6", "--driver", "x")])
def test_what_is_no_driver_version(words: tuple[str, ...]) -> None:
    done = ca("recommend", *words)
    assert done.returncode == 2
    assert "is no driver version" in done.stderr


def test_an_environment_of_a_report_is_named_as_it_stands_there(tmp_path: Path) -> None:
    report = tmp_path / "x.json"
    report.write_bytes(dump(golden("windows-torch-older-than-gpu")))
    words = ("recommend", "--offline", "--machine", str(report), "--python")
    for named in (r"C:\ai\venv", r"c:\ai\venv\Scripts\python.exe"):
        assert "torch 2.4.1 for CUDA 11.8 doesn't know GPUs" in ca(*words, named).stdout
    done = ca(*words, "/nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert "/nowhere is no Python environment" in done.stderr


def test_another_gpu_is_imagined_in_the_computer_that_is_named(tmp_path: Path) -> None:
    """Would this environment still do with the GPU that I want to buy?"""
    report = tmp_path / "x.json"
    report.write_bytes(dump(golden("windows-torch-older-than-gpu")))
    words = ("recommend", "--offline", "--machine", str(report), "--python", r"C:\ai\venv")
    assert "torch 2.4.1 for CUDA 11.8 doesn't know GPUs" in ca(*words).stdout
    found = json.loads(ca(*words, "--gpu", "RTX 3060", "--json").stdout)
    assert (found["subject"], found["framework"]["version"]) == (r"C:\ai\venv", "2.4.1")
    for option in ("--machine", "--python"):
        done = ca("recommend", "--offline", "--gpu", "RTX 3060", option, "/nowhere")
        assert (done.returncode, done.stdout) == (2, "")
        done = ca("recommend", "--gpu", "8.6", "--system", "windows", option, "/nowhere")
        assert f"--system can't be combined with {option}." in done.stderr


def test_two_frameworks_are_to_work_in_one_environment(tmp_path: Path) -> None:
    words = ("recommend", "--gpu", "8.6", "--driver", "580.65.06", "--system", "linux",
             "--python-version", "3.12")  # fmt: skip
    done = ca(*words, "--for", "torch 2.8", "--for", "jax")
    assert done.returncode == 0, done.stderr
    *_, torch, jax = done.stdout.splitlines()
    assert torch.startswith("torch==2.8.0")
    assert jax.startswith("jax[cuda")
    (tmp_path / "r.txt").write_text("torch>=2.4\nonnxruntime-gpu\n")
    asked = (*words, "--requirements", str(tmp_path / "r.txt"), "--for", "torch 2.8", "--json")
    found = json.loads(ca(*asked).stdout)
    assert [one["framework"]["name"] for one in found["packages"]] == ["torch", "onnxruntime"]
    assert found["packages"][0]["framework"]["version"] == "2.8.0"
    assert {*found} == {"possible", "packages", "cuda_major", "python", "snippets"}
    assert {*found["snippets"]} == {"pip", "uv", "conda"}
    for wish, said in (("torch", "--for torch 2.8 can't be combined with --for torch."),
                       ("nothing", "Nothing is known about nothing.")):  # fmt: skip
        done = ca(*words, "--for", "torch 2.8", "--for", wish)
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr


def test_another_system_is_imagined_with_its_gpu() -> None:
    done = ca("recommend", "--system", "windows")
    assert (done.returncode, done.stdout) == (2, "")
    assert "name its GPU as well, with --gpu" in done.stderr


def test_the_feed_is_described() -> None:
    done = ca("feed")
    assert done.returncode == 0
    assert done.stdout.startswith("Built-in compatibility data")
    told = json.loads(ca("feed", "--json").stdout)
    assert told["kind"] == "built-in"


@pytest.mark.parametrize("wish", ["ONNX Runtime 1.20", "onnxruntime-gpu==1.20", "onnxruntime 1.20"])
def test_a_wish_may_be_spelled_as_people_do(wish: str) -> None:
    words = ("recommend", "--gpu", "8.6", "--driver", "580.65.06", "--system", "linux", "--json")
    found = json.loads(ca(*words, "--for", wish).stdout)
    assert found["framework"]["requirement"] == "onnxruntime-gpu==1.20.2"
