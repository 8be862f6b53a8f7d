"""What stands in one text decides between answers that its messages alone leave open."""

from __future__ import annotations

import pytest

from cudnn_assistant.explain import Explanation, explain
from cudnn_assistant.explain.facts import facts
from cudnn_assistant.explain.features import features
from cudnn_assistant.feed import load_builtin

WARNING = (
    "{gpu} with CUDA capability sm_{own} is not compatible with the current PyTorch installation."
)
LIST = "The current PyTorch install supports CUDA capabilities {build}."
NO_KERNEL = "RuntimeError: CUDA error: no kernel image is available for execution on the device"
PAGE = (
    "OSError: [WinError 1455] The paging file is too small for this operation to complete. Error "
    r'loading "C:\Users\me\lib\site-packages\torch\lib\cudnn_cnn_infer64_8.dll" or one of its '
    "dependencies."
)


def first(text: str) -> str:
    return explain(text).causes[0].cls


def meant(answer: Explanation) -> str:
    return " ".join(line.means for line in answer.lines)


def read(answer: Explanation, key: str) -> str:
    return next((one.value for one in answer.understood if one.key == key), "")


@pytest.mark.parametrize(("system", "old"), [("linux", False), ("windows", True), ("wsl", True)])
def test_the_driver_of_wsl_is_that_of_windows(system: str, old: bool) -> None:
    """CUDA 12 needs 525.60 under Linux, and 527.41 under Windows."""
    told = {"os": system, "driver": "526.86", "cuda": "12.1"}
    assert ("driver:below" in features(facts(load_builtin(), (), (), told))) == old


@pytest.mark.parametrize(
    ("gpu", "own", "build", "cls"),
    [
        (
            "NVIDIA GeForce GTX 1080 Ti",
            "61",
            "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120",
            "gpu-too-old",
        ),
        ("Tesla V100-SXM2-32GB", "70", "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120", "gpu-too-old"),
        ("Quadro K2200", "50", "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120", "gpu-too-old"),
        (
            "NVIDIA GeForce RTX 5090",
            "120",
            "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90",
            "gpu-too-new",
        ),
        ("NVIDIA A100-SXM4-40GB", "80", "sm_37 sm_50 sm_60 sm_70", "gpu-too-new"),
    ],
)
def test_the_builds_own_list_decides_whether_a_card_is_too_old_or_too_new(
    gpu: str, own: str, build: str, cls: str
) -> None:
    lines = [WARNING.format(gpu=gpu, own=own), LIST.format(build=build)]
    answer = explain("\n".join([*lines, NO_KERNEL]))
    assert answer.causes[0].cls == cls
    assert answer.causes[0].score > 0.9
    if cls == "gpu-too-old":
        assert "newer than this build" not in meant(answer)


def test_a_capability_that_is_named_is_that_of_the_gpu() -> None:
    text = f"{NO_KERNEL}\ncompute capability: 8.6\ntorch 1.6.0"
    assert first(text) == "gpu-too-new"
    assert read(explain(text), "gpu") == "Ampere"
    needed = "the minimum required compute capability is 3.5, it needs compute capability 7.5"
    assert not read(explain(f"{NO_KERNEL}\n{needed}"), "gpu")
    # A name tells more.
    named = f"{NO_KERNEL}\ndevice: 0, name: NVIDIA GeForce RTX 3090, compute capability: 8.6"
    assert "3090" in read(explain(named), "gpu")


def test_a_page_file_that_is_full_lost_no_file() -> None:
    answer = explain(PAGE)
    assert answer.causes[0].cls == "page-file-small"
    assert not read(answer, "missing")
    assert "part of cuDNN" not in meant(answer)


def test_what_the_next_line_says_alone_is_not_told_of_this_one() -> None:
    answer = explain(
        "| NVIDIA-SMI 535.183.01    Driver Version: 535.183.01   CUDA Version: 12.2 |\n"
        "RuntimeError: CUDA error: CUDNN_STATUS_NOT_INITIALIZED"
    )
    assert [line.number for line in answer.lines] == [2]


def test_a_message_that_a_terminal_wrapped_is_still_found() -> None:
    answer = explain(
        "OSError: libcublasLt.so.11: cannot open shared\nobject file: No such file or directory"
    )
    assert "CUDA library" in meant(answer)


@pytest.mark.parametrize(
    ("text", "differ"),
    [
        ("torch 2.3.0+cu121 with nvidia-cublas-cu12 beside it", False),
        ("nvidia-cudnn-cu12 beside torch 2.3.0+cu121", False),
        ("the extension is for cu118 and torch for cu121", True),
        ("nvidia-cublas-cu11 beside torch 2.3.0+cu121", True),
    ],
)
def test_a_cuda_and_its_major_are_no_two_cudas(text: str, differ: bool) -> None:
    assert ("different CUDA" in meant(explain(text))) is differ


def test_a_jetson_gets_packages_for_a_jetson() -> None:
    version = ">>> torch.__version__\n'2.5.1+cpu'"
    text = f"Jetson Orin Nano, JetPack 6.1\n{version}\nTorch not compiled with CUDA enabled"
    said = explain(text).causes[0]
    assert said.cls == "cpu-only-build"
    assert "JetPack" in said.fix
    assert "pip install" not in said.fix


def test_wsl_without_a_driver_is_not_told_to_remove_one() -> None:
    answer = explain(
        "WSL2 Ubuntu 22.04\ntorch UserWarning: CUDA initialization: Found no NVIDIA driver on your "
        "system.\n$ ls /usr/lib/wsl/lib\nlibd3d12.so  libd3d12core.so  libdxcore.so"
    )
    assert answer.causes[0].cls == "wsl-driver"
    assert "on Windows" in answer.causes[0].fix
    assert not answer.causes[0].fix.startswith("Remove")


def test_wsl_alone_does_not_tell_of_a_linux_driver_in_it() -> None:
    alone = explain("no CUDA-capable device is detected (WSL2)").causes[0]
    assert alone.code == "wsl-driver"
    both = explain("WSL2: Failed to initialize NVML: Driver/library version mismatch").causes
    assert "wsl-linux-driver" in {one.code for one in both[:2]}


def test_ctranslate2_is_exchanged_rather_than_cudnn() -> None:
    said = explain(
        "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot "
        "open shared object file\nfaster-whisper 1.1.0, ctranslate2 4.4.0\n"
        "nvidia-cudnn-cu12 9.1.0.70"
    ).causes[0]
    assert said.cls == "cudnn-version-mismatch"
    assert "4.5" in said.fix


@pytest.mark.parametrize(
    "text",
    ["RuntimeError: operator torchvision::nms does not exist", "Couldn't load custom C++ ops."],
)
def test_torchvision_of_another_release_comes_with_its_torch(text: str) -> None:
    said = explain(f"{text}\ntorch 2.1.0+cu118 torchvision 0.15.2").causes[0]
    assert said.cls == "python-packages-conflict"
    assert "torchvision" in said.fix


def test_an_instruction_of_the_processor_is_no_cudnn_that_ends_programs() -> None:
    answer = explain("Illegal instruction (core dumped)\ntensorflow 2.3")
    assert answer.causes[0].code == "cpu-too-old"
    assert "cuDNN does so" not in meant(answer)


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("InvalidArgumentError: indices[5] = 3705 is not in [0, 3703)", "index-out-of-range"),
        ("ValueError: Expected more than 1 value per channel when training, got input size 1",
         "shape-or-type-mismatch"),
        ("AttributeError: module 'tensorflow' has no attribute 'placeholder'",
         "python-packages-conflict"),
        ("fatal error: THC/THC.h: No such file or directory", "python-packages-conflict"),
        ("AttributeError: Can't pickle local object 'Model.fit.<locals>.<lambda>'",
         "data-loader-worker"),
        ("Insufficient privilege to run libcupti (you need root permission).", "permission"),
        ("Check failed: exec_ctx.dev_id < device_count_ (1 vs. 1) Invalid GPU Id: 1, Valid device",
         "visible-devices-wrong"),
        ("Loading checkpoint shards:   0%|          | 0/2 [00:00<?, ?it/s]Killed",
         "process-killed"),
        ("RuntimeError: unable to write to file </torch_31911_952036340>: No space left on device",
         "shared-memory-small"),
        ("InternalError: Dst tensor is not initialized.", "gpu-out-of-memory"),
        ("E: Package 'nvidia-cudnn' has no installation candidate", "cudnn-missing"),
        ("CondaHTTPError: HTTP 000 CONNECTION FAILED for url <https://mirror.example/x/cudnn>",
         "disk-or-network"),
        ("ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
         "system-library-missing"),
    ],
)  # fmt: skip
def test_what_programs_say_of_their_own_trouble_is_known(text: str, cls: str) -> None:
    assert explain(text).causes[0].cls == cls


@pytest.mark.parametrize(
    "seen",
    [
        "ldconfig -p | grep libcudnn\nlibcudnn_ops.so.9 (libc6,x86-64) => /lib/libcudnn_ops.so.9",
        "the folder torch/lib has cudnn_ops64_9.dll",
    ],
)
def test_a_copy_of_another_major_that_is_listed_is_the_cudnn_that_is_there(seen: str) -> None:
    wanted = "Could not load library libcudnn_ops_infer.so.8: cannot open shared object file"
    assert explain(f"{wanted}\n{seen}").causes[0].cls == "cudnn-version-mismatch"
    assert (
        explain(f"{wanted}\nlibcudnn.so.8 => not found").causes[0].cls != "cudnn-version-mismatch"
    )


def test_the_advice_behind_each_cuda_error_is_no_assertion() -> None:
    advice = "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions."
    answer = explain(f"GTX 1070, since the update: CUDA error: no kernel image. {advice}")
    assert "index" not in meant(answer)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("$ mokutil --sb-state\nSecureBoot disabled", "key-rejected"),
        ("$ cat nouveau.conf\nblacklist nouveau\noptions nouveau modeset=0", "nouveau"),
        ("$ lsmod | grep nouveau", "nouveau"),
        ("cuDNN version: one of\n/usr/lib/libcudnn_adv_infer.so.8.9.6", "cudnn8-part-not-loaded"),
        (r"C:\Program Files\CUDA\v11.8\bin\cudnn_ops_infer64_8.dll", "cudnn8-part-not-loaded"),
        ("-rwxr-xr-x 1 root root 9 Nov  1 10:00 libcudnn_ops_infer.so.8", "cudnn8-part-not-loaded"),
        ("09/11/2023  10:00 AM   92,288 cudnn_ops_infer64_8.dll", "cudnn8-part-not-loaded"),
        ("try setting environment variable NUMBA_CUDA_DRIVER", "own-driver-variable"),
        ("bitsandbytes was compiled without GPU support.", "not-compiled-with-cuda"),
        ("libcublas.so.11: No such file or directory\nnvcc --version says 12.3", "nvcc-not-found"),
        ("bfc: ran out of memory. The caller indicates this is not a failure", "out-of-memory"),
    ],
)  # fmt: skip
def test_what_is_denied_listed_or_typed_is_no_message(text: str, pattern: str) -> None:
    answer = explain(text)
    assert pattern not in {line.pattern for line in answer.lines}
    assert not read(answer, "missing").startswith(("cudnn", "libcudnn"))


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("SecureBoot enabled", "key-rejected"),
        ("mokutil --sb-state says enabled", "key-rejected"),
        ("$ lsmod | grep nouveau\nnouveau 2310144 4", "nouveau"),
        ("NUMBA_CUDA_DRIVER /usr/lib/x is not a valid file path", "own-driver-variable"),
        ('Unable to dynamically load the "cudnn" shared library', "cudnn-library-in-words"),
        ("cannot proceed because cudnn_ops64_9.dll was not found", "cudnn9-part-plain"),
    ],
)
def test_what_is_said_is_heard(text: str, pattern: str) -> None:
    assert pattern in {line.pattern for line in explain(text).lines}


def test_a_part_that_cudnn_misses_is_no_full_memory() -> None:
    answer = explain("cudnnCreate failed: CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING")
    assert answer.causes[0].cls != "gpu-out-of-memory"


@pytest.mark.parametrize("name", ["libnvrtc.so", "libcuda.so"])
def test_what_a_part_of_cudnn_asks_for_is_missing_and_not_the_part(name: str) -> None:
    part = "libcudnn_cnn_infer.so.8"
    answer = explain(
        f"Could not load library {part}. Error: {name}: cannot open shared object file: No such "
        f"file or directory\nPlease make sure {part} is in your library path!"
    )
    assert read(answer, "missing") in {name, ""}
    assert answer.causes[0].cls in {"cuda-not-on-path", "cuda-missing", "wsl-driver"}
