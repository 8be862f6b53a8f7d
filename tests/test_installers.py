"""Installers on Linux: the real table and script, a pkexec and package managers of ours."""

from __future__ import annotations

import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import needs
import pytest
from kills import tried
from machines.computers import golden
from test_apply import _count_down, in_child

from cudnn_assistant import places
from cudnn_assistant.apply import NotApplied, apply, recover, run_installer
from cudnn_assistant.cli.carrying import DONE, Maker
from cudnn_assistant.cli.changing import undo
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Automatic, Finding, Installer, Manual, SetTo
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Driver, Gpu, Library, Machine, OperatingSystem, Value
from cudnn_assistant.plan import (
    Entry,
    Plan,
    RunInstaller,
    SetVariable,
    demands,
    installers,
    licences,
    make_plan,
    preview,
    undo_plan,
)
from cudnn_assistant.plan.installer_table import PACKAGES, PROGRAMS
from cudnn_assistant.plan.kinds.installer import outcome, stays
from cudnn_assistant.session import Session
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.past import Past
from cudnn_assistant.system import administrator, policy
from cudnn_assistant.system.administrator import BEGUN
from cudnn_assistant.system.linux import Linux
from cudnn_assistant.wording import language
from cudnn_assistant.wording.refusals import why

# Loaded before a test leaves Python's own files behind.
import_module("cudnn_assistant.session.rehearsal")

DEBIAN = OperatingSystem(
    family="linux",
    distribution=("debian",),
    version="6.12.9-amd64",
    architecture="x86_64",
    secure_boot=False,
    desktop=True,
)
COMPAT = load_builtin()


def machine(system: OperatingSystem = DEBIAN, *computes: str, **other: Any) -> Machine:
    gpus = tuple(Gpu(compute=compute) for compute in computes or ("8.9",))
    return Machine(os=msgspec.structs.replace(system, **other), gpus=gpus)


def row(**other: Any) -> str:
    computes = other.pop("computes", ("8.9",))
    found = installers.driver(machine(DEBIAN, *computes, **other), COMPAT)
    return found.row if found else ""


# The table -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("distribution", "kernel", "wanted"),
    [
        (("debian",), "6.1.0-26-amd64", "driver-debian"),
        (("debian",), "6.12.41+deb13-amd64", "driver-debian"),
        (("debian",), "6.1.0-26-cloud-amd64", ""),
        (("debian",), "6.12.9+bpo-amd64", ""),
        (("ubuntu", "debian"), "6.8.0-48-generic", "driver-ubuntu"),
        (("linuxmint", "ubuntu", "debian"), "6.8.0-48-generic", "driver-ubuntu"),
        (("fedora",), "6.11.5-300.fc41.x86_64", "driver-fedora"),
        (("rhel", "fedora"), "4.18.0-553.el8_10.x86_64", "driver-rhel8"),
        (("rocky", "rhel"), "5.14.0-503.el9.x86_64", "driver-rhel9"),
        (("almalinux", "rhel"), "6.12.0-55.el10_0.x86_64", "driver-rhel10"),
        (("arch",), "6.11.5-arch1-1", "driver-arch"),
        (("arch",), "6.6.58-1-lts", ""),
        # It keeps its drivers in packages of other names.
        (("manjaro", "arch"), "6.11.5-1-MANJARO", ""),
        (("pop", "ubuntu", "debian"), "6.9.3-generic", ""),
        (("opensuse-leap", "suse"), "6.4.0-150600.23-default", "driver-suse"),
        (("opensuse-tumbleweed", "opensuse", "suse"), "6.17.5-1-default", "driver-suse"),
        (("opensuse-leap", "suse"), "6.4.0-150600.23-azure", ""),
        # Its system can't be changed while it runs.
        (("opensuse-microos", "suse"), "6.17.5-1-default", ""),
        (("sles", "suse"), "6.4.0-default", ""),
        ((), "6.1.0", ""),
    ],
)
def test_each_distribution_has_commands_of_its_own(
    distribution: tuple[str, ...], kernel: str, wanted: str
) -> None:
    assert row(distribution=distribution, version=kernel) == wanted


@pytest.mark.parametrize(
    "other",
    [
        {"wsl": 2},
        {"container": "docker"},
        {"sandbox": "flatpak"},
        {"architecture": "aarch64"},
        {"secure_boot": True},
        {"secure_boot": None},
        {"computes": ("12.0",)},
        {"computes": ("3.5",)},
        {"computes": ("",)},
        {"computes": ("8.9", "3.5")},
    ],
)
def test_nothing_is_started_that_might_not_help(other: dict[str, Any]) -> None:
    assert row() == "driver-debian"
    assert row(**other) == ""


def test_ubuntu_chooses_by_the_gpu_and_signs_its_modules() -> None:
    ubuntu = {"distribution": ("ubuntu", "debian"), "secure_boot": True}
    assert row(**ubuntu, computes=("12.0",)) == row(**ubuntu, computes=("",)) == "driver-ubuntu"


UBUNTU = ("ubuntu", "debian")


def with_driver(owner: str, distribution: tuple[str, ...] = UBUNTU, **other: Any) -> Machine:
    whole = machine(DEBIAN, distribution=distribution, **other)
    library = Library(name="nvml", path="/lib/libnvidia-ml.so.1", owner=owner)
    driver = Driver(version="570.133.20")
    return msgspec.structs.replace(whole, driver=driver, libraries=(library,))


@pytest.mark.parametrize(
    ("here", "wanted"),
    [
        (with_driver("libnvidia-compute-570 570.133.20-0ubuntu1"), "driver-ubuntu"),
        # Nobody knows which files NVIDIA's own installer left.
        (with_driver(""), ""),
        # Its packages are of one branch, which may be the one that is there.
        (with_driver("libnvidia-compute-570 570.133.20", ("debian",)), ""),
        (with_driver("libnvidia-compute-570 570.133.20", ("pop", "ubuntu")), ""),
        (with_driver("libnvidia-compute-570 570.133.20", container="docker"), ""),
    ],
)
def test_another_driver_comes_from_who_brought_the_one_that_is_there(
    here: Machine, wanted: str
) -> None:
    found = installers.driver(here, COMPAT, instead=True)
    assert (found.row if found else "") == wanted


def test_a_part_of_the_driver_comes_in_the_version_that_is_there() -> None:
    here = with_driver("libnvidia-compute-570-server 570.133.20-0ubuntu1")
    compute, fabric = (installers.part(here, one) for one in ("driver-compute", "fabric-manager"))
    assert compute
    assert fabric
    assert installers.lines_of(compute)[-1].endswith(" libnvidia-compute-570-server")
    assert "'nvidia-fabricmanager-570=570.133.20*'" in installers.lines_of(fabric)[1]
    assert installers.step_of(compute).back.endswith(" libnvidia-compute-570-server")
    for other in (with_driver(""), with_driver("libnvidia-compute-570-server 1", ("debian",))):
        assert installers.part(other, "fabric-manager") is None


@pytest.mark.parametrize("text", ["570; reboot", "570 x", "", "570.133.20*", "$(id)", "570\n"])
def test_of_a_computer_only_a_plain_version_gets_into_a_line(text: str) -> None:
    for row in ("driver-compute-ubuntu", "fabric-manager-ubuntu"):
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            installers.step_of(Installer(row=row, version=text))


def test_of_the_feed_only_a_plain_version_gets_into_an_address() -> None:
    windows = OperatingSystem(family="windows", architecture="x86_64")
    hostile = ("12.6.3/../../x", "12.6.3 -x", "1.2.3", "14.0.0", "12.6.3\n", "")
    assert installers.toolkit(windows, hostile) is None
    assert installers.toolkit(DEBIAN, ("12.6.3",)) is None
    found = installers.toolkit(windows, (*hostile, "12.6.3", "12.4.1", "11.8.0"))
    assert found == Installer(row="toolkit", version="12.6.3")
    step = installers.step_of(found)
    assert step.link.startswith("https://developer.download.nvidia.com/compute/cuda/12.6.3/")
    assert "cublas_12.6" in installers.arguments_of(step)
    for text in hostile[:-1]:
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            installers.step_of(Installer(row="toolkit", version=text))


@pytest.mark.parametrize(
    ("series", "file"),
    [
        ("10.1", "10.1/Prod/network_installers/cuda_10.1.243_win10_network.exe"),
        ("11.2", "11.2.2/network_installers/cuda_11.2.2_win10_network.exe"),
        ("11.4", "11.4.4/network_installers/cuda_11.4.4_windows_network.exe"),
        ("11.8", "11.8.0/network_installers/cuda_11.8.0_windows_network.exe"),
        ("13.0", "13.0.2/network_installers/cuda_13.0.2_windows_network.exe"),
        ("13.2", "13.2.0/network_installers/cuda_13.2.0_windows_network.exe"),
        ("13", "13.4.2/network_installers/cuda_13.4.2_windows_x86_64_network.exe"),
        ("9.0", ""),
        ("10.0", ""),
    ],
)
def test_each_toolkit_has_the_name_that_nvidia_gave_it(series: str, file: str) -> None:
    windows = OperatingSystem(family="windows", architecture="x86_64")
    known = [kit.version for kit in load_builtin().toolkits]
    same = [version for version in known if f"{version}.".startswith(f"{series}.")]
    found = installers.toolkit(windows, same)
    link = installers.step_of(found).link if found else ""
    assert link.removeprefix("https://developer.download.nvidia.com/compute/cuda/") == file
    if found and series < "13":
        arguments = installers.arguments_of(installers.step_of(found))
        # The parts are named, so that the display driver isn't one of them.
        assert f"cublas_{series}" in arguments
        assert not any("Display" in word for word in arguments)


WINDOWS = OperatingSystem(
    family="windows", name="Windows 11 Pro", version="10.0.26100", architecture="x86_64"
)


def windows_row(*gpus: Gpu, there: str = "", needed: str = "", **other: Any) -> str:
    here = Machine(
        os=msgspec.structs.replace(WINDOWS, **other),
        gpus=gpus,
        driver=Driver(version=there) if there else None,
    )
    found = installers.driver(here, load_builtin(), needed)
    return found.row if found else ""


@pytest.mark.parametrize(
    ("name", "compute", "pci", "row"),
    [
        ("NVIDIA GeForce RTX 4070", "8.9", "", "driver-windows-desktop"),
        ("NVIDIA GeForce RTX 4070 Laptop GPU", "8.9", "", "driver-windows-notebook"),
        ("NVIDIA GeForce GTX 1060 6GB", "6.1", "10de:1c03", "driver-windows-desktop"),
        # The driver gives card and notebook one name; the number of the device tells them apart.
        ("NVIDIA GeForce GTX 1060", "6.1", "10de:1c20", "driver-windows-notebook"),
        ("NVIDIA GeForce GTX 1060", "6.1", "", ""),
        ("NVIDIA GeForce RTX 2060", "7.5", "", ""),
        (
            "NVIDIA GeForce RTX 2080 with Max-Q Design",
            "7.5",
            "10de:1ed0",
            "driver-windows-notebook",
        ),
        # Without any driver Windows knows no name of its own.
        ("Microsoft Basic Display Adapter", "", "10de:2684", "driver-windows-desktop"),
        ("NVIDIA RTX A2000", "8.6", "", "driver-windows-workstation"),
        ("NVIDIA RTX 4000 SFF Ada Generation", "8.9", "", "driver-windows-workstation"),
        ("Quadro P1000", "6.1", "", "driver-windows-workstation"),
        ("NVIDIA T600", "7.5", "", "driver-windows-workstation"),
        ("NVIDIA TITAN RTX", "7.5", "", "driver-windows-desktop"),
        ("Tesla T4", "7.5", "", ""),
        ("NVIDIA A100-PCIE-40GB", "8.0", "", ""),
        ("NVIDIA GeForce GTX 780", "3.5", "", ""),
        ("NVIDIA GeForce RTX 6090", "13.0", "", ""),
        ("", "", "", ""),
    ],
)
def test_windows_gets_the_driver_of_its_kind(name: str, compute: str, pci: str, row: str) -> None:
    assert windows_row(Gpu(name=name, compute=compute, pci_id=pci)) == row


def test_a_driver_is_never_older_than_what_is_there_or_needed() -> None:
    gpu = Gpu(name="NVIDIA GeForce RTX 4070", compute="8.9")
    assert windows_row(gpu, there="546.33", needed="580") == "driver-windows-desktop"
    assert windows_row(gpu, there="580.88") == windows_row(gpu, there="591.44") == ""
    assert windows_row(gpu, there="546.33", needed="580.88") == "driver-windows-desktop"
    assert windows_row(gpu, there="546.33", needed="590") == ""
    assert windows_row(gpu, name="Windows Server 2022 Standard") == ""
    assert windows_row(gpu, version="6.3.9600") == ""
    assert windows_row(gpu, architecture="aarch64") == ""
    assert windows_row() == ""
    notebook = Gpu(name="NVIDIA GeForce RTX 4070 Laptop GPU", compute="8.9")
    assert windows_row(gpu, notebook) == ""


def test_an_older_gpu_of_opensuse_gets_the_driver_that_still_knows_it() -> None:
    leap = {"distribution": ("opensuse-leap", "suse"), "version": "6.4.0-default"}
    assert row(**leap, computes=("6.1",)) == "driver-suse-older"
    assert row(**leap, computes=("6.1",), secure_boot=True) == ""
    assert row(**leap, computes=("8.9",), secure_boot=True) == "driver-suse"
    assert row(**leap, computes=("6.1", "8.9")) == row(**leap, computes=("3.5",)) == ""


@pytest.mark.parametrize(
    ("distribution", "words"),
    [
        (("pop", "ubuntu", "debian"), "ubuntu-drivers install"),
        (("kali", "debian"), "nvidia-driver"),
        (("manjaro", "arch"), "nvidia-open"),
        (("nobara", "fedora"), "akmod-nvidia"),
        (("fedora-ostree",), "rpm-ostree install"),
        (("ol", "fedora"), "nvidia-driver:open-dkms"),
        (("sles", "suse"), "nvidia-open-driver-G07-signed-kmp-meta"),
        (("gentoo",), ""),
    ],
)
def test_a_like_distribution_is_shown_commands_that_nobody_starts(
    distribution: tuple[str, ...], words: str
) -> None:
    here = machine(distribution=distribution, version="6.6.1")
    assert words in " ".join(installers.commands(here, COMPAT))
    assert installers.driver(here, COMPAT) is None


def test_no_command_is_shown_for_a_driver_that_would_not_do() -> None:
    arch = machine(DEBIAN, "6.1", distribution=("arch",))
    assert installers.commands(arch, COMPAT) == ()
    assert installers.commands(machine(DEBIAN, "12.0"), COMPAT) == ()
    assert installers.commands(machine(), COMPAT, "525.60.13")
    assert installers.commands(machine(), COMPAT, "580.65.06") == ()


def test_every_row_can_be_shown_and_taken_back_by_the_person() -> None:
    versions = {
        "toolkit-10": "10.1.243",
        "toolkit-11": "11.2.2",
        "toolkit": "12.6.3",
        "toolkit-13": "13.0.2",
        "toolkit-13-4": "13.4.2",
        "driver-compute-ubuntu": "570-server",
        "fabric-manager-ubuntu": "570.133.20",
    }
    for name in (*PACKAGES, *PROGRAMS):
        step = installers.step_of(Installer(row=name, version=versions.get(name, "")))
        assert installers.is_of_the_table(step)
        (change,) = preview(Plan(steps=(step,)), machine())
        assert change.administrator
        assert "can't take it back" in change.notes[-1]


def test_an_installer_is_named_before_what_is_said_of_it() -> None:
    """Inside of a sentence its name would need an article and a case of its own."""
    step = installers.step_of(Installer(row="driver-debian"))
    try:
        for name in language.LANGUAGES:
            language.choose([name])
            called = outcome(step).name
            others = (msgspec.structs.replace(step, exit=code) for code in (0, 100))
            said = [stays(step), *(outcome(one).text for one in (step, *others))]
            for text in said:
                assert re.match(re.escape(called) + r"\s?[:：]", text, re.IGNORECASE), text
                assert not text[0].islower()
    finally:
        language.choose(["en"])


# The plan ------------------------------------------------------------------------------------


def finding(code: str, remedy: Any) -> Finding:
    return Finding(code=code, severity="error", remedy=remedy)


MISSING = finding("driver-missing", Manual(restart=True, installer=Installer(row="driver-debian")))
SETTING = finding("cuda-path-stale", Automatic(edits=(SetTo(variable="CUDA_PATH", text="/x"),)))


def test_an_installer_comes_last_and_can_be_left_out() -> None:
    here = machine()
    plan = make_plan((MISSING, SETTING, MISSING), here, COMPAT)
    assert [type(step) for step in plan.steps] == [SetVariable, RunInstaller]
    assert plan.steps[1].why == ("driver-missing",)
    assert demands(plan, here).administrator == (1,)
    assert demands(plan, here).restart
    only = make_plan((MISSING, SETTING), here, COMPAT, only=frozenset({"cuda-path-stale"}))
    assert [type(step) for step in only.steps] == [SetVariable]


def test_where_nobody_can_be_asked_there_is_no_step() -> None:
    assert make_plan((MISSING,), machine(desktop=False), COMPAT).steps == ()
    assert make_plan((MISSING,), machine(desktop=False, administrator=True), COMPAT).steps


def test_windows_gets_nvidias_and_microsofts_own_installers() -> None:
    compat = load_builtin()
    runtime = think(golden("windows-vc-runtime-missing"), compat)
    (step,) = runtime.plan.steps
    assert isinstance(step, RunInstaller)
    assert step.link == "https://aka.ms/vs/17/release/vc_redist.x64.exe"

    healthy = golden("windows-healthy")
    broken = msgspec.structs.replace(healthy.trials[0], status="status-code", code=4001)
    toolkit = think(msgspec.structs.replace(healthy, trials=(broken,)), compat)
    (step,) = toolkit.plan.steps
    assert isinstance(step, RunInstaller)
    assert step.why == ("nvrtc-missing",)
    assert re.fullmatch(r"https://developer\.download\.nvidia\.com/.*/cuda_12\.\d\.\d_windows_network"
                        r"\.exe", step.link)  # fmt: skip
    assert licences(toolkit.plan) == (step.licence,)


# Running -------------------------------------------------------------------------------------

SOMEBODY = 12345
STEP = installers.step_of(Installer(row="driver-ubuntu"), restart=True, why=("driver-missing",))
VARIABLE = SetVariable(scope="user", name="CUDA_PATH", after=Value(text="/opt/cuda"))
ALL = [
    "apt-get update",
    "apt-get install -y ubuntu-drivers-common",
    "ubuntu-drivers install nvidia",
    r"dpkg-query -W -f ${db:Status-Abbrev}\n nvidia-driver-*",
]
TOOL = r"""#!/bin/sh
printf '%s\n' "$(id -u) ${0##*/} $*" >> /opt/made/calls
echo "doing ${0##*/} $*"
while [ -e /opt/made/wait ]; do sleep 0.05; done
if [ -e /opt/made/trouble ]; then echo "E: Unable to locate package" >&2; exit 100; fi
[ "$1" != install ] || touch /opt/made/driver
[ "$1" != -W ] || [ -e /opt/made/nothing ] || echo "ii "
"""
YES = """
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char **words) {
    clearenv();
    for (int handle = 3; handle < 256; handle++) close(handle);
    if (setuid(0) || setgid(0)) return 127;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execv(words[1], words + 1);
    return 127;
}
"""
NO = "#!/bin/sh\necho 'Error executing command as another user: Not authorized' >&2\nexit 126\n"
NOBODY = "#!/bin/sh\necho 'Error: No authentication agent was found.' >&2\nexit 127\n"


@pytest.fixture(scope="module")
def yes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pkexec that gets a yes; like the real one it keeps three handles and no environment."""
    folder = tmp_path_factory.mktemp("yes")
    (folder / "pkexec.c").write_text(YES)
    command = ["gcc", str(folder / "pkexec.c"), "-o", str(folder / "pkexec")]
    subprocess.run(command, check=True, timeout=60)
    return folder / "pkexec"


def on_a_system_of_its_own(
    act: Callable[[], None], pkexec: Path | str, user: int = SOMEBODY, **environment: str
) -> None:
    """``act`` as that user, where Ubuntu's tools are ours and nothing else can be changed."""

    def inside() -> None:
        private()
        for folder in ("bin", "made", "home"):
            os.mkdir(f"/opt/{folder}")
        for name in ("apt-get", "ubuntu-drivers", "dpkg-query"):
            write(f"/usr/sbin/{name}", TOOL)
        if isinstance(pkexec, str):
            write("/opt/bin/pkexec", pkexec)
        else:
            shutil.copy(pkexec, "/opt/bin/pkexec")
            os.chmod("/opt/bin/pkexec", 0o4755)
        os.chmod("/opt/made", 0o777)
        os.chown("/opt/home", user, user)
        if user:
            os.setgid(user)
            os.setuid(user)
        administrator.PKEXEC = ("/opt/bin/pkexec",)
        os.environ.clear()
        given = {"PATH": "/opt/bin:/usr/bin:/bin", "HOME": "/opt/home", "DISPLAY": ":0"}
        os.environ.update(given | environment)
        act()

    in_child(inside)


def private() -> None:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    everything_private, new_namespace = 0x4000 | 0x40000, 0x20000
    assert libc.unshare(new_namespace) == 0
    assert libc.mount(b"none", b"/", b"", everything_private, None) == 0
    for folder in (b"/opt", b"/usr/sbin"):
        assert libc.mount(b"tmpfs", folder, b"tmpfs", 0, None) == 0


def write(path: str, text: str) -> None:
    Path(path).write_text(text)
    os.chmod(path, 0o755)


def calls() -> list[str]:
    path = Path("/opt/made/calls")
    return path.read_text().splitlines() if path.exists() else []


def system() -> Linux:
    return Linux(home="/opt/home", config="/opt/home/config", etc="/opt/etc", login_shell="/bin/sh")


def journal() -> Journal:
    return Journal(places.journal())


def carried_out(*steps: Any, **more: Any) -> Entry:
    return apply(Plan(steps=steps), system(), journal(), **more)


def refused(*steps: Any) -> NotApplied:
    with pytest.raises(NotApplied) as caught:
        carried_out(*steps)
    return caught.value


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@needs.private
def test_one_yes_runs_the_commands_as_root_and_the_journal_says_how_they_ended(yes: Path) -> None:
    def act() -> None:
        news: list[str] = []
        entry = carried_out(VARIABLE, STEP, progress=lambda _n, what, _h, _s: news.append(what))
        assert calls() == [f"0 {line}" for line in ALL]
        assert news == ["installer"]
        step = entry.plan.steps[1]
        assert isinstance(step, RunInstaller)
        assert (step.exit, step.said, entry.states) == (0, "", ("done", "done"))
        assert "Restart the computer" in outcome(step).text
        assert (
            Path(run_installer.record(step))
            .read_bytes()
            .startswith(BEGUN + b"doing apt-get update")
        )
        assert journal().entries()[-1] == entry
        back = undo_plan(entry, system().read, "linux")
        assert [type(step) for step in back.steps] == [SetVariable]

    on_a_system_of_its_own(act, yes)


@needs.private
@pytest.mark.parametrize(
    ("pkexec", "environment", "words"),
    [
        (NO, {}, "You did not allow"),
        (NOBODY, {}, "Run: sudo apt-get update && sudo apt-get install"),
        (NO, {"DISPLAY": ""}, "Run: sudo apt-get update && sudo apt-get install"),
    ],
)
def test_a_no_changes_nothing(pkexec: str, environment: dict[str, str], words: str) -> None:
    def act() -> None:
        trouble = refused(VARIABLE, STEP)
        assert words in why(trouble)
        assert trouble.as_before
        assert calls() == []
        assert system().read("user", "CUDA_PATH") is None
        assert recover(journal(), system()) is None

    on_a_system_of_its_own(act, pkexec, **environment)


@needs.private
def test_one_that_ends_badly_is_told_and_takes_nothing_back(yes: Path) -> None:
    def act() -> None:
        Path("/opt/made/trouble").touch()
        step = carried_out(VARIABLE, STEP).plan.steps[1]
        assert isinstance(step, RunInstaller)
        assert calls() == [f"0 {ALL[0]}"]
        assert step.exit == 100
        assert step.said.endswith("E: Unable to locate package")
        assert "code 100" in outcome(step).text
        (change,) = preview(Plan(steps=(step,)), machine())
        assert change.title == "Install NVIDIA driver (ended with code 100)"
        assert system().read("user", "CUDA_PATH") == VARIABLE.after
        assert journal().unfinished() == ()

    on_a_system_of_its_own(act, yes)


@needs.private
def test_one_that_says_it_is_done_and_installed_nothing_is_told(yes: Path) -> None:
    def act() -> None:
        Path("/opt/made/nothing").touch()
        step = carried_out(STEP).plan.steps[0]
        assert isinstance(step, RunInstaller)
        assert calls() == [f"0 {line}" for line in ALL]
        assert step.exit == 1
        assert "perhaps its work isn't done" in outcome(step).text

    on_a_system_of_its_own(act, yes)


@needs.private
def test_other_commands_than_those_of_the_table_are_not_run() -> None:
    def act() -> None:
        for change in ({"commands": ("sudo touch /opt/x",)}, {"row": "other"}, {"back": "rm"}):
            other = msgspec.structs.replace(STEP, **change)
            assert refused(other).code == "not-of-the-table"
        assert calls() == []

    on_a_system_of_its_own(act, NO, user=0)


@needs.private
def test_we_are_killed_while_it_works(yes: Path) -> None:
    def act() -> None:
        Path("/opt/made/wait").touch()
        ours = os.fork()
        if not ours:
            carried_out(VARIABLE, STEP)
            os._exit(0)
        until(lambda: bool(calls()))
        os.kill(ours, signal.SIGKILL)
        os.waitpid(ours, 0)
        assert run_installer.at_work()
        assert recover(journal(), system()) is None
        assert journal().unfinished()
        for other in (STEP, VARIABLE):
            assert refused(other).code == "still-at-work"
        os.unlink("/opt/made/wait")
        until(lambda: not run_installer.at_work())
        assert calls() == [f"0 {line}" for line in ALL]
        assert recover(journal(), system()) is None
        assert journal().unfinished() == ()
        assert journal().entries()[-1].states == ("done", "done")
        assert calls() == [f"0 {line}" for line in ALL]

    on_a_system_of_its_own(act, yes)


@needs.private
def test_a_kill_at_any_call_loses_nothing_and_starts_nothing_twice() -> None:
    def act() -> None:
        number = begun = 0
        while True:
            ours = os.fork()
            if not ours:
                _count_down(number, torn=False)
                carried_out(VARIABLE, STEP)
                os._exit(0)
            status = os.waitpid(ours, 0)[1]
            until(lambda: not run_installer.at_work())
            plan = recover(journal(), system())
            if plan is not None:
                carried_out_again = apply(plan, system(), journal())
                assert carried_out_again.finished
            assert journal().unfinished() == ()
            assert recover(journal(), system()) is None
            there = system().read("user", "CUDA_PATH")
            # Exactly before, or exactly after.
            assert (there, calls()) in ((None, []), (VARIABLE.after, [f"0 {c}" for c in ALL]))
            begun += bool(calls())
            if not os.WIFSIGNALED(status):
                break
            number += 1
            shutil.rmtree("/opt/home")
            os.mkdir("/opt/home")
            shutil.rmtree("/opt/made")
            os.mkdir("/opt/made")
        tried("an installer's start", number)
        assert begun > 2, begun

    on_a_system_of_its_own(act, NO, user=0)


@needs.private
def test_a_stop_is_heard_before_it_begins() -> None:
    def act() -> None:
        import threading

        cancel = threading.Event()
        cancel.set()
        with pytest.raises(NotApplied, match="stopped") as caught:
            carried_out(STEP, cancel=cancel)
        assert caught.value.as_before
        assert calls() == []

    on_a_system_of_its_own(act, NO, user=0)


# From a terminal -----------------------------------------------------------------------------


def told(plan: Plan, here: Machine, *, yes: bool = False, dry_run: bool = False) -> int:
    options = Options(yes=yes, dry_run=dry_run)
    return (
        Maker(Session(system(), journal()), here, options, Screen(json=dry_run))
        .carry_out(plan)
        .code
    )


def says(answers: str) -> None:
    """Somebody at a terminal who types that."""
    ours, theirs = pty.openpty()
    os.write(ours, answers.encode())
    sys.stdin = os.fdopen(theirs, encoding="utf-8")


@needs.private
def test_from_a_terminal_a_driver_needs_a_yes_of_its_own() -> None:
    def act() -> None:
        root = machine(administrator=True)
        assert told(Plan(steps=(STEP,)), root, yes=True) == 1
        assert calls() == []
        assert told(Plan(steps=(VARIABLE, STEP)), root, yes=True) == DONE
        assert calls() == []
        assert system().read("user", "CUDA_PATH") == VARIABLE.after
        says("n\n")
        assert told(Plan(steps=(STEP,)), root) == 1
        assert calls() == []
        says("y\n")
        assert told(Plan(steps=(STEP,)), root) == DONE
        assert calls() == [f"0 {line}" for line in ALL]

    on_a_system_of_its_own(act, NO, user=0)


@needs.private
def test_from_a_terminal_nothing_asks_for_the_administrator(yes: Path, capfd: Any) -> None:
    def act() -> None:
        for agreed in (False, True):
            assert told(Plan(steps=(STEP,)), machine(), yes=agreed) == 1
        assert calls() == []
        assert told(Plan(steps=(STEP,)), machine(), dry_run=True) == 1

    on_a_system_of_its_own(act, yes)
    said = capfd.readouterr()
    assert "+ sudo ubuntu-drivers install nvidia   (run as the administrator)" in said.out
    assert "Run the commands above yourself" in said.err
    assert '"type":"run-installer"' in said.out
    assert '"administrator":[0]' in said.out


@needs.private
def test_undo_says_how_the_person_takes_it_back(capfd: Any) -> None:
    def act() -> None:
        entry = carried_out(STEP)
        assert Past(journal(), system()).undoable() is None
        assert undo(Session(), Options(id=entry.id, yes=True), Screen()) == 0

    on_a_system_of_its_own(act, NO, user=0)
    assert "To remove it again, run: sudo apt-get remove --autoremove" in capfd.readouterr().out


@needs.private
def test_where_nothing_may_change_nothing_is_started(tmp_path: Path) -> None:
    def act() -> None:
        policy.LINUX = "/opt/policy.toml"
        Path(policy.LINUX).write_text("read-only = true\n")
        assert refused(STEP).code == "policy"
        assert calls() == []

    on_a_system_of_its_own(act, NO, user=0)
