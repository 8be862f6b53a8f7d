"""What a release's packages are held against: the sources, and the desktops' own checkers.

Each check returns one line for each thing that is not as it must be. A checker that isn't on this
computer is such a thing: a release is not made where it can't be checked.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

from installer.windows.build import ROOT


def sources() -> set[str]:
    """Every module and every resource of the program, as a wheel names it, without ``.py``.

    Translations by their compiled form.
    """
    package = {path.relative_to(ROOT) for path in (ROOT / "cudnn_assistant").rglob("*.py")}
    names = {path.with_suffix("").as_posix() for path in package}
    resources = ROOT / "resources"
    for path in resources.rglob("*"):
        inside = path.relative_to(resources)
        if path.is_file() and not {"sources", "desktop"} & set(inside.parts):
            name = f"cudnn_assistant/resources/{inside.as_posix()}"
            names.add(name.removesuffix(".po") + ".mo" if name.endswith(".po") else name)
    return names


def absent(names: Iterable[str]) -> list[str]:
    """What of the program is not among a package's files, named from where the package lies."""
    files = set(names)
    there = files | {name.removesuffix("c").removesuffix(".py") for name in files}
    return sorted(f"{name} is not packed" for name in sources() - there)


def wheel(file: Path) -> list[str]:
    """A wheel has the whole program."""
    with zipfile.ZipFile(file) as archive:
        return absent(archive.namelist())


def tree(folder: Path) -> list[str]:
    """A folder that Python searches has the whole program."""
    return absent([path.relative_to(folder).as_posix() for path in folder.rglob("*")])


def self_test(program: Path, home: Path, *before: str) -> list[str]:
    """A started copy says that it is whole, where nothing of this computer's settings is known.

    ``before`` are words before the command, for its surroundings.
    """
    # This Python serves where the system's is too old.
    path = os.pathsep.join([os.path.dirname(sys.executable), os.defpath])
    clean = {"PATH": path, "HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    words = [*before, str(program), "--self-test"]
    done = subprocess.run(words, capture_output=True, text=True, env=clean, cwd=home)
    try:
        whole = bool(json.loads(done.stdout)["whole"])
    except (ValueError, KeyError):
        whole = False
    return [] if whole else [f"{program.name}: {done.stdout[-2000:]}{done.stderr[-2000:]}"]


def desktop(folder: Path) -> list[str]:
    """An AppDir's or a package's menu entry and AppStream data are as their specifications say."""
    lines = []
    for entry in sorted(folder.rglob("*.desktop")):
        lines += _asked("desktop-file-validate", str(entry))
    return lines + _asked("appstreamcli", "validate-tree", "--no-net", str(folder))


def debian(package: Path) -> list[str]:
    """Debian's own checker finds neither errors nor warnings."""
    return _asked("lintian", "--no-cfg", "--allow-root", "--fail-on=error,warning", str(package))


def fedora(package: Path) -> list[str]:
    """The checker of Fedora and openSUSE finds no error but those that rpmlint.toml explains."""
    rules = ROOT / "installer" / "linux" / "rpmlint.toml"
    return _asked("rpmlint", "--config", str(rules), "--ignore-unused-rpmlintrc", str(package))


def _asked(tool: str, *words: str) -> list[str]:
    if not shutil.which(tool):
        return [f"{tool} is not on this computer"]
    done = subprocess.run([tool, *words], capture_output=True, text=True)
    return [] if done.returncode == 0 else [f"{tool}: {done.stdout}{done.stderr}".strip()]
