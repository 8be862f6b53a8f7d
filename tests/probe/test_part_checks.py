"""cuDNN's version checks: each has an outcome of its own, whichever of them ends its process."""

from __future__ import annotations

import needs
import pytest
from stub_world import World

from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.probe.running import children
from cudnn_assistant.probe.trials import trial

pytestmark = needs.programs("gcc")
NINE = ("cudnnGraphVersionCheck", "cudnnCnnVersionCheck", "cudnnAdvVersionCheck",
        "cudnnOpsVersionCheck")  # fmt: skip


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("world"))


@pytest.fixture
def started(monkeypatch):
    """How many children are started; they are."""
    count = []

    def run(*arguments, **wishes):
        count.append(arguments)
        return children.run_child(*arguments, **wishes)

    monkeypatch.setattr(trial, "run_child", run)
    return count


def checked(world, major=9, deadline=30.0, **day):
    copy = CudnnCopy(folder=str(world.cudnn[major]), file=f"libcudnn.so.{major}", major=major)
    check = trial.check_library(copy, world.healthy(major, **day), "linux", deadline=deadline)
    assert check is not None
    return check


def outcomes(check):
    return {part.call: (part.status, part.code) for part in check.parts}


@pytest.mark.parametrize("major", [8, 9])
def test_a_whole_copy_needs_one_child(world, started, major):
    check = checked(world, major)
    assert check.status == "ok"
    assert len(check.parts) == {8: 6, 9: 4}[major]
    assert {part.status for part in check.parts} == {"ok"}
    assert len(started) == 1


def test_one_that_aborts_leaves_the_others_their_outcome(world, started):
    check = checked(world, STUB_CUDNN_DAY="cudnnCnnVersionCheck:abort")
    assert (check.status, check.code) == ("crashed", -6)
    assert outcomes(check) == dict.fromkeys(NINE, ("ok", None)) | {NINE[1]: ("crashed", -6)}
    assert len(started) == 2


def test_the_last_that_aborts_needs_no_further_child(world, started):
    check = checked(world, STUB_CUDNN_DAY="cudnnOpsVersionCheck:segv")
    assert outcomes(check)["cudnnOpsVersionCheck"] == ("crashed", -11)
    assert len(started) == 1


def test_mixed_versions_are_told_and_the_rest_is_asked(world, started):
    check = checked(world, STUB_CUDNN_DAY="cudnnCnnVersionCheck:1002")
    assert (check.status, check.code) == ("status-code", 1002)
    assert outcomes(check) == dict.fromkeys(NINE, ("ok", None)) | {
        "cudnnCnnVersionCheck": ("status-code", 1002)
    }
    assert len(started) == 2


def test_without_a_version_the_checks_still_answer(world, started):
    check = checked(world, STUB_CUDNN_DAY="cudnnGetVersion:abort")
    assert (check.status, check.version) == ("crashed", "")
    assert outcomes(check) == dict.fromkeys(NINE, ("ok", None))
    assert len(started) == 2


def test_one_that_hangs_is_the_last(world, started):
    check = checked(world, deadline=2.0, STUB_CUDNN_DAY="cudnnCnnVersionCheck:hang")
    assert check.status == "timed-out"
    assert [part.status for part in check.parts] == ["ok", "timed-out"]
    assert len(started) == 1


def test_the_old_monolith_has_no_checks(world, started):
    assert checked(world, 7).parts == ()
    assert len(started) == 1


def test_a_library_that_does_not_load_has_none(world, started):
    check = checked(world, STUB_CUDNN_DAY="init:abort")
    assert (check.status, check.parts) == ("crashed", ())
    assert len(started) == 1
