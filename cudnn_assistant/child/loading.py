"""The stages without a GPU: load a copy of cuDNN, ask its versions, check its sub-libraries."""

from __future__ import annotations

import contextlib
import os
import re
import sys

from cudnn_assistant.child import cudnn, mapped, stand_in
from cudnn_assistant.child.channel import Channel, Stopped, Wish

_MISSING = ": cannot open shared object file: No such file or directory"
_CUDA_LIBRARIES = ("cudart", "nvrtc", "nvJitLink", "cublasLt", "cublas")
_MIXED = 1002
"""cuDNN 9's status for parts of different versions."""


def missing_file(said: str) -> str:
    """The file name that the loader did not find, "" when it says something else."""
    return os.path.basename(said.removesuffix(_MISSING)) if said.endswith(_MISSING) else ""


def load(channel: Channel, wish: Wish) -> cudnn.Cudnn:
    """Open cuDNN: from the folder "library", else the environment's way, else by bare name.

    "names" are the main library's possible names, most wanted first; "folders" hold an
    environment's own libraries; "steps" say how its framework has the loader find them. Raises
    :class:`Stopped`.
    """
    channel.stage("load")
    names, folder, folders = wish["names"], wish["library"], wish["folders"]
    keep = _search_windows([folder, *folders])
    if folder:
        asked = [os.path.join(folder, name) for name in names]
    elif wish["steps"]:
        asked = _linked(wish["steps"])
    else:
        _preload(folders)
        asked = _files(folders, names)
    found = _open(channel, asked or names)
    tell_mapped(channel)
    del keep
    return found


def _linked(steps: list[Wish]) -> list[str]:
    """Do what a framework does; the names of cuDNN that it asked the loader for, if any."""
    asked: list[str] = []
    for step in steps:
        if "paths" in step:
            there = any(step["if"] in path for path in mapped.libraries())
            for path in step["paths"] if there else ():
                # As PyTorch: what can't be opened here is asked for again by who needs it.
                with contextlib.suppress(OSError):
                    cudnn.load(path)
            continue
        try:
            stand_in.open_like(step["needed"], step["rpath"], step["runpath"])
        except OSError as refusal:
            if not step["may"]:
                raise _stopped(step["needed"], refusal) from refusal
        asked = [name for name in step["needed"] if name.startswith("libcudnn.")] or asked
    return asked


def _search_windows(folders: list[str]) -> list[object]:
    """Have Windows search these as well; beside PATH, because either alone has been seen lost."""
    if sys.platform != "win32":
        return []
    return [os.add_dll_directory(folder) for folder in folders if os.path.isdir(folder)]


def _open(channel: Channel, names: list[str]) -> cudnn.Cudnn:
    trouble: OSError | None = None
    for name in names:
        try:
            opened = cudnn.load(name)
            # Said here: a file that lacks what every cuDNN has was loaded as well.
            path = cudnn.path_of(opened)
            channel.say(loaded=path)
            return cudnn.Cudnn(opened, path)
        except cudnn.NotCudnn as lack:
            raise no_such_function(lack) from lack
        except OSError as refusal:
            # Another major is looked for only when this one isn't there at all.
            trouble = trouble or refusal
            if not _absent(name, refusal):
                trouble = refusal
                break
    raise _stopped(names, trouble)


def _absent(name: str, refusal: OSError) -> bool:
    if sys.platform == "win32":
        return refusal.winerror == 126 or isinstance(refusal, FileNotFoundError)
    return missing_file(str(refusal)) == os.path.basename(name)


def _stopped(names: list[str], refusal: OSError | None) -> Stopped:
    said = str(refusal)
    if sys.platform == "win32":
        code = getattr(refusal, "winerror", None) or 126
        status = "missing-library" if code == 126 else "unloadable"
        missing = os.path.basename(names[0]) if code == 126 else ""
        return Stopped(status, detail=said, missing=missing, code=code)
    missing = missing_file(said)
    return Stopped("missing-library" if missing else "unloadable", detail=said, missing=missing)


def _preload(folders: list[str]) -> None:
    """Open an environment's CUDA libraries by their full paths, as frameworks do.

    What is loaded once is found by name from then on. One that can't be opened is left to cuDNN
    to ask for, so that the trouble is told by who needs it.
    """
    windows = sys.platform == "win32"
    for name in _CUDA_LIBRARIES:
        # nvJitLink's file has no "64" in its name.
        bits = "" if name == "nvJitLink" else "64"
        for path in _starting(folders, f"{name}{bits}_" if windows else f"lib{name}.so."):
            with contextlib.suppress(OSError):
                cudnn.load(path)
                break


def _starting(folders: list[str], prefix: str) -> list[str]:
    return [
        os.path.join(folder, name)
        for folder in folders
        for name in _names(folder)
        if name.lower().startswith(prefix.lower()) and "alt" not in name
    ]


def _names(folder: str) -> list[str]:
    with contextlib.suppress(OSError):
        return sorted(os.listdir(folder))
    return []


def _files(folders: list[str], names: list[str]) -> list[str]:
    paths = (os.path.join(folder, name) for name in names for folder in folders)
    return [path for path in paths if os.path.exists(path)]


def versions(channel: Channel, library: cudnn.Cudnn) -> None:
    """Ask the versions. In cuDNN 9 this is the call that loads the graph library."""
    channel.stage("version")
    version, cuda = library.versions()
    channel.say(version=version, cuda=cuda)


def sublibraries(
    channel: Channel,
    library: cudnn.Cudnn,
    parts: dict[str, Wish],
    after: str = "",
    unasked: list[str] | tuple[()] = (),
) -> tuple[bool, Stopped | None]:
    """Have every sub-library loaded and compared.

    Whether this is cuDNN JIT, and the trouble of a part that convolutions do without, if any.
    ``parts`` says by major what it is made of; a major that isn't in it is taken for the newest.
    The checks are told before the first one, each outcome as soon as it is known. ``after`` is
    one that was asked elsewhere, and so were all before it; those ``unasked`` are known to end
    the process. Raises :class:`Stopped` for trouble of any other part.
    """
    channel.stage("sublibraries")
    known = parts.get(str(library.major)) or parts[max(parts, key=int)]
    jit = is_jit(library.path, known)
    checks = {name: part for name, part in known["checks"].items() if library.has(name)}
    names = [name for name, part in checks.items() if not jit or part in known["jit"]]
    if after in names:
        _say_why(channel, library, after, checks[after])
        names = names[names.index(after) + 1 :]
    channel.say(planned=names)
    refused: Stopped | None = None
    lesser: Stopped | None = None
    for name in (name for name in names if name not in unasked):
        channel.about(name)
        try:
            library.call(name)
            channel.say(outcome={"call": name, "code": 0})
        except cudnn.CudnnStatus as refusal:
            found = _of_check(checks[name], library, refusal)
            detail = found.facts["detail"]
            channel.say(outcome={"call": name, "code": refusal.code, "detail": detail})
            if checks[name] not in known["needed"]:
                lesser = lesser or found
                continue
            # "Mixed versions" says more than "can't be loaded", which mixing can lead to.
            if refused is None or refusal.code == _MIXED:
                refused = found
            if refusal.code == _MIXED or found.facts.get("missing"):
                break
    tell_mapped(channel)
    if refused is not None:
        raise _with_strangers(refused, library.path)
    return jit, _with_strangers(lesser, library.path) if lesser is not None else None


def first_call(channel: Channel, library: cudnn.Cudnn, name: str) -> None:
    """Make one call before any other: it decides which part of cuDNN brings the others along."""
    channel.stage("sublibraries")
    channel.say(planned=[name], call=name)
    code, reason = 0, ""
    try:
        library.call(name)
    except cudnn.CudnnStatus as refusal:
        code, reason = refusal.code, refusal.reason
    channel.say(outcome={"call": name, "code": code, "detail": reason})
    tell_mapped(channel)


def _say_why(channel: Channel, library: cudnn.Cudnn, call: str, part: str) -> None:
    """What the loader says of a part whose check ended another process.

    cuDNN only says then that it was unable to load it, also where the file is there.
    """
    try:
        cudnn.load(beside(library.path, part, library.major))
    except OSError as trouble:
        channel.say(refused={"call": call, "detail": str(trouble)})


def _with_strangers(stopped: Stopped, main: str) -> Stopped:
    """Say which files came from elsewhere, and whether one stands in for a part that is missing."""
    strangers = foreign(os.path.dirname(main))
    if strangers:
        stopped.facts["detail"] = f"{stopped.facts['detail']}; mapped: {', '.join(strangers)}"
    for stranger in strangers:
        # libcudnn_ops.so.9.14.0 stands in for libcudnn_ops.so.9
        name = re.sub(r"(\.so\.\d+)[\d.]*$", r"\1", os.path.basename(stranger))
        if not os.path.exists(os.path.join(os.path.dirname(main), name)):
            stopped.facts.setdefault("missing", name)
    return stopped


def _of_check(part: str, library: cudnn.Cudnn, refusal: cudnn.CudnnStatus) -> Stopped:
    """A version check's status; where the part can't be loaded, with what the loader says of it.

    cuDNN 9 itself only says that it couldn't: the loader is asked again, afterwards.
    """
    stopped = of_cudnn(refusal)
    unavailable = (1008, 3009)
    if refusal.code not in unavailable:
        return stopped
    path = beside(library.path, part, library.major)
    try:
        cudnn.load(path)
    except OSError as trouble:
        stopped.facts["detail"] = f"{refusal.call}: {trouble}"
        lost = os.path.basename(path) if not os.path.exists(path) else missing_file(str(trouble))
        stopped.facts["missing"] = lost
    return stopped


def beside(main: str, part: str, major: int) -> str:
    """Where a part of cuDNN lies when it lies beside its main library."""
    windows = sys.platform == "win32"
    name = f"cudnn_{part}64_{major}.dll" if windows else f"libcudnn_{part}.so.{major}"
    return os.path.join(os.path.dirname(main), name)


def tell_mapped(channel: Channel) -> None:
    """Tell which libraries are mapped now."""
    channel.say(mapped=mapped.interesting(mapped.libraries()))


def of_cudnn(refusal: cudnn.CudnnStatus) -> Stopped:
    """A status of cuDNN as the end of the test."""
    detail = f"{refusal.call}: {refusal.reason}" if refusal.reason else refusal.call
    return Stopped("status-code", code=refusal.code, api="cudnn", detail=detail)


def no_such_function(lack: cudnn.NotCudnn) -> Stopped:
    """A library that is called cuDNN and is none, as the end of the test."""
    return Stopped("unloadable", detail=f"{lack} is not in the library")


def is_jit(main: str, known: Wish) -> bool:
    """Whether this is cuDNN JIT: the graph and its run-time compiler, and nothing else on purpose.

    A full copy that has lost files still has one of the others.
    """
    if not known["jit"]:
        return False
    beside = map(str.lower, _names(os.path.dirname(main)))
    stems = {name.removeprefix("lib").split(".")[0].split("64_")[0] for name in beside}
    there = {stem.removeprefix("cudnn_") for stem in stems}
    return there.issuperset(known["jit"]) and there.isdisjoint(known["beyond_jit"])


def foreign(folder: str) -> list[str]:
    """cuDNN files that are mapped and that neither lie in ``folder`` nor have a link there."""
    own = {os.path.realpath(os.path.join(folder, name)) for name in _names(folder)}
    paths = mapped.of_cudnn(mapped.libraries())
    return [path for path in paths if os.path.realpath(path) not in own]


def stay_home(folder: str) -> None:
    """Raise :class:`Stopped` when the copy in ``folder`` is not the one that was tested."""
    strangers = foreign(folder)
    if strangers:
        raise Stopped("other-copy", detail="mapped instead: " + ", ".join(sorted(strangers)))
