"""What a recommendation says, in words: one line for each part of the set and each reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from cudnn_assistant.causes import cause
from cudnn_assistant.compat import (
    Alternative,
    CudnnAdvice,
    DriverAdvice,
    FrameworkAdvice,
    Reason,
    Recommendation,
    Release,
    ToolkitAdvice,
    at_least,
)
from cudnn_assistant.wording.findings import filled
from cudnn_assistant.wording.numbers import listed, number, prose
from cudnn_assistant.wording.sentences import rows, say


class AdviceRow(msgspec.Struct, frozen=True):
    """One line of a recommendation."""

    mark: Literal["ok", "note", "bad", "unknown"]
    label: str
    text: str
    link: str = ""
    """The address in it, where there is one to fetch something from."""
    reason: bool = False
    """It says why the set is that one, for who asks."""


_FACTS = ("compute", "needs", "present", "python", "cuda", "wanted", "names", "instead", "system")
_UNKNOWN = dict.fromkeys(_FACTS, "?")


def reason(one: Reason) -> str:
    """One reason as a sentence. One that is also a cause has its words in the cause's row."""
    about = _named(one.release) if one.release else one.about
    named = f": {about}" if about else ""
    if f"maker-{one.about}" in rows("recommendation"):
        return say(f"recommendation.maker-{one.about}")
    known = {n: fact if isinstance(fact, str) else listed(fact) for n, fact in one.facts.items()}
    facts = {**_UNKNOWN, **known, "about": about, "named": named}
    if one.code in rows("reasons"):
        return say(f"reasons.{one.code}", **facts)
    return prose(filled(one.code, cause(one.code).text("release").why, facts))


def _named(release: Release) -> str:
    if not release.cuda:
        return str(release)
    named = {"product": release.product, "version": release.version, "cuda": release.cuda}
    return " ".join(say("plan.product-for-cuda", **named).split())


def headline(found: Recommendation) -> str:
    """The answer in one sentence; where it isn't known, with the first thing that would tell."""
    if found.possible is False:
        return say("recommendation.cant-met-here")
    if found.possible:
        return say("recommendation.fits-together")
    what = reason(found.unknown[0]) if found.unknown else say("reasons.driver-unknown")
    return say("recommendation.not-known-what", what=what)


def lines(found: Recommendation) -> Iterator[AdviceRow]:
    """The whole recommendation, the set first, then why, then what isn't known."""
    yield from filter(None, (
        found.driver and _driver(found.driver),
        found.toolkit and _toolkit(found.toolkit),
        found.cudnn and _cudnn(found.cudnn),
    ))  # fmt: skip
    if found.framework:
        yield AdviceRow("ok", say("recommendation.framework"), _with_command(found.framework))
    if found.next_newer:
        yield AdviceRow("note", say("recommendation.why-not-newer"), reason(found.next_newer))
    for one in found.unmet:
        yield AdviceRow("bad", say("recommendation.not-met"), reason(one))
    for way in found.alternatives:
        yield AdviceRow("note", say("recommendation.instead"), alternative(way))
    for one in found.because:
        yield AdviceRow("ok", say("recommendation.why"), reason(one), reason=True)
    for one in found.ruled_out:
        if one != found.next_newer:
            # What is new is named to everybody.
            told = one.code == "not-reviewed"
            label = say("recommendation.why-not-newer" if told else "recommendation.ruled-out")
            yield AdviceRow("note", label, reason(one), reason=not told)
    for one in found.unknown:
        yield AdviceRow("unknown", say("recommendation.not-known"), reason(one))


def _driver(driver: DriverAdvice) -> AdviceRow:
    minimum, present, last = driver.minimum, driver.present, driver.last_branch
    ends = "" if last is None else "-ends"
    kind = {True: "enough", None: "needed"}.get(driver.enough, "install")
    if not minimum:
        key = "no-limit-known"
    elif ends and kind == "install" and at_least(present, minimum):
        key = "replace-by-branch"
    else:
        key = kind + ends
    text = say(f"recommendation.driver-{key}", present=present, minimum=minimum, last=last)
    return AdviceRow("ok" if driver.enough else "note", say("recommendation.driver"), text)


def _toolkit(toolkit: ToolkitAdvice) -> AdviceRow:
    if toolkit.present:
        text = say("recommendation.version-there", version=toolkit.present)
    else:
        version = toolkit.version or str(toolkit.cuda_major)
        text = say("recommendation.version-needed", version=version)
    return AdviceRow("ok" if toolkit.present else "note", say("recommendation.cuda"), text)


def _cudnn(cudnn: CudnnAdvice) -> AdviceRow:
    if cudnn.folder:
        key, place = "version-cuda-already-there-folder", cudnn.folder
    elif place := _source(cudnn):
        key = "version-cuda-source"
    else:
        key = "version-cuda-which-framework-brings"
    version, cuda = cudnn.full or cudnn.version, cudnn.cuda or cudnn.cuda_major
    facts = {"version": version, "cuda": cuda, "folder": place, "source": place}
    text = say(f"recommendation.{key}", **facts)
    link = cudnn.file.url if cudnn.file is not None and not cudnn.folder else ""
    return AdviceRow("ok", say("recommendation.cudnn"), text, link)


def _source(cudnn: CudnnAdvice) -> str:
    """The official file with its size, or the package."""
    if cudnn.file is None:
        return cudnn.requirement
    if not cudnn.file.size:
        return say("recommendation.url-size-unknown", url=cudnn.file.url)
    size = number(cudnn.file.size / 1e6)
    return say("recommendation.url-size-mb", url=cudnn.file.url, size=size)


def _with_command(advice: FrameworkAdvice) -> str:
    name = framework(advice)
    if not advice.command or advice.installed:
        return name
    return say("recommendation.name-with-command", name=name, command=advice.command)


def framework(advice: FrameworkAdvice) -> str:
    """The build of a framework by its requirement and index."""
    name = advice.requirement or f"{advice.name} {advice.version}"
    if advice.index:
        name = say("recommendation.name-from-own-index", name=name, index=advice.index)
    if advice.python:
        return say("recommendation.name-python", name=name, python=advice.python)
    return name


def alternative(way: Alternative) -> str:
    """Another way to the goal."""
    name = framework(way.framework) if way.framework else ""
    if way.way == "wsl2":
        return say("recommendation.wsl2-linux-inside-windows-name", name=name)
    if way.way != "framework":
        return say(f"recommendation.way-{way.way}", about=way.about)
    if way.price:
        price = say(f"recommendation.price-{way.price}")
        return say("recommendation.use-name-price", name=name, price=price)
    return say("recommendation.use-name", name=name)
