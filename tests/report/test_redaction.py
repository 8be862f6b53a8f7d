"""What a report must not tell, planted everywhere a computer could hold it."""

from __future__ import annotations

import random
import string

import msgspec
import pytest
from machines.computers import NAMES, golden, redacted, thought
from machines.each import each_computer

from cudnn_assistant.diagnose import diagnose
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Facts, Finding, Having, Manual
from cudnn_assistant.machine import (
    CudnnCopy,
    Driver,
    Framework,
    Gap,
    GpuProcess,
    Machine,
    PathEntry,
    PythonEnvironment,
    Trial,
    Value,
    Variable,
    dump,
    load,
)
from cudnn_assistant.plan import Entry, Plan, Rehearsal
from cudnn_assistant.report.known import known
from cudnn_assistant.report.reading import read_report
from cudnn_assistant.report.redaction import Redactor
from cudnn_assistant.report.text import write_report

PLANTED = 2400


def word(dice: random.Random, size: int, letters: str = string.ascii_lowercase) -> str:
    return "".join(dice.choice(letters) for _ in range(size))


def secret(dice: random.Random) -> tuple[str, str]:
    """A kind of secret and one of it; every one can't be guessed from what a report may keep."""
    name = "q" + word(dice, 7)
    long = word(dice, 28, string.ascii_letters + string.digits) + "7f9"
    ip = ".".join(str(dice.randint(17, 126)) for _ in range(4))  # 127 is everybody's own
    return dice.choice(
        [
            ("person", name),
            ("mail", f"{name}@{word(dice, 6)}.example"),
            ("ip", ip),
            ("mac", ":".join(f"{dice.randint(0, 255):02x}" for _ in range(6))),
            (
                "ipv6",
                f"fd{dice.randint(10, 99)}:{dice.randint(1000, 9999)}::{dice.randint(1000, 9999)}",
            ),
            ("uuid", f"GPU-{dice.getrandbits(32):08x}-1234-4321-abcd-{dice.getrandbits(48):012x}"),
            ("password", f"{name}{dice.randint(100, 999)}"),
            ("token", f"hf_{long}"),
            ("random", long),
            ("share", name),
            ("project", f"{name}-merger"),
            ("host", f"{name}-pc"),
        ]
    )


def texts(kind: str, value: str, windows: bool) -> list[str]:
    """Texts that hold the secret, as the snapshot's free fields could."""
    home = rf"C:\Users\{value}\x" if windows else f"/home/{value}/x"
    project = rf"D:\{value}\lib" if windows else f"/data/{value}/lib"
    said = {
        "person": [
            home,
            f"Could not load library {home}: no such file",
            f"{home}{';' if windows else ':'}/usr/lib",
        ],
        "mail": [f"contact {value} for help", value],
        "ip": [f"connect to {value} refused", f"http://{value}:8080/simple", f"{value}:3128"],
        "mac": [f"eth0 {value} up"],
        "ipv6": [f"listening on {value} now"],
        "uuid": [f"CUDA_VISIBLE_DEVICES={value}", f"device {value} lost"],
        "password": [
            f"https://me:{value}@mirror.example/simple",
            f"API_KEY={value}",
            f"password: {value}",
        ],
        "token": [f"token {value}", value],
        "random": [f"got {value} back", value],
        "share": [rf"\\fileserver\{value}\cuda\bin", rf"can't open \\{value}\public\x.dll"],
        "project": [project, f"can't open {project}/libcudnn.so.9 now"],
        "host": [f"driver on {value} stopped", f"me@{value}:~$ python"],
    }
    return said[kind]


def planted(machine: Machine, kind: str, value: str, text: str, dice: random.Random) -> Machine:
    """The machine with the text in one of the fields where such a thing could come from."""
    path = "\\" in text[:4] or text[:1] in "/\\" or text[1:2] == ":"
    places = {
        "variables": Variable(scope="user", name="CUDA_HOME", value=Value(text=text), source="x"),
        "gaps": Gap(what="gpu", why=text),
        "trials": Trial(subject="system", stage="load", status="crashed", detail=text, output=text),
        "other_gpus": text,
    }
    if path and not text.count(" ") and kind in ("person", "project", "share"):
        places |= {
            "cudnns": CudnnCopy(folder=text, file="libcudnn.so.9", major=9),
            "search": PathEntry(variable="PATH", scope="user", text=text, folder=text),
            "pythons": PythonEnvironment(id=text, python=text),
        }
    name = dice.choice(sorted(places))
    return msgspec.structs.replace(machine, **{name: (*getattr(machine, name), places[name])})


@pytest.fixture(scope="module")
def leaks() -> dict[str, list[str]]:
    """Every secret that is still in the written report, by kind; planted a hundred at a time."""
    dice = random.Random(20260921)
    found: dict[str, list[str]] = {}
    bases = [golden(name) for name in NAMES if "healthy" in name][:12]
    for batch in range(PLANTED // 100):
        machine = bases[batch % len(bases)]
        windows = machine.os.family == "windows"
        host = f"hostbox{batch}"
        secrets = [secret(dice) for _ in range(100)]
        machine = msgspec.structs.replace(machine, driver=machine.driver or Driver())
        for kind, value in secrets:
            text = dice.choice(texts(kind, value, windows))
            text = text.replace(value, host) if kind == "host" else text
            machine = planted(machine, kind, value, text, dice)
        secrets = [(k, host if k == "host" else v) for k, v in secrets]
        clean = redacted(machine, host=host)
        report = write_report(clean, diagnose(clean, load_builtin()), "unknown")
        for kind, value in secrets:
            if value.casefold() in report.casefold():
                found.setdefault(kind, []).append(value)
    return found


@pytest.mark.parametrize(
    "kind",
    "person mail ip mac ipv6 uuid password token random share project host".split(),  # noqa: SIM905
)
def test_no_planted_secret_is_in_the_report(leaks: dict[str, list[str]], kind: str) -> None:
    assert not leaks.get(kind, [])


def findings(machine: Machine) -> list[tuple[str, str, str]]:
    return told(diagnose(machine, load_builtin()))


def told(findings: tuple[Finding, ...]) -> list[tuple[str, str, str]]:
    return [(f.code, f.severity, type(f.remedy).__name__) for f in findings]


def test_the_field_s_own_packages_keep_their_names() -> None:
    """Rules ask for them, and a remedy names what it installs."""
    packages = {one.name for one in load_builtin().frameworks} | {
        "jax-cuda12-pjrt", "nvidia-cusparselt-cu12", "nvidia-nvfatbin", "nvidia-cuda-cccl",
        "nvidia-nvshmem-cu12", "nvidia-cufile-cu12", "tensorrt_cu13_libs", "mxnet-cu112",
        "nvidia-dali-cuda120", "torchtext", "torchvision", "torchaudio",
    }  # fmt: skip
    assert [name for name in sorted(packages) if not known(name)] == []


@each_computer
def test_nothing_that_the_diagnosis_needs_is_lost(name: str) -> None:
    machine = golden(name)
    clean = redacted(machine, host="some-host")
    assert findings(clean) == told(thought(name).findings)
    assert redacted(clean) == clean
    assert read_report(write_report(clean, (), "unknown")).machine == clean


@pytest.mark.parametrize(
    "name",
    [
        "cuda",
        "nvidia",
        "lib",
        "python",
        "cudnn",
        "torch",
        "gpu",
        "bin",
        "a",
        "usr",
        "wheel",
        "system",
        "shared",
        "object",
        "will",
    ],
)
def test_a_person_named_like_a_product_breaks_nothing(name: str) -> None:
    text = dump(golden("linux-cudnn-not-on-path")).decode()
    machine = load(text.replace("/home/kim", f"/home/{name}"))
    clean = redacted(machine, home=f"/home/{name}", user=name, host=f"{name}-1")
    assert findings(clean) == findings(machine)
    assert f"/home/{name}/" not in dump(clean).decode()
    assert [t.root for t in clean.toolkits] == [t.root for t in machine.toolkits]


VERSIONS = [
    "Loaded runtime CuDNN library: 9.1.0.70 but source was compiled with: 9.10.2.21",
    "cuDNN version 9.10.2.21",
    "nvidia-cudnn-cu12==9.1.0.70",
    "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:762)",
    "libcudnn_cnn.so.9: cannot open shared object file: No such file or directory",
    "/usr/local/cuda-12.8/lib64/libcublasLt.so.12",
    r"C:\Program Files\NVIDIA\CUDNN\v9.8\bin\12.8\cudnn64_9.dll",
    "Invalid handle. Cannot load symbol cudnnCreateConvolutionDescriptor",
    "NVIDIA GeForce RTX 4090 Laptop GPU",
    "symbol lookup error: undefined symbol: _ZTIN10cask_cudnn14BaseKernelInfoE",
    "DLL load failed while importing onnxruntime_pybind11_state",
    "found 9.10.2.21 beside 8.9.7.29",
    "undefined symbol: memcpy@GLIBC_2.14",
    "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus.",
    r"%SystemRoot%\system32\cudnn64_9.dll",
    "PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')",
    r"C:\Program Files could not be read",
]


@pytest.mark.parametrize("text", VERSIONS)
def test_what_helpers_need_stays(text: str) -> None:
    machine = golden("linux-healthy")
    machine = msgspec.structs.replace(machine, gaps=(Gap(what="gpu", why=text),))
    assert redacted(machine, user="kim", host="pc").gaps[0].why == text


def test_a_limit_is_told_by_its_number_alone() -> None:
    machine = golden("linux-tried-limit")
    assert "`AS=8589934592`" in write_report(redacted(machine), (), "broken")
    text = dump(machine).decode().replace("8589934592", "kim")
    assert '"kim"' not in dump(redacted(load(text), user="kim")).decode()


@pytest.mark.parametrize(
    "path",
    [
        "/home/user-1/.pyenv/shims",
        "/mnt/c/Users/user-1/AppData/Local/Microsoft/WindowsApps",
        "/home/user-1/.local/share/uv/python/cpython-3.12.4-linux-x86_64-gnu/bin",
        "/home/user-1/.conda/envs/folder-1/lib",
        "/opt/cuda/extras/CUPTI/lib64",
        "/content/drive/MyDrive/folder-1",
        r"C:\Users\user-1\scoop\apps\python\current",
        r"C:\Users\user-1\AppData\Local\Packages\PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0",
        r"C:\folder-1\python_embeded\Lib\site-packages\torch\lib",
    ],
)
def test_the_folder_of_a_known_program_says_which_one_it_is(path: str) -> None:
    machine = golden("linux-healthy" if path.startswith("/") else "windows-healthy")
    copy = CudnnCopy(folder=path, file="x", major=9)
    assert redacted(msgspec.structs.replace(machine, cudnns=(copy,))).cudnns[0].folder == path


@pytest.mark.parametrize(
    ("system", "gpu", "called"),
    [
        ("Red Hat Enterprise Linux 9.4 (Plow)", "NVIDIA A10-24Q", "docker"),
        ("Fedora Linux 42", "NVIDIA H100 PCIe MIG 3g.40gb", "fedora"),
        ("Windows Server 2022", "NVIDIA TITAN RTX", "titan"),
        ("Kali GNU/Linux Rolling", "Orin (nvgpu)", "orin"),
    ],
)
def test_what_its_maker_called_it_stays(system: str, gpu: str, called: str) -> None:
    machine = golden("linux-healthy")
    card = msgspec.structs.replace(machine.gpus[0], name=gpu)
    os = msgspec.structs.replace(machine.os, name=system, container="docker")
    clean = redacted(msgspec.structs.replace(machine, os=os, gpus=(card,)), host=called)
    assert (clean.os, clean.gpus[0].name) == (os, gpu)


@pytest.mark.parametrize("line", [
    "Nov 21 10:00:01 {} kernel: NVRM: loading", "<6>Nov  1 10:00:01 {} systemd[1]: Started",
    "2026-11-21T10:00:01.123456+01:00 {} kernel: NVRM: loading",
])  # fmt: skip
@pytest.mark.parametrize("host", ["ubuntu", "server", "zqbox"])
def test_the_computer_that_wrote_a_line_is_marked_whatever_it_is_called(
    line: str, host: str
) -> None:
    assert Redactor(golden("linux-healthy")).text(line.format(host)) == line.format("host-1")


def test_the_level_of_a_message_is_no_computer() -> None:
    line = "2026-11-21T10:00:01.123Z ERROR trainer[12]: cudnn stopped"
    assert Redactor(golden("linux-healthy")).text(line) == line


def test_what_names_people_in_our_sources_makes_no_known_word() -> None:
    told = Redactor(golden("linux-healthy")).text("thanks to Brian and Liu, brian2 runs")
    assert told == "thanks to ⟨left out⟩ and ⟨left out⟩, brian2 runs"


@pytest.mark.parametrize(
    "day", ["17.06.1960", "17/06/1960", "1960-06-17", "06-17-1999", "1.2.2003", "2001/1/2"]
)
def test_a_day_before_cuda_was_is_somebodys_birthday(day: str) -> None:
    redactor = Redactor(golden("linux-healthy"))
    assert day[-4:] not in redactor.text(f"born {day}")
    assert redactor.text("2026-06-17") == "2026-06-17"


@pytest.mark.parametrize(
    ("version", "told"),
    [("2.8.0+zorblax", "2.8.0+local"), ("2.8.0+ZorblaxGmbH.3", "2.8.0+local.3")]
    + [(v, v) for v in ("2.8.0+cu128", "2.3.0a0+6ddf5cf85e.nv24.04", "2.8.0+cpu", "2.4.0+rocm6.2")],
)
def test_whose_build_it_is_is_left_out(version: str, told: str) -> None:
    machine = golden("linux-healthy")
    one = PythonEnvironment(id="/v", frameworks=(Framework(name="torch", version=version),))
    (shown,) = redacted(msgspec.structs.replace(machine, pythons=(one,))).pythons
    assert shown.frameworks[0].version == told


@pytest.mark.parametrize(
    ("owner", "told"),
    [("zorblax-cudnn9 9.8.0.87-1", "*** 9.8.0.87-1")]
    + [(one, one) for one in ("nvidia-cublas-cu12 12.8.4.1", "libcublas-12-8 12.8.4.1-1",
                              "libcublas12 12.0.2.224~12.0.1-4build3",
                              "libnvidia-compute-470-server 470.256.02-0ubuntu0.24.04.1")],
)  # fmt: skip
def test_whose_package_it_is_is_left_out(owner: str, told: str) -> None:
    machine = golden("linux-healthy")
    one = msgspec.structs.replace(machine.cudnns[0], owner=owner)
    assert redacted(msgspec.structs.replace(machine, cudnns=(one,))).cudnns[0].owner == told


def test_a_uuid_that_begins_with_digits_alone_is_no_mark() -> None:
    machine = golden("linux-healthy")
    uuid = "MIG-11111111-1111-1111-1111-111111111111"
    gpu = msgspec.structs.replace(machine.gpus[0], mig_instances=(uuid,))
    clean = redacted(msgspec.structs.replace(machine, gpus=(gpu,)))
    assert clean.gpus[0].mig_instances == ("MIG-1",)
    assert redacted(clean) == clean


def test_processes_are_named_but_not_whose_they_are() -> None:
    machine = golden("linux-gpu-memory-taken")
    gpu = msgspec.structs.replace(
        machine.gpus[0], processes=(GpuProcess(pid=7, name="/home/kim/secretgame/blender"),)
    )
    clean = redacted(msgspec.structs.replace(machine, gpus=(gpu,)))
    assert clean.gpus[0].processes[0].name == "/home/user-1/folder-1/folder-2"


def test_what_the_try_of_a_change_found_holds_no_names_either() -> None:
    facts = Facts(folder="/home/kim/secret-project/lib", file=("/home/kim/a.so", "/home/kim/b.so"))
    lines = (Having(what="/home/kim/x", names=("/home/kim/a.so",)),)
    found = Finding(
        code="package-changed", severity="error", facts=facts, evidence=lines, remedy=Manual()
    )
    plan = Plan(rehearsal=Rehearsal(outcome="stopped", also=(found,), hindrances=(found,)))
    entry = Entry(id="1", when="2026-11-27T10:00:00Z", plan=plan)
    (told,) = Redactor(golden("linux-healthy")).entries([entry])
    text = str(msgspec.to_builtins(told))
    assert "kim" not in text
    assert "secret-project" not in text
    assert told.plan.rehearsal is not None
    assert isinstance(told.plan.rehearsal.also[0].evidence[0], Having)
