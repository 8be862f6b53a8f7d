"""Computers planted from the catalogue of causes, row by row, and the healthy ones beside them."""

from __future__ import annotations

from machines.case import case
from machines.linux import (
    ADA,
    BARE_LINUX,
    BY_UBUNTU,
    DEB,
    HEALTHY_LINUX,
    HOME,
    LBLAS,
    LKIT,
    LOWN,
    LTORCH,
    LVENV,
    PACKAGED_LINUX,
)
from machines.linux_python import PIP_LINUX
from machines.parts import (
    GIB,
    NO_ANSWER,
    UBUNTU,
    UNSEEN,
    but,
    copy,
    entry,
    gpu,
    linux_driver,
    nodes,
    not_found,
    passed,
    python,
    site,
    stopped,
    torch_copy,
    variable,
)

from cudnn_assistant.machine import (
    SYSTEM,
    Answer,
    Framework,
    Library,
    Package,
    Pin,
    Trial,
    Value,
    Variable,
)

NO_DEVICE = Answer(code=100, name="CUDA_ERROR_NO_DEVICE")
NO_GPU = Trial(subject=SYSTEM, stage="driver", status="no-gpu", code=100)

# The driver's kernel module, where its log may not be read


def unstarted(card, **driver):
    """The module runs, and starts none of the GPUs."""
    card = but(card, nvml_index=None, cuda_index=None, seen_by=("pci",))
    whole = linux_driver(cuda_init=NO_DEVICE, **driver)
    return but(PACKAGED_LINUX, gpus=(card,), driver=whole, cudnns=(DEB,), trials=(NO_GPU,))


case(
    "linux-closed-module-and-blackwell-without-log",
    "broken",
    unstarted(gpu("RTX 5090"), kernel_flavour="proprietary"),
    "error gpu-needs-open-module",
)
case(
    "linux-open-module-and-pascal-without-log",
    "broken",
    unstarted(gpu("GTX 1070"), kernel_flavour="open"),
    "error gpu-needs-closed-module",
)
case(
    "linux-open-module-and-turing-not-started",
    "broken",
    unstarted(gpu("RTX 2080 Ti"), kernel_flavour="open"),
    "error gpu-does-not-start",
)
LEGACY = (
    "NVRM: The NVIDIA GeForce GTX 980 GPU installed in this system is supported through the"
    " NVIDIA 580.xx Legacy drivers. Please visit nvidia.com for more information.  The 590.44.01"
    " NVIDIA driver will ignore this GPU.  Continuing probe..."
)
case(
    "linux-gpu-dropped-and-module-gone",
    "broken",
    but(
        PACKAGED_LINUX,
        gpus=(but(gpu("GTX 980"), **UNSEEN),),
        driver=linux_driver(**{**NO_ANSWER, "version": "", "log": (LEGACY,)}),
    ),
    "error gpu-dropped-by-driver",
)

# Parts of the driver

NO_NVML = linux_driver(
    nvml=Answer(code=12, name="NVML_ERROR_LIBRARY_NOT_FOUND"), nvml_library=""
)  # fmt: skip
case(
    "linux-driver-without-nvml",
    "works",
    but(HEALTHY_LINUX, driver=NO_NVML),
    "warning driver-monitor-missing",
)
case(
    "container-without-nvml-healthy",
    "works",
    but(HEALTHY_LINUX, os=but(UBUNTU, container="docker", secure_boot=None), driver=NO_NVML),
)

# What a test alone shows

ONE = passed(DEB, ADA)
case(
    "linux-fabric-manager-late",
    "broken",
    but(
        HEALTHY_LINUX,
        libraries=(*LBLAS, but(BY_UBUNTU, owner="libnvidia-compute-570-server 570.133.07")),
        trials=(stopped(ONE, "context", 802, "CUDA_ERROR_SYSTEM_NOT_READY"),),
    ),
    "error fabric-manager-missing",
)
WILD = stopped(ONE, "convolution", 700, "CUDA_ERROR_ILLEGAL_ADDRESS")
case(
    "linux-gpu-faulted",
    "broken",
    but(HEALTHY_LINUX, gpus=(but(ADA, xids=(13, 31)),), trials=(WILD,)),
    "error gpu-faulted",
)
case(
    "linux-wild-address-without-xid",
    "broken",
    but(HEALTHY_LINUX, trials=(WILD,)),
    "error unexplained",
)
case(
    "linux-fault-of-another-program-healthy",
    "works",
    but(HEALTHY_LINUX, gpus=(but(ADA, xids=(13, 31)),)),
)
DEAD = but(ONE, stage="handle", status="crashed", code=-6, code_name="SIGABRT", times=())
BAD_ALLOC = "terminate called after throwing an instance of 'std::bad_alloc'"
case(
    "linux-limit-of-memory",
    "broken",
    but(HEALTHY_LINUX, trials=(but(DEAD, output=BAD_ALLOC),)),
    "error computer-memory-full",
)
INCOMPATIBLE = "CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER"
case(
    "linux-cudnn-wants-a-newer-driver",
    "broken",
    but(HEALTHY_LINUX, trials=(stopped(ONE, "handle", 3005, INCOMPATIBLE),)),
    "error driver-too-old",
)

# Kept from the GPU

SPLIT = but(
    ADA, name="NVIDIA A100-SXM4-80GB", compute="8.0", mig=True, cuda_index=None,
    mig_instances=("MIG-11111111-2222-3333-4444-555555555555",), memory_total=80 * GIB,
)  # fmt: skip
case(
    "linux-mig-and-the-whole-gpu-asked-for",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(SPLIT,),
        driver=linux_driver(cuda_init=NO_DEVICE),
        variables=(variable("CUDA_VISIBLE_DEVICES", SPLIT.uuid, "process"),),
        trials=(NO_GPU,),
    ),
    "error gpu-hidden",
)
case(
    "linux-mig-part-asked-for-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        gpus=(but(SPLIT, cuda_index=0),),
        variables=(variable("CUDA_VISIBLE_DEVICES", SPLIT.mig_instances[0], "process"),),
    ),
)
case(
    "container-lost-its-gpu",
    "broken",
    but(
        HEALTHY_LINUX,
        os=but(UBUNTU, container="docker", secure_boot=None),
        gpus=(but(ADA, seen_by=("pci",), nvml_index=None, cuda_index=None),),
        driver=linux_driver(
            nvml=Answer(code=999, name="NVML_ERROR_UNKNOWN"), cuda_init=NO_DEVICE
        ),
        trials=(NO_GPU,),
    ),
    "error device-permission-container",
)  # fmt: skip
case(
    "container-where-only-nvml-is-lost",
    "unknown",
    but(
        HEALTHY_LINUX,
        os=but(UBUNTU, container="docker", secure_boot=None),
        driver=linux_driver(nvml=Answer(code=999, name="NVML_ERROR_UNKNOWN")),
        trials=(),
    ),
)
UNKNOWN = Answer(code=999, name="CUDA_ERROR_UNKNOWN")
case(
    "flatpak-without-unified-memory",
    "broken",
    but(
        HEALTHY_LINUX,
        os=but(UBUNTU, sandbox="flatpak"),
        gpus=(but(ADA, cuda_index=None, seen_by=("pci", "nvml")),),
        driver=linux_driver(cuda_init=UNKNOWN, nodes=nodes(missing="/dev/nvidia-uvm")),
        trials=(but(NO_GPU, status="status-code", code=999, code_name=UNKNOWN.name),),
    ),
    "error sandbox-hides-gpu",
)

# CUDA's libraries

HALF = tuple(lib for lib in LBLAS if lib.name != "cublasLt")
case(
    "linux-toolkit-lost-a-half-of-cublas",
    "broken",
    but(
        HEALTHY_LINUX,
        libraries=HALF,
        trials=(but(DEAD, loaded=f"{DEB.folder}/libcudnn.so.9"),),
    ),
    "error cuda-missing",
)
CT2 = Framework(name="ctranslate2", version="4.8.1", package="ctranslate2", gpu=True, cuda="12")
PACKED = Library(
    name="cublas", path=f"{site(LVENV)}/nvidia/cublas/lib/libcublas.so.12", major=12,
    architecture="x86_64", found_via=("wheel",),
)  # fmt: skip
case(
    "linux-ctranslate2-of-cuda-11-beside-cuda-12",
    "broken",
    but(
        HEALTHY_LINUX,
        pythons=(
            python(
                f"{HOME}/speech/venv",
                but(CT2, version="3.24.0", cuda="11", cudnn="8", cudnn_from="system"),
                (Package(name="ctranslate2", version="3.24.0"),),
            ),
        ),
    ),
    "error program-needs-other-cuda",
)
CT2_ALONE = but(
    BARE_LINUX,
    variables=(),
    toolkits=(),
    libraries=(PACKED,),
    pythons=(
        python(
            LVENV,
            CT2,
            (
                Package(name="ctranslate2", version="4.8.1"),
                Package(name="nvidia-cublas-cu12", version="12.8.4.1"),
            ),
        ),
    ),
    trials=(not_found("libcudnn.so.9", ADA),),
)
case(
    "linux-ctranslate2-with-a-package-that-is-not-searched",
    "broken",
    CT2_ALONE,
    f"error cublas-not-searched {LVENV}",
)
OF_NINE = but(CT2, version="4.5.0", cudnn="9", cudnn_from="system")
CUDNN_PACKED = but(torch_copy(LVENV, "9.8.0"), wins_for=())
CT2_OF_NINE = but(
    CT2_ALONE,
    pythons=(python(LVENV, OF_NINE, CT2_ALONE.pythons[0].packages),),
    cudnns=(CUDNN_PACKED,),
)
case(
    "linux-ctranslate2-with-both-packages-unsearched",
    "broken",
    CT2_OF_NINE,
    "error cudnn-not-on-path",
)
case(
    "linux-ctranslate2-with-both-packages-searched-once-activated-healthy",
    "works",
    but(
        CT2_OF_NINE,
        cudnns=(but(CUDNN_PACKED, wins_for=(LVENV,)),),
        trials=(
            *CT2_OF_NINE.trials,
            but(
                ONE,
                subject=LVENV,
                version="9.8.0",
                loaded=f"{CUDNN_PACKED.folder}/libcudnn.so.9",
            ),
        ),
    ),
)
SEARCHED = entry(CUDNN_PACKED.folder, "user", "LD_LIBRARY_PATH")
case(
    "linux-ctranslate2-with-its-cudnn-alone-searched",
    "broken",
    but(
        CT2_OF_NINE,
        cudnns=(but(CUDNN_PACKED, wins_for=(SYSTEM,)),),
        search=(SEARCHED, *CT2_ALONE.search),
        trials=(but(ONE, version="9.8.0", loaded=f"{CUDNN_PACKED.folder}/libcudnn.so.9"),),
    ),
    f"error cublas-not-searched {LVENV}",
)
case(
    "linux-ctranslate2-beside-a-toolkit-healthy",
    "works",
    but(CT2_ALONE, libraries=(PACKED, *LBLAS), toolkits=(LKIT,), cudnns=(DEB,), trials=(ONE,)),
)

# Packages

TRT = Framework(
    name="tensorrt", version="8.6.1", package="tensorrt", gpu=True, cuda="12", cudnn="8",
    cudnn_from="wheel",
    pins=(Pin(package="nvidia-cudnn-cu12", wants="==8.*", has="9.10.2.21", satisfied=False),),
)  # fmt: skip
TRT_PYTHON = python(
    LVENV,
    TRT,
    (
        Package(name="nvidia-cudnn-cu12", version="9.10.2.21"),
        Package(name="tensorrt", version="8.6.1"),
    ),
)
case(
    "linux-tensorrt-eight-with-cudnn-nine",
    "broken",
    but(
        BARE_LINUX,
        pythons=(TRT_PYTHON,),
        cudnns=(LOWN,),
        trials=(not_found("libcudnn.so.9", ADA), not_found("libcudnn.so.8", ADA, LVENV)),
    ),
    f"error cudnn-package-wrong-major {LVENV}",
)
MET = but(TRT, pins=(but(TRT.pins[0], has="8.9.7.29", satisfied=True),))
EIGHT = torch_copy(LVENV, "8.9.7")
case(
    "linux-tensorrt-eight-with-cudnn-eight-healthy",
    "works",
    but(
        BARE_LINUX,
        pythons=(but(TRT_PYTHON, frameworks=(MET,)),),
        cudnns=(EIGHT,),
        trials=(not_found("libcudnn.so.9", ADA), passed(EIGHT, ADA, LVENV)),
    ),
)
SLIM = Package(
    name="nvidia-cublas-cu12", version="12.8.4.1", files_missing=1, missing=("libnvblas.so.12",)
)
case(
    "linux-slimmed-package-healthy",
    "works",
    but(
        PIP_LINUX,
        pythons=(but(LTORCH, packages=(*LTORCH.packages[:-1], SLIM)),),
        libraries=(PACKED, but(PACKED, name="cublasLt", path=PACKED.path.replace("as.", "asLt."))),
        cudnns=(LOWN,),
        trials=(not_found("libcudnn.so.9", ADA), passed(LOWN, ADA, LVENV)),
    ),
    f"info package-incomplete {LVENV}",
)

# A start-up file of the shell

UNPACKED = copy("/opt/cudnn/lib", "9.8.0")
case(
    "linux-cudnn-named-for-terminals-alone",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(UNPACKED,),
        variables=(
            Variable(
                scope="user",
                name="LD_LIBRARY_PATH",
                value=Value(text=f"{UNPACKED.folder}:$LD_LIBRARY_PATH"),
                source=f"{HOME}/.bashrc:12",
            ),
        ),
        trials=(not_found("libcudnn.so.9", ADA),),
    ),
    "error cudnn-not-on-path",
)

# Frameworks

JAX = Framework(
    name="jax", version="0.6.2", package="jax-cuda12-plugin", gpu=True, cuda="12",
    cudnn_from="system",
)  # fmt: skip
JAX_PYTHON = python(
    LVENV,
    JAX,
    tuple(Package(name=n, version="0.6.2") for n in ("jax", "jax-cuda12-plugin", "jaxlib")),
)
NOTHING_ELSE = but(BARE_LINUX, toolkits=(), libraries=(), variables=(), pythons=(JAX_PYTHON,))
case(
    "linux-jax-without-packages",
    "broken",
    but(NOTHING_ELSE, trials=(not_found("libcudnn.so.9", ADA),)),
    f"error jax-without-packages {LVENV}",
)
case(
    "linux-jax-with-the-system-s-cuda-healthy",
    "works",
    but(HEALTHY_LINUX, pythons=(JAX_PYTHON,)),
)
TF215 = Framework(
    name="tensorflow", version="2.15.0", package="tensorflow", gpu=True, cuda="12.2",
    cudnn="8", cudnn_from="wheel",
)  # fmt: skip
TWO = but(
    LTORCH,
    frameworks=(TF215, *LTORCH.frameworks),
    packages=(*LTORCH.packages, Package(name="tensorflow", version="2.15.0")),
)
case(
    "linux-tensorflow-of-eight-beside-torch-of-nine",
    "broken",
    but(
        PIP_LINUX,
        pythons=(TWO,),
        cudnns=(but(LOWN, wins_for=()),),
        trials=(not_found("libcudnn.so.9", ADA), not_found("libcudnn.so.8", ADA, LVENV)),
    ),
    f"error frameworks-disagree {LVENV}",
)
case(
    "linux-library-refused",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(but(ONE, stage="load", status="unloadable", times=(), detail="no reason given"),),
    ),
    "error library-refused",
)
