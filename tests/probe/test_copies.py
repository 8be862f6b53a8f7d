"""Copies of cuDNN in forged trees of both systems."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "lab"))
import images

from cudnn_assistant import places
from cudnn_assistant.machine import PathEntry, PythonEnvironment, Toolkit
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import chain as libraries
from cudnn_assistant.probe.libraries import copies
from cudnn_assistant.probe.libraries import folders as library_folders
from cudnn_assistant.probe.libraries.folders import LIES_THERE
from cudnn_assistant.probe.libraries.owners import Records


def opened(root, *, family="linux", environment=None, search=(), toolkits=(), added=(), pythons=()):
    disk = Disk(family, str(root))
    candidates = [
        *library_folders.of_system(disk, environment or {}, (), search, toolkits, added),
        *library_folders.of_environments(disk, pythons),
    ]
    return disk, copies.open_folders(disk, candidates)


def found_in(root, cached=None, **options):
    disk, folders = opened(root, **options)
    in_cache = {disk.canonical(path) for path in (cached or {}).values()}
    return copies.copies(disk, folders, in_cache, Records(disk))


def entry(folder, variable="LD_LIBRARY_PATH"):
    return PathEntry(variable=variable, scope="user", text=folder, folder=folder, exists=True)


def states(copy):
    return {part.name: part.state for part in copy.damaged}


def test_an_archive_unpacked_by_hand(tmp_path):
    root = tmp_path / "opt/cudnn-linux-x86_64-9.22.0.52_cuda12-archive"
    images.cudnn(root / "lib", "9.22.0")
    images.header(root / "include", "9.22.0")
    (copy,) = found_in(tmp_path)
    assert (copy.folder, copy.file) == ("/opt/cudnn-linux-x86_64-9.22.0.52_cuda12-archive/lib",
                                        "libcudnn.so.9")  # fmt: skip
    assert (copy.major, copy.flavour, copy.cuda_major) == (9, "full", 12)
    assert (copy.file_version, copy.header_version) == ("9.22.0", "9.22.0")
    assert copy.package_version == ""
    assert (copy.architecture, copy.damaged, copy.found_via) == ("x86_64", (), ("default",))
    assert {part.name for part in copy.parts} >= {"ext", "engines_tensor_ir"}
    assert {part.version for part in copy.parts} == {"9.22.0"}


def test_of_our_own_only_what_has_its_place(tmp_path):
    """What was interrupted, or could not be deleted while a program had it loaded, is no copy."""
    ours = str(places.own_libraries())
    for name in ("cudnn-9.22.0", "cudnn-9.21.0.removed", "cudnn-9.21.0.removed/1f", "x.making"):
        images.cudnn(tmp_path / ours.lstrip("/") / name / "lib", "9.22.0")
    assert [copy.folder for copy in found_in(tmp_path)] == [f"{ours}/cudnn-9.22.0/lib"]


@pytest.mark.parametrize(
    ("version", "due"), [("9.1.0", 8), ("9.20.0", 8), ("9.21.0", 9), ("9.22.1", 10), ("8.9.7", 7)]
)
def test_parts_grow_with_the_minor(tmp_path, version, due):
    images.cudnn(tmp_path / "opt/x/lib", version)
    (copy,) = found_in(tmp_path)
    assert (len(copy.parts), copy.damaged) == (due, ())


def test_every_kind_of_damage_has_its_name(tmp_path):
    lib = images.cudnn(tmp_path / "opt/x/lib", "9.10.2", sonames_only=True)
    images.header(tmp_path / "opt/x/include", "9.10.2")
    (lib / "libcudnn_ops.so.9").unlink()
    (lib / "libcudnn_cnn.so.9").write_bytes(b"")
    (lib / "libcudnn_graph.so.9").write_bytes(images.elf(cut=8))
    (lib / "libcudnn_adv.so.9").write_text("<html>")
    (lib / "libcudnn_heuristic.so.9").unlink()
    (lib / "libcudnn_heuristic.so.9").symlink_to("gone")
    (copy,) = found_in(tmp_path)
    assert states(copy) == {
        "ops": "missing", "cnn": "empty", "graph": "truncated", "adv": "not-a-library",
        "heuristic": "damaged-link",
    }  # fmt: skip


def test_seven_is_one_file(tmp_path):
    images.cudnn(tmp_path / "usr/local/cuda-10.1/targets/x86_64-linux/lib", "7.6.5")
    images.header(tmp_path / "usr/local/cuda-10.1/targets/x86_64-linux/include", "7.6.5", "cudnn.h")
    toolkit = Toolkit(root="/usr/local/cuda-10.1",
                      libraries=("/usr/local/cuda-10.1/targets/x86_64-linux/lib",))  # fmt: skip
    (copy,) = found_in(tmp_path, toolkits=[toolkit])
    assert (copy.major, copy.version, copy.header_version) == (7, "7.6.5", "7.6.5")
    assert ([p.name for p in copy.parts], copy.found_via) == (["cudnn"], ("toolkit",))


def test_two_majors_in_one_folder_are_two_copies(tmp_path):
    lib = images.cudnn(tmp_path / "usr/lib/x86_64-linux-gnu", "8.9.7")
    for name in os.listdir(lib):
        if name.endswith(".so"):
            (lib / name).unlink()
    images.cudnn(lib, "9.5.1")
    images.header(tmp_path / "usr/include/x86_64-linux-gnu", "8.9.7", "cudnn_version_v8.h")
    images.header(tmp_path / "usr/include/x86_64-linux-gnu", "9.5.1", "cudnn_version_v9.h")
    search = [entry("/usr/lib/x86_64-linux-gnu", "ld.so.conf")]
    found = found_in(tmp_path, search=search)
    assert [(c.major, c.file_version, c.header_version) for c in found] == [
        (9, "9.5.1", "9.5.1"),
        (8, "8.9.7", "8.9.7"),
    ]


def test_a_header_of_another_copy_is_a_fact_only_where_it_can_belong_here(tmp_path):
    lib = images.cudnn(tmp_path / "opt/x/lib", "9.5.1")
    images.header(tmp_path / "opt/x/include", "8.9.7")
    (copy,) = found_in(tmp_path)
    assert (copy.file_version, copy.header_version) == ("9.5.1", "8.9.7")
    (lib / "libcudnn.so").unlink()
    images.cudnn(lib, "7.6.5")
    assert [(c.major, c.header_version) for c in found_in(tmp_path)] == [(9, ""), (7, "")]


def test_the_same_folder_by_many_ways_is_one_copy(tmp_path):
    real = images.cudnn(tmp_path / "opt/cudnn-9/lib", "9.5.1")
    (tmp_path / "opt/cudnn").symlink_to("cudnn-9")
    (tmp_path / "home").mkdir()
    (tmp_path / "home/loop").symlink_to("../home/loop")
    (copy,) = found_in(
        tmp_path,
        search=[entry("/opt/cudnn-9/lib")],
        environment={"CUDNN_PATH": "/opt/cudnn", "CUDNN_HOME": "/home/loop"},
        added=["/opt/cudnn"],
        cached={"libcudnn.so.9": "/opt/cudnn/lib/libcudnn.so.9"},
    )
    assert real.exists()
    assert copy.folder == "/opt/cudnn-9/lib"
    assert set(copy.found_via) == {"LD_LIBRARY_PATH", "CUDNN_PATH", "added", "default", "ld-cache"}


def test_a_folder_of_links_is_a_copy_of_its_own(tmp_path):
    images.cudnn(tmp_path / "opt/x/lib", "9.5.1")
    farm = tmp_path / "usr/local/lib"
    farm.mkdir(parents=True)
    (farm / "libcudnn.so.9").symlink_to("/opt/x/lib/libcudnn.so.9")
    found = {c.folder: c for c in found_in(tmp_path, search=[entry("/usr/local/lib", "default")])}
    assert "ops" in states(found["/usr/local/lib"])
    assert found["/opt/x/lib"].damaged == ()


def test_wheels_tell_version_cuda_and_owner(tmp_path):
    site = tmp_path / "home/x/venv/lib/python3.11/site-packages"
    images.cudnn(site / "nvidia/cudnn/lib", "9.10.2", sonames_only=True)
    (site / "nvidia_cudnn_cu12-9.10.2.21.dist-info").mkdir()
    (site / "nvidia_cudnn_frontend-1.14.0.dist-info").mkdir()
    python = PythonEnvironment(
        id="/home/x/venv", sites=("/home/x/venv/lib/python3.11/site-packages",)
    )
    (copy,) = found_in(tmp_path, pythons=[python])
    assert (copy.file_version, copy.package_version, copy.version) == ("", "9.10.2.21", "9.10.2.21")
    assert (copy.cuda_major, copy.owner) == (12, "nvidia-cudnn-cu12 9.10.2.21")
    assert (copy.environment, copy.found_via, copy.damaged) == ("/home/x/venv", ("wheel",), ())


def test_a_wheel_on_the_search_path_still_belongs_to_its_environment(tmp_path):
    site = "/home/x/venv/lib/python3.11/site-packages"
    inside = tmp_path / site.lstrip("/")
    images.cudnn(inside / "nvidia/cudnn/lib", "9.10.2", sonames_only=True)
    (inside / "nvidia_cudnn_cu12-9.10.2.21.dist-info").mkdir()
    search = [entry(f"{site}/nvidia/cudnn/lib")]
    (alone,) = found_in(tmp_path, search=search)
    assert (alone.environment, alone.owner) == ("", "nvidia-cudnn-cu12 9.10.2.21")
    (known,) = found_in(
        tmp_path, search=search, pythons=[PythonEnvironment(id="/home/x/venv", sites=(site,))]
    )
    assert (known.environment, known.found_via) == ("/home/x/venv", ("LD_LIBRARY_PATH", "wheel"))


def test_jit_and_full_side_by_side(tmp_path):
    site = tmp_path / "v/lib/python3.12/site-packages"
    images.cudnn(site / "nvidia/cudnn/lib", "9.27.0", sonames_only=True)
    images.put(site / "nvidia/cudnn_jit/lib", "libcudnn.so.9", "libcudnn_graph.so.9",
               "libcudnn_engines_runtime_compiled.so.9")  # fmt: skip
    (site / "nvidia_cudnn_jit_cu12-9.27.0.42.dist-info").mkdir()
    (site / "nvidia_cudnn_cu13-9.27.0.42.dist-info").mkdir()
    python = PythonEnvironment(id="/v", sites=("/v/lib/python3.12/site-packages",))
    found = found_in(tmp_path, pythons=[python])
    assert [(c.flavour, c.cuda_major, c.damaged, c.owner.split()[0]) for c in found] == [
        ("full", 13, (), "nvidia-cudnn-cu13"),
        ("jit", 12, (), "nvidia-cudnn-jit-cu12"),
    ]


def test_what_a_framework_bundles(tmp_path):
    site = tmp_path / "v/lib/python3.8/site-packages"
    images.put(site / "torch/lib", "libcudnn-a1b2c3d4.so.8.2.4", "libcudnn_ops_infer-aa11bb22.so.8")
    python = PythonEnvironment(id="/v", sites=("/v/lib/python3.8/site-packages",))
    (copy,) = found_in(tmp_path, pythons=[python])
    assert (copy.file, copy.file_version, copy.found_via) == (
        "libcudnn-a1b2c3d4.so.8.2.4", "8.2.4", ("bundled",),
    )  # fmt: skip
    assert "ops_infer" not in states(copy)


def test_cuda_major_by_what_the_files_ask_for(tmp_path):
    lib = images.cudnn(tmp_path / "opt/x/lib", "9.5.1", sonames_only=True)
    (lib / "libcudnn_adv.so.9").write_bytes(images.elf(text=b"\0libcublasLt.so.13\0"))
    assert found_in(tmp_path)[0].cuda_major == 13


def test_conda(tmp_path):
    images.cudnn(tmp_path / "c/envs/tf/lib", "8.9.7")
    meta = tmp_path / "c/envs/tf/conda-meta"
    meta.mkdir()
    (meta / "cudnn-8.9.7.29-hbc23b4c_3.json").write_text("{}")
    (copy,) = found_in(tmp_path, pythons=[PythonEnvironment(id="/c/envs/tf", kind="conda")])
    assert (copy.owner, copy.package_version) == ("cudnn 8.9.7.29 hbc23b4c_3", "8.9.7.29")
    assert (copy.environment, copy.found_via) == ("/c/envs/tf", ("conda",))


def test_other_processor(tmp_path):
    images.put(tmp_path / "opt/x/lib", "libcudnn.so.9", data=images.elf(images.AARCH64))
    assert found_in(tmp_path)[0].architecture == "aarch64"


def test_a_major_to_come_is_listed_and_not_judged(tmp_path):
    images.put(tmp_path / "opt/x/lib", "libcudnn.so.10")
    (copy,) = found_in(tmp_path)
    assert (copy.major, copy.damaged) == (10, ())


def test_windows_installer_in_both_layouts(tmp_path):
    base = tmp_path / "C/Program Files/NVIDIA/CUDNN"
    images.cudnn_windows(base / "v9.8/bin/12.8", "9.8.0.87")
    images.header(base / "v9.8/include/12.8", "9.8.0")
    images.cudnn_windows(base / "v9.18/bin/13.1/x64", "9.18.0.77")
    images.header(base / "v9.18/include/13.1", "9.18.0")
    found = found_in(tmp_path, family="windows", environment={"ProgramW6432": "C:\\Program Files"})
    assert [(c.folder, c.version, c.header_version, c.cuda_major, c.found_via) for c in found] == [
        ("C:\\Program Files\\NVIDIA\\CUDNN\\v9.8\\bin\\12.8", "9.8.0.87", "9.8.0", 12,
         ("installer",)),
        ("C:\\Program Files\\NVIDIA\\CUDNN\\v9.18\\bin\\13.1\\x64", "9.18.0.77", "9.18.0", 13,
         ("installer",)),
    ]  # fmt: skip
    assert all(copy.damaged == () for copy in found)


@pytest.mark.parametrize(
    ("family", "listed", "folder"),
    [
        ("linux", "/srv/archive", "/srv/archive/lib"),
        ("linux", "/srv/archive/lib/libcudnn.so.9", "/srv/archive/lib"),
        ("windows", "D:\\archive", "D:\\archive\\bin"),
        ("windows", '"D:\\archive\\bin\\cudnn64_9.dll"', "D:\\archive\\bin"),
    ],
)
def test_a_list_that_names_the_folder_above_or_a_library_itself(tmp_path, family, listed, folder):
    images.cudnn(tmp_path / "srv/archive/lib", "9.5.1")
    images.cudnn_windows(tmp_path / "D/archive/bin", "9.5.1.17")
    name = "LD_LIBRARY_PATH" if family == "linux" else "PATH"
    (copy,) = found_in(tmp_path, family=family, environment={name: listed})
    assert (copy.folder, copy.found_via) == (folder, ("default",))


@pytest.mark.parametrize(
    ("place", "variables"),
    [
        ("srv/spack/opt/spack/linux-zen3/cudnn-9.8.0.87-12-abc/lib", {"SPACK_ROOT": "/srv/spack"}),
        ("home/kim/spack/opt/spack/linux-ubuntu22.04-zen2/gcc-12.2.0/cudnn-8.9.7-ab/lib64", {}),
        ("opt/spack/opt/spack/linux-x86_64_v3/cudnn-9.8.0-ab/lib", {}),
        ("home/kim/.local/easybuild/software/cuDNN/9.5.0.50-CUDA-12.6.0/lib", {}),
        ("apps/eb/software/cuDNN/9.5.0/lib64", {"EASYBUILD_PREFIX": "/apps/eb"}),
        ("apps/eb/software/cuDNN/9.5.0/lib", {"EASYBUILD_INSTALLPATH": "/apps/eb"}),
        ("apps/cuDNN/9.5.0/lib", {"EBROOTCUDNN": "/apps/cuDNN/9.5.0"}),
    ],
)
def test_where_other_managers_of_packages_put_it(tmp_path, place, variables):
    images.cudnn(tmp_path / place, "9.8.0")
    images.cudnn(tmp_path / place.replace("cudnn-", "py-cudnn-").replace("cuDNN", "py"), "9.8.0")
    (copy,) = found_in(tmp_path, environment={"HOME": "/home/kim", **variables})
    assert copy.folder == f"/{place}"
    assert (LIES_THERE in copy.found_via) is place.startswith("home"), "nothing there is loaded"


@pytest.mark.parametrize(
    "place",
    [
        "C/Users/kim/Downloads/{zip}/{zip}/bin",
        "C/Users/kim/OneDrive - Contoso/Desktop/{zip}/bin/x64",
        "D/{zip}/{zip}/bin",
        "E/dev/cudnn/bin",
        "C/Program Files/NVIDIA GPU Computing Toolkit/{zip}/bin",
        "C/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v12.8/cuda/bin",
    ],
)
def test_windows_archives_where_people_unpack_them(tmp_path, place):
    """Explorer makes a folder of the archive's name, and the archive holds one of that name."""
    kit = Toolkit(version="12.8", root=r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.8")
    below = place.format(zip="cudnn-windows-x86_64-9.8.0.87_cuda12-archive")
    images.cudnn_windows(tmp_path / below, "9.8.0.87")
    home = {"USERPROFILE": r"C:\Users\kim", "PROGRAMFILES": r"C:\Program Files"}
    (copy,) = found_in(tmp_path, family="windows", environment=home, toolkits=[kit])
    assert copy.folder == f"{below[0]}:{below[1:]}".replace("/", "\\")
    assert copy.damaged == ()


@pytest.mark.parametrize("named", ["bin", ".", "../../CUDNN"])
def test_windows_installer_that_was_told_another_place(tmp_path, named):
    images.cudnn_windows(tmp_path / "D/libs/CUDNN/v9.18/bin/12.9/x64", "9.18.0.77")
    path = os.path.normpath(f"D/libs/CUDNN/v9.18/{named}")
    home = {"PATH": f"{path[0]}:{path[1:]}".replace("/", "\\")}
    (copy,) = found_in(tmp_path, family="windows", environment=home)
    assert (copy.folder, copy.version) == (r"D:\libs\CUDNN\v9.18\bin\12.9\x64", "9.18.0.77")


def test_the_number_that_all_of_cudnn_8_for_windows_says_is_none_of_its_version(tmp_path):
    folder = images.cudnn_windows(tmp_path / "C/tools/cuda/bin", "8.1.1.33")
    for file in folder.iterdir():
        file.write_bytes(images.pe("6.14.11.6050"))
    images.header(folder.parent / "include", "8.1.1")
    (copy,) = found_in(tmp_path, family="windows")
    assert (copy.file_version, copy.version, copy.damaged) == ("", "8.1.1", ())
    assert {part.version for part in copy.parts} == {""}


def test_windows_zip_on_path_and_a_single_file_in_system32(tmp_path):
    images.cudnn_windows(tmp_path / "D/cudnn/bin", "8.9.7.29")
    images.put(tmp_path / "C/Windows/System32", "CUDNN64_8.DLL")
    search = [entry("C:\\Windows\\System32", "default"), entry("D:\\cudnn\\bin", "PATH")]
    lone, whole = found_in(tmp_path, family="windows", search=search)
    assert (lone.file, lone.found_via) == ("CUDNN64_8.DLL", ("system-folder",))
    assert len(lone.damaged) == 6
    assert (whole.version, whole.damaged, whole.found_via) == ("8.9.7.29", (), ("PATH", "default"))


def test_the_dispatcher_that_ctranslate2_bundles_is_no_damaged_copy(tmp_path):
    site = tmp_path / "C/v/Lib/site-packages"
    images.put(site / "ctranslate2", "cudnn64_9.dll", data=images.pe("9.10.2.21"))
    python = PythonEnvironment(id="C:\\v", sites=("C:\\v\\Lib\\site-packages",))
    (copy,) = found_in(tmp_path, family="windows", pythons=[python])
    assert (copy.flavour, copy.damaged, copy.version) == ("shim", (), "9.10.2.21")


def test_neighbours(tmp_path):
    images.put(tmp_path / "opt/x/lib", "libcudart.so.11.0", "libcudart.so.11.8.89",
               "libz.so.1.2.13", "libcublasLt.so.12", "libcublas.so.12", "libnvrtc.so.11.2",
               "libcudart.so", "libnvrtc-builtins.so.12.9")  # fmt: skip
    images.put(tmp_path / "usr/local/cuda/lib64/stubs", "libcuda.so")
    disk, folders = opened(tmp_path, search=[entry("/usr/local/cuda/lib64/stubs")])
    found = {(one.name, one.major, disk.name(one.path)) for one in
             libraries.libraries(disk, folders, {}, Records(disk))}  # fmt: skip
    assert found == {
        ("cudart", 11, "libcudart.so.11.0"), ("zlib", 1, "libz.so.1.2.13"),
        ("cublasLt", 12, "libcublasLt.so.12"), ("cublas", 12, "libcublas.so.12"),
        ("nvrtc", 11, "libnvrtc.so.11.2"), ("nvrtc-builtins", 12, "libnvrtc-builtins.so.12.9"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "library", "major"),
    [
        ("cudart64_110.dll", "cudart", 11), ("cudart64_12.dll", "cudart", 12),
        ("cudart64_102.dll", "cudart", 10), ("cudart64_90.dll", "cudart", 9),
        ("cublas64_11.dll", "cublas", 11), ("cublasLt64_13.dll", "cublasLt", 13),
        ("nvrtc64_112_0.dll", "nvrtc", 11), ("nvrtc64_120_0.dll", "nvrtc", 12),
        ("nvrtc-builtins64_129.dll", "nvrtc-builtins", 12), ("zlibwapi.dll", "zlibwapi", None),
        ("MSVCP140.dll", "msvcp140", None), ("vcruntime140_1.dll", "vcruntime140_1", None),
    ],
)  # fmt: skip
def test_windows_names(tmp_path, name, library, major):
    images.put(tmp_path / "D/x", name)
    disk, folders = opened(tmp_path, family="windows", search=[entry("D:\\x", "PATH")])
    (found,) = libraries.libraries(disk, folders, {}, Records(disk))
    assert (found.name, found.major, found.path) == (library, major, f"D:\\x\\{name}")


def test_the_runtime_hides_its_version_in_the_last_field(tmp_path):
    images.put(tmp_path / "D/x", "cudart64_12.dll", data=images.pe("6.14.11.12090"))
    images.put(tmp_path / "D/x", "zlibwapi.dll", data=images.pe("1.2.3.0"))
    disk, folders = opened(tmp_path, family="windows", search=[entry("D:\\x", "PATH")])
    found = {one.name: one.version for one in libraries.libraries(disk, folders, {}, Records(disk))}
    assert found == {"cudart": "12.9", "zlibwapi": "1.2.3.0"}


def owners(root, pythons=(), **where):
    disk, folders = opened(root, pythons=pythons, **where)
    return {one.name: one.owner for one in libraries.libraries(disk, folders, {}, Records(disk))}


def test_the_wheel_that_brought_a_neighbour(tmp_path):
    site = tmp_path / "v/lib/python3.12/site-packages"
    images.put(site / "nvidia/cublas/lib", "libcublasLt.so.12")
    images.put(site / "nvidia/cu13/lib", "libcudart.so.13")
    images.put(site / "torch/lib", "libnvrtc.so.12")
    for name in ("nvidia_cublas_cu12-12.9.1.4", "nvidia_cuda_runtime-13.0.96"):
        (site / f"{name}.dist-info").mkdir()
    python = PythonEnvironment(id="/v", sites=("/v/lib/python3.12/site-packages",))
    assert owners(tmp_path, [python]) == {
        "cublasLt": "nvidia-cublas-cu12 12.9.1.4", "cudart": "nvidia-cuda-runtime 13.0.96",
        "nvrtc": "",
    }  # fmt: skip


def test_the_conda_package_that_brought_a_neighbour(tmp_path):
    images.put(tmp_path / "c/lib", "libcublasLt.so.12", "libz.so.1", "libnvrtc.so.12")
    (tmp_path / "c/conda-meta").mkdir()
    for name in ("libcublas-12.9.1.4-h676940d_1", "libzlib-1.3.1-hb9d3cd8_2"):
        (tmp_path / f"c/conda-meta/{name}.json").write_text("{}")
    python = PythonEnvironment(id="/c", kind="conda")
    assert owners(tmp_path, [python]) == {
        "cublasLt": "libcublas 12.9.1.4 h676940d_1", "zlib": "libzlib 1.3.1 hb9d3cd8_2",
        "nvrtc": "",
    }  # fmt: skip


def test_the_system_package_that_brought_a_neighbour(tmp_path):
    folder = "/usr/lib/x86_64-linux-gnu"
    images.put(tmp_path / folder.lstrip("/"), "libcublasLt.so.12", "libz.so.1", "libnvrtc.so.12")
    records = {"libcublas-12-9": "libcublasLt.so.12", "zlib1g:amd64": "libz.so.1"}
    (tmp_path / "var/lib/dpkg/info").mkdir(parents=True)
    for package, file in records.items():
        (tmp_path / f"var/lib/dpkg/info/{package}.list").write_text(f"/.\n{folder}/{file}\n")
    (tmp_path / "var/lib/dpkg/status").write_text(
        "Package: libcublas-12-9\nVersion: 12.9.1.4-1\n\nPackage: zlib1g\nVersion: 1:1.3\n"
    )
    assert owners(tmp_path, search=[entry(folder, "default")]) == {
        "cublasLt": "libcublas-12-9 12.9.1.4-1", "zlib": "zlib1g 1:1.3", "nvrtc": "",
    }  # fmt: skip


def test_the_drivers_library_is_listed_once(tmp_path):
    folder = images.put(tmp_path / "usr/lib64", "libcuda.so.580.65.06")
    (folder / "libcuda.so.1").symlink_to("libcuda.so.580.65.06")
    (folder / "libcuda.so").symlink_to("libcuda.so.1")
    disk, folders = opened(tmp_path, search=[entry("/usr/lib64", "default")])
    (found,) = libraries.libraries(disk, folders, {}, Records(disk))
    assert (found.name, found.major, found.version) == ("cuda", 1, "580.65.06")


def test_a_search_list_of_a_thousand_copies_is_bounded(tmp_path):
    for number in range(copies.MOST_COPIES + 10):
        images.put(tmp_path / f"n{number}", "libcudnn.so.9")
    search = [entry(f"/n{number}") for number in range(copies.MOST_COPIES + 10)]
    assert len(found_in(tmp_path, search=search)) == copies.MOST_COPIES
