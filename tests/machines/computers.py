"""The golden computers: what each is, and what has to be found on it.

Each fault stands beside its healthy twin: a computer that looks alike and is told nothing above
a note. ``expected`` is written by hand from the catalogue of causes, never taken from a run.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from machines.parts import (
    GIB,
    LIB,
    NO_ANSWER,
    TOOLKITS,
    UBUNTU,
    UNSEEN,
    WINDOWS,
    but,
    copy,
    cublas,
    entry,
    gpu,
    linux_driver,
    linux_toolkit,
    machine,
    nodes,
    not_found,
    passed,
    python,
    shell,
    site,
    spoiled,
    stopped,
    torch,
    torch_copy,
    variable,
    windows_driver,
    windows_toolkit,
)

from cudnn_assistant.machine import (
    SYSTEM,
    Answer,
    DeviceNode,
    Framework,
    Gap,
    GpuProcess,
    Library,
    LibraryCheck,
    Machine,
    Package,
    Pin,
    StageTime,
    Trial,
    Value,
)


class Computer(NamedTuple):
    """A computer, the right verdict, and "severity code [subject]" of each finding."""

    machine: Machine
    verdict: str
    expected: tuple[str, ...] = ()


COMPUTERS: dict[str, Computer] = {}


def case(name: str, verdict: str, whole: Machine, *expected: str) -> Machine:
    COMPUTERS[name] = Computer(whole, verdict, expected)
    return whole


# --- Windows: a cuDNN from NVIDIA's installer, for C++ programs -------------------------------

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
    but(BARE_WINDOWS, gaps=(Gap(what="cudnn", why="C:\\Program Files could not be read"),)),
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
    "windows-cudnn-too-old-for-program",
    "broken",
    but(BEHIND, cudnns=(OLD,)),
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
    "warning cuda-missing",
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
    but(ELSEWHERE, search=(*START, entry(r"%CUDNN_PATH%\bin", "user", folder="", exists=None))),
    "error cudnn-not-on-path",
    "warning path-entry-unexpanded",
)
case(
    "windows-path-names-a-file",
    "broken",
    but(ELSEWHERE, search=(*START, entry(rf"{GOOD.folder}\cudnn64_9.dll", "user", exists=False))),
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
case(
    "windows-gpu-unknown",
    "unknown",
    but(
        BARE_WINDOWS,
        driver=None,
        gpus=(),
        gaps=(
            Gap(what="gpu", why="SetupAPI did not answer"),
            Gap(what="driver", why="nvml.dll did not answer"),
            Gap(what="cudnn", why="stopped"),
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
    (12, "gpu-does-not-start", "no-resources"),
):
    case(
        f"windows-{name}",
        "broken",
        but(BARE_WINDOWS, driver=windows_driver(**NO_START, problem_codes=(number,)), gpus=(DARK,)),
        f"error {code}",
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
        HEALTHY_WINDOWS,
        trials=(stopped(passed(GOOD, CARD), "load", 4551, "", missing="cudnn64_9.dll"),),
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

# --- Windows: Python --------------------------------------------------------------------------

VENV = r"C:\ai\venv"
TORCH = torch(VENV)
OWN = torch_copy(VENV)
HEALTHY_TORCH = case(
    "windows-torch-healthy",
    "works",
    but(
        BARE_WINDOWS,
        toolkits=(),
        libraries=(),
        variables=VARIABLES[:2],
        search=(*START[:2], MINE),
        pythons=(TORCH,),
        cudnns=(OWN,),
        trials=(LOST, passed(OWN, CARD, VENV)),
    ),
)
case(
    "windows-torch-beside-unused-cudnn-healthy",
    "works",
    but(HEALTHY_TORCH, cudnns=(FOUND, OWN)),
    "info spare-cudnn-not-searched",
)
CPU = but(
    TORCH,
    packages=(Package(name="torch", version="2.9.0"),),
    frameworks=(
        but(TORCH.frameworks[0], gpu=False, cuda="", cudnn="", cudnn_from="", architectures=()),
    ),
)
case(
    "windows-torch-cpu-only",
    "broken",
    but(HEALTHY_TORCH, pythons=(CPU,), cudnns=(), trials=(LOST,)),
    rf"error cpu-only-framework {VENV}",
)
OTHER = but(CPU, id=r"C:\work\notes\venv", python=r"C:\work\notes\venv\Scripts\python.exe")
case(
    "windows-torch-cpu-only-beside-gpu",
    "works",
    but(HEALTHY_TORCH, pythons=(TORCH, OTHER)),
    rf"warning cpu-only-framework {OTHER.id}",
)
PLAIN_ORT = python(
    r"C:\work\ocr\venv",
    Framework(name="onnxruntime", version="1.22.0", package="onnxruntime", gpu=False),
    (Package(name="onnxruntime", version="1.22.0"),),
)
case("windows-plain-onnxruntime-healthy", "works", but(HEALTHY_TORCH, pythons=(TORCH, PLAIN_ORT)))
BOTH_ORT = but(
    ORT,
    packages=(
        Package(name="onnxruntime", version="1.22.0"),
        Package(name="onnxruntime-gpu", version="1.22.0"),
    ),
    frameworks=(but(ORT.frameworks[0], gpu=False, package="onnxruntime-gpu", cudnn_from=""),),
)
case(
    "windows-onnxruntime-twice",
    "broken",
    but(HEALTHY_WINDOWS, pythons=(BOTH_ORT,)),
    rf"error onnxruntime-twice {ORT_HOME}",
)
case(
    "windows-onnxruntime-gpu-healthy",
    "works",
    but(HEALTHY_WINDOWS, pythons=(ORT,)),
)
TF219 = python(
    r"C:\work\tf\venv",
    Framework(name="tensorflow", version="2.19.0", package="tensorflow", gpu=False),
    (Package(name="tensorflow", version="2.19.0"),),
)
case(
    "windows-tensorflow-without-gpu",
    "impossible",
    but(HEALTHY_TORCH, pythons=(TF219,), cudnns=(), trials=(LOST,)),
    rf"error tensorflow-on-windows {TF219.id}",
)
case(
    "windows-jax",
    "impossible",
    but(
        HEALTHY_TORCH,
        cudnns=(),
        trials=(LOST,),
        pythons=(
            python(
                r"C:\work\jax\venv",
                Framework(name="jax", version="0.7.2", package="jax", gpu=False),
            ),
        ),
    ),
    r"error jax-on-windows C:\work\jax\venv",
)
case(
    "windows-python-32-bit",
    "broken",
    but(
        HEALTHY_TORCH,
        pythons=(but(ORT, bits=32, architecture="x86"),),
        cudnns=(GOOD,),
        search=(entry(GOOD.folder), *START, MINE),
        libraries=BARE_WINDOWS.libraries,
        toolkits=(KIT,),
        trials=(passed(GOOD, CARD),),
    ),
    rf"error python-32-bit {ORT_HOME}",
)
OLD_TORCH = torch(
    VENV,
    "2.4.1+cu121",
    frameworks=(
        but(
            TORCH.frameworks[0],
            version="2.4.1",
            cuda="12.1",
            cudnn="9.1",
            architectures=("5.0", "6.0", "7.0", "7.5", "8.0", "8.6", "9.0"),
        ),
    ),
)
case(
    "windows-torch-older-than-gpu",
    "broken",
    but(
        HEALTHY_TORCH,
        gpus=(BLACKWELL,),
        pythons=(OLD_TORCH,),
        cudnns=(torch_copy(VENV, "9.1.0"),),
        trials=(passed(torch_copy(VENV, "9.1.0"), BLACKWELL, VENV),),
    ),
    rf"error gpu-too-new-for-framework {VENV}",
)
case(
    "windows-torch-on-ada-healthy",
    "works",
    but(HEALTHY_TORCH, gpus=(gpu("RTX 4070"),), trials=(passed(OWN, gpu("RTX 4070"), VENV),)),
)
case(
    "windows-torch-newer-than-gpu",
    "broken",
    but(
        HEALTHY_TORCH,
        gpus=(PASCAL,),
        trials=(
            stopped(
                passed(OWN, PASCAL, VENV),
                "convolution",
                3007,
                "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH",
            ),
        ),
    ),
    rf"error gpu-too-old-for-framework {VENV}",
)
case(
    "windows-torch-driver-too-old",
    "broken",
    but(
        HEALTHY_TORCH,
        driver=windows_driver("471.96", "11.4"),
        trials=(stopped(passed(OWN, CARD, VENV), "driver", 35, "cudaErrorInsufficientDriver"),),
    ),
    rf"error driver-too-old {VENV}",
)
case(
    "windows-torch-files-gone",
    "broken",
    but(
        HEALTHY_TORCH,
        cudnns=(spoiled(OWN, "graph", "missing"),),
        trials=(
            LOST,
            Trial(
                subject=VENV,
                gpu=CARD.uuid,
                gpu_name=CARD.name,
                stage="version",
                status="crashed",
                code=0xC0000409,
            ),
        ),
    ),
    rf"error cudnn-part-missing {VENV}",
)
SHIM = copy(
    rf"{site(VENV)}\ctranslate2",
    "9.10.2",
    flavour="shim",
    environment=VENV,
    found_via=("bundled",),
    parts=(),
)
case(
    "windows-ctranslate2-shim-healthy",
    "works",
    but(HEALTHY_TORCH, cudnns=(OWN, SHIM)),
)
case(
    "windows-cupy-14",
    "works",
    but(
        HEALTHY_TORCH,
        pythons=(
            TORCH,
            python(
                r"C:\work\cupy\venv",
                Framework(
                    name="cupy",
                    version="14.0.1",
                    package="cupy-cuda12x",
                    gpu=True,
                    cuda="12",
                    cudnn_from="none",
                ),
            ),
        ),
    ),
    r"info cupy-without-cudnn C:\work\cupy\venv",
)

# --- Linux ------------------------------------------------------------------------------------

ADA = gpu("RTX 4070")
LKIT = linux_toolkit("12.8")
DEB = copy(
    LIB,
    "9.8.0",
    found_via=("system-folder", "ld-cache"),
    owner="libcudnn9-cuda-12 9.8.0.87-1",
    wins_for=(SYSTEM,),
)
CONF = entry(LKIT.libraries[0], variable="ld.so.conf", source="/etc/ld.so.conf.d/cuda-12-8.conf")
DEFAULT = entry(LIB, variable="default")
LBLAS = cublas(LKIT, "ld.so.conf", "ld-cache")
HOME = "/home/kim"

BARE_LINUX = machine(
    UBUNTU,
    driver=linux_driver(),
    gpus=(ADA,),
    other_gpus=("AMD Raphael",),
    toolkits=(LKIT,),
    libraries=LBLAS,
    variables=(shell("CUDA_HOME", "/usr/local/cuda", 119),),
    search=(CONF, DEFAULT),
)
MISSING = not_found("libcudnn.so.9", ADA)

HEALTHY_LINUX = case(
    "linux-healthy", "works", but(BARE_LINUX, cudnns=(DEB,), trials=(passed(DEB, ADA),))
)
case(
    "linux-driver-610-healthy",
    "works",
    but(HEALTHY_LINUX, driver=linux_driver("610.43.02", "13.4")),
)
case("linux-cudnn-missing", "broken", but(BARE_LINUX, trials=(MISSING,)), "error cudnn-missing")
UNPACKED = copy(
    f"{HOME}/cudnn-linux-x86_64-9.8.0_cuda12-archive/lib", "9.8.0", found_via=("CUDNN_PATH",)
)
case(
    "linux-cudnn-not-on-path",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(UNPACKED,),
        trials=(MISSING,),
        variables=(
            *BARE_LINUX.variables,
            shell("CUDNN_PATH", f"{HOME}/cudnn-linux-x86_64-9.8.0_cuda12-archive"),
        ),
    ),
    "error cudnn-not-on-path",
)
LVENV = f"{HOME}/ai/venv"
LTORCH = torch(LVENV)
LOWN = torch_copy(LVENV)
NEED9 = python(
    f"{HOME}/scan/venv",
    Framework(
        name="onnxruntime",
        version="1.22.0",
        package="onnxruntime-gpu",
        gpu=True,
        cuda="12.8",
        cudnn="9",
        cudnn_from="system",
    ),
    (Package(name="onnxruntime-gpu", version="1.22.0"),),
)
case(
    "linux-cudnn-not-on-path-beside-torch",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(UNPACKED, LOWN),
        pythons=(LTORCH, NEED9),
        trials=(MISSING, passed(LOWN, ADA, LVENV)),
    ),
    "error cudnn-not-on-path",
)
LATE = copy("/opt/cudnn/lib", "9.8.0", found_via=("LD_LIBRARY_PATH",))
EARLY = copy("/opt/old/lib", "9.1.0", found_via=("LD_LIBRARY_PATH",), wins_for=(SYSTEM,))
LISTED = {"variable": "LD_LIBRARY_PATH", "scope": "user", "source": f"{HOME}/.bashrc:120"}
case(
    "linux-older-cudnn-first",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(EARLY, LATE),
        search=(entry("/opt/old/lib", **LISTED), entry("/opt/cudnn/lib", **LISTED), CONF, DEFAULT),
        trials=(
            stopped(
                passed(EARLY, ADA), "sublibraries", 1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
            ),
        ),
    ),
    "error older-cudnn-first",
)
case(
    "linux-cudnn-damaged",
    "broken",
    but(
        HEALTHY_LINUX,
        cudnns=(spoiled(DEB, "ops", "truncated"),),
        trials=(
            Trial(
                subject=SYSTEM,
                gpu=ADA.uuid,
                gpu_name=ADA.name,
                stage="sublibraries",
                status="crashed",
                code=-7,
                code_name="SIGBUS",
                loaded=f"{LIB}/libcudnn.so.9",
            ),
        ),
    ),
    "error cudnn-damaged",
)
case(
    "linux-cudnn-unreadable",
    "broken",
    but(
        HEALTHY_LINUX,
        cudnns=(spoiled(DEB, "cnn", "unreadable"),),
        trials=(
            but(
                MISSING,
                stage="sublibraries",
                missing="libcudnn_cnn.so.9",
                detail="Permission denied",
            ),
        ),
    ),
    "error cudnn-unreadable",
)
MIX = but(
    DEB,
    parts=tuple(but(p, version="9.1.0") if p.name == "cnn" else p for p in DEB.parts),
    check=LibraryCheck(
        status="status-code",
        version="9.8.0",
        code=1002,
        detail="cuDNN sublibrary version mismatch: component cudnn_cnn version 9.1.0",
    ),
)
case(
    "linux-cudnn-mixed-versions",
    "broken",
    but(
        HEALTHY_LINUX,
        cudnns=(MIX,),
        trials=(
            stopped(
                passed(DEB, ADA), "sublibraries", 1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
            ),
        ),
    ),
    "error cudnn-mixed-versions",
)
ARM = copy(LIB, "9.8.0", architecture="aarch64", found_via=("system-folder",), check=None)
case(
    "linux-cudnn-wrong-architecture",
    "broken",
    but(HEALTHY_LINUX, cudnns=(ARM,), trials=(but(MISSING, detail="wrong ELF class"),)),
    "error cudnn-wrong-architecture",
)
case(
    "linux-header-differs",
    "works",
    but(HEALTHY_LINUX, cudnns=(but(DEB, header_version="8.9.7"),)),
    "info cudnn-header-differs",
)
JIT = copy(f"{HOME}/jit/lib", "9.27.0", flavour="jit", found_via=("added",))
case(
    "linux-cudnn-jit-only",
    "broken",
    but(BARE_LINUX, cudnns=(JIT,), trials=(MISSING,)),
    "error cudnn-jit-only",
)

GSP_MISSING = (
    "NVRM: The NVIDIA GPU is not supported by open nvidia.ko because it does not include"
    " the required GPU System Processor (GSP)."
)
NO_MODULE = linux_driver(**NO_ANSWER)
SEEN = but(ADA, **UNSEEN)
case(
    "linux-driver-missing",
    "broken",
    but(BARE_LINUX, driver=None, gpus=(SEEN,)),
    "error driver-missing",
)
case(
    "linux-driver-missing-nouveau-bound",
    "broken",
    but(
        BARE_LINUX,
        driver=linux_driver(
            **NO_ANSWER | {"modules": ("nouveau",)},
            version="",
            nvml_library="",
            cuda_library="",
            module_on_disk=False,
        ),
        gpus=(but(SEEN, kernel_driver="nouveau"),),
    ),
    "error driver-missing",
)
case(
    "linux-nouveau-active",
    "broken",
    but(
        BARE_LINUX,
        driver=but(NO_MODULE, modules=("nouveau",)),
        gpus=(but(SEEN, kernel_driver="nouveau"),),
    ),
    "error nouveau-active",
)
case(
    "linux-gpu-kept-for-vm",
    "broken",
    but(BARE_LINUX, driver=NO_MODULE, gpus=(but(SEEN, kernel_driver="vfio-pci"),)),
    "error gpu-kept-for-vm",
)
case(
    "linux-module-not-built",
    "broken",
    but(
        BARE_LINUX, driver=but(NO_MODULE, module_on_disk=False, kernel_headers=False), gpus=(SEEN,)
    ),
    "error driver-module-not-built",
)
case(
    "linux-secure-boot",
    "broken",
    but(
        BARE_LINUX,
        os=but(UBUNTU, secure_boot=True),
        gpus=(SEEN,),
        driver=but(NO_MODULE, log=("Loading of module with unavailable key is rejected",)),
    ),
    "error secure-boot-blocks-driver",
)
case(
    "linux-module-not-loaded",
    "broken",
    but(BARE_LINUX, driver=NO_MODULE, gpus=(SEEN,)),
    "error driver-module-not-loaded",
)
FEDORA = but(
    UBUNTU,
    name="Fedora Linux 42",
    version="6.15.9-201.fc42.x86_64",
    distribution=("fedora",),
    libc="glibc 2.41",
)
case(
    "fedora-driver-missing",
    "broken",
    but(BARE_LINUX, os=FEDORA, driver=None, gpus=(but(SEEN, kernel_driver="nouveau"),)),
    "error driver-missing",
)
for name, ids in (
    ("debian", ("debian",)),
    ("rocky", ("rocky", "rhel", "centos", "fedora")),
    ("manjaro", ("manjaro", "arch")),
    ("opensuse", ("opensuse-leap", "suse", "opensuse")),
    ("gentoo", ("gentoo",)),
):
    case(
        f"{name}-driver-missing",
        "broken",
        but(
            BARE_LINUX,
            os=but(UBUNTU, name=name.title(), distribution=ids),
            driver=None,
            gpus=(SEEN,),
        ),
        "error driver-missing",
    )
case(
    "linux-driver-library-mismatch",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(SEEN,),
        trials=(
            Trial(
                subject=SYSTEM,
                stage="driver",
                status="status-code",
                code=803,
                code_name="CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
            ),
        ),
        driver=linux_driver(
            "570.153.02",
            kernel_version="570.133.07",
            cuda="",
            nvml=Answer(code=18, name="NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
            cuda_init=Answer(code=803, name="CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        ),
    ),
    "error driver-library-mismatch",
)
STUBS = "/usr/local/cuda-12.8/lib64/stubs"
STUB_ENTRY = entry(STUBS, variable="LD_LIBRARY_PATH", scope="user", source=f"{HOME}/.bashrc:118")
case(
    "linux-stub-library-loaded",
    "broken",
    but(
        HEALTHY_LINUX,
        driver=linux_driver(
            cuda="",
            cuda_init=Answer(code=34, name="CUDA_ERROR_STUB_LIBRARY"),
            cuda_library=f"{STUBS}/libcuda.so.1",
        ),
        gpus=(but(ADA, cuda_index=None),),
        search=(STUB_ENTRY, CONF, DEFAULT),
        trials=(
            Trial(
                subject=SYSTEM,
                stage="driver",
                status="status-code",
                code=34,
                code_name="CUDA_ERROR_STUB_LIBRARY",
            ),
        ),
    ),
    "error stub-library-loaded",
)
case(
    "linux-stub-folder-searched",
    "works",
    but(HEALTHY_LINUX, search=(STUB_ENTRY, CONF, DEFAULT)),
    "warning stub-folder-searched",
)
COMPAT = "/usr/local/cuda-12.8/compat"
case(
    "linux-compat-library-used",
    "broken",
    but(
        HEALTHY_LINUX,
        driver=linux_driver(
            "550.54.15",
            cuda="12.8",
            cuda_init=Answer(code=804, name="CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
            cuda_library=f"{COMPAT}/libcuda.so.1",
        ),
        gpus=(but(ADA, cuda_index=None),),
        search=(
            entry(COMPAT, variable="LD_LIBRARY_PATH", scope="user", source=f"{HOME}/.bashrc:118"),
            CONF,
            DEFAULT,
        ),
        trials=(
            Trial(
                subject=SYSTEM,
                stage="driver",
                status="status-code",
                code=804,
                code_name="CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
            ),
        ),
    ),
    "error compat-library-used",
)
case(
    "linux-compat-library-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        driver=linux_driver("550.54.15", cuda="12.8", cuda_library=f"{COMPAT}/libcuda.so.1"),
    ),
)
case(
    "linux-device-permission",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(SEEN,),
        trials=(),
        driver=linux_driver(
            cuda="",
            nodes=nodes(closed=True),
            nvml=Answer(code=4, name="NVML_ERROR_NO_PERMISSION"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
    ),
    "error device-permission",
)
case(
    "linux-uvm-missing",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, cuda_index=None),),
        trials=(),
        driver=linux_driver(
            cuda_init=Answer(code=999, name="CUDA_ERROR_UNKNOWN"),
            modules=("nvidia",),
            nodes=nodes(missing="/dev/nvidia-uvm"),
        ),
    ),
    "error uvm-missing",
)
case(
    "linux-after-sleep",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, cuda_index=None),),
        trials=(),
        driver=linux_driver(
            cuda_init=Answer(code=999, name="CUDA_ERROR_UNKNOWN"), log=("PM: suspend exit",)
        ),
    ),
    "error cuda-stopped-after-sleep",
)
case(
    "linux-fabric-manager",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, cuda_index=None),),
        trials=(),
        driver=linux_driver(cuda_init=Answer(code=802, name="CUDA_ERROR_SYSTEM_NOT_READY")),
    ),
    "error fabric-manager-missing",
)
case(
    "linux-compute-mode-exclusive",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(
            but(
                ADA,
                compute_mode="exclusive-process",
                processes=(GpuProcess(pid=4711, name="python3", memory=2 * GIB),),
            ),
        ),
        trials=(stopped(passed(DEB, ADA), "context", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),),
    ),
    "error compute-mode-exclusive",
)
case(
    "linux-compute-mode-exclusive-healthy",
    "works",
    but(HEALTHY_LINUX, gpus=(but(ADA, compute_mode="exclusive-process"),)),
)
LOUT = but(OUT, gpu=ADA.uuid, gpu_name=ADA.name, loaded=f"{LIB}/libcudnn.so.9")
case(
    "linux-gpu-memory-taken",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(LOUT,),
        gpus=(
            but(
                ADA,
                memory_free=90 * 1024**2,
                processes=(
                    GpuProcess(pid=9001, name="python3", memory=11 * GIB),
                    GpuProcess(pid=812, name="Xorg", memory=200 * 1024**2, kind="graphics"),
                ),
            ),
        ),
    ),
    "error gpu-memory-taken",
)
case(
    "linux-gpu-memory-held",
    "broken",
    but(HEALTHY_LINUX, trials=(LOUT,), gpus=(but(ADA, memory_free=90 * 1024**2),)),
    "error gpu-memory-held",
)
TINY = but(
    ADA, name="NVIDIA GeForce MX 110", compute="5.0", memory_total=GIB, memory_free=300 * 1024**2
)
case(
    "linux-gpu-memory-small",
    "broken",
    but(HEALTHY_LINUX, gpus=(TINY,), trials=(LOUT,)),
    "error gpu-memory-small",
)
case(
    "linux-gpu-hidden-in-bashrc",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, cuda_index=None),),
        trials=(
            Trial(
                subject=SYSTEM,
                stage="driver",
                status="no-gpu",
                code=100,
                code_name="CUDA_ERROR_NO_DEVICE",
            ),
        ),
        driver=linux_driver(cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE")),
        variables=(*BARE_LINUX.variables, shell("CUDA_VISIBLE_DEVICES", "3", 130)),
    ),
    "error gpu-hidden",
)
case(
    "linux-mig-without-parts",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, name="NVIDIA A100-SXM4-40GB", compute="8.0", mig=True, cuda_index=None),),
        trials=(),
        driver=linux_driver(cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE")),
    ),
    "error mig-without-parts",
)
case(
    "linux-vgpu-licence",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, name="NVIDIA A10-12Q", compute="8.6", virtualization="vgpu"),),
        trials=(stopped(passed(DEB, ADA), "context", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),),
    ),
    "error vgpu-licence",
)
case(
    "linux-gpu-fell-off",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(SEEN, xids=(79,)),),
        trials=(),
        driver=linux_driver(
            nvml=Answer(code=15, name="NVML_ERROR_GPU_IS_LOST"),
            cuda_init=Answer(code=999, name="CUDA_ERROR_UNKNOWN"),
            log=("NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.",),
        ),
    ),
    "error gpu-lost",
)
case(
    "linux-gpu-needs-open-module",
    "broken",
    but(
        BARE_LINUX,
        gpus=(but(gpu("RTX 5090"), **UNSEEN),),
        driver=linux_driver(
            **{
                **NO_ANSWER,
                "modules": ("nvidia",),
                "kernel_version": "570.133.07",
                "kernel_flavour": "proprietary",
            },
            log=("NVRM: installed in this system requires use of the NVIDIA open kernel modules.",),
        ),
    ),
    "error gpu-needs-open-module",
)
case(
    "linux-gpu-needs-closed-module",
    "broken",
    but(
        BARE_LINUX,
        gpus=(but(PASCAL, **UNSEEN),),
        driver=linux_driver(
            **{**NO_ANSWER, "modules": ("nvidia",), "kernel_version": "570.133.07"},
            log=(GSP_MISSING,),
        ),
    ),
    "error gpu-needs-closed-module",
)
case(
    "linux-gpu-dropped-by-driver",
    "broken",
    but(
        BARE_LINUX,
        gpus=(but(PASCAL, **UNSEEN),),
        driver=linux_driver(
            "595.45.04", **{**NO_ANSWER, "modules": ("nvidia",), "kernel_version": "595.45.04"}
        ),
    ),
    "error gpu-dropped-by-driver",
)
case(
    "linux-rm-init-adapter",
    "broken",
    but(
        BARE_LINUX,
        gpus=(SEEN,),
        driver=linux_driver(
            **{**NO_ANSWER, "modules": ("nvidia",), "kernel_version": "570.133.07"},
            log=("NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:762)",),
        ),
    ),
    "error gpu-does-not-start",
)
case(
    "linux-ecc-pending",
    "works",
    but(HEALTHY_LINUX, gpus=(but(ADA, ecc=True, ecc_uncorrected=2, remap_pending=True),)),
    "warning gpu-memory-needs-restart",
)
case(
    "linux-ecc-failed",
    "broken",
    but(
        HEALTHY_LINUX, gpus=(but(ADA, ecc=True, ecc_uncorrected=31, remap_failed=True),), trials=()
    ),
    "error gpu-memory-faulty",
)
case(
    "linux-empty-search-entry",
    "works",
    but(
        HEALTHY_LINUX,
        variables=(*BARE_LINUX.variables, shell("LD_LIBRARY_PATH", ":/opt/x/lib", 122)),
    ),
    "info empty-search-entry",
)
case(
    "linux-leaked-library-folder",
    "works",
    but(
        HEALTHY_LINUX,
        variables=(
            *BARE_LINUX.variables,
            variable("LD_LIBRARY_PATH", "/tmp/_MEIab12cd", "process"),
        ),
    ),
    "warning leaked-library-folder",
)
case(
    "linux-cuda-home-stale",
    "works",
    but(
        HEALTHY_LINUX,
        variables=(but(shell("CUDA_HOME", "/usr/local/cuda-11.8", 119), exists=False),),
    ),
    "warning cuda-home-stale",
)
case(
    "linux-cuda-home-leading-colon",
    "works",
    but(HEALTHY_LINUX, variables=(shell("CUDA_HOME", ":/usr/local/cuda", 119),)),
    "warning cuda-home-malformed",
)
LKIT13 = but(linux_toolkit("13.0"), links=())
case(
    "linux-cuda-paths-disagree",
    "works",
    but(
        HEALTHY_LINUX,
        toolkits=(LKIT, LKIT13),
        variables=(*BARE_LINUX.variables, shell("CUDA_PATH", LKIT13.root)),
    ),
    "warning cuda-paths-disagree",
)
case(
    "linux-cuda-link-healthy",
    "works",
    but(HEALTHY_LINUX, variables=(*BARE_LINUX.variables, shell("CUDA_PATH", "/usr/local/cuda/"))),
)
case(
    "linux-two-cudarts-healthy",
    "works",
    but(HEALTHY_LINUX, toolkits=(LKIT, LKIT13), libraries=(*LBLAS, *cublas(LKIT13))),
)
case(
    "linux-cuda-not-on-path",
    "broken",
    but(
        HEALTHY_LINUX,
        libraries=cublas(LKIT),
        search=(DEFAULT,),
        trials=(but(MISSING, stage="convolution", missing="libcublasLt.so.12"),),
    ),
    "error cuda-not-on-path",
)
case(
    "linux-old-c-library",
    "broken",
    but(
        HEALTHY_LINUX,
        os=but(UBUNTU, name="CentOS Linux 7", libc="glibc 2.17", distribution=("centos", "rhel")),
        trials=(
            but(
                MISSING,
                status="status-code",
                missing="",
                detail="/lib64/libc.so.6: version `GLIBC_2.27' not found",
            ),
        ),
    ),
    "error c-library-too-old",
)
case(
    "alpine",
    "broken",
    but(
        BARE_LINUX,
        os=but(UBUNTU, name="Alpine Linux v3.20", libc="musl", distribution=("alpine",)),
        cudnns=(DEB,),
        trials=(but(MISSING, missing=""),),
    ),
    "error musl-system",
)
case(
    "linux-zlib-missing",
    "broken",
    but(HEALTHY_LINUX, trials=(but(MISSING, missing="libz.so.1"),)),
    "error zlib-missing",
)
case(
    "linux-other-library-missing",
    "broken",
    but(HEALTHY_LINUX, trials=(but(MISSING, missing="libfoo.so.3"),)),
    "error library-missing",
)
case(
    "linux-illegal-instruction",
    "broken",
    but(HEALTHY_LINUX, trials=(stopped(passed(DEB, ADA), "load", -4, "SIGILL", status="crashed"),)),
    "error cpu-too-old",
)

# --- WSL, containers, sandboxes ---------------------------------------------------------------

WSL = but(UBUNTU, version="5.15.167.4-microsoft-standard-WSL2", wsl=2, secure_boot=None)
WSL_LIB = "/usr/lib/wsl/lib"
DXG = DeviceNode(path="/dev/dxg", exists=True, openable=True, mode="crw-rw-rw-", owner="root:root")
WSL_DRIVER = linux_driver(
    "572.61",
    kernel_version="",
    kernel_flavour="",
    modules=(),
    module_on_disk=None,
    kernel_headers=None,
    nodes=(DXG,),
    nvml_library=f"{WSL_LIB}/libnvidia-ml.so.1",
    cuda_library=f"{WSL_LIB}/libcuda.so.1",
)
WGPU = but(ADA, kernel_driver="", seen_by=("nvml", "cuda"))
HEALTHY_WSL = case(
    "wsl-healthy",
    "works",
    but(HEALTHY_LINUX, os=WSL, driver=WSL_DRIVER, gpus=(WGPU,)),
)
case(
    "wsl-one",
    "broken",
    but(BARE_LINUX, os=but(WSL, wsl=1, version="4.4.0-19041-Microsoft"), driver=None, gpus=()),
    "error wsl-version-1",
)
case(
    "wsl-no-gpu",
    "broken",
    but(
        BARE_LINUX,
        os=WSL,
        gpus=(),
        driver=but(
            WSL_DRIVER,
            version="",
            cuda="",
            cuda_library="",
            nvml_library="",
            nvml=None,
            cuda_init=None,
            nodes=(DeviceNode(path="/dev/dxg", exists=False),),
        ),
    ),
    "error wsl-no-gpu",
)
case(
    "wsl-driver-missing",
    "broken",
    but(
        BARE_LINUX,
        os=WSL,
        gpus=(),
        driver=but(
            WSL_DRIVER,
            version="",
            cuda="",
            cuda_library="",
            nvml_library="",
            nvml=None,
            cuda_init=None,
        ),
    ),
    "error wsl-driver-missing",
)
case(
    "wsl-linux-driver",
    "broken",
    but(
        BARE_LINUX,
        os=WSL,
        gpus=(),
        driver=but(
            WSL_DRIVER,
            version="",
            cuda="",
            cuda_library=f"{LIB}/libcuda.so.1",
            nvml=Answer(code=9, name="NVML_ERROR_DRIVER_NOT_LOADED"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
    ),
    "error wsl-linux-driver",
)
case(
    "wsl-gpu-blocked",
    "broken",
    but(
        BARE_LINUX,
        os=WSL,
        gpus=(),
        driver=but(
            WSL_DRIVER,
            version="",
            cuda="",
            nvml=Answer(code=17, name="NVML_ERROR_OPERATING_SYSTEM"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
    ),
    "error wsl-gpu-blocked",
)
L8 = copy(LIB, "8.9.7", found_via=("system-folder",), wins_for=(SYSTEM,))
case(
    "wsl-libcuda-name-missing",
    "broken",
    but(
        HEALTHY_WSL,
        cudnns=(L8,),
        trials=(
            but(MISSING, stage="convolution", missing="libcuda.so", loaded=f"{LIB}/libcudnn.so.8"),
        ),
    ),
    "error libcuda-name-missing",
)
DOCKER = but(UBUNTU, container="docker", secure_boot=None)
case(
    "container-no-gpu",
    "broken",
    but(BARE_LINUX, os=DOCKER, driver=None, gpus=(SEEN,), toolkits=(), libraries=()),
    "error container-no-gpu",
)
case(
    "container-healthy",
    "works",
    but(HEALTHY_LINUX, os=DOCKER, driver=linux_driver(module_on_disk=None, kernel_headers=None)),
)
case(
    "container-no-compute",
    "broken",
    but(
        BARE_LINUX,
        os=DOCKER,
        driver=linux_driver(cuda="", cuda_library="", cuda_init=None),
        variables=(variable("NVIDIA_DRIVER_CAPABILITIES", "utility", "process"),),
    ),
    "error container-no-compute",
)
case(
    "container-permission",
    "broken",
    but(
        HEALTHY_LINUX,
        os=DOCKER,
        gpus=(SEEN,),
        trials=(),
        driver=linux_driver(
            cuda="",
            nodes=nodes(closed=True),
            nvml=Answer(code=4, name="NVML_ERROR_NO_PERMISSION"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
    ),
    "error device-permission-container",
)
case(
    "flatpak",
    "broken",
    but(BARE_LINUX, os=but(UBUNTU, sandbox="flatpak"), driver=None, gpus=()),
    "error sandbox-hides-gpu",
)
case(
    "linux-no-nvidia-gpu",
    "impossible",
    but(BARE_LINUX, driver=None, gpus=(), toolkits=(), libraries=()),
    "error no-nvidia-gpu",
)

# --- Linux: Python ----------------------------------------------------------------------------

PIP_LINUX = but(
    BARE_LINUX, toolkits=(), libraries=(), variables=(), search=(DEFAULT,), pythons=(LTORCH,)
)
HEALTHY_PIP = case(
    "linux-torch-healthy",
    "works",
    but(PIP_LINUX, cudnns=(LOWN,), trials=(MISSING, passed(LOWN, ADA, LVENV))),
)
case(
    "linux-torch-beside-system-cudnn-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        pythons=(LTORCH,),
        cudnns=(DEB, LOWN),
        trials=(passed(DEB, ADA), passed(LOWN, ADA, LVENV)),
    ),
)
OVER = entry("/opt/cudnn/lib", **LISTED)
MAPPED = (*passed(LOWN, ADA).mapped[:3], "/opt/cudnn/lib/libcudnn_ops.so.9")
case(
    "linux-torch-overridden-by-library-path",
    "broken",
    but(
        PIP_LINUX,
        cudnns=(but(LATE, found_via=("LD_LIBRARY_PATH",)), LOWN),
        search=(OVER, DEFAULT),
        trials=(
            stopped(
                passed(LOWN, ADA, LVENV),
                "sublibraries",
                1002,
                "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
                mapped=MAPPED,
            ),
        ),
    ),
    f"error library-path-overrides {LVENV}",
)
case(
    "linux-torch-overridden-by-system",
    "broken",
    but(
        PIP_LINUX,
        cudnns=(but(DEB, wins_for=()), LOWN),
        trials=(
            stopped(
                passed(LOWN, ADA, LVENV),
                "sublibraries",
                1002,
                "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
                mapped=(*MAPPED[:3], f"{LIB}/libcudnn_ops.so.9"),
            ),
        ),
    ),
    f"error system-cudnn-overrides {LVENV}",
)
case(
    "linux-torch-cudnn-truncated",
    "broken",
    but(
        PIP_LINUX,
        cudnns=(spoiled(LOWN, "ops", "truncated"),),
        trials=(
            Trial(
                subject=LVENV,
                gpu=ADA.uuid,
                gpu_name=ADA.name,
                stage="sublibraries",
                status="crashed",
                code=-7,
                code_name="SIGBUS",
            ),
        ),
    ),
    f"error cudnn-damaged {LVENV}",
)


def pinned(has: str, *, satisfied: bool = False, package: str = "nvidia-cudnn-cu12") -> Any:
    pin = Pin(package=package, wants="==9.10.2.21", has=has, satisfied=satisfied)
    return but(LTORCH, frameworks=(but(LTORCH.frameworks[0], pins=(pin,)),))


case(
    "linux-torch-cudnn-package-missing",
    "broken",
    but(PIP_LINUX, pythons=(pinned(""),), trials=(not_found("libcudnn.so.9", ADA, LVENV),)),
    f"error cudnn-package-missing {LVENV}",
)
L89 = torch_copy(LVENV, "8.9.7")
case(
    "linux-torch-wrong-major-package",
    "broken",
    but(
        PIP_LINUX,
        pythons=(pinned("8.9.7.29"),),
        cudnns=(L89,),
        trials=(not_found("libcudnn.so.9", ADA, LVENV),),
    ),
    f"error cudnn-package-wrong-major {LVENV}",
)
L91 = torch_copy(LVENV, "9.1.0")
case(
    "linux-torch-other-cudnn-healthy",
    "works",
    but(
        PIP_LINUX,
        pythons=(pinned("9.12.0.46"),),
        cudnns=(torch_copy(LVENV, "9.12.0"),),
        trials=(passed(torch_copy(LVENV, "9.12.0"), ADA, LVENV),),
    ),
)
case(
    "linux-torch-other-cudnn-stopped",
    "broken",
    but(
        PIP_LINUX,
        pythons=(pinned("9.1.0.70"),),
        cudnns=(L91,),
        trials=(
            stopped(passed(L91, ADA, LVENV), "convolution", 3000, "CUDNN_STATUS_NOT_SUPPORTED"),
        ),
    ),
    f"error cudnn-package-differs {LVENV}",
)
TWO = but(
    LTORCH, packages=(*LTORCH.packages, Package(name="nvidia-cudnn-cu13", version="9.12.0.46"))
)
case(
    "linux-two-cudnn-packages",
    "broken",
    but(
        PIP_LINUX,
        pythons=(TWO,),
        cudnns=(LOWN,),
        trials=(
            stopped(passed(LOWN, ADA, LVENV), "convolution", 4000, "CUDNN_STATUS_INTERNAL_ERROR"),
        ),
    ),
    f"error two-cudnn-packages {LVENV}",
)
case(
    "linux-package-incomplete",
    "broken",
    but(
        PIP_LINUX,
        cudnns=(LOWN,),
        pythons=(
            but(
                LTORCH,
                packages=(
                    LTORCH.packages[0],
                    LTORCH.packages[1],
                    Package(name="nvidia-cublas-cu12", version="12.8.4.1", files_missing=2),
                ),
            ),
        ),
        trials=(
            stopped(
                passed(LOWN, ADA, LVENV),
                "convolution",
                5002,
                "CUDNN_STATUS_EXECUTION_FAILED_CUBLAS",
            ),
        ),
    ),
    f"error package-incomplete {LVENV}",
)
case(
    "linux-cublas-missing-in-environment",
    "broken",
    but(PIP_LINUX, cudnns=(LOWN,), trials=(not_found("libcublasLt.so.12", ADA, LVENV),)),
    f"error cublas-missing-in-environment {LVENV}",
)
case(
    "linux-placeholder-package",
    "works",
    but(
        HEALTHY_PIP,
        pythons=(
            but(LTORCH, packages=(*LTORCH.packages, Package(name="nvidia-cudnn", version="0.0.1"))),
        ),
    ),
    f"info placeholder-package {LVENV}",
)
NEEDS = but(
    LTORCH,
    frameworks=(
        but(
            LTORCH.frameworks[0],
            pins=(
                *LTORCH.frameworks[0].pins,
                Pin(
                    package="nvidia-cublas-cu12",
                    wants="==12.8.4.1",
                    has="12.1.3.1",
                    satisfied=False,
                ),
            ),
        ),
    ),
)
case(
    "linux-framework-needs-packages",
    "broken",
    but(
        PIP_LINUX,
        pythons=(NEEDS,),
        cudnns=(LOWN,),
        trials=(
            stopped(
                passed(LOWN, ADA, LVENV),
                "convolution",
                5002,
                "CUDNN_STATUS_EXECUTION_FAILED_CUBLAS",
            ),
        ),
    ),
    f"error framework-needs-packages {LVENV}",
)
CT2 = Framework(
    name="ctranslate2",
    version="4.4.0",
    package="ctranslate2",
    gpu=True,
    cuda="12",
    cudnn="8",
    cudnn_from="wheel",
)
case(
    "linux-frameworks-disagree",
    "broken",
    but(
        PIP_LINUX,
        pythons=(but(LTORCH, frameworks=(*LTORCH.frameworks, CT2)),),
        cudnns=(
            LOWN,
            but(torch_copy(LVENV, "8.9.7"), folder=f"{site(LVENV)}/ctranslate2.libs", wins_for=()),
        ),
        trials=(
            stopped(
                passed(LOWN, ADA, LVENV),
                "sublibraries",
                3009,
                "CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE",
            ),
        ),
    ),
    f"error frameworks-disagree {LVENV}",
)
TF_ENV = f"{HOME}/tf/venv"
TF216 = python(
    TF_ENV,
    Framework(
        name="tensorflow",
        version="2.16.1",
        package="tensorflow",
        gpu=True,
        cuda="12.3",
        cudnn="8.9",
        cudnn_from="wheel",
    ),
    (
        Package(name="tensorflow", version="2.16.1"),
        Package(name="nvidia-cudnn-cu12", version="8.9.7.29"),
    ),
)
TFC = torch_copy(TF_ENV, "8.9.7")
case(
    "linux-tensorflow-216",
    "works",
    but(PIP_LINUX, pythons=(TF216,), cudnns=(TFC,), trials=(passed(TFC, ADA, TF_ENV),)),
    f"warning tensorflow-216 {TF_ENV}",
)
JAX = python(
    f"{HOME}/jax/venv",
    Framework(name="jax", version="0.7.2", package="jax", gpu=False),
    (Package(name="jax", version="0.7.2"),),
)
case(
    "linux-jax-cpu-only",
    "broken",
    but(PIP_LINUX, pythons=(JAX,), trials=(MISSING,)),
    f"error cpu-only-framework {JAX.id}",
)
case("linux-no-test", "unknown", but(HEALTHY_PIP, trials=()))

# --- Rarer causes -----------------------------------------------------------------------------

case(
    "linux-gpu-firmware-stopped",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, xids=(119,)),),
        trials=(but(passed(DEB, ADA), stage="context", status="timed-out", times=()),),
    ),
    "error gpu-firmware-stopped",
)
case(
    "linux-gpu-asleep",
    "unknown",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, asleep=True, seen_by=("pci", "nvml"), cuda_index=None),),
        trials=(),
    ),
    "info gpu-asleep",
)
case(
    "linux-nvrtc-missing",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(
            stopped(
                passed(DEB, ADA),
                "convolution",
                4001,
                "CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED",
            ),
        ),
    ),
    "error nvrtc-missing",
)
case(
    "linux-torch-nvrtc-missing",
    "broken",
    but(
        PIP_LINUX,
        cudnns=(LOWN,),
        trials=(
            stopped(
                passed(LOWN, ADA, LVENV),
                "convolution",
                3008,
                "CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING",
            ),
        ),
    ),
    f"error nvrtc-missing {LVENV}",
)
case(
    "linux-cublas-mixed",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(
            stopped(
                passed(DEB, ADA),
                "convolution",
                5002,
                "CUDNN_STATUS_EXECUTION_FAILED_CUBLAS",
                mapped=(f"{LIB}/libcublas.so.12", f"{LKIT.libraries[0]}/libcublasLt.so.12"),
            ),
        ),
    ),
    "error cublas-mixed",
)
case(
    "windows-cudnn-parts-not-found",
    "broken",
    but(
        HEALTHY_TORCH,
        trials=(
            but(
                not_found("cudnn_graph64_9.dll", CARD, VENV),
                stage="version",
                loaded=rf"{OWN.folder}\cudnn64_9.dll",
            ),
        ),
    ),
    rf"error cudnn-parts-not-found {VENV}",
)
L920 = torch_copy(LVENV, "9.20.0")
FOREIGN = f"{HOME}/cudnn-9.28/lib/libcudnn_engines_tensor_ir.so.9"
TORCH212 = but(
    LTORCH,
    frameworks=(
        but(
            LTORCH.frameworks[0],
            version="2.12.1",
            cuda="12.8",
            cudnn="9.20.0",
            pins=(
                Pin(
                    package="nvidia-cudnn-cu12",
                    wants="==9.20.0.48",
                    has="9.20.0.48",
                    satisfied=True,
                ),
            ),
        ),
    ),
)
case(
    "linux-cudnn-920-foreign-part",
    "broken",
    but(
        PIP_LINUX,
        pythons=(TORCH212,),
        cudnns=(L920,),
        trials=(
            stopped(
                passed(L920, ADA, LVENV),
                "convolution",
                1002,
                "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH",
                mapped=(*passed(L920, ADA).mapped, FOREIGN),
            ),
        ),
    ),
    f"error cudnn-920-foreign-part {LVENV}",
)
case(
    "windows-terminal-with-old-settings",
    "works",
    but(
        HEALTHY_WINDOWS,
        variables=(*VARIABLES, variable("PATH", r"C:\Windows\System32;C:\bin", "process")),
    ),
    "info open-programs-have-old-settings",
)
UMLAUT = but(GOOD, folder=r"C:\Users\Jürgen\cudnn\bin")
case(
    "windows-folder-name-unusual",
    "broken",
    but(
        HEALTHY_WINDOWS,
        cudnns=(UMLAUT,),
        search=(entry(UMLAUT.folder, "user"), *START),
        trials=(stopped(passed(UMLAUT, CARD), "load", 2, "", status="unloadable"),),
    ),
    "error library-refused",
    "warning folder-name-unusual",
)
USER = but(LTORCH, id=f"{HOME}/.local/lib/python3.12", kind="user-site", python="/usr/bin/python3")
SYSPY = but(LTORCH, id="/usr", kind="system", python="/usr/bin/python3", externally_managed=True)
SYS_OWN = but(LOWN, environment="/usr", wins_for=("/usr",))
USER_OWN = but(LOWN, environment=USER.id, wins_for=(USER.id,))
case(
    "linux-user-packages-first",
    "works",
    but(
        PIP_LINUX,
        pythons=(SYSPY, USER),
        cudnns=(SYS_OWN, USER_OWN),
        trials=(passed(SYS_OWN, ADA, "/usr"), passed(USER_OWN, ADA, USER.id)),
    ),
    "info user-packages-first /usr",
)
case(
    "linux-driver-wakes-slowly",
    "works",
    but(
        HEALTHY_LINUX,
        trials=(but(passed(DEB, ADA), times=(StageTime(stage="context", milliseconds=9100.0),)),),
    ),
    "info driver-starts-slowly",
)
case(
    "windows-first-run-slow",
    "works",
    but(
        HEALTHY_WINDOWS,
        trials=(
            but(passed(GOOD, CARD), times=(StageTime(stage="convolution", milliseconds=31000.0),)),
        ),
    ),
    "info first-run-slow",
)
case(
    "windows-openmp-missing",
    "broken",
    but(HEALTHY_WINDOWS, trials=(not_found("libomp140.x86_64.dll", CARD),)),
    "error openmp-missing",
)
case(
    "windows-store-python",
    "works",
    but(HEALTHY_TORCH, pythons=(but(TORCH, kind="store"),)),
    rf"info store-python {VENV}",
)
case(
    "windows-on-arm",
    "broken",
    but(
        HEALTHY_TORCH,
        os=but(WINDOWS, architecture="aarch64"),
        pythons=(but(CPU, architecture="aarch64"),),
        cudnns=(),
        trials=(LOST,),
    ),
    rf"error cpu-only-framework {VENV}",
    rf"info windows-on-arm {VENV}",
)
case(
    "linux-no-home-for-cudnn-externally-managed",
    "broken",
    but(
        PIP_LINUX,
        pythons=(but(pinned(""), kind="system", externally_managed=True),),
        trials=(not_found("libcudnn.so.9", ADA, LVENV),),
    ),
    f"error cudnn-package-missing {LVENV}",
)
case(
    "linux-nobody-uses-broken-spare-copy-healthy",
    "works",
    but(
        HEALTHY_PIP,
        cudnns=(spoiled(DEB, "cnn", "truncated"), LOWN),
        trials=(passed(LOWN, ADA, LVENV),),
    ),
    "info cudnn-damaged",
)
case(
    "linux-nvrtc-missing-in-environment",
    "broken",
    but(PIP_LINUX, cudnns=(LOWN,), trials=(not_found("libnvrtc.so.12", ADA, LVENV),)),
    f"error nvrtc-missing-in-environment {LVENV}",
)

INSIDE = but(
    passed(LOWN, ADA, LVENV),
    framework="torch 2.9.0",
    stage="convolution",
    status="status-code",
    times=(),
)
case(
    "linux-torch-stops-inside",
    "broken",
    but(HEALTHY_PIP, trials=(*HEALTHY_PIP.trials, but(INSIDE, detail="RuntimeError: cuDNN error"))),
    f"error framework-stopped {LVENV}",
)
case(
    "linux-torch-stopped-by-setting",
    "broken",
    but(
        HEALTHY_PIP,
        variables=(shell("LD_LIBRARY_PATH", "/opt/old/lib", 127),),
        trials=(*HEALTHY_PIP.trials, but(INSIDE, helped_by="LD_LIBRARY_PATH")),
    ),
    f"error setting-stops-framework {LVENV}",
)
case(
    "linux-jax-takes-all-memory",
    "broken",
    but(
        HEALTHY_PIP,
        trials=(
            *HEALTHY_PIP.trials,
            but(
                INSIDE,
                framework="jax 0.7.2",
                status="out-of-memory",
                helped_by="XLA_PYTHON_CLIENT_PREALLOCATE=false",
            ),
        ),
    ),
    f"error framework-takes-all-memory {LVENV}",
)
SYSTEM_NINE = but(
    HEALTHY_WINDOWS,
    toolkits=(KIT, KIT11),
    pythons=(TF210,),
    cudnns=(GOOD, but(EIGHT, wins_for=(), found_via=("added",))),
)
case("windows-other-major-not-on-path", "broken", SYSTEM_NINE, "error cudnn-not-on-path")
case(
    "windows-both-majors-found-but-only-one-tested",
    "unknown",
    but(
        SYSTEM_NINE,
        search=(*SYSTEM_NINE.search, entry(EIGHT.folder, "user")),
        libraries=(*SYSTEM_NINE.libraries, ZLIB),
    ),
)
case(
    "windows-both-majors-tested-healthy",
    "works",
    but(
        SYSTEM_NINE,
        search=(*SYSTEM_NINE.search, entry(EIGHT.folder, "user")),
        libraries=(*SYSTEM_NINE.libraries, ZLIB),
        trials=(*SYSTEM_NINE.trials, passed(EIGHT, CARD, TF_HOME)),
    ),
)

# --- The five classic situations --------------------------------------------------------------
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
