"""Computers of a third adversary: what was answered wrongly once, each with a healthy twin.

Real trees as in test_computers.py: folders that hold the driver, cuDNN and Python and that
nobody looks into, may load from, or can use any more.
"""

from __future__ import annotations

import shutil
import subprocess
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
from test_adversary import CUDA, OPT, elsewhere, records
from test_computers import INTEL, SITE, VENV, venv, wsl

CASES: dict[str, Case] = {}
TURING = {**lab.RTX_4090, "name": "NVIDIA GeForce RTX 2080 Ti", "device": 0x1E04, "compute": 75}
CONDA = "/home/person/miniconda3"


case = collector(CASES)


# Files for another processor


@case("broken", "error cudnn-wrong-architecture")
def files_for_arm_where_the_loader_looks(c):
    c.healthy()
    for file in c.at(SYSTEM).glob("libcudnn*.so.9.10.2"):
        file.write_bytes(images.elf(images.AARCH64))


@case("broken", "error cudnn-wrong-architecture", LD_LIBRARY_PATH=OPT)
def lone_library_of_32_bits(c):
    c.driver(lab.RTX_4090)
    c.cuda()
    old = b"\x7fELF\x01\x01\x01" + bytes(9) + b"\x03\0\x03\0" + bytes(200)
    images.put(c.at(OPT), "libcudnn.so.9", data=old)


# Where cuDNN lies


ARCHIVE = "cudnn-linux-x86_64-9.10.2.21_cuda12-archive"


@case("broken", "error cudnn-not-on-path")
def archive_unpacked_among_the_downloads(c):
    elsewhere(c, f"/home/person/Téléchargements/{ARCHIVE}/lib")


@case("works")
def archive_among_the_downloads_and_one_that_is_found_is_healthy(c):
    c.healthy()
    c.cudnn(f"/home/person/Downloads/{ARCHIVE}/lib", "9.1.0")


def module(c):
    """Software of a computing centre, each release in a folder of its own."""
    c.driver(lab.A100)
    c.cuda(root="/apps/cuda/12.9")
    c.at("/etc/ld.so.conf.d/12.conf").unlink()
    c.cudnn("/apps/cudnn/9.10/lib")


@case("broken", "error cudnn-not-on-path", CUDNN_ROOT="/apps/cudnn/9.10",
      CUDA_HOME="/apps/cuda/12.9")  # fmt: skip
def module_whose_list_of_folders_was_replaced(c):
    module(c)


@case("works", LD_LIBRARY_PATH="/apps/cuda/12.9/lib64:/apps/cudnn/9.10/lib",
      CUDA_HOME="/apps/cuda/12.9")  # fmt: skip
def module_is_healthy(c):
    module(c)


@case("works", LD_LIBRARY_PATH=f"{OPT};{CUDA}/lib64")
def folders_with_a_semicolon_between_are_healthy(c):
    elsewhere(c)


@case(
    "broken", "error cudnn-not-on-path", "warning path-entry-malformed",
    LD_LIBRARY_PATH="%CUDNN_PATH%/lib", CUDNN_PATH="/opt/cudnn",
)  # fmt: skip
def name_in_the_way_of_windows(c):
    elsewhere(c)


@case("broken", "error folder-forbids-programs", LD_LIBRARY_PATH=OPT)
def disk_that_nothing_may_run_from(c):
    elsewhere(c)
    c.after = "cp -a opt/cudnn new; mount -t tmpfs -o noexec t opt/cudnn; cp -a new/. opt/cudnn/"


@case("works", LD_LIBRARY_PATH=OPT)
def disk_of_its_own_is_healthy(c):
    elsewhere(c)
    c.after = "cp -a opt/cudnn new; mount -t tmpfs t opt/cudnn; cp -a new/. opt/cudnn/"


# The driver


@case("broken", "error driver-not-searched")
def wsl_whose_loader_was_not_told(c):
    c.cuda()
    c.cudnn()
    wsl(c)
    c.at("/etc/ld.so.conf.d/ld.wsl.conf").unlink()


def nixos(c):
    c.write("/etc/os-release", "NAME=NixOS\nID=nixos\n")
    c.driver(lab.RTX_4090, folder="/run/opengl-driver/lib")
    c.cuda()
    c.cudnn()


@case("broken", "error driver-not-searched")
def nixos_with_a_program_of_others(c):
    nixos(c)


@case("works", LD_LIBRARY_PATH="/run/opengl-driver/lib")
def nixos_is_healthy(c):
    nixos(c)


def pod(c):
    c.cuda()
    c.cudnn()
    c.write("/.dockerenv")
    c.driver(lab.A100, folder="/usr/local/nvidia/lib64")


@case("broken", "error driver-not-searched", LD_LIBRARY_PATH=OPT)
def container_whose_list_of_folders_was_replaced(c):
    pod(c)


@case("works", LD_LIBRARY_PATH="/usr/local/nvidia/lib64")
def container_with_the_driver_of_its_host_is_healthy(c):
    pod(c)


@case("broken", "error container-no-gpu")
def driver_installed_in_a_container_without_gpu(c):
    c.cuda()
    c.cudnn()
    c.write("/.dockerenv")
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)


def inside(c, sign, *, driver=True):
    """A container of another kind: it sees /dev and /proc of its host."""
    c.write(sign, "lxc")
    c.cuda()
    c.cudnn()
    c.kernel("580.65.06", lab.RTX_4090)
    if driver:
        c.driver(lab.RTX_4090, folder="/.singularity.d/libs")


@case("broken", "error container-no-compute")
def apptainer_without_its_switch(c):
    inside(c, "/.singularity.d/runscript", driver=False)


@case("works", LD_LIBRARY_PATH="/.singularity.d/libs")
def apptainer_is_healthy(c):
    inside(c, "/.singularity.d/runscript")


@case("broken", "error container-no-compute")
def lxc_without_the_driver_s_libraries(c):
    inside(c, "/run/systemd/container", driver=False)


@case("broken", "error uvm-missing")
def lxc_whose_computer_has_not_loaded_unified_memory(c):
    inside(c, "/run/systemd/container", driver=False)
    c.driver(lab.RTX_4090, cu_init=999)
    c.at("/dev/nvidia-uvm").unlink()


@case("broken", "error container-no-gpu")
def docker_inside_wsl_without_gpu(c):
    c.cudnn()
    wsl(c)
    c.write("/.dockerenv")
    shutil.rmtree(c.at("/usr/lib/wsl"))
    c.at("/dev/dxg").unlink()


@case("broken", "error gpu-hidden", CUDA_VISIBLE_DEVICES="1")
def second_gpu_of_the_bus_in_a_container_with_one(c):
    c.healthy()
    c.write("/.dockerenv")
    c.bus(lab.A100, driver="nvidia")


@case("broken", "error job-without-gpu", SLURM_JOB_ID="4711")
def job_that_slurm_keeps_from_the_gpu(c):
    c.healthy()
    c.driver(lab.RTX_4090, gpus=0, cu_init=100)


@case("broken", "error secure-boot-blocks-driver")
def module_with_a_name_of_debian_s_own(c):
    unloaded(c, "Loading of module with unavailable key is rejected")
    dkms = c.at(f"/lib/modules/{KERNEL}/updates/dkms")
    (dkms / "nvidia.ko").rename(dkms / "nvidia-current.ko.xz")


@case("broken", "error device-file-missing")
def file_of_the_gpu_was_not_made(c):
    c.healthy()
    c.driver(lab.RTX_4090, cu_init=100, gpus=0)
    c.at("/dev/nvidia0").unlink()


@case("works")
def files_of_the_gpus_are_made_when_asked_for_and_healthy(c):
    c.healthy()
    c.at("/dev/nvidia0").unlink()


@case("broken", "error mps-not-answering", CUDA_MPS_PIPE_DIRECTORY="/tmp/mps")
def service_that_shares_the_gpu_is_gone(c):
    c.healthy()
    c.driver(lab.RTX_4090, cu_init=805)


@case("works", CUDA_MPS_PIPE_DIRECTORY="/tmp/mps")
def shared_gpu_is_healthy(c):
    c.healthy()


def unloaded(c, line):
    """The module's file is there for this kernel, and the kernel's log has this line."""
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)
    c.bus(lab.RTX_4090)
    c.write(f"/lib/modules/{KERNEL}/updates/dkms/nvidia.ko")
    c.write("/dev/kmsg", f"3,1,1,-;{line}\n")


@case("broken", "error secure-boot-blocks-driver")
def kernel_that_is_locked_down(c):
    unloaded(c, "Lockdown: modprobe: unsigned module loading is restricted; see man lockdown")


@case("broken", "error driver-module-not-built")
def module_of_another_kernel(c):
    unloaded(c, f"nvidia: version magic '6.8.0-30-generic SMP' should be '{KERNEL} SMP'")


@case("broken", "error driver-module-not-loaded")
def module_that_was_only_unloaded(c):
    unloaded(c, "nvidia-nvlink: Unregistered Nvlink Core, major device number 236")


def supergfx(c, mode):
    c.bus(INTEL, driver="i915")
    c.write("/etc/supergfxd.conf", f'{{\n  "mode": "{mode}",\n  "vfio_enable": false\n}}\n')


@case("broken", "error gpu-switched-off")
def switched_off_by_supergfxctl(c):
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)
    c.write(f"/lib/modules/{KERNEL}/modules.dep", "updates/dkms/nvidia.ko:\n")
    supergfx(c, "Integrated")


@case("works")
def switched_on_by_supergfxctl_is_healthy(c):
    c.healthy()
    supergfx(c, "Hybrid")


# Lists and libraries


@case("works", "info empty-search-entry", LD_LIBRARY_PATH=".:/opt/other/lib")
def dot_in_the_list(c):
    c.healthy()


def linked_with_cublas(c, cuda):
    """A cuDNN 8.5, which the loader itself links with the cuBLAS of a CUDA."""
    folder = c.cudnn(SYSTEM, "8.5.0")
    blas = c.others / f"libcublas.so.{cuda}"
    options = ("gcc", "-shared", "-fPIC", "-w", "-Wl,--no-as-needed")
    name = f"-Wl,-soname,{blas.name}"
    subprocess.run([*options, name, "-xc", "/dev/null", "-o", blas], check=True)
    stub = (lab.HERE / "cudnn_stub.c", "-DMAJOR=8", "-Wl,-soname,libcudnn.so.8", "-lm", blas)
    subprocess.run([*options, "-o", folder / "libcudnn.so.8.5.0", *stub], check=True)
    return blas


@case("broken", "error cudnn-wrong-cuda-major")
def cudnn_that_is_linked_with_another_cuda(c):
    c.driver(lab.RTX_4090)
    c.cuda()
    linked_with_cublas(c, 11)


@case("works")
def cudnn_that_is_linked_with_its_cuda_is_healthy(c):
    c.driver(lab.RTX_4090)
    c.cuda()
    blas = linked_with_cublas(c, 11)
    c.cuda("11.8.0")
    shutil.copy(blas, c.at("/usr/local/cuda-11.8/lib64"))


# Python


def conda(c):
    """conda's base with PyTorch from pip."""
    c.driver(lab.RTX_4090)
    venv(c)
    c.at(VENV).rename(c.at(CONDA))
    # Without it the system's Python would not see the packages; conda's own needs none.
    c.write(f"{CONDA}/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = true\n")
    c.write(f"{CONDA}/conda-meta/history")
    c.write(f"{CONDA}/conda-meta/python-3.11.9-h1.json", '{"name": "python", "version": "3.11.9"}')


def own_torch(c, version, cuda):
    site = "/home/person/.local/lib/python3.11/site-packages"
    c.write(f"{site}/torch/version.py", f"__version__ = '{version}'\ncuda = {cuda}\nhip = None\n")
    c.write(f"{site}/torch-{version}.dist-info/METADATA", f"Name: torch\nVersion: {version}\n")


SHADOW = f"error user-packages-first {CONDA}"
CPU_ONLY = "warning cpu-only-framework /home/person/.local/lib/python3.11"


@case("broken", SHADOW, CPU_ONLY, CONDA_PREFIX=CONDA)
def torch_for_the_processor_comes_before_that_of_conda(c):
    conda(c)
    own_torch(c, "2.1.0+cpu", None)


@case("works", CPU_ONLY, CONDA_PREFIX=CONDA, PYTHONNOUSERSITE="1")
def own_packages_left_out_on_purpose_are_healthy(c):
    conda(c)
    own_torch(c, "2.1.0+cpu", None)


@case("broken", f"error environment-python-gone {VENV}", VIRTUAL_ENV=VENV)
def python_of_the_environment_was_replaced(c):
    c.healthy()
    venv(c)
    c.at(f"{VENV}/bin/python").unlink()
    c.at(f"{VENV}/bin/python").symlink_to("/usr/bin/python3.99")


@case("works")
def old_environment_that_nobody_uses_is_healthy(c):
    python_of_the_environment_was_replaced(c)


@case("works")
def old_projects_with_what_no_longer_runs_are_healthy(c):
    c.healthy()
    for name in ("one", "two"):
        root = f"/home/person/projects/{name}/.venv"
        site = f"{root}/lib/python3.8/site-packages"
        c.write(f"{root}/pyvenv.cfg", "home = /usr/lib/python3.8\nversion = 3.8.2\n")
        c.at(f"{root}/bin/python").symlink_to("/usr/bin/python3.8")
        c.write(f"{site}/torch/version.py", "__version__ = '1.8.0'\ncuda = '10.2'\nhip = None\n")
        c.write(f"{site}/torch-1.8.0.dist-info/METADATA", "Name: torch\nVersion: 1.8.0\n")


def cublas_by_record(c):
    c.driver(lab.RTX_4090)
    venv(c)
    package = f"{SITE}/nvidia_cublas_cu12-12.8.4.1.dist-info"
    c.write(f"{package}/METADATA", "Name: nvidia-cublas-cu12\nVersion: 12.8.4.1\n")
    names = ("libcublas.so.12", "libcublasLt.so.12", "libnvblas.so.12")
    c.write(f"{package}/RECORD", "".join(f"nvidia/cublas/lib/{n},sha256=x,\n" for n in names))


@case("broken", f"error package-incomplete {VENV}", VIRTUAL_ENV=VENV)
def cublas_of_torch_is_there_by_its_record_alone(c):
    cublas_by_record(c)
    shutil.rmtree(c.at(f"{SITE}/nvidia/cublas"))


@case("works", f"info package-incomplete {VENV}", VIRTUAL_ENV=VENV)
def file_of_cublas_that_nobody_opens_was_taken_out(c):
    cublas_by_record(c)


@case("broken", f"error cublas-missing-in-environment {VENV}", VIRTUAL_ENV=VENV)
def ctranslate2_without_any_cublas(c):
    c.driver(lab.RTX_4090)
    records(c, "ctranslate2-4.8.1")


@case("works", VIRTUAL_ENV=VENV)
def ctranslate2_with_a_toolkit_is_healthy(c):
    c.healthy()
    records(c, "ctranslate2-4.8.1")


def tensorflow_115(c, cuda):
    """TensorFlow 1.15 is built with CUDA 10.0; files of 10.1 and 10.2 have other names."""
    c.driver(TURING)
    root = f"/usr/local/cuda-{cuda}"
    blas = "10.0" if cuda == "10.0" else "10"
    names = (f"libcudart.so.{cuda}", f"libcublas.so.{blas}", f"libnvrtc.so.{cuda}")
    images.put(c.at(f"{root}/lib64"), *names)
    c.write(f"{root}/version.txt", f"CUDA Version {cuda}.130\n")
    c.write("/etc/ld.so.conf.d/cuda.conf", f"{root}/lib64\n")
    c.cudnn(f"{root}/lib64", "7.6.5")
    c.write(f"{VENV}/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    c.at(f"{VENV}/bin/python").symlink_to("/usr/bin/python3")
    importable.tensorflow(c, SITE, "1.15.5", "libcublas.so.10.0", "libcudnn.so.7")
    c.write(
        f"{SITE}/tensorflow_core/python/platform/build_info.py",
        "is_cuda_build = True\ncuda_version_number = '10.0'\ncudnn_version_number = '7'\n",
    )
    c.write(
        f"{SITE}/tensorflow_gpu-1.15.5.dist-info/METADATA",
        "Name: tensorflow-gpu\nVersion: 1.15.5\n",
    )


@case("broken", "error program-needs-other-cuda", VIRTUAL_ENV=VENV, STUB_CUDNN_VERSION="7605")
def tensorflow_115_with_a_later_minor_of_cuda_10(c):
    tensorflow_115(c, "10.2")


@case("works", VIRTUAL_ENV=VENV, STUB_CUDNN_VERSION="7605")
def tensorflow_115_with_its_own_cuda_is_healthy(c):
    tensorflow_115(c, "10.0")


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CASES)
def test_computer(tmp_path, name):
    one = CASES[name]
    told = one.told(tmp_path)
    assert (told.verdict, tuple(told.findings)) == (one.verdict, one.findings), told.machine
