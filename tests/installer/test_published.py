"""What is published beside the packages keeps the rules of those who read it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import needs
import pytest
import test_wine
import yaml

from cudnn_assistant import __version__
from installer.windows import build, sbom, sentences, winget

SCHEMAS = Path(__file__).parent / "winget"
SETUP = build.name(__version__, release=True)


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("winget")
    winget.write(folder, __version__, SETUP, "ab" * 32, "https://example.org/it")
    read = [yaml.safe_load(file.read_text("utf-8")) for file in folder.glob("*.yaml")]
    return {one["ManifestType"]: one for one in read}


def complaints(kind: str, manifest: object) -> list[str]:
    # Late, because it takes seconds, and not each of the tests' processes needs it.
    from jsonschema import Draft7Validator, Draft202012Validator

    schema = json.loads((SCHEMAS / f"{kind}.json").read_text("utf-8"))
    validator = Draft7Validator if "draft-07" in schema["$schema"] else Draft202012Validator
    # A name that the schema doesn't know would be passed over in silence.
    schema["additionalProperties"] = False
    return [error.message for error in validator(schema).iter_errors(manifest)]


@pytest.mark.parametrize("kind", ["version", "defaultLocale", "installer"])
def test_winget_reads_the_manifests(kind: str, manifests: dict[str, dict[str, object]]) -> None:
    assert complaints(kind, manifests[kind]) == []
    assert complaints(kind, {**manifests[kind], "Other": 1})
    assert complaints(kind, {**manifests[kind], "PackageVersion": "1/2"})


def test_the_manifest_names_the_very_file_and_setups_codes(
    manifests: dict[str, dict[str, object]],
) -> None:
    text = json.dumps(manifests["installer"])
    assert f"/v{__version__}/{SETUP}" in text
    assert "AB" * 32 in text
    said = (build.HERE / "setup.nsi").read_text("utf-8").partition("Unicode true")[0]
    codes = re.findall(r'"InstallerReturnCode": (\d+)', text)
    assert codes
    assert all(f"{code} " in said for code in codes)


def test_the_bill_of_materials_is_cyclonedx(tmp_path: Path) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    info = tmp_path / "lib" / "some_thing-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: Some_Thing\nVersion: 1.2\nLicense: MIT\n\n")
    target = tmp_path / "sbom.json"
    hashes = {"cpython": "0" * 64}
    sbom.write(target, "1.0", info.parent, {"cpython": "3.13.1"}, {"some_thing"}, hashes)
    validator = JsonStrictValidator(SchemaVersion.V1_5)
    text = target.read_text("utf-8")
    assert validator.validate_str(text) is None
    assert validator.validate_str(text.replace('"library"', '"book"')) is not None


# Hosted computers -----------------------------------------------------------------------------


def hosted() -> Iterator[dict[str, Any]]:
    """Every step of every workflow."""
    for file in (build.ROOT / ".github" / "workflows").iterdir():
        for job in yaml.safe_load(file.read_text("utf-8"))["jobs"].values():
            yield from job["steps"]


def test_hosted_computers_take_pinned_actions() -> None:
    actions = [step["uses"] for step in hosted() if "uses" in step]
    assert len(actions) > 5
    assert [name for name in actions if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name)] == []


def test_hosted_windows_takes_checks_that_are_run_here() -> None:
    (script,) = [step["run"] for step in hosted() if "inside.py" in step.get("run", "")]
    chosen = re.findall(r"'(\w+)'", script)
    assert len(chosen) == 5
    assert set(chosen) <= set(test_wine.CHECKS)


@pytest.mark.nightly
def test_the_stubs_of_hosted_windows_are_made_by_the_very_step(tmp_path: Path) -> None:
    needs.require("x86_64-w64-mingw32-gcc")
    (step,) = [step for step in hosted() if "planted.stubs" in step.get("run", "")]
    (tmp_path / "tests").symlink_to(build.ROOT / "tests")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    surroundings = {"PATH": os.environ["PATH"], **step["env"]}
    subprocess.run(step["run"], shell=True, check=True, cwd=tmp_path, env=surroundings)
    assert (tmp_path / "stubs" / "cudnn" / "cudnn64_9.dll").stat().st_size > 1000


# Setup's sentences ---------------------------------------------------------------------------


FACTS = {"product": "P", "version": "1", "mb": "2", "room": "3"}


def holes() -> Iterator[tuple[str, str, set[str]]]:
    for name, texts in sentences.table().items():
        for code, text in texts.items():
            marks = {*sentences._RUNTIME.findall(text), *(f for f in FACTS if f"{{{f}}}" in text)}
            yield name, code, marks | ({"&"} if "&" in text else set())


def test_every_language_says_every_sentence_with_the_same_facts() -> None:
    english = {name: marks for name, code, marks in holes() if code == "en"}
    for name, texts in sentences.table().items():
        assert list(texts) == list(sentences.LANGUAGES), name
    different = [(name, code) for name, code, marks in holes() if marks != english[name]]
    assert different == []


def test_every_sentence_is_said_and_every_one_that_is_said_is_there() -> None:
    script = (build.HERE / "setup.nsi").read_text("utf-8")
    names = set(sentences.table())
    assert {name for name in names if f"$({name})" not in script} == set()
    for language in sentences.LANGUAGES.values():
        assert f"!insertmacro MUI_LANGUAGE {language}\n" in script


@pytest.mark.parametrize("code", sentences.LANGUAGES)
def test_buttons_are_named_as_they_are(code: str) -> None:
    """The window's and Setup's own, in the language that Windows shows both in."""
    catalogue = next((build.ROOT / "resources" / "locale").glob(f"{code}*.po"), None)
    undo = "&Undo…"
    if catalogue:
        from babel.messages.pofile import read_po

        with catalogue.open("rb") as file:
            undo = str(read_po(file).get(undo, "gui.undo-open-button").string)
    said = {name: texts[code] for name, texts in sentences.table().items()}
    for sentence, button in (("UNDO_FIRST", undo), ("NO_PERMISSION", said["ONLY_ME"])):
        assert re.sub(r"\(&.\)|&", "", button) in said[sentence]


def test_sentences_are_quoted_for_nsis(monkeypatch: pytest.MonkeyPatch) -> None:
    row = dict.fromkeys(sentences.LANGUAGES, 'a "b"\n{version} $INSTDIR')
    monkeypatch.setattr(sentences, "table", lambda: {"X": row})
    lines = sentences.script({"version": "9"}).splitlines()
    assert lines[0] == 'LangString X ${LANG_ENGLISH} "a $\\"b$\\"$\\r$\\n9 $INSTDIR"'
    monkeypatch.setattr(sentences, "table", lambda: {"X": dict.fromkeys(row, "5 $ each")})
    with pytest.raises(AssertionError):
        sentences.script({})
