"""The tables of numbers, held against the sheets they were made from where those are at hand."""

from __future__ import annotations

import pytest

from cudnn_assistant import codes
from cudnn_assistant.wording import symbol_means
from cudnn_assistant.wording.sentences import rows

CUDNN = ((8, "cudnn8"), (9, "cudnn9"))


@pytest.mark.parametrize(
    ("code", "major", "name"),
    [
        (0, 7, "CUDNN_STATUS_SUCCESS"),
        (0, 9, "CUDNN_STATUS_SUCCESS"),
        (1, 8, "CUDNN_STATUS_NOT_INITIALIZED"),
        (9, 8, "CUDNN_STATUS_NOT_SUPPORTED"),
        (3000, 9, "CUDNN_STATUS_NOT_SUPPORTED"),
        (14, 8, "CUDNN_STATUS_VERSION_MISMATCH"),
        (1002, 9, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"),
        (3999, 10, "CUDNN_STATUS_NOT_SUPPORTED_3999"),
        (1, 9, "CUDNN_STATUS_1"),
        (-5, 9, "CUDNN_STATUS_-5"),
        (77, 8, "CUDNN_STATUS_77"),
        (9001, 9, "CUDNN_STATUS_9001"),
    ],
)
def test_cudnn_statuses(code, major, name):
    assert codes.cudnn_status(code, major) == name


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("CUDA_ERROR_LAUNCH_TIMEOUT", 702),
        ("cudaErrorLaunchTimeout", 702),
        ("cudaErrorUnsupportedPtxVersion", 222),
        ("cudaErrorInsufficientDriver", 35),
        ("CUDNN_STATUS_NOT_INITIALIZED", 1001),
        ("cudaErrorOfTomorrow", None),
    ],
)
def test_numbers_of_what_programs_print(name, code):
    assert codes.number(name, 9) == code


def test_cuda_and_nvml():
    assert codes.cuda_result(0) == "CUDA_SUCCESS"
    assert codes.cuda_result(803) == "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
    assert codes.cuda_result(35) == "cudaErrorInsufficientDriver"
    assert codes.cuda_result(12345) == "CUDA_ERROR_12345"
    assert codes.nvml_return(0) == "NVML_SUCCESS"
    assert codes.nvml_return(18) == "NVML_ERROR_LIB_RM_VERSION_MISMATCH"
    assert codes.nvml_return(777) == "NVML_ERROR_777"


@pytest.mark.parametrize(
    ("code", "family", "name"),
    [
        (-6, "linux", "SIGABRT"),
        (134, "linux", "SIGABRT"),
        (-7, "linux", "SIGBUS"),
        (-4, "linux", "SIGILL"),
        (1, "linux", ""),
        (0, "linux", ""),
        (0xC0000005, "windows", "STATUS_ACCESS_VIOLATION"),
        (0xC0000409 - (1 << 32), "windows", "STATUS_STACK_BUFFER_OVERRUN"),
        (0xC06D007E, "windows", "VCPP_MOD_NOT_FOUND"),  # of OpenCV's and other C++ programs
        (1, "windows", ""),
    ],
)
def test_how_a_process_ended(code, family, name):
    assert codes.process_end(code, family) == name


def test_symbols_go_back_to_numbers():
    for major, table in (*CUDNN, (9, "cuda")):
        for name, code in codes.tables()[table].items():
            known = codes.cuda_result(code) if table == "cuda" else codes.cudnn_status(code, major)
            assert (known, codes.number(name, major)) == (name, code)
    assert codes.number("CUDNN_STATUS_NEVER_HEARD_OF", 9) is None


@pytest.mark.parametrize(
    ("table", "prefix", "rows"),
    [
        ("cudnn8", "CUDNN_STATUS_", codes.Cudnn8Status),
        ("cudnn9", "CUDNN_STATUS_", codes.CudnnStatus),
        ("cuda", "CUDA_ERROR_", codes.CudaResult),
        ("nvml", "NVML_ERROR_", codes.NvmlReturn),
    ],
)
def test_what_rules_ask_for_is_what_the_tables_say(table, prefix, rows):
    known = codes.tables()[table]
    for row in rows:
        name = f"{prefix.split('_')[0]}_SUCCESS" if row.name == "SUCCESS" else prefix + row.name
        assert known[name] == row


def test_results_of_the_driver_are_those_of_the_bindings():
    driver = pytest.importorskip("cuda.bindings.driver")
    theirs = {row.name: int(row) for row in driver.CUresult}
    ours = {name: n for name, n in codes.tables()["cuda"].items() if name.startswith("CUDA_")}
    assert ours.items() <= theirs.items()


def test_results_of_the_run_time_alone_are_those_of_the_bindings():
    runtime = pytest.importorskip("cuda.bindings.runtime")
    theirs = {row.name: int(row) for row in runtime.cudaError_t}
    ours = {name: n for name, n in codes.tables()["cuda"].items() if name.startswith("cudaE")}
    assert ours.items() <= theirs.items()


def test_the_one_run_time_error_that_rules_know_is_that_of_the_bindings():
    runtime = pytest.importorskip("cuda.bindings.runtime")
    theirs = int(runtime.cudaError_t.cudaErrorInsufficientDriver)
    assert theirs == codes.INSUFFICIENT_DRIVER


def test_answers_of_nvml_are_those_of_the_bindings():
    pynvml = pytest.importorskip("pynvml")
    for name, code in codes.tables()["nvml"].items():
        assert getattr(pynvml, name) == code


def test_a_meaning_belongs_to_a_name_that_can_occur():
    assert set(rows("symbols")) <= {name for table in codes.tables().values() for name in table}


def test_meanings_are_sentences():
    for name, text in rows("symbols").items():
        assert text[0].isupper() or text.startswith(("cuDNN", "cuBLAS")), name
        assert text.endswith("."), name
        assert symbol_means(name) == text
    assert symbol_means("CUDNN_STATUS_SUCCESS") == ""
