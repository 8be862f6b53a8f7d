"""The operating system itself, on Linux: distribution, C library, WSL, container, limits …"""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from collections.abc import Iterator, Mapping

from cudnn_assistant.machine import Limit, LimitName, OperatingSystem
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex

_SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
_CONTAINER_FILES = {
    "/.dockerenv": "docker", "/run/.containerenv": "podman", "/.singularity.d": "apptainer",
}  # fmt: skip
_CGROUP = regex(r"(docker|kubepods|containerd|libpod|lxc|podman|garden)")
_ROOT = regex(r"(?m)^(?:\S+ ){4}/ .* - overlay .*$")


def operating_system(disk: Disk, environment: Mapping[str, str]) -> OperatingSystem:
    """Facts about the system below ``disk``; ``environment`` is our own process's."""
    release = os_release(disk)
    kernel = disk.text("/proc/sys/kernel/osrelease", 256).strip() or platform.release()
    wsl = wsl_version(disk, kernel)
    container = container_kind(disk)
    return OperatingSystem(
        family="linux",
        name=release.get("PRETTY_NAME") or release.get("NAME", ""),
        version=kernel,
        distribution=distribution(disk, release),
        architecture=platform.machine(),
        libc=libc(disk),
        wsl=wsl,
        container=container,
        sandbox=sandbox(disk, environment),
        administrator=os.geteuid() == 0 if hasattr(os, "geteuid") else False,
        secure_boot=None if wsl or container else secure_boot(disk),
        desktop=bool(environment.get("WAYLAND_DISPLAY") or environment.get("DISPLAY")),
        limits=tuple(limit for limit, raisable in low_limits() if not raisable),
        main_alone=main_alone(disk) if release.get("ID") == "debian" else "",
    )


def distribution(disk: Disk, release: Mapping[str, str]) -> tuple[str, ...]:
    """ID and ID_LIKE. A system that is replaced as a whole (ostree) has a name of its own: the
    commands of the distribution that it is made from change nothing there."""
    names = f"{release.get('ID', '')} {release.get('ID_LIKE', '')}".split()
    return (f"{names[0]}-ostree",) if names and disk.exists("/run/ostree-booted") else (*names,)


def main_alone(disk: Disk) -> str:
    """Address and release of Debian's source that has its section "main" and no "non-free"."""
    folder = "/etc/apt/sources.list.d"
    files = [disk.join(folder, name) for name in disk.names(folder)]
    lines = [line for file in ("/etc/apt/sources.list", *files) for line in _sources(disk, file)]
    if any("non-free" in line.split() for line in lines):
        return ""
    plain = (_MAIN.match(line) for line in lines)
    return next((f"{found[1]} {found[2]}" for found in plain if found), "")


_MAIN = regex(r"deb\s+(?:\[[^]]*\]\s+)?(https?://\S+)\s+([a-z]+)\s(?:.*\s)?main(?:\s|$)")
_FIELD = regex(r"(?m)^(Types|URIs|Suites|Components|Enabled):[ \t]*(.*)$")


def _sources(disk: Disk, file: str) -> list[str]:
    """The sources that one of apt's files switches on, as lines of the older of its two forms."""
    text = disk.text(file)
    if not file.endswith(".sources"):
        return text.splitlines()
    known = [dict(_FIELD.findall(stanza)) for stanza in text.split("\n\n")]
    return [
        f"deb {uri} {suite} {one.get('Components', '')}"
        for one in known
        if one.get("Enabled", "yes") == "yes" and "deb" in one.get("Types", "").split()
        for uri in one.get("URIs", "").split()
        for suite in one.get("Suites", "").split()
    ]


def os_release(disk: Disk) -> dict[str, str]:
    """Fields of os-release, unquoted."""
    text = disk.text("/etc/os-release") or disk.text("/usr/lib/os-release")
    pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {name.strip(): value.strip().strip("\"'") for name, sign, value in pairs if sign}


def libc(disk: Disk) -> str:
    """ "glibc 2.39", "musl", or "" when it can't be told."""
    with contextlib.suppress(ValueError, OSError):  # no other C library knows the name
        if not disk.root and (name := os.confstr("CS_GNU_LIBC_VERSION")):
            return name
    musl = any(name.startswith("ld-musl-") for name in disk.names("/lib"))
    return "musl" if musl else ""


def wsl_version(disk: Disk, kernel: str) -> int:
    """0, 1 or 2. WSL 1 has no kernel of its own and never a /dev/dxg."""
    if "microsoft" not in kernel.lower():
        return 0
    newer = "wsl2" in kernel.lower() or "microsoft-standard" in kernel or disk.exists("/dev/dxg")
    return 2 if newer else 1


def container_kind(disk: Disk) -> str:
    """The kind of container we run in; "" when there is no sign of one."""
    for path, kind in _CONTAINER_FILES.items():
        if disk.exists(path):
            return kind
    kind = disk.text("/run/systemd/container", 64).strip()
    if kind and kind != "wsl":
        return kind
    # In a cgroup of its own only its root file system tells, and the layers that it is made of.
    root = _ROOT.search(disk.text("/proc/self/mountinfo", 1 << 20))
    match = _CGROUP.search(disk.text("/proc/1/cgroup", 1 << 14) + (root[0] if root else ""))
    names = {"kubepods": "kubernetes", "libpod": "podman"}
    return names.get(match[1], match[1]) if match else ""


def sandbox(disk: Disk, environment: Mapping[str, str]) -> str:
    """ "snap" or "flatpak" when this program runs inside one."""
    if environment.get("FLATPAK_ID") or disk.exists("/.flatpak-info"):
        return "flatpak"
    # A terminal that is itself a snap passes SNAP on; only a snap's own files live below it.
    inside = environment.get("SNAP", "")
    return "snap" if inside and os.path.abspath(__file__).startswith(inside + os.sep) else ""


def secure_boot(disk: Disk) -> bool | None:
    """Whether UEFI Secure Boot is on; without UEFI it can't be; ``None`` when it can't be read."""
    value = disk.data(_SECURE_BOOT, 16)
    if len(value) >= 5:
        return value[4] == 1  # after four bytes of attributes
    if disk.is_folder("/sys/firmware") and not disk.exists("/sys/firmware/efi"):
        return False
    return None


_ENOUGH: dict[LimitName, int | None] = {
    "AS": None, "DATA": None, "STACK": 1 << 20, "NOFILE": 256, "NPROC": 1024, "MEMLOCK": 64 << 10,
}  # fmt: skip
"""Limits (setrlimit) that disturb nothing; of AS and DATA (``None``) only "none at all" does."""


def low_limits() -> Iterator[tuple[Limit, bool]]:
    """Limits of this process that are low now, and whether everybody can raise them.

    Programs that a person starts where they started us have the same.
    """
    if sys.platform == "win32":
        return
    import resource

    for name, enough in _ENOUGH.items():
        soft, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        if soft != resource.RLIM_INFINITY and (enough is None or soft < enough):
            yield Limit(name=name, most=soft), soft != hard
