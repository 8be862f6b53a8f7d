"""How each GPU framework tells, in its own files, what it was built for.

One reader per framework; the table at the end of
:mod:`cudnn_assistant.probe.pythons.frameworks` names them. Sources are the real wheels:
torch 2.9.1, tensorflow 1.15 / 2.10.1 / 2.20, onnxruntime-gpu 1.18 / 1.23,
jax-cuda12-plugin 0.10.2, cupy-cuda12x 13.4, ctranslate2 4.4 – 4.8, paddlepaddle-gpu 2.6,
mxnet-cu112 1.9.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from cudnn_assistant.machine import CudnnOrigin
from cudnn_assistant.probe.files import headers
from cudnn_assistant.probe.files import needed_libraries as library_names
from cudnn_assistant.probe.files.binary import cudnn_dll_version, look_at
from cudnn_assistant.probe.files.catalogue import MAIN
from cudnn_assistant.probe.files.disk import Disk, json_object, text_in
from cudnn_assistant.probe.pythons.records import CondaPackage, Distribution
from cudnn_assistant.versions import dotted, numbers

_LONGEST = 1 << 16
"""Characters; version and build files are a few hundred. Also bounds what nesting can cost."""


class Installed(msgspec.Struct, frozen=True):
    """What a reader may look at: the packages of one environment."""

    disk: Disk
    have: Mapping[str, Distribution]
    conda: Mapping[str, CondaPackage]
    wheel: str
    """Version of the installed nvidia-cudnn wheel, "" when there is none."""
    sites: tuple[str, ...] = ()
    """All folders that are searched for an import."""

    def path(self, one: Distribution, *parts: str) -> str:
        """A path beside the distribution, or where an editable install has its files."""
        beside = self.disk.join(one.site, *parts)
        if self.disk.exists(self.disk.join(one.site, parts[0])):
            return beside
        elsewhere = (self.disk.join(site, *parts) for site in self.sites)
        return next((path for path in elsewhere if self.disk.exists(path)), beside)

    def found(self, one: Distribution, *parts: str) -> str:
        """The first file of a folder beside the distribution whose name matches the last part."""
        folder = self.path(one, *parts[:-1])
        names = (name for name in self.disk.names(folder) if re.fullmatch(parts[-1], name))
        return next((self.disk.join(folder, name) for name in names), "")


class Facts(msgspec.Struct, frozen=True):
    """What a framework's files say; "" and ``None`` where they are silent."""

    version: str = ""
    gpu: bool | None = None
    cuda: str = ""
    cudnn: str = ""
    origin: CudnnOrigin = ""
    architectures: tuple[str, ...] = ()


def torch(look: Installed, one: Distribution) -> Facts:
    """PyTorch: version.py, the copies in torch/lib, and the build's list of targets."""
    facts = constants(look.disk.text(look.path(one, "torch", "version.py")))
    version = text_in(facts, "__version__") or one.version
    if "cuda" not in facts:
        return Facts(version=version)
    if not text_in(facts, "cuda"):
        return Facts(version=version, gpu=False, origin="none")
    bundle = _bundled(look, one, "torch", "lib") or _bundled(look, one, "torch.libs")
    own = look.path(one, "torch", "lib", _by_family(look, "libtorch_python.so", "torch_python.dll"))
    return Facts(
        version=version,
        gpu=True,
        cuda=text_in(facts, "cuda"),
        cudnn=bundle or library_names.cudnn_major(look.disk, own),
        origin="bundled" if bundle else _elsewhere(look, wheel=look.disk.family == "linux"),
        architectures=_capabilities(library_names.architectures(look.disk, own)),
    )


def tensorflow(look: Installed, one: Distribution) -> Facts:
    """TensorFlow: build_info.py (1.13 and later) and the header of the cuDNN it was built with."""
    # Up to 1.15 the package itself was called tensorflow_core.
    folders = [look.path(one, name) for name in ("tensorflow", "tensorflow_core")]
    files = [look.disk.join(folder, "python", "platform", "build_info.py") for folder in folders]
    facts = constants("\n".join(look.disk.text(file) for file in files))
    if not facts.get("is_cuda_build"):
        known = "is_cuda_build" in facts
        return Facts(gpu=False if known else None, origin="none" if known else "")
    cudnn = text_in(facts, "cudnn_version") or text_in(facts, "cudnn_version_number")
    return Facts(
        gpu=True,
        cuda=dotted(text_in(facts, "cuda_version") or text_in(facts, "cuda_version_number")),
        cudnn=_tensorflow_header(look, folders[0]) or cudnn.removeprefix("64_"),
        # 2.14 was the first to look for NVIDIA's wheels beside itself.
        origin=_elsewhere(look, wheel=numbers(one.version) >= (2, 14)),
        architectures=_capabilities(facts.get("cuda_compute_capabilities")),
    )


def jax(look: Installed, one: Distribution) -> Facts:
    """JAX: its CUDA plugin's name, or the local version of jaxlib up to 0.4.29."""
    if match := re.fullmatch(r"jax-cuda(\d+)-plugin", one.name):
        jax_itself = look.have.get("jax", one)
        return Facts(
            jax_itself.version, gpu=True, cuda=match[1], origin=_elsewhere(look, wheel=True)
        )
    library = look.have.get("jaxlib", one)
    if match := re.search(r"\+cuda(\d+)(?:\.cudnn(\d)(\d*))?", library.version):
        cudnn = ".".join(part for part in (match[2], match[3]) if part)
        origin = _elsewhere(look, wheel=True)
        return Facts(gpu=True, cuda=dotted(match[1]), cudnn=cudnn, origin=origin)
    if (record := look.conda.get("jaxlib")) and record.cuda:
        return Facts(gpu=True, cuda=record.cuda, cudnn=record.cudnn, origin="conda")
    return Facts(gpu=False, origin="none")


def onnxruntime(look: Installed, one: Distribution) -> Facts:
    """ONNX Runtime: which of its packages wrote the files last, and its CUDA provider."""
    facts = constants(
        look.disk.text(look.path(one, "onnxruntime", "capi", "build_and_package_info.py"))
    )
    name = _by_family(look, "libonnxruntime_providers_cuda.so", "onnxruntime_providers_cuda.dll")
    provider = look.path(one, "onnxruntime", "capi", name)
    # Installed over onnxruntime-gpu, onnxruntime leaves the provider but replaces its caller.
    if not look.disk.is_file(provider) or text_in(facts, "package_name") == "onnxruntime":
        return Facts(gpu=False, origin="none")
    return Facts(
        gpu=True,
        cuda=text_in(facts, "cuda_version") or library_names.cuda_major(look.disk, provider),
        cudnn=library_names.cudnn_major(look.disk, provider),
        # preload_dlls(), which looks into the wheels, came with 1.21.
        origin=_elsewhere(look, wheel=numbers(one.version) >= (1, 21)),
    )


def cupy(look: Installed, one: Distribution) -> Facts:
    """CuPy: the name of its wheel and the preload table inside; no cuDNN from 14 on."""
    if "rocm" in one.name:
        return Facts(gpu=False, origin="none")
    table = json_object(look.disk.text(look.path(one, "cupy", ".data", "_wheel.json")))
    match = re.fullmatch(r"cupy-cuda(\d+)x?", one.name)
    cuda = dotted(match[1]) if match else text_in(table, "cuda").removesuffix(".x")
    if numbers(one.version) >= (14,):
        return Facts(gpu=True, cuda=cuda, origin="none")
    built = text_in(table.get("cudnn"), "version")
    return Facts(gpu=True, cuda=cuda, cudnn=built, origin=_elsewhere(look, wheel=False))


_SMALLEST = 1 << 20
"""Bytes of a library below which it only leads to another: it says nothing of a build."""


def ctranslate2(look: Installed, one: Distribution) -> Facts:
    """CTranslate2: what its one library asks for, and the main library it may bring along.

    Its packages for Windows bring that still, though from 4.6.3 on nothing in them asks for cuDNN.
    """
    library = look.found(one, "ctranslate2.libs", r"libctranslate2.*\.so.*") or look.path(
        one, "ctranslate2", "ctranslate2.dll"
    )
    bundle = _bundled(look, one, "ctranslate2.libs") or _bundled(look, one, "ctranslate2")
    if not look.disk.is_file(library):
        return Facts(gpu=True, cudnn=bundle, origin="bundled") if bundle else Facts()
    cuda = library_names.cuda_major(look.disk, library)
    if major := library_names.cudnn_major(look.disk, library):
        beside = "bundled" if bundle else _elsewhere(look, wheel=False)
        return Facts(gpu=True, cuda=cuda, cudnn=bundle or major, origin=beside)
    # The makers build all wheels for x86-64 with CUDA; a real library of them is not small.
    small = look.disk.size(library) < _SMALLEST
    if not cuda and small and look_at(look.disk.real(library)).architecture == "x86_64":
        return Facts()
    return Facts(gpu=bool(cuda), cuda=cuda, origin="none")


def paddle(look: Installed, one: Distribution) -> Facts:
    """PaddlePaddle: version/__init__.py, which says "False" for what a build lacks."""
    facts = constants(look.disk.text(look.path(one, "paddle", "version", "__init__.py")))
    cuda = text_in(facts, "cuda_version")
    version = text_in(facts, "full_version") or one.version
    if cuda in ("", "False"):
        return Facts(version=version, gpu=False if cuda else None, origin="none" if cuda else "")
    bundle = _bundled(look, one, "paddle", "libs")
    cudnn = text_in(facts, "cudnn_version").removesuffix("False")
    origin: CudnnOrigin = "bundled" if bundle else _elsewhere(look, wheel=True)
    return Facts(version=version, gpu=True, cuda=cuda, cudnn=cudnn or bundle, origin=origin)


def mxnet(look: Installed, one: Distribution) -> Facts:
    """MXNet: the name of its wheel, and what its library asks for."""
    match = re.fullmatch(r"mxnet-cu(\d+)(?:mkl)?", one.name)
    if not match:
        return Facts(gpu=False, origin="none")
    library = look.path(one, "mxnet", _by_family(look, "libmxnet.so", "libmxnet.dll"))
    bundle = _bundled(look, one, "mxnet")
    return Facts(
        gpu=True,
        cuda=dotted(match[1]),
        cudnn=bundle or library_names.cudnn_major(look.disk, library),
        origin="bundled" if bundle else _elsewhere(look, wheel=False),
    )


def tensorrt(look: Installed, one: Distribution) -> Facts:
    """TensorRT: by its release. 8 is linked with cuDNN 8; from 10 on it does without cuDNN."""
    library = look.found(one, "tensorrt_libs", r"(lib)?nvinfer(\.so\.\d+|(_\d+)?\.dll)")
    match = re.fullmatch(r"tensorrt-cu(\d+)", one.name)
    cuda = match[1] if match else library_names.cuda_major(look.disk, library)
    if numbers(one.version) >= (10,):
        return Facts(gpu=True, cuda=cuda, origin="none")
    cudnn = "8" if numbers(one.version) >= (7, 1) else "7"
    return Facts(gpu=True, cuda=cuda, cudnn=cudnn, origin=_elsewhere(look, wheel=True))


def _elsewhere(look: Installed, *, wheel: bool) -> CudnnOrigin:
    """Where a framework without a copy of its own finds cuDNN; ``wheel``: it looks there."""
    if wheel and look.wheel:
        return "wheel"
    return "conda" if {"cudnn", "libcudnn"} & look.conda.keys() else "system"


def _bundled(look: Installed, one: Distribution, *folder: str) -> str:
    """Version of the main library in a folder of the framework's own; "" when it has none."""
    pattern = MAIN[look.disk.family].pattern
    path = look.found(one, *folder, f"(?i:{pattern})")
    if not path:
        return ""
    if look.disk.family == "windows":
        version = cudnn_dll_version(look.disk.real(path))
    else:
        version = look.disk.name(path).partition(".so.")[2]
    match = re.fullmatch(pattern, look.disk.name(path), re.IGNORECASE)
    return version or (match[1] if match and match[1] else "")


def _tensorflow_header(look: Installed, folder: str) -> str:
    for below in ("external/cuda_cudnn", "third_party/gpus/cudnn"):
        parts = ("include", *below.split("/"), "include", "cudnn_version.h")
        if version := headers.stated(look.disk.text(look.disk.join(folder, *parts))):
            return version
    return ""


def _capabilities(targets: object) -> tuple[str, ...]:
    """("sm_86", "compute_90") as ("8.6", "9.0+PTX"); what has another form is left out."""
    if not isinstance(targets, list | tuple):
        return ()
    matches = (re.fullmatch(r"(sm|compute)_(\d+)(\d)[af]?", str(target)) for target in targets)
    found = (
        f"{match[2]}.{match[3]}" + ("+PTX" if match[1] == "compute" else "")
        for match in matches
        if match
    )
    return tuple(dict.fromkeys(found))


def _by_family(look: Installed, linux: str, windows: str) -> str:
    return windows if look.disk.family == "windows" else linux


def constants(text: str) -> dict[str, object]:
    """Names and the strings, numbers, ``None`` or lists of them that the text gives to them.

    Keys of dictionaries and of ``OrderedDict([(key, value), …])`` count as names too, which is how
    TensorFlow spells its build facts. Of several values for a name the last one wins. What is no
    Python, or is longer than a version file can be, has no constants; nothing is raised.
    """
    if len(text) > _LONGEST:
        return {}
    try:
        named = [pair for node in ast.walk(ast.parse(text)) for pair in _named(node)]
        return {name: ast.literal_eval(value) for name, value in named if _plain(value)}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}


def _named(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that a place in a program gives values to."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from ((one.id, node.value) for one in targets if isinstance(one, ast.Name))
    pairs: Iterable[Sequence[ast.expr | None]] = ()
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
    elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
        pairs = (node.elts,)
    for key, value in pairs:
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and value is not None:
            yield key.value, value


def _plain(value: ast.expr) -> bool:
    if isinstance(value, ast.List | ast.Tuple):
        return all(isinstance(item, ast.Constant) for item in value.elts)
    return isinstance(value, ast.Constant)
