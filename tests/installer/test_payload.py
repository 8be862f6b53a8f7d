"""What is packed, and that the checks would see what is missing."""

from __future__ import annotations

import gettext
import os
import re
import shutil
import subprocess
import time
import tomllib
import zipfile
from argparse import Namespace
from contextlib import nullcontext
from pathlib import Path

import needs
import pytest
from packaging.requirements import Requirement

from cudnn_assistant import __version__
from installer import NotReady, checks, news, release
from installer.linux import debian, elf
from installer.windows import build, closure, kind, payload, python_tree, sbom, signing


def test_every_dependency_is_locked_by_hash_and_without_an_address() -> None:
    text = build.LOCK.read_text("utf-8")
    assert "://" not in text
    pins = [line for line in text.splitlines() if re.match(r"\S+==", line)]
    assert len(pins) == len(sbom.locked(build.LOCK))
    assert all(f"{pin}\n    --hash=sha256:" in text for pin in pins)
    project = tomllib.loads((build.ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    locked = sbom.locked(build.LOCK)
    for line in project["dependencies"]:
        wanted = Requirement(line)
        version = locked[wanted.name.lower()]
        assert version in wanted.specifier, f"{wanted} but {version} is locked"


def test_what_is_left_out_is_known_to_the_lock() -> None:
    assert set(payload.LEFT_OUT) <= set(sbom.locked(build.LOCK))


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("PySide6/Qt6Widgets.dll", True),
        ("PySide6/Qt6Quick.dll", False),
        ("PySide6/plugins/platforms/qwindows.dll", True),
        ("PySide6/plugins/platforms/qdirect2d.dll", False),
        ("PySide6/translations/qtbase_de.qm", True),
        ("PySide6/translations/qtbase_fi.qm", False),
        ("PySide6/translations/designer_de.qm", False),
        ("PySide6/opengl32sw.dll", False),
        ("cryptography/hazmat/bindings/_rust.pyd", True),
        ("cryptography/py.typed", False),
        ("securesystemslib/_vendor/ed25519/test_data/ed25519", False),
        ("tuf/api/metadata.py", True),
        ("cuda/bindings/driver.cp313-win_amd64.pyd", False),
        ("cuda/pathfinder/_version.py", True),
        ("something_new/__init__.py", False),
    ],
)
def test_the_allow_list(name: str, packed: bool) -> None:
    assert payload.kept(name) is packed


def test_pruning_leaves_no_empty_folder(tmp_path: Path) -> None:
    for name in ("PySide6/qml/a/b.qml", "PySide6/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    payload.prune(tmp_path)
    assert [p.name for p in tmp_path.rglob("*")] == ["PySide6", "__init__.py"]


def test_windows_has_some_libraries_of_its_own() -> None:
    assert closure.of_windows("kernel32.dll")
    assert closure.of_windows("api-ms-win-crt-runtime-l1-1-0.dll")
    assert not closure.of_windows("qt6core.dll")
    assert not closure.of_windows("msvcp140.dll")


def embed(folder: Path, library: bytes = b"another") -> python_tree.Embed:
    """A zip with one library, pinned by its right hash."""
    file = folder / "embed.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("python313.dll", library)
    return python_tree.Embed(str(file), build.sha256(file))


def test_another_file_than_the_pinned_is_not_packed(tmp_path: Path) -> None:
    wrong = embed(tmp_path)._replace(sha256="0" * 64)
    with pytest.raises(NotReady, match="has SHA-256"):
        python_tree.unpack(tmp_path / "python", tmp_path, wrong)
    assert not (tmp_path / "python").exists()


def test_what_says_no_version_is_not_packed(tmp_path: Path) -> None:
    with pytest.raises(NotReady, match="says no version"):
        python_tree.unpack(tmp_path / "python", tmp_path, embed(tmp_path))


def library(folder: Path, version: str, *, days: int) -> bytes:
    """A DLL whose resource says a version as Python's does, built so many days ago."""
    major, minor, micro = version.split(".")
    numbers = f"{major},{minor},{int(micro) * 1000 + 150},1013"
    (folder / "v.rc").write_text(f"1 VERSIONINFO PRODUCTVERSION {numbers}\nBEGIN\nEND\n")
    (folder / "v.c").write_text("int it;\n")
    windres = ["x86_64-w64-mingw32-windres", str(folder / "v.rc"), str(folder / "v.o")]
    subprocess.run(windres, check=True)
    dll = folder / "v.dll"
    link = ["x86_64-w64-mingw32-gcc", "-shared", "-s", "-o", str(dll)]
    moment = {"SOURCE_DATE_EPOCH": str(int(time.time()) - days * 86_400)}
    built = [*link, str(folder / "v.c"), str(folder / "v.o")]
    subprocess.run(built, check=True, env={**os.environ, **moment})
    return dll.read_bytes()


@pytest.mark.parametrize(("days", "taken"), [(150, True), (200, False)])
def test_a_python_of_which_there_must_be_a_newer_is_not_released(
    days: int, taken: bool, tmp_path: Path
) -> None:
    needs.require("x86_64-w64-mingw32-gcc")
    given = embed(tmp_path, library(tmp_path, "3.13.9", days=days))
    python = python_tree.unpack(tmp_path / "python", tmp_path, given)
    assert (python.version, python.series) == ("3.13.9", "3.13")
    with nullcontext() if taken else pytest.raises(NotReady, match=r"Python 3\.13\.9 was"):
        kind.refuse_old(python)


RELEASE = {
    "release": True, "embed": "e.zip", "embed_sha256": "0", "home": "https://example.org",
}  # fmt: skip
CERTIFIED = {
    "SIGN_CERTIFICATE": "c",
    "SIGN_KEY": "k",
    "SIGN_TIMESTAMP": "http://t",
    "SIGN_SUMS": "s",
}


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Versions of the tools on a release machine: those that are named, until a test says else."""
    (tmp_path / "makensis").write_text(f'#!/bin/sh\necho "${{MAKENSIS:-{kind.MAKENSIS}}}"\n')
    (tmp_path / "makensis").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    there = sbom.locked(kind.LOCK)
    monkeypatch.setattr(kind, "version", lambda name: there[name.lower()])
    return there


def test_a_release_needs_all_and_a_test_nothing(tools: dict[str, str]) -> None:
    kind.check(Namespace(**RELEASE), CERTIFIED)
    kind.check(Namespace(**{**RELEASE, "release": False, "embed": ""}), {})
    with pytest.raises(NotReady):
        kind.check(Namespace(**RELEASE), {})


@pytest.mark.parametrize(
    ("given", "environment", "lacks"),
    [
        ({"embed": ""}, {}, "--embed:"),
        ({"embed_sha256": ""}, {}, "--embed-sha256"),
        ({"home": ""}, {}, "--home"),
        ({}, {"SIGN_CERTIFICATE": ""}, "a certificate"),
        ({}, {"SIGN_TIMESTAMP": ""}, "a time stamp"),
        ({}, {"SIGN_SUMS": ""}, "a key"),
    ],
)
def test_what_a_release_lacks_is_named(
    given: dict[str, str], environment: dict[str, str], lacks: str, tools: dict[str, str]
) -> None:
    (line,) = kind.lacking(Namespace(**{**RELEASE, **given}), {**CERTIFIED, **environment})
    assert line.startswith(f"needs {lacks}")


def test_a_release_is_made_by_the_tools_that_were_tested(
    tools: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAKENSIS", "v3.99")
    tools["pyside6-essentials"] = "6.99"
    found = kind.lacking(Namespace(**RELEASE), CERTIFIED)
    assert [line.split()[1] for line in found] == ["makensis", "PySide6"]
    monkeypatch.setenv("PATH", "")
    assert kind.makensis() == ""


def test_a_test_is_never_named_as_a_release() -> None:
    assert build.name("1.2.3", release=True) == "cuDNN-Assistant-1.2.3-Setup.exe"
    assert build.name("1.2.3", release=False) == "cuDNN-Assistant-1.2.3-test-Setup.exe"


def test_the_notes_of_a_test_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release, "DIST", tmp_path)
    assert "not a release" in release.notes("news", release=False)
    assert "not a release" not in release.notes("news", release=True)


def test_checksums_are_signed_with_what_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release, "DIST", tmp_path)
    monkeypatch.setenv("SIGN_SUMS", "cp {file} {file}.sig")
    (tmp_path / "a.whl").write_bytes(b"a")
    release.sums()
    assert (
        tmp_path / "SHA256SUMS.sig"
    ).read_text() == f"{build.sha256(tmp_path / 'a.whl')}  a.whl\n"


def test_signs_with_what_the_environment_says() -> None:
    assert not signing.wanted({})
    own = {"SIGN_COMMAND": "signtool sign /fd sha256 {file}"}
    assert signing.wanted(own)
    assert signing.command(own, "C:\\a b.exe", "") == [
        "signtool", "sign", "/fd", "sha256", "C:\\a b.exe",
    ]  # fmt: skip
    test = {"SIGN_CERTIFICATE": "c.pem", "SIGN_KEY": "k.pem"}
    words = signing.command(test, "a.exe", "a.exe.signed")
    assert "-ts" not in words
    assert not signing.stamped(test)
    assert signing.stamped({"SIGN_COMMAND": "signtool sign /tr http://t {file}"})
    assert words[-4:] == ["-in", "a.exe", "-out", "a.exe.signed"]


def test_news_are_the_readmes() -> None:
    assert news.of(__version__)
    with pytest.raises(NotReady):
        news.of("0.0.1")


def test_translations_are_compiled_where_they_are_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkout may have none of them compiled, or one from before the last sentence."""
    clean = tmp_path / "checkout"
    without = shutil.ignore_patterns("*.mo", "sources")
    shutil.copytree(build.ROOT / "resources", clean / "resources", ignore=without)
    (clean / "resources/locale/de.mo").write_bytes(b"old")
    (clean / "cudnn_assistant").mkdir()
    monkeypatch.setattr(build, "ROOT", clean)
    build.program(tmp_path / "app")
    packed = tmp_path / "app/cudnn_assistant/resources/locale"
    assert not list(packed.glob("*.po"))
    languages = {path.stem for path in (clean / "resources/locale").glob("*.po")}
    assert {path.stem for path in packed.glob("*.mo")} == languages
    with (packed / "de.mo").open("rb") as file:
        assert gettext.GNUTranslations(file).gettext("Cancel")


def test_a_module_or_a_table_that_is_not_packed_is_seen(tmp_path: Path) -> None:
    names = checks.sources()
    assert {"cudnn_assistant/__main__", "cudnn_assistant/resources/compat/compat.json"} <= names
    compiled = [name if "/resources/" in name else f"{name}.pyc" for name in sorted(names)]
    assert checks.absent(compiled) == []
    rest = [name for name in compiled if "probe/libraries/copies" not in name]
    assert checks.absent(rest) == ["cudnn_assistant/probe/libraries/copies is not packed"]


def test_a_checker_that_is_not_here_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert checks.debian(Path("a.deb")) == ["lintian is not on this computer"]


def test_the_debs_changelog_is_dated_by_the_last_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    text = debian.changelog()
    assert text.startswith(f"cudnn-assistant ({__version__}) stable; urgency=medium\n\n  * ")
    assert text.endswith("  Thu, 01 Jan 1970 00:00:00 -0000\n")


def test_symbols_that_ubuntu_22_04_lacks_are_seen(tmp_path: Path) -> None:
    """A library linked against a version of a later glibc, and one against our own Qt."""
    needs.require("gcc")
    for soname, version in (("libc.so.6", "GLIBC_2.36"), ("libours.so.1", "Ours_9")):
        linked(tmp_path, soname, version)
    assert elf.versions(tmp_path / "packed/GLIBC_2.36.so") == [("libc.so.6", "GLIBC_2.36")]
    lines = elf.too_new(tmp_path / "packed")
    assert lines == ["GLIBC_2.36.so needs GLIBC_2.36 of libc.so.6"]
    assert elf.needed(tmp_path / "packed/Ours_9.so") == ("libours.so.1",)


def linked(folder: Path, soname: str, version: str) -> None:
    """A library that needs a symbol of this version; ours is packed beside it, libc never is."""
    packed = folder / "packed"
    packed.mkdir(exist_ok=True)
    where = folder if soname.startswith("libc.") else packed
    (folder / "map").write_text(f"{version} {{ global: it; }};\n")
    (folder / "have.c").write_text("int it(void) { return 1; }\n")
    (folder / "need.c").write_text("int it(void); int other(void) { return it(); }\n")
    have, made = where / soname, packed / f"{version}.so"
    link = ["gcc", "-shared", "-fPIC", "-nostdlib"]
    script = f"-Wl,-soname,{soname},--version-script={folder / 'map'}"
    subprocess.run([*link, script, "-o", have, folder / "have.c"], check=True)
    subprocess.run([*link, "-o", made, folder / "need.c", have], check=True)
