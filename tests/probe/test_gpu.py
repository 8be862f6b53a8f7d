"""NVML and the driver API through the real child, against drivers that are told what to say."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import needs
import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent.parent / "lab"))
import driver as lab

from cudnn_assistant.machine import DeviceNode, Gap, Machine, OperatingSystem, dump, load
from cudnn_assistant.probe.computer import gpu, gpu_child
from cudnn_assistant.probe.computer.kernel import KernelFacts
from cudnn_assistant.probe.computer.pci import Adapter
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import search

pytestmark = needs.programs("gcc")

LINUX = OperatingSystem(family="linux")
NOTHING = KernelFacts()


def ask(folder: Path, deadline: float = 20.0, **variables: str) -> gpu_child.GpuAnswers:
    return gpu_child.ask(
        {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(folder), **variables}, deadline
    )


@pytest.mark.parametrize(("number", "model"), [(0, "wddm"), (1, "tcc"), (2, "mcdm"), (7, "")])
def test_how_windows_runs_a_gpu(tmp_path, number, model):
    card = lab.A100 | {"driver_model": number}
    (found,) = gpu.gpus(ask(lab.write(tmp_path / "drv", card)), NOTHING)
    assert found.driver_model == model


def test_gpus_are_joined_by_uuid_though_cuda_counts_otherwise(tmp_path):
    answers = ask(lab.write(tmp_path / "drv", lab.RTX_4090, lab.A100, cuda_order="1,0"))
    first, second = gpu.gpus(answers, NOTHING)
    assert answers.gaps == ()
    assert (first.name, first.nvml_index, first.cuda_index) == ("NVIDIA GeForce RTX 4090", 0, 1)
    assert (second.name, second.nvml_index, second.cuda_index) == ("NVIDIA A100-SXM4-80GB", 1, 0)
    assert first.seen_by == second.seen_by == ("nvml", "cuda")
    assert (first.pci_bus, first.pci_id, first.compute) == ("0000:01:00.0", "10de:2684", "8.9")
    assert (first.architecture, second.architecture) == ("Ada", "Ampere")
    assert first.memory_total == 24 << 30
    assert first.memory_free == (24 << 30) - (2 << 30) - (512 << 20)
    assert (first.ecc, second.ecc, second.mig, second.remap_pending) == (None, True, False, False)


def test_driver_says_what_it_is_and_where_it_was_loaded_from(tmp_path):
    folder = lab.write(tmp_path / "drv", lab.RTX_4090, cuda=12080)
    found = gpu.driver(ask(folder), NOTHING, LINUX)
    assert found is not None
    assert (found.version, found.cuda) == ("580.65.06", "12.8")
    assert (found.nvml.code, found.cuda_init.code) == (0, 0)
    assert found.nvml_library == str(folder / "libnvidia-ml.so.1")
    assert found.cuda_library == str(folder / "libcuda.so.1")


def test_hidden_gpus_keep_their_place_with_nvml_only(tmp_path):
    folder = lab.write(tmp_path / "drv", lab.RTX_4090, lab.A100)
    first, second = gpu.gpus(ask(folder, CUDA_VISIBLE_DEVICES="1"), NOTHING)
    assert (first.cuda_index, first.seen_by) == (None, ("nvml",))
    assert (second.cuda_index, second.seen_by) == (0, ("nvml", "cuda"))


def test_a_list_that_names_nobody_hides_all(tmp_path):
    answers = ask(lab.write(tmp_path / "drv", lab.RTX_4090), CUDA_VISIBLE_DEVICES="-1")
    assert gpu.driver(answers, NOTHING, LINUX).cuda_init.name == "CUDA_ERROR_NO_DEVICE"
    assert [g.cuda_index for g in gpu.gpus(answers, NOTHING)] == [None]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (9, "NVML_ERROR_DRIVER_NOT_LOADED"),
        (17, "NVML_ERROR_OPERATING_SYSTEM"),
        (18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
        (999, "NVML_ERROR_UNKNOWN"),
    ],
)
def test_nvml_that_does_not_start_says_why(tmp_path, code, name):
    answers = ask(lab.write(tmp_path / "drv", lab.RTX_4090, nvml_init=code))
    found = gpu.driver(answers, NOTHING, LINUX)
    assert (found.nvml.code, found.nvml.name) == (code, name)
    (seen,) = gpu.gpus(answers, NOTHING)  # CUDA still sees it
    assert (seen.seen_by, seen.uuid, seen.compute) == (("cuda",), lab.RTX_4090["uuid"], "8.9")


@pytest.mark.parametrize("code", [34, 35, 100, 802, 803, 804, 999])
def test_cuda_that_does_not_start_says_why(tmp_path, code):
    answers = ask(lab.write(tmp_path / "drv", lab.RTX_4090, cu_init=code))
    assert gpu.driver(answers, NOTHING, LINUX).cuda_init.code == code
    assert [g.seen_by for g in gpu.gpus(answers, NOTHING)] == [("nvml",)]


def test_version_by_the_files_name_when_nvml_will_not_say(tmp_path):
    folder = lab.write(
        tmp_path / "drv",
        lab.RTX_4090,
        nvml_init=18,
        nvml_file="libnvidia-ml.so.570.86.15",
        cuda_file="libcuda.so.570.86.15",
    )
    found = gpu.driver(ask(folder), KernelFacts(kernel_version="580.65.06"), LINUX)
    assert (found.version, found.kernel_version) == ("570.86.15", "580.65.06")


def test_no_driver_at_all(tmp_path):
    answers = ask(tmp_path)
    assert answers.nvml["nvml"] == 12
    assert answers.cuda["cuda"] is None
    assert (gpu.driver(answers, NOTHING, LINUX), gpu.gpus(answers, NOTHING), answers.gaps) == (
        None,
        (),
        (),
    )


def test_nvml_without_cuda_as_in_a_container_without_compute(tmp_path):
    found = gpu.driver(ask(lab.write(tmp_path / "drv", lab.A100, cuda_file="")), NOTHING, LINUX)
    assert (found.nvml.code, found.cuda_init, found.cuda_library) == (0, None, "")


def test_a_stubs_folder_on_the_search_path_is_really_met(tmp_path):
    stubs = lab.write(tmp_path / "cuda/lib64/stubs", cu_init=34, nvml_file="")
    real = lab.write(tmp_path / "drv", lab.RTX_4090)
    found = gpu.driver(ask(Path(f"{stubs}:{real}")), NOTHING, LINUX)
    assert found.cuda_init.code == 34
    assert found.cuda_library == str(stubs / "libcuda.so.1")
    assert found.nvml_library == str(real / "libnvidia-ml.so.1")


def test_a_pipe_in_the_place_of_a_library_is_asked_nothing(tmp_path):
    drivers, pipes = lab.write(tmp_path / "drv", lab.RTX_4090), tmp_path / "pipes"
    pipes.mkdir()
    os.mkfifo(pipes / "libcudnn.so.9")
    assert ask(Path(f"{pipes}:{drivers}")).gaps == ()
    os.mkfifo(pipes / "libcuda.so.1")
    gaps = ask(Path(f"{pipes}:{drivers}")).gaps
    assert [gap.what for gap in gaps] == ["driver", "gpu"]
    assert all(f"{pipes / 'libcuda.so.1'} is a pipe" in gap.why for gap in gaps)


def test_an_older_driver_lacks_calls_and_loses_nothing_else(tmp_path):
    absent = (
        "nvmlDeviceGetMemoryInfo_v2,nvmlDeviceGetComputeRunningProcesses_v3,"
        "nvmlDeviceGetGraphicsRunningProcesses_v3,"
        "nvmlSystemGetCudaDriverVersion_v2"
    )
    card = {**lab.RTX_4090, "compute_pids": "4711:1048576"}
    facts = {"absent": absent, "process.4711": "/usr/bin/python3"}
    (seen,) = gpu.gpus(ask(lab.write(tmp_path / "drv", card, **facts)), NOTHING)
    assert seen.memory_used == (2 << 30) + (512 << 20)
    assert seen.memory_reserved is None
    assert [(p.pid, p.name, p.memory) for p in seen.processes] == [
        (4711, "/usr/bin/python3", 1048576)
    ]


def test_what_is_not_supported_is_unknown_and_not_zero(tmp_path):
    codes = {
        f"code.{call}": 3
        for call in (
            "nvmlDeviceGetMemoryInfo", "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetTemperature",
            "nvmlDeviceGetDisplayActive", "nvmlDeviceGetCurrentClocksEventReasons",
        )
    }  # fmt: skip
    answers = ask(lab.write(tmp_path / "drv", lab.RTX_4090, **codes))
    (seen,) = gpu.gpus(answers, NOTHING)
    assert (seen.memory_total, seen.memory_free, seen.temperature, seen.display) == (None,) * 4
    assert (seen.name, answers.gaps) == (lab.RTX_4090["name"], ())


def test_health_that_matters(tmp_path):
    card = {
        **lab.A100, "compute_mode": 2, "clocks": 0x1 | 0x4 | 0x40 | 0x80, "virtualization": 2,
        "remap_pending": 1, "remap_failed": 1, "ecc_uncorrected": 3,
    }  # fmt: skip
    (seen,) = gpu.gpus(ask(lab.write(tmp_path / "drv", card)), NOTHING)
    assert seen.compute_mode == "prohibited"
    assert seen.throttled == ("hw-thermal", "power-brake")
    assert seen.virtualization == "vgpu"
    assert (seen.remap_pending, seen.remap_failed, seen.ecc_uncorrected) == (True, True, 3)


def test_processes_that_do_not_tell_their_memory(tmp_path):
    card = {**lab.RTX_4090, "compute_pids": "7:-1", "graphics_pids": "7:-1,8:4096"}
    answers = ask(lab.write(tmp_path / "drv", card, **{"process.7": "a", "process.8": "b"}))
    found = gpu.gpus(answers, NOTHING)[0].processes
    by_nvml = [(p.pid, p.kind, p.memory) for p in found]
    assert by_nvml == [(7, "compute", None), (8, "graphics", 4096)]


def test_process_numbers_of_a_container_are_not_looked_up(tmp_path):
    card = {**lab.RTX_4090, "compute_pids": f"{os.getpid()}:1"}
    answers = ask(lab.write(tmp_path / "drv", card))
    assert gpu.gpus(answers, NOTHING, contained=True)[0].processes[0].name == ""
    assert gpu.gpus(answers, NOTHING)[0].processes[0].name != ""


def test_mig_instances(tmp_path):
    slices = {"mig": 1, "mig.0": "MIG-11111111-0000-0000-0000-000000000001", "mig.2": "MIG-2"}
    (seen,) = gpu.gpus(ask(lab.write(tmp_path / "drv", lab.A100 | slices)), NOTHING)
    assert (seen.mig, seen.mig_instances) == (True, (slices["mig.0"], "MIG-2"))


def test_a_gpu_that_fell_off_does_not_hide_the_other(tmp_path):
    folder = lab.write(tmp_path / "drv", {**lab.RTX_4090, "handle": 15}, lab.A100, cuda_order="1",
                       cuda_gpus=1)  # fmt: skip
    answers = ask(folder)
    kernel = KernelFacts(adapters=(Adapter("0000:01:00.0", "10de", "2684", "nvidia"),))
    assert [(g.name, g.seen_by) for g in gpu.gpus(answers, kernel)] == [
        ("NVIDIA A100-SXM4-80GB", ("nvml", "cuda")),
        ("NVIDIA GeForce RTX 4090", ("pci",)),
    ]
    assert [(gap.what, gap.why) for gap in answers.gaps] == [("gpu-0", "NVML_ERROR_GPU_IS_LOST")]


def test_a_call_that_never_returns_costs_only_what_follows(tmp_path):
    answers = ask(lab.write(tmp_path / "drv", lab.RTX_4090, hang="nvmlDeviceGetTemperature"), 2)
    (seen,) = gpu.gpus(answers, NOTHING)
    assert (seen.name, seen.compute) == (lab.RTX_4090["name"], "8.9")
    assert {gap.what for gap in answers.gaps} == {"gpu", "driver"}
    assert gpu.driver(answers, NOTHING, LINUX).version == "580.65.06"


def test_cuda_that_never_starts_leaves_what_nvml_told(tmp_path):
    answers = ask(lab.write(tmp_path / "drv", lab.RTX_4090, hang="cuInit"), 2)
    found = gpu.driver(answers, NOTHING, LINUX)
    assert [gap.what for gap in answers.gaps] == ["driver"]
    assert (found.cuda_init, found.nvml.code) == (None, 0)
    assert found.cuda_library.endswith("libcuda.so.1")
    assert gpu.gpus(answers, NOTHING)[0].memory_total == 24 << 30


def test_a_library_that_crashes_is_a_gap(tmp_path):
    answers = ask(lab.write(tmp_path / "drv", lab.RTX_4090, crash="nvmlInitWithFlags"))
    assert {gap.what for gap in answers.gaps} == {"gpu", "driver"}
    assert all("-6" in gap.why for gap in answers.gaps)


def test_adapters_join_by_address_and_those_alone_are_named_from_the_facts(tmp_path):
    answers = ask(lab.write(tmp_path / "drv", lab.RTX_4090))
    kernel = KernelFacts(
        adapters=(
            Adapter("0000:01:00.0", "10de", "2684", "nvidia", asleep=False),
            Adapter("0000:02:00.0", "10de", "1b81", "nouveau", asleep=True),
            Adapter("0000:00:02.0", "8086", "46a6", "i915"),
        ),
        log=("NVRM: Xid (PCI:0000:01:00): 79, pid=1, GPU has fallen off the bus.",),
    )
    first, second = gpu.gpus(answers, kernel)
    assert (first.kernel_driver, first.xids) == ("nvidia", (79,))
    assert first.seen_by == ("nvml", "cuda", "pci")
    assert (second.name, second.compute, second.architecture) == (
        "NVIDIA GeForce GTX 1070", "6.1", "Pascal",
    )  # fmt: skip
    assert (second.kernel_driver, second.asleep, second.seen_by) == ("nouveau", True, ("pci",))


def test_a_gpu_of_which_cuda_alone_tells_is_joined_by_its_place(tmp_path):
    """In a container without NVML that was given the second of two."""
    second = {**lab.RTX_4090, "bus": "00000000:81:00.0"}
    kernel = KernelFacts(
        adapters=(
            Adapter("0000:01:00.0", "10de", "1b81", "nvidia"),
            Adapter("0000:81:00.0", "10de", "2684", "nvidia"),
        )
    )
    answers = ask(lab.write(tmp_path, second, nvml_file=""))
    found = {one.pci_id: one.cuda_index for one in gpu.gpus(answers, kernel)}
    assert found == {"10de:2684": 0, "10de:1b81": None}


def test_adapters_of_unknown_place_stay_apart():
    kernel = KernelFacts(adapters=(Adapter("", "10de", "1b81"), Adapter("", "10de", "2684")))
    found = gpu.gpus(gpu_child.GpuAnswers(cuda={"devices": [{"name": "one"}]}), kernel)
    assert [(one.name, one.pci_id) for one in found] == [
        ("one", "10de:1b81"), ("NVIDIA GeForce RTX 4090", "10de:2684"),
    ]  # fmt: skip


def test_kernel_module_alone_is_part_of_a_driver():
    found = gpu.driver(
        gpu_child.GpuAnswers(), KernelFacts(modules=("nvidia",), module_on_disk=True), LINUX
    )
    assert found.modules == ("nvidia",)
    assert (
        gpu.driver(
            gpu_child.GpuAnswers(), KernelFacts(modules=("nouveau",), module_on_disk=False), LINUX
        )
        is None
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["nvml", "driver", "index", "gpu", "cuda", "file", "devices", "uuid", "name", "pid",
             "processes", "memory_total", "mig_instances", "throttled", "version", "compute"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(st.dictionaries(st.text(max_size=3), JSON, max_size=2) | JSON, max_size=6))
def test_a_child_out_of_its_mind_gives_a_snapshot_all_the_same(lines):
    answers = gpu_child.put_together(tuple(line for line in lines if isinstance(line, dict)))
    found = gpu.gpus(answers, NOTHING)
    machine = Machine(os=LINUX, gpus=found, driver=gpu.driver(answers, NOTHING, LINUX))
    assert load(dump(machine)) == machine


def fresh(**variables: str) -> dict[str, str]:
    """What a program is started with where no variable brings a library along."""
    return {"PATH": os.environ["PATH"], **variables}


def known(folder: Path, **variables: str) -> bool:
    """Whether this computer's loader, with ``folder`` besides, is known to have no driver."""
    disk = Disk("linux")
    listed = [
        *search.order(disk, fresh(), ()),
        search.order(disk, {"LD_LIBRARY_PATH": str(folder)}, ())[0],
    ]
    return gpu_child.no_driver(disk, NOTHING, listed, fresh(**variables))


@pytest.mark.skipif(os.path.exists("/dev/nvidiactl"), reason="this computer has a driver")
def test_what_is_known_without_the_child_is_what_the_child_says(tmp_path):
    assert known(tmp_path)
    answers = gpu_child.ask(fresh())
    for told, known_of in (
        (answers.nvml, gpu_child.NO_DRIVER.nvml),
        (answers.cuda, gpu_child.NO_DRIVER.cuda),
    ):
        assert {name: told[name] for name in known_of} == known_of
    assert not {"code", "version", "devices"} & answers.cuda.keys()
    assert (answers.driver, answers.gpus, answers.gaps) == ({}, {}, ())


@pytest.mark.parametrize("name", ["libcuda.so.1", "libnvidia-ml.so.1"])
def test_the_child_is_asked_where_the_loader_finds_a_library(tmp_path, name):
    (tmp_path / name).touch()
    assert not known(tmp_path)


@pytest.mark.parametrize("name", ["LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT"])
def test_the_child_is_asked_where_a_variable_brings_libraries(tmp_path, name):
    assert not known(tmp_path, **{name: str(tmp_path)})


@pytest.mark.parametrize(
    "kernel",
    [
        KernelFacts(kernel_version="580.65.06"),
        KernelFacts(modules=("nouveau",)),
        KernelFacts(nodes=(DeviceNode(path="/dev/dxg", exists=False),)),
        KernelFacts(adapters=(Adapter("0000:01:00.0", "10de", "2684"),)),
        KernelFacts(gaps=(Gap(what="kernel-log", why="closed"),)),
    ],
)
def test_the_child_is_asked_where_the_kernel_knows_anything(kernel):
    disk = Disk("linux")
    assert not gpu_child.no_driver(disk, kernel, search.order(disk, fresh(), ()), fresh())


def test_the_child_is_asked_where_the_folders_are_unknown():
    assert not gpu_child.no_driver(Disk("linux"), NOTHING, (), fresh())
