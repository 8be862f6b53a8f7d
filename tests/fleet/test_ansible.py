"""The role, by the real ansible-core, on computers in mounts of their own: one of them is off."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import needs
import pytest
from hosts import Host, healthy, lab_computer, not_on_path, without_driver

from cudnn_assistant.session import Session

FLEET = Path(__file__).parents[2] / "installer/fleet/ansible"
BIN = Path(sys.executable).parent
HERE = Path(__file__).parent
COMPUTERS = {
    "ws-ok": healthy, "ws-path": not_on_path, "ws-driver": without_driver,
    "ws-windows": not_on_path,
}  # fmt: skip
AS_WINDOWS = """ cudnn_assistant_windows=true cudnn_assistant_command='["cudnn-assistant"]'"""
"""That computer is told as one with Windows: by the arguments of ansible.windows' own modules."""
CODE = "cudnn-not-on-path"
BROKEN = {"ws-path", "ws-windows"}

pytestmark = [
    needs.modules("ansible", "ansiblelint"),
    needs.programs("ssh"),
    pytest.mark.skipif(bool(lab_computer.impossible()), reason=lab_computer.impossible() or "-"),
]


class Lab:
    """Computers that are switched on, one that isn't, and an inventory of all."""

    def __init__(
        self, folder: Path, hosts: dict[str, Host], variables: Mapping[str, str] | None = None
    ) -> None:
        self.hosts = hosts
        self.folder = folder
        self.inventory = folder / "inventory"
        lines = [
            f"{name} ansible_connection=local ansible_python_interpreter={host.python}"
            + (AS_WINDOWS if name == "ws-windows" else "")
            + f" {(variables or {}).get(name, '')}"
            for name, host in hosts.items()
        ]
        lines.append("ws-off ansible_host=127.0.0.1 ansible_port=9 ansible_connection=ssh")
        self.inventory.write_text("\n".join(lines) + "\n")

    def play(self, **variables: object) -> dict[str, dict[str, int]]:
        """The numbers of Ansible's own recap, by computer."""
        flags = ["--check"] if variables.pop("check", False) else []
        command = [
            str(BIN / "ansible-playbook"), "-i", str(self.inventory), str(FLEET / "site.yml"),
            "-e", json.dumps(variables), *flags,
        ]  # fmt: skip
        surroundings = {
            **os.environ,
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "ANSIBLE_HOME": str(self.folder / "ansible"),
            "ANSIBLE_REMOTE_TMP": str(self.folder / "shared/tmp"),
            "ANSIBLE_ROLES_PATH": str(FLEET / "roles"),
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder / "collections"),
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_SSH_ARGS": "-o ConnectTimeout=2",
        }
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=500, env=surroundings
        )
        recap = done.stdout.rpartition("PLAY RECAP")[2]
        found = {
            name: {word: int(number) for word, number in re.findall(r"(\w+)=(\d+)", numbers)}
            for name, numbers in re.findall(r"^([\w-]+)\s+:(.*)$", recap, re.MULTILINE)
        }
        assert set(found) == {*self.hosts, "ws-off"}, done.stdout[-3000:] + done.stderr[-3000:]
        assert found["ws-off"]["unreachable"] == 1, done.stdout[-3000:]
        assert not any(one["failed"] for one in found.values()), done.stdout[-3000:]
        return found

    def changed(self, **variables: object) -> set[str]:
        return {name for name, told in self.play(**variables).items() if told["changed"]}

    def settings(self) -> dict[str, str]:
        path = "/home/person/.config/cudnn-assistant/environment.sh"
        return {name: host.run("cat", path).stdout for name, host in self.hosts.items()}

    def ids(self, name: str) -> list[str]:
        listed = self.hosts[name].run("cudnn-assistant", "undo", "--list").stdout
        return re.findall(r"^\d{8}-\d{6}-\w+", listed, re.MULTILINE)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    shared = folder / "shared"
    shared.mkdir()
    with ExitStack() as stack:
        hosts = {
            name: stack.enter_context(Host(folder / name, build, shared))
            for name, build in COMPUTERS.items()
        }
        windows_modules(folder / "collections/ansible_collections/ansible/windows/plugins/modules")
        yield Lab(folder, hosts)


def windows_modules(folder: Path) -> None:
    """Stand-ins for those of ansible.windows, which need PowerShell."""
    folder.mkdir(parents=True)
    source = (HERE / "windows_module.py").read_text()
    modules = json.loads((HERE / "windows_modules.json").read_text())["modules"]
    for name, arguments in modules.items():
        (folder / f"{name}.py").write_text(f"NAME, ARGUMENTS = {name!r}, {arguments!r}\n{source}")


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_gather_fix_and_undo(lab: Lab, tmp_path: Path, whole: bool) -> None:
    """By day where something is to be done, once; each look on a computer is a second or two."""
    if not whole:
        lab = Lab(lab.folder, {name: lab.hosts[name] for name in sorted(BROKEN)})
    folder = tmp_path / "gathered"
    folder.mkdir()
    gather = {"do": ["gather"], "cudnn_assistant_folder": str(folder)}
    assert lab.changed(**gather) == set(), "a look changes nothing"
    seen = Session().fleet([str(folder)])
    causes = {"ws-ok": (), "ws-path": (CODE,), "ws-driver": ("driver-missing",),
              "ws-windows": (CODE,)}  # fmt: skip
    assert {one.name: one.causes for one in seen.computers} == {n: causes[n] for n in lab.hosts}

    before = shutil.copytree(folder, tmp_path / "before")
    fix = {"do": ["fix"], "cudnn_assistant_only": [CODE]}
    if whole:
        assert lab.changed(**fix, check=True) == BROKEN, "--check says what would be changed"
        assert not any(lab.settings().values()), "and changes nothing"
    assert lab.changed(**fix) == BROKEN
    assert {name for name, text in lab.settings().items() if "/opt/cudnn/lib" in text} == BROKEN
    if whole:
        assert lab.changed(**fix) == set(), "a second time there is nothing to do"

    if whole:
        lab.play(**gather)
        changed = Session().fleet([str(folder)], str(before)).changed or ()
        assert {one.name for one in changed} == BROKEN
        ends = {(one.before, one.after, one.gone) for one in changed}
        assert ends == {("broken", "works", (CODE,))}

    broken = {name: lab.hosts[name] for name in sorted(BROKEN)}
    undone = {name: f"cudnn_assistant_undo={one}" for name in broken for one in lab.ids(name)}
    two = Lab(lab.folder, broken, undone)
    undo = {"do": ["undo"]}
    if whole:
        assert two.changed(**undo, check=True) == BROKEN
        assert all("/opt/cudnn/lib" in lab.settings()[name] for name in BROKEN)
    assert two.changed(**undo) == BROKEN
    if whole:
        assert two.changed(**undo) == set()
    assert not any(lab.settings().values())
    if whole:
        unnamed = Lab(lab.folder, broken)
        assert unnamed.changed(**fix) == BROKEN
        assert unnamed.changed(**undo) == BROKEN, "without an id it is the last change"


@pytest.mark.nightly
def test_a_wheel_is_installed_once(lab: Lab, tmp_path: Path) -> None:
    """A wheel of two lines stands for ours, whose dependencies only a network could bring."""
    import zipfile

    wheel = tmp_path / "cudnn_assistant-9.9-py3-none-any.whl"
    info = "cudnn_assistant-9.9.dist-info"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("stand_in.py", "def main():\n    print('cudnn-assistant 9.9')\n")
        packed.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: cudnn-assistant\nVersion: 9.9\n"
        )
        packed.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        packed.writestr(
            f"{info}/entry_points.txt", "[console_scripts]\ncudnn-assistant = stand_in:main\n"
        )
        packed.writestr(f"{info}/RECORD", "")
    host = lab.hosts["ws-ok"]
    one = Lab(lab.folder, {"ws-ok": host})
    if host.run("/usr/bin/python3", "-c", "import ensurepip").returncode:
        pytest.skip("ensurepip is missing: apt install python3-venv")
    venv = f"{tmp_path}/venv"
    host.run("mkdir", "-p", str(tmp_path))
    install = {"do": ["install"], "cudnn_assistant_package": str(wheel)}
    install["cudnn_assistant_venv"] = venv
    assert one.changed(**install, check=True) == {"ws-ok"}
    assert one.changed(**install) == {"ws-ok"}
    assert host.run(f"{venv}/bin/cudnn-assistant").stdout == "cudnn-assistant 9.9\n"
    assert one.changed(**install) == set()


@pytest.mark.nightly
def test_setup_is_installed_and_upgraded_once(lab: Lab) -> None:
    """By its version; a newer Setup is run although the name stands in Windows' list already."""
    one = Lab(lab.folder, {"ws-windows": lab.hosts["ws-windows"]})
    installed = "/c/Program Files/cuDNN Assistant/uninstall.exe"
    for version in ("0.1.0", "0.2.0"):
        setup = lab.folder / f"shared/cuDNN-Assistant-{version}-Setup.exe"
        setup.write_text(
            f'#!/bin/sh\nmkdir -p "$(dirname "{installed}")"\nprintf {version}.0 > "{installed}"\n'
        )
        setup.chmod(0o755)
        install = {"do": ["install"], "cudnn_assistant_package": str(setup)}
        assert one.changed(**install, check=True) == {"ws-windows"}
        assert one.changed(**install) == {"ws-windows"}
        assert one.hosts["ws-windows"].run("cat", installed).stdout == f"{version}.0"
        assert one.changed(**install) == set()


REACHED = {
    "ansible_connection=psrp": True, "ansible_connection=winrm": True, "": False,
    "ansible_connection=ssh ansible_shell_type=powershell": True,
}  # fmt: skip
"""Words of an inventory, and whether they mean Windows."""


def test_windows_is_known_by_how_it_is_reached(tmp_path: Path) -> None:
    """Nobody is asked: only what the role's variables come to is printed."""
    hosts = [f"ws{n} ansible_host=127.0.0.1 {words}\n" for n, words in enumerate(REACHED)]
    (tmp_path / "inventory").write_text("".join(hosts))
    role = {"name": "cudnn_assistant", "public": True}
    told = "{{ cudnn_assistant_runs }}, {{ cudnn_assistant_command | first }}"
    tasks = [{"ansible.builtin.import_role": role, "when": False},
             {"ansible.builtin.debug": {"msg": told}}]  # fmt: skip
    book = [{"hosts": "all", "gather_facts": False, "tasks": tasks}]
    (tmp_path / "book.yml").write_text(json.dumps(book))
    surroundings = {**os.environ, "ANSIBLE_ROLES_PATH": str(FLEET / "roles"), "HOME": str(tmp_path)}
    done = subprocess.run(
        [str(BIN / "ansible-playbook"), "-i", "inventory", "book.yml"],
        capture_output=True, text=True, timeout=120, cwd=tmp_path, env=surroundings,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    python = r"C:\\Program Files\\cuDNN Assistant\\python\\python.exe"  # escaped, as JSON is
    starts = {True: f"ansible.windows.win_command, {python}",
              False: "ansible.builtin.command, cud"}  # fmt: skip
    said = dict(re.findall(r'ok: \[ws(\d)\] => \{\s+"msg": "(.*)"', done.stdout))
    for number, windows in enumerate(REACHED.values()):
        assert said[str(number)].startswith(starts[windows]), done.stdout


@pytest.mark.nightly
def test_the_role_is_clean() -> None:
    command = [str(BIN / "ansible-lint"), "--offline", "-q", "."]
    surroundings = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, cwd=FLEET, env=surroundings
    )
    assert done.returncode == 0, done.stdout + done.stderr
