"""Other ways to the goal when the wish can't be met: the nearest first, each with its price."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet

import msgspec

from cudnn_assistant.compat.advice import Alternative, FrameworkAdvice, Price
from cudnn_assistant.compat.facts import Compat
from cudnn_assistant.compat.lookup import order
from cudnn_assistant.compat.situation import Situation

FirstFit = Callable[[Situation], FrameworkAdvice | None]

_TRAINERS = ("tensorflow", "jax", "mxnet", "paddle")
"""What a person may leave for PyTorch."""
_CONTAINERS = ("tensorflow", "torch", "jax")
"""What NVIDIA builds for its newest GPUs in containers of its own."""
_FROM_SOURCE = ("torch", "onnxruntime", "ctranslate2", "tensorflow")


def alternatives(
    here: Situation, compat: Compat, unmet: AbstractSet[str], first_fit: FirstFit
) -> Iterator[Alternative]:
    """What would do. ``unmet`` are the codes of what stands against the wish."""
    if not here.framework:
        return
    if "no-gpu-build-on-windows" in unmet:
        yield from _inside_windows(here, first_fit)
    told: set[str] = set()
    for price, wish in _relaxed(here):
        found = first_fit(wish)
        if found is not None and found.requirement not in told:
            told.add(found.requirement)
            yield Alternative(way="framework", framework=found, price=price)
    newer = unmet & {"gpu-too-new", "no-gpu-build"}
    if newer and here.framework in _CONTAINERS and here.family == "linux":
        yield Alternative(way="container", about=here.framework)
    if (newer or "gpu-too-old" in unmet) and here.framework in _FROM_SOURCE:
        yield Alternative(way="source-build", about=here.framework)
    if unmet & {"gpu-too-new", "gpu-too-old"}:
        yield from _other_gpu(here, compat, first_fit)


def _inside_windows(here: Situation, first_fit: FirstFit) -> Iterator[Alternative]:
    inside = msgspec.structs.replace(
        here, family="linux", platform="linux-x86_64", driver_family="windows",
        python="", toolkits=(), cudnns=(), framework_cuda="", installed=False,
    )  # fmt: skip
    if (found := first_fit(inside)) is not None:
        yield Alternative(way="wsl2", framework=found)


def _relaxed(here: Situation) -> Iterator[tuple[Price, Situation]]:
    """The wish with less and less of it, dearest last."""
    plain = msgspec.structs.replace(here, framework_cuda="", installed=False)
    if here.python and (here.framework_version or here.framework_allowed):
        yield "another-python", msgspec.structs.replace(plain, python="")
    same = msgspec.structs.replace(plain, framework_version="", framework_allowed="")
    yield "another-release", same
    free = msgspec.structs.replace(same, python="")
    yield "another-python", free
    if here.framework in _TRAINERS:
        yield "another-framework", msgspec.structs.replace(free, framework="torch")


def _other_gpu(here: Situation, compat: Compat, first_fit: FirstFit) -> Iterator[Alternative]:
    """The nearest generation that the wish runs on."""
    oldest = min(here.computes, key=order, default="0")
    ages = sorted({one.compute for one in compat.architectures if not one.board}, key=order)
    newer = [one for one in ages if order(one) > order(oldest)]
    for compute in (*newer, *(one for one in reversed(ages) if order(one) < order(oldest))):
        wish = msgspec.structs.replace(
            here, computes=(compute,), driver="", has_driver=None, cuda=""
        )
        if first_fit(wish) is not None:
            yield Alternative(way="other-gpu", about=compute)
            return
