"""Which package brought a file, from the records that package managers leave.

No package manager is run: dpkg's and pacman's records are text, conda and pip leave one folder or
file per package, and rpm's present database is an SQLite file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, cached_property, partial

import msgspec

from cudnn_assistant.probe.files.catalogue import libraries
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import rpm
from cudnn_assistant.probe.pythons.records import conda_packages, installed
from cudnn_assistant.regex import regex

_MOST_LIST = 1 << 20
_MOST_STATUS = 64 << 20
_CUDA = regex(r"cuda-?(\d+)|cu(\d{2})(?!\d)")
_FULL = regex(r"\d+(?:\.\d+)*")
_SYSTEM_PACKAGE = regex(
    r"(?:lib|cuda-)?(?:cudnn|cublas|cudart|nvrtc)|cuda(?:-\d|$)|zlib|libnvidia-(?:compute|ml)|libz1"
)
"""Start of the names of dpkg's and pacman's packages with cuDNN or a library beside it."""
_FILE = regex(r"/lib(?:cudnn|cudart|cublas|nvrtc|z|cuda|nvidia-ml)[\w-]*\.so")


class Owner(msgspec.Struct, frozen=True):
    """A package and what its name and version tell."""

    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}".strip()

    @property
    def cudnn(self) -> str:
        """Version of cuDNN: "8.9.7.29-1+cuda12.2" is 8.9.7.29."""
        bare = self.version.split(":", 1)[-1]
        match = _FULL.match(bare)
        return match[0] if match else ""

    @property
    def cuda_major(self) -> int | None:
        """CUDA major by name or version: "libcudnn9-cuda-12", "+cuda12.2", "-cu12"."""
        match = _CUDA.search(f"{self.package} {self.version}")
        return int(match[1] or match[2]) if match else None


class Records:
    """The records of one computer, each read when first asked for."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._in_site = cache(lambda site: installed(disk, [site]))
        self._in_conda = cache(partial(conda_packages, disk))

    def of_file(self, path: str) -> Owner | None:
        """The system package that brought a file."""
        if self._disk.family == "windows":
            return None
        # Debian's records of a merged /usr still say /lib where the file is in /usr/lib.
        other = path.removeprefix("/usr") if path.startswith("/usr/lib") else "/usr" + path
        return self._files.get(path) or self._files.get(other)

    @cached_property
    def _files(self) -> dict[str, Owner]:
        of_rpm = {path: Owner(*named) for path, named in rpm.files(self._disk).items()}
        return {**of_rpm, **self._dpkg(), **self._pacman()}

    def of_site(self, site: str, folder: str) -> Owner | None:
        """The pip package in ``site`` that brought cuDNN into ``folder``."""
        inside = folder.replace("\\", "/")
        if "/nvidia/" not in inside:
            return None
        jit = "cudnn_jit" in inside
        for name, one in sorted(self._in_site(site).items()):
            ours = name.startswith("nvidia-cudnn") and "frontend" not in name
            if ours and ("jit" in name) == jit:
                return Owner(name, one.version)
        return None

    def of_library(self, name: str, major: int | None, site: str, root: str) -> Owner | None:
        """The package that brought a library, or conda's that brought cuDNN, into an environment.

        ``site`` is its folder of wheels when the file lies in one, else ``root`` is a conda's.
        """
        rule = next(one for one in libraries().libraries if one.name == name)
        if not site:
            return self._of_conda(root, rule.conda)
        for package in (f"nvidia-{rule.wheel}-cu{major}", f"nvidia-{rule.wheel}"):
            if one := self._in_site(site).get(package):
                return Owner(package, one.version)
        return None

    def _of_conda(self, root: str, names: Iterable[str]) -> Owner | None:
        packages = self._in_conda(root)
        found = next((name for name in names if name in packages), "")
        one = packages.get(found)
        return Owner(found, f"{one.version} {one.build}") if one else None

    def _dpkg(self) -> dict[str, Owner]:
        info = "/var/lib/dpkg/info"
        names = self._disk.names(info)
        lists = [n for n in names if n.endswith(".list") and _SYSTEM_PACKAGE.match(n)]
        if not lists:
            return {}
        status = b"\n" + self._disk.data("/var/lib/dpkg/status", _MOST_STATUS)
        found: dict[str, Owner] = {}
        for name in lists:
            package = name.removesuffix(".list").split(":")[0]
            owner = Owner(package, _debian_version(status, package))
            lines = self._disk.text(self._disk.join(info, name), _MOST_LIST).splitlines()
            found |= {line.strip(): owner for line in lines if _FILE.search(line)}
        return found

    def _pacman(self) -> dict[str, Owner]:
        base = "/var/lib/pacman/local"
        found: dict[str, Owner] = {}
        for name in self._disk.names(base):
            match = re.fullmatch(r"(.+)-(\d[^-]*-[^-]+)", name)
            if match and _SYSTEM_PACKAGE.match(match[1]):
                files = self._disk.text(self._disk.join(base, name, "files"), _MOST_LIST)
                owner = Owner(match[1], match[2])
                lines = files.splitlines()
                found |= {f"/{line}": owner for line in lines if _FILE.search(f"/{line}")}
        return found


def _debian_version(status: bytes, package: str) -> str:
    at = status.find(b"\nPackage: %b\n" % package.encode())
    if at < 0:
        return ""
    end = status.find(b"\n\n", at)
    row = status[at : end if end >= 0 else None].decode("utf-8", "replace")
    match = re.search(r"^Version: (\S+)", row, re.MULTILINE)
    return match[1] if match else ""
