"""Display adapters on the PCI bus (Linux), read from sysfs: needs no driver and no right."""

from __future__ import annotations

import re

import msgspec

from cudnn_assistant.probe.files.disk import Disk

NVIDIA = "10de"
_IDS = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/var/lib/pciutils/pci.ids")
_MOST_OF_IDS = 8 << 20
_VENDORS = {"1002": "AMD", "8086": "Intel", "1234": "QEMU", "15ad": "VMware", "1af4": "Red Hat",
            "1a03": "ASPEED", "102b": "Matrox", "1414": "Microsoft",
            "80ee": "VirtualBox"}  # fmt: skip


class Adapter(msgspec.Struct, frozen=True):
    """One device of PCI class 03 (display controller)."""

    bus: str
    vendor: str
    device: str
    driver: str = ""
    """Kernel driver bound to it; "" for none."""
    asleep: bool | None = None
    name: str = ""
    problem: int = 0
    """Device Manager's problem code, on Windows."""

    @property
    def pci_id(self) -> str:
        """Vendor and device: "10de:2684"."""
        return f"{self.vendor}:{self.device}"


def adapters(disk: Disk) -> tuple[Adapter, ...]:
    """All display adapters by bus address, named from the system's PCI database if there is one."""
    base = "/sys/bus/pci/devices"
    found = [one for n in disk.names(base) if (one := _adapter(disk, disk.join(base, n)))]
    texts = (disk.text(path, _MOST_OF_IDS) for path in _IDS if found)
    text = next(filter(None, texts), "")
    return tuple(
        msgspec.structs.replace(one, name=name_of(text, one.vendor, one.device)) for one in found
    )


def _adapter(disk: Disk, folder: str) -> Adapter | None:
    if not _hex(disk, folder, "class").startswith("03"):
        return None
    status = disk.text(disk.join(folder, "power/runtime_status"), 64).strip()
    return Adapter(
        bus=disk.name(folder),
        vendor=_hex(disk, folder, "vendor"),
        device=_hex(disk, folder, "device"),
        driver=disk.name(disk.link(disk.join(folder, "driver"))),
        asleep=None if not status else status == "suspended",
    )


def _hex(disk: Disk, folder: str, name: str) -> str:
    return disk.text(disk.join(folder, name), 64).strip().lower().removeprefix("0x")


def name_of(database: str, vendor: str, device: str) -> str:
    """A device's name in the text of pci.ids; for unknown ones the vendor's, then the number."""
    start = re.search(rf"^{re.escape(vendor)}  (.+)$", database, re.MULTILINE)
    who = _VENDORS.get(vendor) or (start[1] if start else "")
    if start:
        end = re.search(r"^[0-9a-f]{4}  ", database[start.end() :], re.MULTILINE)
        part = database[start.end() : start.end() + end.start() if end else None]
        line = re.search(rf"^\t{re.escape(device)}  (.+)$", part, re.MULTILINE)
        if line:
            # "AD102 [GeForce RTX 4090]": people know the name in brackets.
            inside = line[1].partition("[")[2].rpartition("]")[0]
            return f"NVIDIA {inside or line[1]}" if vendor == NVIDIA else f"{who} {line[1]}"
    return f"{who} {vendor}:{device}".strip()
