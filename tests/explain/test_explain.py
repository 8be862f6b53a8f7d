"""What explain says about the classic situations, and the promises of its answer."""

from __future__ import annotations

import msgspec
import pytest

from cudnn_assistant.explain import CLEAR, explain, text_lines
from cudnn_assistant.explain.patterns import patterns

HANDLE = "E tensorflow/stream_executor/cuda/cuda_dnn.cc:328] Could not create cudnn handle: %s\n"
ALGORITHM = (
    "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed to "
    "initialize, so try looking to see if a warning log message was printed above.\n"
)
TF23 = {"framework": "tensorflow 2.3", "os": "windows"}


def best(text: str, **given: str) -> str:
    return explain(text, given=given).causes[0].cls


DSO = "Could not load dynamic library '%s'; dlerror: %s: cannot open shared object file"
NO_DLL = "Could not load dynamic library '%s'; dlerror: %s not found"
OTHER_CARD = (
    "InvalidArgumentError: Cannot assign a device for operation 'x': Operation was explicitly "
    "assigned to /device:GPU:1 but available devices are [/device:GPU:0]"
)
TWO_DRIVERS = (
    "failed call to cuInit: CUDA_ERROR_NO_DEVICE\n"
    "kernel version 470.182.3 does not match DSO version 470.223.2 -- cannot find working devices"
)


def missing(form: str, name: str) -> str:
    return form % (name, name)


CLASSIC = [
    # 1. "cuDNN failed to initialize", with its four reasons
    (
        "Loaded runtime CuDNN library: 7.4.1 but source was compiled with: 7.6.5.\n" + ALGORITHM,
        {},
        "cudnn-version-mismatch",
    ),
    (
        missing(DSO, "libcudnn.so.7") + "\n" + ALGORITHM,
        {"cudnn": "not installed"},
        "cudnn-missing",
    ),
    (
        HANDLE % "CUDNN_STATUS_NOT_INITIALIZED" + "Possibly insufficient driver version: 410.48\n",
        {"driver": "410.48", "cuda": "10.1"},
        "driver-too-old",
    ),
    (
        ALGORITHM + "|    0   N/A  N/A      4711      C   python3          7600MiB |\n"
        "another python process holds 7600 MiB\n",
        {},
        "other-process-uses-gpu",
    ),
    # 2. TensorFlow 2.3 on Windows 10 with CUDA 10.1 and cuDNN 7.6.5
    (
        missing(NO_DLL, "cudnn64_7.dll"),
        {**TF23, "cuda": "10.1", "cudnn": "7.6.5"},
        "cudnn-not-on-path",
    ),
    (
        missing(NO_DLL, "cudart64_101.dll"),
        {**TF23, "cuda": "10.1", "cudnn": "7.6.5"},
        "cuda-not-on-path",
    ),
    (
        missing(NO_DLL, "cudart64_101.dll"),
        {**TF23, "cuda": "11.0", "cudnn": "7.6.5"},
        "cuda-version-mismatch",
    ),
    (
        missing(NO_DLL, "cudnn64_7.dll"),
        {**TF23, "cuda": "10.1", "cudnn": "8.0.4"},
        "cudnn-version-mismatch",
    ),
    (
        HANDLE % "CUDNN_STATUS_ALLOC_FAILED",
        {**TF23, "cuda": "10.1", "cudnn": "7.6.5", "gpu": "GTX 1650"},
        "gpu-out-of-memory",
    ),
    (
        HANDLE % "CUDNN_STATUS_INTERNAL_ERROR",
        {**TF23, "cuda": "10.1", "cudnn": "7.6.5", "gpu": "RTX 3080"},
        "gpu-too-new",
    ),
    # 3. CUDNN_STATUS_INTERNAL_ERROR from TensorFlow 2.1 C++
    (
        HANDLE % "CUDNN_STATUS_INTERNAL_ERROR",
        {
            "framework": "tensorflow 2.1",
            "gpu": "RTX 2070",
            "cuda": "10.1",
            "cudnn": "7.6.5",
            "driver": "441.22",
            "os": "windows",
        },
        "gpu-out-of-memory",
    ),
    (
        HANDLE % "CUDNN_STATUS_INTERNAL_ERROR",
        {
            "framework": "tensorflow 2.1",
            "cuda": "10.1",
            "cudnn": "7.6.5",
            "driver": "390.116",
            "os": "linux",
        },
        "driver-too-old",
    ),
    (
        HANDLE % "CUDNN_STATUS_INTERNAL_ERROR" + "NVRM: Xid (PCI:0000:01:00): 48, Double Bit ECC",
        {"framework": "tensorflow 2.1"},
        "hardware-fault",
    ),
    # 4. TensorFlow 1.15 wants CUDA 10.0 and cuDNN 7.4 or newer
    (
        missing(DSO, "libcudart.so.10.0"),
        {"framework": "tensorflow 1.15", "cuda": "10.1", "cudnn": "7.6.5"},
        "cuda-version-mismatch",
    ),
    (
        missing(DSO, "libcudnn.so.7"),
        {"framework": "tensorflow 1.15", "cuda": "10.0", "cudnn": "7.6.5"},
        "cudnn-not-on-path",
    ),
    # 5. A driver that TensorFlow suspects and that should do
    (
        HANDLE % "CUDNN_STATUS_NOT_INITIALIZED" + "Possibly insufficient driver version: 535.104\n",
        {"framework": "tensorflow 2.12", "gpu": "RTX 3080", "os": "linux"},
        "cudnn-version-mismatch",
    ),
    # 6. TensorFlow stops on the GPU
    (
        "ResourceExhaustedError: OOM when allocating tensor with shape[64,512,56,56]",
        {},
        "gpu-out-of-memory",
    ),
    (
        OTHER_CARD,
        {},
        "visible-devices-wrong",
    ),
    (
        TWO_DRIVERS,
        {},
        "driver-library-mismatch",
    ),
]


@pytest.mark.parametrize(("text", "given", "cls"), CLASSIC)
def test_classic_situations(text: str, given: dict[str, str], cls: str) -> None:
    assert best(text, **given) == cls


def test_tf115_is_not_told_that_cudnn_7_is_too_new() -> None:
    text = "Could not load dynamic library 'libcudnn.so.7'; dlerror: libcudnn.so.7: cannot open"
    answer = explain(text, given={"framework": "tensorflow 1.15", "cudnn": "7.6.5"})
    mismatch = [c for c in answer.causes if c.cls == "cudnn-version-mismatch"]
    assert all(c.score < 0.2 for c in mismatch)


@pytest.mark.parametrize("message", [one.example for one in patterns() if one.vague])
@pytest.mark.parametrize("given", [{}, {"framework": "PyTorch 2.6", "gpu": "RTX 3090"}])
def test_a_status_code_alone_names_no_cause_for_sure(message: str, given: dict[str, str]) -> None:
    answer = explain(f"\n{message}\n", given=given)
    assert answer.causes
    assert not answer.clear


def test_facts_that_do_not_belong_together_make_a_status_code_clear() -> None:
    given = {"framework": "torch 1.13.1+cu117", "gpu": "RTX 5090"}
    answer = explain("RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", given=given)
    assert answer.clear
    assert answer.causes[0].cls == "gpu-too-new"


def test_what_is_written_beside_a_status_code_may_make_it_clear() -> None:
    code = "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"
    answer = explain(f"{code}\ntorch.cuda.OutOfMemoryError: CUDA out of memory.")
    assert answer.clear
    assert answer.causes[0].score > CLEAR


def test_given_facts_change_the_order() -> None:
    text = "could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED"
    assert best(text) == "gpu-out-of-memory"
    assert best(text, driver="384.69", cuda="9.0") == "driver-too-old"


def test_because_names_the_line_and_the_fact() -> None:
    answer = explain(
        missing(NO_DLL, "cudart64_100.dll"),
        given={"cuda": "10.1"},
    )
    reasons = " ".join(answer.causes[0].because)
    assert "cudart64_100.dll" in reasons
    assert "10.0" in reasons
    assert "10.1" in reasons


def test_line_numbers_are_those_of_the_text() -> None:
    answer = explain("a\nb\nCUDA out of memory\n")
    assert [(line.number, line.pattern) for line in answer.lines] == [(3, "out-of-memory")]


def test_nothing_known_gives_nothing() -> None:
    answer = explain("Hello world\nTraceback (most recent call last):\n")
    assert answer.causes == ()
    assert answer.lines == ()
    said = text_lines(answer)
    assert said[0].startswith("No known message")
    assert said[2:] == ["What would tell:", *(f"   {way}" for way in answer.would_tell)]
    assert answer.would_tell


def test_json_has_the_promised_shape() -> None:
    raw = msgspec.json.decode(msgspec.json.encode(explain("CUDA out of memory")))
    fields = {"lines", "causes", "clear", "basis", "understood", "filled_in", "would_tell"}
    assert fields == set(raw)
    wanted = {"code", "class", "score", "state", "because", "title", "fix"}
    assert wanted <= set(raw["causes"][0])
    scores = [c["score"] for c in raw["causes"]]
    assert scores == sorted(scores, reverse=True)
    assert 0 <= sum(scores) <= 1.001


def test_text_for_people_names_line_cause_and_way_out() -> None:
    text = "\n".join(text_lines(explain("Could not locate zlibwapi.dll")))
    assert "1: Could not locate zlibwapi.dll" in text
    assert "cuDNN 8 lacks the file zlibwapi.dll" in text


def test_many_near_misses_name_no_cause_for_sure() -> None:
    text = "\n".join(
        f"{n:x} Could not locat zlibwap.dl cudnn cuda out of memor" for n in range(9000)
    )
    answer = explain(text)
    assert not answer.clear
    assert not any(cause.fix for cause in answer.causes)


def test_the_one_telling_line_in_a_big_log_is_found() -> None:
    filler = "\n".join(f"step {n} loss 0.{n} cuda:0 gpu ok" for n in range(60_000))
    answer = explain(filler + "\nCould not locate zlibwapi.dll\n" + filler)
    assert answer.causes[0].cls == "zlibwapi-missing"
    assert any(line.number == 60_001 for line in answer.lines)


def test_peoples_words_are_sought_in_short_texts_only() -> None:
    words = "the card sits on a riser and another computer works"
    assert explain(words).causes[0].cls == "hardware-fault"
    long = "\n".join(f"line {n} of a log" for n in range(200))
    assert explain(f"{long}\n{words}\n{long}").causes == ()


def test_a_message_is_found_between_harmless_lines() -> None:
    text = (
        "successful NUMA node read from SysFS had negative value (-1)\n"
        "Unable to register cuDNN factory: Attempting to register factory\n"
        "CUDA driver version is insufficient for CUDA runtime version\n"
    )
    answer = explain(text)
    assert {line.number for line in answer.lines} == {3}
    assert answer.causes[0].cls == "driver-too-old"


def test_the_end_of_a_hostile_log_is_searched() -> None:
    letters = str.maketrans("0123456789", "ghijklmnop")
    near = "\n".join(
        f"{n:08}".translate(letters) + " no zlibwap, cuda out of memor" for n in range(60000)
    )
    answer = explain(f"{near}\nCould not locate zlibwapi.dll\n")
    assert answer.causes[0].cls == "zlibwapi-missing"


def test_nvidia_smi_names_what_the_driver_could_run() -> None:
    text = "torch.cuda.is_available() -> False\nDriver Version: 470.42   CUDA Version: 11.4"
    assert best(text, framework="PyTorch 2.4+cu121") == "driver-too-old"


def test_doubt_is_said_where_there_is_doubt() -> None:
    said = "We can't tell from this text"
    lone = text_lines(explain("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"))
    plain = text_lines(explain("Could not locate zlibwapi.dll. Please make sure it is there"))
    assert any(line.startswith(said) for line in lone)
    assert not any(line.startswith(said) for line in plain)


def test_any_key_is_taken_and_heard() -> None:
    text = "could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"
    note = "the earlier run is still running in another notebook"
    assert best(text, colour="blue", path_notes=note) == "other-process-uses-gpu"
