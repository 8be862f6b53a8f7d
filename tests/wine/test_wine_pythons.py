"""Finding Python environments on Windows' own registry, drives and file names, as Wine has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from windows_python import Wine

pytestmark = pytest.mark.wine

REPOSITORY = str(Path(__file__).parents[2])


def test_finds_registered_and_project_environments_under_wine(wine: Wine) -> None:
    done = wine.run("pythons_inside.py")
    assert done.code == 0, done.output
    told = json.loads(done.output.strip().splitlines()[-1])
    found = {one["id"].lower(): one for one in told["found"]}
    assert len(found) == len(told["found"]), "one spelling each"
    installed = found[told["prefix"].lower()]
    assert installed["active"]
    assert installed["version"].startswith("3.11")
    assert installed["bits"] == 64
    assert {"PATH", "registry"} <= set(installed["via"])
    venv = found[told["venv"].lower()]
    assert told["one"].lower() == told["venv"].lower()
    assert (venv["kind"], venv["version"], venv["bits"]) == ("venv", "3.11.9", 64)
    assert venv["packages"] == [["nvidia-cudnn-cu12", "9.10.2.21", 1]]
    (folder,) = venv["libraries"]
    assert folder.lower().endswith(r"\.venv\lib\site-packages\nvidia\cudnn\bin")
