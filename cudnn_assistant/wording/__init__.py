"""Words for people: every text about a finding comes from here, in every language.

A finding has a code and facts; the tables have for each code a title, why it matters, what can
be done and how to go back, as sentences with named places for the facts. A sentence whose facts
are unknown is left out, so that nothing is said that isn't known.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple
from urllib.parse import urlsplit

from cudnn_assistant.codes import meaning
from cudnn_assistant.finding import (
    Automatic,
    Finding,
    Impossible,
    Manual,
    PutFirst,
    Remedy,
    Unknown,
    texts,
)
from cudnn_assistant.machine import SYSTEM, Machine
from cudnn_assistant.wording.language import N_, _, choose, install, ngettext
from cudnn_assistant.wording.products import PRODUCTS
from cudnn_assistant.wording.sentences import refusal, say
from cudnn_assistant.wording.stages import stage
from cudnn_assistant.wording.table import TABLE
from cudnn_assistant.wording.text import Text

__all__ = [
    "N_",
    "PRODUCTS",
    "TABLE",
    "Words",
    "_",
    "choose",
    "fill",
    "install",
    "ngettext",
    "refusal",
    "say",
    "stage",
    "text_of",
    "words",
]


class Words(NamedTuple):
    """What to say about one finding, in the language spoken now."""

    title: str
    """At most eight words; states the fact."""
    why: str
    fix: str
    """What we'll do, or what the person can do."""
    undo: str
    """How to go back; "" where there is nothing to go back from."""
    details: tuple[str, ...]
    """Evidence and codes, each with its plain meaning where it has one."""
    label_of_way_out: str
    """Words for the button that helps; "" where the way out is to review our changes."""


def words(finding: Finding, machine: Machine) -> Words:
    """The words for a finding on a machine. Never raises for a finding of ours."""
    text = text_of(finding, machine)
    facts = _facts(finding, machine)
    return Words(
        title=next((t for t in _filled(_alternatives(text.title), facts)), finding.code),
        why=" ".join(_filled(text.why, facts)),
        fix=" ".join([*_filled(text.fix, facts), *_closing(finding)]),
        undo=_undo(finding, " ".join(_filled(text.undo, facts))),
        details=tuple(_details(finding)),
        label_of_way_out=_(text.way_out) or _way_out(finding),
    )


def text_of(finding: Finding, machine: Machine) -> Text:
    """The table's entry: the most special one of "code:remedy@system", … , "code"."""
    family = machine.os.family
    kind = type(finding.remedy).__struct_config__.tag
    if _for_the_loader(finding.remedy):
        # The same as by hand, but done and undone by us.
        kind = "manual"
    if _from_archive(finding):
        whole = TABLE.get(f"{finding.code}@{family}", TABLE[finding.code])
        fix = (*_ARCHIVE, _THEN[family])
        return whole._replace(fix=fix, undo=(), way_out=N_("Open NVIDIA's download"))
    for special in (f":{kind}@{family}", f":{kind}", f"@{family}"):
        if finding.code + special in TABLE:
            return TABLE[finding.code + special]
    return TABLE.get(finding.code, Text("trial", finding.code, (), ()))


_ARCHIVE = (
    N_("Download {archive} from NVIDIA and unpack it."),
    N_(
        "Download {old_release} from NVIDIA's archive of older releases (NVIDIA asks for an"
        " account) and unpack it."
    ),
)
_THEN = {
    "windows": N_(
        "Copy what is in its folders bin, include and lib into the folders of the same names of"
        " your CUDA, and check again."
    ),
    "linux": N_("Move its folder to /opt and check again: we then help with the settings."),
}
_SUFFIXES = ("/cudnn-archive", ".zip", ".tgz", ".xz")


def _from_archive(finding: Finding) -> bool:
    """The person fetches an old cuDNN that we may not fetch for them."""
    remedy = finding.remedy
    return isinstance(remedy, Manual) and remedy.link.endswith(
        ("/cudnn-archive", ".zip", ".tgz", ".xz")
    )


def _for_the_loader(remedy: Remedy) -> bool:
    """A folder goes on the loader's own list, which is the whole computer's (Linux)."""
    return isinstance(remedy, Automatic) and any(
        isinstance(e, PutFirst) and e.variable == "ld.so.conf" for e in remedy.edits
    )


def _alternatives(title: str | tuple[str, ...]) -> tuple[str, ...]:
    return (title,) if isinstance(title, str) else title


def _facts(finding: Finding, machine: Machine) -> dict[str, str]:
    system = "Windows" if machine.os.family == "windows" else "Linux"
    facts = {"system": system, **texts(finding.facts)}
    if "stage" in facts:
        facts["doing"] = stage(facts["stage"])
    if "gpu" in facts:
        facts["gpu"] = facts["gpu"].removeprefix("NVIDIA ")
    if _from_archive(finding) and isinstance(finding.remedy, Manual):
        name = finding.remedy.link.rsplit("/", 1)[-1]
        known = name != "cudnn-archive"
        facts |= {"archive": name} if known else {"old_release": facts.get("product", "cuDNN")}
    return facts


def _filled(sentences: Iterable[str], facts: Mapping[str, str]) -> list[str]:
    return [fill(_(s), facts) for s in sentences if _fields(s) <= facts.keys()]


def fill(template: str, facts: Mapping[str, str]) -> str:
    """A template with its named places filled; a fact's own braces stay as they are."""
    return template.format(**facts)


@cache
def _fields(template: str) -> frozenset[str]:
    return frozenset(name for _t, name, _s, _c in string.Formatter().parse(template) if name)


def _closing(finding: Finding) -> list[str]:
    """Sentences that follow from the kind of remedy alone."""
    remedy, said = finding.remedy, []
    if isinstance(remedy, Manual) and remedy.commands:
        count = len(remedy.commands)
        said.append(ngettext("The command is below.", "The commands are below.", count))
        if any(" -m venv " in command for command in remedy.commands):
            said.append(
                _("This Python belongs to the system, so that needs an environment of its own.")
            )
        if any("sudo " in command for command in remedy.commands):
            said.append(
                ngettext(
                    "It asks for your password, because it changes the whole computer.",
                    "They ask for your password, because they change the whole computer.",
                    count,
                )
            )
    if isinstance(remedy, Automatic):
        said += _administrators(remedy)
    return said


def _administrators(remedy: Automatic) -> list[str]:
    """Who is asked, and why, where a step is for all users."""
    if _for_the_loader(remedy):
        return [
            _("It asks for an administrator's password, because it changes the whole computer.")
        ]
    if any(isinstance(e, PutFirst) and e.scope == "machine" for e in remedy.edits):
        return [_("Windows asks for an administrator, somebody who may change the whole computer.")]
    return []


def _undo(finding: Finding, said: str) -> str:
    """How to go back. What we don't do ourselves can't be taken back by us."""
    if isinstance(finding.remedy, Automatic):
        return said or _("The old state is kept. Choose Undo at any time to put it back.")
    if isinstance(finding.remedy, Manual) and finding.remedy.installer is not None:
        return _("What an installer changes is taken back by the system, not by this program.")
    if isinstance(finding.remedy, Manual | Unknown):
        return _("We change nothing.")
    return ""


def _way_out(finding: Finding) -> str:
    remedy = finding.remedy
    if isinstance(remedy, Manual) and remedy.link:
        host = urlsplit(remedy.link).hostname or ""
        if host.endswith("nvidia.com"):
            return _("Open NVIDIA's page")
        return (
            _("Open Microsoft's page")
            if host.endswith("microsoft.com")
            else _("Open the instructions")
        )
    if isinstance(remedy, Manual) and remedy.commands:
        return _("Copy the commands")
    if isinstance(remedy, Unknown | Impossible):
        return _("Save report…")
    return ""


def _details(finding: Finding) -> Iterable[str]:
    if finding.subject != SYSTEM:
        yield _("Python environment: {path}").format(path=finding.subject)
    for line in finding.evidence:
        if line.startswith("test: "):
            yield _("The test stopped while {doing}.").format(doing=stage(line[6:]))
            continue
        symbol = line.split(" ", 1)[0]
        plain = meaning(symbol) if symbol.isupper() or symbol.startswith("cuda") else ""
        yield f"{line}: {_(plain)}" if plain else line
    if not finding.sure:
        yield _("This is likely, but not proven.")
