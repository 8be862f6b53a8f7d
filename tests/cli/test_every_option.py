"""Every option of every command makes the difference it is there for; a new one needs a row."""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fleet_computer import following
from test_archives import pack
from test_command_line import snapshot

from cudnn_assistant import places
from cudnn_assistant.apply import apply
from cudnn_assistant.cli import run
from cudnn_assistant.cli.arguments import COMMANDS, options, parser
from cudnn_assistant.cli.changing import fix
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Value
from cudnn_assistant.plan import InstallArchive, Plan, SetVariable, Step
from cudnn_assistant.session import Session
from cudnn_assistant.system.linux import Linux

SAID = "CUDNN_STATUS_NOT_INITIALIZED"
NONE = "is no Python environment"
QUICK = "--no-test --quick --offline"
CHECK, FIX = "check --machine {broken}", "fix --offline"
REPORT, MANY = "report - --machine {broken}", "report - --many {broken}"
CARD = "recommend --offline --gpu RTX~3060 --driver 580.65.06"
WANTED = f"{CARD} --requirements {{wanted}}"
ROWS: tuple[tuple[str, str, str], ...] = (
    (CHECK, "--json", '"verdict":"broken"'),
    (CHECK, "-v", "Compatibility data"),
    (CHECK, "-q", "-GPU and driver"),
    (CHECK, "--color always", "\x1b["),
    (f"{CHECK} --color always", "--color never", "-\x1b["),
    (f"{CHECK} --color always", "--color auto", "-\x1b["),
    (CHECK, "--prometheus {folder}/x.prom", "x.prom: # HELP cudnn_assistant"),
    (CHECK, "--prometheus -", "\n# TYPE cudnn_assistant_verdict gauge\n"),
    (CHECK, "--prometheus -", "-GPU and driver"),
    (f"check {QUICK}", "--machine {broken}", "of another computer"),
    (f"check {QUICK}", "--python {folder}", NONE),
    ("check --offline --python {venv}", "--no-test", "PyTorch 2.8.0   not tested"),
    ("explain", "{said}", f"error: {SAID}"),
    ("explain {said}", "--json", '"causes":['),
    ("explain {said}", "--given driver=470.57", "Understood: Driver 470.57"),
    ("explain {said}", "--machine {broken}", "[two-cudnn-packages, confirmed"),
    ("explain {said}", "--here", "filled in: System Linux"),
    ("explain {said} --here", "--no-look", "-filled in: System Linux"),
    (FIX, "--yes", "environment.sh: "),
    (f"{FIX} --yes", "--dry-run", "-environment.sh: "),
    (f"{FIX} --dry-run", "--json", '"type":"set-variable"'),
    (f"{FIX} --yes", "--only gpu-hidden", "-environment.sh: "),
    (FIX, "-v", "Compatibility data"),
    (FIX, "-q", "-GPU and driver"),
    (FIX, "--color always", "\x1b["),
    (f"{FIX} --color always", "--color never", "-\x1b["),
    (f"{FIX} --color always", "--color auto", "-\x1b["),
    (f"real fix {QUICK}", "--python {folder}", NONE),
    ("real fix --offline --python {venv}", "--no-test", "PyTorch 2.8.0   not tested"),
    ("undo", "no-such-id", "There is no change"),
    ("undo", "--yes", "-environment.sh: "),
    ("undo --yes", "--dry-run", "environment.sh: "),
    ("undo", "--list", "in place"),
    ("undo --list", "--json", '"state":"in-place"'),
    ("report --machine {broken}", "{folder}/x.md", "x.md: "),
    (REPORT, "--short", "-```json"),
    (REPORT, "--html", "</html>"),
    (REPORT, "--text {said}", SAID),
    (f"{REPORT} --text {{told}}", "--keep-lines 1", "zilpha"),
    (f"report - {QUICK}", "--machine {broken}", "RTX 4070"),
    (f"report - {QUICK}", "--python {folder}", NONE),
    ("report - --offline --python {venv}", "--no-test", "PyTorch 2.8.0: not tested"),
    (f"report {QUICK}", "--compare {broken} {healthy}", "What changed"),
    (f"report - {QUICK}", "--many {broken}", "works on 0 of 1"),
    (MANY, "--html", "</html>"),
    (MANY, "--csv", "two-cudnn-packages,"),
    (MANY, "--json", '"causes":['),
    (MANY, "--earlier {earlier}", "no report → "),
    ("test --library {folder}", "--json", '"missing-library"'),
    ("test --library {folder}", "-v", "likely, but not proven"),
    ("test --library {folder}", "-q", "-✗ load"),
    ("test --json", "--library {folder}", '/folder"'),
    ("test", "--python {folder}", NONE),
    ("test", "--framework nosuch", "known: torch, "),
    ("test --library {folder} --json", "--gpu GPU-0", '"gpu":"GPU-0"'),
    ("test --library {folder}", "--color always", "\x1b["),
    ("test --library {folder} --color always", "--color never", "-\x1b["),
    ("test --library {folder} --color always", "--color auto", "-\x1b["),
    ("watch -- sh -c echo~$LD_DEBUG", "--exact", "files"),
    ("watch -- true", "--json", '"exit_code":0'),
    ("watch", "-- sh -c echo~through", "through"),
    ("watch", "--pid 999999999", "There is no program"),
    ("feed", "update", "exit 6"),
    ("feed", "--json", '"kind":"built-in"'),
    (CARD, "--for torch", "torch=="),
    ("recommend --offline --machine {healthy}", "--gpu GTX~1080", "branch 580"),
    ("recommend --offline --gpu RTX~3060", "--driver 470.1", "470.1 is enough"),
    ("recommend --offline --gpu RTX~3060", "--machine {healthy}", "is enough"),
    ("recommend --offline --gpu RTX~3060", "--python {folder}", NONE),
    (f"{CARD} --python-version 3.12 --for torch", "--for jax", "requirements.txt"),
    (CARD, "--requirements {wanted}", "torch==2.8.0"),
    (WANTED, "--as uv", "dependencies = ["),
    (WANTED, "--as conda", "  - pip:"),
    (f"{CARD} --for torch", "--python-version 3.9", "3.9"),
    (CARD, "--system windows", "cudnn-windows-x86_64"),
    (f"{CARD} --system windows", "--system linux", "-cudnn-windows-x86_64"),
    (CARD, "--json", '"cudnn":{'),
    (CARD, "-v", "Why  "),
    (CARD, "--color always", "\x1b["),
    (f"{CARD} --color always", "--color never", "-\x1b["),
    (f"{CARD} --color always", "--color auto", "-\x1b["),
    ("recommend --offline", "--machine {healthy}", "is enough"),
    ("recommend --offline", "--python {folder}", NONE),
    ("integrate", "--remove", "-cudnn-assistant.desktop"),
    ("installed", "--json", '"folder":'),
    ("installed", "--remove {copy}", "Remove cuDNN"),
    ("installed --remove {copy}", "--yes", "-lib/libcudnn"),
    ("installed --remove {copy} --yes", "--dry-run", "lib/libcudnn"),
)  # fmt: skip
"""A command, what is added to it, and a sign that is seen only then; after a minus, only without.
``~`` stands for a space within a word. What is seen is what is said, and the person's files."""


class World:
    """A person's home with a change in it, a copy of ours, reports, and an environment."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = folder / "home"
        self.folder = self.home / "folder"
        python = Path("/usr/bin/python3").resolve()
        site = self.home / "venv" / "lib" / python.name / "site-packages"
        for made in (
            self.folder,
            folder / "earlier",
            site / "torch",
            site / "torch-2.8.0.dist-info",
        ):
            made.mkdir(parents=True)
        (site / "torch-2.8.0.dist-info" / "METADATA").write_text("Name: torch\nVersion: 2.8.0\n")
        (site / "torch" / "version.py").write_text("__version__ = '2.8.0'\ncuda = '12.8'\n")
        (self.home / "venv" / "bin").mkdir()
        (self.home / "venv" / "bin" / "python").symlink_to(python)
        version = f"{python.name.removeprefix('python')}.1"
        (self.home / "venv" / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {version}\n")
        (folder / "said").write_text(f"RuntimeError: cuDNN error: {SAID}\n")
        (folder / "told").write_text(f"on atlas17 by zilpha\n{SAID}\n")
        (folder / "wanted").write_text("torch==2.8.0\n")
        snapshot("linux-healthy", folder / "earlier")
        # A report that is given no place is written where the person stands.
        monkeypatch.chdir(folder)
        monkeypatch.setenv("HOME", str(self.home))
        monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(folder))
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
        self.names = {
            **{name: str(folder / name) for name in ("said", "told", "wanted", "earlier")},
            "folder": str(self.folder),
            "venv": str(self.home / "venv"),
            "copy": str(places.own_libraries() / "cudnn-9.28.0-cuda12"),
            "broken": str(snapshot("linux-two-cudnn-packages", folder)),
            "healthy": str(snapshot("linux-healthy", folder)),
        }

    def words(self, text: str) -> list[str]:
        return [word.format(**self.names).replace("~", " ") for word in text.split()]

    def run(self, text: str) -> object:
        """Carry out a command; ``fix`` on a golden computer that it can mend."""
        words = self.words(text.removeprefix("real "))
        if words[0] in ("undo", "installed"):
            self.change(words[0])
        if words[0] == "integrate" and "--remove" in words:
            run(["integrate"])
        if not text.startswith("fix "):
            return run(words)
        # The command itself, on a golden computer.
        chosen = options(words)
        look = following("linux-cudnn-not-on-path", "linux-healthy")
        session = Session(Linux(), Journal(places.journal()), look=look)
        screen = Screen(color=chosen.color, quiet=chosen.quiet, json=chosen.json)
        return fix(session, chosen, screen)

    def change(self, command: str) -> None:
        """What there is to take back or to remove."""
        step: Step = SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/opt/cuda"))
        if command == "installed":
            folder = self.names["copy"]
            step = InstallArchive(
                product="cuDNN", version="9.28.0", cuda_major=12, folder=folder,
                download=pack(self.home.parent), search=f"{folder}/lib",
            )  # fmt: skip
        apply(Plan(steps=(step,)), Linux(), Journal(places.journal()))

    def files(self) -> Iterator[str]:
        for path in sorted(self.home.rglob("*")):
            if path.is_file() and "venv" not in path.parts:
                told = path.read_bytes()[:200].decode("utf-8", "replace")
                yield f"{path.parent.name}/{path.name}: {told}"


@pytest.fixture
def seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """What is said and what then lies there, of one command in a world of its own."""

    def ask(text: str) -> str:
        world = World(tmp_path / str(len(os.listdir(tmp_path))), monkeypatch)
        code = world.run(text)
        said = "".join(capfd.readouterr())
        assert code in range(7), said
        assert "Traceback" not in said
        return "\n".join((said, f"exit {code}", *world.files()))

    return ask


@pytest.mark.parametrize(("before", "added", "sign"), ROWS, ids=[" ".join(r[:2]) for r in ROWS])
def test_every_option_makes_its_difference(
    before: str, added: str, sign: str, seen: Callable[[str], str]
) -> None:
    command, program, rest = before.partition(" -- ")
    without, told = seen(before), seen(f"{command} {added}{program}{rest}")
    if sign.startswith("-"):
        without, told = told, without
    sign = sign.removeprefix("-")
    assert sign in told
    assert sign not in without


ELSEWHERE = {
    "--trust": "cli/test_whose_code.py",
    "--quick": "lab/test_quick.py",
    "--offline": "cli/test_offline.py",
}
"""Options whose difference needs a library or a framework that runs, or a server: who sees it."""
STANDARD = {"--as pip"}
"""Said anyway where nothing is said."""


def wishes() -> Iterator[tuple[str, str]]:
    """Each command with each word that may be added to it, choices one by one."""
    (commands,) = (one for one in parser()._actions if one.dest == "command")
    for name, command in commands.choices.items():  # type: ignore[union-attr,attr-defined]
        for action in command._actions:
            if action.dest == "help" or action.help == argparse.SUPPRESS:
                continue
            for choice in action.choices or ("",):
                words = (*action.option_strings[:1], *filter(None, (choice,)))
                yield name, " ".join(words) or action.dest


def test_no_option_is_missing() -> None:
    added: dict[str, str] = {}
    for before, more, _sign in ROWS:
        added.setdefault(before.removeprefix("real ").split()[0], "")
        added[before.removeprefix("real ").split()[0]] += f" {more} "
    lacking = [
        f"{command} {words}"
        for command, words in wishes()
        if words.startswith("-") and f" {words} " not in added[command]
        and words not in STANDARD | ELSEWHERE.keys()
    ]  # fmt: skip
    assert lacking == []
    assert set(added) | {"mcp"} == set(COMMANDS)
    for option, file in ELSEWHERE.items():
        assert option in (Path(__file__).parents[1] / file).read_text()
