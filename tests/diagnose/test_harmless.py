"""Computers that work and have something odd about them: nobody is told of it, nor offered help."""

from __future__ import annotations

from typing import Any

import pytest
from machines.elsewhere import DOCKER
from machines.linux import (
    ADA,
    BARE_LINUX,
    CONF,
    DEB,
    DEFAULT,
    HEALTHY_LINUX,
    HOME,
    LISTED,
    LOWN,
    LTORCH,
    LVENV,
    MISSING,
)
from machines.linux_python import HEALTHY_PIP, TWO, pinned
from machines.parts import (
    but,
    copy,
    entry,
    gpu,
    linux_driver,
    passed,
    python,
    spoiled,
    torch_copy,
)
from machines.unusual import CUPY
from machines.windows import CUDNN, GOOD, HEALTHY_WINDOWS

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import Framework, Gpu, Machine, Package, Pin, Trial
from cudnn_assistant.session.checkup import Checkup, think

COMPUTERS: dict[str, tuple[Machine, tuple[str, ...]]] = {}


def harmless(name: str, machine: Machine, *told: str) -> None:
    COMPUTERS[name] = machine, told


def ran(framework: str, where: str = LVENV) -> Trial:
    """The convolution of a framework's own that came to its end."""
    return but(passed(LOWN, ADA, where), framework=framework)


def thought(machine: Machine) -> Checkup:
    return think(machine, load_builtin())


# What a framework has run itself is refuted by no record

TF = Framework(
    name="tensorflow", version="2.20.0", package="tensorflow", gpu=True, cuda="12.5", cudnn="9",
    cudnn_from="system",
)  # fmt: skip
ORT = but(TF, name="onnxruntime", version="1.23.2", package="onnxruntime-gpu")
OTHER = f"{HOME}/other"
LACKING = tuple(
    Pin(package=f"nvidia-{name}-cu12", wants="==12.8.4.1", has="", satisfied=False)
    for name in ("cublas", "nvshmem")
)


def with_torch(*trials: Trial, **changes: Any) -> Machine:
    """PyTorch, which has run its own convolution, with some fields changed."""
    framework = but(LTORCH.frameworks[0], **changes)
    whole = but(HEALTHY_PIP, pythons=(but(LTORCH, frameworks=(framework,)),))
    return but(whole, trials=(*HEALTHY_PIP.trials, ran("torch 2.9.0"), *trials))


harmless("torch-linked-with-libraries-of-no-package", with_torch(pins=LACKING))
harmless("torch-with-two-cudnn-packages", but(with_torch(), pythons=(TWO,)))
harmless(
    "tensorflow-that-was-built-with-the-folder-of-its-cudnn",
    but(BARE_LINUX, pythons=(python(OTHER, TF),), trials=(MISSING, ran("tensorflow", OTHER))),
)
harmless(
    "tensorflow-216-that-finds-its-cudnn",
    but(
        HEALTHY_PIP,
        pythons=(python(OTHER, but(TF, version="2.16.1", cudnn="8.9", cudnn_from="wheel")),),
        cudnns=(torch_copy(OTHER, "8.9.7"),),
        trials=(MISSING, ran("tensorflow 2.16.1", OTHER)),
    ),
)
BOTH = (Package(name="onnxruntime", version="1.23.2"), Package(name="onnxruntime-gpu", version="1"))
harmless(
    "onnxruntime-twice-and-on-the-gpu",
    but(
        HEALTHY_PIP,
        pythons=(but(LTORCH, frameworks=(*LTORCH.frameworks, ORT), packages=BOTH),),
        trials=(*HEALTHY_PIP.trials, ran("torch 2.9.0"), ran("onnxruntime 1.23.2")),
    ),
)

# CuPy asks for cuDNN where its person does

WITH_CUPY = but(HEALTHY_PIP, pythons=(LTORCH, python(OTHER, CUPY)))
OLD = copy(f"{HOME}/old/lib", "8.9.7", 11, found_via=("home",))
harmless("cupy-beside-the-next-cudnn", but(WITH_CUPY, cudnns=(DEB, LOWN)))
harmless(
    "cupy-beside-an-old-cudnn-that-lies-about",
    but(WITH_CUPY, cudnns=(OLD, LOWN)),
    "info spare-cudnn-not-searched",
)

# What the log remembers is over

HEALED = {"ecc": True, "ecc_uncorrected": 0, "remap_pending": False, "remap_failed": False}
for number in (48, 64, 79, 95, 119, 120):
    harmless(f"xid-{number}", but(HEALTHY_PIP, gpus=(but(ADA, xids=(number,), **HEALED),)))

# A second GPU that none of its programs is given

DARK: dict[str, Any] = {"seen_by": ("pci",), "cuda_index": None, "nvml_index": None}
GT_710: Gpu = but(
    gpu("GTX 980", 1), name="NVIDIA GeForce GT 710", compute="3.5", kernel_driver="nouveau", **DARK
)
harmless(
    "gpu-for-the-screen-that-nouveau-draws-with",
    but(HEALTHY_PIP, gpus=(ADA, GT_710)),
    "info gpu-dropped-by-driver",
)

# Search lists, and copies that nobody loads

STUBS = entry("/usr/local/cuda-11.0/lib64/stubs", exists=False, **LISTED)
harmless("stubs-that-are-gone", but(HEALTHY_LINUX, search=(STUBS, CONF, DEFAULT)))
CLOSED = entry("/root/cuda/lib", closed=True, **LISTED)
harmless("closed-folder-that-nobody-needs", but(HEALTHY_PIP, search=(CLOSED, DEFAULT)))
harmless(
    "torch-beside-a-damaged-copy-in-the-home",
    but(HEALTHY_PIP, cudnns=(spoiled(OLD, "ops_infer", "empty"), LOWN)),
    "info spare-cudnn-not-searched",
)

# Builds for the processor, beside others for the GPU

for package in ("tensorflow-cpu", "jax"):
    for_processor = Framework(
        name=package.removesuffix("-cpu"), version="0.9", package=package, gpu=False,
        cudnn_from="none",
    )  # fmt: skip
    harmless(
        f"{package}-beside-torch",
        but(HEALTHY_PIP, pythons=(LTORCH, python(OTHER, for_processor))),
        f"warning cpu-only-framework {OTHER}",
    )

# Another test has loaded this very copy

EIGHT = copy("/opt/eight/lib", "8.9.7", found_via=("ld-cache",), wins_for=(OTHER,))
FUTURE = but(ADA, compute="15.0", architecture="", name="NVIDIA GeForce RTX 9090")
harmless(
    "two-majors-that-ran-on-a-gpu-that-nobody-knows",
    but(
        HEALTHY_LINUX,
        gpus=(FUTURE,),
        pythons=(python(OTHER, but(TF, version="2.15.0", cuda="12.2", cudnn="8.9")),),
        cudnns=(DEB, EIGHT),
        trials=(passed(DEB, ADA), passed(EIGHT, ADA, OTHER)),
    ),
)


@pytest.mark.parametrize("name", COMPUTERS)
def test_what_does_no_harm_is_not_told_and_nothing_is_changed_for_it(name: str) -> None:
    machine, told = COMPUTERS[name]
    here = thought(machine)
    found = (f"{f.severity} {f.code} {f.subject}" for f in here.findings)
    assert tuple(one.removesuffix(" system") for one in found) == told
    assert (here.verdict, here.plan.steps) == ("works", ())


UNTRIED: dict[str, Machine] = {
    "newer-cudnn-than-pinned": but(HEALTHY_PIP, pythons=(pinned("9.12.0.46"),)),
    "torch-whose-cublas-nobody-saw": but(
        HEALTHY_PIP,
        pythons=(but(LTORCH, packages=LTORCH.packages[:2]),),
        os=DOCKER,
        driver=linux_driver(module_on_disk=None),
    ),
    "older-major-first": but(
        HEALTHY_WINDOWS,
        search=(entry(rf"{CUDNN}\v8.9\bin"), *HEALTHY_WINDOWS.search),
        cudnns=(copy(rf"{CUDNN}\v8.9\bin", "8.9.7", 11, found_via=("PATH",)), GOOD),
    ),
}


@pytest.mark.parametrize("name", UNTRIED)
def test_what_a_test_would_refute_is_not_told_before_it(name: str) -> None:
    machine = UNTRIED[name]
    unknown = tuple(but(c, wins_for=(), check=None) for c in machine.cudnns)
    here = thought(but(machine, trials=(), cudnns=unknown))
    assert (here.verdict, here.findings, here.plan.steps) == ("unknown", (), ())
