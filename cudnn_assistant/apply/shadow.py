"""The shadow of a Python environment: the same files but for some packages, to be tried (Linux).

Its folders are real and its files are links, because the loader takes ``$ORIGIN`` for the folder
of the link: what PyTorch finds beside itself is then the shadow's own. The environment itself is
only read.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Set
from pathlib import Path
from typing import Annotated

import msgspec

from cudnn_assistant import places
from cudnn_assistant.apply.environment import Environment, answer, run, staging
from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.plan import InstallPackage

_DEEPEST = 100
"""Folders in folders; whoever has more gets no shadow."""
_QUERY = """
import importlib.metadata as m, json, os, sys
known = [d for name in sys.argv[1:] for d in m.distributions(name=name)]
files = {str(getattr(d, "_path", "")) for d in known}
files.update(os.path.normpath(str(d.locate_file(f))) for d in known for f in d.files or ())
own = sys.prefix != sys.base_prefix
wanted = ("site-packages", "dist-packages")
sites = [p for p in sys.path if os.path.basename(p) in wanted and os.path.isdir(p)]
sites = [p for p in sites if not own or p.startswith(os.path.join(sys.prefix, ""))]
conda = os.path.isdir(os.path.join(sys.prefix, "conda-meta"))
print(json.dumps({
    "base": os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable),
    "library": "python%d.%d" % sys.version_info[:2],
    "version": "%d.%d.%d" % sys.version_info[:3],
    "below": own and any(p.startswith(sys.base_prefix) for p in sys.path if "-packages" in p),
    "beside": os.path.join(sys.prefix, "lib") if conda else "",
    "sites": sites,
    "files": sorted(files),
}))
"""


class _Seen(msgspec.Struct):
    """What an environment says of itself."""

    base: str
    library: Annotated[str, msgspec.Meta(pattern=r"\Apython\d+\.\d+\Z")]
    version: Annotated[str, msgspec.Meta(pattern=r"\A[\d.]+\Z")]
    below: bool
    beside: str
    sites: list[str]
    files: set[str]


def shadow(step: InstallPackage, found: Environment, tools: Tools) -> str:
    """The root of a virtual environment as ``step`` would leave its own; "" if it can't be had.

    The packages that pip named are fetched for it, and no others. Raises :class:`Refused` when it
    was stopped.
    """
    remove_shadow()
    if sys.platform == "win32":
        return ""
    new = _place() / "new"
    try:
        new.mkdir(parents=True)
        # Whoever can't fetch it now hears why when it is to be installed.
        if run(staging(step, found, str(new)), tools.cancel, tools.lock).code:
            return ""
        names = [change.name for change in step.changes or () if change.before]
        return str(_laid(answer(_Seen, found.python, _QUERY, *names), new))
    except OSError:
        return ""


def remove_shadow() -> None:
    """Remove what is left of one."""
    shutil.rmtree(_place(), ignore_errors=True)


def _place() -> Path:
    # One change at a time holds the lock, so one place is enough; a left-over is in nobody's way.
    return places.own_libraries().parent / "shadow"


def _laid(seen: _Seen, new: Path) -> Path:
    root = new.parent / "environment"
    site = root / "lib" / seen.library / "site-packages"
    site.parent.mkdir(parents=True)
    new.rename(site)
    for source in seen.sites:
        _lay(source, site, seen.files)
    if seen.beside:
        # What conda brings lies above its packages, and they look for it there.
        _lay(seen.beside, root / "lib", {os.path.join(seen.beside, seen.library)})
    (root / "bin").mkdir()
    (root / "bin" / "python").symlink_to(seen.base)
    config = (
        f"home = {os.path.dirname(seen.base)}\n"
        f"include-system-site-packages = {str(seen.below).lower()}\nversion = {seen.version}\n"
    )
    (root / "pyvenv.cfg").write_text(config, "utf-8")
    return root


def _lay(source: str, target: Path, without: Set[str], depth: int = 0) -> None:
    """Real folders with links to the files of ``source``; what lies there already stays."""
    if depth > _DEEPEST:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), source)
    target.mkdir(exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            place = target / entry.name
            if entry.path in without:
                continue
            if entry.is_dir(follow_symlinks=False) and entry.name != "__pycache__":
                _lay(entry.path, place, without, depth + 1)
            elif not os.path.lexists(place):
                place.symlink_to(entry.path)
