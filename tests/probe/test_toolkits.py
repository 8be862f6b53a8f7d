"""Toolkits by their files, in every layout NVIDIA has used."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries.toolkits import toolkits, version_of

WINDOWS = "C/Program Files/NVIDIA GPU Computing Toolkit/CUDA"


def write(root, path, text=""):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def described(version):
    return json.dumps({"cuda": {"name": "CUDA SDK", "version": version}, "x": {}})


def test_linux_layouts(tmp_path):
    write(tmp_path, "usr/local/cuda-12.9/version.json", described("12.9.1"))
    (tmp_path / "usr/local/cuda-12.9/targets/x86_64-linux/lib").mkdir(parents=True)
    (tmp_path / "usr/local/cuda-12.9/lib64").symlink_to("targets/x86_64-linux/lib")
    (tmp_path / "etc/alternatives").mkdir(parents=True)
    (tmp_path / "etc/alternatives/cuda").symlink_to("../../usr/local/cuda-12.9")
    (tmp_path / "usr/local/cuda").symlink_to("../../etc/alternatives/cuda")
    write(tmp_path, "usr/local/cuda-10.2/version.txt", "CUDA Version 10.2.89\n")
    write(tmp_path, "opt/cuda/include/cuda.h", "x\n#define CUDA_VERSION 13000\n")
    write(tmp_path, "usr/local/cuda-9.0/doc/left-over.txt", "removed long ago")
    write(tmp_path, "usr/include/cuda.h", "  # define CUDA_VERSION 11050 // Debian\n")
    found = toolkits(Disk("linux", str(tmp_path)), {"CUDA_HOME": "/usr/local/cuda"})
    assert [(t.version, t.root, t.links, t.found_via) for t in found] == [
        ("13.0", "/opt/cuda", (), ("default",)),
        ("12.9.1", "/usr/local/cuda-12.9", ("/usr/local/cuda",), ("CUDA_HOME", "default")),
        ("11.5", "/usr", (), ("default",)),
        ("10.2.89", "/usr/local/cuda-10.2", (), ("default",)),
    ]
    assert found[1].libraries == ("/usr/local/cuda-12.9/targets/x86_64-linux/lib",)


def test_windows_layouts(tmp_path):
    write(tmp_path, f"{WINDOWS}/v12.9/version.json", described("12.9.0"))
    (tmp_path / WINDOWS / "v12.9/bin").mkdir()
    write(tmp_path, f"{WINDOWS}/v13.0/version.json", described("13.0.2"))
    (tmp_path / WINDOWS / "v13.0/bin/x64").mkdir(parents=True)
    write(tmp_path, "D/cuda118/version.json", described("11.8.0"))
    environment = {
        "ProgramFiles": "C:\\Program Files",
        "CUDA_PATH": "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v13.0",
        "CUDA_PATH_V11_8": "D:\\cuda118",
        "CUDA_HOME": "relative\\path",
    }
    found = toolkits(Disk("windows", str(tmp_path)), environment)
    base = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"
    assert [(t.version, t.root, t.found_via) for t in found] == [
        ("13.0.2", f"{base}\\v13.0", ("CUDA_PATH", "default")),
        ("12.9.0", f"{base}\\v12.9", ("default",)),
        ("11.8.0", "D:\\cuda118", ("CUDA_PATH_V11_8",)),
    ]
    assert found[0].libraries == (f"{base}\\v13.0\\bin", f"{base}\\v13.0\\bin\\x64")


def test_a_compiler_alone_is_a_toolkit_of_unknown_version(tmp_path):
    write(tmp_path, "usr/local/cuda-12.0/bin/nvcc")
    (found,) = toolkits(Disk("linux", str(tmp_path)), {})
    assert (found.version, found.root) == ("", "/usr/local/cuda-12.0")


def test_no_toolkit(tmp_path):
    assert toolkits(Disk("linux", str(tmp_path)), {"CUDA_HOME": "/usr/local/cuda"}) == ()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"cuda": 1}', '{"cuda": {"version": 12}}', "[" * 5000, "\ufeff{}"]
)
def test_a_version_file_of_nonsense_says_nothing(tmp_path, text):
    write(tmp_path, "usr/local/cuda/version.json", text)
    assert version_of(Disk("linux", str(tmp_path)), "/usr/local/cuda") == ""


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=80))
def test_any_bytes_are_version_files(tmp_path, data):
    for name in ("version.json", "version.txt", "include/cuda.h"):
        file = tmp_path / "usr/local/cuda" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    assert isinstance(version_of(Disk("linux", str(tmp_path)), "/usr/local/cuda"), str)
