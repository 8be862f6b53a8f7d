"""Each golden computer's first problem is mended by us, or the reason why not stands in a table."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from machines.computers import NAMES, golden
from machines.parts import LIB, but

from cudnn_assistant.diagnose import diagnose
from cudnn_assistant.envpath import is_list, split
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Automatic, Edit, InstallCudnn
from cudnn_assistant.machine import Answer, CudnnCopy, Driver, Machine, PathEntry, Variable
from cudnn_assistant.plan import (
    InstallArchive,
    Plan,
    SetVariable,
    kind_of,
    settings_of,
    settings_only,
)
from cudnn_assistant.session.checkup import think
from cudnn_assistant.versions import older

TABLE = tomllib.loads((Path(__file__).parent / "by_hand.toml").read_text("utf-8"))
LEAST = 116
"""Golden computers that are mended without an installer; there are never to be fewer."""
WITH_A_YES = 25
"""Those that an installer mends which we start on a yes of its own."""


class First(NamedTuple):
    """The code of a computer's first problem, and whether a plan of ours serves it."""

    code: str
    ours: bool
    asked: bool
    """By an installer, which has a question of its own."""
    plan: Plan
    edits: tuple[Edit, ...]


@cache
def first_problems() -> dict[str, First]:
    found: dict[str, First] = {}
    for name in NAMES:
        seen = think(golden(name), load_builtin())
        first = next((one for one in seen.findings if one.severity == "error"), None)
        if first is not None and seen.verdict != "works":
            serving = [step for step in seen.plan.steps if first.code in step.why]
            asked = any(kind_of(step).consent(step) for step in serving)
            ours = bool(serving) and not asked
            assert ours is isinstance(first.remedy, Automatic), name
            edits = first.remedy.edits if isinstance(first.remedy, Automatic) else ()
            found[name] = First(first.code, ours, asked, seen.plan, edits)
    return found


def test_what_we_do_not_mend_has_its_reason() -> None:
    codes = [code for reason in TABLE.values() for code in reason["codes"]]
    assert len(codes) == len(set(codes)), "one reason a code"
    assert {one.code for one in first_problems().values() if not one.ours} == set(codes)


def test_as_many_are_mended_as_ever() -> None:
    assert sum(one.ours for one in first_problems().values()) >= LEAST
    assert sum(one.asked for one in first_problems().values()) >= WITH_A_YES


def _listed(machine: Machine, step: SetVariable) -> tuple[PathEntry, ...]:
    """The folders that programs started afterwards search."""
    family, others = machine.os.family, list(machine.search)
    texts = split(step.after.text, family) if step.after else ()
    new = [
        PathEntry(variable=step.name, scope=step.scope, text=one, folder=one, exists=True)
        for one in texts
        if family == "windows" or not one.startswith("-")
    ]
    if family == "windows":
        at = next((n for n, e in enumerate(others) if _of(e, step)), len(others))
        return (*others[:at], *new, *(e for e in others[at:] if not _of(e, step)))
    left = (e for e in others if not (e.variable == step.name and f"-{e.text}" in texts))
    return (*left, *new) if step.name == "ld.so.conf" else (*new, *left)


def _of(entry: PathEntry, step: SetVariable) -> bool:
    return (entry.scope, entry.variable.upper()) == (step.scope, step.name.upper())


def afterwards(machine: Machine, step: SetVariable) -> Machine:
    """The computer once a setting is made, before anybody has tested it again."""
    windows = machine.os.family == "windows"
    gone = step.after is None or step.after.gone
    kept = tuple(
        one
        for one in machine.variables
        if one.name.upper() != step.name.upper()
        or (one.scope != step.scope if windows else not gone and one.scope == "process")
    )
    value = step.after if step.after and not gone else None
    own = Variable(scope=step.scope, name=step.name, value=value, ours=True) if value else None
    lists = is_list(step.name, machine.os.family)
    search = _listed(machine, step) if lists else machine.search
    return but(
        machine,
        variables=(*kept, *([own] if own else [])),
        search=search,
        driver=_loaded(machine, {one.folder for one in search}),
        cudnns=tuple(but(_told(one, step), wins_for=()) for one in machine.cudnns),
        trials=(),
        experiments=(),
    )


def _loaded(machine: Machine, searched: set[str]) -> Driver | None:
    """The driver by the library that is found where no searched folder has another one."""
    driver = machine.driver
    folder = driver.cuda_library.rpartition("/")[0] if driver else ""
    if driver is None or not folder or folder in {*searched, LIB}:
        return driver
    return but(driver, cuda_library=f"{LIB}/libcuda.so.1", cuda_init=Answer(code=0))


def _told(copy: CudnnCopy, step: SetVariable) -> CudnnCopy:
    """ldconfig runs with each change of the loader's list."""
    listed = step.name == "ld.so.conf" and step.after and copy.folder in step.after.text.split(":")
    return but(copy, found_via=(*copy.found_via, "ld-cache")) if listed else copy


def test_the_cudnn_that_is_installed_is_new_enough_and_found_first() -> None:
    """Of all that have the same file name; none where one lies before all of Windows' PATH."""
    seen = 0
    for name, first in first_problems().items():
        machine, plan = golden(name), first.plan
        for new in (
            s for s in plan.steps if isinstance(s, InstallArchive) and s.product == "cuDNN"
        ):
            wishes = (e for e in first.edits if isinstance(e, InstallCudnn))
            assert not any(older(new.version, wish.least) for wish in wishes), name
            for step in settings_of(plan):
                machine = afterwards(machine, step)
            major = new.version.partition(".")[0]
            same = {c.folder for c in machine.cudnns if str(c.major) == major} | {new.search}
            windows = machine.os.family == "windows"
            listed = [e.folder for e in machine.search if windows or e.variable != "default"]
            assert next(folder for folder in listed if folder in same) == new.search, name
            seen += 1
    assert seen > 30


def test_a_changed_setting_leaves_its_problem_no_cause() -> None:
    settled = [
        name for name, first in first_problems().items() if first.ours and settings_only(first.plan)
    ]
    assert len(settled) > 40
    assert [name for name in settled if _still(name, first_problems()[name])] == []


def _still(name: str, first: First) -> bool:
    """Whether the problem has its cause when the settings of the plan are made."""
    machine = golden(name)
    for step in settings_of(first.plan):
        machine = afterwards(machine, step)
    left = diagnose(machine, load_builtin())
    return first.code in {one.code for one in left if one.severity != "info"}
