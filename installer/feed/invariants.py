"""What must hold for the data beyond its types; each rule yields a sentence per breach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import groupby, pairwise, product

from cudnn_assistant.compat import ONGOING, Compat, File, at_least, cudnn_builds, in_series, order
from installer.feed.difference import KEYS

Rule = Callable[[Compat], Iterator[str]]


def breaches(compat: Compat) -> tuple[str, ...]:
    """Every breach of every rule; empty when the data may be published."""
    return tuple(breach for rule in RULES for breach in rule(compat))


def _twice(what: str, keys: Iterable[Hashable]) -> Iterator[str]:
    for key, count in Counter(keys).items():
        if count > 1:
            yield f"{what} {key} is listed {count} times"


def _listed_once(compat: Compat) -> Iterator[str]:
    for table, key in KEYS.items():
        yield from _twice(f"{table}:", (key(one) for one in getattr(compat, table, ())))
    yield from _twice("build", ((one.version, one.cuda) for one in cudnn_builds(compat)))


def _rising(what: str, values: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Each known value is at least the one before it."""
    known = [(name, value) for name, value in values if value]
    for (before, low), (after, high) in pairwise(known):
        if not at_least(high, low):
            yield f"{what} falls from {low} ({before}) to {high} ({after})"


def _drivers_rise(compat: Compat) -> Iterator[str]:
    branches = sorted(compat.branches, key=lambda one: one.branch)
    for field in ("cuda", "linux", "windows"):
        values = [(str(one.branch), getattr(one, field)) for one in branches]
        yield from _rising(f"{field} of the driver branches", values)
    floors = sorted(compat.floors, key=lambda one: order(one.cuda))
    for field in ("linux", "windows"):
        values = [(one.cuda, getattr(one, field)) for one in floors]
        yield from _rising(f"{field} floor", values)
    for one in compat.floors:
        for value, safe in ((one.linux, one.linux_safe), (one.windows, one.windows_safe)):
            if safe and not at_least(safe, value):
                yield f"floor {one.cuda}: the safe value {safe} is below {value}"


def _architectures_hold(compat: Compat) -> Iterator[str]:
    branches = {str(one.branch) for one in compat.branches}
    cudnns = {one.version for one in compat.cudnns}
    for one in compat.architectures:
        if one.last_cuda not in ("", ONGOING) and at_least(one.last_cuda, one.first_cuda) is False:
            yield f"{one.compute}: last CUDA {one.last_cuda} is before the first {one.first_cuda}"
        for branch in (one.first_driver, one.last_driver):
            if branch not in ("", ONGOING) and branch not in branches:
                yield f"{one.compute}: driver branch {branch} isn't listed"
        for release in (one.first_cudnn, one.last_cudnn):
            if release not in ("", ONGOING) and not any(in_series(v, release) for v in cudnns):
                yield f"{one.compute}: cuDNN {release} isn't listed"


def _cudnn_limits_rise(compat: Compat) -> Iterator[str]:
    """A newer release for one CUDA never accepts an older driver or GPU than its predecessor."""
    by_cuda = sorted(cudnn_builds(compat), key=lambda one: (one.cuda, order(one.version)))
    for cuda, builds in groupby(by_cuda, key=lambda one: one.cuda):
        series = list(builds)
        for field in ("compute_min", "driver_min_linux", "driver_min_windows"):
            values = [(one.version, getattr(one, field)) for one in series]
            yield from _rising(f"{field} of cuDNN for CUDA {cuda}", values)


def _builds_hold(compat: Compat) -> Iterator[str]:
    for one in cudnn_builds(compat):
        name = f"cuDNN {one.version} for CUDA {one.cuda}"
        if one.full and not in_series(one.full, one.version):
            yield f"{name}: {one.full} is another release"
        if at_least(one.compute_max, one.compute_min) is False:
            yield f"{name}: capability {one.compute_max} is below {one.compute_min}"
        if bool(one.late_compute) != bool(one.late_linux and one.late_windows):
            yield f"{name}: minimums for late GPUs are incomplete"
        yield from _twice(f"{name}: platform", (file.platform for file in one.files))
        for file in one.files:
            if one.version not in file.url:
                yield f"{name}: {file.url} doesn't name the version"


def files(compat: Compat) -> Iterator[File]:
    """Every file of every release."""
    for build in cudnn_builds(compat):
        yield from build.files
    for toolkit in compat.toolkits:
        yield from toolkit.files
        for component in toolkit.components:
            yield from component.files


def _files_hold(compat: Compat) -> Iterator[str]:
    bad = [one for one in compat.known_bad if one.kind == "hash"]
    everything = list(files(compat))
    # Several toolkits may share one component archive; one address never has two hashes.
    distinct = {(file.url, file.sha256) for file in everything}
    yield from _twice("file", (url for url, _ in distinct))
    yield from _twice("hash", (sha256 for _, sha256 in distinct if sha256))
    # A wrong hash is often the right one of another file: release and platform count as well.
    for file, one in product(everything, bad):
        same_file = one.version in file.url and one.platform in ("", file.platform)
        if same_file and one.sha256 == file.sha256:
            yield f"{file.url}: its hash is known to be wrong"


def _frameworks_hold(compat: Compat) -> Iterator[str]:
    series = {".".join(one.version.split(".")[:2]) for one in compat.toolkits}
    majors = {one.split(".")[0] for one in series}
    cudnns = [one.version for one in compat.cudnns]
    for one in compat.frameworks:
        name = f"{one.name} {one.version} ({one.family})"
        release = ".".join(one.cudnn.split(".")[:3])
        if one.cudnn and not any(in_series(version, release) for version in cudnns):
            yield f"{name}: cuDNN {one.cudnn} isn't listed"
        here = ".".join(one.cuda.split(".")[:2])
        if one.cuda and here not in series and here not in majors and order(here) >= order("8"):
            yield f"{name}: CUDA {one.cuda} isn't listed"
        if not one.gpu and (one.cuda or one.cudnn or one.requirement):
            yield f"{name}: needs something, yet has no build for GPUs"


def _wheels_hold(compat: Compat) -> Iterator[str]:
    listed = {one.version for one in compat.cudnns}
    for one in compat.wheels:
        release = ".".join(one.version.split(".")[:3])
        if one.package.startswith("nvidia-cudnn-") and release not in listed:
            yield f"{one.package} {one.version}: cuDNN {release} isn't listed"


def _gpus_hold(compat: Compat) -> Iterator[str]:
    known = {one.compute for one in compat.architectures} | {""}
    for name, compute in compat.gpus.items():
        if compute not in known:
            yield f"{name}: capability {compute} isn't listed"
    for device, text in compat.pci.items():
        if text.split(" ", 1)[0] not in known:
            yield f"device {device}: {text} names no listed capability"


RULES: tuple[Rule, ...] = (
    _listed_once,
    _drivers_rise,
    _architectures_hold,
    _cudnn_limits_rise,
    _builds_hold,
    _files_hold,
    _frameworks_hold,
    _wheels_hold,
    _gpus_hold,
)
