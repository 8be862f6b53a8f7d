"""Data that knows more than this program: a new CUDA, GPU, driver and cuDNN need no new code."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest
from machines.computers import golden
from machines.parts import but

sys.path.insert(0, str(Path(__file__).parent.parent / "lab"))
import images

from cudnn_assistant import compat as asking
from cudnn_assistant.compat import (
    Compat,
    CudnnBuild,
    CudnnRelease,
    File,
    load_builtin,
    recommend,
)
from cudnn_assistant.compat.facts import Architecture, CudnnParts, DriverBranch, DriverFloor
from cudnn_assistant.diagnose import Context, diagnose
from cudnn_assistant.diagnose.remedies import cuda_majors
from cudnn_assistant.explain import explain
from cudnn_assistant.feed import Source
from cudnn_assistant.machine import CudnnCopy, Machine, dump, load
from cudnn_assistant.plan.steps import InstallArchive
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import copies
from cudnn_assistant.probe.libraries.folders import Candidate
from cudnn_assistant.probe.libraries.owners import Records
from cudnn_assistant.probe.running.children import Ended
from cudnn_assistant.probe.trials.endings import classify, main_names
from cudnn_assistant.probe.trials.part_checks import part_lists
from cudnn_assistant.session import LookRequest, Session, think

SITE = "https://developer.download.nvidia.com/compute/cudnn/redist/cudnn"
PARTS = ("graph", "ops", "fusion")


@pytest.fixture(scope="module")
def tomorrow() -> Compat:
    """The data of a day on which CUDA 14, Feynman and cuDNN 10 are out."""
    today = load_builtin()
    file = File(platform="linux-x86_64", url=f"{SITE}/ten.tar.xz", sha256="a" * 64, size=1 << 20)
    ten = CudnnBuild(
        version="10.0.0", full="10.0.0.5", cuda="14", compute_min="8.0", compute_max="14.0",
        driver_min_linux="650.10", driver_min_windows="650.20", files=(file,),
    )  # fmt: skip
    forged = msgspec.structs.replace(
        today,
        version=today.version + 1,
        architectures=(
            *today.architectures,
            Architecture(
                compute="14.0", name="Feynman", first_cuda="14.0", last_cuda="ongoing",
                first_driver="650", last_driver="ongoing", first_cudnn="10.0.0",
                last_cudnn="ongoing", kernel_module="open",
            ),
        ),
        branches=(
            *today.branches,
            DriverBranch(branch=650, cuda="14.0", linux="650.10", windows="650.20"),
        ),
        floors=(*today.floors, DriverFloor(cuda="14", linux="650.10", windows="650.20")),
        cudnns=(*today.cudnns, CudnnRelease(version="10.0.0", full="10.0.0.5", builds=(ten,))),
        parts=(
            *today.parts,
            CudnnParts(
                first="10", last="10", linux=PARTS, windows=PARTS, needed=("graph", "fusion"),
                jit=("graph",), checks=("fusion", "graph"), cublas=("ops",),
            ),
        ),
        gpus={**today.gpus, "geforce rtx 9090": "14.0"},
    )  # fmt: skip
    return asking.decode(msgspec.json.encode(forged))


@pytest.fixture
def machine() -> Machine:
    """A computer with the new GPU and its driver, and nothing else."""
    seen = golden("linux-cudnn-missing")
    assert seen.driver is not None
    seen = load(dump(seen).replace(seen.driver.version.encode(), b"650.33"))
    assert seen.driver is not None
    gpu = but(seen.gpus[0], name="NVIDIA GeForce RTX 9090", compute="14.0", pci_id="")
    return but(seen, gpus=(gpu,), driver=but(seen.driver, cuda="14.0"))


def test_the_questions(tomorrow: Compat) -> None:
    assert asking.cuda_majors(tomorrow, "14.0") == (14, 13, 12, 11)
    assert asking.cuda_majors(tomorrow, "14.0", "14.0") == (14,)
    assert asking.cuda_majors(load_builtin(), "14.0") == (13, 12, 11)
    assert asking.gpu_compute(tomorrow, "2x RTX9090 64GB") == "14.0"
    assert asking.usual_cudnn(tomorrow, "14.0") == 10
    assert asking.usual_cudnn(tomorrow, "7.0") == 9
    assert asking.parts_of(tomorrow.parts, 10).always("linux") == PARTS
    assert asking.driver_knows(tomorrow, "615.1", "14.0") is False
    assert asking.driver_knows(tomorrow, "650.33", "14.0") is True


def test_diagnosis_plan_and_recommendation(tomorrow: Compat, machine: Machine) -> None:
    assert cuda_majors(Context(machine, tomorrow)) == (14,)
    seen = think(machine, tomorrow)
    assert [f.code for f in seen.findings if f.severity == "error"] == ["cudnn-missing"]
    steps = [one for one in seen.plan.steps if isinstance(one, InstallArchive)]
    assert ("cuDNN", "10.0.0", 14) in [(one.product, one.version, one.cuda_major) for one in steps]
    advice = recommend(machine, tomorrow)
    assert advice.cudnn is not None
    assert (advice.cudnn.version, advice.cudnn.cuda_major) == ("10.0.0", 14)


def test_a_driver_of_before_the_gpu(tomorrow: Compat, machine: Machine) -> None:
    assert machine.driver is not None
    old = but(machine, driver=but(machine.driver, version="615.10", cuda="13.4"))
    assert cuda_majors(Context(old, tomorrow)) == ()
    advice = recommend(old, tomorrow)
    assert advice.driver is not None
    assert (advice.driver.minimum, advice.driver.enough) == ("650.10", False)


def test_explain(tomorrow: Compat) -> None:
    text = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
    given = {"gpu": "RTX 9090", "driver": "615.10", "cuda": "13.4"}
    because = {line for cause in explain(text, given=given, compat=tomorrow).causes
               for line in cause.because}  # fmt: skip
    assert any("newer than CUDA 13.4" in line for line in because)
    told = {line for cause in explain(text, given=given).causes for line in cause.because}
    assert not any("newer than CUDA 13.4" in line for line in told)


def _ten(folder: Path, *names: str) -> Path:
    """Files of a cuDNN 10 below ``folder``."""
    return images.put(folder / "opt/ten/lib", *(f"lib{name}.so.10" for name in names))


def _look(folder: Path, data: Compat) -> tuple[CudnnCopy, ...]:
    disk = Disk("linux", str(folder))
    folders = copies.open_folders(disk, [Candidate("/opt/ten/lib", "default")])
    return copies.copies(disk, folders, {}, Records(disk), data.parts)


def _states(copy: CudnnCopy) -> dict[str, str]:
    return {part.name: part.state for part in copy.parts}


def test_the_look_knows_the_parts_of_another_cudnn(tomorrow: Compat, tmp_path: Path) -> None:
    _ten(tmp_path, "cudnn", "cudnn_graph", "cudnn_ops")
    (copy,) = _look(tmp_path, tomorrow)
    assert (copy.major, copy.flavour) == (10, "full")
    assert _states(copy) == {"cudnn": "ok", "graph": "ok", "ops": "ok", "fusion": "missing"}
    (today,) = _look(tmp_path, load_builtin())
    assert not today.damaged, "what a later cuDNN needs isn't known today"


def test_parts_alone_are_a_copy_without_its_main_library(tomorrow: Compat, tmp_path: Path) -> None:
    _ten(tmp_path, "cudnn_graph", "cudnn_ops", "cudnn_fusion")
    (copy,) = _look(tmp_path, tomorrow)
    assert _states(copy)["cudnn"] == "missing"
    assert not _look(tmp_path, load_builtin())


@pytest.mark.parametrize(("lost", "severity"), [("fusion", "error"), ("ops", "warning")])
def test_integrity_knows_what_a_convolution_needs(
    tomorrow: Compat, machine: Machine, tmp_path: Path, lost: str, severity: str
) -> None:
    _ten(tmp_path, "cudnn", *(f"cudnn_{part}" for part in PARTS if part != lost))
    (copy,) = _look(tmp_path, tomorrow)
    found = diagnose(but(machine, cudnns=(copy,), trials=()), tomorrow)
    told = {f.code: f.severity for f in found}
    assert told["cudnn-part-missing"] == severity


def test_the_test_asks_for_the_new_names_and_checks(tomorrow: Compat, tmp_path: Path) -> None:
    assert main_names("linux", table=tomorrow.parts)[0] == "libcudnn.so.10"
    assert part_lists(tomorrow.parts)["10"] == {
        "checks": {"cudnnFusionVersionCheck": "fusion", "cudnnGraphVersionCheck": "graph"},
        "needed": ("graph", "fusion"),
        "jit": ("graph",),
        "beyond_jit": ("ops", "fusion"),
    }
    folder = _ten(tmp_path, "cudnn", "cudnn_graph", "cudnn_ops")
    line = {"stage": "handle", "status": "status-code", "code": 1008, "api": "cudnn",
            "loaded": str(folder / "libcudnn.so.10")}  # fmt: skip
    ended = Ended((line,), 0, timed_out=False, output="", started=1, milliseconds=2)
    assert classify(ended, "linux", tomorrow.parts)["missing"] == "libcudnn_fusion.so.10"


def test_a_check_looks_with_the_data_that_it_judges_by(tomorrow: Compat) -> None:
    asked: list[LookRequest] = []

    def look(_system: object, request: LookRequest, *_: object) -> Machine:
        asked.append(request)
        return golden("linux-cudnn-missing")

    source = Source(kind="saved", version=tomorrow.version, published=tomorrow.published)
    Session(look=look, fetch=lambda *_a, **_k: (tomorrow, source)).check()
    assert asked[0].parts == tomorrow.parts
