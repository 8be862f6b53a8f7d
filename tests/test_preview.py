"""What the Review page shows of each kind of step."""

from __future__ import annotations

import pytest

from cudnn_assistant.machine import Machine, OperatingSystem, Package, Scope, Value, Variable
from cudnn_assistant.plan import (
    Change,
    Download,
    InstallArchive,
    InstallPackage,
    Plan,
    RemoveArchive,
    RunInstaller,
    SetVariable,
    demanded,
    preview,
)

WINDOWS = Machine(os=OperatingSystem(family="windows"))
LINUX = Machine(os=OperatingSystem(family="linux"))
ARCHIVE = InstallArchive(
    product="cuDNN",
    version="9.28.0",
    cuda_major=12,
    download=Download(url="https://x/y.zip", size=1_012_666_264, sha256="0" * 64),
    folder="/own/cudnn-9.28.0-cuda12",
    licence="https://licence",
)


def one(step: object, machine: Machine = WINDOWS, **more: object) -> Change:
    (change,) = preview(Plan(steps=(step,)), machine, **more)  # type: ignore[arg-type]
    return change


def rows(change: Change) -> list[tuple[str, str, str]]:
    return [(line.sign, line.text, line.note) for line in change.lines]


def path(before: str, after: str, scope: Scope = "user") -> SetVariable:
    return SetVariable(scope=scope, name="Path", before=Value(text=before), after=Value(text=after))


def test_a_folder_added_in_front() -> None:
    change = one(path("C:\\a;%B%", "C:\\new;C:\\a;%B%"))
    assert change.title == "Path (your account)"
    assert change.place == "HKCU\\Environment"
    assert rows(change) == [
        ("+", "C:\\new", "added, first"),
        (" ", "C:\\a", ""),
        (" ", "%B%", ""),
    ]
    assert change.notes[0] == "Folders before: 2, after: 3."
    assert "Length 15 of 32,767 characters" in change.notes[1]
    assert not change.administrator


def test_a_folder_moved_and_one_taken_out() -> None:
    change = one(path("C:\\a;C:\\b;C:\\c", "C:\\b;C:\\a", "machine"))
    assert change.administrator
    assert change.title == "Path (all users)"
    assert change.place.startswith("HKLM")
    signs = {(sign, text) for sign, text, _note in rows(change)}
    assert ("-", "C:\\c") in signs
    assert {text for sign, text in signs if sign == "+"} <= {"C:\\b", "C:\\a"}
    moved = [note for sign, text, note in rows(change) if sign == "-" and text != "C:\\c"]
    assert moved == ["stood here before"]


@pytest.mark.parametrize(
    ("length", "warned"), [(2000, ""), (2100, "older settings window"), (5000, "Some programs")]
)
def test_a_long_value_is_told(length: int, warned: str) -> None:
    notes = one(path("", "C:\\" + "x" * length)).notes[2:]
    assert [warned in note for note in notes] == ([True] if warned else [])


def test_a_single_value() -> None:
    step = SetVariable(
        scope="user", name="CUDA_PATH", before=Value(text="C:\\old"), after=Value(text="C:\\new")
    )
    assert [row[:2] for row in rows(one(step))] == [("-", "C:\\old"), ("+", "C:\\new")]
    gone = SetVariable(scope="user", name="CUDA_PATH", before=Value(text="C:\\old"))
    assert rows(one(gone))[-1] == (" ", "", "the variable is removed")


def test_on_linux_the_files_are_named() -> None:
    step = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text="/opt/a"))
    change = one(step, LINUX, touched=["/home/x/.bashrc", "/home/x/.profile"])
    assert change.place.endswith("environment.sh")
    assert rows(change) == [("+", "/opt/a", "added, first")]
    assert "Your own entries of LD_LIBRARY_PATH follow after these." in change.notes
    assert any("/home/x/.bashrc, /home/x/.profile" in note for note in change.notes)
    ours = Variable(
        scope="user", name="X", value=Value(text=""), source="/elsewhere/environment.sh", ours=True
    )
    machine = Machine(os=OperatingSystem(family="linux"), variables=(ours,))
    assert one(step, machine).place == "/elsewhere/environment.sh"


def test_archives() -> None:
    change = one(ARCHIVE, LINUX)
    assert change.title == "Install cuDNN 9.28.0 for CUDA 12"
    assert rows(change) == [("+", ARCHIVE.folder, "new folder of our own")]
    assert change.notes[0] == "Download of 1,013 MB from NVIDIA."
    assert "https://licence" in change.notes[1]
    removed = one(RemoveArchive(archive=ARCHIVE), LINUX)
    assert removed.title == "Remove cuDNN 9.28.0 for CUDA 12"
    assert rows(removed)[0][:2] == ("-", ARCHIVE.folder)


def test_packages_with_the_versions_before() -> None:
    step = InstallPackage(
        python="/v/bin/python",
        requirements=("nvidia-cudnn-cu12==9.28.0.42",),
        before=(
            Package(name="nvidia_cudnn_cu12", version="9.1.0.70"),
            Package(name="torch", version="2.6"),
        ),
        remove=("nvidia-cublas",),
    )
    assert [row[:2] for row in rows(one(step, LINUX))] == [
        ("-", "nvidia_cudnn_cu12 9.1.0.70"),
        ("-", "nvidia-cublas"),
        ("+", "nvidia-cudnn-cu12==9.28.0.42"),
    ]


def test_an_installer_can_not_be_taken_back() -> None:
    step = RunInstaller(name="NVIDIA driver 580", link="https://x", commands=("sudo x",))
    change = one(step, LINUX)
    assert (change.title, change.place) == ("Install NVIDIA driver 580", "https://x")
    assert "can't take it back" in change.notes[-1]


def test_what_the_whole_plan_asks_for() -> None:
    desktop = Machine(os=OperatingSystem(family="linux", desktop=True))
    mine = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text="/x"))
    everybody = SetVariable(scope="machine", name="ld.so.conf", after=Value(text="/x"))
    assert demanded(Plan(steps=(mine,)), LINUX) == ()
    assert demanded(Plan(steps=(path("a", "b"),)), WINDOWS) == ()
    told = demanded(Plan(steps=(ARCHIVE, ARCHIVE, mine, everybody)), desktop)
    assert told[0] == "2,025 MB are downloaded in all."
    assert told[1] == "An administrator is asked for 1 change."
    assert "signed out" in told[2]
    driver = RunInstaller(name="driver", restart=True)
    assert demanded(Plan(steps=(driver,)), LINUX) == (
        "An administrator is asked for 1 change.",
        "The computer has to be started again afterwards.",
    )
