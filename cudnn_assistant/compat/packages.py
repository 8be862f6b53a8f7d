"""The packages for Python that data may name, with the extras that it may ask for.

A list in the program and not in the feed: whoever signs the data can choose versions of these,
and never another project, an option of pip or an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import ValidationError

from cudnn_assistant.regex import regex

_WITHOUT_EXTRAS = (
    "cupy-cuda11x", "ctranslate2", "faster-whisper", "paddlepaddle-gpu", "tensorflow-gpu",
    "tensorrt-cu12", "tensorrt-cu13", "torch", "cuda-toolkit", "numpy", "protobuf",
    "setuptools",
)  # fmt: skip
_EXTRAS: dict[str, frozenset[str]] = dict.fromkeys(_WITHOUT_EXTRAS, frozenset()) | {
    "cupy-cuda12x": frozenset({"ctk"}),
    "cupy-cuda13x": frozenset({"ctk"}),
    "jax": frozenset({"cuda11", "cuda12", "cuda13"}),
    "onnxruntime-gpu": frozenset({"cuda", "cudnn"}),
    "tensorflow": frozenset({"and-cuda"}),
}
_INDEXES = {
    "torch": "https://download.pytorch.org/whl/{index}",
    "paddle": "https://www.paddlepaddle.org.cn/packages/stable/{index}/",
}
"""The frameworks' own indices; the data names only the variant."""
_VARIANT = regex(r"cpu|cu[0-9]{2,3}")
_NVIDIA = regex(
    r"nvidia-(cudnn-cu1[1-9]|(cublas|cuda-runtime|cuda-nvrtc)(-cu1[1-9])?)|mxnet-cu[0-9]{2,3}"
)
_FORM = regex(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(\[(?P<extras>[a-z0-9_,-]+)\])?"
    r"(==(?P<version>[0-9][0-9A-Za-z.+]*(\.\*)?))?"
)


def install_command(framework: str, wanted: str, index: str, beside: Iterable[str] = ()) -> str:
    """The words after "python -m" that install a build, with packages beside it; "" when it can't
    be had so."""
    address = index_of(framework, index)
    if not wanted or (index and not address):
        return ""
    asked = map(requirement, (wanted, *beside))
    # No shell takes them for a pattern of file names.
    packages = [f'"{one}"' if {"[", "*"} & set(one) else one for one in asked]
    return " ".join(["pip install", *packages, *([f"--index-url {address}"] if address else [])])


def index_of(framework: str, variant: str) -> str:
    """Address of a framework's own index; "" where it has none, or no such variant is known."""
    if framework not in _INDEXES or not _VARIANT.fullmatch(variant):
        return ""
    return _INDEXES[framework].format(index=variant)


def index_for(exact: str) -> str:
    """The same for a requirement of one build: "torch==2.8.0+cu128"."""
    name, _, version = exact.partition("==")
    return index_of(name, version.partition("+")[2])


def is_index(address: str) -> bool:
    """Whether an address is one of those that packages may come from."""
    pattern = "|".join(
        re.escape(one).replace(re.escape("{index}"), f"(?:{_VARIANT.pattern})")
        for one in _INDEXES.values()
    )
    return bool(re.fullmatch(pattern, address))


def known(name: str) -> bool:
    """Whether data may name a package."""
    return name in _EXTRAS or bool(_NVIDIA.fullmatch(name))


def requirement(text: str) -> str:
    """A requirement, built anew from its parts; "" for "".

    Raises :class:`msgspec.ValidationError` for a project or extra that isn't in the program's list.
    """
    if not text:
        return ""
    found = _FORM.fullmatch(text)
    if found is None or not known(found["name"]):
        raise ValidationError(f"{text!r} names no package of ours")
    extras = sorted((found["extras"] or "").split(",")) if found["extras"] else []
    if not set(extras) <= _EXTRAS.get(found["name"], frozenset()):
        raise ValidationError(f"{text!r} asks for extras that aren't ours")
    asked = f"[{','.join(extras)}]" if extras else ""
    return f"{found['name']}{asked}" + (f"=={found['version']}" if found["version"] else "")
