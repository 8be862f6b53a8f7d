"""Reads NVIDIA's ``redistrib_*.json``, whose shape has more cases than its look suggests.

* Component keys stand beside ``release_*`` texts, platform keys beside ``name``, ``version`` …
* A CUDA component has its file directly under the platform, cuDNN one for each ``cudaNN``; one
  platform may have both, and then the file's own name tells the variant of the direct one.
* ``size`` is text. ``cuda_variant`` speaks of the product, not of each platform.
* The label is not the component's version: 9.27.0 and 9.27.0.42. Before CUDA 12.2 there is
  neither label nor product, only the file's name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast, get_args

import msgspec

from cudnn_assistant.compat.facts import Platform

SERVER = "https://developer.download.nvidia.com"
PLATFORMS: tuple[str, ...] = get_args(Platform)
_NOT_OURS = ("linux-ppc64le", "source", "macos-x86_64", "linux-all", "linux-aarch64-devkit")
_VARIANT = re.compile(r"_cuda([0-9]+(?:\.[0-9]+)?)-archive\.")
_NAMED = re.compile(r"redistrib_([0-9]+(?:\.[0-9]+){1,3})\.json\Z")
_SAFE_PATH = re.compile(r"\A(?!.*(?:\.\.|//))[A-Za-z0-9_][\w./+-]*\Z")
_SHA256 = re.compile(r"\A[0-9a-f]{64}\Z")


class NotAManifest(ValueError):
    """Something else than a manifest; the text says what was expected."""


class Archive(msgspec.Struct, frozen=True):
    """One file of a component."""

    platform: Platform
    cuda: str
    """ "12", "13.4"; "" for components that have no variants."""
    url: str
    sha256: str
    size: int


class Component(msgspec.Struct, frozen=True):
    """One product part with its own version."""

    name: str
    version: str
    archives: tuple[Archive, ...]


class Manifest(msgspec.Struct, frozen=True):
    """One release of a product."""

    product: str
    label: str
    released: str
    components: tuple[Component, ...]
    skipped: tuple[str, ...]
    """Platforms that this program doesn't know, so that a new one isn't overlooked."""

    def component(self, name: str) -> Component | None:
        """A component by its name."""
        return next((one for one in self.components if one.name == name), None)


def parse(data: bytes, name: str = "manifest") -> Manifest:
    """A manifest from its JSON. Raises :class:`NotAManifest` for what isn't one."""
    try:
        plain = json.loads(data, object_pairs_hook=_no_twins)
        named = _NAMED.search(name)
        label = str(plain.get("release_label") or (named[1] if named else ""))
        product = str(plain.get("release_product") or ("cudnn" if "cudnn" in plain else "cuda"))
        if not label:
            raise ValueError("neither a label inside nor one in the file's name")
        released = str(plain["release_date"])
        skipped: set[str] = set()
        components = tuple(
            Component(key, str(node["version"]), tuple(_archives(product, node, skipped)))
            for key, node in plain.items()
            if isinstance(node, dict) and "version" in node
        )
        if not components:
            raise ValueError("it has no component")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as trouble:
        raise NotAManifest(f"{name}: {type(trouble).__name__}: {trouble}") from trouble
    return Manifest(product, label, released, components, tuple(sorted(skipped)))


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key given twice would hide one of its values."""
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return dict(pairs)


def _archives(product: str, node: Mapping[str, Any], skipped: set[str]) -> Iterator[Archive]:
    for platform, inner in node.items():
        if not isinstance(inner, dict):
            continue
        if platform not in PLATFORMS:
            skipped.update({platform} - set(_NOT_OURS))
            continue
        if "relative_path" in inner:
            yield _archive(product, platform, "", inner)
        for variant, file in inner.items():
            if isinstance(file, dict) and variant.startswith("cuda"):
                yield _archive(product, platform, variant.removeprefix("cuda"), file)


def _archive(product: str, platform: str, variant: str, file: Mapping[str, Any]) -> Archive:
    path, sha256 = str(file["relative_path"]), str(file["sha256"])
    named = _VARIANT.search(path)
    if not _SAFE_PATH.match(path) or not _SHA256.match(sha256):
        raise ValueError(f"{platform}: path or hash has a form that isn't expected")
    size = int(file["size"])
    if size <= 0:
        raise ValueError(f"{platform}: size {size}")
    cuda = variant or (named[1] if named else "")
    return Archive(
        cast(Platform, platform), cuda, f"{SERVER}/compute/{product}/redist/{path}", sha256, size
    )
