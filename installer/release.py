"""All packages in ``dist/``, checked: ``python -m installer.release`` for a test.

Wheel and sdist, the .deb and the RPM, Setup.exe, the AppDir (and the AppImage), bills of materials,
winget's manifests (of a release), SHA256SUMS, and notes.md from README's news. Needs what CI has
(see ``.ci/run``). ``--release`` refuses at once what lacks a certificate, a time stamp, a key for
SHA256SUMS (``SIGN_SUMS``, a command; ``{file}`` is its name) or python.org's current Python.
``--lock`` renews the lock instead.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from cudnn_assistant import __version__
from installer import NotReady, checks, news
from installer.linux import appdir, appimage, deb, rpm
from installer.windows import build, kind, python_tree, sbom, winget

DIST = build.ROOT / "dist"
STAGE = build.ROOT / "build" / "windows" / "stage"
DEBIAN = build.ROOT / "build" / "deb" / "root"
APPDIR = build.ROOT / "build" / "AppDir"
BACKEND = build.ROOT / "installer" / "backend.lock"
CHECKLIST = build.ROOT / "installer" / "CHECKLIST.md"

_NOTES = tomllib.loads((build.ROOT / "installer" / "notes.toml").read_text("utf-8"))


def main(arguments: list[str] | None = None) -> int:
    """Build and check all, or renew the lock."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lock", action="store_true", help="renew requirements.lock (needs uv)")
    kind.add_options(parser)
    parser.add_argument("--appimage-runtime", type=Path, help="run-time file for an AppImage")
    parser.add_argument("--appimage-runtime-sha256", default="", help="of that file")
    parser.add_argument("--python", help="relocatable Python for the AppDir")
    parser.add_argument("--anyway", action="store_true", help="for a trial: uncommitted changes")
    options = parser.parse_args(arguments, build.options([]))
    if options.lock:
        return lock()
    try:
        release(options)
    except subprocess.CalledProcessError as trouble:
        raise NotReady(str(trouble)) from trouble
    return 0


def lock() -> int:
    """Resolve pyproject.toml for Windows into the lock, with hashes, without addresses.

    The hashes are those of every file of a version, so that the lock serves Linux, too.
    """
    words = ["uv", "pip", "compile", "--quiet", "--upgrade", "--generate-hashes"]
    plain = ["--no-emit-index-url", "--no-emit-find-links", "--no-annotate", "--no-header"]
    where = ["--python-platform", "x86_64-pc-windows-msvc", "--python-version", python_tree.TESTED]
    more = ["--only-binary", ":all:", "--no-python-downloads", "pyproject.toml", "-o"]
    done = subprocess.run([*words, *plain, *where, *more, str(build.LOCK)], cwd=build.ROOT)
    return done.returncode


def release(options: argparse.Namespace) -> None:
    """All steps. Raises NotReady or CalledProcessError; ``dist`` is then no release."""
    kind.check(options, os.environ)
    if options.release or not options.anyway:
        # The root and PyPI's address are laid there for a release, and never committed.
        status = ["git", "status", "--porcelain", "--", ".", ":!resources/feed"]
        if subprocess.run(status, cwd=build.ROOT, capture_output=True).stdout:
            raise NotReady("there are uncommitted changes")
    text = news.of(__version__)
    shutil.rmtree(DIST, ignore_errors=True)
    wheels()
    python = ["--python", options.python] if options.python else []
    deb.main([])
    rpm.main([])
    build.build(options)
    appdir.main(python)
    if lines := unlike():
        raise NotReady("\n".join(lines))
    if options.appimage_runtime:
        appimage.pack(APPDIR, options.appimage_runtime, options.appimage_runtime_sha256, DIST)
    shutil.copy(STAGE / "sbom.cdx.json", DIST / "windows.cdx.json")
    shutil.copy(DEBIAN / "usr/share/doc/cudnn-assistant/sbom.cdx.json", DIST / "linux.cdx.json")
    if options.release:
        file = DIST / build.name(__version__, release=True)
        winget.write(DIST / "winget", __version__, file.name, build.sha256(file), options.home)
    (DIST / "notes.md").write_text(notes(text, release=options.release), "utf-8")
    sums()
    print(f"{DIST}: read notes.md, then go through {CHECKLIST.name}")


def wheels() -> None:
    """Wheel and sdist, by the build backend of the lock. Raises CalledProcessError."""
    packages = [sys.executable, "-m", "build", "--outdir", str(DIST), str(build.ROOT)]
    with tempfile.TemporaryDirectory() as only:
        wanted = ["--require-hashes", "--only-binary", ":all:", "-r", str(BACKEND)]
        python_tree.pip("download", "--dest", only, *wanted)
        pinned = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": only}
        subprocess.run(packages, check=True, stdout=subprocess.DEVNULL, env=pinned)


def unlike() -> list[str]:
    """What of the built packages is not as it must be."""
    (wheel,) = DIST.glob("*.whl")
    (package,) = DIST.glob("*.deb")
    (other,) = DIST.glob("*.rpm")
    with tempfile.TemporaryDirectory() as home:
        started = checks.self_test(APPDIR / "AppRun", Path(home))
    return [
        *checks.wheel(wheel),
        *checks.tree(STAGE / "app"),
        *checks.tree(DEBIAN / deb.HOME),
        *checks.tree(APPDIR / deb.HOME),
        *checks.desktop(DEBIAN),
        *checks.desktop(APPDIR),
        *checks.debian(package),
        *checks.fedora(other),
        *started,
    ]


def sums() -> None:
    """SHA256SUMS of all files in ``dist``, as sha256sum reads it; signed where wanted."""
    files = sorted(path for path in DIST.rglob("*") if path.is_file())
    lines = [f"{build.sha256(path)}  {path.relative_to(DIST).as_posix()}\n" for path in files]
    target = DIST / "SHA256SUMS"
    target.write_text("".join(lines), "utf-8")
    if command := os.environ.get("SIGN_SUMS"):
        words = [word.replace("{file}", str(target)) for word in shlex.split(command)]
        subprocess.run(words, check=True)


def notes(text: str, *, release: bool) -> str:
    """What is published beside the files."""
    known = _NOTES["for"]
    rows = [
        f"| {path.name} | {known[path.suffix]} | {path.stat().st_size / 1e6:.1f} |"
        for path in sorted(DIST.iterdir())
        if path.suffix in known
    ]
    form = (build.ROOT / "installer" / "notes.md").read_text("utf-8")
    return form.format(
        version=__version__,
        test="" if release else _NOTES["test"],
        news=text,
        parts=len(sbom.locked(build.LOCK)),
        feed=feed_note(),
        rows="\n".join(rows),
        signed="`gpg --verify SHA256SUMS.asc`, then " if release else "",
    )


def feed_note() -> str:
    """Whether this build follows the compatibility feed, for whoever reads the notes."""
    root = build.ROOT / "resources" / "feed" / "root.json"
    if not root.exists():
        return str(_NOTES["no-feed"])
    return f"Compatibility feed: {json.loads(root.read_bytes())['signed']['x-feed-url']}"


if __name__ == "__main__":
    sys.exit(main())
