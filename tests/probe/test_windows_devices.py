"""What Windows' registry and device list tell, from registries that are told what to hold."""

from __future__ import annotations

import sys

import msgspec
import pytest
from msgspec.structs import replace

from cudnn_assistant.machine import OperatingSystem
from cudnn_assistant.probe.computer import gpu, gpu_child, windows_devices
from cudnn_assistant.probe.computer.windows_devices import DISPLAY_CLASS, adapter, describe, facts
from cudnn_assistant.probe.files import windows_registry

CLASS = rf"SYSTEM\CurrentControlSet\Control\Class\{DISPLAY_CLASS}"
NT = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion"


class Registry:
    """A registry held in a dictionary: path → values."""

    def __init__(self, values):
        self._values = values

    def keys(self, path):
        below = [key[len(path) + 1 :] for key in self._values if key.startswith(path + "\\")]
        return sorted({key.split("\\")[0] for key in below})

    def value(self, path, name):
        return self._values.get(path, {}).get(name)

    text = windows_registry.Registry.text


def driver(number, maker, version, name="NVIDIA GeForce RTX 3060"):
    values = {"ProviderName": maker, "DriverVersion": version, "DriverDesc": name}
    return {rf"{CLASS}\{number}": values}


NVIDIA = adapter(r"PCI\VEN_10DE&DEV_2504&SUBSYS_1", "NVIDIA GeForce RTX 3060", 0, "0000:01:00.0")
INTEL = adapter(r"PCI\VEN_8086&DEV_46A6&SUBSYS_1", "Intel(R) Iris(R) Xe Graphics")


@pytest.mark.parametrize(
    ("windows", "nvidia"),
    [
        ("32.0.15.6094", "560.94"),
        ("31.0.15.2686", "526.86"),
        ("32.0.15.7261", "572.61"),
        ("27.21.14.5671", "456.71"),
        ("", ""),
        ("1.2", ""),
        ("a.b.c.d", ""),
    ],
)
def test_nvidias_number_of_a_windows_driver(windows, nvidia):
    assert windows_devices.nvidia_version(windows) == nvidia


def test_a_laptop_with_two_adapters():
    registry = Registry(
        driver("0000", "Intel Corporation", "31.0.101.4502", "Intel(R) Iris(R) Xe Graphics")
        | driver("0001", "NVIDIA", "32.0.15.7261")
        | {rf"{CLASS}\Properties": {}}
    )
    found = facts(registry, [INTEL, NVIDIA])
    assert (found.kernel_version, found.problem_codes) == ("572.61", ())
    assert [(a.pci_id, a.name) for a in found.adapters] == [
        ("8086:46a6", "Intel(R) Iris(R) Xe Graphics"),
        ("10de:2504", "NVIDIA GeForce RTX 3060"),
    ]


@pytest.mark.parametrize("problem", [22, 28, 43])
def test_problem_codes_of_nvidia_devices_only(problem):
    found = facts(Registry({}), [replace(INTEL, problem=10), replace(NVIDIA, problem=problem)])
    assert (found.problem_codes, found.kernel_version) == ((problem,), "")
    seen = gpu.driver(gpu_child.GpuAnswers(), found, OperatingSystem(family="windows"))
    assert seen.problem_codes == (problem,)
    assert [g.name for g in gpu.gpus(gpu_child.GpuAnswers(), found)] == ["NVIDIA GeForce RTX 3060"]


def test_microsofts_basic_driver_is_no_driver_of_nvidias():
    basic = driver("0000", "Microsoft", "10.0.22621.1", "Microsoft Basic Display Adapter")
    registry = Registry(basic)
    assert facts(registry, [NVIDIA]).kernel_version == ""


@pytest.mark.parametrize(
    ("build", "name"),
    [("22631", "Windows 11 Pro"), ("19045", "Windows 10 Pro"), ("", "Windows 10 Pro")],
)
def test_windows_eleven_calls_itself_ten(build, name):
    values = {"ProductName": "Windows 10 Pro", "CurrentBuildNumber": build}
    found = describe(Registry({NT: values}), "AMD64", administrator=False)
    assert (found.name, found.version, found.architecture) == (name, build, "x86_64")


@pytest.mark.parametrize(("value", "on"), [(1, True), (0, False), (None, None), ("odd", None)])
def test_secure_boot(value, on):
    path = r"SYSTEM\CurrentControlSet\Control\SecureBoot\State"
    registry = Registry({path: {"UEFISecureBootEnabled": value}})
    assert describe(registry, "ARM64", administrator=True).secure_boot is on


def test_a_registry_of_nonsense_says_nothing():
    registry = Registry({rf"{CLASS}\0000": {"ProviderName": b"\0", "DriverVersion": 7}, NT: {}})
    found = facts(registry, [adapter("", problem=3), adapter("ROOT\\DISPLAY")])
    assert (found.kernel_version, found.problem_codes) == ("", ())


STRANGE = (
    None, 7, 2**64, b"\xff\xfe\0", ["22631", "x"], [], 1.5, "", "\ud83d", "\udc41\ud800x", "\u00b2",
    "\u0663.\u0663.\u0663.\u0663", "9" * 5000, "9" * 999_999, ".".join(["9" * 5000] * 4), "a\0b",
    "\u202ex", "\x1b[2J",
)  # fmt: skip


@pytest.mark.parametrize("strange", STRANGE, ids=lambda one: ascii(one)[:20])
def test_a_value_of_any_kind_can_be_told(strange):
    named = dict.fromkeys(("ProductName", "CurrentBuildNumber", "UEFISecureBootEnabled"), strange)
    drivers = driver("0000", strange, strange) | driver("0001", "NVIDIA", strange)
    registry = Registry({NT: named} | drivers)
    name = strange if isinstance(strange, str) else ""
    system = describe(registry, "AMD64", administrator=False)
    kernel = facts(registry, [adapter(r"PCI\VEN_10DE&DEV_2504", name)])
    text = msgspec.json.encode(
        (system, kernel.kernel_version, [a.name for a in kernel.adapters])
    ).decode()
    assert "b'" not in text
    assert (system.name == "Windows") == (not name)
    assert kernel.kernel_version == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is a registry")
def test_elsewhere_there_is_nothing_and_no_trouble():
    assert windows_devices.look().adapters == ()
    assert windows_devices.operating_system().family == "windows"
