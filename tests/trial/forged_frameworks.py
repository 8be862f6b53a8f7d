"""Frameworks with their ways of going wrong, forged as packages: they compute on the processor,
and what they raise and print is what the real ones were seen to raise and print."""

from __future__ import annotations

from pathlib import Path

TORCH = """
import os, types
__version__ = "2.9.0+cu128"
version = types.SimpleNamespace(cuda=os.environ.get("FORGED_CUDA", "12.8") or None)
day = os.environ.get("FORGED_DAY", "")
if day == "import":
    raise ImportError("libcudnn.so.9: cannot open shared object file: No such file or directory")
if day == "windows":
    raise OSError('[WinError 126] The specified module could not be found. Error loading '
                  '"C:\\\\ai\\\\torch\\\\lib\\\\fbgemm.dll" or one of its dependencies.')
if day == "blocked":
    raise OSError("[WinError 4551] An Application Control policy has blocked this file.")
if day == "protobuf":
    raise TypeError("Descriptors cannot be created directly.\\nIf this call came from a _pb2.py "
                    "file, your generated code is out of date")
if day == "openmp":
    os.write(2, b"OMP: Error #15: Initializing libiomp5.so, but found libiomp5.so already "
                b"initialized.\\nOMP: Hint This means that multiple copies have been linked.\\n")
    os.abort()
if day == "abort":
    os.abort()
if day == "hang":
    import time
    time.sleep(600)
if day == "trap" and "LD_LIBRARY_PATH" in os.environ:
    raise ImportError("libtorch_cuda.so: undefined symbol: cudnnGetVersion")

class Tensor:
    def __init__(self, values): self.values = values
    def reshape(self, *sizes): return self
    def cuda(self): return self
    def cpu(self): return self
    def tolist(self): return self.values
tensor = Tensor

def _init():
    if os.environ.get("CUDA_VISIBLE_DEVICES") == "":
        raise RuntimeError("No CUDA GPUs are available")
    if day == "driver":
        raise RuntimeError("Found no NVIDIA driver on your system.")
cuda = types.SimpleNamespace(init=_init, get_device_name=lambda i: "Forged GPU")
cudnn = types.SimpleNamespace(version=lambda: 91002, is_acceptable=lambda x: day != "unacceptable")
backends = types.SimpleNamespace(cudnn=cudnn)

def conv2d(x, w, padding):
    if day == "handle":
        raise RuntimeError("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED")
    if day == "memory":
        raise RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB")
    y = []
    for k in range(8):
        for p in range(8):
            for q in range(8):
                y.append(sum(
                    x.values[c * 64 + (p + r - 1) * 8 + q + s - 1]
                    * w.values[k * 72 + c * 9 + r * 3 + s]
                    for c in range(8) for r in range(3) for s in range(3)
                    if 0 <= p + r - 1 < 8 and 0 <= q + s - 1 < 8))
    if day == "wrong":
        y[100] += 1
    return Tensor(y)
nn = types.SimpleNamespace(functional=types.SimpleNamespace(conv2d=conv2d))
"""

TENSORFLOW = """
import contextlib, os, sys, types
import torch
__version__ = "2.20.0"
if not os.environ.get("FORGED_GPU"):
    sys.stderr.write("W tensorflow/compiler/xla/stream_executor/platform/default/dso_loader.cc:64] "
        "Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open "
        "shared object file: No such file or directory\\n")
if os.environ.get("FORGED_DAY") == "numpy":
    sys.stderr.write("AttributeError: _ARRAY_API not found\\n")
    raise TypeError("Unable to convert function return value to a Python type! The signature was")
gpus = [types.SimpleNamespace(name="/physical_device:GPU:0")] * bool(os.environ.get("FORGED_GPU"))
config = types.SimpleNamespace(
    experimental=types.SimpleNamespace(list_physical_devices=lambda kind: gpus))
constant = torch.Tensor
device = lambda name: contextlib.nullcontext()
reshape = transpose = lambda x, sizes: x

class Array(torch.Tensor):
    def numpy(self): return self
def conv2d(x, w, strides, padding):
    if os.environ.get("TF_FORCE_GPU_ALLOW_GROWTH") != "true":
        raise RuntimeError("RESOURCE_EXHAUSTED: failed to allocate 21.98GiB of device memory")
    return Array(torch.conv2d(x, w, padding=1).values)
nn = types.SimpleNamespace(conv2d=conv2d)
"""

JAX = """
import logging, os, types
__version__ = "0.8.0"
if os.environ.get("FORGED_DAY") == "plugin":
    try:
        raise RuntimeError("Unable to load cuDNN. Is it installed?")
    except RuntimeError:
        logging.getLogger("jax._src.xla_bridge").exception("Jax plugin configuration error")
def devices(kind):
    if os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE") != "false":
        raise RuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate")
    raise RuntimeError("Unknown backend: 'gpu' requested, but no platforms that are instances of "
        "gpu are present.")
"""

CUPY = """
__version__ = "14.2.0"
__path__ = []
"""

ONNXRUNTIME = """
import os, torch
__version__ = "1.31.1"
loaded = []
if os.environ.get("FORGED_DAY") != "old":
    def preload_dlls(): loaded.append("cudnn")
def get_available_providers(): return ["CUDAExecutionProvider", "CPUExecutionProvider"]
class InferenceSession:
    def __init__(self, model, providers):
        assert model[:2] == bytes([8, 7]), "the model's version comes first"
        self.works = bool(loaded) and os.environ.get("FORGED_DAY") != "without"
    def get_providers(self):
        return (["CUDAExecutionProvider"] if self.works else []) + ["CPUExecutionProvider"]
    def run(self, names, feeds):
        return [Array(torch.conv2d(feeds["x"], feeds["w"], padding=1).values)]
class Array(torch.Tensor): pass
"""

NUMPY = """
import torch
float32 = "float32"
def array(values, dtype): return torch.Tensor(values)
"""


def forge(folder: Path) -> Path:
    """A folder to put on PYTHONPATH."""
    forged = {
        "torch": TORCH, "tensorflow": TENSORFLOW, "jax": JAX, "onnxruntime": ONNXRUNTIME,
        "numpy": NUMPY, "cupy": CUPY,
    }  # fmt: skip
    for name, text in forged.items():
        (folder / f"{name}.py").write_text(text)
    return folder
