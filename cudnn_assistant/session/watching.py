"""What a watched program loaded, held against what is known of this computer."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from cudnn_assistant.causes import cause
from cudnn_assistant.child.mapped import of_cudnn
from cudnn_assistant.explain import Explanation
from cudnn_assistant.explain.reading import lines_of
from cudnn_assistant.machine import Machine, Struct
from cudnn_assistant.probe.files.catalogue import MAIN, version_in_name
from cudnn_assistant.probe.watch import Watched, watch, watch_running
from cudnn_assistant.session.checkup import Checkup
from cudnn_assistant.trouble import Misuse
from cudnn_assistant.wording import listed, prose, refusals, say, symbol_means
from cudnn_assistant.wording.findings import words

_OWN_WORDS = re.compile(
    r"(?im)^(?:traceback \(most recent call last\):\n(?:[ \t].*\n)*|usage: .*\n(?:.*\n)*)(\S.*)"
)
"""Of an exception the line behind its places; behind how to use a program the last line of all."""


_Explain = Callable[[str, Checkup | None, dict[str, str]], Explanation]


class LoadedCopy(Struct, kw_only=True):
    """Files of cuDNN that a program took from one folder."""

    folder: str
    version: str = ""
    files: tuple[str, ...] = ()
    main: bool = False
    """The main library is among them: this is the cuDNN that the program asked for."""


class Fault(Struct, kw_only=True):
    """What is wrong with a copy of cuDNN that a program took."""

    code: str
    title: str
    why: str
    fix: str


class WatchResult(Watched, kw_only=True):
    """One run of the person's program; what it ``said`` last only where that is explained."""

    copies: tuple[LoadedCopy, ...] = ()
    explanation: Explanation | None = None
    """What its end means; where it stopped, and said something or it is clear without. Of one that
    ran to its end what it said on its way: many frameworks go on without the GPU."""
    faults: tuple[Fault, ...] = ()
    """What is wrong with the copies that it took; where it stopped."""
    own_words: str = ""
    """With which it failed, where they have nothing to do with CUDA."""

    @property
    def unexplained(self) -> bool:
        """Whether it stopped and nothing tells why."""
        clear = self.explanation is not None and self.explanation.clear
        known = clear or self.stopped or self.faults or self.refusals or self.own_words
        return bool(self.exit_code) and not known


def run(command: Sequence[str], pid: int, *, exact: bool, stop: threading.Event | None) -> Watched:
    """Watch a command to its end, or look at a running program. Raises :class:`Misuse`."""
    if pid:
        seen = watch_running(pid)
        if seen is None:
            raise Misuse("program-not-seen", pid=str(pid))
        return seen
    try:
        return watch(command, exact=exact, stop=stop)
    except OSError as trouble:
        reason = refusals.cause(trouble)
        raise Misuse("program-not-started", command=command[0], why=reason) from trouble


def by_folder(paths: Sequence[str]) -> dict[str, list[str]]:
    """The names of cuDNN's files among ``paths``, by their folders.

    Windows tells a path in the letters in which a program's PATH has it.
    """
    folders: dict[str, list[str]] = {}
    for folder, name in map(os.path.split, of_cudnn(list(paths))):
        folders.setdefault(os.path.realpath(folder), []).append(name)
    return folders


def concerning(copies: Sequence[LoadedCopy], checkup: Checkup) -> Checkup:
    """The checkup without what is no trouble of this program's: where its cuDNN is searched."""
    out = "cudnn-not-on-path" if any(copy.main for copy in copies) else ""
    kept = tuple(f for f in checkup.findings if cause(f.code).cls != out)
    return replace(checkup, findings=kept)


def _last_words(watched: Watched) -> str:
    """What it, the loader and, where its code says something, the system said of its end."""
    ended = f"exit code {_code(watched)}" if watched.end and not watched.stopped else ""
    return "\n".join(filter(None, (watched.said, *watched.refusals, ended)))


def _worth_telling(watched: Watched, meaning: Explanation) -> bool:
    """Whether what its last words mean is more than what is said of its end already."""
    said = meaning.clear or watched.said.strip() or watched.refusals
    return bool(meaning.lines if watched.stopped else said)


def _went_without(said: str, copies: Sequence[LoadedCopy], explain: _Explain) -> bool:
    """Whether a program that ran to its end told that it did without cuDNN; one that used it has
    what it needs. By its words alone: what the computer lacks makes no message of them."""
    if any(copy.main for copy in copies):
        return False
    alone = explain(said, None, {})
    return alone.clear and bool(alone.lines)


def _own_words(watched: Watched, meaning: Explanation) -> str:
    """The line of an exception or of wrong use with which it failed; "" where more is known."""
    said = "\n".join(lines_of(watched.said))
    found = [*_OWN_WORDS.finditer(said)]
    more = meaning.lines or watched.end or watched.stopped
    return found[-1][1] if found and not more else ""


def _code(ended: Watched) -> str:
    """An exit code as people know it: "139 (SIGSEGV)", "0xC0000135 (STATUS_DLL_NOT_FOUND)"."""
    code = ended.exit_code or 0
    known = f"0x{code:X}" if ended.end.startswith(("STATUS", "VCPP")) else str(code)
    return f"{known} ({ended.end})" if ended.end else known


def facts_of(copies: Sequence[LoadedCopy]) -> dict[str, str]:
    """What is known of a program beside its words: the cuDNN that it has really loaded."""
    return {"cudnn": next((copy.version for copy in copies if copy.main), "")}


def result(watched: Watched, seen: Checkup, explain: _Explain) -> WatchResult:
    """What was seen, with the versions of the copies as the look found them, and what it means."""
    copies = loaded_copies(watched.libraries, seen.machine)
    checkup, said = concerning(copies, seen), _last_words(watched)
    meaning, own_words = None, ""
    if said.strip() and (watched.ended_early or _went_without(said, copies, explain)):
        found = explain(said, checkup, facts_of(copies))
        if not watched.ended_early or _worth_telling(watched, found):
            own_words = _own_words(watched, found)
            # What its own words are about needs no explanation of CUDA.
            meaning = None if own_words else found
    return replace(
        msgspec.convert(watched, WatchResult, from_attributes=True),
        seconds=round(watched.seconds, 3),
        copies=copies,
        explanation=meaning,
        faults=tuple(_faults(copies, checkup)) if watched.ended_early else (),
        said=said if meaning is not None else "",
        own_words=own_words,
    )


def _faults(copies: Sequence[LoadedCopy], checkup: Checkup) -> Iterator[Fault]:
    used = {copy.folder for copy in copies}
    for one in checkup.findings:
        if one.facts.get("folder") in used:
            said = words(one, checkup.machine)
            yield Fault(code=one.code, title=said.title, why=said.why, fix=said.fix)


def told(seen: WatchResult) -> list[str]:
    """What was seen, a sentence each; why it stopped says the explanation."""
    said = [] if seen.exit_code is None else [say("watching.ended-well")]  # or it runs on
    if seen.explanation and not seen.ended_early:
        said = [say("watching.ended-with-a-message")]
    if seen.ended_early:
        said = [prose((say("watching.ended", code=_code(seen)), _means(seen)))]
    if seen.crashed_in:
        said.append(say("watching.crashed-in", file=seen.crashed_in))
    main = [copy for copy in seen.copies if copy.main]
    parts = [copy for copy in seen.copies if not copy.main]
    said += [say("watching.used", version=c.version or "?", folder=c.folder) for c in main]
    said += [say("watching.parts", files=listed(c.files), folder=c.folder) for c in parts]
    if not seen.copies:
        said.append(say("watching.no-cudnn"))
    said += [prose((f"{one.title}.", one.why, one.fix)) for one in seen.faults]
    said += [say("watching.loader-said", said=text) for text in seen.refusals]
    if seen.own_words:
        said.append(say("watching.said", said=seen.own_words))
    if not seen.complete:
        said.append(say("watching.too-short"))
    if seen.unexplained:
        said.append(say("watching.not-even-asked" if seen.exact else "watching.unexplained"))
    return said


def _means(seen: WatchResult) -> str:
    """What its exit code means; "" for one of its own."""
    if seen.stopped_by_us:
        return say("watching.stopped")
    if seen.end == "SIGKILL" and seen.memory_ran_out is not None:
        return say(f"watching.memory-{'ran-out' if seen.memory_ran_out else 'was-left'}")
    return say("watching.stopped") if seen.stopped else symbol_means(seen.end)


def loaded_copies(paths: Sequence[str], machine: Machine) -> tuple[LoadedCopy, ...]:
    """cuDNN's files among ``paths`` by folder; the one with the main library first."""
    known = {copy.folder: copy.version for copy in machine.cudnns}
    found = [
        LoadedCopy(
            folder=folder,
            version=known.get(folder) or next(filter(None, map(version_in_name, names)), ""),
            files=tuple(names),
            main=any(main.fullmatch(name) for name in names for main in MAIN.values()),
        )
        for folder, names in by_folder(paths).items()
    ]
    return tuple(sorted(found, key=lambda copy: not copy.main))
