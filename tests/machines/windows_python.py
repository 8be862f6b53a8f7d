"""Windows: Python environments."""

from __future__ import annotations

from machines.case import case
from machines.parts import (
    but,
    copy,
    entry,
    gpu,
    passed,
    python,
    site,
    spoiled,
    stopped,
    torch,
    torch_copy,
    windows_driver,
)
from machines.windows import (
    BARE_WINDOWS,
    BLACKWELL,
    CARD,
    FOUND,
    GOOD,
    HEALTHY_WINDOWS,
    KIT,
    LOST,
    MINE,
    ORT,
    ORT_HOME,
    PASCAL,
    START,
    VARIABLES,
)

from cudnn_assistant.machine import Framework, Package, Trial

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
STRAY = stopped(
    passed(OWN, CARD, VENV), "sublibraries", 1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
)
case(
    "windows-stray-part-beside-python",
    "broken",
    but(
        HEALTHY_TORCH,
        trials=(LOST, but(STRAY, mapped=(STRAY.loaded, r"C:\Python311\cudnn_ops64_9.dll"))),
    ),
    rf"error system-cudnn-overrides {VENV}",
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
UV = r"C:\Users\Kim Lee\AppData\Roaming\uv\python\cpython-3.12.3-windows-x86_64-none"
case(
    "windows-torch-cpu-only-in-the-python-of-uv",
    "broken",
    but(
        HEALTHY_TORCH,
        pythons=(but(CPU, id=UV, python=rf"{UV}\python.exe", externally_managed=True),),
        cudnns=(),
        trials=(but(LOST, subject=UV),),
    ),
    rf"error cpu-only-framework {UV}",
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
    rf"error framework-twice {ORT_HOME}",
)
case(
    "windows-onnxruntime-gpu-healthy",
    "works",
    but(HEALTHY_WINDOWS, pythons=(ORT,)),
)
NOTHING = but(BARE_WINDOWS, toolkits=(), libraries=(), variables=(), trials=(LOST,))
case(
    "windows-onnxruntime-without-packages",
    "broken",
    but(NOTHING, pythons=(ORT,)),
    rf"error onnxruntime-without-packages {ORT_HOME}",
)
case(
    "windows-onnxruntime-without-packages-old-gpu",
    "broken",
    but(NOTHING, gpus=(PASCAL,), pythons=(ORT,)),
    rf"error onnxruntime-without-packages {ORT_HOME}",
)
case(
    "windows-onnxruntime-beside-a-toolkit",
    "broken",
    but(BARE_WINDOWS, pythons=(ORT,), trials=(LOST,)),
    "error cudnn-missing",
)
case(
    "windows-onnxruntime-of-old-release-without-cuda",
    "broken",
    but(
        NOTHING,
        pythons=(but(ORT, frameworks=(but(ORT.frameworks[0], version="1.20.0", cudnn="9"),)),),
    ),
    "error program-needs-other-cuda",
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
ON_ADA = case(
    "windows-torch-on-ada-healthy",
    "works",
    but(HEALTHY_TORCH, gpus=(gpu("RTX 4070"),), trials=(passed(OWN, gpu("RTX 4070"), VENV),)),
)
UNUSED = copy(r"C:\Users\kim\Downloads\bin", "8.9.7", found_via=("home",))
case(
    "windows-torch-beside-unused-old-cudnn-healthy",
    "works",
    but(ON_ADA, cudnns=(UNUSED, OWN)),
    "info spare-cudnn-not-searched",
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
CUPYS = (
    Package(name="cupy-cuda11x", version="13.6.0", changed=("core.cp311-win_amd64.pyd",)),
    Package(name="cupy-cuda12x", version="13.6.0"),
)
case(
    "windows-cupy-twice",
    "works",
    but(
        HEALTHY_TORCH,
        pythons=(
            TORCH,
            but(
                python(
                    r"C:\work\cupy\venv",
                    Framework(
                        name="cupy",
                        version="13.6.0",
                        package="cupy-cuda12x",
                        gpu=True,
                        cuda="12",
                        cudnn_from="none",
                    ),
                ),
                packages=CUPYS,
            ),
        ),
    ),
    r"warning framework-twice C:\work\cupy\venv",
)
case(
    "windows-onnxruntime-files-gone",
    "works",
    but(
        HEALTHY_WINDOWS,
        pythons=(
            but(
                ORT,
                packages=(
                    Package(
                        name="onnxruntime-gpu",
                        version="1.22.0",
                        files_missing=2,
                        missing=("onnxruntime.dll", "onnxruntime_providers_cuda.dll"),
                    ),
                ),
            ),
        ),
    ),
    rf"warning package-incomplete {ORT_HOME}",
)
