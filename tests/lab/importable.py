"""Frameworks that a Python of the lab can import.

They find cuDNN as the real ones do, say what those say where they don't, and compute on the
processor.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import driver as lab

sys.path.insert(0, str(Path(__file__).parents[1] / "trial"))
import forged_frameworks as forged

_TORCH = """
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
    if not any(os.path.exists(os.path.join(os.path.dirname(__file__), _at, _name))
            for _at in ("../nvidia/cublas/lib", "../../../")):
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
"""A PyTorch that says of its cuDNN what the real one says."""

_LOADER = """
import ctypes, glob, os
def there(file):
    try:
        return ctypes.CDLL(file)
    except OSError:
        # Files that stand for libraries here are none that a loader takes.
        listed = "".join(open(conf).read() for conf in glob.glob("/etc/ld.so.conf.d/*"))
        return any(os.path.exists(f"{folder}/{file}") for folder in listed.split())
"""

_JAX = """
import contextlib, glob, logging, os, types
import _forged as torch, _loader
_own = os.path.join(os.path.dirname(__file__), "../nvidia/cudnn/lib/libcudnn.so.9")
_found = _loader.there(_own if os.path.exists(_own) else "libcudnn.so.9")
_fits = not glob.glob(os.path.join(os.path.dirname(__file__), "../jax_cuda12_plugin-*")) or \
    os.path.exists(os.path.join(os.path.dirname(__file__),
        f"../jax_cuda12_plugin-{__version__}.dist-info"))
if not _fits:
    logging.getLogger("jax._src.lib").warning(
        "JAX plugin jax_cuda12_plugin is installed, but it is not compatible with the installed "
        f"jaxlib version {__version__}, so it will not be used.")
elif not _found:
    try:
        raise RuntimeError("Unable to load cuDNN. Is it installed?")
    except RuntimeError:
        logging.getLogger("jax._src.xla_bridge").exception("Jax plugin configuration error")
def devices(kind):
    if not (_fits and _found):
        raise RuntimeError("Unknown backend: 'gpu' requested, but no platforms that are instances "
            "of gpu are present.")
    return [types.SimpleNamespace(device_kind="Forged GPU")]
default_device = lambda device: contextlib.nullcontext()
device_get = lambda y: y
lax = types.SimpleNamespace(conv=lambda x, w, steps, padding: torch.conv2d(x, w, padding=1))
"""


def torch(c, site, version="2.8.0+cu128"):
    """PyTorch, linked with the cuDNN of its package."""
    cudnn = lab.compiled("cudnn_stub.c", "libcudnn.so.9", "-DMAJOR=9", "-lm")
    found = (
        "-Wl,--disable-new-dtags",
        "-Wl,-rpath,$ORIGIN/../../nvidia/cudnn/lib:$ORIGIN/../../../..",
    )
    linked = lab.compiled("torch_stub.c", "libtorch_cuda.so", str(cudnn), *found)
    shutil.copy(linked, c.at(f"{site}/torch/lib/libtorch_cuda.so"))
    c.write(f"{site}/torch/__init__.py", forged.TORCH.replace("2.9.0+cu128", version) + _TORCH)


def onnxruntime(c, site, version, *files):
    """One that opens these files before it computes, and goes back to the processor as the real
    one does where the loader has none of them; it is forged to compute there all the same."""
    opens = f"""
import sys, _loader
def opened(self, model, providers):
    lost = [file for file in {files!r} if not _loader.there(file)]
    self.works = not lost
    for file in lost:
        sys.stderr.write("Failed to load library libonnxruntime_providers_cuda.so with error: "
            f"{{file}}: cannot open shared object file: No such file or directory\\n")
InferenceSession.__init__ = opened
"""
    text = forged.ONNXRUNTIME.replace("1.31.1", version)
    _written(c, site, "onnxruntime/__init__.py", text + opens)
    _written(c, site, "numpy.py", forged.NUMPY)


def tensorflow(c, site, version, *files):
    """TensorFlow, which lists no GPU where the loader lacks one of these files."""
    lost = f"import _loader\nlost = [f for f in {files!r} if not _loader.there(f)]\n"
    text = forged.TENSORFLOW.replace("2.20.0", version).replace(
        'os.environ.get("FORGED_GPU")', "(not lost)"
    )
    text = text.replace("libcudnn.so.8", '" + lost[0] + "')
    _written(c, site, "tensorflow/__init__.py", lost + text)


def jax(c, site, version):
    """JAX, which takes the cuDNN of its package or the system's, and no plugin for another JAX."""
    _written(c, site, "jax/__init__.py", f'__version__ = "{version}"\n{_JAX}')
    array = "\nArray.reshape = lambda self, *sizes: self\n"
    _written(c, site, "jax/numpy.py", forged.NUMPY + array.replace("Array", "torch.Tensor"))


def _written(c, site, name, text):
    c.write(f"{site}/{name}", text.replace("import os, torch", "import os, _forged as torch")
            .replace("import torch", "import _forged as torch"))  # fmt: skip
    c.write(f"{site}/_forged.py", forged.TORCH)
    c.write(f"{site}/_loader.py", _LOADER)
