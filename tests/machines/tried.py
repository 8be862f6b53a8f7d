"""Computers on which experiments were made: what they prove, and what they refute."""

from __future__ import annotations

from machines.case import case
from machines.linux import ADA, DEB, HEALTHY_LINUX, HOME, LOWN, LTORCH, LVENV, MISSING
from machines.linux_python import HEALTHY_PIP, OVERRIDDEN, PIP_LINUX
from machines.parts import but, copy, entry, passed, stopped, variable
from machines.windows import CARD, GOOD, HEALTHY_WINDOWS

from cudnn_assistant.machine import Answer, Difference, Experiment, Limit, Outcome, PartCheck, Trial

FOLDER = f"{HOME}/old/lib"
OWN = passed(LOWN, ADA, LVENV)
BY_SYSTEM = passed(DEB, ADA)
REFUSED = but(BY_SYSTEM, stage="load", status="unloadable", version="", loaded="", checks=())


def outcome(trial: Trial) -> Outcome:
    return Outcome(
        stage=trial.stage, status=trial.status, code=trial.code, version=trial.version,
        loaded=trial.loaded, missing=trial.missing,
    )  # fmt: skip


def tried(kind, name, *without, before=REFUSED, after=BY_SYSTEM, proven=True) -> Experiment:
    return Experiment(
        subject=before.subject,
        framework=before.framework,
        difference=Difference(kind=kind, name=name, without=without),
        before=outcome(before),
        after=outcome(after),
        proven=proven,
    )


def of_torch(trial: Trial, **changes) -> Trial:
    return but(trial, framework="torch 2.9.0+cu128", **changes)


case(
    "linux-tried-search-entry",
    "broken",
    but(
        HEALTHY_LINUX,
        search=(
            entry(FOLDER, "user", "LD_LIBRARY_PATH", source=f"{HOME}/.bashrc:12"),
            *HEALTHY_LINUX.search,
        ),
        trials=(REFUSED,),
        experiments=(
            tried("preload", "LD_PRELOAD", "/x.so", after=REFUSED, proven=False),
            tried("search-entry", "LD_LIBRARY_PATH", FOLDER),
        ),
    ),
    "error search-entry-stops-cudnn",
)
case(
    "linux-tried-empty-search-entry",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(REFUSED,),
        experiments=(tried("search-entry", "LD_LIBRARY_PATH", ""),),
    ),
    "error search-entry-stops-cudnn",
)
case(
    "linux-tried-preload",
    "broken",
    but(
        HEALTHY_LINUX,
        variables=(
            *HEALTHY_LINUX.variables,
            variable("LD_PRELOAD", f"{FOLDER}/libcudnn.so.9", "user", source=f"{HOME}/.profile:3"),
        ),
        trials=(REFUSED,),
        experiments=(tried("preload", "LD_PRELOAD", f"{FOLDER}/libcudnn.so.9"),),
    ),
    "error preload-stops-cudnn",
)
PRELOADED = f"{FOLDER}/libcudnn.so.9"
case(
    "linux-preloaded-for-everybody",
    "broken",
    but(
        HEALTHY_LINUX,
        variables=(
            *HEALTHY_LINUX.variables,
            variable("LD_PRELOAD", PRELOADED, "machine", source="/etc/ld.so.preload"),
        ),
        trials=(stopped(but(BY_SYSTEM, loaded=PRELOADED, mapped=(PRELOADED,)), "version", -6,
                        "SIGABRT"),),
    ),
    "error preloaded-for-everybody",
)  # fmt: skip
case(
    "linux-tried-variable",
    "broken",
    but(
        HEALTHY_LINUX,
        variables=(*HEALTHY_LINUX.variables, variable("CUDA_DEVICE_ORDER", "X", "process")),
        trials=(stopped(BY_SYSTEM, "convolution", 5000, "CUDNN_STATUS_EXECUTION_FAILED"),),
        experiments=(tried("variable", "CUDA_DEVICE_ORDER", "X"),),
    ),
    "error variable-stops-cudnn",
)
case(
    "linux-tried-limit",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(REFUSED,),
        experiments=(tried("limit", "AS", "8589934592"),),
    ),
    "error limit-stops-cudnn",
)
case(
    "linux-tried-working-folder",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(REFUSED,),
        experiments=(tried("working-folder", "", f"{HOME}/project"),),
    ),
    "error working-folder-stops-cudnn",
)
case(
    "linux-tried-several-settings",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(REFUSED,),
        experiments=(
            tried("settings", "", f"LD_PRELOAD={FOLDER}/a.so", f"LD_LIBRARY_PATH={FOLDER}"),
        ),
    ),
    "error settings-stop-cudnn",
)
case(
    "linux-tried-several-stored-settings",
    "broken",
    but(
        HEALTHY_LINUX,
        variables=(
            *HEALTHY_LINUX.variables,
            variable("LD_PRELOAD", f"{FOLDER}/a.so", "user", source=f"{HOME}/.profile:3"),
        ),
        search=(
            entry(FOLDER, "user", "LD_LIBRARY_PATH", source=f"{HOME}/.bashrc:12"),
            *HEALTHY_LINUX.search,
        ),
        trials=(REFUSED,),
        experiments=(
            tried("settings", "", f"LD_PRELOAD={FOLDER}/a.so", f"LD_LIBRARY_PATH={FOLDER}"),
        ),
    ),
    "error settings-stop-cudnn",
)
MIXED = but(OWN, stage="sublibraries", status="status-code", code=1002, checks=(),
            code_name="CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH")  # fmt: skip
case(
    "linux-torch-works-with-a-foreign-part",
    "works",
    but(
        HEALTHY_PIP,
        trials=(*HEALTHY_PIP.trials[:-1], MIXED, of_torch(OWN)),
        experiments=(tried("search-entry", "LD_LIBRARY_PATH", FOLDER, before=MIXED, after=OWN),),
    ),
    f"warning framework-spares-cudnn-fault {LVENV}",
)
STOPPED = of_torch(OWN, stage="driver", status="status-code", checks=(), code=None)
case(
    "linux-torch-works-with-a-part-of-a-searched-folder",
    "works",
    but(
        OVERRIDDEN,
        trials=(*OVERRIDDEN.trials, of_torch(OWN)),
    ),
    f"warning framework-spares-cudnn-fault {LVENV}",
)
case(
    "linux-torch-stops-by-a-preload",
    "broken",
    but(
        HEALTHY_PIP,
        trials=(*HEALTHY_PIP.trials, STOPPED),
        experiments=(
            tried(
                "preload", "LD_PRELOAD", f"{FOLDER}/libcudnn.so.9", before=STOPPED,
                after=of_torch(OWN),
            ),
        ),
    ),
    f"error preload-stops-cudnn {LVENV}",
)  # fmt: skip
JAX = but(LTORCH.frameworks[0], name="jax", version="0.6.2", package="jax-cuda12-plugin", pins=())
case(
    "linux-torch-crashes-inside",
    "broken",
    but(
        HEALTHY_PIP,
        trials=(
            *HEALTHY_PIP.trials,
            of_torch(OWN, status="crashed", checks=(), code=-11, detail="ended in convolution"),
        ),
    ),
    f"error framework-stopped {LVENV}",
)
OF_JAX = but(STOPPED, framework="jax 0.6.2")
case(
    "linux-jax-stops-by-a-setting-beside-torch",
    "broken",
    but(
        HEALTHY_PIP,
        pythons=(but(LTORCH, frameworks=(*LTORCH.frameworks, JAX)),),
        trials=(*HEALTHY_PIP.trials, of_torch(OWN), OF_JAX),
        experiments=(
            tried(
                "variable", "JAX_PLATFORMS", "gpux", before=OF_JAX,
                after=but(OWN, framework="jax 0.6.2"),
            ),
        ),
    ),
    f"error variable-stops-cudnn {LVENV}",
)  # fmt: skip
case(
    "linux-torch-asked-healthy",
    "works",
    but(HEALTHY_PIP, trials=(*HEALTHY_PIP.trials, of_torch(OWN))),
)
case(
    "linux-environment-not-tried",
    "works",
    but(
        HEALTHY_LINUX,
        pythons=(but(LTORCH, found_via=("project",)),),
        cudnns=(*HEALTHY_LINUX.cudnns, but(LOWN, check=None, doubt="place", wins_for=())),
        trials=(
            BY_SYSTEM,
            Trial(subject=LVENV, stage="start", status="not-run", doubt="place", detail=LVENV),
        ),
    ),
)
case(
    "linux-only-environment-not-tried",
    "unknown",
    but(
        PIP_LINUX,
        cudnns=(but(LOWN, check=None, doubt="place", wins_for=()),),
        trials=(
            MISSING,
            Trial(subject=LVENV, stage="start", status="not-run", doubt="place", detail=LVENV),
        ),
    ),
)
case(
    "linux-tried-in-vain",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(stopped(BY_SYSTEM, "handle", 1001, "CUDNN_STATUS_NOT_INITIALIZED"),),
        experiments=(
            tried("preload", "LD_PRELOAD", "/x.so", after=REFUSED, proven=False),
            tried("search-entry", "LD_LIBRARY_PATH", FOLDER, after=REFUSED, proven=False),
        ),
    ),
    "error unexplained",
)
BEHIND = copy("/opt/cudnn/lib", found_via=("LD_LIBRARY_PATH",), check=None)
"""An experiment moves an entry behind others of its own list alone."""
case(
    "linux-tried-search-order",
    "broken",
    but(
        HEALTHY_LINUX,
        cudnns=(BEHIND,),
        search=(
            entry(FOLDER, "user", "LD_LIBRARY_PATH", source=f"{HOME}/.bashrc:12"),
            entry(BEHIND.folder, "user", "LD_LIBRARY_PATH", source=f"{HOME}/.bashrc:13"),
            *HEALTHY_LINUX.search,
        ),
        trials=(REFUSED,),
        experiments=(
            tried("search-entry", "LD_LIBRARY_PATH", FOLDER, after=REFUSED, proven=False),
            tried("search-order", "LD_LIBRARY_PATH", FOLDER, after=passed(BEHIND, ADA)),
        ),
    ),
    "error search-order-stops-cudnn",
)
case(
    "linux-tried-variable-that-nobody-knows",
    "broken",
    but(HEALTHY_LINUX, trials=(REFUSED,), experiments=(tried("variable", "LICENCE_SERVER"),)),
    "error variable-stops-cudnn",
)
case(
    "linux-part-that-convolutions-do-without",
    "works",
    but(
        HEALTHY_LINUX,
        trials=(
            but(
                BY_SYSTEM,
                spared=(PartCheck(call="cudnnAdvVersionCheck", status="crashed", code=-6),),
            ),
        ),
    ),
    "warning framework-spares-cudnn-fault",
)
STRAY_FIRST = stopped(
    passed(GOOD, CARD), "sublibraries", 1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
)
case(
    "windows-tried-search-order",
    "broken",
    but(
        HEALTHY_WINDOWS,
        search=(entry(r"C:\tools\blas"), *HEALTHY_WINDOWS.search),
        trials=(STRAY_FIRST,),
        experiments=(
            tried("search-order", "PATH", r"C:\tools\blas", before=STRAY_FIRST,
                  after=passed(GOOD, CARD)),
        ),
    ),
    "error search-order-stops-cudnn",
)  # fmt: skip
case(
    "windows-tried-program-folder",
    "broken",
    but(
        HEALTHY_WINDOWS,
        trials=(STRAY_FIRST,),
        experiments=(
            tried("program-folder", "", r"C:\Python312", before=STRAY_FIRST,
                  after=passed(GOOD, CARD)),
        ),
    ),
    "error working-folder-stops-cudnn",
)  # fmt: skip
case(
    "linux-python-start-stops-torch",
    "broken",
    but(
        HEALTHY_PIP,
        trials=(*HEALTHY_PIP.trials, STOPPED),
        experiments=(
            tried(
                "python-start", "", f"{LVENV}/lib/python3.12/site-packages/odd.pth",
                before=STOPPED, after=of_torch(OWN),
            ),
        ),
    ),
    f"error python-start-stops-framework {LVENV}",
)  # fmt: skip
OUT_OF_ADDRESSES = stopped(
    BY_SYSTEM, "context", 2, "CUDA_ERROR_OUT_OF_MEMORY", status="out-of-memory"
)
case(
    "linux-limit-that-nobody-can-raise",
    "broken",
    but(
        HEALTHY_LINUX,
        os=but(HEALTHY_LINUX.os, limits=(Limit(name="AS", most=8_192_000_000),)),
        trials=(OUT_OF_ADDRESSES,),
    ),
    "error limit-too-low",
)
FAILED = Answer(code=999)
case(
    "linux-limit-of-open-files-that-nobody-can-raise",
    "broken",
    but(
        HEALTHY_LINUX,
        os=but(HEALTHY_LINUX.os, limits=(Limit(name="NOFILE", most=14),)),
        driver=but(HEALTHY_LINUX.driver, nvml=FAILED, cuda_init=FAILED),
        trials=(stopped(BY_SYSTEM, "driver", 100, "CUDA_ERROR_NO_DEVICE", status="no-gpu"),),
    ),
    "error limit-too-low",
)
case(
    "linux-limit-that-suffices-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        os=but(HEALTHY_LINUX.os, limits=(Limit(name="AS", most=8_192_000_000_000),)),
    ),
)
