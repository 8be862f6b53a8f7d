"""The command line runs no code of others: what is planted leaves a witness where it is loaded."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import needs
import pytest
from test_command_line import ca

from cudnn_assistant.machine import SYSTEM, Trial
from cudnn_assistant.summary.outcome import untrusted

PLANT = """
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void started(void) { close(open(WITNESS, O_CREAT, 0666)); }
unsigned long cudnnGetVersion(void) { return 91002; }
"""
NOT_RUN = {"stage": "start", "status": "not-run"}
SITE = "lib/python3.12/site-packages"
WAYS: dict[str, tuple[str, ...]] = {
    "test of a folder": ("test", "--library", "{libs}"),
    "test of an environment": ("test", "--python", "{venv}"),
    "test inside a framework": ("test", "--framework", "torch", "--python", "{venv}"),
    "check of an environment": ("check", "--offline", "--python", "{venv}"),
    "check with a yes": ("check", "--offline", "--trust", "{base}"),
    "report": ("report", "-", "--offline", "--python", "{venv}"),
    "reason": ("test", "--python", "{venv}", "--trust", "{base}"),
}
SETTINGS: dict[str, dict[str, str]] = {
    "searched": {"LD_LIBRARY_PATH": "{libs}"},
    "searched by a relative entry": {"LD_LIBRARY_PATH": "libs"},
    "active": {"VIRTUAL_ENV": "{venv}"},
    "on PATH": {"PATH": "{venv}/bin:/usr/bin:/bin"},
    "of conda": {"CONDA_PREFIX": "{venv}"},
    "named": {"CUDNN_PATH": "{libs}", "CUDA_HOME": "{libs}", "CUDNN_HOME": "{libs}"},
}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A library in a folder and in an environment, each of which tells when it is loaded."""
    needs.require("gcc")
    tmp_path.chmod(0o755)
    site = tmp_path / "venv" / SITE
    records = {"nvidia_cudnn_cu12-9.10.2.21": "nvidia-cudnn-cu12", "torch-2.8.0": "torch"}
    for folder, name in records.items():
        (site / f"{folder}.dist-info").mkdir(parents=True)
        text = f"Name: {name}\nVersion: {folder.rpartition('-')[2]}\n"
        (site / f"{folder}.dist-info" / "METADATA").write_text(text)
    (site / "torch").mkdir()
    (site / "torch" / "version.py").write_text("__version__ = '2.8.0'\ncuda = '12.8'\n")
    (site / "torch" / "__init__.py").write_text(f"open({str(tmp_path / 'RAN')!r}, 'w')\n")
    (tmp_path / "venv" / "bin").mkdir()
    (tmp_path / "venv" / "bin" / "python").symlink_to("/usr/bin/python3")
    (tmp_path / "venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.12.1\n")
    source = tmp_path / "plant.c"
    source.write_text(PLANT.replace("WITNESS", f'"{tmp_path}/RAN"'))
    for folder in (tmp_path / "libs", site / "nvidia" / "cudnn" / "lib"):
        folder.mkdir(parents=True)
        library = folder / "libcudnn.so.9"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    return tmp_path


def foreign(base: Path) -> None:
    for folder in ("libs", "venv"):
        for path in (base / folder, *(base / folder).rglob("*")):
            os.chown(path, 1234, 1234, follow_symlinks=False)


def put(base: Path, text: str) -> str:
    return text.format(libs=base / "libs", venv=base / "venv", base=base)


@needs.root
@pytest.mark.parametrize("way", WAYS)
def test_root_runs_nothing_of_others_however_it_is_named(base: Path, way: str) -> None:
    foreign(base)
    done = ca(*(put(base, word) for word in WAYS[way]))
    assert not (base / "RAN").exists(), done.stdout
    assert "Traceback" not in done.stderr


@needs.root
@pytest.mark.spread(2)
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("command", ["check", "test"])
def test_root_runs_nothing_of_others_by_any_setting(
    base: Path, setting: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign(base)
    monkeypatch.chdir(base)
    ca(command, **{name: put(base, text) for name, text in SETTINGS[setting].items()})
    assert not (base / "RAN").exists()


def test_what_everybody_may_write_waits_for_a_yes(base: Path) -> None:
    (base / "libs").chmod(0o777)
    where = str(base / "libs")
    done = ca("test", LD_LIBRARY_PATH=where)
    assert (done.returncode, (base / "RAN").exists()) == (3, False)
    assert f"other accounts may change {where}" in done.stdout
    if os.geteuid():
        ca("test", "--trust", where, LD_LIBRARY_PATH=where)
        assert (base / "RAN").exists()


def test_the_plant_tells_when_it_is_loaded(base: Path) -> None:
    """Those above can fail: what is the person's own is run."""
    ca("test", "--library", str(base / "libs"))
    assert (base / "RAN").exists() or os.stat(base).st_uid != os.geteuid()


@pytest.mark.parametrize("doubt", ["place", "owner", "writable"])
def test_the_way_to_try_it_is_one_word_of_a_shell(doubt: str) -> None:
    folder = "/home/a/$(touch PWNED) `x`/venv"
    for subject, detail in ((folder, f"{folder}/bin/python"), (SYSTEM, f"{folder}/libcudnn.so.9")):
        told = untrusted(Trial(subject=subject, doubt=doubt, detail=detail, **NOT_RUN))
        assert shlex.quote(folder) in told
    told = untrusted(
        Trial(subject="C:\\a $(b)", doubt="owner", detail="C:\\a $(b)\\x.dll", **NOT_RUN)
    )
    assert "--trust 'C:\\a $(b)'" in told


@pytest.mark.parametrize(
    ("subject", "file", "folder"),
    [
        ("/srv/venv", "/srv/venv/lib/libcudnn.so.9", "/srv/venv"),
        ("/srv/venv", "/srv/venv-old/lib/libcudnn.so.9", "/srv/venv-old/lib"),
        (r"C:\venv", r"c:\VENV\Lib\cudnn64_9.dll", r"C:\venv"),
    ],
)
def test_a_yes_is_given_to_what_is_in_doubt(subject: str, file: str, folder: str) -> None:
    told = untrusted(Trial(subject=subject, doubt="owner", detail=file, **NOT_RUN))
    assert f"add --trust {folder} " in told
