"""Makes ``build/AppDir``, the folder that an AppImage is packed from:

``python -m installer.linux.appdir [--python TREE]``. appimage.py packs it.

``--python`` is an unpacked relocatable Python (``bin/python3`` in it) that travels along; without
it the computer's own Python 3.11 or newer is used.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

from installer import NotReady
from installer.linux import deb, elf, payload
from installer.windows import build


def main(arguments: list[str] | None = None) -> int:
    """Make the folder anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=build.ROOT / "build" / "AppDir")
    parser.add_argument("--work", type=Path, default=build.ROOT / "build" / "appdir")
    parser.add_argument("--python", type=Path)
    parser.add_argument("--series", nargs="*", default=payload.SERIES)
    options = parser.parse_args(arguments)
    for folder in (options.out, options.work):
        shutil.rmtree(folder, ignore_errors=True)
    fill(options.out, options.work, options.python, tuple(options.series))
    if lines := payload.missing(options.out / "usr/lib") + elf.too_new(options.out):
        raise NotReady("; ".join(lines))
    print(options.out)
    return 0


def fill(root: Path, work: Path, python: Path | None, series: tuple[str, ...]) -> None:
    """The .deb's tree with the three files that an AppDir has at its top."""
    deb.fill(root, work, series)
    shutil.copyfile(deb.HERE / "AppRun", root / "AppRun")
    (root / "AppRun").chmod(0o755)
    entry = (deb.DESKTOP / "cudnn-assistant.desktop").read_text("utf-8")
    (root / "cudnn-assistant.desktop").write_text(
        entry.replace("Exec=cudnn-assistant-gui", "Exec=AppRun"), "utf-8"
    )
    shutil.copy(build.ROOT / "resources/icons/app.svg", root / "cudnn-assistant.svg")
    if python is not None:
        shutil.copytree(python, root / "usr" / "python", symlinks=True)


if __name__ == "__main__":
    sys.exit(main())
