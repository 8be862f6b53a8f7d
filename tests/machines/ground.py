"""Odd ground on Linux: containers of every kind, jobs, and drivers of which a part is there."""

from __future__ import annotations

from machines.case import case
from machines.elsewhere import DOCKER, WSL, WSL_DRIVER
from machines.linux import ADA, BARE_LINUX, HEALTHY_LINUX, NO_MODULE, SEEN, UNSIGNED
from machines.parts import UBUNTU, UNSEEN, but, gpu, linux_driver, nodes, variable
from machines.unusual import JOB, NO_DXG, NO_GPU

from cudnn_assistant.machine import Answer, DeviceNode, SwitchedOff

NO_DEVICE = Answer(code=100, name="CUDA_ERROR_NO_DEVICE")
UNKNOWN = Answer(code=999, name="CUDA_ERROR_UNKNOWN")
NOT_LISTED = but(ADA, **UNSEEN | {"kernel_driver": "nvidia"})
UNTRIED = {"trials": (NO_GPU,)}

# Jobs: what Slurm does not give, NVML does not list.

case(
    "slurm-job-whose-driver-lists-no-gpu",
    "broken",
    but(
        HEALTHY_LINUX, **UNTRIED, gpus=(NOT_LISTED,), variables=(JOB,),
        driver=linux_driver(cuda_init=NO_DEVICE),
    ),
    "error job-without-gpu",
)  # fmt: skip
TWO = (but(ADA, cuda_index=None), but(gpu("RTX 2080 Ti", 1), **UNSEEN))
"""What a job or container sees that was given the first: both are on the bus."""
case(
    "htcondor-job-without-gpu",
    "broken",
    but(
        HEALTHY_LINUX, **UNTRIED, gpus=TWO[:1], driver=linux_driver(cuda_init=NO_DEVICE),
        variables=(
            variable("_CONDOR_SLOT", "slot1_2", "process"),
            variable("CUDA_VISIBLE_DEVICES", "10000", "process"),
        ),
    ),
    "error job-without-gpu",
)  # fmt: skip
SECOND = variable("CUDA_VISIBLE_DEVICES", "1", "process")
case(
    "slurm-job-that-asks-for-a-gpu-of-the-bus",
    "broken",
    but(
        HEALTHY_LINUX, **UNTRIED, gpus=TWO, variables=(JOB, SECOND),
        driver=linux_driver(cuda_init=NO_DEVICE),
    ),
    "error gpu-hidden",
)  # fmt: skip

# Containers

INSIDE = but(HEALTHY_LINUX, os=DOCKER, driver=linux_driver(module_on_disk=None))
case(
    "container-that-asks-for-a-gpu-of-the-bus",
    "broken",
    but(INSIDE, **UNTRIED, gpus=TWO, variables=(SECOND,), driver=linux_driver(cuda_init=NO_DEVICE)),
    "error gpu-hidden",
)
case("container-given-one-of-two-gpus-healthy", "works", but(INSIDE, gpus=(ADA, TWO[1])))
case(
    "wsl-container-without-gpu",
    "broken",
    but(
        BARE_LINUX,
        os=but(WSL, container="docker"),
        gpus=(),
        driver=but(WSL_DRIVER, version="", cuda="", cuda_library="", nvml_library="", nvml=None,
                   cuda_init=None, nodes=NO_DXG),
    ),
    "error container-no-gpu",
)  # fmt: skip
case(
    "container-fabric-manager",
    "broken",
    but(INSIDE, **UNTRIED, driver=linux_driver(cuda_init=Answer(code=802))),
    "error fabric-manager-missing",
)
case(
    "container-without-a-device-file",
    "broken",
    but(
        INSIDE, **UNTRIED, gpus=(NOT_LISTED,),
        driver=linux_driver(cuda_init=NO_DEVICE, nodes=nodes(missing="/dev/nvidia0")),
    ),
    "error device-file-missing",
)  # fmt: skip
NONE_GIVEN = {"driver": None, "gpus": (), "toolkits": (), "libraries": ()}
for kind in ("podman", "lxc", "systemd-nspawn"):
    machine = but(BARE_LINUX, **NONE_GIVEN, os=but(DOCKER, container=kind))
    case(f"{kind}-without-gpu", "broken", machine, "error container-no-gpu")
case(
    "jetson-container-without-gpu",
    "broken",
    but(BARE_LINUX, **NONE_GIVEN, os=but(DOCKER, version="5.15.148-tegra")),
    "error container-no-gpu",
)

# LXC is kept and changed from inside; its devices are given by number.

LXC = but(INSIDE, os=but(DOCKER, container="lxc"))
case("lxc-healthy", "works", LXC)
case(
    "lxc-without-unified-memory",
    "broken",
    but(
        LXC, **UNTRIED, gpus=TWO[:1],
        driver=linux_driver(cuda_init=UNKNOWN, nodes=nodes(missing="/dev/nvidia-uvm")),
    ),
    "error uvm-missing",
)  # fmt: skip
CLOSED = DeviceNode(path="/dev/nvidia-uvm", exists=True, openable=False, mode="0666",
                    owner="nobody:nogroup")  # fmt: skip
case(
    "lxc-with-a-closed-device",
    "broken",
    but(
        LXC, **UNTRIED, gpus=TWO[:1],
        driver=linux_driver(cuda_init=UNKNOWN, nodes=(*nodes()[:2], CLOSED)),
    ),
    "error device-permission-container",
)  # fmt: skip
case(
    "lxc-with-another-driver",
    "broken",
    but(
        LXC, **UNTRIED, gpus=(NOT_LISTED,),
        driver=linux_driver(
            kernel_version="580.65.06", cuda="",
            nvml=Answer(code=18, name="NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
            cuda_init=Answer(code=803, name="CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        ),
    ),
    "error container-brings-driver",
)  # fmt: skip
case(
    "lxc-without-libraries",
    "broken",
    but(
        LXC, **UNTRIED, gpus=(NOT_LISTED,),
        driver=linux_driver("", "", kernel_version="580.65.06", cuda_library="", nvml_library="",
                            nvml=None, cuda_init=None),
    ),
    "error container-no-compute",
)  # fmt: skip

# Drivers of which a part is there

ALONE = but(NO_MODULE, module_on_disk=False, module_elsewhere=False)
case(
    "linux-libraries-of-a-driver-alone-beside-nouveau",
    "broken",
    but(
        BARE_LINUX, driver=but(ALONE, modules=("nouveau",)),
        gpus=(but(SEEN, kernel_driver="nouveau"),),
    ),
    "error driver-missing",
)  # fmt: skip
case(
    "arch-module-not-built",
    "broken",
    but(
        BARE_LINUX,
        os=but(UBUNTU, distribution=("cachyos", "arch"), version="6.17.2-2-cachyos"),
        driver=but(ALONE, module_elsewhere=True),
        gpus=(SEEN,),
    ),
    "error driver-module-not-built",
)
FIRMWARE = "nvidia/570.133.07/gsp_ga10x.bin"
case(
    "debian-without-firmware",
    "broken",
    but(
        BARE_LINUX,
        os=but(UBUNTU, distribution=("debian",)),
        gpus=(NOT_LISTED,),
        driver=linux_driver(
            cuda_init=NO_DEVICE,
            log=(
                f"nvidia 0000:01:00.0: Direct firmware load for {FIRMWARE} failed with error -2",
                "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x61:0x56:1697)",
            ),
        ),
    ),
    "error driver-incomplete",
)
NONE = but(BARE_LINUX, driver=None, gpus=(), toolkits=(), libraries=())
case(
    "linux-gpu-unplugged",
    "broken",
    but(NONE, driver=but(NO_MODULE, module_on_disk=True)),
    "error no-nvidia-gpu",
)
case(
    "virtual-machine-without-gpu",
    "broken",
    but(NONE, other_gpus=("VMware SVGA II Adapter",)),
    "error virtual-machine-without-gpu",
)

# Systems whose driver is no package, or no package like others

NIXOS = {"name": "NixOS 25.11", "distribution": ("nixos",)}
BAZZITE = {"name": "Bazzite", "distribution": ("bazzite-ostree",)}
MICROOS = {"name": "openSUSE Aeon", "distribution": ("aeon", "suse", "opensuse-tumbleweed")}
for name, system in (("nixos", NIXOS), ("bazzite", BAZZITE), ("aeon", MICROOS)):
    machine = but(BARE_LINUX, os=but(UBUNTU, **system), driver=None, gpus=(SEEN,))
    case(f"{name}-driver-missing", "broken", machine, "error driver-missing")

# Files that are open to all, and closed to a service, a job or a container

FENCED = tuple(but(node, openable=False, owner="root:root") for node in nodes())
REFUSED = linux_driver(cuda="", nodes=FENCED, nvml=Answer(code=4), cuda_init=NO_DEVICE)
case(
    "linux-service-fenced-off",
    "broken",
    but(HEALTHY_LINUX, **UNTRIED, gpus=(NOT_LISTED,), driver=REFUSED),
    "error device-permission",
)
case(
    "podman-kept-from-the-gpu-by-selinux",
    "broken",
    but(INSIDE, **UNTRIED, os=but(DOCKER, container="podman"), gpus=(NOT_LISTED,), driver=REFUSED),
    "error device-permission-container",
)
case(
    "jetson-container-whose-cuda-does-not-start",
    "broken",
    but(
        INSIDE, **UNTRIED, os=but(DOCKER, version="5.15.148-tegra"), gpus=(but(ADA, pci_bus=""),),
        driver=linux_driver(cuda_init=UNKNOWN, nodes=nodes(missing="/dev/nvidia-uvm")),
    ),
    "error cuda-does-not-start",
)  # fmt: skip
case(
    "fedora-module-not-built-and-nouveau-draws",
    "broken",
    but(
        BARE_LINUX,
        os=but(UBUNTU, distribution=("fedora",)),
        driver=but(ALONE, module_elsewhere=True, modules=("nouveau",)),
        gpus=(but(SEEN, kernel_driver="nouveau"),),
    ),
    "error driver-module-not-built",
)
SHARED = but(ADA, name="NVIDIA GB10", memory_total=None, memory_free=None, memory_used=None)
case(
    "linux-memory-that-gpu-and-processor-share",
    "broken",
    but(
        HEALTHY_LINUX,
        gpus=(SHARED,),
        trials=(but(NO_GPU, stage="context", status="out-of-memory", code=2),),
    ),
    "error gpu-memory-held",
)
NOUVEAU = {"gpus": (but(SEEN, kernel_driver="nouveau"),)}
case(
    "linux-secure-boot-and-nouveau-draws",
    "broken",
    but(UNSIGNED, **NOUVEAU),
    "error secure-boot-blocks-driver",
)
case(
    "linux-gpu-left-with-the-driver-for-vms",
    "broken",
    but(
        HEALTHY_LINUX, **UNTRIED, gpus=(but(SEEN, kernel_driver="vfio-pci"),),
        driver=linux_driver(cuda_init=NO_DEVICE),
    ),
    "error gpu-kept-for-vm",
)  # fmt: skip
OF_A_GROUP = DeviceNode(path="/dev/nvidia0", exists=True, openable=False, mode="0660",
                        owner="root:video")  # fmt: skip
case(
    "linux-file-of-the-gpu-alone-is-closed",
    "broken",
    but(
        HEALTHY_LINUX, **UNTRIED, gpus=(NOT_LISTED,),
        driver=linux_driver(cuda_init=NO_DEVICE, nodes=(nodes()[0], OF_A_GROUP, nodes()[2])),
    ),
    "error device-permission",
)  # fmt: skip
case(
    "linux-driver-blacklisted-by-the-boot-loader",
    "broken",
    but(
        BARE_LINUX, driver=NO_MODULE, gpus=(SEEN,),
        switched_off=SwitchedOff(file="/proc/cmdline", line="module_blacklist=nvidia"),
    ),
    "error gpu-switched-off",
)  # fmt: skip
