"""A word to a desktop without a tray arrives on its bus, in the types that it wants."""

from __future__ import annotations

import subprocess
import sys

import needs
import pytest

SPEAKS = """
import subprocess, sys, time
from PySide6.QtCore import QCoreApplication
from PySide6.QtDBus import QDBusConnection
from PySide6.QtWidgets import QApplication
app = QApplication(["x"])
app.setApplicationDisplayName("cuDNN Assistant")
from cudnn_assistant.gui import notification
print(notification._by_the_desktop("nobody listens"))
bus = QDBusConnection.sessionBus()
bus.registerService(sys.argv[1])
hears = subprocess.Popen(
    ["dbus-monitor", "--session", "member=AddNotification"], stdout=subprocess.PIPE, text=True
)
for line in hears.stdout:
    if "NameLost" in line:
        break
print(notification._by_the_desktop("All done"))
said = []
for line in hears.stdout:
    said.append(" ".join(line.split()))
    if "All done" in line or "title" in line:
        if any("All done" in one for one in said) and any("title" in one for one in said):
            break
hears.terminate()
print("|".join(said))
"""


@pytest.mark.parametrize(
    ("service", "arguments"),
    [
        ("org.gtk.Notifications", '|string "cudnn-assistant"|string "done"|array [|dict entry('),
        ("org.freedesktop.portal.Desktop", '|string "done"|array [|dict entry('),
    ],
)
def test_a_desktop_without_a_tray_is_told(service: str, arguments: str) -> None:
    needs.require("dbus-run-session")
    needs.require("dbus-monitor")
    done = subprocess.run(
        ["dbus-run-session", "--", sys.executable, "-c", SPEAKS, service],
        capture_output=True,
        text=True,
        timeout=60,
    )
    alone, told, said = done.stdout.strip().splitlines()
    assert (alone, told) == ("False", "True"), done.stderr
    assert f"interface={service.replace('.Desktop', '.Notification')}" in said
    assert arguments in said
    assert 'variant string "All done"' in said
