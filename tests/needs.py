"""What tests need that a bare computer doesn't have, and how to get it.

A test that can't run is left out with one line that says what is missing and what to do about it;
``conftest.py`` counts them at the end. Nothing is left out in silence.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

import pytest
from hypothesis import settings

PACKAGES = {
    "gcc": "gcc libc6-dev",
    "wine": "wine wine64 xvfb",
    "wineserver": "wine wine64 xvfb",
    "Xvfb": "xvfb xauth",
    "xdotool": "xdotool",
    "dbus-run-session": "dbus-daemon",
    "dbus-monitor": "dbus-bin",
    "xwininfo": "x11-utils",
    "openbox": "openbox",
    "import": "imagemagick",
    "makensis": "nsis",
    "x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64",
    "x86_64-w64-mingw32-windres": "gcc-mingw-w64-x86-64",
    "osslsigncode": "osslsigncode",
    "openssl": "openssl",
    "git": "git",
    "bash": "bash",
    "dash": "dash",
    "fish": "fish",
    "zsh": "zsh",
    "msgfmt": "gettext",
    "unshare": "util-linux",
    "ssh": "openssh-client",
    "ldconfig": "libc-bin",
    "debootstrap": "debootstrap",
    "dpkg-deb": "dpkg",
    "dpkg-shlibdeps": "dpkg-dev",
    "fakeroot": "fakeroot",
    "lintian": "lintian",
    "rpm": "rpm",
    "rpmbuild": "rpm",
    "rpmlint": "rpmlint",
    "makeself": "makeself",
    "unzip": "unzip",
    "xz": "xz-utils",
    "mksquashfs": "squashfs-tools",
    "unsquashfs": "squashfs-tools",
    "desktop-file-validate": "desktop-file-utils",
    "appstreamcli": "appstream",
    "chromium": "chromium",
    "munged": "munge",
    "slurmctld": "slurm-wlm",
    "slurmd": "slurm-wlm",
    "promtool": "prometheus",
    "prometheus": "prometheus",
    "prometheus-node-exporter": "prometheus-node-exporter",
}
"""Debian's packages by program."""

QT = (
    "Qt's libraries are missing: apt install libegl1 libgl1 libglib2.0-0 libfontconfig1 libdbus-1-3"
    " libxkbcommon0"
)
ROOT = "only root can do it: run the tests as root"
HARDWARE = "needs a real NVIDIA GPU"
NIGHT = "takes minutes, so the night does it: pytest --hypothesis-profile nightly"
LEFT_TO_OTHERS = frozenset({HARDWARE, NIGHT})
"""The reasons for which a test may be left out in CI, which has no GPU and a quarter of an hour."""


def night() -> bool:
    """Whether all is tried that can be, however long it takes; known once tests are collected."""
    return settings.default is not None and settings.default.max_examples > 500


def missing(*programs: str) -> str:
    """Which of the programs aren't installed, as a sentence; "" for none."""
    lacking = [name for name in programs if not _there(name)]
    if not lacking:
        return ""
    packages = dict.fromkeys(PACKAGES.get(name, name) for name in lacking)
    verb = "is" if len(lacking) == 1 else "are"
    how = "pip" if lacking == ["uv"] else "apt"
    return f"{', '.join(lacking)} {verb} missing: {how} install {' '.join(packages)}"


def _there(program: str) -> bool:
    return bool(
        shutil.which(
            program, path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
        )
    )


def programs(*names: str) -> pytest.MarkDecorator:
    """A test that runs these programs."""
    return pytest.mark.skipif(bool(missing(*names)), reason=missing(*names) or "-")


def modules(*names: str) -> pytest.MarkDecorator:
    """A test that uses these packages, which only tests need."""
    lacking = [name for name in names if find_spec(name) is None]
    why = f"{', '.join(lacking)} can't be imported: pip install -e '.[test,fleet-test]'"
    return pytest.mark.skipif(bool(lacking), reason=why)


def require(*names: str) -> None:
    """Leave the running test, or those of the fixture, out where a program is missing."""
    if why := missing(*names):
        pytest.skip(why)


def _root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def require_root() -> None:
    """Leave the running test out where only root could pass it."""
    if not _root():
        pytest.skip(ROOT)


root = pytest.mark.skipif(not _root(), reason=ROOT)


@cache
def _private() -> str:
    """Why no mounts of a test's own can be had here; "" when they can."""
    if not _root():
        return ROOT
    if lacking := missing("unshare", "gcc"):
        return lacking
    done = subprocess.run(["unshare", "-m", "true"], capture_output=True, text=True)
    return (
        f"mounts of one's own can't be had: {done.stderr.strip()[-80:]}" if done.returncode else ""
    )


private = pytest.mark.skipif(bool(_private()), reason=_private() or "-")


@cache
def qt() -> bool:
    """Whether a window can be made: asked in a process of its own, because Qt ends it otherwise."""
    if "TESTS_HAVE_QT" not in os.environ:  # told to the other processes of pytest-xdist
        window = "from PySide6.QtWidgets import QApplication; QApplication([])"
        command = [sys.executable, "-c", window]
        surroundings = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run(command, env=surroundings, capture_output=True)
        os.environ["TESTS_HAVE_QT"] = "" if done.returncode else "yes"
    return bool(os.environ["TESTS_HAVE_QT"])


window = pytest.mark.skipif(not qt(), reason=QT)
"""A test outside of the window's folder that opens one."""


class WithoutQt(pytest.File):
    """A file whose tests can't even be imported without Qt: each is named, and left out."""

    def collect(self) -> Iterator[pytest.Item]:
        for name in re.findall(r"^def (test_\w+)", self.path.read_text("utf-8"), re.MULTILINE):
            yield _LeftOut.from_parent(self, name=name)


class _LeftOut(pytest.Item):
    def runtest(self) -> None:
        pytest.skip(QT)
