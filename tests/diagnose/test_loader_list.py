"""A cuDNN beside PyTorch's: on LD_LIBRARY_PATH it would replace that, on the loader's list not."""

from __future__ import annotations

import msgspec
import pytest
from machines.computers import COMPUTERS

from cudnn_assistant.diagnose import diagnose
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Automatic, Finding, Manual, PutFirst
from cudnn_assistant.machine import Machine, Value, load
from cudnn_assistant.plan import SetVariable, make_plan
from cudnn_assistant.wording import words

HERE = "/home/kim/cudnn-linux-x86_64-9.8.0_cuda12-archive"


def computer(folder: str, *, desktop: bool) -> Machine:
    machine = COMPUTERS["linux-cudnn-not-on-path-beside-torch"].machine
    text = msgspec.json.encode(machine).replace(HERE.encode(), folder.encode())
    seen = load(text)
    return msgspec.structs.replace(seen, os=msgspec.structs.replace(seen.os, desktop=desktop))


def found(machine: Machine) -> Finding:
    findings = diagnose(machine, load_builtin())
    return next(f for f in findings if f.code == "cudnn-not-on-path")


def test_on_a_desktop_it_is_one_change_that_the_administrator_allows() -> None:
    machine = computer("/opt/cudnn", desktop=True)
    finding = found(machine)
    edit = PutFirst(variable="ld.so.conf", folder="/opt/cudnn/lib", scope="machine")
    assert finding.remedy == Automatic(edits=(edit,))
    (step,) = make_plan([finding], machine, load_builtin()).steps
    assert isinstance(step, SetVariable)
    assert (step.scope, step.name, step.after) == (
        "machine", "ld.so.conf", Value(text="/opt/cudnn/lib"),
    )  # fmt: skip
    said = words(finding, machine)
    assert "list of the system's loader" in said.fix
    assert "administrator's password" in said.fix
    assert "LD_LIBRARY_PATH" not in said.fix
    assert "put it back" in said.undo


@pytest.mark.parametrize(("folder", "desktop"), [("/opt/cudnn", False), (HERE, True)])
def test_else_the_commands_are_shown(folder: str, desktop: bool) -> None:
    remedy = found(computer(folder, desktop=desktop)).remedy
    assert isinstance(remedy, Manual)
    assert remedy.commands[-1] == "sudo ldconfig"
    assert f"echo {folder}/lib | sudo tee" in remedy.commands[0]
