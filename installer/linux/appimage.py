"""Packs an AppDir as an AppImage: the given run-time file, and behind it a SquashFS of the folder.

That is all an AppImage of type 2 is (the AppImage specification). The run-time file comes from
where only the release machine can fetch it, and is pinned by its SHA-256. Needs mksquashfs; the
same folder gives the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from cudnn_assistant import __version__
from installer import NotReady
from installer.windows import build


def pack(folder: Path, runtime: Path, sha256: str, out: Path) -> Path:
    """Write the AppImage into ``out``. Raises CalledProcessError, and NotReady for a run-time file
    that is another than the pinned one."""
    if (found := build.sha256(runtime)) != sha256.lower():
        raise NotReady(f"{runtime.name} has SHA-256 {found}")
    target = out / f"cuDNN-Assistant-{__version__}-x86_64.AppImage"
    moment = build.moment()
    for path in [*folder.rglob("*"), folder]:
        os.utime(path, (moment, moment), follow_symlinks=False)
    with tempfile.TemporaryDirectory() as work:
        packed = Path(work) / "folder.squashfs"
        words = [
            "mksquashfs", str(folder), str(packed), "-quiet", "-no-progress", "-root-owned",
            "-no-xattrs", "-comp", "gzip", "-processors", "1",
        ]  # fmt: skip
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(moment)}
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=environment)
        target.write_bytes(runtime.read_bytes() + packed.read_bytes())
    target.chmod(0o755)
    return target
