"""Linux: Python environments."""

from __future__ import annotations

from typing import Any

from machines.case import case
from machines.linux import (
    ADA,
    BARE_LINUX,
    DEB,
    DEFAULT,
    HEALTHY_LINUX,
    HOME,
    LATE,
    LISTED,
    LOWN,
    LTORCH,
    LVENV,
    MISSING,
    NEED9,
    UNPACKED,
)
from machines.parts import (
    LIB,
    but,
    entry,
    not_found,
    passed,
    python,
    site,
    spoiled,
    stopped,
    torch,
    torch_copy,
    variable,
)

from cudnn_assistant.machine import Framework, Package, Pin, Trial

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
OVERRIDDEN = case(
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
# As a real computer told it: another major's package, and the system's cuDNN answers instead.
case(
    "linux-torch-other-package-and-system-answers",
    "broken",
    but(
        PIP_LINUX,
        pythons=(pinned(""),),
        cudnns=(DEB, torch_copy(LVENV, "8.9.6")),
        trials=(passed(DEB, ADA), passed(DEB, ADA, LVENV)),
    ),
    f"error cudnn-package-missing {LVENV}",
)
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
EXCHANGED = but(
    PIP_LINUX,
    cudnns=(LOWN,),
    pythons=(
        but(LTORCH, packages=tuple(
            but(p, changed=("libcudnn_cnn.so.9",)) if "cudnn" in p.name else p
            for p in LTORCH.packages
        )),
    ),
)  # fmt: skip
UNABLE = but(
    stopped(passed(LOWN, ADA, LVENV), "sublibraries", -6, "SIGABRT"),
    status="crashed",
    detail="ended in cudnnCnnVersionCheck; libcudnn_cnn.so.9 could not be loaded",
    output="Unable to load any of {libcudnn_cnn.so.9.10.2, libcudnn_cnn.so.9, libcudnn_cnn.so}",
)
case(
    "linux-package-changed",
    "broken",
    but(EXCHANGED, trials=(UNABLE,)),
    f"error package-changed {LVENV}",
)
case(
    "linux-package-made-smaller-healthy",
    "works",
    but(EXCHANGED, trials=(passed(LOWN, ADA, LVENV),)),
    f"info package-changed {LVENV}",
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
JAX_PLUGIN = python(
    f"{HOME}/jax/venv",
    Framework(
        name="jax", version="0.7.2", package="jax-cuda12-plugin", gpu=True, cuda="12",
        cudnn="9.8", cudnn_from="wheel",
    ),
    (
        Package(name="jax", version="0.7.2"),
        Package(name="jaxlib", version="0.7.2"),
        Package(name="jax-cuda12-plugin", version="0.6.2"),
        Package(name="nvidia-cudnn-cu12", version="9.10.2.21"),
    ),
)  # fmt: skip
JAX_OWN = torch_copy(JAX_PLUGIN.id)
case(
    "linux-jax-plugin-differs",
    "broken",
    but(
        PIP_LINUX,
        pythons=(JAX_PLUGIN,),
        cudnns=(JAX_OWN,),
        trials=(MISSING, passed(JAX_OWN, ADA, JAX_PLUGIN.id)),
    ),
    f"error jax-plugin-differs {JAX_PLUGIN.id}",
)
case(
    "linux-jax-runs-with-a-plugin-of-another-release-healthy",
    "works",
    but(
        PIP_LINUX,
        pythons=(JAX_PLUGIN,),
        cudnns=(JAX_OWN,),
        trials=(
            MISSING,
            passed(JAX_OWN, ADA, JAX_PLUGIN.id),
            but(passed(JAX_OWN, ADA, JAX_PLUGIN.id), framework="jax 0.6.2"),
        ),
    ),
)
case(
    "linux-jax-plugin-agrees-healthy",
    "works",
    but(
        PIP_LINUX,
        pythons=(
            but(
                JAX_PLUGIN,
                packages=tuple(
                    but(p, version="0.7.2.post1") if p.name == "jax-cuda12-plugin" else p
                    for p in JAX_PLUGIN.packages
                ),
            ),
        ),
        cudnns=(JAX_OWN,),
        trials=(MISSING, passed(JAX_OWN, ADA, JAX_PLUGIN.id)),
    ),
)
case(
    "linux-jax-cpu-only",
    "broken",
    but(PIP_LINUX, pythons=(JAX,), trials=(MISSING,)),
    f"error cpu-only-framework {JAX.id}",
)
case(
    "linux-jax-cpu-only-where-it-was-activated",
    "broken",
    but(HEALTHY_PIP, pythons=(but(JAX, active=True), *HEALTHY_PIP.pythons)),
    f"error cpu-only-framework {JAX.id}",
)
# conda activates its base in every terminal: nobody chose that one.
case(
    "linux-jax-cpu-only-in-conda-base",
    "works",
    but(
        HEALTHY_PIP,
        pythons=(but(JAX, active=True, kind="conda"), *HEALTHY_PIP.pythons),
        variables=(variable("CONDA_DEFAULT_ENV", "base", scope="process"),),
    ),
    f"warning cpu-only-framework {JAX.id}",
)
case("linux-no-test", "unknown", but(HEALTHY_PIP, trials=()))
BARE_TF = python(
    f"{HOME}/tf2/venv",
    Framework(
        name="tensorflow",
        version="2.20.0",
        package="tensorflow",
        gpu=True,
        cuda="12.5",
        cudnn="9.3",
        cudnn_from="system",
    ),
    (Package(name="tensorflow", version="2.20.0"),),
)
case(
    "linux-tensorflow-without-packages",
    "broken",
    but(PIP_LINUX, pythons=(BARE_TF,), trials=(MISSING,)),
    f"error tensorflow-without-packages {HOME}/tf2/venv",
)
case(
    "linux-tensorflow-without-packages-beside-unused-cudnn",
    "broken",
    but(PIP_LINUX, pythons=(BARE_TF,), cudnns=(UNPACKED,), trials=(MISSING,)),
    f"error tensorflow-without-packages {HOME}/tf2/venv",
    "info spare-cudnn-not-searched",
)
case(
    "linux-onnxruntime-without-packages",
    "broken",
    but(PIP_LINUX, pythons=(NEED9,), trials=(MISSING,)),
    f"error onnxruntime-without-packages {HOME}/scan/venv",
)
case("linux-onnxruntime-with-system-cudnn-healthy", "works", but(HEALTHY_LINUX, pythons=(NEED9,)))
case(
    "linux-tensorflow-with-system-cudnn-healthy",
    "works",
    but(HEALTHY_LINUX, pythons=(BARE_TF,)),
)
OTHERS = f"{HOME}/base/venv"
LINKED = but(
    spoiled(LOWN, "ops", "truncated"),
    wins_for=(),
)
BASE = torch_copy(OTHERS)
case(
    "linux-torch-linked-and-truncated",
    "broken",
    but(
        PIP_LINUX,
        pythons=(LTORCH, torch(OTHERS)),
        cudnns=(LINKED, but(BASE, wins_for=(OTHERS, LVENV))),
        trials=(
            passed(BASE, ADA, OTHERS),
            but(
                passed(BASE, ADA, LVENV),
                stage="sublibraries",
                status="crashed",
                code=-7,
                code_name="SIGBUS",
                times=(),
            ),
        ),
    ),
    f"error cudnn-damaged {LVENV}",
)
case(
    "linux-many-frameworks-healthy",
    "works",
    but(
        HEALTHY_PIP,
        pythons=(
            but(
                LTORCH,
                frameworks=(
                    but(LTORCH.frameworks[0], version="2.9.0+cu128"),
                    Framework(
                        name="jax",
                        version="0.7.2",
                        package="jax",
                        gpu=True,
                        cuda="12",
                        cudnn="9.8",
                        cudnn_from="wheel",
                    ),
                    Framework(
                        name="onnxruntime", version="1.22.0", package="onnxruntime", gpu=False
                    ),
                    Framework(
                        name="cupy",
                        version="13.6.0",
                        package="cupy-cuda12x",
                        gpu=True,
                        cudnn_from="none",
                    ),
                ),
            ),
        ),
    ),
)
