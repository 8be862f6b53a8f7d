"""Real Slurm on loopback: which node it drains, with which reason, and which job it refuses."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import needs
import pytest
from fleet_computer import assistant
from machines.computers import COMPUTERS

FLEET = Path(__file__).parents[2] / "installer/fleet"
BROKEN = "linux-cudnn-not-on-path"
DRAINED = "cudnn-assistant: cudnn-not-on-path"
PATIENCE = 90
"""Seconds, on a machine that is busy."""

pytestmark = [
    needs.root,
    needs.programs("munged", "slurmctld", "slurmd"),
    pytest.mark.enable_socket,  # for free ports of loopback; Slurm itself is asked by its commands
]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Cluster:
    """A controller, and a node that is switched on and off."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ours = folder / "lib"
        self.running: list[subprocess.Popen[bytes]] = []
        self.surroundings = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
        for name in ("state", "spool", "lib"):
            (folder / name).mkdir()
        (folder / "key").write_bytes(os.urandom(128))
        (folder / "key").chmod(0o600)
        shutil.copy(FLEET / "node_check.py", self.ours)
        host = socket.gethostname().partition(".")[0]
        (folder / "slurm.conf").write_text(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
AuthInfo=socket={folder}/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
HealthCheckProgram={self.ours}/slurm-health-check
HealthCheckInterval=3600
HealthCheckNodeState=ANY
Prolog={self.ours}/slurm-prolog
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname={host} CPUs=1 State=UNKNOWN
PartitionName=p Nodes=n1 Default=YES State=UP
""")

    def __enter__(self) -> Cluster:
        at = {"socket": "munge", "key-file": "key", "pid-file": "pid", "log-file": "log",
              "seed-file": "seed"}  # fmt: skip
        flags = [f"--{name}={self.folder / file}" for name, file in at.items()]
        self.start("munged", "--foreground", "--force", *flags)
        self.until((self.folder / "munge").exists)
        self.start("slurmctld", "-D", "-i")
        self.until(lambda: "State=" in self.shown())
        return self

    def __exit__(self, *_trouble: object) -> None:
        for one in reversed(self.running):
            one.terminate()
            one.wait(PATIENCE)

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{words[0]}.out").open("ab") as out:
            program = shutil.which(words[0], path="/usr/sbin:/usr/bin") or words[0]
            one = subprocess.Popen(
                [program, *words[1:]], stdout=out, stderr=out, env=self.surroundings
            )
        self.running.append(one)
        return one

    def until(self, so: Callable[[], object]) -> None:
        ends = time.monotonic() + PATIENCE
        while not so():
            written = [path.read_text()[-900:] for path in self.folder.glob("*.out")]
            assert time.monotonic() < ends, "\n".join(written)
            time.sleep(0.1)

    def ask(self, *words: str, seconds: float = PATIENCE) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, capture_output=True, text=True, timeout=seconds, env=self.surroundings
        )

    def shown(self) -> str:
        return self.ask("scontrol", "show", "node", "n1", "-o").stdout

    def state(self) -> tuple[str, str]:
        """Of the node, with the reason for which it is drained."""
        text = self.shown()
        state = re.search(r" State=(\S+)", text)
        reason = re.search(r" Reason=(.*?) \[", text)
        return state[1] if state else "", reason[1] if reason else ""

    def computer(self, command: Path, *words: str) -> None:
        """What the node is from now on: an administrator's edition of our two scripts."""
        for name in ("slurm-health-check", "slurm-prolog"):
            script = (FLEET / "slurm" / name).read_text()
            path = f"export SLURM_CONF={self.folder}/slurm.conf PATH={command.parent}:"
            script = script.replace("export PATH=", path).replace('"$@"', " ".join(words))
            (self.ours / name).write_text(script)
            (self.ours / name).chmod(0o755)

    def boot(self) -> tuple[str, str]:
        """Switch the node on, which runs the health check; its state once it has registered."""
        (self.folder / "slurmd.out").unlink(missing_ok=True)
        node = self.start("slurmd", "-D", "-N", "n1")
        self.until(lambda: re.match(r"IDLE(\+DRAIN)?\Z", self.state()[0]))
        seen = self.state()
        node.terminate()
        node.wait(PATIENCE)
        self.running.remove(node)
        self.ask("scontrol", "update", "nodename=n1", "state=down", "reason=off")
        return seen


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    # A short path: the socket of munge lies in it.
    with tempfile.TemporaryDirectory(prefix="slurm") as folder, Cluster(Path(folder)) as one:
        yield one


@pytest.fixture(scope="module")
def computers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("computers")
    names = ("linux-healthy", BROKEN, "linux-no-test")
    return {name: assistant(folder / name, COMPUTERS[name].machine) for name in names}


def test_what_is_proven_drains_a_node(cluster: Cluster, computers: dict[str, Path]) -> None:
    cluster.computer(computers[BROKEN])
    assert cluster.boot() == ("IDLE+DRAIN", DRAINED)
    cluster.ask("scontrol", "update", "nodename=n1", "state=resume")
    for name in ("linux-healthy", "linux-no-test"):
        cluster.computer(computers[name])
        assert cluster.boot()[0] == "IDLE", name


def test_a_check_that_hangs_drains_nothing(cluster: Cluster, tmp_path: Path) -> None:
    command = tmp_path / "cudnn-assistant"
    mark = tmp_path / "begun"
    command.write_text(f"#!/bin/sh\ntouch {mark}\nsleep 300\n")
    command.chmod(0o755)
    cluster.computer(command, "--limit", "1")
    begun = time.monotonic()
    assert cluster.boot()[0] == "IDLE"
    assert mark.exists()
    assert time.monotonic() - begun < PATIENCE


def test_a_prolog_refuses_the_job_and_drains_the_node(
    cluster: Cluster, computers: dict[str, Path]
) -> None:
    cluster.computer(computers["linux-healthy"])
    node = cluster.start("slurmd", "-D", "-N", "n1")
    cluster.until(lambda: cluster.state()[0] == "IDLE")
    done = cluster.ask("srun", "-w", "n1", "echo", "ran")
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
    cluster.computer(computers[BROKEN])
    refused = cluster.ask("timeout", "20", "srun", "-w", "n1", "echo", "ran")
    assert (bool(refused.returncode), refused.stdout) == (True, "")
    cluster.until(lambda: "DRAIN" in cluster.state()[0])
    assert cluster.state()[1] == "Prolog error"
    node.terminate()
    node.wait(PATIENCE)
