"""What a third adversary planted: things that are there, and that programs can't reach or use."""

from __future__ import annotations

from machines.case import case
from machines.elsewhere import DOCKER, HEALTHY_WSL, WSL_DRIVER
from machines.linux import ADA, BARE_LINUX, DEB, HEALTHY_LINUX, LVENV, MISSING
from machines.linux_python import HEALTHY_PIP
from machines.parts import (
    LIB,
    but,
    copy,
    entry,
    gpu,
    linux_driver,
    nodes,
    not_found,
    passed,
    python,
    stopped,
    torch_copy,
    variable,
    windows_driver,
)
from machines.planted import NO_LIBCUDA, UNSEEN_ADA
from machines.windows import (
    BARE_WINDOWS,
    CARD,
    FOUND,
    GOOD,
    HEALTHY_WINDOWS,
    KIT,
    LOST,
    MINE,
    START,
    VARIABLES,
)  # fmt: skip
from machines.windows_python import CPU, HEALTHY_TORCH, TORCH, VENV

from cudnn_assistant.machine import SYSTEM, Answer, Framework, Library, Package, Trial

# The driver


def driver_file(folder: str) -> Library:
    """The driver's library, as the look finds it in a folder."""
    return Library(
        name="cuda", path=f"{folder}/libcuda.so.1", major=1, architecture="x86_64",
        found_via=("default",),
    )  # fmt: skip


NO_CUDA = {"cuda_library": "", "cuda_init": None, "cuda": ""}
WSL_LIB = "/usr/lib/wsl/lib"
case(
    "wsl-driver-not-searched",
    "broken",
    but(
        HEALTHY_WSL,
        driver=but(WSL_DRIVER, **NO_CUDA, nvml_library="", nvml=Answer(code=12)),
        gpus=(),
        libraries=(*HEALTHY_WSL.libraries, driver_file(WSL_LIB)),
        trials=(NO_LIBCUDA,),
    ),
    "error driver-not-searched",
)
HOST = "/usr/local/nvidia/lib64"
case(
    "container-driver-not-searched",
    "broken",
    but(
        HEALTHY_LINUX,
        os=DOCKER,
        driver=linux_driver(**NO_CUDA),
        gpus=(UNSEEN_ADA,),
        libraries=(*HEALTHY_LINUX.libraries, driver_file(HOST)),
        trials=(NO_LIBCUDA,),
    ),
    "error driver-not-searched",
)
case(
    "container-driver-searched-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        os=DOCKER,
        driver=linux_driver(cuda_library=f"{HOST}/libcuda.so.1"),
        libraries=(*HEALTHY_LINUX.libraries, driver_file(HOST)),
        search=(entry(HOST, "user", "LD_LIBRARY_PATH"), *HEALTHY_LINUX.search),
    ),
)
NO_DEVICE = Answer(code=100, name="CUDA_ERROR_NO_DEVICE")
SEEN_NO_MORE = Trial(
    subject=SYSTEM, stage="driver", status="no-gpu", code=100, code_name=NO_DEVICE.name
)
case(
    "linux-device-file-missing",
    "broken",
    but(
        HEALTHY_LINUX,
        driver=linux_driver(nodes=nodes(missing="/dev/nvidia0"), cuda_init=NO_DEVICE),
        gpus=(but(ADA, cuda_index=None, nvml_index=None, seen_by=("pci",)),),
        trials=(SEEN_NO_MORE,),
    ),
    "error device-file-missing",
)
case(
    "linux-device-file-made-when-asked-for-healthy",
    "works",
    but(HEALTHY_LINUX, driver=linux_driver(nodes=nodes(missing="/dev/nvidia0"))),
)
PIPE = variable("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps", "process")
SHARED = Answer(code=805, name="CUDA_ERROR_MPS_CONNECTION_FAILED")
case(
    "linux-mps-not-answering",
    "broken",
    but(
        HEALTHY_LINUX,
        driver=linux_driver(cuda_init=SHARED),
        gpus=(UNSEEN_ADA,),
        variables=(PIPE,),
        trials=(but(SEEN_NO_MORE, code=805, code_name=SHARED.name),),
    ),
    "error mps-not-answering",
)
case("linux-mps-healthy", "works", but(HEALTHY_LINUX, variables=(PIPE,)))
case(
    "container-image-with-driver-files-and-no-gpu",
    "broken",
    but(
        HEALTHY_LINUX,
        os=DOCKER,
        driver=linux_driver(
            nodes=(), modules=(), kernel_version="", nvml=Answer(code=9), cuda_init=NO_DEVICE
        ),
        gpus=(),
        trials=(SEEN_NO_MORE,),
    ),
    "error container-no-gpu",
)

# Folders

OPT = "/opt/cudnn/lib"
THERE = copy(OPT, "9.8.0", found_via=("LD_LIBRARY_PATH",), check=None)
FORBIDDEN = Trial(
    subject=SYSTEM, gpu=ADA.uuid, stage="load", status="unloadable", missing="libcudnn.so.9",
    loaded=f"{OPT}/libcudnn.so.9",
    detail="libcudnn.so.9: failed to map segment from shared object",
)  # fmt: skip
case(
    "linux-folder-forbids-programs",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(THERE,),
        search=(entry(OPT, "user", "LD_LIBRARY_PATH"), *BARE_LINUX.search),
        trials=(FORBIDDEN,),
    ),
    "error folder-forbids-programs",
)
REFUSED_PART = stopped(
    passed(torch_copy(LVENV), ADA, LVENV),
    "sublibraries",
    3009,
    "CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED",
    detail="cudnnCnnVersionCheck: libcudnn_ops.so.9: failed to map segment from shared object",
)  # fmt: skip
case(
    "linux-folder-forbids-programs-to-pytorch",
    "broken",
    but(
        HEALTHY_PIP,
        cudnns=(THERE, *HEALTHY_PIP.cudnns),
        search=(entry(OPT, "user", "LD_LIBRARY_PATH"), *HEALTHY_PIP.search),
        trials=(FORBIDDEN, REFUSED_PART),
    ),
    f"error folder-forbids-programs {LVENV}",
)
OTHER_CHIP = but(DEB, architecture="aarch64", check=None, wins_for=(), found_via=("system-folder",))
case(
    "linux-cudnn-for-arm-where-the-loader-looks",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(OTHER_CHIP,),
        search=(entry(LIB, variable="ld.so.conf", source="/etc/ld.so.conf.d/x.conf"),),
        trials=(MISSING,),
    ),
    "error cudnn-wrong-architecture",
)

# Python

case(
    "linux-environment-python-gone",
    "broken",
    but(HEALTHY_PIP, pythons=(but(HEALTHY_PIP.pythons[0], python="", active=True),)),
    f"error environment-python-gone {LVENV}",
)
case(
    "linux-environment-python-gone-unused-healthy",
    "works",
    but(HEALTHY_LINUX, pythons=(but(HEALTHY_PIP.pythons[0], python=""),)),
)

# Two GPUs of two generations

FIRST, SECOND = gpu("RTX 4070"), gpu("GTX 1070", 1)
NEWER = but(DEB, file_version="9.12.0", check=but(DEB.check, version="9.12.0"))
REFUSED = stopped(
    passed(NEWER, SECOND), "convolution", 3007, "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"
)
case(
    "linux-second-gpu-too-old-for-cudnn",
    "works",
    but(
        HEALTHY_LINUX, gpus=(FIRST, SECOND), cudnns=(NEWER,), trials=(passed(NEWER, FIRST), REFUSED)
    ),
    "warning one-gpu-stopped",
)

# Windows

SLASHES = entry("C:/tools/cudnn/bin", folder=r"C:\tools\cudnn\bin")
AT_TOOLS = copy(r"C:\tools\cudnn\bin", "9.8.0", found_via=("PATH",), wins_for=(SYSTEM,))
case(
    "windows-path-with-forward-slashes-healthy",
    "works",
    but(
        HEALTHY_WINDOWS, cudnns=(AT_TOOLS,), search=(SLASHES, *START, MINE),
        trials=(passed(AT_TOOLS, CARD),),
    ),
)  # fmt: skip
case(
    "windows-cuda-path-to-a-folder-without-cuda",
    "works",
    but(HEALTHY_WINDOWS, variables=(variable("CUDA_PATH", r"C:\CUDA", exists=True),)),
    "warning cuda-path-stale",
)
UNDEFINED = entry(r"%CUDNN_HOME%\bin", "user", folder=r"%CUDNN_HOME%\bin", exists=False)
case(
    "windows-cudnn-behind-a-name-that-nobody-set",
    "broken",
    but(BARE_WINDOWS, cudnns=(but(GOOD, found_via=("installer",), wins_for=()),),
        search=(*START, UNDEFINED),
        variables=(VARIABLES[0], variable("Path", UNDEFINED.text, "user"), VARIABLES[2]),
        trials=(LOST,)),
    "error cudnn-not-on-path",
    "warning path-entry-unexpanded",
)  # fmt: skip
EMPTY = copy(r"C:\tools\cudnn\bin", "9.8.0", found_via=("PATH",))
EMPTY = but(
    EMPTY, check=None, parts=(but(EMPTY.parts[0], state="empty", version=""), *EMPTY.parts[1:])
)
BAD_IMAGE = Trial(
    subject=SYSTEM, gpu=CARD.uuid, stage="load", status="unloadable", code=193,
    missing="cudnn64_9.dll", loaded=r"C:\tools\cudnn\bin\cudnn64_9.dll",
)  # fmt: skip
FOUND_BEHIND = but(GOOD, wins_for=())
case(
    "windows-empty-file-first",
    "broken",
    but(
        HEALTHY_WINDOWS, cudnns=(EMPTY, FOUND_BEHIND), trials=(BAD_IMAGE,),
        search=(*START[:2], entry(EMPTY.folder), entry(GOOD.folder), *START[2:], MINE),
    ),
    "error cudnn-damaged",
)  # fmt: skip
case(
    "windows-cudnn-for-arm-first",
    "broken",
    but(
        HEALTHY_WINDOWS, trials=(BAD_IMAGE,),
        cudnns=(but(AT_TOOLS, architecture="aarch64", check=None, wins_for=()), FOUND_BEHIND),
        search=(*START[:2], entry(AT_TOOLS.folder), entry(GOOD.folder), *START[2:], MINE),
    ),
    "error cudnn-wrong-architecture",
)  # fmt: skip
E89 = copy(r"C:\tools\bin", "8.9.7", found_via=("PATH",), wins_for=(SYSTEM,))
SMALL_ZLIB = Library(
    name="zlibwapi", path=r"C:\tools\bin\zlibwapi.dll", architecture="x86", found_via=("PATH",)
)
ABORTED = Trial(
    subject=SYSTEM, gpu=CARD.uuid, gpu_name=CARD.name, stage="sublibraries", status="crashed",
    code=0xC0000409, version="8.9.7", loaded=r"C:\tools\bin\cudnn64_8.dll",
)  # fmt: skip
AT_EIGHT = but(
    HEALTHY_WINDOWS, cudnns=(E89,), search=(*START[:2], entry(E89.folder), *START[2:], MINE),
    trials=(passed(E89, CARD),),
)  # fmt: skip
case(
    "windows-zlibwapi-of-32-bits",
    "broken",
    but(AT_EIGHT, libraries=(*AT_EIGHT.libraries, SMALL_ZLIB), trials=(ABORTED,)),
    "error zlibwapi-missing",
)
TF210 = python(
    r"C:\work\tf\venv",
    Framework(
        name="tensorflow", version="2.10.1", package="tensorflow", gpu=True, cuda="11.2",
        cudnn="8.1", cudnn_from="system",
    ),
)  # fmt: skip
case(
    "windows-tensorflow-with-the-next-cudnn",
    "broken",
    but(HEALTHY_WINDOWS, pythons=(TF210,), toolkits=(KIT, but(KIT, version="11.2"))),
    "error cudnn-wrong-major",
)
A100 = but(
    gpu("RTX 3060"), name="NVIDIA A100-PCIE-40GB", compute="8.0", driver_model="tcc", ecc=True,
    ecc_uncorrected=0, remap_pending=False, remap_failed=False, mig=False, pci_id="10de:20f1",
)  # fmt: skip
case(
    "windows-server-with-tcc-healthy",
    "works",
    but(
        HEALTHY_WINDOWS, os=but(HEALTHY_WINDOWS.os, name="Windows Server 2022 Standard"),
        gpus=(A100,), other_gpus=("Microsoft Basic Display Adapter",), trials=(passed(GOOD, A100),),
    ),
)  # fmt: skip
DIRECTML = python(
    r"C:\work\directml\venv",
    Framework(name="onnxruntime", version="1.22.0", package="onnxruntime-directml", gpu=False),
    (Package(name="onnxruntime-directml", version="1.22.0"),),
)
case(
    "windows-directml-beside-torch-healthy", "works", but(HEALTHY_TORCH, pythons=(TORCH, DIRECTML))
)
T118 = but(
    TORCH,
    packages=(Package(name="torch", version="2.3.1+cu118"),),
    frameworks=(
        but(
            TORCH.frameworks[0], version="2.3.1", cuda="11.8", cudnn="8.7",
            architectures=("5.0", "6.0", "7.0", "7.5", "8.0", "8.6", "9.0"),
        ),
    ),
)  # fmt: skip
B87 = torch_copy(VENV, "8.7.0", cuda_major=11)
case(
    "windows-old-driver-with-old-torch-healthy",
    "works",
    but(
        HEALTHY_TORCH, driver=windows_driver("456.71", "11.1"), pythons=(T118,), cudnns=(B87,),
        trials=(not_found("cudnn64_9.dll", CARD), passed(B87, CARD, VENV)),
    ),
)  # fmt: skip

# A cuDNN that nobody asks for isn't why a program for the processor alone doesn't use the GPU.

case(
    "windows-torch-cpu-only-beside-unsearched-cudnn",
    "broken",
    but(HEALTHY_TORCH, pythons=(CPU,), cudnns=(FOUND,), trials=(LOST,)),
    rf"error cpu-only-framework {VENV}",
    "info spare-cudnn-not-searched",
)
BLANKS = entry(rf"  {GOOD.folder} ", folder=GOOD.folder)
case(
    "windows-path-with-blanks-not-searched",
    "broken",
    but(
        BARE_WINDOWS,
        cudnns=(FOUND,),
        search=(*START, BLANKS),
        trials=(LOST,),
        variables=(variable("Path", BLANKS.text), *VARIABLES[1:]),
    ),
    "error cudnn-not-on-path",
    "warning path-entry-malformed",
)
case(
    "windows-path-with-blanks-healthy",
    "works",
    but(HEALTHY_WINDOWS, search=(BLANKS, *START, MINE)),
)
