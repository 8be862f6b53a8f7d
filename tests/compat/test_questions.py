"""Questions with sources and expected answers, one a line, in ``questions.txt``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from cudnn_assistant.compat import Recommendation, load_builtin, recommend_for
from cudnn_assistant.session.imagined import Imagined, imagine, ordinary
from cudnn_assistant.wording.recommendation import headline, lines

FITS = "This fits together."


class Question(NamedTuple):
    gpu: str
    wish: str
    python: str
    driver: str
    system: str
    answer: str
    source: str


def _questions() -> list[Question]:
    text = (Path(__file__).parent / "questions.txt").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Question(*(cell.strip() for cell in row.split("|"))) for row in rows]


def ask(one: Question) -> Recommendation:
    assert one.system in ("linux", "windows")
    wish = Imagined(
        gpu=one.gpu, driver=one.driver, framework=one.wish, python_version=one.python,
        system="windows" if one.system == "windows" else "linux",
    )  # fmt: skip
    there = msgspec.structs.replace(ordinary(one.system), platform=f"{one.system}-x86_64")
    return recommend_for(imagine(wish, load_builtin(), there), load_builtin())


def _set(found: Recommendation) -> str:
    if found.framework:
        return f"{found.framework.requirement} {found.framework.index}".strip()
    return f"cuDNN {found.cudnn.version} cuda{found.cudnn.cuda_major}" if found.cudnn else ""


@pytest.mark.spread(2)
@pytest.mark.parametrize("one", _questions(), ids=lambda one: " ".join(one[:5]))
def test_the_answer_is_the_experts(one: Question) -> None:
    found, expected = ask(one), one.answer
    if expected.startswith("no "):
        assert found.possible is False, _set(found)
        assert expected.removeprefix("no ") in {reason.code for reason in found.unmet}
        return
    if expected.startswith("ask "):
        assert found.possible is None, _set(found)
        assert expected.removeprefix("ask ") in {reason.code for reason in found.unknown}
        return
    words = expected.split()
    wanted = [word for word in words if word[0] not in "<>" and word not in ("install", "replace")]
    assert found.possible is True, found.unknown
    assert _set(found) == " ".join(wanted)
    assert found.driver is not None
    for word in words:
        if word[0] == ">":
            assert found.driver.minimum == word[1:]
        if word[0] == "<":
            assert found.driver.last_branch == int(word[1:])
    assert found.driver.enough is not bool({"install", "replace"} & set(words))


def test_there_are_enough_questions_and_each_has_a_source() -> None:
    questions = _questions()
    assert len(questions) >= 120
    assert all(one.source for one in questions)


@pytest.mark.spread(2)
@pytest.mark.parametrize("one", _questions(), ids=lambda one: " ".join(one[:5]))
def test_only_what_is_known_fits_together(one: Question) -> None:
    """The last line, and with it the exit code, never says more than is known."""
    found = ask(one)
    expected = not one.answer.startswith(("no ", "ask "))
    assert (headline(found) == FITS) is expected
    shown = "\n".join(line.text for line in lines(found))
    if found.driver and found.driver.last_branch:
        assert str(found.driver.last_branch) in shown
    if expected and found.framework and one.wish:
        assert f"python -m {found.framework.command}" in shown
