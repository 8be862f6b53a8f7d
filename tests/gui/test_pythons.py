"""Test that Python: a real interpreter runs a forged framework, from its row."""

from __future__ import annotations

import sys
from pathlib import Path

import computers
import msgspec
import pytest
from pictures import checkup_of, golden, stopped
from pytestqt.qtbot import QtBot
from test_flow import arrive, start, texts
from world import World

from cudnn_assistant.gui.answer import Shown
from cudnn_assistant.gui.disclosure import Link
from cudnn_assistant.gui.overview import AT_ONCE, OverviewPage
from cudnn_assistant.gui.subject_card import SubjectCard
from cudnn_assistant.gui.widgets import Button
from cudnn_assistant.gui.window import Window
from cudnn_assistant.machine import Framework, Machine, PythonEnvironment, Trial, Value
from cudnn_assistant.report.reading import read_report
from cudnn_assistant.session import LookRequest
from cudnn_assistant.session.checkup import without_plan
from cudnn_assistant.session.events import PartLooked
from cudnn_assistant.session.trials import frameworks_of

sys.path.insert(0, str(Path(__file__).parent.parent / "trial"))
import forged_frameworks

HOME = r"C:\ai\venv"
TORCH = Framework(name="torch", version="2.9.0", gpu=True, cudnn="9.10", cudnn_from="bundled")


def environment(*frameworks: Framework, place: str = HOME) -> PythonEnvironment:
    return PythonEnvironment(
        id=place, python=sys.executable, version="3.11.9", bits=64, frameworks=frameworks
    )


@pytest.fixture
def forged(world: World, tmp_path: Path) -> World:
    """A computer that works, with an environment whose torch is forged."""
    folder = tmp_path / "site"
    (folder / "torch").mkdir(parents=True)
    (folder / "torch" / "__init__.py").write_text(forged_frameworks.TORCH)
    world.settings.write("user", "PYTHONPATH", Value(text=str(folder)))
    trial = msgspec.structs.replace(computers.passed(), subject=HOME)
    works = computers.works()
    seen = msgspec.structs.replace(
        works, pythons=(environment(TORCH),), trials=(*works.trials, trial)
    )
    world.look = lambda: seen
    return world


def link_of(page: OverviewPage, place: str = HOME) -> Link:
    """The way to the test of an environment, in its opened row."""
    page.open_row(place)
    name = f"Test PyTorch 2.9.0 in {place}"
    (link,) = [one for one in page.findChildren(Link) if one.accessibleName() == name]
    return link


def tried(qtbot: QtBot, window: Window, word: str) -> OverviewPage:
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage, "works")
    link_of(page).click()
    assert "running one convolution…" in texts(page)
    qtbot.waitUntil(lambda: word in texts(page.cards[HOME]), timeout=20_000)
    assert window.page is page, "the overview stays"
    return page


def test_a_framework_that_works_is_proven_on_the_spot(
    qtbot: QtBot, window: Window, forged: World
) -> None:
    page = tried(qtbot, window, "a convolution ran on Forged GPU in")
    assert page.cards[HOME].mark.look == "ok"
    assert "It holds." in page.cards[HOME].picture.accessibleDescription()
    assert page.title.text() == "cuDNN 9.8 works"
    assert forged.looks == 1
    assert link_of(page).isEnabled()


def test_one_that_stops_says_where_and_the_report_has_it(
    qtbot: QtBot, window: Window, forged: World
) -> None:
    forged.settings.write("user", "FORGED_DAY", Value(text="handle"))
    page = tried(qtbot, window, "PyTorch")
    qtbot.waitUntil(lambda: page.cards[HOME].mark.look == "bad", timeout=20_000)
    assert page.cards[HOME].mark.look == "bad"
    assert next(iter(page.cards)) == HOME, "the worst comes first"
    assert "works" not in page.title.text()
    window.side_flows.save()
    qtbot.waitUntil(lambda: window.dialog is not None)
    machine = read_report(window.dialog.forms.text).machine  # type: ignore[union-attr]
    (trial,) = [t for t in machine.trials if t.framework]
    assert trial.code_name == "CUDNN_STATUS_NOT_INITIALIZED"


def test_leaving_the_page_ends_the_test(qtbot: QtBot, window: Window, forged: World) -> None:
    forged.settings.write("user", "FORGED_DAY", Value(text="hang"))
    start(qtbot, window)
    link_of(arrive(qtbot, window, OverviewPage, "works")).click()
    qtbot.waitUntil(lambda: bool(running(forged)), timeout=20_000)
    window.flow.check()
    qtbot.waitUntil(lambda: not running(forged), timeout=10_000)


def running(world: World) -> list[str]:
    """Processes whose environment names this world's forged torch."""
    value = world.settings.read("user", "PYTHONPATH")
    assert value is not None
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if value.text.encode() in (entry / "environ").read_bytes():
                found.append(entry.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("opened", [True, False], ids=["opened before", "opened after"])
def test_one_test_at_a_time(qtbot: QtBot, window: Window, forged: World, opened: bool) -> None:
    """Two would compete for the GPU's memory."""
    seen = forged.look()
    other = environment(TORCH, place=r"C:\ai\other")
    trial = msgspec.structs.replace(computers.passed(), subject=other.id)
    both = msgspec.structs.replace(
        seen, pythons=(*seen.pythons, other), trials=(*seen.trials, trial)
    )
    forged.look = lambda: both
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    second = link_of(page, other.id) if opened else None
    link_of(page).click()
    assert not (second or link_of(page, other.id)).isEnabled()
    window.flow.show_answer()
    assert page.cards[HOME].mark.look == "busy"
    assert not link_of(page, other.id).isEnabled()
    qtbot.waitUntil(lambda: link_of(page, other.id).isEnabled(), timeout=20_000)


def test_only_what_can_be_tested_is_offered() -> None:
    cpu = Framework(name="torch", version="2.5.1+cpu", gpu=False)
    paddle = Framework(name="paddle", gpu=True)
    assert frameworks_of(environment(TORCH, cpu, paddle)) == ["torch"]
    assert frameworks_of(environment(paddle)) == []
    assert frameworks_of(PythonEnvironment(id="x", frameworks=(TORCH,))) == []


def test_another_computer_is_not_tested(qtbot: QtBot) -> None:
    machine = msgspec.structs.replace(computers.works(), pythons=(environment(TORCH),))
    for checkup in (checkup_of(machine), without_plan(checkup_of(machine))):
        page = OverviewPage()
        qtbot.addWidget(page)
        page.show_answer(Shown(checkup))
        page.open_row(HOME)
        offered = [link.text() for link in page.cards[HOME].findChildren(Link)]
        assert ("Test that Python…" in offered) is not checkup.reported


IN_DOUBT = {"stage": "start", "status": "not-run", "doubt": "owner"}


def doubted(folder: str, row: str = "system") -> Machine:
    """Nothing is tried, because of a folder that programs search and others own."""
    library = rf"{folder}\cudnn64_9.dll"
    trials = [Trial(subject=one, detail=library, **IN_DOUBT) for one in ("system", HOME)]  # type: ignore[arg-type]
    pythons = (environment(TORCH),) if row == HOME else ()
    return msgspec.structs.replace(computers.works(), pythons=pythons, trials=tuple(trials))


@pytest.mark.parametrize("said_yes", [True, False])
@pytest.mark.parametrize("row", ["system", HOME])
def test_what_is_in_doubt_is_tried_after_one_question(
    qtbot: QtBot, world: World, row: str, said_yes: bool
) -> None:
    folder, asked = r"D:\others", list[LookRequest]()

    def look(_system: object, request: LookRequest, *_more: object) -> Machine:
        asked.append(request)
        return computers.works() if folder in request.trusted else doubted(folder, row)

    session = world.session()
    session._look = look  # type: ignore[assignment]
    window = Window(session, world.open)
    qtbot.addWidget(window)
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    page.open_row(row)
    if row == "system":  # the other row tells what is wrong with it
        assert "to try it, press “Try it all the same…” under “Details”" in texts(page)
    assert "--trust" not in texts(page)
    (link,) = [x for x in page.cards[row].findChildren(Link) if "all the same" in x.text()]
    link.click()
    dialog = window.dialog
    assert dialog is not None
    assert folder in texts(dialog)
    labels = {"&Try it": True, "&Cancel": False}
    (answer,) = [b for b in dialog.findChildren(Button) if labels.get(b.text()) is said_yes]
    answer.click()
    if said_yes:
        arrive(qtbot, window, OverviewPage, "works")
    assert [one.trusted for one in asked] == [(), (folder,)][: 1 + said_yes]
    assert window.flow.request.trusted == (folder,) * said_yes


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("detail", ["/home/kim/ai/venv/lib/x.so", "/srv/others/libcudnn.so.9"])
def test_root_is_offered_nothing_that_is_another_s(qtbot: QtBot, detail: str, root: bool) -> None:
    machine = golden("linux-environment-not-tried").machine
    system, test = machine.trials
    trials = (system, msgspec.structs.replace(test, doubt="owner", detail=detail))
    here = msgspec.structs.replace(machine.os, administrator=root)
    page = OverviewPage()
    qtbot.addWidget(page)
    seen = msgspec.structs.replace(machine, os=here, trials=trials)
    page.show_answer(Shown(checkup_of(seen)))
    page.open_row(test.subject)
    offered = {link.text() for link in page.findChildren(Link)}
    assert bool(offered & {"Try it all the same…", "Test that Python…"}) is not root
    assert ("to try it, run this without sudo, not as root" in texts(page)) is root


def test_a_report_offers_nothing_to_be_tried(qtbot: QtBot) -> None:
    page = OverviewPage()
    qtbot.addWidget(page)
    page.show_answer(Shown(without_plan(checkup_of(doubted(r"D:\others")))))
    page.open_row("system")
    assert "not tried, because" in texts(page).lower()
    assert "to try it" not in texts(page)
    assert not [x for x in page.findChildren(Link) if "all the same" in x.text()]


def test_a_check_that_was_stopped_looks_for_nothing_more(qtbot: QtBot) -> None:
    page = stopped()
    qtbot.addWidget(page)
    assert page.cards["system"].state.isHidden()


def test_many_rows_come_a_screenful_at_a_time(qtbot: QtBot) -> None:
    seen = computers.pythons()
    one = seen.pythons[0]
    many = tuple(msgspec.structs.replace(one, id=f"/ai/{number}/python") for number in range(30))
    seen = msgspec.structs.replace(seen, pythons=many)
    page = OverviewPage()
    qtbot.addWidget(page)
    page.show()
    page.hear(PartLooked("cudnn", True, seen))
    assert len(page.cards) == AT_ONCE
    page.show_answer(Shown(checkup_of(seen)))
    assert len(page.cards) == AT_ONCE
    last = many[-1].id
    page.open_row(last)
    assert len(page.findChildren(SubjectCard)) == 31, "what is asked for is there"
    qtbot.wait(50)
    tops = [page.cards[python.id].y() for python in many]
    assert tops == sorted(tops)
    assert page.cards[last].opener is not None
    assert page.cards[last].opener.open
