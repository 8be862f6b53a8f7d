"""Computers for the window's tests and pictures: facts only; the real diagnosis judges them."""

from __future__ import annotations

import msgspec

from cudnn_assistant.machine import (
    Answer,
    CudnnCopy,
    Driver,
    Framework,
    Gap,
    Gpu,
    Library,
    LibraryCheck,
    Machine,
    OperatingSystem,
    Part,
    PathEntry,
    PythonEnvironment,
    StageTime,
    Toolkit,
    Trial,
    Value,
    Variable,
)

WINDOWS = OperatingSystem(
    family="windows",
    name="Windows 11 Pro",
    version="26100",
    architecture="x86_64",
    desktop=True,
)
LINUX = OperatingSystem(
    family="linux",
    name="Ubuntu 24.04.1 LTS",
    version="6.8.0-45-generic",
    distribution=("ubuntu", "debian"),
    architecture="x86_64",
    libc="glibc 2.39",
    desktop=True,
)
CUDNN = r"C:\Program Files\NVIDIA\CUDNN\v9.8"
BIN = CUDNN + r"\bin\12.8"
CUDA = r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.8"
FOLDERS = (
    r"C:\Windows\system32",
    r"C:\Windows",
    r"C:\Windows\System32\Wbem",
    CUDA + r"\bin",
    r"C:\Program Files\Git\cmd",
)
MINE = (
    r"%USERPROFILE%\AppData\Local\Microsoft\WindowsApps",
    r"C:\Users\mila\AppData\Local\Programs\Python\Python311\Scripts",
    r"C:\Users\mila\AppData\Local\Programs\Python\Python311",
    r"C:\Users\mila\AppData\Local\Programs\Microsoft VS Code\bin",
    r"C:\Users\mila\.dotnet\tools",
    CUDNN + r"\bin",
)
GPU = Gpu(
    uuid="GPU-1",
    name="NVIDIA GeForce RTX 3060",
    pci_id="10de:2504",
    compute="8.6",
    architecture="Ampere",
    memory_total=12_884_901_888,
    memory_free=11_000_000_000,
)
DRIVER = Driver(
    version="572.61",
    kernel_version="572.61",
    cuda="12.8",
    nvml=Answer(code=0, name="NVML_SUCCESS"),
    cuda_init=Answer(code=0, name="CUDA_SUCCESS"),
    nvml_library=r"C:\Windows\System32\nvml.dll",
    cuda_library=r"C:\Windows\System32\nvcuda.dll",
)
PARTS = ("", "_graph", "_ops", "_cnn", "_adv", "_engines_precompiled", "_engines_runtime_compiled")
TIMES = (
    StageTime(stage="load", milliseconds=95),
    StageTime(stage="handle", milliseconds=410),
    StageTime(stage="convolution", milliseconds=295),
)


def copy(folder: str, version: str, *wins: str, via: str = "installer") -> CudnnCopy:
    major = version.split(".", 1)[0]
    return CudnnCopy(
        folder=folder,
        file=f"cudnn64_{major}.dll",
        major=int(major),
        file_version=version,
        check=LibraryCheck(status="ok", version=version, cuda="12.8"),
        cuda_major=12,
        architecture="x86_64",
        parts=tuple(
            Part(name=f"cudnn{part}", file=f"cudnn{part}64_{major}.dll", state="ok")
            for part in PARTS
        ),
        found_via=(via,),
        wins_for=wins,
    )


def windows(
    *trials: Trial,
    cudnns: tuple[CudnnCopy, ...] = (),
    driver: Driver | None = DRIVER,
    gpus: tuple[Gpu, ...] = (GPU,),
    mine: tuple[str, ...] = MINE,
    everyone: tuple[str, ...] = FOLDERS,
    cuda_path: str = CUDA,
    pythons: tuple[PythonEnvironment, ...] = (),
    gaps: tuple[Gap, ...] = (),
    other_gpus: tuple[str, ...] = (),
) -> Machine:
    key = r"HKCU\Environment"
    search = [
        PathEntry(variable="PATH", scope=scope, text=text, folder=text, exists=True)
        for scope, texts in (("machine", everyone), ("user", mine))
        for text in texts
    ]
    return Machine(
        taken_at="2026-11-21T14:03:00Z",
        tool="cudnn-assistant 0.1.0",
        os=WINDOWS,
        driver=driver,
        gpus=gpus,
        other_gpus=other_gpus,
        toolkits=(Toolkit(version="12.8", root=CUDA, libraries=(CUDA + r"\bin",)),),
        cudnns=cudnns,
        libraries=(
            Library(name="cudart", path=CUDA + r"\bin\cudart64_12.dll", major=12),
            Library(name="cublas", path=CUDA + r"\bin\cublas64_12.dll", major=12),
            Library(name="cublasLt", path=CUDA + r"\bin\cublasLt64_12.dll", major=12),
        ),
        variables=(
            Variable(
                scope="machine",
                name="Path",
                value=Value(text=";".join(everyone), expand=True),
                source=r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment",
            ),
            Variable(
                scope="user", name="Path", value=Value(text=";".join(mine), expand=True), source=key
            ),
            Variable(
                scope="machine",
                name="CUDA_PATH",
                value=Value(text=cuda_path),
                source=r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment",
            ),
        ),
        search=tuple(search),
        pythons=pythons,
        trials=trials,
        gaps=gaps,
    )


def passed(version: str = "9.8.0", folder: str = BIN) -> Trial:
    return Trial(
        subject="system",
        gpu="GPU-1",
        gpu_name="NVIDIA GeForce RTX 3060",
        stage="convolution",
        status="ok",
        version=version,
        loaded=folder + r"\cudnn64_9.dll",
        mapped=(folder + r"\cudnn64_9.dll", folder + r"\cudnn_graph64_9.dll"),
        memory_free=11_000_000_000,
        checks=("fp32", "fp16", "fp32 backward data"),
        times=TIMES,
    )


def not_found(name: str = "cudnn64_9.dll") -> Trial:
    return Trial(
        subject="system",
        gpu="GPU-1",
        gpu_name="NVIDIA GeForce RTX 3060",
        stage="load",
        status="missing-library",
        code=126,
        missing=name,
        detail="The specified module could not be found.",
    )


def works() -> Machine:
    """Everything in order, PATH included."""
    return windows(
        passed(), cudnns=(copy(BIN, "9.8.0", "system", via="PATH"),), mine=(BIN, *MINE[:-1])
    )


def parent_folder() -> Machine:
    """What NVIDIA's installer leaves: PATH names the folder above the one with the DLLs."""
    return windows(not_found(), cudnns=(copy(BIN, "9.8.0"),))


def stale_and_parent() -> Machine:
    """The same, and a CUDA_PATH that names a folder that is gone: a second change."""
    gone = r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.8"
    return windows(not_found(), cudnns=(copy(BIN, "9.8.0"),), cuda_path=gone)


def old_driver() -> Machine:
    """CUDA 13's cuDNN with a driver for CUDA 12.4, on a server: only NVIDIA's page has its file."""
    driver = Driver(
        version="551.61",
        kernel_version="551.61",
        cuda="12.4",
        nvml=Answer(code=0, name="NVML_SUCCESS"),
        cuda_init=Answer(code=0, name="CUDA_SUCCESS"),
        nvml_library=r"C:\Windows\System32\nvml.dll",
    )
    folder = r"C:\Program Files\NVIDIA\CUDNN\v9.12\bin\13.0"
    there = copy(folder, "9.12.0", "system", via="PATH")
    there = CudnnCopy(
        folder=folder,
        file=there.file,
        major=9,
        file_version="9.12.0",
        check=LibraryCheck(status="ok", version="9.12.0", cuda="13.0"),
        cuda_major=13,
        architecture="x86_64",
        parts=there.parts,
        found_via=("PATH",),
        wins_for=("system",),
    )
    trial = Trial(
        subject="system",
        gpu="GPU-1",
        gpu_name=GPU.name,
        stage="handle",
        status="status-code",
        code=1001,
        code_name="CUDNN_STATUS_NOT_INITIALIZED",
        version="9.12.0",
        loaded=folder + r"\cudnn64_9.dll",
    )
    here = windows(trial, cudnns=(there,), driver=driver, mine=(folder, *MINE[:-1]))
    server = msgspec.structs.replace(here.os, name="Windows Server 2022 Datacenter")
    return msgspec.structs.replace(here, os=server)


def no_driver() -> Machine:
    """Windows with its own basic display driver."""
    return windows(
        Trial(subject="system", stage="driver", status="no-gpu"),
        driver=None,
        gpus=(Gpu(name="NVIDIA GeForce RTX 3060", pci_id="10de:2504", compute="8.6"),),
    )


def no_driver_on_a_server() -> Machine:
    """Of which NVIDIA's page alone tells the right file."""
    here = no_driver()
    gpu = Gpu(name="Tesla T4", pci_id="10de:1eb8", compute="7.5")
    return msgspec.structs.replace(here, gpus=(gpu,))


def no_driver_on_ubuntu() -> Machine:
    """Ubuntu with a GPU and no driver for it."""
    return Machine(
        os=LINUX,
        gpus=(
            Gpu(
                name="NVIDIA GeForce RTX 3060",
                pci_id="10de:2504",
                pci_bus="0000:01:00.0",
                compute="8.6",
            ),
        ),
        trials=(Trial(subject="system", stage="driver", status="no-driver"),),
    )


def not_loaded() -> Machine:
    """The same after its installer, before the restart."""
    driver = Driver(version="580.95.05", module_on_disk=True, kernel_headers=True)
    return msgspec.structs.replace(no_driver_on_ubuntu(), driver=driver)


def mismatch() -> Machine:
    """Linux after an update without a restart: NVML answers 18."""
    return Machine(
        os=LINUX,
        driver=Driver(
            version="580.95.05",
            kernel_version="580.65.06",
            nvml=Answer(code=18, name="NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
            cuda_init=Answer(code=803, name="CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
            nvml_library="/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1",
            cuda_library="/usr/lib/x86_64-linux-gnu/libcuda.so.1",
            modules=("nvidia", "nvidia_uvm"),
        ),
        gpus=(Gpu(pci_id="10de:2504", pci_bus="0000:01:00.0"),),
        trials=(Trial(subject="system", stage="driver", status="no-gpu", code=803),),
    )


def no_gpu() -> Machine:
    """No NVIDIA hardware at all."""
    return Machine(os=WINDOWS, other_gpus=("Intel UHD Graphics 630",))


def unexplained() -> Machine:
    """All looks right, yet the test stops while the handle is created."""
    trial = Trial(
        subject="system",
        gpu="GPU-1",
        gpu_name=GPU.name,
        stage="handle",
        status="status-code",
        code=4000,
        code_name="CUDNN_STATUS_INTERNAL_ERROR",
        version="9.8.0",
        loaded=BIN + r"\cudnn64_9.dll",
        memory_free=11_000_000_000,
    )
    return windows(
        trial, cudnns=(copy(BIN, "9.8.0", "system", via="PATH"),), mine=(BIN, *MINE[:-1])
    )


def unreadable() -> Machine:
    """Nothing could be read about the GPU."""
    return Machine(os=WINDOWS, gaps=(Gap(what="gpu", why="NVML did not answer"),))


def pythons() -> Machine:
    """A healthy system, and two environments that bring their own cuDNN."""
    found = tuple(
        PythonEnvironment(
            id=place,
            python=place + r"\Scripts\python.exe",
            version="3.11.9",
            bits=64,
            kind="venv",
            frameworks=(
                Framework(
                    name=name,
                    version=version,
                    gpu=True,
                    cuda="12.8",
                    cudnn="9",
                    cudnn_from="bundled",
                ),
            ),
        )
        for name, version, place in (
            ("torch", "2.9.0", r"C:\ai\venv"),
            ("onnxruntime", "1.23.0", r"C:\Users\mila\projects\speech-recognition\.venv"),
        )
    )
    tests = [msgspec.structs.replace(passed(), subject=one.id, version="9.10.2") for one in found]
    return windows(
        passed(),
        *tests,
        cudnns=(copy(BIN, "9.8.0", "system", via="PATH"),),
        mine=(BIN, *MINE[:-1]),
        pythons=found,
    )


def torch_pin() -> Machine:
    """A healthy system and a Python environment whose PyTorch is built for the CPU only."""
    env = PythonEnvironment(
        id=r"C:\ai\venv",
        python=r"C:\ai\venv\Scripts\python.exe",
        version="3.11.9",
        bits=64,
        kind="venv",
        frameworks=(Framework(name="torch", version="2.5.1+cpu", package="torch", gpu=False),),
    )
    return windows(
        passed(),
        cudnns=(copy(BIN, "9.8.0", "system", via="PATH"),),
        mine=(BIN, *MINE[:-1]),
        pythons=(env,),
    )
