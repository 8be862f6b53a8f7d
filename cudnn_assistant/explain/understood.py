"""What was read out of a text, in words that a person can correct, and what would tell more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnn_assistant.explain.answer import Understood
from cudnn_assistant.explain.facts import Facts
from cudnn_assistant.explain.features import version_text
from cudnn_assistant.explain.patterns import Hit
from cudnn_assistant.wording import N_, _

_NAMES = (
    ("os", N_("System")),
    ("gpu", N_("GPU")),
    ("driver", N_("Driver")),
    ("driver_cuda", N_("CUDA that the driver can run")),
    ("cuda", N_("CUDA")),
    ("build_cuda", N_("CUDA that the package was built for")),
    ("cudnn", N_("cuDNN")),
    ("loaded", N_("cuDNN that was loaded")),
    ("built", N_("cuDNN that the program was built with")),
    ("framework", N_("Program")),
    ("python", N_("Python")),
    ("missing", N_("Files that were not found")),
)
"""Fields of the facts in the order in which they are shown."""
_UNNAMED_DLL = frozenset({"dll-load-failed", "exit-code-missing-dll"})


def understood(f: Facts) -> tuple[Understood, ...]:
    """Every version, name and system that was read from the text or given."""
    shown = ((name, label, _shown(f, name)) for name, label in _NAMES)
    return tuple(Understood(key=k, label=_(label), value=text) for k, label, text in shown if text)


def _shown(f: Facts, name: str) -> str:
    value = getattr(f, name)
    if name == "missing":
        return ", ".join(dict.fromkeys(value))
    if name == "framework" and value:
        return f"{value} {version_text(f.framework_version)}".strip()
    return value if isinstance(value, str) else version_text(value)


def would_tell(f: Facts, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Which line, command or file would settle what this text leaves open."""
    return tuple(_missing_facts(f, hits))[:3]


def _missing_facts(f: Facts, hits: Sequence[Hit]) -> Iterator[str]:
    if {hit.pattern.id for hit in hits} & _UNNAMED_DLL and not f.missing:
        yield _("Which file Windows didn't find: cudnn-assistant check looks for it.")
    yield _("The first message of the whole output; later ones mostly follow from it.")
    if not (f.driver and f.gpu):
        yield _("What nvidia-smi prints: it names the GPU and the driver.")
    if f.framework == "pytorch":
        yield _("What python -m torch.utils.collect_env prints.")
    elif not f.framework_version:
        yield _("Which program or framework it is, and its version (pip list).")
