"""Starting the window once more at the person's next login, because they asked for it.

One entry, for this person alone, that is gone before the program it names runs: Windows' RunOnce
key does that by itself, on Linux the command of the entry does.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence

from cudnn_assistant.places import refuse_anothers
from cudnn_assistant.shell import quote
from cudnn_assistant.system.startup_files import config_folder
from cudnn_assistant.system.windows_registry import TEXT, WindowsRegistry
from cudnn_assistant.trouble import Refused, refusing

NAME = "cuDNN Assistant"
RUN_ONCE = r"Software\Microsoft\Windows\CurrentVersion\RunOnce"
LONGEST = 260
"""Characters of a RunOnce command, as Microsoft documents it; a longer one is not run."""
FILE = "cudnn-assistant-once.desktop"


class WindowsAutostart:
    """HKCU's RunOnce key; Windows takes the value out before it runs the command."""

    def __init__(self, registry: WindowsRegistry | None = None) -> None:
        self._registry = registry or WindowsRegistry({"user": ("HKEY_CURRENT_USER", RUN_ONCE)})

    def there(self) -> bool:
        """Whether there is one; also False where that can't be read."""
        with contextlib.suppress(OSError):
            return any(one.name.upper() == NAME.upper() for one in self._registry.values("user"))
        return False

    def put(self, command: Sequence[str]) -> None:
        """Start ``command`` at the next login. Raises :class:`Refused`."""
        line = subprocess.list2cmdline(command)
        if len(line) > LONGEST:
            raise Refused("autostart-path-too-long")
        with refusing("autostart"):
            self._registry.set("user", NAME, line, TEXT)

    def take(self) -> None:
        """Take the entry out, if there is one. Raises :class:`Refused`."""
        with refusing("autostart"):
            if self.there():
                self._registry.delete("user", NAME)


class LinuxAutostart:
    """A file in the autostart folder of the desktop; its command removes it before it starts."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        known = os.environ if environment is None else environment
        config = config_folder(known, known.get("HOME", ""))
        self.path = os.path.join(config, "autostart", FILE) if os.path.isabs(config) else ""

    def there(self) -> bool:
        """Whether there is one."""
        return os.path.exists(self.path)

    def put(self, command: Sequence[str]) -> None:
        """Start ``command`` at the next login. Raises :class:`Refused`."""
        if not self.path:
            raise Refused("autostart-no-home")
        refuse_anothers(self.path)
        with refusing("autostart"):
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(self.path, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(_entry(self.path, command))

    def take(self) -> None:
        """Take the entry out, if there is one. Raises :class:`Refused`."""
        with refusing("autostart"), contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)


def _entry(path: str, command: Sequence[str]) -> str:
    script = f"rm -f -- {shlex.quote(path)}; exec {shlex.join(command)}"
    return (
        f"[Desktop Entry]\nType=Application\nName={NAME}\nExec=sh -c {quote(script, 'Exec')}\n"
        "Terminal=false\nX-GNOME-Autostart-enabled=true\n"
    )


Autostart = WindowsAutostart | LinuxAutostart


def this_autostart() -> Autostart:
    """The entry of the person who runs us."""
    return WindowsAutostart() if sys.platform == "win32" else LinuxAutostart()
