"""cuDNN 7, 8 and 9 through ctypes: loading, versions, the calls of a legacy convolution.

Prototypes are those of the headers 7.2.1, 8.9.7 and 9.28, where they are the same. cuDNN itself
is called through ctypes because a copy must be loaded the way the person's programs load it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import POINTER, byref, c_int, c_size_t, c_void_p

from cudnn_assistant.child.channel import dotted

FLOAT, HALF, BFLOAT16 = 0, 2, 9
NCHW, NHWC = 0, 1
CROSS_CORRELATION = 1
DEFAULT_MATH, TENSOR_MATH, FMA_MATH = 0, 1, 3
DATA_TYPES = {"fp32": FLOAT, "fp16": HALF, "bf16": BFLOAT16}

WORKSPACE = 64 << 20
"""Most workspace that a test may take, bytes."""

_PTR, _INT, _SIZE = c_void_p, c_int, c_size_t
_OUT = POINTER(c_int)
_CONVOLVE = (_PTR, _PTR, _PTR, _PTR, _PTR, _PTR, _PTR, _INT, _PTR, _SIZE, _PTR, _PTR, _PTR)
_WAYS = ("Forward", "BackwardData", "BackwardFilter")
_DESCRIBED = ("TensorDescriptor", "FilterDescriptor", "ConvolutionDescriptor")
_PROTOTYPES: dict[str, tuple[object, ...]] = {
    **{f"cudnn{do}{kind}": (_PTR,) for do in ("Create", "Destroy") for kind in ("", *_DESCRIBED)},
    **{f"cudnnSet{kind}4dDescriptor": (_PTR, *(_INT,) * 6) for kind in ("Tensor", "Filter")},
    "cudnnSetConvolution2dDescriptor": (_PTR, *(_INT,) * 8),
    "cudnnSetConvolutionMathType": (_PTR, _INT),
    "cudnnGetConvolution2dForwardOutputDim": (_PTR, _PTR, _PTR, _OUT, _OUT, _OUT, _OUT),
    **{f"cudnnConvolution{way}": _CONVOLVE for way in _WAYS},
    **{
        f"cudnnGetConvolution{way}Algorithm_v7": (_PTR, _PTR, _PTR, _PTR, _PTR, _INT, _OUT, _PTR)
        for way in _WAYS
    },
    **{
        f"cudnnGetConvolution{way}WorkspaceSize": (_PTR, _PTR, _PTR, _PTR, _PTR, _INT, _PTR)
        for way in _WAYS
    },
    "cudnnBackendCreateDescriptor": (_INT, _PTR),
    "cudnnBackendDestroyDescriptor": (_PTR,),
    "cudnnBackendFinalize": (_PTR,),
    "cudnnBackendSetAttribute": (_PTR, _INT, _INT, ctypes.c_int64, _PTR),
    "cudnnBackendGetAttribute": (_PTR, _INT, _INT, ctypes.c_int64, _PTR, _PTR),
    "cudnnBackendExecute": (_PTR, _PTR, _PTR),
}


class CudnnStatus(Exception):
    """A call of cuDNN answered with a number other than 0."""

    def __init__(self, call: str, code: int, reason: str) -> None:
        super().__init__(f"{call}: {code} {reason}")
        self.call = call
        self.code = code
        self.reason = reason


class NotCudnn(Exception):
    """The library lacks a function that every cuDNN has; its name is the text."""


def load(name: str) -> ctypes.CDLL:
    """Open a library as a native program does: PATH counts on Windows. Raises OSError."""
    if sys.platform == "win32":
        return ctypes.CDLL(name, winmode=0)
    return ctypes.CDLL(name)


class _LinkMap(ctypes.Structure):
    """The public start of the loader's struct link_map."""

    _fields_ = (("address", c_void_p), ("name", ctypes.c_char_p))


def path_of(library: ctypes.CDLL) -> str:
    """The real path of a library that is open. Several mapped files may have its name."""
    if sys.platform == "win32":
        name = ctypes.create_unicode_buffer(32768)
        handle = ctypes.c_void_p(library._handle)
        ctypes.windll.kernel32.GetModuleFileNameW(handle, name, len(name))
        return name.value
    link_map, found = 2, POINTER(_LinkMap)()  # RTLD_DI_LINKMAP, see dlinfo(3)
    ctypes.CDLL(None).dlinfo(c_void_p(library._handle), link_map, byref(found))
    return os.path.realpath(os.fsdecode(found.contents.name))


def dotted_cuda(number: int) -> str:
    """ "12.9" of 12090."""
    return f"{number // 1000}.{number % 1000 // 10}" if number else ""


class Cudnn:
    """A loaded cuDNN."""

    def __init__(self, library: ctypes.CDLL, path: str) -> None:
        self.library = library
        self.path = path
        self.number = 0
        for name, arguments in _PROTOTYPES.items():
            function = getattr(library, name, None)
            if function is not None:
                function.argtypes = arguments
                function.restype = c_int
        for name in ("cudnnGetVersion", "cudnnGetCudartVersion"):
            self._function(name).restype = c_size_t

    def _function(self, name: str) -> ctypes._FuncPointer:
        try:
            return getattr(self.library, name)  # type: ignore[no-any-return]
        except AttributeError as trouble:
            raise NotCudnn(name) from trouble

    @property
    def major(self) -> int:
        """Of the version that the library itself tells; after ``versions`` or ``suppose``."""
        return self.number // (10000 if self.number >= 90000 else 1000)

    def versions(self) -> tuple[str, str]:
        """cuDNN's version and the CUDA version it was built with. May abort the process."""
        self.number = int(self.library.cudnnGetVersion())
        return dotted(self.number), dotted_cuda(int(self.library.cudnnGetCudartVersion()))

    def suppose(self, major: int) -> None:
        """Take it to be of this major, where asking it is known to end the process."""
        self.number = major * (10000 if major >= 9 else 1000)

    def has(self, name: str) -> bool:
        """Whether this library has a function of that name."""
        return hasattr(self.library, name)

    def call(self, name: str, *arguments: object) -> None:
        """Call a function that answers with a status. Raises :class:`CudnnStatus`."""
        code = self._function(name)(*arguments)
        if code:
            raise CudnnStatus(name, code, self._reason())

    def _reason(self) -> str:
        # Kept per thread and cleared by reading: so here, once, at once.
        ask = getattr(self.library, "cudnnGetLastErrorString", None)
        if ask is None:
            return ""
        text = ctypes.create_string_buffer(1024)
        ask(text, c_size_t(len(text)))
        return text.value.decode("utf-8", "replace").strip()

    def create(self, kind: str) -> c_void_p:
        """A new handle ("") or descriptor ("TensorDescriptor")."""
        made = c_void_p()
        self.call(f"cudnnCreate{kind}", byref(made))
        return made
