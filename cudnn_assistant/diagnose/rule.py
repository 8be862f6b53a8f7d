"""A rule: one question about a computer, the code of its answer, and its place in the walk.

To add one, write a function in the file of its subject and put :func:`rule` on it. The walk takes
the layers in their order, in a layer the files in the order of ``layers.FILES``, and in a file the
functions from its top to its end. The first error ends the walk: what lies above can't be judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum, auto
from typing import Any

import msgspec
from msgspec.structs import replace

from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.finding import Finding

__all__ = ["Context", "Findings", "Layer", "Rule", "family", "rule"]

Findings = Iterator[Finding]
_Of = Callable[[Context], Iterable[Any]]
_Check = Callable[..., Iterable[Finding]]


class Layer(IntEnum):
    """What has to be in order before the next layer is worth a look."""

    CONTAINER = auto()
    """WSL, containers and sandboxes let the GPU in."""
    GPU = auto()
    """A GPU is there and well."""
    DRIVER = auto()
    WSL = auto()
    """WSL gets the driver of Windows."""
    DRIVER_LIBRARIES = auto()
    """The driver's libraries are the ones that belong to its module."""
    ACCESS = auto()
    """Programs may use the GPU, and there is room for them."""
    NO_ANSWER = auto()
    """The driver answers; said where no layer before explains why it doesn't."""

    SETTINGS = auto()
    """Variables and search lists: told beside whatever keeps cuDNN from working."""

    PROVEN = auto()
    """What an experiment has shown to be the cause."""
    START = auto()
    """The subject's programs can be started at all."""
    CUDA = auto()
    """CUDA and cuBLAS, which cuDNN needs, fit and are found."""
    INTEGRITY = auto()
    """Each copy of cuDNN is whole."""
    SEARCH = auto()
    """There is a cuDNN of the right major, and programs find it."""
    WRONG_COPY = auto()
    """No other copy takes its place, and its parts are of one version."""
    COMPATIBILITY = auto()
    """The copy fits CUDA and the GPU."""
    FRAMEWORK = auto()
    """The frameworks are builds for the GPU, with the packages they need."""
    TEST = auto()
    """What the test of cuDNN itself proves."""
    FRAMEWORK_TEST = auto()
    """What a framework's own convolution proves."""
    UNEXPLAINED = auto()
    """The test stopped, and no layer before says why."""

    @property
    def ground(self) -> bool:
        """About the whole computer: an error here concerns every subject."""
        return self < Layer.SETTINGS


class Rule(msgspec.Struct, frozen=True):
    """One rule: what it says, where in the walk it stands, how it looks."""

    check: _Check
    code: str
    layer: Layer
    provable: bool
    """A passed test of the subject disproves its errors; False: the test can't see it."""
    of: _Of | None
    """What there may be several of, each of which is looked at."""
    key: tuple[Any, ...] = ()
    """What sets it apart in its family."""

    def findings(self, ctx: Context) -> Iterator[Finding]:
        """What the rule finds, under its code."""
        each = [()] if self.of is None else ((one,) for one in self.of(ctx))
        return (
            replace(found, code=self.code)
            for one in each
            for found in self.check(ctx, *one, *self.key)
        )


def rule(
    code: str, *, layer: Layer, provable: bool = True, of: _Of | None = None
) -> Callable[[_Check], Rule]:
    """Make a function from a context to findings the rule for this code.

    With ``of`` it is asked about each thing that this finds in the context, such as each copy.
    """
    return lambda check: Rule(check, code, layer, provable, of)


def family(
    keys: Mapping[str, Any], *, layer: Layer, provable: bool = True, of: _Of | None = None
) -> Callable[[_Check], tuple[Rule, ...]]:
    """Make one function the rules for several codes; last it is given the key of the code."""
    return lambda check: tuple(
        Rule(check, code, layer, provable, of, (key,)) for code, key in keys.items()
    )
