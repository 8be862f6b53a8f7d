"""The wheel in a clean environment, the .deb in clean systems, and the desktop's own checkers."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import clean_systems
import needs
import pytest
import screens
from clean_systems import debian, ubuntu

from cudnn_assistant import __version__
from installer import NotReady, checks
from installer.linux import appdir, appimage, deb, elf, payload, rpm
from installer.linux import debian as debian_files
from installer.windows import build

DESKTOP = build.ROOT / "resources" / "desktop"
SERIES = f"{sys.version_info[0]}.{sys.version_info[1]}"


def checked(*words: str, folder: Path | None = None, **environment: str) -> str:
    """What a command prints; the test ends with its words where it doesn't end well."""
    done = subprocess.run(
        words, capture_output=True, text=True, cwd=folder, env={**os.environ, **environment}
    )
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def whole(text: str) -> dict[str, Any]:
    said = json.loads(text)
    assert isinstance(said, dict)
    assert said["whole"] is True, said
    assert (said["version"], said["child"]["status"]) == (__version__, "ok")
    return said


@pytest.mark.nightly
@needs.window
def test_the_wheel_made_from_the_sdist_works_in_a_clean_environment(tmp_path: Path) -> None:
    """In a folder with spaces, other letters and 200 characters, and without a network."""
    dist = tmp_path / "dist"
    checked(sys.executable, "-m", "build", "--outdir", str(dist), str(build.ROOT))
    (wheel,) = dist.glob("*.whl")
    (sdist,) = dist.glob("*.tar.gz")
    assert checks.wheel(wheel) == []
    with zipfile.ZipFile(wheel) as packed:
        assert [n for n in packed.namelist() if n.endswith(".po") or "/sources/" in n] == []
    with tarfile.open(sdist) as source:
        assert any(n.endswith("/installer/windows/setup.nsi") for n in source.getnames())
    clean = longest(tmp_path)
    venv.create(clean, with_pip=True)
    program = clean / "bin" / "cudnn-assistant"
    python = str(program.with_name("python"))
    checked(python, "-m", "pip", "-q", "install", "--only-binary", ":all:", str(wheel))
    before = names(clean)
    said = whole(checked(*OFFLINE, str(program), "--self-test", QT_QPA_PLATFORM="offscreen"))
    assert said["package"].startswith(str(clean))
    assert names(clean) == before
    checked(str(program), "integrate", HOME=str(tmp_path))
    share = tmp_path / ".local/share"
    entry = share / "applications/cudnn-assistant.desktop"
    assert f'Exec="{program}-gui"' in entry.read_text("utf-8")
    about = "metainfo/io.github.cudnn_assistant.cudnn_assistant.metainfo.xml"
    icon = "icons/hicolor/scalable/apps/cudnn-assistant.svg"
    for name in ("man/man1/cudnn-assistant.1", icon, about):
        assert (share / name).stat().st_size > 500
    assert checks.desktop(tmp_path / ".local") == []


OFFLINE = ("unshare", "-n") if not os.geteuid() else ("unshare", "-r", "-n")
"""A network of one's own with nothing in it."""


def longest(folder: Path) -> Path:
    """A folder whose path has spaces, other letters and 200 characters."""
    outer = folder / "ein Ordner für Größe Ω"
    return outer / ("x" * (199 - len(str(outer))))


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A .deb for the systems below, and an RPM beside it; examined on the outside.

    Only Ubuntu, which the night looks at, has Python 3.12.
    """
    needs.require_root()
    needs.require("debootstrap")
    folder = tmp_path_factory.mktemp("deb")
    words = ["--fast", "--out", str(folder), "--work", str(folder / "work")]
    series = ("3.11", "3.12") if needs.night() else ("3.11",)
    assert deb.main([*words, "--series", *series]) == 0
    needs.require("rpmbuild", "rpm", "rpmlint")
    assert rpm.main(["--fast", "--out", str(folder), "--tree", str(folder / "work" / "root")]) == 0
    (built,) = folder.glob("*.deb")
    (other,) = folder.glob("*.rpm")
    assert checks.fedora(other) == []
    assert checks.desktop(folder / "work" / "root") == []
    assert_all_is_needed(folder / "work" / "root")
    shutil.rmtree(folder / "work")
    return built


def assert_all_is_needed(root: Path) -> None:
    """Each of Qt's libraries, and each that the system is asked for."""
    files = [path for path in root.rglob("*.so*") if path.is_file()]
    needed = {name for path in files for name in elf.needed(path)}
    asked = " ".join((*payload.SYSTEM.values(), *payload.RECOMMENDED.values())).split()
    qt = [path.name for path in files if path.name.startswith("libQt6")]
    assert {*qt, *asked} - needed == set()


@pytest.mark.nightly
def test_debian_finds_nothing_wrong_with_the_package(package: Path) -> None:
    """It unpacks and reads all that the package brings: more than building it took."""
    assert checks.debian(package) == []


@pytest.mark.nightly
@pytest.mark.parametrize("system", [debian, ubuntu])
def test_the_deb_runs_in_a_clean(system: clean_systems.Make, package: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    clean_systems.unpack(system, root)
    shutil.copy(package, root / "tmp")
    for setting in Path("/etc/apt/apt.conf.d").iterdir():
        shutil.copy(setting, root / "etc/apt/apt.conf.d")
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")

    def inside(command: str) -> str:
        more = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8", "HOME": "/root"}
        path = "/usr/sbin:/usr/bin:/sbin:/bin"
        return checked("chroot", str(root), "sh", "-c", command, PATH=path, **more)

    quiet = "-qq -o APT::Sandbox::User=root"
    inside(f"apt-get {quiet} update")
    inside(f"apt-get {quiet} install -y --no-install-recommends /tmp/{package.name}")
    assert checks.tree(root / deb.HOME) == []
    before = names(root / "usr")
    # Every symbol is looked up at once, so that a missing one ends it.
    command = "LD_BIND_NOW=1 QT_QPA_PLATFORM=offscreen cudnn-assistant --self-test"
    said = whole(inside(f"cd /tmp && {command}"))
    assert said["package"] == "/usr/lib/cudnn-assistant/cudnn_assistant"
    assert names(root / "usr") == before
    assert inside("cudnn-assistant --version").strip() == f"cudnn-assistant {__version__}"
    ours = "find / -xdev -name '*cudnn*' -not -path '/tmp/*' -not -path '/proc/*'"
    inside("dpkg -P cudnn-assistant")
    assert inside(ours).split() in ([], ["/root/.local/state/cudnn-assistant"])
    if system is debian:
        (other,) = package.parent.glob("*.rpm")
        assert_an_rpm_comes_and_goes(root, other, inside)
        assert inside(ours).split() in ([], ["/root/.local/state/cudnn-assistant"])


def assert_an_rpm_comes_and_goes(root: Path, file: Path, inside: Callable[[str], str]) -> None:
    """In a system that rpm knows nothing of, with the libraries that the .deb has asked for."""
    # Fedora and openSUSE have this one in every system.
    (root / "usr/share/icons").mkdir(exist_ok=True)
    before = names(root / "usr")
    words = ("rpm", "--root", str(root), "--dbpath", "/var/lib/rpm")
    checked(*words, "--nodeps", "--install", str(file))
    assert checks.tree(root / deb.HOME) == []
    assert any("__pycache__" in name for name in names(root / deb.HOME))
    installed = names(root / "usr")
    whole(inside("cd /tmp && LD_BIND_NOW=1 QT_QPA_PLATFORM=offscreen cudnn-assistant --self-test"))
    assert names(root / "usr") == installed
    checked(*words, "--nodeps", "--erase", "cudnn-assistant")
    assert names(root / "usr") == before


def test_an_rpm_asks_for_what_the_deb_asks_for() -> None:
    """By the names of the libraries, which Fedora's and openSUSE's packages say they have."""
    asked = rpm.spec(Path("/nowhere"))
    for name in (*payload.SYSTEM.values(), *payload.RECOMMENDED.values()):
        assert all(f": {library}()(64bit)\n" in asked for library in name.split())
    assert "Requires: ((python3 >= 3.11 with python3 < 3.15) or python311 or " in asked


@pytest.mark.parametrize("minor", range(9, 18))
@pytest.mark.parametrize("start", ["launcher.py", "AppRun", "compile.sh"])
def test_only_a_python_that_libraries_are_packed_for_is_taken(
    start: str, minor: int, tmp_path: Path
) -> None:
    file = deb.HERE / start
    version = f"import sys; sys.version_info = (3, {minor}, 0)\n"
    if start == "launcher.py":
        code = f"import os, runpy; os.access = lambda *_: 0; runpy.run_path({str(file)!r})"
    else:
        (code,) = re.findall(r" -[IBS]*c '(.+)'", file.read_text("utf-8"))
    done = subprocess.run(
        [sys.executable, "-ISc", version + code], capture_output=True, text=True, cwd=tmp_path
    )
    taken = "No module" in done.stderr if start == "launcher.py" else done.returncode == 0
    assert taken == (f"3.{minor}" in payload.SERIES), done.stderr


@needs.programs("git", "rpmbuild")
@pytest.mark.parametrize("kind", [deb, rpm])
def test_the_same_tree_makes_the_same_package(kind: ModuleType, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/cudnn-assistant").write_text("#!/bin/sh\n")
    for folder in (deb.HOME, "usr/share/doc/cudnn-assistant"):
        (root / folder).mkdir(parents=True)
        (root / folder / "file").write_text("content")
    debian_files.fill(root / "usr/share")
    hashes = set()
    for _ in range(2):
        hashes.add(build.sha256(kind.pack(root, tmp_path, light=True)))
        shutil.rmtree(root / "DEBIAN", ignore_errors=True)
        (root / "usr/bin/cudnn-assistant").touch()
    assert len(hashes) == 1


@pytest.mark.nightly
def test_the_appdir_starts_where_nothing_is_set(tmp_path: Path) -> None:
    needs.require(*screens.TOOLS)
    folder = longest(tmp_path)
    words = ["--out", str(folder), "--work", str(tmp_path / "work")]
    assert appdir.main([*words, "--series", SERIES]) == 0
    assert checks.desktop(folder) == []
    assert checks.tree(folder / deb.HOME) == []
    assert {"AppRun", "cudnn-assistant.desktop", "cudnn-assistant.svg"} <= names(folder)
    before = names(folder)
    assert checks.self_test(folder / "AppRun", tmp_path, *OFFLINE) == []
    with screens.screen() as display:
        one = screens.Screen(display, tmp_path)
        clean = {"PATH": python_first(), "HOME": str(tmp_path), "DISPLAY": display}
        program = subprocess.Popen([str(folder / "AppRun")], env=clean)
        window = one.wait_for("cuDNN Assistant")
        time.sleep(4)
        one.picture("appdir.png", tmp_path)
        one.press(window, "alt+F4")
        assert program.wait(30) == 0
    assert names(folder) == before


def python_first() -> str:
    """The PATH of a new session, with the Python of these tests where the system's is too old."""
    return os.pathsep.join([os.path.dirname(sys.executable), os.defpath])


@needs.programs("mksquashfs", "unsquashfs")
def test_an_appimage_is_its_runtime_and_the_folder_to_the_byte(tmp_path: Path) -> None:
    runtime = tmp_path / "runtime"
    runtime.write_bytes(b"\x7fELF run time" * 1000)
    digest = build.sha256(runtime)
    made = []
    for name in ("one", "another"):
        folder = tmp_path / name
        (folder / "usr").mkdir(parents=True)
        (folder / "usr" / "file").write_text("content")
        (folder / "AppRun").write_text("#!/bin/sh\n")
        (folder / "AppRun").chmod(0o755)
        (folder / "usr" / "link").symlink_to("file")
        (tmp_path / f"{name}.out").mkdir()
        made.append(appimage.pack(folder, runtime, digest, tmp_path / f"{name}.out"))
    first, second = (file.read_bytes() for file in made)
    assert first == second
    assert first.startswith(runtime.read_bytes())
    assert os.access(made[0], os.X_OK)
    offset = str(runtime.stat().st_size)
    checked("unsquashfs", "-o", offset, "-d", str(tmp_path / "seen"), str(made[0]))
    assert os.access(tmp_path / "seen" / "AppRun", os.X_OK)
    assert (tmp_path / "seen" / "usr" / "link").read_text() == "content"
    with pytest.raises(NotReady):
        appimage.pack(tmp_path / "one", runtime, "0" * 64, tmp_path)


def test_an_appimage_is_started_again_by_its_own_file(tmp_path: Path) -> None:
    root = tmp_path / "usr/lib/cudnn-assistant"
    root.mkdir(parents=True)
    (root / "cudnn_assistant").symlink_to(build.ROOT / "cudnn_assistant")
    ask = "from cudnn_assistant import places; print(*places.window_command())"
    code = f"import sys; sys.path.insert(0, {str(root)!r}); {ask}"
    inside = {"APPDIR": str(tmp_path), "APPIMAGE": "/home/me/cuDNN.AppImage"}
    said = checked(sys.executable, "-c", code, folder=tmp_path, **inside)
    assert said.strip() == "/home/me/cuDNN.AppImage --window"
    foreign = {"APPDIR": "/tmp/terminal", "APPIMAGE": "/home/me/terminal.AppImage"}
    said = checked(sys.executable, "-c", code, folder=tmp_path, **foreign)
    assert said.strip() == f"{sys.executable} -m cudnn_assistant --window"


@pytest.mark.parametrize(
    "words",
    [
        ("desktop-file-validate", "cudnn-assistant.desktop"),
        (
            "appstreamcli",
            "validate",
            "--no-net",
            "io.github.cudnn_assistant.cudnn_assistant.metainfo.xml",
        ),
    ],
)
def test_the_desktop_understands_what_we_say_of_us(words: tuple[str, ...]) -> None:
    needs.require(words[0])
    checked(*words[:-1], str(DESKTOP / words[-1]))


def test_the_manual_names_every_command() -> None:
    from cudnn_assistant.cli.arguments import COMMANDS

    text = (DESKTOP / "cudnn-assistant.1").read_text("utf-8")
    assert [
        name for name in COMMANDS if f".B {name}\n" not in text and f'.BI {name} "' not in text
    ] == []
