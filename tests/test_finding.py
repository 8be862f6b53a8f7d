"""Facts of findings: typed in the program, texts by their old keys for scripts and templates."""

from __future__ import annotations

from cudnn_assistant.causes import causes
from cudnn_assistant.diagnose import RULES
from cudnn_assistant.finding import Facts, table, texts
from cudnn_assistant.wording.findings import fields

MADE_LATER = {"system", "doing", "old_release"}
"""Places that wording fills by itself, whatever the facts."""


def test_what_is_not_known_is_left_out() -> None:
    assert texts(Facts()) == {}
    assert texts(Facts(count=0, program="", folder_gone=False)) == {}


def test_numbers_are_texts_and_keys_are_the_old_ones() -> None:
    facts = Facts(environment="/home/kim/venv", last_branch=580, count=3, problem_code=43)
    assert texts(facts) == {
        "where": "/home/kim/venv",
        "branch": "580",
        "count": "3",
        "number": "43",
    }
    assert texts(Facts(cut_at=2047)) == {"length": "2047"}
    assert texts(Facts(length=12345)) == {"length": "12,345"}


def test_a_flag_gives_what_it_is_about_a_key_of_its_own() -> None:
    gone = Facts(variable="CUDA_PATH", folder_gone=True)
    assert texts(gone) == {"variable": "CUDA_PATH", "gone": "CUDA_PATH"}
    assert texts(Facts(variable="X_PATH", lists="folders"))["folders"] == "X_PATH"


def test_an_alternative_takes_the_place_of_the_plain_fact() -> None:
    assert texts(Facts(package="a", lacking="record")) == {"record": "a"}
    spare = Facts(package="a", lacking="spare", missing_files="b")
    assert texts(spare) == {"slim": "a", "spare": "b"}
    wants = Facts(product="cuDNN 9.9", driver="550.1", wants_newer_driver=True)
    assert texts(wants) == {"wants": "cuDNN 9.9", "had": "550.1"}
    assert texts(Facts(flag="--nv", flag_unsure=True)) == {"maybe": "--nv"}


def test_every_key_of_a_template_is_one_that_some_fact_has() -> None:
    flagged = {flag.key for flag in table().flags}
    known = {table().keys.get(name, name) for name in Facts.__annotations__} | flagged | MADE_LATER
    codes = {rule.code for rule in RULES}
    shown = [
        row.text(form)
        for row in causes()
        if row.name in codes
        for form in ("", *row.form)
        if form != "release"
    ]
    sentences = [one for text in shown for one in (*text.title, *text.why, *text.fix, *text.undo)]
    assert set().union(*map(fields, sentences)) <= known
