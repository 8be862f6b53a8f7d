"""Linux: the folders of the dynamic loader for all users, in one file of our own.

``/etc/ld.so.conf.d/cudnn-assistant.conf`` is written by the administrator's hand: through polkit's
question where a desktop session is there, else by commands that the person is shown. What runs as
root is one fixed script of the system's own tools; the folders reach it as data on its input, never
as text of a command. Nothing of this program runs as root, because its files are the person's.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping

from cudnn_assistant.machine import Value, readable
from cudnn_assistant.places import resource
from cudnn_assistant.plan.kinds.variable import loader_commands
from cudnn_assistant.system import files
from cudnn_assistant.system.administrator import as_root
from cudnn_assistant.trouble import Refused, refusing

NAME = "ld.so.conf"
"""How the list is called where variables have names; its folders are joined with colons."""

_FILE = "ld.so.conf.d/cudnn-assistant.conf"
_HEAD = "# Folders of NVIDIA's libraries, added by cuDNN Assistant.\n"
_CODES = {
    10: "file-changed-since",
    11: "file-is-a-link",
    12: "loader-list-not-renewed",
    126: "administrator-not-allowed",
    127: "administrator-not-allowed",
}
"""What the script, and polkit's question before it, ends with."""


class LoaderFolders:
    """Our file below ``etc``. ``environment`` is the process environment at the start."""

    def __init__(self, etc: str, environment: Mapping[str, str]) -> None:
        self.path = os.path.join(etc, _FILE)
        self._environment = dict(environment)

    def read(self) -> Value | None:
        """The folders. Raises :class:`Refused` when the file can't be read."""
        content = self._content()
        lines = [] if content is None else content.decode("utf-8", "replace").split("\n")
        folders = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
        return Value(text=":".join(folders)) if folders else None

    def _content(self) -> bytes | None:
        with refusing("system-said"):
            return files.read(self.path)

    def write(self, value: Value | None) -> None:
        """Make these the folders (``None``: none) and tell the loader. Raises :class:`Refused`.

        What is so already is not written again, and nobody is asked.
        """
        if value == self.read():
            return
        folders = value.text.split(":") if value and value.text else []
        for folder in folders:
            _refuse_unsafe(folder)
        import hashlib
        import subprocess

        text = _HEAD + "".join(f"{folder}\n" for folder in folders) if folders else ""
        old = self._content()
        expected = "" if old is None else hashlib.sha256(old).hexdigest()
        script = resource("loader_folders.sh").read_text("utf-8")
        command = ["/bin/sh", "-c", script, "sh", self.path, expected]
        by_hand = loader_commands(self.path, folders)
        command = as_root(command, self._environment, by_hand)
        with refusing("system-said"):
            done = subprocess.run(
                command, input=text.encode(), capture_output=True, env=self._environment, cwd="/"
            )
        _refuse_by_code(done.returncode, done.stderr, self.path)


def _refuse_unsafe(folder: str) -> None:
    """What every program of every user will search must be nobody's to exchange."""
    plain = os.path.isabs(folder) and not any(c in folder for c in "#=:\n\r\0")
    if not plain or any(ord(c) < 32 for c in folder):
        raise Refused("folder-unusable", folder=folder)
    if os.path.basename(folder.rstrip("/")) in ("stubs", "compat"):
        raise Refused("folder-of-stand-ins", folder=folder)
    real = os.path.realpath(folder)
    while True:
        with refusing("system-said"):
            there = os.stat(real)
        shared = there.st_mode & stat.S_IWOTH and not there.st_mode & stat.S_ISVTX
        if shared or there.st_uid != 0:
            raise Refused("folder-open-to-others", folder=readable(real))
        if real == "/":
            return
        real = os.path.dirname(real)


def _refuse_by_code(code: int, said: bytes, path: str) -> None:
    if code == 0:
        return
    if code in _CODES:
        raise Refused(_CODES[code], file=path)
    why = said.decode("utf-8", "replace").strip().splitlines()
    raise Refused("file-not-written", file=path, why=why[-1] if why else code)
