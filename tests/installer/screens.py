"""A screen of its own with a window manager, and the keyboard before it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

TOOLS = ("Xvfb", "openbox", "xdotool", "import")
"""What must be installed for tests that look at windows."""


_STAYS = 16
"""Looks in a row, half a second each, at which a window is the only one."""


class Screen:
    """Looks at windows and presses keys."""

    def __init__(self, display: str, home: Path) -> None:
        self.environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(home),
            "LC_ALL": "C.UTF-8",
            "DISPLAY": display,
        }

    def windows(self, title: str) -> list[str]:
        """X's numbers of the shown windows with exactly this title."""
        done = self._x("search", "--onlyvisible", "--name", f"^{title}$")
        return done.stdout.split()

    def wait_for(self, title: str, seconds: float = 40, other: str = "") -> str:
        """The first window with this title that is not ``other``, once it is shown."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if found := [window for window in self.windows(title) if window != other]:
                return found[0]
            time.sleep(0.2)
        raise AssertionError(f"no window {title!r} within {seconds} s")

    def wait_for_program(self, title: str = "cuDNN Assistant") -> str:
        """Our own window, once it has taken the place of the first picture of the same title."""
        first, stayed = self.wait_for(title), 0
        for _turn in range(120):
            time.sleep(0.5)
            found = self.windows(title)
            if len(found) == 1 and found != [first]:
                return found[0]
            # The window was there at once, or the first picture stands on a busy computer.
            stayed = stayed + 1 if found == [first] else 0
            if stayed == _STAYS:
                return first
        raise AssertionError(f"no window {title!r} that stays")

    def gone(self, title: str, seconds: float = 30) -> None:
        """Wait until no window has this title."""
        until = time.monotonic() + seconds
        while self.windows(title):
            assert time.monotonic() < until, f"{title!r} is still there"
            time.sleep(0.2)

    def close(self, title: str) -> None:
        """The window that has this title by now, as a person closes it."""
        self.press(self.wait_for(title), "alt+F4")
        self.gone(title)

    def press(self, window: str, *keys: str) -> None:
        """Keys for a window, as from a keyboard."""
        self._x("windowactivate", "--sync", window)
        for key in keys:
            time.sleep(0.4)
            self._x("key", key)

    def press_until(self, window: str, key: str, done: Callable[[], bool], seconds: float) -> None:
        """A key again and again: a page that is just coming up misses it.

        ``window`` is a number, or the title of the one that has it by then.
        """
        until = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < until, f"{key!r} does nothing"
            for one in [window] if window.isdigit() else self.windows(window)[:1]:
                self.press(one, key)
            time.sleep(1)

    def picture(self, name: str, folder: Path) -> None:
        """The screen as a picture in ``folder``, or where CUDNN_ASSISTANT_PICTURES says.

        To be looked at, never compared.
        """
        time.sleep(0.5)
        target = Path(os.environ.get("CUDNN_ASSISTANT_PICTURES", folder)) / name
        words = ["import", "-window", "root", str(target)]
        subprocess.run(words, env=self.environment, timeout=30)

    def _x(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["xdotool", *words], env=self.environment, capture_output=True, text=True, timeout=30
        )


@contextlib.contextmanager
def screen() -> Iterator[str]:
    """The display's name of a screen that is nobody's."""
    read, write = os.pipe()
    words = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1100x800x24", "-nolisten", "tcp"]
    with _running(*words, pass_fds=[write]):
        os.close(write)
        display = ":" + os.read(read, 20).decode().strip()
        with _running("openbox", env={**os.environ, "DISPLAY": display}):
            yield display
    # Not before: the server ends when nobody listens to the rest of what it says.
    os.close(read)


@contextlib.contextmanager
def _running(*words: str, **how: object) -> Iterator[None]:
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    started = subprocess.Popen(words, stderr=subprocess.DEVNULL, **silent, **how)  # type: ignore[call-overload]
    try:
        yield
    finally:
        started.terminate()
        started.wait(30)
