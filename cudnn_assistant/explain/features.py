"""What follows from facts laid side by side: "needs CUDA 10.0, there is 10.1".

Each function looks at one relation and yields features with the sentence that states it. A
feature is a short name that the rules of ``resources/errors/rules.toml`` ask for. What is
unknown yields nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.specifiers import SpecifierSet

from cudnn_assistant.compat import FIRST_COMPATIBLE, needs_zlibwapi, without_gpu_since
from cudnn_assistant.explain.facts import Facts
from cudnn_assistant.explain.generations import Feature, capability, driver, gpu, told
from cudnn_assistant.explain.versions import says, version, version_text, versions
from cudnn_assistant.explain.wanted import brings, needs, wanted_cuda, wanted_cudnn
from cudnn_assistant.wording import say

_TF_LOADS_LATER = (2, 1)
"""TensorFlow from which on CUDA is loaded when a GPU is first used, also on Windows; before, its
own library needed CUDA and cuDNN to be loaded at all."""


def features(known_facts: Facts) -> dict[str, str]:
    """All features of the facts, each with its sentence."""
    found: dict[str, str] = {}
    of_libraries = (_places, _cudnn, _loaded, _cuda)
    for look in (*of_libraries, driver, gpu, capability, _python, _windows):
        for name, sentence in look(known_facts):
            found.setdefault(name, sentence)
    return found


def _places(f: Facts) -> Iterator[Feature]:
    if f.os:
        yield f"os:{f.os}", ""
    if f.framework:
        yield f"fw:{f.framework}", ""
    if f.container:
        yield "container", ""
    if says("absent", f.cuda_words):
        yield told("cuda:absent")
    if says("absent", f.cudnn_words):
        yield told("cudnn:absent")
    if f.cudnn_words and not f.cudnn and says("there", f.cudnn_words):
        yield "cudnn:installed", ""
    yield from _several(f)
    if not (f.cuda or f.cudnn or f.driver or f.gpu):
        yield "nothing-given", ""


def _several(f: Facts) -> Iterator[Feature]:
    """Two versions of one thing in what the person gave, such as "8.9 by apt and 9.1 by pip"."""
    given = (
        ("cudnn", f.cudnn_words, range(3, 10)),
        ("cuda", f.cuda_words, range(5, 14)),
        ("driver", f.driver_words, range(100, 1000)),
    )
    for name, words, plausible in given:
        short = {int(number.split(".")[0]) for number in versions(words)}
        alone = name in f.stated and not says("other-things", words)
        if alone and len(short.intersection(plausible)) > 1:
            sentence = say("explain.more-than-one-version-named-words", words=words)
            yield f"{name}:several", sentence


def _cudnn(f: Facts) -> Iterator[Feature]:
    want, have = wanted_cudnn(f), f.cudnn
    if needs_zlibwapi(f.compat, version_text(have)):
        yield "cudnn:wants-zlib", ""
    if not want:
        return
    if not have:
        yield "cudnn:unknown", ""
        return
    sentence = say(
        "explain.program-needs-cudnn-want-there", want=version_text(want), have=version_text(have)
    )
    if have[0] != want[0]:
        yield "cudnn:other-major", sentence
    elif have[: len(want)] < want:
        yield "cudnn:older-minor", sentence
    else:
        yield told("cudnn:fits", have=version_text(have))


def _loaded(f: Facts) -> Iterator[Feature]:
    if not f.loaded or not f.built:
        return
    both = {"loaded": version_text(f.loaded), "built": version_text(f.built)}
    if f.loaded[0] != f.built[0]:
        yield told("loaded:other-major", **both)
    elif f.loaded > f.built:
        yield told("loaded:newer", **both)
    else:
        yield told("loaded:older", **both)
    if f.cudnn:
        if f.cudnn[:2] == f.loaded[: len(f.cudnn[:2])]:
            yield "loaded:the-given", ""
        else:
            yield told("loaded:not-the-given", loaded=both["loaded"], given=version_text(f.cudnn))


def _cuda(f: Facts) -> Iterator[Feature]:
    want, have = wanted_cuda(f), f.cuda
    if not want or (brings(needs(f)) and not f.missing):
        return
    if not have:
        yield "cuda:unknown", ""
        return
    digits = 1 if want[0] >= FIRST_COMPATIBLE else min(len(want), len(have))
    both = {"want": version_text(want), "have": version_text(have)}
    # Of NVRTC a release finds only itself: libnvrtc.so.11.2 is in no CUDA before 11.2.
    newer_rtc = any("nvrtc" in name for name in f.lacking) and have[: len(want)] < want
    # Of CUDA 11 only 11.0 still had cuSOLVER under the number 10.
    solver = have >= (11, 1) and any(re.search(r"cusolver\D{0,6}10", n) for n in f.lacking)
    if have[:digits] != want[:digits] or newer_rtc or solver:
        yield told("cuda:differs", **both)
    else:
        yield told("cuda:fits", **both)


def _python(f: Facts) -> Iterator[Feature]:
    if f.bits32:
        yield told("python:32-bit")
    row = needs(f)
    span = row.python if row else ""
    if not span or not f.python:
        return
    names = {"python": version_text(f.python[:2]), "span": span}
    low = max((version(one) for one in span.split(",") if one.startswith(">=")), default=())
    if names["python"] in SpecifierSet(span):
        return
    if f.python[:2] >= low:
        yield told("python:too-new", **names)
    else:
        yield told("python:too-old", **names)


def _windows(f: Facts) -> Iterator[Feature]:
    if f.framework == "jax" and f.os == "windows":
        yield told("jax-on-windows")
    if f.os == "windows" and f.python >= (3, 8):
        yield told("python-ignores-path")
    if f.framework == "tensorflow":
        yield from _tensorflow(f)


def _tensorflow(f: Facts) -> Iterator[Feature]:
    since = version(without_gpu_since(f.compat, "tensorflow", "windows"))
    if f.os == "windows" and since and f.framework_version >= since[:2]:
        yield told("tf-without-windows-gpu", v=version_text(f.framework_version))
    if f.os == "windows" and not f.framework_version:
        yield "tf-of-unknown-age-on-windows", ""
    if f.framework_version >= _TF_LOADS_LATER:
        yield "tf-loads-cuda-later", ""
