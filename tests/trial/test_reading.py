"""Pure parts of the watcher and the child: noise, surroundings, mapped files, how ends are read."""

from __future__ import annotations

import os

import pytest

from cudnn_assistant.child import channel, cudnn, loading, mapped
from cudnn_assistant.probe.running.children import Ended
from cudnn_assistant.probe.trials import child_environment, endings
from cudnn_assistant.probe.trials.endings import classify, main_names
from cudnn_assistant.probe.trials.trial import as_trial


@pytest.mark.parametrize(
    ("number", "text"),
    [(7605, "7.6.5"), (8907, "8.9.7"), (90100, "9.1.0"), (91002, "9.10.2"), (100000, "10.0.0")],
)
def test_versions(number, text):
    assert cudnn.dotted(number) == text


@pytest.mark.parametrize(
    ("number", "text"), [(12090, "12.9"), (10020, "10.2"), (13000, "13.0"), (0, "")]
)
def test_cuda_versions(number, text):
    assert cudnn.dotted_cuda(number) == text


@pytest.mark.parametrize(
    ("printed", "missing"),
    [
        (
            ("Could not load library libcudnn_cnn_infer.so.8. Error: libcudnn_cnn_infer.so.8: "
            "cannot open shared object file: No such file or directory"),
            "libcudnn_cnn_infer.so.8",
        ),
        (
            ("Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open "
            "shared object file: No such file or directory"),
            "libcuda.so",
        ),
        (
            ("Unable to load any of {libcudnn_graph.so.9.1.0, libcudnn_graph.so.9.1, "
            "libcudnn_graph.so.9, libcudnn_graph.so}"),
            "libcudnn_graph.so.9",
        ),
        (
            "Could not locate cudnn_ops64_9.dll. Please make sure it is in your library path!",
            "cudnn_ops64_9.dll",
        ),
        (
            "Could not locate zlibwapi.dll. Please make sure it is in your library path!",
            "zlibwapi.dll",
        ),
        ("Could not load library cudnn_cnn64_8.dll. Error code 126", "cudnn_cnn64_8.dll"),
        # There, but of another architecture: not missing.
        ("Could not load library zlibwapi.dll. Error code 193", ""),
        (
            ("Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open "
            "shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda"),
            "libcudnn.so.8",
        ),
        ("libcudnn_ops.so.9: cannot open shared object file: Permission denied", ""),
        ("all is well", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_what_the_noise_says_is_missing(printed, missing):
    assert endings.missing_library(printed) == missing


@pytest.mark.parametrize(
    ("symbol", "part"),
    [
        ("cudnnGetVersion", "graph"),
        ("cudnnCreate", "graph"),
        ("cudnnCnnVersionCheck", "cnn"),
        ("cudnnOpsVersionCheck", "ops"),
    ],
)
def test_the_part_behind_a_symbol(symbol, part):
    assert endings.part_asked_for(f"Invalid handle. Cannot load symbol {symbol}\n") == part
    assert endings.part_asked_for("quiet") == ""


@pytest.mark.parametrize(
    ("family", "symbol", "missing"),
    [
        ("linux", "cublasLtCreate", "libcublasLt.so.13"),
        ("linux", "cublasCreate_v2", "libcublas.so.13"),
        ("windows", "cublasLtGetVersion", "cublasLt64_13.dll"),
    ],
)
def test_an_abort_without_cublas_names_its_file(family, symbol, missing):
    """As cuDNN 9.14 and 9.19 ended on an H100 whose cuBLAS was taken away."""
    output = f"Invalid handle. Cannot load symbol {symbol}\n"
    ended = Ended(({"stage": "convolution", "cuda": "13.0"},), -6, False, output, 1.0, 2.0)
    known = classify(ended, family)
    assert (known["status"], known["missing"]) == ("missing-library", missing)


def test_the_loaders_own_words():
    said = "libnvrtc.so.12: cannot open shared object file: No such file or directory"
    assert loading.missing_file(said) == "libnvrtc.so.12"
    assert loading.missing_file("/a/b/libcudnn.so.9: file too short") == ""


MAPS = """\
7f00-7f01 r-xp 00000000 08:01 42                         /usr/lib/x86_64-linux-gnu/libc.so.6
7f02-7f03 r-xp 00000000 08:01 43                         /opt/with space/libcudnn.so.9
7f03-7f04 r--p 00000000 08:01 43                         /opt/with space/libcudnn.so.9
7f04-7f05 r-xp 00000000 08:01 44                         /opt/libcudnn_graph.so.9.1.0 (deleted)
7f05-7f06 r-xp 00000000 08:01 45                         /opt/new\\012line/libcublasLt.so.12
7f06-7f07 rw-p 00000000 00:00 0                          [heap]
7f07-7f08 rw-p 00000000 00:00 0
"""


def test_mapped_files():
    paths = mapped.paths_of_maps(MAPS)
    assert mapped.interesting(paths) == [
        "/opt/with space/libcudnn.so.9",
        "/opt/libcudnn_graph.so.9.1.0",
        "/opt/new\nline/libcublasLt.so.12",
    ]
    assert len(mapped.of_cudnn(paths)) == 2


def test_no_core_whatever_the_limit_was():
    assert channel.core_limits((0, 0)) == (0, 0)
    assert channel.core_limits((-1, -1)) == channel.core_limits((0, 4096)) == (1, 1)


# -- surroundings ---------------------------------------------------------------------------------


def test_one_copy_alone_keeps_the_drivers_folder(tmp_path):
    driver, other, own = tmp_path / "driver", tmp_path / "other", tmp_path / "own"
    for folder, file in ((driver, "libcuda.so.1"), (other, "libcudnn.so.9"), (own, "x")):
        folder.mkdir()
        (folder / file).touch()
    person = {"LD_LIBRARY_PATH": f"{other}::{driver}", "LD_PRELOAD": "x.so", "A": "b"}
    alone, cuda_folders = child_environment.of_copy(person, "linux", str(own), [str(other)])
    assert alone == {"LD_LIBRARY_PATH": f"{own}:{driver}", "A": "b"}
    assert cuda_folders == []
    assert person["LD_PRELOAD"] == "x.so"


def test_companions_of_a_wheel_come_before_the_systems(tmp_path):
    own = tmp_path / "nvidia" / "cudnn" / "lib"
    cublas = tmp_path / "nvidia" / "cublas" / "lib"
    system = tmp_path / "cuda"
    for folder in (own, cublas, system):
        folder.mkdir(parents=True)
    alone, cuda_folders = child_environment.of_copy({}, "linux", str(own), [str(system)])
    assert alone["LD_LIBRARY_PATH"].split(":") == [str(own), str(cublas), str(system)]
    assert cuda_folders == [str(cublas), str(system)]


def test_windows_keeps_the_spelling_of_path(tmp_path):
    alone, _ = child_environment.of_copy({"Path": r"C:\Windows"}, "windows", str(tmp_path), [])
    assert alone == {"Path": rf"{tmp_path};C:\Windows"}


def test_a_gpu_of_its_own_unless_the_person_chose():
    assert child_environment.for_gpu({}, "GPU-1")["CUDA_VISIBLE_DEVICES"] == "GPU-1"
    chosen = {"CUDA_VISIBLE_DEVICES": "0"}
    assert child_environment.for_gpu(chosen, "GPU-1") == chosen
    assert child_environment.for_gpu({}, "1") == child_environment.for_gpu({}, "") == {}


def test_the_persons_own_wish_about_logs_stays():
    assert child_environment.talkative({"CUDNN_LOGLEVEL_DBG": "3"})["CUDNN_LOGLEVEL_DBG"] == "3"
    assert child_environment.talkative({})["CUDNN_LOGDEST_DBG"] == "stderr"


def test_names_by_family():
    assert main_names("linux") == ["libcudnn.so.9", "libcudnn.so.8", "libcudnn.so.7"]
    assert main_names("windows", 8) == ["cudnn64_8.dll"]


# -- how an end is read, for ends that this machine can't produce ---------------------------------


def ended(*lines, exit_code=0, timed_out=False, output=""):
    return Ended(lines, exit_code, timed_out, output, 1.0, 2.0)


def test_files_are_told_by_their_real_names(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "junction").symlink_to(tmp_path / "real")
    files = ("cudnn64_9.dll", "cudnn_ops64_9.dll")
    loaded, *_ = seen = [f"{tmp_path}/junction/{file}" for file in files]
    known = classify(ended({"status": "ok", "loaded": loaded, "mapped": seen}), "windows")
    trial = as_trial(known, ended(), subject="system")
    assert {os.path.dirname(p) for p in (trial.loaded, *trial.mapped)} == {f"{tmp_path}/real"}


@pytest.mark.parametrize(
    ("code", "name"),
    [(0xC0000005, "STATUS_ACCESS_VIOLATION"), (0xC0000409, "STATUS_STACK_BUFFER_OVERRUN")],
)
def test_windows_ends(code, name):
    known = classify(ended({"stage": "handle"}, exit_code=code), "windows")
    assert (known["status"], known["stage"], known["code_name"]) == ("crashed", "handle", name)


def test_a_process_that_nothing_can_end():
    known = classify(ended({"stage": "driver"}, exit_code=None, timed_out=True), "linux")
    assert (known["status"], known["stage"]) == ("timed-out", "driver")


def test_the_childs_own_deadline_counts_as_one():
    known = classify(ended({"stage": "load"}, exit_code=-14), "linux")
    assert known["status"] == "timed-out"


def test_a_dll_that_cudnn_for_windows_asks_for():
    """Beside the loaded library it is not, so it is missing; the person is told its name."""
    printed = "Could not locate cudnn_graph64_9.dll. Please make sure it is in your library path!"
    told = {"stage": "version", "loaded": "C:\\nowhere\\cudnn64_9.dll"}
    known = classify(ended(told, exit_code=0xC0000409, output=printed), "windows")
    assert (known["status"], known["missing"]) == ("missing-library", "cudnn_graph64_9.dll")


def test_lists_are_gathered_over_lines():
    lines = ({"checks": ["a"]}, {"checks": ["b"], "skipped": ["c"]}, {"status": "ok"})
    known = classify(ended(*lines), "linux")
    assert (known["checks"], known["skipped"]) == (["a", "b"], ["c"])
