"""What Debian's rules ask of a package beside its program: copyright, changelog, man pages."""

from __future__ import annotations

import gzip
import shutil
import textwrap
from email.utils import formatdate
from pathlib import Path

from cudnn_assistant import __version__
from installer import news
from installer.windows import build

HERE = Path(__file__).resolve().parent
MAINTAINER = "The cuDNN Assistant authors <noreply@example.org>"
"""The format demands an address; nobody reads this one."""


def manual(folder: Path) -> None:
    """Pack the manual page that lies in ``folder``, and name it for both commands."""
    page = folder / "cudnn-assistant.1"
    _packed(folder / "cudnn-assistant.1.gz", page.read_bytes())
    _packed(folder / "cudnn-assistant-gui.1.gz", b".so man1/cudnn-assistant.1\n")
    page.unlink()


def fill(share: Path) -> None:
    """Put what Debian alone asks for under ``share`` (/usr/share)."""
    documents = share / "doc" / "cudnn-assistant"
    shutil.copy(HERE / "copyright", documents)
    _packed(documents / "changelog.gz", changelog().encode())
    overrides = share / "lintian" / "overrides" / "cudnn-assistant"
    overrides.parent.mkdir(parents=True)
    shutil.copy(HERE / "lintian-overrides", overrides)


def changelog() -> str:
    """Debian's form of what README says of this version. Raises NotReady."""
    text = " ".join(news.of(__version__).split())
    return (
        (HERE / "changelog")
        .read_text("utf-8")
        .format(
            version=__version__,
            news=textwrap.fill(text, 78, initial_indent="  * ", subsequent_indent="    "),
            maintainer=MAINTAINER,
            date=formatdate(build.moment()),
        )
    )


def _packed(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(content, mtime=0))
