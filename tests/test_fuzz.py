"""Damaged and hostile inputs for every reader: an answer or a refusal, soon, in little memory.

"pytest --hypothesis-profile nightly" gives each reader as many as make 50,000 in all.
"""

from __future__ import annotations

import contextlib
import io
import json
import lzma
import random
import re
import struct
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec
import needs
import pytest
from machines.computers import golden

sys.path.insert(0, str(Path(__file__).parent / "lab"))
import images

from cudnn_assistant import places
from cudnn_assistant.compat import Compat, strict, wishes
from cudnn_assistant.compat.situation import Situation
from cudnn_assistant.explain import explain
from cudnn_assistant.feed import additions, load_builtin, manifests, registry
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import dump
from cudnn_assistant.plan import Entry, Plan, SetVariable
from cudnn_assistant.probe.computer import kernel_log, pci
from cudnn_assistant.probe.files import binary, headers, imports, needed_libraries
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import ld_cache, rpm
from cudnn_assistant.probe.pythons import framework_files, layout, records
from cudnn_assistant.report.reading import open_report
from cudnn_assistant.report.redaction import Redactor
from cudnn_assistant.report.text import write_report
from cudnn_assistant.session.reports import without_home
from cudnn_assistant.system import policy, startup_files
from cudnn_assistant.trouble import Refused
from cudnn_assistant.unpack import unpack

MANY = needs.night()
SECONDS, MEMORY = 5.0, 500 << 20
TOKENS = (
    b"\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80", b"\r", b"\n", b"\\", b"../", b'"',
    b"{", b"[" * 9000, b"(" * 9000, b"9" * 5000, b"-1", b"1e999", b"null", b"\\ud800",
    b"\xed\xa0\x80",
    b"\x1b[8m", "\u202e".encode(), b"$(id)", b"'", b"a" * 4000, b"<<EOF\n", b"; extra == 'x'", b";",
    b"PK\x05\x06", b"\x7fELF", b"MZ", b"import os\n", b"__version__ = ", b"\xef\xbb\xbf", b"%s",
    b"#", b'{"a":' * 3000, b"a = " + b"[" * 9000,
    b'"zz":' + b"[" * 9000, b"\n" * 9000, b"\t" * 9000,
)  # fmt: skip
LINUX = Disk("linux")
COMPAT = load_builtin()


class Reader(NamedTuple):
    read: Callable[[Path, bytes], object]
    seeds: tuple[bytes, ...]
    refusals: tuple[type[BaseException], ...] = ()


def small_archive(kind: str) -> bytes:
    content, names = io.BytesIO(), ("top/lib/libcudnn.so.9", "top/LICENSE", "top/include/cudnn.h")
    if kind == "zip":
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in names:
                packed.writestr(name, "x" * 300)
        return content.getvalue()
    with tarfile.open(fileobj=content, mode=f"w:{kind}") as archive:  # type: ignore[call-overload]
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 300
            archive.addfile(info, io.BytesIO(b"x" * 300))
        link = tarfile.TarInfo("top/lib/libcudnn.so")
        link.type, link.linkname = tarfile.SYMTYPE, "libcudnn.so.9"
        archive.addfile(link)
    return content.getvalue()


def unpacked(ending: str) -> Callable[[Path, bytes], object]:
    def read(path: Path, data: bytes) -> None:
        archive, number = path.with_name(f"a{ending}"), time.monotonic_ns()
        archive.write_bytes(data)
        unpack(str(archive), str(path.with_name(f"to{number}")), limit=1 << 20)

    return read


def in_site(path: Path, data: bytes) -> object:
    """The same bytes as every file of an installed package."""
    site = path.parent / "site"
    info = site / "torch-2.8.0.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    for name in ("METADATA", "RECORD", "direct_url.json", "INSTALLER"):
        (info / name).write_bytes(data)
    found = records.installed(LINUX, (str(site),))
    return [
        (records.package(LINUX, one), records.requirement_lines(LINUX, one),
         records.satisfies(one.version, ">=2"))
        for one in found.values()
    ]  # fmt: skip


def in_conda(path: Path, data: bytes) -> object:
    folder = path.parent / "env" / "conda-meta"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cudnn-9.10.2-h1.json").write_bytes(data)
    packages = records.conda_packages(LINUX, str(folder.parent))
    return [(one.cuda, one.cudnn) for one in packages.values()]


def at(path: Path, data: bytes, name: str) -> Disk:
    target = path.parent / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return Disk("linux", str(path.parent))


def there_and_back(_path: Path, data: bytes) -> None:
    list(startup_files.assignments(data))
    with_line = startup_files.with_line(data, "/home/x/environment.sh")
    assert startup_files.without_line(with_line, "/home/x/environment.sh") == data


def reported(path: Path, data: bytes) -> object:
    path.write_bytes(data)
    machine = open_report(path).machine
    return write_report(Redactor(machine).machine(), (), "unknown")


def opened(path: Path, data: bytes, name: str = "report.md") -> object:
    path.with_name(name).write_bytes(data)
    return open_report(path.with_name(name))


def told(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def entry() -> bytes:
    step = SetVariable(name="PATH", scope="user")
    one = Entry(id="a1", when="2026-11-20T10:00:00Z", plan=Plan(steps=(step,)), states=("done",))
    return msgspec.json.encode(one) + b"\n"


def journalled(path: Path, data: bytes) -> object:
    path.write_bytes(data)
    journal = Journal(path)
    return journal.entries(), journal.unfinished()


def policed(path: Path, data: bytes) -> object:
    path.write_bytes(data)
    return policy._linux(str(path))


def of_file(read: Callable[[str], object]) -> Callable[[Path, bytes], object]:
    def whole(path: Path, data: bytes) -> object:
        path.write_bytes(data)
        return read(str(path))

    return whole


PACKAGES = lzma.decompress((Path(__file__).parent / "probe" / "packages.bdb.xz").read_bytes())
SNAPSHOT = dump(golden("linux-healthy"))
LOG = (
    b"RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED\n"
    b"| NVIDIA-SMI 535.54   Driver Version: 535.54   CUDA Version: 12.2 |\n"
    b"Could not load library libcudnn_ops.so.9. Error: /home/a/b.so: undefined symbol: x\n"
    b"DB_PASS=hunter2 https://user:pw@host/x 10.1.2.3 aa:bb:cc:dd:ee:ff\n"
)
METADATA = (
    b"Metadata-Version: 2.1\nName: torch\nVersion: 2.8.0\n"
    b'Requires-Dist: nvidia-cudnn-cu12==9.10.2.21; platform_system == "Linux"\n\nText\n'
)
LIBRARIES = (images.elf(), images.pe("9.1.0.70"), Path("/bin/true").read_bytes()[:40_000])
MANIFEST = (
    b'{"release_date": "2026-01-01", "cudnn": {"name": "x", "version": "9.1.0", "linux-x86_64":'
    b' {"cuda12": {"relative_path": "a/b.tar.xz", "sha256": "aa", "size": "1"}}}}'
)
INDEX = (
    b'{"files": [{"filename": "torch-2.8.0-cp311-cp311-manylinux_2_28_x86_64.whl", "yanked": false,'
    b' "requires-python": ">=3.9", "upload-time": "2026-01-01T00:00:00Z"}], "zz": 1}'
)
ADDITIONS = json.dumps({"published": "2026-01-01", "cudnns": [], "frameworks": []}).encode()

READERS: dict[str, Reader] = {
    "report": Reader(reported, (SNAPSHOT, b"# x\n\n```json cudnn-assistant-machine\n" + SNAPSHOT),
                     (Refused,)),
    "packed report": Reader(lambda p, d: opened(p, d, "report.zip"), (small_archive("zip"),),
                            (Refused,)),
    "explain": Reader(lambda _p, d: explain(d), (LOG,)),
    "redaction": Reader(lambda _p, d: Redactor(golden("linux-healthy")).lines(told(d)), (LOG,)),
    "crash": Reader(lambda _p, d: without_home(told(d)), (b'File "/a/cudnn_assistant/x.py"',)),
    "compatibility data": Reader(lambda _p, d: strict.decode_strictly(d),
                                 (places.resource("compat/compat.json").read_bytes()[:60_000],
                                  msgspec.json.encode(Compat(version=1, published="2026-01-01"))),
                                 (msgspec.MsgspecError,)),
    "additions": Reader(lambda _p, d: additions.read(d), (ADDITIONS,), (msgspec.MsgspecError,)),
    "index of a package": Reader(lambda _p, d: registry.releases(d), (INDEX,),
                                 (msgspec.MsgspecError, ValueError)),
    "manifest": Reader(lambda _p, d: manifests.parse(d), (MANIFEST,),
                       (manifests.NotAManifest,)),
    "requirements": Reader(lambda _p, d: wishes.wanted(told(d), COMPAT, Situation()),
                           (b"torch==2.8.0; python_version > '3.8'\njax[cuda12]>=0.4\n",
                            b'[project]\ndependencies = ["torch>=2"]\n'), (Refused,)),
    "journal": Reader(journalled, (entry() * 3,), (OSError,)),
    "policy": Reader(policed, (b'read-only = true\narchives = "/x"\nask = false\n',)),
    "start-up file": Reader(there_and_back, (b"export A=1\nPATH=$PATH:/x\ncat <<EOF\nx\nEOF\n",)),
    "libraries": Reader(of_file(binary.look_at), LIBRARIES),
    "dynamic section": Reader(of_file(binary.dynamic), LIBRARIES),
    "imports": Reader(of_file(imports.imports), LIBRARIES),
    "DLL version": Reader(of_file(binary.dll_version), LIBRARIES),
    "texts": Reader(of_file(lambda p: (needed_libraries.cuda_major(Disk("linux"), p),
                                       binary.elf_section(p, b".text"),
                                       binary.pe_section(p, b".rdata"))), LIBRARIES),
    "loader's cache": Reader(
        lambda p, d: ld_cache.libraries(at(p, d, "etc/ld.so.cache"), "libcudnn"),
        (Path("/etc/ld.so.cache").read_bytes()[:60_000],)),
    "Berkeley database": Reader(of_file(lambda p: list(rpm.values(p, lambda _v: True))),
                                (PACKAGES,)),
    "package header": Reader(lambda _p, d: rpm.files_of(d), (PACKAGES[4096:9000], bytes(64)),
                             (struct.error, IndexError, ValueError)),
    "header": Reader(lambda _p, d: headers.stated(told(d)),
                     (b"#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 1\n",)),
    "package records": Reader(in_site, (METADATA, b"nvidia/cudnn/lib/libcudnn.so.9,sha256=a,1\n")),
    "conda records": Reader(in_conda, (b'{"name": "cudnn", "version": "9", "depends": ["cuda"]}',)),
    "constants": Reader(lambda _p, d: framework_files.constants(told(d)),
                        (b"__version__ = '2.8.0+cu129'\ncuda: Optional[str] = '12.9'\n",)),
    "pyvenv.cfg": Reader(lambda _p, d: layout.pyvenv_config(told(d)),
                         (b"home = /usr/bin\nversion = 3.11.2\n",)),
    "kernel log": Reader(lambda _p, d: kernel_log.xids(kernel_log.telling(told(d).splitlines())),
                         (b"NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off.\n",)),
    "PCI names": Reader(lambda _p, d: pci.name_of(told(d), "10de", "2204"),
                        (b"10de  NVIDIA Corporation\n\t2204  GA102 [GeForce RTX 3090]\n",)),
    **{f"archive {ending}": Reader(unpacked(ending), (small_archive(kind),), (Refused, OSError))
       for ending, kind in ((".zip", "zip"), (".tar.xz", "xz"), (".tgz", "gz"))},
}  # fmt: skip
LEAST = 50_000 if MANY else 1_800
"""Inputs for all readers together; each of them is held to its share."""
EACH = -(-LEAST // len(READERS))


def mutated(seed: bytes, dice: random.Random) -> bytes:
    data = bytearray(seed)
    for _change in range(dice.choice((0, 1, 1, 2, 4, 16))):
        where = dice.randrange(len(data) + 1)
        act = dice.randrange(6)
        if act == 0 and data:
            data[min(where, len(data) - 1)] = dice.randrange(256)
        elif act == 1:
            del data[where : where + dice.choice((1, 4, 60, 1 << 20))]
        elif act == 2:
            data[where:where] = dice.choice(TOKENS) * dice.choice((1, 1, 1, 50))
        elif act == 3:
            data[where:where] = data[where : where + dice.choice((4, 100, 3000))] * 3
        elif act == 4:
            data[where : where + 4] = dice.randbytes(4)
        else:
            token = dice.choice(TOKENS)
            data[where : where + len(token)] = token
    return bytes(data[: 1 << 20])


def peak() -> int:
    """The most bytes of memory that this process has held at once."""
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) * 1024


def forgotten_peak() -> int:
    """The bytes held now, with what other tests once took forgotten by the kernel."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def test_the_readers_are_given_so_many_together() -> None:
    assert len(READERS) >= 30
    assert EACH * len(READERS) >= LEAST >= (50_000 if MANY else 1_800)


@pytest.mark.parametrize("name", READERS)
def test_any_bytes_are_read_or_refused(name: str, tmp_path: Path) -> None:
    reader, dice = READERS[name], random.Random(name)
    had = forgotten_peak()
    for number in range(EACH):
        data = mutated(reader.seeds[number % len(reader.seeds)], dice)
        began = time.process_time()
        try:
            reader.read(tmp_path / "file", data)
        except reader.refusals:
            pass
        except Exception as trouble:
            trouble.add_note(f"number {number}: {data[:200]!r}")
            raise
        assert time.process_time() - began < SECONDS, (number, data[:200])
    assert peak() - had < MEMORY


DEEP = b'{"zz": ' + b"[" * 200_000


@pytest.mark.parametrize("name", READERS)
def test_what_is_nested_too_deeply_is_read_or_refused(name: str, tmp_path: Path) -> None:
    for data in (DEEP, DEEP[7:], b'{"files": [' + DEEP, b"a = " + DEEP[7:], b"(" * 99_000):
        with contextlib.suppress(*READERS[name].refusals):
            READERS[name].read(tmp_path / "file", data)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("requirements", b"[project]\na = " + b"9" * 5000),
        ("kernel log", b"NVRM: Xid (PCI:0000:01:00): " + b"9" * 5000),
        ("PCI names", b"10de  NVIDIA Corporation\n\t2204  GA102 " + b"[" * 450_000),
        ("header", b"\n" * (1 << 18)),
        ("start-up file", b"export A=" + b"[" * 900_000),
    ],
)
def test_what_nights_have_found(name: str, data: bytes, tmp_path: Path) -> None:
    began = time.process_time()
    READERS[name].read(tmp_path / "file", data)
    assert time.process_time() - began < SECONDS
