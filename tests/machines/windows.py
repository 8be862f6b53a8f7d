"""Windows: a cuDNN from NVIDIA's installer, for C++ programs."""

from __future__ import annotations

from machines.case import COMPUTERS, case
from machines.parts import (
    GIB,
    TOOLKITS,
    UNSEEN,
    WINDOWS,
    but,
    copy,
    cublas,
    entry,
    gpu,
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

from cudnn_assistant.machine import (
    SYSTEM,
    Answer,
    Framework,
    Gap,
    GpuProcess,
    Library,
    Package,
    Trial,
    Value,
)

CARD = gpu("RTX 3060")
KIT = windows_toolkit("12.8")
CUDNN = r"C:\Program Files\NVIDIA\CUDNN"
GOOD = copy(rf"{CUDNN}\v9.8\bin\12.8", "9.8.0", found_via=("installer", "PATH"), wins_for=(SYSTEM,))
FOUND = but(GOOD, found_via=("installer",), wins_for=())
START = (
    entry(r"C:\Windows\System32", variable="default"),
    entry(r"C:\Windows", variable="default"),
    entry(KIT.libraries[0]),
    entry(r"C:\Windows\System32"),
)
MINE = entry(r"C:\Users\kim\AppData\Local\Microsoft\WindowsApps", "user")
VARIABLES = (
    variable("Path", rf"{KIT.libraries[0]};C:\Windows\System32"),
    variable(
        "Path",
        r"%USERPROFILE%\AppData\Local\Microsoft\WindowsApps",
        "user",
        value=Value(text=r"%USERPROFILE%\AppData\Local\Microsoft\WindowsApps", expand=True),
    ),
    variable("CUDA_PATH", KIT.root, exists=True),
)

BARE_WINDOWS = machine(
    WINDOWS,
    driver=windows_driver(),
    gpus=(CARD,),
    other_gpus=("Intel(R) UHD Graphics 770",),
    toolkits=(KIT,),
    libraries=cublas(KIT, "CUDA_PATH", "PATH"),
    variables=VARIABLES,
    search=(*START, MINE),
)
"""A Windows with driver and toolkit, without cuDNN and not tested."""

LOST = not_found("cudnn64_9.dll", CARD)
NO_NINE = but(BARE_WINDOWS, trials=(LOST,))

HEALTHY_WINDOWS = case(
    "windows-healthy",
    "works",
    but(
        BARE_WINDOWS,
        cudnns=(GOOD,),
        search=(entry(GOOD.folder), *START, MINE),
        trials=(passed(GOOD, CARD),),
    ),
)

ELSEWHERE = but(NO_NINE, cudnns=(FOUND,))
case("windows-cudnn-not-on-path", "broken", ELSEWHERE, "error cudnn-not-on-path")
case(
    "windows-cudnn-parent-on-path",
    "broken",
    but(ELSEWHERE, search=(entry(rf"{CUDNN}\v9.8\bin"), *START, MINE)),
    "error cudnn-parent-on-path",
)
DEEP = copy(rf"{CUDNN}\v9.23\bin\12.9\x64", "9.23.0", found_via=("installer",))
case(
    "windows-cudnn-two-levels-above-on-path",
    "broken",
    but(NO_NINE, cudnns=(DEEP,), search=(*START, MINE, entry(rf"{CUDNN}\v9.23\bin", "user"))),
    "error cudnn-parent-on-path",
)
case(
    "windows-path-of-both-folders-healthy",
    "works",
    but(HEALTHY_WINDOWS, search=(entry(rf"{CUDNN}\v9.8\bin"), entry(GOOD.folder), *START, MINE)),
)
case("windows-cudnn-missing", "broken", NO_NINE, "error cudnn-missing")
case("windows-not-tested", "unknown", but(HEALTHY_WINDOWS, trials=()))
case(
    "windows-cudnn-unknown",
    "unknown",
    but(BARE_WINDOWS, gaps=(Gap(what="cudnn", why="no answer within 30 s"),)),
)

OLD = copy(r"C:\tools\cuda\bin", "9.1.0", found_via=("PATH",), wins_for=(SYSTEM,))
ORT_HOME = r"C:\work\scan\venv"
ORT = python(
    ORT_HOME,
    Framework(
        name="onnxruntime",
        version="1.22.0",
        package="onnxruntime-gpu",
        gpu=True,
        cuda="12.8",
        cudnn="9.8",
        cudnn_from="system",
    ),
    (Package(name="onnxruntime-gpu", version="1.22.0"),),
)
BEHIND = but(
    BARE_WINDOWS,
    cudnns=(OLD, FOUND),
    search=(*START[:2], entry(OLD.folder), *START[2:], MINE, entry(FOUND.folder, "user")),
    pythons=(ORT,),
    trials=(
        stopped(
            passed(OLD, CARD), "sublibraries", 1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
        ),
    ),
)
case("windows-older-cudnn-first-machine", "broken", BEHIND, "error older-cudnn-first")
case(
    "windows-older-cudnn-first-user",
    "broken",
    but(BEHIND, search=(*START, entry(OLD.folder, "user"), entry(FOUND.folder, "user"))),
    "error older-cudnn-first",
)
case(
    "windows-older-major-first-healthy",
    "works",
    but(
        HEALTHY_WINDOWS,
        cudnns=(copy(r"C:\tools\cuda\bin", "8.5.0", 11, found_via=("PATH",)), GOOD),
        search=(entry(r"C:\tools\cuda\bin"), entry(GOOD.folder), *START, MINE),
    ),
)
STRAY = but(OLD, folder=r"C:\Windows\System32", found_via=("system-folder",))
case(
    "windows-stray-cudnn-in-system32",
    "broken",
    but(
        BEHIND,
        cudnns=(STRAY, FOUND),
        search=(*START, MINE, entry(FOUND.folder, "user")),
        trials=(
            stopped(
                passed(STRAY, CARD),
                "sublibraries",
                1002,
                "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
            ),
        ),
    ),
    "error stray-cudnn-first",
)
case(
    "windows-cudnn-too-old-in-system32",
    "broken",
    but(BEHIND, cudnns=(STRAY,), search=(*START, MINE), trials=(passed(STRAY, CARD),)),
    "error cudnn-too-old",
)
case(
    "windows-cudnn-renamed-in-system32",
    "broken",
    but(
        BARE_WINDOWS,
        cudnns=(but(STRAY, file_version="8.9.7", check=None, parts=()),),
        trials=(but(passed(STRAY, CARD), stage="version", status="crashed", code=0xC0000409),),
    ),
    "error cudnn-renamed",
)
case(
    "windows-cudnn-too-old-for-program",
    "broken",
    but(BEHIND, cudnns=(OLD,)),
    "error cudnn-too-old",
)
FOR_ARM = copy(r"C:\tools\arm\bin", "9.8.0", architecture="aarch64", check=None)
case(
    "windows-cudnn-too-old-beside-one-for-arm",
    "broken",
    but(BEHIND, cudnns=(OLD, FOR_ARM)),
    "error cudnn-too-old",
)

KIT11 = windows_toolkit("11.8")
TF_HOME = r"C:\work\old\venv"
TF210 = python(
    TF_HOME,
    Framework(
        name="tensorflow",
        version="2.10.1",
        package="tensorflow",
        gpu=True,
        cuda="11.2",
        cudnn="8.1",
        cudnn_from="system",
    ),
    (Package(name="tensorflow", version="2.10.1"),),
)
case(
    "windows-cudnn-wrong-major",
    "broken",
    but(
        HEALTHY_WINDOWS,
        toolkits=(KIT, KIT11),
        pythons=(TF210,),
        trials=(not_found("cudnn64_8.dll", CARD),),
        cudnns=(but(GOOD, wins_for=()),),
    ),
    "error cudnn-wrong-major",
)
EIGHT = copy(r"C:\tools\cudnn-8.9.7\bin", "8.9.7", found_via=("PATH",), wins_for=(SYSTEM,))
WITH_EIGHT = but(
    BARE_WINDOWS,
    cudnns=(EIGHT,),
    search=(*START, MINE, entry(EIGHT.folder, "user")),
)
NO_ZLIB = but(
    not_found("zlibwapi.dll", CARD),
    stage="convolution",
    loaded=rf"{EIGHT.folder}\{EIGHT.file}",
    detail="Could not locate zlibwapi.dll. Please make sure it is in your library path!",
)
case(
    "windows-zlibwapi-missing",
    "broken",
    but(WITH_EIGHT, trials=(NO_ZLIB,)),
    "error zlibwapi-missing",
)
case(
    "windows-zlibwapi-missing-and-another-reason",
    "broken",
    but(
        WITH_EIGHT,
        trials=(stopped(passed(EIGHT, CARD), "handle", 1, "CUDNN_STATUS_NOT_INITIALIZED"),),
    ),
    "error unexplained",
    "warning zlibwapi-missing",
)
ZLIB = Library(
    name="zlibwapi",
    path=rf"{EIGHT.folder}\zlibwapi.dll",
    architecture="x86_64",
    found_via=("PATH",),
)
case(
    "windows-zlibwapi-healthy",
    "works",
    but(
        WITH_EIGHT,
        libraries=(*BARE_WINDOWS.libraries, ZLIB),
        trials=(passed(EIGHT, CARD),),
    ),
)
case(
    "windows-cudnn-part-missing",
    "broken",
    but(
        HEALTHY_WINDOWS,
        cudnns=(spoiled(GOOD, "ops", "missing"),),
        trials=(
            but(
                not_found("cudnn_ops64_9.dll", CARD),
                stage="sublibraries",
                loaded=rf"{GOOD.folder}\cudnn64_9.dll",
            ),
        ),
    ),
    "error cudnn-part-missing",
)
case(
    "windows-cudnn-rare-part-missing",
    "works",
    but(HEALTHY_WINDOWS, cudnns=(spoiled(GOOD, "adv", "missing"),)),
    "warning cudnn-part-missing",
)
RENAMED = copy(
    r"C:\tools\mix", "8.9.7", file_version="9.8.0", wins_for=(SYSTEM,), check=None, parts=()
)
case(
    "windows-cudnn-renamed",
    "broken",
    but(
        BARE_WINDOWS,
        cudnns=(RENAMED,),
        search=(*START, entry(RENAMED.folder, "user")),
        trials=(
            Trial(
                subject=SYSTEM,
                gpu=CARD.uuid,
                stage="version",
                status="crashed",
                code=0xC0000409,
                loaded=rf"{RENAMED.folder}\cudnn64_8.dll",
            ),
        ),
    ),
    "error cudnn-renamed",
)

KIT13 = windows_toolkit("13.0")
DRIVER13 = windows_driver("581.42", "13.0")
case(
    "windows-cudnn-for-other-cuda",
    "broken",
    but(
        HEALTHY_WINDOWS,
        driver=DRIVER13,
        toolkits=(KIT13,),
        libraries=cublas(KIT13, "PATH"),
        variables=(*VARIABLES[:2], variable("CUDA_PATH", KIT13.root, exists=True)),
        search=(entry(GOOD.folder), entry(KIT13.libraries[0]), *START[:2], MINE),
        trials=(
            but(
                not_found("cublasLt64_12.dll", CARD),
                stage="convolution",
                loaded=rf"{GOOD.folder}\cudnn64_9.dll",
            ),
        ),
    ),
    "error cudnn-wrong-cuda-major",
)
BOTH_BUILDS = tuple(
    copy(rf"{CUDNN}\v9.14\bin\{cuda}", "9.14.0", int(cuda[:2]), found_via=("installer", "PATH"))
    for cuda in ("12.9", "13.0")
)
case(
    "windows-cudnn-for-other-cuda-first",
    "broken",
    but(
        COMPUTERS["windows-cudnn-for-other-cuda"].machine,
        cudnns=(but(BOTH_BUILDS[0], wins_for=(SYSTEM,)), BOTH_BUILDS[1]),
        search=(*map(entry, (b.folder for b in BOTH_BUILDS)), entry(KIT13.libraries[0]), *START),
        trials=(
            but(
                not_found("cublasLt64_12.dll", CARD),
                stage="convolution",
                loaded=rf"{BOTH_BUILDS[0].folder}\cudnn64_9.dll",
            ),
        ),
    ),
    "error cudnn-wrong-cuda-major",
)
case(
    "windows-cudnn-for-newer-cuda-first",
    "broken",
    but(
        HEALTHY_WINDOWS,
        driver=windows_driver("551.61", "12.4"),
        cudnns=(BOTH_BUILDS[0], but(BOTH_BUILDS[1], wins_for=(SYSTEM,))),
        search=(*map(entry, (b.folder for b in reversed(BOTH_BUILDS))), *START, MINE),
        trials=(
            stopped(passed(BOTH_BUILDS[1], CARD), "handle", 1001, "CUDNN_STATUS_NOT_INITIALIZED"),
        ),
    ),
    "error driver-too-old",
)
case(
    "windows-cuda13-not-on-path",
    "broken",
    but(
        BARE_WINDOWS,
        driver=DRIVER13,
        cudnns=(
            copy(rf"{CUDNN}\v9.14\bin\13.0", "9.14.0", 13, found_via=("PATH",), wins_for=(SYSTEM,)),
        ),
        toolkits=(KIT13,),
        libraries=cublas(KIT13),
        variables=(*VARIABLES[:2], variable("CUDA_PATH", KIT13.root, exists=True)),
        search=(entry(rf"{CUDNN}\v9.14\bin\13.0"), entry(rf"{KIT13.root}\bin"), *START[:2], MINE),
        trials=(but(not_found("cublasLt64_13.dll", CARD), stage="convolution"),),
    ),
    "error cuda-not-on-path",
)
case(
    "windows-cuda-missing",
    "broken",
    but(
        HEALTHY_WINDOWS,
        toolkits=(),
        libraries=(),
        variables=VARIABLES[:2],
        search=(entry(GOOD.folder), *START[:2], MINE),
        trials=(but(not_found("cublasLt64_12.dll", CARD), stage="convolution"),),
    ),
    "error cuda-missing",
)
case(
    "windows-nothing-but-a-driver",
    "broken",
    but(
        BARE_WINDOWS,
        toolkits=(),
        libraries=(),
        variables=VARIABLES[:2],
        search=(*START[:2], MINE),
        trials=(LOST,),
    ),
    "error cudnn-missing",
)
NEWER = copy(rf"{CUDNN}\v9.14\bin\13.0", "9.14.0", 13, found_via=("PATH",), wins_for=(SYSTEM,))
case(
    "windows-driver-too-old",
    "broken",
    but(
        BARE_WINDOWS,
        driver=windows_driver("551.61", "12.4"),
        toolkits=(KIT13,),
        libraries=cublas(KIT13, "PATH"),
        cudnns=(NEWER,),
        variables=(*VARIABLES[:2], variable("CUDA_PATH", KIT13.root, exists=True)),
        search=(entry(NEWER.folder), entry(KIT13.libraries[0]), *START[:2], MINE),
        trials=(stopped(passed(NEWER, CARD), "handle", 1001, "CUDNN_STATUS_NOT_INITIALIZED"),),
    ),
    "error driver-too-old",
)
case(
    "windows-newer-minor-than-driver-healthy",
    "works",
    but(HEALTHY_WINDOWS, driver=windows_driver("551.61", "12.4")),
)
PASCAL = gpu("GTX 1070")
case(
    "windows-gpu-too-old-for-cuda",
    "broken",
    but(
        COMPUTERS["windows-driver-too-old"].machine,
        gpus=(PASCAL,),
        trials=(stopped(passed(NEWER, PASCAL), "handle", 1001, "CUDNN_STATUS_NOT_INITIALIZED"),),
    ),
    "error gpu-too-old-for-cuda",
)
NINE_ELEVEN = copy(rf"{CUDNN}\v9.11\bin\12.9", "9.11.0", found_via=("PATH",), wins_for=(SYSTEM,))
case(
    "windows-gpu-too-old-for-cudnn",
    "broken",
    but(
        BARE_WINDOWS,
        gpus=(PASCAL,),
        cudnns=(NINE_ELEVEN,),
        search=(entry(NINE_ELEVEN.folder), *START, MINE),
        trials=(
            stopped(
                passed(NINE_ELEVEN, PASCAL),
                "convolution",
                3007,
                "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH",
            ),
        ),
    ),
    "error gpu-too-old-for-cudnn",
)
case(
    "windows-old-gpu-healthy",
    "works",
    but(HEALTHY_WINDOWS, gpus=(PASCAL,), trials=(passed(GOOD, PASCAL),)),
)
BLACKWELL = gpu("RTX 5090")
case(
    "windows-gpu-too-new-for-cudnn",
    "broken",
    but(
        WITH_EIGHT,
        gpus=(BLACKWELL,),
        libraries=(*BARE_WINDOWS.libraries, ZLIB),
        trials=(
            stopped(passed(EIGHT, BLACKWELL), "convolution", 8, "CUDNN_STATUS_EXECUTION_FAILED"),
        ),
    ),
    "error gpu-too-new-for-cudnn",
)

GONE = rf"{TOOLKITS}\v11.8"
case(
    "windows-cuda-path-stale",
    "broken",
    but(ELSEWHERE, variables=(*VARIABLES[:2], variable("CUDA_PATH", GONE, exists=False))),
    "error cudnn-not-on-path",
    "warning cuda-path-stale",
)
case(
    "windows-cuda-home-stale",
    "works",
    but(HEALTHY_WINDOWS, variables=(*VARIABLES, variable("CUDA_HOME", GONE, "user", exists=False))),
    "warning cuda-home-stale",
)
case(
    "windows-cuda-path-malformed",
    "works",
    but(HEALTHY_WINDOWS, variables=(*VARIABLES[:2], variable("CUDA_PATH", rf'"{KIT.root}\bin"'))),
    "warning cuda-path-malformed",
)
case(
    "windows-cuda-paths-disagree",
    "works",
    but(
        HEALTHY_WINDOWS,
        toolkits=(KIT, KIT11),
        variables=(*VARIABLES, variable("CUDA_HOME", KIT11.root, "user", exists=True)),
    ),
    "warning cuda-paths-disagree",
)
case(
    "windows-cuda-paths-agree-healthy",
    "works",
    but(HEALTHY_WINDOWS, variables=(*VARIABLES, variable("CUDA_HOME", KIT.root.upper() + "\\"))),
)
case(
    "windows-cudnn-path-stale",
    "works",
    but(HEALTHY_WINDOWS, variables=(*VARIABLES, variable("CUDNN_PATH", r"C:\tools\cudnn", "user"))),
    "warning cudnn-path-stale",
)
case(
    "windows-path-unexpanded",
    "broken",
    but(
        ELSEWHERE,
        variables=(VARIABLES[0], variable("Path", r"%CUDNN_PATH%\bin", "user"), VARIABLES[2]),
        search=(*START, entry(r"%CUDNN_PATH%\bin", "user", folder="", exists=None)),
    ),
    "error cudnn-not-on-path",
    "warning path-entry-unexpanded",
)
case(
    "windows-path-names-a-file",
    "broken",
    but(
        ELSEWHERE,
        variables=(
            VARIABLES[0],
            variable("Path", rf"{GOOD.folder}\cudnn64_9.dll", "user"),
            VARIABLES[2],
        ),
        search=(*START, entry(rf"{GOOD.folder}\cudnn64_9.dll", "user", exists=False)),
    ),
    "error cudnn-not-on-path",
    "warning path-entry-malformed",
)
case(
    "windows-path-cut-off",
    "broken",
    but(
        ELSEWHERE,
        variables=(
            variable("Path", (r"C:\bin;" * 147)[:1003] + r"C:\Program Files\NVID", "user"),
            *VARIABLES[2:],
        ),
        search=(*START, entry(r"C:\Program Files\NVID", "user", exists=False)),
    ),
    "error cudnn-not-on-path",
    "warning path-cut-off",
)
case(
    "windows-path-very-long",
    "works",
    but(HEALTHY_WINDOWS, variables=(variable("Path", r"C:\some\folder;" * 600), *VARIABLES[1:])),
    "info path-too-long",
)
case(
    "windows-gpu-hidden",
    "broken",
    but(
        HEALTHY_WINDOWS,
        driver=windows_driver(cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE")),
        gpus=(but(CARD, cuda_index=None, seen_by=("pci", "nvml")),),
        variables=(*VARIABLES, variable("CUDA_VISIBLE_DEVICES", "-1", "user")),
        trials=(
            Trial(
                subject=SYSTEM,
                stage="driver",
                status="no-gpu",
                code=100,
                code_name="CUDA_ERROR_NO_DEVICE",
            ),
        ),
    ),
    "error gpu-hidden",
)
SECOND = gpu("RTX 2080 Ti", 1)
case(
    "windows-one-of-two-gpus-hidden-healthy",
    "works",
    but(
        HEALTHY_WINDOWS,
        gpus=(CARD, but(SECOND, cuda_index=None, seen_by=("pci", "nvml"))),
        variables=(*VARIABLES, variable("CUDA_VISIBLE_DEVICES", "0", "user")),
    ),
)
case(
    "windows-debug-variable",
    "works",
    but(HEALTHY_WINDOWS, variables=(*VARIABLES, variable("CUDA_LAUNCH_BLOCKING", "1", "user"))),
    "info debug-variable-set",
)
case(
    "windows-two-gpus-numbered-differently",
    "works",
    but(HEALTHY_WINDOWS, gpus=(but(SECOND, nvml_index=0), but(CARD, nvml_index=1))),
    "info gpu-order-differs",
)

case(
    "windows-no-nvidia-gpu",
    "impossible",
    but(
        BARE_WINDOWS,
        driver=None,
        gpus=(),
        toolkits=(),
        libraries=(),
        other_gpus=("Intel(R) UHD Graphics 630",),
    ),
    "error no-nvidia-gpu",
)
VIRTUAL = ("Microsoft Hyper-V Video", "NVIDIA GeForce RTX 3060")
case(
    "windows-virtual-machine-with-a-part-of-a-gpu-and-no-driver",
    "broken",
    but(BARE_WINDOWS, driver=None, gpus=(), toolkits=(), libraries=(), other_gpus=VIRTUAL),
    "error virtual-machine-without-gpu",
)
case(
    "windows-virtual-machine-with-a-part-of-a-gpu-healthy",
    "works",
    but(
        HEALTHY_WINDOWS,
        driver=windows_driver("", kernel_version="", nvml=Answer(code=12)),
        gpus=(but(CARD, seen_by=("cuda",), nvml_index=None, pci_bus=""),),
        other_gpus=VIRTUAL,
    ),
)
case(
    "windows-laptop-that-switched-its-gpu-off",
    "broken",
    but(
        BARE_WINDOWS,
        driver=windows_driver(
            cuda="",
            nvml=Answer(code=9, name="NVML_ERROR_DRIVER_NOT_LOADED"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
        gpus=(),
    ),
    "error no-nvidia-gpu",
)
case(
    "windows-gpu-unknown",
    "unknown",
    but(
        BARE_WINDOWS,
        driver=None,
        gpus=(),
        gaps=(
            Gap(what="gpu", why="no answer within 20 s"),
            Gap(what="driver", why="the process ended with code 3221225477"),
            Gap(what="cudnn", why="no answer within 30 s"),
        ),
    ),
)
DARK = but(CARD, **UNSEEN)
case(
    "windows-driver-missing",
    "broken",
    but(BARE_WINDOWS, driver=None, gpus=(DARK,)),
    "error driver-missing",
)
NO_START = {
    "nvml": Answer(code=9, name="NVML_ERROR_DRIVER_NOT_LOADED"),
    "cuda": "",
    "cuda_init": Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
}
for number, code, name in (
    (22, "gpu-disabled", "disabled"),
    (43, "driver-damaged", "code-43"),
    (14, "driver-restart-pending", "restart-pending"),
    (38, "driver-restart-pending", "driver-still-in-memory"),
    (48, "driver-damaged", "driver-blocked"),
    (12, "gpu-does-not-start", "no-resources"),
):
    case(
        f"windows-{name}",
        "broken",
        but(BARE_WINDOWS, driver=windows_driver(**NO_START, problem_codes=(number,)), gpus=(DARK,)),
        f"error {code}",
    )
case(
    "windows-second-gpu-disabled-beside-a-missing-cudnn",
    "broken",
    but(
        NO_NINE,
        driver=windows_driver(problem_codes=(22,)),
        gpus=(CARD, but(gpu("RTX 2080 Ti", 1), **UNSEEN)),
    ),
    "error cudnn-missing",
)
case(
    "windows-driver-silent",
    "broken",
    but(BARE_WINDOWS, driver=windows_driver(**NO_START), gpus=(DARK,)),
    "error driver-not-answering",
)
case(
    "windows-gpu-lost",
    "broken",
    but(
        BARE_WINDOWS,
        driver=windows_driver(nvml=Answer(code=15, name="NVML_ERROR_GPU_IS_LOST")),
        gpus=(DARK,),
    ),
    "error gpu-lost",
)
KEPLER = but(
    DARK, name="NVIDIA GeForce GTX 780", compute="3.5", architecture="Kepler", pci_id="10de:1004"
)
case(
    "windows-gpu-dropped-by-driver",
    "broken",
    but(BARE_WINDOWS, driver=windows_driver(**NO_START), gpus=(KEPLER,)),
    "error gpu-dropped-by-driver",
)
FERMI = but(gpu("GTX 1070"), name="NVIDIA GeForce GTX 480", compute="2.0", architecture="Fermi")
case(
    "windows-gpu-too-old",
    "impossible",
    but(BARE_WINDOWS, driver=windows_driver("391.35", "9.1"), gpus=(FERMI,)),
    "error gpu-too-old",
)

OUT = Trial(
    subject=SYSTEM,
    gpu=CARD.uuid,
    gpu_name=CARD.name,
    stage="handle",
    status="out-of-memory",
    code=1001,
    code_name="CUDNN_STATUS_NOT_INITIALIZED",
    loaded=rf"{GOOD.folder}\cudnn64_9.dll",
)
case(
    "windows-gpu-memory-taken",
    "broken",
    but(
        HEALTHY_WINDOWS,
        gpus=(
            but(
                CARD,
                memory_free=180 * 1024**2,
                memory_used=12 * GIB - 180 * 1024**2,
                processes=(
                    GpuProcess(pid=8124, name="blender.exe"),
                    GpuProcess(pid=1204, name="dwm.exe", kind="graphics"),
                ),
            ),
        ),
        trials=(OUT,),
    ),
    "error gpu-memory-taken",
)
case(
    "windows-gpu-memory-nearly-full-healthy",
    "works",
    but(
        HEALTHY_WINDOWS,
        gpus=(
            but(
                CARD,
                memory_free=500 * 1024**2,
                processes=(GpuProcess(pid=8124, name="blender.exe"),),
            ),
        ),
    ),
)
case(
    "windows-compute-mode-prohibited",
    "broken",
    but(
        HEALTHY_WINDOWS,
        gpus=(but(CARD, compute_mode="prohibited", driver_model="tcc"),),
        trials=(stopped(passed(GOOD, CARD), "context", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),),
    ),
    "error compute-mode-prohibited",
)
case(
    "windows-gpu-hot",
    "works",
    but(HEALTHY_WINDOWS, gpus=(but(CARD, throttled=("hw-thermal",), temperature=93),)),
    "warning gpu-slowed-down",
)
case(
    "windows-unexplained",
    "broken",
    but(
        HEALTHY_WINDOWS,
        trials=(stopped(passed(GOOD, CARD), "handle", 1001, "CUDNN_STATUS_NOT_INITIALIZED"),),
    ),
    "error unexplained",
)
case(
    "windows-test-timed-out",
    "broken",
    but(
        HEALTHY_WINDOWS,
        trials=(but(passed(GOOD, CARD), stage="convolution", status="timed-out", times=()),),
    ),
    "error test-timed-out",
)
case(
    "windows-wrong-numbers",
    "broken",
    but(
        HEALTHY_WINDOWS,
        trials=(but(passed(GOOD, CARD), status="wrong-result", detail="3 of 4096 values differ"),),
    ),
    "error gpu-wrong-numbers",
)
case(
    "windows-vc-runtime-missing",
    "broken",
    but(HEALTHY_WINDOWS, trials=(not_found("MSVCP140.dll", CARD),), cudnns=(GOOD,)),
    "error vc-runtime-missing",
)
case(
    "windows-page-file-full",
    "broken",
    but(
        HEALTHY_WINDOWS,
        trials=(
            stopped(
                passed(GOOD, CARD),
                "sublibraries",
                1455,
                "",
                status="crashed",
                detail="[WinError 1455] The paging file is too small for this operation",
            ),
        ),
    ),
    "error computer-memory-full",
)
case(
    "windows-library-blocked",
    "broken",
    but(
        ELSEWHERE,
        search=HEALTHY_WINDOWS.search,
        trials=(but(LOST, status="unloadable", code=4551, missing="", detail="[WinError 4551]"),),
    ),
    "error library-blocked",
)
case(
    "windows-library-taken-for-a-virus",
    "broken",
    but(
        ELSEWHERE,
        search=HEALTHY_WINDOWS.search,
        trials=(but(LOST, status="unloadable", code=225, missing="", detail="[WinError 225]"),),
    ),
    "error library-blocked",
)
case(
    "windows-driver-older-than-code",
    "broken",
    but(
        HEALTHY_WINDOWS,
        trials=(
            stopped(passed(GOOD, CARD), "convolution", 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
        ),
    ),
    "error driver-too-old-for-code",
)
case(
    "windows-watchdog",
    "broken",
    but(
        HEALTHY_WINDOWS,
        trials=(stopped(passed(GOOD, CARD), "convolution", 702, "CUDA_ERROR_LAUNCH_TIMEOUT"),),
    ),
    "error gpu-reset-by-watchdog",
)
case(
    "windows-one-of-two-gpus-stopped",
    "works",
    but(
        HEALTHY_WINDOWS,
        gpus=(CARD, SECOND),
        trials=(
            passed(GOOD, CARD),
            stopped(passed(GOOD, SECOND), "context", 2, "CUDA_ERROR_OUT_OF_MEMORY"),
        ),
    ),
    "warning one-gpu-stopped",
)
