"""What NVML tells about the driver and every GPU, through nvidia-ml-py.

Each call is guarded singly: "not supported" is the normal answer of many GPUs to many questions
and must not cost the other facts. Keys are those of the snapshot's Gpu; ``None`` did not answer.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing alone costs a tenth of the child's start
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType
    from typing import Any

NOT_TOLD = -1
"""Code where no number of NVML's applies (the binding itself is missing or broken)."""

_COMPUTE_MODES = {0: "default", 2: "prohibited", 3: "exclusive-process"}
_DRIVER_MODELS = {0: "wddm", 1: "tcc", 2: "mcdm"}
_VIRTUALIZATION = {0: "none", 1: "passthrough", 2: "vgpu", 3: "host-vgpu", 4: "host-vsga"}
_YES = {0: False, 1: True}
_THROTTLES = ((0x8, "hw-slowdown"), (0x20, "sw-thermal"), (0x40, "hw-thermal"),
              (0x80, "power-brake"))  # fmt: skip
_MODEL = ("nvmlDeviceGetDriverModel", ("_v2", "_v1", ""))
_MEMORY_V2 = 0x02000028
_MOST_PROCESSES = 64
_MOST_SLICES = 16


def init(nvml: ModuleType) -> int:
    """nvmlInit; its number (12: no library)."""
    try:
        nvml.nvmlInit()
    except Exception as trouble:
        return _code(trouble)
    return 0


def _code(trouble: Exception) -> int:
    value = getattr(trouble, "value", NOT_TOLD)
    return value if isinstance(value, int) else NOT_TOLD


def driver(nvml: ModuleType) -> dict[str, object]:
    """Version of the driver and the highest CUDA version that it speaks."""
    number = _first_of(nvml, "nvmlSystemGetCudaDriverVersion", ("_v2", ""))
    found: dict[str, object] = {"version": text(ask(nvml.nvmlSystemGetDriverVersion))}
    if isinstance(number, int) and number > 0:
        found["cuda"] = f"{number // 1000}.{number % 1000 // 10}"
    return found


def gpus(nvml: ModuleType) -> Iterator[tuple[int, dict[str, object]]]:
    """Number and facts of each GPU, twice: first who it is, then how it is.

    The second helping asks the hardware, where a GPU in trouble can keep us waiting; by then the
    first has been told.
    """
    count = ask(nvml.nvmlDeviceGetCount)
    handles = []
    for index in range(count if isinstance(count, int) else 0):
        try:
            handles.append((index, nvml.nvmlDeviceGetHandleByIndex(index)))
        except Exception as trouble:
            yield index, {"trouble": _code(trouble)}
    for index, handle in handles:
        yield index, _who(nvml, handle)
    for index, handle in handles:
        yield index, _health(nvml, handle)
        yield index, {"processes": _processes(nvml, handle)}


def _who(nvml: ModuleType, handle: object) -> dict[str, object]:
    found: dict[str, object] = {
        "uuid": text(ask(nvml.nvmlDeviceGetUUID, handle)),
        "name": text(ask(nvml.nvmlDeviceGetName, handle)),
    }
    pci = ask(nvml.nvmlDeviceGetPciInfo, handle)
    if pci is not None:
        found["pci_bus"] = bus(text(getattr(pci, "busId", "")))
        number = int(getattr(pci, "pciDeviceId", 0))
        found["pci_id"] = f"{number & 0xFFFF:04x}:{number >> 16:04x}" if number else ""
    compute = ask(nvml.nvmlDeviceGetCudaComputeCapability, handle)
    if isinstance(compute, (tuple, list)) and len(compute) == 2:
        found["compute"] = f"{compute[0]}.{compute[1]}"
    return found


def bus(text: str) -> str:
    """A PCI address with a domain of four digits, lower case: "0000:01:00.0"."""
    domain, _, rest = text.lower().partition(":")
    return f"{domain[-4:]:0>4}:{rest}" if rest else ""


def _health(nvml: ModuleType, handle: object) -> dict[str, object]:
    found = _memory(nvml, handle) | {
        "compute_mode": _COMPUTE_MODES.get(ask(nvml.nvmlDeviceGetComputeMode, handle)),
        "driver_model": _DRIVER_MODELS.get(_first(_first_of(nvml, *_MODEL, handle))),
        "virtualization": _VIRTUALIZATION.get(ask(nvml.nvmlDeviceGetVirtualizationMode, handle)),
        "ecc": _YES.get(_first(ask(nvml.nvmlDeviceGetEccMode, handle))),
        "display": _YES.get(ask(nvml.nvmlDeviceGetDisplayActive, handle)),
        "ecc_uncorrected": ask(nvml.nvmlDeviceGetTotalEccErrors, handle, 1, 0),
        "temperature": ask(nvml.nvmlDeviceGetTemperature, handle, 0),
    }
    rows = ask(nvml.nvmlDeviceGetRemappedRows, handle)
    if isinstance(rows, (tuple, list)) and len(rows) == 4:
        found["remap_pending"], found["remap_failed"] = bool(rows[2]), bool(rows[3])
    kinds = ("EventReasons", "ThrottleReasons")
    reasons = _first_of(nvml, "nvmlDeviceGetCurrentClocks", kinds, handle)
    if isinstance(reasons, int):
        found["throttled"] = [name for bit, name in _THROTTLES if reasons & bit]
    _slices(nvml, handle, found)
    return found


def _memory(nvml: ModuleType, handle: object) -> dict[str, object]:
    call = nvml.nvmlDeviceGetMemoryInfo
    memory = ask(call, handle, _MEMORY_V2) or ask(call, handle)  # the older one reserves nothing
    if memory is None or not memory.total:
        return {}
    names = ("total", "free", "used", "reserved")
    return {f"memory_{name}": getattr(memory, name, None) for name in names}


def _slices(nvml: ModuleType, handle: object, found: dict[str, object]) -> None:
    """MIG: whether it is on, and the UUIDs of its instances."""
    on = _first(ask(nvml.nvmlDeviceGetMigMode, handle))
    found["mig"] = _YES.get(on)
    if not on:
        return
    most = ask(nvml.nvmlDeviceGetMaxMigDeviceCount, handle)
    slices = []
    for index in range(min(most, _MOST_SLICES) if isinstance(most, int) else 0):
        part = ask(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, index)
        uuid = text(ask(nvml.nvmlDeviceGetUUID, part)) if part is not None else ""
        if uuid:
            slices.append(uuid)
    found["mig_instances"] = slices


def _processes(nvml: ModuleType, handle: object) -> list[dict[str, object]]:
    found = {}
    for kind in ("Graphics", "Compute"):
        # The name without a number raises an exception of its own on older drivers.
        running = _first_of(nvml, f"nvmlDeviceGet{kind}RunningProcesses", ("_v3", "_v2"), handle)
        for process in (running or [])[:_MOST_PROCESSES]:
            found[process.pid] = {
                "pid": int(process.pid),
                "name": text(ask(nvml.nvmlSystemGetProcessName, process.pid)),
                "memory": process.usedGpuMemory,
                "kind": kind.lower(),
            }
    return list(found.values())


def _first_of(nvml: ModuleType, name: str, ends: tuple[str, ...], *arguments: object) -> Any:
    """What the first of these calls answers that binding and driver have; ``None`` for none."""
    calls = (getattr(nvml, f"{name}{end}", None) for end in ends)
    answers = (ask(call, *arguments) for call in calls if call)
    return next((answer for answer in answers if answer is not None), None)


def ask(call: Callable[..., object], *arguments: object) -> Any:
    """What a call answers; ``None`` where it raises."""
    try:
        return call(*arguments)
    except Exception:
        return None


def _first(answer: Any) -> Any:
    if isinstance(answer, (list, tuple)):
        return answer[0] if answer else None
    return answer


def text(answer: object) -> str:
    """Text of an answer; older bindings give bytes."""
    if isinstance(answer, bytes):
        return answer.decode("utf-8", "replace")
    return answer if isinstance(answer, str) else ""
