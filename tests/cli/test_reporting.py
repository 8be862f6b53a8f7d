"""The command ``report``: what was left out of a pasted text, shown and put back."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from machines.computers import golden
from test_command_line import ca, in_terminal

from cudnn_assistant.cli import run
from cudnn_assistant.machine import Value, Variable, dump


def test_lines_of_a_pasted_text_can_be_kept(tmp_path: Path) -> None:
    """The person is shown how many lines have gaps, and may keep some as they are."""
    given, text, report = tmp_path / "m.json", tmp_path / "t.txt", tmp_path / "r.md"
    given.write_bytes(dump(golden("linux-healthy")))
    text.write_text("on atlas17 by zilpha\nCUDNN_STATUS_NOT_INITIALIZED\nat berth40\n")
    words = ("report", str(report), "--offline", "--machine", str(given), "--text", str(text))
    plain = ca(*words)
    assert plain.returncode == 0
    assert "--keep-lines 1,3" in plain.stderr
    assert "zilpha" not in plain.stderr + report.read_text()
    kept = ca(*words, "--keep-lines", "3")
    assert "--keep-lines 1" in kept.stderr
    assert "\nat berth40\n" in report.read_text()
    assert "zilpha" not in report.read_text()
    for wrong in ("0", "4", "2-9", "x", "3,", "-1"):
        done = ca(*words, f"--keep-lines={wrong}")
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), wrong
    seen = in_terminal(words, CUDNN_ASSISTANT_ASK="no")
    assert "Line 1, yours: on atlas17 by zilpha" in seen


def test_of_reports_without_names_it_is_said_what_their_comparison_cannot_show(
    tmp_path: Path,
) -> None:
    paths = []
    for text in ("/data/old/lib:/data/new/lib", "/data/new/lib:/data/old/lib"):
        path = tmp_path / f"{len(paths)}.json"
        one = Variable(scope="process", name="LD_LIBRARY_PATH", value=Value(text=text))
        path.write_bytes(dump(msgspec.structs.replace(golden("linux-healthy"), variables=(one,))))
        paths.append(str(path))
    reports = [f"{path}.md" for path in paths]
    for path, report in zip(paths, reports, strict=True):
        ca("report", report, "--offline", "--machine", path)
    hidden, shown = ca("report", "--compare", *reports), ca("report", "--compare", *paths)
    assert "Nothing that matters here changed" in hidden.stdout
    assert "changed places look the same" in hidden.stderr
    assert (shown.returncode, shown.stderr) == (1, "")


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a shell")
def test_a_disk_that_is_full_keeps_the_report_before(tmp_path: Path) -> None:
    report = tmp_path / "report.md"
    report.write_text("the one before")
    report.chmod(0o640)
    words = [sys.executable, "-m", "cudnn_assistant", "report", str(report)]
    words += ["--offline", "--no-test"]
    # Files may become no larger than this.
    full = subprocess.run(["bash", "-c", 'trap "" XFSZ; ulimit -f 1; "$0" "$@"', *words])
    assert (full.returncode, report.read_text()) == (3, "the one before")
    assert os.listdir(tmp_path) == ["report.md"]
    assert subprocess.run(words).returncode == 0
    assert report.stat().st_mode & 0o777 == 0o640
    assert "the one before" not in report.read_text()


@pytest.mark.parametrize(("form", "ending"), [([], ".md"), (["--html"], ".html")])
def test_a_report_that_nobody_names_is_called_what_it_is(
    form: list[str], ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["report", *form, "--offline", "--no-test"]) == 0
    (report,) = tmp_path.iterdir()
    assert report.suffix == ending


def test_a_link_that_is_named_for_a_report_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "report.md").symlink_to(tmp_path / "elsewhere.md")
    assert run(["report", str(tmp_path / "report.md"), "--offline", "--no-test"]) == 0
    assert (tmp_path / "report.md").is_symlink()
    assert (tmp_path / "elsewhere.md").read_text()
