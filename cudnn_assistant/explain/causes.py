"""The words of a cause, where only an error text is known and where the computer shows it.

Advice fits what a text states: its framework, system, container, GPU and driver. The words are
forms of a cause's row ("general@tensorflow"); which build to take is answered by the same rules and
data as everywhere (``compat.recommend_for``).
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from cudnn_assistant import causes, compat
from cudnn_assistant.compat import Situation
from cudnn_assistant.explain.answer import Cause
from cudnn_assistant.explain.evidence import Evidence
from cudnn_assistant.explain.facts import Facts
from cudnn_assistant.explain.generations import driver_family, embedded, of_another_maker
from cudnn_assistant.explain.ranking import Ranked
from cudnn_assistant.explain.versions import version_text
from cudnn_assistant.finding import Automatic, Finding
from cudnn_assistant.machine import Family, Machine
from cudnn_assistant.wording import prose, say, words
from cudnn_assistant.wording.language import pgettext

_MOST_REASONS = 8
_GENERAL = "general"
_OF_A_BUILD = frozenset(
    [
        *("cpu-only-build", "gpu-too-new", "gpu-too-old", "cuda-version-mismatch"),
        *("driver-too-old", "python-version-unsupported", "framework-dropped-windows-gpu"),
    ]
)
"""Classes of causes that another build of the framework mends."""
_OF_A_DRIVER = frozenset(["driver-too-old", "driver-missing"])
_OF_NVIDIA = _OF_A_DRIVER | _OF_A_BUILD - {"python-version-unsupported"}
"""Classes whose advice helps only where an NVIDIA GPU is."""
_OTHER_NUMBERS = "gpu-lacks-number-type"
"""What a setting mends, and no build."""
_FOREIGN = "gpu-of-another-maker"
_PARTS = frozenset(["driver-missing", "cuda-missing", "cudnn-missing"])
"""Causes whose advice on a Jetson is JetPack, which brings all of them."""
_CONTAINER = "container-runtime"
_OF_A_CONTAINER = frozenset([_CONTAINER, "driver-missing"])
"""Classes whose advice differs with the kind of the container."""
_BY_PIP = ("pytorch", "tensorflow", "jax", "onnxruntime", "cupy", "ctranslate2")


def cause(
    one: Ranked, found: Sequence[Evidence], facts: Facts, *, remedy: bool, first: bool
) -> Cause:
    """The cause of a class, in the words of the one that the evidence names, and for the facts.

    Only the ``first`` cause's advice names a build: a second one would seem another way.
    """
    name = closest(one.cls, found)
    title, why, _own = general(name)
    _title, _why, fix = general(advising(facts, name, one.cls), *situations(facts))
    more = fitting(facts, one.cls) if first and name != _OTHER_NUMBERS else ""
    fix = f"{fix} {more}".strip() if remedy else ""
    return Cause(
        code=name,
        cls=one.cls,
        score=round(one.probability, 4),
        state=one.state,
        because=tuple(dict.fromkeys(one.reasons))[:_MOST_REASONS],
        title=title,
        why=why,
        fix=fix,
        confirm=_confirm(name),
    )


def shown_by(cause: Cause, finding: Finding, machine: Machine) -> Cause:
    """The cause as the diagnosis found it on this computer, in the finding's own words."""
    said = words(finding, machine)
    help_of_ours = say("explain.fix") if isinstance(finding.remedy, Automatic) else ""
    return replace(
        cause,
        code=finding.code,
        title=said.title,
        why=said.why,
        fix=f"{said.fix} {help_of_ours}".strip(),
        confirm=_confirm(finding.code),
    )


def closest(cls: str, found: Sequence[Evidence]) -> str:
    """The cause whose evidence speaks loudest for the class; the class itself for none."""
    loud: dict[str, float] = {}
    for piece in found:
        if piece.code and causes.cause(piece.code).cls == cls:
            loud[piece.code] = loud.get(piece.code, 0.0) + piece.votes.get(cls, 0.0)
    best = max(loud, key=lambda code: loud[code], default="")
    return best if best and loud[best] > 0 else cls


def general(name: str, *forms: str) -> tuple[str, str, str]:
    """Title, reason and advice of a cause without facts; its class's where they need some.

    The advice is that of the first of ``forms`` that the row has.
    """
    row = causes.cause(name)
    own, group = row.text(_GENERAL), causes.cause(row.cls).text(_GENERAL)
    fix = row.text(*forms, _GENERAL).fix
    titles = [title for title in own.title if not _needs_facts((title,))]
    return (
        pgettext(name, titles[0]) if titles else pgettext(row.cls, group.title[-1]),
        _whole(name, own.why) or _whole(row.cls, group.why),
        _whole(name, fix) or _whole(row.cls, group.fix),
    )


def _whole(name: str, sentences: Sequence[str]) -> str:
    if _needs_facts(sentences):
        return ""
    return prose(pgettext(name, sentence) for sentence in sentences)


def _needs_facts(sentences: Iterable[str]) -> bool:
    return any(place for s in sentences for _t, place, _f, _c in string.Formatter().parse(s))


def _confirm(name: str) -> str:
    row = causes.cause(name)
    name, text = (name, row.confirm) if row.confirm else (row.cls, causes.cause(row.cls).confirm)
    return pgettext(name, text) if text else ""


# Advice that fits


def situations(f: Facts) -> tuple[str, ...]:
    """The forms of a cause's words for these facts, the most special first."""
    known = {
        "general@jetson": embedded(f),
        f"general@{f.framework}": bool(f.framework),
        f"general@{f.container}": bool(f.container),
        "general@container": bool(f.container),
        f"general@{f.os}": bool(f.os),
        "general@framework": bool(f.framework),
    }
    return tuple(form for form, holds in known.items() if holds)


def advising(f: Facts, name: str, cls: str) -> str:
    """The cause whose advice is given: where no NVIDIA GPU is there, no driver or build helps.

    A Jetson takes neither the drivers nor the builds for other computers. Where no newer driver is
    made for the GPU, an older build is left.
    """
    if of_another_maker(f) and cls in _OF_NVIDIA:
        return _FOREIGN
    if cls in _OF_A_CONTAINER and f"general@{f.container}" in causes.cause(_CONTAINER).form:
        return _CONTAINER
    if f.framework == "jax" and f.os == "windows" and cls in _OF_A_BUILD:
        return "jax-on-windows"
    if embedded(f) and cls in _PARTS:
        return "cuda-missing"
    if embedded(f) and (cls in _OF_A_BUILD or name == "cudnn-wrong-major"):
        return "cpu-only-build"
    last = compat.last_driver_branch(f.compat, f.compute)
    at_end = cls == "driver-too-old" and f.driver and last is not None and f.driver[0] >= last
    return "gpu-too-old" if at_end else name


def fitting(f: Facts, cls: str) -> str:
    """Which build fits the GPU and the driver, and how new a driver can be; "" where unknown."""
    return " ".join([*_build(f, cls), *_driver(f, cls)])


def _build(f: Facts, cls: str) -> Iterator[str]:
    if cls not in _OF_A_BUILD or f.framework not in _BY_PIP or not f.compute or embedded(f):
        return
    advice = compat.recommend_for(_situation(f), f.compat)
    build = advice.framework
    driver = advice.driver
    never = advice.possible is False or (driver and driver.possible is False)
    if build and build.command and not never:
        cuda = f" (CUDA {build.cuda})" if build.cuda else ""
        what = f"{build.name} {build.version}{cuda}"
        told = {"what": what, "command": f"python -m {build.command}"}
        if driver and driver.enough is False:
            yield say("explain.build-with-driver", driver=driver.minimum, **told)
        else:
            yield say("explain.build-that-fits", **told)


def _driver(f: Facts, cls: str) -> Iterator[str]:
    last = compat.last_driver_branch(f.compat, f.compute)
    if cls in _OF_A_DRIVER and last is not None:
        yield say("explain.last-driver", branch=str(last))


def _situation(f: Facts) -> Situation:
    """The computer that the text tells of."""
    # Where the system is unknown, PyTorch's command for Windows does on each: it names an index.
    arm = f.arm or compat.meant(f.compat, f.gpu).arm
    on_windows = f.os == "windows" or (not (f.os or arm) and f.framework == "pytorch")
    family: Family = "windows" if on_windows else "linux"
    of_driver = driver_family(f)
    cuda = version_text(f.driver_cuda)
    # Of a driver whose CUDA alone is known, the first that runs it has to do.
    least = compat.driver_floor(f.compat, cuda, of_driver) if cuda else ""
    driver = version_text(f.driver) or least
    return Situation(
        family=family,
        platform=compat.platform_name(family, arm=arm),
        driver_family=of_driver,
        computes=(f.compute,),
        driver=driver,
        has_driver=True if driver else None,
        cuda=cuda or compat.cuda_of_driver(f.compat, driver, of_driver),
        python=version_text(f.python[:2]),
        framework=f.framework,
    )
