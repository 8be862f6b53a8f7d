"""Everything of a release in ``dist/``, checked: ``python -m installer.release``.

Wheel and sdist, the .deb, Setup.exe, the AppDir, SHA256SUMS, and notes.md from README's news.
Needs what CI has (see ``.ci/run``) and ``pip install build``. ``--lock`` renews the lock instead.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys

from cudnn_assistant import __version__
from installer.linux import appdir, deb
from installer.windows import build, sbom

DIST = build.ROOT / "dist"
CHECKLIST = build.ROOT / "installer" / "CHECKLIST.md"

_NOTES = """# cuDNN Assistant {version}

{news}

| file | for | MB |
|---|---|---|
{rows}

Seen by a person on real computers (installer/CHECKLIST.md): **nothing yet; fill in before
publishing**. The tests ran the Windows program under Wine, which is not Windows.
"""

_FOR = {
    ".exe": "Windows 10 and 11, double click",
    ".deb": "Debian 12 and newer, Ubuntu 22.04 and newer",
    ".whl": "pip and pipx, Python 3.11 and newer",
    ".gz": "the source",
}


class NotReady(Exception):
    """What keeps this from being a release."""


def main(arguments: list[str] | None = None) -> int:
    """Build and check all, or renew the lock."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lock", action="store_true", help="renew requirements.lock (needs uv)")
    parser.add_argument("--embed", help="python.org's embeddable zip")
    parser.add_argument("--anyway", action="store_true", help="for a trial: uncommitted changes")
    options = parser.parse_args(arguments)
    if options.lock:
        return lock()
    try:
        release(options.embed or "", anyway=options.anyway)
    except (NotReady, subprocess.CalledProcessError) as trouble:
        print(f"stopped: {trouble}", file=sys.stderr)
        return 1
    return 0


def lock() -> int:
    """Resolve pyproject.toml for Windows into the lock, with hashes, without addresses.

    The hashes are those of every file of a version, so that the lock serves Linux, too.
    """
    words = ["uv", "pip", "compile", "--quiet", "--upgrade", "--generate-hashes"]
    plain = ["--no-emit-index-url", "--no-emit-find-links", "--no-annotate", "--no-header"]
    where = ["--python-platform", "x86_64-pc-windows-msvc", "--python-version", "3.12"]
    more = ["--only-binary", ":all:", "--no-python-downloads", "pyproject.toml", "-o"]
    done = subprocess.run([*words, *plain, *where, *more, str(build.LOCK)], cwd=build.ROOT)
    return done.returncode


def release(embed: str, *, anyway: bool) -> None:
    """All steps. Raises NotReady or CalledProcessError; ``dist`` is then no release."""
    if not anyway and _git("status", "--porcelain"):
        raise NotReady("there are uncommitted changes")
    text = news(__version__)
    shutil.rmtree(DIST, ignore_errors=True)
    packages = [sys.executable, "-m", "build", "--outdir", str(DIST), str(build.ROOT)]
    subprocess.run(packages, check=True, stdout=subprocess.DEVNULL)
    setup = ["--embed", embed] if embed else []
    if deb.main([]) or build.main(setup) or appdir.main([]):
        raise NotReady("a package could not be built")
    shutil.copy(build.ROOT / "build/windows/stage/sbom.cdx.json", DIST / "windows.cdx.json")
    sums()
    (DIST / "notes.md").write_text(notes(text), "utf-8")
    print(f"{DIST}: read notes.md, then go through {CHECKLIST.name}")


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=build.ROOT, capture_output=True, text=True)
    return done.stdout.strip()


def news(version: str) -> str:
    """README's paragraph about a version; raises NotReady where there is none."""
    text = (build.ROOT / "README.md").read_text("utf-8")
    found = re.search(
        rf"^\*\*{re.escape(version)}\*\* (.+?)(?=\n\n|\Z)", text, re.MULTILINE | re.DOTALL
    )
    if not found:
        raise NotReady(f"README.md has no news of {version}")
    return found[1].strip()


def sums() -> None:
    """SHA256SUMS of all files in ``dist``, as sha256sum reads it."""
    files = sorted(path for path in DIST.iterdir() if path.is_file())
    lines = [f"{build.sha256(path)}  {path.name}\n" for path in files]
    (DIST / "SHA256SUMS").write_text("".join(lines), "utf-8")


def notes(text: str) -> str:
    """What is published beside the files."""
    rows = [
        f"| {path.name} | {_FOR[path.suffix]} | {path.stat().st_size / 1e6:.1f} |"
        for path in sorted(DIST.iterdir())
        if path.suffix in _FOR
    ]
    packed = len(sbom.locked(build.LOCK))
    said = f"{text}\n\nBuilt from {packed} hash-locked parts."
    return _NOTES.format(version=__version__, news=said, rows="\n".join(rows))


if __name__ == "__main__":
    sys.exit(main())
