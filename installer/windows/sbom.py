"""What is in the package, for programs: CycloneDX 1.5 from the lock and the wheels' own data."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from email.parser import HeaderParser
from pathlib import Path
from types import MappingProxyType
from typing import Any

_LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)


def locked(lock: Path) -> dict[str, str]:
    """Versions in a hash-locked requirements file, by name."""
    return dict(_LOCKED.findall(lock.read_text("utf-8")))


def fetched(report: Path) -> dict[str, str]:
    """SHA-256 of the archives that pip installed, by name, from its own report."""
    installed = json.loads(report.read_text("utf-8"))["install"]
    return {
        _plain(one["metadata"]["name"]): one["download_info"]["archive_info"]["hashes"]["sha256"]
        for one in installed
    }


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def write(
    target: Path,
    version: str,
    lib: Path,
    others: dict[str, str],
    packed: set[str],
    hashes: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """The bill of materials of this program with those distributions in ``lib`` that are packed.

    ``others`` are parts from elsewhere (Python) with their versions; ``hashes`` the SHA-256 of the
    archive that a part came in, where one archive was taken. The same input gives the
    same bytes: it holds no time, and its number is made from its content.
    """
    elsewhere = (_part("framework", "generic", *other) for other in others.items())
    parts = [*elsewhere, *_distributions(lib, packed)]
    for part in parts:
        if sha256 := hashes.get(part["name"]):
            part["hashes"] = [{"alg": "SHA-256", "content": sha256}]
    content = json.dumps(parts, sort_keys=True)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, version + content)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "cudnn-assistant",
                "name": "cudnn-assistant",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": parts,
        "dependencies": [
            {"ref": "cudnn-assistant", "dependsOn": [part["bom-ref"] for part in parts]}
        ],
    }
    target.write_text(json.dumps(document, indent=1) + "\n", "utf-8", newline="\n")


def _part(kind: str, source: str, name: str, version: str) -> dict[str, Any]:
    address = f"pkg:{source}/{name}@{version}"
    return {"type": kind, "bom-ref": address, "name": name, "version": version, "purl": address}


def _distributions(lib: Path, packed: set[str]) -> Iterator[dict[str, Any]]:
    for path in sorted(lib.glob("*.dist-info/METADATA")):
        if path.parent.name.split("-")[0].lower() not in packed:
            continue
        facts = HeaderParser().parsestr(path.read_text("utf-8", "replace"))
        part = _part("library", "pypi", _plain(str(facts["Name"])), str(facts["Version"]))
        said = facts["License-Expression"] or facts["License"]
        if said and len(said) < 100:
            part["licenses"] = [{"license": {"name": said}}]
        yield part
