"""The five situations that everybody meets, from the side of the machine."""

from __future__ import annotations

from machines.case import case
from machines.elsewhere import DOCKER
from machines.linux import (
    ADA,
    BARE_LINUX,
    CONF,
    DEB,
    DEFAULT,
    HEALTHY_LINUX,
    LATE,
    LISTED,
    MISSING,
    SEEN,
)
from machines.parts import (
    WINDOWS,
    but,
    copy,
    cublas,
    entry,
    gpu,
    linux_driver,
    machine,
    not_found,
    passed,
    python,
    spoiled,
    stopped,
    variable,
    windows_driver,
    windows_toolkit,
)
from machines.windows import (
    BARE_WINDOWS,
    CARD,
    DARK,
    GONE,
    KIT,
    MINE,
    NO_START,
    OUT,
    START,
    VARIABLES,
)

from cudnn_assistant.machine import SYSTEM, Answer, Framework, GpuProcess, LibraryCheck, Package

# 2: TensorFlow 2.3 on Windows 10 with CUDA 10.1 and cuDNN 7.6.5, each thing wrong in turn.

WINDOWS10 = but(WINDOWS, name="Windows 10 Pro", version="10.0.19045")
TURING = gpu("RTX 2080 Ti")
KIT101 = windows_toolkit("10.1")
SEVEN = copy(
    rf"{KIT101.root}\bin",
    "7.6.5",
    10,
    found_via=("CUDA_PATH", "PATH"),
    wins_for=(SYSTEM,),
    check=LibraryCheck(status="ok", version="7.6.5", cuda="10.1"),
)
TF23_HOME = r"C:\work\tf23\venv"
TF23 = python(
    TF23_HOME,
    Framework(
        name="tensorflow",
        version="2.3.4",
        package="tensorflow",
        gpu=True,
        cuda="10.1",
        cudnn="7.6",
        cudnn_from="system",
    ),
    (Package(name="tensorflow", version="2.3.4"),),
)
CLASSIC_VARIABLES = (*VARIABLES[:2], variable("CUDA_PATH", KIT101.root, exists=True))
CLASSIC = case(
    "classic-tf23-healthy",
    "works",
    machine(
        WINDOWS10,
        driver=windows_driver("456.71", "11.1"),
        gpus=(TURING,),
        toolkits=(KIT101,),
        libraries=cublas(KIT101, "PATH"),
        cudnns=(SEVEN,),
        variables=CLASSIC_VARIABLES,
        search=(*START[:2], entry(KIT101.libraries[0]), MINE),
        pythons=(TF23,),
        trials=(passed(SEVEN, TURING),),
    ),
)
NO_SEVEN = not_found("cudnn64_7.dll", TURING)
case(
    "classic-tf23-cudnn-missing",
    "broken",
    but(CLASSIC, cudnns=(), trials=(NO_SEVEN,)),
    "error cudnn-missing",
)
UNZIPPED = but(
    SEVEN, folder=r"C:\tools\cudnn-10.1\cuda\bin", found_via=("CUDNN_PATH",), wins_for=()
)
case(
    "classic-tf23-cudnn-path-without-path",
    "broken",
    but(
        CLASSIC,
        cudnns=(UNZIPPED,),
        trials=(NO_SEVEN,),
        variables=(*CLASSIC_VARIABLES, variable("CUDNN_PATH", r"C:\tools\cudnn-10.1\cuda", "user")),
    ),
    "error cudnn-not-on-path",
)
case(
    "classic-tf23-cuda-path-stale",
    "works",
    but(CLASSIC, variables=(*VARIABLES[:2], variable("CUDA_PATH", GONE, exists=False))),
    "warning cuda-path-stale",
)
case(
    "classic-tf23-cuda-home-other",
    "works",
    but(
        CLASSIC,
        toolkits=(KIT, KIT101),
        variables=(*CLASSIC_VARIABLES, variable("CUDA_HOME", KIT.root, "user", exists=True)),
    ),
    "warning cuda-paths-disagree",
)
case(
    "classic-tf23-path-without-cuda",
    "broken",
    but(
        CLASSIC,
        libraries=cublas(KIT101, "CUDA_PATH"),
        cudnns=(but(SEVEN, found_via=("CUDA_PATH",), wins_for=()),),
        search=(*START[:2], MINE),
        trials=(NO_SEVEN,),
    ),
    "error cuda-not-on-path",
)
SEVEN4 = but(
    SEVEN, file_version="7.4.2", check=LibraryCheck(status="ok", version="7.4.2", cuda="10.1")
)
case(
    "classic-tf23-cudnn-patch-too-old",
    "broken",
    but(CLASSIC, cudnns=(SEVEN4,), trials=(passed(SEVEN4, TURING),)),
    "error cudnn-too-old",
)
case(
    "classic-tf23-other-cuda",
    "broken",
    but(
        CLASSIC,
        toolkits=(KIT,),
        libraries=cublas(KIT, "PATH"),
        cudnns=(),
        search=(*START, MINE),
        variables=VARIABLES,
        trials=(NO_SEVEN,),
    ),
    "error program-needs-other-cuda",
)
case(
    "classic-tf23-gpu-too-new",
    "broken",
    but(
        CLASSIC,
        gpus=(CARD,),
        trials=(stopped(passed(SEVEN, CARD), "convolution", 8, "CUDNN_STATUS_EXECUTION_FAILED"),),
    ),
    "error gpu-too-new-for-cuda",
)
TOUT = but(
    OUT, gpu=TURING.uuid, gpu_name=TURING.name, code=4, code_name="CUDNN_STATUS_INTERNAL_ERROR"
)
case(
    "classic-tf23-too-little-memory",
    "broken",
    but(
        CLASSIC,
        trials=(TOUT,),
        gpus=(
            but(
                TURING,
                memory_free=200 * 1024**2,
                processes=(GpuProcess(pid=5120, name="python.exe"),),
            ),
        ),
    ),
    "error gpu-memory-taken",
)

# 4: TensorFlow 1.15 can't load cuDNN 7. It wants CUDA 10.0 and cuDNN 7.4 or newer: cuDNN 7 is
# not "too new" for it, as is often said.

TF115_HOME = r"C:\work\tf1\venv"
TF115 = python(
    TF115_HOME,
    Framework(
        name="tensorflow",
        version="1.15.5",
        package="tensorflow-gpu",
        gpu=True,
        cuda="10.0",
        cudnn="7.4",
        cudnn_from="system",
    ),
    (Package(name="tensorflow-gpu", version="1.15.5"),),
)
case(
    "classic-tf115-wants-cuda-100",
    "broken",
    but(CLASSIC, pythons=(TF115,), trials=(but(NO_SEVEN, missing="cudart64_100.dll"),)),
    "error program-needs-other-cuda",
)
KIT100 = windows_toolkit("10.0")
SEVEN100 = but(SEVEN, folder=rf"{KIT100.root}\bin")
WITH_100 = but(
    CLASSIC,
    pythons=(TF115,),
    toolkits=(KIT100,),
    libraries=cublas(KIT100, "PATH"),
    cudnns=(SEVEN100,),
    variables=(*VARIABLES[:2], variable("CUDA_PATH", KIT100.root, exists=True)),
    search=(*START[:2], entry(KIT100.libraries[0]), MINE),
)
case(
    "classic-tf115-newer-seven-healthy",
    "works",
    but(WITH_100, trials=(passed(SEVEN100, TURING),)),
)
case(
    "classic-tf115-cudnn-eight-instead",
    "broken",
    but(
        WITH_100,
        cudnns=(copy(rf"{KIT100.root}\bin", "8.9.7", 11, found_via=("PATH",)),),
        trials=(NO_SEVEN,),
    ),
    "error cudnn-wrong-major",
)

# 1, 3 and 5: "cuDNN failed to initialize", CUDNN_STATUS_INTERNAL_ERROR and exceptions on the GPU
# are the same few causes from another side: version, library, driver, memory, hardware, device.

INTERNAL = ("convolution", 4, "CUDNN_STATUS_INTERNAL_ERROR")
case(
    "classic-internal-error-driver",
    "broken",
    but(
        CLASSIC,
        driver=windows_driver("398.36", "9.2"),
        trials=(stopped(passed(SEVEN, TURING), "driver", 35, "cudaErrorInsufficientDriver"),),
    ),
    "error driver-too-old",
)
case(
    "classic-internal-error-hardware",
    "broken",
    but(
        CLASSIC,
        trials=(stopped(passed(SEVEN, TURING), *INTERNAL),),
        gpus=(but(TURING, xids=(48, 79)),),
    ),
    "error gpu-lost",
)
case(
    "classic-internal-error-without-reason",
    "broken",
    but(CLASSIC, trials=(stopped(passed(SEVEN, TURING), *INTERNAL),)),
    "error unexplained",
)

EMPTY = but(
    spoiled(LATE, "cudnn", "empty"),
    folder="/opt/stub",
    file_version="",
    parts=tuple(
        but(p, state="empty" if p.name == "cudnn" else "missing", version="") for p in LATE.parts
    ),
)
case(
    "linux-empty-library-first",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(EMPTY, but(DEB, wins_for=())),
        search=(entry("/opt/stub", **LISTED), CONF, DEFAULT),
        trials=(but(MISSING, status="unloadable", missing="", detail="file too short"),),
    ),
    "error cudnn-damaged",
)
case(
    "container-without-any-gpu",
    "broken",
    but(BARE_LINUX, os=DOCKER, driver=None, gpus=(), toolkits=(), libraries=()),
    "error container-no-gpu",
)
case(
    "container-brings-driver",
    "broken",
    but(
        HEALTHY_LINUX,
        os=DOCKER,
        gpus=(SEEN,),
        trials=(),
        driver=linux_driver(
            "550.54.15",
            kernel_version="570.133.07",
            cuda="",
            nvml=Answer(code=18, name="NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
            cuda_init=Answer(code=803, name="CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        ),
    ),
    "error container-brings-driver",
)
case(
    "windows-driver-of-two-versions",
    "broken",
    but(
        BARE_WINDOWS,
        driver=windows_driver(**NO_START, kernel_version="566.36"),
        gpus=(DARK,),
    ),
    "error driver-damaged",
)
case(
    "linux-gpu-fell-off-before-restart-healthy",
    "works",
    but(HEALTHY_LINUX, gpus=(but(ADA, xids=(79,)),)),
)
