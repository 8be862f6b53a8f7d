"""Whatever the situation: a recommendation satisfies every constraint that the data knows."""

from __future__ import annotations

from typing import Any, get_args

import needs
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from cudnn_assistant import compat as ask
from cudnn_assistant.compat import Recommendation, Situation, lookup, recommend_for, releases
from cudnn_assistant.compat.facts import ONGOING, Platform
from cudnn_assistant.compat.releases import runs_kernels
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.versions import major

DATA = load_builtin()
COMPUTES = sorted({one.compute for one in DATA.architectures})
TOOLKITS = ["10.2", "11.8", "12.1", "12.9", "13.0"]
FRAMEWORKS = sorted({(one.name, one.version) for one in DATA.frameworks})
DRIVERS = sorted(
    {one.linux for one in DATA.branches} | {one.windows for one in DATA.branches} - {""}
)


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    platform: Any = draw(st.sampled_from(get_args(Platform)))
    family: Any = platform.split("-")[0]
    driver_family: Any = draw(st.sampled_from([family, "windows"]))
    driver = draw(st.sampled_from(["", *DRIVERS]))
    name, version = draw(st.sampled_from([("", ""), *FRAMEWORKS]))
    return Situation(
        family=family,
        platform=platform,
        driver_family=driver_family,
        computes=tuple(draw(st.lists(st.sampled_from(COMPUTES), max_size=3, unique=True))),
        driver=driver,
        has_driver=draw(st.sampled_from([bool(driver), None])),
        cuda=ask.cuda_of_driver(DATA, driver, driver_family),
        toolkits=tuple(draw(st.lists(st.sampled_from(TOOLKITS), max_size=2))),
        python=draw(st.sampled_from(["", "3.7", "3.10", "3.12", "3.14"])),
        framework=name,
        framework_version=draw(st.sampled_from([version, ""])),
        want_cuda=draw(st.sampled_from(["", "", "11", "12", "13"])),
        want_cudnn=draw(st.sampled_from(["", "", "8", "9", "9.5"])),
    )  # fmt: skip


def served(here: Situation, found: Recommendation) -> list[str]:
    """The GPUs that the set is for."""
    out = {reason.about for reason in found.unmet if reason.code == "gpu-left-out"}
    return [compute for compute in here.computes if compute not in out]


@settings(max_examples=1200 if needs.night() else 40, deadline=None)
@given(situations())
def test_every_constraint_holds(here: Situation) -> None:
    found = recommend_for(here, DATA)
    if found.possible is False:
        assert found.unmet or found.unknown
        assert found.cudnn is None
        assert found.driver is None
        return
    computes = served(here, found)
    _driver_holds(here, found, computes)
    _cudnn_holds(here, found, computes)
    _toolkit_holds(here, found, computes)
    _framework_holds(here, found, computes)
    _one_cuda(found)


def _driver_holds(here: Situation, found: Recommendation, computes: list[str]) -> None:
    driver = found.driver
    if driver is None:
        assert found.possible is None
        return
    if driver.enough:
        assert ask.at_least(here.driver, driver.minimum) in (True, None)
    else:
        assert driver.possible is not False
        for compute in computes:
            assert lookup.driver_possible(DATA, compute, driver.minimum) is not False


def _cudnn_holds(here: Situation, found: Recommendation, computes: list[str]) -> None:
    if found.cudnn is None:
        return
    build = ask.cudnn_build(DATA, found.cudnn.version, found.cudnn.cuda_major, found.cudnn.cuda)
    assert build is not None
    for compute in computes:
        runs = releases.build_runs_on(DATA, build, compute)
        assert runs is not False
        assert runs is True or found.possible is None
        known = lookup.architecture(DATA, compute)
        if known and known.last_cudnn not in ("", ONGOING):
            assert ask.at_least(known.last_cudnn, build.version)
    if found.cudnn.file is not None:
        assert found.cudnn.file.platform == here.platform
        assert found.cudnn.file.sha256
    if found.driver and found.driver.enough:
        floor = releases.build_driver_floor(DATA, build, here.driver_family, computes)
        assert ask.at_least(here.driver, floor) in (True, None)
    if here.want_cuda:
        assert found.cudnn.cuda_major == int(here.want_cuda)
    if here.want_cudnn:
        assert ask.at_least(found.cudnn.version, here.want_cudnn)
        assert major(found.cudnn.version) == major(here.want_cudnn)


def _toolkit_holds(here: Situation, found: Recommendation, computes: list[str]) -> None:
    toolkit = found.toolkit
    if toolkit is None:
        return
    version = toolkit.present or toolkit.version
    for compute in computes:
        known = lookup.architecture(DATA, compute)
        if not version or known is None:
            continue
        if known.last_cuda not in ("", ONGOING) and toolkit.version:
            assert major(version) != 13 or known.last_cuda.startswith("13")
        if "." in version:
            assert ask.at_least(version, ask.oldest_usable_cuda(DATA, compute)) is not False
    for file in (toolkit.file, *(one for part in toolkit.components for one in part.files)):
        if file is not None:
            assert (file.platform, bool(file.sha256)) == (here.platform, True)


def _framework_holds(here: Situation, found: Recommendation, computes: list[str]) -> None:
    if found.framework is None:
        assert not here.framework or found.possible is None
        return
    build = next(
        one for one in DATA.frameworks
        if (one.name, one.version, one.family, one.cuda, one.found, one.index)
        == (found.framework.name, found.framework.version, here.family, found.framework.cuda,
            found.framework.found, found.framework.index)
    )  # fmt: skip
    assert build.gpu
    if here.python and build.python:
        assert SpecifierSet(build.python).contains(here.python)
    for compute in computes:
        assert not build.compute or runs_kernels(build.compute, compute)
        assert ask.at_least(compute, build.compute_min) is not False
    if found.cudnn and build.cudnn_spec:
        assert found.cudnn.full in SpecifierSet(build.cudnn_spec)
    if found.cudnn and build.cudnn and build.found == "system":
        assert major(found.cudnn.version) == major(build.cudnn)


def _one_cuda(found: Recommendation) -> None:
    """The parts of a set agree on the CUDA major."""
    majors = {
        found.cudnn.cuda_major if found.cudnn else None,
        found.toolkit.cuda_major if found.toolkit else None,
        (major(found.framework.cuda) or None) if found.framework else None,
    } - {None}
    assert len(majors) <= 1


@settings(max_examples=40, deadline=None)
@given(situations())
def test_alternatives_can_be_had_too(here: Situation) -> None:
    for one in recommend_for(here, DATA).alternatives:
        if one.framework is None:
            assert one.way in ("container", "source-build", "other-gpu")
            assert one.about
            continue
        family: Any = "linux" if one.way == "wsl2" else here.family
        found = ask.framework_builds(DATA, one.framework.name, one.framework.version, family)
        assert any(build.gpu and build.index == one.framework.index for build in found)


@settings(max_examples=25, deadline=None)
@given(situations())
def test_the_same_question_has_the_same_answer(here: Situation) -> None:
    assert recommend_for(here, DATA) == recommend_for(here, DATA)
