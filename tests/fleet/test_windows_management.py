"""Scripts and templates for managed Windows: parsed here, run on hosted Windows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import needs
import pytest

from cudnn_assistant.causes import causes
from cudnn_assistant.cli.arguments import options
from cudnn_assistant.system import policy

WINDOWS = Path(__file__).parents[2] / "installer/fleet/windows"
SCRIPTS = sorted(WINDOWS.glob("*.ps1"))
SPACE = "{http://schemas.microsoft.com/GroupPolicy/2006/07/PolicyDefinitions}"
ADMX = ET.parse(WINDOWS / "policy/cudnn-assistant.admx").getroot()
ADML = ET.parse(WINDOWS / "policy/en-US/cudnn-assistant.adml").getroot()


def nodes(tree: Any) -> Iterator[Any]:
    yield tree
    for child in tree.children:
        yield from nodes(child)


@needs.modules("tree_sitter", "tree_sitter_powershell")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_powershell(script: Path) -> None:
    import tree_sitter
    import tree_sitter_powershell

    language = tree_sitter.Language(tree_sitter_powershell.language())
    content = script.read_bytes()
    content.decode("ascii")  # Windows PowerShell 5.1 reads what has no mark as the ANSI code page.
    tree = tree_sitter.Parser(language).parse(content).root_node
    wrong = [(n.start_point, n.text) for n in nodes(tree) if n.is_error or n.is_missing]
    assert not wrong
    assert tree_sitter.Parser(language).parse(content + b"}").root_node.has_error


def words_of(script: Path) -> list[str]:
    """The words with which the program is started."""
    (told,) = re.findall(r"^\$words = @\((.*)\) \+ \$Only$", script.read_text(), re.MULTILINE)
    words = re.findall(r"'([^']*)'", told)
    return words[words.index("fix") :]


def only_of(script: Path) -> list[str]:
    (told,) = re.findall(r"\[string\[\]\] \$Only = @\((.*)\),", script.read_text())
    return re.findall(r"'([^']*)'", told)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_script_asks_what_the_command_line_understands(script: Path) -> None:
    chosen = options([*words_of(script), *only_of(script)])
    assert (chosen.command, chosen.yes, chosen.offline) == ("fix", True, True)
    assert list(chosen.only) == only_of(script)
    assert set(chosen.only) <= {cause.name for cause in causes()}
    assert chosen.dry_run is script.name.startswith("Detect"), "a detection changes nothing"
    assert chosen.json is chosen.dry_run


def test_both_scripts_are_about_the_same_causes() -> None:
    one, other = SCRIPTS
    assert only_of(one) == only_of(other)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_way_out_is_one_that_intune_knows(script: Path) -> None:
    code = re.sub(r"^\s*#.*$", "", script.read_text(), flags=re.MULTILINE)
    assert set(re.findall(r"\bexit (\S+)", code)) <= {"0", "1"}
    assert code.rstrip().endswith(("exit 0", "}"))


NAMES = {
    one.encode_name.replace("-", ""): one.type
    for one in msgspec.structs.fields(policy.Policy)
    if one.name != "place"
}
"""What the registry's values are called, in small letters, and what they say."""


def test_each_policy_of_the_template_is_one_that_there_is() -> None:
    named = {one.get("valueName") for one in ADMX.iter() if one.get("valueName")}
    assert {str(name).lower() for name in named} == set(NAMES)
    keys = {one.get("key") for one in ADMX.iter(f"{SPACE}policy")}
    assert keys == {policy.WINDOWS}
    assert {one.get("class") for one in ADMX.iter(f"{SPACE}policy")} == {"Machine"}


def test_the_kinds_of_values_are_those_that_the_program_reads() -> None:
    kinds = {
        one.get("valueName"): one.tag.removeprefix(SPACE)
        for one in ADMX.iter()
        if one.get("valueName")
    }
    flags = {name for name, kind in kinds.items() if kind == "policy"}
    assert {str(name).lower() for name in flags} == {
        name for name, kind in NAMES.items() if kind is bool
    }
    assert (kinds["Archives"], kinds["Allow"], kinds["Spread"]) == ("text", "multiText", "decimal")


def test_every_text_of_the_template_is_there() -> None:
    asked = set(re.findall(r"\$\((\w+\.\w+)\)", ET.tostring(ADMX, encoding="unicode")))
    there = {f"string.{one.get('id')}" for one in ADML.iter(f"{SPACE}string")}
    shown = list(ADML.iter(f"{SPACE}presentation"))
    there |= {f"presentation.{one.get('id')}" for one in shown}
    assert asked == there
    elements = {one.get("id") for one in ADMX.iter() if one.get("id")}
    assert {box.get("refId") for one in shown for box in one} == elements
