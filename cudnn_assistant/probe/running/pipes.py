"""Pipes that are called like libraries: who opens one waits for ever for one who would write."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping

from cudnn_assistant.probe.files.disk import names_in

OF_DRIVER = ("libcuda.so", "libnvidia-ml.so")
ALL = (*OF_DRIVER, "libcudart", "libcudnn", "libcublas", "libnvrtc", "libnvJitLink")
"""How the names of libraries begin."""


def waits_for(environment: Mapping[str, str], libraries: tuple[str, ...]) -> str:
    """The pipe that a program would wait for in place of one of these libraries; "" for none."""
    paths = _first_of_each_name(environment, libraries)
    return next((path for path in paths if _is_pipe(path)), "")


def _first_of_each_name(
    environment: Mapping[str, str], libraries: tuple[str, ...]
) -> Iterator[str]:
    yield from filter(os.path.isabs, re.split("[: ]", environment.get("LD_PRELOAD", "")))
    seen: set[str] = set()
    for folder in filter(None, re.split("[:;]", environment.get("LD_LIBRARY_PATH", ""))):
        names = [name for name in names_in(folder) if name.startswith(libraries)]
        yield from (os.path.join(folder, name) for name in names if name not in seen)
        seen.update(names)


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False
