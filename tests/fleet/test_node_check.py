"""Which node is taken out, and how Slurm and Kubernetes hear of it: the real check."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fleet_computer import assistant
from machines.computers import COMPUTERS, thought
from machines.each import each_computer

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Unknown
from cudnn_assistant.machine import SYSTEM
from cudnn_assistant.session import Session
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.json_output import encoded
from installer.fleet import node_check

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "installer/fleet/node_check.py"
BROKEN = "linux-cudnn-not-on-path"
EXIT = {"works": 0, "broken": 1, "impossible": 1, "unknown": 3}


@each_computer
def test_only_what_is_proven_takes_a_node_out(name: str) -> None:
    checkup = thought(name)
    printed = encoded(checkup, Session().source)
    seen = node_check.judge(printed, EXIT[checkup.verdict], False)
    assert seen.verdict == checkup.verdict
    proven = {f.code: f for f in checkup.findings if f.code in seen.proven and f.subject == SYSTEM}
    assert set(seen.proven) == set(proven)
    for finding in proven.values():
        assert (finding.severity, finding.sure) == ("error", True)
        assert not isinstance(finding.remedy, Unknown)
    if checkup.verdict in ("works", "unknown"):
        assert not seen.proven
    assert node_check.NO_GPU not in seen.proven


def test_some_nodes_are_taken_out() -> None:
    printed = encoded(think(COMPUTERS[BROKEN].machine, load_builtin()), Session().source)
    assert node_check.judge(printed, 1, False).proven == ("cudnn-not-on-path",)
    printed = encoded(
        think(COMPUTERS["linux-no-nvidia-gpu"].machine, load_builtin()), Session().source
    )
    assert node_check.judge(printed, 1, True).proven == (node_check.NO_GPU,)


@pytest.mark.parametrize("printed", [b"", b"{", b"[]", b"null", b'{"verdict": "broken"}',
                                     b'{"verdict": "broken", "findings": 3}'])  # fmt: skip
@pytest.mark.parametrize("code", [0, 1, 3, -9])
def test_what_is_no_answer_is_unknown(printed: bytes, code: int) -> None:
    assert node_check.judge(printed, code, True)[:2] == ("unknown", ())


def run(command: Path, *words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, str(SCRIPT), *words, "--command", str(command)]
    found = os.pathsep.join(map(str, filter(None, (path, os.environ["PATH"]))))
    surroundings = {**os.environ, "PATH": found, "SLURMD_NODENAME": "n17"}
    return subprocess.run(whole, capture_output=True, text=True, timeout=60, env=surroundings)


@pytest.fixture(scope="module")
def computers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("computers")
    names = ("linux-healthy", BROKEN, "linux-no-test")
    return {name: assistant(folder / name, COMPUTERS[name].machine) for name in names}


def slurm(folder: Path) -> tuple[Path, Path]:
    """The world's scontrol: it writes down what it is told."""
    told = folder / "told"
    program = folder / "scontrol"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {told}\n')
    program.chmod(0o755)
    return folder, told


def test_slurm_drains_what_is_broken_and_nothing_else(
    computers: dict[str, Path], tmp_path: Path
) -> None:
    path, told = slurm(tmp_path)
    for name in ("linux-healthy", "linux-no-test"):
        assert run(computers[name], "slurm", path=path).returncode == 0
        assert not told.exists()
    assert run(computers[BROKEN], "slurm", path=path).returncode == 0
    assert told.read_text().splitlines() == [
        "update", "nodename=n17", "state=drain", "reason=cudnn-assistant: cudnn-not-on-path",
    ]  # fmt: skip


def test_a_prolog_ends_with_one_and_calls_no_slurm(
    computers: dict[str, Path], tmp_path: Path
) -> None:
    path, told = slurm(tmp_path)
    done = run(computers[BROKEN], "prolog", path=path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "cudnn-not-on-path: Programs can't find cuDNN" in done.stderr
    assert run(computers["linux-healthy"], "prolog").returncode == 0
    assert run(computers["linux-no-test"], "prolog").returncode == 0
    assert not told.exists()


def test_node_problem_detector_gets_its_codes(computers: dict[str, Path]) -> None:
    seen = {name: run(command, "kubernetes") for name, command in computers.items()}
    assert [seen[name].returncode for name in ("linux-healthy", BROKEN, "linux-no-test")] == [
        0,
        1,
        2,
    ]
    assert seen[BROKEN].stdout.startswith("cudnn-not-on-path: ")
    assert all(0 < len(one.stdout.rstrip("\n")) <= 80 for one in seen.values())


def test_a_label_says_only_what_is_known(computers: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "cudnn"
    named = "feature.node.kubernetes.io/cudnn.works"
    for name, text in (("linux-healthy", f"{named}=true\n"), (BROKEN, f"{named}=false\n"),
                       ("linux-no-test", "")):  # fmt: skip
        assert run(computers[name], "label", str(file)).returncode == 0
        assert file.read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["cudnn"]
    assert file.stat().st_mode & 0o777 == 0o644


def test_a_check_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    mark = tmp_path / "child"
    command = tmp_path / "hangs"
    command.write_text(f"#!/bin/sh\nsleep 300 &\necho $! > {mark}\nwait\n")
    command.chmod(0o755)
    path, told = slurm(tmp_path)
    begun = time.monotonic()
    assert run(command, "slurm", "--limit", "1", path=path).returncode == 0
    assert time.monotonic() - begun < 20
    assert not told.exists()
    stat = Path(f"/proc/{mark.read_text().strip()}/stat")
    assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] == "Z"


def test_a_node_without_the_program_stays(tmp_path: Path) -> None:
    path, told = slurm(tmp_path)
    assert run(tmp_path / "none", "slurm", path=path).returncode == 0
    assert run(tmp_path / "none", "prolog", path=path).returncode == 0
    assert run(tmp_path / "none", "kubernetes").returncode == 2
    assert not told.exists()


@pytest.mark.parametrize("words", [["label"], ["slurm", "x"], ["nomad"], []])
def test_wrong_use(words: list[str]) -> None:
    assert run(Path("none"), *words).returncode == 2


def seconds(text: str) -> int:
    return int(text[:-1]) * {"s": 1, "m": 60}[text[-1]]


def test_the_plugin_is_one_that_the_detector_takes() -> None:
    """The rules of its own Validate (pkg/custompluginmonitor), and it starts what there is."""
    plugin = json.loads((ROOT / "installer/fleet/kubernetes/cudnn-plugin.json").read_text())
    told = plugin["pluginConfig"]
    assert set(plugin) <= {
        "plugin", "pluginConfig", "source", "conditions", "rules", "metricsReporting",
    }  # fmt: skip
    assert set(told) <= {
        "invoke_interval", "timeout", "max_output_length", "concurrency",
        "enable_message_change_based_condition_update", "skip_initial_status",
    }  # fmt: skip
    assert plugin["plugin"] == "custom"
    (rule,), (condition,) = plugin["rules"], plugin["conditions"]
    assert set(rule) <= {"type", "condition", "reason", "path", "args", "timeout"}
    assert set(condition) == {"type", "reason", "message"}
    assert (rule["type"], rule["condition"]) == ("permanent", condition["type"])
    assert seconds(rule["timeout"]) <= seconds(told["timeout"]) < seconds(told["invoke_interval"])
    assert seconds(rule["timeout"]) > node_check.LIMITS["kubernetes"]
    assert told["max_output_length"] == node_check.SHOWN

    # The detector's image has no Python: it starts the node's own.
    root, python, script, *words = rule["args"]
    assert (Path(rule["path"]).name, root) == ("chroot", "/host")
    assert (Path(python).name, Path(script).name) == ("python3", SCRIPT.name)
    assert f"{Path(script).parent}`" in (ROOT / "installer/fleet/README.md").read_text()
    assert run(Path("none"), *words).returncode == 2
