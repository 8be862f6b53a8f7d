"""Turns the rows of the source tables into the typed data that the program reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import msgspec

from cudnn_assistant.compat.facts import SCHEMA, Compat
from cudnn_assistant.compat.lookup import plain_name
from cudnn_assistant.compat.strict import strict
from cudnn_assistant.versions import numbers
from installer.feed.tables import Row, SourceError

_Tables = Mapping[str, list[Row]]


def build(tables: _Tables, version: int, published: str) -> Compat:
    """The data of all tables. Raises :class:`SourceError` where a value isn't allowed."""
    plain = {
        "schema": SCHEMA,
        "version": version,
        "published": published,
        "architectures": [_architecture(row) for row in tables["architectures"]],
        "branches": [
            _some(row, "cuda", "linux", "windows") | {"branch": int(row["branch"])}
            for row in tables["branches"]
        ],
        "floors": [_floor(row) for row in tables["floors"]],
        "toolkits": _toolkits(tables),
        "cudnns": _cudnns(tables),
        "parts": [_parts(row) for row in tables["cudnn_parts"]],
        "frameworks": [_framework(row) for row in tables["frameworks"]],
        "wheels": [
            {**_some(row, "package", "version"), "platforms": row["platforms"].split()}
            for row in tables["wheels"]
        ],
        "known_bad": [
            _some(row, "kind", "product", "version", "platform", "sha256", "why")
            for row in tables["known_bad"]
        ],
        "gpus": _gpus(tables["gpus"]),
        "program": max((row["version"] for row in tables["program"]), key=numbers, default=""),
        "pci": {row["device"]: f"{row['compute']} {_name(row['name'])}" for row in tables["pci"]},
    }
    try:
        msgspec.convert(plain, strict(Compat))
    except msgspec.ValidationError as trouble:
        raise SourceError(str(trouble)) from trouble
    return msgspec.convert(plain, Compat)


def _some(row: Row, *names: str) -> dict[str, Any]:
    return {name: row[name] for name in names if row[name]}


def _yes(row: Row, name: str) -> bool:
    if row[name] not in ("", "yes"):
        raise SourceError(f"{name} must be yes or empty, not {row[name]!r}")
    return row[name] == "yes"


def _architecture(row: Row) -> dict[str, Any]:
    wanted = (
        "first_cuda",
        "last_cuda",
        "first_driver",
        "last_driver",
        "first_cudnn",
        "last_cudnn",
        "kernel_module",
    )
    return {
        "compute": row["compute"],
        "name": row["architecture"],
        "board": _yes(row, "board"),
        **_some(row, *wanted),
    }


def _floor(row: Row) -> dict[str, Any]:
    wanted = ("cuda", "linux", "windows", "linux_safe", "windows_safe")
    return {**_some(row, *wanted), "disputed": _yes(row, "disputed")}


def _file(row: Row) -> dict[str, Any]:
    if bool(row["sha256"]) == _yes(row, "unproven"):
        raise SourceError(f"{row['url']}: a hash, or the mark that there is none")
    return {**_some(row, "platform", "url", "sha256"), "size": int(row["size"] or 0)}


def _toolkits(tables: _Tables) -> list[dict[str, Any]]:
    files: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in tables["installers"]:
        files[row["version"]].append(_file(row))
    components = _components(tables["components"])
    pins: dict[str, list[str]] = defaultdict(list)
    for row in tables["pins"]:
        pins[row["toolkit"]].append(row["package"] + row["pin"])
    made = [
        {
            **_some(row, "version", "released"),
            "disputed": _yes(row, "disputed"),
            "files": files.pop(row["version"], []),
            "components": components.pop(row["version"], []),
            "requirements": pins.pop(row["version"], []),
        }
        for row in tables["toolkits"]
    ]
    for name, left in (
        ("installers", files),
        ("components", components),
        ("pins", pins),
    ):
        if left:
            raise SourceError(f"{name}.csv names toolkits that aren't listed: {sorted(left)}")
    return made


def _components(rows: list[Row]) -> dict[str, list[dict[str, Any]]]:
    """The components of each toolkit."""
    made: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for row in rows:
        one = made[row["toolkit"]].setdefault(
            row["component"], {"name": row["component"], "version": row["version"], "files": []}
        )
        one["files"].append(_file(row))
    return {toolkit: list(parts.values()) for toolkit, parts in made.items()}


def _cudnns(tables: _Tables) -> list[dict[str, Any]]:
    files: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in tables["cudnn_files"]:
        files[row["version"], row["cuda"]].append(_file(row))
    releases: dict[str, dict[str, Any]] = {}
    for row in tables["cudnn"]:
        release = releases.setdefault(
            row["version"], {**_some(row, "version", "full", "released"), "builds": []}
        )
        if row["cuda"]:
            release["builds"].append(_build(row, files.pop((row["version"], row["cuda"]), [])))
    if files:
        raise SourceError(f"cudnn_files.csv names builds that aren't listed: {sorted(files)}")
    return list(releases.values())


def _build(row: Row, files: list[dict[str, Any]]) -> dict[str, Any]:
    same = (
        "version", "full", "cuda", "cuda_max", "compute_min", "compute_max", "late_compute",
        "late_linux", "late_windows",
    )  # fmt: skip
    drivers = {"driver_min_linux": row["driver_linux"], "driver_min_windows": row["driver_windows"]}
    return {
        **_some(row, *same),
        **{name: value for name, value in drivers.items() if value},
        "needs_zlibwapi": _yes(row, "zlibwapi"),
        "inferred": row["inferred"].split(),
        "files": files,
    }


def _parts(row: Row) -> dict[str, Any]:
    same = ("windows", "linux", "needed", "jit", "checks", "cublas")
    extra = [part.partition(":") for part in row["extra"].split()]
    return {
        **_some(row, "first", "last"),
        **{name: row[name].split() for name in same},
        "extra": [name for name, _, _ in extra],
        "since": [first for _, _, first in extra],
    }


def _framework(row: Row) -> dict[str, Any]:
    same = (
        "name", "version", "family", "python", "cuda", "cudnn", "cudnn_spec", "found",
        "requirement", "index", "compute_min",
    )  # fmt: skip
    return {
        **_some(row, *same),
        "gpu": row["gpu"] != "no",
        "compute": row["compute"].split(),
        "arm": row["arm"].split(),
        "sure": row["sure"] != "no",
    }


def _name(text: str) -> str:
    """A product's name in the characters that names may have."""
    return text.replace("[", "(").replace("]", ")").replace(" / ", "/")


def _gpus(rows: list[Row]) -> dict[str, str]:
    """Name → capability; a name that was sold with several has none."""
    named: dict[str, str] = {}
    for row in rows:
        name = plain_name(_name(row["product"]))
        named[name] = row["compute"] if named.get(name, row["compute"]) == row["compute"] else ""
    return named
