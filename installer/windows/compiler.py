"""Finds an interpreter that can compile for the packed Python, and runs compiling.py in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from installer import NotReady
from installer.windows import python_tree

SCRIPT = Path(__file__).with_name("compiling.py")


def compile_for(stage: Path, work: Path, series: str, chosen: str = "") -> None:
    """Compile ``stage/lib`` and ``stage/app``. Raises NotReady where nothing can.

    Asked in this order: ``chosen``, the packed Python itself (Windows), ``pythonX.Y`` of this
    computer, the packed Python under Wine.
    """
    lib, app = stage / "lib", stage / "app"
    interpreter = chosen or _of_this_computer(stage, series)
    if interpreter:
        command = [interpreter, "-I", "-B", str(SCRIPT), str(lib), str(app)]
        subprocess.run(command, check=True)
    elif shutil.which("wine"):
        _by_wine(stage, work)
    else:
        raise NotReady(f"needs Python {series} or Wine to compile for the packed Python")
    compiled = app / "cudnn_assistant" / "__init__.pyc"
    begin = python_tree.compiled_begin(stage / "python")
    if not compiled.is_file() or not compiled.read_bytes().startswith(begin):
        raise NotReady("compiled for another Python")


def _of_this_computer(stage: Path, series: str) -> str:
    if sys.platform == "win32":
        return str(stage / "python" / "python.exe")
    name = f"python{series}"
    if not shutil.which(name):
        return ""
    # A version manager may have put a name on PATH that stands for nothing.
    works = subprocess.run([name, "-c", ""], capture_output=True).returncode == 0
    return name if works else ""


def _by_wine(stage: Path, work: Path) -> None:
    environment = {
        **os.environ,
        "WINEPREFIX": os.environ.get("WINEPREFIX") or str(work.resolve() / "prefix"),
        "WINEDEBUG": "-all",
        "WINEDLLOVERRIDES": "winemenubuilder.exe,mscoree,mshtml=",
        "LC_ALL": "C.UTF-8",
    }
    folders = [str(path.resolve()) for path in (SCRIPT, stage / "lib", stage / "app")]
    # Wine's background programs inherit a pipe and hold it open, so only the exit is waited for.
    subprocess.run(
        ["wine", str(stage.resolve() / "python" / "python.exe"), "-I", "-B", *folders],
        check=True, env=environment, timeout=600,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
