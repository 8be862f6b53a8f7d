"""No pattern of the product takes long on any input: worst cases are made from the pattern itself.

Each repetition of a pattern is taken apart and pumped: what comes before it, then its own text
thousands of times, then something that can't follow.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from re import _parser as parser  # type: ignore[attr-defined]

import pytest

import cudnn_assistant
from cudnn_assistant.regex import LatePattern

LONG = 2_000
"""Characters of a worst case: a path and a line that explain reads have no more than twice that."""
OF_A_FILE = 1 << 15
"""And what is looked for in whole files, line by line: half of what is read of one."""
SECONDS = 0.25
"""Searched from every place, which most callers don't. What doubles its time with each doubling
takes half a second for the whole, and what quadruples it a second."""
ROOT = Path(cudnn_assistant.__file__).parent
WITHOUT = ("cudnn_assistant.gui",)
REPEATS = (parser.MAX_REPEAT, parser.MIN_REPEAT, parser.POSSESSIVE_REPEAT)


def patterns(module: str) -> dict[str, re.Pattern[str]]:
    """Every text pattern that a module holds, writes into a call of re, or may make of a text."""
    found: dict[str, re.Pattern[str]] = {}
    file = ROOT.parent.joinpath(*module.split(".")).with_suffix(".py")
    file = file if file.exists() else file.with_suffix("") / "__init__.py"
    for number, text in held(file):
        found[f"{module}:{number} text"] = re.compile(text, re.IGNORECASE)
    if module.startswith(WITHOUT) or not USES.search(file.read_text("utf-8")):
        return found
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as gone:
        if str(gone.name).startswith("cudnn_assistant"):
            raise
        return found  # What not everybody has installed.
    tables = {name: value for name, value in vars(loaded).items() if isinstance(value, dict)}
    rows = {f"{name} {row}": one for name, table in tables.items() for row, one in table.items()}
    for name, value in {**vars(loaded), **rows}.items():
        if isinstance(value, re.Pattern | LatePattern) and isinstance(value.pattern, str):
            found[f"{module}.{name}"] = re.compile(value.pattern, value.flags)
    for number, text, flags in written(file):
        found[f"{module}:{number}"] = re.compile(text, flags)
    return found


USES = re.compile(r"\b(re\.|regex\()")


def written(file: Path) -> Iterator[tuple[int, str, int]]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and re.fullmatch(r"re\.\w+|regex", ast.unparse(node.func))
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            flags = 0
            for given in ast.walk(node):
                if isinstance(given, ast.Attribute) and isinstance(given.value, ast.Name):
                    flag = getattr(re, given.attr, None)
                    flags |= flag if isinstance(flag, re.RegexFlag) else 0
            yield node.lineno, node.args[0].value, flags


def held(file: Path) -> Iterator[tuple[int, str]]:
    """Texts of a file that may become patterns: those of tables, and those put together."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    told = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    parts = {id(part) for one in ast.walk(tree) if isinstance(one, ast.JoinedStr)
             for part in ast.walk(one) if part is not one}  # fmt: skip
    for node in ast.walk(tree):
        if id(node) in told | parts:
            continue
        text = ""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            inside = (one.value if isinstance(one, ast.Constant) else "lib" for one in node.values)
            text = "".join(map(str, inside))
        if LIKE_A_PATTERN.search(text) and may_be_compiled(text):
            yield node.lineno, text


LIKE_A_PATTERN = re.compile(r"[\])}.a-z][+*]|\\[dwsDWS]|\(\?|\{\d*,\d*\}")


def may_be_compiled(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def sample(tree: object, more: int = 0) -> str:
    """A text that the pieces match, roughly; ``more``: what can repeat does it so often."""
    return "".join(piece(op, value, more) for op, value in tree)  # type: ignore[attr-defined]


def piece(op: object, value: object, more: int) -> str:
    if op is parser.LITERAL:
        return chr(value)
    if op is parser.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if op is parser.ANY:
        return "a"
    if op is parser.IN:
        return one_of(value)
    if op is parser.BRANCH:
        return sample(value[1][0], more)
    if op is parser.SUBPATTERN:
        return sample(value[3], more)
    if op in REPEATS:
        least, most, inner = value
        return sample(inner, more) * min(most, max(least, more, 1))
    if op is parser.ATOMIC_GROUP:
        return sample(value, more)
    return ""


CLASSES = {
    parser.CATEGORY_DIGIT: "1", parser.CATEGORY_NOT_DIGIT: "a", parser.CATEGORY_SPACE: " ",
    parser.CATEGORY_NOT_SPACE: "a", parser.CATEGORY_WORD: "a", parser.CATEGORY_NOT_WORD: "-",
}  # fmt: skip


def one_of(items: list[tuple[object, object]]) -> str:
    if items[0][0] is parser.NEGATE:
        made = re.compile(f"[{''.join(map(text_of, items))}]")
        return next(c for c in "a1 .-/=é" if made.match(c))
    op, value = items[0]
    if op is parser.LITERAL:
        return chr(value)  # type: ignore[arg-type]
    return chr(value[0]) if op is parser.RANGE else CLASSES[value]  # type: ignore[index]


def text_of(item: tuple[object, object]) -> str:
    op, value = item
    if op is parser.NEGATE:
        return "^"
    if op is parser.LITERAL:
        return re.escape(chr(value))  # type: ignore[arg-type]
    if op is parser.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"  # type: ignore[index]
    return {"1": r"\d", " ": r"\s", "-": r"\W"}.get(CLASSES[value], r"\w")


def pumps(tree: object, before: str = "") -> Iterator[tuple[str, str]]:
    """Prefix and repeated text of each repetition, also of those inside of others."""
    for op, value in tree:  # type: ignore[attr-defined]
        if op in REPEATS:
            _least, most, inner = value
            if most > 10:
                yield before, sample(inner)
                yield "", before + sample(inner)
            yield from pumps(inner, before)
        elif op is parser.BRANCH:
            for branch in value[1]:
                yield from pumps(branch, before)
        elif op is parser.SUBPATTERN:
            yield from pumps(value[3], before)
        elif op is parser.ATOMIC_GROUP:
            yield from pumps(value, before)
        before += piece(op, value, 0)


def worst_cases(pattern: re.Pattern[str]) -> set[str]:
    long = OF_A_FILE if pattern.flags & re.MULTILINE else LONG
    made = {"\n" * long, "\t" * long}
    for before, pumped in pumps(parser.parse(pattern.pattern, pattern.flags)):
        if pumped:
            body = pumped * (long // len(pumped))
            made.update(f"{before}{body}{end}" for end in ("", "\n\u2603", "!"))
    return made


def modules() -> list[str]:
    """By their files: packages that are not looked into need not be loaded for their names."""
    paths = (file.relative_to(ROOT.parent).with_suffix("") for file in sorted(ROOT.rglob("*.py")))
    names = (".".join(path.parts).removesuffix(".__init__") for path in paths)
    return [name for name in names if "__main__" not in name]


@pytest.mark.nightly
def test_the_patterns_are_found() -> None:
    found = {name: pattern for module in modules() for name, pattern in patterns(module).items()}
    texts = {pattern.pattern for pattern in found.values()}
    assert len(texts) > 400
    assert "cudnn_assistant.report.secrets._P credential" in found
    # One of a table, and one that is put together.
    assert {"tensorrt-cu(\\d+)", "lib(?:\\.\\d+)+"} <= texts


@pytest.mark.parametrize(
    "text",
    [
        r"CN=.*CN=.*CN=.*@",
        r"(?:a|aa)+x",
        r"(\w+\s?)*$",
        r"[^x]{0,300}y(z\w+)+=",
        r"(?m)^\s*#\s*define",
        r"(?m)^[^#\n]*a[^\n]*b[^\n]*c[^\n]*$",
    ],
)
def test_a_slow_pattern_is_seen(text: str) -> None:
    slow = re.compile(text)
    assert any(seconds(slow, case) > SECONDS for case in worst_cases(slow))


@pytest.mark.spread(2)
@pytest.mark.parametrize("module", modules())
def test_no_pattern_takes_long(module: str) -> None:
    for name, pattern in patterns(module).items():
        for case in worst_cases(pattern):
            # A busy computer makes one search slow; a slow pattern all of them.
            assert any(seconds(pattern, case) < SECONDS for _again in range(5)), (
                name, pattern.pattern, case[:60],
            )  # fmt: skip


def seconds(pattern: re.Pattern[str], text: str) -> float:
    """Processor time of a search, which is broken off where it takes too long."""
    began = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, 1.2 * SECONDS)
    with contextlib.suppress(TimeoutError):
        pattern.search(text)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - began


@pytest.fixture(autouse=True)
def broken_off() -> Iterator[None]:
    def too_long(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, too_long)
    yield
    signal.signal(signal.SIGVTALRM, before)
