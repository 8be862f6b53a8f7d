"""Explain knows what it can't tell, names what isn't CUDA's, and shows what it read."""

from __future__ import annotations

import re
import time
from functools import cache
from itertools import pairwise
from pathlib import Path
from re import Pattern

import msgspec
import pytest

from cudnn_assistant import places
from cudnn_assistant.explain import CLEAR, explain, text_lines
from cudnn_assistant.explain.facts import Facts, facts
from cudnn_assistant.explain.patterns import patterns
from cudnn_assistant.explain.reading import LONGEST_LINE
from cudnn_assistant.explain.similar_reports import Report, reports
from cudnn_assistant.explain.understood import understood
from cudnn_assistant.explain.word_model import load_words
from cudnn_assistant.feed import load_builtin
from installer.lessons import judged_threads

ASIDE = [
    Path(__file__).with_name(f"laid_aside{which}.jsonl")
    for which in ("", "_2", "_3", "_4", "_5", "_6", "_7")
]
THREAD = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}#\d{1,9}")
TAUGHT = Path(__file__).parents[2] / "installer" / "teaching"
USUAL = {"gpu": "RTX 3060", "driver": "535.54", "cuda": "11.8", "framework": "PyTorch 2.1"}
FACTS = {"gpu": "RTX 5090", "driver": "450.80", "cuda": "10.1", "framework": "PyTorch 1.4"}


def test_without_a_telling_line_no_fact_makes_an_answer() -> None:
    answer = explain("Epoch 3/10 - loss: 0.12\nSaved model to out/model.bin", given=FACTS)
    assert answer.causes == ()
    assert not answer.clear


@pytest.mark.parametrize("name", ["compute", "year", "shoes"])
def test_a_fact_that_is_not_asked_for_is_a_sentence(name: str) -> None:
    assert explain("CUDNN_STATUS_NOT_INITIALIZED", given={name: "sm_86"}).causes


def test_what_is_not_clear_has_no_remedy_and_says_what_would_tell() -> None:
    answer = explain("RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED")
    assert not answer.clear
    assert answer.causes
    assert answer.causes[0].score < CLEAR
    assert all(cause.fix == "" for cause in answer.causes)
    assert any("nvidia-smi" in said for said in answer.would_tell)
    text = "\n".join(text_lines(answer))
    assert "We can't tell from this text" in text
    assert "What helps" not in text


@pytest.mark.parametrize(
    "text",
    [
        "Could not locate zlibwapi.dll. Please make sure it is in your library path!",
        # PyTorch since 2.8
        (
            "Found GPU0 GTX 1080 Ti which is of cuda capability 6.1.\nMinimum and Maximum cuda "
            "capability supported by this version of PyTorch is\n    (7.0) - (12.0)\n"
        ),
    ],
)
def test_what_is_clear_has_a_remedy(text: str) -> None:
    answer = explain(text)
    assert answer.clear
    assert answer.causes[0].fix
    assert answer.would_tell == ()


@pytest.mark.parametrize(
    ("text", "cls"),
    [
        ("RuntimeError: CUDA error: device-side assert triggered", "index-out-of-range"),
        (
            "Expected all tensors to be on the same device, but found at least two devices, cuda:0",
            "tensors-on-two-devices",
        ),
        (
            "Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be",
            "tensors-on-two-devices",
        ),
        ("expected scalar type Half but found Float", "shape-or-type-mismatch"),
        ("mat1 and mat2 shapes cannot be multiplied (4x5 and 6x7)", "shape-or-type-mismatch"),
        (
            "A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.2",
            "python-packages-conflict",
        ),
        ("TypeError: Descriptors cannot not be created directly.", "python-packages-conflict"),
        ("Intel MKL FATAL ERROR: Cannot load mkl_intel_thread.dll.", "python-packages-conflict"),
        ("OSError: [WinError 1455] The paging file is too small", "page-file-small"),
        ("Process finished with exit code 137 (interrupted by signal 9)", "process-killed"),
        ("Detected 1 oom_kill event. task 0: Out Of Memory", "process-killed"),
        (
            "NCCL WARN failed to extend /dev/shm/nccl-x, No space left on device",
            "shared-memory-small",
        ),
        (
            "DataLoader worker (pid 5) is killed by signal: Bus error.",
            "shared-memory-small",
        ),
        ("DataLoader worker (pid(s) 1448, 8988) exited unexpectedly", "data-loader-worker"),
        ("No such file or directory: 'weights/best.pth'", "model-file-missing"),
        ("_pickle.UnpicklingError: invalid load key, 'v'.", "model-file-missing"),
        (
            "Attempting to deserialize object on CUDA device 3 but torch.cuda.device_count() is 1",
            "model-saved-on-gpu",
        ),
        ("OSError: [Errno 28] No space left on device", "disk-or-network"),
        ("libc.so.6: version `GLIBC_2.27' not found", "system-library-missing"),
        ("Illegal instruction (core dumped)", "cpu-too-old"),
        ("Distributed package doesn't have NCCL built in", "gpus-can-not-talk"),
        ("torch.distributed TCPStore: RuntimeError: Address already in use", "gpus-can-not-talk"),
        ("Cannot re-initialize CUDA in forked subprocess", "data-loader-worker"),
        ("The engine plan file is generated on an incompatible device", "engine-of-other-device"),
        ("unsupported GNU version! gcc versions later than 8", "compiler-does-not-fit"),
        ("Error 802: system not yet initialized", "driver-not-ready"),
    ],
)
@pytest.mark.parametrize("given", [{}, USUAL])
def test_what_is_not_cudas_has_its_name(text: str, cls: str, given: dict[str, str]) -> None:
    assert explain(text, given=given).causes[0].cls == cls


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("[WinError 126] The specified module could not be found", "dll-load-failed"),
        ("Could not load library cudnn_ops_infer64_8.dll. Error code 127", "cudnn8-part-127"),
        ("OSError: [WinError 193] %1 is not a valid Win32 application", "error-code-193"),
        ("[WinError 1114] A dynamic link library routine", "dll-start-stopped"),
        ("[WinError 1455] The paging file is too small", "paging-file"),
        ("exit code 0xC0000135", "exit-code-missing-dll"),
        ("exit code -1073741515", "exit-code-missing-dll"),
        ("exit code 3221225781", "exit-code-missing-dll"),
        ("returned non-zero exit status 3228369022", "exit-code-missing-dll"),
        ("DllNotFoundException (0x8007007F)", "procedure-not-in-dll"),
        ("HRESULT 0x8007045A", "dll-start-stopped"),
        ("HRESULT 0x800700C1", "error-code-193"),
        ("Exception code: 0xC06D007E", "exit-code-missing-dll"),
        ("Exception code: 0xC06D007F", "procedure-not-in-dll"),
        ("unable to start correctly (0xc000007b)", "start-code"),
    ],
)
def test_codes_of_windows_are_told_apart(text: str, pattern: str) -> None:
    told = {"dll-load-failed", "cudnn8-part-127", "error-code-193", "dll-start-stopped"}
    told |= {"paging-file", "exit-code-missing-dll", "procedure-not-in-dll", "start-code"}
    found = {line.pattern for line in explain(text).lines}
    assert found & told == {pattern}


@pytest.mark.parametrize("text", ["exit code 0xC0000135", "DLL load failed", "[WinError 126]"])
def test_where_the_file_is_not_named_it_is_asked_for(text: str) -> None:
    answer = explain(text)
    assert not answer.clear
    assert "Which file" in answer.would_tell[0]


def test_a_variable_that_is_listed_as_empty_hides_no_gpu() -> None:
    ollama = 'msg="server config" env="map[CUDA_VISIBLE_DEVICES: GPU_DEVICE_ORDINAL: HSA:]"'
    assert not explain(ollama).lines
    assert explain(ollama.replace("DEVICES:", "DEVICES:-1")).lines


def test_a_full_page_file_is_no_missing_module() -> None:
    text = (
        "OSError: [WinError 1455] The paging file is too small for this operation to complete. "
        'Error loading "torch\\lib\\caffe2_detectron_ops_gpu.dll" or one of its dependencies.'
    )
    answer = explain(text)
    assert "dll-load-failed" not in {line.pattern for line in answer.lines}
    assert answer.causes[0].cls == "page-file-small"


def read_facts(*lines: str) -> Facts:
    return facts(load_builtin(), lines, [], {})


def test_tables_in_a_log_are_read() -> None:
    pip = ["torch                     2.1.0+cu118", "nvidia-cudnn-cu11         8.7.0.84"]
    read = read_facts(*pip)
    assert read.framework_version == (2, 1, 0)
    assert read.build_cuda == (11, 8)
    assert read.cudnn == (8, 7, 0, 84)
    conda = ["cudatoolkit               10.2.89              hfd86e86_1"]
    assert read_facts(*conda).cuda == (10, 2)
    env = [
        "PyTorch version: 1.13.1",
        "CUDA used to build PyTorch: 11.7",
        "CUDA runtime version: 11.4.152",
        "GPU 0: NVIDIA GeForce RTX 3090",
        "Nvidia driver version: 470.182.03",
        "/usr/lib/x86_64-linux-gnu/libcudnn.so.8.2.1",
    ]
    read = read_facts(*env)
    assert (read.build_cuda, read.cuda, read.cudnn) == ((11, 7), (11, 4), (8, 2, 1))
    assert read.driver == (470, 182, 3)
    assert read.gpu.endswith("RTX 3090")


def test_the_header_of_nvidia_smi_names_no_toolkit() -> None:
    smi = "| NVIDIA-SMI 581.57        Driver Version: 581.57         CUDA Version: 13.0     |"
    read = read_facts(smi, smi)
    assert (read.driver, read.driver_cuda, read.cuda) == ((581, 57), (13, 0), ())
    newer = "| NVIDIA-SMI 610.20    KMD Version: 610.20   CUDA UMD Version: 13.2 |"
    read = read_facts(newer)
    assert (read.driver, read.driver_cuda, read.cuda) == ((610, 20), (13, 2), ())


@pytest.mark.parametrize(
    ("text", "build"),
    [
        ("torch 2.1.0+cu118", (11, 8)),
        ("torch==1.7.1+cu92", (9, 2)),
        ("nvidia-cudnn-cu12 9.1.0.70", (12,)),
        ("cudnn 7.6.5 cuda10.1_0", ()),
    ],
)
def test_a_packages_cuda_is_read_from_its_mark(text: str, build: tuple[int, ...]) -> None:
    assert read_facts(text).build_cuda == build


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Cuda compilation tools, release 12.4, V12.4.131", "cuda", "12.4"),
        (r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.8\bin", "cuda", "11.8"),
        ("I need CUDA 11.8 but have CUDA 12.1", "cuda", "12.1"),
        ("I upgraded from CUDA 11.8 to CUDA 12.4", "cuda", "12.4"),
        ("nvidia-smi shows CUDA 12.2 but nvcc says 11.8", "cuda", "11.8"),
        ("nvidia-smi shows CUDA 12.2 but nvcc says 11.8", "driver_cuda", "12.2"),
        ("jaxlib 0.4.30+cuda12.cudnn91", "build_cuda", "12"),
        ("cupy-cuda11x              12.2.0", "build_cuda", "11"),
        ("cupy-cuda11x              12.2.0", "framework", "CuPy 12.2.0"),
        ("mxnet-cu112==1.9.1", "framework", "MXNet 1.9.1"),
        ("torch-2.2.0+cu118-cp310-cp310-win_amd64.whl", "framework", "PyTorch 2.2.0"),
        ('pip install "jax[cuda12]"', "cuda", ""),
        ("libcudnn8 (= 8.9.7.29-1+cuda12.2)", "cuda", ""),
        ("libcudnn8 (= 8.9.7.29-1+cuda12.2)", "cudnn", "8.9.7.29"),
        ("E: Unable to locate package libcudnn8", "cudnn", ""),
        ("cudnn-11.2-windows-x64-v8.1.1.33.zip", "cudnn", "8.1.1.33"),
        ("cudnn-linux-x86_64-9.5.1.17_cuda12-archive.tar.xz", "cudnn", "9.5.1.17"),
        ("cudnn-linux-x86_64-9.5.1.17_cuda12-archive.tar.xz", "build_cuda", ""),
        ("I have cuDNN 11.2", "cudnn", ""),
        ("#define CUDNN_MAJOR 8\n#define CUDNN_MINOR 9\n#define CUDNN_PATCHLEVEL 7", "cudnn",
         "8.9.7"),
        (">>> torch.backends.cudnn.version()\n90100", "cudnn", "9.1.0"),
        ("torch requires nvidia-cudnn-cu12==8.9.2.26, you have nvidia-cudnn-cu12 9.1.0.70", "cudnn",
         "9.1.0.70"),
        (">>> torch.version.cuda\n'12.4'", "build_cuda", "12.4"),
        ("pytorch 2.1.0 py3.10_cuda11.8_cudnn8.7.0_0 pytorch", "build_cuda", "11.8"),
        ("nvcr.io/nvidia/pytorch:24.05-py3", "framework", "PyTorch"),
        ("by this version of PyTorch is\ntorch 2.8.0+cu128", "framework", "PyTorch 2.8.0"),
        ("trained with torch 1.10.0+cu102, yours is 2.6.0+cu124", "framework", "PyTorch 2.6.0"),
        ("trained with torch 1.10.0+cu102, yours is 2.6.0+cu124", "build_cuda", "12.4"),
        ("PyTorch 2.3.0+cu121 with CUDA 1201 (you have 2.5.1+cpu)", "framework", "PyTorch 2.5.1"),
        ("AssertionError: Torch not compiled\nKERAS_BACKEND=torch", "framework", "PyTorch"),
        (r"lib\site-packages\whisper\transcribe.py:126: UserWarning", "framework", "PyTorch"),
        ("whisper model large-v3 on CUDA", "framework", "CTranslate2"),
        ("The driver on this system only supports up to CUDA 10.2.0", "driver_cuda", "10.2"),
        ("The driver on this system only supports up to CUDA 10.2.0", "cuda", ""),
        ("pytorch/pytorch:2.1.0-cuda11.8-cudnn8-runtime", "framework", "PyTorch 2.1.0"),
        ("E external/xla/xla/stream_executor/cuda/cuda_dnn.cc:535] status", "framework", "JAX"),
        ("Library cublas64_12.dll is not found or cannot be loaded", "framework", "CTranslate2"),
        (r"C:\Users\me\Programs\Python\Python310\lib\site-packages\x.py", "python", "3.10"),
        ("NVIDIA UNIX x86_64 Kernel Module  525.105.17  Tue Mar 28", "driver", "525.105.17"),
        ("Device Manager: driver 31.0.15.3713", "driver", "537.13"),
        ("nvidia driver v546.01", "driver", "546.01"),
        ("|   0  Tesla T4            Off  |", "gpu", "Tesla T4"),
        ("GPU 0: NVIDIA L4", "gpu", "NVIDIA L4"),
        ("NVIDIA L4T 36.3", "gpu", "Jetson"),
        ("jetson@nano:~$ cat\nJetson Orin Nano", "gpu", "Jetson Orin Nano"),
        ("NVIDIA GeForce MX150", "gpu", "MX150"),
        ("On Windows, try CUDA_PATH.\nlibnvrtc.so.11.2: cannot open", "os", "Linux"),
        ("github.com/facebookresearch: searched, misused", "os", ""),
        ("nvcc -arch sm_86 -gencode arch=compute_86", "os", ""),
        ("I use Arch, btw", "os", "Linux"),
        ("starting the healthcheck", "framework", ""),
        ("meta-llama/Llama-3-8B: torch is 2.8", "framework", "PyTorch"),
        ("ImportError: exllamav2_ext", "framework", "PyTorch"),
        ("(base) me@PC:/mnt/c/Users/me$ python3 train.py", "os", "WSL"),
        (r'{"log": "it stopped:\n/usr/lib/python3/x.py"}', "os", "Linux"),
    ],
)  # fmt: skip
def test_versions_and_names_are_read_as_programs_write_them(
    text: str, key: str, value: str
) -> None:
    read = {one.key: one.value for one in understood(read_facts(*text.split("\n")))}
    assert read.get(key, "") == value


def test_a_32_bit_python_and_the_generation_of_an_ada_are_read() -> None:
    python = r"Python 3.7.9 (tags/v3.7.9, Aug 17 2020) [MSC v.1900 32 bit (Intel)] on win32"
    assert read_facts(python).bits32
    assert read_facts(r"C:\Programs\Python\Python38-32\python.exe").bits32
    assert read_facts("NVIDIA RTX 6000 Ada Generation").compute == "8.9"
    assert read_facts("Quadro RTX 6000").compute == "7.5"


def test_the_answers_of_an_issue_form_are_read() -> None:
    read = read_facts("TensorFlow version: 2.6.2", "CUDA/cuDNN version: Cuda 11.6 / 8.3.2")
    assert (read.framework_version, read.cuda, read.cudnn) == ((2, 6, 2), (11, 6), (8, 3, 2))


def test_what_a_person_adds_below_a_long_log_is_read() -> None:
    log = "\n".join([f"step {number}" for number in range(2000)] + ["CUDA out of memory"])
    shown = {one.key: one.value for one in explain(f"{log}\nRTX 3060, torch 2.1.0").understood}
    assert (shown["gpu"], shown["framework"]) == ("RTX 3060", "PyTorch 2.1.0")


def test_what_was_read_is_shown() -> None:
    smi = "| NVIDIA-SMI 535.54.03   Driver Version: 535.54.03   CUDA Version: 12.2 |"
    smi += "\nCUDA out of memory\nOS: Windows 11\ntorch==2.5.1"
    shown = {one.key: one.value for one in explain(smi).understood}
    assert shown["driver"] == "535.54.03"
    assert shown["driver_cuda"] == "12.2"
    assert (shown["os"], shown["framework"]) == ("Windows", "PyTorch 2.5.1")
    assert "Understood:" in "\n".join(text_lines(explain(smi)))


def test_numbers_rise_with_the_evidence() -> None:
    tables = load_words().calibration
    assert set(tables) == {"text", "facts"}
    for table in tables.values():
        assert all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(table))
        assert (table[0][0], table[-1][0]) == (0.0, 1.0)
    scores = [load_words().probability(step / 20, informed=False) for step in range(21)]
    assert scores == sorted(scores)
    assert 0 <= scores[0] <= scores[-1] <= 1


def test_the_model_stays_small() -> None:
    assert places.resource("errors/words.json").stat().st_size <= 300_000


@pytest.mark.parametrize("file", ASIDE, ids=lambda file: file.stem)
def test_what_was_laid_aside_is_in_no_table(file: Path) -> None:
    aside = msgspec.json.Decoder(Report).decode_lines(file.read_bytes())
    assert len(aside) >= 50
    assert not {row.thread.lower() for row in aside} & _threads_named()


@cache
def _threads_named() -> set[str]:
    """Every thread that a table of explain or what it is taught by names, in small letters."""
    tables = [places.resource("errors"), TAUGHT]
    files = [one for folder in tables for one in folder.glob("**/*") if one.is_file()]
    assert len(files) > 15
    found = {
        thread
        for one in files
        for thread in THREAD.findall(one.read_text(encoding="utf-8").lower())
    }
    assert {row.thread.lower() for row in (*reports(), *judged_threads())} <= found
    return found


@pytest.mark.parametrize("file", [ASIDE[0], ASIDE[2]], ids=lambda file: file.stem)
def test_no_project_of_these_sets_was_learned_from(file: Path) -> None:
    aside = msgspec.json.Decoder(Report).decode_lines(file.read_bytes())
    learned = {row.project.lower() for row in (*reports(), *judged_threads())}
    assert not {row.project.lower() for row in aside} & learned


@pytest.mark.parametrize("gpu", ["AMD Radeon RX 7900 XTX", "Intel Iris Xe", "Raspberry Pi 5"])
def test_without_an_nvidia_gpu_no_driver_is_advised(gpu: str) -> None:
    answer = explain("RuntimeError: Found no NVIDIA driver on your system.", given={"gpu": gpu})
    assert answer.causes[0].code == "gpu-of-another-maker"
    assert "CPU" in answer.causes[0].fix


WORST = ("a" * LONGEST_LINE, "cuda " * 819, "1.2." * 1024, "lib" * 1365, "/a" * 2048, "no " * 1365)


@pytest.mark.parametrize("text", WORST)
def test_no_pattern_takes_long_on_a_hostile_line(text: str) -> None:
    slow: dict[str, float] = {}
    for pattern in patterns():
        literal = pattern.find[0]
        line = (literal + " " + text)[:LONGEST_LINE]
        start = time.process_time()
        search(re.compile(pattern.match, re.IGNORECASE), line)
        if (took := time.process_time() - start) > 0.25:
            slow[pattern.id] = took
    assert not slow


def search(regex: Pattern[str], line: str) -> None:
    regex.search(line)
