"""Faults that stand in no list and that no rule was written for: they are named, or said honestly.

What names them are experiments with one difference, and what the loader and the mapped files say.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import computer
import driver as lab
import images
from split_cudnn import OWN, linked_torch, split
from test_computers import SITE, VENV
from test_seen_failing import OPT, Seen, entering, holds, with_gpu

CASES: dict[str, Seen] = {}
seen = entering(CASES)
TORCH = {"VIRTUAL_ENV": VENV}


def system(c):
    with_gpu(c)
    c.cuda()
    split(c.at(OPT), "9.10.2")


def library(c, path, source):
    target = c.at(path)
    file = c.others / "odd.c"
    file.write_text(source)
    subprocess.run(["gcc", "-shared", "-fPIC", "-w", "-o", target, file], check=True)


@seen("broken", "error preload-stops-cudnn", says=("/opt/profiler.so",),
      LD_LIBRARY_PATH=OPT, LD_PRELOAD="/opt/profiler.so")  # fmt: skip
def profiler_in_front_of_the_c_library(c):
    system(c)
    # The stub of the driver finds its facts by this call, as the real one asks for its own path.
    library(c, "/opt/profiler.so", "int dladdr(void *a, void *b) { return 0; }")


@seen("works", LD_LIBRARY_PATH=OPT, LD_PRELOAD="/opt/profiler.so")
def profiler_that_harms_nothing_is_healthy(c):
    system(c)
    library(c, "/opt/profiler.so", "int harmless(void) { return 0; }")


@seen("broken", "error variable-stops-cudnn", says=("CUDA_FORCE_ODDITY",),
      LD_LIBRARY_PATH=OPT, CUDA_FORCE_ODDITY="1")  # fmt: skip
def setting_of_cuda_that_nobody_knows(c):
    system(c)
    c.driver(lab.RTX_4090, refuses="CUDA_FORCE_ODDITY")


@seen("works", LD_LIBRARY_PATH=OPT, CUDA_FORCE_ODDITY="1")
def setting_of_cuda_that_harms_nothing_is_healthy(c):
    system(c)


@seen("broken", f"error variable-stops-cudnn {VENV}", says=("PYTHONPATH",),
      PYTHONPATH="/home/person/code", **TORCH)  # fmt: skip
def module_of_the_person_s_own_in_front_of_pytorch(c):
    with_gpu(c)
    linked_torch(c)
    c.write("/home/person/code/torch/__init__.py", "raise RuntimeError('a stray torch')\n")


@seen("broken", f"error framework-stopped {VENV}", **TORCH)
def module_that_an_environment_starts_with(c):
    with_gpu(c)
    linked_torch(c)
    c.write(f"{SITE}/odd.pth", "import sys; sys.modules['ctypes'] = None\n")


@seen("works", **TORCH)
def file_under_its_full_name_that_the_loader_passes_over_is_healthy(c):
    with_gpu(c)
    linked_torch(c)
    foreign = split(c.at("/opt/old"), "9.5.1", "cudnn_cnn")
    shutil.move(foreign / "libcudnn_cnn.so.9", c.at(f"{OWN}/libcudnn_cnn.so.9.10.2"))


@seen("broken", "error cudnn-mixed-versions", LD_LIBRARY_PATH=OPT)
def parts_of_two_archives_unpacked_over_each_other(c):
    system(c)
    split(c.at(OPT), "9.5.1", "cudnn_adv", "cudnn_ops")


@seen(
    "broken",
    f"error preloaded-for-everybody {VENV}",
    says=("/etc/ld.so.preload",),
    never=("MB",),
    **TORCH,
)
def preload_for_the_whole_computer(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/opt/old"), "9.5.1", "cudnn")
    c.after += "\necho /opt/old/libcudnn.so.9 > etc/ld.so.preload"


@seen("works", LD_LIBRARY_PATH=OPT, shell="ulimit -S -n 64")
def low_limit_of_open_files_that_suffices_is_healthy(c):
    system(c)


@seen("broken", "error cudnn-damaged", says=("/opt/closed",),
      LD_LIBRARY_PATH=f"/opt/closed:{OPT}")  # fmt: skip
def file_in_front_that_is_a_folder(c):
    system(c)
    c.write("/opt/closed/libcudnn.so.9/notes")


@seen("broken", "error cudnn-damaged", says=("/opt/loop",), LD_LIBRARY_PATH=f"/opt/loop:{OPT}")
def link_in_front_that_leads_to_itself(c):
    system(c)
    c.at("/opt/loop/libcudnn.so.9").symlink_to("libcudnn.so.9")


@seen("broken", "error variable-stops-cudnn", says=("0,0",), never=("estart the computer",),
      LD_LIBRARY_PATH=OPT, CUDA_VISIBLE_DEVICES="0,0")  # fmt: skip
def gpu_named_twice(c):
    system(c)


@seen("broken", "error settings-stop-cudnn", says=("/opt/old", "CUDA_FORCE_ODDITY"),
      LD_LIBRARY_PATH=f"/opt/old:{OPT}", CUDA_FORCE_ODDITY="1")  # fmt: skip
def two_settings_that_only_together_are_the_cause(c):
    system(c)
    c.driver(lab.RTX_4090, refuses="CUDA_FORCE_ODDITY")
    split(c.at("/opt/old"), "9.5.1", "cudnn_cnn")


@seen("broken", "error cudnn-damaged", LD_LIBRARY_PATH=OPT)
def part_that_is_a_text(c):
    system(c)
    images.put(c.at(OPT), "libcudnn_ops.so.9", data=b"version https://git-lfs.github.com/spec/v1\n")


@seen("broken", "error cudnn-part-missing", says=("libcudnn_cnn.so.9",), LD_LIBRARY_PATH=OPT)
def part_that_hides_behind_another_name(c):
    system(c)
    c.at(f"{OPT}/libcudnn_cnn.so.9").rename(c.at(f"{OPT}/libcudnn_cnn.so.9.bak"))


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.parametrize("name", CASES)
def test_unlisted(tmp_path, name):
    holds(CASES[name], tmp_path)
