"""The stages of the driver: find the GPU that was asked for and stand in its context."""

from __future__ import annotations

from contextlib import ExitStack, suppress

from cudnn_assistant.child import driver_api
from cudnn_assistant.child.channel import Channel, Stopped
from cudnn_assistant.child.driver_api import CudaStatus, Driver
from cudnn_assistant.child.loading import missing_file

_NOT_A_NUMBER = 0xFF
"""A byte that makes every floating type not-a-number: shows what was never written."""


class Device:
    """A GPU that the driver shows."""

    def __init__(self, driver: Driver, ordinal: int, compute: tuple[int, int]) -> None:
        self.driver = driver
        self.ordinal = ordinal
        self.compute = compute

    def enter_context(self, channel: Channel) -> None:
        """Make the GPU's primary context this thread's. Raises :class:`Stopped`."""
        channel.stage("context")
        try:
            self.driver.enter(self.ordinal)
            free, total = self.driver.memory()
        except CudaStatus as refusal:
            raise of_cuda(refusal) from refusal
        channel.say(memory_free=free, memory_total=total)

    def free_memory(self) -> int | None:
        """Bytes free now; ``None`` when the context doesn't answer any more."""
        try:
            return self.driver.memory()[0]
        except CudaStatus:
            return None


def of_cuda(refusal: CudaStatus) -> Stopped:
    """A result of the driver API as the end of the test."""
    status = "out-of-memory" if refusal.code == driver_api.OUT_OF_MEMORY else "status-code"
    return Stopped(status, code=refusal.code, api="cuda", detail=refusal.call)


def find_gpu(channel: Channel, gpu: str) -> Device:
    """Start the driver and choose the GPU. Raises :class:`Stopped`.

    ``gpu`` is a UUID, an ordinal among the GPUs this process may see, or "" for the first.
    """
    channel.stage("driver")
    driver = _start(channel)
    try:
        ordinal = _choose(driver, gpu)
        return Device(driver, ordinal, _describe(channel, driver, ordinal, gpu))
    except CudaStatus as refusal:
        raise of_cuda(refusal) from refusal


def _start(channel: Channel) -> Driver:
    try:
        driver = Driver()
    except OSError as refusal:
        missing = missing_file(str(refusal)) or driver_api.LIBRARY
        raise Stopped("no-gpu", missing=missing, detail=str(refusal)) from refusal
    channel.say(driver=driver.version())
    try:
        driver.call("cuInit", 0)
    except CudaStatus as refusal:
        stopped = of_cuda(refusal)
        if refusal.code == driver_api.NO_DEVICE:
            stopped.facts["status"] = "no-gpu"
        raise stopped from refusal
    return driver


def _choose(driver: Driver, gpu: str) -> int:
    count = driver.count()
    if count == 0:
        raise Stopped("no-gpu", code=driver_api.NO_DEVICE, api="cuda", detail="no GPU is visible")
    if not gpu:
        return 0
    if gpu.isdigit():
        if int(gpu) < count:
            return int(gpu)
    else:
        wanted = gpu.lower().removeprefix("gpu-").removeprefix("mig-").replace("-", "")
        for ordinal in range(count):
            if driver.uuid(ordinal).replace("-", "") == wanted:
                return ordinal
    raise Stopped("no-gpu", detail=f"GPU {gpu} is not among the {count} that are visible")


def _describe(channel: Channel, driver: Driver, ordinal: int, gpu: str) -> tuple[int, int]:
    name = driver.name(ordinal)
    kind = "MIG" if gpu.upper().startswith("MIG-") or " MIG " in name else "GPU"
    compute = (
        driver.attribute(driver_api.COMPUTE_MAJOR, ordinal),
        driver.attribute(driver_api.COMPUTE_MINOR, ordinal),
    )
    uuid = f"{kind}-{driver.uuid(ordinal)}"
    channel.say(gpu=uuid, gpu_name=name, compute=f"{compute[0]}.{compute[1]}")
    return compute


class Memory(ExitStack):
    """Device memory that is given back at the end of a block, whatever happens in it."""

    def __init__(self, device: Device) -> None:
        super().__init__()
        self._driver = device.driver

    def _free(self, address: int) -> None:
        # After a fault of a kernel every call answers with the same code.
        with suppress(Exception):
            self._driver.call("cuMemFree", address)

    def space(self, size: int) -> int:
        """Memory with nothing particular in it; 0 for none."""
        if not size:
            return 0
        (address,) = self._driver.call("cuMemAlloc", size)
        self.callback(self._free, address)
        return int(address)

    def holding(self, data: bytes) -> int:
        """Memory with these bytes in it."""
        address = self.space(len(data))
        self._driver.call("cuMemcpyHtoD", address, data, len(data))
        return address

    def blank(self, size: int) -> int:
        """Memory full of not-a-number."""
        address = self.space(size)
        self._driver.call("cuMemsetD8", address, _NOT_A_NUMBER, size)
        return address
