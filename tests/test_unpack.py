"""Archives as NVIDIA packs them, and ones that nobody should."""

from __future__ import annotations

import contextlib
import io
import lzma
import os
import shutil
import stat
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cudnn_assistant.trouble import Cancelled, Refused
from cudnn_assistant.unpack import clear_unfinished, put_aside, unpack

TOP = "cudnn-linux-x86_64-9.28.0.42_cuda12-archive"


def tar(path: Path, fill: Callable[[tarfile.TarFile], None], mode: str = "w:xz") -> str:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        fill(archive)
    return str(path)


def add(archive: tarfile.TarFile, name: str, content: bytes = b"x", **fields: object) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    archive.addfile(info, io.BytesIO(content) if info.isreg() else None)


def good(archive: tarfile.TarFile) -> None:
    add(archive, TOP, b"", type=tarfile.DIRTYPE, mode=0o555)
    add(archive, f"{TOP}/LICENSE", b"terms", mode=0o444)
    add(archive, f"{TOP}/lib", b"", type=tarfile.DIRTYPE, mode=0o555)
    add(archive, f"{TOP}/lib/libcudnn.so", b"", type=tarfile.SYMTYPE, linkname="libcudnn.so.9")
    add(archive, f"{TOP}/lib/libcudnn.so.9", b"", type=tarfile.SYMTYPE, linkname="libcudnn.so.9.28")
    add(archive, f"{TOP}/lib/libcudnn.so.9.28", b"\x7fELF" * 999_999, mode=0o6755)
    add(archive, f"{TOP}/lib/libcudnn_static.a", b"big", mode=0o444)


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else ""
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


@pytest.mark.parametrize(("name", "mode"), [("a.tar.xz", "w:xz"), ("a.tgz", "w:gz")])
def test_a_tar_of_nvidias_kind(tmp_path: Path, name: str, mode: str) -> None:
    heard: list[int] = []
    unpack(
        tar(tmp_path / name, good, mode),
        str(tmp_path / "out"),
        place=lambda path, _target: "" if path.endswith(".a") else path,
        progress=heard.append,
    )
    assert tree(tmp_path / "out") == {
        "LICENSE": "",
        "lib/libcudnn.so": "libcudnn.so.9",
        "lib/libcudnn.so.9": "libcudnn.so.9.28",
        "lib/libcudnn.so.9.28": "",
    }
    library = tmp_path / "out" / "lib" / "libcudnn.so.9"
    assert library.stat().st_size == 3_999_996
    assert stat.S_IMODE(library.stat().st_mode) & 0o7000 == 0
    assert heard[-1] > 5 + 3_999_996, "what is passed over counts"


def test_a_zip_of_nvidias_kind(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{TOP}/", "")
        archive.writestr(f"{TOP}/bin/x64/cudnn64_9.dll", b"MZ" * 100_000)
        archive.writestr(f"{TOP}/LICENSE", "terms")
    unpack(str(tmp_path / "a.zip"), str(tmp_path / "out"))
    assert tree(tmp_path / "out") == {"LICENSE": "", "bin/x64/cudnn64_9.dll": ""}


Fill = Callable[[tarfile.TarFile], None]
EVIL: dict[str, Fill] = {
    "absolute": lambda a: add(a, "/etc/evil"),
    "parent": lambda a: add(a, f"{TOP}/../../evil"),
    "parent as top": lambda a: add(a, "../evil/x"),
    "backslash": lambda a: add(a, f"{TOP}/..\\..\\evil"),
    "drive": lambda a: add(a, f"{TOP}/C:evil"),
    "stream": lambda a: add(a, f"{TOP}/file:hidden"),
    "device name": lambda a: add(a, f"{TOP}/lib/NUL.dll"),
    "trailing dot": lambda a: add(a, f"{TOP}/lib/evil."),
    "newline": lambda a: add(a, f"{TOP}/a\nb"),
    "absolute link": lambda a: add(a, f"{TOP}/l", b"", type=tarfile.SYMTYPE, linkname="/etc"),
    "link out": lambda a: add(a, f"{TOP}/lib/l", b"", type=tarfile.SYMTYPE, linkname="../../x"),
    "empty link": lambda a: add(a, f"{TOP}/lib/l", b"", type=tarfile.SYMTYPE, linkname=""),
    "hard link": lambda a: add(a, f"{TOP}/l", b"", type=tarfile.LNKTYPE, linkname="/etc/passwd"),
    "fifo": lambda a: add(a, f"{TOP}/p", b"", type=tarfile.FIFOTYPE),
    "device": lambda a: add(a, f"{TOP}/d", b"", type=tarfile.CHRTYPE),
    "twice": lambda a: (add(a, f"{TOP}/a"), add(a, f"{TOP}/A"))[0],  # type: ignore[func-returns-value]
}


@pytest.mark.parametrize("name", EVIL)
def test_a_tar_that_nobody_should_unpack(tmp_path: Path, name: str) -> None:
    def fill(archive: tarfile.TarFile) -> None:
        add(archive, f"{TOP}/first")
        EVIL[name](archive)

    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    before = sorted(tmp_path.rglob("*"))
    archive = tar(tmp_path / "x.tar.xz", fill)
    with pytest.raises(Refused):
        unpack(archive, str(inner / "out"))
    after = [p for p in sorted(tmp_path.rglob("*")) if "out" not in p.parts]
    assert after == [*before, Path(archive)]


def link(archive: tarfile.TarFile, name: str, target: str) -> None:
    add(archive, f"{TOP}/{name}", b"", type=tarfile.SYMTYPE, linkname=target)


CHAINS: dict[str, list[tuple[str, str]]] = {
    "up through one that stays": [("lib/here/up", ".."), ("lib/here/out", "up/../../x")],
    "the later one opens the way": [("m/n/out", "back/../../../y"), ("m/n/back", "../..")],
    "three in a row": [("p/q/r/a", ".."), ("p/q/r/b", "a/.."), ("p/q/r/c", "b/../../..")],
    "its own folder": [("s/own", "."), ("s/t/u", "../own/v"), ("s/v", "own/own/../../..")],
}


@pytest.mark.parametrize("name", CHAINS)
def test_links_that_only_together_lead_out(tmp_path: Path, name: str) -> None:
    def fill(archive: tarfile.TarFile) -> None:
        add(archive, f"{TOP}/lib/libreal.so.9")
        for where, target in CHAINS[name]:
            link(archive, where, target)

    with pytest.raises(Refused, match="archive-link-leads-out"):
        unpack(tar(tmp_path / "x.tgz", fill, "w:gz"), str(tmp_path / "out"))


def test_links_to_links_that_stay_are_made(tmp_path: Path) -> None:
    def fill(archive: tarfile.TarFile) -> None:
        link(archive, "lib/libreal.so", "libreal.so.9")
        link(archive, "lib/libreal.so.9", "libreal.so.9.1")
        link(archive, "lib64", "lib")
        link(archive, "bin/gone", "../lib64/nothing")
        add(archive, f"{TOP}/lib/libreal.so.9.1", b"it")

    unpack(tar(tmp_path / "x.tgz", fill, "w:gz"), str(tmp_path / "out"))
    assert (tmp_path / "out" / "lib64" / "libreal.so").read_bytes() == b"it"


def test_a_link_where_a_folder_is(tmp_path: Path) -> None:
    def fill(archive: tarfile.TarFile) -> None:
        link(archive, "lib", "share")
        add(archive, f"{TOP}/lib/libreal.so.9")

    with pytest.raises(Refused, match="archive-names-twice"):
        unpack(tar(tmp_path / "x.tgz", fill, "w:gz"), str(tmp_path / "out"))


@pytest.mark.parametrize("kind", ["x.zip", "x.tgz"])
@pytest.mark.parametrize(
    "name", ["", "top/" + "f/" * 3000 + "it", "top/" + "g/" * 900, "top/lib/\udcff.so"]
)
def test_names_that_no_archive_has(tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / kind
    if kind == "x.zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("top/first", "x")
            info = zipfile.ZipInfo("x")
            info.filename = name.replace("\udcff", ":")  # names in a zip are always texts
            archive.writestr(info, "y")
    else:
        tar(path, lambda a: (add(a, f"{TOP}/first"), add(a, name)), "w:gz")  # type: ignore[arg-type,return-value]
    with pytest.raises(Refused):
        unpack(str(path), str(tmp_path / "out"))


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    def fill(archive: tarfile.TarFile) -> None:
        add(archive, f"{TOP}/real", b"", type=tarfile.DIRTYPE)
        add(archive, f"{TOP}/link", b"", type=tarfile.SYMTYPE, linkname="real")
        add(archive, f"{TOP}/link/file", b"through")

    with pytest.raises((Refused, OSError)):
        unpack(tar(tmp_path / "x.tar.xz", fill), str(tmp_path / "out"))
    assert not (tmp_path / "out" / "real" / "file").exists()


@pytest.mark.parametrize("name", ["../evil", "/evil", "top/..\\evil", "top/C:\\x", "top/a\\b"])
def test_a_zip_that_nobody_should_unpack(tmp_path: Path, name: str) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(Refused):
        unpack(str(tmp_path / "a.zip"), str(tmp_path / "out"))
    assert list((tmp_path / "out").rglob("*")) == []


def test_a_link_in_a_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        info = zipfile.ZipInfo("top/link")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(Refused, match="archive-odd-file"):
        unpack(str(tmp_path / "a.zip"), str(tmp_path / "out"))


ZEROS = bytes(20_000_000)
BOMBS: dict[str, Callable[[tarfile.TarFile], None]] = {
    "a file": lambda archive: add(archive, f"{TOP}/zeros", ZEROS),
    "a file that is passed over": lambda archive: add(archive, f"{TOP}/zeros.a", ZEROS),
    "a name": lambda archive: add(archive, f"{TOP}/" + "x" * len(ZEROS), b""),
    "what follows the end": lambda _archive: None,
}


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs(bomb: str, stop: bool, tmp_path: Path) -> None:
    path, cancel = tar(tmp_path / "x.tar", BOMBS[bomb], "w"), threading.Event()
    with lzma.open(tmp_path / "x.tar.xz", "wb", preset=0) as packed:
        packed.write(Path(path).read_bytes() + (b"" if "name" in bomb else ZEROS))
    with pytest.raises((Cancelled, Refused), match=r"^$" if stop else "archive-too-large"):
        unpack(
            f"{path}.xz",
            str(tmp_path / "out"),
            place=lambda name, _target: name.removesuffix("zeros.a"),
            limit=10_000_000,
            progress=lambda size: cancel.set() if stop and size > 2_000_000 else None,
            cancel=cancel,
        )


def test_an_archive_of_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cudnn_assistant.unpack._MOST_FILES", 100)

    def many(archive: tarfile.TarFile) -> None:
        for number in range(101):
            add(archive, f"{TOP}/{number}", b"", type=tarfile.DIRTYPE)

    with pytest.raises(Refused, match="archive-of-too-many"):
        unpack(tar(tmp_path / "y.tgz", many, "w:gz"), str(tmp_path / "out"))


@pytest.mark.parametrize("name", ["x.tar.xz", "x.tgz", "x.zip"])
def test_damaged_archives(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name.endswith("zip"):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("top/file", os.urandom(300_000))
    else:
        tar(path, lambda a: add(a, f"{TOP}/f", os.urandom(300_000)), f"w:{name[-2:]}")
    content = bytearray(path.read_bytes())
    for number, broken in enumerate(
        (
            content[:1000],
            content[:-400],
            content[:5000] + b"\0" * 5000 + content[10_000:],
            b"",
            b"x",
        )
    ):
        path.write_bytes(broken)
        with pytest.raises(Refused):
            unpack(str(path), str(tmp_path / f"out{number}"))


def test_cancelling(tmp_path: Path) -> None:
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        unpack(
            tar(tmp_path / "x.tar.xz", good),
            str(tmp_path / "out"),
            cancel=cancel,
            progress=lambda size: cancel.set(),
        )


@pytest.mark.parametrize("mine", [False, True])
def test_removing_clears_also_what_an_interrupted_one_left(tmp_path: Path, mine: bool) -> None:
    ours = tmp_path / "ours" / "libraries"
    for name in ("cudnn", "cudnn.removed", "cublas.making", *(["mine"] if mine else [])):
        (ours / name / "lib").mkdir(parents=True)
        (ours / name / "lib" / "a").touch()
    for _time in range(2):
        put_aside(str(ours / "cudnn"))
        clear_unfinished(str(ours))
        assert list(tmp_path.glob("ours/libraries/*")) == ([ours / "mine"] if mine else [])
    assert (tmp_path / "ours").exists() == mine


def test_what_a_program_has_loaded_is_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows lets its folder be renamed, and doesn't let it be deleted."""

    def denied(path: str, **_at: int) -> None:
        raise PermissionError(13, "Access is denied", path)

    with monkeypatch.context() as loaded:
        loaded.setattr(os, "unlink", denied)
        for time in (1, 2):
            (tmp_path / "cudnn").mkdir()
            (tmp_path / "cudnn" / "cudnn64_9.dll").touch()
            put_aside(str(tmp_path / "cudnn"))
            clear_unfinished(str(tmp_path))
            assert [path.suffix for path in tmp_path.iterdir()] == [".removed"] * time
    clear_unfinished(str(tmp_path))
    assert not tmp_path.exists()


@pytest.mark.skipif(sys.platform != "linux" or bool(os.getuid()), reason="needs root to mount")
def test_a_copy_that_a_layer_of_a_container_brought_can_go(tmp_path: Path) -> None:
    for name in ("below/libraries/cudnn/lib", "above", "work", "both"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "below/libraries/cudnn/lib/a").write_text("x")
    act = (
        "from cudnn_assistant.unpack import put_aside, clear_unfinished\n"
        "import os; os.rename(put_aside('both/libraries/cudnn'), 'both/libraries/cudnn')\n"
        "assert open('both/libraries/cudnn/lib/a').read() == 'x'\n"
        "put_aside('both/libraries/cudnn'); clear_unfinished('both/libraries')\n"
        "assert os.listdir('both') == []"
    )
    layers = "lowerdir=below,upperdir=above,workdir=work,redirect_dir=off"
    mount = f"mount -t overlay overlay -o {layers} both"
    run = ["unshare", "-m", "sh", "-c", f'{mount} || exit 77; "$0" -c "$1"', sys.executable, act]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip("no overlay here")
    assert done.returncode == 0, done.stderr


NAMES = (
    "top/../evil", "../evil", "/evil", "top/./../../evil", "top/lib/../../../evil", "top//../evil",
    "top/a\0b", "top/a\nb", "evil", "top/lib/link/evil", "top/" + "\u202e" + "gpj.so", "top/CON",
)  # fmt: skip
TARGETS = ("..", "/", "/etc/passwd", "../..", "lib/../../..", ".", "link", "../../evil", "it")
KINDS = {
    "file": tarfile.REGTYPE, "link": tarfile.SYMTYPE, "hard link": tarfile.LNKTYPE,
    "pipe": tarfile.FIFOTYPE, "device": tarfile.CHRTYPE, "disk": tarfile.BLKTYPE,
    "folder": tarfile.DIRTYPE,
}  # fmt: skip


def hostile_archives() -> Iterator[tuple[str, Callable[[tarfile.TarFile], None]]]:
    """A hundred and more: every kind of member under every name, and links to links to outside."""

    def one(name: str, kind: bytes, target: str) -> Callable[[tarfile.TarFile], None]:
        def fill(archive: tarfile.TarFile) -> None:
            add(archive, f"{TOP}/lib/libreal.so.9")
            add(archive, f"{TOP}/lib/link", b"", type=tarfile.SYMTYPE, linkname=target)
            add(archive, name.replace("top", TOP), type=kind, linkname=target, mode=0o6777)

        return fill

    for at, name in enumerate(NAMES):
        for kind, number in KINDS.items():
            yield f"{kind} {name!r}", one(name, number, TARGETS[at % len(TARGETS)])
    for first in TARGETS:
        for second in TARGETS:
            yield f"links {first} {second}", one(f"top/lib/second/{first}", KINDS["link"], second)


def test_hostile_archives_leave_nothing_outside(tmp_path: Path) -> None:
    archives = list(hostile_archives())
    assert len(archives) >= 160
    tmp_path = tmp_path.resolve()
    inside = tmp_path / "base" / "in"
    inside.mkdir(parents=True)
    (tmp_path / "base" / "witness").write_bytes(b"as it was")
    for number, (name, fill) in enumerate(archives):
        target = inside / "to"
        with contextlib.suppress(Refused, OSError):
            unpack(tar(inside / f"{number}.tgz", fill, "w:gz"), str(target))
        for path in target.rglob("*"):
            assert path.is_symlink() or path.is_file() or path.is_dir(), name
            assert path.is_symlink() or not path.stat().st_mode & 0o6000, name
            assert Path(os.path.realpath(path)).is_relative_to(target), (name, path)
        shutil.rmtree(target, ignore_errors=True)
        (inside / f"{number}.tgz").unlink()
        assert sorted(p.name for p in tmp_path.rglob("*")) == ["base", "in", "witness"], name
    assert (tmp_path / "base" / "witness").read_bytes() == b"as it was"


def test_nobody_else_may_write_where_libraries_are_laid(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        unpack(tar(tmp_path / "a.tar.xz", good), str(tmp_path / "to"))
    finally:
        os.umask(before)
    made = [tmp_path / "to", *(tmp_path / "to").rglob("*")]
    assert len(made) > 3
    assert not [path for path in made if not path.is_symlink() and path.stat().st_mode & 0o022]
