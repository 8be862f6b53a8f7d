"""Every reason has its words, and none of them is one of those that frighten people."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudnn_assistant.causes import causes
from cudnn_assistant.compat import Reason, Release, Situation, recommend_for
from cudnn_assistant.compat.advice import Code
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.feed.source import Source, Trouble, describe
from cudnn_assistant.wording import language
from cudnn_assistant.wording import recommendation as said
from cudnn_assistant.wording.sentences import rows

FORBIDDEN = (
    "error", "fail", "invalid", "illegal", "fatal", "corrupt", "please", "simply", "just", "oops",
    "abort",
)  # fmt: skip
DATA = load_builtin()


def plain(text: str) -> None:
    assert text
    assert "{" not in text
    assert not set(text.lower().replace(".", " ").replace(",", " ").split()) & set(FORBIDDEN)


@pytest.mark.parametrize("code", get_args(Code))
def test_each_reason_has_its_words(code: Code) -> None:
    plain(said.reason(Reason(code=code, about="cuDNN 9.8.0 for CUDA 12")))
    assert said.reason(Reason(code=code)).endswith(".")


def test_a_release_is_named_in_the_language_that_is_spoken() -> None:
    release = Release(product="cuDNN", version="9.8.0", cuda="12")
    one = Reason(code="already-there", about=str(release), release=release)
    assert "cuDNN 9.8.0 for CUDA 12" in said.reason(one)
    language.choose(["de"])
    try:
        assert "cuDNN 9.8.0 für CUDA 12" in said.reason(one)
    finally:
        language.choose(["en"])


def test_the_codes_that_are_never_given_are_not_in_the_table() -> None:
    causes_too = {row.name for row in causes() if "release" in row.form}
    assert causes_too | set(rows("reasons")) == set(get_args(Code))
    assert not causes_too & set(rows("reasons"))


@pytest.mark.parametrize("trouble", get_args(Trouble))
@pytest.mark.parametrize("kind", ["online", "saved", "built-in"])
def test_the_sentence_about_the_feed(kind: str, trouble: Trouble) -> None:
    source = Source(kind=kind, version=3, published="2026-11-12", trouble=trouble)  # type: ignore[arg-type]
    plain(describe(source))


@settings(max_examples=40, deadline=None)
@given(
    compute=st.sampled_from(["2.1", "3.5", "6.1", "8.6", "12.0", "10.7"]),
    driver=st.sampled_from(["", "390.157", "470.256.02", "580.65.06"]),
    wish=st.sampled_from([("", ""), ("torch", ""), ("tensorflow", "2.10"), ("caffe", "1")]),
    family=st.sampled_from(["linux", "windows"]),
)
def test_a_whole_recommendation_in_words(
    compute: str, driver: str, wish: tuple[str, str], family: str
) -> None:
    here = Situation(
        family=family,  # type: ignore[arg-type]
        driver_family=family,  # type: ignore[arg-type]
        platform=f"{family}-x86_64",  # type: ignore[arg-type]
        computes=(compute,),
        driver=driver,
        has_driver=bool(driver),
        framework=wish[0],
        framework_version=wish[1],
    )
    found = recommend_for(here, DATA)
    plain(said.headline(found))
    for line in said.lines(found):
        plain(line.text)
        plain(line.label)
