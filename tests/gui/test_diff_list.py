"""The list of one change: folding, walking, copying, and what a screen reader is told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from cudnn_assistant.gui.diff_list import DiffList, Folded, accessible_text, fold
from cudnn_assistant.plan import ChangeLine

ADDED = ChangeLine(sign="+", text=r"C:\new", note="added, first")
SAME = [ChangeLine(sign=" ", text=rf"C:\{n}") for n in range(14)]


def test_only_what_differs_and_its_neighbour_is_shown() -> None:
    assert fold([ADDED, *SAME]) == [ADDED, SAME[0], Folded(13)]
    assert fold([*SAME, ADDED]) == [Folded(13), SAME[13], ADDED]


def test_a_run_of_one_is_not_folded() -> None:
    lines = [ADDED, SAME[0], SAME[1]]
    assert fold(lines) == lines


lines_ = st.lists(st.sampled_from("+- ").map(lambda s: ChangeLine(sign=s, text=s)), max_size=30)


@given(lines_)
def test_folding_loses_nothing(lines: list[ChangeLine]) -> None:
    shown = fold(lines)
    assert sum(x.count if isinstance(x, Folded) else 1 for x in shown) == len(lines)
    changed = [x for x in lines if x.sign != " "]
    assert [x for x in shown if isinstance(x, ChangeLine) and x.sign != " "] == changed


def test_signs_are_words_for_a_screen_reader() -> None:
    assert accessible_text(ADDED) == r"Added: C:\new, added, first"
    assert accessible_text(ChangeLine(sign="-", text="x")) == "Removed: x"
    assert accessible_text(Folded(3)) == "3 more, unchanged"


def test_arrow_keys_walk_and_ctrl_c_copies(qtbot: QtBot) -> None:
    view = DiffList([ADDED, *SAME], "Path")
    qtbot.addWidget(view)
    view.resize(500, 200)
    view.show()
    view.setCurrentRow(0)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == r"C:\new"
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == r"C:\0"


def test_all_lines_can_be_shown_and_none_is_cut(qtbot: QtBot) -> None:
    long = ChangeLine(sign="+", text="C:\\" + "folder\\" * 60, note="added")
    view = DiffList([long, *SAME], "Path")
    qtbot.addWidget(view)
    view.resize(400, 100)
    view.show()
    narrow = view.sizeHint().height()
    assert view.sizeHintForRow(0) > 3 * view.sizeHintForRow(1)
    view.show_all(True)
    assert view.count() == 15
    assert view.sizeHint().height() > narrow


def test_tab_leaves_the_list(qtbot: QtBot) -> None:
    view = DiffList([ADDED], "Path")
    qtbot.addWidget(view)
    assert not view.tabKeyNavigation()
