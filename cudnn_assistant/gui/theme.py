"""Looks: status colours, tinted icons, relative fonts, and what the system asks for.

Every other colour is a role of the system's palette, so that dark mode and high contrast come
by themselves. Icons are drawn with two names that are replaced here: ``currentColor`` (the
status) and ``Canvas`` (what lies behind it).
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from PySide6.QtCore import QByteArray, QOperatingSystemVersion, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPainter, QPalette, QPen, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import (
    QApplication,
    QPlainTextEdit,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionComplex,
    QWidget,
)

from cudnn_assistant.places import resource

Look = Literal["ok", "note", "bad", "unknown", "info", "wait", "busy", "next", "none", "shield"]

LIGHT: dict[str, str] = {"ok": "#107C10", "note": "#8A5100", "bad": "#B3261E"}
DARK: dict[str, str] = {"ok": "#6CCB5F", "note": "#FCE100", "bad": "#FF99A4"}
SPACE = 8
"""The grid: every margin and gap is a multiple of half of it (logical pixels)."""


def luminance(colour: QColor) -> float:
    """Relative luminance as WCAG 2 defines it, 0 to 1."""

    def part(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = map(part, (colour.redF(), colour.greenF(), colour.blueF()))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: QColor, other: QColor) -> float:
    """Contrast ratio as WCAG 2 defines it, 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def blend(front: QColor, back: QColor, share: float) -> QColor:
    """``share`` of ``front`` over ``back``, opaque."""
    rest = 1 - share
    return QColor.fromRgbF(
        front.redF() * share + back.redF() * rest,
        front.greenF() * share + back.greenF() * rest,
        front.blueF() * share + back.blueF() * rest,
    )


def dark(palette: QPalette) -> bool:
    """Whether text is lighter than what lies behind it."""
    return luminance(palette.windowText().color()) > luminance(palette.window().color())


def high_contrast(palette: QPalette) -> bool:
    """Whether the system asks for high contrast; then status is told by icon and word alone.

    Qt says so since 6.10; before, a palette of pure black and white says it.
    """
    hints = QGuiApplication.styleHints()
    if hasattr(hints, "accessibility"):
        wish = hints.accessibility()
        if wish.contrastPreference() == Qt.ContrastPreference.HighContrast:
            return True
    return contrast(palette.windowText().color(), palette.window().color()) > 20.5


def status(look: str, palette: QPalette) -> QColor:
    """The colour of a status on this palette; the text's own under high contrast."""
    table = DARK if dark(palette) else LIGHT
    text = palette.windowText().color()
    if look not in table:
        return muted(palette)
    return text if high_contrast(palette) else QColor(table[look])


def muted(palette: QPalette) -> QColor:
    """The colour of second-rank text, never under 4.5 : 1."""
    text, back = palette.windowText().color(), palette.window().color()
    return text if high_contrast(palette) else blend(text, back, 0.72)


def link(palette: QPalette, *, on: bool = True) -> QColor:
    """The colour of links: the palette's own where it can be read, else that of text."""
    if not on:
        return muted(palette)
    own, grounds = palette.link().color(), (card(palette), palette.window().color())
    seen = all(contrast(own, ground) >= 4.5 for ground in grounds)
    return own if seen else palette.windowText().color()


def hairline(palette: QPalette) -> QColor:
    """The colour of borders that group; they carry no meaning of their own."""
    text, back = palette.windowText().color(), palette.window().color()
    return text if high_contrast(palette) else blend(text, back, 0.16)


def card(palette: QPalette) -> QColor:
    """What a card is filled with: the palette's ground for content."""
    window, base = palette.window().color(), palette.base().color()
    # In the dark some styles make Base darker than Window; a card is better a little lighter.
    if dark(palette) and luminance(base) <= luminance(window) and not high_contrast(palette):
        return blend(palette.windowText().color(), window, 0.05)
    return base


def station(palette: QPalette) -> QColor:
    """What a box inside a card is filled with: the window's own ground, told apart by its edge."""
    return blend(palette.windowText().color(), card(palette), 0.03)


def font(size: float = 1.0, *, bold: bool = False, fixed: bool = False) -> QFont:
    """The application's font, ``size`` times as large."""
    result = QFont(QApplication.font())
    if fixed:
        result.setFamilies(["Cascadia Mono", "Consolas", "Noto Sans Mono", "DejaVu Sans Mono"])
        result.setStyleHint(QFont.StyleHint.Monospace)
    if result.pointSizeF() > 0:
        result.setPointSizeF(result.pointSizeF() * size)
    else:
        result.setPixelSize(round(result.pixelSize() * size))
    result.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return result


@cache
def drawing(name: str, colour: str, paper: str) -> QSvgRenderer:
    """A status icon in colours of these names, sharp at every size."""
    text = resource(f"icons/{name}.svg").read_text(encoding="utf-8")
    text = text.replace("currentColor", colour).replace("Canvas", paper)
    return QSvgRenderer(QByteArray(text.encode()))


def shield(palette: QPalette) -> QIcon:
    """The sign of an administrator's permission: Windows' own, elsewhere ours."""
    own = QApplication.style().standardIcon(QStyle.StandardPixmap.SP_VistaShield)
    if not own.isNull():
        return own
    picture = QPixmap(64, 64)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    colours = palette.buttonText().color().name(), palette.button().color().name()
    drawing("shield", *colours).render(painter)
    painter.end()
    return QIcon(picture)


def app_icon() -> QIcon:
    """The program's icon."""
    return QIcon(str(resource("icons/app.svg")))


def focus_colour(palette: QPalette) -> QColor:
    """The colour of the focus frame: the accent where it can be seen, else that of text."""
    accent, back = palette.highlight().color(), palette.window().color()
    return accent if contrast(accent, back) >= 3 else palette.windowText().color()


def draw_focus(widget: QWidget, surface: QWidget | None = None) -> None:
    """A frame of 2 pixels around a widget that got the focus by keyboard; else nothing.

    ``surface``: the part of it that is painted on.
    """
    by_keys = widget.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    if not (widget.hasFocus() and by_keys):
        return
    painter = QPainter(surface or widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(focus_colour(widget.palette()), 2))
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(1, 1, -1, -1), 3, 3)
    painter.end()


_FUSION = "fusion"
_DRAWN = QStyle.PrimitiveElement
_FIELDS = {_DRAWN.PE_IndicatorCheckBox, _DRAWN.PE_FrameLineEdit}
"""What has no words of its own to be known by: only its edge says that it is there."""
_EDGED = {
    *(*_FIELDS, _DRAWN.PE_Frame, _DRAWN.PE_PanelButtonCommand),
    *(_DRAWN.PE_PanelMenu, _DRAWN.PE_FrameMenu),
}
"""What has an edge: boxes to tick, lists and texts, lines to type in, buttons, menus."""
_COMPLEX = {
    QStyle.ComplexControl.CC_ComboBox: QStyle.SubControl.SC_ComboBoxFrame,
    QStyle.ComplexControl.CC_ScrollBar: QStyle.SubControl.SC_ScrollBarSlider,
}


class _Edges(QProxyStyle):
    """Fusion draws its edges in a shade of the background: in high contrast none can be seen, and
    of a box to tick or a field not in the dark either. This one draws them in the colour of text.
    """

    def __init__(self) -> None:
        super().__init__(_FUSION)

    def name(self) -> str:
        """That of the style whose place it takes."""
        return _FUSION

    def drawPrimitive(  # noqa: N802
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """As Fusion does, with an edge that is seen."""
        super().drawPrimitive(element, option, painter, widget)
        if element in _EDGED:
            field = element in _FIELDS or isinstance(widget, QPlainTextEdit)
            draw_edge(painter, option, option.rect, always=field)

    def drawControl(  # noqa: N802
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """A bar of progress shows how long it will be."""
        super().drawControl(element, option, painter, widget)
        if element == QStyle.ControlElement.CE_ProgressBar:
            draw_edge(painter, option, option.rect)

    def drawComplexControl(  # noqa: N802
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        """Choices, and where one has scrolled to."""
        super().drawComplexControl(control, option, painter, widget)
        if widget is not None and (part := _COMPLEX.get(control)) is not None:
            draw_edge(painter, option, self.subControlRect(control, option, part, widget))


def draw_edge(painter: QPainter, option: QStyleOption, box: QRect, *, always: bool = False) -> None:
    """The edge of a box, in high contrast or ``always``; in the colour of the focus where it is."""
    palette: QPalette = option.palette
    if not (always or high_contrast(palette)):
        return
    focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
    painter.setPen(focus_colour(palette) if focused else muted(palette))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5))
    painter.restore()


def show_edges() -> None:
    """Draw what has an edge so that it is seen in every scheme; other styles do so themselves."""
    if QApplication.style().name() == _FUSION:
        QApplication.setStyle(_Edges())


def motion() -> bool:
    """Whether things may move: the system does not ask for less motion."""
    duration = QStyle.StyleHint.SH_Widget_Animation_Duration
    if QApplication.style().styleHint(duration) == 0:
        return False
    if QOperatingSystemVersion.currentType() == QOperatingSystemVersion.OSType.Windows:
        return bool(QApplication.isEffectEnabled(Qt.UIEffect.UI_AnimateMenu))
    return _desktop_animates()


@cache
def _desktop_animates() -> bool:
    """GNOME and its kin say it through the desktop portal; no portal means no such wish."""
    try:
        from PySide6.QtDBus import QDBusConnection, QDBusInterface
    except ImportError:
        return True
    bus = QDBusConnection.sessionBus()
    name = "org.freedesktop.portal.Desktop"
    if not bus.isConnected() or not bus.interface().isServiceRegistered(name).value():
        return True
    portal = QDBusInterface(
        name, "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings", bus
    )
    portal.setTimeout(300)
    answer = portal.call("ReadOne", "org.gnome.desktop.interface", "enable-animations")
    return answer.arguments()[:1] != [False]
