"""Earlier reports with the same words: the table, and what their voice may do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection

import pytest

from cudnn_assistant.explain import answer_for, explain
from cudnn_assistant.explain.cases import read_case
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.question import telling_lines
from cudnn_assistant.explain.similar_reports import Report, reports
from cudnn_assistant.explain.word_model import load_words
from installer.lessons import judged_threads

NEVER_SEEN = "frobnication of the cuda widget: quux lattice was not orthogonal (blorp)"


@pytest.mark.parametrize(("read", "least"), [(reports, 600), (judged_threads, 3000)])
def test_a_table_is_whole(read: Callable[[], Collection[Report]], least: int) -> None:
    rows = read()
    assert len(rows) > least
    assert max(Counter(row.thread for row in rows).values()) == 1
    for row in rows:
        project, _sign, number = row.thread.partition("#")
        assert project.count("/") == 1, row.thread
        assert number.isdigit(), row.thread
        assert {row.cause, *row.also} <= set(rules().prior), row.thread
        assert row.cause not in row.also, row.thread
        assert row.log.strip(), row.thread
        assert row.os in {"", "linux", "windows", "wsl", "macos"}, row.thread


def test_what_readers_judged_stands_apart() -> None:
    rows = [*reports(), *judged_threads()]
    assert len({row.thread.lower() for row in rows}) == len(rows)


def test_every_class_has_reports() -> None:
    assert {row.cause for row in reports()} == set(rules().prior)


@pytest.mark.parametrize("thread", ["torch/cunn#348", "nullsatz/gputools#24"])
def test_a_message_that_no_pattern_knows_is_answered_by_its_report(thread: str) -> None:
    row = next(row for row in reports() if row.thread == thread)
    best = explain(row.log).causes[0]
    assert best.cls == row.cause
    assert any(row.address in reason for reason in best.because)


def test_a_report_that_is_left_out_is_silent() -> None:
    row = next(row for row in reports() if row.thread == "torch/cunn#348")
    answer = answer_for(read_case(row.log, {}, leave_out=row.project), load_words())
    named = [c.because for c in answer.causes]
    assert not any(row.address in reason for reasons in named for reason in reasons)


def test_no_report_is_like_a_text_of_other_words() -> None:
    assert not explain(NEVER_SEEN).clear


@pytest.mark.parametrize(
    "text",
    [
        "No such file or directory: data.csv",
        "npm error: not found",
        "KeyError: 5",
        "Der Bus fährt um 12 Uhr ab.",
        # What is asked for from a healthy computer: it says what a build isn't, too.
        "CUDA used to build PyTorch: 12.4\nROCM used to build PyTorch: N/A\nCUDA available: True",
    ],
)
def test_trouble_of_other_things_is_none_of_ours(text: str) -> None:
    assert explain(text).causes == ()


def test_of_a_log_the_lines_that_tell_are_compared() -> None:
    chatter = [f"step {n} of 900, loss 0.{n}" for n in range(900)]
    trouble = "luajit: libcunn.so: undefined symbol: THCudaBlas_gemv, loading failed"
    assert telling_lines([*chatter[:500], trouble, *chatter[500:]], []) == [trouble]


def test_what_the_computer_shows_outweighs_every_report() -> None:
    text = "Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"
    assert explain(text).causes[0].cls == "gpu-out-of-memory"
    given = {"framework": "tensorflow 2.3", "cuda": "10.1", "gpu": "RTX 3090"}
    assert explain(text, given=given).causes[0].cls == "gpu-too-new"
