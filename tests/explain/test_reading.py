"""A log is read whatever it is stored in."""

from __future__ import annotations

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudnn_assistant.explain import explain
from cudnn_assistant.explain.reading import lines_of

GERMAN = "ImportError: DLL load failed: Das angegebene Modul wurde nicht gefunden. – ä ü"
RUSSIAN = "OSError: [WinError 126] Не найден указанный модуль"
CHINESE = "OSError: [WinError 126] 找不到指定的模块。"
JAPANESE = "OSError: 指定されたモジュールが見つかりません。"
KOREAN = "OSError: 지정된 모듈을 찾을 수 없습니다"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, CHINESE, JAPANESE])
def test_unicode_encodings(text: str, encoding: str) -> None:
    long = "\n".join(["an ordinary line of a log"] * 30 + [text])
    assert lines_of(long.encode(encoding))[30:] == [text]


@pytest.mark.parametrize(
    ("text", "page"),
    [
        (GERMAN, "cp1252"),
        (RUSSIAN, "cp1251"),
        (RUSSIAN, "cp866"),
        (CHINESE, "gbk"),
        (JAPANESE, "cp932"),
        (KOREAN, "cp949"),
    ],
)
def test_windows_code_pages(text: str, page: str) -> None:
    assert lines_of(f"first\n{text}\nlast\n".encode(page))[1:2] == [text]
    answer = explain(f"first\n{text}\nlast\n".encode(page))
    assert any(line.pattern == "dll-load-failed" for line in answer.lines)


def test_a_utf16_tail_on_a_file_of_bytes() -> None:
    head = "plain line of the log\n" * 2000
    tail = "Could not locate zlibwapi.dll.\n".encode("utf-16-le")
    answer = explain(head.encode() + tail)
    assert answer.causes[0].cls == "zlibwapi-missing"


def test_colours_and_progress_bars() -> None:
    text = "10%|#   | 1/9\r20%|##  | 2/9\r\x1b[31mRuntimeError: \x1b[1mCUDA out of memory.\x1b[0m\n"
    assert "RuntimeError: CUDA out of memory." in lines_of(text)
    assert explain(text).causes[0].cls == "gpu-out-of-memory"


def test_wrapped_kernel_lines_are_one_message() -> None:
    text = (
        "[    4.1] NVRM: The NVIDIA GeForce GTX 1050 GPU installed in this system is\n"
        "[    4.1] NVRM:  supported through the NVIDIA 580.xx Legacy drivers. Please\n"
        "[    4.1] NVRM:  visit the page.  The 595.58.03 NVIDIA driver will ignore\n"
        "[    4.1] NVRM:  this GPU.  Continuing probe...\n"
        "[    4.2] usb 1-1: new device\n"
    )
    lines = list(lines_of(text))
    assert lines[0].endswith("this GPU.  Continuing probe...")
    assert lines[4] == "usb 1-1: new device"
    assert explain(text).causes[0].cls == "driver-dropped-gpu"


def test_a_message_wrapped_by_a_terminal() -> None:
    text = "RuntimeError: The NVIDIA driver on your system is\ntoo old (found version 11040)."
    assert explain(text).causes[0].cls == "driver-too-old"


@given(st.binary(max_size=300))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    explain(data)


@pytest.mark.parametrize("size", [2_000, 100_000])
def test_what_is_no_text_names_no_cause(size: int) -> None:
    noise = random.Random(1).randbytes(size)
    found = explain(noise)
    assert (found.lines, found.causes, found.understood) == ((), (), ())
    message = b"\0\1\x80Could not load library libcudnn_ops_infer.so.8\1\2"
    (line,) = explain(noise + message + noise).lines
    assert line.pattern == "cudnn8-part-not-loaded"


@given(st.text(max_size=300))
def test_lines_keep_their_numbers(text: str) -> None:
    plain = text.replace("\x1b", "").replace("\r", "")
    assert len(lines_of(plain)) == plain.count("\n") + 1


@pytest.mark.parametrize(
    ("line", "size"), [("ab 12\n", 1_000_000), ("step 12345 loss 0.1 ██ some words\n", 3_000_000)]
)
def test_a_log_takes_little_more_memory_than_itself(line: str, size: int) -> None:
    data = line.encode() * (size // len(line.encode()))
    explain(line)
    tracemalloc.start()
    explain(data)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Once more than the text, and a few blocks of lines; with each line as a text it was 14 times.
    assert most < size + 4_000_000


def test_lines_of_several_blocks_are_those_of_the_text() -> None:
    told = [f"line {number} é" for number in range(9001)]
    lines = lines_of("\r\n".join(told).encode())
    assert list(lines) == told
    assert lines[3998:8002] == told[3998:8002]
    assert lines[8999:] == told[8999:]


def test_a_line_that_is_cut_within_a_letter_is_read() -> None:
    lines = list(lines_of(f"a{'é' * 40_000}\nOSError: {GERMAN}".encode()))
    assert lines[0] == "a" + "é" * 4095
    assert lines[1].endswith(GERMAN)


def test_what_is_no_text_is_read_for_its_plain_letters() -> None:
    noise = random.Random(18).randbytes(40_000).replace(b"\r", b"").replace(b"\n", b"")
    read = list(lines_of(noise + b"\nCUDNN_STATUS_NOT_INITIALIZED\n" + noise))
    assert read[1] == "CUDNN_STATUS_NOT_INITIALIZED"
    assert all(line.isascii() and "\x01" not in line for line in read)


@pytest.mark.parametrize(
    ("text", "page"),
    [(GERMAN, "cp1252"), (RUSSIAN, "cp1251"), (CHINESE, "gbk"), (JAPANESE, "cp932")],
)
def test_a_code_page_is_read_the_same_with_utf_8_beside_it(text: str, page: str) -> None:
    rows = ["plain", text, "end"]
    foreign = "\n".join(rows).encode(page)
    assert list(lines_of(foreign)) == rows
    assert list(lines_of(foreign + b"\n" + "naïve – 日本".encode())) == [*rows, "naïve – 日本"]
