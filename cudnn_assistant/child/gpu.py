"""The child that asks NVML and the driver API who is there, in the person's own environment.

One JSON argument: pipe, deadline. Lines, in this order, each told as soon as it is known, so
that a call that hangs costs only what follows it:

* ``nvml`` (code of nvmlInit), ``file`` (what was loaded)
* ``driver``: version, cuda
* ``index`` and ``gpu``: facts of one GPU, in several helpings
* ``cuda`` (code of cuInit; ``null``: no library), ``file``, ``why``, ``version``, ``devices``
  (UUID, address, name and compute capability by ordinal)
* ``status``: "ok"
"""

from __future__ import annotations

import os

from cudnn_assistant.child import driver_api, mapped, nvml_facts
from cudnn_assistant.child.channel import Channel, Wish, serve

NO_LIBRARY = 12
"""NVML's number for "the library was not found"."""


def main(arguments: list[str]) -> int:
    """Ask, tell, end."""
    return serve(arguments, _ask)


def _ask(channel: Channel, _wish: Wish) -> None:
    _nvml(channel)
    _cuda(channel)


def _nvml(channel: Channel) -> None:
    if not _can_load():
        channel.say(nvml=NO_LIBRARY, file="")
        return
    try:
        import pynvml as nvml
    except ImportError as trouble:
        channel.say(nvml=None, file="", why=str(trouble))
        return
    code = nvml_facts.init(nvml)
    channel.say(nvml=code, file=_mapped("libnvidia-ml.so", "nvml.dll"))
    if code:
        return
    channel.say(driver=nvml_facts.driver(nvml))
    for index, facts in nvml_facts.gpus(nvml):
        channel.say(index=index, gpu=facts)


def _can_load() -> bool:
    """Whether the loader has an NVML at all. Asked first: importing the binding takes 40 ms."""
    if os.name == "nt":
        return True
    import ctypes

    try:
        ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return False
    return True


def _mapped(*names: str) -> str:
    return next(
        (p for p in mapped.libraries() if os.path.basename(p).lower().startswith(names)), ""
    )


def _cuda(channel: Channel) -> None:
    try:
        driver = driver_api.Driver()
    except OSError as trouble:
        channel.say(cuda=None, file="", why=str(trouble))
        return
    file = _mapped("libcuda.so", "nvcuda.dll")
    version = nvml_facts.ask(driver.version)
    channel.say(file=file, version=version, call="cuInit")
    try:
        driver.call("cuInit", 0)
    except driver_api.CudaStatus as trouble:
        channel.say(cuda=trouble.code, file=file, version=version)
        return
    channel.say(cuda=0, file=file, version=version, devices=_devices(driver))


def _devices(driver: driver_api.Driver) -> list[dict[str, object]]:
    return [_device(driver, ordinal) for ordinal in range(nvml_facts.ask(driver.count) or 0)]


def _device(driver: driver_api.Driver, ordinal: int) -> dict[str, object]:
    major = nvml_facts.ask(driver.attribute, driver_api.COMPUTE_MAJOR, ordinal)
    minor = nvml_facts.ask(driver.attribute, driver_api.COMPUTE_MINOR, ordinal)
    place = [nvml_facts.ask(driver.attribute, which, ordinal) or 0 for which in driver_api.PLACE]
    return {
        "uuid": nvml_facts.ask(driver.uuid, ordinal) or "",
        "pci_bus": "{:04x}:{:02x}:{:02x}.0".format(*place),
        "name": nvml_facts.ask(driver.name, ordinal) or "",
        "compute": f"{major}.{minor}" if major is not None and minor is not None else "",
    }
