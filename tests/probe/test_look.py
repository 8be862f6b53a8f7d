"""The whole look: parts beside each other, on a computer with a planted driver and cuDNN."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from pathlib import Path

import needs
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "lab"))
import driver as lab
import images

from cudnn_assistant.machine import (
    SYSTEM,
    CudnnCopy,
    Machine,
    OperatingSystem,
    Part,
    Trial,
    Value,
    Variable,
    dump,
    load,
    readable,
)
from cudnn_assistant.probe import Cancelled, Wish, probe, subjects
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.running.together import Work, guarded, together
from cudnn_assistant.probe.trust import Trust

pytestmark = needs.programs("gcc")


class Person:
    """A system whose variables and fresh environment are given."""

    family = "linux"

    def __init__(self, *folders, **variables):
        path = ":".join(map(str, folders))
        self._environment = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"],
                             "LD_LIBRARY_PATH": path, **variables}  # fmt: skip

    def variables(self):
        text = readable(self._environment["LD_LIBRARY_PATH"])
        return (
            Variable(scope="user", name="LD_LIBRARY_PATH", value=Value(text=text), source="x:1"),
        )

    def gaps(self):
        return ()

    def fresh_environment(self):
        return dict(self._environment)


def cudnn_stub(folder):
    folder.mkdir(parents=True)
    shutil.copy(lab.compiled("cudnn_stub.c", "libcudnn.so.9", "-DMAJOR=9", "-lm"), folder)
    return folder


def test_a_healthy_computer_from_the_driver_to_the_convolution(tmp_path):
    gpus = lab.write(tmp_path / "drv", lab.RTX_4090, lab.A100, cuda_order="1,0")
    library = cudnn_stub(tmp_path / "cudnn/lib")
    heard = []
    machine = probe(
        Person(library, gpus),
        Wish(frameworks=False),
        say=lambda part, done, seen: heard.append((part, done, seen)),
    )
    trial, other = [t for t in machine.trials if t.subject == SYSTEM]
    assert (other.status, other.gpu_name) == ("ok", lab.RTX_4090["name"]), other
    assert (trial.status, trial.stage, trial.gpu_name) == ("ok", "convolution", lab.A100["name"])
    assert trial.loaded == str(library / "libcudnn.so.9")
    (copy,) = [c for c in machine.cudnns if c.folder == str(library)]
    assert (copy.wins_for, copy.check.status) == ((SYSTEM,), "ok")
    assert [g.cuda_index for g in machine.gpus] == [1, 0]
    assert machine.search[0].folder == str(library)
    assert machine.search[0].source == "x:1"
    assert [gap for gap in machine.gaps if gap.what != "kernel-log"] == []
    assert load(dump(machine)) == machine
    parts = [(part, done) for part, done, _ in heard]
    assert parts[:2] == [("settings", False), ("settings", True)]
    assert parts[-2:] == [("trial", False), ("trial", True)]
    assert {p for p, done in parts if done} == {"gpu", "cuda", "cudnn", "settings", "trial"}
    assert heard[-1][2] == machine
    assert {t.part for t in machine.timings} >= {"gpu", "toolkits", "cudnn", "trial", "copies"}


def test_who_stands_in_a_folder_that_is_gone_gets_an_answer(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    machine = probe(
        Person(cudnn_stub(tmp_path / "lib"), lab.write(tmp_path / "drv"), ""),
        Wish(frameworks=False),
    )
    assert [gap for gap in machine.gaps if gap.what != "kernel-log"] == []
    assert machine.trials[0].loaded


@pytest.mark.parametrize("below", ["", "glibc-hwcaps/x86-64-v2"])
def test_a_copy_to_which_only_a_test_leads_is_one_of_the_copies(tmp_path, below):
    library = cudnn_stub(tmp_path / "far" / below)
    gpus = lab.write(tmp_path / "drv", lab.RTX_4090)
    preload = {} if below else {"LD_PRELOAD": str(library / "libcudnn.so.9")}
    person = Person(gpus, *[tmp_path / "far"] * bool(below), **preload)
    machine = probe(person, Wish(frameworks=False))
    (copy,) = [copy for copy in machine.cudnns if SYSTEM in copy.wins_for]
    assert (copy.folder, copy.found_via, copy.check.status) == (str(library), ("trial",), "ok")


def test_a_cancelled_look_ends_its_children_and_gives_no_half_snapshot(tmp_path):
    gpus = lab.write(tmp_path / "drv", lab.RTX_4090)
    library = cudnn_stub(tmp_path / "cudnn/lib")
    hanging = Person(library, gpus, STUB_CUDNN_DAY="cudnnCreate:hang")

    said = threading.Event()

    def children():
        return [p for p in Path("/proc").glob("[0-9]*/maps") if _maps(p, str(library))]

    def cancel():
        if children():
            said.set()
        return said.is_set()

    with pytest.raises(Cancelled):
        probe(hanging, Wish(), cancel=cancel)
    assert children() == []


def _maps(path, text):
    try:
        return text in path.read_text()
    except OSError:
        return False


def test_a_part_that_was_cancelled_is_no_gap_of_a_look_that_goes_on():
    def ended():
        raise Cancelled

    works = {"ended": Work(ended, ("ended",)), "other": Work(dict, ("other",))}
    with pytest.raises(Cancelled):
        list(together(works, 30))


def test_cancelling_waits_for_no_part():
    asked = threading.Event()
    works = {"deaf": Work(lambda: (asked.set(), time.sleep(30)), ("deaf",))}
    began = time.monotonic()
    with pytest.raises(Cancelled):
        list(together(works, 30, asked.is_set))
    assert time.monotonic() - began < 15  # not a measurement: the part sleeps for thirty


def test_without_tests_nothing_is_loaded(tmp_path):
    library = cudnn_stub(tmp_path / "cudnn/lib")
    machine = probe(Person(library), Wish(trial=False))
    (copy,) = [c for c in machine.cudnns if c.folder == str(library)]
    assert (machine.trials, copy.check, copy.wins_for) == ((), None, ())


def test_truth_without_test(tmp_path):
    library = cudnn_stub(tmp_path / "cudnn/lib")
    wish = Wish(trial=False, truth=True, folders=(str(tmp_path / "cudnn"),))
    machine = probe(Person(), wish)
    (copy,) = [c for c in machine.cudnns if c.folder == str(library)]
    assert (copy.check.status, copy.found_via, machine.trials) == ("ok", ("added",), ())


def test_a_system_that_can_not_be_read_costs_only_its_facts(tmp_path):
    class Broken(Person):
        def variables(self):
            raise PermissionError(13, "the registry is closed")

    machine = probe(Broken(cudnn_stub(tmp_path / "lib")), Wish(trial=False))
    assert [(g.what, "closed" in g.why) for g in machine.gaps if g.what == "variables"] == [
        ("variables", True)
    ]
    assert machine.cudnns


def test_bytes_that_are_no_text(tmp_path):
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    images.cudnn(Path(odd) / "lib", "9.5.1")
    machine = probe(Person(odd + "/lib"), Wish(trial=False))
    assert machine.gaps == ()
    assert any("caf\\xe9" in copy.folder for copy in machine.cudnns)
    assert load(dump(machine)) == machine


def test_a_part_that_raises_or_hangs_is_a_gap_and_the_rest_goes_on():
    def hang():
        time.sleep(30)
        return {}

    works = {
        "slow": Work(hang, ("slow",)),
        "good": Work(lambda: {"x": 1}, ("good",)),
        "bad": Work(lambda: 1 / 0, ("bad", "worse")),
    }
    seen = {one.part: one for one in together(works, 0.5)}
    assert seen["good"].facts == {"x": 1}
    assert [gap.what for gap in seen["bad"].gaps] == ["bad", "worse"]
    assert "ZeroDivisionError" in seen["bad"].gaps[0].why
    assert [gap.what for gap in seen["slow"].gaps] == ["slow"]


def test_a_part_that_waits_for_a_later_one_gets_its_answer():
    known = threading.Event()
    works = {
        "waits": Work(lambda: {"x": known.wait(30)}, ("waits",)),
        "knows": Work(lambda: known.set() or {}, ("knows",)),
    }
    assert {"x": True} in [one.facts for one in together(works, 30)]


def test_surrogates_in_a_reason_do_not_break_the_snapshot():
    def fail():
        raise OSError(2, "no", "/caf\udce9")

    (gap,) = guarded("x", Work(fail, ("x",))).gaps
    gap.why.encode()


def copy_at(folder, major=9, **facts):
    return CudnnCopy(folder=str(folder), file=f"libcudnn.so.{major}", major=major, **facts)


def trial_of(loaded, subject=SYSTEM, **facts):
    return Trial(subject=subject, stage="driver", status="no-gpu", loaded=str(loaded), **facts)


def test_who_wins_is_told_by_the_file_that_was_mapped(tmp_path):
    one = images.cudnn(tmp_path / "one", "9.5.1")
    two = images.cudnn(tmp_path / "two", "9.1.0", sonames_only=True)
    trials = [trial_of(one / "libcudnn.so.9.5.1"), trial_of(two / "libcudnn.so.9", "/venv"),
              trial_of(two / "libcudnn.so.9", library=str(two))]  # fmt: skip
    found = subjects.winners([copy_at(one), copy_at(two)], trials, Disk("linux"))
    assert [copy.wins_for for copy in found] == [(SYSTEM,), ("/venv",)]


def test_a_folder_of_links_does_not_win_for_the_folder_it_points_to(tmp_path):
    real = images.cudnn(tmp_path / "real", "9.5.1")
    farm = tmp_path / "farm"
    farm.mkdir()
    (farm / "libcudnn.so.9").symlink_to(real / "libcudnn.so.9")
    trials = [trial_of(real / "libcudnn.so.9.5.1")]
    found = subjects.winners([copy_at(farm), copy_at(real)], trials, Disk("linux"))
    assert [copy.wins_for for copy in found] == [(), (SYSTEM,)]


def test_what_can_not_be_loaded_is_not_loaded(tmp_path):
    folder = images.put(tmp_path / "x", "libcudnn.so.9", data=b"<html>")
    part = Part(name="cudnn", file="libcudnn.so.9", state="not-a-library")
    other = Part(name="cudnn", file="libcudnn.so.9", state="ok", architecture="aarch64")
    copies = (
        copy_at(folder, parts=(part,)),
        copy_at(folder, parts=(other,), architecture="aarch64"),
    )
    system = OperatingSystem(family="linux", architecture="x86_64")
    terms = subjects.Terms({}, Trust("linux"))
    found = subjects.checked(terms, Machine(os=system, cudnns=copies))
    assert [copy.doubt for copy in found] == ["", ""]
    assert [copy.check for copy in found] == [None, None]
