"""Which tests are run for whom: the system, environments with a cuDNN of their own, and others."""

from __future__ import annotations

import os

import msgspec

from cudnn_assistant.diagnose import verdict
from cudnn_assistant.finding import Finding, Manual
from cudnn_assistant.machine import (
    SYSTEM,
    Framework,
    Machine,
    OperatingSystem,
    PythonEnvironment,
    Trial,
)
from cudnn_assistant.probe import subjects
from cudnn_assistant.probe.subjects import Terms, WhichCudnn, asked_for
from cudnn_assistant.probe.trust import Trust
from cudnn_assistant.summary import trial_text


def tried(environment: dict[str, str], *pythons: PythonEnvironment) -> tuple[Trial, ...]:
    machine = Machine(os=OperatingSystem(family="linux"), pythons=pythons)
    return subjects.tried(Terms(environment, Trust("linux")), machine)


def using_system(where: str, cudnn: str, *more: Framework) -> PythonEnvironment:
    tensorflow = Framework(name="tensorflow", gpu=True, cudnn=cudnn, cudnn_from="system")
    return PythonEnvironment(id=where, frameworks=(tensorflow, *more))


def outcomes(trials):
    return [(t.subject, t.status, t.version) for t in trials]


def test_another_major_that_an_environment_takes_from_the_system(world):
    both = world.environment(world.cudnn[9], world.cudnn[8], world.driver)
    trials = tried(both, using_system("/a", "8.1"))
    assert outcomes(trials) == [(SYSTEM, "ok", "9.10.2"), ("/a", "ok", "8.9.7")]


def test_one_test_serves_all_who_ask_for_the_same(world):
    both = world.environment(world.cudnn[9], world.cudnn[8], world.driver)
    trials = tried(
        both,
        using_system("/a", "8.1"),
        using_system("/b", "8"),
        using_system("/c", "9.3"),
    )
    assert [t.subject for t in trials] == [SYSTEM, "/a", "/b"]
    assert trials[1].times == trials[2].times


def test_a_major_that_is_not_there_is_said(world):
    trials = tried(world.healthy(9), using_system("/a", "8.1"))
    assert outcomes(trials)[1] == ("/a", "missing-library", "")
    assert trials[1].missing == "libcudnn.so.8"


def test_without_any_cudnn_there_is_nothing_more_to_ask(world):
    trials = tried(world.environment(world.driver), using_system("/a", "8.1"))
    assert [t.subject for t in trials] == [SYSTEM]


def test_who_finds_the_systems_cudnn_by_its_activation_alone_has_one(world, tmp_path):
    """As faster-whisper's users write it into bin/activate."""
    (tmp_path / "bin").mkdir()
    line = f"export LD_LIBRARY_PATH={world.cudnn[9]}:$LD_LIBRARY_PATH\n"
    (tmp_path / "bin/activate").write_text(line)
    whisper = Framework(name="ctranslate2", gpu=True, cudnn="9", cudnn_from="system")
    one = PythonEnvironment(
        id=str(tmp_path),
        python="x",
        kind="venv",
        frameworks=(whisper,),
        found_via=("common-folder",),
    )
    trials = tried(world.environment(world.driver), one)
    assert outcomes(trials) == [(SYSTEM, "missing-library", ""), (one.id, "ok", "9.10.2")]
    # What somebody else may have laid there isn't heard.
    strange = msgspec.structs.replace(one, found_via=("project",))
    assert outcomes(tried(world.environment(world.driver), strange)) == outcomes(trials)[:1]
    machine = Machine(os=OperatingSystem(family="linux"), pythons=(one,), trials=trials)
    assert verdict(machine, ()) == "works"
    lacking = Finding(code="cudnn-missing", severity="error", remedy=Manual())
    assert verdict(machine, (lacking,), one.id) == "works"
    # What a framework brings for itself serves no other, nor one that asks for another major.
    torch = Framework(name="torch", gpu=True, cudnn="9.10", cudnn_from="wheel")
    older = msgspec.structs.replace(whisper, name="paddle", cudnn="8")
    for other in (torch, older):
        both = msgspec.structs.replace(one, frameworks=(other, whisper))
        machine = msgspec.structs.replace(machine, pythons=(both,))
        assert verdict(machine, (lacking,), one.id) == "broken"


def test_who_asks_for_no_major_gets_the_systems_test(world):
    assert len(tried(world.healthy(), using_system("/a", ""))) == 1


def test_of_many_environments_those_in_use_are_tried(world, tmp_path, monkeypatch):
    """Who is left out isn't unknown for ever: it is said, and keeps nobody else from working."""
    torch = Framework(name="torch", gpu=True, cudnn="9.10", cudnn_from="wheel")
    pythons = []
    for number, name in enumerate("abcdefgh"):
        site = tmp_path / name / "lib"
        site.mkdir(parents=True)
        os.utime(site, (1_000_000 + number,) * 2)
        pythons.append(
            PythonEnvironment(
                id=str(tmp_path / name),
                sites=(str(site),),
                frameworks=(torch,),
                active=name == "a",
                found_via=("conda", *(["CONDA_PREFIX"] if name == "b" else [])),
            )
        )
    pythons[2] = msgspec.structs.replace(pythons[2], found_via=("project",))
    monkeypatch.setattr(subjects, "MOST_ENVIRONMENTS", 5)
    machine = Machine(os=OperatingSystem(family="linux"), pythons=tuple(pythons))
    named = str(tmp_path / "d/bin/python")
    terms = Terms(world.healthy(), Trust("linux", (named,)))
    found = {os.path.basename(t.subject): t for t in subjects.tried(terms, machine)}
    assert {name for name, one in found.items() if one.status == "ok"} == {SYSTEM, *"abdgh"}
    assert {name: one.doubt for name, one in found.items() if one.doubt} == dict.fromkeys(
        "cef", "many"
    )
    told = trial_text(found["e"])[1]
    assert "many others were tried first" in told
    assert f"--python {tmp_path / 'e'}" in told
    seen = msgspec.structs.replace(machine, trials=tuple(found.values()))
    assert verdict(seen, ()) == "works"
    wrong = Finding(code="cudnn-missing", severity="error", remedy=Manual(),
                    subject=str(tmp_path / "e"))  # fmt: skip
    assert verdict(seen, (wrong,)) == "broken"


def test_frameworks_that_are_asked_are_those_in_use(monkeypatch):
    torch = Framework(name="torch", gpu=True, cudnn_from="wheel")
    pythons = [
        PythonEnvironment(
            id=f"/{name}",
            python=f"/{name}/bin/python",
            frameworks=(torch,),
            found_via=("conda",),
        )
        for name in "abc"
    ]
    monkeypatch.setattr(subjects, "MOST_ASKED", 1)
    monkeypatch.setattr(subjects, "run_framework", lambda *_, subject, **__: subject)
    terms = Terms({}, Trust("linux", ("/c/bin/python",)))
    assert subjects.asked_frameworks(terms, pythons) == ("/c",)


def test_what_an_environment_asks_for():
    assert asked_for(using_system("/a", "8.1")) == WhichCudnn(major=8)
    torch = Framework(name="torch", gpu=True, cudnn="9.10", cudnn_from="wheel")
    assert asked_for(using_system("/a", "8.1", torch)).major == 9
