"""Builds the RPM for Fedora and openSUSE: ``python -m installer.linux.rpm``. Needs rpmbuild.

It holds the tree that deb.py has filled and checked, and runs with the system's Python. What it
asks of the system are names of libraries and not of packages, because those differ between the two.
The same commit gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from cudnn_assistant import __version__
from installer import news
from installer.linux import deb, debian, payload
from installer.windows import build

_DOCUMENTS = "usr/share/doc/cudnn-assistant"
_DEBIANS = (f"{_DOCUMENTS}/changelog.gz", f"{_DOCUMENTS}/copyright", "usr/share/lintian")
"""What Debian alone asks for."""


def main(arguments: list[str] | None = None) -> int:
    """Build, check, and say size and SHA-256."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=build.ROOT / "dist")
    parser.add_argument("--tree", type=Path, default=build.ROOT / "build" / "deb" / "root")
    parser.add_argument("--fast", action="store_true", help="compress lightly; for tests")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    built = pack(options.tree, options.out, light=options.fast)
    print(f"{build.sha256(built)}  {built.name}  {built.stat().st_size / 1e6:.1f} MB")
    return 0


def pack(root: Path, out: Path, *, light: bool) -> Path:
    """Give every file its rights and one time, and run rpmbuild. Raises CalledProcessError."""
    deb.settle(root / "usr")
    facts = {
        "_binary_payload": "w1.gzdio" if light else "w19.zstdio",
        "_buildhost": "reproducible",
        "use_source_date_epoch_as_buildtime": "1",
        "clamp_mtime_to_source_date_epoch": "1",
        "_build_id_links": "none",
    }
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / "spec").write_text(spec(root), "utf-8")
        defined = [w for fact in facts.items() for w in ("--define", " ".join(fact))]
        words = ["rpmbuild", "-bb", "--quiet", "--target", "x86_64", *defined]
        places = ["--define", f"_topdir {work}", "--define", f"_rpmdir {work}"]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(build.moment()), "LC_ALL": "C.UTF-8"}
        subprocess.run([*words, *places, f"{work}/spec"], check=True, env=environment)
        (packed,) = Path(work).rglob("*.rpm")
        return Path(shutil.move(packed, out / f"cudnn-assistant-{__version__}-1.x86_64.rpm"))


def spec(root: Path) -> str:
    """The recipe for rpmbuild; the tree at ``root`` says which files there are."""
    asked = [("Requires", payload.SYSTEM), ("Recommends", payload.RECOMMENDED)]
    lines = [
        f"{kind}: {library}()(64bit)"
        for kind, table in asked
        for libraries in table.values()
        for library in libraries.split()
    ]
    numbers = [one.partition(".")[2] for one in payload.SERIES]
    form = (deb.HERE / "cudnn-assistant.spec").read_text("utf-8")
    return form.format(
        version=__version__,
        maintainer=debian.MAINTAINER,
        day=time.strftime("%a %b %d %Y", time.gmtime(build.moment())),
        news=" ".join(news.of(__version__).split()).replace("%", "%%"),
        next=payload.NEXT_SERIES,
        # openSUSE Leap, then RHEL.
        pythons=" or ".join(
            (*(f"python3{n}" for n in numbers), *(f"python3.{n}" for n in numbers))
        ),
        requires="\n".join(lines),
        tree=shlex.quote(str(root.resolve()).replace("%", "%%")),
        debians=" ".join(_DEBIANS),
        clean=deb.CLEAN,
        compile=deb.COMPILE,
        files="\n".join(_files(root)),
    )


def _files(root: Path) -> list[str]:
    """Our folders whole; in the folders of others, our files alone.

    Where no desktop is, the folders of icons and of its shop are nobody's, and go with us.
    """
    left_out = (deb.HOME, _DOCUMENTS, *_DEBIANS)
    kept, folders = [], []
    for path in sorted((root / "usr").rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith(left_out):
            kept.append(f"/{name}")
        elif path.is_dir() and name.startswith(("usr/share/icons/", "usr/share/metainfo")):
            folders.append(f"%dir /{name}")
    manual = [f"%doc {name}" if "/man/" in name else name for name in kept]
    return ["%defattr(-,root,root)", f"/{deb.HOME}", f"%doc /{_DOCUMENTS}", *folders, *manual]


if __name__ == "__main__":
    sys.exit(main())
