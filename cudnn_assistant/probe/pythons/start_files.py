"""Files that run by themselves whenever a Python of an environment starts (module site)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from cudnn_assistant.probe.files.disk import Disk

_MODULES = ("sitecustomize.py", "usercustomize.py")
_LARGEST = 64 << 10


def start_files(disk: Disk, sites: Iterable[str]) -> tuple[str, ...]:
    """Those in folders of packages that do more than name a folder."""
    return tuple(path for site in sites for path in _in(disk, site))


def _in(disk: Disk, site: str) -> Iterator[str]:
    for name in disk.names(site):
        path = disk.join(site, name)
        lines = disk.text(path, _LARGEST).splitlines() if name.endswith(".pth") else ()
        runs = any(line.startswith(("import ", "import\t")) for line in lines)
        if runs or name in _MODULES:
            yield path
