"""Forges Python environments of either family below a folder: the layouts of real wheels.

The texts are those of the wheels named beside them, cut to what anyone reads.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from pathlib import Path

TORCH_CUDA = """from typing import Optional

__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip', 'xpu']
__version__ = '{version}'
debug = False
cuda: Optional[str] = {cuda}
git_version = '5811a8d7da873dd699ff6687092c225caffcf1bb'
hip: Optional[str] = None
"""

TENSORFLOW_2_20 = '''"""Auto-generated module providing information about the build."""
import collections

build_info = collections.OrderedDict([('cpu_compiler', 'clang 18'),
 ('cuda_compute_capabilities', ['sm_60', 'sm_70', 'sm_80', 'sm_89', 'compute_90']),
 ('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True),
 ('is_rocm_build', False), ('is_tensorrt_build', False)])
'''

TENSORFLOW_2_10_WINDOWS = """import collections

build_info = collections.OrderedDict([
 ('cuda_compute_capabilities', ['sm_35', 'sm_50', 'sm_60', 'sm_70', 'sm_75', 'compute_80']),
 ('cuda_version', '64_112'), ('cudart_dll_name', 'cudart64_112.dll'),
 ('cudnn_dll_name', 'cudnn64_8.dll'), ('cudnn_version', '64_8'), ('is_cuda_build', True),
 ('is_rocm_build', False), ('msvcp_dll_names', 'msvcp140.dll,msvcp140_1.dll'),
 ('nvcuda_dll_name', 'nvcuda.dll')])
"""

TENSORFLOW_1_15_WINDOWS = """from __future__ import absolute_import
is_rocm_build = False
is_cuda_build = True

cuda_version_number = '10.0'
cudnn_version_number = '7'
cudnn_dll_name = 'cudnn64_7.dll'
"""

PADDLE_2_6 = """full_version     = '2.6.2'
major            = '2'
cuda_version     = '{cuda}'
cudnn_version    = '{cudnn}'
xpu_version      = 'False'
istaged          = True
__all__ = ['cuda', 'cudnn', 'show']
def show():
    pass
"""

CUPY_13_WHEEL = (
    '{"cuda": "12.x", "packaging": "pip", "cudnn": {"version": "8.8.1",'
    ' "filenames": ["libcudnn.so.8.8.1"]}}'
)


def write(path: Path, content: str | bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def elf(*, bits: int = 64, machine: int = 62, rodata: bytes = b"", dynstr: bytes = b"") -> bytes:
    """An ELF file with the two sections that hold names, laid out as the linker does."""
    if bits == 32:
        return b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HH", 3, machine) + bytes(32)
    names = b"\0.dynstr\0.rodata\0.shstrtab\0"
    contents = (b"", dynstr, rodata, names)
    offsets, at = [], 64
    for content in contents:
        offsets.append(at)
        at += len(content)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 0, at, 0, 64, 0, 0, 64, 4, 3)
    starts = (0, 1, 9, 17)
    table = b"".join(
        struct.pack("<IIQQQQIIQQ", start, 3, 0, 0, offset, len(content), 0, 0, 1, 0)
        for start, offset, content in zip(starts, offsets, contents, strict=True)
    )
    return head + b"".join(contents) + table


def pe(
    *, machine: int = 0x8664, version: tuple[int, int, int, int] | None = None, text: bytes = b""
) -> bytes:
    """A PE file of no code; with a version resource like the ones of NVIDIA and python.org, or
    with texts that are no code either."""
    fixed = b""
    if version:
        major, minor, build, revision = version
        numbers = struct.pack("<II", major << 16 | minor, build << 16 | revision)
        fixed = struct.pack("<II", 0xFEEF04BD, 0x10000) + numbers + numbers + bytes(28)
        key = "VS_VERSION_INFO".encode("utf-16-le") + b"\0\0"
        head = struct.pack("<HHH", 6 + len(key) + 2 + len(fixed), len(fixed), 0) + key
        fixed = head + bytes(-len(head) % 4) + fixed
    resource = _resource_tree(fixed, 0x1000) if version else text
    optional = struct.pack("<H", 0x20B) + bytes(30) + struct.pack("<II", 0x1000, 0x200)
    optional += bytes(16) + struct.pack("<II", 0x3000, 0x400) + bytes(44) + struct.pack("<I", 16)
    directories = bytes(16) + (struct.pack("<II", 0x1000, len(resource)) if version else b"")
    directories = directories.ljust(128, b"\0")
    size = len(optional) + len(directories)
    coff = struct.pack("<HHIIIHH", machine, 1, 0, 0, 0, size, 0x2022)
    name = b".rdata" if text else b".rsrc"
    section = struct.pack("<8sIIII", name, len(resource), 0x1000, len(resource), 0x400)
    section += bytes(12) + struct.pack("<I", 0x40000040)
    start = b"MZ" + bytes(58) + struct.pack("<I", 64)
    image = start + b"PE\0\0" + coff + optional + directories + section
    return image.ljust(0x400, b"\0") + resource


def _resource_tree(data: bytes, address: int) -> bytes:
    # Type 16 (version), name 1, language 1033: three levels of one entry, then the data.
    tree = b""
    for level, number in enumerate((16, 1, 1033)):
        below = 24 * (level + 1) | (0x80000000 if level < 2 else 0)
        tree += bytes(12) + struct.pack("<HHII", 0, 1, number, below)
    return tree + struct.pack("<IIII", address + 88, len(data), 0, 0) + data


class Site:
    """A folder of packages that distributions can be put into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def put(
        self,
        name: str,
        version: str,
        files: dict[str, str | bytes] | None = None,
        *,
        requires: Sequence[str] = (),
        gone: Sequence[str] = (),
    ) -> Site:
        """Install a distribution; the files in ``gone`` stand in its RECORD alone."""
        info = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {line}" for line in requires]
        write(info / "METADATA", "\n".join([*lines, "", "Requires-Dist: not-in-the-header"]))
        names = [*(files or {}), *gone]
        write(info / "RECORD", "".join(f"{file},sha256=AAAA,1\n" for file in names))
        for file, content in (files or {}).items():
            write(self.folder / file, content)
        return self


def linux_venv(root: Path, python: str = "3.11", *, version: str = "") -> Site:
    """A virtual environment whose interpreter is a copied file."""
    text = f"home = /usr/bin\ninclude-system-site-packages = false\nversion = {version or python}\n"
    write(root / "pyvenv.cfg", text)
    write(root / "bin/python", elf())
    (root / "bin/python3").symlink_to("python")
    return Site(root / f"lib/python{python}/site-packages")


def linux_installation(root: Path, python: str, *, names: Sequence[str] = ()) -> Site:
    """An installation: bin/python3.X, links to it, lib/python3.X with a standard library."""
    write(root / f"bin/python{python}", elf())
    for name in names:
        (root / "bin" / name).symlink_to(f"python{python}")
    write(root / f"lib/python{python}/os.py")
    return Site(root / f"lib/python{python}/site-packages")


def windows_installation(root: Path, version: tuple[int, int, int], machine: int = 0x8664) -> Site:
    """What python.org's installer leaves."""
    major, minor, micro = version
    write(
        root / "python.exe", pe(machine=machine, version=(major, minor, micro * 1000 + 150, 1013))
    )
    write(root / f"python{major}{minor}.dll", pe(machine=machine))
    write(root / "Lib/os.py")
    return Site(root / "Lib/site-packages")


def windows_venv(root: Path, version: str = "3.10.11") -> Site:
    write(root / "pyvenv.cfg", f"home = C:\\Python310\r\nversion = {version}\r\n")
    write(root / "Scripts/python.exe", pe())
    return Site(root / "Lib/site-packages")


def link_loop(folder: Path) -> None:
    """A folder that contains itself."""
    folder.mkdir(parents=True, exist_ok=True)
    os.symlink(folder, folder / "again", target_is_directory=True)
