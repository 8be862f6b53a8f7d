"""A word to the desktop when long work ends while the person is elsewhere."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

LONG = 8.0
"""Seconds after which a person may have gone to do something else."""


class Notifier:
    """Speaks up only where the window isn't the one that is worked in."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._tray: QSystemTrayIcon | None = None

    def tell(self, text: str, seconds: float) -> bool:
        """Say it if the work took that long and nobody looks. Whether it was said."""
        if seconds < LONG or self._window.isActiveWindow():
            return False
        QApplication.alert(self._window)
        if not (QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()):
            return _by_the_desktop(text)
        if self._tray is None:
            self._tray = QSystemTrayIcon(self._window.windowIcon(), self._window)
            self._tray.messageClicked.connect(self._window.activateWindow)
        self._tray.show()
        self._tray.showMessage(self._window.windowTitle(), text, self._window.windowIcon())
        return True

    def done(self) -> None:
        """The person is back: nothing of ours stays in the tray."""
        if self._tray is not None:
            self._tray.hide()


def _by_the_desktop(text: str) -> bool:
    """GNOME has no tray, but hears this; elsewhere nobody does."""
    try:
        from PySide6.QtDBus import QDBusConnection, QDBusMessage
    except ImportError:
        return False
    bus = QDBusConnection.sessionBus()
    if not bus.isConnected():
        return False
    name = "org.freedesktop.Notifications"
    call = QDBusMessage.createMethodCall(name, "/org/freedesktop/Notifications", name, "Notify")
    title = QApplication.applicationDisplayName()
    call.setArguments([title, 0, "cudnn-assistant", title, text, [], {}, -1])
    return bus.send(call)
