"""Heads of library files: whole, cut short, or something else with a library's name."""

from __future__ import annotations

import os
import struct
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent.parent / "lab"))
import images

from cudnn_assistant.probe.files.binary import (
    dll_version,
    dynamic,
    elf_section,
    look_at,
    pe_section,
)
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.files.needed_libraries import cuda_major


@pytest.mark.parametrize(
    ("data", "state", "architecture"),
    [
        (images.elf(), "ok", "x86_64"),
        (images.elf(images.AARCH64), "ok", "aarch64"),
        (images.elf(cut=1), "truncated", "x86_64"),
        (images.elf()[:40], "truncated", ""),
        (images.elf()[:4], "truncated", ""),
        (b"", "empty", ""),
        (b"<!DOCTYPE html><html>moved</html>", "not-a-library", ""),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "not-a-library", ""),
        (images.pe(), "ok", "x86_64"),
        (images.pe(machine=0xAA64), "ok", "aarch64"),
        (images.pe(machine=0x14C), "ok", "x86"),
        (images.pe("9.1.0.70", cut=1), "truncated", "x86_64"),
        (images.pe()[:60], "truncated", ""),
        (b"MZ" + bytes(58) + b"\x40\0\0\0NE\0\0" + bytes(20), "not-a-library", ""),
    ],
)
def test_state_and_processor(tmp_path, data, state, architecture):
    file = tmp_path / "libcudnn.so.9"
    file.write_bytes(data)
    found = look_at(str(file))
    assert (found.state, found.architecture) == (state, architecture)


def test_links_folders_pipes_and_nothing(tmp_path):
    (tmp_path / "to-nowhere").symlink_to("nothing")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    states = {n: look_at(str(tmp_path / n)).state for n in ("to-nowhere", "loop", "pipe", "gone")}
    assert states == {
        "to-nowhere": "damaged-link", "loop": "damaged-link", "pipe": "not-a-library",
        "gone": "missing",
    }  # fmt: skip
    assert look_at(str(tmp_path)).state in ("not-a-library", "unreadable")


@pytest.mark.parametrize("attribute", [0x1000, 0x40000, 0x400000])
def test_what_lies_with_onedrive_alone_is_not_fetched(tmp_path, monkeypatch, attribute):
    """Windows gives such a file its attributes and, once somebody opens it, the network."""
    file = tmp_path / "cudnn64_9.dll"
    file.write_bytes(images.pe("9.28.0.42", cut=1))
    opened, real, linux = [], os.stat, Disk("linux")
    assert linux.answers(str(file))

    def stat(path, **more):
        found = real(path, **more)
        mine = str(path) == str(file)
        return (
            SimpleNamespace(st_mode=found.st_mode, st_file_attributes=attribute) if mine else found
        )

    monkeypatch.setattr(os, "stat", stat)
    monkeypatch.setattr(os, "open", lambda path, _flags: opened.append(path))
    assert look_at(str(file)).state == "ok"
    assert dll_version(str(file)) == ""
    assert Disk("windows").data(str(file), 99) == b""
    assert cuda_major(linux, str(file)) == ""
    assert opened == []


def test_version_resource(tmp_path):
    (tmp_path / "a.dll").write_bytes(images.pe("9.28.0.42"))
    (tmp_path / "b.dll").write_bytes(images.pe())
    assert dll_version(str(tmp_path / "a.dll")) == "9.28.0.42"
    assert dll_version(str(tmp_path / "b.dll")) == ""
    assert dll_version(str(tmp_path / "c.dll")) == ""


def test_section(tmp_path):
    (tmp_path / "a").write_bytes(images.elf(text=b"libcublasLt.so.12\0"))
    assert elf_section(str(tmp_path / "a"), b".rodata") == (64, 18)
    assert elf_section(str(tmp_path / "a"), b".rel") is None


@pytest.mark.parametrize("before", [0, (1 << 20) - 9, 3 << 20], ids=["small", "border", "large"])
def test_what_a_library_asks_for_behind_megabytes_of_symbols(tmp_path, before):
    """As frameworks have them: all names of a library stand in one section."""
    texts = [b"libcudnn.so.9", b"$ORIGIN/../lib", b"libcublas.so.12"]
    names, places = b"\0" + b"s" * before + b"\0", []
    for text in texts:
        places.append(len(names))
        names += text + b"\0"
    rows = zip((1, 29, 1), places, strict=True)
    file = tmp_path / "libtorch_cuda.so"
    # The last name ends with the section: nothing more is read.
    file.write_bytes(elf_asking(b"".join(struct.pack("<QQ", *row) for row in rows), names[:-1]))
    found = dynamic(str(file))
    assert found is not None
    assert found.needed == ("libcudnn.so.9", "libcublas.so.12")
    assert (found.rpath, found.runpath) == ("", f"{tmp_path}/../lib")


def elf_asking(entries: bytes, names: bytes) -> bytes:
    """An ELF library with these as its .dynamic and .dynstr."""
    titles = b"\0.dynamic\0.dynstr\0.shstrtab\0"
    parts, at, table = (b"", entries, names, titles), 64, b""
    for title, part in zip((0, 1, 10, 18), parts, strict=True):
        table += struct.pack("<IIQQQQIIQQ", title, 3, 0, 0, at, len(part), 0, 0, 1, 0)
        at += len(part)
    head = b"\x7fELF\x02\x01\x01" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, at, 0, 64, 0, 0, 64, 4, 3)
    return head + b"".join(parts) + table


def test_the_cuda_that_a_file_names(tmp_path):
    (tmp_path / "a").write_bytes(images.elf(text=b"libcublasLt.so.12\0"))
    (tmp_path / "b").write_bytes(images.pe("1.2.3.4"))
    assert cuda_major(Disk("linux"), str(tmp_path / "a")) == "12"
    assert pe_section(str(tmp_path / "b"), b".rsrc") == (0x400, 180)
    assert {cuda_major(Disk("linux"), str(tmp_path / name)) for name in ("b", "gone")} == {""}


MUTATED = st.builds(
    lambda whole, at, piece: whole[:at] + piece + whole[at + len(piece) :],
    st.sampled_from([images.elf(text=b"x" * 40), images.pe("9.1.0.70"), images.pe()]),
    st.integers(0, 1100),
    st.binary(min_size=1, max_size=24),
)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=MUTATED | st.binary(max_size=200))
def test_nothing_leaves_the_readers(tmp_path, data):
    file = tmp_path / "x.dll"
    file.write_bytes(data)
    assert look_at(str(file)).state in ("ok", "empty", "truncated", "not-a-library")
    assert isinstance(dll_version(str(file)), str)
    assert elf_section(str(file), b".rodata") is None or len(data) > 64
    assert pe_section(str(file), b".rsrc") is None or len(data) > 64
    assert cuda_major(Disk("linux"), str(file)) == "" or b"cublas" in data
