"""NVIDIA's manifests, with their traps, and their way into the sources."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from cudnn_assistant import places
from cudnn_assistant.feed.manifests import NotAManifest, parse
from installer.feed import tables
from installer.feed.__main__ import main
from installer.feed.ingest import ingest
from installer.feed.tables import SourceError

DAY = "2027-01-02"
A, B, C, D = ("a" * 64, "b" * 64, "c" * 64, "d" * 64)


def entry(platform: str, name: str, sha256: str, size: object = "1234") -> dict[str, Any]:
    path = f"cudnn/{platform}/{name}"
    return {"relative_path": path, "sha256": sha256, "md5": "0" * 32, "size": size}


def cudnn(version: str = "9.99.0.7", **more: Any) -> dict[str, Any]:
    """A manifest with all the shapes at once, keys in no order."""
    archive = f"-{version}_cuda"
    return {
        "cudnn": {
            "windows-arm64": {
                "cuda13": entry("windows-arm64", f"cudnn-windows-arm64{archive}13-archive.zip", A),
                **entry("windows-arm64", f"cudnn-windows-arm64{archive}13.4-archive.zip", B),
            },
            "license_path": "cudnn/LICENSE.txt",
            "cuda_variant": ["12", "13"],
            "linux-x86_64": {
                "cuda13": entry("linux-x86_64", f"cudnn-linux-x86_64{archive}13-archive.tar.xz", C),
                "cuda12": entry("linux-x86_64", f"cudnn-linux-x86_64{archive}12-archive.tar.xz", D),
            },
            "name": "NVIDIA CUDA Deep Neural Network library",
            "version": version,
            **more,
        },
        "release_product": "cudnn",
        "cudnn_samples": {"source": {"relative_path": "x"}, "version": "1"},
        "release_date": "2027-01-01",
        "release_label": ".".join(version.split(".")[:3]),
    }


def read(manifest: dict[str, Any]) -> dict[tuple[str, str], Any]:
    component = parse(json.dumps(manifest).encode()).component("cudnn")
    assert component is not None
    return {(one.platform, one.cuda): one for one in component.archives}


def test_two_shapes_in_one_node_lose_no_variant() -> None:
    found = read(cudnn())
    assert {key: one.sha256 for key, one in found.items()} == {
        ("windows-arm64", "13"): A,
        ("windows-arm64", "13.4"): B,
        ("linux-x86_64", "13"): C,
        ("linux-x86_64", "12"): D,
    }


def test_size_as_text_or_number() -> None:
    assert read(cudnn())["linux-x86_64", "12"].size == 1234
    plain = cudnn()
    plain["cudnn"]["linux-x86_64"]["cuda12"]["size"] = 99
    assert read(plain)["linux-x86_64", "12"].size == 99


def test_the_address_is_nvidias() -> None:
    assert read(cudnn())["linux-x86_64", "12"].url == (
        "https://developer.download.nvidia.com/compute/cudnn/redist/cudnn/linux-x86_64/"
        "cudnn-linux-x86_64-9.99.0.7_cuda12-archive.tar.xz"
    )


def test_a_new_platform_is_not_overlooked() -> None:
    strange = cudnn(**{"linux-riscv64": {"cuda13": entry("linux-riscv64", "x", A)}})
    assert parse(json.dumps(strange).encode()).skipped == ("linux-riscv64",)


def test_a_component_without_variants() -> None:
    manifest = {
        "release_date": "2027-01-01", "release_label": "14.0.0", "release_product": "cuda",
        "libcublas": {
            "name": "CUDA cuBLAS", "version": "14.0.0.1",
            "linux-x86_64": entry("linux-x86_64", "libcublas-14.0.0.1-archive.tar.xz", A),
        },
    }  # fmt: skip
    component = parse(json.dumps(manifest).encode()).component("libcublas")
    assert component is not None
    assert [one.cuda for one in component.archives] == [""]


def test_an_old_manifest_has_its_label_in_its_name() -> None:
    old = cudnn()
    del old["release_label"]
    del old["release_product"]
    found = parse(json.dumps(old).encode(), "redistrib_9.99.0.json")
    assert (found.label, found.product) == ("9.99.0", "cudnn")
    with pytest.raises(NotAManifest, match="neither a label"):
        parse(json.dumps(old).encode(), "manifest.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"relative_path": "../../../etc/passwd"}, "form"),
        ({"relative_path": "https://example.com/x"}, "form"),
        ({"relative_path": "/x"}, "form"),
        ({"sha256": "A" * 64}, "form"),
        ({"sha256": "a" * 63}, "form"),
        ({"size": "-1"}, "size"),
        ({"size": "0"}, "size"),
        ({"size": "1e9"}, "ValueError"),
        ({"size": None}, "TypeError"),
    ],
)
def test_what_a_file_may_not_say(change: dict[str, Any], said: str) -> None:
    manifest = cudnn()
    manifest["cudnn"]["linux-x86_64"]["cuda12"].update(change)
    with pytest.raises(NotAManifest, match=said):
        parse(json.dumps(manifest).encode())


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"null", b"{}", b"<html>", b'{"release_label": "1", "release_date": 3}',
     b'{"release_label": "1", "release_label": "2"}'],
)  # fmt: skip
def test_what_is_no_manifest(data: bytes) -> None:
    with pytest.raises(NotAManifest):
        parse(data)


# Into the sources


@pytest.fixture
def resources(tmp_path: Path) -> Path:
    folder = tmp_path / "compat"
    shutil.copytree(places.resource("compat"), folder)
    return folder


def put(folder: Path, manifest: dict[str, Any]) -> Path:
    path = folder / f"redistrib_{manifest['release_label']}.json"
    path.write_text(json.dumps(manifest))
    return path


def test_a_new_release_is_one_command(
    resources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = put(tmp_path, cudnn())
    assert main(["--resources", str(resources), "ingest", str(path), "--day", DAY]) == 0
    said = capsys.readouterr().out
    assert "new: cuDNN 9.99.0 for CUDA 13, limits inferred" in said
    assert "+ cuDNN 9.99.0" in said
    assert main(["--resources", str(resources), "ingest", str(path), "--day", DAY]) == 0
    assert "+" not in capsys.readouterr().out


def test_limits_come_from_the_release_before_and_are_marked(
    resources: Path, tmp_path: Path
) -> None:
    ingest(resources / "sources", [put(tmp_path, cudnn())], DAY)
    rows = tables.read(resources / "sources", "cudnn")
    (row,) = [row for row in rows if (row["version"], row["cuda"]) == ("9.99.0", "13")]
    assert (row["driver_min_linux"], row["compute_min"]) == ("580.65.06", "7.5")
    assert (row["inferred"], row["read"]) == ("compute cuda driver", DAY)
    assert row["full"] == "9.99.0.7"
    assert "redistrib_9.99.0.json" in row["source"]


def test_the_official_hash_replaces_another_and_is_reported(
    resources: Path, tmp_path: Path
) -> None:
    told = ingest(resources / "sources", [put(tmp_path, cudnn("9.10.2.21"))], DAY)
    assert any("replaced by cccc" in line or "replaced by dddd" in line for line in told)
    rows = tables.read(resources / "sources", "cudnn_files")
    found = {
        row["sha256"] for row in rows
        if (row["version"], row["cuda"], row["platform"]) == ("9.10.2", "12", "linux-x86_64")
    }  # fmt: skip
    assert found == {D}


def test_cuda_10_is_10_2(resources: Path, tmp_path: Path) -> None:
    old = cudnn("8.7.9.1")
    old["cudnn"]["linux-x86_64"] = {
        "cuda10": entry("linux-x86_64", "cudnn-8.7.9.1_cuda10-archive.tar.xz", A)
    }
    del old["cudnn"]["windows-arm64"]
    ingest(resources / "sources", [put(tmp_path, old)], DAY)
    rows = tables.read(resources / "sources", "cudnn_files")
    assert [row["cuda"] for row in rows if row["version"] == "8.7.9"] == ["10.2"]


def test_a_cuda_release_brings_its_components(resources: Path, tmp_path: Path) -> None:
    part = {
        "name": "x", "version": "13.9.0.1",
        "linux-x86_64": entry("linux-x86_64", "libcublas-linux-x86_64-13.9.0.1-archive.tar.xz", A),
    }  # fmt: skip
    manifest = {
        "release_date": "2027-01-01", "release_label": "13.9.0", "release_product": "cuda",
        "libcublas": part, "cuda_gdb": part,
        "nvidia_driver": {"name": "driver", "version": "640.10.01"},
    }  # fmt: skip
    told = ingest(resources / "sources", [put(tmp_path, manifest)], DAY)
    assert any("new: CUDA toolkit 13.9.0" in line for line in told)
    rows = tables.read(resources / "sources", "components")
    (row,) = [row for row in rows if row["toolkit"] == "13.9.0"]
    assert (row["component"], row["version"], row["sha256"]) == ("libcublas", "13.9.0.1", A)
    toolkit = next(
        row for row in tables.read(resources / "sources", "toolkits") if row["version"] == "13.9.0"
    )
    assert toolkit["installer_linux"] == "640.10.01"


def test_another_product_is_refused(resources: Path, tmp_path: Path) -> None:
    manifest = cudnn()
    manifest["release_product"] = "nvshmem"
    with pytest.raises(SourceError, match="nvshmem"):
        ingest(resources / "sources", [put(tmp_path, manifest)], DAY)


# The commands that sign


def test_from_keys_to_a_published_feed(
    resources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys, folder = str(tmp_path / "keys"), str(tmp_path / "feed")

    def run(*arguments: str) -> int:
        return main(["--resources", str(resources), *arguments])

    assert run("publish", keys, folder) == 1
    assert run("init", keys, folder, "--url", "http://feed.example") == 1
    assert run("init", keys, folder, "--url", "https://feed.example", "--threshold", "4") == 1
    assert run("init", keys, folder, "--url", "https://feed.example", "--threshold", "2") == 0
    assert run("init", keys, folder, "--url", "https://feed.example") == 1
    assert run("refresh", keys, folder) == 1
    assert run("publish", keys, folder) == 0
    assert run("publish", keys, folder) == 0
    assert "published already" in capsys.readouterr().out
    assert run("refresh", keys, folder) == 0
    assert run("rotate", keys, folder, "timestamp") == 0
    assert run("rotate", keys, folder, "root") == 0
    root = json.loads((tmp_path / "feed/metadata/root.json").read_text())
    assert root["signed"]["version"] == 3
    assert root["signed"]["x-feed-url"] == "https://feed.example"
    assert root["signed"]["roles"]["root"]["threshold"] == 2
    for key in Path(keys).rglob("*.pem"):
        assert key.stat().st_mode & 0o077 == 0


def test_what_is_not_compiled_is_not_published(resources: Path, tmp_path: Path) -> None:
    keys, folder = str(tmp_path / "keys"), str(tmp_path / "feed")
    base = ["--resources", str(resources)]
    assert main([*base, "init", keys, folder, "--url", "https://feed.example"]) == 0
    sources = resources / "sources"
    rows = tables.read(sources, "pci")
    rows[0]["name"] = "Changed"
    tables.write(sources, "pci", rows)
    assert main([*base, "publish", keys, folder]) == 1
