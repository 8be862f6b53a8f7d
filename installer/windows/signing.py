"""Signs PE files: those of the payload, and as makensis asks, Setup.exe and its uninstaller.

``python signing.py FILE``. What to sign with is in the environment, never in a file of ours:

* ``SIGN_COMMAND``: any command; ``{file}`` stands for the file. For example on Windows
  ``signtool sign /fd sha256 /tr URL /td sha256 /sha1 THUMBPRINT {file}``.
* ``SIGN_CERTIFICATE`` and ``SIGN_KEY``: PEM files for osslsigncode; ``SIGN_TIMESTAMP``: the
  address of a time stamp server, empty for a test.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pefile


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether the environment says what to sign with."""
    return bool(environment.get("SIGN_COMMAND") or environment.get("SIGN_CERTIFICATE"))


def stamped(environment: Mapping[str, str]) -> bool:
    """Whether signatures get a time stamp, without which they end with the certificate."""
    own = environment.get("SIGN_COMMAND", "").split()
    return bool(environment.get("SIGN_TIMESTAMP") or {"/tr", "/t", "-ts", "-t", "-tr"} & set(own))


def unsigned(folder: Path) -> list[Path]:
    """PE files of a tree without a signature of anybody."""
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".exe", ".dll", ".pyd"))
    return [path for path in files if not _signed(path)]


def _signed(file: Path) -> bool:
    with pefile.PE(str(file), fast_load=True) as image:
        table = pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_SECURITY"]
        return bool(image.OPTIONAL_HEADER.DATA_DIRECTORY[table].Size)


def sign_payload(stage: Path) -> None:
    """Sign what nobody signed: Smart App Control and AppLocker judge each file that is loaded.

    Raises CalledProcessError.
    """
    for file in unsigned(stage):
        sign(file)


def command(environment: Mapping[str, str], file: str, signed: str) -> list[str]:
    """The command that signs ``file``; osslsigncode writes ``signed`` instead of it."""
    if given := environment.get("SIGN_COMMAND"):
        return [word.replace("{file}", file) for word in shlex.split(given)]
    stamp = environment.get("SIGN_TIMESTAMP", "")
    return [
        "osslsigncode", "sign", "-h", "sha256", "-n", "cuDNN Assistant",
        "-certs", environment["SIGN_CERTIFICATE"], "-key", environment["SIGN_KEY"],
        *(["-ts", stamp] if stamp else []),
        "-in", file, "-out", signed,
    ]  # fmt: skip


def sign(file: Path) -> None:
    """Sign in place; raises CalledProcessError."""
    signed = file.with_name(file.name + ".signed")
    subprocess.run(command(os.environ, str(file), str(signed)), check=True)
    if signed.exists():
        signed.replace(file)


if __name__ == "__main__":
    sign(Path(sys.argv[1]))
