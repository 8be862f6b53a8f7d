"""Two tasks in the real window on a computer of the lab, from the first look to the last.

PyTorch without GPU support, whose other build pip brings from a folder of wheels; and a driver that
is too old, with a package manager of ours, the restart and the look after it.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import computer
import driver as lab
import test_computers
from computer import SYSTEM, Computer
from split_cudnn import linked_torch
from test_computers import SITE, VENV
from test_installers import YES
from test_mending import SHELF, shelf, wheel, with_pip

pytestmark = pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
PRESSING = str(Path(__file__).with_name("pressing.py"))
CUDNN = "Requires-Dist: nvidia-cudnn-cu12==9.10.2.21\n"
CUBLAS = "Requires-Dist: nvidia-cublas-cu12==12.8.4.1\n"
CPU_ONLY = "PyTorch 2.8.0 is installed without GPU support"


def pressed(c: Computer, script: str, **variables: str) -> list[dict[str, Any]]:
    """What the pages said, one after the other."""
    c.write("/home/person/.local/state/cudnn-assistant/window.json", '{"offline":true}')
    variables |= {"QT_QPA_PLATFORM": "offscreen"}
    done = c.run("bash", "-ec", script, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def person(end: str) -> str:
    return shlex.join([sys.executable, PRESSING, "click", end])


def packed(c: Computer, build: str, requires: str = "") -> None:
    """The PyTorch of the environment as a wheel of the shelf."""
    wheel(c, "torch", f"2.8.0+{build}", "torch", c.at(f"{SITE}/torch"), requires)


def torch_for_the_processor(c: Computer, requires: str) -> None:
    """The build without GPU support in the environment, both builds and their packages to get."""
    c.driver(lab.RTX_4090)
    linked_torch(c)
    packed(c, "cu128", requires)
    shelf(c)
    shutil.rmtree(c.at(f"{SITE}/nvidia"))
    for folder in c.at(SITE).glob("*.dist-info"):
        shutil.rmtree(folder)
    shutil.rmtree(c.at(f"{SITE}/torch/lib"))
    c.write(f"{SITE}/torch/version.py", "__version__ = '2.8.0+cpu'\ncuda = None\nhip = None\n")
    c.write(f"{SITE}/torch/__init__.py", "__version__ = '2.8.0+cpu'\n")
    packed(c, "cpu")
    info = f"{SITE}/torch-2.8.0+cpu.dist-info"
    c.write(f"{info}/METADATA", "Metadata-Version: 2.1\nName: torch\nVersion: 2.8.0+cpu\n")
    c.write(f"{info}/RECORD", "torch/__init__.py,,\ntorch/version.py,,\n")
    c.write(f"{info}/INSTALLER", "pip\n")
    with_pip(c)


@pytest.fixture
def c(tmp_path: Path) -> Computer:
    return Computer(tmp_path / "computer")


PIP = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": SHELF, "VIRTUAL_ENV": VENV}


def test_pytorch_without_gpu_support_is_exchanged_and_comes_back(c: Computer) -> None:
    torch_for_the_processor(c, CUDNN + CUBLAS)
    first, review, works, undoing, undone = pressed(c, person("undo"), **PIP)
    assert first["title"] == CPU_ONLY
    way = first["text"].index(
        "What we'll do: Install the build for NVIDIA GPUs in this environment."
    )
    assert way < first["text"].index("Programs of this system"), "its row is first, and open"
    assert "Install torch==2.8.0+cu128 in /home/person/venv" in review["text"]
    assert not [text for text in review["text"] if "https://" in text]
    assert (works["title"], works["clicks"]) == ("cuDNN 9.10.2 works", 2)
    assert works["news"][0] == "Done: Install torch==2.8.0+cu128 in /home/person/venv."
    assert undoing["title"] == "Undo 1 change"
    assert (undone["title"], undone["clicks"]) == (CPU_ONLY, 5)


@pytest.mark.nightly
def test_a_build_that_does_not_run_either_is_not_installed(c: Computer) -> None:
    """Once it is downloaded, PyTorch itself is asked; "only if it helps is anything changed"."""
    torch_for_the_processor(c, CUDNN)
    _first, review, refused = pressed(c, person("stay"), **PIP)
    assert any("only if it helps is anything changed" in text for text in review["text"])
    (said,) = refused["news"]
    assert said.startswith("With these changes cuDNN still doesn't start: that was tried")
    assert said.endswith("Nothing is different from before.")
    assert refused["title"] == review["title"]


BY_HAND = """sudo apt-get update
sudo apt-get install -y ubuntu-drivers-common
sudo ubuntu-drivers install nvidia
"""
RESTART = "echo 'NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build'"
SUDO = """#!/bin/sh
exec /usr/bin/pkexec /bin/sh -c 'PATH=/usr/sbin:/usr/bin:/bin; "$@"' sudo "$@"
"""


def old_driver_on_ubuntu(c: Computer, folder: Path) -> None:
    """A driver that is too old, and Ubuntu's package manager with a newer one."""
    test_computers.CASES["driver-too-old"].plant(c)
    c.everyday()
    c.after += "\nchown -R 1000:1000 home/person"
    lab.write(c.at("/srv/new"), lab.RTX_4090)
    source = folder / "yes.c"
    source.write_text(YES)
    subprocess.run(["gcc", source, "-o", c.at("/usr/bin/pkexec")], check=True, timeout=60)
    c.at("/usr/bin/pkexec").chmod(0o4755)
    tool = f"#!/bin/sh\ncp /srv/new/* {SYSTEM}\nrm -f /etc/stub/STUB_CUDNN_DAY\n"
    for name, text in (("apt-get", "#!/bin/sh\n"), ("ubuntu-drivers", tool), ("sudo", SUDO)):
        c.write(f"/usr/{'' if name == 'sudo' else 's'}bin/{name}", text).chmod(0o755)


def test_a_driver_that_is_too_old_is_exchanged_and_works_after_the_restart(
    c: Computer, tmp_path: Path
) -> None:
    old_driver_on_ubuntu(c, tmp_path)
    once = "/home/person/.config/autostart/cudnn-assistant-once.desktop"
    restart = shlex.join(["sudo", "sh", "-c", f"{RESTART} > /proc/driver/nvidia/version"])
    steps = (person("leave"), f"grep -q cudnn {once}", BY_HAND, restart, person("look"))
    day = test_computers.CASES["driver-too-old"].variables
    first, left, works = pressed(c, "\n".join(steps), **day)
    assert first["title"] == left["title"] == "Your driver is too old for CUDA 12"
    assert left["news"][0].startswith("Install driver 525 or newer")
    assert (left["clipboard"] + "\n", left["clicks"]) == (BY_HAND, 3)
    assert (works["title"], works["clicks"]) == ("cuDNN 9.10.2 works", 0)
