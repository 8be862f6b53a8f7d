"""A word to the desktop when long work ends while the person is elsewhere."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QSystemTrayIcon, QWidget

_PORTAL = "org.freedesktop.portal"
_LISTENERS = (
    ("org.gtk.Notifications", "/org/gtk/Notifications", "org.gtk.Notifications"),
    (f"{_PORTAL}.Desktop", "/org/freedesktop/portal/desktop", f"{_PORTAL}.Notification"),
)
"""Who listens on a desktop's bus. The portal knows by itself which program speaks."""


class Notifier:
    """Speaks up only where the window isn't the one that is worked in."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._tray: QSystemTrayIcon | None = None

    def tell(self, text: str) -> None:
        """Say it, if nobody looks."""
        QApplication.alert(self._window)
        if self._window.isActiveWindow():
            return
        if not (QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()):
            _by_the_desktop(text)
            return
        if self._tray is None:
            self._tray = QSystemTrayIcon(self._window.windowIcon(), self._window)
            self._tray.messageClicked.connect(self._window.activateWindow)
        self._tray.show()
        self._tray.showMessage(self._window.windowTitle(), text, self._window.windowIcon())

    def done(self) -> None:
        """The person is back: nothing of ours stays in the tray."""
        if self._tray is not None:
            self._tray.hide()


def _by_the_desktop(text: str) -> bool:
    """GNOME has no tray; it and the desktops' common portal hear this. Whether anybody is there.

    The older Notify of all desktops wants an unsigned number, which Python's Qt can't send.
    """
    try:
        from PySide6.QtDBus import QDBusConnection, QDBusMessage
    except ImportError:
        return False
    bus = QDBusConnection.sessionBus()
    if not bus.isConnected():
        return False
    said = {"title": QApplication.applicationDisplayName(), "body": text}
    for name, path, interface in _LISTENERS:
        if bus.interface().isServiceRegistered(name).value():
            call = QDBusMessage.createMethodCall(name, path, interface, "AddNotification")
            program = [] if name.startswith(_PORTAL) else ["cudnn-assistant"]
            call.setArguments([*program, "done", said])
            return bus.send(call)
    return False
