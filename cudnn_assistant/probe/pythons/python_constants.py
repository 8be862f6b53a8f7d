"""The constants that a Python file assigns, read with ``ast`` and never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_LONGEST = 1 << 16
"""Characters; version and build files are a few hundred. Also bounds what nesting can cost."""


def constants(text: str) -> dict[str, object]:
    """Names and the strings, numbers, ``None`` or lists of them that the text gives to them.

    Keys of dictionaries and of ``OrderedDict([(key, value), …])`` count as names too, which is how
    TensorFlow spells its build facts. Of several values for a name the last one wins. What is no
    Python, or is longer than a version file can be, has no constants; nothing is raised.
    """
    if len(text) > _LONGEST:
        return {}
    try:
        tree = ast.parse(text)
        return dict(pair for node in tree.body for pair in _pairs(node))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def _pairs(node: ast.stmt) -> Iterator[tuple[str, object]]:
    if isinstance(node, ast.ClassDef):
        for inner in node.body:
            yield from _pairs(inner)
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return
    yield from _entries(node.value)
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Name) and _plain(node.value):
            yield target.id, ast.literal_eval(node.value)


def _entries(value: ast.expr) -> Iterator[tuple[str, object]]:
    if isinstance(value, ast.Call) and value.args:
        value = value.args[0]
    if isinstance(value, ast.Dict):
        yield from _named(zip(value.keys, value.values, strict=True))
    if isinstance(value, ast.List | ast.Tuple):
        pairs = [item.elts for item in value.elts if isinstance(item, ast.Tuple)]
        yield from _named((pair[0], pair[1]) for pair in pairs if len(pair) == 2)


def _named(pairs: object) -> Iterator[tuple[str, object]]:
    for key, value in pairs:  # type: ignore[attr-defined]
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and _plain(value):
            yield key.value, ast.literal_eval(value)


def _plain(value: ast.expr) -> bool:
    if isinstance(value, ast.List | ast.Tuple):
        return all(isinstance(item, ast.Constant) for item in value.elts)
    return isinstance(value, ast.Constant)
