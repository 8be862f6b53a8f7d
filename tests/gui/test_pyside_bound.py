"""Why PySide6 stays under 6.12: that release ends the interpreter after some hundred signals."""

import subprocess
import sys

PROGRAM = """
from PySide6.QtCore import QObject, Signal
class Bell(QObject):
    rung = Signal(bool)
bell = Bell()
for number in range(5000):
    bell.rung.emit(number % 2 == 0)
print("still here")
"""


def test_five_thousand_signals_leave_the_interpreter_alive() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "still here"), done.stderr[-500:]
