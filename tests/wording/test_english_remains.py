"""Nothing of ours stays English in another language: neither sentences in facts nor their codes."""

from __future__ import annotations

import ast
import re
import threading
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from machines.computers import COMPUTERS, NAMES, golden, thought

import cudnn_assistant
from cudnn_assistant import machine as facts
from cudnn_assistant.child.convolution_cases import CASES, JIT_CASES
from cudnn_assistant.machine import Gap, Machine, StageTime, Timing, Trial, Value, Variable
from cudnn_assistant.plan import Entry, Plan, SetVariable
from cudnn_assistant.plan.steps import StepState
from cudnn_assistant.probe.files.catalogue import libraries
from cudnn_assistant.report.compare import compare
from cudnn_assistant.report.log import write_log
from cudnn_assistant.report.text import write_report, write_short
from cudnn_assistant.wording import LANGUAGES, choose, convolution, in_words, met, told
from cudnn_assistant.wording.refusals import why, why_in_facts
from cudnn_assistant.wording.sentences import rows

PRODUCT = Path(cudnn_assistant.__file__).parent
OTHERS = sorted(LANGUAGES.keys() - {"en"})
WORDS = re.compile(r"(?<![\w./\\-])[a-z']{2,}(?: [a-z']{2,})+(?![\w./\\-])")
"""Two words or more in small letters, as no name has them."""
CODES = re.compile(
    r"\((?:machine|user|process)\)|, (?:machine|user|process): "
    r"|(?<!\w)(?:crashed|status-code|unloadable|timed-out) "
)
"""Where a setting is from, and how a test ended, as facts spell it."""
NOT_OURS = re.compile(
    # What loaders, drivers, kernels and frameworks said, and their settings as they are written.
    r"not found by the loader|cannot open shared object file|failed to map segment from .*"
    r"|(NVRM|Xid|Direct firmware).*|Loading of module .*|no reason given|The paging file.*"
    r"|version `?.* not found|\b[A-Z]\w+Error: [^」]*"
    r"|such file or directory|No module named|Could not locate zlibwapi.*"
    r"|blacklist nvidia|--gpus all"
)
NO_SENTENCES = {
    # Python's own words, and patterns.
    "No module named 'X7'", ": cannot open shared object file: No such file or directory",
    "access violation", "mapped instead: ",
    # Between the two runs of a change as the administrator: a code is what the person gets.
    "another kind of value", "read back another value",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    choose(["en"])


def remains(text: str) -> list[str]:
    """English of ours in a report; data for programs and commands aren't looked at."""
    text = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", text).replace("\\", "").replace("`", "")
    ours = [NOT_OURS.sub("", line) for line in text.splitlines()]
    return [found for line in ours for how in (WORDS, CODES) for found in how.findall(line)]


def sample() -> list[str]:
    """The first golden computer for each problem, and all of which something is unknown."""
    first = {code: name for name in reversed(NAMES) for code in COMPUTERS[name].expected}
    unread = (name for name in NAMES if golden(name).gaps)
    return sorted({*first.values(), *unread})


@pytest.mark.parametrize("begin", range(8))
def test_a_report_in_japanese_holds_no_english_of_ours(begin: int) -> None:
    choose(["ja"])
    left = {}
    for name in sample()[begin::8]:
        known, computer = thought(name), golden(name)
        # What a program printed is its own.
        quiet = tuple(msgspec.structs.replace(trial, output="") for trial in computer.trials)
        computer = msgspec.structs.replace(computer, trials=quiet)
        told_so = write_report(computer, known.findings, known.verdict)
        if found := remains(told_so + write_log(computer)):
            left[name] = found
    assert left == {}


def filled() -> dict[str, str]:
    """Each sentence that a look or a test writes into facts, with its places filled."""
    names = {name: set(re.findall(r"\{(\w+)\}", str(row))) for name, row in rows("met").items()}
    return {name: met(name, **dict.fromkeys(places, "X7")) for name, places in names.items()}


def codes() -> set[str]:
    """Every code that facts may hold where a report shows it."""
    found = {"ld-cache", "system-folder", *libraries().in_site}
    found |= {*get_args(facts.TrialStatus), *get_args(facts.Scope)}
    for path in (PRODUCT / "probe").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and "libraries" in path.parts:
                found |= literals(node, "Candidate", 1) | literals(node, "_matching", 3)
            elif isinstance(node, ast.Call):
                found |= literals(node, "guarded", 0) | literals(node, "Work", 1)
            elif isinstance(node, ast.Dict) and any(map(is_work, node.values)):
                found |= {str(ast.literal_eval(key)) for key in node.keys if key}
    # The system's own name for a search list, and conda's, are the same everywhere.
    return found - {"conda"}


def is_work(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Work"


def literals(call: ast.Call, function: str, place: int) -> set[str]:
    if getattr(call.func, "id", "") != function or len(call.args) <= place:
        return set()
    inside = ast.walk(call.args[place])
    return {n.value for n in inside if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def test_every_code_of_facts_has_words() -> None:
    found = codes()
    assert {"kernel-log", "everything", *found} >= {"ld-cache", "toolkits", "crashed", "wheel"}
    assert sorted(found - rows("codes").keys()) == []


@pytest.mark.parametrize("language", OTHERS)
def test_every_sentence_and_code_of_facts_is_said_in_the_language(language: str) -> None:
    before = filled()
    assert [text for text in before.values() if told(text) != text] == []
    choose([language])
    english = rows("errno").values()
    same = {"kernel: X7"}  # As it is called in Spanish and Portuguese.
    assert {text for text in before.values() if told(text) == text} <= same
    assert [text for text in english if told(f"/etc/x: {text}") == f"/etc/x: {text}"] == []
    same = {"GPU", "CUDA", "cuDNN", "cuDNN Assistant", "CUDA Toolkit", "framework", "frameworks"}
    names = same | {"test", "driver", "online"}
    assert [code for code, row in rows("codes").items() if in_words(code) == row not in names] == []


def full() -> Machine:
    """A computer whose facts hold each sentence and each code."""
    base = golden("windows-older-cudnn-first-machine")
    said, ends, ways = filled().values(), get_args(facts.TrialStatus), sorted(codes())
    trials = (
        Trial(subject="system", stage=stage, status=status, detail=detail,
              times=(StageTime(stage=stage, milliseconds=1234.0),))
        for stage, status, detail in zip(cycle(get_args(facts.Stage)), cycle(ends), said)
    )  # fmt: skip
    return Machine(
        os=base.os,
        trials=tuple(trials),
        gaps=tuple(Gap(what=code, why=why) for code, why in zip(cycle(ways), said)),
        cudnns=tuple(facts.CudnnCopy(folder="C:\\x", file="x.dll", major=9, found_via=(via,))
                     for via in ways),
        variables=tuple(Variable(scope=scope, name="X", value=Value(text="1"))
                        for scope in get_args(facts.Scope)),
        timings=tuple(Timing(part=code, milliseconds=1234.0) for code in ways),
    )  # fmt: skip


def test_a_report_of_every_sentence_and_code_holds_no_english_of_ours() -> None:
    choose(["ja"])
    written = [write(full(), (), "unknown") for write in (write_report, write_short)]
    for told_so in (*written, write_log(full(), changes())):
        assert not remains(told_so)
        above = told_so.partition("```json")[0]
        spoken = {word for code in rows("codes") for word in in_words(code).split()}
        left = codes() - spoken - {"gpu", "cudnn"}
        assert not [c for c in left if re.search(rf"(?<![\w.-]){re.escape(c)}(?![\w.-])", above)]


def changes() -> list[Entry]:
    """A change that was taken back, how that was done, and one that did not come to its end."""
    when = "2026-11-21T17:08:00Z"
    states = get_args(StepState)
    step = SetVariable(scope="user", name="X", before=None, after=Value(text="1"))
    plan = Plan(steps=(step,) * len(states))
    first = Entry(id="1", when=when, plan=plan, states=states, finished=True, undone_by="2")
    return [first, Entry(id="2", when=when, plan=msgspec.structs.replace(plan, undoes="1"))]


def test_the_log_is_in_the_language_too() -> None:
    choose(["de"])
    log = write_log(golden("linux-healthy"), changes())
    assert "2026-11-21T17:08:00Z Änderung 1, beendet" in log
    assert "  zurückgenommen durch 2" in log
    assert "  Test für Programme, die das cuDNN des Systems verwenden: bestanden" in log


@pytest.mark.parametrize("language", OTHERS)
def test_each_convolution_of_the_test_is_named_in_the_language(language: str) -> None:
    names = [case.name for case in (*CASES, *JIT_CASES) if " " in case.name]
    assert "fp16 channels last" in [convolution(name) for name in names]
    choose([language])
    assert [name for name in names if convolution(name) == name] == []
    assert told("fp32 backward data: no engine was offered") != (
        "fp32 backward data: " + told("no engine was offered")
    )


def test_what_differs_between_two_reports_is_told_in_the_language() -> None:
    def unread(*gaps: Gap) -> Machine:
        return msgspec.structs.replace(golden("linux-healthy"), gaps=gaps)

    slow = Gap(what="gpu", why=met("no-answer-within", seconds=60))
    blind, driver = Gap(what="gpu", why=met("no-gpu-visible")), Gap(what="driver", why="x")
    choose(["de"])
    (found,) = compare(unread(slow), unread(blind))
    assert (found.before, found.after) == (told(slow.why), told(blind.why))
    assert found.before.startswith("keine Antwort")
    moved = compare(unread(slow, driver), unread(driver, slow))
    assert [difference.where for difference in moved] == ["gaps · Reihenfolge"]


def sentences() -> Iterator[tuple[str, str]]:
    """What a child writes out in words, with X7 for what it fills in."""
    for path in sorted((PRODUCT / "child").glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        inner = {
            id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in n.values
        }
        inner |= {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
        for node in ast.walk(tree):
            if id(node) in inner or not isinstance(node, ast.JoinedStr | ast.Constant):
                continue
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            text = "".join(str(p.value) if isinstance(p, ast.Constant) else "X7" for p in parts)
            if re.search(r"[a-z]{2,} [a-z']{2,}|X7 [a-z]{3,}|[a-z]{3,}: X7", text):
                yield f"{path.name}:{node.lineno}", text


def test_each_sentence_of_a_child_has_words() -> None:
    found = [(place, text) for place, text in sentences() if text not in NO_SENTENCES]
    assert len(found) > 15
    choose(["de"])
    assert [one for one in found if told(one[1]) == one[1] == convolution(one[1])] == []


def test_no_reason_of_a_look_is_written_out_in_code() -> None:
    """They come from the sentences, so that each has a row."""
    found = []
    for path in (p for room in ("probe", "system") for p in (PRODUCT / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            for given in reasons(node):
                texts = (n.value for n in ast.walk(given) if isinstance(n, ast.Constant))
                if any(re.search(r"[a-z]{3,} [a-z]{2,}", str(text)) for text in texts):
                    found.append(f"{path.name}:{given.lineno}")
    assert found == []


def reasons(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        name = getattr(node.func, "id", "") or ast.unparse(node.func)
        yield from (word.value for word in node.keywords if word.arg in ("why", "detail"))
        yield from node.args if name in ("note", "notes.append") else ()
    elif isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        yield from (value for key, value in pairs if ast.unparse(key or node) == "'detail'")
    elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "why":
        yield node.value


def test_what_others_said_stays() -> None:
    choose(["ja"])
    for text in ("libcudnn.so.9: not one word; nor: this", "", ": ", "x" * 5000, "GPU {gpu} {0}"):
        assert told(text) == text


def test_clauses_and_what_stands_in_them_are_each_said() -> None:
    choose(["de"])
    text = "ended in cudnnX; libz.so.1 could not be loaded"
    text += "; cudnnY: fp32: 3 of 9 values differ (algorithm 1)"
    assert told(text) == (
        "in cudnnX beendet; libz.so.1 ließ sich nicht laden; "
        "cudnnY: fp32: 3 von 9 Werten weichen ab (Algorithmus 1)"
    )


def test_facts_are_english_whatever_is_spoken_beside() -> None:
    choose(["de"])
    trouble = PermissionError(13, "no", "/etc/x")
    heard: list[str] = []
    assert why_in_facts(trouble) == "/etc/x: you have no permission for that."
    thread = threading.Thread(target=lambda: heard.append(why(trouble)))
    thread.start()
    thread.join()
    assert heard == ["/etc/x: Sie haben dafür keine Berechtigung."]
    assert told(why_in_facts(trouble)) == why(trouble)
