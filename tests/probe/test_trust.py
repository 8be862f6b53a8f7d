"""Whose code runs: what a look loads without asking, and what waits for a yes."""

from __future__ import annotations

import os
import platform
import re
import struct
import sys
from pathlib import Path

import pytest

from cudnn_assistant.machine import Framework, PythonEnvironment
from cudnn_assistant.probe.files.ownership import doubt, with_libraries
from cudnn_assistant.probe.running.person import behind_sudo
from cudnn_assistant.probe.trust import Trust

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="owners and modes of Linux")
ME = os.geteuid() if sys.platform != "win32" else 0
as_root = pytest.mark.skipif(ME != 0, reason="needs root to give files away")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    tmp_path.chmod(0o700)
    library = tmp_path / "lib" / "libcudnn.so.9"
    library.parent.mkdir(mode=0o755)
    library.write_bytes(b"")
    library.chmod(0o644)
    return library


def test_what_is_mine_alone_is_in_no_doubt(home):
    assert doubt(str(home), ME) == ""


@pytest.mark.parametrize("which", ["file", "folder"])
def test_what_everybody_may_write_is_not_mine(home, which):
    {"file": home, "folder": home.parent}[which].chmod(0o777)
    assert doubt(str(home), ME) == "writable"


@as_root
def test_what_somebody_else_owns_is_not_mine(home):
    os.chown(home, 1234, 1234)
    assert doubt(str(home), ME) == "owner"
    assert doubt(str(home), 1234) == ""


@as_root
def test_a_folder_of_somebody_else_s_on_the_way_is_enough(home):
    os.chown(home.parent, 1234, 1234)
    assert doubt(str(home), 0) == "owner"


def test_a_link_is_what_it_leads_to(home, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(home)
    assert doubt(str(link), ME) == ""
    home.chmod(0o666)
    assert doubt(str(link), ME) == "writable"


def test_a_link_to_itself_can_t_be_loaded_and_is_in_no_doubt(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    tmp_path.chmod(0o700)
    assert doubt(str(tmp_path / "a"), ME) == ""
    tmp_path.chmod(0o777)
    assert doubt(str(tmp_path / "a"), ME) == "writable", "somebody may lay another one there"


def test_a_folder_where_all_may_add_is_searched_by_nobody(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    (shared / "mine").mkdir(mode=0o755)
    assert doubt(str(shared / "mine"), ME) == ""
    assert doubt(str(shared), ME) == "writable"


def test_the_libraries_of_a_folder_come_with_it(home):
    (home.parent / "README").write_text("")
    assert with_libraries(str(home.parent)) == [str(home.parent), str(home)]


def environment(root: Path, *via: str) -> PythonEnvironment:
    site = root / "lib" / "python3.12" / "site-packages"
    (site / "nvidia" / "cudnn" / "lib").mkdir(parents=True, exist_ok=True)
    (site / "nvidia" / "cudnn" / "lib" / "libcudnn.so.9").touch()
    torch = Framework(name="torch", gpu=True, cudnn="9", cudnn_from="wheel")
    return PythonEnvironment(
        id=str(root), sites=(str(site),), found_via=via, frameworks=(torch,), kind="venv"
    )


def test_an_environment_that_only_lies_about_is_not_run(tmp_path):
    tmp_path.chmod(0o700)
    found = environment(tmp_path / "Downloads" / "venv", "project")
    assert Trust("linux").environment(found) == ("place", found.id)
    assert Trust("linux", (found.id,)).environment(found) == ("", "")


@pytest.mark.parametrize("via", ["PATH", "VIRTUAL_ENV", "conda", "added"])
def test_an_environment_that_programs_use_is_run(tmp_path, via):
    tmp_path.chmod(0o700)
    assert Trust("linux").environment(environment(tmp_path / "e", "project", via)) == ("", "")


def test_one_library_of_an_environment_that_others_may_exchange(tmp_path):
    tmp_path.chmod(0o700)
    found = environment(tmp_path / "e", "PATH")
    library = Path(found.sites[0]) / "nvidia/cudnn/lib/libcudnn.so.9"
    library.chmod(0o666)
    assert Trust("linux").environment(found) == ("writable", str(library))


def test_on_windows_the_python_below_an_environment_counts(tmp_path):
    """Its own python.exe is no link, but starts that one: C:\\Python311 is everybody's."""
    tmp_path.chmod(0o700)
    base, root = tmp_path / "Python311", tmp_path / "venv"
    (base / "Lib").mkdir(parents=True)
    (base / "python311.dll").touch()
    (root / "Scripts").mkdir(parents=True)
    (root / "Scripts" / "python.exe").touch()
    (root / "pyvenv.cfg").write_text(f"home = {base}\nversion = 3.11.9\n")
    python = str(root / "Scripts" / "python.exe")
    found = PythonEnvironment(id=str(root), python=python, found_via=("PATH",), kind="venv")
    assert Trust("windows").environment(found) == ("", "")
    for place in (base / "python311.dll", base / "Lib"):
        place.chmod(0o777)
        assert Trust("windows").environment(found) == ("writable", str(place))
        place.chmod(0o755)


def test_a_module_of_an_environment_that_others_may_exchange(tmp_path):
    """What a framework imports runs as well."""
    tmp_path.chmod(0o700)
    found = environment(tmp_path / "e", "PATH")
    module = Path(found.sites[0]) / "numpy"
    module.mkdir()
    assert Trust("linux").environment(found) == ("", "")
    module.chmod(0o777)
    assert Trust("linux").environment(found) == ("writable", str(module))


@pytest.mark.parametrize(
    ("tag", "who", "wanted"),
    [(2, 1234, "writable"), (2, 0, ""), (2, ME, ""), (8, 1234, "writable"), (2, None, "")],
)
def test_somebody_on_an_access_list_may_write(home, tag, who, wanted):
    """The mode alone says "my group", which may be nobody else."""
    rights, anybody = 7, 0xFFFFFFFF
    named = [(tag, rights if who is not None else 5, who or 0)]
    entries = [(1, 7, anybody), *named, (4, 5, anybody), (16, 7, anybody), (32, 5, anybody)]
    packed = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *one) for one in sorted(entries))
    try:
        os.setxattr(home.parent, "system.posix_acl_access", packed)
    except OSError as why:
        pytest.skip(f"no access lists here: {why}")
    assert home.parent.stat().st_mode & 0o020
    assert doubt(str(home), ME) == wanted


@as_root
def test_root_runs_nothing_of_others_even_when_asked(home):
    os.chown(home, 1234, 1234)
    trust = Trust("linux", (str(home.parent),))
    settings = {"LD_LIBRARY_PATH": str(home.parent)}
    assert trust.surroundings(settings) == ("owner", str(home))


def test_preloads_and_searched_folders_are_code_too(home):
    home.chmod(0o666)
    trust = Trust("linux")
    assert trust.surroundings({"LD_PRELOAD": f"/nowhere.so {home}"})[0] == "writable"
    assert trust.surroundings({"LD_LIBRARY_PATH": f"/nowhere:{home.parent}"})[0] == "writable"
    assert trust.surroundings({"LD_LIBRARY_PATH": ":"}, str(home.parent))[0] == "writable"
    assert trust.surroundings({"LD_LIBRARY_PATH": "/nowhere"}) == ("", "")
    for empty in ({}, {"LD_LIBRARY_PATH": ""}):
        assert trust.surroundings(empty, str(home.parent)) == ("", "")


@pytest.mark.parametrize("token", ["$LIB", "${LIB}", "lib/$PLATFORM", "$LIB/${PLATFORM}"])
def test_the_loaders_own_tokens_are_spelled_out(home, token):
    """As ld.so(8) reads both lists; else "/shared/$LIB" would be a folder that isn't there."""
    spelled = re.sub(r"\W*LIB\W*", "lib/", token)
    spelled = re.sub(r"\W*PLATFORM\W*", f"/{platform.machine()}", spelled)
    library = home.parent / "shared" / spelled / "libcudnn.so.9"
    library.parent.mkdir(parents=True)
    library.touch()
    library.chmod(0o666)
    trust = Trust("linux")
    there = f"{home.parent}/shared/{token}"
    for settings in (
        {"LD_LIBRARY_PATH": there},
        {"LD_LIBRARY_PATH": f"/nowhere;{there}"},
        {"LD_PRELOAD": f"{there}/libcudnn.so.9"},
        {"LD_AUDIT": f"{there}/libcudnn.so.9"},
    ):
        assert trust.surroundings(settings) == ("writable", str(library))


def test_libraries_for_newer_processors_are_code_too(home):
    home.parent.chmod(0o755)
    library = home.parent / "lib" / "glibc-hwcaps" / "x86-64-v3" / "libcudnn.so.9"
    library.parent.mkdir(parents=True)
    library.touch()
    trust, settings = Trust("linux"), {"LD_LIBRARY_PATH": str(home.parent / "lib")}
    assert trust.surroundings(settings) == ("", "")
    library.parent.chmod(0o777)
    assert trust.surroundings(settings) == ("writable", str(library.parent))


def test_an_entry_is_looked_at_once_however_often_it_is_listed(home, monkeypatch):
    """100,000 empty entries, each of them the same folder, once took 19 seconds."""
    asked = []
    listdir = os.listdir
    monkeypatch.setattr(os, "listdir", lambda folder: asked.append(folder) or listdir(folder))
    trust = Trust("linux")
    for text in (":" * 100_000, f"{home.parent}:" * 1000, f"{home.parent};;" * 1000):
        asked.clear()
        trust.surroundings({"LD_LIBRARY_PATH": text}, str(home.parent))
        assert len(asked) <= 2


@as_root
def test_who_is_behind_sudo():
    assert behind_sudo({"SUDO_UID": "0"}) is None
    assert behind_sudo({}) is None
    for forged in ("999999", "-1", "x", "\u00b2", "0x0", str(2**32), str(2**64), "9" * 5000, "1e3"):
        assert behind_sudo({"SUDO_UID": forged}) is None
        assert behind_sudo({"PKEXEC_UID": forged}) is None
    daemon = behind_sudo({"SUDO_UID": "1"})
    assert daemon is not None
    assert (daemon.pw_uid, daemon.pw_dir) == (1, "/usr/sbin")
