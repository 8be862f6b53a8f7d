"""What a Linux desktop is told about the program agrees with the program."""

from __future__ import annotations

import configparser
import tomllib
from pathlib import Path
from xml.etree import ElementTree

from cudnn_assistant.places import resource

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]


def entry() -> configparser.SectionProxy:
    file = configparser.ConfigParser(interpolation=None)
    file.optionxform = str  # type: ignore[assignment]
    file.read(resource("desktop/cudnn-assistant.desktop"), encoding="utf-8")
    return file["Desktop Entry"]


def test_desktop_entry_starts_the_window() -> None:
    program, file = entry()["Exec"].split()
    assert program in PROJECT["gui-scripts"]
    assert file == "%f", "a report is opened from the file manager"
    assert entry()["MimeType"] == "text/markdown;"
    assert entry()["Type"] == "Application"
    assert entry()["Terminal"] == "false"


def test_metainfo_names_what_is_installed() -> None:
    root = ElementTree.parse(
        resource("desktop/io.github.cudnn_assistant.cudnn_assistant.metainfo.xml")
    ).getroot()
    binaries = {node.text for node in root.findall("provides/binary")}
    assert binaries == {*PROJECT["scripts"], *PROJECT["gui-scripts"]}
    assert root.findtext("project_license") == PROJECT["license"]
    assert root.findtext("launchable") == "cudnn-assistant.desktop"
    assert root.findtext("name") == entry()["Name"]
