"""Who runs us on Linux: the home folder and the login shell."""

from __future__ import annotations

import contextlib
import os
import pwd
from collections.abc import Mapping


def home_of(environment: Mapping[str, str]) -> str:
    """The home folder, as the shells that read the start-up files see it; "" for none."""
    home = environment.get("HOME", "")
    if not home:
        with contextlib.suppress(KeyError):
            home = pwd.getpwuid(os.getuid()).pw_dir
    return home if os.path.isabs(home) and os.path.isdir(home) else ""


def shell_of_account() -> str:
    """The shell of the account; "" when the account is not known."""
    try:
        return pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        return ""
