"""Computers planted from the catalogue of causes, row by row: what was answered wrongly once.

Real trees as in test_computers.py. Those whose facts alone matter stand in machines/by_cause.py.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import computer
import driver as lab
import images
import importable
from cases import Case, collector
from computer import KERNEL, SYSTEM
from test_adversary import OPT, elsewhere, onnxruntime_that_runs, records
from test_computers import SITE, VENV, venv
from test_further import cublas_by_record
from test_planted import BLACKWELL

CASES: dict[str, Case] = {}
CUBLAS = f"{SITE}/nvidia/cublas/lib"


case = collector(CASES)


# The driver


@case("broken", "error gpu-needs-open-module")
def closed_module_and_no_word_in_the_log(c):
    c.cuda()
    c.cudnn()
    c.kernel("580.65.06", BLACKWELL)
    said = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06\n"
    c.write("/proc/driver/nvidia/version", said)
    lab.write(c.at(SYSTEM), cu_init=100, gpus=0)


@case("broken", "error gpu-dropped-by-driver")
def old_gpu_that_the_driver_ignored_and_left(c):
    old = {**lab.RTX_4090, "name": "NVIDIA GeForce GTX 680", "device": 0x1180, "compute": 30}
    lab.write(c.at(SYSTEM), nvml_init=9, cu_init=100)
    c.bus(old)
    c.write(f"/lib/modules/{KERNEL}/updates/dkms/nvidia.ko")
    said = (
        "NVRM: The NVIDIA GeForce GTX 680 GPU installed in this system is",
        "NVRM:  supported through the NVIDIA 470.xx Legacy drivers. Please visit",
        "NVRM:  nvidia.com.  The 535.183.01 NVIDIA driver will ignore",
        "NVRM:  this GPU.  Continuing probe...",
        "NVRM: No NVIDIA GPU found.",
    )
    c.write("/dev/kmsg", "".join(f"4,{n},1,-;{line}\n" for n, line in enumerate(said)))


@case("works", "warning driver-monitor-missing")
def library_of_nvidia_smi_gone(c):
    c.healthy()
    c.at(f"{SYSTEM}/libnvidia-ml.so.1").unlink()


@case("broken", "error device-permission-container")
def container_that_lost_its_gpu(c):
    c.healthy()
    c.write("/.dockerenv")
    c.driver(lab.RTX_4090, nvml_init=999, cu_init=100)


@case("broken", "error sandbox-hides-gpu")
def flatpak_without_unified_memory(c):
    c.healthy()
    c.write("/.flatpak-info", "[Application]\nname=x\n")
    c.driver(lab.RTX_4090, cu_init=999)
    c.at("/dev/nvidia-uvm").unlink()


# CUDA's libraries


@case("broken", "error cuda-missing", STUB_CUDNN_DAY="cudnnCreate:abort")
def toolkit_that_lost_a_half_of_cublas(c):
    c.healthy()
    c.at("/usr/local/cuda-12.9/lib64/libcublasLt.so.12").unlink()


def ctranslate2(c):
    c.driver(lab.RTX_4090)
    records(c, "ctranslate2-4.8.1", "nvidia_cublas_cu12-12.8.4.1")
    images.put(c.at(CUBLAS), "libcublas.so.12", "libcublasLt.so.12")


@case("broken", f"error cublas-not-searched {VENV}", VIRTUAL_ENV=VENV)
def package_of_cublas_that_ctranslate2_does_not_find(c):
    ctranslate2(c)


@case("unknown", VIRTUAL_ENV=VENV, LD_LIBRARY_PATH=CUBLAS)
def package_of_cublas_by_variable_is_healthy(c):
    ctranslate2(c)


def onnxruntime_of_cuda_12(c, cuda):
    c.driver(lab.RTX_4090)
    c.cuda(cuda)
    c.cudnn()
    files = "libcudnn.so.9", "libcublasLt.so.12"
    asks = images.elf(text="\0".join((*files, "")).encode())
    onnxruntime_that_runs(c, "1.19.2", *files, data=asks)


@case("broken", "error program-needs-other-cuda", VIRTUAL_ENV=VENV)
def onnxruntime_of_cuda_12_beside_cuda_11(c):
    onnxruntime_of_cuda_12(c, "11.8.0")


@case("works", VIRTUAL_ENV=VENV)
def onnxruntime_of_cuda_12_is_healthy(c):
    onnxruntime_of_cuda_12(c, "12.9.1")


# The files of cuDNN, told without a test as well


@case("broken", "error cudnn-damaged", LD_LIBRARY_PATH=OPT)
def library_of_windows_under_the_name_of_linux(c):
    elsewhere(c)
    images.put(c.at(OPT), "libcudnn.so.9.10.2", data=images.pe())


def folder_of_the_loader(c):
    c.driver(lab.RTX_4090)
    c.cuda()
    c.cudnn(OPT)


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.parametrize(("after", "findings"), [
    (f"echo {OPT} > etc/ld.so.conf.d/z.conf", ["error loader-list-not-renewed"]),
    (f"echo {OPT} > etc/ld.so.conf.d/z.conf; chroot . /sbin/ldconfig", []),
])  # fmt: skip
def test_loader_that_was_not_told(tmp_path, after, findings):
    planted = computer.Computer(tmp_path / "computer")
    folder_of_the_loader(planted)
    planted.after = after
    assert planted.look("--no-test").findings == findings


# Packages


def tensorrt(c, cudnn):
    """TensorRT 8.6 asks pip for any cuDNN, and its files for libcudnn.so.8."""
    c.driver(lab.RTX_4090)
    names = ("tensorrt-8.6.1", "tensorrt_libs-8.6.1", "nvidia_cublas_cu12-12.8.4.1")
    records(c, *names, f"nvidia_cudnn_cu12-{cudnn}.21")
    asks = "".join(f"Requires-Dist: nvidia-{n}-cu12\n" for n in ("cudnn", "cublas"))
    c.write(f"{SITE}/tensorrt_libs-8.6.1.dist-info/METADATA", f"Name: tensorrt-libs\n{asks}")
    c.cudnn(f"{SITE}/nvidia/cudnn/lib", cudnn)
    images.put(c.at(CUBLAS), "libcublas.so.12", "libcublasLt.so.12")


@case("broken", f"error cudnn-package-wrong-major {VENV}", VIRTUAL_ENV=VENV)
def tensorrt_eight_with_cudnn_nine(c):
    tensorrt(c, "9.10.2")


@case("works", VIRTUAL_ENV=VENV)
def tensorrt_eight_with_cudnn_eight_is_healthy(c):
    tensorrt(c, "8.9.7")


@case("works", VIRTUAL_ENV=VENV)
def tensorrt_ten_that_needs_no_cudnn_is_healthy(c):
    c.healthy()
    records(c, "tensorrt-10.7.0", "tensorrt_cu12-10.7.0", "tensorrt_cu12_libs-10.7.0")


@case("works", VIRTUAL_ENV=VENV)
def jax_that_ran_is_not_doubted_for_the_second_part_of_its_plugin(c):
    """JAX compares the first part alone with jaxlib."""
    c.driver(lab.RTX_4090)
    parts = ("jax_cuda12_plugin-0.6.2", "jax_cuda12_pjrt-0.6.0", "nvidia_cudnn_cu12-9.10.2.21")
    records(c, "jax-0.6.2", "jaxlib-0.6.2", *parts)
    importable.jax(c, SITE, "0.6.2")
    c.cudnn(f"{SITE}/nvidia/cudnn/lib")
    images.put(c.at(CUBLAS), "libcublas.so.12", "libcublasLt.so.12")


@case("broken", f"error cpu-only-framework {VENV}", VIRTUAL_ENV=VENV)
def two_packages_of_tensorflow_without_the_gpu_are_one_thing_to_say(c):
    c.driver(lab.RTX_4090)
    records(c, "tensorflow-2.9.0", "tensorflow_gpu-2.9.0")
    said = "build_info = {'is_cuda_build': False}\n"
    c.write(f"{SITE}/tensorflow/python/platform/build_info.py", said)


@case("broken", "error cudnn-missing", f"info placeholder-package {VENV}", VIRTUAL_ENV=VENV)
def package_with_a_name_and_nothing_in_it(c):
    c.driver(lab.RTX_4090)
    c.cuda()
    records(c, "nvidia_cudnn-0.0.1")


@case("broken", f"error package-incomplete {VENV}", VIRTUAL_ENV=VENV)
def half_of_the_package_of_cublas_is_gone(c):
    cublas_by_record(c)
    c.at(f"{CUBLAS}/libcublasLt.so.12").unlink()


@case("broken", f"error cudnn-part-missing {VENV}", VIRTUAL_ENV=VENV,
      STUB_CUDNN_DAY="cudnnCreate:3009")  # fmt: skip
def missing_part_is_told_once_for_file_and_package(c):
    c.driver(lab.RTX_4090)
    venv(c)
    names = "".join(f"nvidia/cudnn/lib/lib{s}.so.9,sha256=x,1\n" for s in images.stems("9.10.2"))
    c.write(f"{SITE}/nvidia_cudnn_cu12-9.10.2.21.dist-info/RECORD", names)
    for file in c.at(f"{SITE}/nvidia/cudnn/lib").glob("libcudnn_adv*"):
        file.unlink()


@case("broken", f"error jax-without-packages {VENV}", VIRTUAL_ENV=VENV)
def jax_with_a_plugin_and_nothing_for_it(c):
    c.driver(lab.RTX_4090)
    records(c, "jax-0.6.2", "jaxlib-0.6.2", "jax_cuda12_plugin-0.6.2", "jax_cuda12_pjrt-0.6.2")
    importable.jax(c, SITE, "0.6.2")


@case("works", VIRTUAL_ENV=VENV)
def jax_with_the_system_s_cuda_is_healthy(c):
    c.healthy()
    records(c, "jax-0.6.2", "jaxlib-0.6.2", "jax_cuda12_plugin-0.6.2", "jax_cuda12_pjrt-0.6.2")
    importable.jax(c, SITE, "0.6.2")


@case("broken", f"error frameworks-disagree {VENV}", VIRTUAL_ENV=VENV)
def tensorflow_of_eight_beside_torch_of_nine(c):
    c.driver(lab.RTX_4090)
    venv(c)
    records(c, "tensorflow-2.15.0")
    importable.tensorflow(c, SITE, "2.15.0", "libcudnn.so.8")
    said = "build_info = {'is_cuda_build': True, 'cuda_version': '12.2', 'cudnn_version': '8'}\n"
    c.write(f"{SITE}/tensorflow/python/platform/build_info.py", said)


# Settings


@case("broken", f"error folder-forbids-programs {VENV}", VIRTUAL_ENV=VENV, LD_LIBRARY_PATH=OPT)
def disk_that_nothing_may_run_from_is_told_once(c):
    elsewhere(c)
    venv(c)
    shutil.rmtree(c.at(f"{SITE}/nvidia/cudnn"))
    c.at(f"{SITE}/nvidia/cudnn").mkdir(parents=True)
    own = f"{SITE}/nvidia/cudnn"
    c.after = f"""
        mount -t tmpfs -o noexec t .{own}
        cp -a .{OPT} .{own}/lib
        rm -r .{OPT}
        ln -s {own}/lib .{OPT}
    """


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CASES)
def test_computer(tmp_path, name):
    one = CASES[name]
    told = one.told(tmp_path)
    assert (told.verdict, tuple(told.findings)) == (one.verdict, one.findings), told.machine
