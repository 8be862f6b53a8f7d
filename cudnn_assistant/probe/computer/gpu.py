"""GPUs and driver: what NVML, the driver API and the bus say, joined by UUID and bus address.

NVML and CUDA number GPUs differently, and either may not see one that the other sees; both
facts are kept.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Any

import msgspec

from cudnn_assistant import codes
from cudnn_assistant.compat import architecture, gpu_by_pci, load_builtin
from cudnn_assistant.machine import Answer, Driver, Gpu, GpuProcess, OperatingSystem, readable
from cudnn_assistant.probe.computer import kernel_log, pci
from cudnn_assistant.probe.computer.gpu_child import GpuAnswers, ask
from cudnn_assistant.probe.computer.kernel import KernelFacts
from cudnn_assistant.probe.files.catalogue import version_in_name
from cudnn_assistant.probe.files.disk import text_in
from cudnn_assistant.versions import of_cuda

_FIELDS = frozenset(Gpu.__struct_fields__) - {"processes"}
_MOST_TESTED = 16
"""GPUs and slices that are given; each is tested by a process of its own."""


def driver(answers: GpuAnswers, kernel: KernelFacts, system: OperatingSystem) -> Driver | None:
    """The driver's parts; ``None`` when there is no part of one."""
    nvml_file, cuda_file = text_in(answers.nvml, "file"), text_in(answers.cuda, "file")
    found = msgspec.structs.replace(
        msgspec.convert(kernel, Driver, from_attributes=True),
        version=text_in(answers.driver, "version")
        or version_in_name(nvml_file)
        or version_in_name(cuda_file),
        cuda=text_in(answers.driver, "cuda") or _cuda_version(answers.cuda.get("version")),
        nvml=_answer(answers.nvml.get("nvml"), codes.nvml_return, answers.nvml),
        cuda_init=_answer(answers.cuda.get("cuda"), codes.cuda_result, answers.cuda),
        nvml_library=readable(nvml_file),
        cuda_library=readable(cuda_file),
        log=tuple(map(readable, kernel.log)),
    )
    own = [name for name in found.modules if name not in ("nouveau", "nova_core")]
    there = (found.nvml_library, found.cuda_library, found.kernel_version, own,
             found.module_on_disk, any(n.exists for n in found.nodes), system.wsl == 2,
             found.problem_codes)  # fmt: skip
    return found if any(there) else None


def _answer(code: object, name: Any, facts: Mapping[str, Any]) -> Answer | None:
    if not isinstance(code, int):
        return None
    return Answer(code=code, name=name(code), text=text_in(facts, "why"))


def _cuda_version(number: object) -> str:
    return of_cuda(number) if isinstance(number, int) and number >= 1000 else ""


def gpus(answers: GpuAnswers, kernel: KernelFacts, *, contained: bool = False) -> tuple[Gpu, ...]:
    """Every GPU that anybody sees, in NVML's order (the bus's), then the rest.

    ``contained``: we are in a container, where NVML's process numbers are the host's and mean
    nothing in our own /proc.
    """
    by_nvml = sorted(answers.gpus.items())
    found = [_of_nvml(index, facts) for index, facts in by_nvml if "trouble" not in facts]
    adapters = [one for one in kernel.adapters if one.vendor == pci.NVIDIA]
    for ordinal, device in enumerate(_devices(answers)):
        _join_cuda(found, ordinal, device, {one.bus for one in adapters})
    for adapter in adapters:
        _join_pci(found, adapter)
    numbers = kernel_log.xids(kernel.log)
    return tuple(_finished(gpu, numbers, contained=contained) for gpu in found)


def _devices(answers: GpuAnswers) -> list[dict[str, Any]]:
    devices = answers.cuda.get("devices")
    known = devices if isinstance(devices, list) else []
    return [device for device in known if isinstance(device, dict)]


def _of_nvml(index: int, facts: dict[str, Any]) -> Gpu:
    known = {key: value for key, value in facts.items() if key in _FIELDS and value is not None}
    known = {k: readable(v) if isinstance(v, str) else v for k, v in known.items()}
    processes = facts.get("processes")
    return _checked(
        {
            **known,
            "nvml_index": index,
            "seen_by": ["nvml"],
            "processes": processes if isinstance(processes, list) else [],
        }
    )


def _checked(facts: dict[str, Any]) -> Gpu:
    """The facts as a Gpu; what is of a wrong type (a driver gone mad) is left out."""
    while True:
        try:
            return msgspec.convert(facts, Gpu)
        except msgspec.ValidationError as trouble:
            match = re.search(r"\$\.(\w+)", str(trouble))
            if not match or facts.pop(match[1], None) is None:
                return Gpu(nvml_index=facts.get("nvml_index"), seen_by=("nvml",))


def _plain_uuid(text: str) -> str:
    """A UUID's digits alone: NVML writes "GPU-…", CUDA gives 16 bytes."""
    return re.sub(r"[^0-9a-f]", "", re.sub(r"^(?:gpu|mig)-", "", text.lower()))


def _join_cuda(
    found: list[Gpu], ordinal: int, device: dict[str, Any], buses: Container[str]
) -> None:
    uuid = text_in(device, "uuid")
    digits = _plain_uuid(uuid)
    for number, gpu in enumerate(found):
        names = (gpu.uuid, *gpu.mig_instances)
        if digits and digits in map(_plain_uuid, names):
            # Several slices of one GPU: the first is the one programs get.
            index = ordinal if gpu.cuda_index is None else gpu.cuda_index
            seen = gpu.seen_by if "cuda" in gpu.seen_by else (*gpu.seen_by, "cuda")
            found[number] = msgspec.structs.replace(gpu, cuda_index=index, seen_by=seen)
            return
    name, compute = readable(text_in(device, "name")), text_in(device, "compute")
    # NVIDIA's small boards tell an address, and have no bus.
    bus = at if (at := text_in(device, "pci_bus")) in buses else ""
    found.append(
        Gpu(uuid=f"GPU-{uuid}" if uuid else "", name=name, pci_bus=bus, compute=compute,
            cuda_index=ordinal, seen_by=("cuda",))
    )  # fmt: skip


def _join_pci(found: list[Gpu], adapter: pci.Adapter) -> None:
    # Windows doesn't always tell a place: then each stands for one GPU of which CUDA tells none.
    alone = ((n, gpu) for n, gpu in enumerate(found) if "pci" not in gpu.seen_by)
    number = next((n for n, gpu in alone if gpu.pci_bus == adapter.bus), len(found))
    gpu = found.pop(number) if number < len(found) else _of_pci(adapter)
    joined = msgspec.structs.replace(
        gpu,
        pci_bus=adapter.bus,
        pci_id=gpu.pci_id or adapter.pci_id,
        kernel_driver=adapter.driver,
        asleep=adapter.asleep,
        seen_by=(*gpu.seen_by, "pci"),
    )
    found.insert(number, joined)


def _of_pci(adapter: pci.Adapter) -> Gpu:
    name, compute = gpu_by_pci(load_builtin(), adapter.device)
    own = f"NVIDIA {name}" if name and not name.startswith("NVIDIA") else name
    return Gpu(name=own or adapter.name, compute=compute)


def _finished(gpu: Gpu, numbers: Mapping[str, tuple[int, ...]], *, contained: bool) -> Gpu:
    return msgspec.structs.replace(
        gpu,
        architecture=architecture(load_builtin(), gpu.compute).name,
        xids=numbers.get(gpu.pci_bus.split(".")[0], ()) if gpu.pci_bus else (),
        processes=tuple(_named(process, contained=contained) for process in gpu.processes),
    )


def _named(process: GpuProcess, *, contained: bool) -> GpuProcess:
    if process.name or contained:
        return msgspec.structs.replace(process, name=readable(process.name))
    try:
        with open(f"/proc/{process.pid}/comm", encoding="utf-8", errors="replace") as file:
            return msgspec.structs.replace(process, name=file.read(256).strip())
    except OSError:
        return process


def visible_gpus(environment: Mapping[str, str]) -> tuple[str, ...]:
    """UUIDs of the GPUs that CUDA shows under ``environment``, in CUDA's order.

    A GPU that is divided (MIG) is given by its slices. CUDA shows a program one slice alone; the
    others are there for who names them, unless CUDA_VISIBLE_DEVICES has chosen already. Empty
    when there is no GPU, or nobody could say.
    """
    answers = ask(environment)
    slices = [one for gpu in gpus(answers, KernelFacts()) if gpu.mig for one in gpu.mig_instances]
    of_slices = {_plain_uuid(one) for one in slices}
    found = [_uuid(device, of_slices) for device in _devices(answers)]
    if found and not environment.get("CUDA_VISIBLE_DEVICES"):
        found += slices
    known = {_plain_uuid(one): one for one in reversed(found) if one}
    return tuple(dict.fromkeys(known[_plain_uuid(one)] for one in found if one))[:_MOST_TESTED]


def _uuid(device: Mapping[str, Any], slices: set[str]) -> str:
    """ "GPU-…" of what CUDA gives; "MIG-…" for a slice."""
    uuid = text_in(device, "uuid")
    of_slice = _plain_uuid(uuid) in slices or " MIG " in text_in(device, "name")
    return f"{'MIG' if of_slice else 'GPU'}-{uuid}" if uuid else ""
