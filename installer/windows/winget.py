"""The manifests by which winget knows a release: three files beside the packages, never for a test.

Their form is Microsoft's schema 1.6.0, which the tests hold them against without a network.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

NAME = "cuDNNAssistant.cuDNNAssistant"
SCHEMA = "1.6.0"
CODES = {
    1: "cancelledByUser",
    3: "downgrade",
    4: "packageInUseByApplication",
    6: "systemNotSupported",
    7: "alreadyInstalled",
    8: "invalidParameter",
}
"""What Setup's exit codes (setup.nsi) are to winget."""


def write(folder: Path, version: str, setup: str, sha256: str, home: str) -> None:
    """Put the manifests of Setup, a file of that name and hash, into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, facts in manifests(version, f"{home}/releases/download/v{version}/{setup}", sha256):
        ending = {"version": "", "defaultLocale": ".locale.en-US", "installer": ".installer"}[kind]
        page = {"PackageUrl": home} if kind == "defaultLocale" else {}
        whole = {**facts, **page, "ManifestType": kind, "ManifestVersion": SCHEMA}
        text = yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=1000)
        (folder / f"{NAME}{ending}.yaml").write_text(text, "utf-8", newline="\n")


def manifests(version: str, address: str, sha256: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The kinds of manifest, each with what it says."""
    both = {"PackageIdentifier": NAME, "PackageVersion": version}
    yield "version", {**both, "DefaultLocale": "en-US"}
    yield (
        "defaultLocale",
        {
            **both,
            "PackageLocale": "en-US",
            "Publisher": "The cuDNN Assistant authors",
            "PackageName": "cuDNN Assistant",
            "License": "Apache-2.0",
            "ShortDescription": (
                "Finds out why cuDNN doesn't start, mends it, and proves it on the GPU."
            ),
            "Moniker": "cudnn-assistant",
            "Tags": ["cuda", "cudnn", "gpu", "nvidia"],
        },
    )
    yield (
        "installer",
        {
            **both,
            "Platform": ["Windows.Desktop"],
            "MinimumOSVersion": "10.0.17763.0",
            "InstallerType": "nullsoft",
            "Commands": ["cudnn-assistant"],
            "FileExtensions": ["cudnn-report"],
            "ProductCode": "cuDNN Assistant",
            "UpgradeBehavior": "install",
            "ExpectedReturnCodes": [
                {"InstallerReturnCode": code, "ReturnResponse": answer}
                for code, answer in CODES.items()
            ],
            "Installers": [
                _installer("user", "/CURRENTUSER", address, sha256),
                {
                    **_installer("machine", "/ALLUSERS", address, sha256),
                    "ElevationRequirement": "elevationRequired",
                },
            ],
        },
    )


def _installer(scope: str, switch: str, address: str, sha256: str) -> dict[str, Any]:
    return {
        "Architecture": "x64",
        "InstallerUrl": address,
        "InstallerSha256": sha256.upper(),
        "Scope": scope,
        "InstallerSwitches": {"Custom": switch},
    }
