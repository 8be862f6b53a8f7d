"""Who brought a file: the records of dpkg, rpm, pacman, conda and pip."""

from __future__ import annotations

import contextlib
import lzma
import sqlite3
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import rpm
from cudnn_assistant.probe.libraries.owners import Owner, Records


def write(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


STATUS = """\
Package: libc6
Status: install ok installed
Version: 2.39-0ubuntu8

Package: libcudnn9-cuda-12
Status: install ok installed
Version: 9.5.1.17-1
Description: cuDNN

Package: libcudnn8
Version: 8.9.7.29-1+cuda12.2
"""


def test_debian(tmp_path):
    folder = "/usr/lib/x86_64-linux-gnu"
    write(tmp_path, "var/lib/dpkg/status", STATUS)
    write(tmp_path, "var/lib/dpkg/info/libcudnn9-cuda-12:amd64.list",
          f"/.\n{folder}\n{folder}/libcudnn.so.9.5.1\n")  # fmt: skip
    write(tmp_path, "var/lib/dpkg/info/libcudnn8.list", "/lib/x86_64-linux-gnu/libcudnn.so.8.9.7\n")
    write(tmp_path, "var/lib/dpkg/info/libcudnn9-cuda-12:amd64.md5sums", "no list")
    records = Records(Disk("linux", str(tmp_path)))
    nine = records.of_file(f"{folder}/libcudnn.so.9.5.1")
    assert (str(nine), nine.cudnn, nine.cuda_major) == (
        "libcudnn9-cuda-12 9.5.1.17-1", "9.5.1.17", 12,
    )  # fmt: skip
    eight = records.of_file(f"{folder}/libcudnn.so.8.9.7")  # a merged /usr
    assert (eight.cudnn, eight.cuda_major) == ("8.9.7.29", 12)
    assert records.of_file("/opt/libcudnn.so.9") is None


def test_arch(tmp_path):
    write(tmp_path, "var/lib/pacman/local/cudnn-9.5.1.17-2/files",
          "%FILES%\nusr/\nusr/lib/libcudnn.so.9.5.1\n")  # fmt: skip
    owner = Records(Disk("linux", str(tmp_path))).of_file("/usr/lib/libcudnn.so.9.5.1")
    assert (str(owner), owner.cudnn, owner.cuda_major) == ("cudnn 9.5.1.17-2", "9.5.1.17", None)


def rpm_header(name, version, release, folders, files):
    store, rows = b"", []

    def add(tag, kind, data, count):
        nonlocal store
        store += bytes(-len(store) % 4)
        rows.append(struct.pack(">IIII", tag, kind, len(store), count))
        store += data

    def texts(*items):
        return b"".join(item.encode() + b"\0" for item in items)

    for tag, text in ((1000, name), (1001, version), (1002, release)):
        add(tag, 6, texts(text), 1)
    add(1116, 4, b"".join(struct.pack(">I", at) for at, _ in files), len(files))
    add(1117, 8, texts(*(file for _, file in files)), len(files))
    add(1118, 8, texts(*folders), len(folders))
    return struct.pack(">II", len(rows), len(store)) + b"".join(rows) + store


HEADER = rpm_header(
    "libcudnn9-cuda-12", "9.5.1.17", "1", ["/usr/lib64/", "/usr/share/doc/"],
    [(0, "libcudnn.so.9"), (0, "libcudnn.so.9.5.1"), (1, "LICENSE")],
)  # fmt: skip


@pytest.mark.parametrize("place", rpm._PLACES)
def test_fedora(tmp_path, place):
    file = tmp_path / place.lstrip("/")
    file.parent.mkdir(parents=True)
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE Packages (hnum INTEGER PRIMARY KEY, blob BLOB)")
        connection.execute("CREATE TABLE Name (key TEXT, hnum INTEGER, idx INTEGER)")
        connection.execute("INSERT INTO Packages VALUES (1, ?), (2, ?), (3, ?)",
                           (HEADER, b"junk", b"other"))  # fmt: skip
        connection.execute("INSERT INTO Name VALUES ('libcudnn9-cuda-12', 1, 0), ('xcudnn', 2, 0)")
    connection.close()
    before = sorted(file.parent.iterdir())
    owner = Records(Disk("linux", str(tmp_path))).of_file("/usr/lib64/libcudnn.so.9.5.1")
    assert (str(owner), owner.cudnn, owner.cuda_major) == (
        "libcudnn9-cuda-12 9.5.1.17-1", "9.5.1.17", 12,
    )  # fmt: skip
    assert sorted(file.parent.iterdir()) == before  # nothing was left beside the database


def test_redhat_8(tmp_path):
    """Packages was made by db5.3_load of 43 headers: short ones inside a page, long ones beside."""
    file = tmp_path / "var/lib/rpm/Packages"
    file.parent.mkdir(parents=True)
    file.write_bytes(PACKAGES)
    records = Records(Disk("linux", str(tmp_path)))
    owner = records.of_file("/usr/lib64/libcudnn.so.8.9.7")
    assert (str(owner), owner.cudnn, owner.cuda_major) == (
        "libcudnn8 8.9.7.29-1.cuda12.2", "8.9.7.29", 12,
    )  # fmt: skip
    assert str(records.of_file("/lib64/libz.so.1")) == "zlib 1.2.11-25.el8"
    assert records.of_file("/bin/bash") is None


PACKAGES = lzma.decompress((Path(__file__).parent / "packages.bdb.xz").read_bytes())


@given(st.binary(min_size=1, max_size=40), st.integers(0, len(PACKAGES)), st.integers(0, 1 << 19))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_a_berkeley_database_or_none(tmp_path, piece, at, cut):
    # Heads of pages decide most: half of the damage is put there.
    at = at // 4096 * 4096 + at % 90 if at % 2 else at
    data = PACKAGES[:at] + piece + PACKAGES[at + len(piece) :]
    file = tmp_path / "Packages"
    file.write_bytes(data[: max(cut, 1)])
    for blob in rpm.values(str(file), rpm._wanted):
        with contextlib.suppress(struct.error, IndexError, ValueError):
            rpm.files_of(blob)


def test_a_chain_of_pages_that_leads_back_to_itself_ends(tmp_path):
    data = bytearray(PACKAGES)
    for page in range(1, len(data) // 4096):
        if data[page * 4096 + 25] == 7:
            struct.pack_into("<I", data, page * 4096 + 16, page)
    file = tmp_path / "Packages"
    file.write_bytes(data)
    assert all(len(blob) < 20_000 for blob in rpm.values(str(file), rpm._wanted))


def test_a_database_that_is_none(tmp_path):
    write(tmp_path, "var/lib/rpm/rpmdb.sqlite", "not a database at all, sorry")
    assert Records(Disk("linux", str(tmp_path))).of_file("/usr/lib64/libcudnn.so.9") is None


@given(st.binary(max_size=60), st.integers(0, 200))
def test_any_bytes_are_a_header_or_none(piece, at):
    data = HEADER[:at] + piece + HEADER[at + len(piece) :]
    with contextlib.suppress(struct.error, IndexError, ValueError):
        named = rpm.files_of(data).values()
        assert all(isinstance(text, str) for package in named for text in package)


@pytest.mark.parametrize(
    ("package", "version", "cudnn", "cuda"),
    [
        ("nvidia-cudnn-cu12", "9.10.2.21", "9.10.2.21", 12),
        ("cudnn", "9.3.0.75 cuda12.6_0", "9.3.0.75", 12),
        ("libcudnn9-cuda-13", "9.12.0.46-1", "9.12.0.46", 13),
        ("libcudnn7", "7.6.5.32-1+cuda10.2", "7.6.5.32", 10),
        ("cudnn", "1:8.9.7-1", "8.9.7", None),
        ("cudnn", "", "", None),
    ],
)
def test_what_names_and_versions_tell(package, version, cudnn, cuda):
    owner = Owner(package, version)
    assert (owner.cudnn, owner.cuda_major) == (cudnn, cuda)
