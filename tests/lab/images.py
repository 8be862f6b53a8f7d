"""Small files that look like libraries: a header that is right, and nothing that could run."""

from __future__ import annotations

import struct
from pathlib import Path

X86_64, AARCH64, X86 = 62, 183, 3


def elf(machine: int = X86_64, *, text: bytes = b"", cut: int = 0) -> bytes:
    """A 64-bit ELF library with ``text`` as its read-only data; ``cut`` bytes are missing."""
    names = b"\0.rodata\0.shstrtab\0"
    body = text + names
    table = 64 + len(body)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 0, table, 0, 64, 0, 0, 64, 3, 2)
    rows = bytes(64)
    rows += struct.pack("<IIQQQQIIQQ", 1, 1, 2, 0, 64, len(text), 0, 0, 1, 0)
    rows += struct.pack("<IIQQQQIIQQ", 9, 3, 0, 0, 64 + len(text), len(names), 0, 0, 1, 0)
    whole = head + body + rows
    return whole[: len(whole) - cut]


def pe(version: str = "", machine: int = 0x8664, *, cut: int = 0) -> bytes:
    """A 64-bit DLL with a version resource, where one is given; ``cut`` bytes are missing."""
    resource = _resource(version) if version else b""
    sections = 1 if version else 0
    head = b"MZ" + bytes(58) + struct.pack("<I", 64)
    head += b"PE\0\0" + struct.pack("<HHIIIHH", machine, sections, 0, 0, 0, 240, 0x2022)
    folders = [(0, 0)] * 16
    if version:
        folders[2] = (0x1000, len(resource))
    optional = struct.pack("<HBBIIIII", 0x20B, 14, 0, 0, 0, 0, 0, 0)
    optional += struct.pack("<QIIHHHHHHIIIIHH", 1 << 32, 0x1000, 0x200, 6, 0, 0, 0, 6, 0, 0,
                            0x2000, 0x400, 0, 2, 0)  # fmt: skip
    optional += struct.pack("<QQQQII", 0, 0, 0, 0, 0, 16)
    optional += b"".join(struct.pack("<II", *folder) for folder in folders)
    table = struct.pack("<8sIIIIIIHHI", b".rsrc", len(resource), 0x1000, len(resource), 0x400, 0,
                        0, 0, 0, 0x40000040)  # fmt: skip
    image = head + optional + (table if version else b"")
    whole = image + bytes(0x400 - len(image)) + resource if version else image
    return whole[: len(whole) - cut]


def _resource(version: str) -> bytes:
    one, two, three, four = (int(part) for part in version.split("."))
    fixed = struct.pack("<13I", 0xFEEF04BD, 0x10000, one << 16 | two, three << 16 | four,
                        one << 16 | two, three << 16 | four, 0x3F, 0, 0x40004, 2, 0, 0,
                        0)  # fmt: skip
    key = "VS_VERSION_INFO".encode("utf-16-le") + bytes(4)
    info = struct.pack("<HHH", 6 + len(key) + len(fixed), len(fixed), 0) + key + fixed
    tree = b""
    for number, below in ((16, 24), (1, 48)):  # type VERSION, name 1
        tree += struct.pack("<IIHHHHII", 0, 0, 0, 0, 0, 1, number, 0x80000000 | below)
    tree += struct.pack("<IIHHHHII", 0, 0, 0, 0, 0, 1, 1033, 72)  # language → data entry
    tree += struct.pack("<IIII", 0x1000 + 88, len(info), 0, 0)
    return tree + info


def put(folder: Path, *names: str, data: bytes | None = None) -> Path:
    """Files of these names in ``folder``, each a whole library."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        whole = pe() if name.lower().endswith(".dll") else elf()
        (folder / name).write_bytes(whole if data is None else data)
    return folder


EIGHT = ("cudnn", "cudnn_ops_infer", "cudnn_ops_train", "cudnn_cnn_infer", "cudnn_cnn_train",
         "cudnn_adv_infer", "cudnn_adv_train")  # fmt: skip
NINE = ("cudnn", "cudnn_graph", "cudnn_ops", "cudnn_cnn", "cudnn_adv", "cudnn_heuristic",
        "cudnn_engines_precompiled", "cudnn_engines_runtime_compiled")  # fmt: skip


def stems(version: str) -> list[str]:
    """Names of the libraries that NVIDIA packs with this version."""
    major, minor = (int(part) for part in version.split(".")[:2])
    later = ["cudnn_engines_tensor_ir"] * (minor >= 21) + ["cudnn_ext"] * (minor >= 22)
    return {7: ["cudnn"], 8: [*EIGHT], 9: [*NINE, *later]}[major]


def cudnn(folder: Path, version: str, *, sonames_only: bool = False) -> Path:
    """A whole Linux copy of this version, with its three names per library as in archives."""
    major = version.split(".", maxsplit=1)[0]
    folder.mkdir(parents=True, exist_ok=True)
    for stem in stems(version):
        soname = folder / f"lib{stem}.so.{major}"
        if sonames_only:
            soname.write_bytes(elf())
            continue
        (folder / f"lib{stem}.so.{version}").write_bytes(elf())
        soname.symlink_to(f"lib{stem}.so.{version}")
        (folder / f"lib{stem}.so").symlink_to(soname.name)
    return folder


def cudnn_windows(folder: Path, version: str) -> Path:
    """A whole Windows copy of this version."""
    major = version.split(".", maxsplit=1)[0]
    folder.mkdir(parents=True, exist_ok=True)
    for stem in stems(version):
        silent = stem in ("cudnn_graph", "cudnn_heuristic")
        (folder / f"{stem}64_{major}.dll").write_bytes(pe("" if silent else version))
    return folder


def header(folder: Path, version: str, name: str = "cudnn_version.h") -> Path:
    """cuDNN's header of this version."""
    folder.mkdir(parents=True, exist_ok=True)
    major, minor, patch = version.split(".")[:3]
    text = f"#define CUDNN_MAJOR {major}\n#define CUDNN_MINOR {minor}\n"
    (folder / name).write_text(f"/* a header */\n{text}#define CUDNN_PATCHLEVEL {patch}\n")
    return folder
