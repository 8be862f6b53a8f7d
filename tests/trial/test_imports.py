"""Which DLL is missing: walked through forged DLLs with real import tables."""

from __future__ import annotations

import struct
from pathlib import Path

from cudnn_assistant.probe.files.imports import first_missing, imports, locate
from cudnn_assistant.probe.trials import child_environment

BASE, SIZE = 0x1000, 0x1000
THUNK = struct.pack("<QQ", 1 << 63 | 1, 0)
"""Imports function number 1 and nothing more."""


def forge(path: Path, *names: str) -> str:
    """A 64-bit DLL that imports one function from each of ``names``."""
    thunks_at = BASE + 20 * (len(names) + 1)
    texts_at = thunks_at + len(THUNK) * len(names)
    table = texts = b""
    for number, name in enumerate(names):
        thunk = thunks_at + len(THUNK) * number
        table += struct.pack("<5I", thunk, 0, 0, texts_at + len(texts), thunk)
        texts += name.encode() + b"\0"
    section = (table + bytes(20) + THUNK * len(names) + texts).ljust(SIZE, b"\0")
    directories = [(0, 0), (BASE, 20 * (len(names) + 1)), *[(0, 0)] * 14]
    optional = struct.pack("<HBB5I", 0x20B, 14, 0, 0, SIZE, 0, 0, 0)
    optional += struct.pack("<QII6H", 0x180000000, 0x1000, 0x200, 6, 0, 0, 0, 6, 0)
    optional += struct.pack("<4I2H4Q2I", 0, 0x3000, 0x400, 0, 2, 0, 1, 1, 1, 1, 0, 16)
    optional += b"".join(struct.pack("<II", *pair) for pair in directories)
    coff = struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, len(optional), 0x2022)
    row = struct.pack("<8sIIIIIIHHI", b".rdata", SIZE, BASE, SIZE, 0x400, 0, 0, 0, 0, 0x40000040)
    dos = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)
    path.write_bytes((dos + b"PE\0\0" + coff + optional + row).ljust(0x400, b"\0") + section)
    return str(path)


def test_import_tables_are_read(tmp_path):
    file = forge(tmp_path / "a.dll", "KERNEL32.dll", "cublasLt64_12.dll")
    assert imports(file) == ["KERNEL32.dll", "cublasLt64_12.dll"]
    assert imports(forge(tmp_path / "b.dll")) == []


def test_what_cannot_be_read_has_no_imports(tmp_path):
    (tmp_path / "empty.dll").touch()
    (tmp_path / "text.dll").write_text("MZ" + "no library " * 99)
    assert imports(str(tmp_path / "empty.dll")) == imports(str(tmp_path / "text.dll")) == []
    assert imports(str(tmp_path / "nowhere.dll")) == []
    assert first_missing(str(tmp_path / "nowhere.dll"), []) == ""


def test_the_first_missing_one_however_deep(tmp_path):
    own, system = tmp_path / "own", tmp_path / "System32"
    own.mkdir()
    system.mkdir()
    main = forge(own / "cudnn64_8.dll", "kernel32.dll", "middle.dll")
    forge(own / "middle.dll", "zlibwapi.dll", "KERNEL32.dll")
    forge(system / "Kernel32.DLL", "api-ms-win-core-heap-l1-1-0.dll")
    assert first_missing(main, [str(system)]) == "zlibwapi.dll"
    forge(system / "ZLIBWAPI.dll")
    assert first_missing(main, [str(system)]) == ""
    assert first_missing(main, []) == "kernel32.dll"


def test_circles_end(tmp_path):
    first = forge(tmp_path / "a.dll", "b.dll")
    forge(tmp_path / "b.dll", "a.dll")
    assert first_missing(first, []) == ""


def test_the_folder_searched_first_counts(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        forge(tmp_path / name / "cudnn64_9.dll")
    folders = [str(tmp_path / "one"), str(tmp_path / "two")]
    assert locate("cudnn64_9.dll", folders) == str(tmp_path / "one" / "cudnn64_9.dll")
    assert locate("cudnn64_8.dll", folders) == ""


def test_where_windows_looks():
    environment = {"SystemRoot": "C:\\Windows", "Path": 'C:\\a; "C:\\with; sign" ;;'}
    folders = child_environment.searched_by_windows(environment, ["C:\\own", ""])
    assert folders[0] == "C:\\own"
    assert folders[-2:] == ["C:\\a", "C:\\with; sign"]
