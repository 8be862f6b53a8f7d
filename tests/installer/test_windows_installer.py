"""The Setup.exe that build.py makes, installed, used, upgraded and removed under Wine.

Wine shows that the recipe works: files, registry, shortcut, DLL search, child processes, windows.
It shows nothing of SmartScreen, Defender, a real UAC prompt or a real GPU (CHECKLIST.md).
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import needs
import planted
import pytest
import shortcut
import windows_desktop
import windows_python
from filelock import FileLock
from windows_desktop import Desktop

from cudnn_assistant import __version__, places
from installer.windows import build, closure, signing

# By day a hosted Windows builds and tries Setup at each push (.github/workflows/packages.yml).
pytestmark = [pytest.mark.wine, pytest.mark.nightly]

KEY = "Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\cuDNN Assistant"
NEWER = "99.0.0"
ENVIRONMENT = "HKLM\\System\\CurrentControlSet\\Control\\Session Manager\\Environment"
RIGHTS = "C:\\windows\\rights.exe"
"""Runs a command with the other half of the account's rights; Wine gives all without asking."""
HERE = Path(__file__).parent


beside = pytest.mark.xdist_group("setup-beside")
"""In a Windows of its own, beside the others: what needs two Setups and not the tree in them."""


@pytest.fixture(scope="module")
def setups(work: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two versions of Setup.exe, not compressed, under names of this process's own."""
    needs.require(*windows_desktop.TOOLS)
    own = tmp_path_factory.mktemp("setups")
    names = {version: build.name(version, release=False) for version in (__version__, NEWER)}
    with FileLock(f"{work}.lock"):
        if not (work / "ready").exists():
            packed(work)
            (work / "ready").touch()
    for version, name in names.items():
        (own / name).hardlink_to(work / version / name)
    return {version: own / name for version, name in names.items()}


def packed(work: Path) -> None:
    """Both versions from one tree, compiled in a copy of the Wine that is there."""
    prefix = shutil.copytree(windows_python.template(), work / "prefix", symlinks=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WINEPREFIX", str(prefix))
        for version, more in ((__version__, []), (NEWER, ["--keep-stage"])):
            out = str(work / version)
            words = ["--fast", "--out", out, "--work", str(work / "work"), "--version", version]
            assert build.main([*words, *more]) == 0


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tree is staged that both versions are packed from, once for all processes."""
    here = tmp_path_factory.getbasetemp()
    return (here.parent if "PYTEST_XDIST_WORKER" in os.environ else here) / "build"


@pytest.fixture(scope="module")
def windows(setups: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desktop]:
    """One Windows for all tests of this file; each leaves it as it was."""
    with windows_desktop.desktop(tmp_path_factory.mktemp("windows")) as one:
        yield one


@pytest.fixture
def clean(windows: Desktop) -> Iterator[Desktop]:
    """Uninstalls what a test leaves installed."""
    yield windows
    for folder in (windows.local / "Programs", windows.drive / "Program Files"):
        if (folder / "cuDNN Assistant" / "uninstall.exe").exists():
            uninstall(windows, folder / "cuDNN Assistant", "/SETTINGS", "/LIBRARIES")


def install(windows: Desktop, setup: Path, *words: str) -> int:
    return windows.run(str(setup), "/S", *words)


def uninstall(windows: Desktop, folder: Path, *words: str) -> int:
    """As Windows' list of programs does it silently: waits for the end, and gives its code."""
    return windows.run("cmd", "/c", windows.windows_path(folder / "uninstall.cmd"), *words)


def self_test(windows: Desktop, folder: Path) -> dict[str, object]:
    target = windows.local / "self-test.json"
    python = windows.windows_path(folder / "python" / "pythonw.exe")
    file = windows.windows_path(target)
    windows.run(python, "-I", "-B", "-m", "cudnn_assistant", "--self-test", file)
    text = target.read_text("utf-8")
    target.unlink()
    said = json.loads(text)
    assert isinstance(said, dict)
    return said


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        os.path.join(base, name): (stat.st_size, stat.st_mtime_ns)
        for base, _, files in os.walk(folder)
        for name in files
        for stat in [os.stat(os.path.join(base, name))]
    }


def test_starts_from_the_menu_and_leaves_nothing_behind(
    clean: Desktop, setups: dict[str, Path], tmp_path: Path
) -> None:
    files, registry = clean.files(), clean.registry()
    with windows_own_shortcuts(clean):
        assert install(clean, setups[__version__]) == 0
    folder = clean.local / "Programs" / "cuDNN Assistant"
    made = shortcut.read(clean.menu / "cuDNN Assistant.lnk")
    assert made.target == clean.windows_path(folder / "python" / "pythonw.exe")
    assert made.texts["arguments"] == "-I -B -m cudnn_assistant --window"
    assert made.texts["icon"] == clean.windows_path(folder / "app.ico")
    assert made.properties == {shortcut.NAME: places.WINDOW_ID}
    progid = clean.output("reg", "query", "HKCU\\Software\\Classes\\cuDNNAssistant.Report")
    assert f"AppUserModelID    REG_SZ    {places.WINDOW_ID}" in progid
    assert {p.name for p in folder.iterdir()} == {*build.PARTS, "install.marker", "uninstall.exe"}
    told = clean.output("reg", "query", "HKCU\\" + KEY)
    assert f"DisplayVersion    REG_SZ    {__version__}" in told
    size = next(int(line.split()[-1], 16) for line in told.splitlines() if "EstimatedSize" in line)
    real = sum(size for size, _ in stamps(folder).values()) // 1024
    assert abs(size - real) < 0.02 * real
    major, minor = __version__.split(".")[:2]
    assert f"VersionMajor    REG_DWORD    {int(major):#x}" in told
    assert f"VersionMinor    REG_DWORD    {int(minor):#x}" in told
    assert time.strftime("%Y%m%d") in told
    assert 'cuDNN Assistant\\uninstall.cmd"' in told
    command = "%LOCALAPPDATA%\\Programs\\cuDNN Assistant\\command\\cudnn-assistant.cmd"
    assert "cuDNN Assistant\\command" in clean.output("reg", "query", "HKCU\\Environment")
    output, errors = clean.outputs(command, "check", "--no-test", "--offline")
    assert "✗ GPU and driver" in output.decode("utf-8")
    assert errors == b""

    before = stamps(folder)
    assert_whole(self_test(clean, folder))
    clean.run("start", "/unix", str(clean.menu / "cuDNN Assistant.lnk"))
    window = clean.wait_for_program()
    clean.picture("installed.png", tmp_path)
    python = clean.windows_path(folder / "python" / "pythonw.exe")
    assert clean.run(python, "-I", "-B", "-m", "cudnn_assistant", "--window") == 0
    (still,) = clean.windows("cuDNN Assistant")
    # A slow computer may still have shown its first picture. X's numbers begin with the program's.
    assert int(still) >> 20 == int(window) >> 20, "a second start opens no second window"
    clean.close("cuDNN Assistant")
    assert stamps(folder) == before, "the program wrote into its own folder"

    uninstall(clean, folder, "/SETTINGS")
    left = {name for name in clean.files() - files if not name.endswith("Local/Programs")}
    assert left == set()
    assert {line for line in clean.registry() - registry if "cudnn" in line.lower()} == set()
    assert {line for line in registry - clean.registry() if "Wine" not in line} == set()


@contextlib.contextmanager
def windows_own_shortcuts(windows: Desktop) -> Iterator[None]:
    """Meanwhile shortcuts keep their properties, as Windows' own do and Wine 8's don't."""
    windows_desktop.compiled(
        windows.drive / "windows" / "shell_link.dll", "shell_link.c", "-shared", "-municode",
        more=("-lole32", "-luuid"),
    )  # fmt: skip
    server = (
        "HKLM\\Software\\Classes\\CLSID\\{00021401-0000-0000-C000-000000000046}\\InprocServer32"
    )
    windows.run("reg", "add", server, "/ve", "/d", "C:\\windows\\shell_link.dll", "/f")
    try:
        yield
    finally:
        windows.run("reg", "add", server, "/ve", "/d", "C:\\windows\\system32\\shell32.dll", "/f")


def assert_whole(said: dict[str, object]) -> None:
    assert said["whole"] is True, said
    assert (said["version"], said["platform"]) == (__version__, "windows")
    assert str(said["interpreter"]).endswith("\\cuDNN Assistant\\python\\pythonw.exe")
    folder = str(said["interpreter"]).removesuffix("\\python\\pythonw.exe")
    assert all(str(path).startswith(folder) for path in said["path"])  # type: ignore[attr-defined]
    assert said["child"]["status"] == "ok"  # type: ignore[index]


def test_upgrade_keeps_settings_and_waits_for_the_open_program(
    clean: Desktop, setups: dict[str, Path]
) -> None:
    folder = clean.local / "Programs" / "cuDNN Assistant"
    assert install(clean, setups[__version__]) == 0
    journal = clean.local / "cuDNN Assistant" / "journal.jsonl"
    copy = clean.local / "cuDNN Assistant" / "libraries" / "9.0" / "cudnn64_9.dll"
    copy.parent.mkdir(parents=True)
    journal.write_text("")
    copy.write_text("")
    clean.run("start", "/unix", str(clean.menu / "cuDNN Assistant.lnk"))
    clean.wait_for_program()
    before = stamps(folder)
    assert install(clean, setups[NEWER]) == 4
    assert uninstall(clean, folder) == 4
    assert stamps(folder) == before
    clean.close("cuDNN Assistant")

    assert install(clean, setups[NEWER]) == 0
    assert self_test(clean, folder)["version"] == NEWER
    assert not (folder / ".old").exists()
    assert not (folder / ".new").exists()
    assert install(clean, setups[__version__]) == 3
    assert self_test(clean, folder)["version"] == NEWER

    uninstall(clean, folder)
    assert journal.exists()
    assert copy.exists()
    shutil.rmtree(journal.parent)


def test_one_product_has_one_place(clean: Desktop, setups: dict[str, Path]) -> None:
    """A second folder, the other kind of copy, and folders that aren't: each its own refusal."""
    old = setups[__version__]
    assert install(clean, old, "/D=Q:\\nowhere") == 8
    assert install(clean, old, "/D=C:\\") == 8
    assert install(clean, old) == 0
    folder = clean.local / "Programs" / "cuDNN Assistant"
    before = clean.files(), clean.registry(), stamps(folder)
    assert install(clean, old, "/D=Q:\\nowhere") == 8
    assert install(clean, old, "/D=C:\\second") == 7
    assert install(clean, old, "/ALLUSERS") == 7
    assert (clean.files(), clean.registry(), stamps(folder)) == before
    assert install(clean, setups[NEWER]) == 0
    assert install(clean, old, "/ALLUSERS") == 3
    assert uninstall(clean, folder) == 0
    assert not folder.exists()

    # Everybody's copy: where only administrators write, and by them alone.
    assert install(clean, setups[NEWER], "/ALLUSERS", "/D=C:\\anywhere") == 6
    assert clean.run(RIGHTS, str(setups[NEWER]), "/S", "/ALLUSERS") == 5
    assert install(clean, setups[NEWER], "/ALLUSERS") == 0
    assert install(clean, old, "/CURRENTUSER") == 3
    assert install(clean, setups[NEWER], "/CURRENTUSER") == 7
    assert not folder.exists()
    everybodys = clean.drive / "Program Files" / "cuDNN Assistant"
    assert NEWER in clean.output("reg", "query", "HKLM\\" + KEY)
    assert not (clean.menu / "cuDNN Assistant.lnk").exists()
    machine = clean.output("reg", "query", ENVIRONMENT, "/v", "PATH")
    assert "Program Files\\cuDNN Assistant\\command" in machine
    # What the uninstaller starts as administrator: the machine's half, from its own folder.
    settings = clean.local / "cuDNN Assistant"
    settings.mkdir(exist_ok=True)
    (settings / "journal.jsonl").write_text("")
    words = ("/S", "/MACHINE", "_?=C:\\Program", "Files\\cuDNN", "Assistant")
    assert clean.run(clean.windows_path(everybodys / "uninstall.exe"), *words) == 0
    appears(everybodys, there=False)
    assert (settings / "journal.jsonl").exists()
    shutil.rmtree(settings)
    assert "DisplayVersion" not in clean.output("reg", "query", "HKLM\\" + KEY)
    assert "cuDNN" not in clean.output("reg", "query", ENVIRONMENT, "/v", "PATH")


@beside
def test_an_older_second_copy_leaves_the_first_its_entries(
    clean: Desktop, setups: dict[str, Path]
) -> None:
    """Setup used to install a second copy, and removing that took the first one's entries."""
    assert install(clean, setups[__version__]) == 0
    folder = clean.local / "Programs" / "cuDNN Assistant"
    second = clean.drive / "second"
    shutil.copytree(folder, second)
    registry = clean.registry()
    assert uninstall(clean, second) == 0
    assert not second.exists()
    assert (clean.menu / "cuDNN Assistant.lnk").exists()
    assert clean.registry() == registry


def test_repairs_what_a_stopped_upgrade_left_and_spares_the_files_of_others(
    clean: Desktop, setups: dict[str, Path]
) -> None:
    # Also below what is called as we are: a checkout, or one that they unpacked themselves.
    theirs = clean.drive / "stuff" / "cuDNN Assistant"
    (theirs / "lib").mkdir(parents=True)
    (theirs / "lib" / "mine.txt").write_text("")
    assert install(clean, setups[__version__], "/D=C:\\stuff") == 0
    folder = theirs / "cuDNN Assistant"
    (folder / ".old").mkdir()
    (folder / "lib").rename(folder / ".old" / "lib")
    (folder / ".new").mkdir()
    inside = clean.windows_path(folder)
    assert install(clean, setups[__version__], f"/D={inside}", "/NOCOMMAND") == 0
    assert self_test(clean, folder)["whole"] is True
    assert not (folder / ".old").exists()
    assert "command" not in clean.output("reg", "query", "HKCU\\Environment")
    uninstall(clean, folder)
    assert (theirs / "lib" / "mine.txt").exists()
    assert not folder.exists()


def test_lives_under_the_longest_name_with_other_letters(
    clean: Desktop, setups: dict[str, Path], work: Path
) -> None:
    outer = clean.drive / "Ein Ordner für Größe Ω"
    room = build.room(work / "work" / "stage")
    folder = outer / ("x" * (room - len(clean.windows_path(outer)) - 1))
    assert len(clean.windows_path(folder / "python" / "pythonw.exe")) > 200
    outer.mkdir()
    # NSIS reads /D to the end of the line and knows no quotes; Wine adds them around spaces.
    words = f"/D={clean.windows_path(folder)}".split(" ")
    assert install(clean, setups[__version__], *words) == 0
    before = stamps(folder)
    assert self_test(clean, folder)["whole"] is True
    report = outer / "Bericht für Ω.md"
    python = clean.windows_path(folder / "python" / "pythonw.exe")
    words = ["-I", "-B", "-m", "cudnn_assistant", "report", "--no-test"]
    clean.run(python, *words, clean.windows_path(report))
    assert "no NVIDIA GPU" in report.read_text("utf-8")
    report.unlink()
    assert stamps(folder) == before
    uninstall(clean, folder)
    assert not folder.exists()
    assert clean.run(str(setups[__version__]), "/S", f"/D=C:\\{'y' * room}") == 6
    outer.rmdir()


@beside
def test_by_keyboard_alone(clean: Desktop, setups: dict[str, Path], tmp_path: Path) -> None:
    """Install for everybody, open a report, repair while it is open, an older one, uninstall.

    Everybody's copy, because Wine 8 opens no file by what only this person has associated. Setup
    begins without an administrator's rights, as on Windows; Wine's "runas" gives none either, but
    the second Setup runs, and the first waits for it and starts the program.
    """
    setup, title = str(setups[__version__]), f"cuDNN Assistant {__version__}"
    done = clean.start(RIGHTS, setup)
    page = clean.wait_for(title)
    clean.picture("1-who.png", tmp_path)
    # From a network drive, which an administrator's session doesn't have; here, from nowhere.
    away = setups[__version__].rename(setups[__version__].with_suffix(".away"))
    try:
        clean.press(page, "alt+e", "Return")
        told = clean.wait_for(title, other=page)
        clean.picture("1-not-from-here.png", tmp_path)
    finally:
        away.rename(setups[__version__])
    clean.press(told, "Return")
    clean.press(page, "Return")
    folder = clean.drive / "Program Files" / "cuDNN Assistant"
    appears(folder / "uninstall.exe")
    page = clean.wait_for(f"{title} ?")
    time.sleep(2)
    clean.picture("2-installed.png", tmp_path)
    start_from_last_page(clean, page, done)

    report = clean.drive / "Ännas report.cudnn-report"
    shutil.copy(build.ROOT / "tests/machines/reports/h100-pytorch-healthy.md", report)
    clean.start("start", "/unix", str(report))
    clean.wait_for_program()
    clean.picture("4-report.png", tmp_path)
    recent = clean.person / "AppData/Roaming/Microsoft/Windows/Recent"
    appears(recent / f"{report.name}.lnk")

    (folder / "lib" / "pefile.pyc").unlink()
    done = clean.start(RIGHTS, setup)
    page = clean.wait_for(title)
    clean.picture("5-repair.png", tmp_path)
    clean.press(page, "Return")
    question = clean.wait_for(f"{title} ?", other=page)
    clean.picture("6-open.png", tmp_path)
    clean.close("cuDNN Assistant")
    clean.press(question, "alt+r")
    appears(folder / "lib" / "pefile.pyc")
    time.sleep(2)
    page = clean.wait_for(f"{title} ?")
    start_from_last_page(clean, page, done)
    assert self_test(clean, folder)["whole"] is True

    clean.run("reg", "add", "HKLM\\" + KEY, "/v", "DisplayVersion", "/d", NEWER, "/f")
    done = clean.start(setup)
    page = clean.wait_for(title)
    clean.press(page, "Return")
    clean.wait_for(title, other=page)
    clean.picture("7-older.png", tmp_path)
    clean.press(clean.wait_for(title, other=page), "Return")
    assert done.wait(30) == 3

    # Declined: all stays.
    clean.start(RIGHTS, clean.windows_path(folder / "uninstall.exe"))
    page = clean.wait_for("cuDNN Assistant Uninstall")
    clean.press(page, "Return")
    told = clean.wait_for("cuDNN Assistant Uninstall", other=page)
    clean.picture("8-declined.png", tmp_path)
    clean.press(told, "Return")
    clean.press(page, "Escape")
    clean.gone("cuDNN Assistant Uninstall")
    assert (folder / "uninstall.exe").exists()
    assert uninstall(clean, folder) == 0

    # A person's own copy, and what is theirs.
    folder = clean.local / "Programs" / "cuDNN Assistant"
    assert install(clean, setups[__version__]) == 0
    settings = clean.local / "cuDNN Assistant"
    (settings / "libraries" / "9.0").mkdir(parents=True, exist_ok=True)
    (settings / "journal.jsonl").write_text("")
    clean.start(clean.windows_path(folder / "uninstall.exe"))
    page = clean.wait_for("cuDNN Assistant Uninstall")
    clean.press(page, "alt+s", "alt+c")
    clean.picture("9-uninstall.png", tmp_path)
    clean.press(page, "Return")
    appears(folder, there=False)
    clean.picture("10-removed.png", tmp_path)
    clean.press(page, "Return")
    clean.gone("cuDNN Assistant Uninstall")
    assert not settings.exists()


def start_from_last_page(windows: Desktop, page: str, setup: subprocess.Popen[bytes]) -> None:
    """Finish Setup, see the program it starts, and close that."""
    windows.press_until(page, "Return", lambda: setup.poll() is not None, 40)
    assert setup.returncode == 0
    windows.wait_for_program()
    windows.close("cuDNN Assistant")


def appears(path: Path, *, there: bool = True) -> None:
    """Wait for a file, or for its end."""
    until = time.monotonic() + 60
    while path.exists() is not there:
        assert time.monotonic() < until, path
        time.sleep(0.2)


@beside
def test_a_person_without_rights_and_without_a_network(setups: dict[str, Path]) -> None:
    """As far as Wine can: the system belongs to another Unix account, and no socket reaches out."""
    needs.require_root()
    with tempfile.TemporaryDirectory() as home:
        shutil.copy(setups[__version__], home)
        setup = str(Path(home) / setups[__version__].name)
        for path in (home, setup):
            os.chown(path, ANNA, ANNA)
        person = ("setpriv", f"--reuid={ANNA}", f"--regid={ANNA}", "--clear-groups")
        with windows_desktop.desktop(Path(home), "unshare", "-n", *person) as windows:
            for name in ("windows", "Program Files", "ProgramData"):
                close(windows.drive / name)
            os.chown(windows.drive, 0, 0)
            assert install(windows, Path(setup), "/ALLUSERS") == 2
            assert not (windows.drive / "Program Files" / "cuDNN Assistant").exists()
            assert install(windows, Path(setup)) == 0
            folder = windows.local / "Programs" / "cuDNN Assistant"
            before = stamps(folder)
            assert self_test(windows, folder)["whole"] is True
            assert stamps(folder) == before
            uninstall(windows, folder, "/SETTINGS")
            assert not folder.exists()


ANNA = 12345
"""A Unix account that owns nothing."""


def close(folder: Path) -> None:
    """Make a folder and the folders in it root's, so that others can only read them."""
    os.chown(folder, 0, 0)
    for path in folder.rglob("*"):
        os.chown(path, 0, 0, follow_symlinks=False)


def test_the_same_tree_makes_the_same_setup(setups: dict[str, Path], work: Path) -> None:
    words = ["--fast", "--keep-stage", "--work", str(work / "work"), "--version", NEWER]
    assert build.main([*words, "--out", str(work / "again")]) == 0
    assert build.sha256(work / "again" / setups[NEWER].name) == build.sha256(setups[NEWER])


def test_a_library_that_is_missing_is_seen(
    setups: dict[str, Path], work: Path, tmp_path: Path
) -> None:
    """Building has looked at the whole tree; here a part of it alone."""
    folder = tmp_path / "lib" / "PySide6"
    folder.mkdir(parents=True)
    shutil.copy(work / "work" / "stage" / "lib" / "PySide6" / "QtSvg.pyd", folder)
    assert "lib/PySide6/QtSvg.pyd needs qt6svg.dll" in closure.missing(tmp_path)


def test_licences_and_the_bill_of_materials_name_every_part(
    setups: dict[str, Path], work: Path
) -> None:
    stage = work / "work" / "stage"
    bill = json.loads((stage / "sbom.cdx.json").read_text("utf-8"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    named = {part["name"] for part in bill["components"]}
    assert named >= {"cpython", "pyside6-essentials", "cryptography", "nvidia-ml-py", "cffi"}
    texts = {path.name for path in (stage / "licences").iterdir()}
    assert texts >= {"Python.txt", "Qt", "cuDNN Assistant.txt", "nvidia_ml_py", "cryptography"}
    packed = {path.name for path in (stage / "lib").iterdir() if path.is_dir()} - {
        "PySide6", "shiboken6", "ordlookup", "certifi", "cuda",
    }  # fmt: skip
    assert packed <= texts


def test_setup_and_uninstaller_are_signed(
    clean: Desktop, setups: dict[str, Path], work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a certificate made for this test, so it shows the step, not that anybody trusts it."""
    needs.require("openssl", "osslsigncode")
    key, certificate = str(work / "key.pem"), str(work / "certificate.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=Test", "-addext", "extendedKeyUsage=codeSigning", "-keyout", key,
         "-out", certificate], check=True, capture_output=True,
    )  # fmt: skip
    monkeypatch.setenv("SIGN_CERTIFICATE", certificate)
    monkeypatch.setenv("SIGN_KEY", key)
    words = ["--fast", "--keep-stage", "--work", str(work / "work"), "--version", NEWER]
    assert build.main([*words, "--out", str(work / "signed")]) == 0
    assert install(clean, work / "signed" / setups[NEWER].name) == 0
    uninstaller = clean.local / "Programs" / "cuDNN Assistant" / "uninstall.exe"
    assert signing.unsigned(uninstaller.parent) == []
    packed = uninstaller.parent / "lib" / "_cffi_backend.cp313-win_amd64.pyd"
    for file in (work / "signed" / setups[NEWER].name, uninstaller, packed):
        done = subprocess.run(
            ["osslsigncode", "verify", "-CAfile", certificate, "-in", str(file)],
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
    unsigned = subprocess.run(
        ["osslsigncode", "verify", "-in", str(setups[NEWER])], capture_output=True
    )
    assert unsigned.returncode != 0


def test_the_steps_that_hosted_windows_takes(
    clean: Desktop, setups: dict[str, Path], work: Path, tmp_path: Path
) -> None:
    """The script of packages.yml with all its steps: a cuDNN that nobody finds, fixed and undone.

    What is planted for the machine is taken away again.
    """
    planted.stubs(tmp_path)
    machine = [*machine_variables(clean)]
    python = work / "work" / "stage" / "python" / "python.exe"
    files = (python, HERE / "on_windows.py", setups[__version__], tmp_path)
    try:
        said = clean.output(*map(clean.windows_path, files))
    finally:
        for name, kind, text in machine:
            words = ("/v", name, "/t", kind, "/d", text, "/f")
            clean.run("reg", "add", ENVIRONMENT, *words)
        clean.run("reg", "delete", ENVIRONMENT, "/v", "CUDA_PATH", "/f")
        clean.run("reg", "delete", "HKCU\\Environment", "/v", "Path", "/f")
        shutil.rmtree(clean.drive / "tools", ignore_errors=True)
        shutil.rmtree(
            clean.drive / "Program Files" / "NVIDIA GPU Computing Toolkit", ignore_errors=True
        )
    assert "stopped" not in said, said
    assert said.rstrip().endswith("menu: False"), said


def machine_variables(windows: Desktop) -> Iterator[tuple[str, str, str]]:
    """Name, kind and text of PATH."""
    for line in windows.output("reg", "query", ENVIRONMENT, "/v", "PATH").splitlines():
        name, _, rest = line.strip().partition("    ")
        kind, _, text = rest.strip().partition("    ")
        if text:
            yield name, kind, text.strip()


def command_line(windows: Desktop, *words: str) -> str:
    folder = windows.local / "Programs" / "cuDNN Assistant"
    return windows.output(windows.windows_path(folder / "command" / "cudnn-assistant.cmd"), *words)


@beside
def test_a_gpu_without_and_with_its_cudnn(
    clean: Desktop, setups: dict[str, Path], tmp_path: Path
) -> None:
    """Last of all, because it leaves a driver in this Windows."""
    assert install(clean, setups[__version__]) == 0
    planted.gpu(clean)
    planted.cudnn(clean, on_path=False)
    said = command_line(clean, "check")
    assert "GeForce RTX 4090, driver 581.15" in said, said
    assert "cudnn64_9.dll not found" in said, said
    assert "cuDNN doesn't work yet" in said, said

    planted.cudnn(clean, on_path=True)
    said = command_line(clean, "check")
    assert "cuDNN 9.10.2 works" in said, said
    assert "C:\\Program Files\\NVIDIA\\CUDNN\\v9.10\\bin\\12.9" in said

    clean.run("start", "/unix", str(clean.menu / "cuDNN Assistant.lnk"))
    clean.wait_for_program()
    # While it looks, this key does nothing; on the page Result it shows the report.
    clean.press_until("cuDNN Assistant", "alt+s", lambda: bool(clean.windows("Save report.*")), 120)
    # Each of the keys that it took meanwhile opens it once more.
    clean.press_until("Save report.*", "Escape", lambda: not clean.windows("Save report.*"), 60)
    clean.picture("result.png", tmp_path)
    clean.press(clean.wait_for("cuDNN Assistant"), "Return")
    clean.gone("cuDNN Assistant")
