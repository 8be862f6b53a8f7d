# ruff: noqa: T201
"""How often explain names the right cause, over labelled cases; and how long hostile logs take.

    python tests/bench/bench_explain.py CASES [CASES …] [--misses] [--half A|B]
    python tests/bench/bench_explain.py resources/errors/reports.jsonl
    python tests/bench/bench_explain.py --time 50

A case is a YAML file as described in the cases' README, or a line of the product's own table of
reports. Three ways of asking are measured: "text" (the log alone), "named" (with gpu, driver, cuda,
cudnn, python, framework, os) and "all" (with every fact of the case). A thread's own line
of the table is left out with all of its project, but the learned words have seen it: what they do
for projects that are new to them, and what the numbers shown are worth, ``python -m
installer.words --cross`` tells. ``tests/explain/laid_aside*.jsonl`` were never learned from.

What is honest about the figures. The shown cases had all been read before the first line of
this package was written. All other threads of the table were gathered and labelled without looking
at this package, and each set was measured once before its misses were looked at:

    first right / among the first three, in %       text      named     all
    patterns and rules alone, seven sets (361)      53 / 77   65 / 84   70 / 87
    the same, 156 threads chosen evenly by class    51 / 69   56 / 72   59 / 74
    with 819 reports, 102 threads of 102 projects   62 / 79   65 / 86   71 / 87
    the same 102, with learned words as well        68 / 86   75 / 89   78 / 94
    with 1,458 reports, 156 threads of other kinds  63 / 80   71 / 88   73 / 91
    the same 156, words learned on top of the rest  65 / 83   76 / 92   80 / 95
    of these the 73 chosen evenly by class          71 / 88   84 / 97   86 / 97
    64 more, described in a sentence, seldom quoted 59 / 67   72 / 83   73 / 81

On the table cut in ten by projects, each tenth answered by what the others taught (silence counts
as a miss), and on two sets that were laid aside, labelled before the first run and measured
once. The first was found by searching for messages, which mostly say themselves what is wrong; the
second by searching for what helped, 38 of its 51 threads in projects that nothing knows:

    1,680 threads, leave-project-out                70 / 88   80 / 92   84 / 94
    of these the 631 that no pattern was written for 66 / 84  76 / 89   80 / 91
    65 threads of 65 projects laid aside            97 / 100  98 / 100  98 / 100
    of these the 20 that aren't CUDA's              100       100       100
    51 more threads laid aside                      78 / 94   86 / 96   86 / 96
    the same 51 by the table of today               75 / 94   86 / 94   86 / 94
    of these the 17 that aren't CUDA's              100       100       100

    first remedy would help, leave-project-out      71        80        83
    the same where the answer is clear              86        86        88
    the same of the 51 laid aside                   73        82        82
    where the answer is clear                       88        89        89

What helped is told by the thread for 72 of the 1,680 and for all of the 51; for the others it is
what mends their confirmed cause (``installer/teaching/remedies.toml``), so that mostly the cause
decides there. Of 316 messages that are about something else, each judged by what the others
taught, 66 % get no cause and 95 % no remedy; before, with limits set by hand, 66 others of that
kind got a remedy in 38 of 132 ways of asking, now in 24, half of them rightly.

A bootstrap over projects gives two points either way to each figure of the 1,680, and one to what
a change gains. That the last one gained is sure only with all facts (1.4 and 0.9).

The voices one by one, cut in three and before reports were compared by letters, with an answer to
every text:

    patterns and rules                              68 / 85   76 / 89   81 / 92
    similar reports                                 55 / 77   57 / 78   59 / 79
    words                                           61 / 82   70 / 88   72 / 90
    patterns, rules and reports                     70 / 87   78 / 91   82 / 94
    patterns, rules and words                       69 / 87   80 / 93   84 / 95
    reports and words                               62 / 82   71 / 88   72 / 90
    all                                             70 / 88   81 / 93   84 / 96

Of the threads that no pattern was written for, reports add 1.4, 1.6 and 0.7 to the first; compared
by letters they alone are right in 58, 61 and 61 of all. Pairs of words, pairs of framework and
message, weights of the voices learned with the words, other strengths of holding weights near zero,
a larger share for classes that are accepted as well, and the loudness of the patterns as a sign of
what a text is about gave nothing and were left out.

50 MB of near-misses take 5 seconds and 175 MB.

After that a set joins the table, so what it gives today is no forecast. Many threads hold only a
status code or a bare "DLL load failed"; such a text has several causes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from cudnn_assistant.explain import answer_for, explain
from cudnn_assistant.explain.cases import read_case
from cudnn_assistant.explain.word_model import load_words
from installer.remedies import accepted, advised

FOREIGN = frozenset(
    (
        "index-out-of-range",
        "tensors-on-two-devices",
        "shape-or-type-mismatch",
        "python-packages-conflict",
        "page-file-small",
        "process-killed",
        "shared-memory-small",
        "data-loader-worker",
        "model-file-missing",
    )
)
"""What people take for cuDNN's or CUDA's and isn't."""
NAMED = ("gpu", "driver", "cuda", "cudnn", "python")
WAYS = ("text", "named", "all")


def cases(places: list[str], half: str) -> Iterator[Mapping[str, Any]]:
    """Cases of the folders (a file each) and files (a list each), all of them or one half."""
    found: list[Mapping[str, Any]] = []
    for place in map(Path, places):
        files = sorted(place.glob("*.yaml")) if place.is_dir() else [place]
        for file in files:
            found += read_cases(file)
    return (case for number, case in enumerate(found) if not half or "AB"[number % 2] == half)


def read_cases(file: Path) -> list[Mapping[str, Any]]:
    """A YAML file of one case or a list, or the product's own table of reports."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".jsonl":
        return [plain(json.loads(line)) for line in text.splitlines()]
    read = yaml.safe_load(text)
    return read if isinstance(read, list) else [read]


def plain(report: Mapping[str, Any]) -> Mapping[str, Any]:
    """A report of the table in the form of a case."""
    names = {"id": "thread", "root_cause": "cause", "also_accept": "also"}
    case = {"framework": "", "os": "", **report}
    return case | {new: report.get(old) for new, old in names.items()}


def thread(case: Mapping[str, Any]) -> str:
    """The thread of a case: it must not speak for itself."""
    source = case.get("source")
    return f"{source['repo']}#{source['thread']}" if source else str(case["id"])


def given(case: Mapping[str, Any], way: str) -> dict[str, str]:
    if way == "text":
        return {}
    facts = {k: str(v) for k, v in (case.get("facts") or {}).items()}
    named = {k: v for k, v in facts.items() if k in NAMED}
    named |= {"framework": str(case["framework"]), "os": str(case["os"])}
    return named if way == "named" else {**facts, **named}


class Judged(NamedTuple):
    """An answer beside the truth."""

    case: Mapping[str, Any]
    place: int
    """Of the first accepted class: 0 = best, 99 = not named."""
    helps: bool
    """Whether the first cause's advice helps."""
    clear: bool
    named: list[str]

    @property
    def harmless(self) -> bool:
        """Whether the cause was named, or nothing was advised."""
        return self.place == 0 or not self.clear


def judged(case: Mapping[str, Any], way: str) -> Judged:
    project = thread(case).partition("#")[0]
    asked = read_case(case["log"], given(case, way), leave_out=project)
    answer = answer_for(asked, load_words())
    right = {case["root_cause"], *(case.get("also_accept") or [])}
    places = [n for n, c in enumerate(answer.causes) if c.cls in right]
    named = [f"{c.cls} {c.score:.2f}" for c in answer.causes]
    mends = accepted(sorted(right), str(case.get("helped") or ""), asked.facts.framework)
    codes = [c.code for c in answer.causes[:1]]
    helps = any(mends.intersection(advised(code, asked.facts)) for code in codes)
    return Judged(case, (places or [99])[0], helps, answer.clear, named)


def accuracy(folders: list[str], half: str, misses: bool) -> None:
    for way in WAYS:
        every = [judged(case, way) for case in cases(folders, half)]
        foreign = [one for one in every if one.case["root_cause"] in FOREIGN]
        clear = [one for one in every if one.clear]
        print(
            f"{way:6} first {share(one.place == 0 for one in every)}   "
            f"first three {share(one.place < 3 for one in every)}"
        )
        print(f"       first remedy would help {share(one.helps for one in every)}")
        print(f"       where one is given: right {share(one.place == 0 for one in clear)}")
        print(f"       where one is given: helps {share(one.helps for one in clear)}")
        print(f"       not CUDA's: {share(one.harmless for one in foreign)} right or no advice")
        for one in every:
            if misses and one.place:
                case = one.case
                print(f"   {one.place:2} {case['id']}: {case['root_cause']}  <-  {one.named[:4]}")


def share(right: Iterable[bool]) -> str:
    every = list(right)
    return f"{sum(every)}/{len(every)} = {sum(every) / max(1, len(every)):.0%}"


NEAR_MISSES = (
    "Could not load dynamic librar 'cudart64_100.dll; dlerror cudart64_100 dll not foun",
    "NVRM: Xid (PCI:0000:01:00: seventynine, pid=1, name=python cudnn cublas nvidia",
    "CUDNN_STATUS_INTERNAL_ERRO CUDNN_STATUS_NOT_INITIALIZE cuda out of memor",
    "RuntimeError: cuDNN versio incompatibility: PyTorch was compiled agains (8, 3, 2",
)


_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def hostile(megabytes: int) -> str:
    """Near-misses that differ in letters, so that no line can be skipped as seen before."""
    size, parts = megabytes * 1_000_000, []
    for number in range(10**9):
        word = number.to_bytes(4, "big").hex().translate(_LETTERS)
        parts.append(f"{word} {NEAR_MISSES[number % len(NEAR_MISSES)]}")
        size -= len(parts[-1]) + 1
        if size < 0:
            return "\n".join(parts)
    raise AssertionError


def speed(megabytes: int) -> None:
    for size in (megabytes // 10, megabytes):
        text = hostile(size).encode()
        start = time.perf_counter()
        answer = explain(text)
        print(
            f"{size} MB of near-misses: {time.perf_counter() - start:.1f} s, "
            f"{len(answer.lines)} lines"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--half", default="", choices=("", "A", "B"))
    parser.add_argument("--time", type=int, default=0)
    options = parser.parse_args()
    if options.cases:
        accuracy(options.cases, options.half, options.misses)
    if options.time:
        speed(options.time)
    return 0


if __name__ == "__main__":
    sys.exit(main())
