"""The loader's folders for all users: the real ldconfig on a private /etc, a pkexec of ours."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import needs
import pytest
from test_apply import in_child

from cudnn_assistant.apply import NotApplied, apply, recover
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Machine, OperatingSystem, Value
from cudnn_assistant.plan import Plan, SetVariable, preview, undo_plan
from cudnn_assistant.plan.kinds.variable import loader_commands
from cudnn_assistant.system import administrator
from cudnn_assistant.system.linux import Linux
from cudnn_assistant.system.loader_folders import LoaderFolders
from cudnn_assistant.trouble import Refused

pytestmark = needs.private

OURS = Path("/etc/ld.so.conf.d/cudnn-assistant.conf")
SOMEBODY = 12345
NOES = {
    126: "administrator-not-allowed",
    127: "administrator-not-allowed",
    10: "file-changed-since",
}
FOLDER = "/opt/cudnn-assistant-test/lib"
"""In a private /opt."""
ASKED_AND_ALLOWED = """
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words) {
    clearenv();
    if (setuid(0) || setgid(0)) return 127;
    execv(words[1], words + 1);
    return 127;
}
"""
LOADS = """
#include <dlfcn.h>
int main(void) { return !dlopen("libcudnn_assistant_test.so.9", RTLD_NOW); }
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pkexec that always gets a yes, and a library that only the loader's list finds."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "pkexec.c").write_text(ASKED_AND_ALLOWED)
    (folder / "own.c").write_text("int own(void) { return 9; }\n")
    name = "libcudnn_assistant_test.so.9"
    flags = ["-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", str(folder / name)]
    subprocess.run(["gcc", str(folder / "own.c"), *flags], check=True, timeout=60)
    (folder / "loads.c").write_text(LOADS)
    for program in ("pkexec", "loads"):
        made = [str(folder / f"{program}.c"), "-o", str(folder / program)]
        subprocess.run(["gcc", *made], check=True, timeout=60)
    return folder


def alone(tmp_path: Path, built: Path, act: Callable[[], None], user: int = SOMEBODY) -> None:
    """``act`` as that user, in a mount namespace where /etc, /opt and ldconfig's cache are ours."""
    copied = tmp_path / "etc"
    copied.mkdir()
    for name in ("ld.so.conf", "passwd", "group", "nsswitch.conf"):
        if os.path.exists(f"/etc/{name}"):
            shutil.copy2(f"/etc/{name}", copied / name)
    shutil.copytree("/etc/ld.so.conf.d", copied / "ld.so.conf.d", symlinks=True)
    shutil.copy2("/etc/ld.so.cache", copied / "ld.so.cache")
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", user, user)

    def inside() -> None:
        private(copied)
        os.makedirs(FOLDER)
        shutil.copy(built / "libcudnn_assistant_test.so.9", FOLDER)
        os.mkdir("/opt/bin")
        shutil.copy(built / "pkexec", "/opt/bin/pkexec")
        shutil.copy(built / "loads", "/opt/bin/loads")
        os.chmod("/opt/bin/pkexec", 0o4755)
        for code in NOES:
            Path(f"/opt/bin/no-{code}").write_text(f"#!/bin/sh\nexit {code}\n")
            os.chmod(f"/opt/bin/no-{code}", 0o755)
        administrator.PKEXEC = ("/opt/bin/pkexec",)
        shutil.copytree(tmp_path / "home", "/opt/home")
        os.chown("/opt/home", user, user)
        if user:
            os.setgid(user)
            os.setuid(user)
        act()

    in_child(inside)


def private(etc: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)

    def mount(source: str, target: str, kind: str, flags: int) -> None:
        if libc.mount(source.encode(), target.encode(), kind.encode(), flags, None):
            raise OSError(ctypes.get_errno(), f"mount {target}")

    bind, everything, private_, new_namespace = 0x1000, 0x4000, 0x40000, 0x20000
    assert libc.unshare(new_namespace) == 0
    mount("none", "/", "", everything | private_)
    mount(str(etc), "/etc", "", bind)
    for folder in ("/opt", "/var/cache/ldconfig"):
        if os.path.isdir(folder):
            mount("tmpfs", folder, "tmpfs", 0)


def system(**environment: str) -> Linux:
    given = {"PATH": "/opt/bin:/usr/bin:/bin", "HOME": "/opt/home", "DISPLAY": ":0"} | environment
    return Linux(given, home="/opt/home", config="/opt/home/c", login_shell="/bin/sh")


def plan(folders: str = FOLDER) -> Plan:
    step = SetVariable(scope="machine", name="ld.so.conf", after=Value(text=folders))
    return Plan(steps=(step,))


def loads() -> bool:
    """Whether a new program gets the library by its name."""
    return subprocess.run(["/opt/bin/loads"], env={}).returncode == 0


def test_there_and_back_by_the_administrators_hand(tmp_path: Path, built: Path) -> None:
    def act() -> None:
        journal = Journal("/opt/home/journal")
        assert not loads()
        entry = apply(plan(), system(), journal)
        assert OURS.read_text().splitlines()[1:] == [FOLDER]
        assert (OURS.stat().st_uid, OURS.stat().st_mode & 0o777) == (0, 0o644)
        assert loads()
        shown = [v for v in system().variables() if v.name == "ld.so.conf"]
        assert [(v.value.text, v.ours, v.source) for v in shown] == [(FOLDER, True, str(OURS))]
        apply(undo_plan(entry, system().read, "linux"), system(), journal)
        assert not OURS.exists()
        assert not loads()
        assert sorted(p.name for p in OURS.parent.glob("cudnn-assistant*")) == []

    alone(tmp_path, built, act)


def test_root_needs_nobody(tmp_path: Path, built: Path) -> None:
    def act() -> None:
        os.unlink("/opt/bin/pkexec")
        apply(plan(), system(DISPLAY=""), Journal("/opt/home/journal"))
        assert loads()

    alone(tmp_path, built, act, user=0)


@pytest.mark.parametrize("environment", [{"DISPLAY": ""}])
def test_without_a_desktop_the_commands_are_shown(
    tmp_path: Path, built: Path, environment: dict[str, str]
) -> None:
    def act() -> None:
        with pytest.raises(NotApplied, match=r"sudo tee /etc/ld\.so\.conf\.d/cudnn") as caught:
            apply(plan(), system(**environment), Journal("/opt/home/journal"))
        assert caught.value.as_before
        assert FOLDER in str(caught.value)
        assert not OURS.exists()

    alone(tmp_path, built, act)


@pytest.mark.parametrize("theirs", ["on PATH", "owned", "shared", "a link", "a folder"])
def test_only_the_systems_own_pkexec_is_asked(tmp_path: Path, built: Path, theirs: str) -> None:
    """What a person, or somebody in their name, put there is not started at all."""

    def act() -> None:
        planted = Path("/opt/home/pkexec")
        planted.write_text('#!/bin/sh\ntouch /opt/home/started\nexec "$@"\n')
        planted.chmod(0o777 if theirs == "shared" else 0o755)
        administrator.PKEXEC = (str(planted),) if theirs in ("owned", "shared") else ()
        if theirs == "a link":
            os.symlink(planted, "/opt/home/link")
            administrator.PKEXEC = ("/opt/home/link",)
        if theirs == "a folder":
            administrator.PKEXEC = ("/opt/bin", "/opt/nowhere")
        with pytest.raises(NotApplied, match=r"sudo tee /etc/ld\.so\.conf\.d/cudnn"):
            apply(plan(), system(PATH="/opt/home:/opt/bin:/usr/bin"), Journal("/opt/home/journal"))
        assert not Path("/opt/home/started").exists()
        assert not OURS.exists()

    alone(tmp_path, built, act)


def test_a_no_changes_nothing(tmp_path: Path, built: Path) -> None:
    def act() -> None:
        for code, why in NOES.items():
            administrator.PKEXEC = (f"/opt/bin/no-{code}",)
            with pytest.raises(NotApplied, match=why) as caught:
                apply(plan(), system(), Journal("/opt/home/journal"))
            assert caught.value.as_before
            assert not OURS.exists()
        assert recover(Journal("/opt/home/journal"), system()) is None

    alone(tmp_path, built, act)


def test_a_file_that_was_changed_or_is_a_link_is_left_alone(tmp_path: Path, built: Path) -> None:
    def act() -> None:
        OURS.write_text("/usr/lib\n")
        with pytest.raises(NotApplied, match=r"changed-(since|meanwhile)"):
            apply(plan(), system(), Journal("/opt/home/journal"))
        assert OURS.read_text() == "/usr/lib\n"
        OURS.unlink()
        OURS.symlink_to("/opt/elsewhere")
        with pytest.raises(NotApplied, match="file-is-a-link"):
            apply(plan(), system(), Journal("/opt/home/journal"))
        assert not os.path.exists("/opt/elsewhere")

    alone(tmp_path, built, act, user=0)


def test_an_ldconfig_that_does_not_work_takes_all_back(tmp_path: Path, built: Path) -> None:
    def act() -> None:
        os.chmod("/etc", 0o755)
        cache = Path("/etc/ld.so.cache~")
        cache.mkdir()
        with pytest.raises(NotApplied, match="loader-list-not-renewed") as caught:
            apply(plan(), system(), Journal("/opt/home/journal"))
        assert caught.value.as_before
        assert not OURS.exists()

    alone(tmp_path, built, act, user=0)


def test_what_others_can_change_is_no_folder_for_all(tmp_path: Path, built: Path) -> None:
    def act() -> None:
        loader = LoaderFolders("/etc", {})
        os.mkdir("/opt/open")
        os.chmod("/opt/open", 0o777)
        os.makedirs("/opt/open/lib")
        os.makedirs("/opt/cuda/lib64/stubs")
        os.mkdir("/opt/theirs")
        os.chown("/opt/theirs", SOMEBODY, SOMEBODY)
        for folder, why in (
            ("/opt/open/lib", "open-to-others"), ("/opt/theirs", "open-to-others"),
            ("/opt/cuda/lib64/stubs", "stand-ins"), ("relative", "folder-unusable"),
            ("/opt/a\nb", "folder-unusable"), ("/opt/#", "folder-unusable"),
            ("/opt/none", "system-said"),
        ):  # fmt: skip
            with pytest.raises(Refused, match=why):
                loader.write(Value(text=folder))
        assert not OURS.exists()

    alone(tmp_path, built, act, user=0)


def test_the_words() -> None:
    (change,) = preview(plan(), Machine(os=OperatingSystem(family="linux")))
    assert change.title == "Folders of the loader (all users)"
    assert change.place == str(OURS)
    assert change.administrator
    assert [(line.sign, line.text) for line in change.lines] == [("+", FOLDER)]
    assert "ldconfig" in change.notes[-1]
    assert (
        loader_commands(str(OURS), ["/opt/a b"])[0]
        == f"printf '%s\\n' '/opt/a b' | sudo tee {OURS}"
    )
    assert loader_commands(str(OURS), []) == [f"sudo rm -f {OURS}", "sudo ldconfig"]
