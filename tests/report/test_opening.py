"""Opening files: old reports for ever, packed ones, and files that were made to do harm."""

from __future__ import annotations

import io
import json
import os
import random
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from machines.computers import golden

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.gui.redaction_by_hand import without_lines, without_words
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Value, dump, load
from cudnn_assistant.plan import Entry, Plan, SetVariable
from cudnn_assistant.report.reading import LIMIT, MARK, open_report, pack, read_report
from cudnn_assistant.report.text import Extra, file_name
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.reports import Form, support_forms
from cudnn_assistant.trouble import Refused

HERE = Path(__file__).parent
COMPAT = load_builtin()
SMALL = dump(golden("linux-torch-healthy")).decode()


@pytest.mark.parametrize("path", sorted((HERE / "frozen").glob("*.md")), ids=lambda p: p.stem)
def test_an_old_report_is_opened_for_ever(path: Path) -> None:
    """These files are never written again: what they say must stay what it was."""
    opened = open_report(path)
    assert opened.machine.schema == 1
    assert not opened.unknown
    assert opened.machine.gpus[0].name == "NVIDIA H100 80GB HBM3"
    assert think(opened.machine, COMPAT).verdict == "works"


def kept(old: Any, new: Any) -> bool:
    """Whether everything in the old snapshot still stands in the new one."""
    if isinstance(old, dict):
        return all(name in new and kept(value, new[name]) for name, value in old.items())
    if isinstance(old, list):
        return len(old) == len(new) and all(map(kept, old, new))
    return bool(old == new)


@pytest.mark.parametrize("path", sorted((HERE / "frozen").glob("*.json")), ids=lambda p: p.stem)
def test_no_fact_of_an_old_snapshot_is_lost_or_renamed(path: Path) -> None:
    """Written once, of computers that hold most kinds of facts, and never written again."""
    old = json.loads(path.read_bytes())
    opened = open_report(path)
    assert not opened.unknown
    assert kept(old, json.loads(dump(opened.machine)))
    assert think(opened.machine, COMPAT).verdict in {"works", "broken", "impossible", "unknown"}


def test_a_packed_report_holds_log_and_message_and_can_be_opened(tmp_path: Path) -> None:
    machine = load(SMALL)
    step = SetVariable(
        scope="user",
        name="LD_LIBRARY_PATH",
        before=Value(text="/home/qkimura/falcon/lib"),
        after=Value(text="/usr/lib/cudnn:/home/qkimura/falcon/lib"),
    )
    journal = Journal(tmp_path / "journal.jsonl")
    journal.record(
        Entry(id="a1", when="2026-11-20T10:00:00Z", plan=Plan(steps=(step,)), states=("done",))
    )
    form = support_forms(
        think(machine, COMPAT),
        COMPAT,
        Extra(
            entries=journal.entries(),
            text="password: zqgeheim\n/home/qkimura/falcon/x.so: file too short",
        ),
    )
    log, message, text = form("log"), form("message"), form("markdown")
    assert "change a1, not finished" in log
    assert "+ /usr/lib/cudnn" in log
    assert message.startswith("password: ⟨left out⟩\n/home/user-")
    assert message.splitlines()[1] in text
    assert "Changes made by cuDNN Assistant" in text
    assert not {"qkimura", "falcon", "zqgeheim"} & set((log + message + text).split())
    path = tmp_path / "r.zip"
    files = {"cudnn-report.md": text, "cudnn-assistant.log": log, "message.txt": message}
    path.write_bytes(pack(files))
    assert pack(files) == path.read_bytes()
    assert open_report(path).machine == read_report(text).machine


def fenced(data: str) -> bytes:
    return f"# x\n\n```json {MARK}\n{data}\n```\n".encode()


def big(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(500 * 2**20)


def bomb(path: Path) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("cudnn-report.md", "w") as member,
    ):
        for _mebibyte in range(200):
            member.write(bytes(2**20))


def damaged(kind: int, change: Callable[[bytearray], None]) -> bytes:
    """A packed report whose bytes somebody changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        archive.writestr("cudnn-report.md", "".join(f"line {n}\n" for n in range(5000)))
    content = bytearray(buffer.getvalue())
    change(content)
    return bytes(content)


def before_the_start(content: bytearray) -> None:
    at = content.rindex(b"PK\x05\x06")
    content[at + 16 : at + 20] = b"\xff\xff\xff\x7f"


def in_the_middle(content: bytearray) -> None:
    middle = len(content) // 3
    content[middle : middle + 40] = b"\xff" * 40


def longer_than_it_is(content: bytearray) -> None:
    at = content.rindex(b"PK\x01\x02")
    content[at + 20 : at + 24] = content[18:22] = (10**6).to_bytes(4, "little")


HOSTILE: dict[str, bytes | Callable[[Path], None]] = {
    "500 MB": big,
    "a packed 200 MB": bomb,
    "another archive": pack({"x": "y"}),
    "half an archive": pack({"cudnn-report.md": "x" * 999})[:60],
    "an offset before the start": damaged(zipfile.ZIP_DEFLATED, before_the_start),
    **{
        f"{change.__name__}, method {kind}": damaged(kind, change)
        for change in (in_the_middle, longer_than_it_is)
        for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    },
    "deep lists": fenced(SMALL.replace("{", '{"z":' + "[" * 99_999 + "]" * 99_999 + ",", 1)),
    "deep objects": fenced(SMALL.replace("{", '{"z":' + '{"a":' * 99_999 + "1" + "}" * 99_999, 1)),
    "wrong types": fenced(SMALL.replace('"gpus":[', '"gpus":[3,', 1)),
    "a huge number": fenced(SMALL.replace('"schema":1', '"schema": ' + "9" * 5000)),
    "half a character": fenced(SMALL.replace('"schema":1', '"new": "\\ud800x", "schema":1')),
    "beginnings alone": f"```json {MARK}\n".encode() * 400_000,
    "ticks": b"`" * 8_000_000,
    "zeros": bytes(1_000_000),
    "a page that was cut": b"<!DOCTYPE html>" + b"<pre>{" * 1_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_in_words(name: str, tmp_path: Path) -> None:
    content, path = HOSTILE[name], tmp_path / "report.md"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        content(path)
    with pytest.raises(Refused, match=r"^(report|not-a-packed)-"):
        open_report(path)


def test_a_packed_report_with_any_byte_changed_is_read_or_refused(tmp_path: Path) -> None:
    dice, path = random.Random(16), tmp_path / "report.zip"
    for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        whole = damaged(kind, lambda content: None)
        for _time in range(60):
            content = bytearray(whole[: dice.randint(5, len(whole))])
            for _byte in range(dice.randint(0, 4)):
                content[dice.randrange(4, len(content))] = dice.randrange(256)
            path.write_bytes(content)
            with pytest.raises(Refused):
                open_report(path)


@pytest.mark.parametrize("what", ["a pipe", "a device", "a folder"])
def test_what_is_no_file_is_refused_at_once(what: str, tmp_path: Path) -> None:
    path = {"a pipe": tmp_path / "pipe", "a device": Path("/dev/zero"), "a folder": tmp_path}[what]
    if what == "a pipe":
        os.mkfifo(path)
    done = subprocess.run(
        [sys.executable, "-m", "cudnn_assistant", "check", "--machine", str(path)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert "pipe" in done.stderr or "directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_huge_file_takes_no_more_memory_than_a_report(tmp_path: Path) -> None:
    """In a process of its own with an address space that holds no 500 MB."""
    big(tmp_path / "huge.md")
    limit = 4 * LIMIT + 256 * 2**20
    done = subprocess.run(
        [sys.executable, "-m", "cudnn_assistant", "check", "--machine", str(tmp_path / "huge.md")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "too large" in done.stderr


def test_of_a_key_that_stands_twice_the_last_counts_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "r.md"
    path.write_bytes(
        fenced(SMALL.replace("{", '{"os": {"family": "windows"}, "new": 1, "new": 2,', 1))
    )
    opened = open_report(path)
    assert opened.machine == load(SMALL)
    assert [field.value for field in opened.unknown] == [2]


@pytest.mark.parametrize("day", ["../../../..", "/etc/passw", "2026-11-2\n", "", "٢٠٢٦-١١-٢٠"])
def test_a_report_can_not_choose_where_it_is_written(day: str) -> None:
    machine = load(SMALL.replace("2026-11-20", day.replace("\n", "\\n")))
    assert file_name(machine) == "cudnn-report.md"


@pytest.mark.parametrize("form", ["markdown", "html"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_form_with_the_machine_in_it_can_be_opened(
    form: Form, encoding: str, tmp_path: Path
) -> None:
    """The page says itself how; and ">" of PowerShell 5 writes UTF-16."""
    message = '<pre>{"os": {"family": "windows"}}</pre>\n' + fenced("{}").decode()
    hostile = "</pre><pre>{&quot;\u2028\u202e<b>"
    machine = msgspec.structs.replace(load(SMALL), tool=hostile)
    forms = support_forms(think(machine, COMPAT), COMPAT, Extra(text=message))
    path = tmp_path / "r"
    path.write_text(forms.keeping(range(1, 9))(form), encoding)
    assert open_report(path).machine == read_report(forms.text).machine
    assert open_report(path).machine.os.family == "linux"
    path.write_text(replace(forms, edited=forms.text)(form), encoding)
    assert open_report(path).machine == read_report(forms.text).machine


@pytest.mark.parametrize("kept", [(), range(1, 9)])
def test_a_pasted_message_can_not_stand_in_for_the_machine(kept: Iterable[int]) -> None:
    """Whoever made somebody paste it would choose what helpers see."""
    message = fenced('{"os": {"family": "windows"}}').decode()
    form = support_forms(think(load(SMALL), COMPAT), COMPAT, Extra(text=message))
    written = form.keeping(kept)("markdown")
    assert read_report(written).machine.os.family == load(SMALL).os.family == "linux"
    assert without_words(written, "message").count(f"```json {MARK}") == written.count(MARK)
    gone = without_lines(written, written.count("\n") - 5, written.count("\n"))
    assert "The machine data was cut" in gone
