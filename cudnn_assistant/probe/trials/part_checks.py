"""cuDNN's own version checks, each with its outcome, though any of them may end its process.

Some are of parts that a convolution does without: a program that needs one stops at it. cuDNN's
parts are brought by whichever is called first, each over search paths of its own. With parts of
another version on the search list a convolution can run while a program whose first call is another
one stops (measured: 9.27 with a 9.5 in LD_LIBRARY_PATH answers 1002 or 3009).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from msgspec.structs import replace

from cudnn_assistant.compat import PartsTable, cudnn_majors, parts_of
from cudnn_assistant.envpath import search_list
from cudnn_assistant.machine import Family, PartCheck, readable
from cudnn_assistant.probe.running.children import Ended
from cudnn_assistant.probe.trials.child_environment import holds_cudnn
from cudnn_assistant.probe.trials.endings import classify
from cudnn_assistant.versions import major as major_of

Ask = Callable[[str], Ended]
"""Starts a further child, which asks what comes behind the call it is given, or that alone."""
Parts = Mapping[str, Mapping[str, Any]]
"""See :func:`part_lists`."""

_MOST = 8
"""Children; cuDNN 8 has six checks, cuDNN 9 four."""
_VERSION = "cudnnGetVersion"


def part_lists(table: PartsTable) -> dict[str, dict[str, Any]]:
    """What a child has to know of each major: checks with the part of each, and the small cuDNN."""
    return {
        str(major): {
            "checks": {
                f"cudnn{part.title().replace('_', '')}VersionCheck": part for part in one.checks
            },
            "needed": one.needed,
            "jit": one.jit,
            "beyond_jit": one.beyond_jit,
        }
        for major in cudnn_majors(table)
        for one in (parts_of(table, major),)
    }


def part_checks(ended: Ended, family: Family, ask: Ask) -> tuple[PartCheck, ...]:
    """What every check answered. A whole copy needs no further child: the first asked them all.

    A child that hung is the last: to wait for each of the others serves nobody.
    """
    found: dict[str, PartCheck] = {}
    for _ in range(_MOST):
        known = classify(ended, family)
        found |= {one.call: one for one in answered(ended)}
        if end := ended_in(known):
            found.setdefault(end.call, end)
        found |= {one.call: one for one in _with_reason(ended, found)}
        last_call = "" if known["status"] == "timed-out" else _last_call(known, found)
        if not last_call:
            break
        ended = ask(last_call)
    return tuple(found.values())


def answered(ended: Ended) -> list[PartCheck]:
    """What the calls answered that a child survived."""
    outcomes = (line["outcome"] for line in ended.lines if "outcome" in line)
    return [
        PartCheck(
            call=one["call"],
            status="status-code" if one["code"] else "ok",
            code=one["code"] or None,
            detail=readable(one.get("detail", "")),
        )
        for one in outcomes
    ]


def _with_reason(ended: Ended, found: dict[str, PartCheck]) -> Iterator[PartCheck]:
    """Checks that ended an earlier child, with what the loader says of their parts."""
    for line in ended.lines:
        if "refused" in line and (one := found.get(line["refused"]["call"])):
            said = readable(line["refused"]["detail"])
            yield replace(one, detail=f"{one.detail}; {said}")


def ended_in(known: Mapping[str, Any]) -> PartCheck | None:
    """The check that the child did not survive."""
    call = known.get("call", "")
    if call not in known.get("planned", ()) or known["status"] in ("ok", "status-code"):
        return None
    late = known["status"] == "timed-out"
    return PartCheck(
        call=call,
        status="timed-out" if late else "crashed",
        code=known.get("code"),
        detail=readable(known.get("detail", "")),
    )


def _last_call(known: dict[str, Any], found: dict[str, PartCheck]) -> str:
    """The call behind which there are checks that nobody has asked yet; "" when all were."""
    if known["stage"] == "version":
        return _VERSION
    planned = known.get("planned", [])
    asked = [name for name in planned if name in found]
    return asked[-1] if asked and asked[-1] != planned[-1] else ""


def ended_in_spare_part(known: Mapping[str, Any], parts: Parts) -> PartCheck | None:
    """The call that a test did not survive, where it is about a part that it can do without."""
    end = ended_in(known)
    of_major = parts.get(str(major_of(known.get("version", ""))), {})
    part = of_major.get("checks", {}).get(end.call) if end else None
    return end if part and part not in of_major["needed"] else None


def others_are_searched(environment: Mapping[str, str], family: Family, loaded: str) -> bool:
    """Whether the list of folders leads to files of another cuDNN than the one that was loaded."""
    home = os.path.dirname(os.path.realpath(loaded))
    _name, entries = search_list(environment, family)
    return any(holds_cudnn(entry) and os.path.realpath(entry) != home for entry in entries)


def refused_first_calls(
    known: Mapping[str, Any], parts: Parts, family: Family, ask: Ask
) -> Iterator[PartCheck]:
    """Calls that stop a program which makes them first; each is made in a child of its own."""
    of_major = parts.get(str(major_of(known.get("version", ""))), {})
    calls = list(of_major.get("checks", ()))
    with ThreadPoolExecutor(max(len(calls), 1)) as threads:
        for ended in threads.map(ask, calls):
            end = ended_in(classify(ended, family))
            found = [end] if end else answered(ended)
            yield from (one for one in found if one.status != "ok")
