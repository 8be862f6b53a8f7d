"""The shape of the data: what it may say, what it may never say, and its published schema."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cudnn_assistant import places
from cudnn_assistant.compat import decode
from cudnn_assistant.compat.facts import SCHEMA, File, FrameworkRelease
from cudnn_assistant.compat.strict import decode_strictly, strict
from cudnn_assistant.feed import load_builtin

BUILTIN = places.resource("compat/compat.json").read_bytes()
PLACE = "https://developer.download.nvidia.com/compute/x.zip"


def test_the_built_in_copy_keeps_the_strict_rules() -> None:
    assert decode_strictly(BUILTIN) == load_builtin()
    assert load_builtin().schema == SCHEMA


def test_the_built_in_copy_is_small() -> None:
    import gzip

    assert len(gzip.compress(BUILTIN)) < 1_000_000


def test_it_survives_a_round_trip() -> None:
    assert decode(msgspec.json.encode(load_builtin())) == load_builtin()


@pytest.mark.parametrize(
    "url",
    [
        "http://developer.download.nvidia.com/compute/x.zip",
        "https://developer.download.nvidia.com.example.com/x.zip",
        "https://developer.download.nvidia.com@example.com/x.zip",
        "https://example.com/developer.download.nvidia.com/x.zip",
        "https://developer.download.nvidia.com/x.zip?redirect=//example.com",
        "https://developer.download.nvidia.com/x.zip\nhttps://example.com",
        "https://developer.nvidia.com/secure/x.zip",
        "file:///etc/passwd",
        "",
    ],
)
def test_no_host_but_nvidias_own(url: str) -> None:
    kind = strict(File)
    msgspec.convert({"platform": "linux-x86_64", "url": PLACE}, kind)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"platform": "linux-x86_64", "url": url}, kind)


@pytest.mark.parametrize(
    "requirement",
    [
        "torch; rm -rf /",
        "--index-url=https://example.com torch",
        "torch @ https://example.com/torch.whl",
        "-r requirements.txt",
        "torch==2.0 --pre",
        "torch\n--pre",
        "../torch",
    ],
)
def test_a_requirement_is_a_name_and_a_version(requirement: str) -> None:
    row = {"name": "torch", "version": "2.0", "family": "linux"}
    msgspec.convert(
        row | {"requirement": "onnxruntime-gpu[cuda,cudnn]==1.2.3"}, strict(FrameworkRelease)
    )
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(row | {"requirement": requirement}, strict(FrameworkRelease))


@given(st.text(alphabet=st.characters(exclude_categories=("L", "N")), min_size=1, max_size=5))
def test_versions_and_hashes_have_no_other_characters(text: str) -> None:
    kind = strict(File)
    for field in ("sha256", "url"):
        row = {"platform": "linux-x86_64", "url": PLACE, "sha256": "0" * 64}
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(row | {field: str(row[field]) + text + "\n"}, kind)


def test_data_of_a_later_program_is_read_past_what_it_adds() -> None:
    plain = json.loads(BUILTIN)
    plain["moons"] = 2
    plain["cudnns"][0]["weight"] = 3
    assert decode_strictly(json.dumps(plain).encode()) == load_builtin()


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"null", b'{"version": "x"}', b"\xff"])
def test_what_is_no_data_is_refused(data: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode(data)


def test_no_local_path_or_person_stands_in_the_sources() -> None:
    folder = Path(str(places.resource("compat/sources")))
    for table in folder.glob("*.csv"):
        text = table.read_text("utf-8")
        assert "/home/" not in text
        assert "\r" not in text
