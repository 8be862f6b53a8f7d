"""Why the system did not allow something, in words for the person."""

from __future__ import annotations

import errno
import os

from cudnn_assistant.machine import readable
from cudnn_assistant.wording.language import _


def reason(trouble: OSError) -> str:
    """One sentence, with the file where one is known."""
    named = trouble.filename or trouble.filename2 or ""
    file = readable(os.fsdecode(named)) if isinstance(named, str | bytes) else ""
    text = _reasons().get(errno.errorcode.get(trouble.errno or 0, "")) or _("{text}.").format(
        text=(trouble.strerror or str(trouble)).rstrip(".")
    )
    return f"{file}: {text}" if file else text[:1].upper() + text[1:]


def _reasons() -> dict[str, str]:
    # By symbol, because the numbers and which of them exist differ between the systems.
    return {
        "EACCES": _("you have no permission to change it."),
        "EPERM": _("it is locked against changes, or you have no permission."),
        "EROFS": _("it is on a disk that can only be read."),
        "ENOSPC": _("the disk is full."),
        "EDQUOT": _("your share of the disk is used up."),
        "EFBIG": _("the disk is full, or files can't become that large here."),
        "ELOOP": _("it is a link that leads back to itself."),
        "ENOTDIR": _("a file stands where a folder should be."),
        "EISDIR": _("a folder stands where a file should be."),
        "ENAMETOOLONG": _("its name is too long."),
        "EIO": _("the disk could not be read or written."),
        "ETXTBSY": _("it is in use by another program."),
    }
