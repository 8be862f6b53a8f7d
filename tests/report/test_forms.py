"""The report in its forms: Markdown, page, short, archive; hostile values in each."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from machines.computers import golden, thought
from machines.each import each_computer
from markdown_it import MarkdownIt

from cudnn_assistant.machine import Gap, Machine, Trial
from cudnn_assistant.places import resource
from cudnn_assistant.report.compare import compare
from cudnn_assistant.report.document import Block, Bullets, Code, Item, Paragraph, Strong
from cudnn_assistant.report.log import write_log
from cudnn_assistant.report.markdown import markdown
from cudnn_assistant.report.reading import read_report
from cudnn_assistant.report.text import Extra, write_report, write_short
from cudnn_assistant.summary import headline
from cudnn_assistant.wording import met

EVIL = "a|b `` ``` <script>alert(1)</script> [x](http://e) **b** # h\n```\n## Owned\x1b[31m\u202e"


def evil() -> Machine:
    trial = Trial(subject=EVIL, stage="load", status="crashed", detail=EVIL, output=EVIL)
    base = golden("linux-torch-healthy")
    return msgspec.structs.replace(
        base, gaps=(Gap(what=EVIL, why=EVIL),), trials=(trial,), other_gpus=(EVIL,)
    )


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))


def test_a_page_has_no_script_and_nothing_from_outside() -> None:
    tags = Tags()
    tags.feed(write_report(evil(), (), "unknown", Extra(text=EVIL, note=EVIL), html=True))
    assert not {tag for tag, _ in tags.seen} & {"script", "img", "link", "iframe", "a", "object"}
    assert not [a for _, attrs in tags.seen for a in attrs if a.startswith("on") or a == "src"]


def test_no_value_becomes_markup() -> None:
    text = write_report(evil(), (), "unknown", Extra(text=EVIL))
    above = text[: text.index("```json")]
    assert "\x1b" not in text
    assert "\u202e" not in above
    outside = re.sub(r"(?ms)^(`{3,})[^\n]*\n.*?^\1$", "", above)
    assert "\n## Owned" not in outside
    assert "<script>" not in re.sub(r"(`+)(?: .*? |[^`].*?[^`])\1(?!`)", "", outside)


def test_an_answer_of_windows_is_not_dressed_as_one_of_cudnn() -> None:
    said = {"stage": "load", "code": 126, "missing": "cudnn64_9.dll"}
    trial = Trial(subject="system", status="missing-library", version="9.10.2", **said)
    base = golden("windows-cudnn-not-on-path")
    text = write_report(msgspec.structs.replace(base, trials=(trial,)), (), "broken")
    assert "- code: `126`\n" in text
    assert "126 CUDNN" not in text


@pytest.mark.parametrize("name", ["windows-server-with-tcc-healthy", "windows-healthy"])
def test_the_driver_model_of_windows_is_told_where_it_is_known(name: str) -> None:
    above, _, _data = write_report(golden(name), (), "works").partition("```json")
    assert ("driver model TCC" in above) is ("tcc" in name)


@each_computer
def test_a_short_report_fits_into_a_chat(name: str) -> None:
    machine = golden(name)
    text = write_short(machine, thought(name).findings, thought(name).verdict)
    assert len(text.splitlines()) <= 60
    assert "```json" not in text


TRIED = {
    "linux-tried-search-entry": ("without `LD_LIBRARY_PATH=/home/kim/old/lib`: **ran", "twice"),
    "linux-tried-empty-search-entry": ("without `LD_LIBRARY_PATH=`: **ran to its end**",),
    "linux-tried-limit": ("with the limit `AS=8589934592` raised: **ran to its end**",),
    "linux-tried-working-folder": ("started elsewhere than in `/home/kim/project`: **ran",),
}


@pytest.mark.parametrize(("name", "said"), TRIED.items())
def test_what_was_tried_is_told_before_the_machine_data(name: str, said: tuple[str, ...]) -> None:
    above, _, _data = write_report(golden(name), (), "broken").partition("```json")
    _, _, tried = above.partition("## What was tried")
    assert all(one in tried.split("## ")[0] for one in said)
    page = write_report(golden(name), (), "broken", html=True)
    assert "<h2>What was tried</h2>" in page


def test_only_some_of_many_experiments_are_told_what_was_proven_first() -> None:
    machine = golden("linux-tried-search-entry")
    refuted, proven = machine.experiments
    many = msgspec.structs.replace(machine, experiments=(*[refuted] * 20, proven))
    tried = write_report(many, (), "broken").partition("## What was tried")[2].split("## ")[0]
    first, *_others, last = re.findall("(?m)^- (.+)", tried)
    assert "/home/kim/old/lib" in first
    assert last == "and 13 more"


def test_experiments_that_were_not_begun_are_no_fact_that_could_not_be_read() -> None:
    late = Gap(what="experiments", why=met("experiments-cut-short", seconds=30))
    machine = msgspec.structs.replace(golden("linux-tried-in-vain"), gaps=(late,))
    above, _, _data = write_report(machine, (), "unknown").partition("```json")
    tried = above.partition("## What was tried")[2].split("## ")[0]
    assert tried.splitlines()[-2] == "- experiments: after 30 s no further one was begun"
    assert "could not be read" not in above
    assert "no further" not in " ".join(headline("unknown", machine, ())) + write_log(machine)


def test_the_whole_snapshot_survives() -> None:
    machine = evil()
    report = write_report(machine, (), "unknown", Extra(text=EVIL, note=EVIL))
    assert read_report(report).machine == machine


@pytest.mark.parametrize(
    "through",
    [
        lambda text: "Hi, here is mine:\r\n\r\n" + text.replace("\n", "\r\n"),
        lambda text: "On Monday kim wrote:\n> " + text.replace("\n", "\n> "),
        lambda text: "1. mine:\n\n    " + text.replace("\n", "\n    "),
        # As it is copied from the page that a forum makes of it.
        lambda text: re.sub("(?m)^(```.*|#+ )", "", text) + "\nDoes it help?",
    ],
    ids=["other line ends", "a quotation", "a list", "a page"],
)
def test_what_came_through_a_forum_is_still_read(through: Callable[[str], str]) -> None:
    machine = golden("windows-path-cut-off")
    assert read_report(through(write_report(machine, (), "unknown"))).machine == machine


@each_computer
def test_a_computer_does_not_differ_from_itself(name: str) -> None:
    machine = golden(name)
    assert compare(machine, machine) == ()
    later = msgspec.structs.replace(machine, other_gpus=(*machine.other_gpus, "one more"))
    assert [d.where for d in compare(machine, later)] == ["other_gpus"]


def test_two_reports_are_compared_by_facts_not_by_place() -> None:
    old, new = golden("linux-torch-healthy"), golden("linux-torch-cudnn-truncated")
    found = compare(old, new)
    assert any("libcudnn_ops.so.9" in d.where and d.after == "truncated" for d in found)
    turned = msgspec.structs.replace(old, cudnns=old.cudnns[::-1], taken_at="later")
    assert all("order" in d.where for d in compare(old, turned))


def test_a_folder_that_stood_twice_and_stands_once_is_a_difference() -> None:
    new = golden("linux-healthy")
    old = msgspec.structs.replace(new, search=(*new.search, new.search[0]))
    assert [(d.kind, d.where.endswith("(2)")) for d in compare(old, new)] == [("removed", True)]


def test_the_published_schema_is_that_of_the_types() -> None:
    published = msgspec.json.decode(resource("report.schema.json").read_bytes())
    schema = msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(Machine)))
    assert published == schema, "run tests/report/schema.py"


MARKUP = st.text(st.sampled_from("-+=*_`#>|<~&![]()\\.1a 2)\t\n\r\x1b\u202e:/"), max_size=24)


@given(MARKUP, MARKUP, MARKUP)
def test_a_renderer_shows_every_text_as_it_is(one: str, two: str, three: str) -> None:
    """By a renderer of the whole language: as many blocks as were written, and the same text."""
    parts = (
        Paragraph((f"x{one}", Code(two), Strong(f"y{three}z"), one)),
        Bullets((Item((two, "."), ((one, "."), (Code(three), "."))),)),
        Block(three),
    )
    shown = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown(parts))
    kinds = [token.type for token in shown if token.type.endswith("_open") or token.type == "fence"]
    below = ["bullet_list_open", *["list_item_open", "paragraph_open"] * 2]
    assert kinds == [
        "paragraph_open", "bullet_list_open", "list_item_open", "paragraph_open", *below, "fence",
    ]  # fmt: skip
    inner = {kid.type for token in shown for kid in token.children or ()}
    assert inner <= {"text", "text_special", "code_inline", "strong_open", "strong_close"}
