"""The two kinds of build, a test and a release, and what a release must have."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from installer import NotReady
from installer.windows import python_tree, sbom, signing

LOCK = Path(__file__).with_name("requirements.lock")
MAKENSIS = "v3.08-3+deb12u1"
"""What the tests were run with. Another version is tested first, then named here."""

OLDEST = timedelta(days=183)
"""Age of a Python that is released: a series that gets Windows builds gets one each two months."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """What decides the kind, for Setup alone and for all packages."""
    parser.add_argument("--release", action="store_true", help="not a test: refuse what lacks")
    parser.add_argument("--embed", default="", help="python.org's embeddable zip: file or https:")
    parser.add_argument("--embed-sha256", default="", help="its SHA-256, from python.org's page")
    parser.add_argument("--home", default="", help="the project's page, for Windows' list")


def check(options: argparse.Namespace, environment: Mapping[str, str]) -> None:
    """Raises NotReady unless this is a test, or all of a release is given."""
    if options.release and (lines := lacking(options, environment)):
        raise NotReady("this is no release:\n" + "\n".join(f"  {line}" for line in lines))


def lacking(options: argparse.Namespace, environment: Mapping[str, str]) -> list[str]:
    """What a release still needs, in words; empty when nothing."""
    drawing = sbom.locked(LOCK)["pyside6-essentials"]
    asked = {
        f"makensis {MAKENSIS}, by which its Setup was tested": makensis() == MAKENSIS,
        f"PySide6 {drawing} of requirements.lock, which draws its icons": (
            version("PySide6-Essentials") == drawing
        ),
        "a certificate (SIGN_COMMAND, or SIGN_CERTIFICATE and SIGN_KEY)": signing.wanted(
            environment
        ),
        "a time stamp (SIGN_TIMESTAMP, or one in SIGN_COMMAND)": signing.stamped(environment),
        "a key for SHA256SUMS (SIGN_SUMS)": bool(environment.get("SIGN_SUMS")),
        "--embed: python.org's newest embeddable Python": bool(options.embed),
        "--embed-sha256: what python.org says of that file": bool(options.embed_sha256),
        "--home: the page that Windows' list of programs leads to": bool(options.home),
    }
    return [f"needs {what}" for what, there in asked.items() if not there]


def makensis() -> str:
    """The version of makensis here; "" without one."""
    try:
        done = subprocess.run(["makensis", "-VERSION"], capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip()


def refuse_old(python: python_tree.Python) -> None:
    """Raises NotReady for a Python of which a newer one must be there by now."""
    if datetime.now(UTC) - python.built > OLDEST:
        raise NotReady(f"Python {python.version} was built on {python.built:%Y-%m-%d}; take newer")
