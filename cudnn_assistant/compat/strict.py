"""The types of the data with their patterns enforced: for all data that isn't built in."""

from __future__ import annotations

import functools
import operator
import types
import typing
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, TypeVar

import msgspec

from cudnn_assistant.compat.facts import Compat, FrameworkRelease, ToolkitRelease
from cudnn_assistant.compat.packages import requirement

_Kind = TypeVar("_Kind", bound=msgspec.Struct)


def decode_strictly(data: bytes) -> Compat:
    """Data whose every text is allowed. Raises :class:`msgspec.MsgspecError` for any other.

    Fields that a newer feed may have are passed over.
    """
    compat = held(data, Compat)
    require_known_packages(compat.frameworks, compat.toolkits)
    return compat


def held(data: bytes, kind: type[_Kind]) -> _Kind:
    """What JSON says, every text of it held to its pattern. Raises :class:`msgspec.MsgspecError`
    for anything else, text that isn't UTF-8 included."""
    try:
        msgspec.json.decode(data, type=strict(kind))
        return msgspec.json.decode(data, type=kind)
    except (UnicodeDecodeError, RecursionError) as trouble:
        raise msgspec.DecodeError(str(trouble)) from trouble


def require_known_packages(
    frameworks: Iterable[FrameworkRelease], toolkits: Iterable[ToolkitRelease] = ()
) -> None:
    """Raise :class:`msgspec.ValidationError` for a requirement that isn't built of our list."""
    named = [text for one in frameworks for text in (one.requirement, *one.beside)]
    named += [text for one in toolkits for text in one.requirements]
    for text in named:
        if (built := requirement(text)) != text:
            raise msgspec.ValidationError(f"{text!r} isn't written as {built!r}")


@cache
def strict(kind: type[msgspec.Struct]) -> type[msgspec.Struct]:
    """A twin of a type that enforces :class:`Held`."""
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = []
    for one in msgspec.structs.fields(kind):
        default: Any = msgspec.field(default=one.default)
        if one.default_factory is not msgspec.NODEFAULT:
            default = msgspec.field(default_factory=one.default_factory)
        fields.append((one.name, _strict(hints[one.name]), default))
    return msgspec.defstruct(kind.__name__, fields, frozen=True, kw_only=True)


def _strict(hint: Any) -> Any:
    """The same type with patterns in place of marks, all the way down."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        # Nothing else is marked in the types of the data.
        base, held = inner
        whole = rf"\A(?:{held.pattern})\Z"
        return Annotated[base, msgspec.Meta(pattern=whole, max_length=held.length)]
    if origin in (tuple, dict):
        return origin[tuple(one if one is ... else _strict(one) for one in inner)]
    if origin in (typing.Union, types.UnionType):
        return functools.reduce(operator.or_, (_strict(one) for one in inner))
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return strict(hint)
    return hint
