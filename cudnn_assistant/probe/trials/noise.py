"""What cuDNN prints by the way when it can't find one of its parts. Pure."""

from __future__ import annotations

import ntpath
import re
from collections.abc import Iterable

_NAME = r"[\w.+-]+?(?:\.so(?:\.\d+)*|\.dll)"
_NOT_FOUND = (
    # glibc, also inside cuDNN 8's "Could not load library X. Error: Y: cannot open ..."
    re.compile(rf"({_NAME}): cannot open shared object file: No such file"),
    # cuDNN on Windows
    re.compile(rf"Could not locate ({_NAME})"),
    re.compile(rf"Could not load library ({_NAME})\. Error code 126"),
)
_ANY_OF = re.compile(r"Unable to load any of \{([^}]*)\}")
"""cuDNN 9 lists every name it tried, longest first."""


def missing_library(output: str) -> str:
    """The file name of the library that was looked for in vain, "" when none is told of."""
    for pattern in _NOT_FOUND:
        if found := pattern.search(output):
            return ntpath.basename(found[1])
    if found := _ANY_OF.search(output):
        return _usual_name(found[1].split(","))
    return ""


def _usual_name(tried: Iterable[str]) -> str:
    """Of libX.so.9.28.0, .so.9.28, .so.9, .so: the one that every package has."""
    names = [name.strip() for name in tried]
    one_number = [name for name in names if re.search(r"\.so\.\d+$", name)]
    return (one_number or names)[0]


_SYMBOL = re.compile(r"Cannot load symbol cudnn(?:(\w+)VersionCheck)?")


def part_asked_for(output: str) -> str:
    """The part of cuDNN 9 that it could not load when it only names the function, else "".

    What isn't a check of one part (cudnnGetVersion, cudnnCreate) lives in the graph library.
    """
    found = _SYMBOL.search(output)
    return (found[1] or "graph").lower() if found else ""


_CUDA_SYMBOL = re.compile(r"Cannot load symbol (cublasLt|cublas)[A-Z]")


def cuda_library_asked_for(output: str) -> str:
    """The CUDA library that cuDNN 9 could not load when it only names a function of it, else "".

    Seen of 9.14 and 9.19 without cuBLAS: "Invalid handle. Cannot load symbol cublasLtCreate",
    then abort.
    """
    found = _CUDA_SYMBOL.search(output)
    return found[1] if found else ""
