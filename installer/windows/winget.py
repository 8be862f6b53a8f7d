"""The manifests by which winget knows a release: three files beside the packages, never for a test.

Their form is Microsoft's schema 1.6.0, which the tests hold them against without a network.
"""

from __future__ import annotations

from pathlib import Path

import yaml

FORMS = Path(__file__).with_name("winget.yaml")


def write(folder: Path, version: str, setup: str, sha256: str, home: str) -> None:
    """Put the manifests of Setup, a file of that name and hash, into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    address = f"{home}/releases/download/v{version}/{setup}"
    for manifest in yaml.safe_load_all(FORMS.read_text("utf-8")):
        kind, name = manifest["ManifestType"], manifest["PackageIdentifier"]
        manifest["PackageVersion"] = version
        if kind == "defaultLocale":
            manifest["PackageUrl"] = home
        for installer in manifest.get("Installers", ()):
            installer |= {"InstallerUrl": address, "InstallerSha256": sha256.upper()}
        ending = {"version": "", "defaultLocale": ".locale.en-US", "installer": ".installer"}[kind]
        text = yaml.safe_dump(manifest, sort_keys=False, allow_unicode=True, width=1000)
        (folder / f"{name}{ending}.yaml").write_text(text, "utf-8", newline="\n")
