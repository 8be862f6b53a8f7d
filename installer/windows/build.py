"""Builds Setup.exe, on Linux or Windows: ``python -m installer.windows.build``.

What is built is a test, and says so in its name and on its first page, unless ``--release`` is
given: then it is refused without what a release must have (kind.py). Needs makensis, and, to
compile for the packed Python on Linux, Wine (or ``--bytecode PYTHON``, an interpreter of the same
series).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path, PureWindowsPath

from cudnn_assistant import __version__, places
from installer import NotReady, compile_locale
from installer.windows import (
    art,
    closure,
    compiler,
    compiling,
    kind,
    licences,
    payload,
    python_tree,
    sbom,
    sentences,
    signing,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LOCK = kind.LOCK
LARGEST = 27_000_000
"""Bytes that Setup.exe may have."""
LONGEST_PATH = 259
"""Characters of a path that every Windows takes."""
ROOM = 190
"""Characters that the install folder may have at least; its programs' paths have 19 more."""
PARTS = ("python", "lib", "app", "licences", "app.ico", "command", "uninstall.cmd",
         "sbom.cdx.json")  # fmt: skip
"""What lies in the installed folder; setup.nsi names the same."""

_COMMANDS = {
    # In a folder of its own: it stands on PATH, where "uninstall" must not mean ours.
    "command/cudnn-assistant.cmd": (
        '@"%~dp0..\\python\\python.exe" -I -B -m cudnn_assistant %*\r\n'
    ),
    "uninstall.cmd": (HERE / "uninstall.cmd").read_text("ascii").replace("\n", "\r\n"),
}
"""Batch files in the installed folder."""


def name(version: str, *, release: bool) -> str:
    """What Setup of that version is called; a test can't be taken for a release."""
    return f"cuDNN-Assistant-{version}-{'' if release else 'test-'}Setup.exe"


def main(arguments: list[str] | None = None) -> int:
    """Build, check, and say sizes and SHA-256."""
    built = build(options(arguments))
    print(f"{sha256(built)}  {built.name}  {built.stat().st_size / 1e6:.1f} MB")
    return 0


def options(arguments: list[str] | None) -> argparse.Namespace:
    """What is wanted of Setup."""
    parser = argparse.ArgumentParser(description=__doc__)
    kind.add_options(parser)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for Setup.exe")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "windows")
    parser.add_argument("--bytecode", default="", help="a Python of the packed series")
    parser.add_argument("--version", default=__version__, help="for tests of upgrades")
    parser.add_argument("--fast", action="store_true", help="don't compress; for tests")
    parser.add_argument("--keep-stage", action="store_true", help="pack what is staged already")
    return parser.parse_args(arguments)


def build(options: argparse.Namespace) -> Path:
    """All steps; returns Setup.exe. Raises NotReady or CalledProcessError."""
    kind.check(options, os.environ)
    stage = options.work / "stage"
    if not options.keep_stage:
        shutil.rmtree(options.work, ignore_errors=True)
        options.work.mkdir(parents=True)
        fill(stage, options)
    elif options.version != __version__:
        _renumber(stage, options.version)
    if options.release:
        kind.refuse_old(python_tree.identify(stage / "python"))
    check(stage)
    options.out.mkdir(parents=True, exist_ok=True)
    art.draw(ROOT / "resources" / "icons" / "app.svg", options.work)
    if signing.wanted(os.environ):
        signing.sign_payload(stage)
    return pack(stage, options)


def fill(stage: Path, options: argparse.Namespace) -> None:
    """The tree that will be installed."""
    stage.mkdir()
    embed = None  # the one of the tests
    if options.embed:
        embed = python_tree.Embed(options.embed, options.embed_sha256.lower())
    python = python_tree.unpack(stage / "python", options.work, embed)
    fetched, report = options.work / "lib", options.work / "fetched.json"
    python_tree.pip(
        "install", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-compile",
        "--platform", "win_amd64", "--python-version", python.series,
        "--target", str(fetched), "--report", str(report), "-r", str(LOCK),
    )  # fmt: skip
    packed = distributions()
    hashes = {"cpython": python_tree.archive_sha256(embed), **sbom.fetched(report)}
    others = {"cpython": python.version}
    sbom.write(stage / "sbom.cdx.json", options.version, fetched, others, packed, hashes)
    text = stage / "python" / "LICENSE.txt"
    licences.gather(stage / "licences", fetched, ROOT / "LICENSE", text, packed)
    payload.prune(fetched)
    fetched.rename(stage / "lib")
    program(stage / "app")
    _renumber(stage, options.version)
    compiler.compile_for(stage, options.work, python.series, options.bytecode)
    art.icon(ROOT / "resources" / "icons" / "app.svg", stage / "app.ico")
    for command, lines in _COMMANDS.items():
        (stage / command).parent.mkdir(exist_ok=True)
        (stage / command).write_text(lines, newline="")


def distributions() -> set[str]:
    """Names of the packed distributions, as their ``*.dist-info`` folders begin."""
    names = set(sbom.locked(LOCK)) - set(payload.LEFT_OUT)
    return {name.lower().replace("-", "_") for name in names}


def program(target: Path) -> None:
    """Our package with its resources inside, as in a wheel; sources of the data stay out.

    Translations are compiled here: what lies beside them may be missing, or older than they are.
    """
    ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
    shutil.copytree(ROOT / "cudnn_assistant", target / "cudnn_assistant", ignore=ignore)
    skipped = shutil.ignore_patterns("__pycache__", "sources", "desktop", "*.mo")
    resources = target / "cudnn_assistant" / "resources"
    shutil.copytree(ROOT / "resources", resources, ignore=skipped)
    compile_locale.compile_all(resources / "locale")
    for catalogue in (resources / "locale").glob("*.po"):
        catalogue.unlink()


def _renumber(stage: Path, version: str) -> None:
    if version == __version__:
        return
    text = (ROOT / "cudnn_assistant" / "__init__.py").read_text("utf-8")
    init = stage / "app" / "cudnn_assistant" / "__init__.py"
    init.write_text(text.replace(__version__, version), "utf-8")
    init.with_suffix(".pyc").unlink(missing_ok=True)


def check(stage: Path) -> None:
    """Raises NotReady unless the tree is whole: parts, imports of every PE, compiled files."""
    found = {path.name for path in stage.iterdir()}
    if found != set(PARTS):
        raise NotReady(f"staged {sorted(found)}")
    if lines := closure.missing(stage):
        raise NotReady("; ".join(lines))
    if lacking := [name for name in compiling.TEXT if not (stage / "app" / name).is_file()]:
        raise NotReady(f"must be there as text: {lacking}")
    if room(stage) < ROOM:
        raise NotReady(f"an install folder may have {room(stage)} characters, {ROOM} are promised")


def room(stage: Path) -> int:
    """Characters the install folder may have so that every path in it fits."""
    longest = max(len(str(PureWindowsPath(p.relative_to(stage)))) for p in stage.rglob("*"))
    return LONGEST_PATH - longest - len("\\.new\\")


def pack(stage: Path, options: argparse.Namespace) -> Path:
    """Run makensis. Files get one time, so that the same input gives the same Setup.exe."""
    time = moment()
    for path in [*stage.rglob("*"), stage, *options.work.glob("*.*")]:
        os.utime(path, (time, time))
    size = sum(path.stat().st_size for path in stage.rglob("*") if path.is_file())
    target = (Path(options.out) / name(options.version, release=options.release)).resolve()
    facts: dict[str, object] = {
        "VERSION": options.version,
        "VERSION4": f"{options.version}.0",
        "STAGE": stage.resolve(),
        "ART": options.work.resolve(),
        "OUT": target,
        "FILE": target.name,
        "MAJOR": options.version.split(".")[0],
        "MINOR": options.version.split(".")[1],
        "WORDS": _words(options, size // 2**20, room(stage)).resolve(),
        "APPID": places.WINDOW_ID,
        "SIZE_KB": size // 1024,
        "ROOM": room(stage),
        "COMPRESSOR": "none" if options.fast else "lzma",
    }
    facts |= {"HOME": options.home} if options.home else {}
    facts |= {} if options.release else {"TEST": ""}
    if signing.wanted(os.environ):
        facts["SIGN"] = f'"{sys.executable}" "{HERE / "signing.py"}"'
    words = [f"-D{name}={value}" for name, value in facts.items()]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(time)}
    subprocess.run(
        ["makensis", "-V2", "-WX", "-NOCD", "-INPUTCHARSET", "UTF8", *words,
         str(HERE / "setup.nsi")],
        check=True, env=environment,
    )  # fmt: skip
    if not options.fast and target.stat().st_size > LARGEST:
        raise NotReady(f"{target.stat().st_size} bytes; {LARGEST} are allowed")
    return target


def _words(options: argparse.Namespace, megabytes: int, longest: int) -> Path:
    """The file of Setup's sentences, with what is known now filled in."""
    facts = {
        "product": "cuDNN Assistant",
        "version": options.version,
        "mb": str(megabytes),
        "room": str(longest),
    }
    target = Path(options.work) / "words.nsh"
    target.write_text(sentences.script(facts), "utf-8")
    return target


def moment() -> int:
    """The time of every packed file, in seconds since 1970.

    SOURCE_DATE_EPOCH, else the last commit's; 2020-01-01 outside a checkout.
    """
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    done = subprocess.run(
        ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], capture_output=True, text=True
    )
    return int(done.stdout.strip() or 1_577_836_800)


def sha256(path: Path) -> str:
    """Of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
