"""Computers with the faults that an adversary would plant, and the healthy ones beside them.

Each stands close to one in test_computers.py, and something else is wrong with it, or nothing.
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
from computer import SYSTEM
from test_computers import SITE, VENV, tensorflow_that_wants_eight, venv, wsl

CASES: dict[str, Case] = {}
BLACKWELL = {**lab.RTX_4090, "name": "NVIDIA GeForce RTX 5090", "device": 0x2B85, "compute": 120}
OPT = "/opt/cudnn/lib"
CONDA = "/home/person/miniconda3/envs/x"


case = collector(CASES)


def driver_and_cuda(c):
    c.driver(lab.RTX_4090)
    c.cuda()


# The files of cuDNN


@case("broken", "error cudnn-damaged", LD_LIBRARY_PATH=OPT)
def link_to_a_file_that_is_gone(c):
    driver_and_cuda(c)
    c.cudnn(OPT)
    c.at(f"{OPT}/libcudnn.so.9.10.2").unlink()


@case("broken", "error cudnn-links-missing", LD_LIBRARY_PATH=OPT)
def only_the_link_for_compilers(c):
    driver_and_cuda(c)
    c.cudnn(OPT)
    c.at(f"{OPT}/libcudnn.so.9").unlink()
    c.at(f"{OPT}/libcudnn.so").unlink()
    c.at(f"{OPT}/libcudnn.so").symlink_to("libcudnn.so.9.10.2")


@case("broken", "error cudnn-links-missing", LD_LIBRARY_PATH=OPT)
def names_without_numbers_alone(c):
    driver_and_cuda(c)
    images.put(c.at(OPT), *(f"lib{stem}.so" for stem in images.stems("9.10.2")))
    stub = lab.compiled("cudnn_stub.c", "libcudnn.so.9", "-DMAJOR=9", "-lm")
    shutil.copy(stub, c.at(f"{OPT}/libcudnn.so"))


@case("broken", "error cudnn-part-missing")
def main_library_gone(c):
    c.healthy()
    for file in c.at(SYSTEM).glob("libcudnn.so*"):
        file.unlink()


@case("broken", "error cudnn-renamed", LD_LIBRARY_PATH=OPT, STUB_CUDNN_VERSION="8907")
def eight_under_the_name_of_nine(c):
    driver_and_cuda(c)
    c.cudnn(OPT, "8.9.7")
    c.at(f"{OPT}/libcudnn.so.9").symlink_to("libcudnn.so.8.9.7")


@case("broken", "error cudnn-damaged", LD_LIBRARY_PATH=OPT)
def page_of_a_website_saved_as_library(c):
    c.healthy()
    c.write(f"{OPT}/libcudnn.so.9", "<!DOCTYPE html><html>404</html>")


@case("broken", "error cudnn-damaged", LD_LIBRARY_PATH=OPT)
def folder_with_the_name_of_the_library(c):
    driver_and_cuda(c)
    c.cudnn(OPT)
    c.at(f"{OPT}/libcudnn.so.9").unlink()
    c.write(f"{OPT}/libcudnn.so.9/notes")


@case("broken", "error cudnn-unreadable")
def file_that_only_root_may_read(c):
    c.healthy()
    c.at(f"{SYSTEM}/libcudnn.so.9.10.2").chmod(0o600)
    c.everyday()


@case("broken", "error search-folder-closed")
def folder_that_only_root_may_open(c):
    driver_and_cuda(c)
    c.cudnn(OPT)
    c.write("/etc/ld.so.conf.d/cudnn.conf", f"{OPT}\n")
    c.at(OPT).chmod(0o700)
    c.everyday()


@case("works")
def healthy_for_an_everyday_person(c):
    c.healthy()
    c.everyday()


@case("works")
def healthy_with_two_copies_of_one_version(c):
    c.healthy()
    c.cudnn("/usr/local/cuda-12.9/lib64")


@case("works", LD_LIBRARY_PATH=OPT)
def healthy_with_a_copy_of_32_bits_first(c):
    c.healthy()
    old = b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x03\0\x03\0" + bytes(200)
    images.put(c.at(OPT), "libcudnn.so.9", data=old)


# Where it is looked for


@case("broken", "error loader-list-not-renewed")
def loader_not_told(c):
    driver_and_cuda(c)
    c.cudnn(OPT)
    c.after = f"echo {OPT} > etc/ld.so.conf.d/cudnn.conf"


@case("broken", "error cudnn-not-on-path")
def whole_toolkit_not_told(c):
    driver_and_cuda(c)
    c.cudnn("/usr/local/cuda-12.9/lib64")
    c.at("/etc/ld.so.conf.d/12.conf").unlink()


@case("broken", "error cuda-not-on-path", STUB_CUDNN_DAY="cudnnConvolutionForward:4000")
def toolkit_not_told_and_cudnn_is(c):
    c.healthy()
    c.at("/etc/ld.so.conf.d/12.conf").unlink()


@case("works", "warning cuda-home-stale", CUDA_HOME="$HOME/cuda")
def name_that_nobody_replaced(c):
    c.healthy()


# The driver


@case("broken", "error driver-incomplete")
def library_for_computing_gone(c):
    c.healthy()
    c.at(f"{SYSTEM}/libcuda.so.1").unlink()


@case("broken", "error cuda-does-not-start")
def cuda_refuses(c):
    c.healthy()
    c.driver(lab.RTX_4090, cu_init=999)


@case("broken", "error wsl-cuda-does-not-start")
def cuda_refuses_on_wsl(c):
    c.cuda()
    c.cudnn()
    wsl(c, cu_init=100)


@case("broken", "error wsl-linux-driver")
def wsl_without_its_device_and_a_linux_driver_that_answers(c):
    c.cuda()
    c.cudnn()
    wsl(c)
    c.at("/dev/dxg").unlink()
    shutil.rmtree(c.at("/usr/lib/wsl"))
    lab.write(c.at(SYSTEM), lab.RTX_4090)


@case("broken", "error job-without-gpu", CUDA_VISIBLE_DEVICES="", SLURM_JOB_ID="4711")
def job_without_gpu(c):
    c.healthy()


@case("works", CUDA_VISIBLE_DEVICES="0", SLURM_JOB_ID="4711", SLURM_JOB_GPUS="0")
def job_with_gpu_is_healthy(c):
    c.healthy()


@case("broken", "error gpu-does-not-start")
def driver_without_devices(c):
    c.cuda()
    c.cudnn()
    c.kernel("580.65.06", lab.RTX_4090)
    lab.write(c.at(SYSTEM), cu_init=100, gpus=0)


@case("broken", "error device-permission")
def device_files_closed(c):
    c.healthy()
    c.driver(lab.RTX_4090, nvml_init=4, cu_init=100)
    for name in ("nvidiactl", "nvidia0", "nvidia-uvm"):
        c.at(f"/dev/{name}").chmod(0o660)
    c.everyday()


@case("broken", "error compute-mode-exclusive")
def taken_by_somebody_unseen(c):
    c.healthy()
    codes = {"code.cuDevicePrimaryCtxRetain": 46}
    c.driver({**lab.RTX_4090, "compute_mode": 3}, **codes)


@case("broken", "error container-no-compute")
def container_with_the_usual_capabilities(c):
    c.cudnn()
    c.write("/.dockerenv")
    c.driver(lab.RTX_4090, cuda_file="")


@case("works", "warning gpu-hidden")
def hidden_from_terminals(c):
    c.healthy()
    c.write("/home/person/.bashrc", "export CUDA_VISIBLE_DEVICES=-1\n")


# Python


@case("broken", "error program-needs-other-cuda", VIRTUAL_ENV=VENV)
def cudnn_for_a_program_whose_cuda_is_not_there(c):
    c.healthy()
    c.cudnn("/opt/cudnn8/lib", "8.9.7")
    c.write("/etc/ld.so.conf.d/cudnn8.conf", "/opt/cudnn8/lib\n")
    tensorflow_that_wants_eight(c)


@case("works", VIRTUAL_ENV=VENV, CONDA_PREFIX=CONDA)
def conda_pip_and_system_are_whole_and_healthy(c):
    c.healthy()
    venv(c)
    c.write(f"{CONDA}/conda-meta/history")
    for name in ("cudnn-9.3.0.75-cuda12.4_0", "pytorch-2.5.1-py3.11_cuda12.4_cudnn9.1.0_0"):
        c.write(f"{CONDA}/conda-meta/{name}.json", "{}")
    # Without it the system's Python would not see the packages; conda's own needs none.
    c.write(f"{CONDA}/pyvenv.cfg", "home = /usr/bin\n")
    c.at(f"{CONDA}/bin/python").symlink_to("/usr/bin/python3")
    site = f"{CONDA}/lib/python3.11/site-packages"
    importable.torch(c, site, "2.5.1")
    c.write(f"{site}/torch/version.py", "__version__ = '2.5.1'\ncuda = '12.4'\nhip = None\n")
    c.write(f"{site}/torch-2.5.1.dist-info/METADATA", "Name: torch\nVersion: 2.5.1\n")
    c.cudnn(f"{CONDA}/lib", "9.3.0")
    images.put(c.at(f"{CONDA}/lib"), "libcublas.so.12", "libcublasLt.so.12", "libnvrtc.so.12")


@case("works", VIRTUAL_ENV=VENV)
def uv_s_own_python_is_healthy(c):
    c.driver(lab.RTX_4090)
    venv(c)
    base = "/home/person/.local/share/uv/python/cpython-3.11.9-linux-x86_64-gnu"
    c.write(f"{base}/lib/python3.11/EXTERNALLY-MANAGED", "[externally-managed]\n")
    c.write(f"{base}/bin/python3.11", images.elf())
    c.write(f"{VENV}/pyvenv.cfg", f"home = {base}/bin\nuv = 0.5.1\nversion_info = 3.11.9\n")


@case("works", CUDA_VISIBLE_DEVICES="GPU-5c6a", PATH="/usr/local/cuda/bin::/usr/bin:/bin:")
def leftovers_and_odd_settings_are_healthy(c):
    c.healthy()
    for name in ("libcudnn.so.9.bak", "libcudnn_ops.so.9.old", "libcudnn_static.a"):
        c.write(f"{SYSTEM}/{name}", "kept by hand")


def torch(c, version, cuda):
    venv(c)
    c.write(f"{SITE}/torch/version.py", f"__version__ = '{version}'\ncuda = {cuda}\nhip = None\n")


@case("broken", f"error cpu-only-framework {VENV}", VIRTUAL_ENV=VENV)
def torch_for_the_processor(c):
    c.driver(lab.RTX_4090)
    torch(c, "2.8.0+cpu", None)
    c.write(f"{SITE}/torch-2.8.0.dist-info/METADATA", "Name: torch\nVersion: 2.8.0+cpu\n")


@case("broken", f"error gpu-too-new-for-framework {VENV}", VIRTUAL_ENV=VENV)
def torch_for_an_older_cuda_than_the_gpu(c):
    c.driver(BLACKWELL)
    torch(c, "2.8.0+cu118", "'11.8'")
    c.write("/etc/stub/no-kernels")


@case(
    "broken", f"error two-cudnn-packages {VENV}",
    VIRTUAL_ENV=VENV, STUB_CUDNN_DAY="cudnnCreate:5000",
)  # fmt: skip
def three_generations_of_packages(c):
    c.driver(lab.RTX_4090)
    venv(c)
    for name in ("nvidia_cudnn_cu11-8.7.0.84", "nvidia_cudnn_cu13-9.12.0.46"):
        c.write(f"{SITE}/{name}.dist-info/METADATA", "Name: x\n")


@case(
    "broken", f"error cublas-missing-in-environment {VENV}",
    VIRTUAL_ENV=VENV, STUB_CUDNN_DAY="cudnnConvolutionForward:4000",
)  # fmt: skip
def torch_without_cublas(c):
    c.driver(lab.RTX_4090)
    venv(c)
    shutil.rmtree(c.at(f"{SITE}/nvidia/cublas"))


@case("broken", f"error framework-twice {VENV}", VIRTUAL_ENV=VENV)
def onnxruntime_overwritten(c):
    c.driver(lab.RTX_4090)
    c.write(f"{VENV}/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    c.at(f"{VENV}/bin/python").symlink_to("/usr/bin/python3")
    text = "package_name = 'onnxruntime'\n__version__ = '1.22.0'\n"
    c.write(f"{SITE}/onnxruntime/capi/build_and_package_info.py", text)
    for name in ("onnxruntime", "onnxruntime_gpu"):
        c.write(f"{SITE}/{name}-1.22.0.dist-info/METADATA", f"Name: {name}\nVersion: 1.22.0\n")


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CASES)
def test_computer(tmp_path, name):
    one = CASES[name]
    told = one.told(tmp_path)
    assert (told.verdict, tuple(told.findings)) == (one.verdict, one.findings), told.machine
