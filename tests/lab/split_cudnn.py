"""A cuDNN of several files that check each other's version, and a PyTorch that is linked with it.

Both find their libraries as the real ones do: cuDNN's main file opens its parts by name over its
RUNPATH, PyTorch asks the loader for the main file over an RPATH.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from base64 import urlsafe_b64encode
from functools import cache
from pathlib import Path

import driver as lab
import images
from test_computers import SITE, venv

sys.path.insert(0, str(Path(__file__).parents[1] / "trial"))
from forged_frameworks import TORCH

OWN = f"{SITE}/nvidia/cudnn/lib"
STEMS = images.NINE

_LINKED = """
#include <stddef.h>
size_t cudnnGetVersion(void);
int cudnnOpsVersionCheck(void), cudnnCnnVersionCheck(void), cudnnCreate(void **);
size_t version(void) { return cudnnGetVersion(); }
int start(void) {
    void *handle;
    return cudnnOpsVersionCheck() || cudnnCnnVersionCheck() || cudnnCreate(&handle);
}
"""
_OWN_WORD = """
import ctypes
_lib = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "lib", "libtorch_cuda.so"))
_lib.version.restype = ctypes.c_size_t
def _version():
    found, built = _lib.version(), 91002
    if found // 10000 != built // 10000 or found % 10000 // 100 < built % 10000 // 100:
        raise RuntimeError("cuDNN version incompatibility: PyTorch was compiled against (9, 10, 2) "
            f"but found runtime version {found}. PyTorch already comes bundled with cuDNN.")
    return found
for _name in ("libcublas.so.12", "libcublasLt.so.12"):
    if not os.path.exists(os.path.join(os.path.dirname(__file__), "../nvidia/cublas/lib", _name)):
        raise OSError(f"{_name}: cannot open shared object file: No such file or directory")
def _start():
    if ctypes.CDLL("libcuda.so.1").cuInit(0):
        raise RuntimeError("No CUDA GPUs are available")
def _conv2d(x, w, padding, computed=conv2d):
    _version()
    if os.path.exists("/etc/stub/no-kernels"):
        raise RuntimeError("CUDA error: no kernel image is available for execution on the device")
    if _lib.start():
        raise RuntimeError("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED")
    return computed(x, w, padding)
cuda.init, cudnn.version, nn.functional.conv2d = _start, _version, _conv2d
"""
"""A forged PyTorch that says of its cuDNN what the real one says."""


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
    """A PyTorch 2.8 whose library is linked with the cuDNN of its package, by their records."""
    venv(c, version)
    own = c.at(OWN)
    shutil.rmtree(own)
    split(own, version)
    torch = c.at(f"{SITE}/torch/lib")
    source = c.others / "linked.c"
    source.write_text(_LINKED)
    (torch / "libtorch_cuda.so").unlink()
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-o", torch / "libtorch_cuda.so", source,
         own / "libcudnn.so.9", "-Wl,--disable-new-dtags",
         "-Wl,-rpath,$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN"], check=True,
    )  # fmt: skip
    c.write(f"{SITE}/torch/__init__.py", TORCH.replace("2.9.0", "2.8.0") + _OWN_WORD)
    text = f"Name: nvidia-cudnn-cu12\nVersion: {version}.21\n"
    c.write(f"{SITE}/nvidia_cudnn_cu12-{version}.21.dist-info/METADATA", text)
    record(c, f"nvidia_cudnn_cu12-{version}.21", own)


def record(c, package: str, folder: Path) -> None:
    """The record of a package: what pip wrote down of each of its files."""
    rows = []
    for file in sorted(folder.iterdir()):
        data = file.read_bytes()
        digest = urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        rows.append(f"nvidia/cudnn/lib/{file.name},sha256={digest},{len(data)}\n")
    c.write(f"{SITE}/{package}.dist-info/RECORD", "".join(rows))
