"""What was read of a text or given, in words that a person can correct; what would tell more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from cudnn_assistant.compat import Compat
from cudnn_assistant.explain.answer import Understood
from cudnn_assistant.explain.facts import EXAMPLES, Facts, facts
from cudnn_assistant.explain.features import features
from cudnn_assistant.explain.patterns import Hit
from cudnn_assistant.explain.versions import driver_text, known, version_text
from cudnn_assistant.trouble import Misuse
from cudnn_assistant.wording import listed, say
from cudnn_assistant.wording.products import PRODUCTS

_NAMES = (
    *("os", "gpu", "driver", "driver_cuda", "cuda", "build_cuda", "cudnn", "loaded", "built"),
    *("framework", "python", "missing"),
)
"""Fields of the facts in the order in which they are shown."""
_OLDEST_DRIVER = 100
"""Below stand versions of CUDA, which nvidia-smi shows beside the driver's."""
_UNNAMED_DLL = frozenset({"dll-load-failed", "exit-code-missing-dll"})


def understood(f: Facts) -> tuple[Understood, ...]:
    """Every version, name and system that was read from the text or given."""
    shown = ((name, _shown(f, name)) for name in _NAMES)
    return tuple(
        Understood(key=name, label=say(f"explain.read-{name.replace('_', '-')}"), value=text)
        for name, text in shown
        if text
    )


def _shown(f: Facts, name: str) -> str:
    value = getattr(f, name)
    if name == "missing":
        return listed(dict.fromkeys(value))
    if value == "driver":  # Its own tools tell of no program.
        return ""
    if name == "driver":
        return driver_text(value)
    if name == "framework" and value:
        return f"{_called(value)} {version_text(f.framework_version)}".strip()
    return _called(value) if isinstance(value, str) else version_text(value)


def _called(name: str) -> str:
    return PRODUCTS.get(name) or known().called.get(name, name)


def would_tell(f: Facts, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Which line, command or file would settle what this text leaves open."""
    return tuple(_missing_facts(f, hits))[:3]


def only_unnamed_file(f: Facts, hits: Sequence[Hit]) -> bool:
    """Whether all that a text tells is that some DLL is absent: the name decides then."""
    return bool(hits) and {hit.pattern.id for hit in hits} <= _UNNAMED_DLL and not f.missing


def _missing_facts(f: Facts, hits: Sequence[Hit]) -> Iterator[str]:
    if {hit.pattern.id for hit in hits} & _UNNAMED_DLL and not f.missing:
        yield say("explain.tell-file")
    yield say("explain.tell-first-message")
    if not (f.driver and f.gpu):
        yield say("explain.tell-nvidia-smi")
    if f.framework == "pytorch":
        yield say("explain.tell-collect-env")
    elif not f.framework_version:
        yield say("explain.tell-program")


def refuse_unread(given: Mapping[str, str], compat: Compat) -> None:
    """Raise :class:`Misuse` for a fact that isn't asked for, and a value that says nothing of it.

    Reports of others have more, and all sorts of words: :func:`explain` takes what it finds there.
    """
    for name, value in given.items():
        if name not in EXAMPLES:
            raise Misuse("given-unknown", name=name, known=tuple(EXAMPLES))
        if not _read(name, value, compat):
            raise Misuse("given-unreadable", fact=name, value=value, examples=EXAMPLES[name])


def _read(name: str, value: str, compat: Compat) -> bool:
    read = facts(compat, (), (), {name: value})
    if name == "gpu":  # One that is newer than the data has a number all the same.
        return bool(read.compute or re.search(r"\d", value))
    if read.driver:
        return read.driver[0] >= _OLDEST_DRIVER
    return bool(understood(read)) or any(one.startswith(f"{name}:") for one in features(read))
