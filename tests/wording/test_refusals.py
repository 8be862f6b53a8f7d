"""Each code that something in the way carries has its sentence, and the facts that it names."""

from __future__ import annotations

import ast
import errno
import os
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from cudnn_assistant.cli.looking import unreadable
from cudnn_assistant.trouble import Misuse, Refused
from cudnn_assistant.wording import LANGUAGES, choose, sentences
from cudnn_assistant.wording.refusals import why

PRODUCT = Path(__file__).parents[2] / "cudnn_assistant"
CARRIERS = {"Refused", "NotApplied", "Misuse"}


def raised() -> Iterator[tuple[str, str, set[str]]]:
    """Place, code and facts of each one whose code is written out."""
    for path in sorted(PRODUCT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CARRIERS:
                code = node.args[0] if node.args else None
                if isinstance(code, ast.Constant):
                    facts = {word.arg for word in node.keywords if word.arg}
                    yield f"{path.name}:{node.lineno}", str(code.value), facts


def test_a_code_has_a_row_whose_places_are_known() -> None:
    found = list(raised())
    assert len(found) > 100
    for place, code, facts in found:
        row = sentences.rows("refusals")[code]
        assert isinstance(row, str), place
        asked = {name for _text, name, *_rest in string.Formatter().parse(row) if name}
        # Our own command is filled in wherever it is named.
        assert asked - {"cudnn-assistant"} <= facts, place


def test_what_the_sentence_names_is_said_in_words_as_well() -> None:
    inner = Refused("disk-full", free="1", needed="2")
    denied = PermissionError(13, "no", "/etc/x")
    both = Refused("not-taken-back", first=inner, second=denied)
    assert why(both) == (
        "The disk has 1 MB left; 2 MB are needed. Taking back the steps before it was not "
        "possible: /etc/x: you have no permission for that."
    )
    assert why(Misuse("no-folder", path="/x{y}")) == "There is no folder /x{y}."
    assert str(inner) == "disk-full free=1 needed=2"


@pytest.mark.parametrize("kind", [FileNotFoundError, PermissionError])
def test_why_a_file_cannot_be_read_is_said_in_the_language(kind: type[OSError]) -> None:
    number = {FileNotFoundError: errno.ENOENT, PermissionError: errno.EACCES}[kind]
    trouble = unreadable("/x", kind(number, os.strerror(number), "/x"))
    english = why(trouble)
    assert english.startswith("/x can't be read: ")
    assert english.endswith(
        (" there is no such file or folder.", " you have no permission for that.")
    )
    try:
        for language in LANGUAGES.keys() - {"en"}:
            choose([language])
            assert os.strerror(number) not in why(trouble)
            assert not re.search(r"[.。]{2}|。）", why(trouble)), language
    finally:
        choose([])
