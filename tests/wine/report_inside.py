"""Runs in Windows' Python: ``report_inside.py REPOSITORY LIBRARIES FOLDER REPORT...``.

Plants a cuDNN that Windows doesn't find, writes the program's report of that to FOLDER, then
prints what ``check --machine`` says of it and of each REPORT, one JSON line each.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import winreg
from pathlib import Path
from typing import Any

sys.path.insert(0, sys.argv[1])
sys.path.insert(1, str(Path(sys.argv[1]) / "tests" / "lab"))
sys.path.append(sys.argv[2])

import images

from cudnn_assistant.cli import run

reg: Any = winreg
CUDNN = Path(os.environ["PROGRAMFILES"]) / "NVIDIA" / "CUDNN"
PRIVATE = Path(os.environ["USERPROFILE"]) / "falconproj" / "cudnn"


def plant() -> None:
    images.cudnn_windows(CUDNN / "v9.8" / "bin" / "12.8", "9.8.0.87")
    images.cudnn_windows(PRIVATE / "bin", "9.1.0.70")
    with reg.CreateKey(reg.HKEY_CURRENT_USER, "Environment") as key:
        reg.SetValueEx(key, "CUDNN_PATH", 0, reg.REG_SZ, str(PRIVATE))


def clear() -> None:
    """The drive and the registry are shared with other tests."""
    shutil.rmtree(CUDNN.parent, ignore_errors=True)
    shutil.rmtree(PRIVATE.parent, ignore_errors=True)
    with (
        reg.CreateKey(reg.HKEY_CURRENT_USER, "Environment") as key,
        contextlib.suppress(FileNotFoundError),
    ):
        reg.DeleteValue(key, "CUDNN_PATH")


def said(*words: str) -> str:
    caught = io.StringIO()
    with contextlib.redirect_stdout(caught):
        run(list(words))
    return caught.getvalue()


written = str(Path(sys.argv[3]) / "wine.md")
plant()
try:
    assert run(["report", written, "--no-test", "--offline"]) == 0
finally:
    clear()
for path in (written, *sys.argv[4:]):
    answer = json.loads(said("check", "--machine", path, "--json", "--offline"))
    sys.stdout.write(f"answer {json.dumps(answer)}\n")
