"""A plan as commands: quoted so that a shell does exactly what the plan says."""

from __future__ import annotations

import os
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from cudnn_assistant.gui.review import commands
from cudnn_assistant.machine import Value
from cudnn_assistant.plan import (
    Download,
    InstallArchive,
    InstallPackage,
    Plan,
    RemoveArchive,
    SetVariable,
)


def test_windows_writes_the_registry_with_the_kind_that_was_there() -> None:
    step = SetVariable(
        scope="user", name="Path", after=Value(text=r"%USERPROFILE%\it's;C:\x", expand=True)
    )
    assert commands(Plan(steps=(step,)), "windows") == (
        r"Set-ItemProperty -LiteralPath HKCU:\Environment -Name Path -Type ExpandString"
        r" -Value '%USERPROFILE%\it''s;C:\x'"
    )


def test_removing_a_variable() -> None:
    step = SetVariable(scope="machine", name="CUDA_PATH", before=Value(text="x"))
    plan = Plan(steps=(step,))
    assert commands(plan, "windows").startswith("Remove-ItemProperty -LiteralPath 'HKLM:")
    # On Linux all users share no variables; what is theirs there is the loader's own list.
    mine = Plan(steps=(SetVariable(scope="user", name="CUDA_PATH", before=Value(text="x")),))
    assert commands(mine, "linux") == "unset CUDA_PATH"


@settings(max_examples=15, deadline=None)
@given(st.text(st.characters(blacklist_characters="\0", codec="ascii"), min_size=1))
def test_a_shell_reads_the_very_value(text: str) -> None:
    step = SetVariable(scope="user", name="CUDA_HOME", after=Value(text=text))
    script = commands(Plan(steps=(step,)), "linux") + '\nprintf %s "$CUDA_HOME"'
    done = subprocess.run(["sh", "-c", script], capture_output=True, env=dict(os.environ))
    assert done.stdout.decode() == text


def test_a_list_keeps_what_follows() -> None:
    step = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text="/opt/a b"))
    script = commands(Plan(steps=(step,)), "linux") + '\nprintf %s "$LD_LIBRARY_PATH"'
    for old, expected in (("/old", "/opt/a b:/old"), ("", "/opt/a b")):
        env = {"LD_LIBRARY_PATH": old, "PATH": os.environ["PATH"]}
        done = subprocess.run(["sh", "-c", script], capture_output=True, env=env)
        assert done.stdout.decode() == expected


def test_taking_back_an_installation() -> None:
    package = InstallPackage(python="/v/python", requirements=("a==1",), remove=("b",))
    archive = InstallArchive(
        product="cuDNN",
        version="9.1",
        cuda_major=12,
        download=Download(url="https://example.org/cudnn.tar.xz", size=1, sha256="ab12"),
        folder="/home/x y/cudnn",
    )
    plan = Plan(steps=(package, RemoveArchive(archive=archive)))
    assert commands(plan, "linux").splitlines() == [
        "/v/python -m pip uninstall -y b",
        "/v/python -m pip install a==1",
        "rm -r '/home/x y/cudnn'",
    ]
    assert commands(plan, "windows").splitlines()[-1] == (
        "Remove-Item -Recurse -LiteralPath '/home/x y/cudnn'"
    )


def test_packages_and_archives_are_whole_commands() -> None:
    package = InstallPackage(python="/v env/bin/python", requirements=("a==1", "b[c]==2"))
    archive = InstallArchive(
        product="cuDNN",
        version="9.1",
        cuda_major=12,
        download=Download(url="https://example.org/x/cudnn.tar.xz", size=1, sha256="ab12"),
        folder="/home/x/libraries/cudnn",
    )
    said = commands(Plan(steps=(package, archive)), "linux").splitlines()
    assert said[0] == "'/v env/bin/python' -m pip install a==1 'b[c]==2'"
    assert said[1] == "curl -fL -o cudnn.tar.xz https://example.org/x/cudnn.tar.xz"
    assert "ab12" in said[2]
    assert said[-1].startswith("tar -xf cudnn.tar.xz -C /home/x/libraries/cudnn")
