"""Which libraries this process has mapped, by their real paths.

Written for the Pythons that framework.py is: its text goes before that one's.
"""

import os
import re
import sys

_LIBRARY = re.compile(
    r"(?i)^(?:lib)?(?:cudnn|cublas|cudart|cuda\.so|nvcuda|nvrtc|nvjitlink|cufft|curand|zlibwapi"
    r"|nvidia-ptxjit)(?!.*\.(?:cpython|abi3|cp\d))"
)
_CUDNN = re.compile(r"(?i)^(?:lib)?cudnn")
_ESCAPE = re.compile(r"\\([0-7]{3})")


def interesting(paths: "list[str]") -> "list[str]":
    """Those of ``paths`` that are CUDA or cuDNN libraries."""
    return [path for path in paths if _LIBRARY.match(os.path.basename(path))]


def of_cudnn(paths: "list[str]") -> "list[str]":
    """Those of ``paths`` that belong to cuDNN."""
    return [path for path in paths if _CUDNN.match(os.path.basename(path))]


def libraries() -> "list[str]":
    """Real paths of all files that are mapped now, each once, in the order of addresses."""
    return modules_of(-1) if sys.platform == "win32" else files_of("self")  # -1: this process


def files_of(process: "int | str") -> "list[str]":
    """Linux: the files that a process has mapped. Raises OSError where it may not be looked at."""
    with open(f"/proc/{process}/maps", encoding="utf-8", errors="surrogateescape") as maps:
        return paths_of_maps(maps.read())


def paths_of_maps(text: str) -> "list[str]":
    """The files in the text of a /proc/PID/maps."""
    found: dict[str, None] = {}
    for line in text.split("\n"):
        fields = line.split(None, 5)
        if len(fields) == 6 and fields[5].startswith("/"):
            found[unescaped(re.sub(r" \(deleted\)$", "", fields[5]))] = None
    return list(found)


def unescaped(text: str) -> str:
    """A path as the kernel's tables spell it: blanks and the like stand there as octal numbers."""
    return _ESCAPE.sub(lambda octal: chr(int(octal[1], 8)), text)


def modules_of(process: int) -> "list[str]":
    """Windows: the modules of a process that this handle may ask; [] where it may not."""
    if sys.platform != "win32":
        return []
    import ctypes
    from ctypes import wintypes

    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    handle = wintypes.HANDLE(process)
    modules = (wintypes.HMODULE * 4096)()
    needed = wintypes.DWORD()
    all_modules = 3
    if not kernel.K32EnumProcessModulesEx(
        handle, modules, ctypes.sizeof(modules), ctypes.byref(needed), all_modules
    ):
        return []
    count = min(needed.value // ctypes.sizeof(wintypes.HMODULE), len(modules))
    name = ctypes.create_unicode_buffer(32768)
    ask = kernel.K32GetModuleFileNameExW
    found = (
        name.value if ask(handle, wintypes.HMODULE(module), name, len(name)) else ""
        for module in modules[:count]
    )
    return [path for path in found if path]
