"""Who our children run as: the person, also where they started us through sudo."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pwd import struct_passwd


def behind_sudo(environment: Mapping[str, str] | None = None) -> struct_passwd | None:
    """The person who started us as root through sudo or pkexec; ``None`` where nobody did."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return None
    import pwd

    variables = os.environ if environment is None else environment
    number = variables.get("SUDO_UID") or variables.get("PKEXEC_UID") or ""
    # No other signs that mean digits, and no more than a number of the kernel has.
    if not re.fullmatch("[0-9]{1,10}", number) or int(number) == 0:
        return None
    try:
        return pwd.getpwuid(int(number))
    except KeyError:
        return None


def uid() -> int:
    """The account whose rights code of the person's gets; 0 on Windows, where it isn't asked."""
    if sys.platform == "win32":
        return 0
    person = behind_sudo()
    return os.geteuid() if person is None else person.pw_uid
