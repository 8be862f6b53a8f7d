"""Parts of cuDNN that a convolution does without: a program that needs one stops at it.

cuDNN's parts are brought by whichever is called first, each over search paths of its own. With
parts of another version on the search list a convolution can run while a program whose first call
is another one stops (measured: 9.27 with a 9.5 in LD_LIBRARY_PATH answers 1002 or 3009).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from cudnn_assistant.envpath import search_list
from cudnn_assistant.machine import Family, PartCheck
from cudnn_assistant.probe.running.children import Ended
from cudnn_assistant.probe.trials.child_environment import holds_cudnn
from cudnn_assistant.probe.trials.endings import classify
from cudnn_assistant.probe.trials.part_checks import answered, ended_in
from cudnn_assistant.versions import major

Parts = Mapping[str, Mapping[str, Any]]
"""See :func:`part_lists`."""


def ended_in_spare_part(known: Mapping[str, Any], parts: Parts) -> PartCheck | None:
    """The call that a test did not survive, where it is about a part that it can do without."""
    end = ended_in(known)
    of_major = parts.get(str(major(known.get("version", ""))), {})
    part = of_major.get("checks", {}).get(end.call) if end else None
    return end if part and part not in of_major["needed"] else None


def others_are_searched(environment: Mapping[str, str], family: Family, loaded: str) -> bool:
    """Whether the list of folders leads to files of another cuDNN than the one that was loaded."""
    home = os.path.dirname(os.path.realpath(loaded))
    _name, entries = search_list(environment, family)
    return any(holds_cudnn(entry) and os.path.realpath(entry) != home for entry in entries)


def refused_first_calls(
    known: Mapping[str, Any], parts: Parts, family: Family, ask: Callable[[str], Ended]
) -> Iterator[PartCheck]:
    """Calls that stop a program which makes them first; each is made in a child of its own."""
    of_major = parts.get(str(major(known.get("version", ""))), {})
    calls = list(of_major.get("checks", ()))
    with ThreadPoolExecutor(max(len(calls), 1)) as threads:
        for ended in threads.map(ask, calls):
            end = ended_in(classify(ended, family))
            found = [end] if end else answered(ended)
            yield from (one for one in found if one.status != "ok")
