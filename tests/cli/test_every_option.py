"""Every option of every command, run once from the words to the answer; a new one needs a row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_command_line import snapshot

from cudnn_assistant.cli import run
from cudnn_assistant.cli.arguments import parser

LOOK = ("--no-test", "--offline")
CARD = ("--gpu", "RTX 3060", "--driver", "580")
SAID = "CUDNN_STATUS_NOT_INITIALIZED"
NONE = "is no Python environment"
ROWS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("check", *LOOK, "--quick", "--trust", "{folder}", "--python", "{folder}"), NONE),
    (("check", "--machine", "{broken}", "--color", "always", "-v"), "\x1b["),
    (("check", "--machine", "{broken}", "--prometheus", "{folder}/x.prom", "-q"), "cuDNN"),
    (("check", "--machine", "{broken}", "--json"), '"verdict":"broken"'),
    (("explain", "{said}", "--given", "gpu=RTX 3060", "--given", "driver=470.1", "--json"), SAID),
    (("explain", "{said}", "--here", "-q", "--color", "never"), "cuDNN"),
    (("explain", "{said}", "--no-look", "-v"), SAID),
    (("explain", "{said}", "--machine", "{broken}"), SAID),
    (("fix", *LOOK, "--quick", "--dry-run", "--yes", "--only", "no-such-cause"), "no-such-cause"),
    (("fix", *LOOK, "--dry-run", "--json", "--trust", "{folder}"), '"'),
    (("fix", *LOOK, "--dry-run", "-q", "--color", "never", "-v"), ""),
    (("fix", *LOOK, "--python", "{folder}"), NONE),
    (("undo", "--list", "--json"), "["),
    (("undo", "--dry-run", "--yes", "-v", "-q", "--color", "never", *LOOK, "--quick"), ""),
    (("undo", "no-such-id", "--trust", "{folder}", "--python", "{folder}"), "There is no change"),
    (("report", "-", "--short", "--machine", "{broken}", "--offline"), "cuDNN"),
    (("report", "-", "--html", *LOOK, "--quick", "--trust", "{folder}"), "<html"),
    (("report", "-", *LOOK, "--text", "{said}", "--keep-lines", "1"), SAID),
    (("report", "-", *LOOK, "--python", "{folder}"), NONE),
    (("report", "--compare", "{broken}", "{healthy}"), "What changed"),
    (("report", "-", "--csv", "--many", "{broken}"), "broken"),
    (("report", "-", "--json", "--many", "{broken}", "--earlier", "{earlier}"), '"changed"'),
    (("test", "--library", "{folder}", "--gpu", "GPU-0", "--json", "-v"), '"missing-library"'),
    (("test", "--python", "{folder}", "--trust", "{folder}", "-q"), NONE),
    (("test", "--framework", "nosuch", "--color", "never"), "not one of torch"),
    (("watch", "--json", "--", "true"), '"command"'),
    (("watch", "--exact", "--", "true"), "cuDNN"),
    (("watch", "--pid", "999999999"), "There is no program"),
    (("feed", "--json"), '"version"'),
    (("recommend", *LOOK, *CARD, "--for", "torch"), "torch=="),
    (("recommend", *LOOK, *CARD, "--requirements", "{wanted}", "--as", "uv", "--python-version",
      "3.11", "--system", "linux"), 'dependencies = ['),
    (("recommend", *LOOK, *CARD, "--requirements", "{wanted}", "--as", "conda"), "  - pip:"),
    (("recommend", "--machine", "{healthy}", "--offline", "--json", "-v"), '"cudnn"'),
    (("recommend", *LOOK, "--quick", "-q", "--color", "never", "--trust", "{folder}",
      "--python", "{folder}"), NONE),
    (("integrate",), "cudnn-assistant"),
    (("integrate", "--remove"), "Removed from your menus"),
    (("installed", "--json"), "["),
    (("installed", "--remove", "{folder}", "--yes", "--dry-run", "-q", "-v", "--color", "never"),
     "{folder}"),
)  # fmt: skip


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "said").write_text(f"RuntimeError: cuDNN error: {SAID}\n")
    (tmp_path / "wanted").write_text("torch==2.8.0\n")
    for name in ("earlier", "folder", "home"):
        (tmp_path / name).mkdir()
    snapshot("linux-healthy", tmp_path / "earlier")
    return {
        **{name: str(tmp_path / name) for name in ("said", "wanted", "earlier", "folder", "home")},
        "broken": str(snapshot("linux-two-cudnn-packages", tmp_path)),
        "healthy": str(snapshot("linux-healthy", tmp_path)),
    }


@pytest.mark.parametrize(("words", "told"), ROWS, ids=lambda value: " ".join(value)[:60])
def test_every_option_leads_to_an_answer(
    words: tuple[str, ...],
    told: str,
    files: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HOME", files["home"])
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", f"{files['home']}/{name}")
    code = run([word.format(**files) for word in words])
    out, err = capfd.readouterr()
    assert code in range(6), err
    assert told.format(folder=files["folder"]) in out + err if "{f" in told else told in out + err
    if "--json" in words and code in (0, 1) and words[0] != "watch":
        json.loads(out)


def test_no_option_is_missing() -> None:
    (commands,) = (a for a in parser()._actions if a.dest == "command")
    lacking = []
    for name, command in commands.choices.items():  # type: ignore[union-attr,attr-defined]
        rows = [words for words, _told in ROWS if words[0] == name]
        for action in command._actions:
            if action.option_strings and action.dest != "help":
                used = any(set(action.option_strings) & set(words) for words in rows)
                lacking += [] if used else [f"{name} {action.option_strings[-1]}"]
        lacking += [] if rows or name == "mcp" else [name]
    assert lacking == []
