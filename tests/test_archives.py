"""Installing and removing archives: whole or not at all, also under a kill at any call."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
import threading
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import needs
import pytest
from kills import tried
from test_apply import FIRST, Person, every_kill, killed

from cudnn_assistant import places, whole_file
from cudnn_assistant import unpack as unpacking
from cudnn_assistant.apply import NotApplied, recover
from cudnn_assistant.compat import Compat, CudnnBuild, CudnnRelease, File
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Automatic, Finding, InstallCuda, InstallCudnn
from cudnn_assistant.machine import (
    CudnnCopy,
    Driver,
    Gpu,
    Machine,
    OperatingSystem,
    Part,
    Toolkit,
    Value,
)
from cudnn_assistant.plan import (
    Download,
    InstallArchive,
    Plan,
    RemoveArchive,
    SetVariable,
    make_plan,
    preview,
)

TOP = "cudnn-linux-x86_64-9.28.0.42_cuda12-archive"
FILES = {
    "LICENSE": b"terms",
    "include/cudnn.h": b"#define",
    "lib/libcudnn.so.9": b"\x7fELF" + b"x" * 5000,
    "lib/libcudnn_ops.so.9": b"\x7fELF" + b"y" * 5000,
    "lib/libcudnn_static_v9.a": b"z" * 5000,
}


def pack(folder: Path, files: dict[str, bytes] = FILES) -> Download:
    """An archive as NVIDIA packs them, in the folder that an administrator prepared."""
    path = folder / f"{TOP}.tar.xz"
    with tarfile.open(path, "w:xz", preset=0) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(f"{TOP}/{name}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return described(path)


def described(path: Path) -> Download:
    url = f"https://developer.download.nvidia.com/compute/cudnn/redist/cudnn/x/{path.name}"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return Download(url=url, size=path.stat().st_size, sha256=digest)


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "prepared"
    folder.mkdir()
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(folder))
    return folder


def plan_for(person: Person, download: Download, search: str = "lib") -> Plan:
    folder = str(person.home / "own" / "cudnn-assistant" / "libraries" / "cudnn-9.28.0-cuda12")
    install = InstallArchive(
        product="cuDNN",
        version="9.28.0",
        cuda_major=12,
        download=download,
        folder=folder,
        search=f"{folder}/{search}",
    )
    variable = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text=install.search))
    return Plan(steps=(install, variable))


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def test_there_and_back(person: Person, prepared: Path) -> None:
    before = person.files()
    plan = plan_for(person, pack(prepared))
    heard: list[tuple[int, str, int, int]] = []
    entry = person.apply(plan, progress=lambda *news: heard.append(news))
    folder = person.home / "own" / "cudnn-assistant" / "libraries" / "cudnn-9.28.0-cuda12"
    assert {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} == {
        "installed-files.txt",
        *(name for name in FILES if not name.endswith(".a")),
    }
    assert {what for _number, what, _here, _size in heard} == {"unpack"}
    assert os.listdir(folder.parent) == [folder.name]

    undo = person.undo()
    assert [type(step) for step in undo.steps] == [SetVariable, RemoveArchive]
    person.apply(undo)
    assert person.files() == before
    assert os.listdir(person.home / "own") == []
    redo = person.undo()
    assert redo.steps == tuple(reversed(undo.steps[:0])) + entry.plan.steps
    person.apply(redo)
    assert (folder / "lib" / "libcudnn.so.9").exists()


def test_an_archive_that_is_still_searched_stays(person: Person, prepared: Path) -> None:
    plan = plan_for(person, pack(prepared))
    person.apply(Plan(steps=plan.steps[:1]))
    person.apply(Plan(steps=plan.steps[1:]))
    assert person.undo(0).steps == ()
    person.apply(person.undo(1))
    assert [type(step) for step in person.undo(0).steps] == [RemoveArchive]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"lib/readme": b"no library"}, "library-not-in-archive"),
        ({"lib/libcudnn.so.9": b"x", "../evil": b"x"}, "archive-leads-out"),
        ({"lib/libcudnn.so.9": bytes(300_000_000)}, "archive-too-large"),
    ],
)
def test_an_archive_that_is_not_as_it_should_be(
    person: Person, prepared: Path, files: dict[str, bytes], why: str
) -> None:
    before = person.files()
    with pytest.raises(NotApplied, match=why) as caught:
        person.apply(plan_for(person, pack(prepared, files)))
    assert caught.value.as_before
    assert person.files() == before
    assert not (person.home / "own" / "cudnn-assistant").exists()


def test_what_is_unpacked_is_what_was_proven(
    person: Person, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who may write beside it exchanges it, by a rename or in place, at any moment."""
    plan = plan_for(person, pack(prepared))
    path = prepared / f"{TOP}.tar.xz"
    right = path.read_bytes()
    pack(prepared, {"lib/libcudnn.so.9": b"the attacker's"})
    wrong = path.read_bytes()
    stop = threading.Event()

    def exchange() -> None:
        while not stop.is_set():
            other = prepared / "other"
            other.write_bytes(wrong)
            os.replace(other, path)
            path.write_bytes(right)
            path.write_bytes(wrong)
            other.write_bytes(right)
            os.replace(other, path)

    path.write_bytes(right)
    attacker = threading.Thread(target=exchange)
    attacker.start()
    installed = refused = 0
    try:
        for _try in range(40):
            try:
                person.apply(plan)
            except NotApplied:
                refused += 1
                continue
            installed += 1
            (folder,) = (person.home / "own" / "cudnn-assistant" / "libraries").iterdir()
            assert (folder / "lib" / "libcudnn.so.9").read_bytes() == FILES["lib/libcudnn.so.9"]
            person.apply(person.undo())
    finally:
        stop.set()
        attacker.join()
    assert installed + refused == 40
    assert not (person.home / "own" / "cudnn-assistant").exists()


def test_an_exchange_between_proof_and_unpacking(
    person: Person, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_for(person, pack(prepared))

    def late(name: str, *rest: Any, **more: Any) -> None:
        pack(prepared, {"lib/libcudnn.so.9": b"the attacker's"})
        unpacking.unpack(name, *rest, **more)

    monkeypatch.setattr("cudnn_assistant.apply.archives.unpack", late)
    person.apply(plan)
    (folder,) = (person.home / "own" / "cudnn-assistant" / "libraries").iterdir()
    assert (folder / "lib" / "libcudnn.so.9").read_bytes() == FILES["lib/libcudnn.so.9"]
    assert not list((places.saved() / "downloads").iterdir())


def test_another_file_of_that_name(person: Person, prepared: Path) -> None:
    plan = plan_for(person, pack(prepared))
    pack(prepared, {"lib/libcudnn.so.9": b"another"})
    with pytest.raises(NotApplied, match="not-the-published-file"):
        person.apply(plan)


def test_a_folder_that_is_there_already(person: Person, prepared: Path) -> None:
    plan = plan_for(person, pack(prepared))
    person.apply(Plan(steps=plan.steps[:1]))
    with pytest.raises(NotApplied, match="folder-there") as caught:
        person.apply(plan)
    assert caught.value.as_before
    assert len(person.journal().entries()) == 1


def test_a_folder_that_the_person_makes_meanwhile_is_theirs(person: Person, prepared: Path) -> None:
    plan = plan_for(person, pack(prepared))
    theirs = Path(plan.steps[0].folder, "theirs")  # type: ignore[union-attr]
    with pytest.raises(NotApplied, match="folder-there"):
        person.apply(plan, progress=lambda *_news: theirs.mkdir(parents=True, exist_ok=True))
    assert [str(path) for path in theirs.parent.parent.rglob("*")] == [
        str(theirs.parent), str(theirs)
    ]  # fmt: skip
    (entry,) = person.journal().entries()
    assert entry.states == ("stopped", "planned")


def test_a_disk_that_can_not_hold_it(person: Person) -> None:
    plan = plan_for(person, Download(url="https://x/y.zip", size=1 << 58, sha256="0" * 64))
    with pytest.raises(NotApplied, match="disk-full"):
        person.apply(plan)


def test_a_download_that_fits_is_not_refused_once_it_is_there(
    person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archive takes of the room that was enough for it and for what is in it."""
    arrived = pack(tmp_path)
    path = tmp_path / f"{TOP}.tar.xz"
    whole = shutil.disk_usage(tmp_path)
    free = [4 * arrived.size]

    def fetch(*_words: object, **_more: object) -> str:
        free.append(3 * arrived.size)
        return str(path)

    monkeypatch.setattr("shutil.disk_usage", lambda _folder: whole._replace(free=free[-1]))
    monkeypatch.setattr("cudnn_assistant.download.fetch", fetch)
    person.apply(plan_for(person, arrived))
    assert (
        person.home / "own" / "cudnn-assistant" / "libraries" / "cudnn-9.28.0-cuda12" / "lib"
    ).is_dir()


def test_stopping_in_the_middle(person: Person, prepared: Path) -> None:
    before = person.files()
    cancel = threading.Event()
    with pytest.raises(NotApplied, match="stopped") as caught:
        person.apply(
            plan_for(person, pack(prepared)),
            cancel=cancel,
            progress=lambda *news: cancel.set(),
        )
    assert caught.value.as_before
    assert person.files() == before


def test_a_later_step_that_is_refused_takes_the_archive_back(
    person: Person, prepared: Path
) -> None:
    os.link(person.home / ".bashrc", person.home / "second name")
    before = person.files()
    with pytest.raises(NotApplied, match="hard-link") as caught:
        person.apply(plan_for(person, pack(prepared)))
    assert caught.value.as_before
    assert person.files() == before
    (entry,) = person.journal().entries()
    assert entry.states == ("taken-back", "stopped")


@pytest.mark.parametrize("inner", ["bin/x64", "bin/arm64", "bin"])
def test_zips_of_windows_have_their_libraries_in_one_place(
    person: Person, prepared: Path, inner: str
) -> None:
    path = prepared / "cudnn-windows-x86_64-9.28.0.42_cuda12-archive.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"top/{inner}/cudnn64_9.dll", b"MZ")
        archive.writestr(f"top/{inner}/cudnn_ops64_9.dll", b"MZ")
        archive.writestr("top/bin/tool.exe", b"MZ")
        archive.writestr("top/lib/x64/cudnn.lib", b"!")
    plan = plan_for(person, described(path), "bin")
    person.apply(plan)
    search = plan.steps[0].search  # type: ignore[union-attr]
    assert sorted(os.listdir(search)) == ["cudnn64_9.dll", "cudnn_ops64_9.dll", "tool.exe"]


TOOLKIT = {
    # CUDA 10.1: one tree, and cuBLAS beside it.
    "builds/cuda-toolkit/targets/x86_64-linux/lib/libcudart.so.10.1.243": b"\x7fELF" + b"x" * 9000,
    "builds/cuda-toolkit/targets/x86_64-linux/lib/libcudart_static.a": b"a",
    "builds/cuda-toolkit/targets/x86_64-linux/lib/stubs/libcuda.so": b"\x7fELF stub",
    "builds/cuda-toolkit/extras/CUPTI/lib64/libcupti.so.10.1.208": b"\x7fELF",
    "builds/cublas/lib64/libcublas.so.10.2.1.243": b"\x7fELF" + b"y" * 9000,
    # From CUDA 11 on each part has a tree of its own.
    "builds/cuda_nvrtc/targets/x86_64-linux/lib/libnvrtc.so.11.2.152": b"\x7fELF",
    "builds/nsight_compute/host/linux-desktop-glibc_2_11_3-x64/libcudart.so.10.1": b"\x7fELF",
    "builds/NVIDIA-Linux-x86_64-418.87.00.run": b"the driver",
    "cuda-installer": b"#!/bin/sh\ntouch /tmp/was-run\n",
}


def toolkit(folder: Path, *how: str) -> Download:
    """A toolkit's .run as NVIDIA packs them, by makeself itself."""
    needs.require("makeself", "xz")
    tree = folder.parent / "tree"
    for name, content in TOOLKIT.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(content)
        (tree / name).chmod(0o755)
    libraries = tree / "builds" / "cuda-toolkit" / "targets" / "x86_64-linux" / "lib"
    (libraries / "libcudart.so.10.1").symlink_to("libcudart.so.10.1.243")
    (libraries / "libcupti.so.10.1").symlink_to("../../../extras/CUPTI/lib64/libcupti.so.10.1.208")
    (tree / "builds" / "cuda-toolkit" / "lib64").symlink_to("targets/x86_64-linux/lib")
    path = folder / "cuda_10.1.243_418.87.00_linux.run"
    command = [
        "makeself",
        "--nox11",
        "--quiet",
        *how,
        str(tree),
        str(path),
        "CUDA",
        "./cuda-installer",
    ]
    subprocess.run(command, check=True, timeout=60)
    return msgspec.structs.replace(described(path), size=0)


@pytest.mark.parametrize("how", ["--gzip", "--xz", "--bzip2", "--nocomp"])
def test_of_a_toolkits_run_file_the_libraries_are_taken_and_nothing_is_run(
    person: Person, prepared: Path, how: str
) -> None:
    before = person.files()
    plan = plan_for(person, toolkit(prepared, how))
    person.apply(plan)
    folder = person.home / "own" / "cudnn-assistant" / "libraries" / "cudnn-9.28.0-cuda12"
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) == [
        "installed-files.txt",
        "lib",
        "lib/libcublas.so.10.2.1.243",
        "lib/libcudart.so.10.1",
        "lib/libcudart.so.10.1.243",
        "lib/libcupti.so.10.1.208",
        "lib/libnvrtc.so.11.2.152",
        "version.txt",
    ]
    assert (folder / "lib" / "libcudart.so.10.1").read_bytes().startswith(b"\x7fELFx")
    assert (folder / "version.txt").read_text() == "CUDA Version 9.28.0\n"
    assert not Path("/tmp/was-run").exists()
    person.apply(person.undo())
    assert person.files() == before


@pytest.mark.parametrize(
    "script", [b"", b"#!/bin/sh\nexit\n", b'skip="2"\n\nnot packed', b'skip="9"\n']
)
def test_what_only_has_the_name_of_a_run_file(
    person: Person, prepared: Path, script: bytes
) -> None:
    before = person.files()
    path = prepared / "cuda_10.1.243_418.87.00_linux.run"
    path.write_bytes(script)
    with pytest.raises(NotApplied, match="not-an-archive") as caught:
        person.apply(plan_for(person, described(path)))
    assert caught.value.as_before
    assert person.files() == before


def whole_or_not(person: Person) -> None:
    libraries = person.home / "own" / "cudnn-assistant" / "libraries"
    for folder in libraries.glob("*") if libraries.exists() else ():
        if folder.name == "cudnn-9.28.0-cuda12":
            assert (folder / "lib" / "libcudnn_ops.so.9").read_bytes() == FILES[
                "lib/libcudnn_ops.so.9"
            ]


def test_a_kill_at_any_call_of_installing(tmp_path: Path, prepared: Path) -> None:
    download = pack(prepared)

    def check(person: Person, before: dict[str, Any], _was_killed: bool) -> None:
        whole_or_not(person)
        plan = recover(person.journal(), person.system())
        if plan is not None:
            person.apply(plan)
            assert recover(person.journal(), person.system()) is None
        done = person.system().read("user", "LD_LIBRARY_PATH") is not None
        assert done or person.files() == before
        libraries = person.home / "own" / "cudnn-assistant" / "libraries"
        names = os.listdir(libraries) if libraries.exists() else []
        assert names == (["cudnn-9.28.0-cuda12"] if done else [])

    calls = every_kill(
        tmp_path,
        torn=False,
        prepare=lambda person: None,
        act=lambda person: person.apply(plan_for(person, download)),
        check=check,
    )
    tried("an installation", calls)


def test_a_kill_at_any_call_of_removing(tmp_path: Path, prepared: Path) -> None:
    download = pack(prepared)

    def check(person: Person, before: dict[str, Any], _was_killed: bool) -> None:
        whole_or_not(person)
        plan = recover(person.journal(), person.system())
        if plan is not None:
            person.apply(plan)
            assert person.files() == before
        value = person.system().read("user", "LD_LIBRARY_PATH")
        names = [path.name for path in person.home.glob("own/cudnn-assistant/libraries/*")]
        assert names == (["cudnn-9.28.0-cuda12"] if value else [])
        assert person.journal().unfinished() == ()

    calls = every_kill(
        tmp_path,
        torn=False,
        prepare=lambda person: person.apply(plan_for(person, download)),
        act=lambda person: person.apply(person.undo()),
        check=check,
    )
    tried("a removal", calls)


def test_a_started_unpacking_is_no_hindrance(person: Person, prepared: Path) -> None:
    plan = plan_for(person, pack(prepared))
    assert killed(person, lambda: person.apply(plan), 20)
    back = recover(person.journal(), person.system())
    assert back is not None
    person.apply(back)
    person.apply(plan)


def test_what_lies_about_goes_with_the_next_change(person: Person) -> None:
    """What a running program kept of a copy, and what a kill left of another."""
    for name in ("cudnn-9.1.0-cuda12.removed/1f/lib", "cudnn-9.2.0-cuda12.making/lib", "mine"):
        (places.own_libraries() / name).mkdir(parents=True)
    person.apply(Plan(steps=(FIRST,)))
    assert os.listdir(places.own_libraries()) == ["mine"]


# Which archive a wish means ---------------------------------------------------------------------

SHA = "ab" * 32
REDIST = "https://developer.download.nvidia.com/compute/cudnn/redist/cudnn"


def compat(sha256: str = SHA) -> Compat:
    def build(version: str, cuda: int) -> CudnnBuild:
        files = tuple(
            File(
                platform=platform,
                url=f"{REDIST}/{platform}/cudnn-{platform}-{version}_cuda{cuda}-archive.{end}",
                sha256=sha256,
                size=1000,
            )
            for platform, end in (("linux-x86_64", "tar.xz"), ("windows-x86_64", "zip"))
        )
        return CudnnBuild(
            version=version,
            cuda=str(cuda),
            files=files,  # type: ignore[arg-type]
            compute_min="5.0",
            compute_max="12.0",
            driver_min_linux="525",
            driver_min_windows="527",
        )

    releases = tuple(
        CudnnRelease(version=version, builds=(build(version, 12), build(version, 13)))
        for version in ("9.10.2", "9.28.0")
    )
    return Compat(version=1, published="2026-01-01", cudnns=releases)


def computer(family: Any = "linux", **fields: Any) -> Machine:
    return Machine(
        os=OperatingSystem(family=family, architecture="x86_64"),
        driver=Driver(version="580.65", cuda="13.0"),
        gpus=(Gpu(name="X", compute="8.9"),),
        toolkits=(Toolkit(version="12.9", root="/usr/local/cuda-12.9"),),
        **fields,
    )


def wish(**fields: Any) -> Finding:
    edit = InstallCudnn(major=9, cuda_major=12, **fields)
    return Finding(code="cudnn-missing", severity="error", remedy=Automatic(edits=(edit,)))


def test_a_wish_for_cudnn_is_an_archive_and_its_folder_in_front() -> None:
    install, variable = make_plan([wish(), wish()], computer(), compat()).steps
    assert isinstance(install, InstallArchive)
    assert isinstance(variable, SetVariable)
    assert (install.version, install.cuda_major, install.why) == (
        "9.28.0", 12, ("cudnn-missing",),
    )  # fmt: skip
    assert install.download.url.endswith("linux-x86_64-9.28.0_cuda12-archive.tar.xz")
    assert install.licence == f"{REDIST}/LICENSE.txt"
    assert install.folder.endswith("/libraries/cudnn-9.28.0-cuda12")
    assert variable.name == "LD_LIBRARY_PATH"
    assert variable.after == Value(text=install.search)


def test_a_program_of_an_older_cuda_gets_that_cudas_libraries() -> None:
    edit = InstallCuda(cuda="10.1")
    needs = Finding(
        code="program-needs-other-cuda", severity="error", remedy=Automatic(edits=(edit,))
    )
    install, variable = make_plan([needs], computer(), load_builtin()).steps
    assert isinstance(install, InstallArchive)
    assert isinstance(variable, SetVariable)
    # The newest of its series, from a table whose hashes have sources.
    assert install.download.url.endswith(
        "/10.1/Prod/local_installers/cuda_10.1.243_418.87.00_linux.run"
    )
    assert len(install.download.sha256) == 64
    assert install.licence == "https://docs.nvidia.com/cuda/eula/index.html"
    assert variable.after == Value(text=install.search)
    titles = [change.title for change in preview(Plan(steps=(install,)), computer())]
    assert titles == ["Install the libraries of CUDA 10.1.243"]
    for other in (computer("windows"), machine_of("aarch64")):
        assert make_plan([needs], other, load_builtin()).steps == ()


def machine_of(architecture: str) -> Machine:
    here = computer()
    system = msgspec.structs.replace(here.os, architecture=architecture)
    return msgspec.structs.replace(here, os=system)


@pytest.mark.parametrize("cuda", ["9.0", "9.2"])
def test_of_several_old_cudas_a_cudnn_is_for_the_one_that_is_asked_for(cuda: str) -> None:
    edit = InstallCudnn(major=7, cuda_major=9, cuda=cuda)
    missing = Finding(code="cudnn-missing", severity="error", remedy=Automatic(edits=(edit,)))
    kits = tuple(Toolkit(version=v, root=f"/usr/local/cuda-{v}") for v in ("9.0.176", "9.2.148"))
    here = msgspec.structs.replace(computer(), toolkits=kits, gpus=(Gpu(name="X", compute="6.1"),))
    install, _variable = make_plan([missing], here, load_builtin()).steps
    assert isinstance(install, InstallArchive)
    assert f"/cudnn-{cuda}-linux" in install.download.url


def test_an_old_cudnn_brings_the_libraries_of_its_cuda() -> None:
    edit = InstallCudnn(major=7, cuda_major=10, cuda="10.2")
    missing = Finding(code="cudnn-missing", severity="error", remedy=Automatic(edits=(edit,)))
    here = msgspec.structs.replace(computer(), toolkits=(), gpus=(Gpu(name="X", compute="6.1"),))
    steps = make_plan([missing], here, load_builtin()).steps
    archives = [step for step in steps if isinstance(step, InstallArchive)]
    assert [(step.product, step.version) for step in archives] == [
        ("CUDA", "10.2.89"),
        ("cuDNN", "7.6.5"),
    ]
    # Whether a text lies beside the old archives isn't known; beside the new ones it does.
    known = "https://developer.download.nvidia.com/compute/cudnn/redist/cudnn/LICENSE.txt"
    assert archives[1].licence == known


def test_several_subjects_share_one_copy() -> None:
    one = wish()
    other = msgspec.structs.replace(wish(), code="framework-needs-cudnn", subject="/home/me/env")
    plan = make_plan([one, other], computer(), compat())
    install, variable = plan.steps
    assert isinstance(install, InstallArchive)
    assert isinstance(variable, SetVariable)
    assert install.why == variable.why == ("cudnn-missing", "framework-needs-cudnn")
    alone = make_plan([one, other], computer(), compat(), only=frozenset({other.code}))
    assert [type(step) for step in alone.steps] == [InstallArchive, SetVariable]
    assert alone.steps[0].folder == install.folder  # type: ignore[union-attr]


def test_an_exact_version_is_kept() -> None:
    install = make_plan([wish(version="9.10.2")], computer(), compat()).steps[0]
    assert isinstance(install, InstallArchive)
    assert install.version == "9.10.2"


def test_on_windows_it_is_path_and_bin() -> None:
    install, variable = make_plan([wish()], computer("windows"), compat()).steps
    assert isinstance(install, InstallArchive)
    assert isinstance(variable, SetVariable)
    assert install.search.endswith("\\cudnn-9.28.0-cuda12\\bin")
    assert (variable.name, variable.scope) == ("Path", "user")


def test_what_can_not_be_proven_is_not_installed() -> None:
    assert make_plan([wish()], computer(), compat(sha256="")).steps == ()


@pytest.mark.parametrize("name", ["a:b", "a\udcf6", "a\nb"])
def test_what_no_list_of_folders_can_name_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", f"/{name}")
    assert make_plan([wish()], computer(), compat()).steps == ()


def test_an_archive_that_is_there_is_only_put_in_front() -> None:
    install = make_plan([wish()], computer(), compat()).steps[0]
    assert isinstance(install, InstallArchive)
    copy = CudnnCopy(
        folder=install.search,
        file="libcudnn.so.9",
        major=9,
        cuda_major=12,
        parts=(Part(name="cudnn", file="libcudnn.so.9", state="damaged-link"),),
    )
    steps = make_plan([wish()], computer(cudnns=(copy,)), compat()).steps
    assert [type(step) for step in steps] == [SetVariable]


@pytest.mark.parametrize(("held", "times"), [(".making", 1), (".making", 60), (".new", 4)])
def test_a_virus_scanner_holds_the_new_files_for_a_while(
    person: Person, prepared: Path, monkeypatch: pytest.MonkeyPatch, held: str, times: int
) -> None:
    """As Windows answers a rename while it, or a file inside, is open in another program."""
    left, real = [times], os.replace

    def replace(old: str, new: str) -> None:
        left[0] -= old.endswith(held)
        if left[0] >= 0 and old.endswith(held):
            raise PermissionError(13, "Access is denied", old)
        real(old, new)

    plan = plan_for(person, pack(prepared))
    before = person.files()
    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(whole_file, "SCANNERS", (0.01,) * 6)
    if times < 60:
        assert person.apply(plan).finished
        assert left[0] < 0
        return
    with pytest.raises(NotApplied) as caught:
        person.apply(plan)
    assert caught.value.as_before
    assert person.files() == before
