"""Clean Debian and Ubuntu, made once a month on this computer and unpacked for each test.

They lie beside the real cuDNN (real_wheels.py), in the cache of the person who runs the tests.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import needs
import real_wheels
from filelock import FileLock

FOLDER = real_wheels.FOLDER.with_name("systems")
MONTH = 30 * 24 * 3600
"""Seconds after which one is made anew: packages are updated to what there is then."""

Make = Callable[[Path], None]


def unpack(make: Make, root: Path) -> None:
    """What ``make`` makes, as it was made then, at ``root``."""
    needs.require("debootstrap")
    FOLDER.mkdir(parents=True, exist_ok=True)
    kept = FOLDER / f"{make.__name__}.tar"
    with FileLock(f"{kept}.lock"):
        if not kept.exists() or time.time() - kept.stat().st_mtime > MONTH:
            with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
                make(Path(folder) / "root")
                part = Path(folder) / "part"
                tar("--create", "--directory", f"{folder}/root", "--file", str(part), ".")
                part.replace(kept)
    root.mkdir()
    tar("--extract", "--directory", str(root), "--file", str(kept))


def tar(*words: str) -> None:
    """With owners, rights and devices as they are."""
    subprocess.run(["tar", "--numeric-owner", "--xattrs", *words], check=True)


def debian(root: Path) -> None:
    """Debian 12."""
    ended("debootstrap", "--variant=minbase", "bookworm", str(root))


def ubuntu(root: Path) -> None:
    """Ubuntu 24.04; libxcb-cursor0 and others are in universe."""
    keys = root.with_name("keys")
    keys.mkdir()
    # Debian 12's debootstrap knows 22.04 and not yet 24.04, which is made the same way.
    kit = root.with_name("debootstrap")
    shutil.copytree("/usr/share/debootstrap", kit, symlinks=True)
    if not (kit / "scripts" / "noble").exists():
        (kit / "scripts" / "noble").symlink_to("jammy")
    words = ("--variant=minbase", "--components=main,universe", f"--keyring={ubuntus_keys(keys)}")
    ended("env", f"DEBOOTSTRAP_DIR={kit}", "debootstrap", *words, "noble", str(root))


def ubuntus_keys(folder: Path) -> Path:
    """Ubuntu's archive keyring: this computer's, or Debian 13's package of it (12 has none)."""
    keys = Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
    if keys.exists():
        return keys
    signed = "/usr/share/keyrings/debian-archive-keyring.gpg"
    sites = ("apt-get", "indextargets", "--format", "$(SITE)", "Origin: Debian")
    site = min(ended(*sites).split(), key=len)  # Without "-security".
    source = f"deb [signed-by={signed}] {site} trixie main\n"
    (folder / "one.list").write_text(source)
    (folder / "lists" / "partial").mkdir(parents=True)
    places = {"Etc::SourceList": folder / "one.list", "Etc::SourceParts": "/dev/null"}
    places |= {"State::Lists": folder / "lists", "Cache": folder}
    words = [f"-oDir::{name}={place}" for name, place in places.items()]
    apt = ("apt-get", "-qq", "-oAPT::Sandbox::User=root", *words)
    ended(*apt, "update")
    ended(*apt, "download", "ubuntu-keyring", folder=folder)
    (fetched,) = folder.glob("ubuntu-keyring_*.deb")
    ended("dpkg-deb", "-x", str(fetched), str(folder))
    return folder / keys.relative_to("/")


def ended(*words: str, folder: Path | None = None) -> str:
    """What a command prints that has to end well."""
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout
