"""The kernel's side, read from forged /proc, /sys and /dev."""

from __future__ import annotations

import ast
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudnn_assistant.probe.computer import host, kernel, kernel_log, pci, switched_off
from cudnn_assistant.probe.files.disk import Disk

RELEASE = "6.8.0-31-generic"


def write(root, path, text=""):
    file = root / path.lstrip("/")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def adapter(root, bus, vendor, device, driver="", kind="0x030000", status="active"):
    base = f"/sys/bus/pci/devices/{bus}"
    for name, text in (("vendor", f"0x{vendor}"), ("device", f"0x{device}"), ("class", kind)):
        write(root, f"{base}/{name}", text + "\n")
    write(root, f"{base}/power/runtime_status", status + "\n")
    if driver:
        (root / f"sys/bus/pci/drivers/{driver}").mkdir(parents=True, exist_ok=True)
        os.symlink(f"../../../../bus/pci/drivers/{driver}", root / base.lstrip("/") / "driver")


@pytest.mark.parametrize(
    ("text", "version", "flavour"),
    [
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 07:15:08\n",
            "580.65.06",
            "proprietary",
        ),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n",
            "570.86.15",
            "open",
        ),
        ("something else", "", ""),
        ("", "", ""),
    ],
)
def test_the_loaded_module(tmp_path, text, version, flavour):
    write(tmp_path, "/proc/driver/nvidia/version", text)
    assert kernel.loaded(Disk("linux", str(tmp_path))) == (version, flavour)


def test_adapters_drivers_and_names(tmp_path):
    adapter(tmp_path, "0000:01:00.0", "10de", "2684", "nouveau", status="suspended")
    adapter(tmp_path, "0000:00:02.0", "8086", "46a6", "i915")
    adapter(tmp_path, "0000:41:00.0", "10de", "20b2", kind="0x030200")
    adapter(tmp_path, "0000:01:00.1", "10de", "22ba", "snd_hda_intel", kind="0x040300")
    write(
        tmp_path,
        "/usr/share/misc/pci.ids",
        "# comment\n10de  NVIDIA Corporation\n\t2684  AD102 [GeForce RTX 4090]\n"
        "\t\t10de 165b  a board\n8086  Intel Corporation\n\t46a6  Alder Lake-P GT2\n",
    )
    found = pci.adapters(Disk("linux", str(tmp_path)))
    assert [(a.bus, a.pci_id, a.driver, a.asleep, a.name) for a in found] == [
        ("0000:00:02.0", "8086:46a6", "i915", False, "Intel Alder Lake-P GT2"),
        ("0000:01:00.0", "10de:2684", "nouveau", True, "NVIDIA GeForce RTX 4090"),
        ("0000:41:00.0", "10de:20b2", "", False, "NVIDIA Corporation 10de:20b2"),
    ]


def test_module_on_disk_and_headers(tmp_path):
    disk = Disk("linux", str(tmp_path))
    assert kernel.module_on_disk(disk, RELEASE) is None
    assert kernel.replaced(disk, RELEASE) is False
    write(tmp_path, "/lib/modules/6.99.1-newer/modules.dep")
    assert kernel.replaced(disk, RELEASE) is True
    write(tmp_path, f"/lib/modules/{RELEASE}/modules.dep", "kernel/fs/ext4.ko.zst:\n")
    assert kernel.module_on_disk(disk, RELEASE) is False
    assert kernel.replaced(disk, RELEASE) is False
    write(tmp_path, f"/lib/modules/{RELEASE}/updates/dkms/nvidia.ko.zst", "x")
    assert kernel.module_on_disk(disk, RELEASE) is True
    assert kernel.module_elsewhere(disk, RELEASE) is False
    assert kernel.headers(disk, RELEASE) is False
    write(tmp_path, f"/usr/src/linux-headers-{RELEASE}/Makefile", "x")
    assert kernel.headers(disk, RELEASE) is True


def test_a_module_in_the_list_of_modules_counts(tmp_path):
    write(
        tmp_path,
        f"/lib/modules/{RELEASE}/modules.dep",
        "kernel/drivers/gpu/drm/nouveau/nouveau.ko.zst: x\nextra/deep/er/nvidia.ko.xz: y\n",
    )
    assert kernel.module_on_disk(Disk("linux", str(tmp_path)), RELEASE) is True


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("nvidia-current.ko.xz", True),
        ("nvidia-tesla-470.ko", True),
        ("nvidia-current-uvm.ko", False),
    ],
)
def test_a_module_of_debian_has_the_name_of_its_branch(tmp_path, name, there):
    write(tmp_path, f"/lib/modules/{RELEASE}/updates/dkms/{name}")
    assert kernel.module_on_disk(Disk("linux", str(tmp_path)), RELEASE) is there


@pytest.mark.parametrize(
    "path", ["/usr/src/nvidia-570.133.07/dkms.conf", "/lib/modules/6.1.0-1/updates/nvidia.ko"]
)
def test_a_module_elsewhere_can_be_had_for_this_kernel(tmp_path, path):
    disk = Disk("linux", str(tmp_path))
    assert kernel.module_elsewhere(disk, RELEASE) is False
    write(tmp_path, path)
    assert kernel.module_elsewhere(disk, RELEASE) is True


def test_an_idle_machine_has_no_device_files_and_no_findings(tmp_path):
    facts = kernel.look(Disk("linux", str(tmp_path)), RELEASE)
    assert (facts.nodes, facts.modules, facts.log, facts.gaps) == ((), (), (), ())


def test_missing_device_files_are_facts_where_a_gpu_is(tmp_path):
    adapter(tmp_path, "0000:01:00.0", "10de", "2684", "nvidia")
    write(tmp_path, "/dev/nvidiactl").chmod(0o666)
    write(tmp_path, "/dev/nvidia0").chmod(0o660)
    write(tmp_path, "/dev/nvidia10")
    write(tmp_path, "/dev/nvidia2")
    found = {n.path: n for n in kernel.look(Disk("linux", str(tmp_path)), RELEASE).nodes}
    assert list(found) == [
        "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidia2", "/dev/nvidia10",
    ]  # fmt: skip
    assert (found["/dev/nvidiactl"].openable, found["/dev/nvidiactl"].mode) == (True, "0666")
    assert (found["/dev/nvidia-uvm"].exists, found["/dev/nvidia-uvm"].openable) == (False, None)
    assert ":" in found["/dev/nvidia0"].owner


def as_nobody(look):
    """What ``look()`` says to a person without rights, whoever runs the tests."""
    if os.geteuid() != 0:
        return look()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.setresuid(65534, 65534, 65534)
        os.write(writing, repr(look()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        return ast.literal_eval(answer.read())


def test_a_device_file_that_is_closed_to_us():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        write(Path(folder), "/dev/nvidiactl").chmod(0o600)
        disk = Disk("linux", folder)
        os.chmod(Path(folder) / "dev", 0o755)
        if os.geteuid() != 0:
            (Path(folder) / "dev/nvidiactl").chmod(0)

        def look():
            node = kernel.node(disk, "/dev/nvidiactl")
            return node.exists, node.openable

        assert as_nobody(look) == (True, False)


def test_wsl_has_one_device_and_nothing_of_the_bus(tmp_path):
    facts = kernel.look(Disk("linux", str(tmp_path)), "5.15.1-microsoft-standard-WSL2", wsl=2)
    assert [(n.path, n.exists) for n in facts.nodes] == [("/dev/dxg", False)]


LOG = """\
6,1,100,-;Linux version 6.8.0
6,2,200,-;nvidia: loading out-of-tree module taints kernel.
3,3,300,-;Loading of module with unavailable key is rejected
4,4,400,-;NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b81)
4,5,401,-;NVRM: installed in this system is not supported by open nvidia.ko
4,6,500,-;NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off
6,7,600,-;input: HDA NVidia HDMI/DP,pcm=3 as /devices/pci0000:00/sound/card0/input10
6,8,700,-;audit: type=1400 apparmor="STATUS" name="nvidia_modprobe"
"""


def test_the_log_without_prefixes_and_noise():
    found = kernel_log.telling(LOG.splitlines())
    assert found == (
        "nvidia: loading out-of-tree module taints kernel.",
        "Loading of module with unavailable key is rejected",
        (
            "NVRM: The NVIDIA GPU 0000:01:00.0 (PCI ID: 10de:1b81) "
            "installed in this system is not supported by open nvidia.ko"
        ),
        "NVRM: Xid (PCI:0000:01:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off",
    )
    assert kernel_log.xids(found) == {"0000:01:00": (79,)}


def test_messages_that_nvidia_wraps_and_those_it_does_not():
    lines = """\
NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build
NVRM: gpuClearFbhubPoisonIntrForBug2924523_GA100: FBHUB Interrupt detected. Clearing it.
NVRM: API mismatch: the client has the version 570.86.15, but
NVRM: this kernel module has the version 580.65.06.  Please
NVRM: make sure that this kernel module and all NVIDIA driver
NVRM: components have the same version.
NVRM: The NVIDIA probe routine was not called for 1 device(s).
NVRM: This can occur when a driver such as:
NVRM: nouveau, rivafb, nvidiafb or rivatv
NVRM: was loaded and obtained ownership of the NVIDIA device(s).
""".splitlines()
    found = kernel_log.telling(lines)
    assert len(found) == 5
    assert found[2].endswith("and all NVIDIA driver components have the same version.")
    assert found[4] == (
        "NVRM: This can occur when a driver such as: nouveau, rivafb, nvidiafb or rivatv "
        "was loaded and obtained ownership of the NVIDIA device(s)."
    )


def test_a_flood_keeps_its_start_and_its_end():
    found = kernel_log.telling(f"NVRM: line {number}." for number in range(1000))
    assert len(found) == 60
    assert (found[0], found[19], found[20], found[-1]) == (
        "NVRM: line 0.", "NVRM: line 19.", "NVRM: line 960.", "NVRM: line 999.",
    )  # fmt: skip


def test_dmesg_style_lines_are_understood():
    lines = ["[   12.345678] NVRM: Xid (PCI:0000:41:00): 31, pid=1", "<6>[ 1.0] nouveau: x"]
    assert kernel_log.telling(lines) == ("NVRM: Xid (PCI:0000:41:00): 31, pid=1", "nouveau: x")
    # Ubuntu's /var/log/dmesg, which its users may read while the ring is closed to them.
    wrapped = ["[ 9.1] kernel: NVRM: The NVIDIA GPU", "[ 9.1] kernel: NVRM: is not supported"]
    assert kernel_log.telling(wrapped) == ("NVRM: The NVIDIA GPU is not supported",)


def test_a_log_that_may_not_be_read_is_a_gap(tmp_path):
    lines, gap = kernel_log.read(Disk("linux", str(tmp_path)))
    assert (lines, gap.what) == ((), "kernel-log")
    write(tmp_path, "/var/log/dmesg", "[ 1.0] NVRM: loading NVIDIA UNIX x86_64 Kernel Module 580\n")
    lines, gap = kernel_log.read(Disk("linux", str(tmp_path)))
    assert (len(lines), gap) == (1, None)


@given(st.text(max_size=300))
def test_any_text_is_a_log(text):
    for line in kernel_log.telling(text.splitlines()):
        assert line


def os_of(root, environment=None):
    return host.operating_system(Disk("linux", str(root)), environment or {})


def test_the_distribution(tmp_path):
    write(
        tmp_path,
        "/etc/os-release",
        'PRETTY_NAME="Linux Mint 22"\nID=linuxmint\nID_LIKE="ubuntu debian"\n# x=y\nBROKEN\n',
    )
    write(tmp_path, "/proc/sys/kernel/osrelease", RELEASE + "\n")
    found = os_of(tmp_path, {"DISPLAY": ":0"})
    assert (found.name, found.version) == ("Linux Mint 22", RELEASE)
    assert found.distribution == ("linuxmint", "ubuntu", "debian")
    write(tmp_path, "/run/ostree-booted")
    assert os_of(tmp_path).distribution == ("linuxmint-ostree",)
    assert (found.wsl, found.container, found.sandbox, found.desktop) == (0, "", "", True)


@pytest.mark.parametrize(
    ("release", "dxg", "version"),
    [
        ("5.15.153.1-microsoft-standard-WSL2", False, 2),
        ("5.10.16.3-microsoft-standard", False, 2),
        ("4.4.0-19041-Microsoft", False, 1),
        ("6.6.1-microsoft-custom", True, 2),
        ("6.8.0-31-generic", False, 0),
    ],
)
def test_wsl(tmp_path, release, dxg, version):
    write(tmp_path, "/proc/sys/kernel/osrelease", release)
    if dxg:
        write(tmp_path, "/dev/dxg")
    assert os_of(tmp_path).wsl == version


ROOT = "901 880 0:310 / / rw,relatime master:5 - overlay overlay rw,lowerdir={}:/b,upperdir=/c\n"


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("/.dockerenv", "", "docker"),
        ("/run/.containerenv", 'engine="podman"', "podman"),
        ("/run/systemd/container", "lxc\n", "lxc"),
        ("/run/systemd/container", "wsl\n", ""),
        ("/proc/1/cgroup", "0::/kubepods/burstable/pod1\n", "kubernetes"),
        ("/proc/1/cgroup", "0::/init.scope\n", ""),
        ("/proc/self/mountinfo", ROOT.format("/var/lib/containerd/io/fs"), "containerd"),
        ("/proc/self/mountinfo", ROOT.format("/run/live/medium"), ""),
        ("/proc/self/mountinfo", "30 1 8:1 / /var/lib/docker/x rw - overlay overlay rw\n", ""),
    ],
)
def test_containers(tmp_path, path, text, kind):
    write(tmp_path, path, text)
    assert os_of(tmp_path).container == kind


@pytest.mark.parametrize(("value", "on"), [(b"\x06\0\0\0\1", True), (b"\x06\0\0\0\0", False)])
def test_secure_boot(tmp_path, value, on):
    write(tmp_path, host._SECURE_BOOT, value)
    assert os_of(tmp_path).secure_boot is on


def test_secure_boot_without_uefi_and_unreadable(tmp_path):
    assert os_of(tmp_path).secure_boot is None
    (tmp_path / "sys/firmware").mkdir(parents=True)
    assert os_of(tmp_path).secure_boot is False
    (tmp_path / "sys/firmware/efi").mkdir()
    assert os_of(tmp_path).secure_boot is None


def test_flatpak(tmp_path):
    write(tmp_path, "/.flatpak-info")
    assert os_of(tmp_path).sandbox == "flatpak"
    assert os_of(tmp_path.parent, {"SNAP": "/snap/code/1"}).sandbox == ""


TAKES_OFF = 'ATTR{vendor}=="0x10de", ATTR{class}=="0x03[0-9]*", ATTR{remove}="1"\n'


@pytest.mark.parametrize(
    ("path", "text", "tool"),
    [
        ("/etc/prime-discrete", "off\n", "prime-select"),
        ("/lib/modprobe.d/blacklist-nvidia.conf", "blacklist nvidia\n", "prime-select"),
        ("/lib/udev/rules.d/50-pm-nvidia.rules", TAKES_OFF, "prime-select"),
        ("/etc/udev/rules.d/50-remove-nvidia.rules", TAKES_OFF, "envycontrol"),
        (
            "/etc/modprobe.d/blacklist-nvidia.conf",
            "# Automatically generated by EnvyControl\nblacklist nvidia\n",
            "envycontrol",
        ),
        ("/etc/modprobe.d/supergfxd.conf", "blacklist nvidia\n", "supergfxctl"),
        ("/etc/modprobe.d/system76-power.conf", "alias nvidia off\n", "system76-power"),
        ("/etc/modprobe.d/mine.conf", "x\ninstall nvidia /bin/false\n", ""),
        ("/proc/cmdline", "quiet module_blacklist=nouveau,nvidia ro\n", ""),
    ],
)
def test_what_keeps_the_gpu_off(tmp_path, path, text, tool):
    write(tmp_path, path, text)
    found = switched_off.look(Disk("linux", str(tmp_path)))
    assert found is not None
    assert (found.tool, found.file) == (tool, path)
    assert found.line in text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/etc/prime-discrete", "on-demand\n"),
        ("/etc/prime-discrete", "on\n"),
        ("/etc/modprobe.d/a.conf", "# blacklist nvidia\nblacklist nvidiafb\nblacklist nouveau\n"),
        ("/etc/modprobe.d/a.conf.bak", "blacklist nvidia\n"),
        ("/lib/udev/rules.d/80-nvidia-pm.rules", TAKES_OFF.replace("0x03", "0x0c03")),
        ("/lib/udev/rules.d/80-nvidia-pm.rules", f"# {TAKES_OFF}"),
    ],
)
def test_what_does_not(tmp_path, path, text):
    write(tmp_path, path, text)
    assert switched_off.look(Disk("linux", str(tmp_path))) is None
