"""The advice fits what the text states: framework, system, container, GPU and driver."""

from __future__ import annotations

import pytest

from cudnn_assistant import causes
from cudnn_assistant.explain import explain
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.patterns import patterns
from cudnn_assistant.explain.similar_reports import reports
from installer.lessons import accepted, remedies

NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
HANDLE = "could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"


def fix(text: str, **given: str) -> str:
    return explain(text, given=given).causes[0].fix


def test_memory_is_let_grow_in_the_words_of_the_framework() -> None:
    said = fix(HANDLE, framework="tensorflow 2.3", gpu="RTX 2070")
    assert "TF_FORCE_GPU_ALLOW_GROWTH" in said
    assert "XLA_PYTHON" not in said


def test_a_framework_without_such_a_setting_gets_none() -> None:
    said = fix("CUDA out of memory. Tried to allocate 2 GiB", framework="PyTorch 2.1")
    assert "smaller" in said
    assert "TF_FORCE" not in said


def test_the_build_that_fits_the_gpu_is_named() -> None:
    asked = {"framework": "PyTorch 2.3", "python": "3.11", "os": "windows", "driver": "572.16"}
    said = fix(NO_KERNEL, gpu="RTX 5090", **asked)
    assert "--index-url" in said
    assert "cu12" in said or "cu13" in said
    others = explain(NO_KERNEL, given={"gpu": "RTX 5090", **asked}).causes[1:]
    assert not any("--index-url" in cause.fix for cause in others)
    # An older card with the same driver gets another build.
    assert "cu126" in fix("Torch not compiled with CUDA enabled", gpu="GTX 1080", **asked)


def test_no_build_is_named_that_is_not_made_for_arm() -> None:
    text = "This CTranslate2 package was not compiled with CUDA support. Tesla T4, Linux "
    assert "pip install" in fix(text + "x86_64")
    assert "pip install" not in fix(text + "aarch64")


def test_without_a_gpu_in_the_text_no_build_is_named() -> None:
    assert "pip install" not in fix("Torch not compiled with CUDA enabled", framework="PyTorch")


def test_no_driver_is_advised_that_the_gpu_can_not_have() -> None:
    said = fix(
        "CUDA driver version is insufficient for CUDA runtime version",
        gpu="GTX 780",
        driver="390.1",
        framework="PyTorch 2.1+cu121",
    )
    assert "470" in said


@pytest.mark.parametrize("text", ["Torch not compiled with CUDA enabled", "driver not installed"])
def test_without_an_nvidia_gpu_the_cpu_is_advised(text: str) -> None:
    said = fix(text, gpu="Intel Iris Xe", framework="PyTorch 2.1", os="windows")
    assert "CPU" in said
    assert "index of a CUDA build" not in said


@pytest.mark.parametrize(
    "card",
    ["AMD Radeon RX 7800 XT", "macOS 14.5", "MacBook Pro M1", "Apple M2 Max", "Intel Arc A770"],
)
def test_a_card_of_another_maker_in_the_text_is_no_nvidia_gpu(card: str) -> None:
    said = fix(f"AssertionError: Torch not compiled with CUDA enabled\nI have: {card}, torch 2.5")
    assert "the GPU of this maker" in said
    assert "index of a CUDA build" not in said


@pytest.mark.parametrize(
    "word", ["driver version is", "Der Treiber ist", "pilote", "驱动版本", "ドライバー"]
)
def test_a_driver_is_read_in_other_languages(word: str) -> None:
    said = fix(f"torch.cuda.is_available() False, torch 2.3.0+cpu, RTX 3070, {word} 555.85")
    assert "(CUDA 12." in said


def test_a_build_that_starts_cuda_was_not_made_without_it() -> None:
    started = "ggml_cuda_init: failed to initialize CUDA: no CUDA-capable device is detected\n"
    ignored = "warning: no usable GPU found, --gpu-layers option will be ignored"
    assert explain(ignored).causes[0].code == "cpu-only-build"
    assert explain(started + ignored).causes[0].code != "cpu-only-build"


def test_the_cudnn_that_came_before_pytorchs_own_is_taken_out_of_the_way() -> None:
    said = explain(
        "RuntimeError: cuDNN version incompatibility: PyTorch was compiled  against (8, 9, 2) "
        "but found runtime version (8, 7, 0). PyTorch already comes bundled with cuDNN. Looks "
        "like your LD_LIBRARY_PATH contains incompatible version of cudnn. Please remove it"
    )
    assert said.causes[0].code == "library-path-overrides"
    assert {"8.7.0", "8.9.2"} <= {one.value for one in said.understood}


def test_jax_is_not_tensorflow() -> None:
    said = fix("Could not create cudnn handle: out of memory", framework="jax 0.4", os="linux")
    assert "TF_FORCE" not in said
    asked = {"framework": "jax", "os": "windows"}
    for cause in explain("No GPU/TPU found, falling back to CPU.", given=asked).causes:
        said = (cause.title, cause.why, cause.fix, cause.confirm)
        assert not [text for text in said if "TensorFlow" in text and "JAX" not in text]


@pytest.mark.parametrize(
    ("text", "given", "word"),
    [
        ("libcuda.so.1: cannot open shared object file", {"os": "wsl"}, "Windows"),
        (
            "could not select device driver with capabilities: [[gpu]]",
            {"os": "linux"},
            "--gpus all",
        ),
    ],
)
def test_advice_for_the_place_where_the_program_runs(
    text: str, given: dict[str, str], word: str
) -> None:
    assert word in fix(text, **given)


NAMED = {p.code for p in patterns() if p.code} | {r.code for r in rules().rule if r.code}


def test_every_advice_has_its_kind() -> None:
    advice, implied = remedies()["advice"], remedies()["implied"]
    plain = {name for name in advice if "@" not in name}
    assert plain == NAMED | set(rules().prior)
    assert {name.partition("@")[0] for name in implied} == set(rules().prior)
    for name in set(advice) - plain:
        code, _at, form = name.partition("@")
        assert f"general@{form}" in causes.cause(code).form


def test_what_helped_is_a_kind_that_is_known() -> None:
    kinds = {kind for rows in remedies().values() for some in rows.values() for kind in some}
    told = [row for row in reports() if row.helped]
    assert len(told) > 40
    assert {row.helped for row in told} <= kinds


def test_what_helped_wins_over_what_the_cause_implies() -> None:
    assert accepted(["gpu-out-of-memory"], "end-process", "pytorch") == {"end-process"}
    assert accepted(["gpu-out-of-memory"], "", "pytorch") == {"less-memory"}
    assert "memory-growth" in accepted(["gpu-out-of-memory"], "", "tensorflow")


@pytest.mark.parametrize(
    ("text", "given", "said", "unsaid"),
    [
        # A driver that the build doesn't run on isn't one that it fits.
        ("no kernel image", {"gpu": "RTX 5090", "framework": "torch", "driver": "450.80.02"},
         "Fits this GPU with driver", "Fits this GPU and driver"),
        ("The NVIDIA driver on your system is too old (found version 10010)",
         {"gpu": "GTX 1080", "framework": "torch"}, "", "Fits this GPU and driver"),
        # No driver is newer than the last one for the GPU.
        ("CUDA driver version is insufficient for CUDA runtime version",
         {"gpu": "Tesla K80", "driver": "470.256.02"}, "older CUDA", "newer NVIDIA driver"),
        # A Jetson has no drivers and builds of other computers.
        ("no kernel image is available for execution on the device", {"gpu": "Jetson Orin"},
         "JetPack", "RTX"),
        ("CUDA driver version is insufficient for CUDA runtime version", {"gpu": "Jetson Nano"},
         "JetPack", "newer NVIDIA driver"),
        ("nvidia-smi: command not found", {"gpu": "Jetson Nano"}, "nvidia-jetpack", "restart"),
        # Without an index Windows would get the build for the CPU.
        ("Torch not compiled with CUDA enabled", {"gpu": "RTX 3060", "framework": "torch"},
         "--index-url", "--here"),
        # GH200 has an Arm processor, for which few releases are built.
        ("Torch not compiled with CUDA enabled",
         {"gpu": "GH200", "framework": "torch", "driver": "550.90"}, "torch 2.9.1", "torch 2.14"),
        ("FROM nvidia/cuda:12.4.1-runtime\nlibcudnn.so.9: cannot open shared object file", {},
         "image", "Assistant"),
        ("No GPU/TPU found, falling back to CPU", {"framework": "jax", "os": "windows"}, "WSL 2",
         "jax[cuda"),
        # What the GPU lacks is in no build of the program.
        ("float16 compute type, but the device does not support efficient float16 computation",
         {"gpu": "GTX 1060", "framework": "faster-whisper"}, "int8", "pip install"),
        ("Bfloat16 is only supported on GPUs with compute capability of at least 8.0.",
         {"gpu": "Tesla T4", "framework": "torch"}, "switched off", "older driver"),
        ("CUDA_VISIBLE_DEVICES=NoDevFiles\nNo CUDA GPUs are available", {}, "--gres", "remove"),
        # A container of another kind than Docker's knows none of its options.
        ("setting up CDI devices: unresolvable CDI devices nvidia.com/gpu=all", {}, "cdi generate",
         "Docker"),
        ("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", {}, "limits", "--gpus"),
        ("In LXC on Proxmox: Failed to initialize NVML: Unknown Error", {}, "/dev/nvidia*",
         "--gpus"),
        ("inside lxd: NVIDIA driver not installed", {}, "nvidia.runtime", "--gpus"),
        ("WARNING: The NVIDIA Driver was not detected. (apptainer shell)", {}, "--nv", "--gpus"),
        # A program that was made for cuDNN 8 can't load cuDNN 9.
        ("Could not locate zlibwapi.dll", {"framework": "tensorflow 2.10"}, "made for cuDNN 9",
         "move to"),
    ],
)  # fmt: skip
def test_the_advice_can_be_followed(
    text: str, given: dict[str, str], said: str, unsaid: str
) -> None:
    advice = fix(text, **given)
    assert said in advice
    assert unsaid not in advice
