"""The licence texts of everything that is packed, one folder for each part."""

from __future__ import annotations

import shutil
from pathlib import Path

from installer import NotReady

TEXTS = Path(__file__).resolve().parents[1] / "licences"
"""Texts that the wheels themselves lack."""

_LICENCES = ("LICENSE", "LICENCE", "COPYING", "NOTICE")
MODULES = {"nvidia_ml_py": "pynvml.py"}
"""Where the licence stands that is in no file of its own."""


def gather(target: Path, lib: Path, ours: Path, python: Path | None, packed: set[str]) -> None:
    """Copy every licence text. Raises NotReady for a distribution in ``packed`` without one.

    ``packed`` holds names as folders of ``*.dist-info`` begin, lower case.
    """
    target.mkdir(parents=True)
    shutil.copy(ours, target / "cuDNN Assistant.txt")
    if python is not None:
        shutil.copy(python, target / "Python.txt")
    for info in sorted(lib.glob("*.dist-info")):
        name = info.name.split("-")[0].lower()
        if name not in packed:
            continue
        files = (path for path in sorted(info.rglob("*")) if path.is_file())
        texts = [path for path in files if path.name.upper().startswith(_LICENCES)]
        if name.startswith(("pyside6", "shiboken6")):
            _qt(target / "Qt", info.name.split("-")[1].removesuffix(".dist"))
        elif texts:
            (target / name).mkdir()
            for text in texts:
                shutil.copy(text, target / name / text.name)
        elif not _notice(lib / MODULES.get(name, ""), target / name):
            raise NotReady(f"no licence text in {info.name}")


def _qt(folder: Path, version: str) -> None:
    folder.mkdir(exist_ok=True)
    about = (TEXTS / "Qt.txt").read_text("utf-8").format(version=version)
    (folder / "README.txt").write_text(about, "utf-8", newline="\n")
    for text in ("LGPL-3.0.txt", "GPL-3.0.txt"):
        shutil.copy(TEXTS / text, folder / text)


def _notice(source: Path, folder: Path) -> bool:
    """A wheel without a file of it may have its licence as the first comment of its module."""
    if not source.is_file():
        return False
    lines = []
    for line in source.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            break
        lines.append(line.lstrip("# ").rstrip())
    text = "\n".join(lines)
    if "Redistribution and use" not in text:
        return False
    folder.mkdir()
    (folder / "LICENSE.txt").write_text(text.strip() + "\n", "utf-8", newline="\n")
    return True
