"""Five hundred kinds of secrets, in every place of a snapshot that holds a text of theirs."""

from __future__ import annotations

import re
import time

import msgspec
import pytest
from machines.computers import golden
from report.kinds import BOTH, LINUX, WINDOWS, kinds
from report.lines import LINES, LINUX_LINES, ORDINARY, WHOLE_LINES

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import (
    CudnnCopy,
    Driver,
    Gap,
    Machine,
    PathEntry,
    PythonEnvironment,
    Trial,
    Value,
    Variable,
)
from cudnn_assistant.report.redaction import Redactor
from cudnn_assistant.report.text import Extra
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.reports import redacted_note, support_forms, without_home

_PATH = re.compile(r"(?:[A-Za-z]:[\\/]|\\\\|/|~)\S*$")


def planted(family: str, text: str) -> Machine:
    """A healthy computer with the text wherever such a text could come from."""
    base = golden(f"{family}-healthy")
    driver = base.driver or Driver()
    path = text if _PATH.match(text) else "/usr/lib"
    return msgspec.structs.replace(
        base,
        driver=msgspec.structs.replace(driver, log=(text,), cuda_library=path),
        gaps=(Gap(what="gpu", why=text), Gap(what="gpu", why=f"can't open {text} now")),
        variables=(Variable(scope="user", name="CUDA_HOME", value=Value(text=text), source=path),),
        search=(PathEntry(variable="PATH", scope="user", text=text, folder=path),),
        cudnns=(CudnnCopy(folder=path, file="cudnn64_9.dll", major=9),),
        pythons=(PythonEnvironment(id=path, python=path, sites=(path,)),),
        trials=(
            Trial(subject=path, stage="load", status="crashed", detail=text, loaded=path,
                  output=f"before\n{text}\nafter"),
        ),
        other_gpus=(text,),
    )  # fmt: skip


CASES = [
    (family, text, secrets)
    for family, table in (
        ("windows", WINDOWS),
        ("linux", LINUX),
        ("linux", LINUX_LINES),
        ("both", BOTH),
        ("both", LINES),
    )
    for text, secrets in kinds(table)
]


def test_there_are_five_hundred_kinds() -> None:
    assert len({text for _family, text, _secrets in CASES}) >= 500


@pytest.mark.parametrize(("family", "text", "secrets"), CASES, ids=[case[1] for case in CASES])
def test_no_kind_is_told(family: str, text: str, secrets: tuple[str, ...]) -> None:
    """A name in plain words can be known only where it is the person's own."""
    own = "⟪" in text
    text = re.sub("[⟪⟫]", "", text)
    names = {"user": "qkimura" if own else "me", "host": "zqserver" if own else "pc"}
    for system in ("windows", "linux") if family == "both" else (family,):
        machine = planted(system, text)
        clean = Redactor(machine, **names)
        told = str(msgspec.to_builtins(clean.machine())) + clean.text(text)
        told = told.replace("\\\\", "\\").casefold()
        assert [one for one in secrets if one.casefold() in told] == []


@pytest.mark.parametrize("family", ["windows", "linux"])
@pytest.mark.parametrize(("text", "secrets"), kinds(WHOLE_LINES), ids=str)
def test_no_kind_is_told_by_its_line(family: str, text: str, secrets: tuple[str, ...]) -> None:
    base = golden(f"{family}-healthy")
    trial = Trial(subject="system", stage="load", status="crashed", detail=text, output=text)
    driver = msgspec.structs.replace(base.driver or Driver(), log=(text,))
    machine = msgspec.structs.replace(
        base, driver=driver, gaps=(Gap(what="gpu", why=text),), trials=(trial,)
    )
    clean = Redactor(machine, user="me", host="pc")
    told = str(msgspec.to_builtins(clean.machine())) + clean.text(f"before\n{text}\nafter")
    assert [one for one in secrets if one in told] == []


@pytest.mark.spread(2)  # a family by day
@pytest.mark.parametrize("family", ["windows", "linux"])
@pytest.mark.parametrize("text", ORDINARY.strip().splitlines())
def test_an_ordinary_line_stays(family: str, text: str) -> None:
    base = golden(f"{family}-healthy")
    assert Redactor(base, user="kim", host="pc").text(text) == text


@pytest.mark.spread(2)
@pytest.mark.parametrize(
    "text", [text for table in (LINES, LINUX_LINES, WHOLE_LINES) for text, _ in kinds(table)]
)
def test_what_was_redacted_stays_so(text: str) -> None:
    for family in ("windows", "linux"):
        base = golden(f"{family}-healthy")
        gap = Gap(what="gpu", why=re.sub("[⟪⟫]", "", text))
        once = Redactor(msgspec.structs.replace(base, gaps=(gap,)), user="me", host="pc").machine()
        assert Redactor(once, user="me", host="pc").machine() == once


def test_the_written_report_tells_none_either() -> None:
    compat = load_builtin()
    for family, table in (("windows", WINDOWS + LINES), ("linux", LINUX + LINUX_LINES)):
        for text, secrets in kinds(table)[::7]:
            if "⟪" in text:
                continue
            checkup = think(planted(family, text), compat)
            told = support_forms(checkup, compat, Extra(text=text, note=text))("markdown")
            assert [one for one in secrets if one.casefold() in told.casefold()] == []


def test_a_crash_before_the_first_look_tells_none() -> None:
    for text, secrets in kinds(LINES)[::5]:
        told = redacted_note(f"Traceback\n{text}", "linux")
        assert [one for one in secrets if one in told] == []


def test_a_crash_names_our_modules_and_takes_no_time() -> None:
    frames = (
        ('File "/home/a/x/cudnn_assistant/gui/app.py", line 1', "cudnn_assistant.gui.app"),
        ('File "C:\\Users\\a\\cudnn_assistant\\cli\\__init__.py", line 1', "cudnn_assistant.cli."),
    )
    for frame, module in frames:
        assert module in without_home(frame)
    assert without_home('File "/x/other.py", line 1') == 'File "/x/other.py", line 1'
    began = time.process_time()
    without_home("cudnn_assistant\\aa" * 20_000)
    assert time.process_time() - began < 1
