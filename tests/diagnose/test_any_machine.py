"""Whatever a snapshot holds, thinking about it ends, in the same findings each time."""

from __future__ import annotations

from typing import Any

import msgspec
import needs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from machines.computers import COMPUTERS

from cudnn_assistant.diagnose import EVERYBODY, RULES, diagnose, subjects, verdict
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import Machine
from cudnn_assistant.summary import headline, lines
from cudnn_assistant.wording import words

WORDS = st.sampled_from(
    [
        "", "9.8.0", "8.9.7", "13.0", "12.8", "x", "%A%;B", "{folder}", "C:\\cuda\\bin", "/opt/x",
        "/usr/lib", "system", "::", '"', "libcudnn.so.9", "cudnn64_9.dll", "-1",
        "nvidia-cudnn-cu12",
        "==9.10.2.21", "torch", "tensorflow", "onnxruntime", "jax", "6.1", "12.0", "CUDA_PATH",
        "CUDA_VISIBLE_DEVICES",
        "PATH", "LD_LIBRARY_PATH", "cublasLt", "99999999999999999999", "é",
        "RmInitAdapter failed", "\x00", "GPU-1",
    ]
)  # fmt: skip
WHOLE = st.sampled_from([None, -1, 0, 1, 2, 8, 9, 12, 13, 14, 18, 22, 35, 43, 100, 803, 999, 1002])

AS_MANY = settings(max_examples=2000 if needs.night() else 60)


def struct(kind: type) -> st.SearchStrategy[Any]:
    hints = msgspec.inspect.type_info(kind).fields
    known = {f.name: of_type(f.type) for f in hints}
    return st.fixed_dictionaries(known).map(lambda values: kind(**values))


def of_type(info: Any) -> st.SearchStrategy[Any]:
    """Values for msgspec's description of a type."""
    i = msgspec.inspect
    if isinstance(info, i.StrType):
        return WORDS
    if isinstance(info, i.BoolType):
        return st.booleans()
    if isinstance(info, i.IntType):
        return WHOLE.map(lambda n: n or 0)
    if isinstance(info, i.FloatType):
        return st.sampled_from([0.0, 12.5, 60000.0])
    if isinstance(info, i.NoneType):
        return st.none()
    if isinstance(info, i.LiteralType):
        return st.sampled_from(list(info.values))
    if isinstance(info, i.UnionType):
        return st.one_of([of_type(t) for t in info.types])
    if isinstance(info, i.VarTupleType):
        return st.lists(of_type(info.item_type), max_size=2).map(tuple)
    if isinstance(info, i.StructType):
        return struct(info.cls)
    raise AssertionError(info)


MACHINES = struct(Machine)


@settings(AS_MANY, deadline=None, suppress_health_check=list(HealthCheck))
@given(MACHINES)
def test_no_machine_makes_a_rule_raise(machine: Machine) -> None:
    compat = load_builtin()
    findings = diagnose(machine, compat)
    assert findings == diagnose(machine, compat)
    known = {rule.code for rule in RULES}
    order = ["error", "warning", "info"]
    assert [f.severity for f in findings] == sorted((f.severity for f in findings), key=order.index)
    for finding in findings:
        assert finding.code in known
        said = words(finding, machine)
        assert said.title
    answer = verdict(machine, findings)
    assert all(headline(answer, machine, findings))
    assert all(line.label for line in lines(machine, findings))
    for subject in subjects(machine):
        if verdict(machine, findings, subject) == "works":
            assert any(t.status == "ok" and t.stage == "convolution" for t in machine.trials)


@settings(AS_MANY, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_a_real_machine_with_any_one_field_changed(data: st.DataObject) -> None:
    """Closer to life than pure chance: a golden computer in which one thing is odd."""
    name = data.draw(st.sampled_from(sorted(COMPUTERS)))
    machine = COMPUTERS[name].machine
    fields = {f.name: f for f in msgspec.inspect.type_info(Machine).fields}
    changed = data.draw(st.sampled_from(sorted(set(fields) - {"schema", "timings"})))
    odd = msgspec.structs.replace(machine, **{changed: data.draw(of_type(fields[changed].type))})
    findings = diagnose(odd, load_builtin())
    assert findings == diagnose(odd, load_builtin())
    for finding in findings:
        assert words(finding, odd).title
    errors = {f.subject for f in findings if f.severity == "error"}
    if errors:
        assert verdict(odd, findings) != "works" or not (errors - {f.subject for f in findings})


def test_an_error_about_the_computer_concerns_every_subject() -> None:
    for name in ("linux-driver-missing", "windows-no-nvidia-gpu"):
        machine = COMPUTERS[name].machine
        findings = diagnose(machine, load_builtin())
        assert findings[0].code in EVERYBODY
        assert all(verdict(machine, findings, s) != "works" for s in subjects(machine))
