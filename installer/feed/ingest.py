"""Puts NVIDIA's manifests into the source tables: a new release is one command and a review."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from cudnn_assistant.compat.lookup import order
from cudnn_assistant.feed.manifests import Archive, Manifest, parse
from installer.feed import tables
from installer.feed.tables import Row, SourceError

COMPONENTS = ("libcublas", "cuda_nvrtc", "cuda_cudart")
"""What cuDNN loads of a toolkit."""

# cuDNN 8.5 to 8.7 say "10" for their build for CUDA 10.2.
_SPELLED = {"10": "10.2"}


def ingest(folder: Path, files: list[Path], day: str) -> tuple[str, ...]:
    """Read manifests into ``folder``'s tables; says what was noticed, a line each.

    The official hash replaces one of another list. A new cuDNN release takes its limits from
    the release before it, marked as inferred, until a support matrix is read. Raises
    :class:`SourceError`, and :class:`NotAManifest` for another file.
    """
    loaded = tables.read_all(folder)
    told: list[str] = []
    for file in sorted(files, key=lambda path: order(path.stem.removeprefix("redistrib_"))):
        manifest = parse(file.read_bytes(), file.name)
        take = _PRODUCTS.get(manifest.product)
        if take is None:
            raise SourceError(f"{file.name}: product {manifest.product!r} isn't known")
        told += [f"{file.name}: platform {one} is not known here" for one in manifest.skipped]
        told += [f"{file.name}: {line}" for line in take(loaded, manifest, day)]
    for name in ("cudnn", "cudnn_files", "toolkits", "components"):
        tables.write(folder, name, loaded[name])
    return tuple(told)


def _from_manifest(manifest: Manifest, day: str) -> Row:
    name = f"{manifest.product}/redist/redistrib_{manifest.label}.json"
    return {"source": f"developer.download.nvidia.com compute/{name}", "read": day}


def _cudnn(loaded: dict[str, list[Row]], manifest: Manifest, day: str) -> Iterator[str]:
    component = manifest.component("cudnn")
    if component is None:
        raise SourceError(f"cuDNN manifest {manifest.label} has no component cudnn")
    version = ".".join(component.version.split(".")[:3])
    source = _from_manifest(manifest, day)
    for archive in component.archives:
        cuda = _SPELLED.get(archive.cuda, archive.cuda)
        keys = {"version": version, "cuda": cuda, "platform": archive.platform}
        yield from _put_file(loaded["cudnn_files"], keys, archive, source)
    for cuda in sorted({_SPELLED.get(one.cuda, one.cuda) for one in component.archives}, key=order):
        if not _find(loaded["cudnn"], {"version": version, "cuda": cuda}):
            row = _like_before(loaded["cudnn"], version, cuda)
            row |= {"version": version, "full": component.version, "cuda": cuda, **source}
            loaded["cudnn"].append(row | {"released": manifest.released})
            yield f"new: cuDNN {version} for CUDA {cuda}, limits inferred"
    loaded["cudnn"].sort(key=lambda row: (order(row["version"]), order(row["cuda"])))
    loaded["cudnn_files"].sort(
        key=lambda row: (order(row["version"]), order(row["cuda"]), row["platform"])
    )


def _like_before(rows: list[Row], version: str, cuda: str) -> Row:
    """The limits of the nearest earlier release for this CUDA, marked as inferred."""
    major = cuda.split(".", maxsplit=1)[0]
    before = [
        row for row in rows
        if row["cuda"] in (cuda, major) and order(row["version"]) < order(version)
    ]  # fmt: skip
    if not before:
        return dict.fromkeys(rows[0], "")
    nearest = max(before, key=lambda row: order(row["version"]))
    return dict(nearest) | {"inferred": "compute cuda driver"}


def _put_file(
    rows: list[Row], keys: Row, archive: Archive, source: Row, **more: str
) -> Iterator[str]:
    new = {
        **keys, **more, "url": archive.url, "sha256": archive.sha256, "size": str(archive.size),
        "unproven": "",
    }  # fmt: skip
    found = _find(rows, keys)
    if found is None:
        rows.append({**new, **source})
        return
    if found["sha256"] and found["sha256"] != archive.sha256:
        yield f"{archive.url}: hash {found['sha256'][:12]}… replaced by {archive.sha256[:12]}…"
    if any(found[name] != value for name, value in new.items()):
        found.update({**new, **source})


def _find(rows: list[Row], keys: Row) -> Row | None:
    return next(
        (row for row in rows if all(row[name] == value for name, value in keys.items())), None
    )


def _cuda(loaded: dict[str, list[Row]], manifest: Manifest, day: str) -> Iterator[str]:
    source = _from_manifest(manifest, day)
    if not _find(loaded["toolkits"], {"version": manifest.label}):
        driver = manifest.component("nvidia_driver")
        row = dict.fromkeys(loaded["toolkits"][0], "") | source
        row |= {"version": manifest.label, "released": manifest.released}
        loaded["toolkits"].append(row | {"installer_linux": driver.version if driver else ""})
        yield f"new: CUDA toolkit {manifest.label}; its driver minimum is still to be read"
    for name in COMPONENTS:
        component = manifest.component(name)
        for archive in component.archives if component else ():
            keys = {"toolkit": manifest.label, "component": name, "platform": archive.platform}
            assert component is not None
            version = component.version
            yield from _put_file(loaded["components"], keys, archive, source, version=version)
    loaded["toolkits"].sort(key=lambda row: order(row["version"]))
    loaded["components"].sort(
        key=lambda row: (order(row["toolkit"]), row["component"], row["platform"])
    )


_Take = Callable[[dict[str, list[Row]], Manifest, str], Iterator[str]]
_PRODUCTS: dict[str, _Take] = {"cudnn": _cudnn, "cuda": _cuda}
