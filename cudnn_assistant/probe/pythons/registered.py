"""Python installations that Windows' registry knows (PEP 514)."""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.probe.files.windows_registry import Registry

_TOP = r"Software\Python"
_HIVES = (
    Registry("HKEY_CURRENT_USER"),
    Registry("HKEY_LOCAL_MACHINE"),
    Registry("HKEY_LOCAL_MACHINE", "KEY_WOW64_32KEY"),
)


def registered_pythons() -> Iterator[str]:
    """The folders under ``Software\\Python\\<company>\\<tag>``, those of 32 bits too."""
    for registry in _HIVES:
        for company in registry.keys(_TOP):
            for tag in registry.keys(rf"{_TOP}\{company}"):
                folder = registry.value(rf"{_TOP}\{company}\{tag}\InstallPath", "")
                # The launcher has an entry of its own beside the interpreters.
                if isinstance(folder, str) and folder and company != "PyLauncher":
                    yield folder
