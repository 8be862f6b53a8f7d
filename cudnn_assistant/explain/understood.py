"""What was read of a text or given, in words that a person can correct; what would tell more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

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
    torch = f.framework == "pytorch"
    lacking = {
        "file": {hit.pattern.id for hit in hits} & _UNNAMED_DLL and not f.missing,
        "first-message": True,
        "nvidia-smi": not (f.driver and f.gpu),
        "collect-env": torch,
        "program": not torch and not f.framework_version,
    }
    return tuple(say(f"explain.tell-{name}") for name, lacks in lacking.items() if lacks)[:3]


def only_unnamed_file(f: Facts, hits: Sequence[Hit]) -> bool:
    """Whether all that a text tells is that some DLL is absent: the name decides then."""
    return bool(hits) and {hit.pattern.id for hit in hits} <= _UNNAMED_DLL and not f.missing


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
    return bool(understood(read)) or any(one.startswith(f"{name}:") for one in features(read))
