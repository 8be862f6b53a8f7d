"""Many computers in one answer: counted, compared, and shown in a real browser."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import chromium
import msgspec
import needs
import pytest
from machines.computers import COMPUTERS
from test_command_line import ca

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import Gap, Machine, dump
from cudnn_assistant.report.fleet import Fleet
from cudnn_assistant.report.fleet_page import write_fleet_csv, write_fleet_page
from cudnn_assistant.report.text import write_report
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.json_output import encoded
from cudnn_assistant.wording import language

DATA = load_builtin()


def machine(name: str) -> Machine:
    return COMPUTERS[name].machine


def saved(folder: Path, computers: Mapping[str, Machine | str]) -> Path:
    """A folder with a report of each, by turns as Markdown and as the output for scripts."""
    for number, (name, one) in enumerate(computers.items()):
        seen = machine(one) if isinstance(one, str) else one
        checkup = think(seen, DATA)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if number % 2:
            text = write_report(seen, checkup.findings, checkup.verdict)
            path.with_name(path.name + ".md").write_text(text, "utf-8")
        else:
            text_of_check = encoded(checkup, Session().source)
            path.with_name(path.name + ".json").write_bytes(text_of_check)
    return folder


def together(*paths: Path, earlier: Path | None = None) -> Fleet:
    return Session().fleet([str(path) for path in paths], str(earlier or ""))


LAB = {
    "ws01": "linux-healthy", "ws02": "linux-cudnn-not-on-path", "ws03": "linux-cudnn-not-on-path",
    "ws04": "linux-driver-missing", "ws05": "linux-healthy", "win1": "windows-healthy",
}  # fmt: skip


def test_what_is_wrong_where(tmp_path: Path) -> None:
    seen = together(saved(tmp_path, LAB))
    assert seen.verdicts == {"broken": 3, "impossible": 0, "unknown": 0, "works": 3}
    assert [one.name for one in seen.computers] == sorted(LAB)
    first, second = seen.causes
    assert (first.code, first.computers) == ("cudnn-not-on-path", ("ws02", "ws03"))
    assert first.title == "Programs can't find cuDNN 9.8"
    (remedy,) = first.remedies
    assert remedy.computers == ("ws02", "ws03")
    assert remedy.kind == "automatic"
    assert remedy.fix
    assert (second.code, second.computers) == ("driver-missing", ("ws04",))


def test_each_computer_is_judged_as_by_itself(tmp_path: Path) -> None:
    names = [name for name in COMPUTERS if COMPUTERS[name].verdict != "works"][:40]
    seen = together(saved(tmp_path, {name: name for name in names}))
    for one in seen.computers:
        alone = think(machine(one.name), DATA)
        assert one.verdict == alone.verdict == COMPUTERS[one.name].verdict
        told = {finding.code for finding in alone.findings if finding.severity != "info"}
        assert set(one.causes) == told
        assert {c.code for c in seen.causes if one.name in c.computers} == told


def test_a_sentence_names_only_what_all_of_them_share(tmp_path: Path) -> None:
    here = machine("linux-cudnn-not-on-path")
    (copy,) = here.cudnns
    text = dump(here).decode().replace(copy.folder, "/srv/another/place")
    there = msgspec.json.decode(text.replace("9.8.0", "9.7.1"), type=Machine)
    (cause,) = together(saved(tmp_path, {"a": here, "b": there})).causes
    said = " ".join((cause.title, *(way.why + way.fix for way in cause.remedies)))
    assert cause.computers == ("a", "b")
    assert copy.folder not in said
    assert "/srv/another" not in said
    assert cause.title.startswith("Programs can't find cuDNN")
    for name in ("a", "b"):
        (alone,) = together(tmp_path / f"{name}.{'json' if name == 'a' else 'md'}").causes
        assert any(place in alone.remedies[0].why for place in (copy.folder, "/srv/another/place"))


def test_what_differs_where_it_should_be_the_same(tmp_path: Path) -> None:
    one = machine("linux-healthy")
    assert one.driver is not None
    older = msgspec.structs.replace(one.driver, version="550.54.14")
    computers: dict[str, Machine | str] = {
        "a": one,
        "b": one,
        "c": msgspec.structs.replace(one, driver=older),
        "unread": msgspec.structs.replace(one, driver=None, gaps=(Gap(what="driver", why="no"),)),
        "absent": msgspec.structs.replace(one, driver=None),
        "elsewhere": "windows-healthy",
    }
    (driver,) = (u for u in together(saved(tmp_path, computers)).unlike if u.fact == "driver")
    assert driver.family == "linux"
    assert [(value.value, value.computers) for value in driver.values] == [
        (one.driver.version, ("a", "b")), ("", ("absent",)), ("550.54.14", ("c",)),
    ]  # fmt: skip


def test_what_changed_since_an_earlier_time(tmp_path: Path) -> None:
    before = saved(tmp_path / "then", {**LAB, "old": "linux-healthy"})
    after = saved(tmp_path / "now", {**LAB, "ws02": "linux-healthy", "new": "linux-driver-missing"})
    assert together(after).changed is None
    assert together(before, earlier=before).changed == ()
    changed = {one.name: one for one in together(after, earlier=before).changed or ()}
    assert set(changed) == {"ws02", "old", "new"}
    assert changed["ws02"].gone == ("cudnn-not-on-path",)
    assert (changed["ws02"].before, changed["ws02"].after) == ("broken", "works")
    assert (changed["old"].before, changed["old"].after) == ("works", None)
    assert (changed["new"].before, changed["new"].after) == (None, "broken")


def test_a_framework_that_came_was_not_there_before(tmp_path: Path) -> None:
    before = saved(tmp_path / "then", {"ws": "linux-healthy"})
    after = saved(tmp_path / "now", {"ws": "linux-torch-healthy"})
    (changed,) = together(after, earlier=before).changed or ()
    assert changed.facts["PyTorch"][0] == ""


def test_a_computer_is_called_by_its_file_or_its_folder(tmp_path: Path) -> None:
    saved(tmp_path, {"rack1/n01": "linux-healthy", "rack2/n01": "linux-healthy"})
    saved(tmp_path, {"rack3/n02/cudnn-report-2026-11-22": "linux-healthy"})
    (tmp_path / ".hidden.json").write_text("{")
    (tmp_path / "notes.txt").write_text("nothing")
    seen = together(tmp_path)
    assert [one.name for one in seen.computers] == ["rack1/n01", "rack2/n01", "rack3/n02"]
    assert not seen.passed_over
    files = [Path(one.file) for one in seen.computers]
    again = together(*files)
    assert [one.name for one in again.computers] == ["n01", str(files[1]), "n02"]


def test_a_report_as_a_page_counts_and_one_in_two_forms_counts_once(tmp_path: Path) -> None:
    saved(tmp_path, {"ws01": "linux-healthy"})
    here = msgspec.structs.replace(machine("linux-healthy"), taken_at="2026-11-21T10:00:00Z")
    checkup = think(here, DATA)
    page = write_report(here, checkup.findings, checkup.verdict, html=True)
    for name in ("ws02.html", "ws03.HTM", "ws04.htm"):
        (tmp_path / name).write_text(page, "utf-8")
    saved(tmp_path, {"none": "linux-healthy", "ws04": here})
    assert [one.name for one in together(tmp_path).computers] == [
        "none", "ws01", "ws02", "ws03", "ws04",
    ]  # fmt: skip


def test_what_can_t_be_read_is_named_and_passed_over(tmp_path: Path) -> None:
    saved(tmp_path, LAB)
    (tmp_path / "cut.json").write_text('{"machine": {"os"')
    (tmp_path / "notes.md").write_text("# A diary")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    seen = together(tmp_path)
    assert len(seen.computers) == len(LAB)
    assert [Path(one.file).name for one in seen.passed_over] == ["cut.json", "gone.md", "notes.md"]
    assert all(one.why for one in seen.passed_over)
    with pytest.raises(Misuse):
        together(tmp_path / "not there")


def test_a_folder_of_many_other_files_is_told_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        (tmp_path / f"{number}.txt").touch()
    monkeypatch.setattr("cudnn_assistant.session.fleet._LOOKED", 20)
    with pytest.raises(Misuse, match="no-folder-of-reports"):
        together(tmp_path)
    monkeypatch.setattr("cudnn_assistant.session.fleet._LOOKED", 40)
    assert together(tmp_path).computers == ()


# --- The command --------------------------------------------------------------------------------


def command(*words: str) -> subprocess.CompletedProcess[str]:
    whole = [sys.executable, "-m", "cudnn_assistant", "report", *words]
    return subprocess.run(whole, capture_output=True, text=True, timeout=120)


def test_the_command_in_its_four_forms(tmp_path: Path) -> None:
    folder = saved(tmp_path / "reports", LAB)
    (folder / "cut.json").write_text("{")
    many = ("--many", str(folder), "--offline")
    told = command(*many)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("cuDNN works on 3 of 6 computers\n")
    assert "  ws02, ws03\n" in told.stdout
    causes = Session().fleet([str(folder)]).causes
    shown = [command for one in causes for way in one.remedies for command in way.commands]
    assert shown
    assert all(command in told.stdout for command in shown)
    assert "cut.json: " in told.stderr
    answer = json.loads(command(*many, "--json").stdout)
    assert msgspec.convert(answer, Fleet).verdicts["works"] == 3
    rows = list(csv.DictReader(io.StringIO(command(*many, "--csv").stdout)))
    assert [row["name"] for row in rows] == sorted(LAB)
    assert rows[2]["causes"] == "cudnn-not-on-path"
    assert rows[4]["driver"] == "", "absent, which a dash would make a text"
    page, table = tmp_path / "page.html", tmp_path / "table.csv"
    assert command(*many, "--csv", str(table)).returncode == 0
    # A spreadsheet knows UTF-8 by its mark; a program that reads a pipe expects none.
    assert table.read_bytes().startswith("\ufeffname,".encode())
    assert command(*many, "--html", str(page)).returncode == 0
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert command(*many, "--html", str(tmp_path)).returncode == 3


@pytest.mark.parametrize("words", [["--csv"], ["--json"], ["--earlier", "x"], ["--html", "--csv"]])
def test_wrong_use(words: list[str]) -> None:
    assert command(*words).returncode == 2


def test_a_folder_without_reports(tmp_path: Path) -> None:
    assert command("--many", str(tmp_path), "--offline").returncode == 3
    assert command("--many", str(tmp_path / "none"), "--offline").returncode == 2


def test_no_cell_becomes_a_formula(tmp_path: Path) -> None:
    saved(tmp_path, {"=cmd|calc": "linux-healthy", "-2+3": "linux-healthy", "＝1": "linux-healthy"})
    text = write_fleet_csv(together(tmp_path))
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert {"'=cmd|calc", "'-2+3", "'＝1"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(tuple("=+-@＝"))]


@pytest.mark.parametrize("spoken", language.LANGUAGES)
def test_a_table_that_a_program_reads_in_every_language(spoken: str, tmp_path: Path) -> None:
    cards = machine("linux-healthy").gpus * 2
    names = ("RTX A4000", "A100; 80 GB")
    gpus = [
        msgspec.structs.replace(card, name=name) for card, name in zip(cards, names, strict=True)
    ]
    several = msgspec.structs.replace(machine("linux-healthy"), gpus=tuple(gpus))
    language.choose([spoken])
    try:
        text = write_fleet_csv(together(saved(tmp_path, {"two": several})))
    finally:
        language.choose()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["gpus"].split("; ") == ["A100, 80 GB", "RTX A4000"]


_MEASURED = """
import resource, sys
from cudnn_assistant.session import Session
from cudnn_assistant.report.fleet_page import write_fleet_page
write_fleet_page(Session().fleet([sys.argv[1]]))
used = resource.getrusage(resource.RUSAGE_SELF)
# Not ru_maxrss, in which a process has what the one had that started it.
with open("/proc/self/status") as status:
    most = next(line.split()[1] for line in status if line.startswith("VmHWM"))
sys.stdout.write(f"{used.ru_utime + used.ru_stime} {most}")
"""


def cost(folder: Path) -> tuple[float, int]:
    """Seconds of processor time and kilobytes."""
    whole = [sys.executable, "-c", _MEASURED, str(folder)]
    seconds, size = subprocess.check_output(whole, text=True, timeout=300).split()
    return float(seconds), int(size)


@pytest.mark.nightly
def test_a_thousand_reports_take_seconds(tmp_path: Path) -> None:
    """Each is as large as a real one: 30 to 40 KB. By day a third of a thousand tells it, too."""
    many = 1000 if needs.night() else 320
    here = machine("linux-cudnn-not-on-path")
    noise = tuple(Gap(what=f"folder {n}", why="it is closed to you " * 4) for n in range(300))
    whole = msgspec.structs.replace(here, gaps=(*here.gaps, *noise))
    checkup = think(whole, DATA)
    text = write_report(whole, checkup.findings, checkup.verdict)
    assert len(text) > 30_000
    times = {}
    for count in (many // 4, many):
        folder = tmp_path / str(count)
        folder.mkdir()
        for number in range(count):
            (folder / f"ws{number:04}.md").write_text(text, "utf-8")
        times[count], size = cost(folder)
    assert size < 300_000
    assert times[many] < 4 * times[many // 4] * 1.5, "it grows with the number of reports"


# --- The page in a browser ----------------------------------------------------------------------

_COLUMN = """
return [...page.querySelectorAll("table.sortable tbody tr")].map(r => r.cells[{n}].textContent)
"""


@needs.programs("chromium")
def test_the_page_sorts_in_a_browser_and_runs_no_other_script(tmp_path: Path) -> None:
    hostile = "</td><script>document.title='taken'</script><img src=x onerror=alert(1)>"
    here = machine("linux-healthy")
    odd = msgspec.structs.replace(here.gpus[0], name=hostile)
    reports = saved(tmp_path / "r", {**LAB, "odd": msgspec.structs.replace(here, gpus=(odd,))})
    page = write_fleet_page(together(reports))
    # What somebody managed to put into the page doesn't run either.
    page = page.replace("</body>", "<script>document.title='taken'</script></body>")
    click = 'page.querySelectorAll("table.sortable th button")[{n}].click();'
    names = _COLUMN.format(n=0)
    assert ask(tmp_path, page, names) == sorted([*LAB, "odd"])
    down = click.format(n=0) * 2 + names
    assert ask(tmp_path, page, down) == sorted([*LAB, "odd"], reverse=True)
    states = ask(tmp_path, page, click.format(n=1) + _COLUMN.format(n=1))
    assert states == sorted(states, key=states.index), "those alike stand together"
    assert len(set(states)) == 2
    assert ask(tmp_path, page, "return page.title") == "cuDNN on many computers"
    assert ask(tmp_path, page, 'return page.querySelectorAll("img").length') == 0
    assert hostile not in page
    bars = 'return [...page.querySelectorAll(".chart i")].map(b => Math.round(b.offsetWidth))'
    widest, second = ask(tmp_path, page, bars)
    assert widest == pytest.approx(2 * second, abs=2)


@needs.programs("chromium")
def test_the_page_is_whole_without_scripts_and_follows_light_and_dark(tmp_path: Path) -> None:
    page = write_fleet_page(together(saved(tmp_path / "r", LAB)))
    plain = page[: page.index("<script>")] + "</body></html>"
    text = ask(tmp_path, plain, "return page.body.innerText")
    for word in (*LAB, "Programs can't find cuDNN 9.8", "driver-missing", "✗ doesn't work"):
        assert word in text
    colour = "return getComputedStyle(page.body).color"
    light, dark = ask(tmp_path, page, colour), ask(tmp_path, page, colour, chromium.DARK)
    assert (light, dark) == ("rgb(0, 0, 0)", "rgb(255, 255, 255)")


def ask(folder: Path, page: str, script: str, *flags: str) -> Any:
    return chromium.ask(page, script, folder, *flags)


def test_the_json_of_many_holds_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    here = machine("linux-healthy")
    odd = msgspec.structs.replace(here.gpus[0], name="H100 \x1b]0;x\x07\x9b8m\u202e")
    saved(tmp_path / "r", {"odd": msgspec.structs.replace(here, gpus=(odd,))})
    for words in (["report", "-"], ["report", str(tmp_path / "out.json")]):
        done = ca(*words, "--json", "--many", str(tmp_path / "r"))
        told = done.stdout if words[1] == "-" else (tmp_path / "out.json").read_text("utf-8")
        assert [c for c in told if not (c.isprintable() or c == "\n")] == []
        assert "H100 \\u001b]0;x\\u0007\\u009b8m\\u202e" in told
        assert json.loads(told)["verdicts"]["works"] == 1
