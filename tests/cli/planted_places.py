"""Where somebody may plant code for a look to run: a table, and a home in which all of it lies.

What is planted writes its own path into a witness as soon as it is loaded, imported or started.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parents[2]
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
PYTHON = os.path.realpath(sys.executable)
SITE = f"lib/python{VERSION}/site-packages"
LIBRARIES = f"{SITE}/nvidia/cudnn/lib"
LIBRARY = f"{LIBRARIES}/libcudnn.so.9"
HERE = "Downloads/repo/deep"
"""Where the person stands when they start the program."""

LIBRARY_SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void started(void) {
    Dl_info own;
    char path[PATH_MAX + 1];
    int witness = open(WITNESS, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (!dladdr((void *)started, &own) || !realpath(own.dli_fname, path)) strcpy(path, "unknown");
    write(witness, strcat(path, "\\n"), strlen(path) + 1);
    close(witness);
}
unsigned la_version(unsigned version) { return version; }
unsigned long cudnnGetVersion(void) { return 91002; }
"""
MODULE = "open({witness!r}, 'a').write(__file__ + '\\n')\n"
FRAMEWORK = MODULE + "import what_is_not_there\n"
"""Soon over: no test is repeated for it."""
START = "import sys; open({witness!r}, 'a').write({path!r} + '\\n')\n"
PROGRAM = '#!/bin/sh\necho {path} >> {witness}\nexec {python} "$@"\n'
HOOK = "echo {path} >> {witness}\n"

LIES_ABOUT = (
    *(f"{HERE}/{name}" for name in (".venv", "venv", "env", ".env", "python", "python_embedded")),
    "Downloads/repo/.venv", "Downloads/repo/venv", "Downloads/repo/env", "Downloads/.venv",
    "Downloads/unpacked", "Downloads/archive/.venv", "Desktop/game/.venv", "Documents/a/b/.venv",
    "code/x/.venv", "code/x/y/venv", "projects/p/env", "src/s/.env", "git/g/.venv",
    "notebooks/n/.venv", "work/w/venv", "Public/tool",
)  # fmt: skip
"""Environments of the person's own account that are in use nowhere: they were unpacked, cloned or
copied there."""

UNPACKED = (
    "Downloads/cudnn-linux-x86_64-9.10.2.21_cuda12-archive/lib", "Downloads/cudnn/lib64",
    "Downloads/cuda/lib64", "Desktop/cudnn/lib", "cudnn-9/lib", "cuda/lib64", "lib", ".local/lib",
    "spack/opt/spack/linux-zen3/cudnn-9/lib", ".local/easybuild/software/cuDNN/9/lib",
)  # fmt: skip
"""Copies of cuDNN of the person's own account that no setting leads to."""

SPOILED: dict[str, str] = {
    ".venv": "", "venv-old": "bin", "env": SITE, "envs/a": LIBRARIES, "venvs/a": LIBRARY,
    ".venvs/a": f"{SITE}/torch", ".envs/a": "pyvenv.cfg", ".virtualenvs/a": f"{SITE}/zz.pth",
    "virtualenvs/a": "", ".local/share/virtualenvs/a": "", ".cache/pypoetry/virtualenvs/a": "",
    ".local/share/hatch/env/virtual/p/h/a": "", ".local/share/uv/tools/a": "bin",
    ".local/share/pipx/venvs/a": "", ".local/pipx/venvs/a": SITE,
    ".pyenv/versions/3.9.1/envs/a": "", "miniconda3": "", "miniforge3/envs/a": "lib",
    "anaconda3/envs/a": "etc/conda/activate.d/a.sh", ".conda/envs/a": "",
    ".local/share/mamba/envs/a": LIBRARY, "by/path": "bin", "by/active": "", "by/conda": LIBRARY,
    "by/workon/a": "", "by/tools/a": "", "by/pipx/venvs/a": "", "by/mamba/envs/a": SITE,
    "by/condas/a": "", "by/project": "", "by/listed": f"{SITE}/torch", "by/base": "",
    "by/base2/envs/b": "", "by/pyenv/versions/a": "", "by/pixi/envs/a": "",
}  # fmt: skip
"""Environments that programs use, and what of them every account may write."""
CONDA = ("miniconda3", "miniforge3/envs/a", "anaconda3/envs/a", ".conda/envs/a", "by/conda")

SETTINGS = {
    "PATH": "{home}/own/bin:{home}/by/path/bin:{home}/by/programs:bin:.venv/bin:/usr/bin:/bin",
    "VIRTUAL_ENV": "{home}/by/active",
    "CONDA_PREFIX": "{home}/by/conda",
    "WORKON_HOME": "{home}/by/workon",
    "UV_TOOL_DIR": "{home}/by/tools",
    "PIPX_HOME": "{home}/by/pipx",
    "MAMBA_ROOT_PREFIX": "{home}/by/mamba",
    "PIXI_HOME": "{home}/by/pixi",
    "CONDA_ENVS_PATH": "{home}/by/condas",
    "UV_PROJECT_ENVIRONMENT": "{home}/by/project",
    "CONDA_EXE": "{home}/by/base2/bin/conda",
    "PYENV_ROOT": "{home}/by/pyenv",
    "PYTHONSTARTUP": "{home}/by/startup.py",
}
TEXTS = {".conda/environments.txt": "{home}/by/listed\n{home}/by/base\n"}

NEVER: dict[str, str] = {
    **{f"{HERE}/{name}.py": MODULE for name in (
        "torch", "numpy", "json", "ctypes", "site", "sitecustomize", "usercustomize", "msgspec",
        "encodings", "cudnn_assistant")},
    **{f"by/programs/{name}": PROGRAM for name in (
        "nvidia-smi", "nvcc", "ldconfig", "ldd", "lspci", "uname", "lsb_release", "rpm", "dpkg",
        "dpkg-query", "conda", "mamba", "uv", "pip", "git", "sh", "env", "which", "cudnn-assistant",
        "systemd-detect-virt", "modinfo", "getent")},
    "by/startup.py": MODULE,
    "own/etc/conda/activate.d/a.sh": HOOK,
    "own/bin/activate": HOOK,
}  # fmt: skip
"""What no yes is asked for, because it is never run."""
ASKED = (*LIES_ABOUT, *UNPACKED, *SPOILED)
"""What runs as soon as somebody says yes to it."""
PLANTED = (*ASKED, *NEVER)


RELATIVE = {
    "PATH": "{home}/.pyenv/shims:.venv/bin:{home}/own/bin:/usr/bin:/bin",
    "VIRTUAL_ENV": ".venv",
    "CONDA_PREFIX": "./.venv",
    "UV_PROJECT_ENVIRONMENT": "../deep/.venv",
    "WORKON_HOME": ".",
    "CONDA_ENVS_PATH": ".",
    "UV_TOOL_DIR": "../deep",
    "CONDA_EXE": ".venv/bin/conda",
    "PYENV_ROOT": "by",
}
"""Settings that mean what lies in the folder where the person happens to be."""
CHOSEN = ("../../Downloads/repo/deep/.venv", "{home}/Downloads/repo/deep/.venv")
"""What a project's own file names as the version of Python that pyenv is to start."""


class Brought(NamedTuple):
    """A setting that brings code of others into programs which are the person's own."""

    settings: dict[str, str]
    plants: dict[str, str] = {}  # noqa: RUF012  (never changed)
    """What is written into a file; what is no line makes it a library, which needs that one."""
    spoiled: str = "shared"
    """What every account may write, and what is said yes to."""


LIBRARY_HERE = {"shared/libcudnn.so.9": ""}
BROUGHT: dict[str, Brought] = {
    "searched": Brought({"LD_LIBRARY_PATH": "{home}/shared"}, LIBRARY_HERE),
    "searched for a newer processor": Brought(
        {"LD_LIBRARY_PATH": "{home}/lib"},
        {"lib/glibc-hwcaps/x86-64-v3/libcudnn.so.9": "", "lib/glibc-hwcaps/x86-64-v2/libcudnn.so.9":
         ""}, "lib/glibc-hwcaps"),
    "searched from here": Brought({"LD_LIBRARY_PATH": ":/nowhere"},
                                  {f"{HERE}/libcudnn.so.9": ""}, HERE),
    "preloaded": Brought({"LD_PRELOAD": "{home}/shared/libx.so"}, {"shared/libx.so": ""}),
    "auditing": Brought({"LD_AUDIT": "{home}/shared/libx.so"}, {"shared/libx.so": ""}),
    "searched for what a child needs": Brought({"LD_LIBRARY_PATH": "{home}/shared"},
                                               {"shared/libm.so.6": ""}),
    "named as cuDNN": Brought({"CUDNN_PATH": "{home}/shared"}, LIBRARY_HERE),
    "named as the toolkit": Brought({"CUDA_HOME": "{home}/shared"},
                                    {"shared/lib64/libcudnn.so.9": ""}),
    "beside a copy, as in wheels": Brought(
        {"CUDNN_PATH": "{home}/sys/nvidia/cudnn"},
        {"sys/nvidia/cublas/lib/libcublasLt.so.12": "",
         "sys/nvidia/cudnn/lib/libcudnn.so.9": "libcublasLt.so.12"}, "sys/nvidia/cublas/lib"),
    "listed for Python": Brought({"PYTHONPATH": "{home}/shared"},
                                 {"shared/sitecustomize.py": MODULE, "shared/torch.py": MODULE}),
    "set by an activation": Brought({}, {
        "own/bin/activate": "export LD_PRELOAD={home}/shared/libx.so\n",
        "shared/libx.so": ""}),
}  # fmt: skip


class Ended(NamedTuple):
    """How the program ended, and which of the planted things were run meanwhile."""

    code: int
    ran: frozenset[str]
    said: str


class Home:
    """A person's home with an environment of their own, a GPU, and what others have planted."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o755)
        self.home = (folder / "home").resolve()
        self.witness = folder / "witness"
        self.settings: dict[str, str] = {}
        (self.home / HERE).mkdir(parents=True)
        self.environment("own")

    def environment(self, name: str, spoiled: str | None = None) -> None:
        """An environment with PyTorch and cuDNN, each of which tells when it runs."""
        root = self.home / name
        (root / "bin").mkdir(parents=True)
        (root / "bin" / "python").symlink_to(PYTHON)
        (root / "pyvenv.cfg").write_text(f"home = {os.path.dirname(PYTHON)}\nversion = {VERSION}\n")
        if name in CONDA:
            (root / "conda-meta").mkdir()
            self.put(f"{name}/etc/conda/activate.d/a.sh", "export CUDA_HOME=/nowhere\n")
        for project, version in (("torch", "2.8.0"), ("nvidia-cudnn-cu12", "9.10.2.21")):
            info = f"{name}/{SITE}/{project.replace('-', '_')}-{version}.dist-info/METADATA"
            self.put(info, f"Name: {project}\nVersion: {version}\n")
        self.put(f"{name}/{SITE}/torch/version.py", "__version__ = '2.8.0'\ncuda = '12.8'\n")
        self.put(f"{name}/{SITE}/torch/__init__.py", FRAMEWORK)
        self.put(f"{name}/{SITE}/zz.pth", START)
        self.library(f"{name}/{LIBRARY}")
        if spoiled is not None:
            (root / spoiled).chmod(0o777)

    def put(self, name: str, text: str) -> Path:
        """A file with the witness's path filled in."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        known = {"witness": str(self.witness), "path": str(path), "python": PYTHON}
        path.write_text(text.format(home=self.home, **known) if "{" in text else text)
        if text == PROGRAM:
            path.chmod(0o755)
        return path

    def library(self, name: str, needs: str = "") -> Path:
        """A library that tells when it is loaded; it may need another one of the home."""
        made = self.witness.with_name(f"plant-{needs}.so")
        if not made.exists():
            source = self.witness.with_name("plant.c")
            source.write_text(LIBRARY_SOURCE)
            options = ["-shared", "-fPIC", "-w", f'-DWITNESS="{self.witness}"', "-o", made, source]
            for other in self.home.rglob(needs) if needs else ():
                options += ["-Wl,--no-as-needed", f"-L{other.parent}", f"-l:{needs}"]
            subprocess.run(["gcc", *options], check=True)
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(made, path))

    def run(self, *words: str, **settings: str) -> Ended:
        """The program as somebody who isn't root starts it, in the folder ``HERE``.

        The settings come once it has started: what Python or the loader itself would make of them
        before isn't the program's doing.
        """
        self.witness.unlink(missing_ok=True)
        told = {**self.settings, **settings}
        known = {
            "HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANGUAGE": "en",
            "CUDNN_ASSISTANT_ASK": "no", **{n: t.format(home=self.home) for n, t in told.items()},
        }  # fmt: skip
        launch = [sys.executable, "-I", "-c", _LAUNCH, json.dumps(known), str(REPOSITORY), *words]
        done = subprocess.run(
            [*SOMEBODY, *launch],
            cwd=self.home / HERE, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
            timeout=120,
        )  # fmt: skip
        ran = self.witness.read_text().split("\n") if self.witness.exists() else []
        inside = {os.path.relpath(path, self.home) for path in ran if path}
        return Ended(done.returncode, frozenset(inside), done.stdout + done.stderr)


_LAUNCH = """
import json, os, sys
known, root = sys.argv[1:3]
os.environ.clear()
os.environ.update(json.loads(known))
sys.path.insert(0, root)
sys.argv[:] = ["cudnn-assistant", *sys.argv[3:]]
from cudnn_assistant.__main__ import main
sys.exit(main())
"""
SOMEBODY = ("unshare", "--user", "--map-user=1000") if os.geteuid() == 0 else ()
"""Root takes nothing from others even with a yes; in a namespace of its own it is somebody else."""


def rows(ran: Iterable[str], planted: Iterable[str]) -> set[str]:
    """The rows of the table that what ran belongs to; what belongs to none stays as it is."""
    names = sorted(planted, key=len, reverse=True)
    return {next((n for n in names if f"{path}/".startswith(f"{n}/")), path) for path in ran}


def whole(folder: Path, driver: Mapping[str, str]) -> Home:
    """A home in which everything of the tables lies at once."""
    home = Home(folder)
    home.settings = {**SETTINGS, **driver}
    for name in LIES_ABOUT:
        home.environment(name)
    for name in UNPACKED:
        home.library(f"{name}/libcudnn.so.9")
    for name, spoiled in SPOILED.items():
        home.environment(name, spoiled)
    for name, text in {**NEVER, **TEXTS}.items():
        home.put(name, text)
    return home
