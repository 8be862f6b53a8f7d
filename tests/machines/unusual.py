"""Computers that are unusual and healthy, and the broken ones that look like them."""

from __future__ import annotations

from machines.case import COMPUTERS, case
from machines.elsewhere import DOCKER, DXG, HEALTHY_WSL, WGPU, WSL, WSL_DRIVER
from machines.linux import (
    ADA,
    BARE_LINUX,
    DEB,
    DEFAULT,
    HEALTHY_LINUX,
    HOME,
    LBLAS,
    LKIT,
    LOWN,
    LTORCH,
    LVENV,
    MISSING,
)
from machines.linux_python import HEALTHY_PIP
from machines.parts import (
    GIB,
    LIB,
    TOOLKITS,
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
    site,
    spoiled,
    stopped,
    torch_copy,
    variable,
    windows_driver,
    windows_toolkit,
)
from machines.windows import (
    CARD,
    CUDNN,
    ELSEWHERE,
    GOOD,
    HEALTHY_WINDOWS,
    KIT,
    LOST,
    MINE,
    NO_NINE,
    START,
    VARIABLES,
)
from machines.windows_python import HEALTHY_TORCH, NOTHING, OWN, SHIM, TORCH, VENV

from cudnn_assistant.machine import (
    SYSTEM,
    Answer,
    CudnnCopy,
    DeviceNode,
    Framework,
    Gpu,
    GpuProcess,
    Library,
    LibraryCheck,
    PartCheck,
    Toolkit,
    Trial,
    Value,
)

NO_GPU = Trial(subject=SYSTEM, stage="driver", status="no-gpu", code=100)
NONE_SHOWN = {"gpus": (but(ADA, cuda_index=None),), "trials": (NO_GPU,)}

# Schedulers hand out GPUs; where they gave none, no setting is wrong.

JOB = variable("SLURM_JOB_ID", "4711", "process")
case(
    "slurm-job-without-gpu",
    "broken",
    but(
        HEALTHY_LINUX,
        **NONE_SHOWN,
        driver=linux_driver(cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE")),
        variables=(JOB, variable("CUDA_VISIBLE_DEVICES", "", "process")),
    ),
    "error job-without-gpu",
)
case(
    "slurm-job-fenced-off",
    "broken",
    but(
        HEALTHY_LINUX,
        **NONE_SHOWN,
        driver=linux_driver(
            nvml=Answer(code=4, name="NVML_ERROR_NO_PERMISSION"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
        variables=(JOB,),
    ),
    "error job-without-gpu",
)
FIRST, SECOND = gpu("RTX 4070"), gpu("RTX 2080 Ti", 1)
case(
    "slurm-job-with-one-of-two-gpus-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        gpus=(FIRST, but(SECOND, cuda_index=None)),
        variables=(
            JOB,
            variable("SLURM_JOB_GPUS", "0", "process"),
            variable("CUDA_VISIBLE_DEVICES", "0", "process"),
        ),
        trials=(passed(DEB, FIRST),),
    ),
)
POD = variable("KUBERNETES_SERVICE_PORT", "443", "process")
case(
    "kubernetes-pod-without-gpu",
    "broken",
    but(BARE_LINUX, os=DOCKER, driver=None, gpus=(), toolkits=(), libraries=(), variables=(POD,)),
    "error job-without-gpu",
)
case(
    "kubernetes-pod-healthy",
    "works",
    but(HEALTHY_LINUX, os=DOCKER, driver=linux_driver(module_on_disk=None), variables=(POD,)),
)

# WSL has one way to a GPU.

NO_DXG = (DeviceNode(path="/dev/dxg", exists=False),)
case(
    "wsl-without-device-and-linux-driver-that-answers",
    "broken",
    but(HEALTHY_WSL, driver=but(WSL_DRIVER, cuda_library=f"{LIB}/libcuda.so.1", nodes=NO_DXG)),
    "error wsl-linux-driver",
)
case(
    "wsl-driver-store-healthy",
    "works",
    but(
        HEALTHY_WSL,
        driver=but(
            WSL_DRIVER, cuda_library="/usr/lib/wsl/drivers/nv_dispi.inf_amd64_1/libcuda.so.1.1"
        ),
    ),
)
case(
    "wsl-container-healthy",
    "works",
    but(
        HEALTHY_WSL,
        os=but(WSL, container="docker"),
        driver=but(WSL_DRIVER, cuda_library=f"{LIB}/libcuda.so.1", nodes=(DXG,)),
        gpus=(but(WGPU, pci_bus=""),),
    ),
)

# Several GPUs

case(
    "linux-two-generations-healthy",
    "works",
    but(HEALTHY_LINUX, gpus=(FIRST, SECOND), trials=(passed(DEB, FIRST), passed(DEB, SECOND))),
)
BUSY = Trial(
    subject=SYSTEM, gpu=SECOND.uuid, gpu_name=SECOND.name, stage="context", status="status-code",
    code=46, code_name="CUDA_ERROR_DEVICE_UNAVAILABLE",
)  # fmt: skip
case(
    "linux-second-gpu-prohibited",
    "works",
    but(
        HEALTHY_LINUX,
        gpus=(FIRST, but(SECOND, compute_mode="prohibited")),
        trials=(passed(DEB, FIRST), BUSY),
    ),
    "warning compute-mode-prohibited",
)
case(
    "linux-second-gpu-busy-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        gpus=(
            FIRST,
            but(
                SECOND,
                memory_free=90 << 20,
                processes=(GpuProcess(pid=812, name="vllm", memory=10 * GIB),),
            ),
        ),
        trials=(
            passed(DEB, FIRST),
            but(BUSY, status="out-of-memory", code=2, code_name="CUDA_ERROR_OUT_OF_MEMORY"),
        ),
    ),
    "info gpu-memory-taken",
)
case(
    "linux-log-of-another-gpu-that-fell-off",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(FIRST, cuda_index=None, nvml_index=None, seen_by=("pci",)), SECOND),
        driver=linux_driver(
            cuda_init=Answer(code=100), log=("NVRM: GPU 0000:02:00.0: has fallen off the bus.",)
        ),
        trials=(),
    ),
    "error cuda-does-not-start",
)
case(
    "linux-second-gpu-fell-off",
    "works",
    but(
        HEALTHY_LINUX,
        gpus=(FIRST, but(SECOND, cuda_index=None, xids=(79,), seen_by=("pci",))),
        driver=linux_driver(log=("Xid (PCI:0000:02:00): 79, GPU has fallen off the bus",)),
    ),
    "warning gpu-lost",
)

MAXWELL = but(
    gpu("GTX 980", 1), seen_by=("pci",), cuda_index=None, nvml_index=None, kernel_driver=""
)
case(
    "linux-second-gpu-dropped-by-driver-healthy",
    "works",
    but(HEALTHY_LINUX, gpus=(FIRST, MAXWELL), driver=linux_driver("590.44.01", "13.1")),
    "info gpu-dropped-by-driver",
)

NOUVEAU = but(
    gpu("GTX 980", 1), seen_by=("pci",), cuda_index=None, nvml_index=None, kernel_driver="nouveau"
)
case(
    "linux-second-gpu-held-by-nouveau-healthy",
    "works",
    but(HEALTHY_LINUX, gpus=(FIRST, NOUVEAU)),
    "info nouveau-active",
)
case(
    "linux-second-gpu-kept-for-vm-healthy",
    "works",
    but(HEALTHY_LINUX, gpus=(FIRST, but(NOUVEAU, kernel_driver="vfio-pci"))),
)

# Other processors, other makers of software

ORIN = Gpu(
    name="Orin", uuid="GPU-0fa0cafe-0000-1111-2222-000000000000", compute="8.7", cuda_index=0,
    architecture="Ampere", memory_total=32 * GIB, memory_free=20 * GIB, seen_by=("cuda",),
)  # fmt: skip
ARM_LIB, ARM_KIT = "/usr/lib/aarch64-linux-gnu", "/usr/local/cuda-12.6/targets/aarch64-linux/lib"
JETSON_DRIVER = linux_driver(
    "540.4.0",
    "12.6",
    nvml=None,
    nvml_library="",
    modules=("nvidia",),
    nodes=(),
    cuda_library=f"{ARM_LIB}/nvidia/libcuda.so.1",
)
JETPACK = copy(
    ARM_LIB, "9.3.0", architecture="aarch64", found_via=("ld-cache",), wins_for=(SYSTEM,)
)
case(
    "jetson-healthy",
    "works",
    but(
        BARE_LINUX,
        os=but(UBUNTU, architecture="aarch64", version="5.15.148-tegra", name="Ubuntu 22.04.5 LTS"),
        driver=JETSON_DRIVER,
        gpus=(ORIN,),
        toolkits=(Toolkit(version="12.6", root="/usr/local/cuda-12.6", libraries=(ARM_KIT,)),),
        libraries=tuple(
            but(one, architecture="aarch64", path=f"{ARM_KIT}/lib{one.name}.so.12") for one in LBLAS
        ),
        variables=(),
        search=(entry(ARM_KIT, variable="ld.so.conf"), entry(ARM_LIB, variable="default")),
        cudnns=(JETPACK,),
        trials=(passed(JETPACK, ORIN),),
    ),
)  # fmt: skip
CONDA = f"{HOME}/miniconda3/envs/x"
IN_CONDA = copy(
    f"{CONDA}/lib", "9.3.0", environment=CONDA, found_via=("conda",), wins_for=(CONDA,),
    owner="cudnn 9.3.0.75 cuda12.6_0",
)  # fmt: skip
CONDA_TORCH = Framework(
    name="torch", version="2.5.1", package="pytorch", gpu=True, cuda="12.4", cudnn="9.1",
    cudnn_from="conda",
)  # fmt: skip
case(
    "linux-conda-pip-and-system-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        pythons=(LTORCH, but(python(CONDA, CONDA_TORCH), kind="conda")),
        cudnns=(DEB, LOWN, IN_CONDA),
        trials=(passed(DEB, ADA), passed(LOWN, ADA, LVENV), passed(IN_CONDA, ADA, CONDA)),
    ),
)
case(
    "linux-cuda-home-of-conda-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        variables=(shell("CUDA_HOME", CONDA),),
        libraries=(*LBLAS, but(LBLAS[2], path=f"{CONDA}/lib/libcudart.so.12")),
    ),
)
case(
    "linux-uv-managed-python-healthy",
    "works",
    but(
        HEALTHY_PIP,
        pythons=(
            but(LTORCH, kind="uv", pip=False),
            but(
                python(f"{HOME}/.local/share/uv/python/cpython-3.12.7-linux-x86_64-gnu", None),
                kind="uv",
                externally_managed=True,
            ),
        ),
    ),
)
case(
    "linux-toolkit-without-cudnn-beside-torch-healthy",
    "works",
    but(HEALTHY_PIP, toolkits=(LKIT,), libraries=LBLAS, search=HEALTHY_LINUX.search),
)
K13 = linux_toolkit("13.0")
NINE13 = copy(LIB, "9.14.0", 13, found_via=("ld-cache",), wins_for=(SYSTEM,))
case(
    "linux-cuda-13-only-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        driver=linux_driver("580.65.06", "13.0"),
        toolkits=(K13,),
        libraries=cublas(K13, "ld-cache"),
        search=(entry(K13.libraries[0], variable="ld.so.conf"), DEFAULT),
        cudnns=(NINE13,),
        trials=(passed(NINE13, ADA),),
    ),
)

# The files of cuDNN


def without_links(folder: str) -> CudnnCopy:
    """A copy of which only the names for compilers are left."""
    whole = copy(folder, "9.8.0", header_version="9.8.0", found_via=("default",))
    parts = tuple(but(p, state="missing", version="") for p in whole.parts)
    return but(whole, file="libcudnn.so", file_version="", parts=parts, check=None)


case(
    "linux-cudnn-without-links",
    "broken",
    but(BARE_LINUX, cudnns=(without_links("/opt/cudnn/lib"),), trials=(MISSING,)),
    "error cudnn-links-missing",
)
ABORTS = LibraryCheck(
    status="crashed",
    code=-6,
    version="9.8.0",
    parts=(
        PartCheck(call="cudnnGraphVersionCheck", status="ok"),
        PartCheck(call="cudnnCnnVersionCheck", status="crashed", code=-6),
        PartCheck(call="cudnnAdvVersionCheck", status="ok"),
    ),
)
case(
    "linux-one-part-ends-the-program",
    "broken",
    but(
        HEALTHY_LINUX,
        cudnns=(but(DEB, check=ABORTS),),
        trials=(
            but(
                passed(DEB, ADA), stage="sublibraries", status="crashed", code=-6,
                code_name="SIGABRT", checks=(), times=(),
            ),
        ),
    ),
    "error unexplained",
)  # fmt: skip
case(
    "linux-spare-old-copy-without-a-part-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        cudnns=(
            DEB,
            spoiled(
                copy("/opt/old/lib", "8.9.7", 11, found_via=("default",)), "cnn_infer", "missing"
            ),
        ),
    ),
)
L89 = copy(LIB, "8.9.7", found_via=("ld-cache",), wins_for=(SYSTEM,))
case(
    "linux-libcuda-name-missing",
    "broken",
    but(
        HEALTHY_LINUX,
        cudnns=(L89,),
        trials=(
            but(MISSING, stage="convolution", missing="libcuda.so", loaded=f"{LIB}/libcudnn.so.8"),
        ),
    ),
    "error libcuda-name-missing",
)
FRESH = gpu("RTX 5090")
OLDER = but(
    LTORCH.frameworks[0], version="2.6.0", cuda="12.4", cudnn="9.1",
    architectures=("5.0", "6.0", "7.0", "7.5", "8.0", "8.6", "9.0"),
)  # fmt: skip
OWN_91 = torch_copy(LVENV, "9.1.0")
case(
    "linux-torch-and-its-cudnn-older-than-gpu",
    "broken",
    but(
        HEALTHY_PIP,
        gpus=(FRESH,),
        pythons=(but(LTORCH, frameworks=(OLDER,)),),
        cudnns=(OWN_91,),
        trials=(
            MISSING,
            stopped(
                passed(OWN_91, FRESH, LVENV),
                "convolution",
                3007,
                "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH",
            ),
        ),
    ),
    f"error gpu-too-new-for-framework {LVENV}",
)

# A cuDNN that starts is no CUDA

TF210 = python(
    f"{HOME}/tf/venv",
    Framework(
        name="tensorflow", version="2.10.1", package="tensorflow", gpu=True, cuda="11.2",
        cudnn="8.1", cudnn_from="system",
    ),
)  # fmt: skip
case(
    "linux-cudnn-without-the-programs-cuda",
    "broken",
    but(HEALTHY_LINUX, pythons=(TF210,), cudnns=(L89,), trials=(passed(L89, ADA),)),
    "error program-needs-other-cuda",
)
case(
    "linux-cudnn-with-the-programs-cuda-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        pythons=(TF210,),
        cudnns=(L89,),
        trials=(passed(L89, ADA),),
        toolkits=(LKIT, but(linux_toolkit("11.8"), links=())),
    ),
)

# Several faults at once: the lowest is told, the rest after it is mended

OLD_DRIVER = case(
    "linux-old-driver-and-part-missing",
    "broken",
    but(
        BARE_LINUX,
        driver=linux_driver("470.256.02", "11.4"),
        cudnns=(spoiled(DEB, "ops", "missing"),),
        trials=(
            but(
                NO_GPU,
                status="status-code",
                code=35,
                gpu=ADA.uuid,
                code_name="CUDA_ERROR_INSUFFICIENT_DRIVER",
            ),
        ),
    ),
    "error driver-too-old",
)
# The driver of the computer around it is no package of this system's.
case("container-driver-too-old", "broken", but(OLD_DRIVER, os=DOCKER), "error driver-too-old")
case(
    "wsl-driver-too-old",
    "broken",
    but(OLD_DRIVER, os=WSL, driver=but(WSL_DRIVER, version="472.12", cuda="11.4"), gpus=(WGPU,)),
    "error driver-too-old",
)
case(
    "linux-driver-of-virtual-gpu-too-old",
    "broken",
    but(OLD_DRIVER, gpus=(but(ADA, virtualization="vgpu", name="GRID A100-10C"),)),
    "error driver-too-old",
)
HIDDEN = COMPUTERS["windows-gpu-hidden"].machine
case(
    "windows-gpu-hidden-by-nothing",
    "broken",
    but(HIDDEN, variables=(variable("CUDA_VISIBLE_DEVICES", "", "user"),)),
    "error gpu-hidden",
)
CUPY = Framework(
    name="cupy", version="13.3.0", package="cupy-cuda12x", gpu=True, cuda="12", cudnn="8",
    cudnn_from="system",
)  # fmt: skip
WITH_TORCH = COMPUTERS["linux-torch-healthy"].machine
case(
    "linux-cupy-without-cudnn-beside-torch-healthy",
    "works",
    but(WITH_TORCH, pythons=(*WITH_TORCH.pythons, python("/home/kim/cupy/venv", CUPY))),
)
(ITS_TORCH,) = WITH_TORCH.pythons[0].frameworks
WITHOUT_PASCAL = but(ITS_TORCH, architectures=("7.5", "8.0", "8.6", "9.0", "12.0"))
case(
    "linux-torch-for-the-first-of-two-gpus",
    "unknown",
    but(
        WITH_TORCH,
        gpus=(*WITH_TORCH.gpus, gpu("GTX 1070", 1)),
        pythons=(but(WITH_TORCH.pythons[0], frameworks=(WITHOUT_PASCAL,)),),
        trials=(),
    ),
    "info gpu-too-old-for-framework /home/kim/ai/venv",
)
FOR_PROCESSOR = COMPUTERS["windows-torch-cpu-only"].machine
case(
    "windows-torch-for-amd",
    "broken",
    but(
        FOR_PROCESSOR,
        pythons=tuple(
            but(e, frameworks=tuple(but(f, version="2.9.0+rocm6.4") for f in e.frameworks))
            for e in FOR_PROCESSOR.pythons
        ),
    ),
    r"error cpu-only-framework C:\ai\venv",
)
OLD_TENSORFLOW = Framework(
    name="tensorflow", version="2.10.0", package="tensorflow", gpu=True, cuda="11.2", cudnn="8.1",
    cudnn_from="system",
)  # fmt: skip
case(
    "windows-tensorflow-210-meets-blackwell",
    "impossible",
    but(
        COMPUTERS["windows-cudnn-missing"].machine,
        gpus=(gpu("RTX 5090"),),
        pythons=(python(r"C:\ai\venv", OLD_TENSORFLOW),),
    ),
    "error gpu-too-new-for-cuda",
)
case(
    "jetson-driver-too-old",
    "broken",
    but(
        COMPUTERS["jetson-healthy"].machine,
        driver=but(JETSON_DRIVER, version="470.1", kernel_version="470.1", cuda="11.4"),
        trials=(),
    ),
    "error driver-too-old",
)
case(
    "jetson-without-leave-to-use-its-gpu",
    "unknown",
    but(
        COMPUTERS["jetson-healthy"].machine,
        driver=but(JETSON_DRIVER, cuda_init=Answer(code=100)),
        gpus=(),
        trials=(),
    ),
)
case(
    "linux-gpu-hidden-and-old-driver",
    "broken",
    but(
        HEALTHY_LINUX,
        **NONE_SHOWN,
        driver=linux_driver("470.256.02", "11.4", cuda_init=Answer(code=100)),
        variables=(shell("CUDA_VISIBLE_DEVICES", "-1"),),
    ),
    "error gpu-hidden",
)

# Windows

QUOTED = entry(f'"{GOOD.folder}"', folder=GOOD.folder)
WITH_QUOTES = (
    variable("Path", rf'"{GOOD.folder}";{KIT.libraries[0]};C:\Windows\System32'),
    *VARIABLES[1:],
)
case(
    "windows-path-in-quotes-healthy",
    "works",
    but(HEALTHY_WINDOWS, variables=WITH_QUOTES, search=(*START[:2], QUOTED, *START[2:], MINE)),
)
case(
    "windows-path-in-quotes-not-searched",
    "broken",
    but(ELSEWHERE, variables=WITH_QUOTES, search=(*START[:2], QUOTED, *START[2:], MINE)),
    "error cudnn-not-on-path",
    "warning path-entry-malformed",
)
case(
    "windows-path-with-empty-and-old-entries-healthy",
    "works",
    but(
        HEALTHY_WINDOWS,
        search=(
            entry(GOOD.folder),
            entry("", folder="", exists=None),
            entry(rf"{TOOLKITS}\v11.2\bin", exists=False),
            *START,
            MINE,
        ),
    ),
)
KIT11 = windows_toolkit("11.8")
OF_ACCOUNT = variable("CUDA_PATH", KIT11.root, "user", exists=True)
case(
    "windows-cuda-path-of-account-healthy",
    "works",
    but(HEALTHY_WINDOWS, toolkits=(KIT, KIT11), variables=(*VARIABLES, OF_ACCOUNT)),
)
case(
    "windows-cuda-path-of-account",
    "broken",
    but(NO_NINE, toolkits=(KIT, KIT11), variables=(*VARIABLES, OF_ACCOUNT)),
    "error cudnn-missing",
    "warning cuda-path-of-account",
)
case(
    "windows-cuda-path-spelled-otherwise-healthy",
    "works",
    but(
        HEALTHY_WINDOWS,
        variables=(
            *VARIABLES[:2],
            variable("Cuda_Path", KIT.root.replace("\\", "/") + "/", exists=True),
        ),
    ),
)
case(
    "windows-cuda-path-by-another-variable-healthy",
    "works",
    but(
        HEALTHY_WINDOWS,
        variables=(
            *VARIABLES[:2],
            variable("CUDA_PATH", "", value=Value(text="%CUDA_PATH_V12_8%", expand=True)),
        ),
    ),
)
case(
    "windows-cuda-path-of-account-beside-torch-healthy",
    "works",
    but(HEALTHY_TORCH, toolkits=(KIT, KIT11), variables=(*VARIABLES, OF_ACCOUNT)),
)
WKIT13 = windows_toolkit("13.1")
NEW = copy(rf"{CUDNN}\v9.18\bin\13.1\x64", "9.18.0", 13, found_via=("PATH",), wins_for=(SYSTEM,))
case(
    "windows-driver-610-cuda-13-only-healthy",
    "works",
    but(
        HEALTHY_WINDOWS,
        driver=windows_driver("610.31", "13.4"),
        toolkits=(WKIT13,),
        libraries=cublas(WKIT13, "PATH"),
        variables=(variable("CUDA_PATH", WKIT13.root, exists=True),),
        search=(*START[:2], entry(WKIT13.libraries[0]), entry(NEW.folder)),
        cudnns=(NEW,),
        trials=(passed(NEW, CARD),),
    ),
)
CT2 = Framework(
    name="ctranslate2", version="4.6.0", package="ctranslate2", gpu=True, cuda="12",
    cudnn="9.1.0", cudnn_from="system",
)  # fmt: skip
LONE = but(SHIM, file_version="9.10.2.21", check=None)
case(
    "windows-ctranslate2-main-file-alone",
    "broken",
    but(NO_NINE, pythons=(python(VENV, CT2),), cudnns=(LONE,)),
    "error cudnn-missing",
)
PACKED = but(copy(rf"{site(VENV)}\nvidia\cudnn\bin"), environment=VENV, found_via=("wheel",))
case(
    "windows-ctranslate2-beside-a-package-of-cudnn",
    "broken",
    but(NO_NINE, pythons=(python(VENV, CT2),), cudnns=(LONE, PACKED)),
    "error cudnn-not-on-path",
)
NO_CUDNN = but(CT2, version="4.8.5", cudnn="", cudnn_from="none")
case(
    "windows-ctranslate2-of-4.8-beside-a-toolkit-healthy",
    "works",
    but(HEALTHY_WINDOWS, pythons=(python(VENV, NO_CUDNN),), cudnns=(GOOD, LONE)),
)
WITH_PACKAGE = but(
    NOTHING,
    pythons=(python(VENV, NO_CUDNN),),
    cudnns=(LONE,),
    libraries=(
        Library(
            name="cublas",
            path=rf"{site(VENV)}\nvidia\cublas\bin\cublas64_12.dll",
            major=12,
            architecture="x86_64",
            found_via=("wheel",),
        ),
    ),
)
case(
    "windows-ctranslate2-of-4.8-with-its-package-unsearched",
    "broken",
    WITH_PACKAGE,
    f"error cublas-not-searched {VENV}",
)
case(
    "windows-ctranslate2-of-4.8-alone",
    "unknown",
    but(NO_NINE, pythons=(python(VENV, NO_CUDNN),)),
)
case(
    "windows-ctranslate2-of-4.8-without-cublas",
    "broken",
    but(WITH_PACKAGE, libraries=()),
    f"error cublas-missing-in-environment {VENV}",
)
TORCH_13 = but(TORCH, frameworks=(but(TORCH.frameworks[0], cuda="13.0"), NO_CUDNN))
case(
    "windows-ctranslate2-of-4.8-beside-torch-for-cuda-13",
    "works",
    but(HEALTHY_TORCH, pythons=(TORCH_13,), cudnns=(OWN, LONE)),
    f"warning cublas-missing-in-environment {VENV}",
)
T91 = torch_copy(VENV, "9.1.0")
BOTH = but(TORCH, frameworks=(but(TORCH.frameworks[0], version="2.5.1", cudnn="9.1"), NO_CUDNN))
case(
    "windows-ctranslate2-beside-older-torch",
    "broken",
    but(
        HEALTHY_TORCH,
        pythons=(BOTH,),
        cudnns=(T91, LONE),
        trials=(
            LOST,
            passed(T91, CARD, VENV),
            but(
                passed(T91, CARD, VENV),
                framework="torch 2.5.1",
                status="missing-library",
                missing="cudnn_ops64_9.dll",
            ),
        ),
    ),
    f"error cudnn-main-file-differs {VENV}",
)
case(
    "windows-ctranslate2-beside-same-torch-healthy",
    "works",
    but(
        HEALTHY_TORCH,
        pythons=(but(TORCH, frameworks=(*TORCH.frameworks, NO_CUDNN)),),
        cudnns=(OWN, LONE),
    ),
)
