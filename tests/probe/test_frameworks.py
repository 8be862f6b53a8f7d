"""What frameworks tell about themselves, in the files of their real wheels."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from forged_pythons import (
    CUPY_13_WHEEL,
    PADDLE_2_6,
    TENSORFLOW_1_15_WINDOWS,
    TENSORFLOW_2_10_WINDOWS,
    TENSORFLOW_2_20,
    TORCH_CUDA,
    Site,
    elf,
    linux_installation,
    linux_venv,
    pe,
    windows_venv,
    write,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from cudnn_assistant.machine import Framework, PythonEnvironment
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.files.needed_libraries import architectures
from cudnn_assistant.probe.pythons.environments import pythons
from cudnn_assistant.probe.pythons.framework_files import constants
from cudnn_assistant.probe.pythons.frameworks import _MATTERS as MATTERS
from cudnn_assistant.probe.pythons.records import (
    CondaPackage,
    installed,
    package,
    pins,
    requires_dist,
    satisfies,
)

BUILD_INFO = "tensorflow/python/platform/build_info.py"
ORT_INFO = "onnxruntime/capi/build_and_package_info.py"
ORT_PROVIDER = "onnxruntime/capi/libonnxruntime_providers_cuda.so"
LINUX = '; platform_system == "Linux" and platform_machine == "x86_64"'


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return linux_venv(tmp_path / "home/me/venv")


@pytest.fixture
def windows_site(tmp_path: Path) -> Site:
    return windows_venv(tmp_path / "C/ai/venv")


def seen(tmp_path: Path, family: str = "linux") -> PythonEnvironment:
    home = {"HOME": "/home/me", "USERPROFILE": r"C:\Users\me"}
    found = pythons(family, home, root=str(tmp_path))  # type: ignore[arg-type]
    return next(one for one in found if one.kind in ("venv", "conda"))


def only(tmp_path: Path, family: str = "linux") -> Framework:
    (one,) = seen(tmp_path, family).frameworks
    return one


def torch_version(version: str, cuda: str | None) -> str:
    return TORCH_CUDA.format(version=version, cuda=repr(cuda))


# --- PyTorch ------------------------------------------------------------------------------------


def test_torch_with_nvidias_wheels(tmp_path: Path, site: Site) -> None:
    # As in the real file: texts stand end to end, and other names contain "sm_" too.
    flags = b"kernel_sm_80_x\0ipc_hsm_70 sm_75 sm_80 sm_86 sm_90 compute_120\0junk"
    files = {
        "torch/version.py": torch_version("2.9.1+cu128", "12.8"),
        "torch/lib/libtorch_python.so": elf(rodata=flags, dynstr=b"\0libcudnn.so.9\0"),
    }
    requires = [f"nvidia-cudnn-cu12==9.10.2.21{LINUX}", f"nvidia-cublas-cu12==12.8.4.1{LINUX}",
                'triton==3.5.1; platform_system == "Linux"',
                'nvidia-nothing==1; platform_system == "Windows"']  # fmt: skip
    site.put("torch", "2.9.1", files, requires=requires)
    site.put("nvidia-cudnn-cu12", "9.11.0.98", {"nvidia/cudnn/lib/libcudnn.so.9": elf()})
    one = only(tmp_path)
    assert (one.name, one.version, one.gpu, one.cuda) == ("torch", "2.9.1+cu128", True, "12.8")
    assert (one.cudnn, one.cudnn_from) == ("9.10.2", "wheel")
    assert one.architectures == ("7.0", "7.5", "8.0", "8.6", "9.0", "12.0+PTX")
    assert [(pin.package, pin.wants, pin.has, pin.satisfied) for pin in one.pins] == [
        ("nvidia-cudnn-cu12", "==9.10.2.21", "9.11.0.98", False),
        ("nvidia-cublas-cu12", "==12.8.4.1", "", False),
    ]


@pytest.mark.parametrize("start", [0, (1 << 20) - 20, (1 << 20) - 600, 3_000_000])
def test_names_are_found_wherever_in_a_large_library(
    tmp_path: Path, site: Site, start: int
) -> None:
    text = bytes(start) + b"\0sm_90 compute_100\0libcublas.so.12\0libcudnn.so.9\0" + bytes(5000)
    site.put("ctranslate2", "4.5.0", {"ctranslate2.libs/libctranslate2-1.so.4": elf(rodata=text)})
    assert (only(tmp_path).cuda, only(tmp_path).cudnn) == ("12", "9")
    library = str(site.folder / "ctranslate2.libs/libctranslate2-1.so.4")
    assert architectures(Disk("linux"), library) == ("sm_90", "compute_100")


def test_torch_looks_in_the_wheel_even_when_it_is_gone(tmp_path: Path, site: Site) -> None:
    files = {"torch/version.py": torch_version("2.9.1+cu128", "12.8")}
    site.put("torch", "2.9.1", files, requires=[f"nvidia-cudnn-cu12==9.10.2.21{LINUX}"])
    assert only(tmp_path).cudnn_from == "wheel"


def test_torch_for_cpus(tmp_path: Path, site: Site) -> None:
    site.put("torch", "2.9.1+cpu", {"torch/version.py": torch_version("2.9.1+cpu", None)})
    one = only(tmp_path)
    assert (one.gpu, one.cuda, one.cudnn, one.cudnn_from) == (False, "", "", "none")


def test_torch_on_windows_brings_its_own(tmp_path: Path, windows_site: Site) -> None:
    files: dict[str, str | bytes] = {
        "torch/version.py": torch_version("2.9.1+cu128", "12.8"),
        "torch/lib/cudnn64_9.dll": pe(version=(9, 10, 2, 21)),
        "torch/lib/cudnn_ops64_9.dll": pe(),
    }
    requires = [f"nvidia-cudnn-cu12==9.10.2.21{LINUX}"]
    windows_site.put("torch", "2.9.1+cu128", files, requires=requires)
    one = only(tmp_path, "windows")
    assert (one.gpu, one.cudnn, one.cudnn_from, one.pins) == (True, "9.10.2", "bundled", ())


def test_old_torch_wheels_with_a_hash_in_the_name(tmp_path: Path, site: Site) -> None:
    files: dict[str, str | bytes] = {
        "torch/version.py": "__version__ = '1.7.1'\ncuda = '11.0'\n",
        "torch/lib/libcudnn-1a2b3c4d.so.8": elf(),
    }
    site.put("torch", "1.7.1", files)
    assert (only(tmp_path).cudnn, only(tmp_path).cudnn_from) == ("8", "bundled")


FINDER = "import __editable___torch_finder; __editable___torch_finder.install()"


@pytest.mark.parametrize("pth", ["import os; os.x()\n# no\n../../../../src/torch\n", FINDER])
@pytest.mark.parametrize("recorded", [True, False])
def test_an_editable_torch(tmp_path: Path, site: Site, pth: str, recorded: bool) -> None:
    """As pip puts it, with a module that finds it, and as "setup.py develop", without a record."""
    site.put("torch" if recorded else "pip", "2.9.0a0")
    write(site.folder / "__editable__.torch.pth", pth)
    table = "MAPPING: dict[str, str] = {'torch': '/home/me/src/torch/torch', 'x': '/gone/x'}"
    write(site.folder / "__editable___torch_finder.py", f"import sys\n{table}\nNAMES = {{}}\n")
    write(tmp_path / "home/me/src/torch/torch/version.py", torch_version("2.9.0a0+git", "12.8"))
    environment = seen(tmp_path)
    assert environment.sites[1:] == ("/home/me/src/torch",)
    (one,) = environment.frameworks
    assert (one.version, one.gpu, one.cuda) == ("2.9.0a0+git", True, "12.8")


@pytest.mark.parametrize(("written", "manager"), [("conda\n", "conda"), ("pip", ""), ("uv", "")])
def test_who_installed_a_package_stands_beside_it(
    tmp_path: Path, site: Site, written: str, manager: str
) -> None:
    site.put("torch", "2.9.1", {"torch/version.py": torch_version("2.9.1", None)})
    write(site.folder / "torch-2.9.1.dist-info/INSTALLER", written)
    assert [one.manager for one in seen(tmp_path).packages] == [manager]


def test_torch_from_conda(tmp_path: Path) -> None:
    root = tmp_path / "home/me/miniconda3/envs/t"
    site = linux_installation(root, "3.11", names=["python3"])
    write(root / "conda-meta/pytorch-2.5.1-cuda126_py311hd00000_0.json", "{}")
    write(root / "conda-meta/cudnn-9.10.1.4-h7646684_0.json", "{}")
    site.put("torch", "2.5.1", {"torch/version.py": torch_version("2.5.1", "12.6")})
    assert only(tmp_path).cudnn_from == "conda"


@pytest.mark.parametrize(
    ("build", "cuda", "cudnn"),
    [
        ("py3.10_cuda11.8_cudnn8.7.0_0", "11.8", "8.7.0"),
        ("cuda126py312h1234_200", "12.6", ""),
        ("cuda12_py312h", "12", ""),
        ("cpu_py311h", "", ""),
    ],
)
def test_conda_builds_name_their_cuda(build: str, cuda: str, cudnn: str) -> None:
    one = CondaPackage("pytorch", "2.5.1", build)
    assert (one.cuda, one.cudnn) == (cuda, cudnn)


# --- TensorFlow -----------------------------------------------------------------------------------


def test_tensorflow_with_and_cuda(tmp_path: Path, site: Site) -> None:
    header = "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 3\n#define CUDNN_PATCHLEVEL 0\n"
    files = {
        BUILD_INFO: TENSORFLOW_2_20,
        "tensorflow/include/external/cuda_cudnn/include/cudnn_version.h": header,
    }
    requires = ['nvidia-cudnn-cu12<10.0,>=9.3.0.75; extra == "and-cuda"',
                'nvidia-nccl-cu12<3.0,>=2.25.1; extra == "and-cuda"', "keras>=3.10"]  # fmt: skip
    site.put("tensorflow", "2.20.0", files, requires=requires)
    alone = only(tmp_path)
    assert (alone.gpu, alone.cuda, alone.cudnn, alone.cudnn_from) == (
        True,
        "12.5.1",
        "9.3.0",
        "system",
    )
    assert alone.architectures == ("6.0", "7.0", "8.0", "8.9", "9.0+PTX")
    assert alone.pins == (), "an extra that wasn't asked for demands nothing"
    site.put("nvidia-cudnn-cu12", "9.1.0.70")
    with_wheel = only(tmp_path)
    assert with_wheel.cudnn_from == "wheel"
    assert [(p.package, p.has, p.satisfied) for p in with_wheel.pins] == [
        ("nvidia-cudnn-cu12", "9.1.0.70", False)
    ]


def test_tensorflow_before_2_14_looks_in_no_wheel(tmp_path: Path, site: Site) -> None:
    site.put("tensorflow", "2.13.1", {BUILD_INFO: TENSORFLOW_2_20})
    site.put("nvidia-cudnn-cu11", "8.6.0.163")
    assert only(tmp_path).cudnn_from == "system"


def test_tensorflow_on_windows(tmp_path: Path, windows_site: Site) -> None:
    windows_site.put("tensorflow", "2.10.1", {BUILD_INFO: TENSORFLOW_2_10_WINDOWS})
    one = only(tmp_path, "windows")
    assert (one.gpu, one.cuda, one.cudnn, one.cudnn_from) == (True, "11.2", "8", "system")


def test_tensorflow_1(tmp_path: Path, windows_site: Site) -> None:
    facts = TENSORFLOW_1_15_WINDOWS
    path = "tensorflow_core/python/platform/build_info.py"
    windows_site.put("tensorflow-gpu", "1.15.0", {path: facts})
    one = only(tmp_path, "windows")
    assert (one.package, one.gpu, one.cuda, one.cudnn) == ("tensorflow-gpu", True, "10.0", "7")


def test_tensorflow_for_cpus_shadowing_the_other(tmp_path: Path, site: Site) -> None:
    facts = "build_info = dict([('is_cuda_build', False)])\n"
    site.put("tensorflow", "2.15.0").put("tensorflow-cpu", "2.15.0", {BUILD_INFO: facts})
    found = seen(tmp_path).frameworks
    assert [(f.package, f.gpu, f.cudnn_from) for f in found] == [
        ("tensorflow", False, "none"), ("tensorflow-cpu", False, "none"),
    ]  # fmt: skip


def test_the_part_that_tensorflow_itself_asks_for_is_no_second_one(
    tmp_path: Path, windows_site: Site
) -> None:
    facts = "build_info = {'is_cuda_build': False}\n"
    windows_site.put("tensorflow", "2.15.0", requires=["tensorflow-intel==2.15.0"])
    windows_site.put("tensorflow-intel", "2.15.0", {BUILD_INFO: facts})
    assert [f.package for f in seen(tmp_path, "windows").frameworks] == ["tensorflow"]


# --- JAX ----------------------------------------------------------------------------------------


def test_jax_with_plugin(tmp_path: Path, site: Site) -> None:
    site.put("jax", "0.10.2", requires=["jaxlib<=0.10.2,>=0.10.1"]).put("jaxlib", "0.9.0")
    wheel = 'nvidia-cudnn-cu12<10.0,>=9.8; sys_platform == "linux" and extra == "with-cuda"'
    site.put("jax-cuda12-plugin", "0.10.2", requires=["jax-cuda12-pjrt==0.10.2", wheel])
    site.put("jax-cuda12-pjrt", "0.10.1").put("nvidia-cudnn-cu12", "9.10.2.21")
    one = only(tmp_path)
    assert (one.package, one.gpu, one.cuda, one.cudnn) == ("jax-cuda12-plugin", True, "12", "9.8")
    assert one.cudnn_from == "wheel"
    assert {pin.package: pin.satisfied for pin in one.pins} == {
        "jax-cuda12-pjrt": False, "nvidia-cudnn-cu12": True, "jaxlib": False,
    }  # fmt: skip


def test_jax_plugin_without_wheels_still_says_what_it_was_built_with(
    tmp_path: Path, site: Site
) -> None:
    wheel = 'nvidia-cudnn-cu13<10.0,>=9.12; sys_platform == "linux" and extra == "with-cuda"'
    site.put("jax-cuda13-plugin", "0.10.2", requires=[wheel])
    one = only(tmp_path)
    assert (one.cuda, one.cudnn, one.cudnn_from, one.pins) == ("13", "9.12", "system", ())


def test_jax_for_cpus(tmp_path: Path, site: Site) -> None:
    site.put("jax", "0.10.2", requires=["jaxlib==0.10.2"]).put("jaxlib", "0.10.2")
    assert (only(tmp_path).package, only(tmp_path).gpu) == ("jax", False)


def test_old_jaxlib_with_cuda_in_its_version(tmp_path: Path, site: Site) -> None:
    site.put("jax", "0.4.13").put("jaxlib", "0.4.13+cuda12.cudnn89")
    one = only(tmp_path)
    assert (one.gpu, one.cuda, one.cudnn) == (True, "12", "8.9")


# --- ONNX Runtime ---------------------------------------------------------------------------------


def ort(package: str, version: str, cuda: str = "") -> str:
    line = f"cuda_version = {cuda!r}\n" if cuda else ""
    return f"package_name = {package!r}\n__version__ = {version!r}\n{line}"


def test_onnxruntime_gpu(tmp_path: Path, site: Site) -> None:
    files: dict[str, str | bytes] = {
        ORT_INFO: ort("onnxruntime-gpu", "1.23.2", "12.2"),
        ORT_PROVIDER: elf(dynstr=b"\0libcublas.so.12\0libcudnn.so.9\0"),
    }
    site.put("onnxruntime-gpu", "1.23.2", files)
    one = only(tmp_path)
    assert (one.gpu, one.cuda, one.cudnn, one.cudnn_from) == (True, "12.2", "9", "system")
    site.put("nvidia-cudnn-cu12", "9.10.2.21")
    assert only(tmp_path).cudnn_from == "wheel"


def test_onnxruntime_1_31_names_cudnn_only_in_its_extra(tmp_path: Path, site: Site) -> None:
    files: dict[str, str | bytes] = {
        ORT_INFO: ort("onnxruntime-gpu", "1.31.1", "13.0"),
        ORT_PROVIDER: elf(dynstr=b"\0libcublas.so.13\0", rodata=b"libcudnnH"),
    }
    requires = ['nvidia-cudnn-cu13~=9.0; extra == "cudnn"']
    site.put("onnxruntime-gpu", "1.31.1", files, requires=requires)
    one = only(tmp_path)
    assert (one.cuda, one.cudnn, one.cudnn_from, one.pins) == ("13.0", "9", "system", ())


def test_onnxruntime_1_18_tells_only_by_its_provider(tmp_path: Path, site: Site) -> None:
    provider = elf(dynstr=b"\0libcublas.so.11\0libcudnn.so.8\0")
    site.put("onnxruntime-gpu", "1.18.0", {ORT_PROVIDER: provider})
    site.put("nvidia-cudnn-cu11", "8.9.6.50")
    one = only(tmp_path)
    assert (one.cuda, one.cudnn, one.cudnn_from) == ("11", "8", "system")


def test_both_onnxruntimes_are_what_was_written_last(tmp_path: Path, site: Site) -> None:
    site.put("onnxruntime-gpu", "1.23.2", {ORT_PROVIDER: elf(dynstr=b"\0libcudnn.so.9\0")})
    site.put("onnxruntime", "1.23.2", {ORT_INFO: ort("onnxruntime", "1.23.2")})
    found = seen(tmp_path).frameworks
    assert {(f.package, f.gpu) for f in found} == {
        ("onnxruntime", False),
        ("onnxruntime-gpu", False),
    }


# --- CuPy, CTranslate2, PaddlePaddle, MXNet -------------------------------------------------------


def test_cupy(tmp_path: Path, site: Site) -> None:
    site.put("cupy-cuda12x", "13.4.1", {"cupy/.data/_wheel.json": CUPY_13_WHEEL})
    one = only(tmp_path)
    assert (one.gpu, one.cuda, one.cudnn, one.cudnn_from) == (True, "12", "8.8.1", "system")


@pytest.mark.parametrize(
    ("package", "version", "cuda", "origin"),
    [
        ("cupy-cuda13x", "14.0.1", "13", "none"),
        ("cupy-cuda110", "9.6.0", "11.0", "system"),
        ("cupy-cuda92", "8.0.0", "9.2", "system"),
        ("cupy", "13.0.0", "", "system"),
    ],
)
def test_cupy_by_its_name(
    tmp_path: Path, site: Site, package: str, version: str, cuda: str, origin: str
) -> None:
    site.put(package, version)
    assert (only(tmp_path).cuda, only(tmp_path).cudnn_from) == (cuda, origin)


def test_ctranslate2_up_to_4_6_brings_the_main_library(tmp_path: Path, site: Site) -> None:
    library = elf(dynstr=b"\0libstdc++.so.6\0", rodata=b"libcublas.so.12\0x\0libcudnn.so.9\0")
    files: dict[str, str | bytes] = {
        "ctranslate2.libs/libctranslate2-bc15bf3f.so.4.5.0": library,
        "ctranslate2.libs/libcudnn-74a4c495.so.9.1.0": elf(),
    }
    site.put("ctranslate2", "4.5.0", files)
    site.put("faster-whisper", "1.2.1", requires=["ctranslate2<5,>=4.0"])
    one = only(tmp_path)
    # What that opens comes from the system, unless a framework beside it brings the same.
    assert (one.gpu, one.cuda, one.cudnn, one.cudnn_from) == (True, "12", "9.1.0", "system")
    assert [(pin.package, pin.satisfied) for pin in one.pins] == [("ctranslate2", True)]
    files = {"torch/version.py": "cuda = '12.8'\n", "torch/lib/libcudnn.so.9": elf()}
    site.put("torch", "2.9.1", files)
    assert {f.cudnn_from for f in seen(tmp_path).frameworks} == {"bundled"}


@pytest.mark.parametrize(
    ("asks", "of_main", "cudnn", "origin"),
    [
        (b"cudnn64_8.dll", (6, 14, 11, 6050), "8", "system"),  # 4.4.0
        (b"cudnn64_9.dll", (9, 1, 0, 70), "9.1.0", "system"),  # 4.6.2
        (b"", (9, 10, 2, 21), "", "none"),  # 4.6.3 and later, which bring it all the same
    ],
)
def test_ctranslate2_for_windows_brings_a_main_library_whether_it_asks_for_it_or_not(
    tmp_path: Path,
    windows_site: Site,
    asks: bytes,
    of_main: tuple[int, int, int, int],
    cudnn: str,
    origin: str,
) -> None:
    main = f"ctranslate2/cudnn64_{(cudnn or '9')[0]}.dll"
    library = pe(text=b"cublas64_12.dll\0" + asks + b"\0")
    files = {"ctranslate2/ctranslate2.dll": library, main: pe(version=of_main)}
    windows_site.put("ctranslate2", "4", files)
    one = only(tmp_path, "windows")
    assert (one.gpu, one.cuda, one.cudnn, one.cudnn_from) == (True, "12", cudnn, origin)


def test_ctranslate2_without_cudnn(tmp_path: Path, site: Site) -> None:
    library = elf(rodata=b"\0libcublas.so.12\0")
    site.put("ctranslate2", "4.8.5", {"ctranslate2.libs/libctranslate2-1.so.4.8.5": library})
    assert (only(tmp_path).gpu, only(tmp_path).cudnn_from) == (True, "none")


def test_ctranslate2_for_cpus(tmp_path: Path, site: Site) -> None:
    site.put(
        "ctranslate2", "4.8.5", {"ctranslate2.libs/libctranslate2-1.so.4.8.5": elf(machine=183)}
    )
    assert only(tmp_path).gpu is False


@pytest.mark.parametrize(
    ("package", "cuda", "cudnn", "gpu", "origin"),
    [
        ("paddlepaddle-gpu", "11.8", "8.6.0", True, "system"),
        ("paddlepaddle", "False", "False", False, "none"),
    ],
)
def test_paddle(
    tmp_path: Path, site: Site, package: str, cuda: str, cudnn: str, gpu: bool, origin: str
) -> None:
    facts = PADDLE_2_6.format(cuda=cuda, cudnn=cudnn)
    site.put(package, "2.6.2", {"paddle/version/__init__.py": facts})
    one = only(tmp_path)
    assert (one.name, one.gpu, one.cudnn_from) == ("paddle", gpu, origin)
    assert (one.cuda, one.cudnn) == ((cuda, cudnn) if gpu else ("", ""))


def test_mxnet(tmp_path: Path, site: Site) -> None:
    site.put("mxnet-cu112", "1.9.1", {"mxnet/libmxnet.so": elf(dynstr=b"\0libcudnn.so.8\0")})
    one = only(tmp_path)
    assert (one.name, one.cuda, one.cudnn, one.cudnn_from) == ("mxnet", "11.2", "8", "system")


def test_an_environment_without_frameworks_has_none(tmp_path: Path, site: Site) -> None:
    site.put("numpy", "2.0.0").put("torchvision", "0.20").put("cupyish", "1").put(
        "nvidia-ml-py", "13"
    )
    one = seen(tmp_path)
    assert one.frameworks == ()
    assert [package.name for package in one.packages] == ["nvidia-ml-py"]


# --- records --------------------------------------------------------------------------------------


def test_counts_the_libraries_that_are_gone(tmp_path: Path, site: Site) -> None:
    files = {"nvidia/cudnn/lib/libcudnn.so.9": elf(), "nvidia/cudnn/lib/libcudnn_ops.so.9": elf()}
    gone = ["nvidia/cudnn/lib/libcudnn_cnn.so.9", "nvidia/cudnn/include/cudnn.h", "../../../bin/x"]
    site.put("nvidia-cudnn-cu12", "9.10.2.21", files, gone=gone)
    (package,) = seen(tmp_path).packages
    assert (package.name, package.version, package.files_missing) == (
        "nvidia-cudnn-cu12", "9.10.2.21", 1,
    )  # fmt: skip


def test_a_library_of_another_size_than_its_record_says(tmp_path: Path, site: Site) -> None:
    files = {f"nvidia/cudnn/lib/libcudnn{part}.so.9": elf() for part in ("", "_ops", "_cnn")}
    site.put("nvidia-cudnn-cu12", "9.10.2.21", files)
    folder = site.folder / "nvidia_cudnn_cu12-9.10.2.21.dist-info"
    sizes = {name: len(data) for name, data in files.items()}
    sizes["nvidia/cudnn/lib/libcudnn_ops.so.9"] += 1
    write(folder / "RECORD", "".join(f"{name},sha256=A,{size}\n" for name, size in sizes.items()))
    (package,) = seen(tmp_path).packages
    assert (package.files_missing, package.changed) == (0, ("libcudnn_ops.so.9",))


def test_of_two_records_the_one_with_files_counts(tmp_path: Path, site: Site) -> None:
    write(site.folder / "torch-2.10.0.dist-info/METADATA", "left behind")
    site.put("torch", "2.9.1")
    write(site.folder / "torch-3.0.0.dist-info/METADATA", "left behind")
    found = installed(Disk("linux"), [str(site.folder)])
    assert found["torch"].version == "2.9.1"


def test_the_first_folder_wins(tmp_path: Path) -> None:
    folders = [str(Site(tmp_path / name).put("Torch", version).folder)
               for name, version in (("a", "2.9.1"), ("b", "2.8.0"))]  # fmt: skip
    assert installed(Disk("linux"), folders)["torch"].version == "2.9.1"
    assert installed(Disk("linux"), folders[::-1])["torch"].version == "2.8.0"


@given(st.text())
def test_any_text_is_metadata(text: str) -> None:
    lines = requires_dist(text)
    assert isinstance(pins(lines, {}, {}, MATTERS), tuple)


@settings(max_examples=200)
@given(st.lists(st.text(alphabet="nvidia-cu12=<>~!.*;()[]'\"extrandos 09,@ _and\n", max_size=80)))
def test_any_requirement_is_read_or_passed_over(lines: list[str]) -> None:
    for pin in pins(["nvidia-" + line for line in lines], {}, {"sys_platform": "linux"}, MATTERS):
        assert pin.has == ""


@given(st.text(max_size=40), st.text(alphabet="=<>~!.*0123456789, ", max_size=20))
def test_any_version_meets_a_demand_or_does_not_or_is_no_version(version: str, wants: str) -> None:
    assert satisfies(version, wants) in (True, False, None)


@settings(max_examples=50, deadline=None)
@given(data=st.binary(max_size=2000))
def test_any_bytes_are_a_record(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    site = Site(tmp_path_factory.mktemp("site")).put("torch", "2.9.1")
    write(site.folder / "torch-2.9.1.dist-info/RECORD", data + b"\na\0b.so,,\n")
    one = installed(Disk("linux"), [str(site.folder)])["torch"]
    assert "a\0b.so" in package(Disk("linux"), one).missing


# --- Python files -------------------------------------------------------------------------------


@given(st.text())
def test_any_text_may_be_a_version_file(text: str) -> None:
    assert isinstance(constants(text), dict)


@pytest.mark.parametrize(
    "text",
    ["(" * 60_000, "-" * 60_000 + "1", "a." * 30_000, "1+" * 30_000 + "1", "[" * 300 + "]" * 300,
     "x = " + "{1:" * 90 + "1" + "}" * 90, "cuda = '12.8'" * 100_000, "\0", "x = '\\ud800'",
     "f" + "(1)" * 20_000, "not " * 15_000 + "x", "lambda:" * 8_000 + "1", "if x:\n" * 3],
)  # fmt: skip
def test_hostile_python_is_no_python(text: str) -> None:
    assert "cuda" not in constants(text)


def test_a_version_file_is_read_and_not_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    text = f"import os\nopen({str(trap)!r}, 'w')\nos.makedirs('x')\ncuda = '12.8'\nx = f'{{1}}'\n"
    assert constants(text) == {"cuda": "12.8"}
    assert not trap.exists()


def test_a_huge_record_costs_no_more_than_its_share(tmp_path: Path, site: Site) -> None:
    site.put("torch", "2.9.1")
    lines = b"torch/include/header.h,sha256=AAAA,1\n" * 1_000_000
    write(site.folder / "torch-2.9.1.dist-info/RECORD", lines + b"torch/lib/gone.so,,1\n")
    one = installed(Disk("linux"), [str(site.folder)])["torch"]
    assert not package(Disk("linux"), one).missing, "the gone one lies behind the limit"
    assert os.path.getsize(site.folder / "torch-2.9.1.dist-info/RECORD") > 16 << 20
