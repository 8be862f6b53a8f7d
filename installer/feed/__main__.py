"""Command line of the feed: compile, ingest, init, publish, refresh.

python -m installer.feed verify             every row against the evidence that is kept
python -m installer.feed compile            sources → compat.json, checked, with its difference
python -m installer.feed ingest FILE…       NVIDIA's redistrib_*.json → source tables, then compile
python -m installer.feed gather INTO        what NVIDIA, PyPI and PyTorch say is newer, for auto
python -m installer.feed init KEYS DIR      make keys, the root (2 of 3) and two delegations
python -m installer.feed publish KEYS DIR   sign the compiled data (or --auto FILE) as static files
python -m installer.feed refresh KEYS DIR   renew the timestamp, a few times a month
python -m installer.feed rotate KEYS DIR ROLE   new keys for a role, or a renewed root
"""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from tuf.api.exceptions import DownloadError, RepositoryError

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.feed.additions import read as read_additions
from cudnn_assistant.feed.manifests import NotAManifest
from cudnn_assistant.feed.saved import ADDED
from installer.feed import compiling, gathering, signing, verify
from installer.feed.ingest import ingest
from installer.feed.keys import PLACES, FeedError
from installer.feed.tables import SourceError

RESOURCES = Path(__file__).resolve().parents[2] / "resources" / "compat"


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _compile(options: argparse.Namespace) -> int:
    made = compiling.compile_feed(options.resources, options.day)
    for line in made.difference:
        print(line)
    for breach in made.breaches:
        print(f"not allowed: {breach}", file=sys.stderr)
    if made.breaches:
        return 1
    if options.check:
        print("up to date" if not made.stale else "compat.json is older than its sources")
        return int(made.stale)
    (options.resources / "compat.json").write_bytes(compiling.encode(made.compat))
    print(f"version {made.compat.version} of {made.compat.published}")
    return 0


def _verify(options: argparse.Namespace) -> int:
    found = verify.findings(options.resources / "sources")
    for line in found:
        print(line, file=sys.stderr)
    print(f"{len(found)} rows don't agree with their evidence" if found else "all rows agree")
    return int(bool(found))


def _ingest(options: argparse.Namespace) -> int:
    for line in ingest(options.resources / "sources", options.manifests, options.day):
        print(line)
    return _compile(options)


def _init(options: argparse.Namespace) -> int:
    repository = signing.Repository(options.keys, options.folder)
    root = repository.init(options.url, options.root_keys, options.threshold)
    print(f"built into the program as resources/feed/root.json: {root}")
    print(f"now take {options.keys / 'offline'} to a place without network")
    return 0


def _gather(options: argparse.Namespace) -> int:
    addresses = gathering.Addresses(options.nvidia, options.pypi, options.pytorch)
    made, lines = gathering.gather(options.into, addresses, load_builtin(), datetime.now(UTC))
    for line in lines:
        print(line)
    print(f"{len(lines)} new: {made}")
    return 0


def _publish(options: argparse.Namespace) -> int:
    repository = signing.Repository(options.keys, options.folder)
    if options.auto:
        read_additions(options.auto.read_bytes())
        done = repository.publish(options.auto, ADDED)
        print("announcements are published" if done else "published already")
        return 0
    made = compiling.compile_feed(options.resources, _today())
    if made.stale or made.breaches:
        print("compat.json isn't what the sources say: compile first", file=sys.stderr)
        return 1
    done = repository.publish(options.resources / "compat.json")
    print(f"version {made.compat.version} is published" if done else "published already")
    return 0


def _refresh(options: argparse.Namespace) -> int:
    signing.Repository(options.keys, options.folder).refresh()
    return 0


def _rotate(options: argparse.Namespace) -> int:
    print(signing.Repository(options.keys, options.folder).rotate(options.role))
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m installer.feed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--resources", type=Path, default=RESOURCES, help="folder of compat.json")
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("compile", help="sources → compat.json")
    one.add_argument("--day", default=_today(), help="day of publication, YYYY-MM-DD")
    one.add_argument("--check", action="store_true", help="write nothing, only say")
    one.set_defaults(run=_compile)
    commands.add_parser("verify", help="rows against their evidence").set_defaults(run=_verify)
    one = commands.add_parser("ingest", help="NVIDIA's manifests → sources → compat.json")
    one.add_argument("manifests", nargs="+", type=Path, metavar="FILE")
    one.add_argument("--day", default=_today(), help="day they were read, YYYY-MM-DD")
    one.set_defaults(run=_ingest, check=False)
    one = commands.add_parser("gather", help="newer releases → auto.json and its inputs")
    one.add_argument("into", type=Path, help="folder for auto.json and inputs/")
    for name in ("nvidia", "pypi", "pytorch"):
        one.add_argument(f"--{name}", default="", metavar="ADDRESS")
    one.set_defaults(run=_gather)
    for name, run in (
        ("init", _init), ("publish", _publish), ("refresh", _refresh), ("rotate", _rotate),
    ):  # fmt: skip
        one = commands.add_parser(name)
        one.add_argument("keys", type=Path, help="folder of the keys, offline/ and online/")
        one.add_argument("folder", type=Path, help="folder of the repository")
        one.set_defaults(run=run)
        if name == "init":
            one.add_argument("--url", required=True, help="where the repository will be served")
            one.add_argument("--root-keys", type=int, default=3)
            one.add_argument("--threshold", type=int, default=2)
        if name == "publish":
            one.add_argument("--auto", type=Path, metavar="FILE", help="announcements instead")
        if name == "rotate":
            one.add_argument("role", choices=tuple(PLACES))
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 when all is well, 1 when the sources aren't."""
    options = _arguments().parse_args(arguments)
    try:
        return int(options.run(options))
    except (SourceError, NotAManifest) as trouble:
        print(f"sources: {trouble}", file=sys.stderr)
    except FeedError as trouble:
        print(f"feed: {trouble}", file=sys.stderr)
    except (DownloadError, RepositoryError, msgspec.MsgspecError) as trouble:
        print(f"gathered: {trouble}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
