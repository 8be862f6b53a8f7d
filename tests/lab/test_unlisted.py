"""Faults that stand in no list and that no rule was written for: they are named, or said honestly.

What names them are experiments with one difference, and what the loader and the mapped files say.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import computer
import driver as lab
import images
from computer import SYSTEM
from elftools.elf.elffile import ELFFile
from split_cudnn import OWN, linked_torch, split
from test_computers import SITE, VENV
from test_seen_failing import OPT, Seen, entering, holds, with_gpu

CASES: dict[str, Seen] = {}
seen = entering(CASES)
TORCH = {"VIRTUAL_ENV": VENV}
CONDA = "/home/person/miniconda3/envs/x"


def system(c):
    with_gpu(c)
    c.cuda()
    split(c.at(OPT), "9.10.2")


def listed(c, folder, *, cut=False):
    split(c.at(folder), "9.10.2")
    if cut:
        c.write(f"{folder}/libcudnn_ops.so.9", images.elf(cut=20))
    c.write(f"/etc/ld.so.conf.d/{folder.strip('/').replace('/', '-')}.conf", f"{folder}\n")


def library(c, path, source, *options):
    target = c.at(path)
    file = c.others / "odd.c"
    file.write_text(source)
    command = ["gcc", "-shared", "-fPIC", "-w", "-o", target, file, *options]
    subprocess.run(command, check=True)


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


@seen("broken", f"error python-start-stops-framework {VENV}", says=("odd.pth",), **TORCH)
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
    "info cudnn-part-missing",
    says=("/etc/ld.so.preload",),
    never=("MB",),
    **TORCH,
)
def preload_for_the_whole_computer(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/opt/old"), "9.5.1", "cudnn")
    c.after += "\necho /opt/old/libcudnn.so.9 > etc/ld.so.preload"


@seen("broken", "error cudnn-damaged", never=("ldconfig",), says=("/opt/2/lib",))
def cut_off_file_in_front_of_a_whole_copy_by_the_loader_s_list(c):
    system(c)
    listed(c, "/opt/1/lib", cut=True)
    listed(c, "/opt/2/lib")


@seen("broken", "error cudnn-damaged",
      says=("sudo sed -i 's|^/opt/1/lib/*$|#&|' /etc/ld.so.conf.d/opt-1-lib.conf",))  # fmt: skip
def cut_off_file_in_front_of_the_system_s_whole_copy(c):
    system(c)
    listed(c, "/opt/1/lib", cut=True)
    c.cudnn()


@seen("broken", "error cudnn-part-missing", never=("sudo sed",))
def parts_in_the_toolkit_in_front_of_the_system_s_whole_copy(c):
    system(c)
    split(c.at("/usr/local/cuda-12.9/lib64"), "9.1.0", "cudnn", "cudnn_graph", "cudnn_ops")
    c.cudnn()


@seen("broken", "error cudnn-not-on-path", never=("Download",),
      LD_LIBRARY_PATH="/srv/cudnn-linux-x86_64-9.10.2.21_cuda12-archive")  # fmt: skip
def list_that_names_the_unpacked_archive(c):
    with_gpu(c)
    c.cuda()
    split(c.at("/srv/cudnn-linux-x86_64-9.10.2.21_cuda12-archive/lib"), "9.10.2")


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


@seen("broken", "error cudnn-damaged", says=("/opt/pipe",), LD_LIBRARY_PATH=f"/opt/pipe:{OPT}")
def file_in_front_that_is_a_pipe(c):
    system(c)
    c.at("/opt/pipe").mkdir()
    os.mkfifo(c.at("/opt/pipe/libcudnn.so.9"))


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


# The loader, and files that lead elsewhere


@seen("broken", "error cudnn-mixed-versions", LD_LIBRARY_PATH="/opt/links")
def links_to_parts_of_two_versions(c):
    system(c)
    split(c.at("/opt/old"), "9.5.1", "cudnn_cnn")
    for stem in images.NINE:
        folder = "/opt/old" if stem == "cudnn_cnn" else OPT
        c.at(f"/opt/links/lib{stem}.so.9").symlink_to(f"{folder}/lib{stem}.so.9")


@seen("works", LD_LIBRARY_PATH="/opt/profile/lib")
def links_to_parts_that_each_lie_elsewhere_are_healthy(c):
    with_gpu(c)
    c.cuda()
    for stem in images.NINE:
        split(c.at(f"/store/{stem}/lib"), "9.10.2", stem)
        c.at(f"/opt/profile/lib/lib{stem}.so.9").symlink_to(f"/store/{stem}/lib/lib{stem}.so.9")


@seen("broken", "error cudnn-damaged",
      says=("libcudnn_ops.so.9 in /opt/cudnn/lib is a link to a file that isn't there",),
      never=("isn't whole",), LD_LIBRARY_PATH=OPT)  # fmt: skip
def part_that_is_a_link_to_nothing(c):
    system(c)
    c.at(f"{OPT}/libcudnn_ops.so.9").unlink()
    c.at(f"{OPT}/libcudnn_ops.so.9").symlink_to("libcudnn_ops.so.9.8.0")


@seen("works", f"warning cudnn-damaged {VENV}", **TORCH)
def own_part_that_leads_to_itself_where_the_system_s_serves(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/usr/lib/x86_64-linux-gnu"), "9.10.2")
    c.at(f"{OWN}/libcudnn_cnn.so.9").unlink()
    c.at(f"{OWN}/libcudnn_cnn.so.9").symlink_to("libcudnn_cnn.so.9")


@seen("broken", f"error package-changed {VENV}", says=("libcudnn_ops.so.9",), **TORCH)
def own_part_of_the_right_size_whose_code_is_lost(c):
    with_gpu(c)
    linked_torch(c)
    with c.at(f"{OWN}/libcudnn_ops.so.9").open("r+b") as file:
        code = ELFFile(file).get_section_by_name(".text")
        file.seek(code["sh_offset"])
        file.write(b"\0" * code["sh_size"])


@seen("broken", f"error cudnn-part-missing {VENV}", says=("cuDNN 9.10.2 lacks",),
      never=("takes the place",), **TORCH)  # fmt: skip
def own_part_that_is_gone_where_the_system_s_is_older(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/usr/lib/x86_64-linux-gnu"), "9.5.1")
    c.at(f"{OWN}/libcudnn_ops.so.9").unlink()


AUDIT = """
#define _GNU_SOURCE
#include <link.h>
#include <string.h>
unsigned la_version(unsigned version) { return version; }
char *la_objsearch(const char *name, uintptr_t *who, unsigned flag) {
    return strstr(name, "libcudnn_ops") ? 0 : (char *)name;
}
"""


@seen("broken", "error variable-stops-cudnn", says=("LD_AUDIT", "/opt/audit.so"),
      LD_LIBRARY_PATH=OPT, LD_AUDIT="/opt/audit.so")  # fmt: skip
def audit_library_that_hides_a_part(c):
    system(c)
    library(c, "/opt/audit.so", AUDIT)


@seen("works", LD_LIBRARY_PATH=OPT, LD_AUDIT="/opt/gone.so", LD_PRELOAD="/opt/gone.so",
      LD_BIND_NOW="1", GLIBC_TUNABLES="glibc.malloc.tcache_count=0")  # fmt: skip
def settings_of_the_loader_that_harm_nothing_are_healthy(c):
    system(c)


@seen("broken", "error cudnn-not-on-path", says=("/opt/cudnn-moved/lib",))
def folder_that_was_moved_after_the_loader_had_listed_it(c):
    with_gpu(c)
    c.cuda()
    split(c.at("/opt/cudnn-9.10/lib"), "9.10.2")
    c.write("/etc/ld.so.conf.d/cudnn.conf", "/opt/cudnn-9.10/lib\n")
    c.after += "\nmv opt/cudnn-9.10 opt/cudnn-moved"


# Lists of folders and of GPUs


@seen("broken", "error working-folder-stops-cudnn", says=("old/lib", "whole name of the folder"),
      LD_LIBRARY_PATH=f"old/lib:{OPT}", shell="cd /home/person")  # fmt: skip
def relative_entry_that_leads_to_another_version(c):
    system(c)
    split(c.at("/home/person/old/lib"), "9.5.1", "cudnn_ops")


@seen("works", LD_LIBRARY_PATH=f"lib:{OPT}", shell="cd /home/person")
def relative_entry_that_leads_to_nothing_is_healthy(c):
    system(c)


@seen("broken", "error search-entry-stops-cudnn", says=("/opt/old",),
      LD_LIBRARY_PATH=f"/opt/old:/opt/old/:{OPT}:/opt/old")  # fmt: skip
def entry_in_three_places(c):
    system(c)
    split(c.at("/opt/old"), "9.5.1", "cudnn_ops")


@seen("works", LD_LIBRARY_PATH=f"{OPT}/:{OPT}:/opt//cudnn/lib")
def one_folder_in_three_spellings_is_healthy(c):
    system(c)


@seen("broken", "error search-entry-stops-cudnn", says=("/opt/olddriver",),
      never=("estart the computer",), LD_LIBRARY_PATH="/opt/olddriver")  # fmt: skip
def library_of_another_driver_in_front(c):
    c.healthy()
    facts = {"driver": "535.183.01", "nvml_init": 18, "cu_init": 803}
    lab.write(c.at("/opt/olddriver"), lab.RTX_4090, **facts)


@seen("broken", "error search-entry-stops-cudnn", says=("/opt/blas",),
      LD_LIBRARY_PATH=f"/opt/blas:{OPT}")  # fmt: skip
def empty_cublas_in_front(c):
    with_gpu(c)
    c.cuda()
    blas = c.others / "libcublas.so.12"
    options = ("gcc", "-shared", "-fPIC", "-w", "-Wl,--no-as-needed")
    subprocess.run(
        [*options, f"-Wl,-soname,{blas.name}", "-xc", "/dev/null", "-o", blas], check=True
    )
    stub = (lab.HERE / "cudnn_stub.c", "-DMAJOR=8", "-Wl,-soname,libcudnn.so.8", "-lm", blas)
    whole = c.cudnn(OPT, "8.5.0") / "libcudnn.so.8.5.0"
    subprocess.run([*options, "-o", whole, *stub], check=True)
    shutil.copy(blas, c.at("/usr/local/cuda-12.9/lib64/libcublas.so.12"))
    c.write("/opt/blas/libcublas.so.12")


def hidden(value):
    name = f"gpu_hidden_by_{''.join(filter(str.isalnum, value)) or 'nothing'}"
    plant = type(system)(system.__code__, globals(), name)
    seen("broken", "error gpu-hidden", LD_LIBRARY_PATH=OPT, CUDA_VISIBLE_DEVICES=value)(plant)


for _value in ("", "1", "all", "cuda:0", "MIG-3a4f", "GPU-deadbeef-0000"):
    hidden(_value)


@seen("works", LD_LIBRARY_PATH=OPT, CUDA_VISIBLE_DEVICES="0,7")
def gpu_that_is_not_there_behind_one_that_is_healthy(c):
    system(c)


@seen("broken", f"error search-entry-stops-cudnn {VENV}", "warning leaked-library-folder",
      says=("/tmp/_MEIa1b2c3",), LD_LIBRARY_PATH="/tmp/_MEIa1b2c3", **TORCH)  # fmt: skip
def folder_of_a_packaged_program_in_front(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/tmp/_MEIa1b2c3"), "9.5.1", "cudnn_ops")


# Settings and limits


@seen("broken", "error variable-stops-cudnn", says=("MALLOC_ODDITY",), never=("geheim",),
      LD_LIBRARY_PATH=OPT, MALLOC_ODDITY="geheim")  # fmt: skip
def setting_that_nobody_has_heard_of(c):
    system(c)
    c.driver(lab.RTX_4090, refuses="MALLOC_ODDITY")


@seen("broken", "error settings-stop-cudnn", says=("/opt/profiler.so", "CUDA_VISIBLE_DEVICES=1"),
      LD_LIBRARY_PATH=OPT, LD_PRELOAD="/opt/profiler.so", CUDA_VISIBLE_DEVICES="1")  # fmt: skip
def preload_and_hidden_gpu(c):
    profiler_in_front_of_the_c_library(c)


@seen("broken", "error preload-stops-cudnn", says=("/opt/profiler.so",),
      LD_LIBRARY_PATH=OPT, LD_PRELOAD="/opt/harmless.so /opt/profiler.so")  # fmt: skip
def one_of_two_preloads(c):
    profiler_in_front_of_the_c_library(c)
    library(c, "/opt/harmless.so", "int harmless(void) { return 0; }")


@seen("broken", "error limit-too-low", says=("ulimit -v 8000000",), never=("memory is full",),
      LD_LIBRARY_PATH=OPT, shell="ulimit -v 8000000")  # fmt: skip
def limit_of_address_space_that_nobody_may_raise(c):
    system(c)
    c.driver(lab.RTX_4090, window=48 << 30)


@seen(
    "works", LD_LIBRARY_PATH=OPT, shell="ulimit -l 64; ulimit -n 256; ulimit -u 4000; ulimit -c 0"
)
def limits_that_suffice_are_healthy(c):
    system(c)


@seen("works", LD_LIBRARY_PATH=OPT)
def folder_that_may_be_searched_but_not_listed_is_healthy(c):
    system(c)
    c.everyday()
    c.after += "\nchmod 0711 opt/cudnn/lib"


@seen("works", LD_LIBRARY_PATH=OPT)
def home_that_nobody_can_write_is_healthy(c):
    system(c)
    c.after += "\nmount --bind home/person home/person && mount -o remount,ro,bind home/person"


# What a convolution does without


@seen("works", "warning framework-spares-cudnn-fault", says=("/opt/old",),
      LD_LIBRARY_PATH=f"/opt/old:{OPT}")  # fmt: skip
def part_for_rare_programs_of_another_version(c):
    system(c)
    split(c.at("/opt/old"), "9.5.1", "cudnn_adv")


# Python


@seen("broken", f"error search-entry-stops-cudnn {CONDA}", says=("/opt/old",))
def activation_that_puts_another_version_in_front(c):
    with_gpu(c)
    linked_torch(c)
    c.at(VENV).rename(c.at(CONDA))
    c.write(f"{CONDA}/conda-meta/history")
    c.write(f"{CONDA}/etc/conda/activate.d/x.sh", "export LD_LIBRARY_PATH=/opt/old\n")
    split(c.at("/opt/old"), "9.5.1", "cudnn_cnn")


KERNEL = "/home/person/.local/share/jupyter/kernels/nb/kernel.json"


def notebook(c, **said):
    """An environment that no terminal has activated: one of Jupyter's kernels starts it."""
    with_gpu(c)
    linked_torch(c)
    spec = {"argv": [f"{VENV}/bin/python", "-m", "ipykernel_launcher"], "env": said}
    c.write(KERNEL, json.dumps(spec))


@seen("broken", f"error search-entry-stops-cudnn {VENV}", says=("/opt/old", KERNEL))
def kernel_of_notebooks_that_puts_another_version_in_front(c):
    notebook(c, LD_LIBRARY_PATH="/opt/old:${LD_LIBRARY_PATH}")
    split(c.at("/opt/old"), "9.5.1", "cudnn_cnn")


@seen("broken", f"error variable-stops-cudnn {VENV}", says=("PYTHONPATH", KERNEL))
def kernel_of_notebooks_that_puts_a_stray_pytorch_in_front(c):
    notebook(c, PYTHONPATH="/home/person/code")
    c.write("/home/person/code/torch/__init__.py", "raise RuntimeError('a stray torch')\n")


@seen("works", "info spare-cudnn-not-searched")
def kernel_of_notebooks_that_brings_what_they_need_is_healthy(c):
    notebook(c, LD_LIBRARY_PATH=OPT)
    c.cuda()
    shutil.move(c.at(OWN), c.at(OPT))
    torch = c.at(f"{SITE}/torch-2.8.0.dist-info/METADATA")
    torch.write_text("Name: torch\nVersion: 2.8.0\n")
    shutil.rmtree(c.at(f"{SITE}/nvidia_cudnn_cu12-9.10.2.21.dist-info"))


@seen("broken", f"error python-start-stops-framework {VENV}", says=("hide.pth",), **TORCH)
def gpu_hidden_when_python_starts(c):
    with_gpu(c)
    linked_torch(c)
    c.write(f"{SITE}/hide.pth", "import os; os.environ['CUDA_VISIBLE_DEVICES'] = '-1'\n")
    c.write(f"{SITE}/harmless.pth", "import os; os.environ.setdefault('COVERAGE', '1')\n")


@seen("broken", f"error python-start-stops-framework {VENV}", says=("first.pth",), **TORCH)
def stray_pytorch_that_python_puts_in_front(c):
    with_gpu(c)
    linked_torch(c)
    c.write("/home/person/stray/torch/__init__.py", "raise RuntimeError('an old torch')\n")
    c.write(f"{SITE}/first.pth", "import sys; sys.path.insert(0, '/home/person/stray')\n")


@seen("broken", f"error search-entry-stops-cudnn {VENV}",
      says=("/opt/cuda-12.1",), never=("unset LD_LIBRARY_PATH",),
      LD_LIBRARY_PATH="/opt/mine:/opt/cuda-12.1", **TORCH)  # fmt: skip
def library_of_an_older_cuda_that_the_import_meets(c):
    with_gpu(c)
    linked_torch(c)
    images.put(c.at("/opt/cuda-12.1"), "libnvJitLink.so.12")
    images.put(c.at("/opt/mine"), "libmine.so.1")
    said = "libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4"
    meets = f"if 'cuda-12.1' in os.environ.get('LD_LIBRARY_PATH', ''): raise ImportError('{said}')"
    torch = c.at(f"{SITE}/torch/__init__.py")
    torch.write_text(f"import os\n{meets}\n{torch.read_text()}")


@seen("works", PYTHONPATH="/home/person/code", **TORCH)
def files_that_python_starts_with_and_harm_nothing_are_healthy(c):
    with_gpu(c)
    linked_torch(c)
    c.write(f"{SITE}/harmless.pth", "import os; os.environ.setdefault('COVERAGE', '1')\n")
    c.write("/home/person/code/nvidia/__init__.py")
    c.write(f"{SITE}/~orch/lib/libtorch_cuda.so", images.elf())
    c.write(f"{SITE}/~orch-2.7.0.dist-info/METADATA", "Name: torch\nVersion: 2.7.0\n")


@seen("broken", f"error variable-stops-cudnn {VENV}", says=("/opt/python38",),
      PYTHONHOME="/opt/python38", **TORCH)  # fmt: skip
def home_of_another_python(c):
    with_gpu(c)
    linked_torch(c)


@seen("broken", f"error package-incomplete {VENV}", **TORCH)
def files_that_another_package_took_along(c):
    with_gpu(c)
    linked_torch(c)
    for file in c.at(OWN).glob("libcudnn*"):
        if file.name != "libcudnn_graph.so.9":
            file.unlink()


@seen("broken", f"error package-changed {VENV}", "info spare-cudnn-not-searched",
      never=("ldconfig",), **TORCH)  # fmt: skip
def main_file_of_a_wheel_that_is_a_link_to_another_version(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/opt/old"), "9.5.1")
    c.at(f"{OWN}/libcudnn.so.9").unlink()
    c.at(f"{OWN}/libcudnn.so.9").symlink_to("/opt/old/libcudnn.so.9")


@seen("works", "info spare-cudnn-not-searched", **TORCH)
def files_of_a_wheel_that_are_links_to_the_same_version_are_healthy(c):
    with_gpu(c)
    linked_torch(c)
    split(c.at("/opt/same"), "9.10.2")
    for file in c.at(OWN).glob("libcudnn*"):
        file.unlink()
        file.symlink_to(f"/opt/same/{file.name}")


def newer(c, folder):
    """A part of cuDNN that asks for a C library newer than any."""
    names = c.others / "names.map"
    names.write_text("GLIBC_2.99 { global: *; };")
    built = c.others / "libm.so.6"
    library(c, "/opt/newer", "void later(void) {}", "-Wl,-soname,libm.so.6",
            f"-Wl,--version-script={names}")  # fmt: skip
    shutil.move(c.at("/opt/newer"), built)
    c.at(f"{folder}/libcudnn_ops.so.9").unlink()
    library(c, f"{folder}/libcudnn_ops.so.9", "void later(void); void f(void) { later(); }",
            "-Wl,-soname,libcudnn_ops.so.9", str(built))  # fmt: skip


@seen("broken", "error c-library-too-old", says=("2.99",), LD_LIBRARY_PATH=OPT)
def part_for_a_newer_linux(c):
    system(c)
    newer(c, OPT)


@seen("broken", f"error search-folder-closed {VENV}", says=(f"{SITE}/nvidia",),
      never=("aren't there",), **TORCH)  # fmt: skip
def packages_that_the_administrator_installed_for_himself(c):
    with_gpu(c)
    linked_torch(c)
    c.everyday()
    c.after += f"\nchown -R 0:0 .{SITE}/nvidia; chmod -R go-rwx .{SITE}/nvidia"


@seen("broken", f"error search-folder-closed {VENV}", says=(OWN,), **TORCH)
def cudnn_of_the_administrator_alone_where_the_system_s_is_older(c):
    # As on a real computer: JAX takes the system's, PyTorch refuses it.
    with_gpu(c)
    c.cuda()
    split(c.at(SYSTEM), "9.5.1")
    linked_torch(c)
    c.everyday()
    c.after += f"\nchown -R 0:0 .{OWN}; chmod 700 .{OWN}"


@seen("broken", "error cudnn-not-on-path", says=("archive/lib",), never=("MB",))
def archive_unpacked_as_it_is_inside_the_toolkit(c):
    with_gpu(c)
    folder = c.cuda() + "/cudnn-linux-x86_64-9.10.2.21_cuda12-archive/lib"
    split(c.at(folder), "9.10.2")


def installed_with_target(c):
    """The packages in a folder of PYTHONPATH, as ``pip install --target`` puts them."""
    with_gpu(c)
    linked_torch(c)
    shutil.move(c.at(SITE), c.at("/opt/packages"))
    shutil.rmtree(c.at(VENV))


@seen("works", PYTHONPATH="/opt/packages")
def packages_of_pythonpath_are_healthy(c):
    installed_with_target(c)


@seen("broken", "error cudnn-part-missing /opt/packages", says=("unset PYTHONPATH",),
      PYTHONPATH="/opt/packages")  # fmt: skip
def part_of_a_package_of_pythonpath_is_gone(c):
    installed_with_target(c)
    c.at("/opt/packages/nvidia/cudnn/lib/libcudnn_ops.so.9").unlink()


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.spread(8)
@pytest.mark.parametrize("name", CASES)
def test_unlisted(tmp_path, name):
    holds(CASES[name], tmp_path)


@pytest.mark.skipif(bool(computer.impossible()), reason=computer.impossible() or "-")
@pytest.mark.parametrize("whole", [False, True])
def test_a_watched_program_is_told_what_its_own_copy_lacks(tmp_path, whole):
    c = computer.Computer(tmp_path / "computer")
    with_gpu(c)
    c.cuda()
    folder = "/srv/game/libraries"
    split(c.at(folder), "9.10.2")
    if not whole:
        c.at(f"{folder}/libcudnn_ops.so.9").unlink()
    program = (
        "import ctypes, time; ctypes.CDLL('libcudnn.so.9').cudnnGetVersion(); time.sleep(1);"
        "raise SystemExit(3)"
    )
    ours = (sys.executable, "-I", "-m", "cudnn_assistant", "watch", "--", "python3", "-c", program)
    done = c.run(*ours, LD_LIBRARY_PATH=folder)
    assert done.returncode == 3
    assert f"from {folder}" in done.stderr
    assert ("lacks the file libcudnn_ops.so.9" in done.stderr) is not whole, done.stderr
