"""A whole Linux computer in a private mount namespace: our program looks at it as at any other.

Its files lie over this computer's own in an overlay that ends with the process; its /dev, kernel
log, bus and modules are forged folders mounted over the real ones. Driver and cuDNN are compiled
stubs; everything between the command line and their answers is the real program.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import driver as lab
import images
import needs

from cudnn_assistant import cli

SYSTEM = "/usr/lib/x86_64-linux-gnu"
KERNEL = "6.8.0-31-generic"
OTHERS = ("/proc/driver", "/sys/bus/pci/devices", "/sys/module", "/sys/firmware", "/dev")
"""Not part of the overlay: replaced by folders of ours."""

_START = """
set -e
mount -t tmpfs none {room}
mkdir {room}/upper {room}/work {room}/root
cp -a {tree}/. {room}/upper
mount -t overlay overlay -o lowerdir=/,upperdir={room}/upper,workdir={room}/work {room}/root
cd {room}/root
rm -rf usr/local/cuda* opt/cuda* etc/ld.so.conf.d/*cuda* .dockerenv
cp -a {tree}/. .
mount --rbind /proc proc
mount --rbind /sys sys
for device in null zero urandom random tty full; do
    touch {others}/dev/$device
    mount --bind /dev/$device {others}/dev/$device
done
mount --rbind {others}/proc/driver proc/driver
mount --rbind {others}/sys/bus/pci/devices sys/bus/pci/devices
mount --rbind {others}/sys/module sys/module
mount --rbind {others}/sys/firmware sys/firmware
mount --rbind {others}/dev dev
mount --bind {others}/cgroup proc/1/cgroup
mount --bind {others}/osrelease proc/sys/kernel/osrelease
chroot . /sbin/ldconfig
{after}
exec chroot {person} . env -i {variables} {command}
"""


@cache
def impossible() -> str:
    """Why no such computer can be had here; "" when it can."""
    if lacking := needs.missing("gcc", "unshare"):
        return lacking
    if os.geteuid() != 0:
        return needs.ROOT
    attempt = (
        "mount -t tmpfs none /mnt && mkdir /mnt/a /mnt/b /mnt/c && "
        "mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/a,workdir=/mnt/b /mnt/c"
    )
    done = subprocess.run(["unshare", "-m", "sh", "-c", attempt], capture_output=True, text=True)
    return f"a private overlay can't be had: {done.stderr.strip()[-80:]}" if done.returncode else ""


class Answer(NamedTuple):
    """What our program said about a computer."""

    verdict: str
    findings: list[str]
    """ "severity code" of the system, "severity code where" of environments."""
    machine: dict[str, Any]


class Computer:
    """One computer under construction."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        self.others = folder / "others"
        self.room = folder / "room"
        self.room.mkdir(parents=True)
        for path in OTHERS:
            (self.others / path.lstrip("/")).mkdir(parents=True)
        (self.others / "cgroup").write_text("0::/init.scope\n")
        (self.others / "osrelease").write_text(KERNEL + "\n")
        self.after = ""
        """Shell commands that run in the computer's root once the loader's cache is made."""
        self.root = True
        """Whether the person is the administrator."""
        self.write("/home/person/.keep")
        self.write("/etc/os-release", 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n')
        self.write("/dev/kmsg")

    def at(self, path: str) -> Path:
        """Where a path of the computer lies while it is built."""
        special = path.startswith(OTHERS)
        # The overlay must keep the link from /lib to /usr/lib.
        path = f"/usr{path}" if path.startswith("/lib/") else path
        target = (self.others if special else self.tree) / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def write(self, path: str, text: str | bytes = "") -> Path:
        """A file."""
        target = self.at(path)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return target

    def driver(
        self, *gpus: Mapping[str, object], folder: str = SYSTEM, version: str = "580.65.06",
        module: str = "", **facts: object,
    ) -> Path:  # fmt: skip
        """The driver's libraries, loaded module, device files and adapters on the bus."""
        self.kernel(module or version, *gpus)
        return lab.write(self.at(folder), *gpus, driver=version, **facts)

    def kernel(self, version: str, *gpus: Mapping[str, object]) -> None:
        """What the kernel shows of a loaded module and of these GPUs."""
        self.write(
            "/proc/driver/nvidia/version",
            f"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {version}  Release Build\n",
        )
        for name in ("nvidia", "nvidia_uvm"):
            self.at(f"/sys/module/{name}").mkdir(parents=True, exist_ok=True)
        for name in ("nvidiactl", "nvidia-uvm", *(f"nvidia{n}" for n in range(len(gpus)))):
            self.write(f"/dev/{name}").chmod(0o666)
        self.bus(*gpus, driver="nvidia")

    def bus(self, *gpus: Mapping[str, object], driver: str = "") -> None:
        """Adapters on the bus, with the kernel driver that holds them."""
        for gpu in gpus:
            base = f"/sys/bus/pci/devices/{str(gpu['bus'])[4:]}"
            for name, text in (
                ("vendor", f"0x{gpu.get('vendor', '10de')}"),
                ("device", f"0x{gpu['device']:04x}"),
                ("class", "0x030000"),
            ):
                self.write(f"{base}/{name}", text + "\n")
            if driver and not self.at(f"{base}/driver").is_symlink():
                self.at(f"{base}/driver").symlink_to(f"/sys/bus/pci/drivers/{driver}")

    def cudnn(self, folder: str = SYSTEM, version: str = "9.10.2", *, headers: str = "") -> Path:
        """A cuDNN that convolves on the processor, with all the parts that its version has."""
        major = version.split(".", maxsplit=1)[0]
        target = images.cudnn(self.at(folder), version)
        stub = lab.compiled("cudnn_stub.c", f"libcudnn.so.{major}", f"-DMAJOR={major}", "-lm")
        shutil.copy(stub, target / f"libcudnn.so.{version}")
        if headers:
            images.header(self.at(headers), version)
        return target

    def cuda(self, version: str = "12.9.1", root: str = "") -> str:
        """A toolkit with the libraries that cuDNN asks for, in the loader's configuration."""
        root = root or f"/usr/local/cuda-{'.'.join(version.split('.')[:2])}"
        major = version.split(".", maxsplit=1)[0]
        self.write(f"{root}/version.json", json.dumps({"cuda": {"version": version}}))
        names = ("libcudart", "libcublas", "libcublasLt", "libnvrtc")
        images.put(self.at(f"{root}/lib64"), *(f"{name}.so.{major}" for name in names))
        self.write(f"/etc/ld.so.conf.d/{major}.conf", f"{root}/lib64\n")
        return root

    def healthy(self) -> Computer:
        """Driver, GPU, toolkit and cuDNN as they should be."""
        self.driver(lab.RTX_4090)
        self.cuda()
        self.cudnn(headers="/usr/include/x86_64-linux-gnu")
        return self

    def everyday(self) -> None:
        """The person is no administrator; our program's own folders are opened to them."""
        self.root = False
        folders = [Path(sys.executable), Path(sys.prefix), Path(os.path.realpath(sys.executable))]
        above = {str(up).lstrip("/") for folder in folders for up in folder.parents[:-1]}
        opened = " ".join(shlex.quote(folder) for folder in sorted(above))
        self.after += f"\nchmod a+rx {opened}"

    def run(
        self, *command: str, seconds: float = 120, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on it, as a person with these variables does."""
        for name in [name for name in variables if name.startswith("STUB_")]:
            # What is wrong with the stubs is no setting of the person's, which could be left out.
            self.write(f"/etc/stub/{name}", variables.pop(name))
        known = {
            "HOME": "/home/person", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **variables,
        }  # fmt: skip
        script = _START.format(
            room=shlex.quote(str(self.room)),
            tree=shlex.quote(str(self.tree)),
            others=shlex.quote(str(self.others)),
            after=self.after,
            person="" if self.root else "--userspec=1000:1000",
            variables=" ".join(shlex.quote(f"{name}={text}") for name, text in known.items()),
            command=shlex.join(command),
        )
        return subprocess.run(
            ["unshare", "-m", "--propagation", "private", "bash", "-c", script],
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def look(self, *arguments: str, **variables: str) -> Answer:
        """What ``cudnn-assistant check`` says about it, to a person with these variables."""
        done = self.run(*OURS, "check", "--json", "--offline", *arguments, **variables)
        assert done.stdout.startswith("{"), done.stdout[-500:] + done.stderr[-2000:]
        return _answer(done.stdout)

    def told(self, shell: str = "", **variables: str) -> tuple[Answer, str]:
        """The same, and what a person reads of that look and of ``fix --dry-run``.

        ``shell`` is what they did in the terminal before.
        """
        ours, planned = shlex.join(OURS), shlex.quote('"changes":\\[{')
        lines = (
            shell, f"{ours} check --json --offline > /tmp/seen.json; cat /tmp/seen.json",
            # Where nothing is planned, fix looks once more and says what check says.
            f"echo; echo ----; if grep -q {planned} /tmp/seen.json",
            f"then {ours} fix --dry-run --offline; fi", "true",
        )  # fmt: skip
        script = "\n".join(filter(None, lines))
        done = self.run("bash", "-c", script, **variables)
        data, _, text = done.stdout.partition("----")
        assert data.startswith("{"), done.stdout[-500:] + done.stderr[-2000:]
        return _answer(data), self._shown(data) + text + done.stderr

    def _shown(self, data: str) -> str:
        """What ``check --machine`` says of a look: here, because it needs nothing of there."""
        seen, out = self.room.parent / "seen.json", io.StringIO()
        seen.write_text(data)
        with contextlib.redirect_stdout(out):
            cli.run(["check", "--machine", str(seen), "--offline"])
        return out.getvalue()


OURS = (sys.executable, "-I", "-m", "cudnn_assistant")


def _answer(data: str) -> Answer:
    told = json.loads(data)
    findings = [
        " ".join(
            [one["severity"], one["code"]]
            + ([one["subject"]] if one["subject"] != "system" else [])
        )
        for one in told["findings"]
    ]
    return Answer(told["verdict"], findings, told["machine"])
