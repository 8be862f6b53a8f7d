"""What explain is taught: public reports in several ways of asking, phrases, and everything else.

The reports are ``resources/errors/reports.jsonl``; ``teaching`` holds threads whose cause nobody
confirmed, but two readers named independently, and what was made up: phrases and notes, whole
accounts, and texts about everything else.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import yaml

from cudnn_assistant import causes, places
from cudnn_assistant.explain.cases import read_case
from cudnn_assistant.explain.causes import advising, closest, situations
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.facts import EXAMPLES, Facts
from cudnn_assistant.explain.ranking import without_words
from cudnn_assistant.explain.similar_reports import Report, read_reports
from cudnn_assistant.explain.understood import only_unnamed_file

PARTS = 10
"""Parts that the reports are cut in, by their projects."""
_STUDIED = 0.4
"""What a report counts for that patterns were written for: what they say of it is no measure."""
_WRITTEN = 1.0
"""What a phrase or note counts for that its writer made up; it is there so that a plain message
keeps its plain cause, whatever the threads were that began with it."""
_MADE_UP = 0.7
"""What an account counts for that was made up whole; 0.3 to 1 gave the same within half a point."""
_OTHER = 0.4
"""What a thread counts for that two readers call "other": searches bring more of these than a
program is asked that is known for GPUs."""
NOT_CUDAS = frozenset(
    [
        *("index-out-of-range", "tensors-on-two-devices", "shape-or-type-mismatch"),
        *("python-packages-conflict", "page-file-small", "process-killed", "shared-memory-small"),
        *("data-loader-worker", "model-file-missing", "model-saved-on-gpu", "disk-or-network"),
        *("system-library-missing", "cpu-too-old", "gpus-can-not-talk"),
    ]
)
"""What people take for cuDNN's or CUDA's and isn't."""
_TEACHING = Path(__file__).parent / "teaching"
_ACCOUNTS = _TEACHING / "accounts.jsonl"
_THREADS = _TEACHING / "threads.jsonl"


class Lesson(NamedTuple):
    """A text as it might be asked, and the right answer."""

    text: str
    given: Mapping[str, str]
    cause: str
    """"" for what isn't about a GPU's trouble."""
    also: Sequence[str] = ()
    project: str = ""
    """Whose reports may not vote on it."""
    share: float = _WRITTEN
    helped: str = ""
    """Kind of remedy that the thread says helped."""
    way: str = ""
    """"text", "named" or "all" of what was known; "" for what was made up."""
    whole: bool = False
    """A whole account that was made up: what somebody pasted, and what they knew."""
    judged: bool = False
    """Nobody confirmed the cause: two readers named it."""


def ways(report: Report) -> dict[str, dict[str, str]]:
    """What may be known beside the message: nothing, what has a name of its own, everything."""
    known = {key: text for key, text in report.known.items() if text}
    named = {key: text for key, text in known.items() if key in EXAMPLES}
    return {"text": {}, "named": named, "all": known}


def judged_threads() -> Sequence[Report]:
    """``teaching/threads.jsonl``: threads as they came, with the cause that readers named. They
    teach words, and are shown to nobody as cases."""
    return read_reports(_THREADS.read_bytes())


def lessons_of(some: Iterable[Report], *, judged: bool = False) -> Iterator[Lesson]:
    """Each report in three ways."""
    for one in some:
        count = _STUDIED if one.studied else _OTHER if judged and one.cause == "other" else 1.0
        for way, facts in ways(one).items():
            yield Lesson(
                one.log, facts, one.cause, one.also, one.project, count, one.helped, way,
                judged=judged,
            )  # fmt: skip


def taught() -> Iterator[Lesson]:
    """What stands in ``installer/teaching``."""
    for cause, phrases in _read("phrases").items():
        for text in phrases:
            yield Lesson(text, {}, cause)
    for cause, notes in _read("notes").items():
        for framework, system, text, note in notes:
            yield Lesson(text, Account(cause, text, framework, system, note).known, cause)
    for texts in _read("elsewhere").values():
        yield from (Lesson(text, {}, "") for text in texts)
    for one in accounts():
        for given in (one.known, {}):
            yield Lesson(one.log, given, one.cause, share=_MADE_UP, whole=True)


class Account(msgspec.Struct, forbid_unknown_fields=True):
    """A report as people write them, made up by somebody who knows the field, not copied."""

    cause: str
    log: str
    framework: str = ""
    os: str = ""
    note: str = ""

    @property
    def known(self) -> dict[str, str]:
        """What is known beside the message."""
        every = {"framework": self.framework, "os": self.os, "path_notes": self.note}
        return {key: text for key, text in every.items() if text}


def accounts() -> list[Account]:
    """``teaching/accounts.jsonl``."""
    return msgspec.json.Decoder(Account).decode_lines(_ACCOUNTS.read_bytes())


def _read(name: str) -> dict[str, list[Any]]:
    read = yaml.safe_load((_TEACHING / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(read, dict)
    return read


class Asked(NamedTuple):
    """What is learned from of a lesson; a whole case is large."""

    lesson: Lesson
    signs: frozenset[str]
    signs_of_text: frozenset[str]
    said: dict[str, float]
    """What patterns, rules and reports say."""
    mended: frozenset[str]
    """Classes whose advice would help."""
    unnamed: bool
    """Whether all that the text tells is that some file is absent."""
    untold: frozenset[str]
    """Classes that nothing speaks for but lines that alone don't tell why."""
    told: bool
    """Whether some line of the text is known to tell something."""


def ask(lesson: Lesson) -> Asked:
    """Read a lesson as explain would, without the reports of its own project."""
    case = read_case(lesson.text, lesson.given, leave_out=lesson.project)
    helps = accepted((lesson.cause, *lesson.also), lesson.helped, case.facts.framework)
    return Asked(
        lesson,
        frozenset(case.signs),
        frozenset(case.signs_of_text),
        without_words(case),
        frozenset(
            cls
            for cls in rules().prior
            if helps.intersection(advised(closest(cls, case.evidence), case.facts))
        ),
        only_unnamed_file(case.facts, case.hits),
        frozenset(filter(case.untold, rules().prior)),
        bool(case.hits),
    )


@cache
def remedies() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Kinds of remedies: what the words of causes advise, and what mends a class of causes."""
    return tomllib.loads((_TEACHING / "remedies.toml").read_text(encoding="utf-8"))


def advised(code: str, facts: Facts) -> Sequence[str]:
    """The kinds of remedy in the words of a cause, as they are said for these facts."""
    code = advising(facts, code, causes.cause(code).cls)
    form = next((form for form in situations(facts) if form in causes.cause(code).form), "")
    advice = remedies()["advice"]
    return advice.get(f"{code}@{form.removeprefix('general@')}", advice[code])


def accepted(classes: Iterable[str], helped: str, framework: str) -> set[str]:
    """What helped, as the thread tells; else whatever mends one of these classes."""
    if helped:
        return {helped}
    mends = remedies()["implied"]
    return {kind for cls in classes for kind in mends.get(f"{cls}@{framework}", mends.get(cls, ()))}


def digest() -> str:
    """What tells these lessons from any others."""
    table = places.resource("errors/reports.jsonl")
    files = [table, *sorted(_TEACHING.glob("*.yaml")), _ACCOUNTS, _THREADS]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def part_of(lesson: Lesson) -> int:
    """The part that a lesson belongs to, with all of its project; -1 for what is always taught."""
    name = lesson.project.lower() if lesson.cause else lesson.text
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % PARTS if name else -1
