"""What a framework's exception says literally; every text was seen, most of them of real builds."""

from __future__ import annotations

import pytest

from cudnn_assistant import causes
from cudnn_assistant.explain.evidence import named
from cudnn_assistant.explain.patterns import patterns

CONFLICT = "python-packages-conflict"
C10 = 'Error loading "C:\\ai\\venv\\Lib\\site-packages\\torch\\lib\\{}" or one of its dependencies.'
NO_NUMPY = "TypeError: Unable to convert function return value to a Python type! The signature was"


@pytest.mark.parametrize(
    ("raised", "code", "needs"),
    [
        ("TypeError: Descriptors cannot be created directly.", CONFLICT, "protobuf<4"),
        ("ImportError: cannot import name 'builder' from 'google.protobuf.internal' (/env/google)",
         CONFLICT, "protobuf>=3.20"),
        ("ValueError: Unable to avoid copy while creating an array as requested.",
         CONFLICT, "numpy<2"),
        ("AttributeError: module 'numpy' has no attribute 'object'.", CONFLICT, "numpy<1.24"),
        ("RuntimeError: jaxlib version 0.4.34 is newer than and incompatible", CONFLICT, ""),
        ("ImportError: libtorch_cpu.so: undefined symbol: iJIT_NotifyEvent", CONFLICT, ""),
        ("OMP: Error #15: Initializing libiomp5md.dll, but found libiomp5md.dll already …",
         CONFLICT, ""),
        ("ImportError: libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by utils.so)",
         "cxx-library-too-old", ""),
        (f"OSError: [WinError 1114] {C10.format('c10.dll')}", "msvc-runtime-missing", ""),
        (f"OSError: [WinError 126] {C10.format('caffe2_nvrtc.dll')}", "msvc-runtime-missing", ""),
        ("RuntimeError: This version of jaxlib was built using AVX instructions, which your CPU …",
         "cpu-too-old", ""),
        ("MemoryError: ", "computer-memory-full", ""),
    ],
)  # fmt: skip
def test_what_a_message_says_literally(raised: str, code: str, needs: str) -> None:
    told = named(raised)
    assert (told.code, told.needs) == (code, needs)
    assert told.line in raised


@pytest.mark.parametrize(
    "raised",
    [
        f"OSError: [WinError 5] Access is denied. {C10.format('c10.dll')}",
        "",
        "KeyError: 'frobnicate'",
        # A file of one's own called numpy.py gives the same as NumPy 2.
        "ImportError: numpy._core.umath failed to import",
        NO_NUMPY,
        # What lacks is one of cuDNN's parts: the computer tells more than the message.
        f"OSError: [WinError 126] {C10.format('cudnn_cnn64_9.dll')}",
        "ImportError: cannot import name 'Tensor' from partially initialized module 'torch'",
        "RuntimeError: CUDA error: unknown error",
        # Two things at once.
        "MemoryError: \nTypeError: Descriptors cannot be created directly.",
    ],
)
def test_what_may_mean_several_things_names_none(raised: str) -> None:
    assert named(raised) == ("", "", "")


def test_what_was_printed_counts_for_what_the_exception_speaks_of() -> None:
    """ONNX Runtime 1.16.3 prints all this with NumPy 2 and computes rightly."""
    warned = "AttributeError: _ARRAY_API not found\nImportError: numpy.core.umath failed to import"
    assert named("ONNX Runtime went back to the processor", warned).code == ""
    assert named(NO_NUMPY, warned) == (CONFLICT, "AttributeError: _ARRAY_API not found", "numpy<2")


def test_pip_is_asked_only_where_one_thing_is_said() -> None:
    asking = [row for row in patterns() if row.needs]
    assert asking
    assert all(causes.cause(row.code).cls == CONFLICT for row in asking)
    both = "\n".join(row.example for row in asking)
    assert (named(both).code, named(both).needs) == (CONFLICT, "")
