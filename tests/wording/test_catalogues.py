"""Every catalogue says everything, with the places of the English, and one word for one thing."""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Iterator
from functools import cache

import pytest

from cudnn_assistant import places
from cudnn_assistant.wording import LANGUAGES
from installer.translations import catalogue

pofile = pytest.importorskip("babel.messages.pofile")
TRANSLATED = sorted(LANGUAGES.keys() - {"en"})
GLOSSARY = tomllib.loads(places.resource("locale/glossary.toml").read_text(encoding="utf-8"))
NEVER = {
    # Spaces at which a line may break before a sign; another apostrophe.
    "fr": r"\S [:;»](?=\s|$)|\w [?!](?=\s|$)|« |’",
    # A second form of address, and second spellings of one term.
    "zh_CN": "您|计算机|帐户|驱动程序",
    "ja": r"(?:プロセッサ|コンパイラ)(?!ー)|デバイスマネージャー|他の|） |[ぁ-ん] （",
    "pt_BR": "on-line|datacenter",
    "es": r"\b(?:tú|tu|tus)\b|esta orden",
    "de": r"\b(?:[Dd]u|[Dd]eine?)\b|Home-Ordner|Maschinendaten",
}
MOST = 0.97
"""Of the sentences with a term that have the glossary's word; some need none in that language."""


@cache
def messages(name: str) -> dict[tuple[str | None, str], tuple[tuple[str, ...], tuple[str, ...]]]:
    """By context and text: the English forms and the translated ones."""
    path = places.resource(f"locale/{name}.po")
    with path.open("rb") as file:
        read = pofile.read_po(file, locale=name)
    found = {}
    for message in read:
        if message.id:
            ids = (message.id,) if isinstance(message.id, str) else message.id
            said = message.string
            found[(message.context, ids[0])] = (
                ids,
                (said,) if isinstance(said, str) else tuple(said),
            )
        assert not message.id or not message.fuzzy, message.id
    return found


def holes(text: str) -> set[str]:
    named = {name for _t, name, _s, _c in string.Formatter().parse(text) if name is not None}
    return named | set(re.findall(r"%\(\w+\)[srd]|%[srd]\b", text))


def pairs(name: str) -> Iterator[tuple[str, str]]:
    for ids, said in messages(name).values():
        yield from zip((ids * 2)[-len(said) :], said, strict=True)


@pytest.mark.parametrize("name", TRANSLATED)
def test_every_sentence_is_translated_and_none_is_left_over(name: str) -> None:
    ids = ((m.context, m.id if isinstance(m.id, str) else m.id[0]) for m in catalogue() if m.id)
    # What argparse says differs among the versions of Python, and has no context.
    asked = {one for one in ids if one[0]}
    known = {one for one in messages(name) if one[0]}
    assert asked - known == set()
    assert known - asked == set()
    assert not [ids[0] for ids, said in messages(name).values() if not all(said)]


@pytest.mark.parametrize("name", TRANSLATED)
def test_places_and_edges_are_those_of_the_english(name: str) -> None:
    for english, said in pairs(name):
        assert holes(said) - {"count"} == holes(english) - {"count"}, (english, said)
        if len(english) == 1:
            continue  # A mark within numbers, which may be a space.
        assert (said[:1].isspace(), said[-1:].isspace()) == (
            english[:1].isspace(), english[-1:].isspace(),
        ), said  # fmt: skip
        assert english.count("\n") == 0 or "\n" in said, said
        assert "&" not in said or "&" in english, said


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_button_keeps_a_letter_of_its_own(name: str) -> None:
    buttons = [(e, s) for e, s in pairs(name) if re.search(r"&\w", e)]
    assert buttons
    assert not [said for _english, said in buttons if len(re.findall(r"&\w", said)) != 1]


@pytest.mark.parametrize("name", TRANSLATED)
def test_one_word_stands_for_one_thing(name: str) -> None:
    for term, stems in GLOSSARY[name].items():
        word = re.compile(rf"\b{term}s?\b", re.IGNORECASE)
        plain = ((re.sub(r"\{[^}]*\}|“[^”]*”", "", english), said) for english, said in pairs(name))
        met = [said.lower() for english, said in plain if word.search(english)]
        held = [said for said in met if any(stem in said for stem in stems)]
        assert len(held) >= MOST * len(met), (term, set(met) - set(held))


@pytest.mark.parametrize("name", TRANSLATED)
def test_no_language_has_two_ways_of_writing_one_thing(name: str) -> None:
    never = re.compile(NEVER[name])
    assert not [said for _english, said in pairs(name) if never.search(said)]


@pytest.mark.parametrize("name", TRANSLATED)
def test_no_english_sentence_is_left(name: str) -> None:
    """Names, codes and lists of them may be the same in two languages; sentences aren't."""
    same = [said for english, said in pairs(name) if said == english and english.count(" ") > 3]
    assert not same
