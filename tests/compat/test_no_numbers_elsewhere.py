"""Numbers about GPUs, drivers, CUDA, cuDNN and frameworks stand in the compatibility data alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import cudnn_assistant

HOME = Path(cudnn_assistant.__file__).parent
_DOTTED = re.compile(r"[<>=~]{0,2}\d{1,3}(\.\d+){1,3}")
_MAJORS = range(7, 15)
_BRANCHES = range(300, 700)
_DRIVER = re.compile(r"[3-6]\d\d(\.\d{1,3}){0,2}")
_NAMED = re.compile(r"(?i)major|cuda|cudnn|compute|capabil|branch|version|numbers|\bsm\b")

ALLOWED = {
    # What a file or a function is called in a major, and how its statuses are numbered, is the
    # library's own interface: the code that calls it is written for that interface.
    "child/": "a child calls functions of cuDNN that differ from major to major",
    "codes.py": "cuDNN 9 numbered its statuses anew",
    "probe/libraries/copy_files.py": "cuDNN 9 searches its parts by other names than 8",
    "probe/pythons/framework_files.py": "which file of a release tells what it is built for",
    # One release's own fault, which no table of releases holds.
    "diagnose/copies/wrong_copy.py: numbers(trial.version)[:2] != (9, 20)":
        "a fault of cuDNN 9.20 alone",
    "diagnose/programs/framework_builds.py: numbers(framework.version)[:2] == (2, 16)":
        "a fault of TensorFlow 2.16 alone",
    "explain/features.py: have >= (11, 1)": "the file name libcusolver.so.10 went with CUDA 11.1",
    "explain/features.py: _TF_LOADS_LATER = (2, 1)": "how TensorFlow loads, not what it needs",
    "explain/features.py: f.python >= (3, 8)": "a rule of Python's, not of GPUs",
    # What an installer holds is a fact about that installer; which GPUs it is for, compat says.
    "plan/installer_table.py: DRIVER = ": "the files whose addresses stand in the table",
}  # fmt: skip
"""Folder, file or "file: expression" → why a number may stand there."""


def _number(node: ast.expr, other: str) -> bool:
    """Whether a compared value is a version: a tuple, a dotted text, a capability, a major."""
    if isinstance(node, ast.Tuple):
        return bool(_NAMED.search(other) or " in (" not in other) and _is_version(node)
    if not isinstance(node, ast.Constant):
        return False
    value = node.value
    if isinstance(value, str):
        return bool(_DOTTED.fullmatch(value)) and value.count(".") < 3
    if isinstance(value, float):
        return bool(_NAMED.search(other))
    return type(value) is int and value in (*_MAJORS, *_BRANCHES) and bool(_NAMED.search(other))


def _is_version(node: ast.Tuple) -> bool:
    """Whether a tuple holds the numbers of a version, or majors: not statuses, which are large."""
    values = [e.value if isinstance(e, ast.Constant) else None for e in node.elts]
    return all(type(value) is int and value < 100 for value in values) and any(values)


def _compared(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            text = ast.unparse(node)
            if any(_number(side, text) for side in sides):
                yield text
    yield from _constants(tree)
    yield from _given(tree)


def _given(tree: ast.Module) -> Iterator[str]:
    """Numbers of GPUs and drivers given by keyword, as a default or as a constant."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg and _of_gpus(node.value):
            yield ast.unparse(node)
    for node in (*tree.body, *(one for row in tree.body for one in getattr(row, "body", ()))):
        match node:
            case ast.Assign([ast.Name()], value) | ast.AnnAssign(value=ast.expr() as value):
                if _of_gpus(value):
                    yield ast.unparse(node)


def _of_gpus(node: ast.expr) -> bool:
    """Whether a value is a driver's number, or one or several compute capabilities."""
    if isinstance(node, ast.Tuple):
        return _is_capability(node) or (bool(node.elts) and all(map(_of_gpus, node.elts)))
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and bool(_DRIVER.fullmatch(text))


def _is_capability(node: ast.Tuple) -> bool:
    values = [e.value if isinstance(e, ast.Constant) else None for e in node.elts]
    match values:
        case [int() as first, int() as second]:
            return 0 < first < 100 and 0 <= second < 10 and first != second
    return False


def _constants(tree: ast.Module) -> Iterator[str]:
    """Constants of a module that hold a version and are compared with something."""
    compared = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
    exact = [node for node in compared if not isinstance(node.ops[0], ast.In | ast.NotIn)]
    names = {one.id for node in exact for one in ast.walk(node) if isinstance(one, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            known = isinstance(node.targets[0], ast.Name) and node.targets[0].id in names
            if known and _is_version(node.value):
                yield ast.unparse(node)


def _found() -> Iterator[str]:
    for path in sorted(HOME.rglob("*.py")):
        name = path.relative_to(HOME).as_posix()
        if not name.startswith("compat/"):
            for text in _compared(ast.parse(path.read_text(encoding="utf-8"))):
                yield f"{name}: {text}"


def test_no_version_is_compared_outside_the_compatibility_data() -> None:
    assert [one for one in _found() if not one.startswith(tuple(ALLOWED))] == []


def test_every_exception_is_needed() -> None:
    found = list(_found())
    assert [one for one in ALLOWED if not any(text.startswith(one) for text in found)] == []


def test_what_the_test_finds() -> None:
    lines = (
        "numbers(v) >= (9, 11)", "copy.major < 9", "f.compute >= 7.5", "branch >= 580",
        "gpu.compute == '8.6'", "need.cuda in (11, 12)", "cuda[0] >= 11", "X = 8, 3; v > X",
        "row(oldest=(7, 5))", "DRIVER = '580.88'", "KNOWN = (5, 0), (12, 0)",
        "class Row:\n    below: tuple[int, int] = (99, 0)",
    )  # fmt: skip
    assert all(list(_compared(ast.parse(line))) for line in lines)
    assert not list(_compared(ast.parse("len(row) > 8; x in (1, 2); now - last > 0.1")))
