"""Questions about drivers, CUDA and GPUs, with answers from NVIDIA's published tables."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudnn_assistant import compat as ask
from cudnn_assistant.compat import lookup, releases
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import Family

DATA = load_builtin()


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("580.65.06", (580, 65, 6)),
        ("9.8", (9, 8)),
        ("13.0.3", (13, 0, 3)),
        ("2.9.0+cu130", (2, 9)),
        ("v12.4", (12, 4)),
        ("R580", (580,)),
        (" 11.8 ", (11, 8)),
        ("13.0 (beta)", (13,)),
        ("8.9.7.29-1+cuda12.2", (8, 9, 7, 29)),
    ],
)
def test_versions_are_read_leniently(text: str, release: tuple[int, ...]) -> None:
    assert lookup.order(text) == release


@pytest.mark.parametrize("text", ["", "abc", "-", "N/A", "…"])
def test_what_is_no_version_is_none(text: str) -> None:
    assert lookup.order(text) == ()
    assert ask.at_least(text, "1") is None
    assert ask.at_least("1", text) is None


@given(st.text(max_size=30))
def test_no_text_upsets_it(text: str) -> None:
    lookup.order(text)
    ask.cuda_of_driver(DATA, text, "linux")
    ask.driver_floor(DATA, text, "windows")
    ask.last_driver_branch(DATA, text)
    ask.gpu_compute(DATA, text)
    ask.gpu_by_pci(DATA, text)
    releases.cudnn_release(DATA, text)
    ask.framework_needs(DATA, text, text, "linux")


def test_a_missing_third_number_counts_as_zero() -> None:
    assert ask.at_least("9.8.0", "9.8") is True
    assert ask.at_least("9.8", "9.8.0") is True
    assert ask.at_least("9.10", "9.8") is True


# cuda, floor on Linux, floor on Windows (CUDA release notes; cuDNN support matrices)
FLOORS = [
    ("13.3", "580.65.06", "580.88"),
    ("13.0.2", "580.65.06", "580.88"),
    ("12.9", "525.60.13", "527.41"),
    ("12", "525.60.13", "527.41"),
    ("11.8", "450.80.02", "452.39"),
    ("11.0", "450.80.02", "452.39"),
    ("10.2", "440.33", "441.22"),
    ("10.1.243", "418.39", "418.96"),
    ("10.1", "418.39", "418.96"),
    ("10.0", "410.48", "411.31"),
    ("10.0.130", "410.48", "411.31"),
    ("9.2", "396.26", "397.44"),
    ("9.2.148", "396.37", "398.26"),
    ("9.1", "390.46", "391.29"),
    ("9.0", "384.81", "385.54"),
    ("8.0", "367.48", "369.30"),
]


@pytest.mark.parametrize("text", ["x" * 2_000, "[" + "a" * 20_000])
def test_no_text_takes_long(text: str) -> None:
    began = time.thread_time()
    assert ask.gpu_compute(DATA, text) is None
    assert time.thread_time() - began < 0.5


@pytest.mark.parametrize(("cuda", "linux", "windows"), FLOORS)
def test_driver_floors(cuda: str, linux: str, windows: str) -> None:
    assert ask.driver_floor(DATA, cuda, "linux") == linux
    assert ask.driver_floor(DATA, cuda, "windows") == windows


def test_advice_takes_the_stricter_of_two_disputed_floors() -> None:
    assert ask.driver_floor(DATA, "12.4", "windows", safe=True) == "528.33"
    assert ask.driver_floor(DATA, "12.4", "linux", safe=True) == "525.60.13"


@pytest.mark.parametrize("cuda", ["", "14.0", "5.5", "nonsense"])
def test_an_unknown_cuda_has_no_floor(cuda: str) -> None:
    assert ask.driver_floor(DATA, cuda, "linux") == ""


# driver, family, highest CUDA it speaks (header of the driver's own tool, release notes)
SPOKEN: list[tuple[str, Family, str]] = [
    ("616.41", "windows", "13.4"),
    ("610.43.02", "linux", "13.3"),
    ("595.71.05", "linux", "13.2"),
    ("590.48.01", "linux", "13.1"),
    ("581.15", "windows", "13.0"),
    ("580.126.20", "linux", "13.0"),
    ("576.57", "windows", "12.9"),
    ("572.61", "windows", "12.8"),
    ("570.211.01", "linux", "12.8"),
    ("566.36", "windows", "12.7"),
    ("565.77", "linux", "12.7"),
    ("560.35.05", "linux", "12.6"),
    ("555.85", "windows", "12.5"),
    ("552.44", "windows", "12.4"),
    ("551.61", "windows", "12.4"),
    ("550.163.01", "linux", "12.4"),
    ("546.33", "windows", "12.3"),
    ("538.46", "windows", "12.2"),
    ("535.183.01", "linux", "12.2"),
    ("531.79", "windows", "12.1"),
    ("528.49", "windows", "12.0"),
    ("525.147.05", "linux", "12.0"),
    ("522.06", "windows", "11.8"),
    ("516.94", "windows", "11.7"),
    ("512.95", "windows", "11.6"),
    ("495.29.05", "linux", "11.5"),
    ("474.44", "windows", "11.4"),
    ("470.256.02", "linux", "11.4"),
    ("460.91.03", "linux", "11.2"),
    ("450.248.02", "linux", "11.0"),
    ("440.100", "linux", "10.2"),
    ("418.226.00", "linux", "10.1"),
    ("410.104", "linux", "10.0"),
    ("390.157", "linux", "9.1"),
    ("384.183", "linux", "9.0"),
    ("304.137", "linux", ""),
    ("", "linux", ""),
]


@pytest.mark.parametrize(("driver", "family", "cuda"), SPOKEN)
def test_cuda_of_a_driver(driver: str, family: Family, cuda: str) -> None:
    assert ask.cuda_of_driver(DATA, driver, family) == cuda


# capability, name, last driver branch, support ends, first CUDA, last CUDA
GPUS = [
    ("2.1", "Fermi", 390, True, "3.0", "8.0"),
    ("3.0", "Kepler", 470, True, "6.0", "10.2"),
    ("3.5", "Kepler", 470, True, "6.0", "11.8"),
    ("3.7", "Kepler", 470, True, "6.0", "11.8"),
    ("5.0", "Maxwell", 580, True, "6.5", "12.9"),
    ("6.1", "Pascal", 580, True, "8.0", "12.9"),
    ("7.0", "Volta", 580, True, "9.0", "12.9"),
    ("7.5", "Turing", None, False, "10.0", ""),
    ("8.6", "Ampere", None, False, "11.1", ""),
    ("8.9", "Ada", None, False, "11.8", ""),
    ("9.0", "Hopper", None, False, "11.8", ""),
    ("10.0", "Blackwell", None, False, "12.8", ""),
    ("12.0", "Blackwell", None, False, "12.8", ""),
]


@pytest.mark.parametrize(("compute", "name", "last", "ends", "first", "last_cuda"), GPUS)
def test_architectures(
    compute: str, name: str, last: int | None, ends: bool, first: str, last_cuda: str
) -> None:
    assert lookup.architecture(DATA, compute).name == name
    assert ask.last_driver_branch(DATA, compute) == last
    assert lookup.driver_possible(DATA, compute, "9999.1") is not ends
    assert (found := lookup.architecture(DATA, compute))
    assert found.first_cuda == first
    assert ask.last_cuda(DATA, compute) == last_cuda


@pytest.mark.parametrize("compute", ["", "99.0", "13.0"])
def test_an_unknown_gpu_is_unknown_not_supported(compute: str) -> None:
    assert ask.last_driver_branch(DATA, compute) is None
    assert lookup.driver_possible(DATA, compute, "580.65.06") is None


@pytest.mark.parametrize(
    ("compute", "driver", "possible"),
    [
        ("3.5", "470.256.02", True),
        ("3.5", "525.60.13", False),
        ("6.1", "580.65.06", True),
        ("6.1", "590.44.01", False),
        ("7.5", "610.43.02", True),
        ("12.0", "", None),
    ],
)
def test_which_driver_a_gpu_can_have(compute: str, driver: str, possible: bool | None) -> None:
    assert lookup.driver_possible(DATA, compute, driver) is possible


@pytest.mark.parametrize(
    ("name", "compute"),
    [
        ("NVIDIA GeForce RTX 3060", "8.6"),
        ("GeForce RTX 3060", "8.6"),
        ("nvidia  geforce gtx 1080 ti", "6.1"),
        ("RTX 3060", "8.6"),
        ("Tesla V100", "7.0"),
        ("Tesla V100-SXM2-16GB", "7.0"),
        ("NVIDIA A100-SXM4-80GB", "8.0"),
        ("NVIDIA H100 80GB HBM3", "9.0"),
        ("NVIDIA RTX A1000", "8.6"),
        ("NVIDIA GeForce RTX 4070 Laptop GPU", "8.9"),
        ("GeForce GTX 1060 with Max-Q Design", "6.1"),
        ("NVIDIA H100", "9.0"),
        ("GeForce RTX 5090", "12.0"),
        ("NVIDIA GeForce RTX(TM) 3080", "8.6"),
        ("GeForce 3090 RTX", "8.6"),
        ("RTX3O90", "8.6"),
        ("GTX 3090", "8.6"),
        ("RXT 2080 Ti", "7.5"),
        ("RTX 2060S", "7.5"),
        ("gtx1660s", "7.5"),
        ("RTX 4090D", "8.9"),
        ("8xH100", "9.0"),
        ("A100x4", "8.0"),
        ("RTX 4900", ""),
        ("GTX 6000", ""),
        ("GeForce GT 730", ""),
        ("Radeon RX 7900", ""),
        ("", ""),
    ],
)
def test_capability_by_name(name: str, compute: str) -> None:
    """A name that was sold with several chips (GT 730) has no answer."""
    assert (ask.gpu_compute(DATA, name) or "") == compute


@pytest.mark.parametrize(("text", "arm"), [("12.1", True), ("GH200", True), ("9.0", False)])
def test_which_gpus_come_with_an_arm_processor(text: str, arm: bool) -> None:
    assert ask.meant(DATA, text).arm is arm


@pytest.mark.parametrize(
    ("pci", "name", "compute", "architecture"),
    [
        ("10de:2684", "GeForce RTX 4090", "8.9", "Ada"),
        ("10DE:2684", "GeForce RTX 4090", "8.9", "Ada"),
        ("0x10de:0x2684", "GeForce RTX 4090", "8.9", "Ada"),
        ("10de:1b06", "GeForce GTX 1080 Ti", "6.1", "Pascal"),
        ("1002:2684", "", "", ""),
        ("10de:ffff", "", "", ""),
        ("", "", "", ""),
    ],
)
def test_gpus_by_pci_id(pci: str, name: str, compute: str, architecture: str) -> None:
    assert ask.gpu_by_pci(DATA, pci) == (name, compute)
    assert lookup.architecture(DATA, compute).name == architecture


# cuDNN, by its support matrices and release notes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("9.8", "9.8.0"),
        ("9.10", "9.10.2"),
        ("9.10.2.21", "9.10.2"),
        ("9.15.0.57", "9.15.0"),
        ("8", "8.9.7"),
        ("9.1", "9.1.1"),
        ("99", ""),
        ("", ""),
    ],
)
def test_releases_by_version(text: str, found: str) -> None:
    release = releases.cudnn_release(DATA, text)
    assert (release.version if release else "") == found


@pytest.mark.parametrize(
    ("version", "major", "linux", "windows", "low", "high", "zlib"),
    [
        ("9.17.0", 13, "580.65.06", "", "7.5", "12.0", False),
        ("9.17.0", 12, "525.60.13", "527.41", "7.5", "12.0", False),
        ("9.10.2", 12, "525.60.13", "527.41", "5.0", "12.0", False),
        ("9.10.2", 11, "450.80.02", "452.39", "5.0", "9.0", False),
        ("9.5.1", 12, "525.60.13", "527.41", "5.0", "9.0", False),
        ("9.1.1", 12, "525.60.13", "527.41", "5.0", "9.0", True),
        ("9.2.0", 12, "525.60.13", "527.41", "5.0", "9.0", False),
        ("8.9.7", 12, "525.60.13", "527.41", "5.0", "9.0", True),
        ("8.9.7", 11, "450.80.02", "452.39", "5.0", "9.0", True),
        ("8.3.0", 11, "450", "", "3.5", "", True),
        ("8.2.4", 11, "450", "", "3.5", "", False),
    ],
)
def test_support_matrices(
    version: str, major: int, linux: str, windows: str, low: str, high: str, zlib: bool
) -> None:
    build = ask.cudnn_build(DATA, version, major)
    assert build is not None
    assert (build.driver_min("linux"), build.driver_min("windows")) == (linux, windows)
    assert (build.compute_min, build.compute_max) == (low, high)
    assert build.needs_zlibwapi is zlib


def test_the_last_builds() -> None:
    assert ask.cudnn_build(DATA, "9.11.0", 11) is None
    assert ask.cudnn_build(DATA, "9.11.0", 13) is None
    assert ask.cudnn_build(DATA, "9.12.0", 13) is not None


def test_one_release_may_have_several_builds_for_a_major() -> None:
    newest = ask.cudnn_build(DATA, "7.6.5", 10)
    exact = ask.cudnn_build(DATA, "7.6.5", 10, "10.0.130")
    assert newest is not None
    assert exact is not None
    assert (newest.cuda, exact.cuda) == ("10.2", "10.0")


@pytest.mark.parametrize(
    ("version", "major", "compute", "runs"),
    [
        ("9.10.2", 12, "6.1", True),
        ("9.11.0", 12, "6.1", False),
        ("9.11.0", 12, "7.5", True),
        ("9.28.0", 13, "7.0", False),
        ("9.10.2", 12, "12.0", True),
        ("9.10.2", 11, "12.0", False),
        ("9.6.0", 12, "12.0", False),
        ("9.7.0", 12, "12.0", True),
        ("8.9.7", 12, "9.0", True),
        ("8.7.0", 11, "3.5", True),
        ("8.8.0", 11, "3.5", False),
        ("8.4.1", 10, "3.0", True),
        ("7.6.5", 10, "8.6", False),
        ("9.28.0", 13, "10.7", None),
        ("9.28.0", 13, "", None),
        ("9.28.0", 13, "99.0", None),
    ],
)
def test_which_gpu_a_build_runs_on(
    version: str, major: int, compute: str, runs: bool | None
) -> None:
    build = ask.cudnn_build(DATA, version, major)
    assert build is not None
    assert releases.build_runs_on(DATA, build, compute) is runs


def test_blackwell_needs_a_newer_driver_for_the_same_build() -> None:
    build = ask.cudnn_build(DATA, "9.10.2", 12)
    assert build is not None
    assert releases.build_driver_floor(DATA, build, "linux", ["8.9"]) == "525.60.13"
    assert releases.build_driver_floor(DATA, build, "linux", ["8.9", "12.0"]) == "570.26"
    assert releases.build_driver_floor(DATA, build, "windows", ["12.0"]) == "570.65"


# Frameworks


@pytest.mark.parametrize(
    ("name", "text", "family", "cuda", "cudnn"),
    [
        ("tensorflow", "2.10.1", "windows", "11.2", "8.1"),
        ("tensorflow-gpu", "2.3.0", "linux", "10.1", "7.6"),
        ("torch", "2.11.0", "linux", "13.0", "9.19.0.56"),
        ("PyTorch", "2.6.0", "linux", "12.4", "9.1.0.70"),
        ("onnxruntime-gpu", "1.20.0", "linux", "12", "9"),
        ("ctranslate2", "4.4.0", "linux", "12.2", "8.9.7.29"),
    ],
)
def test_what_a_framework_needs(
    name: str, text: str, family: Family, cuda: str, cudnn: str
) -> None:
    found = ask.framework_needs(DATA, name, text, family)
    assert found is not None
    assert (found.cuda, found.cudnn) == (cuda, cudnn)


def test_a_build_is_chosen_by_its_cuda() -> None:
    found = ask.framework_needs(DATA, "torch", "2.9.1", "linux", cuda="12.6")
    assert found is not None
    assert (found.index, found.cudnn) == ("cu126", "9.10.2.21")


def test_tensorflow_left_windows_after_2_10() -> None:
    found = ask.framework_needs(DATA, "tensorflow", "2.15.0", "windows")
    assert found is not None
    assert found.gpu is False


def test_an_unknown_framework_or_version_is_none() -> None:
    assert ask.framework_needs(DATA, "tensorflow", "9.9", "linux") is None
    assert ask.framework_needs(DATA, "caffe", "1.0", "linux") is None


@pytest.mark.parametrize(
    ("major", "family", "parts"),
    [(7, "linux", 0), (8, "windows", 6), (9, "linux", 7), (9, "windows", 7)],
)
def test_sub_libraries(major: int, family: Family, parts: int) -> None:
    assert len(ask.parts_of(DATA.parts, major).always(family)) == parts


def test_sub_libraries_of_an_unknown_series_are_those_of_the_newest() -> None:
    assert ask.parts_of(DATA.parts, 6) == ask.parts_of((), 99) == ask.parts_of(DATA.parts, 9)


@pytest.mark.parametrize(
    ("version", "cuda", "compute", "against"),
    [
        ("8.0.2", 10, "8.0", "gpu-too-new"),  # CUDA 10 has no code for it, whatever cuDNN has
        ("8.0.2", 11, "8.0", ""),
        ("8.0.2", 0, "8.0", ""),
        ("9.11.0", 12, "6.1", "gpu-too-old"),
        ("9.10.99", 12, "6.1", "gpu-too-old"),
        ("9", 12, "6.1", ""),
        ("9", 13, "6.1", "gpu-too-old"),
        ("9.10.2", 12, "", ""),
    ],
)
def test_what_stands_against_a_copy(version: str, cuda: int, compute: str, against: str) -> None:
    assert ask.cudnn_against_gpu(DATA, version, cuda, compute) == against


@pytest.mark.parametrize(
    ("there", "made", "serves"),
    [
        ("12.4", "12.8", True),
        ("12", "12.8", True),
        ("11.8", "12.1", False),
        ("10.1.243", "10.1", True),
        ("10.2", "10.1", False),
        ("10", "10.1", False),
        ("10.2", "10", True),
        ("12.4", "", False),
        ("", "12.4", False),
    ],
)
def test_before_11_a_cuda_serves_what_is_made_for_its_release_alone(
    there: str, made: str, serves: bool
) -> None:
    assert ask.serves_cuda(there, made) is serves
