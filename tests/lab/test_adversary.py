"""Computers of a second adversary: what was answered wrongly once, each with a healthy twin.

Real trees as in test_computers.py. Where cuDNN's own files must refuse each other, they are
compiled so that the loader says what it says of NVIDIA's.
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
from test_computers import SITE, VENV, venv

CASES: dict[str, Case] = {}
OPT = "/opt/cudnn/lib"
CUDA = "/usr/local/cuda-12.9"


case = collector(CASES)


def elsewhere(c, folder=OPT, version="9.10.2"):
    """Driver and toolkit, and a cuDNN outside the folders that are always searched."""
    c.driver(lab.RTX_4090)
    c.cuda()
    c.cudnn(folder, version)


# Lists of folders that say nearly the right thing


@case(
    "broken", "error cudnn-not-on-path", "warning path-entry-malformed", LD_LIBRARY_PATH=OPT + " "
)
def blank_behind_the_folder(c):
    elsewhere(c)


@case(
    "broken", "error cudnn-not-on-path", "warning path-entry-malformed",
    LD_LIBRARY_PATH="~/cudnn/lib",
)  # fmt: skip
def sign_for_home_that_nobody_replaced(c):
    elsewhere(c, "/home/person/cudnn/lib")


@case("works", LD_LIBRARY_PATH="/home/person/cudnn/lib/:/nowhere")
def folder_at_home_is_healthy(c):
    elsewhere(c, "/home/person/cudnn/lib")


@case("works", "warning cuda-home-malformed", CUDA_HOME=f"{CUDA}/lib64")
def name_of_a_folder_inside_the_toolkit(c):
    c.healthy()


@case("works", CUDA_HOME=f"{CUDA}/", CUDA_PATH="/usr/local/cuda")
def names_of_one_toolkit_are_healthy(c):
    c.healthy()
    c.at("/usr/local/cuda").symlink_to("cuda-12.9")


# The parts of cuDNN


def refusing(folder, name, function):
    """A main library whose check of a part answers 3009 as when the part can't be opened."""
    source = (lab.HERE / "cudnn_stub.c").read_text()
    changed = source.replace(f'DAY("{function}");', "return 3009;")
    file = folder.parent / "refusing.c"
    file.write_text(changed)
    options = ("-shared", "-fPIC", "-w", "-DMAJOR=9", "-Wl,-soname,libcudnn.so.9", "-lm")
    subprocess.run(["gcc", "-o", folder / name, file, *options], check=True)


def strange(path):
    """A part that asks for what libcudnn_graph.so.9 hasn't got."""
    source = path.parent.parent / "strange.c"
    source.write_text("extern int cudnn_of_another_version; int f(void)"
                      " { return cudnn_of_another_version; }")  # fmt: skip
    path.unlink()
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", path, source], check=True)


@case("works", "warning cudnn-part-missing", LD_LIBRARY_PATH=OPT)
def part_missing_that_convolutions_do_without(c):
    elsewhere(c)
    folder = c.at(OPT)
    refusing(folder, "libcudnn.so.9.10.2", "cudnnAdvVersionCheck")
    for file in folder.glob("libcudnn_adv.so*"):
        file.unlink()


@case("broken", "error cudnn-mixed-versions", LD_LIBRARY_PATH=OPT)
def part_of_another_version_that_the_loader_refuses(c):
    elsewhere(c)
    refusing(c.at(OPT), "libcudnn.so.9.10.2", "cudnnCnnVersionCheck")
    strange(c.at(f"{OPT}/libcudnn_cnn.so.9.10.2"))


# Hardware


@case("broken", "error gpu-firmware-stopped")
def firmware_of_the_gpu_stopped(c):
    c.healthy()
    c.driver({**lab.RTX_4090, "handle": 15}, cu_init=999)
    c.write("/dev/kmsg", "4,1,1,-;NVRM: Xid (PCI:0000:01:00): 119, pid=9, Timeout after 6s\n")


@case("broken", "error cudnn-missing", "warning gpu-firmware-stopped")
def firmware_came_back_and_cudnn_is_not_there(c):
    c.driver(lab.RTX_4090)
    c.cuda()
    c.write("/dev/kmsg", "4,1,1,-;NVRM: Xid (PCI:0000:01:00): 119, pid=9, Timeout after 6s\n")


# Python


def records(c, *names):
    c.write(f"{VENV}/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    python = c.at(f"{VENV}/bin/python")
    if not python.is_symlink():
        python.symlink_to("/usr/bin/python3")
    for name in names:
        project, _, version = name.partition("-")
        text = f"Name: {project.replace('_', '-')}\nVersion: {version}\n"
        c.write(f"{SITE}/{name}.dist-info/METADATA", text)


def jax(c, plugin):
    c.driver(lab.RTX_4090)
    parts = (f"jax_cuda12_plugin-{plugin}", f"jax_cuda12_pjrt-{plugin}")
    records(c, "jax-0.4.38", "jaxlib-0.4.38", *parts, "nvidia_cudnn_cu12-9.10.2.21")
    c.cudnn(f"{SITE}/nvidia/cudnn/lib")
    images.put(c.at(f"{SITE}/nvidia/cublas/lib"), "libcublas.so.12", "libcublasLt.so.12")
    importable.jax(c, SITE, "0.4.38")


@case("broken", f"error jax-plugin-differs {VENV}", VIRTUAL_ENV=VENV)
def jax_and_its_plugin_differ(c):
    jax(c, "0.4.30")


@case("works", VIRTUAL_ENV=VENV)
def jax_and_its_plugin_agree_and_are_healthy(c):
    jax(c, "0.4.38")


@case("broken", f"error cudnn-package-differs {VENV}", VIRTUAL_ENV=VENV)
def torch_with_an_older_cudnn_than_it_accepts(c):
    c.driver(lab.RTX_4090)
    venv(c, "9.1.0")


@case("works", VIRTUAL_ENV=VENV)
def torch_with_a_newer_cudnn_is_healthy(c):
    c.driver(lab.RTX_4090)
    venv(c, "9.15.1")


@case("broken", f"error framework-needs-packages {VENV}", VIRTUAL_ENV=VENV)
def torch_that_can_not_be_imported(c):
    c.driver(lab.RTX_4090)
    venv(c)
    pins = ("cudnn-cu12==9.10.2.21", "cublas-cu12==12.8.4.1")
    asks = "".join(f"Requires-Dist: nvidia-{pin}\n" for pin in pins)
    c.write(f"{SITE}/torch-2.8.0.dist-info/METADATA", f"Name: torch\nVersion: 2.8.0\n{asks}")
    shutil.rmtree(c.at(f"{SITE}/nvidia/cublas"))


@case("broken", f"error package-incomplete {VENV}", VIRTUAL_ENV=VENV)
def cudnn_is_there_by_its_record_alone(c):
    c.driver(lab.RTX_4090)
    venv(c)
    shutil.rmtree(c.at(f"{SITE}/nvidia/cudnn"))


@case("broken", f"error package-incomplete {VENV}", VIRTUAL_ENV=VENV)
def torch_is_there_by_its_record_alone(c):
    c.driver(lab.RTX_4090)
    venv(c)
    shutil.rmtree(c.at(f"{SITE}/torch"))


@case("broken", f"error environment-python-gone {VENV}", VIRTUAL_ENV=VENV,
      PATH=f"{VENV}/bin:/usr/bin:/bin")  # fmt: skip
def activated_environment_whose_python_an_upgrade_replaced(c):
    c.driver(lab.RTX_4090)
    venv(c)
    c.at(f"{VENV}/lib/python3.11").rename(c.at(f"{VENV}/lib/python3.10"))
    c.write(f"{VENV}/pyvenv.cfg", "home = /usr/bin\nversion = 3.10.12\n")


@case("works", VIRTUAL_ENV=VENV)
def torch_without_a_record_is_healthy(c):
    c.driver(lab.RTX_4090)
    venv(c)
    shutil.rmtree(c.at(f"{SITE}/torch-2.8.0.dist-info"))


@case("broken", f"error frameworks-disagree {VENV}", VIRTUAL_ENV=VENV)
def tensorflow_that_pins_the_cudnn_before_that_of_torch(c):
    c.driver(lab.RTX_4090)
    venv(c)
    records(c, "tensorflow-2.15.0")
    asks = 'Requires-Dist: nvidia-cudnn-cu12==8.9.4.25; extra == "and-cuda"\n'
    c.write(f"{SITE}/tensorflow-2.15.0.dist-info/METADATA", f"Name: tensorflow\n{asks}")
    importable.tensorflow(c, SITE, "2.15.0", "libcudnn.so.8")
    said = "build_info = {'is_cuda_build': True, 'cuda_version': '12.2', 'cudnn_version': '8'}\n"
    c.write(f"{SITE}/tensorflow/python/platform/build_info.py", said)


@case("broken", f"error package-incomplete {VENV}", VIRTUAL_ENV=VENV)
def torch_whose_import_asks_for_a_file_that_its_package_lost(c):
    c.driver(lab.RTX_4090)
    venv(c)
    records(c, "nvidia_cusparselt_cu12-0.7.1")
    listed = "nvidia/cusparselt/lib/libcusparseLt.so.0,sha256=x,1\n"
    c.write(f"{SITE}/nvidia_cusparselt_cu12-0.7.1.dist-info/RECORD", listed)
    said = "libcusparseLt.so.0: cannot open shared object file: No such file or directory"
    c.write(f"{SITE}/torch/__init__.py", f"raise ImportError('{said}')\n")


@case("broken", f"error framework-needs-packages {VENV}", VIRTUAL_ENV=VENV)
def torch_that_meets_an_older_library_than_it_is_linked_with(c):
    c.driver(lab.RTX_4090)
    venv(c)
    asks = "Requires-Dist: nvidia-nccl-cu12==2.27.3\n"
    c.write(f"{SITE}/torch-2.8.0.dist-info/METADATA", f"Name: torch\nVersion: 2.8.0\n{asks}")
    records(c, "nvidia_nccl_cu12-2.18.1")
    said = "libtorch_cuda.so: undefined symbol: ncclCommRegister"
    c.write(f"{SITE}/torch/__init__.py", f"raise ImportError('{said}')\n")


@case("broken", f"error cudnn-jit-only {VENV}", VIRTUAL_ENV=VENV)
def small_cudnn_in_place_of_the_whole(c):
    c.driver(lab.RTX_4090)
    venv(c)
    for gone in ("nvidia/cudnn", "nvidia_cudnn_cu12-9.10.2.21.dist-info"):
        shutil.rmtree(c.at(f"{SITE}/{gone}"))
    records(c, "nvidia_cudnn_jit_cu12-9.10.2.21")
    names = ("graph", "engines_runtime_compiled")
    small = c.at(f"{SITE}/nvidia/cudnn_jit/lib")
    images.put(small, *(f"libcudnn_{name}.so.9" for name in names))
    stub = lab.compiled("cudnn_stub.c", "libcudnn-jit.so.9", "-DMAJOR=9", "-DJIT", "-lm")
    shutil.copy(stub, small / "libcudnn.so.9")


def onnxruntime_that_runs(c, version, *files, data=None):
    """One that opens these files before it computes."""
    records(c, f"onnxruntime_gpu-{version}")
    capi = f"{SITE}/onnxruntime/capi"
    c.write(f"{capi}/build_and_package_info.py", "package_name = 'onnxruntime-gpu'\n")
    images.put(c.at(capi), "libonnxruntime_providers_cuda.so", data=data)
    importable.onnxruntime(c, SITE, version, *files)


def onnxruntime(c, version, major):
    c.healthy()
    onnxruntime_that_runs(c, version, f"libcudnn.so.{major}")


@case("broken", "error cudnn-wrong-major", VIRTUAL_ENV=VENV)
def onnxruntime_whose_files_do_not_say_that_it_wants_eight(c):
    onnxruntime(c, "1.16.3", 8)
    c.cuda("11.8.0")


@case("works", VIRTUAL_ENV=VENV)
def onnxruntime_of_nine_is_healthy(c):
    onnxruntime(c, "1.22.0", 9)


def cupy_that_calls_cudnn(c):
    """Also its own convolution stops without a cuDNN 8, which nobody asked for here."""
    records(c, "cupy_cuda12x-13.4.1")
    built = '{"cudnn": {"version": "8.9.7"}, "cuda": "12.x"}'
    c.write(f"{SITE}/cupy/.data/_wheel.json", built)
    c.write(f"{SITE}/cupy/__init__.py", "from cupy import cuda\n__version__ = '13.4.1'\n")
    count = "staticmethod(lambda number: {'name': b'Forged GPU'})"
    c.write(f"{SITE}/cupy/cuda.py", f"runtime = type('', (), {{'getDeviceProperties': {count}}})\n")
    c.write(f"{SITE}/cupy/cudnn.py", "import ctypes\nctypes.CDLL('libcudnn.so.8')\n")


@case("works", VIRTUAL_ENV=VENV)
def cupy_beside_torch_is_healthy(c):
    c.driver(lab.RTX_4090)
    venv(c)
    cupy_that_calls_cudnn(c)


@case("works", VIRTUAL_ENV=VENV)
def cupy_beside_torch_and_a_system_of_nine_is_healthy(c):
    c.healthy()
    venv(c)
    cupy_that_calls_cudnn(c)


@case("works", VIRTUAL_ENV=VENV)
def onnxruntime_that_was_built_with_the_folder_of_its_cudnn_is_healthy(c):
    c.driver(lab.RTX_4090)
    onnxruntime_that_runs(c, "1.20.1")


@case("works", f"warning frameworks-disagree {VENV}", VIRTUAL_ENV=VENV)
def ctranslate2_of_eight_beside_torch_of_nine(c):
    c.driver(lab.RTX_4090)
    venv(c)
    records(c, "ctranslate2-4.4.0")


@case("works", VIRTUAL_ENV=VENV)
def ctranslate2_of_nine_beside_torch_of_nine_is_healthy(c):
    c.driver(lab.RTX_4090)
    venv(c)
    records(c, "ctranslate2-4.6.0")


# Two faults: the deeper one comes first


@case("broken", "error gpu-hidden", CUDA_VISIBLE_DEVICES="-1", LD_LIBRARY_PATH=OPT)
def hidden_gpu_and_missing_part(c):
    elsewhere(c)
    c.at(f"{OPT}/libcudnn_ops.so.9").unlink()


@case(
    "broken", "error stub-library-loaded",
    LD_LIBRARY_PATH=f"{CUDA}/lib64/stubs", CUDA_HOME="/usr/local/cuda-11.0",
)  # fmt: skip
def stub_and_no_cudnn_and_stale_setting(c):
    c.driver(lab.RTX_4090)
    c.cuda()
    lab.write(c.at(f"{CUDA}/lib64/stubs"), cu_init=34, nvml_file="")


@case("broken", "error gpu-memory-taken", LD_LIBRARY_PATH=OPT)
def full_gpu_and_damaged_cudnn(c):
    elsewhere(c)
    images.put(c.at(OPT), "libcudnn_ops.so.9.10.2", data=b"")
    full = {**lab.RTX_4090, "used": (24 << 30) - (600 << 20), "compute_pids": "4711:24000000000"}
    codes = {"code.cuDevicePrimaryCtxRetain": 2}
    c.driver(full, **{"process.4711": "/usr/bin/python3"}, **codes)


@case("broken", f"error cpu-only-framework {VENV}", VIRTUAL_ENV=VENV)
def torch_for_the_processor_and_no_cudnn(c):
    c.driver(lab.RTX_4090)
    venv(c)
    c.write(f"{SITE}/torch/version.py", "__version__ = '2.8.0+cpu'\ncuda = None\nhip = None\n")
    shutil.rmtree(c.at(f"{SITE}/nvidia/cudnn"))


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CASES)
def test_computer(tmp_path, name):
    one = CASES[name]
    told = one.told(tmp_path)
    assert (told.verdict, tuple(told.findings)) == (one.verdict, one.findings), told.machine
