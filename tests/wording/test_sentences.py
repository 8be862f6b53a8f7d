"""The sentences in ``resources/words`` and the places that say them belong together."""

from __future__ import annotations

import ast
import gettext
import io
import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from plain_words import FORBIDDEN

import cudnn_assistant
from cudnn_assistant import wording
from cudnn_assistant.causes import Cause, causes
from cudnn_assistant.explain.causes import general
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.patterns import patterns
from cudnn_assistant.wording import language, refusal, say, sentences

PRODUCT = Path(cudnn_assistant.__file__).parent
ROWS = {f"{f}.{n}": row for f in sentences.files() for n, row in sentences.rows(f).items()}
TRANSLATES = {"say", "refusal", "pgettext", "npgettext"}


def forms(row: sentences.Row) -> tuple[str, ...]:
    return (row,) if isinstance(row, str) else (row.one, row.other)


def holes(text: str) -> set[str]:
    return {name for _t, name, _s, _c in string.Formatter().parse(text) if name is not None}


@cache
def trees() -> Mapping[str, ast.Module]:
    return {
        str(path.relative_to(PRODUCT)): ast.parse(path.read_text(encoding="utf-8"))
        for path in PRODUCT.rglob("*.py")
    }


def called(node: ast.AST) -> str:
    """The name of the function that a node calls."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


def sayings() -> Iterator[tuple[str, ast.Call]]:
    """Each call of ``say``, ``refusal`` and ``told`` where they are wording's, and its file."""
    for file, tree in trees().items():
        nodes = list(ast.walk(tree))
        froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
        sayers = ("cudnn_assistant.wording", "cudnn_assistant.report.document")
        wordings = [node for node in froms if str(node.module).startswith(sayers)]
        names = [alias for node in wordings for alias in node.names]
        ours = {alias.asname or alias.name for alias in names if alias.name in {"say", "refusal"}}
        ours |= {"say"} if file.endswith("sentences.py") else set()
        ours |= {"told"} if file.startswith("explain") else set()
        for node in nodes:
            if isinstance(node, ast.Call) and called(node) in ours and node.args:
                yield file, node


def calls() -> Iterator[tuple[str, str, ast.Call]]:
    """Each of them with a literal key: place, key, call."""
    for file, node in sayings():
        for key in node.args[:1]:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield f"{file}:{node.lineno}", row_of(called(node), key.value), node


def row_of(call: str, key: str) -> str:
    if call == "told":
        return f"explain.fact-{key.replace(':', '-')}"
    return f"refusals.{key}" if call == "refusal" else key


def strings() -> Iterator[str]:
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def families() -> Iterator[str]:
    """Beginnings of keys whose end is known only at run time: ``say(f"stages.{name}")``."""
    for _file, node in sayings():
        first = node.args[0]
        if isinstance(first, ast.JoinedStr) and isinstance(first.values[0], ast.Constant):
            yield str(first.values[0].value)


def test_every_key_that_is_said_has_a_row() -> None:
    assert not [(where, key) for where, key, _call in calls() if key not in ROWS]


def test_every_row_is_said_somewhere() -> None:
    written = {*strings(), *(key for _where, key, call in calls() if called(call) == "told")}
    begun = tuple(set(families()) - {"refusals.", "explain.fact-"})
    idle = [
        key
        for key in ROWS
        if key not in written and key.removeprefix("refusals.") not in written
        if not key.startswith(begun)
    ]
    assert not idle


def test_the_places_of_each_row_are_the_facts_that_it_is_given() -> None:
    for where, key, call in calls():
        given = {word.arg for word in call.keywords}
        # The command that starts us is known to say itself.
        asked = set().union(*map(holes, forms(ROWS[key]))) - {"cudnn-assistant"}
        plural = set() if isinstance(ROWS[key], str) else {"count"}
        # With ``**facts`` it is for the tests of that place to say which facts there are.
        assert given == asked | plural or None in given, (where, key)


def test_both_forms_of_a_plural_have_the_same_places() -> None:
    for key, row in ROWS.items():
        one, *other = map(holes, forms(row))
        assert all(one - {"count"} == more - {"count"} for more in other), key


@pytest.mark.parametrize("file", sentences.files())
def test_each_sentence_is_plain(file: str) -> None:
    for key, row in sentences.rows(file).items():
        for text in forms(row):
            assert text.strip() == text, key
            assert text, key
            assert not FORBIDDEN.search(text), key
            assert "!" not in text, key
            assert "  " not in text, key
            assert not re.search(r"\{\d*\}", text), f"{key}: a place has a name"
            if re.search(r"(^|[.-])title$", key):
                assert len(text.split()) <= 8, key


def test_no_sentence_stands_in_the_code() -> None:
    """gettext's own calls would hold their text; pgettext is for text out of a table."""
    beside = [
        (file, node.lineno)
        for file, tree in trees().items()
        for node in ast.walk(tree)
        if called(node) in {"_", "N_", "gettext", "ngettext"}
        or (called(node) in {"pgettext", "npgettext"} and literal(node))
        if Path(file) != Path("wording/language.py")
    ]
    assert not beside


def literal(call: ast.AST) -> bool:
    """Whether the text to be translated stands in the call itself."""
    return isinstance(call, ast.Call) and any(
        isinstance(given, ast.Constant | ast.JoinedStr) for given in call.args[1:]
    )


def test_nothing_is_translated_before_it_is_used() -> None:
    """A language can be chosen while we run: no module or class body holds translated text."""
    early = [
        (file, node.lineno)
        for file, tree in trees().items()
        for body in at_import(tree)
        for node in ast.walk(body)
        if called(node) in TRANSLATES
    ]
    assert not early


def at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """What runs when a module is read: everything but the bodies of its functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from (*node.decorator_list, *node.args.defaults)
            yield from filter(None, node.args.kw_defaults)
        elif isinstance(node, ast.ClassDef | ast.If | ast.Try):
            yield from at_import(node)
        elif not isinstance(node, ast.Lambda):
            yield node


class Upper(gettext.NullTranslations):
    def pgettext(self, context: str, message: str) -> str:
        return f"{context}|{message.upper().replace('{NAME}', '{name}')}"

    def npgettext(self, context: str, msgid1: str, msgid2: str, n: int) -> str:
        return f"{context}|{n}"


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A folder of words of the test's own."""
    (tmp_path / "words").mkdir()
    (tmp_path / "words/test.toml").write_text(
        'hello = "Hello {name}"\nmade = { one = "{count} change in {name}", other = "{count}" }\n'
    )
    (tmp_path / "words/refusals.toml").write_text('locked = "{name} is in use."\n')
    monkeypatch.setattr(sentences.places, "resource", lambda name: tmp_path / name)
    sentences.rows.cache_clear()
    wording.choose([])
    yield
    sentences.rows.cache_clear()
    wording.choose([])


@pytest.mark.usefixtures("rows")
def test_a_sentence_is_filled_and_its_facts_stay_as_they_are() -> None:
    assert say("test.hello", name="C:\\{0}\\{x}") == "Hello C:\\{0}\\{x}"
    assert say("test.made", count=1, name="PATH") == "1 change in PATH"
    assert say("test.made", count=3, name="PATH") == "3"
    assert refusal("locked", name="PATH") == "PATH is in use."


@pytest.mark.usefixtures("rows")
def test_another_language_is_spoken_from_the_next_sentence_on() -> None:
    assert say("test.hello", name="a") == "Hello a"
    language._current = Upper()
    assert say("test.hello", name="a") == "test.hello|HELLO a"
    assert say("test.made", count=2, name="a") == "test.made|2"


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("key", ["test.unknown", "nothing.hello", "hello"])
def test_a_key_without_a_row_is_a_bug(key: str) -> None:
    with pytest.raises(KeyError):
        say(key)


def test_translators_get_every_sentence_once_under_its_key() -> None:
    pofile = pytest.importorskip("babel.messages.pofile")
    from installer.translations import catalogue

    written = io.BytesIO()
    pofile.write_po(written, catalogue())
    read = pofile.read_po(io.BytesIO(written.getvalue()))
    found = Counter((m.context, m.id) for m in read if m.context)
    assert set(found.values()) == {1}
    assert set(found) == {
        *(
            (key, row if isinstance(row, str) else (row.one, row.other))
            for key, row in ROWS.items()
        ),
        *((row.name, text) for row in causes() for text in sentences_of(row)),
        *(("explain", pattern.means) for pattern in patterns()),
        *(("explain", rule.because) for rule in rules().rule if rule.because),
    }


def sentences_of(row: Cause) -> Iterator[str]:
    for text in (row.text(), *(row.text(form) for form in row.form)):
        yield from filter(None, (*text.title, *text.why, *text.fix, *text.undo, text.way_out))
    yield from filter(None, [row.confirm])


@pytest.mark.parametrize("context", ["stages.load", "gpu-lost"])
def test_a_translation_is_found_where_the_sentence_is_said(context: str, tmp_path: Path) -> None:
    """A catalogue as a translator makes it, read back by gettext."""
    catalog = pytest.importorskip("babel.messages.catalog").Catalog(locale="de")
    mofile = pytest.importorskip("babel.messages.mofile")
    text = (
        "loading cuDNN"
        if context == "stages.load"
        else "The GPU lost its connection to the computer"
    )
    catalog.add(text, "übersetzt", context=context)
    with (tmp_path / "de.mo").open("wb") as file:
        mofile.write_mo(file, catalog)
    with (tmp_path / "de.mo").open("rb") as file:
        language._current = gettext.GNUTranslations(file)
    try:
        assert (say("stages.load") == "übersetzt") == (context == "stages.load")
        assert (general("gpu-lost")[0] == "übersetzt") == (context == "gpu-lost")
    finally:
        wording.choose([])
