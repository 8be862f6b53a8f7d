"""The command ``watch``: a person's own program is followed, and its code becomes ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from test_command_line import ca


def test_a_program_is_followed_and_its_output_is_its_own() -> None:
    done = ca("watch", "--", sys.executable, "-c", "print('mine'); raise SystemExit(3)")
    assert (done.stdout, done.returncode) == ("mine\n", 3)
    assert "no file of cuDNN" in done.stderr


def test_programs_get_one_object() -> None:
    done = ca("watch", "--json", "--", sys.executable, "-c", "print('mine')")
    assert done.stdout == "mine\n"
    assert json.loads(done.stderr)["exit_code"] == 0


_WITHOUT = """\
Could not load dynamic library 'libcudnn.so.8'; dlerror: libcudnn.so.8: cannot open shared object \
file: No such file or directory. Skipping registering GPU devices..."""
_HARMLESS = Path(__file__).parents[1] / "explain" / "harmless.txt"
_SAYS = """
import sys
sys.stderr.write(sys.argv[1] + "\\n" + "50%|##  |\\r" * 20_000)
"""


@pytest.mark.parametrize(
    ("text", "cause"), [(_WITHOUT, "cudnn-missing"), (_HARMLESS.read_text(encoding="utf-8"), "")]
)
def test_a_framework_that_goes_on_without_the_gpu_is_explained(text: str, cause: str) -> None:
    done = ca("watch", "--json", "--", sys.executable, "-c", _SAYS, text)
    seen = json.loads(done.stderr.splitlines()[-1])
    causes = seen.get("explanation", {}).get("causes", [{"class": ""}])
    assert (done.returncode, causes[0]["class"]) == (0, cause), seen


@pytest.mark.skipif(sys.platform == "win32", reason="its files are mapped")
def test_what_a_program_said_that_used_cudnn_is_its_own(tmp_path: Path) -> None:
    library = tmp_path / "libcudnn.so.9"
    program = f"""
import mmap, time
with open({str(library)!r}, "w+b") as file:
    file.write(bytes(8192))
    file.flush()
    held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC)
time.sleep(1)
"""
    done = ca("watch", "--json", "--", sys.executable, "-c", program + _SAYS, _WITHOUT)
    seen = json.loads(done.stderr.splitlines()[-1])
    assert (seen["copies"][0]["main"], seen.get("explanation")) == (True, None)


HOSTILE = ("libcudnn\udcff.so.9", "libcudnn\n.so.9 (deleted)", "libcudnn\x1b]0;x\x07\u202e.so.9")


@pytest.mark.skipif(sys.platform == "win32", reason="names of files are text there")
def test_files_whose_names_are_no_text_are_told(tmp_path: Path) -> None:
    program = """
import mmap, sys, time
held = []
for name in sys.argv[1:]:
    with open(name, "w+b") as file:
        file.write(bytes(8192))
        file.flush()
        held.append(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC))
time.sleep(2)
"""
    names = [str(tmp_path / name) for name in HOSTILE]
    done = ca("watch", "--json", "--", sys.executable, "-c", program, *names)
    seen = json.loads(done.stderr)
    assert {path.rpartition("/")[2] for path in seen["libraries"]} == {
        "libcudnn\\xff.so.9",
        *HOSTILE[2:],
        "libcudnn\n.so.9",
    }
    assert seen["command"][-3].endswith("libcudnn\\xff.so.9")
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    "words", [(), ("--pid", "0"), ("--pid", "-1"), ("--pid", "9" * 30), ("--", "/no/such\x1b[8m")]
)
def test_nothing_to_watch_is_wrong_use(words: tuple[str, ...]) -> None:
    done = ca("watch", *words)
    assert done.returncode == 2
    if words[:1] == ("--pid",) and words[1] != "0":
        assert f" {words[1]} " in done.stderr, "a number of a program is a name, not an amount"
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets look")
def test_a_program_that_runs_on_is_not_said_to_have_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as running:
        done = ca("watch", "--pid", str(running.pid))
        running.communicate(b"\n")
    assert "no file of cuDNN" in done.stderr
    assert "end" not in done.stderr
