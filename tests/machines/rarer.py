"""Rarer causes, on both systems."""

from __future__ import annotations

from machines.case import case
from machines.linux import ADA, DEB, HEALTHY_LINUX, HOME, LKIT, LOWN, LTORCH, LVENV
from machines.linux_python import HEALTHY_PIP, PIP_LINUX, pinned
from machines.parts import (
    LIB,
    WINDOWS,
    but,
    entry,
    not_found,
    passed,
    shell,
    spoiled,
    stopped,
    torch_copy,
    variable,
)
from machines.windows import (
    CARD,
    EIGHT,
    GOOD,
    HEALTHY_WINDOWS,
    KIT,
    KIT11,
    LOST,
    START,
    TF210,
    TF_HOME,
    VARIABLES,
    ZLIB,
)
from machines.windows_python import CPU, HEALTHY_TORCH, OWN, TORCH, VENV

from cudnn_assistant.machine import Pin, StageTime

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
    "error folder-name-unusual",
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
FAILED = but(
    passed(OWN, CARD, VENV), framework="torch", stage="load", times=(), loaded="", mapped=()
)
POLICY = "An Application Control policy has blocked this file"
TORCH_OWN = rf"{VENV}\Lib\site-packages\torch\lib\c10.dll"


def torch_that_ends(**how):
    return but(HEALTHY_TORCH, trials=(*HEALTHY_TORCH.trials, but(FAILED, **how)))


case(
    "windows-torch-without-openmp",
    "broken",
    torch_that_ends(status="missing-library", code=126, missing="fbgemm.dll"),
    f"error openmp-missing {VENV}",
)
case(
    "windows-torch-blocked",
    "broken",
    torch_that_ends(
        status="unloadable",
        code=4551,
        detail=f'OSError: [WinError 4551] {POLICY}. Error loading "{TORCH_OWN}" or one of '
        "its dependencies.",
    ),
    f"error library-blocked {VENV}",
)
case(
    "windows-torch-blocked-by-no-name",
    "broken",
    torch_that_ends(
        status="unloadable", detail=f"ImportError: DLL load failed while importing _C: {POLICY}."
    ),
    f"error library-blocked {VENV}",
)
case(
    "windows-torch-blocked-by-its-reputation",
    "broken",
    torch_that_ends(status="unloadable", code=4556, detail="ImportError: DLL load failed: 4556"),
    f"error library-blocked {VENV}",
)
OF_C10 = 'Error loading "C:\\ai\\venv\\Lib\\torch\\lib\\c10.dll" or one of its dependencies.'
for number, code, name in (
    (5, "framework-stopped", "access-denied"),
    (193, "framework-stopped", "damaged"),
    (14, "computer-memory-full", "out-of-memory"),
):
    case(
        f"windows-torch-{name}",
        "broken",
        torch_that_ends(
            status="unloadable", code=number, detail=f"OSError: [WinError {number}] {OF_C10}"
        ),
        f"error {code} {VENV}",
    )
case(
    "windows-torch-with-an-older-vc-runtime",
    "broken",
    torch_that_ends(status="unloadable", code=1114, detail=f"OSError: [WinError 1114] {OF_C10}"),
    f"error msvc-runtime-missing {VENV}",
)
case(
    "windows-torch-without-vc-runtime",
    "broken",
    torch_that_ends(status="missing-library", code=126, missing="c10.dll",
                detail=f"OSError: [WinError 126] {OF_C10}"),
    f"error msvc-runtime-missing {VENV}",
)  # fmt: skip
OTHER_LIBC = case(
    "linux-torch-asks-for-the-c-library-that-is-there",
    "broken",
    but(
        HEALTHY_PIP,
        trials=(
            *HEALTHY_PIP.trials,
            but(
                passed(LOWN, ADA, LVENV), framework="torch", stage="load", times=(),
                status="unloadable", loaded="", mapped=(),
                detail="ImportError: version `GLIBC_2.38' not found",
            ),
        ),
    ),
    f"error framework-stopped {LVENV}",
)  # fmt: skip
case(
    "linux-torch-for-a-newer-c-library",
    "broken",
    but(OTHER_LIBC, os=but(OTHER_LIBC.os, libc="glibc 2.35")),
    f"error c-library-too-old {LVENV}",
)
OF_STORE = case(
    "windows-store-python-healthy",
    "works",
    but(HEALTHY_TORCH, pythons=(but(TORCH, kind="store"),)),
)
case(
    "windows-store-python",
    "broken",
    but(OF_STORE, trials=(not_found("nvToolsExt64_1.dll", CARD, VENV),)),
    rf"error library-missing {VENV}",
    rf"warning store-python {VENV}",
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
    "linux-torch-without-a-package-it-needs",
    "broken",
    but(
        HEALTHY_PIP,
        trials=(
            *HEALTHY_PIP.trials,
            but(
                INSIDE, stage="load", status="unloadable", missing="typing_extensions",
                detail="ModuleNotFoundError: No module named 'typing_extensions'",
            ),
        ),
    ),
    f"error framework-lacks-package {LVENV}",
)  # fmt: skip
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
case(
    "linux-onnxruntime-must-preload",
    "broken",
    but(
        HEALTHY_PIP,
        trials=(
            *HEALTHY_PIP.trials,
            but(
                INSIDE,
                framework="onnxruntime 1.23.2",
                status="missing-library",
                missing="libcublasLt.so.12",
                loaded="",
                detail="ONNX Runtime went back to the processor",
                helped_by="onnxruntime.preload_dlls()",
            ),
        ),
    ),
    f"error framework-must-preload {LVENV}",
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
