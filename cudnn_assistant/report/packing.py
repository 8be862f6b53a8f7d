"""A report packed for a support desk: the report as text and page, the log, the message."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The one time a ZIP can give that tells nothing."""

REPORT, PAGE, LOG, MESSAGE = (
    "cudnn-report.md", "cudnn-report.html", "cudnn-assistant.log", "message.txt",
)  # fmt: skip
"""Names inside."""


def pack(files: Mapping[str, str]) -> bytes:
    """A ZIP of these texts by name; empty ones are left out. The same texts give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            if text:
                member = zipfile.ZipInfo(name, _EARLIEST)
                member.compress_type = zipfile.ZIP_DEFLATED
                member.external_attr = 0o644 << 16
                archive.writestr(member, text)
    return packed.getvalue()
