"""Linux: drivers, libraries and settings."""

from __future__ import annotations

from machines.case import case
from machines.parts import (
    GIB,
    LIB,
    NO_ANSWER,
    UBUNTU,
    UNSEEN,
    but,
    copy,
    cublas,
    entry,
    gpu,
    linux_driver,
    linux_toolkit,
    machine,
    nodes,
    not_found,
    passed,
    python,
    shell,
    spoiled,
    stopped,
    torch,
    torch_copy,
    variable,
)
from machines.windows import OUT, PASCAL

from cudnn_assistant.machine import (
    SYSTEM,
    Answer,
    Framework,
    GpuProcess,
    Library,
    LibraryCheck,
    Package,
    SwitchedOff,
    Trial,
)

ADA = gpu("RTX 4070")
LKIT = linux_toolkit("12.8")
DEB = copy(
    LIB,
    "9.8.0",
    found_via=("system-folder", "ld-cache"),
    owner="libcudnn9-cuda-12 9.8.0.87-1",
    wins_for=(SYSTEM,),
)
CONF = entry(LKIT.libraries[0], variable="ld.so.conf", source="/etc/ld.so.conf.d/cuda-12-8.conf")
DEFAULT = entry(LIB, variable="default")
LBLAS = cublas(LKIT, "ld.so.conf", "ld-cache")
HOME = "/home/kim"

BARE_LINUX = machine(
    UBUNTU,
    driver=linux_driver(),
    gpus=(ADA,),
    other_gpus=("AMD Raphael",),
    toolkits=(LKIT,),
    libraries=LBLAS,
    variables=(shell("CUDA_HOME", "/usr/local/cuda", 119),),
    search=(CONF, DEFAULT),
)
MISSING = not_found("libcudnn.so.9", ADA)
BY_UBUNTU = Library(
    name="cuda", path=f"{LIB}/libcuda.so.1", major=1, version="570.133.07",
    architecture="x86_64", found_via=("ld-cache",), owner="libnvidia-compute-570 570.133.07",
)  # fmt: skip
PACKAGED_LINUX = but(BARE_LINUX, libraries=(*LBLAS, BY_UBUNTU))
"""Its driver is a package of the distribution's."""

HEALTHY_LINUX = case(
    "linux-healthy", "works", but(BARE_LINUX, cudnns=(DEB,), trials=(passed(DEB, ADA),))
)
case(
    "linux-driver-610-healthy",
    "works",
    but(HEALTHY_LINUX, driver=linux_driver("610.43.02", "13.4")),
)
case("linux-cudnn-missing", "broken", but(BARE_LINUX, trials=(MISSING,)), "error cudnn-missing")
UNPACKED = copy(
    f"{HOME}/cudnn-linux-x86_64-9.8.0_cuda12-archive/lib", "9.8.0", found_via=("CUDNN_PATH",)
)
case(
    "linux-cudnn-not-on-path",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(UNPACKED,),
        trials=(MISSING,),
        variables=(
            *BARE_LINUX.variables,
            shell("CUDNN_PATH", f"{HOME}/cudnn-linux-x86_64-9.8.0_cuda12-archive"),
        ),
    ),
    "error cudnn-not-on-path",
)
LVENV = f"{HOME}/ai/venv"
LTORCH = torch(LVENV)
LOWN = torch_copy(LVENV)
NEED9 = python(
    f"{HOME}/scan/venv",
    Framework(
        name="onnxruntime",
        version="1.22.0",
        package="onnxruntime-gpu",
        gpu=True,
        cuda="12.8",
        cudnn="9",
        cudnn_from="system",
    ),
    (Package(name="onnxruntime-gpu", version="1.22.0"),),
)
case(
    "linux-cudnn-not-on-path-beside-torch",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(UNPACKED, LOWN),
        pythons=(LTORCH, NEED9),
        trials=(MISSING, passed(LOWN, ADA, LVENV)),
    ),
    "error cudnn-not-on-path",
)
LATE = copy("/opt/cudnn/lib", "9.8.0", found_via=("LD_LIBRARY_PATH",))
EARLY = copy("/opt/old/lib", "9.1.0", found_via=("LD_LIBRARY_PATH",), wins_for=(SYSTEM,))
LISTED = {"variable": "LD_LIBRARY_PATH", "scope": "user", "source": f"{HOME}/.bashrc:120"}
case(
    "linux-older-cudnn-first",
    "broken",
    but(
        BARE_LINUX,
        cudnns=(EARLY, LATE),
        search=(entry("/opt/old/lib", **LISTED), entry("/opt/cudnn/lib", **LISTED), CONF, DEFAULT),
        trials=(
            stopped(
                passed(EARLY, ADA), "sublibraries", 1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
            ),
        ),
    ),
    "error older-cudnn-first",
)
case(
    "linux-cudnn-damaged",
    "broken",
    but(
        HEALTHY_LINUX,
        cudnns=(spoiled(DEB, "ops", "truncated"),),
        trials=(
            Trial(
                subject=SYSTEM,
                gpu=ADA.uuid,
                gpu_name=ADA.name,
                stage="sublibraries",
                status="crashed",
                code=-7,
                code_name="SIGBUS",
                loaded=f"{LIB}/libcudnn.so.9",
            ),
        ),
    ),
    "error cudnn-damaged",
)
case(
    "linux-cudnn-unreadable",
    "broken",
    but(
        HEALTHY_LINUX,
        cudnns=(spoiled(DEB, "cnn", "unreadable"),),
        trials=(
            but(
                MISSING,
                stage="sublibraries",
                missing="libcudnn_cnn.so.9",
                detail="Permission denied",
            ),
        ),
    ),
    "error cudnn-unreadable",
)
MIX = but(
    DEB,
    parts=tuple(but(p, version="9.1.0") if p.name == "cnn" else p for p in DEB.parts),
    check=LibraryCheck(
        status="status-code",
        version="9.8.0",
        code=1002,
        detail="cuDNN sublibrary version mismatch: component cudnn_cnn version 9.1.0",
    ),
)
case(
    "linux-cudnn-mixed-versions",
    "broken",
    but(
        HEALTHY_LINUX,
        cudnns=(MIX,),
        trials=(
            stopped(
                passed(DEB, ADA), "sublibraries", 1002, "CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH"
            ),
        ),
    ),
    "error cudnn-mixed-versions",
)
ARM = copy(LIB, "9.8.0", architecture="aarch64", found_via=("system-folder",), check=None)
case(
    "linux-cudnn-wrong-architecture",
    "broken",
    but(HEALTHY_LINUX, cudnns=(ARM,), trials=(but(MISSING, detail="wrong ELF class"),)),
    "error cudnn-wrong-architecture",
)
case(
    "linux-header-differs",
    "works",
    but(HEALTHY_LINUX, cudnns=(but(DEB, header_version="8.9.7"),)),
    "info cudnn-header-differs",
)
JIT = copy(f"{HOME}/jit/lib", "9.27.0", flavour="jit", found_via=("added",))
case(
    "linux-cudnn-jit-only",
    "broken",
    but(BARE_LINUX, cudnns=(JIT,), trials=(MISSING,)),
    "error cudnn-jit-only",
)

GSP_MISSING = (
    "NVRM: The NVIDIA GPU is not supported by open nvidia.ko because it does not include"
    " the required GPU System Processor (GSP)."
)
NO_MODULE = linux_driver(**NO_ANSWER)
SEEN = but(ADA, **UNSEEN)
case(
    "linux-driver-missing",
    "broken",
    but(BARE_LINUX, driver=None, gpus=(SEEN,)),
    "error driver-missing",
)
case(
    "linux-driver-missing-nouveau-bound",
    "broken",
    but(
        BARE_LINUX,
        driver=linux_driver(
            **NO_ANSWER | {"modules": ("nouveau",)},
            version="",
            nvml_library="",
            cuda_library="",
            module_on_disk=False,
        ),
        gpus=(but(SEEN, kernel_driver="nouveau"),),
    ),
    "error driver-missing",
)
case(
    "linux-nouveau-active",
    "broken",
    but(
        BARE_LINUX,
        driver=but(NO_MODULE, modules=("nouveau",)),
        gpus=(but(SEEN, kernel_driver="nouveau"),),
    ),
    "error nouveau-active",
)
case(
    "linux-gpu-kept-for-vm",
    "broken",
    but(BARE_LINUX, driver=NO_MODULE, gpus=(but(SEEN, kernel_driver="vfio-pci"),)),
    "error gpu-kept-for-vm",
)
case(
    "linux-module-not-built",
    "broken",
    but(
        BARE_LINUX, driver=but(NO_MODULE, module_on_disk=False, kernel_headers=False), gpus=(SEEN,)
    ),
    "error driver-module-not-built",
)
case(
    "linux-kernel-updated-under-a-running-one",
    "broken",
    but(
        BARE_LINUX,
        driver=but(NO_MODULE, module_on_disk=False, kernel_replaced=True),
        gpus=(SEEN,),
    ),
    "error driver-restart-pending",
)
UNSIGNED = case(
    "linux-secure-boot",
    "broken",
    but(
        BARE_LINUX,
        os=but(UBUNTU, secure_boot=True),
        gpus=(SEEN,),
        driver=but(NO_MODULE, log=("Loading of module with unavailable key is rejected",)),
    ),
    "error secure-boot-blocks-driver",
)
for name in ("debian", "fedora"):
    case(
        f"{name}-secure-boot",
        "broken",
        but(UNSIGNED, os=but(UNSIGNED.os, distribution=(name,))),
        "error secure-boot-blocks-driver",
    )
case(
    "linux-module-not-loaded",
    "broken",
    but(BARE_LINUX, driver=NO_MODULE, gpus=(SEEN,)),
    "error driver-module-not-loaded",
)
TAINTED = (
    "nvidia: module verification failed: signature and/or required key missing - tainting kernel"
)
case(
    "linux-module-that-was-let-in-unsigned-not-loaded",
    "broken",
    but(BARE_LINUX, driver=but(NO_MODULE, log=(TAINTED,)), gpus=(SEEN,)),
    "error driver-module-not-loaded",
)
INTEL_MODE = SwitchedOff(tool="prime-select", file="/etc/prime-discrete", line="off")
case(
    "linux-gpu-switched-off-by-prime-select",
    "broken",
    but(BARE_LINUX, driver=NO_MODULE, gpus=(SEEN,), switched_off=INTEL_MODE),
    "error gpu-switched-off",
)
case(
    "linux-gpu-switched-off-and-driver-taken-out",
    "broken",
    but(BARE_LINUX, driver=None, gpus=(SEEN,), switched_off=INTEL_MODE),
    "error driver-missing",
)
case(
    "linux-gpu-taken-off-the-bus-by-envycontrol",
    "broken",
    but(
        BARE_LINUX,
        driver=NO_MODULE,
        gpus=(),
        switched_off=SwitchedOff(
            tool="envycontrol",
            file="/etc/udev/rules.d/50-remove-nvidia.rules",
            line='ACTION=="add", SUBSYSTEM=="pci", ATTR{vendor}=="0x10de",'
            ' ATTR{class}=="0x03[0-9]*", ATTR{power/control}="auto", ATTR{remove}="1"',
        ),
    ),
    "error gpu-switched-off",
)
BLACKLISTED = SwitchedOff(file="/etc/modprobe.d/kim.conf", line="blacklist nvidia")
case(
    "linux-driver-blacklisted-by-hand",
    "broken",
    but(BARE_LINUX, driver=NO_MODULE, gpus=(SEEN,), switched_off=BLACKLISTED),
    "error gpu-switched-off",
)
case(
    "linux-gpu-kept-for-vm-and-blacklisted",
    "broken",
    but(
        BARE_LINUX,
        driver=NO_MODULE,
        gpus=(but(SEEN, kernel_driver="vfio-pci"),),
        switched_off=BLACKLISTED,
    ),
    "error gpu-kept-for-vm",
)
case("linux-blacklisted-and-running-healthy", "works", but(HEALTHY_LINUX, switched_off=BLACKLISTED))
FEDORA = but(
    UBUNTU,
    name="Fedora Linux 42",
    version="6.15.9-201.fc42.x86_64",
    distribution=("fedora",),
    libc="glibc 2.41",
)
case(
    "fedora-driver-missing",
    "broken",
    but(BARE_LINUX, os=FEDORA, driver=None, gpus=(but(SEEN, kernel_driver="nouveau"),)),
    "error driver-missing",
)
for name, kernel, ids, card in (
    ("debian", "6.12.41+deb13-amd64", ("debian",), ADA),
    ("rocky", "5.14.0-570.el9_6.x86_64", ("rocky", "rhel", "centos", "fedora"), ADA),
    ("manjaro", "6.12.48-1-MANJARO", ("manjaro", "arch"), ADA),
    ("arch-and-pascal", "6.17.1-arch1-1", ("arch",), PASCAL),
    ("opensuse", "6.4.0-150600.23.60-default", ("opensuse-leap", "suse", "opensuse"), ADA),
    ("gentoo", "6.12.47-gentoo", ("gentoo",), ADA),
):
    case(
        f"{name}-driver-missing",
        "broken",
        but(
            BARE_LINUX,
            os=but(UBUNTU, name=name.title(), version=kernel, distribution=ids),
            driver=None,
            gpus=(but(card, **UNSEEN),),
        ),
        "error driver-missing",
    )
TOO_NEW = Answer(code=804, name="CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE")
UPDATED = case(
    "linux-driver-library-mismatch",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(SEEN,),
        trials=(
            Trial(
                subject=SYSTEM,
                stage="driver",
                status="status-code",
                code=803,
                code_name="CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
            ),
        ),
        driver=linux_driver(
            "570.153.02",
            kernel_version="570.133.07",
            cuda="",
            nvml=Answer(code=18, name="NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
            cuda_init=Answer(code=803, name="CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        ),
    ),
    "error driver-library-mismatch",
)
case(
    "linux-driver-library-much-newer",
    "broken",
    but(
        UPDATED,
        driver=but(UPDATED.driver, version="580.95.05", cuda_init=TOO_NEW),
        trials=(but(UPDATED.trials[0], code=TOO_NEW.code, code_name=TOO_NEW.name),),
    ),
    "error driver-library-mismatch",
)
STUBS = "/usr/local/cuda-12.8/lib64/stubs"
STUB_ENTRY = entry(STUBS, variable="LD_LIBRARY_PATH", scope="user", source=f"{HOME}/.bashrc:118")
case(
    "linux-stub-library-loaded",
    "broken",
    but(
        HEALTHY_LINUX,
        driver=linux_driver(
            cuda="",
            cuda_init=Answer(code=34, name="CUDA_ERROR_STUB_LIBRARY"),
            cuda_library=f"{STUBS}/libcuda.so.1",
        ),
        gpus=(but(ADA, cuda_index=None),),
        search=(STUB_ENTRY, CONF, DEFAULT),
        trials=(
            Trial(
                subject=SYSTEM,
                stage="driver",
                status="status-code",
                code=34,
                code_name="CUDA_ERROR_STUB_LIBRARY",
            ),
        ),
    ),
    "error stub-library-loaded",
)
case(
    "linux-stub-folder-searched",
    "works",
    but(HEALTHY_LINUX, search=(STUB_ENTRY, CONF, DEFAULT)),
    "warning stub-folder-searched",
)
COMPAT = "/usr/local/cuda-12.8/compat"
BY_COMPAT = case(
    "linux-compat-library-used",
    "broken",
    but(
        HEALTHY_LINUX,
        driver=linux_driver(
            "550.54.15",
            cuda="12.8",
            cuda_init=TOO_NEW,
            cuda_library=f"{COMPAT}/libcuda.so.1",
        ),
        gpus=(but(ADA, cuda_index=None),),
        search=(
            entry(COMPAT, variable="LD_LIBRARY_PATH", scope="user", source=f"{HOME}/.bashrc:118"),
            CONF,
            DEFAULT,
        ),
        trials=(
            Trial(
                subject=SYSTEM,
                stage="driver",
                status="status-code",
                code=804,
                code_name="CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
            ),
        ),
    ),
    "error compat-library-used",
)
case(
    "linux-compat-library-of-an-environment",
    "broken",
    but(
        BY_COMPAT,
        driver=but(BY_COMPAT.driver, cuda_library=f"{HOME}/conda/cuda-compat/libcuda.so.1"),
        search=(CONF, DEFAULT),
    ),
    "error compat-library-used",
)
case(
    "linux-compat-library-healthy",
    "works",
    but(
        HEALTHY_LINUX,
        driver=linux_driver("550.54.15", cuda="12.8", cuda_library=f"{COMPAT}/libcuda.so.1"),
    ),
)
case(
    "linux-device-permission",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(SEEN,),
        trials=(),
        driver=linux_driver(
            cuda="",
            nodes=nodes(closed=True),
            nvml=Answer(code=4, name="NVML_ERROR_NO_PERMISSION"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
    ),
    "error device-permission",
)
case(
    "linux-uvm-missing",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, cuda_index=None),),
        trials=(),
        driver=linux_driver(
            cuda_init=Answer(code=999, name="CUDA_ERROR_UNKNOWN"),
            modules=("nvidia",),
            nodes=nodes(missing="/dev/nvidia-uvm"),
        ),
    ),
    "error uvm-missing",
)
case(
    "linux-after-sleep",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, cuda_index=None),),
        trials=(),
        driver=linux_driver(
            cuda_init=Answer(code=999, name="CUDA_ERROR_UNKNOWN"), log=("PM: suspend exit",)
        ),
    ),
    "error cuda-stopped-after-sleep",
)
case(
    "linux-fabric-manager",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, cuda_index=None),),
        libraries=PACKAGED_LINUX.libraries,
        trials=(),
        driver=linux_driver(cuda_init=Answer(code=802, name="CUDA_ERROR_SYSTEM_NOT_READY")),
    ),
    "error fabric-manager-missing",
)
case(
    "linux-compute-mode-exclusive",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(
            but(
                ADA,
                compute_mode="exclusive-process",
                processes=(GpuProcess(pid=4711, name="python3", memory=2 * GIB),),
            ),
        ),
        trials=(stopped(passed(DEB, ADA), "context", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),),
    ),
    "error compute-mode-exclusive",
)
case(
    "linux-compute-mode-exclusive-healthy",
    "works",
    but(HEALTHY_LINUX, gpus=(but(ADA, compute_mode="exclusive-process"),)),
)
LOUT = but(OUT, gpu=ADA.uuid, gpu_name=ADA.name, loaded=f"{LIB}/libcudnn.so.9")
case(
    "linux-gpu-memory-taken",
    "broken",
    but(
        HEALTHY_LINUX,
        trials=(LOUT,),
        gpus=(
            but(
                ADA,
                memory_free=90 * 1024**2,
                processes=(
                    GpuProcess(pid=9001, name="python3", memory=11 * GIB),
                    GpuProcess(pid=812, name="Xorg", memory=200 * 1024**2, kind="graphics"),
                ),
            ),
        ),
    ),
    "error gpu-memory-taken",
)
case(
    "linux-gpu-memory-held",
    "broken",
    but(HEALTHY_LINUX, trials=(LOUT,), gpus=(but(ADA, memory_free=90 * 1024**2),)),
    "error gpu-memory-held",
)
TINY = but(
    ADA, name="NVIDIA GeForce MX 110", compute="5.0", memory_total=GIB, memory_free=300 * 1024**2
)
case(
    "linux-gpu-memory-small",
    "broken",
    but(HEALTHY_LINUX, gpus=(TINY,), trials=(LOUT,)),
    "error gpu-memory-small",
)
case(
    "linux-gpu-hidden-in-bashrc",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, cuda_index=None),),
        trials=(
            Trial(
                subject=SYSTEM,
                stage="driver",
                status="no-gpu",
                code=100,
                code_name="CUDA_ERROR_NO_DEVICE",
            ),
        ),
        driver=linux_driver(cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE")),
        variables=(*BARE_LINUX.variables, shell("CUDA_VISIBLE_DEVICES", "3", 130)),
    ),
    "error gpu-hidden",
)
case(
    "linux-mig-without-parts",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, name="NVIDIA A100-SXM4-40GB", compute="8.0", mig=True, cuda_index=None),),
        trials=(),
        driver=linux_driver(cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE")),
    ),
    "error mig-without-parts",
)
case(
    "linux-vgpu-licence",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(ADA, name="NVIDIA A10-12Q", compute="8.6", virtualization="vgpu"),),
        trials=(stopped(passed(DEB, ADA), "context", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),),
    ),
    "error vgpu-licence",
)
case(
    "linux-gpu-fell-off",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(but(SEEN, xids=(79,)),),
        trials=(),
        driver=linux_driver(
            nvml=Answer(code=15, name="NVML_ERROR_GPU_IS_LOST"),
            cuda_init=Answer(code=999, name="CUDA_ERROR_UNKNOWN"),
            log=("NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.",),
        ),
    ),
    "error gpu-lost",
)
case(
    "linux-gpu-needs-open-module",
    "broken",
    but(
        PACKAGED_LINUX,
        gpus=(but(gpu("RTX 5090"), **UNSEEN),),
        driver=linux_driver(
            **{
                **NO_ANSWER,
                "modules": ("nvidia",),
                "kernel_version": "570.133.07",
                "kernel_flavour": "proprietary",
            },
            log=("NVRM: installed in this system requires use of the NVIDIA open kernel modules.",),
        ),
    ),
    "error gpu-needs-open-module",
)
case(
    "linux-gpu-needs-closed-module",
    "broken",
    but(
        PACKAGED_LINUX,
        gpus=(but(PASCAL, **UNSEEN),),
        driver=linux_driver(
            **{**NO_ANSWER, "modules": ("nvidia",), "kernel_version": "570.133.07"},
            log=(GSP_MISSING,),
        ),
    ),
    "error gpu-needs-closed-module",
)
case(
    "linux-gpu-dropped-by-driver",
    "broken",
    but(
        PACKAGED_LINUX,
        gpus=(but(PASCAL, **UNSEEN),),
        driver=linux_driver(
            "595.45.04", **{**NO_ANSWER, "modules": ("nvidia",), "kernel_version": "595.45.04"}
        ),
    ),
    "error gpu-dropped-by-driver",
)
case(
    "linux-driver-older-than-gpu",
    "broken",
    but(
        PACKAGED_LINUX,
        gpus=(but(gpu("RTX 5090"), **UNSEEN),),
        driver=linux_driver("550.163.01", **NO_ANSWER),
    ),
    "error driver-too-old-for-gpu",
)
case(
    "linux-rm-init-adapter",
    "broken",
    but(
        BARE_LINUX,
        gpus=(SEEN,),
        driver=linux_driver(
            **{**NO_ANSWER, "modules": ("nvidia",), "kernel_version": "570.133.07"},
            log=("NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:762)",),
        ),
    ),
    "error gpu-does-not-start",
)
case(
    "linux-ecc-pending",
    "works",
    but(HEALTHY_LINUX, gpus=(but(ADA, ecc=True, ecc_uncorrected=2, remap_pending=True),)),
    "warning gpu-memory-needs-restart",
)
case(
    "linux-ecc-failed",
    "broken",
    but(
        HEALTHY_LINUX, gpus=(but(ADA, ecc=True, ecc_uncorrected=31, remap_failed=True),), trials=()
    ),
    "error gpu-memory-faulty",
)
case(
    "linux-empty-search-entry",
    "works",
    but(
        HEALTHY_LINUX,
        variables=(*BARE_LINUX.variables, shell("LD_LIBRARY_PATH", ":/opt/x/lib", 122)),
    ),
    "info empty-search-entry",
)
case(
    "linux-leaked-library-folder",
    "works",
    but(
        HEALTHY_LINUX,
        variables=(
            *BARE_LINUX.variables,
            variable("LD_LIBRARY_PATH", "/tmp/_MEIab12cd", "process"),
        ),
    ),
    "warning leaked-library-folder",
)
case(
    "linux-cuda-home-stale",
    "works",
    but(
        HEALTHY_LINUX,
        variables=(but(shell("CUDA_HOME", "/usr/local/cuda-11.8", 119), exists=False),),
    ),
    "warning cuda-home-stale",
)
case(
    "linux-cuda-home-leading-colon",
    "works",
    but(HEALTHY_LINUX, variables=(shell("CUDA_HOME", ":/usr/local/cuda", 119),)),
    "warning cuda-home-malformed",
)
LKIT13 = but(linux_toolkit("13.0"), links=())
case(
    "linux-cuda-paths-disagree",
    "works",
    but(
        HEALTHY_LINUX,
        toolkits=(LKIT, LKIT13),
        variables=(*BARE_LINUX.variables, shell("CUDA_PATH", LKIT13.root)),
    ),
    "warning cuda-paths-disagree",
)
case(
    "linux-cuda-link-healthy",
    "works",
    but(HEALTHY_LINUX, variables=(*BARE_LINUX.variables, shell("CUDA_PATH", "/usr/local/cuda/"))),
)
case(
    "linux-two-cudarts-healthy",
    "works",
    but(HEALTHY_LINUX, toolkits=(LKIT, LKIT13), libraries=(*LBLAS, *cublas(LKIT13))),
)
case(
    "linux-cuda-not-on-path",
    "broken",
    but(
        HEALTHY_LINUX,
        libraries=cublas(LKIT),
        search=(DEFAULT,),
        trials=(but(MISSING, stage="convolution", missing="libcublasLt.so.12"),),
    ),
    "error cuda-not-on-path",
)
case(
    "linux-old-c-library",
    "broken",
    but(
        HEALTHY_LINUX,
        os=but(UBUNTU, name="CentOS Linux 7", libc="glibc 2.17", distribution=("centos", "rhel")),
        trials=(
            but(
                MISSING,
                status="status-code",
                missing="",
                detail="/lib64/libc.so.6: version `GLIBC_2.27' not found",
            ),
        ),
    ),
    "error c-library-too-old",
)
case(
    "alpine",
    "broken",
    but(
        BARE_LINUX,
        os=but(UBUNTU, name="Alpine Linux v3.20", libc="musl", distribution=("alpine",)),
        cudnns=(DEB,),
        trials=(but(MISSING, missing=""),),
    ),
    "error musl-system",
)
case(
    "alpine-without-cudnn",
    "broken",
    but(
        BARE_LINUX,
        os=but(UBUNTU, name="Alpine Linux v3.20", libc="musl", distribution=("alpine",)),
        trials=(MISSING,),
    ),
    "error musl-system",
)
case(
    "linux-zlib-missing",
    "broken",
    but(HEALTHY_LINUX, trials=(but(MISSING, missing="libz.so.1"),)),
    "error zlib-missing",
)
case(
    "linux-other-library-missing",
    "broken",
    but(HEALTHY_LINUX, trials=(but(MISSING, missing="libfoo.so.3"),)),
    "error library-missing",
)
case(
    "linux-illegal-instruction",
    "broken",
    but(HEALTHY_LINUX, trials=(stopped(passed(DEB, ADA), "load", -4, "SIGILL", status="crashed"),)),
    "error cpu-too-old",
)
