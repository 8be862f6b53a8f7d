"""What goes into the installed program, by allow-list: a new wheel can't make it grow unseen."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from cudnn_assistant.wording import LANGUAGES

PYTHON_LEFT_OUT = ("_msi.pyd", "_sqlite3.pyd", "sqlite3.dll", "winsound.pyd", "python.cat")
"""Files of the embeddable Python that nothing here imports; 2 MB."""

LEFT_OUT = {
    "pycparser": "only cffi's compiler needs it",
}
"""Distributions of the lock that are not packed, and why."""

_QT = ("Core", "Gui", "Svg", "Widgets")

KEEP = (
    "PySide6/__init__.py",
    "PySide6/_config.py",
    "PySide6/_git_pyside_version.py",
    *(f"PySide6/Qt{part}.pyd" for part in _QT),
    *(f"PySide6/Qt6{part}.dll" for part in _QT),
    "PySide6/pyside6.abi3.dll",
    "PySide6/msvcp140*.dll",
    "PySide6/vcruntime140*.dll",
    "PySide6/plugins/platforms/qwindows.dll",
    "PySide6/plugins/platforms/qoffscreen.dll",
    "PySide6/plugins/styles/qmodernwindowsstyle.dll",
    "PySide6/plugins/imageformats/qico.dll",
    "PySide6/plugins/imageformats/qsvg.dll",
    "PySide6/plugins/iconengines/qsvgicon.dll",
    *(f"PySide6/translations/qtbase_{language}.qm" for language in LANGUAGES),
    "shiboken6/__init__.py",
    "shiboken6/_config.py",
    "shiboken6/_git_shiboken_module_version.py",
    "shiboken6/Shiboken.pyd",
    "shiboken6/shiboken6.abi3.dll",
    "shiboken6/msvcp140.dll",
    "shiboken6/msvcp140_1.dll",
    "shiboken6/msvcp140_2.dll",
    "shiboken6/vcruntime140*.dll",
    "_cffi_backend.*.pyd",
    "certifi/*",
    "charset_normalizer/**/*",
    "cuda/pathfinder/**/*",
    "cryptography/**/*",
    "filelock/**/*",
    "idna/**/*",
    "msgspec/**/*",
    "ordlookup/**/*",
    "packaging/**/*",
    "pefile.py",
    "platformdirs/**/*",
    "pynvml.py",
    "requests/**/*",
    "securesystemslib/**/*",
    "truststore/**/*",
    "tuf/**/*",
    "urllib3/**/*",
)
"""Patterns of files under ``lib``."""

_NEVER = re.compile(
    r"(\.pyi|py\.typed|\.pxd|\.lib|\.md|\.sh|\.gitignore)$|/(__pycache__|test_data|tests)/"
)


def kept(name: str, patterns: tuple[str, ...] = KEEP) -> bool:
    """Whether a file of ``lib``, by its path with "/", is packed."""
    path = PurePosixPath(name)
    return not _NEVER.search(name) and any(_match(path, pattern) for pattern in patterns)


def _match(path: PurePosixPath, pattern: str) -> bool:
    head, deep, _ = pattern.partition("/**/")
    if deep:
        return path.as_posix().startswith(head + "/")
    return len(path.parts) == pattern.count("/") + 1 and path.match(pattern)


def prune(lib: Path) -> None:
    """Delete what is not kept, and the folders that are empty then."""
    for path in sorted(lib.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif not kept(path.relative_to(lib).as_posix()):
            path.unlink()


SYSTEM = frozenset(
    """
    advapi32 authz bcrypt bcryptprimitives cabinet comctl32 comdlg32 crypt32 d2d1 d3d11 d3d12
    d3d9 dcomp dnsapi dwmapi dwrite dxgi gdi32 icuuc imm32 iphlpapi kernel32 mpr msi msvcrt
    ncrypt netapi32 ntdll ole32 oleaut32 opengl32 powrprof propsys psapi rpcrt4 setupapi
    shcore shell32 shlwapi ucrtbase uiautomationcore user32 userenv uxtheme version wbemcli winmm
    winspool.drv ws2_32 wsock32 wtsapi32 mscms
    """.split()  # noqa: SIM905  (a table)
)
"""DLLs that every Windows 10 (from 1809) has, without ``.dll``; api-ms-win-* are more of them."""
