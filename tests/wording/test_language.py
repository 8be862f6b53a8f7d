"""Which language is spoken, how it writes numbers, and how a catalogue becomes part of a build."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from machines.computers import golden, thought

from cudnn_assistant import places, wording
from cudnn_assistant.cli.arguments import parser
from cudnn_assistant.plan import preview
from cudnn_assistant.plan.overview import demanded
from cudnn_assistant.wording import day, language, number, percent, say
from cudnn_assistant.wording.numbers import sized


@pytest.fixture(autouse=True)
def _english_afterwards() -> Iterator[None]:
    yield
    wording.choose([])


@pytest.fixture
def catalogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for catalogues of the test's own; all other resources are the program's."""
    real = places.resource
    monkeypatch.setattr(
        places, "resource", lambda name: tmp_path if name == "locale" else real(name)
    )
    return tmp_path


def write(folder: Path, name: str, messages: dict[tuple[str | None, str], str]) -> None:
    """A catalogue as translators leave it, compiled as the build does."""
    catalog = pytest.importorskip("babel.messages.catalog").Catalog(locale=name, fuzzy=False)
    pofile = pytest.importorskip("babel.messages.pofile")
    for (context, text), said in messages.items():
        catalog.add(text, said, context=context)
    path = folder / f"{name}.po"
    with path.open("wb") as file:
        pofile.write_po(file, catalog)
    from installer.compile_locale import compile_all

    compile_all(folder)


@pytest.mark.parametrize(
    ("wanted", "spoken"),
    [
        ("de", "de"), ("de_AT.UTF-8", "de"), ("de-CH", "de"), ("pt", "pt_BR"), ("pt_PT", "pt_BR"),
        ("zh_CN.GB18030", "zh_CN"), ("zh_SG", "zh_CN"), ("zh_TW", "en"), ("sr_RS@latin", "en"),
        ("C", "en"), ("en_GB.UTF-8", "en"), ("", "en"), ("xx", "en"),
    ],
)  # fmt: skip
def test_a_setting_of_the_system_picks_the_nearest_language(
    catalogues: Path, wanted: str, spoken: str
) -> None:
    for name in language.LANGUAGES.keys() - {"en"}:
        write(catalogues, name, {("stages.load", "loading cuDNN"): name})
    language.choose([wanted])
    assert language.spoken() == spoken
    assert say("stages.load") == ("loading cuDNN" if spoken == "en" else spoken)


def test_the_first_known_language_of_the_environment_is_spoken(
    catalogues: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(catalogues, "fr", {("stages.load", "loading cuDNN"): "chargement de cuDNN"})
    monkeypatch.setenv("LANGUAGE", "tlh:fr:en")
    language.choose()
    assert say("stages.load") == "chargement de cuDNN"
    monkeypatch.setenv("LANGUAGE", "en_US:fr")
    language.choose()
    assert say("stages.load") == "loading cuDNN"


def test_a_sentence_that_is_not_translated_yet_is_said_in_english(catalogues: Path) -> None:
    write(catalogues, "es", {("stages.load", "loading cuDNN"): ""})
    language.choose(["es"])
    assert say("stages.load") == "loading cuDNN"


def test_numbers_have_the_marks_of_the_language(catalogues: Path) -> None:
    assert number(1234567.891, 2) == "1,234,567.89"
    write(catalogues, "de", {("numbers.group", ","): ".", ("numbers.point", "."): ","})
    language.choose(["de"])
    assert number(1234567.891, 2) == "1.234.567,89"
    assert number(999) == "999"
    assert wording.refusal("disk-full", free=12345, needed=1) != ""


@pytest.mark.parametrize(
    ("spoken", "told"),
    [
        ("en", ("2026-11-20", "57%", "a: 90 MB / 12.0 GB", "1.2.3 GB")),
        ("de", ("20.11.2026", "57\xa0%", "a: 90 MB / 12,0 GB", "1.2.3 GB")),
        ("ja", ("2026/11/20", "57%", "a: 90 MB / 12.0 GB", "1.2.3 GB")),
    ],
)
def test_days_shares_and_sizes_are_those_of_the_language(
    spoken: str, told: tuple[str, ...]
) -> None:
    language.choose([spoken])
    sizes = [sized(text) for text in ("a: 90 MB / 12.0 GB", "1.2.3 GB")]
    assert (day("2026-11-20"), percent(0.571), *sizes) == told
    assert day("yesterday") == "yesterday"


@pytest.mark.parametrize("name", ["windows-gpu-memory-taken", "windows-cudnn-missing"])
def test_no_number_of_a_problem_or_a_plan_has_the_marks_of_english(name: str) -> None:
    language.choose(["de"])
    known, computer = thought(name), golden(name)
    told = [text for one in known.findings for text in wording.words(one, computer).details]
    told += [str(change) for change in preview(known.plan, computer)]
    told += demanded(known.plan, computer)
    assert [text for text in told if re.search(r"\d (MB|GB|s)\b", text)]
    assert not [
        text for text in told if re.search(r"(?<![\d.])\d+[.]\d (GB|s)\b|\d,\d{3} MB", text)
    ]


def test_what_the_library_of_the_command_line_says_is_translated_too(
    catalogues: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(catalogues, "de", {(None, "unrecognized arguments: %s"): "unbekannt: %s"})
    language.choose(["de"])
    with pytest.raises(SystemExit):
        parser().parse_args(["check", "--nonsense"])
    assert "unbekannt: --nonsense" in capsys.readouterr().err
