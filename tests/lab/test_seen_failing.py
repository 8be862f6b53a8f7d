"""What computers were seen to fail by, item by item, each with a healthy twin.

The whole command runs on each, `check` for scripts and for people and `fix --dry-run`, and the
sentences that a person reads are held here: what they say, and what they must not say.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import computer
import driver as lab
import images
import importable
from computer import KERNEL, OURS, SYSTEM, Computer
from split_cudnn import OWN, linked_torch, split
from test_computers import OLD, SITE, VENV
from test_planted import BLACKWELL
from true_sentences import untrue

from cudnn_assistant.machine import Machine

OPT = "/opt/cudnn/lib"
LOOKS_RIGHT = "look right"
OLD_SECOND = {**OLD, "bus": "00000000:41:00.0", "uuid": "GPU-99999999-0f3d-4e77-9a41-aa0000000009"}


class Seen(NamedTuple):
    """One way in which a computer was seen to fail, or its healthy twin."""

    plant: Callable[[Computer], object]
    verdict: str
    findings: tuple[str, ...]
    says: tuple[str, ...]
    """What stands in the answer or in the plan."""
    never: tuple[str, ...]
    """What stands in neither."""
    variables: dict[str, str]
    shell: str
    """What the person did in the terminal before."""


CASES: dict[str, Seen] = {}


def entering(cases):
    """A decorator that enters a computer into ``cases`` under its function's name."""

    def seen(verdict, *findings, says=(), never=(), shell="", **variables):
        def keep(plant):
            name = plant.__name__.replace("_", "-")
            cases[name] = Seen(plant, verdict, findings, says, never, variables, shell)
            return plant

        return keep

    return seen


seen = entering(CASES)


def with_gpu(c, *gpus, **facts):
    c.driver(*(gpus or (lab.RTX_4090,)), **facts)


TORCH = {"VIRTUAL_ENV": VENV}


# Parts of two versions, and a main file of another


@seen("broken", f"error package-changed {VENV}", **TORCH)
def parts_of_two_versions_in_a_wheel_s_folder(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at(OWN), "9.5.1", "cudnn_cnn")


@seen("works", **TORCH)
def parts_of_one_version_in_a_wheel_s_folder_are_healthy(c):
    with_gpu(c)
    linked_torch(c)


@seen("broken", f"error search-entry-stops-cudnn {VENV}", says=("/opt/old",),
      LD_LIBRARY_PATH="/opt/old", **TORCH)  # fmt: skip
def parts_of_another_version_from_a_search_path(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/opt/old"), "9.5.1", "cudnn_cnn")


@seen("works", LD_LIBRARY_PATH="/opt/same", **TORCH)
def parts_of_the_same_version_from_a_search_path_are_healthy(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/opt/same"), "9.10.2")


@seen("broken", "error working-folder-stops-cudnn", "info empty-search-entry",
      says=("/home/person/old", "tried twice"), LD_LIBRARY_PATH=f":{OPT}",
      shell="cd /home/person/old")  # fmt: skip
def parts_of_another_version_from_the_current_folder(c):
    with_gpu(c)
    c.cuda()
    split(c.at(OPT), "9.10.2")
    split(c.at("/home/person/old"), "9.5.1", "cudnn_ops")


@seen("works", "info empty-search-entry", LD_LIBRARY_PATH=f":{OPT}", shell="cd /home/person/x")
def current_folder_without_cudnn_is_healthy(c):
    with_gpu(c)
    c.cuda()
    split(c.at(OPT), "9.10.2")
    c.write("/home/person/x/notes")


@seen("broken", f"error package-changed {VENV}", **TORCH)
def main_file_swapped_for_another_version(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at(OWN), "9.5.1", "cudnn")


PRELOAD = "/opt/old/libcudnn.so.9"


@seen("broken", f"error preload-stops-cudnn {VENV}", LD_PRELOAD=PRELOAD, **TORCH)
def foreign_copy_preloaded(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/opt/old"), "9.5.1")


@seen("works", LD_PRELOAD=f"{OWN}/libcudnn.so.9", **TORCH)
def own_copy_preloaded_is_healthy(c):
    with_gpu(c)
    linked_torch(c)


# Environments


@seen("broken", f"error environment-python-gone {VENV}", never=("GB", "MB"), **TORCH)
def environment_whose_python_is_gone(c):
    with_gpu(c)
    linked_torch(c)
    c.at(f"{VENV}/bin/python").unlink()
    c.at(f"{VENV}/bin/python").symlink_to("/usr/bin/python3.99")


CONDA = "/home/person/miniconda3/envs/tf"


@seen("works", says=("ran a convolution with cuDNN 8.9.7",), LD_LIBRARY_PATH=f"{CONDA}/lib",
      CONDA_PREFIX=CONDA)  # fmt: skip
def tensorflow_with_the_cudnn_of_conda_is_healthy(c):
    with_gpu(c)
    c.write(f"{CONDA}/pyvenv.cfg", "home = /usr/bin\n")
    c.at(f"{CONDA}/bin/python").symlink_to("/usr/bin/python3")
    c.cudnn(f"{CONDA}/lib", "8.9.7")
    for name in ("python-3.11.9-h1", "cudatoolkit-11.8.0-h4", "cudnn-8.9.7.29-h2"):
        c.write(f"{CONDA}/conda-meta/{name}.json", "{}")
    site = f"{CONDA}/lib/python3.11/site-packages"
    importable.tensorflow(c, site, "2.10.1", "libcudnn.so.8")
    said = "build_info = {'is_cuda_build': True, 'cuda_version': '11.2', 'cudnn_version': '8'}\n"
    c.write(f"{site}/tensorflow/python/platform/build_info.py", said)
    c.write(f"{site}/tensorflow-2.10.1.dist-info/METADATA", "Name: tensorflow\nVersion: 2.10.1\n")


@seen("broken", f"error driver-too-old {VENV}", **TORCH)
def driver_too_old_for_the_framework_behind_a_missing_package(c):
    with_gpu(c, version="450.80.02", cuda=11000)
    linked_torch(c)
    shutil.rmtree(c.at(f"{SITE}/nvidia/cudnn"))
    shutil.rmtree(c.at(f"{SITE}/nvidia_cudnn_cu12-9.10.2.21.dist-info"))


@seen("works", **TORCH)
def driver_old_enough_for_the_framework_is_healthy(c):
    with_gpu(c, version="560.35.03", cuda=12060)
    linked_torch(c)


@seen("broken", f"error gpu-too-old-for-framework {VENV}", says=("12.6",),
      **TORCH)  # fmt: skip
def gtx_10_with_a_build_that_dropped_it(c):
    with_gpu(c, OLD)
    linked_torch(c)
    c.write("/etc/stub/no-kernels")


@seen("works", **TORCH)
def gtx_10_with_the_build_that_keeps_it_is_healthy(c):
    with_gpu(c, OLD)
    linked_torch(c)
    c.write(f"{SITE}/torch/version.py", "__version__ = '2.8.0+cu126'\ncuda = '12.6'\nhip = None\n")


@seen("broken", f"error cublas-missing-in-environment {VENV}", says=("cuBLAS",),
      STUB_CUDNN_DAY="cudnnConvolutionForward:4000", **TORCH)  # fmt: skip
def cublas_gone(c):
    with_gpu(c)
    linked_torch(c)
    shutil.rmtree(c.at(f"{SITE}/nvidia/cublas"))


# The driver and its files


def device(c, name, mode=0o660):
    c.at(f"/dev/{name}").chmod(mode)


@seen("broken", "error device-permission", says=("sudo chmod a+rw",), never=("usermod",))
def device_files_of_root_alone(c):
    c.healthy()
    c.driver(lab.RTX_4090, nvml_init=4, cu_init=100)
    for name in ("nvidiactl", "nvidia0", "nvidia-uvm"):
        device(c, name)
    c.everyday()


@seen("broken", "error device-permission", says=("usermod -aG video",))
def device_files_of_a_group(c):
    c.healthy()
    c.driver(lab.RTX_4090, nvml_init=4, cu_init=100)
    for name in ("nvidiactl", "nvidia0", "nvidia-uvm"):
        device(c, name)
        os.chown(c.at(f"/dev/{name}"), 0, 44)
    c.everyday()


@seen("broken", "error device-file-missing", says=("/dev/nvidiactl",))
def control_device_gone(c):
    c.healthy()
    c.driver(lab.RTX_4090, nvml_init=9, cu_init=100)
    c.at("/dev/nvidiactl").unlink()


@seen("works", "warning driver-monitor-missing")
def nvml_gone(c):
    c.healthy()
    c.at(f"{SYSTEM}/libnvidia-ml.so.1").unlink()


@seen("broken", "error uvm-missing", says=("sudo modprobe nvidia_uvm",))
def uvm_gone(c):
    c.healthy()
    c.driver(lab.RTX_4090, cu_init=999)
    c.at("/dev/nvidia-uvm").unlink()


@seen("broken", "error driver-too-old-for-gpu", says=("570",))
def new_gpu_with_a_driver_that_doesn_t_know_it(c):
    c.cuda()
    c.cudnn()
    lab.write(c.at(SYSTEM), cu_init=100, nvml_init=9, cuda_file="libcuda.so.550.163.01")
    c.bus(BLACKWELL)
    c.write(f"/lib/modules/{KERNEL}/updates/dkms/nvidia.ko")


@seen("broken", "error driver-too-old-for-gpu", says=("570",))
def new_gpu_that_a_loaded_driver_doesn_t_list(c):
    c.cuda()
    c.cudnn()
    c.driver(BLACKWELL, version="550.163.01", cuda=12040, cu_init=100, gpus=0)


@seen("works")
def new_gpu_with_a_driver_that_knows_it_is_healthy(c):
    c.healthy()
    c.driver(BLACKWELL, version="580.65.06")


@seen("broken", "error driver-missing", says=("contrib non-free",))
def debian_without_contrib_and_non_free(c):
    c.write("/etc/os-release", 'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\n')
    c.write("/etc/apt/sources.list", "deb http://x/debian bookworm main\n")
    c.after += "\nrm -rf etc/apt/sources.list.d"
    c.bus(lab.RTX_4090)


@seen("broken", "error driver-missing", never=("contrib non-free",))
def debian_with_contrib_and_non_free(c):
    c.write("/etc/os-release", 'NAME="Debian GNU/Linux"\nID=debian\nVERSION_ID="12"\n')
    c.write("/etc/apt/sources.list", "deb http://x/debian bookworm main contrib non-free\n")
    c.after += "\nrm -rf etc/apt/sources.list.d"
    c.bus(lab.RTX_4090)


@seen("works", "warning one-gpu-stopped", says=("GTX 1070",))
def second_gpu_too_old(c):
    c.cuda("13.0.1")
    folder = c.cudnn(version="9.12.0")
    stub = lab.compiled("cudnn_stub.c", "libcudnn.so.9", "-DMAJOR=9", "-DOLDEST=75", "-lm")
    shutil.copy(stub, folder / "libcudnn.so.9.12.0")
    c.driver(lab.RTX_4090, OLD_SECOND)


@seen("works")
def second_gpu_young_enough_is_healthy(c):
    c.cuda("13.0.1")
    folder = c.cudnn(version="9.12.0")
    stub = lab.compiled("cudnn_stub.c", "libcudnn.so.9", "-DMAJOR=9", "-DOLDEST=75", "-lm")
    shutil.copy(stub, folder / "libcudnn.so.9.12.0")
    c.driver(lab.RTX_4090, lab.A100)


# Settings, limits and files


@seen("broken", "error limit-stops-cudnn", says=("ulimit -v",), shell="ulimit -S -v 8000000")
def limit_of_address_space(c):
    c.healthy()
    c.driver(lab.RTX_4090, window=48 << 30)


@seen("works")
def no_limit_of_address_space_is_healthy(c):
    c.healthy()
    c.driver(lab.RTX_4090, window=48 << 30)


@seen("broken", "error cudnn-damaged", says=("✗ cuDNN",), never=("✓ cuDNN",))
def empty_copy(c):
    with_gpu(c)
    c.cuda()
    images.put(c.at(SYSTEM), *(f"lib{stem}.so.9" for stem in images.NINE), data=b"")


@seen("broken", "error cudnn-not-on-path", "warning path-entry-malformed",
      says=(f"“{OPT} ”",), LD_LIBRARY_PATH=f"{OPT} ")  # fmt: skip
def blank_behind_a_search_entry(c):
    with_gpu(c)
    c.cuda()
    c.cudnn(OPT)


@seen("works", LD_LIBRARY_PATH=OPT)
def search_entry_without_a_blank_is_healthy(c):
    with_gpu(c)
    c.cuda()
    c.cudnn(OPT)


@seen("works", LD_LIBRARY_PATH="/opt/arm")
def file_of_another_architecture_in_front(c):
    c.healthy()
    folder = images.put(c.at("/opt/arm"), "libcudnn.so.9", data=images.elf(images.AARCH64))
    assert folder


@seen("broken", "error cudnn-unreadable", says=(SYSTEM,))
def file_that_this_user_may_not_read(c):
    c.healthy()
    c.at(f"{SYSTEM}/libcudnn.so.9.10.2").chmod(0o600)
    c.everyday()


@seen("works")
def file_that_everybody_may_read_is_healthy(c):
    c.healthy()
    c.everyday()


def told(one: Seen, folder: Path):
    """The answer for scripts, and all that a person reads."""
    planted = Computer(folder / "computer")
    one.plant(planted)
    return planted.told(shell=one.shell, **one.variables)


def holds(one: Seen, folder: Path) -> None:
    """Verdict, findings and sentences are those of the table."""
    answer, text = told(one, folder)
    assert (answer.verdict, tuple(answer.findings)) == (one.verdict, one.findings), text
    assert untrue(msgspec.convert(answer.machine, Machine)) == []
    assert not [said for said in one.says if said not in text], text
    assert not [said for said in (*one.never, LOOKS_RIGHT) if said in text], text


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CASES)
def test_item(tmp_path, name):
    holds(CASES[name], tmp_path)


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
def test_where_nothing_is_planned_fix_says_what_check_says(tmp_path):
    """So that the others need not look twice (``Computer.told``)."""
    one = CASES["uvm-gone"]
    c = Computer(tmp_path / "computer")
    one.plant(c)
    assert '"changes":[{' not in c.run(*OURS, "check", "--json", "--offline").stdout
    checked, fixed = (
        c.run(*OURS, *words, "--offline") for words in (["check"], ["fix", "--dry-run"])
    )
    assert checked.stdout.strip()
    assert (fixed.stdout, fixed.returncode) == (checked.stdout, checked.returncode)
