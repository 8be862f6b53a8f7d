"""A cuDNN of several files that check each other's version, and a PyTorch that is linked with it.

Its main file opens its parts by name over its RUNPATH, as the real one does.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from base64 import urlsafe_b64encode
from functools import cache
from pathlib import Path

import driver as lab
import images
from test_computers import SITE, venv

OWN = f"{SITE}/nvidia/cudnn/lib"
STEMS = images.NINE


def split(folder: Path, version: str, *stems: str) -> Path:
    """Files of a cuDNN 9 of this version in ``folder``, all or those named, as wheels have them."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem in stems or STEMS:
        target = folder / f"lib{stem}.so.9"
        target.unlink(missing_ok=True)
        shutil.copy(_library(stem, version), target)
    return folder


@cache
def _library(stem: str, version: str) -> Path:
    name = f"lib{stem}.so.9"
    target = lab.workshop() / version / name
    target.parent.mkdir(exist_ok=True)
    # The blank bytes make the size another in each version, as it is of real files.
    odd = sum(map(int, version.split("."))) % 97
    options = [f'-DPARTS="{version}"', f"-Wl,-soname,{name}", "-Wl,-rpath,$ORIGIN", "-w", "-lm"]
    symbol = f"_ZN5cudnn5graph{version.replace('.', '_')}Ev"
    kind: list[str | Path] = ["-DPART"]
    if stem == "cudnn":
        kind = []
    elif stem == "cudnn_graph":
        kind.append(f"-DGRAPH={symbol}")
    else:
        kind += [f"-DASKS={symbol}", _library("cudnn_graph", version), "-Wl,--no-as-needed"]
    source = lab.HERE / "cudnn_stub.c"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-DMAJOR=9", "-o", target, source, *kind, *options], check=True
    )
    with target.open("ab") as file:
        file.write(bytes(odd))
    return target


def linked_torch(c, version="9.10.2"):
    """A PyTorch 2.8 with a cuDNN of several files, by its record."""
    venv(c, version)
    own = c.at(OWN)
    shutil.rmtree(own)
    split(own, version)
    record(c, f"nvidia_cudnn_cu12-{version}.21", own)


def record(c, package: str, folder: Path) -> None:
    """The record of a package: what pip wrote down of each of its files."""
    rows = []
    for file in sorted(folder.iterdir()):
        data = file.read_bytes()
        digest = urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        rows.append(f"nvidia/cudnn/lib/{file.name},sha256={digest},{len(data)}\n")
    c.write(f"{SITE}/{package}.dist-info/RECORD", "".join(rows))
