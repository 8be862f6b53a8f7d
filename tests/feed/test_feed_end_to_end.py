"""The whole life of a feed: ceremony, a wheel made with its root, publications, keys, expiry."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from feed_shop import Server, body
from test_direct import ANSWERS, Hosts

from cudnn_assistant import feed, places
from installer import release
from installer.feed.__main__ import main
from installer.feed.signing import Repository
from installer.windows.build import ROOT

DEMANDS = b"""Metadata-Version: 2.4
Name: torch
Version: 2.15.0
Requires-Dist: jinja2
Requires-Dist: cuda-toolkit[cublas,cudart,nvrtc]==13.2.2; platform_system == "Linux"
Requires-Dist: nvidia-cudnn-cu13==9.26.0.51; platform_system == "Linux"
Requires-Dist: nvidia-cudnn-cu12==9.1.0.70; platform_system == "Windows"
Requires-Dist: opt-einsum>=3.3; extra == "opt-einsum"
"""
"""Lines of the real metadata of torch 2.15.0, and one for another system."""


class Publisher:
    """Owners of the project with their keys, and the server of their files."""

    def __init__(self, folder: Path) -> None:
        self.keys, self.folder = folder / "keys", folder / "feed"
        self.resources = folder / "compat"
        shutil.copytree(places.resource("compat"), self.resources)
        self.server = Server(self.folder)
        assert self.run("init", "--url", self.server.url) == 0

    def run(self, command: str, *more: str) -> int:
        base = ["--resources", str(self.resources), command, str(self.keys), str(self.folder)]
        return main([*base, *more])

    def publish(self, day: str) -> int:
        """A changed table, compiled and signed; returns the version."""
        table = self.resources / "sources" / "gpus.csv"
        table.write_text(table.read_text() + f"Test {day},9.0,Hopper,a test,{day}\n")
        assert main(["--resources", str(self.resources), "compile", "--day", day]) == 0
        assert self.run("publish") == 0
        return int(json.loads((self.resources / "compat.json").read_bytes())["version"])


@pytest.fixture
def publisher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publisher:
    monkeypatch.delenv("CUDNN_ASSISTANT_ASK")
    return Publisher(tmp_path / "owners")


class Installed:
    """The program as it comes out of a wheel that was made with a root."""

    def __init__(self, folder: Path, root: Path) -> None:
        tree, out = folder / "tree", folder / "dist"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "cudnn_assistant", "installer", "resources", "*.toml", "*.md",
             "LICENSE"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.split("\0")):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
        (tree / "resources" / "feed").mkdir(exist_ok=True)
        shutil.copy(root, tree / "resources" / "feed" / "root.json")
        build = [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(tree)]
        subprocess.run(build, check=True, capture_output=True)
        self.site, self.home = folder / "site", folder / "home"
        (wheel,) = out.glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(self.site)
        self.home.mkdir()

    def feed(self, *words: str) -> tuple[int, dict[str, object]]:
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        done = subprocess.run(
            [sys.executable, "-P", "-m", "cudnn_assistant", "feed", *words, "--json"],
            env={**kept, "HOME": str(self.home), "PYTHONPATH": str(self.site)},
            cwd=self.home, capture_output=True, text=True,
        )  # fmt: skip
        return done.returncode, json.loads(done.stdout)


@pytest.mark.nightly
def test_a_wheel_with_a_root_follows_its_feed(publisher: Publisher, tmp_path: Path) -> None:
    first = publisher.publish("2027-01-01")
    program = Installed(tmp_path, publisher.folder / "metadata" / "root.json")
    code, said = program.feed("update")
    assert (code, said["kind"], said["version"]) == (0, "online", first)

    second = publisher.publish("2027-01-02")
    assert program.feed("update")[1]["version"] == second

    for role in ("reviewed", "targets", "snapshot", "timestamp", "auto", "root"):
        assert publisher.run("rotate", role) == 0
    third = publisher.publish("2027-01-03")
    code, said = program.feed("update")
    assert (code, said["version"], said.get("trouble", "")) == (0, third, "")

    long_ago = datetime.now(UTC) - timedelta(days=15)
    Repository(publisher.keys, publisher.folder, long_ago).refresh()
    code, said = program.feed("update")
    assert (code, said["version"], said["kind"], said["trouble"]) == (3, third, "saved", "expired")
    assert publisher.run("refresh") == 0
    assert program.feed("update")[0] == 0


def test_two_of_three_root_keys_suffice_and_one_does_not(publisher: Publisher) -> None:
    publisher.publish("2027-01-01")
    places.config().mkdir(parents=True)
    shutil.copy(publisher.folder / "metadata" / "1.root.json", places.config() / "root.json")
    assert feed.current(insist=True)[1].trouble == ""
    (publisher.keys / "offline" / "root-3.pem").unlink()
    assert publisher.run("rotate", "timestamp") == 0
    assert feed.current(insist=True)[1].trouble == ""
    (publisher.keys / "offline" / "root-2.pem").unlink()
    assert publisher.run("rotate", "timestamp") == 0
    assert feed.current(insist=True)[1].trouble == "not-trusted"


def test_the_workflow_needs_no_key_of_a_person(publisher: Publisher, tmp_path: Path) -> None:
    """Gather, publish --auto and refresh work with the online keys alone; inputs are kept."""
    publisher.publish("2027-01-01")
    shutil.rmtree(publisher.keys / "offline")
    shutil.rmtree(publisher.keys / "person")
    hosts = Hosts(tmp_path / "hosts")
    page = "".join(
        f'<a href="/whl/cu132/torch-2.16.0%2Bcu132-{tag}.whl">x</a>'
        for tag in ("cp312-cp312-manylinux_2_28_x86_64", "cp313-cp313-win_amd64")
    )
    hosts.server.answers["whl/cu132/torch/"] = body(page.encode())
    newer = json.loads((ANSWERS / "torch.json").read_text().replace("2.15.0", "2.16.0"))
    for file in newer["files"]:
        file |= {"core-metadata": True, "url": f"../../files/{file['filename']}"}
        if file["filename"].startswith("torch-2.16.0") and file["filename"].endswith("x86_64.whl"):
            hosts.server.answers[f"files/{file['filename']}.metadata"] = body(DEMANDS)
    hosts.server.answers["simple/torch/"] = body(json.dumps(newer).encode())
    base, into = hosts.server.url, tmp_path / "gathered"
    asked = ["--nvidia", base, "--pypi", base, "--pytorch", f"{base}/whl"]
    assert main(["gather", str(into), *asked]) == 0
    assert publisher.run("publish", "--auto", str(into / "auto.json")) == 0
    assert publisher.run("refresh") == 0

    places.config().mkdir(parents=True)
    shutil.copy(publisher.folder / "metadata" / "1.root.json", places.config() / "root.json")
    compat, source = feed.current(insist=True)
    assert source.unreviewed == ("torch 2.16.0", "torch 2.16.0 cu132")
    built = [one for one in compat.frameworks if one.version == "2.16.0"]
    assert {(one.family, one.index, one.python) for one in built} == {
        ("linux", "", ">=3.11,<3.16"),
        ("linux", "cu132", ">=3.12,<3.13"), ("windows", "cu132", ">=3.13,<3.14"),
    }  # fmt: skip
    (plain,) = (one for one in built if not one.index)
    assert (plain.cuda, plain.cudnn, plain.cudnn_spec) == ("13.2", "9.26.0.51", "==9.26.0.51")
    assert (plain.found, plain.sure) == ("wheel", False)
    sums = (into / "inputs" / "SHA256SUMS").read_text().splitlines()
    assert len(sums) == 1 + 10 + 1 + 1
    assert all((into / "inputs" / line.split("  ")[1]).exists() for line in sums)


def test_a_release_without_a_root_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(release.build, "ROOT", tmp_path)
    assert "This build has no online feed" in release.feed_note()
    root = tmp_path / "resources" / "feed" / "root.json"
    root.parent.mkdir(parents=True)
    root.write_text('{"signed": {"x-feed-url": "https://feed.example"}}')
    assert release.feed_note() == "Compatibility feed: https://feed.example"


def test_gathering_from_an_address_that_is_down(tmp_path: Path) -> None:
    hosts = Hosts(tmp_path / "hosts")
    hosts.server.close()
    assert main(["gather", str(tmp_path / "into"), "--nvidia", hosts.server.url]) == 1
