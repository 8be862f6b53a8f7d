"""Frameworks that stop where cuDNN doesn't, and a cuDNN that doesn't fit its CUDA or GPU."""

from __future__ import annotations

from machines.case import case
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
    LVENV,
)
from machines.linux_python import HEALTHY_PIP, PIP_LINUX, TF216, TF_ENV, TFC
from machines.parts import (
    but,
    copy,
    cublas,
    gpu,
    linux_driver,
    linux_toolkit,
    not_found,
    passed,
    python,
    stopped,
    torch_copy,
)
from machines.rarer import INSIDE

from cudnn_assistant.machine import Framework, Package

# How a framework's own test ends

RAN = but(INSIDE, status="ok")
DIED = but(INSIDE, framework="torch", stage="load", status="crashed", loaded="")


def inside(**ended):
    return but(HEALTHY_PIP, trials=(*HEALTHY_PIP.trials, but(DIED, **ended)))


case(
    "linux-torch-ends-at-an-instruction",
    "broken",
    inside(code=-4, code_name="SIGILL"),
    f"error cpu-too-old {LVENV}",
)
case(
    "linux-torch-is-killed",
    "broken",
    inside(code=-9, code_name="SIGKILL"),
    f"error computer-memory-full {LVENV}",
)
case(
    "linux-torch-reaches-for-wild-memory-beside-an-old-fault",
    "broken",
    but(
        inside(
            framework="torch 2.9.0",
            stage="convolution",
            status="status-code",
            code=700,
            code_name="CUDA_ERROR_ILLEGAL_ADDRESS",
        ),
        gpus=(but(ADA, xids=(31,)),),
    ),
    f"error framework-stopped {LVENV}",
)
case(
    "linux-jax-is-newer-than-the-driver",
    "broken",
    inside(
        framework="jax 0.7.2",
        stage="convolution",
        status="status-code",
        code=222,
        code_name="CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    ),
    f"error driver-too-old-for-code {LVENV}",
)
case(
    "linux-torch-asks-for-a-library-of-the-system",
    "broken",
    inside(status="missing-library", missing="libgomp.so.1", detail="ImportError: libgomp.so.1"),
    f"error framework-stopped {LVENV}",
)

# Frameworks that say themselves what they lack, each as a real one was seen to say it

NO_NUMPY = "TypeError: Unable to convert function return value to a Python type! The signature was"
NUMPY_TWO = "AttributeError: _ARRAY_API not found\nImportError: numpy.core.umath failed to import"
STOPS = {"status": "unloadable", "framework": "torch"}
case(
    "linux-torch-made-for-an-older-numpy",
    "broken",
    inside(**STOPS, detail=f"{NO_NUMPY}\n\t() -> handle", output=NUMPY_TWO),
    f"error python-packages-conflict {LVENV}",
)
case(
    "linux-torch-whose-numpy-may-be-anything",
    "broken",
    inside(**STOPS, detail="ImportError: numpy._core.umath failed to import"),
    f"error framework-stopped {LVENV}",
)
case(
    "linux-torch-that-only-warns-of-numpy",
    "broken",
    inside(**STOPS, detail="KeyError: 'sm_89'", output=NUMPY_TWO),
    f"error framework-stopped {LVENV}",
)
case(
    "linux-torch-with-a-newer-mkl",
    "broken",
    inside(**STOPS, detail="ImportError: libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent"),
    f"error python-packages-conflict {LVENV}",
)
case(
    "linux-torch-with-two-openmp-runtimes",
    "broken",
    inside(
        code=-6,
        code_name="SIGABRT",
        output="OMP: Error #15: Initializing libiomp5.so, but found libiomp5.so already "
        "initialized.\nOMP: Hint This means that multiple copies of it have been linked.",
    ),
    f"error python-packages-conflict {LVENV}",
)
case(
    "linux-torch-for-a-newer-cxx-library",
    "broken",
    inside(**STOPS, detail="ImportError: libstdc++.so.6: version `CXXABI_1.3.5' not found"),
    f"error cxx-library-too-old {LVENV}",
)
case(
    "linux-jax-for-a-newer-processor",
    "broken",
    inside(
        framework="jax",
        status="unloadable",
        detail="RuntimeError: This version of jaxlib was built using AVX instructions, which your "
        "CPU and/or operating system do not support.",
    ),
    f"error cpu-too-old {LVENV}",
)
case(
    "linux-torch-without-room-on-the-disk",
    "broken",
    inside(**STOPS, detail="OSError: [Errno 28] No space left on device"),
    f"error disk-or-network {LVENV}",
)
case(
    "linux-torch-without-memory",
    "broken",
    inside(**STOPS, detail="OSError: [Errno 12] Cannot allocate memory"),
    f"error computer-memory-full {LVENV}",
)

# Frameworks whose cuDNN is there, and not all of its CUDA

PLAIN = Framework(name="torch", version="2.9.0", package="torch", gpu=True, cuda="12.8",
                  cudnn="9.10.2", cudnn_from="wheel")  # fmt: skip
LONE = python(LVENV, PLAIN, (Package(name="torch", version="2.9.0"),))
NO_BLAS = {"status": "missing-library", "missing": "libcublas.so.12"}
case(
    "linux-torch-without-cublas-whose-cudnn-starts",
    "broken",
    but(inside(**NO_BLAS), pythons=(LONE,)),
    f"error cublas-missing-in-environment {LVENV}",
)
case(
    "linux-torch-that-pins-no-cublas-healthy",
    "works",
    but(HEALTHY_PIP, pythons=(LONE,), trials=(*HEALTHY_PIP.trials, RAN)),
)
ORT_ENV = f"{HOME}/ort/venv"
ORT_COPY = torch_copy(ORT_ENV)
ORT = python(
    ORT_ENV,
    Framework(name="onnxruntime", version="1.22.0", package="onnxruntime-gpu", gpu=True,
              cuda="12", cudnn="9", cudnn_from="wheel"),
    (
        Package(name="onnxruntime-gpu", version="1.22.0"),
        Package(name="nvidia-cudnn-cu12", version="9.10.2.21"),
    ),
)  # fmt: skip
WITHOUT = but(INSIDE, subject=ORT_ENV, framework="onnxruntime 1.22.0", status="missing-library",
              missing="libcufft.so.11")  # fmt: skip


def onnxruntime(test):
    tests = (passed(ORT_COPY, ADA, ORT_ENV), test)
    return but(PIP_LINUX, pythons=(ORT,), cudnns=(ORT_COPY,), trials=tests)


case(
    "linux-onnxruntime-with-its-cudnn-alone",
    "broken",
    onnxruntime(WITHOUT),
    f"error onnxruntime-without-packages {ORT_ENV}",
)
case(
    "linux-onnxruntime-asks-for-a-library-of-the-system",
    "broken",
    onnxruntime(but(WITHOUT, missing="libgomp.so.1")),
    f"error framework-stopped {ORT_ENV}",
)
case(
    "linux-onnxruntime-asks-for-what-is-called-like-cuda",
    "broken",
    onnxruntime(but(WITHOUT, missing="libcurl.so.4")),
    f"error framework-stopped {ORT_ENV}",
)
case(
    "linux-onnxruntime-asks-for-the-driver",
    "broken",
    onnxruntime(but(WITHOUT, missing="libcuda.so.1")),
    f"error framework-stopped {ORT_ENV}",
)
case(
    "linux-onnxruntime-that-looks-for-another-cudnn",
    "broken",
    onnxruntime(but(WITHOUT, missing="libcudnn.so.8")),
    f"error framework-stopped {ORT_ENV}",
)
case(
    "linux-onnxruntime-that-preloads-its-packages",
    "broken",
    onnxruntime(but(WITHOUT, helped_by="onnxruntime.preload_dlls()")),
    f"error framework-must-preload {ORT_ENV}",
)
case(
    "linux-tensorflow-216-that-finds-no-package",
    "broken",
    but(
        PIP_LINUX,
        pythons=(TF216,),
        cudnns=(TFC,),
        trials=(
            passed(TFC, ADA, TF_ENV),
            but(WITHOUT, subject=TF_ENV, framework="tensorflow 2.16.1", missing="libcudnn.so.8"),
        ),
    ),
    f"error tensorflow-216 {TF_ENV}",
)

# Builds for a CUDA that the GPU is too old for, and what isn't cuDNN's

VOLTA = but(gpu("GTX 1070"), name="Tesla V100-SXM2-16GB", compute="7.0", architecture="Volta")
CUDA13 = linux_driver("580.65.06", "13.0")


def too_old(card, framework, driver=CUDA13):
    one = python(LVENV, framework, (Package(name=framework.package, version=framework.version),))
    return but(PIP_LINUX, gpus=(card,), driver=driver, pythons=(one,), cudnns=(LOWN,), trials=())


case(
    "linux-torch-for-cuda-13-and-volta",
    "broken",
    too_old(VOLTA, but(PLAIN, version="2.9.0+cu130", cuda="13.0")),
    f"error gpu-too-old-for-framework {LVENV}",
)
JAX13 = Framework(name="jax", version="0.8.0", package="jax-cuda13-plugin", gpu=True, cuda="13",
                  cudnn="9.12", cudnn_from="wheel")  # fmt: skip
case(
    "linux-jax-for-cuda-13-and-pascal",
    "broken",
    too_old(gpu("GTX 1070"), JAX13),
    f"error gpu-too-old-for-framework {LVENV}",
)
KEPLER = but(VOLTA, name="Tesla K80", compute="3.7", architecture="Kepler")
case(
    "linux-jax-for-cuda-12-and-kepler",
    "broken",
    too_old(KEPLER, but(JAX13, cuda="12"), linux_driver("470.256.02", "11.4")),
    f"error gpu-too-old-for-framework {LVENV}",
)
case(
    "linux-torch-runs-where-memory-was-short-healthy",
    "works",
    but(
        HEALTHY_PIP,
        trials=(
            but(
                passed(LOWN, ADA, LVENV), stage="context", status="out-of-memory", code=2, times=()
            ),
            RAN,
        ),
    ),
)

# A GPU that cuDNN dropped, and a CUDA beside the one that it is made for

PASCAL = gpu("GTX 1070")
NEW = copy("/usr/lib/x86_64-linux-gnu", "9.12.0", found_via=("ld-cache", "system-folder"))
case(
    "linux-gpu-too-old-for-a-cudnn-that-asks-for-nvrtc",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(PASCAL,),
        cudnns=(NEW,),
        trials=(
            stopped(passed(NEW, PASCAL), "handle", 3008,
                    "CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING"),
        ),
    ),
    "error gpu-too-old-for-cudnn",
)  # fmt: skip
KIT11 = linux_toolkit("11.8")
FOR_ELEVEN = copy("/usr/lib/x86_64-linux-gnu", "9.5.0", 11, found_via=("ld-cache",))
case(
    "linux-cudnn-nine-and-kepler",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(KEPLER,),
        driver=linux_driver("470.256.02", "11.4"),
        toolkits=(KIT11,),
        libraries=cublas(KIT11, "ld-cache"),
        cudnns=(FOR_ELEVEN,),
        trials=(
            stopped(passed(FOR_ELEVEN, KEPLER), "convolution", 3007,
                    "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"),
        ),
    ),
    "error gpu-too-old-for-cudnn",
)  # fmt: skip
LOST = stopped(passed(DEB, ADA), "convolution", 5002, "CUDNN_STATUS_EXECUTION_FAILED_CUBLAS")
case(
    "linux-cuda-of-cudnn-beside-the-one-that-is-searched",
    "broken",
    but(
        HEALTHY_LINUX,
        search=(DEFAULT,),
        toolkits=(LKIT, KIT11),
        libraries=(*cublas(LKIT), *cublas(KIT11, "ld-cache")),
        trials=(LOST,),
    ),
    "error cuda-not-on-path",
)
OLD = copy("/opt/cudnn-8.9/lib", "8.9.7", cuda_major=11)
case(
    "linux-cuda-of-a-copy-that-nobody-loads",
    "broken",
    but(
        HEALTHY_LINUX,
        toolkits=(KIT11,),
        search=(DEFAULT,),
        cudnns=(DEB, OLD),
        libraries=cublas(KIT11),
        trials=(LOST,),
    ),
    "error cuda-missing",
)
case(
    "linux-cudnn-unsearched-beside-a-toolkit-without-cublas",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(but(DEB, folder="/opt/cudnn/lib", found_via=("default",), wins_for=()),),
        libraries=tuple(lib for lib in LBLAS if "cublas" not in lib.name),
        trials=(not_found("libcudnn.so.9", ADA),),
    ),
    "error cuda-missing",
)
