"""What computers are made of: healthy GPUs, drivers, toolkits, copies of cuDNN, Pythons, tests."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from cudnn_assistant.machine import (
    SYSTEM,
    Answer,
    CudnnCopy,
    DeviceNode,
    Driver,
    Framework,
    Gpu,
    Library,
    LibraryCheck,
    Machine,
    OperatingSystem,
    Package,
    Part,
    PathEntry,
    Pin,
    PythonEnvironment,
    StageTime,
    Toolkit,
    Trial,
    Value,
    Variable,
)

T = TypeVar("T", bound=msgspec.Struct)


def but(thing: T, **changes: Any) -> T:
    """The same thing with some fields changed."""
    return msgspec.structs.replace(thing, **changes)


# GPUs and drivers

GIB = 1024**3

_GPUS = {
    "GTX 980": ("5.2", "Maxwell", "10de:13c0", 4),
    "GTX 1070": ("6.1", "Pascal", "10de:1b81", 8),
    "RTX 2080 Ti": ("7.5", "Turing", "10de:1e04", 11),
    "RTX 3060": ("8.6", "Ampere", "10de:2503", 12),
    "RTX 4070": ("8.9", "Ada", "10de:2786", 12),
    "RTX 5090": ("12.0", "Blackwell", "10de:2b85", 32),
}


def gpu(name: str = "RTX 3060", number: int = 0, **changes: Any) -> Gpu:
    compute, architecture, pci_id, size = _GPUS[name]
    family = "GTX" if name.startswith("GTX") else "RTX"
    whole = Gpu(
        uuid=f"GPU-{number}1a2b3c4-0000-1111-2222-{pci_id[-4:]}00000000",
        name=f"NVIDIA GeForce {name}" if family else name,
        pci_bus=f"0000:0{number + 1}:00.0",
        pci_id=pci_id,
        compute=compute,
        architecture=architecture,
        memory_total=size * GIB,
        memory_free=(size - 1) * GIB,
        memory_used=GIB,
        compute_mode="default",
        kernel_driver="nvidia",
        temperature=41,
        nvml_index=number,
        cuda_index=number,
        seen_by=("pci", "nvml", "cuda"),
    )
    return but(whole, **changes)


def windows_driver(version: str = "572.61", cuda: str = "12.8", **changes: Any) -> Driver:
    whole = Driver(
        version=version,
        kernel_version=version,
        cuda=cuda,
        nvml=Answer(code=0, name="NVML_SUCCESS"),
        cuda_init=Answer(code=0, name="CUDA_SUCCESS"),
        nvml_library=r"C:\Windows\System32\nvml.dll",
        cuda_library=r"C:\Windows\System32\nvcuda.dll",
    )
    return but(whole, **changes)


LIB = "/usr/lib/x86_64-linux-gnu"


def nodes(*, missing: str = "", closed: bool = False) -> tuple[DeviceNode, ...]:
    names = ("/dev/nvidiactl", "/dev/nvidia0", "/dev/nvidia-uvm")
    mode = "0660" if closed else "0666"
    return tuple(
        DeviceNode(path=n, exists=False)
        if n == missing
        else DeviceNode(path=n, exists=True, openable=not closed, mode=mode, owner="root:vglusers")
        for n in names
    )


def linux_driver(version: str = "570.133.07", cuda: str = "12.8", **changes: Any) -> Driver:
    whole = Driver(
        version=version,
        kernel_version=version,
        kernel_flavour="open",
        cuda=cuda,
        nvml=Answer(code=0, name="NVML_SUCCESS"),
        cuda_init=Answer(code=0, name="CUDA_SUCCESS"),
        nvml_library=f"{LIB}/libnvidia-ml.so.1",
        cuda_library=f"{LIB}/libcuda.so.1",
        modules=("nvidia", "nvidia_uvm", "nvidia_modeset"),
        module_on_disk=True,
        kernel_headers=True,
        nodes=nodes(),
    )
    return but(whole, **changes)


NO_ANSWER = {
    "nvml": Answer(code=9, name="NVML_ERROR_DRIVER_NOT_LOADED"),
    "cuda_init": Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
    "cuda": "",
    "modules": (),
    "kernel_version": "",
    "kernel_flavour": "",
    "nodes": (),
}
"""A driver whose kernel module isn't loaded."""

UNSEEN = {"seen_by": ("pci",), "nvml_index": None, "cuda_index": None, "kernel_driver": ""}
"""A GPU that only the bus shows."""

# CUDA

TOOLKITS = r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA"


def windows_toolkit(version: str = "12.8") -> Toolkit:
    root = rf"{TOOLKITS}\v{version}"
    below = r"bin\x64" if version.startswith("13") else "bin"
    return Toolkit(
        version=version,
        root=root,
        libraries=(rf"{root}\{below}",),
        found_via=("CUDA_PATH", "default"),
    )


def linux_toolkit(version: str = "12.8") -> Toolkit:
    root = f"/usr/local/cuda-{version}"
    return Toolkit(
        version=version,
        root=root,
        links=("/usr/local/cuda",),
        libraries=(f"{root}/targets/x86_64-linux/lib",),
        found_via=("default",),
    )


def cublas(toolkit: Toolkit, *via: str) -> tuple[Library, ...]:
    """The libraries of a toolkit that matter for cuDNN."""
    major = int(toolkit.version.split(".")[0])
    folder = toolkit.libraries[0]
    windows = "\\" in folder
    made = []
    for name in ("cublas", "cublasLt", "cudart", "nvrtc"):
        file = f"{name}64_{major}.dll" if windows else f"lib{name}.so.{major}"
        path = folder + ("\\" if windows else "/") + file
        made.append(
            Library(
                name=name,
                path=path,
                major=major,
                architecture="x86_64",
                found_via=via or ("toolkit",),
            )
        )
    return tuple(made)


# cuDNN

NINE = (
    "cudnn", "graph", "ops", "cnn", "adv", "engines_precompiled", "engines_runtime_compiled",
    "heuristic",
)  # fmt: skip
EIGHT = (
    "cudnn", "ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train",
)  # fmt: skip


def file_of(part: str, major: int, *, windows: bool) -> str:
    stem = "cudnn" if part == "cudnn" else f"cudnn_{part}"
    return f"{stem}64_{major}.dll" if windows else f"lib{stem}.so.{major}"


def copy(folder: str, version: str = "9.8.0", cuda: int | None = 12, **changes: Any) -> CudnnCopy:
    """A whole copy of cuDNN that loads well."""
    windows, major = "\\" in folder, int(version.split(".", maxsplit=1)[0])
    names = {9: NINE, 8: EIGHT}.get(major, ("cudnn",))
    silent = ("graph", "heuristic") if windows else ()
    whole = CudnnCopy(
        folder=folder,
        file=file_of("cudnn", major, windows=windows),
        major=major,
        file_version=version,
        check=LibraryCheck(status="ok", version=version, cuda=f"{cuda}.8"),
        cuda_major=cuda,
        architecture="x86_64",
        parts=tuple(
            Part(
                name=n,
                file=file_of(n, major, windows=windows),
                state="ok",
                version="" if n in silent else version,
                architecture="x86_64",
            )
            for n in names
        ),
    )
    return but(whole, **changes)


def spoiled(whole: CudnnCopy, part: str, state: str) -> CudnnCopy:
    """The copy with one part in another state."""
    parts = tuple(but(p, state=state, version="") if p.name == part else p for p in whole.parts)
    return but(whole, parts=parts, check=None)


# Settings


def entry(text: str, scope: str = "machine", variable: str = "PATH", **changes: Any) -> PathEntry:
    whole = PathEntry(variable=variable, scope=scope, text=text, folder=text, exists=True)
    return but(whole, **changes)


def variable(name: str, text: str, scope: str = "machine", **changes: Any) -> Variable:
    key = {
        "machine": r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment",
        "user": r"HKCU\Environment",
        "process": "",
    }[scope]
    return but(Variable(scope=scope, name=name, value=Value(text=text), source=key), **changes)


def shell(name: str, text: str, line: int = 121) -> Variable:
    """A variable that the person set in .bashrc."""
    return Variable(
        scope="user", name=name, value=Value(text=text), source=f"/home/kim/.bashrc:{line}"
    )


# Python


def torch(root: str, version: str = "2.9.0+cu128", **changes: Any) -> PythonEnvironment:
    """An environment whose PyTorch brings its own cuDNN."""
    windows = "\\" in root
    pin = Pin(package="nvidia-cudnn-cu12", wants="==9.10.2.21", has="9.10.2.21", satisfied=True)
    framework = Framework(
        name="torch",
        version=version.split("+", maxsplit=1)[0],
        package="torch",
        gpu=True,
        cuda="12.8",
        cudnn="9.10.2",
        cudnn_from="bundled" if windows else "wheel",
        pins=() if windows else (pin,),
        architectures=("7.0", "7.5", "8.0", "8.6", "9.0", "10.0", "12.0", "12.0+PTX"),
    )
    packages = (Package(name="torch", version=version),)
    if not windows:
        packages += (
            Package(name="nvidia-cudnn-cu12", version="9.10.2.21"),
            Package(name="nvidia-cublas-cu12", version="12.8.4.1"),
        )
    return but(python(root, framework, packages), **changes)


def python(
    root: str, framework: Framework | None, packages: tuple[Package, ...] = ()
) -> PythonEnvironment:
    windows = "\\" in root
    return PythonEnvironment(
        id=root,
        python=rf"{root}\Scripts\python.exe" if windows else f"{root}/bin/python",
        version="3.12.7",
        bits=64,
        kind="venv",
        pip=True,
        sites=(site(root),),
        packages=packages,
        frameworks=(framework,) if framework else (),
        found_via=("VIRTUAL_ENV",),
    )


def site(root: str) -> str:
    return rf"{root}\Lib\site-packages" if "\\" in root else f"{root}/lib/python3.12/site-packages"


def torch_copy(root: str, version: str = "9.10.2", **changes: Any) -> CudnnCopy:
    """The cuDNN that PyTorch brings."""
    windows = "\\" in root
    folder = rf"{site(root)}\torch\lib" if windows else f"{site(root)}/nvidia/cudnn/lib"
    owner = "torch 2.9.0" if windows else f"nvidia-cudnn-cu12 {version}.21"
    whole = copy(folder, version, found_via=("bundled" if windows else "wheel",))
    if not windows:  # wheels carry the short name only, so files say no version
        plain = tuple(but(p, version="") for p in whole.parts)
        whole = but(whole, parts=plain, file_version="", package_version=version)
    return but(whole, **{"environment": root, "owner": owner, "wins_for": (root,), **changes})


# Tests


def passed(copy_of: CudnnCopy, card: Gpu, subject: str = SYSTEM) -> Trial:
    separator = "\\" if "\\" in copy_of.folder else "/"
    files = tuple(f"{copy_of.folder}{separator}{p.file}" for p in copy_of.parts if p.state == "ok")
    return Trial(
        subject=subject,
        gpu=card.uuid,
        gpu_name=card.name,
        stage="convolution",
        status="ok",
        version=copy_of.version,
        loaded=f"{copy_of.folder}{separator}{copy_of.file}",
        mapped=files,
        memory_free=10 * GIB,
        checks=("fp32",),
        times=(
            StageTime(stage="load", milliseconds=31.0),
            StageTime(stage="handle", milliseconds=420.0),
            StageTime(stage="convolution", milliseconds=349.0),
        ),
    )


def not_found(file: str, card: Gpu, subject: str = SYSTEM) -> Trial:
    """The test that could not load a library."""
    return Trial(
        subject=subject, gpu=card.uuid, gpu_name=card.name, stage="load",
        status="missing-library", missing=file, detail=f"{file}: not found by the loader",
    )  # fmt: skip


def stopped(trial: Trial, stage: str, code: int, name: str, **changes: Any) -> Trial:
    """A test that came as far as ``stage`` and got a status there."""
    return but(
        trial,
        **{
            "stage": stage, "status": "status-code", "code": code, "code_name": name, "times": (),
            **changes,
        },
    )  # fmt: skip


WINDOWS = OperatingSystem(
    family="windows",
    name="Windows 11 Pro",
    version="10.0.26100",
    architecture="x86_64",
    desktop=True,
)
UBUNTU = OperatingSystem(
    family="linux",
    name="Ubuntu 24.04.1 LTS",
    version="6.8.0-51-generic",
    distribution=("ubuntu", "debian"),
    architecture="x86_64",
    libc="glibc 2.39",
    secure_boot=False,
    desktop=True,
)


def machine(system: OperatingSystem, **parts: Any) -> Machine:
    return Machine(
        taken_at="2026-11-20T09:30:00+00:00", tool="cudnn-assistant 0.1.0", os=system, **parts
    )
