"""The answer in a notebook: a real one is run, and what it shows is looked at in a real browser."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import chromium
import msgspec
import needs
import pytest
from machines.computers import COMPUTERS

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.report.text import write_report
from cudnn_assistant.session import Session
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.json_output import Answer, answer
from cudnn_assistant.wording import words

_RUN = """
import sys
import nbformat
from nbclient import NotebookClient
book = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(book, timeout=120, kernel_name="python3").execute()
nbformat.write(book, sys.argv[1])
"""


def told(name: str) -> Answer:
    return answer(think(COMPUTERS[name].machine, load_builtin()), Session().source)


def notebook(path: Path, *cells: str) -> list[dict[str, Any]]:
    """What each cell of a notebook shows once it was run."""
    written = [
        {"cell_type": "code", "id": f"cell{n}", "source": cell, "metadata": {}, "outputs": [],
         "execution_count": None}
        for n, cell in enumerate(cells)
    ]  # fmt: skip
    book = {"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(book), "utf-8")
    command = [sys.executable, "-c", _RUN, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=path.parent)
    assert done.returncode == 0, done.stderr
    run = json.loads(path.read_text("utf-8"))["cells"]
    return [output["data"] for cell in run for output in cell["outputs"] if "data" in output]


def test_what_is_kept_says_when_it_was_tested() -> None:
    """A notebook, and the JSON of a check, are read days later."""
    seen = msgspec.structs.replace(
        COMPUTERS["linux-healthy"].machine, taken_at="2026-11-21T17:08:00Z"
    )
    found = answer(think(seen, load_builtin()), Session().source)
    assert found.sentence.startswith("Tested 2026-11-21 17:08 UTC: loaded")


@needs.modules("nbclient", "ipykernel")
def test_a_real_notebook_shows_the_answer(tmp_path: Path) -> None:
    one = COMPUTERS["linux-cudnn-not-on-path"].machine
    checkup = think(one, load_builtin())
    report = tmp_path / "report.md"
    report.write_text(write_report(one, checkup.findings, checkup.verdict), "utf-8")
    here, there = notebook(
        tmp_path / "book.ipynb",
        "import cudnn_assistant\ncudnn_assistant.check(test=False, offline=True)",
        "from cudnn_assistant.session import Session\n"
        "from cudnn_assistant.session.json_output import answer\n"
        f"answer(Session().judge({str(report)!r}), Session().source)",
    )
    for shown in (here, there):
        assert set(shown) == {"text/plain", "text/html"}
        assert "<script" not in "".join(shown["text/html"])
    (finding,) = checkup.findings
    said = words(finding, one)
    for form in ("text/plain", "text/html"):
        for sentence in (said.title, said.why, said.fix):
            assert sentence in "".join(there[form]).replace("&#x27;", "'")


def test_only_the_text_where_pages_are_not_shown() -> None:
    shown = told("linux-driver-missing")._repr_mimebundle_(include=["text/plain"])["text/plain"]
    assert shown.startswith("There is no NVIDIA driver\n")
    assert "  sudo apt" in shown
    assert told("linux-healthy")._repr_mimebundle_()["text/plain"].startswith("cuDNN 9.")


def test_what_a_computer_is_called_can_not_become_markup() -> None:
    one = COMPUTERS["linux-healthy"].machine
    odd = msgspec.structs.replace(one.gpus[0], name="<img src=x>\x1b[2J")
    here = msgspec.structs.replace(one, gpus=(odd,))
    shown = answer(think(here, load_builtin()), Session().source)._repr_mimebundle_()
    assert "<img" not in shown["text/html"]
    assert not {"\x1b"} & set("".join(shown.values()))


@needs.programs("chromium")
@pytest.mark.parametrize("dark", [False, True])
def test_it_takes_the_colours_of_the_page_around_it(dark: bool, tmp_path: Path) -> None:
    inside = told("linux-driver-missing")._repr_mimebundle_()["text/html"]
    page = f'<html style="color-scheme: light dark"><body>{inside}</body></html>'
    script = """
    const colour = name => getComputedStyle(page.querySelector(name)).color;
    return [colour("h3"), colour("p"), colour("code"), colour("pre")];
    """
    seen = chromium.ask(page, script, tmp_path, *([chromium.DARK] if dark else []))
    assert set(seen) == {"rgb(255, 255, 255)" if dark else "rgb(0, 0, 0)"}
