"""What an installed copy has and can do, as JSON: for tests of installers and for a bug report.

Hidden: ``cudnn-assistant --self-test [FILE]``. Nothing is changed but FILE.
"""

from __future__ import annotations

import importlib
import json
import os
import ssl
import sys
from importlib.resources import files
from typing import Any

from PySide6 import __version__ as qt_version
from PySide6.QtGui import QFontDatabase, QImageReader
from PySide6.QtWidgets import QApplication

from cudnn_assistant import __version__, places
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.gui.theme import app_icon
from cudnn_assistant.probe.running.children import run_child

MODULES = (
    "cuda.pathfinder",
    "filelock",
    "packaging",
    "pefile",
    "pynvml",
    "requests",
    "truststore",
    "tuf.ngclient",
)
"""What is imported late, so that a package without it starts all the same."""


def run(file: str) -> int:
    """Write the facts to ``file``, or print them. 0 when everything is there, else 1."""
    app = QApplication.instance() or QApplication(["cudnn-assistant"])
    assert isinstance(app, QApplication)
    said = facts(app)
    text = json.dumps(said, indent=1, sort_keys=True) + "\n"
    if file:
        with open(file, "w", encoding="utf-8") as target:
            target.write(text)
    elif sys.stdout is not None:
        print(text, end="")  # noqa: T201
    return 0 if said["whole"] else 1


def facts(app: QApplication) -> dict[str, Any]:
    """Versions, parts, and what a child process answered; "whole" sums them up."""
    missing = [name for name in MODULES if not _imports(name)]
    child = _child()
    picture = app_icon().pixmap(64, 64)
    formats = {bytes(name.data()).decode() for name in QImageReader.supportedImageFormats()}
    program = files("cudnn_assistant.child").joinpath("framework.py").read_text("utf-8")
    whole = (
        not missing
        and child["status"] == "ok"
        and {"ico", "svg"} <= formats
        and not picture.isNull()
        and "def torch" in program
    )
    return {
        "whole": whole,
        "version": __version__,
        "python": sys.version.split()[0],
        "qt": qt_version,
        "platform": app.platformName(),
        "style": app.style().objectName(),
        "formats": sorted(formats),
        "fonts": len(QFontDatabase.families()),
        "scale": app.primaryScreen().devicePixelRatio() if app.primaryScreen() else 0,
        "data": load_builtin().version,
        "missing": missing,
        "tls": ssl.OPENSSL_VERSION,
        "child": child,
        "interpreter": sys.executable,
        "package": os.path.dirname(places.__file__),
        "state": str(places.state()),
        "path": sys.path,
    }


def _imports(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def _child() -> dict[str, Any]:
    """One of our child programs, started as the look starts it."""
    ended = run_child("gpu", {}, dict(os.environ), 30)
    last = ended.lines[-1] if ended.lines else {}
    return {
        "status": last.get("status", ""),
        "code": ended.exit_code,
        "output": ended.output[-500:],
        "driver": next((line["driver"] for line in ended.lines if "driver" in line), None),
        "milliseconds": round(ended.milliseconds),
    }
