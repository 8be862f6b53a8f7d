"""What Debian's rules ask of a package beside its program: copyright, changelog, man pages."""

from __future__ import annotations

import gzip
import textwrap
from email.utils import formatdate
from pathlib import Path

from cudnn_assistant import __version__
from installer import news
from installer.windows import build

MAINTAINER = "The cuDNN Assistant authors <noreply@example.org>"
"""The format demands an address; nobody reads this one."""

_COPYRIGHT = """cuDNN Assistant finds out why cuDNN doesn't start, and mends it.

Copyright 2026 The cuDNN Assistant authors
License: Apache-2.0; Debian has the text in /usr/share/common-licenses/Apache-2.0

The package brings libraries of others in /usr/lib/cudnn-assistant, as their makers published them.
Each folder of /usr/share/doc/cudnn-assistant/licences has the copyright notice and the licence of
one; their versions are in sbom.cdx.json beside it. Qt, PySide6 and Shiboken are used under the GNU
Lesser General Public License, version 3 (/usr/share/common-licenses/LGPL-3).

cuDNN itself is NVIDIA's and is no part of this package.
"""

_OVERRIDES = """# Packed as the wheels' makers published them, so that hashes can be compared.
cudnn-assistant: unstripped-binary-or-object
cudnn-assistant: shared-library-lacks-prerequisites
# Modules, which are imported and never started.
cudnn-assistant: unusual-interpreter
"""

_CHANGELOG = """cudnn-assistant ({version}) stable; urgency=medium

{news}

 -- {maintainer}  {date}
"""


def manual(share: Path, page: Path) -> None:
    """Put the manual page of both commands under ``share`` (/usr/share)."""
    _packed(share / "man/man1/cudnn-assistant.1.gz", page.read_bytes())
    _packed(share / "man/man1/cudnn-assistant-gui.1.gz", b".so man1/cudnn-assistant.1\n")


def fill(share: Path) -> None:
    """Put what Debian alone asks for under ``share`` (/usr/share)."""
    documents = share / "doc" / "cudnn-assistant"
    (documents / "copyright").write_text(_COPYRIGHT, "utf-8")
    _packed(documents / "changelog.gz", changelog().encode())
    overrides = share / "lintian" / "overrides" / "cudnn-assistant"
    overrides.parent.mkdir(parents=True)
    overrides.write_text(_OVERRIDES, "utf-8")


def changelog() -> str:
    """Debian's form of what README says of this version. Raises news.Missing."""
    text = " ".join(news.of(__version__).split())
    return _CHANGELOG.format(
        version=__version__,
        news=textwrap.fill(text, 78, initial_indent="  * ", subsequent_indent="    "),
        maintainer=MAINTAINER,
        date=formatdate(build.moment()),
    )


def _packed(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(content, mtime=0))
