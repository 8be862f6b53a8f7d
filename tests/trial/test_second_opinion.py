"""cuda-pathfinder's answer, kept beside our own: the real locator over forged libraries."""

from __future__ import annotations

import os
import subprocess
import sys

import msgspec
import needs
import pytest
from machines.computers import redacted
from stub_world import compiled

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import SYSTEM, Machine, OperatingSystem, dump, load
from cudnn_assistant.probe.subjects import Terms, second_opinion, tried
from cudnn_assistant.probe.trust import Trust
from cudnn_assistant.report.text import write_report
from cudnn_assistant.session.checkup import think


def forged(world, folder, *names):
    """Libraries that load and do nothing."""
    source = folder / "nothing.c"
    source.write_text("int nothing(void) { return 0; }")
    for name in names:
        compiled(source, folder / name)
    return world.environment(world.cudnn[9], world.driver, folder)


def test_what_the_locator_finds_and_how(world, tmp_path):
    environment = forged(world, tmp_path, "libcublasLt.so.13", "libcublas.so.13")
    found = {one.name: one for one in second_opinion(environment)}
    assert found["cudnn"].path == str(world.cudnn[9] / "libcudnn.so.9")
    assert found["cublasLt"].path == str(tmp_path / "libcublasLt.so.13")
    assert found["cudnn"].found_via == ("system-search",)


def test_a_library_that_ends_the_process_costs_only_what_follows(world, tmp_path):
    source = tmp_path / "abort.c"
    source.write_text("#include <stdlib.h>\n__attribute__((constructor)) void f(void) { abort(); }")
    environment = forged(world, tmp_path, "libcublasLt.so.13", "libcublas.so.13")
    compiled(source, tmp_path / "libcudart.so.13")
    names = [one.name for one in second_opinion(environment)]
    assert names == ["cudnn", "cublasLt", "cublas"]


def test_a_library_that_hangs_is_left(world, tmp_path):
    environment = forged(world, tmp_path, "libcublasLt.so.13", "libcublas.so.13")
    hanging = {**environment, "STUB_CUDNN_DAY": "init:hang"}
    assert second_opinion(hanging, deadline=1.0) == ()


def test_it_is_kept_with_the_systems_test_and_told_in_the_report(world, tmp_path):
    environment = forged(world, tmp_path, "libcublasLt.so.13", "libcublas.so.13")
    trials = tried(Terms(environment, Trust("linux")), Machine(os=OperatingSystem(family="linux")))
    assert (trials[0].subject, trials[0].status) == (SYSTEM, "ok")
    machine = Machine(os=OperatingSystem(family="linux"), trials=trials)
    assert load(dump(machine)) == machine
    clean = redacted(machine, home=str(tmp_path))
    assert str(tmp_path) not in msgspec.json.encode(clean).decode()
    checkup = think(clean, load_builtin())
    told = write_report(clean, checkup.findings, checkup.verdict)
    assert "What cuda-pathfinder finds" in told


_STUCK = """
import ctypes, os, sys
from cudnn_assistant.machine import Machine, OperatingSystem
from cudnn_assistant.probe.subjects import Terms, tried
from cudnn_assistant.probe.trust import Trust
server = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={server},rootmode=40000,user_id=0,group_id=0".encode()
assert not ctypes.CDLL(None).mount(b"gone", sys.argv[1].encode(), b"fuse.sshfs", 0, options)
terms = Terms({"CUDA_HOME": sys.argv[1]}, Trust("linux"))
print(tried(terms, Machine(os=OperatingSystem(family="linux")))[0].status)
"""


@pytest.mark.skipif(os.geteuid() != 0 or not os.path.exists("/dev/fuse"), reason=needs.ROOT)
def test_a_root_on_a_server_that_is_gone_keeps_nobody_waiting(tmp_path):
    command = ["unshare", "-m", sys.executable, "-c", _STUCK, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.stdout == "missing-library\n", done.stderr
