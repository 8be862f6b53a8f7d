"""What can be done about it: wishes for the plan, and exact instructions for the person."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import msgspec

from cudnn_assistant import compat
from cudnn_assistant.compat import FIRST_COMPATIBLE, File, cudnn_builds, framework_needs
from cudnn_assistant.compat.packages import index_for
from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.distributions import for_distribution
from cudnn_assistant.finding import (
    Automatic,
    InstallCudnn,
    InstallPackages,
    Manual,
    PutFirst,
    Remedy,
    SetTo,
    TakeOut,
    Unknown,
)
from cudnn_assistant.machine import CudnnCopy, Framework, PathEntry, Scope, Variable
from cudnn_assistant.plan import installers
from cudnn_assistant.plan.installer_table import BY_HAND, FRAMEWORK_PAGES, PAGES
from cudnn_assistant.regex import regex
from cudnn_assistant.shell import Syntax, command
from cudnn_assistant.versions import major, numbers, older, series

DRIVER_PAGE = "https://www.nvidia.com/en-us/drivers/"
driver_page = partial(Manual, link=DRIVER_PAGE, page="nvidia")
"""What is done at the page of NVIDIA's drivers."""
UPDATE_WSL = driver_page(commands=("wsl --update", "wsl --shutdown"))
CUDA_PAGE = "https://developer.nvidia.com/cuda-downloads"
CUDA_ARCHIVE = "https://developer.nvidia.com/cuda-toolkit-archive"
CUDNN_ARCHIVE = "https://developer.nvidia.com/cudnn-archive"
WSL_PAGE = "https://docs.nvidia.com/cuda/wsl-user-guide/"
CONTAINER_PAGE = (
    "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/install-guide.html"
)
CUDNN_WINDOWS_PAGE = "https://docs.nvidia.com/deeplearning/cudnn/installation/latest/windows.html"


def commands_for(ctx: Context, what: str) -> tuple[str, ...]:
    """What a person types for that on this distribution; () where that isn't known."""
    branch = major(ctx.driver.version or ctx.driver.kernel_version)
    lines = for_distribution(ctx.machine.os.distribution, BY_HAND[what]) or ()
    return tuple(line.replace("{branch}", str(branch)) for line in lines)


def install_driver(
    ctx: Context, *, first: bool = False, needed: str = "", instead: bool = False
) -> Manual:
    """Where or how the person gets a driver; the page where it isn't this system's own.

    ``first``: there is none yet. Then Linux' package manager may be started for the person; whether
    it has a newer one than is there nobody knows. ``needed``: the oldest version that would do.
    ``instead``: the one that is there is damaged, or isn't for the GPU, and its page says more.
    """
    if others := ctx.machine.driver_from:
        return Manual(link=PAGES.get(others, DRIVER_PAGE), page="nvidia", restart=True)
    ask = first or instead or (ctx.windows and needed)
    ours = installers.driver(ctx.machine, ctx.compat, needed, instead=instead) if ask else None
    if first and (page := for_distribution(ctx.machine.os.distribution, PAGES)):
        return Manual(link=page, commands=commands_for(ctx, "driver"), restart=True)
    told = not ctx.windows and (ours or needed or not instead)
    return driver_page(
        commands=installers.commands(ctx.machine, ctx.compat, needed) if told else (),
        restart=True,
        administrator=instead or not ctx.windows,
        installer=ours,
    )


def install_part(ctx: Context, kind: str, *commands: str, **more: Any) -> Manual:
    """A part of the driver, by the distribution's packages where they brought the driver itself."""
    ours = installers.part(ctx.machine, kind)
    lines = installers.step_of(ours).commands if ours else commands or commands_for(ctx, kind)
    return Manual(commands=lines, administrator=True, installer=ours, **more)


def search_first(ctx: Context, folder: str, beat: PathEntry | None = None) -> Remedy:
    """Let programs find ``folder`` before all others, or before the entry ``beat``.

    On Windows the user's PATH suffices unless a machine entry must be beaten, since machine
    entries always come first. On Linux LD_LIBRARY_PATH also overrides what Python packages bring
    (RUNPATH loses to it), so a folder that would replace another version there is not put on it:
    the loader's own list, which comes after RUNPATH, is the safe place.
    """
    if ctx.windows:
        scope: Scope = "machine" if beat is not None and beat.scope == "machine" else "user"
        return Automatic(edits=(PutFirst(variable="PATH", folder=folder, scope=scope),))
    entry, replacing = ctx.searched.get(ctx.key(folder)), overrides(ctx, folder)
    listed = {"default"} | ({"ld.so.conf"} if replacing else set())
    if beat is not None and entry is not None and entry.variable in listed:
        # A system folder on LD_LIBRARY_PATH would replace far more than cuDNN. Without a folder of
        # ld.so.conf nothing can be tried, and with one of a toolkit CUDA would be lost.
        beside = {ctx.key(ctx.parent(library.path)) for library in ctx.machine.libraries}
        shared = beat.variable == "ld.so.conf" and ctx.key(beat.folder) in beside
        return own_copy(ctx, Manual()) if shared else take_out(ctx, beat)
    if replacing:
        return loader_list(ctx, folder)
    return Automatic(edits=(PutFirst(variable="LD_LIBRARY_PATH", folder=folder),))


_BEFORE_OURS = regex(
    r"/\.(bashrc|bash_profile|bash_login|profile|zshenv|zshrc)(:\d+)?"
    r"|/etc/(environment|profile|bash\.bashrc|bashrc|profile\.d/[^/]+\.sh|(zsh/)?zshenv)(:\d+)?"
)


def read_before_ours(source: str) -> bool:
    """Linux: whether a line of this start-up file is read before the settings that are ours.

    What is set in a terminal, by a job or by a program that starts others has no such place.
    """
    at = source if source.startswith("/etc/") else "/" + source.rpartition("/")[2]
    return _BEFORE_OURS.fullmatch(at) is not None


def set_to(ctx: Context, variable: Variable, text: str | None) -> Remedy:
    """Set a variable where it is set now, or after that; by hand where it is set elsewhere.

    Ours to do on Windows, and where our settings have the last word; ``None`` removes it.
    """
    name, stored = variable.name, variable.scope != "process" and (ctx.windows or variable.ours)
    if stored or (not ctx.windows and read_before_ours(variable.source)):
        scope: Scope = variable.scope if ctx.windows else "user"
        return Automatic(edits=(SetTo(variable=name, text=text, scope=scope),))
    if text is None:
        words = ("Remove-Item", f"Env:{name}") if ctx.windows else ("unset", name)
        return Manual(commands=(command(ctx.shell, *words),))
    return Manual(commands=() if ctx.windows else (command("sh", "export", f"{name}={text}"),))


def take_out(ctx: Context, entry: PathEntry | None) -> Remedy:
    """Take a folder out of a list: by us where we may edit it, else the place is named."""
    if entry is None:
        return Unknown()
    variable = ctx.machine.variable(entry.variable, entry.scope)
    ours = variable is not None and variable.ours
    if not ctx.windows and not ours and read_before_ours(entry.source):
        out = TakeOut(variable=entry.variable, folder=entry.text, others=True)
        return Automatic(edits=(out,))
    if entry.scope != "process" and (ctx.windows or ours):
        edit = TakeOut(variable=entry.variable, folder=entry.text, scope=entry.scope)
        return Automatic(edits=(edit,))
    if entry.variable == "ld.so.conf" and entry.source:
        folder = re.sub(r"[][\\.*^$|]", r"\\\g<0>", entry.text)
        passed_over = command("sh", "sudo", "sed", "-i", f"s|^{folder}/*$|#&|", entry.source)
        return Manual(commands=(passed_over, "sudo ldconfig"), administrator=True)
    return Manual()


def overrides(ctx: Context, folder: str) -> bool:
    """Whether ``folder`` on LD_LIBRARY_PATH would replace another cuDNN some environment brings."""
    here = [c for c in ctx.machine.cudnns if ctx.key(c.folder) == ctx.key(folder)]
    brought = [c for c in ctx.machine.cudnns if c.environment]
    return any(
        a.major == b.major and numbers(a.version)[:3] != numbers(b.version)[:3]
        for a in here
        for b in brought
    )


_ADMINISTRATORS = ("/usr/", "/opt/", "/lib/", "/lib64/")
"""Below these nobody else writes, so that all users may be given a folder of them."""


_LIST = "/etc/ld.so.conf.d/cudnn.conf"


def loader_list(ctx: Context, folder: str) -> Remedy:
    """Add a folder to the list that ldconfig keeps: by us where polkit can ask, else by hand."""
    system = ctx.machine.os
    if system.desktop and not system.container and folder.startswith(_ADMINISTRATORS):
        edit = PutFirst(variable="ld.so.conf", folder=folder, scope="machine")
        return Automatic(edits=(edit,))
    return Manual(
        commands=(
            command("sh", "echo", folder, Syntax("|"), "sudo", "tee", _LIST),
            "sudo ldconfig",
        ),
        administrator=True,
    )


def cuda_majors(ctx: Context) -> tuple[int, ...]:
    """CUDA majors that this driver and GPU can run, highest first; () when unknown."""
    driver = ctx.driver
    speaks = driver.cuda or compat.cuda_of_driver(ctx.compat, driver.version, ctx.driver_family)
    return compat.cuda_majors(ctx.compat, speaks, ctx.compute)


def usual_cuda(ctx: Context) -> int:
    """The newest CUDA major that driver, GPU and the newest cuDNN share; the oldest of cuDNN's
    where driver or GPU is unknown or shares none; 0 without data."""
    current = compat.current_cuda_majors(ctx.compat)
    return next((m for m in cuda_majors(ctx) if m in current), min(current, default=0))


RENAME = Manual(page="before-path")
"""What helps against a cuDNN that Windows finds before all of PATH."""


def before_path(ctx: Context, folder: str) -> bool:
    """Whether Windows searches a folder before all of PATH: no setting gets in front of it."""
    entry = ctx.searched.get(ctx.key(folder)) if ctx.windows else None
    return entry is not None and entry.variable.upper() != "PATH"


def install_cudnn(ctx: Context, need: Need) -> Remedy:
    """The cuDNN that fits need, driver, GPU and the cuBLAS that is there.

    An archive that can't be checked as it must be is left to the person, by its address.
    """
    wanted = need.major or compat.usual_cudnn(ctx.compat, ctx.compute)
    if any(c.major == wanted and before_path(ctx, c.folder) for c in ctx.copies):
        return RENAME
    possible = cuda_majors(ctx)
    if not possible:
        return Unknown()
    exact = series(need.toolkit) if 0 < need.cuda < FIRST_COMPATIBLE else ""
    beside = (m for m in possible if m in ctx.cublas_majors)
    cuda = need.cuda if exact or need.cuda in possible else next(beside, possible[0])
    cuda = min(cuda, max(compat.cudnn_cuda_majors(ctx.compat, str(wanted)), default=cuda))
    builds = _builds(ctx, wanted, exact or str(cuda))
    if not any(file.sha256 for _build, file in builds):
        if builds:
            return Manual(link=builds[0][1].url, page="cudnn-file")
        return Manual(link=CUDNN_ARCHIVE, page="cudnn-archive")
    last = compat.last_cudnn(ctx.compat, ctx.compute)
    version = last if major(last) == wanted else ""
    if builds[0][0].needs_zlibwapi and ctx.windows and not ctx.libraries("zlibwapi"):
        # NVIDIA has no archive of that file: rather an older one that doesn't ask for it.
        whole = (one.version for one, _file in builds if not one.needs_zlibwapi)
        version = next((one for one in whole if not older(one, need.version)), version)
    wish = InstallCudnn(
        major=wanted, cuda_major=cuda, version=version, cuda=exact, least=need.version
    )
    return Automatic(edits=(wish,))


def own_copy(ctx: Context, by_hand: Manual) -> Remedy:
    """A whole cuDNN in a folder of our own, before one that can't be used; else by hand."""
    if ctx.environment is not None:
        return by_hand
    remedy = install_cudnn(ctx, next(iter(ctx.needs), Need()))
    return remedy if isinstance(remedy, Automatic) else by_hand


def _builds(ctx: Context, wanted: int, cuda: str) -> list[tuple[compat.CudnnBuild, File]]:
    """NVIDIA's builds of that kind, with the archive for this platform, newest first."""
    platform = compat.situation(ctx.machine, ctx.compat).platform
    builds = [b for b in cudnn_builds(ctx.compat) if compat.serves_cuda(b.cuda, cuda)]
    fitting = [b for b in builds if major(b.version) == wanted]
    fitting.sort(key=lambda build: numbers(build.version), reverse=True)
    return [(b, file) for b in fitting if (file := b.file(platform)) is not None]


def install_packages(ctx: Context, *requirements: str, remove: tuple[str, ...] = ()) -> Remedy:
    """pip in the subject's environment; by hand where pip must not change it.

    A build that its version names ("2.8.0+cu128") comes from the framework's own index; ``remove``
    goes before anything is installed.
    """
    environment = ctx.environment
    if environment is None or not environment.python:
        return Unknown()
    python = environment.python
    if environment.externally_managed:
        commands = _in_own_environment(ctx, python, requirements)
        if environment.kind != "pythonpath":
            return Manual(commands=commands, own_environment=True)
        # pip can't renew single packages in such a folder, and it comes before any other.
        first = () if ctx.windows else (command("sh", "unset", "PYTHONPATH"),)
        return Manual(commands=(*first, *commands))
    index = next(filter(None, map(index_for, requirements)), "")
    wish = InstallPackages(python=python, requirements=requirements, remove=remove, index=index)
    return Automatic(edits=(wish,))


def install_build(ctx: Context, framework: Framework) -> Remedy:
    """The build of a framework that fits driver, GPU and Python, of its own version or a near one.

    Its version names the variant ("2.9.0+cu128"): for pip a build for the processor is one of the
    same version, and it would change nothing. By hand where no build is known.
    """
    by_hand = makers_page(framework.name)
    if of_conda(ctx, framework):
        return by_hand
    found = compat.recommend(ctx.machine, ctx.compat, ctx.subject)
    build = found.framework
    if found.possible is not True or build is None or build.name != framework.name:
        return by_hand
    # Builds for other processors lie elsewhere, or nowhere.
    ordinary = ctx.machine.os.architecture in ("x86_64", "")
    if found.driver is None or found.driver.enough is not True or not ordinary:
        return by_hand
    variant = build.index or f"cu{build.cuda.replace('.', '')}"
    wanted = f"{build.requirement}+{variant}"
    known = build.requirement.startswith("torch==") and index_for(wanted)
    return install_packages(ctx, wanted) if known else by_hand


def _in_own_environment(
    ctx: Context, python: str, requirements: tuple[str, ...]
) -> tuple[str, ...]:
    """The system's Python must not be changed by pip: the frameworks move to a new environment."""
    needed = [f for f in ctx.frameworks if f.gpu is not False]
    named = [f"{f.package or f.name}=={f.version}" for f in needed]
    others = [package for f in needed for package in beside(ctx, f)]
    wanted = dict.fromkeys((*named, *requirements, *others))
    index = [word for one in wanted if (at := index_for(one)) for word in ("--extra-index-url", at)]
    # No word for the home folder is read alike in both shells of Windows.
    new = Syntax("gpu-venv" if ctx.windows else "~/gpu-venv")
    own = Syntax(f"{new}\\Scripts\\python" if ctx.windows else f"{new}/bin/python")
    return (
        command(ctx.shell, python, "-m", "venv", new),
        command(ctx.shell, own, "-m", "pip", "install", *wanted, *index),
    )


def beside(ctx: Context, framework: Framework) -> tuple[str, ...]:
    """What pip must be told so that a framework imports: its own metadata doesn't say it."""
    release = framework_needs(ctx.compat, framework.name, framework.version, ctx.machine.os.family)
    return release.beside if release else ()


def fits(ctx: Context, copy: CudnnCopy) -> bool:
    """Whether nothing known speaks against using this copy here."""
    answered = copy.check is None or copy.check.status in ("ok", "other-copy")
    if copy.damaged or ctx.foreign(copy.architecture) or not answered:
        return False
    for usable in (cuda_majors(ctx), ctx.cublas_majors):
        if copy.cuda_major and usable and copy.cuda_major not in usable:
            return False
    return against_gpu(ctx, copy) != "gpu-too-old"


def against_gpu(ctx: Context, copy: CudnnCopy) -> str:
    """What stands against a copy on the GPU: "gpu-too-old", "gpu-too-new" or ""."""
    version = copy.version or str(copy.major)
    return compat.cudnn_against_gpu(ctx.compat, version, copy.cuda_major or 0, ctx.compute)


def reinstall(ctx: Context) -> Remedy:
    """Put the subject's own cuDNN package back as its framework pins it."""
    pins = [p for f in ctx.frameworks for p in f.pins if "cudnn" in p.package]
    environment = ctx.environment
    if environment is not None and environment.kind == "conda" and not pins:
        # conda-forge keeps the files in "libcudnn", for which "cudnn" stands.
        mine = [p.name for p in ctx.packages if p.manager == "conda" and "cudnn" in p.name]
        return Manual(commands=(_by_conda(ctx, environment.id, *(mine or ["cudnn"]), again=True),))
    if pins:
        return install_packages(ctx, f"{pins[0].package}{pins[0].wants}")
    # Where no package holds it, the build brings cuDNN in its own files.
    exact = [f"{p.name}=={p.version}" for p in ctx.packages]
    mine = [one for one in exact if "cudnn" in one.partition("==")[0]]
    if mine := mine or list(filter(index_for, exact)):
        return install_packages(ctx, mine[0])
    return makers_page(ctx.frameworks[0].name if ctx.frameworks else "")


def _by_conda(ctx: Context, root: str, *packages: str, again: bool = False) -> str:
    """What brings packages to an environment of conda's, or of pixi's, which that one changes."""
    words = ("conda", "install", "-p", root, *(["--force-reinstall"] if again else []))
    if pixi := re.fullmatch(r"(.+)[/\\]\.pixi[/\\]envs[/\\](.+)", root):
        does = ("reinstall", "-e", pixi[2]) if again else ("add",)
        words = ("pixi", *does, "--manifest-path", pixi[1])
    return command(ctx.shell, *words, *packages)


_CONDA_FOR_GPU = {"torch": "pytorch-gpu", "tensorflow": "tensorflow-gpu", "jax": "jaxlib=*=*cuda*"}


def of_conda(ctx: Context, framework: Framework) -> Manual | None:
    """How conda, or pixi, brings its own build for the GPU in place of the one that it brought.

    pip can't take back what conda has built, and conda knows nothing of what pip brings.
    """
    known, package = {p.name for p in ctx.packages if p.manager}, _CONDA_FOR_GPU.get(framework.name)
    if ctx.environment is None or package is None or framework.package not in known:
        return None
    line = _by_conda(ctx, ctx.environment.id, package)
    return msgspec.structs.replace(makers_page(framework.name), commands=(line,))


def makers_page(framework: str) -> Manual:
    """What is done at the page that tells how a framework is installed for a GPU."""
    return Manual(link=FRAMEWORK_PAGES.get(framework, ""))
