"""The order in which the loader searches, as text and as folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import needs
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent.parent / "lab"))
import images

from cudnn_assistant.machine import Value, Variable
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import ld_cache, search, toolkits
from cudnn_assistant.probe.pythons.environments import pythons


def layer(scope, name, text, source="", *, expand=False):
    return Variable(scope=scope, name=name, value=Value(text=text, expand=expand), source=source)


def folders(root, *paths):
    for path in paths:
        (root / path.lstrip("/")).mkdir(parents=True)


def test_linux_in_the_loaders_order_with_where_each_comes_from(tmp_path):
    folders(tmp_path, "/opt/cudnn/lib", "/usr/local/cuda/lib64", "/usr/lib", "/lib64", "/conf.d")
    folders(tmp_path, "/etc/ld.so.conf.d")
    (tmp_path / "etc/ld.so.conf").write_text("include /etc/ld.so.conf.d/*.conf\n/usr/lib\n")
    (tmp_path / "etc/ld.so.conf.d/b.conf").write_text("# cuda\n/usr/local/cuda/lib64  # here\n")
    (tmp_path / "etc/ld.so.conf.d/a.conf").write_text("hwcap 1 nosegneg\n/opt/gone\n")
    (tmp_path / "etc/ld.so.conf.d/c.txt").write_text("/opt/cudnn/lib\n")
    found = search.order(
        Disk("linux", str(tmp_path)),
        {"LD_LIBRARY_PATH": "/opt/cudnn/lib:/nowhere:"},
        [
            layer("machine", "LD_LIBRARY_PATH", "/nowhere", "/etc/environment:3"),
            layer("user", "LD_LIBRARY_PATH", "/opt/cudnn/lib/:$LD_LIBRARY_PATH", "~/.bashrc:9"),
        ],
    )
    assert [(e.variable, e.scope, e.folder, e.exists, e.source) for e in found] == [
        ("LD_LIBRARY_PATH", "user", "/opt/cudnn/lib", True, "~/.bashrc:9"),
        ("LD_LIBRARY_PATH", "machine", "/nowhere", False, "/etc/environment:3"),
        # Nothing stood in $LD_LIBRARY_PATH, and that line left an empty entry: the current folder.
        ("LD_LIBRARY_PATH", "user", "", None, "~/.bashrc:9"),
        ("ld.so.conf", "machine", "/opt/gone", False, "/etc/ld.so.conf.d/a.conf"),
        ("ld.so.conf", "machine", "/usr/local/cuda/lib64", True, "/etc/ld.so.conf.d/b.conf"),
        ("default", "machine", "/usr/lib", True, ""),
        ("default", "machine", "/lib64", True, ""),
    ]


def test_folders_are_seen_through_links_and_text_is_kept(tmp_path):
    folders(tmp_path, "/usr/local/cuda-12.9/targets/x86_64-linux/lib")
    (tmp_path / "usr/local/cuda").symlink_to("cuda-12.9")
    (tmp_path / "usr/local/cuda-12.9/lib64").symlink_to("targets/x86_64-linux/lib")
    environment = {"LD_LIBRARY_PATH": "/usr/local/cuda/lib64;/usr//local/cuda/lib64/"}
    found = search.order(Disk("linux", str(tmp_path)), environment, [])
    assert {e.folder for e in found} == {"/usr/local/cuda-12.9/targets/x86_64-linux/lib"}
    assert [e.text for e in found] == ["/usr/local/cuda/lib64", "/usr//local/cuda/lib64/"]


def test_includes_that_include_themselves(tmp_path):
    folders(tmp_path, "/etc")
    (tmp_path / "etc/ld.so.conf").write_text("include ld.so.conf\n/a\ninclude *.conf nothing\n/b\n")
    (tmp_path / "etc/x.conf").write_text("include /etc/ld.so.conf\n/c\n")
    lines = search.ld_so_conf(Disk("linux", str(tmp_path)))
    assert [line.folder for line in lines] == ["/a", "/c", "/b"]


def test_windows_in_the_loaders_order(tmp_path):
    folders(tmp_path, "C/Windows/System32", "C/Program Files/NVIDIA/CUDNN/v9.8/bin", "D/tools")
    folders(tmp_path, "D/ai$/cudnn")
    environment = {
        "SystemRoot": "C:\\Windows",
        "ProgramFiles": "C:\\Program Files",
        "Path": "C:\\Program Files\\NVIDIA\\CUDNN\\v9.8\\bin;"
        '"D:\\tools";relative;;C:\\gone;%X%\\bin;D:\\ai$\\cudnn',
        "X": "D:",
    }
    variables = [
        layer("machine", "Path", "C:\\gone;D:\\TOOLS\\", "HKLM"),
        layer("user", "PATH", "%PROGRAMFILES%\\NVIDIA\\CUDNN\\v9.8\\bin", "HKCU", expand=True),
        layer("user", "PATH", "%X%\\bin", "HKCU"),
        layer("user", "Path", "D:\\tools", "HKCU"),
    ]
    found = search.order(Disk("windows", str(tmp_path)), environment, variables)
    assert [(e.variable, e.scope, e.folder, e.exists) for e in found] == [
        ("default", "machine", "C:\\Windows\\System32", True),
        ("default", "machine", "C:\\Windows", True),
        ("PATH", "user", "C:\\Program Files\\NVIDIA\\CUDNN\\v9.8\\bin", True),
        ("PATH", "machine", "D:\\tools", True),
        ("PATH", "process", "", None),
        ("PATH", "process", "", None),
        ("PATH", "machine", "C:\\gone", False),
        # Of a kind in which Windows replaces nothing: programs look for a folder of that name.
        ("PATH", "user", "", None),
        ("PATH", "process", "D:\\ai$\\cudnn", True),
    ]


def test_whether_the_folder_of_a_variable_is_there(tmp_path):
    folders(tmp_path, "/usr/local/cuda-12.9", "C/cuda")
    given_linux = [
        layer("user", "CUDA_HOME", "/usr/local/cuda-12.9"),
        layer("user", "CUDA_PATH", "/usr/local/cuda-11.8"),
        layer("user", "CUDNN_PATH", "$HOME/cudnn"),
        layer("user", "CUDA_HOME", "relative"),
        layer("user", "PATH", "/usr/local/cuda-11.8"),
    ]
    found = search.with_existence(Disk("linux", str(tmp_path)), given_linux)
    assert [variable.exists for variable in found] == [True, False, None, None, None]
    given_windows = [
        layer("machine", "CUDA_PATH_V12_9", '"C:\\cuda"'),
        layer("machine", "CUDA_PATH", "C:\\gone"),
        layer("machine", "CUDNN_HOME", "%CUDA_PATH%"),
    ]
    found = search.with_existence(Disk("windows", str(tmp_path)), given_windows)
    assert [variable.exists for variable in found] == [True, False, None]


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_a_search_list(text, other):
    for family, name in (("linux", "LD_LIBRARY_PATH"), ("windows", "PATH")):
        found = search.order(
            Disk(family, "/nonexistent-root"), {name: text}, [layer("user", name, other)]
        )
        for entry in found:
            entry.text.encode()


@needs.programs("gcc", "ldconfig")
def test_the_cache_that_ldconfig_really_makes(tmp_path):
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/ld.so.conf").write_text("/opt/cudnn\n/usr/lib\n")
    source = tmp_path / "empty.c"
    source.write_text("int nothing;")
    for folder in ("opt/cudnn", "usr/lib"):
        (tmp_path / folder).mkdir(parents=True)
        subprocess.run(
            ["gcc", "-shared", "-Wl,-soname,libcudnn.so.9", "-o", "libcudnn.so.9", source],
            check=True,
            cwd=tmp_path / folder,
        )
    program = shutil.which("ldconfig", path="/sbin:/usr/sbin:/usr/bin")
    for style in ("new", "compat"):
        subprocess.run([program, "-r", tmp_path, "-c", style, "-X"], check=True)
        found = ld_cache.libraries(Disk("linux", str(tmp_path)), "libcudnn")
        assert found == {"libcudnn.so.9": "/opt/cudnn/libcudnn.so.9"}, style


@given(st.binary(max_size=200), st.integers(0, 2**32 - 1))
def test_any_cache_is_read_without_trouble(tail, count):
    data = b"glibc-ld.so.cache1.1" + count.to_bytes(4, "little") + tail

    class Forged(Disk):
        def data(self, path, limit, offset=0):
            return data

    assert isinstance(ld_cache.libraries(Forged("linux"), "lib"), dict)


def test_no_cache(tmp_path):
    images.put(tmp_path / "etc", "ld.so.cache", data=b"ld.so-1.7.0")
    assert ld_cache.libraries(Disk("linux", str(tmp_path)), "lib") == {}


def test_a_server_that_does_not_answer_is_asked_once_and_for_a_moment(tmp_path, monkeypatch):
    """A dead mount of NFS: every call about a path on it waits."""
    folders(tmp_path, "/mnt/dead/cuda/bin", "/usr/local", "/usr/bin", "/proc")
    (tmp_path / "proc/mounts").write_text("srv:/x /mnt/dead nfs4 rw 0 0\n")
    (tmp_path / "usr/local/cuda").symlink_to("/mnt/dead/cuda")
    never, dead = threading.Event(), str(tmp_path / "mnt/dead")
    waited = []

    def as_dead(call):
        def answer(path=".", *more, **named):
            if str(path).startswith(dead):
                waited.append(path)
                never.wait(30)
            return call(path, *more, **named)

        return answer

    for name in ("stat", "lstat", "scandir", "listdir", "readlink", "open"):
        monkeypatch.setattr(os, name, as_dead(getattr(os, name)))
    began = time.monotonic()
    disk = Disk("linux", str(tmp_path))
    variables = {"CUDA_PATH": "/mnt/dead/cuda", "CUDA_HOME": "/usr/local/cuda"}
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda _: toolkits.toolkits(disk, variables), range(4))
        assert [*found] == [()] * 4
    named = [layer("user", name, text) for name, text in variables.items()]
    assert [one.exists for one in search.with_existence(disk, named)] == [None, None]
    listed = {"LD_LIBRARY_PATH": "/mnt/dead/lib:/usr/bin"}
    assert [one.exists for one in search.order(disk, listed, ())][:2] == [None, True]
    assert (disk.silent, {*waited}) == (["/mnt/dead"], {dead})
    notes = []
    path = {"PATH": "/mnt/dead/cuda/bin:/usr/bin"}
    assert pythons("linux", path, root=str(tmp_path), current="", note=notes.append) == ()
    assert len(notes) == 1
    assert "/mnt/dead" in notes[0]
    assert time.monotonic() - began < 15
    never.set()
