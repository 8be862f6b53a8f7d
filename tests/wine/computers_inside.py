"""Runs in Windows' Python: plants computers on Wine's drive and registry, checks each, tells.

``computers_inside.py REPOSITORY LIBRARIES DLLS NAME…``: LIBRARIES is a folder with pure packages of
the other system, searched last; DLLS holds the stub driver and cuDNNs. One JSON line for each
computer: its name, the verdict, "severity code" of every finding, and the exit code.

A case is a function that plants; its name is the computer's. What it says is held by the test.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import winreg
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

REPOSITORY, LIBRARIES, DLLS = (Path(text) for text in sys.argv[1:4])
ASKED = sys.argv[4:]
sys.path.insert(0, str(REPOSITORY))
sys.path.insert(1, str(REPOSITORY / "tests" / "lab"))
sys.path.append(str(LIBRARIES))

import images  # noqa: E402
from driver import RTX_4090  # noqa: E402

reg: Any = winreg
SYSTEM32 = Path("C:/windows/system32")
TOOLKITS = Path("C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA")
CUDNN = Path("C:/Program Files/NVIDIA/CUDNN/v9.10/bin/12.9")
TOOLS, WORK = Path("C:/tools"), Path("C:/work")
SITE = WORK / "venv/Lib/site-packages"
BESIDE = Path(sys.executable).parent / "cudnn64_9.dll"
WISHES = Path("C:/etc/stub")
DOWNLOADED = Path.home() / "Downloads"
PLANTED = (
    DOWNLOADED / "cudnn-windows-x86_64-9.10.2.21_cuda12-archive",
    TOOLKITS.parent, CUDNN.parents[3], TOOLS, WORK, WISHES.parent,
    Path("C:/Program Files (x86)/NVIDIA Corporation"),
)  # fmt: skip
ENVIRONMENT = r"SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
DISPLAY = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}\0001"
USUAL = r"C:\windows\system32;C:\windows;C:\windows\system32\wbem"
CHECK = (
    "import sys; sys.path[:0] = [sys.argv.pop(1)]; sys.path.append(sys.argv.pop(1));"
    "from cudnn_assistant.__main__ import main; sys.exit(main())"
)


class Computer:
    """One computer under construction."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self.machine: dict[str, str] = {}
        """Variables of the computer, beside Path."""
        self.terminal: dict[str, str] = {}
        """Variables of the terminal alone."""

    def driver(self, version: str = "580.97", cuda: int = 13000) -> None:
        """The driver's DLLs with one GPU, and its entry in the registry."""
        facts = {"driver": version, "cuda": cuda, "gpus": 1}
        facts |= {f"gpu.0.{name}": value for name, value in RTX_4090.items()}
        (SYSTEM32 / "facts").write_text("".join(f"{n}={v}\n" for n, v in facts.items()))
        for name in ("nvml.dll", "nvcuda.dll"):
            shutil.copy(DLLS / name, SYSTEM32)
        digits = version.replace(".", "")
        with reg.CreateKey(reg.HKEY_LOCAL_MACHINE, DISPLAY) as key:
            for name, text in (
                ("ProviderName", "NVIDIA"),
                ("DriverDesc", RTX_4090["name"]),
                ("DriverVersion", f"32.0.15.{digits[1:]}"),
            ):
                reg.SetValueEx(key, name, 0, reg.REG_SZ, text)

    def day(self, wish: str) -> None:
        """How cuDNN's stub behaves; not by a variable, which could be left out."""
        WISHES.mkdir(parents=True)
        (WISHES / "STUB_CUDNN_DAY").write_text(wish)

    def cuda(self, version: str = "12.9") -> Path:
        """A toolkit, searched."""
        major = version.split(".", maxsplit=1)[0]
        root = TOOLKITS / f"v{version}"
        names = (f"cudart64_{'110' if major == '11' else major}.dll", f"cublas64_{major}.dll",
                 f"cublasLt64_{major}.dll")  # fmt: skip
        images.put(root / "bin", *names, data=images.pe(f"6.14.11.{major}000"))
        (root / "version.json").write_text(json.dumps({"cuda": {"version": f"{version}.1"}}))
        self.path.append(str(root / "bin"))
        self.machine["CUDA_PATH"] = str(root)
        return root

    def cudnn(self, folder: Path, version: str = "9.10.2.21", *, searched: bool = True) -> None:
        """A cuDNN that convolves on the processor."""
        images.cudnn_windows(folder, version)
        major = version.split(".", maxsplit=1)[0]
        shutil.copy(DLLS / f"cudnn-{version}.dll", folder / f"cudnn64_{major}.dll")
        if searched:
            self.path.append(str(folder))

    def healthy(self) -> None:
        """Driver, GPU, toolkit and cuDNN as they should be."""
        self.driver()
        self.cuda()
        self.cudnn(CUDNN)

    def venv(self, package: str, version: str) -> None:
        """The terminal's Python environment with one package of which only the record is there."""
        root = SITE.parents[1]
        (root / "Scripts").mkdir(parents=True)
        (root / "pyvenv.cfg").write_text("home = C:\\py311\nversion = 3.11.9\n")
        (root / "Scripts" / "python.exe").write_bytes(images.pe("3.11.9.0"))
        record = SITE / f"{package.replace('-', '_')}-{version}.dist-info"
        record.mkdir(parents=True)
        (record / "METADATA").write_text(f"Name: {package}\nVersion: {version}\n")
        self.terminal["VIRTUAL_ENV"] = str(root)


def healthy(c: Computer) -> None:
    c.healthy()


def healthy_in_the_toolkit(c: Computer) -> None:
    c.driver()
    c.cudnn(c.cuda() / "bin", searched=False)


def torch_whose_python_does_not_start(c: Computer) -> None:
    c.driver()
    c.venv("torch", "2.8.0+cu128")
    (SITE / "torch").mkdir()
    (SITE / "torch" / "version.py").write_text("__version__ = '2.8.0+cu128'\ncuda = '12.8'\n")
    c.cudnn(SITE / "torch" / "lib", searched=False)
    names = ("torch_cuda.dll", "cublas64_12.dll", "cublasLt64_12.dll", "cudart64_12.dll")
    images.put(SITE / "torch" / "lib", *names, data=images.pe("1.0.0.0"))


def older_copy_first_that_works_healthy(c: Computer) -> None:
    c.driver()
    c.cuda()
    c.cudnn(TOOLS / "old", "9.1.0.70")
    c.cudnn(CUDNN)


def folder_above_on_path(c: Computer) -> None:
    c.driver()
    c.cuda()
    c.cudnn(CUDNN, searched=False)
    c.path.append(str(CUDNN.parent))


def cuda_path_stale(c: Computer) -> None:
    c.healthy()
    c.machine["CUDA_PATH"] = str(TOOLKITS / "v11.8")


def part_missing(c: Computer) -> None:
    c.healthy()
    (CUDNN / "cudnn_ops64_9.dll").unlink()
    c.day("cudnnOpsVersionCheck:3009")


def stray_copy_in_system32(c: Computer) -> None:
    c.healthy()
    shutil.copy(DLLS / "cudnn-9.1.0.70.dll", SYSTEM32 / "cudnn64_9.dll")
    c.day("cudnnCreate:1002")


def file_that_is_no_library_beside_python(c: Computer) -> None:
    """Windows looks beside the program first: only an experiment from elsewhere can tell."""
    c.healthy()
    BESIDE.write_bytes(b"MZ, and nothing more")


def zlibwapi_missing(c: Computer) -> None:
    c.driver()
    c.cuda()
    c.cudnn(TOOLS / "bin", "8.9.7.29")
    c.day("cudnnCnnInferVersionCheck:abort")


def without_nvidia(c: Computer) -> None:
    """The JSON of this one holds typographic quotes, which its console can't write."""


def driver_too_old(c: Computer) -> None:
    c.driver("472.12", 11040)
    c.cuda()
    c.cudnn(CUDNN)
    c.day("cudnnCreate:1001")


def onnxruntime_without_cuda(c: Computer) -> None:
    c.driver()
    c.venv("onnxruntime-gpu", "1.22.0")
    capi = SITE / "onnxruntime" / "capi"
    capi.mkdir(parents=True)
    (capi / "build_and_package_info.py").write_text(
        "package_name = 'onnxruntime-gpu'\n__version__ = '1.22.0'\ncuda_version = '12.8'\n"
    )
    provider = images.pe("1.0.0.0") + b"cudnn64_9.dll\0cublasLt64_12.dll\0"
    (capi / "onnxruntime_providers_cuda.dll").write_bytes(provider)


def blanks_around_the_folder(c: Computer) -> None:
    c.driver()
    c.cuda()
    c.cudnn(TOOLS / "cudnn" / "bin", searched=False)
    c.path.append(f" {TOOLS}\\cudnn\\bin ")


def name_that_nobody_set(c: Computer) -> None:
    c.driver()
    c.cuda()
    c.cudnn(TOOLS / "cuda" / "bin", searched=False)
    c.path.append(r"%CUDNN_OF_NOBODY%\bin")


def ctranslate2_without_the_parts(c: Computer) -> None:
    c.driver()
    c.venv("ctranslate2", "4.6.0")
    images.put(SITE / "ctranslate2", "ctranslate2.dll", data=images.pe("4.6.0.0"))
    shutil.copy(DLLS / "cudnn-9.1.0.70.dll", SITE / "ctranslate2" / "cudnn64_9.dll")
    c.day("cudnnGraphVersionCheck:abort")


def other_programs_dlls_come_first_healthy(c: Computer) -> None:
    """PhysX brings a CUDA for 32 and 64 bits, others an older one beside their program."""
    physx = Path("C:/Program Files (x86)/NVIDIA Corporation/PhysX/Common")
    images.put(physx, "cudart32_65.dll", "PhysXCore.dll", data=images.pe("6.5.14.0", 0x14C))
    images.put(physx, "cudart64_65.dll", data=images.pe("6.5.14.0"))
    images.put(TOOLS / "render", "cudart64_110.dll", "cudart64_12.dll", "cublas64_11.dll",
               data=images.pe("6.14.11.11000"))  # fmt: skip
    c.path += [str(physx), str(TOOLS / "render")]
    c.healthy()


def archive_that_explorer_unpacked(c: Computer) -> None:
    """It makes a folder of the archive's name, and the archive holds one of that name."""
    c.driver()
    c.cuda()
    zip_name = "cudnn-windows-x86_64-9.10.2.21_cuda12-archive"
    c.cudnn(DOWNLOADED / zip_name / zip_name / "bin", searched=False)


CASES: tuple[Callable[[Computer], None], ...] = (
    healthy, healthy_in_the_toolkit, torch_whose_python_does_not_start,
    older_copy_first_that_works_healthy,
    folder_above_on_path, cuda_path_stale, part_missing, stray_copy_in_system32, zlibwapi_missing,
    file_that_is_no_library_beside_python,
    without_nvidia, driver_too_old, onnxruntime_without_cuda, blanks_around_the_folder,
    name_that_nobody_set, ctranslate2_without_the_parts,
    other_programs_dlls_come_first_healthy, archive_that_explorer_unpacked,
)  # fmt: skip


@contextlib.contextmanager
def registry(computer: Computer) -> Iterator[None]:
    """The computer's variables in the registry, and all as it was afterwards."""
    path = ";".join([USUAL, *computer.path])
    with reg.CreateKey(reg.HKEY_LOCAL_MACHINE, ENVIRONMENT) as key:
        before = reg.QueryValueEx(key, "Path")
        reg.SetValueEx(key, "Path", 0, reg.REG_EXPAND_SZ, path)
        for name, text in computer.machine.items():
            reg.SetValueEx(key, name, 0, reg.REG_SZ, text)
        try:
            yield
        finally:
            reg.SetValueEx(key, "Path", 0, before[1], before[0])
            for name in computer.machine:
                reg.DeleteValue(key, name)


def clear() -> None:
    """The drive is shared with other tests."""
    for folder in PLANTED:
        shutil.rmtree(folder, ignore_errors=True)
    BESIDE.unlink(missing_ok=True)
    for file in (SYSTEM32 / name for name in ("facts", "nvml.dll", "nvcuda.dll", "cudnn64_9.dll")):
        file.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        reg.DeleteKey(reg.HKEY_LOCAL_MACHINE, DISPLAY)


def told(computer: Computer) -> dict[str, Any]:
    """What the program says about the computer, on its own command line."""
    words = [sys.executable, "-c", CHECK, str(REPOSITORY), str(LIBRARIES)]
    done = subprocess.run(
        [*words, "check", "--json", "--offline"],
        env={**os.environ, **computer.terminal},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        said = done.stdout[:500] + done.stderr[-2000:]
        return {"said": said.decode("utf-8", "replace"), "code": done.returncode}
    found = [f"{one['severity']} {one['code']}" for one in answer["findings"]]
    return {"verdict": answer["verdict"], "findings": found, "code": done.returncode}


for plant in (one for one in CASES if one.__name__ in ASKED):
    clear()
    whole = Computer()
    try:
        plant(whole)
        with registry(whole):
            line = json.dumps({"name": plant.__name__, **told(whole)})
    finally:
        clear()
    sys.stdout.buffer.write(line.encode() + b"\n")
    sys.stdout.flush()
