"""Runs in Windows' Python: finds environments on the real calls, and prints them as JSON.

``pythons_inside.py REPOSITORY`` registers the Python that runs it as PEP 514 says, makes a virtual
environment by hand and looks.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import winreg
from pathlib import Path
from typing import Any

sys.path.insert(0, sys.argv[1])

from cudnn_assistant.probe.pythons.environments import library_folders, one_python, pythons

reg: Any = winreg
PREFIX = str(Path(sys.executable).parent)
PROFILE = Path(os.environ["USERPROFILE"])
KEY = r"Software\Python\PythonCore\3.11\InstallPath"


def main() -> None:
    with reg.CreateKey(reg.HKEY_CURRENT_USER, KEY) as key:
        reg.SetValueEx(key, "", 0, reg.REG_SZ, PREFIX + "\\")
    with reg.CreateKey(reg.HKEY_CURRENT_USER, r"Software\Python\Broken\1\InstallPath") as key:
        reg.SetValueEx(key, "", 0, reg.REG_DWORD, 1)
    venv = PROFILE / "source" / "repos" / "app" / ".venv"
    (venv / "Scripts").mkdir(parents=True, exist_ok=True)
    shutil.copy(sys.executable, venv / "Scripts")
    (venv / "pyvenv.cfg").write_text(f"home = {PREFIX}\nversion = 3.11.9\n")
    wheel = venv / "Lib" / "site-packages" / "nvidia_cudnn_cu12-9.10.2.21.dist-info"
    wheel.mkdir(parents=True, exist_ok=True)
    (wheel / "RECORD").write_text("nvidia/cudnn/bin/cudnn64_9.dll,sha256=A,1\n")
    (venv / "Lib" / "site-packages" / "nvidia" / "cudnn" / "bin").mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "Path": PREFIX.upper() + ";C:\\windows"}
    environment.pop("PATH", None)
    found = pythons("windows", environment, current=str(venv.parent))
    one = one_python(str(venv), "windows")
    assert one is not None
    shown = [
        {
            "id": each.id,
            "kind": each.kind,
            "version": each.version,
            "bits": each.bits,
            "active": each.active,
            "via": each.found_via,
            "packages": [[p.name, p.version, p.files_missing] for p in each.packages],
            "libraries": library_folders(each),
        }
        for each in found
    ]
    print(json.dumps({"prefix": PREFIX, "venv": str(venv), "one": one.id, "found": shown}))  # noqa: T201


main()
