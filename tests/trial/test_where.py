"""The folder that the person happens to stand in is no answer."""

from __future__ import annotations

from cudnn_assistant.probe.trials.trial import run_trial


def test_a_copy_beside_the_person_does_not_answer(world, monkeypatch):
    """Windows also searches the current folder, Linux where a search path has an empty element."""
    environment = world.healthy()
    folders = environment["LD_LIBRARY_PATH"].split(":")
    stray = next(f for f in folders if "cudnn" in f.rsplit("/", 1)[-1] or len(folders) == 1)
    environment["LD_LIBRARY_PATH"] = ":".join([*(f for f in folders if f != stray), ""])
    monkeypatch.chdir(stray)
    trial = run_trial(environment, "linux")
    assert trial.status == "missing-library"
    assert not trial.loaded
