"""Computers that our program looks at and judges, from the first system call to the verdict.

Each differs from a healthy one by what its name says. What is said about the same facts in many
more situations is held by the golden computers in tests/machines; here the facts themselves are
found: by the real loader, the real NVML and driver bindings and the real child processes.
"""

from __future__ import annotations

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

INTEL = {"vendor": "8086", "device": 0x46A6, "bus": "00000000:00:02.0"}
OLD = {**lab.RTX_4090, "name": "NVIDIA GeForce GTX 1070", "device": 0x1B81, "compute": 61}
VENV = "/home/person/venv"
SITE = f"{VENV}/lib/python3.11/site-packages"


CASES: dict[str, Case] = {}


case = collector(CASES)


@case("works")
def healthy(c):
    c.healthy()


@case("works", "info gpu-order-differs")
def healthy_with_two_gpus(c):
    c.healthy()
    c.driver(lab.RTX_4090, lab.A100, cuda_order="1,0")


@case("works", CUDA_VISIBLE_DEVICES="1")
def healthy_with_one_of_two_gpus_chosen(c):
    healthy_with_two_gpus(c)


@case("works", NVIDIA_VISIBLE_DEVICES="all")
def healthy_in_a_container(c):
    c.healthy()
    c.write("/.dockerenv")


@case("works")
def healthy_on_wsl(c):
    c.cuda()
    c.cudnn()
    wsl(c)


def wsl(c, **facts):
    c.write("/proc/sys/kernel/osrelease")
    (c.others / "osrelease").write_text("5.15.153.1-microsoft-standard-WSL2\n")
    c.write("/dev/dxg").chmod(0o666)
    c.write("/etc/ld.so.conf.d/ld.wsl.conf", "/usr/lib/wsl/lib\n")
    lab.write(c.at("/usr/lib/wsl/lib"), lab.RTX_4090, **facts)


@case("works", LD_LIBRARY_PATH="/opt/cudnn/lib")
def healthy_with_cudnn_by_variable(c):
    c.driver(lab.RTX_4090)
    c.cuda()
    c.cudnn("/opt/cudnn/lib")


@case("impossible", "error no-nvidia-gpu")
def no_gpu(c):
    c.bus(INTEL, driver="i915")


@case("broken", "error driver-missing")
def no_driver(c):
    c.bus(lab.RTX_4090)


@case("broken", "error driver-missing")
def no_driver_but_nouveau(c):
    c.bus(lab.RTX_4090, driver="nouveau")
    c.at("/sys/module/nouveau").mkdir(parents=True)


@case("broken", "error nouveau-active")
def nouveau_holds_the_gpu(c):
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)
    no_driver_but_nouveau(c)


@case("broken", "error gpu-kept-for-vm")
def gpu_kept_for_a_virtual_machine(c):
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)
    c.bus(lab.RTX_4090, driver="vfio-pci")


@case("broken", "error driver-library-mismatch")
def driver_updated_and_not_restarted(c):
    c.healthy()
    c.driver(lab.RTX_4090, module="570.86.15", nvml_init=18, cu_init=803)


@case("broken", "error secure-boot-blocks-driver")
def secure_boot(c):
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)
    c.bus(lab.RTX_4090)
    c.write(f"/lib/modules/{computer.KERNEL}/updates/dkms/nvidia.ko")
    c.write(
        "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", b"\6\0\0\0\1"
    )
    c.write("/dev/kmsg", "3,1,1,-;Loading of module with unavailable key is rejected\n")


@case("broken", "error driver-module-not-built")
def module_not_built(c):
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)
    c.bus(lab.RTX_4090)
    c.write(f"/lib/modules/{computer.KERNEL}/modules.dep", "kernel/fs/ext4.ko:\n")
    c.write("/usr/src/nvidia-580.65.06/dkms.conf")


@case("broken", "error driver-missing")
def libraries_of_a_driver_that_a_toolkit_brought(c):
    module_not_built(c)
    (c.at("/usr/src/nvidia-580.65.06/dkms.conf")).unlink()
    c.at("/usr/src/nvidia-580.65.06").rmdir()
    c.bus(lab.RTX_4090, driver="nouveau")


@case("broken", "error driver-module-not-loaded")
def module_not_loaded(c):
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)
    c.bus(lab.RTX_4090)
    c.write(f"/lib/modules/{computer.KERNEL}/modules.dep", "updates/dkms/nvidia.ko:\n")


@case("broken", "error gpu-switched-off")
def switched_to_the_processors_graphics(c):
    module_not_loaded(c)
    c.write("/etc/prime-discrete", "off\n")
    c.write("/lib/modprobe.d/blacklist-nvidia.conf", "blacklist nvidia\nalias nvidia off\n")


@case("broken", "error gpu-switched-off")
def taken_off_the_bus(c):
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)
    c.bus(INTEL, driver="i915")
    rule = 'ATTR{vendor}=="0x10de", ATTR{class}=="0x03[0-9]*", ATTR{remove}="1"\n'
    c.write("/etc/udev/rules.d/50-remove-nvidia.rules", f'ACTION=="add", {rule}')


@case("works")
def healthy_with_both_graphics_on_demand(c):
    c.healthy()
    c.bus(INTEL, driver="i915")
    c.write("/etc/prime-discrete", "on-demand\n")


@case("broken", "error stub-library-loaded", LD_LIBRARY_PATH="/usr/local/cuda/lib64/stubs")
def stub_in_front_of_the_driver(c):
    c.healthy()
    stubs = c.at(f"{c.cuda()}/lib64/stubs")
    lab.write(stubs, cu_init=34, nvml_file="")
    c.at("/usr/local/cuda").symlink_to("cuda-12.9")


@case("works", "warning stub-folder-searched", LD_LIBRARY_PATH="/usr/local/cuda-12.9/lib64/stubs")
def stub_that_nobody_opens(c):
    c.healthy()
    images.put(c.at("/usr/local/cuda-12.9/lib64/stubs"), "libcuda.so", "libnvidia-ml.so")


@case("broken", "error compat-library-used", LD_LIBRARY_PATH="/usr/local/cuda-12.9/compat")
def forward_compatibility_on_a_geforce(c):
    c.healthy()
    lab.write(c.at("/usr/local/cuda-12.9/compat"), cu_init=804, nvml_file="")


@case("broken", "error uvm-missing")
def unified_memory_module_gone(c):
    c.healthy()
    c.driver(lab.RTX_4090, cu_init=999)
    c.at("/dev/nvidia-uvm").unlink()
    c.at("/sys/module/nvidia_uvm").rmdir()


@case("broken", "error cudnn-missing")
def no_cudnn(c):
    c.driver(lab.RTX_4090)
    c.cuda()


@case("broken", "error cudnn-not-on-path")
def cudnn_where_nobody_looks(c):
    c.driver(lab.RTX_4090)
    c.cuda()
    c.cudnn("/opt/cudnn-linux-x86_64-9.10.2.21_cuda12-archive/lib")


@case("broken", "error gpu-hidden", CUDA_VISIBLE_DEVICES="-1")
def gpu_hidden(c):
    c.healthy()


@case("broken", "error compute-mode-prohibited")
def compute_prohibited(c):
    c.healthy()
    codes = {"code.cuDevicePrimaryCtxRetain": 46}
    c.driver({**lab.RTX_4090, "compute_mode": 2}, **codes)


@case("works", "warning one-gpu-stopped")
def one_of_two_gpus_is_kept_by_another_program(c):
    c.healthy()
    c.driver(lab.RTX_4090, {**lab.A100, "retain": 46})


@case("works", "warning one-gpu-stopped", "info gpu-order-differs", CUDA_VISIBLE_DEVICES="1,0")
def the_second_of_two_gpus_in_the_persons_order(c):
    c.healthy()
    c.driver({**lab.RTX_4090, "retain": 46}, lab.A100)


@case("broken", "error gpu-memory-taken")
def memory_taken(c):
    c.healthy()
    full = {**lab.RTX_4090, "used": (24 << 30) - (600 << 20), "compute_pids": "4711:24000000000"}
    codes = {"code.cuDevicePrimaryCtxRetain": 2}
    c.driver(full, **{"process.4711": "/usr/bin/python3"}, **codes)


@case("broken", "error mig-without-parts")
def mig_without_parts(c):
    c.healthy()
    c.driver({**lab.A100, "mig": 1}, cu_init=100)


@case("broken", "error gpu-lost")
def gpu_fell_off_the_bus(c):
    c.healthy()
    c.driver({**lab.RTX_4090, "handle": 15}, cu_init=100)
    c.write(
        "/dev/kmsg",
        "4,1,1,-;NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus.\n",
    )


@case("works", "warning gpu-memory-needs-restart")
def memory_row_waits_for_a_restart(c):
    c.healthy()
    c.driver({**lab.A100, "remap_pending": 1})


@case("works", "warning cuda-home-stale", CUDA_HOME="/usr/local/cuda-11.8")
def cuda_home_stale(c):
    c.healthy()


@case("works", "info empty-search-entry", LD_LIBRARY_PATH="/opt/other/lib:")
def empty_search_entry(c):
    c.healthy()


@case("works", "info cudnn-header-differs")
def header_of_another_version(c):
    c.healthy()
    images.header(c.at("/usr/include/x86_64-linux-gnu"), "9.1.0")


@case("broken", "error wsl-version-1")
def wsl_one(c):
    (c.others / "osrelease").write_text("4.4.0-19041-Microsoft\n")


@case("broken", "error wsl-linux-driver")
def linux_driver_inside_wsl(c):
    wsl(c)
    c.cudnn()
    lab.write(c.at(SYSTEM), lab.RTX_4090, nvml_init=9, cu_init=100)
    c.write("/etc/ld.so.conf.d/aa.conf", f"{SYSTEM}\n")


@case("broken", "error container-no-gpu")
def container_without_gpu(c):
    c.write("/.dockerenv")
    c.cudnn()


@case("broken", "error container-no-compute", NVIDIA_DRIVER_CAPABILITIES="utility")
def container_without_compute(c):
    c.cudnn()
    c.write("/.dockerenv")
    c.driver(lab.RTX_4090, cuda_file="")


@case("broken", "error driver-too-old", STUB_CUDNN_DAY="cudnnCreate:1001")
def driver_too_old(c):
    c.healthy()
    c.driver(lab.RTX_4090, version="470.256.02", cuda=11040)


@case("broken", "error unexplained", STUB_CUDNN_DAY="cudnnCreate:4000")
def nobody_knows_why(c):
    c.healthy()


def venv(c, version="9.10.2", **pins):
    c.write(f"{VENV}/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    c.at(f"{VENV}/bin/python").symlink_to("/usr/bin/python3")
    c.cudnn(f"{SITE}/nvidia/cudnn/lib", version)
    images.put(c.at(f"{SITE}/nvidia/cublas/lib"), "libcublas.so.12", "libcublasLt.so.12")
    images.put(c.at(f"{SITE}/nvidia/cuda_nvrtc/lib"), "libnvrtc.so.12")
    importable.torch(c, SITE)
    c.write(f"{SITE}/torch/version.py", "__version__ = '2.8.0+cu128'\ncuda = '12.8'\nhip = None\n")
    c.write(
        f"{SITE}/torch-2.8.0.dist-info/METADATA",
        "Name: torch\nVersion: 2.8.0\nRequires-Dist: nvidia-cudnn-cu12==9.10.2.21\n",
    )
    c.write(
        f"{SITE}/nvidia_cudnn_cu12-{version}.21.dist-info/METADATA",
        f"Name: nvidia-cudnn-cu12\nVersion: {version}.21\n",
    )


def tensorflow_that_wants_eight(c):
    c.write(f"{VENV}/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    c.at(f"{VENV}/bin/python").symlink_to("/usr/bin/python3")
    importable.tensorflow(c, SITE, "2.10.1", "libcublas.so.11", "libcudnn.so.8")
    c.write(
        f"{SITE}/tensorflow/python/platform/build_info.py",
        "build_info = {'is_cuda_build': True, 'cuda_version': '11.2', 'cudnn_version': '8'}\n",
    )
    c.write(f"{SITE}/tensorflow-2.10.1.dist-info/METADATA", "Name: tensorflow\nVersion: 2.10.1\n")


@case("works", VIRTUAL_ENV=VENV)
def tensorflow_wants_eight_and_nine_is_there_as_well(c):
    c.healthy()
    c.cuda("11.8.0")
    c.cudnn("/opt/cudnn8/lib", "8.9.7")
    c.write("/etc/ld.so.conf.d/cudnn8.conf", "/opt/cudnn8/lib\n")
    tensorflow_that_wants_eight(c)


@case("broken", "error cudnn-wrong-major", VIRTUAL_ENV=VENV)
def tensorflow_wants_eight_and_nine_is_there(c):
    c.healthy()
    c.cuda("11.8.0")
    tensorflow_that_wants_eight(c)


@case("works", VIRTUAL_ENV=VENV)
def torch_brings_its_own(c):
    c.driver(lab.RTX_4090)
    venv(c)


@case("broken", f"error cudnn-damaged {VENV}", VIRTUAL_ENV=VENV, STUB_CUDNN_DAY="cudnnCreate:bus")
def torch_with_a_part_cut_short(c):
    c.driver(lab.RTX_4090)
    venv(c)
    c.write(f"{SITE}/nvidia/cudnn/lib/libcudnn_ops.so.9.10.2", images.elf(cut=9))


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CASES)
def test_computer(tmp_path, name):
    one = CASES[name]
    told = one.told(tmp_path)
    assert (told.verdict, tuple(told.findings)) == (one.verdict, one.findings), told.machine
