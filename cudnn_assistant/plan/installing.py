"""Which of NVIDIA's archives a wish for cuDNN means on this computer, and where it goes."""

from __future__ import annotations

import ntpath
import posixpath
import sys
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from cudnn_assistant import envpath, places
from cudnn_assistant.compat import (
    FIRST_COMPATIBLE,
    Compat,
    File,
    Recommendation,
    cudnn_build,
    recommend_for,
    situation,
)
from cudnn_assistant.finding import Edit, InstallCuda, InstallCudnn
from cudnn_assistant.machine import Family, Machine
from cudnn_assistant.plan.installer_table import CUDA_LICENCE
from cudnn_assistant.plan.steps import Download, InstallArchive
from cudnn_assistant.versions import major, numbers, older, series

Wish = tuple[Edit, str]
"""An edit and the code of the finding that wishes it."""

_LICENCE = "https://docs.nvidia.com/deeplearning/cudnn/sla/index.html"


def archive_steps(
    wishes: Sequence[Wish], machine: Machine, compat: Compat
) -> Iterator[InstallArchive]:
    """One step for each archive, also where several findings wish it.

    A wish that no archive with a known checksum can fulfil makes no step.
    """
    steps: dict[str, InstallArchive] = {}
    for edit, code in wishes:
        for step in _of_wish(edit, machine, compat):
            earlier = steps.get(step.folder, step)
            why = tuple(dict.fromkeys((*earlier.why, code)))
            steps[step.folder] = msgspec.structs.replace(earlier, why=why)
    yield from steps.values()


def _of_wish(edit: Edit, machine: Machine, compat: Compat) -> Iterator[InstallArchive]:
    if isinstance(edit, InstallCudnn):
        yield from _cudnn(edit, machine, compat)
    elif isinstance(edit, InstallCuda) and not edit.part:
        if whole := toolkit_file(edit.cuda, machine, compat):
            yield _step("CUDA", *whole, machine)
    elif isinstance(edit, InstallCuda) and (
        found := part_file(edit.part, edit.cuda, machine, compat)
    ):
        yield _step(edit.part, *found, machine, edit.cuda)


def toolkit_file(cuda: str, machine: Machine, compat: Compat) -> tuple[str, File] | None:
    """Version and file of the newest toolkit of that series whose libraries need no installer."""
    platform = situation(machine, compat).platform
    wanted = numbers(cuda)[:2]
    return _newest(
        (release.version, file)
        for release in compat.toolkits
        if wanted and numbers(release.version)[: len(wanted)] == wanted
        for file in release.files
        if file.platform == platform and file.url.endswith(".run") and file.sha256
    )


def part_file(
    name: str, cuda_major: str, machine: Machine, compat: Compat
) -> tuple[str, File] | None:
    """Version and file of a component of the newest CUDA of that major that the driver speaks."""
    here = situation(machine, compat)
    return _newest(
        (part.version, file)
        for release in compat.toolkits
        if series(release.version).startswith(f"{cuda_major}.")
        and not older(here.cuda, series(release.version))
        for part in release.components
        for file in part.files
        if part.name == name and file.platform == here.platform and file.sha256
    )


def _newest(found: Iterable[tuple[str, File]]) -> tuple[str, File] | None:
    return max(found, key=lambda one: numbers(one[0]), default=None)


def _cudnn(edit: InstallCudnn, machine: Machine, compat: Compat) -> Iterator[InstallArchive]:
    wanted = edit.version or str(edit.major)
    cuda = edit.cuda or str(edit.cuda_major)
    here = situation(machine, compat, want_cudnn=wanted, want_cuda=cuda)
    serving = tuple(copy for copy in here.cudnns if not older(copy.version, edit.least))
    advice = recommend_for(msgspec.structs.replace(here, cudnns=serving), compat)
    advised = advice.cudnn if advice.cudnn and advice.cudnn.cuda_major == edit.cuda_major else None
    version = edit.version or (advised.version if advised else "")
    # Before CUDA 11 a release has a build for each CUDA: what is asked for, or is there, decides.
    exact = advised.cuda if advised else edit.cuda
    build = cudnn_build(compat, version, edit.cuda_major, exact) if version else None
    file = build.file(here.platform) if build else None
    if build is None or file is None or not file.sha256:
        return
    yield from _components(advice, edit.cuda_major, machine)
    cuda = build.cuda if edit.cuda_major < FIRST_COMPATIBLE else str(edit.cuda_major)
    yield _step("cuDNN", build.version, file, machine, cuda)


def _components(
    advice: Recommendation, cuda_major: int, machine: Machine
) -> Iterator[InstallArchive]:
    """cuBLAS and the like as archives, where the computer has no toolkit that brings them."""
    toolkit = advice.toolkit
    if toolkit is None or toolkit.present or toolkit.cuda_major != cuda_major:
        return
    for component in toolkit.components:
        file = next((f for f in component.files if f.sha256 and f.size), None)
        if file:
            yield _step(component.name, component.version, file, machine, str(cuda_major))
    if toolkit.file and not toolkit.components and toolkit.file.url.endswith(".run"):
        yield _step("CUDA", toolkit.version, toolkit.file, machine)


def _step(
    product: str, version: str, file: File, machine: Machine, cuda: str = ""
) -> InstallArchive:
    """``cuda`` is what it is made for; "": it is a CUDA itself."""
    cuda = cuda or str(major(version))
    path = ntpath if machine.os.family == "windows" else posixpath
    folder = path.join(libraries(machine.os.family), f"{product.lower()}-{version}-cuda{cuda}")
    return InstallArchive(
        product=product,
        version=version,
        cuda_major=major(cuda),
        cuda=cuda if "." in cuda else "",
        download=Download(url=file.url, size=file.size, sha256=file.sha256),
        folder=folder,
        search=path.join(folder, "bin" if machine.os.family == "windows" else "lib"),
        licence=_licence(file.url),
    )


def _licence(url: str) -> str:
    """The licence lies beside the product's platforms on NVIDIA's redist server."""
    if url.endswith(".run"):
        return CUDA_LICENCE
    # Before 8.5 the archives lay elsewhere. The text is the same, and known to stand here.
    url = url.replace("/compute/redist/cudnn/", "/compute/cudnn/redist/cudnn/")
    base, found, rest = url.partition("/redist/")
    parts = rest.split("/")
    if not found or len(parts) != 3:
        return _LICENCE
    return f"{base}/redist/{parts[0]}/LICENSE.txt"


def libraries(family: Family) -> str:
    """Our own folder of libraries; where another computer is judged, as it would be called."""
    if (family == "windows") == (sys.platform == "win32"):
        return str(places.own_libraries())
    if family == "windows":
        return r"C:\Users\you\AppData\Local\cuDNN Assistant\libraries"
    return "/home/you/.local/share/cudnn-assistant/libraries"


def there(step: InstallArchive, machine: Machine) -> bool:
    """Whether the snapshot shows a library in the step's folder, so that it is done already."""
    folders = [copy.folder for copy in machine.cudnns]
    dirname = ntpath.dirname if machine.os.family == "windows" else posixpath.dirname
    folders += [dirname(library.path) for library in machine.libraries]
    return any(envpath.same_folder(step.search, f, machine.os.family) for f in folders)
