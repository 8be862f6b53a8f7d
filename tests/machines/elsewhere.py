"""WSL, containers and sandboxes."""

from __future__ import annotations

from machines.case import case
from machines.linux import ADA, BARE_LINUX, HEALTHY_LINUX, MISSING, SEEN
from machines.parts import LIB, UBUNTU, but, copy, linux_driver, nodes, variable

from cudnn_assistant.machine import SYSTEM, Answer, DeviceNode, Driver

WSL = but(UBUNTU, version="5.15.167.4-microsoft-standard-WSL2", wsl=2, secure_boot=None)
WSL_LIB = "/usr/lib/wsl/lib"
DXG = DeviceNode(path="/dev/dxg", exists=True, openable=True, mode="0666", owner="root:root")
WSL_DRIVER = linux_driver(
    "572.61",
    kernel_version="",
    kernel_flavour="",
    modules=(),
    module_on_disk=None,
    kernel_headers=None,
    nodes=(DXG,),
    nvml_library=f"{WSL_LIB}/libnvidia-ml.so.1",
    cuda_library=f"{WSL_LIB}/libcuda.so.1",
)
WGPU = but(ADA, kernel_driver="", seen_by=("nvml", "cuda"))
HEALTHY_WSL = case(
    "wsl-healthy",
    "works",
    but(HEALTHY_LINUX, os=WSL, driver=WSL_DRIVER, gpus=(WGPU,)),
)
case(
    "wsl-one",
    "broken",
    but(BARE_LINUX, os=but(WSL, wsl=1, version="4.4.0-19041-Microsoft"), driver=None, gpus=()),
    "error wsl-version-1",
)
case(
    "wsl-no-gpu",
    "broken",
    but(
        BARE_LINUX,
        os=WSL,
        gpus=(),
        driver=but(
            WSL_DRIVER,
            version="",
            cuda="",
            cuda_library="",
            nvml_library="",
            nvml=None,
            cuda_init=None,
            nodes=(DeviceNode(path="/dev/dxg", exists=False),),
        ),
    ),
    "error wsl-no-gpu",
)
case(
    "wsl-driver-missing",
    "broken",
    but(
        BARE_LINUX,
        os=WSL,
        gpus=(),
        driver=but(
            WSL_DRIVER,
            version="",
            cuda="",
            cuda_library="",
            nvml_library="",
            nvml=None,
            cuda_init=None,
        ),
    ),
    "error wsl-driver-missing",
)
case(
    "wsl-linux-driver",
    "broken",
    but(
        BARE_LINUX,
        os=WSL,
        gpus=(),
        driver=but(
            WSL_DRIVER,
            version="",
            cuda="",
            cuda_library=f"{LIB}/libcuda.so.1",
            nvml=Answer(code=9, name="NVML_ERROR_DRIVER_NOT_LOADED"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
    ),
    "error wsl-linux-driver",
)
case(
    "wsl-gpu-blocked",
    "broken",
    but(
        BARE_LINUX,
        os=WSL,
        gpus=(),
        driver=but(
            WSL_DRIVER,
            version="",
            cuda="",
            nvml=Answer(code=17, name="NVML_ERROR_OPERATING_SYSTEM"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
    ),
    "error wsl-gpu-blocked",
)
L8 = copy(LIB, "8.9.7", found_via=("system-folder",), wins_for=(SYSTEM,))
case(
    "wsl-libcuda-name-missing",
    "broken",
    but(
        HEALTHY_WSL,
        cudnns=(L8,),
        trials=(
            but(MISSING, stage="convolution", missing="libcuda.so", loaded=f"{LIB}/libcudnn.so.8"),
        ),
    ),
    "error libcuda-name-missing",
)
DOCKER = but(UBUNTU, container="docker", secure_boot=None)
case(
    "container-no-gpu",
    "broken",
    but(BARE_LINUX, os=DOCKER, driver=None, gpus=(SEEN,), toolkits=(), libraries=()),
    "error container-no-gpu",
)
case(
    "container-healthy",
    "works",
    but(HEALTHY_LINUX, os=DOCKER, driver=linux_driver(module_on_disk=None, kernel_headers=None)),
)
case(
    "container-no-compute",
    "broken",
    but(
        BARE_LINUX,
        os=DOCKER,
        driver=linux_driver(cuda="", cuda_library="", cuda_init=None),
        variables=(variable("NVIDIA_DRIVER_CAPABILITIES", "utility", "process"),),
    ),
    "error container-no-compute",
)
case(
    "container-permission",
    "broken",
    but(
        HEALTHY_LINUX,
        os=DOCKER,
        gpus=(SEEN,),
        trials=(),
        driver=linux_driver(
            cuda="",
            nodes=nodes(closed=True),
            nvml=Answer(code=4, name="NVML_ERROR_NO_PERMISSION"),
            cuda_init=Answer(code=100, name="CUDA_ERROR_NO_DEVICE"),
        ),
    ),
    "error device-permission-container",
)
case(
    "flatpak",
    "broken",
    but(BARE_LINUX, os=but(UBUNTU, sandbox="flatpak"), driver=None, gpus=()),
    "error sandbox-hides-gpu",
)
case(
    "linux-no-nvidia-gpu",
    "impossible",
    but(BARE_LINUX, driver=None, gpus=(), toolkits=(), libraries=()),
    "error no-nvidia-gpu",
)
case(
    "linux-no-nvidia-gpu-after-sleep",
    "impossible",
    but(BARE_LINUX, gpus=(), toolkits=(), driver=Driver(log=("PM: suspend exit",))),
    "error no-nvidia-gpu",
)
