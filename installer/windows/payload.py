"""What goes into the installed program, by allow-list: a new wheel can't make it grow unseen."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from cudnn_assistant.wording import LANGUAGES

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
PYTHON_LEFT_OUT: list[str] = _TABLE["python-left-out"]
LEFT_OUT: dict[str, str] = _TABLE["left-out"]
SYSTEM = frozenset(_TABLE["system"])
_KEEP = {pattern.format(language=one) for pattern in _TABLE["keep"] for one in LANGUAGES}
_NEVER = re.compile(
    r"(\.pyi|py\.typed|\.pxd|\.lib|\.md|\.sh|\.gitignore)$|/(__pycache__|test_data|tests)/"
)


def kept(name: str, patterns: Collection[str] = _KEEP) -> bool:
    """Whether a file of ``lib``, by its path with "/", is packed."""
    path = PurePosixPath(name)
    return not _NEVER.search(name) and any(_match(path, pattern) for pattern in patterns)


def _match(path: PurePosixPath, pattern: str) -> bool:
    head, deep, _ = pattern.partition("/**/")
    if deep:
        return path.as_posix().startswith(head + "/")
    return len(path.parts) == pattern.count("/") + 1 and path.match(pattern)


def prune(lib: Path) -> None:
    """Delete what is not kept, and the folders that are empty then."""
    for path in sorted(lib.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif not kept(path.relative_to(lib).as_posix()):
            path.unlink()
