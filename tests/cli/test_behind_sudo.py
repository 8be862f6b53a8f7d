"""Started through sudo: what a look loads runs as the person, or not at all, whatever was forged.

The accounts are real to the system, in mounts that end with the test.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import needs
import pytest

REACHED = (sys.prefix, os.path.dirname(__file__))
FOLDERS = {folder for path in REACHED for folder in (Path(path), *Path(path).parents)}
pytestmark = [
    needs.private,
    needs.programs("gcc"),
    pytest.mark.skipif(
        not all(folder.stat().st_mode & 1 for folder in FOLDERS),
        reason="other accounts can't reach this Python or these tests",
    ),
]
ROOT = Path(__file__).parents[2]
PERSON, OTHER, GROUP = 61234, 61235, 61299
PLANT = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void started(void) {
    FILE *out = fopen(WITNESS, "a");
    gid_t groups[64];
    int count = getgroups(64, groups);
    fprintf(out, "%d %d %d %d", getuid(), geteuid(), getgid(), getegid());
    for (int i = 0; i < count; i++) fprintf(out, " %d", groups[i]);
    fprintf(out, " %s %s %s\\n", getenv("HOME"), getenv("USER"), getenv("LOGNAME"));
    fclose(out);
}
unsigned long cudnnGetVersion(void) { return 91002; }
"""
START = """
set -e
mount --bind {folder}/passwd /etc/passwd
mount --bind {folder}/group /etc/group
{opened}
exec "$@"
"""
OPEN = """
mount -t tmpfs none /mnt && mkdir /mnt/upper /mnt/work
mount -t overlay overlay -o lowerdir={closed},upperdir=/mnt/upper,workdir=/mnt/work {closed}
chmod a+rx {closed}
"""
"""What of our own program only root can read on this computer is shown to all."""
FORGED = {
    "nobody": "", "root": "0", "negative": f"-{PERSON}", "a name": "person", "signed": f"+{PERSON}",
    "spaced": f" {PERSON}", "nonexistent": "61999", "minus one": "4294967295",
    "huge": "9" * 19, "endless": "9" * 5000, "no digit": "²", "other digits": "٦١٢٣٤",
}  # fmt: skip


class Seen(NamedTuple):
    code: int
    said: str
    runs: list[str]
    """Who loaded the library: a line each time."""


class Sudo:
    """A person's library, and our program as root, told by these variables who is behind it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.opened = folder, ""
        for path in (folder, *folder.parents[:-2]):
            path.chmod(path.stat().st_mode | 0o055)
        users, groups = (Path(f"/etc/{name}").read_text() for name in ("passwd", "group"))
        self.home = folder / "home"
        users += f"person:x:{PERSON}:{PERSON}::{self.home}:/bin/sh\n"
        users += f"other:x:{OTHER}:{OTHER}::/nowhere:/bin/sh\n"
        groups += f"person:x:{PERSON}:\nother:x:{OTHER}:\nvideo-too:x:{GROUP}:person\n"
        (folder / "passwd").write_text(users)
        (folder / "group").write_text(groups)
        self.libs = self.home / "libs"
        self.libs.mkdir(parents=True)
        (folder / "plant.c").write_text(PLANT.replace("WITNESS", f'"{self.home}/RAN"'))
        library = self.libs / "libcudnn.so.9"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, folder / "plant.c"], check=True)
        self.give(PERSON)

    def give(self, uid: int) -> None:
        for path in (self.home, self.libs, self.libs / "libcudnn.so.9"):
            os.chown(path, uid, uid)

    def open(self) -> None:
        ours = {Path(sys.executable), Path(os.path.realpath(sys.executable)), ROOT / "x"}
        tops = {path.parents[-2] for path in ours if len(path.parents) > 1}
        for top in sorted(tops):
            if not top.stat().st_mode & 0o001:
                self.opened += OPEN.format(closed=shlex.quote(str(top)))

    def run(self, *words: str, **variables: str) -> Seen:
        script = START.format(folder=shlex.quote(str(self.folder)), opened=self.opened)
        witness = self.home / "RAN"
        witness.unlink(missing_ok=True)
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", script, "sh",
             sys.executable, "-m", "cudnn_assistant", *words],
            env={**os.environ, "HOME": "/root", "USER": "root", "LOGNAME": "root", **variables},
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        said = done.stdout + done.stderr
        assert "Traceback" not in said, said
        return Seen(
            done.returncode, said, witness.read_text().splitlines() if witness.exists() else []
        )


@pytest.fixture
def sudo(tmp_path: Path) -> Sudo:
    return Sudo(tmp_path)


def as_person(sudo: Sudo) -> str:
    ids = " ".join([str(PERSON)] * 5)
    return f"{ids} {GROUP} {sudo.home} person person"


@pytest.mark.parametrize(
    "told",
    [
        {"SUDO_UID": str(PERSON), "SUDO_GID": str(PERSON), "SUDO_USER": "person"},
        # Only the number counts; the groups are those of the account.
        {"SUDO_UID": str(PERSON), "SUDO_GID": "0", "SUDO_USER": "person"},
        {"SUDO_UID": str(PERSON), "SUDO_GID": str(OTHER), "SUDO_USER": "other"},
        {"SUDO_UID": str(PERSON), "SUDO_GID": "-1", "SUDO_USER": "root"},
        {"PKEXEC_UID": str(PERSON)},
    ],
)
@pytest.mark.parametrize("way", ["test --library {libs}", "check --offline"])
def test_what_is_loaded_runs_as_the_person(sudo: Sudo, told: dict[str, str], way: str) -> None:
    sudo.open()
    settings = {"LD_LIBRARY_PATH": str(sudo.libs)} if way.startswith("check") else {}
    seen = sudo.run(*way.format(libs=sudo.libs).split(), **told, **settings)
    assert seen.runs, seen.said
    assert set(seen.runs) == {as_person(sudo)}


@pytest.mark.parametrize("forged", FORGED)
def test_who_can_not_be_known_leaves_it_unloaded(sudo: Sudo, forged: str) -> None:
    sudo.open()
    number = FORGED[forged]
    seen = sudo.run("test", "--library", str(sudo.libs), SUDO_UID=number, SUDO_USER="person")
    assert (seen.code, seen.runs) == (3, []), seen.said
    assert f"not tried, because {sudo.libs} belongs to another account" in seen.said


def test_what_is_roots_own_is_run_as_root(sudo: Sudo) -> None:
    """Those above can fail."""
    sudo.open()
    sudo.give(0)
    seen = sudo.run("test", "--library", str(sudo.libs), SUDO_UID="0")
    assert {run.split()[0] for run in seen.runs} == {"0"}, seen.said


def test_another_than_the_owner_leaves_it_unloaded(sudo: Sudo) -> None:
    sudo.open()
    settings = {"LD_LIBRARY_PATH": str(sudo.libs)}
    seen = sudo.run("test", SUDO_UID=str(OTHER), SUDO_USER="person", **settings)
    assert (seen.code, seen.runs) == (3, []), seen.said
    assert f"not tried, because {sudo.libs} belongs to another account" in seen.said


def test_a_program_that_the_person_can_not_start_is_said_to_be(sudo: Sudo) -> None:
    sudo.opened = "mount -t tmpfs none /mnt; chmod 700 /mnt; cp -a /bin/true /mnt/python"
    script = "import sys; sys.executable = '/mnt/python'; from cudnn_assistant.cli import run; run("
    words = ["test", "--library", str(sudo.libs)]
    told = {"SUDO_UID": str(PERSON), "LANGUAGE": "en"}
    start = START.format(folder=shlex.quote(str(sudo.folder)), opened=sudo.opened)
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", start, "sh", sys.executable, "-c", f"{script}{words})"],
        env={**os.environ, **told}, capture_output=True, text=True,
    )  # fmt: skip
    assert "/mnt/python can't be started by person, who is behind sudo" in done.stdout
    assert "run this without sudo" in done.stdout
    assert not (sudo.home / "RAN").exists()


@pytest.mark.parametrize(
    "command", ["check --offline --no-test", "fix --dry-run --offline", "undo"]
)
def test_an_account_that_nobody_knows_is_served(sudo: Sudo, command: str) -> None:
    """As in a container that is started with a number: no name, no shell, no home."""
    sudo.open()
    start = START.format(folder=shlex.quote(str(sudo.folder)), opened=sudo.opened)
    usual = {n: t for n, t in os.environ.items() if n not in ("HOME", "SHELL", "USER", "LOGNAME")}
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", start, "sh", "setpriv", "--reuid", "61999", "--regid",
         "61999", "--clear-groups", sys.executable, "-m", "cudnn_assistant", *command.split()],
        env=usual, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode in (0, 1, 3), done.stdout + done.stderr
    assert done.stdout
