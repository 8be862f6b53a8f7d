"""The operating system: reading and writing variables, and the environment of a fresh program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from cudnn_assistant.system.linux import Linux
    from cudnn_assistant.system.planned import Planned
    from cudnn_assistant.system.windows import Windows

System: TypeAlias = "Windows | Linux"
"""What the rest of the program may ask of the operating system, and change, about variables. A
value is stored atomically, several for all users all or none; what isn't done raises
:class:`~cudnn_assistant.trouble.Refused`."""
Readable: TypeAlias = "System | Planned"
"""What a look asks, which changes nothing."""


def this_system() -> System:
    """The adapter of the system we run on; the only place that asks for ``sys.platform``."""
    if sys.platform == "win32":
        from cudnn_assistant.system.windows import Windows

        return Windows()
    from cudnn_assistant.system.linux import Linux

    return Linux()
