"""Turns the rows of the source tables into the typed data that the program reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, get_origin

import msgspec

from cudnn_assistant.compat import SCHEMA, Compat, facts, plain_name
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
        "architectures": [
            _row(row, facts.Architecture, name=row["architecture"])
            for row in tables["architectures"]
        ],
        "branches": [_row(row, facts.DriverBranch) for row in tables["branches"]],
        "floors": [_row(row, facts.DriverFloor) for row in tables["floors"]],
        "toolkits": _toolkits(tables),
        "cudnns": _cudnns(tables),
        "parts": [_parts(row) for row in tables["cudnn_parts"]],
        "frameworks": [_row(row, facts.FrameworkRelease) for row in tables["frameworks"]],
        "wheels": [_row(row, facts.Wheel) for row in tables["wheels"]],
        "known_bad": [_row(row, facts.KnownBad) for row in tables["known_bad"]],
        "gpus": _gpus(tables["gpus"]),
        "program": max((row["version"] for row in tables["program"]), key=numbers, default=""),
        "pci": {row["device"]: f"{row['compute']} {_name(row['name'])}" for row in tables["pci"]},
    }
    try:
        msgspec.convert(plain, strict(Compat))
    except msgspec.ValidationError as trouble:
        raise SourceError(str(trouble)) from trouble
    return msgspec.convert(plain, Compat)


def _row(row: Row, kind: type[msgspec.Struct], **more: Any) -> dict[str, Any]:
    """The cells in columns that are named as the fields of a type; an empty one is unknown."""
    known = (field for field in msgspec.structs.fields(kind) if row.get(field.name))
    return {field.name: _cell(row[field.name], field) for field in known} | more


def _cell(text: str, field: msgspec.structs.FieldInfo) -> Any:
    if field.type is bool:
        if text != ("no" if field.default else "yes"):
            raise SourceError(f"{field.name} can't be {text!r}")
        return text == "yes"
    if field.type is int:
        return int(text)
    return text.split() if get_origin(field.type) is tuple else text


def _file(row: Row) -> dict[str, Any]:
    if bool(row["sha256"]) == bool(row["unproven"]):
        raise SourceError(f"{row['url']}: a hash, or the mark that there is none")
    return _row(row, facts.File)


def _toolkits(tables: _Tables) -> list[dict[str, Any]]:
    files = _by(tables["installers"], "version")
    components, pins = _by(tables["components"], "toolkit"), _by(tables["pins"], "toolkit")
    made = [
        _row(
            row, facts.ToolkitRelease,
            files=[_file(one) for one in files.pop(row["version"], [])],
            components=_components(components.pop(row["version"], [])),
            requirements=[one["package"] + one["pin"] for one in pins.pop(row["version"], [])],
        )
        for row in tables["toolkits"]
    ]  # fmt: skip
    for name, left in (("installers", files), ("components", components), ("pins", pins)):
        if left:
            raise SourceError(f"{name}.csv names toolkits that aren't listed: {sorted(left)}")
    return made


def _by(rows: list[Row], column: str) -> dict[str, list[Row]]:
    """The rows by what stands in a column, in their order."""
    made: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        made[row[column]].append(row)
    return made


def _components(rows: list[Row]) -> list[dict[str, Any]]:
    """The components of one toolkit."""
    return [
        {"name": name, "version": files[0]["version"], "files": [_file(one) for one in files]}
        for name, files in _by(rows, "component").items()
    ]


def _cudnns(tables: _Tables) -> list[dict[str, Any]]:
    files: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in tables["cudnn_files"]:
        files[row["version"], row["cuda"]].append(_file(row))
    releases: dict[str, dict[str, Any]] = {}
    for row in tables["cudnn"]:
        release = releases.setdefault(row["version"], _row(row, facts.CudnnRelease, builds=[]))
        if row["cuda"]:
            its = files.pop((row["version"], row["cuda"]), [])
            release["builds"].append(_row(row, facts.CudnnBuild, files=its))
    if files:
        raise SourceError(f"cudnn_files.csv names builds that aren't listed: {sorted(files)}")
    return list(releases.values())


def _parts(row: Row) -> dict[str, Any]:
    extra = [part.partition(":") for part in row["extra"].split()]
    names, since = [name for name, _, _ in extra], [first for _, _, first in extra]
    return _row(row, facts.CudnnParts, extra=names, since=since)


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
