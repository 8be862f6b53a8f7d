"""Why the system did not allow something, in words for the person."""

from __future__ import annotations

import errno
import os

from cudnn_assistant.machine import readable
from cudnn_assistant.wording.sentences import rows, say


def reason(trouble: OSError) -> str:
    """One sentence, with the file where one is known."""
    named = trouble.filename or trouble.filename2 or ""
    file = readable(os.fsdecode(named)) if isinstance(named, str | bytes) else ""
    text = _known(trouble) or f"{(trouble.strerror or str(trouble)).rstrip('.')}."
    return f"{file}: {text}" if file else text[:1].upper() + text[1:]


def _known(trouble: OSError) -> str:
    # By symbol, because the numbers and which of them exist differ between the systems.
    codes = (errno.errorcode.get(trouble.errno or 0, ""), trouble.strerror or "")
    return next((say(f"errno.{code}") for code in codes if code in rows("errno")), "")
