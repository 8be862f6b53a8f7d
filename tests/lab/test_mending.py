"""``fix`` on every computer of the lab that it may do something for: what it does, helps.

A remedy is tried before it is made, so that none ends with "changed, but cuDNN still doesn't
start". "pytest --hypothesis-profile nightly" takes all computers, a day each sixteenth. NVIDIA's
archives and PyPI's packages are stubs in folders that an administrator prepared.
"""

from __future__ import annotations

import ensurepip
import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import computer
import driver as lab
import images
import needs
import test_adversary
import test_by_cause
import test_computers
import test_further
import test_planted
import test_seen_failing
from cases import Case
from computer import Computer
from split_cudnn import OWN, linked_torch
from test_adversary import CUDA, OPT
from test_computers import SITE, VENV
from test_unlisted import files_that_another_package_took_along

from cudnn_assistant.diagnose import EVERYBODY
from cudnn_assistant.places import resource

pytestmark = pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
PREPARED = "/srv/archives"
SHELF = "/srv/wheels"
FEED = str(resource("compat/compat.json"))
PROGRAM = (sys.executable, "-I", "-m", "cudnn_assistant")
CHANGED_IN_VAIN = 4


def _mendable() -> dict[str, Case]:
    """Computers with something wrong above the ground, where no driver and no GPU is in the way."""
    modules = (
        test_computers, test_planted, test_adversary, test_further, test_by_cause,
        test_seen_failing,
    )  # fmt: skip
    known = {name: one for module in modules for name, one in module.CASES.items()}
    serious = {n: {f.split()[1] for f in c.findings if f[0] == "e"} for n, c in known.items()}
    return {n: one for n, one in known.items() if serious[n] - EVERYBODY - {"unexplained"}}


MENDABLE = _mendable()


class Fixed(NamedTuple):
    """How ``fix --yes`` ended."""

    code: int
    said: str
    steps: list[dict[str, Any]]
    rehearsal: dict[str, Any]


@cache
def _stub(version: str) -> Path:
    """A whole cuDNN of a version that convolves on the processor."""
    # The window's tests bring this file in under another name, in the same workshop.
    folder = lab.workshop() / __name__ / f"cudnn-{version}"
    major, minor, patch = map(int, version.split(".")[:3])
    images.cudnn(folder, version)
    number = major * (10_000 if major > 8 else 1_000) + minor * 100 + patch
    stub = lab.compiled(
        "cudnn_stub.c", f"libcudnn-{version}.so", f"-Wl,-soname,libcudnn.so.{major}",
        f"-DMAJOR={major}", f"-DVERSION={number}", "-DWHOLE=1", "-lm",
    )  # fmt: skip
    shutil.copy(stub, folder / f"libcudnn.so.{version}")
    return folder


def _blas(version: str) -> Path:
    """cuBLAS of a CUDA release."""
    major = version.partition(".")[0]
    names = (f"lib{name}.so.{major}" for name in ("cublas", "cublasLt"))
    return images.put(lab.workshop() / __name__ / f"blas-{version}", *names)


def offers(c: Computer, step: dict[str, Any]) -> None:
    """The archive of a step, prepared, and data that name it."""
    name = step["download"]["url"].rsplit("/", 1)[-1]
    top = name.removesuffix(".tar.xz")
    path = c.at(f"{PREPARED}/{name}")
    with tarfile.open(path, "w:xz", preset=0) as archive:
        whole = _stub(step["version"]) if step["product"] == "cuDNN" else _blas(step["version"])
        archive.add(whole, f"{top}/lib")
    c.write(f"{PREPARED}/LICENSE.txt", "terms")
    digest, size = hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size
    row = re.compile('("[^"]*/' + re.escape(name) + r'","sha256":)"[0-9a-f]+","size":\d+')
    text, times = row.subn(rf'\g<1>"{digest}","size":{size}', Path(FEED).read_text("utf-8"))
    assert times == 1
    c.write(FEED, text)


def wheel(
    c: Computer, project: str, version: str, below: str, folder: Path, requires: str = ""
) -> None:
    path = c.at(f"{SHELF}/{project}-{version}-py3-none-any.whl")
    info = f"{project}-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for file in filter(Path.is_file, folder.rglob("*")):
            archive.write(file, f"{below}/{file.relative_to(folder)}")
        name = project.replace("_", "-")
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}",
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


def pip_of_python() -> Path:
    """The pip that Python makes environments with: beside it, or where Debian keeps it."""
    beside = Path(ensurepip.__file__).parent / "_bundled"
    kept = sysconfig.get_config_var("WHEEL_PKG_DIR") or beside
    return next(Path(kept).glob("pip-*.whl"))


def with_pip(c: Computer) -> None:
    """pip in the environment."""
    with zipfile.ZipFile(pip_of_python()) as pip:
        pip.extractall(c.at(f"{SITE}/pip").parent)


def shelf(c: Computer) -> None:
    """The packages that a PyTorch of CUDA 12.8 asks for."""
    wheel(c, "nvidia_cudnn_cu12", "9.10.2.21", "nvidia/cudnn/lib", _stub("9.10.2"))
    blas = images.put(lab.workshop() / "blas", "libcublas.so.12", "libcublasLt.so.12")
    wheel(c, "nvidia_cublas_cu12", "12.8.4.1", "nvidia/cublas/lib", blas)
    nvrtc = images.put(lab.workshop() / "nvrtc", "libnvrtc.so.12")
    wheel(c, "nvidia_cuda_nvrtc_cu12", "12.8.93", "nvidia/cuda_nvrtc/lib", nvrtc)


def fixed(folder: Path, one: Case, *, by_uv: bool = False) -> Fixed:
    """What ``fix`` says of a computer beforehand, and what it does.

    ``by_uv``: environments have no pip, and uv is on PATH.
    """
    c = Computer(folder / "computer")
    one.plant(c)
    if c.at(VENV).is_dir():
        shelf(c)
        if not by_uv:
            with_pip(c)
    variables = {
        "CUDNN_ASSISTANT_ARCHIVES": PREPARED, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": SHELF,
        "PIP_NO_COMPILE": "1", "UV_OFFLINE": "1", "UV_FIND_LINKS": SHELF, **one.variables,
    }  # fmt: skip
    if by_uv:
        variables["PATH"] = f"{Path(shutil.which('uv') or '').parent}:/usr/bin:/bin"
    program = f"{getattr(one, 'shell', '')}\n{shlex.join(PROGRAM)} fix --offline"
    dry = c.run("bash", "-c", f"{program} --dry-run --json", **variables)
    last = dry.stdout.strip().splitlines()[-1:] or ["{}"]
    told = json.loads(last[0])
    steps = told.get("steps") or []
    if not steps:
        # Nothing would be carried out: another look would say the same.
        said = dry.stdout + dry.stderr
        return Fixed(dry.returncode, said, [], told.get("rehearsal") or {})
    for step in steps:
        if step["type"] == "install-archive" and step["download"]["url"].endswith(".tar.xz"):
            offers(c, step)
    done = c.run("bash", "-c", f"{program} --yes", **variables)
    return Fixed(done.returncode, done.stdout + done.stderr, steps, told.get("rehearsal") or {})


@pytest.mark.spread(48)  # all of them take a quarter of an hour
@pytest.mark.parametrize("name", sorted(MENDABLE))
def test_nothing_is_changed_in_vain(tmp_path: Path, name: str) -> None:
    end = fixed(tmp_path, MENDABLE[name])
    print(name, end.code, [s["type"] for s in end.steps], end.rehearsal.get("outcome"))  # noqa: T201
    assert end.code != CHANGED_IN_VAIN, end.said
    assert "Traceback" not in end.said, end.said
    if not end.steps:
        return
    outcome = end.rehearsal["outcome"]
    works = re.search(r"(?m)^cuDNN( [\d.]+)? works\.", end.said)
    assert (end.code == 0) == bool(works), end.said
    assert end.code == 0 or outcome != "works", end.said


def two_folders_that_nobody_told(c: Computer) -> None:
    """A cuDNN that the loader links with cuBLAS; neither folder is searched."""
    c.driver(lab.RTX_4090)
    c.cuda()
    c.at("/etc/ld.so.conf.d/12.conf").unlink()
    folder = c.cudnn(OPT)
    blas = c.at(f"{CUDA}/lib64/libcublas.so.12")
    link = ("gcc", "-shared", "-fPIC", "-w", "-Wl,--no-as-needed")
    subprocess.run([*link, f"-Wl,-soname,{blas.name}", "-xc", "/dev/null", "-o", blas], check=True)
    source = ("-DMAJOR=9", "-Wl,-soname,libcudnn.so.9", lab.HERE / "cudnn_stub.c", "-lm", blas)
    subprocess.run([*link, "-o", folder / "libcudnn.so.9.10.2", *source], check=True)


def test_cublas_comes_for_a_cudnn_that_is_put_first_with_it(tmp_path: Path) -> None:
    """The toolkit lost it: another cuDNN would bring none, because there is a toolkit."""

    def planted(c: Computer) -> None:
        c.driver(lab.RTX_4090)
        c.cuda()
        c.cudnn(OPT)
        for file in c.at(f"{CUDA}/lib64").glob("libcublas*"):
            file.unlink()

    end = fixed(tmp_path, Case(planted, "broken"))
    assert [s["product"] for s in end.steps if s["type"] == "install-archive"] == ["libcublas"]
    assert end.code == 0, end.said
    assert f"+ {OPT}" in end.said


def test_a_second_fault_is_mended_with_the_first(tmp_path: Path) -> None:
    end = fixed(tmp_path, Case(two_folders_that_nobody_told, "broken"))
    assert end.code == 0, end.said
    assert end.rehearsal["outcome"] == "works"
    assert end.rehearsal["also"]
    (step,) = end.steps
    assert len(step["after"]["text"].split(":")) == 2, end.said
    assert "one more thing" in end.said


def test_a_second_fault_that_an_experiment_shows_is_mended_with_the_first(tmp_path: Path) -> None:
    def planted(c: Computer) -> None:
        c.driver(lab.RTX_4090)
        linked_torch(c)
        c.at(f"{OWN}/libcudnn_ops.so.9").unlink()
        c.write("/home/person/code/torch/__init__.py", "raise RuntimeError('a stray torch')\n")
        c.write("/home/person/.bashrc", "export PYTHONPATH=/home/person/code\n")

    variables = {"VIRTUAL_ENV": VENV, "PYTHONPATH": "/home/person/code"}
    end = fixed(tmp_path, Case(planted, "broken", variables=variables))
    assert end.code == 0, end.said
    assert "PYTHONPATH (your account)" in end.said


@needs.programs("uv")
def test_a_package_comes_back_by_uv_after_it_was_tried(tmp_path: Path) -> None:
    """An environment of uv's has no pip: its shadow and the environment itself are uv's to fill."""
    one = Case(files_that_another_package_took_along, "broken", variables={"VIRTUAL_ENV": VENV})
    end = fixed(tmp_path, one, by_uv=True)
    assert [step["type"] for step in end.steps] == ["install-package"], end.said
    assert "Tried with these changes: " in end.said
    assert end.code == 0, end.said
