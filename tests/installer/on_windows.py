"""What a person does with Setup.exe, step by step: ``python on_windows.py SETUP STUBS [STEP...]``.

Runs in Windows' Python, on hosted Windows (packages.yml) and under Wine, and needs nothing but the
standard library. ``STUBS`` is the folder that ``planted.py`` compiles. A computer of one's own
should not be taken: the steps "plant" and "uninstall" write into System32 and remove settings.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import winreg
from pathlib import Path
from typing import Any

# An embeddable Python doesn't look beside its program.
sys.path.insert(0, str(Path(__file__).parent))
import shortcut

reg: Any = winreg
windll: Any = getattr(ctypes, "windll", None)

LOCAL = Path(os.environ.get("LOCALAPPDATA", ""))
APP = LOCAL / "Programs" / "cuDNN Assistant"
KEY = r"Software\Microsoft\Windows\CurrentVersion\Uninstall\cuDNN Assistant"
CUDNN = Path(r"C:\tools\cuDNN Größe 9\bin")
PROGRAM = (str(APP / "python" / "python.exe"), "-I", "-B", "-m", "cudnn_assistant")
CUDA = Path(r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v12.9")
COMMAND = str(APP / "command")
LINK = Path(
    os.environ.get("APPDATA", ""),
    r"Microsoft\Windows\Start Menu\Programs\cuDNN Assistant.lnk",
)
EARLIER = r"%USERPROFILE%\my tools;;C:\quoted;C:\windows"
"""The person's PATH before our command joined it."""
BEFORE = (f"{EARLIER};{COMMAND}", reg.REG_EXPAND_SZ)
ENVIRONMENT = r"SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
WINE = hasattr(windll.ntdll, "wine_get_version")


class Unlike(Exception):
    """Something is not as it must be."""


def say(line: str) -> None:
    """A line for the log."""
    sys.stdout.buffer.write(f"{line}\n".encode())
    sys.stdout.buffer.flush()


def expect(what: str, found: object, wanted: object) -> None:
    """Say what was seen; raises Unlike unless it is what was wanted."""
    say(f"  {what}: {found!r}")
    if found != wanted:
        raise Unlike(f"{what}: {found!r}, not {wanted!r}")


def run(*words: str) -> int:
    """A program's exit code."""
    return subprocess.call(words, stdin=subprocess.DEVNULL)


def setup(*words: str) -> int:
    """Setup's exit code. NSIS reads /D= to the end of the line and knows no quotes."""
    return subprocess.call(" ".join([f'"{sys.argv[1]}" /S', *words]))


def path() -> tuple[str, int] | None:
    """The person's PATH as the registry holds it, with its kind; ``None`` without one."""
    with reg.OpenKey(reg.HKEY_CURRENT_USER, "Environment") as key:
        try:
            text, kind = reg.QueryValueEx(key, "Path")
        except FileNotFoundError:
            return None
        return str(text), int(kind)


def listed() -> bool:
    """Whether Windows' list of programs names us for this person."""
    try:
        reg.OpenKey(reg.HKEY_CURRENT_USER, KEY).Close()
    except FileNotFoundError:
        return False
    return True


def refuse() -> None:
    expect("a missing drive", setup(r"/D=Q:\nowhere"), 8)
    expect("a bare root", setup("/D=C:\\"), 8)
    expect("installed", APP.exists(), False)


def install() -> None:
    expect("Setup", setup("/CURRENTUSER"), 0)
    expect("Setup again", setup("/CURRENTUSER"), 0)
    expect("another folder", setup(r"/D=C:\second"), 7)
    expect("listed", listed(), True)
    expect("the command on PATH", COMMAND in str((path() or [""])[0]).split(";"), True)
    # A new terminal: the variables as they are now, and the name alone.
    terminal = f'set "PATH=%PATH%;{COMMAND}" && cudnn-assistant --help'
    expect("the command", subprocess.call(f"cmd /d /c {terminal}", stdout=subprocess.DEVNULL), 0)
    target = Path(os.environ["TEMP"], "self-test.json")
    pythonw = str(APP / "python" / "pythonw.exe")
    run(pythonw, *PROGRAM[1:], "--self-test", str(target))
    expect("whole", json.loads(target.read_text("utf-8"))["whole"], True)


def menu() -> None:
    """Wine's shortcuts keep no properties; there the name is seen by shell_link.c."""
    made = shortcut.read(LINK)
    expect("arguments", made.texts["arguments"], "-I -B -m cudnn_assistant --window")
    if not WINE:
        expect("name", made.properties.get(shortcut.NAME), "cuDNNAssistant.Window")


def plant() -> None:
    """A driver, a GPU and a CUDA of stubs, and a cuDNN in a folder that is nobody's."""
    stubs = Path(sys.argv[2])
    CUDNN.mkdir(parents=True, exist_ok=True)
    system = Path(os.environ["SYSTEMROOT"], "System32")
    (CUDA / "bin").mkdir(parents=True, exist_ok=True)
    places = {"driver": system, "cudnn": CUDNN, "cuda": CUDA, "cuda/bin": CUDA / "bin"}
    for source, target in places.items():
        for file in filter(Path.is_file, (stubs / source).iterdir()):
            (target / file.name).write_bytes(file.read_bytes())
    access = reg.KEY_QUERY_VALUE | reg.KEY_SET_VALUE
    with reg.OpenKey(reg.HKEY_LOCAL_MACHINE, ENVIRONMENT, 0, access) as key:
        text, kind = reg.QueryValueEx(key, "Path")
        reg.SetValueEx(key, "Path", 0, kind, f"{text};{CUDA}\\bin")
        reg.SetValueEx(key, "CUDA_PATH", 0, reg.REG_SZ, str(CUDA))
    with reg.OpenKey(reg.HKEY_CURRENT_USER, "Environment", 0, reg.KEY_SET_VALUE) as key:
        reg.SetValueEx(key, "Path", 0, BEFORE[1], BEFORE[0])


def fix() -> None:
    """Wine 8 leaves the person's PATH out of a new program's, so that there the code is 4."""
    trust = ("--trust", str(CUDNN.parent))
    expect("fix", run(*PROGRAM, "fix", "--yes", "--offline", *trust), 4 if WINE else 0)
    now = path()
    expect("kind", now and now[1], BEFORE[1])
    expect("on PATH", bool(now) and str(CUDNN) in str(now and now[0]).split(";"), True)
    if WINE:
        say("  a new process: not shown under Wine")
    else:
        expect("a new process sees it", str(CUDNN) in fresh().split(";"), True)


def fresh() -> str:
    """PATH as Windows gives it to a program that is started now."""
    token, block = ctypes.c_void_p(), ctypes.c_void_p()
    process = ctypes.c_void_p(windll.kernel32.GetCurrentProcess())
    windll.advapi32.OpenProcessToken(process, 0xA, ctypes.byref(token))
    windll.userenv.CreateEnvironmentBlock(ctypes.byref(block), token, 0)
    at = block.value or 0
    while text := ctypes.wstring_at(at):
        name, _, value = text.partition("=")
        if name.lower() == "path":
            return value
        at += 2 * (len(text) + 1)
    return ""


def undo() -> None:
    expect("undo", run(*PROGRAM, "undo", "--yes"), 0)
    expect("PATH", path(), BEFORE)


def uninstall() -> None:
    command = str(APP / "uninstall.cmd")
    expect("uninstall", run("cmd", "/d", "/c", command, "/SETTINGS", "/LIBRARIES"), 0)
    expect("folder", APP.exists(), False)
    left = path()
    expect("nothing of ours on PATH", bool(left) and COMMAND in str(left and left[0]), False)
    if left and left[1] == BEFORE[1]:
        expect("PATH", left[0], EARLIER)
    expect("settings", (LOCAL / "cuDNN Assistant").exists(), False)
    expect("listed", listed(), False)
    expect("menu", LINK.exists(), False)


STEPS = (refuse, install, menu, plant, fix, undo, uninstall)


def main() -> int:
    """All steps, or those named; 1 at the first that is not as it must be."""
    chosen = sys.argv[3:]
    for step in STEPS:
        if not chosen or step.__name__ in chosen:
            say(step.__name__)
            try:
                step()
            except (Unlike, OSError) as trouble:
                say(f"stopped: {trouble}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
