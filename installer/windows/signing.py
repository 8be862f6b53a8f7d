"""Signs one PE file; makensis calls it for Setup.exe and for the uninstaller inside it.

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


def wanted(environment: Mapping[str, str]) -> bool:
    """Whether the environment says what to sign with."""
    return bool(environment.get("SIGN_COMMAND") or environment.get("SIGN_CERTIFICATE"))


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
