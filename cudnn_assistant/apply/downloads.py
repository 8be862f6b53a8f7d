"""A file that a step needs out of the network: told and stopped like every other work."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from typing import Any

from cudnn_assistant import places
from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.system import Refused
from cudnn_assistant.wording import _


def cache() -> str:
    """The folder for what has arrived, whole or in part."""
    return str(places.saved() / "downloads")


def refuse_other(path: str, sha256: str, size: int = 0) -> None:
    """Refuse a file of another checksum or, where the size is known too, of another size."""
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256 or (size and os.path.getsize(path) != size):
        raise Refused(_("{file} is not the file that NVIDIA published.").format(file=path))


def fetched(fetch: Callable[..., str], what: object, tools: Tools, **wishes: Any) -> str:
    """The path of the proven file, by one of the functions of ``download``. Raises Refused."""
    from cudnn_assistant.download import Cancelled, NotDownloaded

    try:
        return fetch(
            what,
            cache(),
            progress=lambda here, size: tools.tell("download", here, size),
            cancel=tools.cancel,
            hold=tools.hold,
            **wishes,
        )
    except NotDownloaded as trouble:
        raise Refused(str(trouble)) from trouble
    except Cancelled:
        raise Refused(
            _("Stopped, as you wished. What has arrived is kept for the next time.")
        ) from None
