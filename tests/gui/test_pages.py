"""Every page in every state: no word is cut, every key is free, everything has a name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pictures
import pytest
import speech
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFormLayout,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTreeWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from cudnn_assistant.gui.answer import Shown
from cudnn_assistant.gui.dialogs import HistoryDialog
from cudnn_assistant.gui.diff_list import LINE
from cudnn_assistant.gui.disclosure import DisclosureArrow, Link, OpeningLine
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.snapshot_pictures import PartsPicture
from cudnn_assistant.gui.subject_card import SubjectCard
from cudnn_assistant.gui.text_widgets import Listing, Text, height_of, wrapped
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Mark, Notice

STATES = dict(pictures.states())
WIDTHS = {"wider": 110, "widest": 120}
"""Of the letters, in percent of the font that the tests bring."""
SIZES = {"640": QSize(640, 480), "820": QSize(820, 640)}


def shown(qtbot: QtBot, make: Callable[[], QWidget], size: QSize | None = None) -> QWidget:
    widget = make()
    qtbot.addWidget(widget)
    if size is not None:
        resize(widget, size)
    widget.show()
    settle()
    return widget


def resize(widget: QWidget, size: QSize) -> None:
    if isinstance(widget, Page):
        widget.setMinimumSize(size)
        widget.resize(size)


def settle() -> None:
    for _turn in range(5):
        QApplication.processEvents()


def assert_whole_in_each_size(qtbot: QtBot, make: Callable[[], QWidget]) -> QWidget:
    """Nothing is cut where it opens small, nor when it is drawn larger."""
    small, large = SIZES.values()
    widget = shown(qtbot, make, small)
    for size in (small, large):
        resize(widget, size)
        settle()
        if isinstance(widget, Page):
            assert widget.minimumSizeHint().width() <= 640
        assert cut(widget) == []
    return widget


def cut(widget: QWidget) -> list[str]:
    """What does not get the room that its words need."""
    labels = [w for w in widget.findChildren(Text) if w.isVisible()]
    buttons = [w for w in widget.findChildren(QPushButton) if w.isVisible()]
    arrows = [
        w for kind in (DisclosureArrow, Link) for w in widget.findChildren(kind) if w.isVisible()
    ]
    views = [*widget.findChildren(QListWidget), *widget.findChildren(Listing)]
    sheets = [(w, w.widget()) for w in widget.findChildren(QScrollArea)]
    return [
        *(f"text {w.text()!r}" for w in labels if w.height() < w.heightForWidth(w.width())),
        *(f"button {w.text()!r}" for w in buttons if w.width() < QPushButton.sizeHint(w).width()),
        *(f"arrow {w.text()!r}" for w in arrows if w.width() < w.sizeHint().width()),
        *(
            f"list {w.accessibleName()!r}"
            for w in views
            if w.isVisible() and w.height() < w.sizeHint().height()
        ),
        *(
            f"listing {w.accessibleName()!r}"
            for w in widget.findChildren(Listing)
            if w.isVisible()
            and w.document().size().height() * w.fontMetrics().lineSpacing() > w.height()
        ),
        *(
            f"content wider than its window: {inside.width()}"
            for sheet, inside in sheets
            if inside is not None and inside.width() > sheet.viewport().width()
        ),
    ]


@pytest.mark.parametrize("name", STATES)
def test_no_word_is_cut(qtbot: QtBot, name: str) -> None:
    assert_whole_in_each_size(qtbot, STATES[name])


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", STATES)
def test_no_word_is_cut_in_the_pseudo_language_which_reaches_every_word(
    qtbot: QtBot, name: str
) -> None:
    """What stays English under the pseudo-language was not given to gettext."""
    speech.speak(pseudo=True)
    widget = assert_whole_in_each_size(qtbot, STATES[name])
    for button in widget.findChildren(QAbstractButton):
        # The name of a server is the same in every language.
        if button.text() and not button.text().endswith(".nvidia.com"):
            assert "~" in button.text() or "ö" in button.text(), button.text()


@pytest.mark.spread(6, 1)
@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("width", ["wider", "widest"])
def test_no_word_is_cut_in_a_wider_font(
    qtbot: QtBot, qapp: QApplication, name: str, width: str
) -> None:
    font = qapp.font()
    font.setStretch(WIDTHS[width])
    qapp.setFont(font)
    assert_whole_in_each_size(qtbot, STATES[name])


@pytest.mark.spread(3, 2)
@pytest.mark.parametrize("name", STATES)
def test_no_word_is_cut_with_large_text(qtbot: QtBot, qapp: QApplication, name: str) -> None:
    font = qapp.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    qapp.setFont(font)
    widget = shown(qtbot, STATES[name], SIZES["640"])
    assert cut(widget) == []


@pytest.mark.parametrize("name", STATES)
def test_what_stands_on_a_page_keeps_the_rules(qtbot: QtBot, name: str) -> None:
    widget = shown(qtbot, STATES[name])
    for keeps in RULES:
        keeps(widget)
    if not name.startswith("dialog"):
        titles_are_answers_of_at_most_eight_words(widget)


def mnemonics_are_unique(widget: QWidget) -> None:
    letters = Counter(
        text[text.index("&") + 1].lower()
        for button in widget.findChildren(QAbstractButton)
        if "&" in (text := button.text())
    )
    assert [letter for letter, count in letters.items() if count > 1] == []


def everything_that_takes_the_focus_has_a_name(widget: QWidget) -> None:
    for child in widget.findChildren(QWidget):
        if child.focusPolicy() == Qt.FocusPolicy.NoFocus or not child.isVisible():
            continue
        if isinstance(child, QScrollArea) or child.objectName().startswith("qt_"):
            continue
        text = child.text() if isinstance(child, QAbstractButton) else ""
        assert child.accessibleName() or text, child


def names_of_repeated_buttons_tell_them_apart(widget: QWidget) -> None:
    names = Counter(
        button.accessibleName() or button.text() for button in widget.findChildren(QAbstractButton)
    )
    names.pop("", None)
    assert [name for name, count in names.items() if count > 1] == []


def marks_have_a_word(widget: QWidget) -> None:
    for mark in widget.findChildren(Mark):
        assert mark.accessibleName()


def titles_are_answers_of_at_most_eight_words(page: QWidget) -> None:
    assert isinstance(page, Page)
    said = [word for word in page.title.text().split() if not word[0].isdigit()]
    assert 1 <= len(said) <= 8
    assert page.title.text()[-1] not in "!?"


def a_sentence_under_a_count_speaks_of_all(page: QWidget) -> None:
    """Under "2 changes" something takes effect, and "It" would be one of them."""
    if isinstance(page, Page) and re.match(r"([2-9]|\d\d+) \w+s\b", page.title.text()):
        assert not page.lead.text().startswith("It ")


def names_do_not_run_on(page: QWidget) -> None:
    """ "cuDNN 9.8, is found first": what follows a name and a comma has no verb of its own."""
    for text in page.findChildren(Text):
        assert not re.match(r"cuDNN [\d.]+, (\w+ load|is|stands|are)\b", text.text()), text.text()


def neighbours_keep_a_gap(page: QWidget) -> None:
    """What stands at the left of a field, or of another column, doesn't touch it."""
    for form in page.findChildren(QFormLayout):
        assert form.horizontalSpacing() >= 2 * SPACE
    for table in page.findChildren(QTreeWidget):
        for at in range(table.topLevelItemCount()):
            item = table.topLevelItem(at)
            assert item is not None
            needed = table.fontMetrics().horizontalAdvance(item.text(0))
            assert table.columnWidth(0) >= needed + 2 * SPACE


FORBIDDEN = (
    *("error", "fail", "invalid", "illegal", "fatal", "corrupt"),
    *("please", "simply", "just", "oops"),
)


def words_that_blame_or_frighten_are_not_used(widget: QWidget) -> None:
    said = [label.text() for label in widget.findChildren(Text)]
    said += [button.text() for button in widget.findChildren(QAbstractButton)]
    for text in said:
        for word in text.lower().replace(",", " ").replace(".", " ").split():
            assert not any(word.startswith(bad) for bad in FORBIDDEN), text


RULES = (
    mnemonics_are_unique,
    everything_that_takes_the_focus_has_a_name,
    names_of_repeated_buttons_tell_them_apart,
    marks_have_a_word,
    words_that_blame_or_frighten_are_not_used,
    a_sentence_under_a_count_speaks_of_all,
    names_do_not_run_on,
    neighbours_keep_a_gap,
)


def test_details_are_read_only_and_can_be_copied(qtbot: QtBot) -> None:
    widget = shown(qtbot, STATES["overview-path-open"])
    listings = widget.findChildren(Listing)
    assert listings
    for listing in listings:
        assert isinstance(listing, QPlainTextEdit)
        assert listing.isReadOnly()
        assert listing.tabChangesFocus()


@pytest.mark.parametrize("width", [756, 560])
def test_history_shows_each_change_whole(qtbot: QtBot, width: int) -> None:
    dialog = shown(qtbot, STATES["dialog-history"])
    assert isinstance(dialog, HistoryDialog)
    dialog.resize(width, dialog.height())
    for _turn in range(3):
        QApplication.processEvents()
    tree = dialog.list
    for at in range(tree.topLevelItemCount()):
        item = tree.topLevelItem(at)
        assert item is not None
        needed = height_of(wrapped(item.text(1), tree.font(), tree.columnWidth(1) - 2 * SPACE))
        assert tree.visualItemRect(item).height() >= needed


@pytest.mark.parametrize("long", [False, True])
def test_labels_of_the_settings_stand_alike(qtbot: QtBot, long: bool) -> None:
    speech.speak(pseudo=long)
    form = shown(qtbot, STATES["dialog-settings"]).findChild(QFormLayout)
    assert form is not None
    label, field = QFormLayout.ItemRole.LabelRole, QFormLayout.ItemRole.FieldRole
    rows = range(form.rowCount())
    pairs = [(form.itemAt(at, label).geometry(), form.itemAt(at, field).geometry()) for at in rows]
    assert {one.right() > other.left() for one, other in pairs} == {long}


@pytest.mark.parametrize(
    "name", ["review-archive", "review-all", "review-package", "overview-driver-open"]
)
def test_an_address_that_can_be_opened_is_a_link_and_no_text(qtbot: QtBot, name: str) -> None:
    widget = shown(qtbot, STATES[name])
    labels = [label.text() for label in widget.findChildren(Text)]
    assert not [text for text in labels if "https://" in text]
    if name != "review-package":
        assert [link for link in widget.findChildren(Link) if "NVIDIA" in link.text()]


def test_a_download_that_fits_can_be_opened(qtbot: QtBot) -> None:
    page = shown(qtbot, STATES["overview-driver-open"])
    assert isinstance(page, OverviewPage)
    link = next(one for one in page.findChildren(Link) if one.text() == "Open NVIDIA's download")
    with qtbot.waitSignal(page.link) as opened:
        link.click()
    assert opened.args[0].startswith("https://developer.download.nvidia.com/")
    assert opened.args[0].endswith(".zip")


def test_an_installer_is_named_by_its_file_and_a_link_opens_its_address(qtbot: QtBot) -> None:
    page = shown(qtbot, STATES["review-installer-windows"])
    assert isinstance(page, ReviewPage)
    assert page.cards[0].list is not None
    line = page.cards[0].list.item(0).data(LINE)
    assert line.text.endswith("-whql.exe")
    assert "/" not in line.text
    link = next(one for one in page.findChildren(Link) if "nvidia.com" in one.text())
    assert link.text() == "us.download.nvidia.com"
    with qtbot.waitSignal(page.link) as opened:
        link.click()
    assert opened.args[0].endswith(f"/{line.text}")


@pytest.mark.parametrize("name", ["overview-two-open", "overview-tested", "explain-answer"])
def test_what_stands_below_an_icon_is_in_line_with_the_text_beside_it(
    qtbot: QtBot, name: str
) -> None:
    page = shown(qtbot, STATES[name], SIZES["820"])

    def left(widget: QWidget) -> int:
        return widget.mapTo(page, QPoint()).x()

    for card in page.findChildren(SubjectCard):
        assert left(card.picture) == left(card.name)
    for line in page.findChildren(OpeningLine):
        head, *others = (one for one in line.findChildren(Text) if one.isVisible())
        beside = (line, *line.findChildren(PartsPicture))
        assert all(left(one) == left(head) for one in others if one.parent() not in beside)


def test_what_is_more_to_news_is_in_line_with_its_sentence(qtbot: QtBot) -> None:
    page = shown(qtbot, STATES["overview-installer-ended"], SIZES["820"])
    notice = next(one for one in page.findChildren(Notice) if one.findChild(DisclosureArrow))
    inside = (notice.findChild(Text), notice.findChild(DisclosureArrow))
    assert len({one.mapTo(page, QPoint()).x() for one in inside if one is not None}) == 1


def test_a_program_that_ran_to_its_end_is_said_to(qtbot: QtBot) -> None:
    page = shown(qtbot, STATES["watch-worked"])
    assert "Your program ran to its end." in [label.text() for label in page.findChildren(Text)]


def test_a_row_that_filled_while_the_check_ran_stays_for_the_answer(qtbot: QtBot) -> None:
    page = shown(qtbot, STATES["check-middle"], SIZES["820"])
    assert isinstance(page, OverviewPage)
    filled = dict(page.cards)
    page.show_answer(Shown(pictures.checkup_of(pictures.computers.torch_pin())))
    settle()
    kept = [name for name, card in page.cards.items() if card is filled.get(name)]
    assert kept == list(page.cards), "a new card for each takes long where there are many"
    tops = [card.mapTo(page, QPoint()).y() for card in page.cards.values()]
    assert tops == sorted(tops)
    assert set(page.findChildren(SubjectCard)) == set(page.cards.values())


@pytest.mark.parametrize("name", [name for name in STATES if name.startswith("dialog-")])
def test_the_buttons_of_a_dialog_are_on_the_screen_in_large_letters(
    qtbot: QtBot, qapp: QApplication, name: str
) -> None:
    font = qapp.font()
    font.setPointSizeF(font.pointSizeF() * 2.2)
    qapp.setFont(font)
    dialog = shown(qtbot, STATES[name])
    assert dialog.height() < dialog.screen().availableGeometry().height()


def test_what_is_wider_than_the_window_can_be_scrolled_to(qtbot: QtBot) -> None:
    page = shown(qtbot, STATES["overview-path"], QSize(360, 320))
    (sheet,) = page.findChildren(QScrollArea)
    inside = sheet.widget()
    assert inside is not None
    assert inside.width() > sheet.viewport().width()
    assert sheet.horizontalScrollBar().isVisible()


@pytest.mark.parametrize("name", [name for name in STATES if not name.startswith("dialog-")])
def test_tab_walks_as_a_page_is_read(qtbot: QtBot, name: str) -> None:
    page = shown(qtbot, STATES[name], QSize(820, 3000))
    assert isinstance(page, Page)
    qtbot.keyClick(page.menu, Qt.Key.Key_Tab)
    tops, at = [], page.menu.nextInFocusChain()
    while at is not page.menu:
        if at.focusPolicy() & Qt.FocusPolicy.TabFocus and at.isVisible() and at.isEnabled():
            tops.append(at.mapTo(page, QPoint()).y())
        at = at.nextInFocusChain()
    assert all(above <= below + SPACE for above, below in pairwise(tops)), tops
