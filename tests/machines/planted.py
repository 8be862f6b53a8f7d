"""Faults that an adversary would plant: close to others, and told apart from them."""

from __future__ import annotations

from machines.case import case
from machines.elsewhere import HEALTHY_WSL, WGPU, WSL_DRIVER
from machines.linux import (
    ADA,
    BARE_LINUX,
    BY_UBUNTU,
    CONF,
    DEB,
    DEFAULT,
    HEALTHY_LINUX,
    LATE,
    LBLAS,
    LVENV,
    MISSING,
)
from machines.linux_python import HEALTHY_PIP
from machines.parts import (
    LIB,
    UBUNTU,
    but,
    copy,
    cublas,
    entry,
    gpu,
    linux_driver,
    linux_toolkit,
    passed,
    python,
    shell,
    spoiled,
    stopped,
    torch,
    torch_copy,
    variable,
)
from machines.windows import CARD, HEALTHY_WINDOWS

from cudnn_assistant.machine import (
    SYSTEM,
    Answer,
    Framework,
    Kernel,
    Machine,
    PythonEnvironment,
    Trial,
    Value,
    Variable,
)

NO_LIBCUDA = Trial(
    subject="system",
    stage="driver",
    status="no-gpu",
    missing="libcuda.so.1",
    detail="libcuda.so.1: cannot open shared object file: No such file or directory",
)
REFUSED = Trial(
    subject="system", stage="driver", status="no-gpu", code=999, code_name="CUDA_ERROR_UNKNOWN"
)
UNSEEN_ADA = but(ADA, cuda_index=None, seen_by=("pci", "nvml"))
SILENT = Answer(code=999, name="CUDA_ERROR_UNKNOWN")

# The driver's three parts

case(
    "linux-driver-incomplete",
    "broken",
    but(
        HEALTHY_LINUX,
        libraries=(*LBLAS, but(BY_UBUNTU, name="nvml", path=f"{LIB}/libnvidia-ml.so.1")),
        driver=linux_driver(cuda_library="", cuda_init=None),
        gpus=(UNSEEN_ADA,),
        trials=(NO_LIBCUDA,),
    ),
    "error driver-incomplete",
)
case(
    "windows-driver-incomplete",
    "broken",
    but(
        HEALTHY_WINDOWS,
        driver=but(HEALTHY_WINDOWS.driver, cuda_library="", cuda_init=None),
        gpus=(but(CARD, cuda_index=None),),
        trials=(but(NO_LIBCUDA, missing="nvcuda.dll", detail=""),),
    ),
    "error driver-incomplete",
)
case(
    "linux-cuda-does-not-start",
    "broken",
    but(
        HEALTHY_LINUX,
        driver=linux_driver(cuda_init=SILENT),
        gpus=(UNSEEN_ADA,),
        trials=(REFUSED,),
    ),
    "error cuda-does-not-start",
)
case(
    "wsl-cuda-does-not-start",
    "broken",
    but(
        HEALTHY_WSL,
        driver=but(WSL_DRIVER, cuda_init=but(SILENT, code=100, name="CUDA_ERROR_NO_DEVICE")),
        gpus=(but(WGPU, cuda_index=None, seen_by=("nvml",)),),
        trials=(but(REFUSED, code=100, code_name="CUDA_ERROR_NO_DEVICE"),),
    ),
    "error wsl-cuda-does-not-start",
)
case(
    "linux-no-device-started",
    "broken",
    but(
        HEALTHY_LINUX,
        driver=linux_driver(cuda_init=but(SILENT, code=100, name="CUDA_ERROR_NO_DEVICE")),
        gpus=(but(ADA, cuda_index=None, nvml_index=None, seen_by=("pci",)),),
        trials=(but(REFUSED, code=100, code_name="CUDA_ERROR_NO_DEVICE"),),
    ),
    "error gpu-does-not-start",
)
case(
    "linux-container-default-capabilities",
    "broken",
    but(
        HEALTHY_LINUX,
        os=but(UBUNTU, container="docker"),
        driver=linux_driver(cuda_library="", cuda_init=None),
        gpus=(UNSEEN_ADA,),
        trials=(NO_LIBCUDA,),
    ),
    "error container-no-compute",
)
case(
    "linux-compute-mode-exclusive-elsewhere",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, compute_mode="exclusive-process"),),
        trials=(but(REFUSED, stage="context", status="status-code", code=46, gpu=ADA.uuid),),
    ),
    "error compute-mode-exclusive",
)
# Settings

case(
    "linux-gpu-hidden-in-terminals",
    "works",
    but(HEALTHY_LINUX, variables=(shell("CUDA_VISIBLE_DEVICES", "-1"),)),
    "warning gpu-hidden",
)
KERNELS = "/home/kim/.local/share/jupyter/kernels"


def in_notebooks(value: str, *others: Kernel) -> Machine:
    """A healthy computer whose notebooks are given this CUDA_VISIBLE_DEVICES."""
    said = Variable(scope="user", name="CUDA_VISIBLE_DEVICES", value=Value(text=value))
    kernels = (Kernel(path=f"{KERNELS}/ai/kernel.json", variables=(said,)), *others)
    one = PythonEnvironment(id="/home/kim/ai", python="/home/kim/ai/bin/python",
                            kind="venv", found_via=("jupyter",), notebooks=kernels)  # fmt: skip
    return but(HEALTHY_LINUX, pythons=(*HEALTHY_LINUX.pythons, one))


case("linux-gpu-hidden-in-notebooks", "works", in_notebooks(""), "warning notebook-hides-gpu")
case("linux-one-gpu-chosen-in-notebooks-healthy", "works", in_notebooks("0"))
case(
    "linux-notebooks-with-and-without-gpu-healthy",
    "works",
    in_notebooks("", Kernel(path=f"{KERNELS}/ai-gpu/kernel.json")),
)
case(
    "linux-one-gpu-chosen-in-terminals-healthy",
    "works",
    but(HEALTHY_LINUX, variables=(shell("CUDA_VISIBLE_DEVICES", "0"),)),
)
case(
    "linux-cuda-home-not-replaced",
    "works",
    but(HEALTHY_LINUX, variables=(variable("CUDA_HOME", "$HOME/cuda", "process"),)),
    "warning cuda-home-stale",
)

# Files of cuDNN

OPT = "/opt/cudnn/lib"
LISTED = entry(OPT, variable="ld.so.conf", source="/etc/ld.so.conf.d/cudnn.conf")
case(
    "linux-search-folder-closed",
    "broken",
    but(
        BARE_LINUX,
        search=(entry(OPT, "user", "LD_LIBRARY_PATH", closed=True), CONF, DEFAULT),
        trials=(MISSING,),
    ),
    "error search-folder-closed",
)
case(
    "linux-loader-list-not-renewed",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(copy(OPT, "9.8.0", found_via=("ld.so.conf",)),),
        search=(CONF, LISTED, DEFAULT),
        trials=(MISSING,),
    ),
    "error loader-list-not-renewed",
)
case(
    "linux-loader-list-renewed-healthy",
    "works",
    but(
        BARE_LINUX,
        cudnns=(OPTED := copy(OPT, "9.8.0", found_via=("ld.so.conf", "ld-cache")),),
        search=(CONF, LISTED, DEFAULT),
        trials=(passed(OPTED, ADA),),
    ),
)
case(
    "linux-cudnn-damaged-and-not-searched",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(spoiled(copy(OPT, "9.8.0", found_via=("default",)), "graph", "truncated"),),
        trials=(MISSING,),
    ),
    "error cudnn-damaged",
)
EIGHT_AS_NINE = but(
    copy(OPT, "9.8.0", found_via=("LD_LIBRARY_PATH",), wins_for=("system",)),
    file_version="8.9.7",
    check=None,
)
case(
    "linux-cudnn-renamed-and-tested",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(EIGHT_AS_NINE,),
        search=(entry(OPT, "user", "LD_LIBRARY_PATH"), CONF, DEFAULT),
        trials=(but(passed(EIGHT_AS_NINE, ADA), version="8.9.7"),),
    ),
    "error cudnn-renamed",
)

SYSTEM32 = "C:\\Windows\\System32"
FIRST = entry(SYSTEM32, variable="default")
case(
    "windows-part-of-cudnn-in-system32",
    "broken",
    but(
        HEALTHY_WINDOWS,
        search=(FIRST, *HEALTHY_WINDOWS.search),
        trials=(
            but(
                stopped(
                    HEALTHY_WINDOWS.trials[0],
                    "sublibraries",
                    1002,
                    "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
                ),
                mapped=(*HEALTHY_WINDOWS.trials[0].mapped, f"{SYSTEM32}\\cudnn_ops64_9.dll"),
            ),
        ),
    ),
    "error stray-cudnn-first",
)
case(
    "windows-cuda-path-quoted",
    "works",
    but(
        HEALTHY_WINDOWS,
        variables=(variable("CUDA_PATH", f'"{HEALTHY_WINDOWS.toolkits[0].root}"'),),
    ),
    "warning cuda-path-malformed",
)

# The system's own Python, whose root holds the toolkits too

USR = but(python("/usr", None), kind="system", sites=("/usr/lib/python3/dist-packages",))
KIT = linux_toolkit("12.8")
case(
    "linux-cuda-not-searched-beside-system-python",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(DEB,),
        libraries=cublas(KIT, "toolkit"),
        search=(DEFAULT,),
        pythons=(USR,),
        trials=(stopped(passed(DEB, ADA), "convolution", 4000, "CUDNN_STATUS_INTERNAL_ERROR"),),
    ),
    "error cuda-not-on-path",
)

# Frameworks

CPU_TORCH = python(LVENV, Framework(name="torch", version="2.9.0", gpu=False, cudnn_from="none"))
case(
    "linux-cpu-torch-without-cudnn",
    "broken",
    but(BARE_LINUX, pythons=(CPU_TORCH,), trials=(MISSING,)),
    f"error cpu-only-framework {LVENV}",
)
FRESH = gpu("RTX 5090")
NEWER = torch(LVENV)
OLD_TORCH = but(NEWER, frameworks=(but(NEWER.frameworks[0], cuda="11.8", architectures=()),))
OWN_OLD = torch_copy(LVENV)
case(
    "linux-torch-for-older-cuda-than-gpu",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(FRESH,),
        cudnns=(OWN_OLD,),
        pythons=(OLD_TORCH,),
        trials=(passed(OWN_OLD, FRESH, LVENV),),
    ),
    f"error gpu-too-new-for-framework {LVENV}",
)
case(
    "linux-torch-cublas-gone",
    "broken",
    but(
        HEALTHY_PIP,
        libraries=(),
        trials=(
            stopped(
                passed(torch_copy(LVENV), ADA, LVENV),
                "convolution",
                5002,
                "CUDNN_STATUS_EXECUTION_FAILED_CUBLAS",
            ),
        ),
    ),
    f"error cublas-missing-in-environment {LVENV}",
)
ASKED = "Invalid handle. Cannot load symbol cublasLtCreate"
"""What cuDNN 9.14 was seen to print without cuBLAS, before it aborted."""
case(
    "linux-torch-cublas-asked-for",
    "broken",
    but(
        HEALTHY_PIP,
        libraries=(),
        trials=(
            but(
                stopped(passed(torch_copy(LVENV), ADA, LVENV), "convolution", -6, "SIGABRT"),
                status="missing-library",
                missing="libcublasLt.so.12",
                output=ASKED,
            ),
        ),
    ),
    f"error cublas-missing-in-environment {LVENV}",
)
case(
    "linux-cudnn-of-wheel-without-cublas",
    "broken",
    but(
        BARE_LINUX,
        toolkits=(),
        libraries=(),
        variables=(),
        cudnns=(but(LATE, wins_for=(SYSTEM,)),),
        search=(LISTED, DEFAULT),
        trials=(
            but(
                stopped(passed(LATE, ADA), "convolution", -6, "SIGABRT"),
                status="missing-library",
                missing="libcublasLt.so.12",
                output=ASKED,
            ),
        ),
    ),
    "error cuda-missing",
)
case(
    "linux-toolkit-without-cublas",
    "broken",
    but(
        BARE_LINUX,
        libraries=(),
        cudnns=(DEB,),
        trials=(
            but(
                stopped(passed(DEB, ADA), "convolution", -6, "SIGABRT"),
                status="missing-library",
                missing="libcublasLt.so.12",
                output=ASKED,
            ),
        ),
    ),
    "error cuda-missing",
)
