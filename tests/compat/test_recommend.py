"""Recommendations for situations that were checked by hand against the published tables."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import pytest
from machines.computers import golden

from cudnn_assistant import compat as ask
from cudnn_assistant.compat import (
    Recommendation,
    Situation,
    recommend,
    recommend_for,
    situation,
)
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import (
    SYSTEM,
    CudnnCopy,
    Driver,
    Framework,
    Gap,
    Gpu,
    Library,
    Machine,
    OperatingSystem,
    Part,
    PythonEnvironment,
    Toolkit,
)
from cudnn_assistant.session.imagined import Imagined, imagine
from cudnn_assistant.wording.recommendation import reason

DATA = load_builtin()


def advise(**facts: Any) -> Recommendation:
    """A recommendation for an imagined computer; what isn't said is ordinary."""
    if facts.get("family") == "windows":
        facts = {"platform": "windows-x86_64", "driver_family": "windows", **facts}
    family = facts.get("driver_family", "linux")
    facts.setdefault("cuda", ask.cuda_of_driver(DATA, facts.get("driver", ""), family))
    facts.setdefault("has_driver", bool(facts["driver"]) if "driver" in facts else None)
    return recommend_for(Situation(**facts), DATA)


class Row(NamedTuple):
    """A line of a published table: framework release, and what it must lead to."""

    framework: str
    version: str
    family: str
    python: str
    compute: str
    driver: str
    cudnn: str
    """Series that the recommended cuDNN must be of; "" for none of ours."""
    cuda: str
    """CUDA that it is for: a major, or a release."""
    requirement: str
    index: str = ""


L, W = "linux", "windows"
TURING, AMPERE, ADA, PASCAL, VOLTA, BLACKWELL = "7.5", "8.6", "8.9", "6.1", "7.0", "12.0"
NEW, NEW_W = "580.65.06", "581.15"

# TensorFlow: "tested build configurations", GPU, Linux and Windows. cuDNN 7.4 has no known build
# any more; 7.6 for the same CUDA keeps its interface.
TENSORFLOW = [
    Row("tensorflow", "1.12.0", L, "3.6", VOLTA, NEW, "7.6", "9.0", "tensorflow-gpu==1.12.0"),
    Row("tensorflow", "1.13.1", L, "3.7", TURING, NEW, "7.6", "10.0", "tensorflow-gpu==1.13.1"),
    Row("tensorflow", "1.15.0", L, "3.7", TURING, NEW, "7.6", "10.0", "tensorflow-gpu==1.15.0"),
    Row("tensorflow", "2.0.0", L, "3.7", TURING, NEW, "7.6", "10.0", "tensorflow-gpu==2.0.0"),
    Row("tensorflow", "2.1.0", L, "3.7", TURING, NEW, "7.6", "10.1", "tensorflow==2.1.0"),
    Row("tensorflow", "2.2.0", L, "3.8", TURING, NEW, "7.6", "10.1", "tensorflow==2.2.0"),
    Row("tensorflow", "2.3.0", L, "3.8", TURING, NEW, "7.6", "10.1", "tensorflow==2.3.0"),
    Row("tensorflow", "2.4.0", L, "3.8", AMPERE, NEW, "8.0", "11.0", "tensorflow==2.4.0"),
    Row("tensorflow", "2.5.0", L, "3.9", AMPERE, NEW, "8.1", "11.2", "tensorflow==2.5.0"),
    Row("tensorflow", "2.6.0", L, "3.9", AMPERE, NEW, "8.1", "11.2", "tensorflow==2.6.0"),
    Row("tensorflow", "2.7.0", L, "3.9", AMPERE, NEW, "8.1", "11.2", "tensorflow==2.7.0"),
    Row("tensorflow", "2.8.0", L, "3.10", AMPERE, NEW, "8.1", "11.2", "tensorflow==2.8.0"),
    Row("tensorflow", "2.9.0", L, "3.10", AMPERE, NEW, "8.1", "11.2", "tensorflow==2.9.0"),
    Row("tensorflow", "2.10.0", L, "3.10", AMPERE, NEW, "8.1", "11.2", "tensorflow==2.10.0"),
    Row("tensorflow", "2.11.0", L, "3.10", AMPERE, NEW, "8.1", "11.2", "tensorflow==2.11.0"),
    Row("tensorflow", "2.12.0", L, "3.11", AMPERE, NEW, "8.6", "11", "tensorflow==2.12.0"),
    Row("tensorflow", "2.13.0", L, "3.11", AMPERE, NEW, "8.6", "11", "tensorflow==2.13.0"),
    Row("tensorflow", "2.14.1", L, "3.11", ADA, NEW, "8.7", "11", "tensorflow[and-cuda]==2.14.1"),
    Row("tensorflow", "2.15.1", L, "3.11", ADA, NEW, "8.9.4", "12", "tensorflow[and-cuda]==2.15.1"),
    Row("tensorflow", "2.16.2", L, "3.12", ADA, NEW, "8.9.7", "12", "tensorflow[and-cuda]==2.16.2"),
    Row("tensorflow", "2.17.1", L, "3.12", ADA, NEW, "8.9.7", "12", "tensorflow[and-cuda]==2.17.1"),
    Row("tensorflow", "2.18.1", L, "3.12", ADA, NEW, "9.3", "12", "tensorflow[and-cuda]==2.18.1"),
    Row("tensorflow", "2.19.1", L, "3.12", ADA, NEW, "9.3", "12", "tensorflow[and-cuda]==2.19.1"),
    Row("tensorflow", "2.20.0", L, "3.13", PASCAL, NEW, "9.10.2", "12",
        "tensorflow[and-cuda]==2.20.0"),
    Row("tensorflow", "1.15.0", W, "3.7", TURING, NEW_W, "7.6", "10.0", "tensorflow-gpu==1.15.0"),
    Row("tensorflow", "2.1.0", W, "3.7", TURING, NEW_W, "7.6", "10.1", "tensorflow==2.1.0"),
    Row("tensorflow", "2.3.0", W, "3.8", TURING, NEW_W, "7.6", "10.1", "tensorflow==2.3.0"),
    Row("tensorflow", "2.4.0", W, "3.8", AMPERE, NEW_W, "8.0", "11.0", "tensorflow==2.4.0"),
    Row("tensorflow", "2.5.0", W, "3.9", AMPERE, NEW_W, "8.1", "11.2", "tensorflow==2.5.0"),
    Row("tensorflow", "2.8.0", W, "3.10", AMPERE, NEW_W, "8.1", "11.2", "tensorflow==2.8.0"),
    Row("tensorflow", "2.10.0", W, "3.10", AMPERE, NEW_W, "8.1", "11.2", "tensorflow==2.10.0"),
    Row("tensorflow", "2.10.1", W, "3.9", ADA, NEW_W, "8.1", "11.2", "tensorflow==2.10.1"),
]  # fmt: skip

# PyTorch: release compatibility matrix and metadata of the wheels.
TORCH = [
    Row("torch", "1.13.1", L, "3.10", AMPERE, NEW, "8.5", "11", "torch==1.13.1"),
    Row("torch", "2.0.1", L, "3.10", AMPERE, NEW, "8.5", "11", "torch==2.0.1"),
    Row("torch", "2.1.2", L, "3.10", AMPERE, NEW, "8.9.2", "12", "torch==2.1.2"),
    Row("torch", "2.3.1", L, "3.11", AMPERE, "470.256.02", "8.7", "11", "torch==2.3.1", "cu118"),
    Row("torch", "2.4.1", L, "3.12", ADA, NEW, "9.1", "12", "torch==2.4.1"),
    Row("torch", "2.5.1", L, "3.12", ADA, NEW, "9.1", "12", "torch==2.5.1"),
    Row("torch", "2.6.0", L, "3.12", ADA, "550.54.14", "9.1", "12", "torch==2.6.0"),
    Row("torch", "2.7.1", L, "3.12", BLACKWELL, NEW, "9.7.1", "12", "torch==2.7.1", "cu128"),
    Row("torch", "2.7.1", L, "3.12", PASCAL, "470.256.02", "9.1", "11", "torch==2.7.1", "cu118"),
    Row("torch", "2.8.0", L, "3.12", BLACKWELL, "570.211.01", "9.10.2", "12", "torch==2.8.0"),
    Row("torch", "2.8.0", L, "3.12", PASCAL, NEW, "9.10.2", "12", "torch==2.8.0", "cu126"),
    Row("torch", "2.9.1", L, "3.12", VOLTA, NEW, "9.10.2", "12", "torch==2.9.1"),
    Row("torch", "2.9.1", W, "3.12", BLACKWELL, "572.61", "9.10.2", "12", "torch==2.9.1", "cu128"),
    Row("torch", "2.11.0", L, "3.12", ADA, NEW, "9.19", "13", "torch==2.11.0"),
    Row("torch", "2.11.0", L, "3.12", PASCAL, NEW, "9.10.2", "12", "torch==2.11.0", "cu126"),
    Row("torch", "2.12.1", L, "3.12", TURING, NEW, "9.20", "13", "torch==2.12.1"),
    Row("torch", "2.14.1", L, "3.12", BLACKWELL, NEW, "9.24", "13", "torch==2.14.1"),
    Row("torch", "2.14.1", L, "3.12", VOLTA, NEW, "9.10.2", "12", "torch==2.14.1", "cu126"),
    Row("torch", "2.14.1", W, "3.12", ADA, NEW_W, "9.24", "13", "torch==2.14.1", "cu130"),
    Row("torch", "2.14.1", W, "3.12", ADA, "566.36", "9.10.2", "12", "torch==2.14.1", "cu126"),
]  # fmt: skip

# ONNX Runtime's requirements table, JAX's and CTranslate2's installation pages.
OTHERS = [
    Row("onnxruntime", "1.14", W, "3.9", AMPERE, NEW_W, "8.5", "11", "onnxruntime-gpu==1.14.1"),
    Row("onnxruntime", "1.18.1", L, "3.11", ADA, NEW, "8.9.7", "11", "onnxruntime-gpu==1.18.1"),
    Row("onnxruntime", "1.20.0", L, "3.12", ADA, "535.183.01", "9", "12",
        "onnxruntime-gpu==1.20.0"),
    Row("onnxruntime", "1.23.2", W, "3.12", ADA, "560.94", "9", "12",
        "onnxruntime-gpu[cuda,cudnn]==1.23.2"),
    Row("onnxruntime", "1.31.1", L, "3.12", ADA, NEW, "9", "13",
        "onnxruntime-gpu[cuda,cudnn]==1.31.1"),
    Row("onnxruntime", "1.26.0", L, "3.12", PASCAL, NEW, "9.10.2", "12",
        "onnxruntime-gpu[cuda,cudnn]==1.26.0"),
    Row("jax", "0.4.35", L, "3.12", PASCAL, NEW, "9.10.2", "12", "jax[cuda12]==0.4.35"),
    Row("jax", "0.9.0", L, "3.12", VOLTA, NEW, "9.10.2", "12", "jax[cuda12]==0.9.0"),
    Row("jax", "0.9.0", L, "3.12", ADA, NEW, "9", "13", "jax[cuda13]==0.9.0"),
    Row("jax", "0.9.0", L, "3.12", ADA, "550.54.14", "9", "12", "jax[cuda12]==0.9.0"),
    Row("ctranslate2", "3.24.0", L, "3.11", AMPERE, NEW, "8", "11", "ctranslate2==3.24.0"),
    Row("ctranslate2", "4.4.0", L, "3.11", AMPERE, NEW, "8.9.7", "12", "ctranslate2==4.4.0"),
    Row("ctranslate2", "4.5.0", W, "3.11", AMPERE, NEW_W, "9.1", "12", "ctranslate2==4.5.0"),
    Row("ctranslate2", "4.8.0", L, "3.11", AMPERE, NEW, "", "12", "ctranslate2==4.8.0"),
    Row("cupy", "14.0.1", L, "3.12", PASCAL, NEW, "", "12", "cupy-cuda12x[ctk]==14.0.1"),
    Row("cupy", "14.0.1", L, "3.12", ADA, NEW, "", "13", "cupy-cuda13x[ctk]==14.0.1"),
]  # fmt: skip


def _of_series(text: str, series: str) -> bool:
    return text == series or text.startswith(series + ".")


@pytest.mark.parametrize("row", TENSORFLOW + TORCH + OTHERS, ids=lambda row: "-".join(row[:6]))
def test_published_tables(row: Row) -> None:
    found = advise(
        computes=(row.compute,), driver=row.driver, family=row.family, python=row.python,
        framework=row.framework, framework_version=row.version,
    )  # fmt: skip
    assert found.possible is True
    assert found.framework is not None
    assert (found.framework.requirement, found.framework.index) == (row.requirement, row.index)
    if row.cudnn:
        assert found.cudnn is not None
        assert _of_series(found.cudnn.version, row.cudnn)
        assert found.cudnn.cuda == row.cuda if "." in row.cuda else True
        assert found.cudnn.cuda_major == int(row.cuda.split(".")[0])
    else:
        assert found.cudnn is None
    assert found.driver is not None
    assert found.driver.enough is True
    if "[ctk]" in row.requirement:
        assert found.toolkit is None
    if found.framework.found == "system" and found.cudnn is not None:
        assert found.cudnn.file is not None
        assert found.cudnn.file.sha256
        assert found.toolkit is not None
        assert found.toolkit.cuda_major == found.cudnn.cuda_major


# Programs that take cuDNN from the system: support matrices, driver tables, ends of life.
#  compute, driver, family, cuDNN, CUDA major, driver that is asked for
SYSTEMS = [
    (AMPERE, NEW, L, "9.28.0", 13, NEW),
    (AMPERE, "550.163.01", L, "9.28.0", 12, "525.60.13"),
    (AMPERE, "470.256.02", L, "9.10.2", 11, "455.23"),
    (TURING, NEW_W, W, "9.27.0", 13, "580.88"),
    (TURING, "551.61", W, "9.27.0", 12, "527.41"),
    (TURING, "472.50", W, "9.10.2", 11, "452.39"),
    (VOLTA, NEW, L, "9.10.2", 12, "525.60.13"),
    (PASCAL, NEW, L, "9.10.2", 12, "525.60.13"),
    (PASCAL, "470.256.02", L, "9.10.2", 11, "450.80.02"),
    (PASCAL, NEW_W, W, "9.10.2", 12, "527.41"),
    ("5.2", "535.183.01", L, "9.10.2", 12, "525.60.13"),
    ("3.5", "470.256.02", L, "8.7.0", 11, "450.80.02"),
    ("3.7", "470.256.02", L, "8.7.0", 11, "450.80.02"),
    ("3.0", "470.256.02", L, "8.4.0", 10, "440.33"),
    (BLACKWELL, "572.61", W, "9.27.0", 12, "570.65"),
    (BLACKWELL, NEW, L, "9.28.0", 13, NEW),
    ("9.0", "535.183.01", L, "9.28.0", 12, "525.60.13"),
    ("10.0", "570.211.01", L, "9.28.0", 12, "570.26"),
    ("12.1", NEW, L, "9.28.0", 13, NEW),
]


@pytest.mark.parametrize(("compute", "driver", "family", "cudnn", "major", "minimum"), SYSTEMS)
def test_the_system(
    compute: str, driver: str, family: str, cudnn: str, major: int, minimum: str
) -> None:
    found = advise(computes=(compute,), driver=driver, family=family)
    assert found.possible is True
    assert found.cudnn is not None
    assert (found.cudnn.version, found.cudnn.cuda_major) == (cudnn, major)
    assert found.driver is not None
    assert (found.driver.minimum, found.driver.enough) == (minimum, True)
    assert found.cudnn.file is not None
    assert found.cudnn.file.url.startswith("https://developer.download.nvidia.com/")
    assert (found.cudnn.file.platform.split("-")[0]) == family


def test_no_gpu_means_no_advice() -> None:
    found = advise(has_gpu=False)
    assert found.possible is False
    assert [reason.code for reason in found.unmet] == ["no-gpu"]
    assert found.cudnn is None
    assert found.driver is None


def test_a_gpu_older_than_every_cudnn() -> None:
    found = advise(computes=("2.1",), driver="390.157")
    assert found.possible is False
    assert [reason.code for reason in found.unmet] == ["gpu-too-old"]


@pytest.mark.parametrize(
    ("compute", "last", "minimum"),
    [("3.5", 470, "450.80.02"), (PASCAL, 580, "525.60.13"), (AMPERE, None, NEW)],
)
def test_without_a_driver_one_that_can_be_had_is_asked_for(
    compute: str, last: int | None, minimum: str
) -> None:
    found = advise(computes=(compute,), driver="", has_driver=False)
    assert found.possible is True
    assert found.driver is not None
    assert (found.driver.last_branch, found.driver.minimum) == (last, minimum)
    assert found.driver.enough is False
    assert found.driver.possible is True


def test_a_wish_that_no_driver_of_the_gpu_can_meet() -> None:
    found = advise(computes=("3.5",), driver="470.256.02", want_cuda="12")
    assert found.possible is False
    assert {reason.code for reason in found.unmet} & {"gpu-too-old", "wanted-cuda"}


def test_a_disputed_driver_floor_is_advised_in_its_stricter_form() -> None:
    found = advise(computes=(TURING,), driver="", has_driver=False, family=W, want_cuda="12")
    assert found.driver is not None
    assert (found.driver.minimum, found.driver.disputed) == ("528.33", True)
    assert "disputed" in {reason.code for reason in found.because}


def test_the_cuda_that_is_there_is_preferred() -> None:
    found = advise(computes=(AMPERE,), driver=NEW, toolkits=("12.4",))
    assert found.cudnn is not None
    assert found.cudnn.cuda_major == 12
    assert found.toolkit is not None
    assert (found.toolkit.present, found.toolkit.version) == ("12.4", "")
    assert "cuda-present" in {reason.code for reason in found.because}


def test_before_cuda_11_the_very_release_has_to_be_there() -> None:
    facts = {"computes": (TURING,), "driver": NEW_W, "family": W, "want_cudnn": "7"}
    found = advise(**facts, want_cuda="10", toolkits=("10.1",))
    assert found.cudnn is not None
    assert (found.cudnn.version, found.cudnn.cuda) == ("7.6.5", "10.1")
    assert found.toolkit is not None
    assert found.toolkit.present == "10.1"


def test_a_cuda_that_is_there_but_too_old_for_the_gpu_is_not_preferred() -> None:
    found = advise(computes=(BLACKWELL,), driver="570.211.01", toolkits=("12.1",))
    assert found.toolkit is not None
    assert found.toolkit.present == ""
    assert ask.at_least(found.toolkit.version, "12.8")


def test_the_libraries_are_offered_without_an_administrator() -> None:
    found = advise(computes=(PASCAL,), driver=NEW)
    assert found.toolkit is not None
    assert {one.name for one in found.toolkit.components} == {
        "libcublas", "cuda_nvrtc", "cuda_cudart",
    }  # fmt: skip
    assert all(
        len(one.files) == 1 and one.files[0].platform == "linux-x86_64"
        for one in found.toolkit.components
    )


@pytest.mark.parametrize(
    ("recorded", "version"), [("9.10.2", "9.10.2"), ("9.10.2.21", "9.10.2"), ("9.8.0.87", "9.8.0")]
)
def test_a_copy_that_is_there_is_kept(recorded: str, version: str) -> None:
    present = (
        CudnnCopy(
            file="libcudnn.so.9",
            major=9,
            package_version=recorded,
            cuda_major=12,
            folder="/opt/cudnn",
        ),
    )
    found = advise(computes=(AMPERE,), driver=NEW, cudnns=present, toolkits=("12.4",))
    assert found.cudnn is not None
    assert (found.cudnn.version, found.cudnn.folder) == (version, "/opt/cudnn")
    assert found.next_newer is None, "the next would do as well"


def test_mixed_gpus_get_what_serves_them_all() -> None:
    found = advise(computes=(PASCAL, AMPERE), driver=NEW)
    assert found.cudnn is not None
    assert found.cudnn.version == "9.10.2"
    assert found.unmet == ()


def test_where_nothing_serves_all_gpus_the_oldest_is_left_out_and_named() -> None:
    found = advise(computes=("3.5", BLACKWELL), driver=NEW)
    assert found.cudnn is not None
    assert found.cudnn.version == "9.28.0"
    assert [(reason.code, reason.about) for reason in found.unmet] == [("gpu-left-out", "3.5")]


# Wishes that can't be met


def test_tensorflow_2_15_on_windows_has_three_ways_out() -> None:
    found = advise(
        computes=(AMPERE,), driver=NEW_W, family=W, python="3.10",
        framework="tensorflow", framework_version="2.15",
    )  # fmt: skip
    assert found.possible is False
    assert [reason.code for reason in found.unmet] == ["no-gpu-build-on-windows"]
    ways = [
        (one.way, one.framework.requirement if one.framework else "") for one in found.alternatives
    ]
    assert ways[0] == ("wsl2", "tensorflow[and-cuda]==2.15.1")
    assert ways[1] == ("framework", "tensorflow==2.10.1")
    assert ways[2][1].startswith("torch==")


def test_what_is_older_than_a_gpu_has_not_dropped_it() -> None:
    wish = {"framework": "tensorflow", "framework_version": "1.4"}
    found = advise(computes=("7.0",), driver="470.256.02", **wish)
    assert {one.code for one in found.unmet} == {"gpu-too-new"}


def test_tensorflow_2_10_knows_no_blackwell() -> None:
    found = advise(
        computes=(BLACKWELL,), driver=NEW_W, family=W, python="3.10",
        framework="tensorflow", framework_version="2.10",
    )  # fmt: skip
    assert found.possible is False
    assert [reason.code for reason in found.unmet] == ["gpu-too-new"]
    assert [one.way for one in found.alternatives] == ["framework", "source-build", "other-gpu"]


@pytest.mark.parametrize("wish", [{"framework_version": "2.15"}, {"framework_allowed": "<2.16"}])
def test_a_python_that_the_framework_does_not_know(wish: dict[str, str]) -> None:
    found = advise(computes=(AMPERE,), driver=NEW, python="3.13", framework="tensorflow", **wish)
    assert found.possible is False
    assert found.unmet[0].code == "python-not-supported"
    prices = {one.price: one.framework for one in found.alternatives}
    python, release = prices["another-python"], prices["another-release"]
    assert python is not None
    assert python.version == "2.15.1"
    assert release is not None
    assert release.version.startswith("2.2")
    assert prices["another-framework"] is not None


def test_a_release_that_cannot_be_installed_is_named() -> None:
    found = advise(
        computes=(AMPERE,), driver=NEW, python="3.12",
        framework="onnxruntime", framework_version="1.27.0",
    )  # fmt: skip
    assert found.possible is False
    assert [reason.code for reason in found.unmet] == ["known-bad"]


def test_an_unknown_framework_stays_unknown() -> None:
    found = advise(computes=(AMPERE,), driver=NEW, framework="caffe", framework_version="1.0")
    assert found.possible is None
    assert [reason.code for reason in found.unknown] == ["framework-unknown"]


def test_unknown_gpus_leave_the_question_open() -> None:
    found = advise(computes=(), unknown_gpus=("GeForce RTX 9090",), driver=NEW)
    assert found.possible is None
    assert ("gpu-unknown", "GeForce RTX 9090") in [(one.code, one.about) for one in found.unknown]


def test_an_unknown_driver_is_said() -> None:
    found = advise(computes=(AMPERE,), has_driver=None)
    assert "driver-unknown" in {reason.code for reason in found.unknown}
    assert found.driver is not None
    assert found.driver.enough is None


def test_what_was_ruled_out_and_by_what() -> None:
    found = advise(computes=(PASCAL,), driver="535.183.01")
    old = next(reason for reason in found.ruled_out if reason.code == "gpu-too-old")
    assert old.facts["compute"] == PASCAL


@pytest.mark.parametrize(
    ("about", "wish", "why"),
    [
        ({"computes": (PASCAL,), "driver": "580.65.06"}, "", "cuDNN 9.11.0 for CUDA 12"),
        # Of the same torch a build for CUDA 13 is none that is newer.
        (
            {"computes": ("7.0",), "driver": "580.65.06", "python": "3.12"},
            "torch",
            "torch 2.15.0 for",
        ),
        (
            {"computes": (AMPERE,), "driver": "580.65.06", "python": "3.9"},
            "torch",
            "torch 2.9.0 for",
        ),
        # torch 2.4 would run, its cuDNN doesn't.
        ({"computes": ("3.7",), "driver": "470.256.02", "python": "3.9"}, "torch", "cuDNN 9.1.0"),
    ],
)
def test_why_not_the_next_newer(about: dict[str, Any], wish: str, why: str) -> None:
    found = advise(**about, framework=wish)
    assert found.next_newer is not None
    assert str(found.next_newer.release).startswith(why)


def test_a_file_without_a_known_hash_is_never_chosen() -> None:
    found = advise(
        computes=(AMPERE,), driver=NEW_W, family=W, python="3.10",
        framework="tensorflow", framework_version="2.10",
    )  # fmt: skip
    assert found.cudnn is not None
    assert found.cudnn.full == "8.1.0.77"
    unproven = ask.cudnn_build(DATA, "8.1.1", 11)
    assert unproven is not None
    file = unproven.file("windows-x86_64")
    assert file is not None
    assert file.sha256 == ""


# From a computer to its situation


def computer(**changes: Any) -> Machine:
    """A Linux computer with one RTX 3060."""
    facts: dict[str, Any] = {
        "os": OperatingSystem(family="linux", architecture="x86_64"),
        "driver": Driver(version=NEW, cuda="13.0"),
        "gpus": (Gpu(name="NVIDIA GeForce RTX 3060", compute="8.6"),),
    }
    return Machine(**(facts | changes))


def test_a_computer_without_anything_gets_the_newest() -> None:
    found = recommend(computer(), DATA)
    assert found.subject == SYSTEM
    assert found.cudnn is not None
    assert (found.cudnn.version, found.cudnn.cuda_major) == ("9.28.0", 13)


def test_the_capability_is_found_by_name_or_pci_id() -> None:
    for gpu in (Gpu(name="NVIDIA GeForce GTX 1080 Ti"), Gpu(pci_id="10de:1b06")):
        found = recommend(computer(gpus=(gpu,)), DATA)
        assert found.cudnn is not None
        assert found.cudnn.version == "9.10.2"


def test_cublas_of_the_system_decides_the_cuda_major() -> None:
    library = Library(name="cublas", path="/usr/lib/libcublas.so.12", major=12)
    found = recommend(computer(libraries=(library,)), DATA)
    assert found.cudnn is not None
    assert found.cudnn.cuda_major == 12
    inside = Library(name="cublas", path="/venv/lib/nvidia/libcublas.so.12", major=12)
    environment = PythonEnvironment(id="/venv", kind="venv")
    other = recommend(computer(libraries=(inside,), pythons=(environment,)), DATA)
    assert other.cudnn is not None
    assert other.cudnn.cuda_major == 13
    toolkit = Toolkit(version="12.4.1", root="/usr/local/cuda-12.4")
    assert recommend(computer(toolkits=(toolkit,)), DATA).cudnn == found.cudnn


def test_an_environment_gets_advice_for_its_framework() -> None:
    environment = PythonEnvironment(
        id="/venv", version="3.12.4",
        frameworks=(Framework(name="torch", version="2.11.0+cu130", cuda="13.0", gpu=True),),
    )  # fmt: skip
    pascal = (Gpu(name="x", compute="6.1"),)
    found = recommend(computer(pythons=(environment,), gpus=pascal), DATA, "/venv")
    assert found.framework is not None
    assert (found.framework.index, found.framework.installed) == ("cu126", False)
    kept = recommend(computer(pythons=(environment,)), DATA, "/venv")
    assert kept.framework is not None
    assert kept.framework.installed is True


def test_what_is_installed_fits_its_python() -> None:
    """The published range is what was tested; an installed framework proves more than that."""
    environment = PythonEnvironment(
        id="/venv", version="3.10.4",
        frameworks=(Framework(name="tensorflow", version="2.3.0", cuda="10.1", gpu=True),),
    )  # fmt: skip
    turing = (Gpu(name="x", compute="7.5"),)
    found = recommend(computer(pythons=(environment,), gpus=turing), DATA, "/venv")
    assert found.possible is True
    assert found.cudnn is not None
    assert (found.cudnn.version, found.cudnn.cuda) == ("7.6.5", "10.1")


@pytest.mark.parametrize(
    ("name", "wish", "why"),
    [
        ("jetson-healthy", "torch", "come with JetPack, and PyTorch from NVIDIA"),
        ("alpine", "torch", "Alpine Linux v3.20 uses the C library musl"),
        ("alpine-without-cudnn", "", "Alpine Linux v3.20 uses the C library musl"),
    ],
)
def test_builds_for_ordinary_computers_are_not_for_all(name: str, wish: str, why: str) -> None:
    asked = imagine(Imagined(framework=wish), DATA, situation(golden(name), DATA))
    found = recommend_for(asked, DATA)
    assert (found.possible, found.framework, found.cudnn) == (False, None, None)
    assert why in reason(found.unmet[0])


def test_under_wsl_the_windows_driver_counts() -> None:
    system = OperatingSystem(family="linux", architecture="x86_64", wsl=2)
    found = recommend(computer(os=system, driver=Driver(version="551.61", cuda="12.4")), DATA)
    assert found.cudnn is not None
    assert found.cudnn.cuda_major == 12
    assert found.cudnn.file is not None
    assert found.cudnn.file.platform == "linux-x86_64"


@pytest.mark.parametrize(
    ("family", "architecture", "compute", "platform"),
    [
        ("linux", "aarch64", "12.1", "linux-sbsa"),
        ("linux", "aarch64", "8.7", "linux-aarch64"),
        ("windows", "x86_64", "8.6", "windows-x86_64"),
        ("windows", "aarch64", "12.1", "windows-arm64"),
    ],
)
def test_the_official_file_is_for_this_platform(
    family: Any, architecture: str, compute: str, platform: str
) -> None:
    system = OperatingSystem(family=family, architecture=architecture)
    machine = computer(os=system, gpus=(Gpu(compute=compute),), driver=Driver(version="616.41"))
    found = recommend(machine, DATA)
    assert found.cudnn is not None
    assert found.cudnn.file is not None
    assert found.cudnn.file.platform == platform


def test_a_gap_is_unknown_and_not_absent() -> None:
    blind = computer(
        gpus=(), driver=None, gaps=(Gap(what="gpu", why="x"), Gap(what="driver", why="x"))
    )
    found = recommend(blind, DATA)
    assert found.possible is None
    assert {reason.code for reason in found.unknown} >= {"gpu-unknown", "driver-unknown"}


def test_a_damaged_copy_does_not_count_as_there() -> None:
    damaged = CudnnCopy(
        folder="/opt/cudnn", file="libcudnn.so.9", major=9, file_version="9.10.2",
        cuda_major=13, parts=(Part(name="ops", file="libcudnn_ops.so.9", state="missing"),),
    )  # fmt: skip
    found = recommend(computer(cudnns=(damaged,)), DATA)
    assert found.cudnn is not None
    assert found.cudnn.folder == ""
    whole = CudnnCopy(
        folder="/opt/cudnn", file="libcudnn.so.9", major=9, file_version="9.12.0", cuda_major=13
    )
    kept = recommend(computer(cudnns=(whole,)), DATA)
    assert kept.cudnn is not None
    assert kept.cudnn.folder == "/opt/cudnn"
    foreign = msgspec.structs.replace(whole, architecture="aarch64")
    other = recommend(computer(cudnns=(foreign,)), DATA)
    assert other.cudnn is not None
    assert other.cudnn.folder == ""


def test_a_program_may_wish_a_major() -> None:
    here = situation(computer(), DATA, want_cudnn="8", want_cuda="11")
    found = recommend_for(here, DATA)
    assert found.cudnn is not None
    assert (found.cudnn.version, found.cudnn.cuda_major) == ("8.9.7", 11)
