"""The table of kinds: whole, in both halves, and the only place that asks what kind a step is."""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest

from cudnn_assistant.apply.kinds import ACTIONS, actions_of
from cudnn_assistant.machine import Family, Machine, OperatingSystem, Value
from cudnn_assistant.plan import (
    Download,
    InstallArchive,
    InstallPackage,
    RemoveArchive,
    RunInstaller,
    SetVariable,
    Step,
    kind_of,
    steps,
)
from cudnn_assistant.plan.kinds import KINDS

PRODUCT = Path(__file__).parent.parent / "cudnn_assistant"
NAMES = {kind.__name__ for kind in typing.get_args(Step)} | {"Step"}

ARCHIVE = InstallArchive(
    product="cuDNN",
    version="9.8.0.87",
    cuda_major=12,
    download=Download(url="https://example.invalid/it.zip", size=5, sha256="0" * 64),
    folder="/x/it",
    licence="https://example.invalid/LICENSE.txt",
)
ONE_OF_EACH: tuple[Step, ...] = (
    SetVariable(scope="machine", name="PATH", after=Value(text="/x/it/lib")),
    ARCHIVE,
    RemoveArchive(archive=ARCHIVE),
    InstallPackage(python="/venv/bin/python", requirements=("one==1",)),
    RunInstaller(name="NVIDIA driver", commands=("sudo apt-get install it",), restart=True),
)


def test_every_kind_has_its_row_in_both_halves() -> None:
    kinds = set(typing.get_args(Step))
    assert set(KINDS) == set(ACTIONS) == kinds == {type(step) for step in ONE_OF_EACH}


@pytest.mark.parametrize("step", ONE_OF_EACH, ids=lambda step: type(step).__name__)
@pytest.mark.parametrize("family", ["windows", "linux"])
def test_every_cell_answers(step: Step, family: Family) -> None:
    kind = kind_of(step)
    change = kind.show(step, Machine(os=OperatingSystem(family=family)), ())
    assert change.title
    assert change.administrator == kind.needs(step).administrator
    assert kind.commands(step, family)
    assert kind.what(step)
    assert kind.about(step)
    back = kind.undo(step, lambda _scope, _name: Value(text="/x/it/lib"), family)
    # What nothing takes back has a question of its own, which says how the person does.
    assert (back is None) == (kind.consent(step) is not None)
    assert actions_of(step) is ACTIONS[type(step)]


def _switches(tree: ast.AST) -> Iterator[ast.AST]:
    """Places that ask for the kind of a step: isinstance, type(…) is, a class pattern."""
    for node in ast.walk(tree):
        asked: list[ast.AST] = []
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
            asked = [node.args[1]]
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        elif isinstance(node, ast.Compare) and "type(" in ast.unparse(node.left):
            asked = list(node.comparators)
        named = {
            getattr(inner, "id", "") or getattr(inner, "attr", "")
            for one in asked
            for inner in ast.walk(one)
        }
        if named & NAMES:
            yield node


def test_nobody_else_asks_for_the_kind() -> None:
    assert not [
        f"{path.relative_to(PRODUCT)}:{getattr(node, 'lineno', '')}"
        for path in sorted(PRODUCT.rglob("*.py"))
        for node in _switches(ast.parse(path.read_text(encoding="utf-8")))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "isinstance(step, SetVariable | RunInstaller)",
        "isinstance(step, (int, plan.InstallArchive))",
        "type(step) is InstallPackage",
        "type(step) in (str, RemoveArchive)",
        "match step:\n    case RunInstaller(row=row): pass",
    ],
)
def test_a_switch_would_be_found(text: str) -> None:
    assert list(_switches(ast.parse(text)))


def test_steps_of_a_plan_are_what_journals_hold() -> None:
    """The tags stand in the journals of everybody who has changed something."""
    tags = {str(kind.__struct_config__.tag) for kind in typing.get_args(steps.Step)}
    assert tags == {
        "set-variable",
        "install-archive",
        "remove-archive",
        "install-package",
        "run-installer",
    }
