"""With a snapshot each cause is confirmed, possible or ruled out."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from machines.computers import golden

from cudnn_assistant.causes import cause
from cudnn_assistant.compat import Compat
from cudnn_assistant.diagnose import RULES, diagnose
from cudnn_assistant.explain import Cause, basis, explain, text_lines
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Finding, Unknown
from cudnn_assistant.wording import words

HANDLE = "Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED"
NOT_FOUND = "Could not load library: libcudnn.so.9: cannot open shared object file"
STUB = "failed call to cuInit: UNKNOWN ERROR (303)"


@pytest.fixture(scope="module")
def compat() -> Compat:
    return load_builtin()


def causes(text: str, name: str, compat: Compat) -> dict[str, Cause]:
    seen = golden(name)
    found = explain(text, seen, compat=compat, findings=diagnose(seen, compat))
    return {cause.cls: cause for cause in found.causes}


@pytest.mark.parametrize(
    ("name", "text", "cls"),
    [
        ("linux-gpu-memory-taken", HANDLE, "other-process-uses-gpu"),
        ("windows-driver-too-old", HANDLE, "driver-too-old"),
        ("linux-cudnn-not-on-path", NOT_FOUND, "cudnn-not-on-path"),
        ("linux-cudnn-missing", NOT_FOUND, "cudnn-missing"),
        ("linux-stub-library-loaded", STUB, "cuda-stub-library"),
        ("linux-driver-library-mismatch", "no CUDA-capable device", "driver-library-mismatch"),
        ("linux-secure-boot", "NVIDIA-SMI has failed", "secure-boot-or-nouveau"),
        ("windows-zlibwapi-missing", "Could not locate zlibwapi.dll", "zlibwapi-missing"),
        ("container-no-gpu", "no CUDA-capable device", "container-runtime"),
        ("wsl-linux-driver", "no CUDA-capable device is detected", "wsl-driver"),
        ("windows-onnxruntime-twice", "'CUDAExecutionProvider' is not available",
         "multiple-pip-packages-conflict"),
    ],
)  # fmt: skip
def test_a_finding_confirms_its_cause(name: str, text: str, cls: str, compat: Compat) -> None:
    found = causes(text, name, compat)
    assert next(iter(found)) == cls
    assert found[cls].state == "confirmed"
    assert any("The check found" in reason for reason in found[cls].because)


@pytest.mark.parametrize(
    ("name", "first"),
    [("linux-healthy", "cudnn-links-missing"), ("linux-cudnn-missing", "cudnn-missing")],
)
def test_a_name_without_a_number_is_a_link_to_what_is_there(
    name: str, first: str, compat: Compat
) -> None:
    text = "The third-party dynamic library (libcudnn.so) that Paddle depends on is not configured"
    said = f"{text} (error code is libcudnn.so: cannot open shared object file"
    assert next(iter(causes(said, name, compat).values())).code == first


def test_a_healthy_machine_confirms_nothing(compat: Compat) -> None:
    found = causes(HANDLE, "linux-healthy", compat)
    assert {cause.state for cause in found.values()} <= {"possible", "ruled-out"}


def test_facts_rule_out_and_the_ruled_out_come_last(compat: Compat) -> None:
    seen = golden("linux-healthy")
    found = explain("NVIDIA-SMI has failed", seen, compat=compat)
    states = {cause.cls: cause.state for cause in found.causes}
    assert states.get("driver-missing", "ruled-out") == "ruled-out"
    order = [cause.state == "ruled-out" for cause in found.causes]
    assert order == sorted(order)


def test_a_text_from_another_system_is_not_judged_by_this_one(compat: Compat) -> None:
    found = causes("Could not locate zlibwapi.dll", "linux-healthy", compat)
    assert found["zlibwapi-missing"].state == "possible"


def test_a_computer_without_gpu_is_why_what_was_said_there(compat: Compat) -> None:
    """Who looks up another computer's message doesn't have it judged by this one."""
    first = next(iter(causes(HANDLE, "linux-no-nvidia-gpu", compat)))
    assert first == "no-nvidia-gpu"
    assert first not in {c.cls for c in explain(HANDLE).causes[:3]}
    # What names a GPU was said elsewhere.
    named = f"NVIDIA GeForce RTX 3060\n{HANDLE}"
    assert explain(named, golden("linux-no-nvidia-gpu"), compat=compat).basis == "text"


def test_facts_of_the_computer_fill_in_what_the_text_leaves_open(compat: Compat) -> None:
    seen = golden("linux-healthy")
    given = {"driver": "384.69", "cuda": "9.0"}
    found = explain(HANDLE, seen, given, compat)
    assert found.causes[0].cls == "driver-too-old"


CODES = sorted({rule.code for rule in RULES})


@pytest.mark.parametrize("code", CODES)
def test_a_cause_that_the_diagnosis_has_proved_is_confirmed(code: str) -> None:
    """Whatever the text says, the finding's own cause is named, with its own words."""
    finding = Finding(code=code, severity="error", remedy=Unknown())
    seen = golden("linux-healthy")
    found = {c.cls: c for c in explain(HANDLE, seen, findings=(finding,)).causes}
    mine = found[cause(code).cls]
    assert mine.state == "confirmed"
    assert mine.code == code
    assert mine.title == words(finding, seen).title


@pytest.mark.parametrize("change", [{"sure": False}, {"severity": "info"}])
def test_what_is_only_suspected_is_not_confirmed(change: dict[str, Any]) -> None:
    finding = Finding(code="gpu-lost", severity="error", remedy=Unknown())
    suspected = msgspec.structs.replace(finding, **change)
    found = explain(HANDLE, golden("linux-healthy"), findings=(suspected,)).causes
    assert "confirmed" not in {c.state for c in found}


WINDOWS = "C:\\Users\\me\\app.py: Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED"


def test_the_answer_names_what_the_computer_filled_in() -> None:
    found = explain(HANDLE, golden("linux-no-nvidia-gpu"))
    assert found.basis == "computer"
    assert {one.key: one.value for one in found.filled_in} == {"os": "Linux"}
    said = text_lines(found)
    assert said[-1] == basis(found)
    assert said[-1].startswith("Judged together with what the computer shows. ")
    assert said[-1].endswith(" Linux")
    assert not any("text alone" in line for line in said)


def test_nothing_is_filled_in_that_the_text_or_the_person_told() -> None:
    seen = golden("linux-healthy")
    told = explain(HANDLE, seen, {"driver": "384.69"})
    assert "driver" not in {one.key for one in told.filled_in}
    assert {"os", "gpu"} <= {one.key for one in told.filled_in}
    # What the text doesn't say isn't understood of it.
    assert not {one.key for one in told.understood} & {one.key for one in told.filled_in}
    assert "filled in: " in text_lines(told)[-1]
    assert explain(HANDLE).filled_in == ()
    assert text_lines(explain(HANDLE))[-1] == "Judged by the text alone, not by a computer."


def test_a_text_of_another_system_gets_nothing_from_this_computer() -> None:
    found = explain(WINDOWS, golden("linux-healthy"))
    assert found == explain(WINDOWS)
    assert found.filled_in == ()
    assert "Judged by the text alone" in text_lines(found)[-1]


def test_a_text_of_linux_may_come_from_wsl() -> None:
    found = explain(f"/usr/lib/app: {HANDLE}", golden("wsl-linux-driver"))
    assert found.basis == "computer"
