"""Builds the .deb: ``python -m installer.linux.deb``. Needs dpkg-deb.

It runs with the system's Python (3.11 or newer) and brings its libraries, for each series that
Debian and Ubuntu have. The same commit gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from cudnn_assistant import __version__
from cudnn_assistant.cli.integrate import FILES
from installer import NotReady
from installer.linux import debian, elf, payload
from installer.windows import build, licences, sbom

HERE = debian.HERE
DESKTOP = build.ROOT / "resources" / "desktop"
HOME = "usr/lib/cudnn-assistant"

COMPILE = (HERE / "compile.sh").read_text("utf-8")
"""What a package does after its files are there."""
CLEAN = (HERE / "clean.sh").read_text("utf-8")
"""What it does before they go, or newer ones come."""


def main(arguments: list[str] | None = None) -> int:
    """Build, check, and say size and SHA-256."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=build.ROOT / "dist")
    parser.add_argument("--work", type=Path, default=build.ROOT / "build" / "deb")
    parser.add_argument("--fast", action="store_true", help="compress lightly; for tests")
    parser.add_argument("--series", nargs="*", default=payload.SERIES, help="of Python")
    options = parser.parse_args(arguments)
    shutil.rmtree(options.work, ignore_errors=True)
    root = options.work / "root"
    fill(root, options.work, tuple(options.series))
    debian.fill(root / "usr" / "share")
    if lines := payload.missing(root) + elf.too_new(root):
        raise NotReady("; ".join(lines))
    options.out.mkdir(parents=True, exist_ok=True)
    built = pack(root, options.out, light=options.fast)
    print(f"{build.sha256(built)}  {built.name}  {built.stat().st_size / 1e6:.1f} MB")
    return 0


def fill(root: Path, work: Path, series: tuple[str, ...] = payload.SERIES) -> None:
    """The tree as it will lie on ``/``, without DEBIAN."""
    home = root / HOME
    fetched = payload.fill(home, work, series)
    build.program(home)
    packed = build.distributions()
    share = root / "usr" / "share"
    documents = share / "doc" / "cudnn-assistant"
    licences.gather(documents / "licences", fetched, build.ROOT / "LICENSE", None, packed)
    sbom.write(documents / "sbom.cdx.json", __version__, fetched, {}, packed)
    for source, name in FILES:
        (share / name).parent.mkdir(parents=True)
        shutil.copy(build.ROOT / "resources" / source, share / name)
    debian.manual(share / "man" / "man1")
    text = (HERE / "launcher.py").read_text("utf-8")
    for name, entry in (("cudnn-assistant", "main"), ("cudnn-assistant-gui", "window")):
        _program(root / "usr" / "bin" / name, text.replace('"main"', f'"{entry}"'))


def _program(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, "utf-8")
    target.chmod(0o755)


def settle(root: Path) -> None:
    """Give every file below ``root`` its rights."""
    for path in root.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)


def pack(root: Path, out: Path, *, light: bool) -> Path:
    """Write DEBIAN/, give every file its rights and one time, and run dpkg-deb."""
    settle(root)
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    control = root / "DEBIAN"
    control.mkdir()
    depends = ", ".join(name for name in payload.SYSTEM if name != "libc6")
    pythons = [f"python{series}" for series in payload.SERIES]
    form = (HERE / "control").read_text("utf-8")
    (control / "control").write_text(
        form.format(
            version=__version__,
            maintainer=debian.MAINTAINER,
            new_enough=" | ".join(("python3 (>= 3.11)", *pythons)),
            old_enough=" | ".join((f"python3 (<< {payload.NEXT_SERIES})", *pythons)),
            kilobytes=size // 1024,
            depends=depends,
            recommends=", ".join(payload.RECOMMENDED),
        )
    )
    only_then = f'if [ "$1" = configure ]; then\n{COMPILE}fi\n'
    _program(control / "postinst", f"#!/bin/sh\nset -e\n{only_then}")
    _program(control / "prerm", f"#!/bin/sh\nset -e\n{CLEAN}")
    moment = build.moment()
    for path in [*root.rglob("*"), root]:
        os.utime(path, (moment, moment))
    target = out / f"cudnn-assistant_{__version__}_amd64.deb"
    words = ["-Zgzip", "-z1"] if light else ["-Zxz", "-z9"]
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", *words, "--build", str(root), str(target)],
        check=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(moment)}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return target


if __name__ == "__main__":
    sys.exit(main())
