"""What holds for every test: no network, no home of anybody, no log line, no silent skip."""

from __future__ import annotations

import compileall
import functools
import gc
import itertools
import logging
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import needs
import pytest

# Each of the processes would compile all tests, and Hypothesis, again for itself: a quarter of the
# time that it needs to collect them.
sys.dont_write_bytecode = False

from hypothesis import HealthCheck, settings  # noqa: E402
from pytest_socket import disable_socket  # noqa: E402

from cudnn_assistant.signals import SIGNALS  # noqa: E402

HERE = Path(__file__).parent
for one in SIGNALS:
    # Behind a shell's "&", or under nohup, some are ignored, and what the tests start would do so.
    if signal.getsignal(one) is signal.SIG_IGN:
        signal.signal(one, signal.default_int_handler if one == signal.SIGINT else signal.SIG_DFL)
if needs.qt():
    pytest_plugins = ["pytestqt.plugin"]
# Sentences are compared in English, whatever the person who starts the tests speaks.
os.environ["LANGUAGE"] = "en"
# Programs that came with the test dependencies, as in an environment that was activated.
os.environ["PATH"] = os.pathsep.join((os.path.dirname(sys.executable), os.environ.get("PATH", "")))

# The same examples at every run: what the nightly profile finds becomes an example of its own, and
# a change is never held up by what it didn't touch.
HOSTILE = 100_000
"""Hostile lists of folders that a night tries; each of the properties below gets its share, since
all of them for each property would take most of an hour of processor time."""
PROPERTIES = 8
"""In test_envpath.py and test_hostile_paths.py."""

settings.register_profile("bounded", max_examples=100, deadline=None, derandomize=True)
settings.register_profile(
    "nightly",
    max_examples=HOSTILE // PROPERTIES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("bounded")
# "pytest --hypothesis-profile nightly" comes later and wins. A test that sets its own number of
# examples keeps it: it starts programs or compares thousands of computers.

SLOW = (
    "installer/test_windows_installer.py", "wine", "installer/test_linux_packages.py",
    "fleet/test_ansible.py", "installer", "lab", "trial", "feed", "fleet",
)  # fmt: skip
"""Folders and files that begin first, the longest before all others, so that no process ends long
after the others."""
AT_ONCE = 25
"""Tests of another file that one process gets together: to hand over thousands one by one
keeps the process that does it busy, and the others waiting."""
ONE_OF_IT = ("wine", "gpu")
"""Folders whose tests share something that a computer has once."""

_left_out: Counter[str] = Counter()


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the product once: what a test starts in a folder of its own can't keep what it
    compiles, and would do it again each time."""
    if not hasattr(session.config, "workerinput"):
        compileall.compile_dir(HERE.parent / "cudnn_assistant", quiet=2)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two processes a core: a test often waits for what it started. With three a whole run is not
    quicker, and windows under Wine come too late for the keys that are pressed."""
    return 2 * (os.cpu_count() or 1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Share tests among processes: those of one Wine, of one costly fixture or of one golden
    computer stay together, and quick ones of a file by the handful."""
    _leave_to_the_night(items)
    quick: Counter[str] = Counter()
    for item in items:
        if item.get_closest_marker("xdist_group"):
            continue
        group = _group(item) or _computers(item)
        if not group and _turn(item) == len(SLOW):
            file = _file(item.path)
            group = f"{file}-{quick[file] // AT_ONCE}"
            quick[file] += 1
        if group:
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=_turn)


def _leave_to_the_night(items: list[pytest.Item]) -> None:
    """Of a test with ``spread(every)`` each so manieth set of parameters is tried by day."""
    seen: Counter[str] = Counter()
    for item in items:
        if family := item.get_closest_marker("spread"):
            name = item.nodeid.partition("[")[0]
            every, first = (*family.args, 0)[:2]
            if seen[name] % every != first:
                item.add_marker(pytest.mark.nightly)
            seen[name] += 1


@functools.cache
def _file(path: Path) -> str:
    return path.relative_to(HERE).as_posix()


def _turn(item: pytest.Item) -> int:
    return next((n for n, name in enumerate(SLOW) if _file(item.path).startswith(name)), len(SLOW))


def pytest_collection_finish() -> None:
    """Take what was collected, ten thousand tests, out of the collector's sight. pefile has it look
    through everything whenever a file is closed, which took up to a second each time: here through
    what is young, which a file just read is."""
    import pefile

    gc.collect()
    gc.freeze()
    pefile.gc = SimpleNamespace(collect=functools.partial(gc.collect, 1))


def _room(item: pytest.Item) -> str:
    return _file(item.path).partition("/")[0]


def _group(item: pytest.Item) -> str:
    if _room(item) in ONE_OF_IT:
        return _room(item)
    fixtures = getattr(item, "_fixtureinfo", None)
    known = fixtures.name2fixturedefs.values() if fixtures else ()
    shared = any(one.scope == "module" for found in known for one in found)
    return item.path.stem if shared else ""


def _computers(item: pytest.Item) -> str:
    """The golden computers that a test is about: what is found there, their tests ask for once."""
    callspec = getattr(item, "callspec", None)
    names = callspec.params.get("names") if callspec else None
    known = sys.modules.get("machines.each")
    return f"computers-{names[0]}" if known and names in known.HANDFULS else ""


def pytest_runtest_setup(item: pytest.Item) -> None:
    disable_socket(allow_unix_socket=True)
    if item.get_closest_marker("gpu") and not _has_gpu():
        pytest.skip(needs.HARDWARE)
    if item.get_closest_marker("nightly") and not needs.night():
        pytest.skip(needs.NIGHT)
    if item.get_closest_marker("wine"):
        needs.require("wine")


def _has_gpu() -> bool:
    return os.path.exists("/dev/nvidiactl")


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Homes by number. pytest's own would look through all that are there for the next one."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that is nobody's: settings, state and caches of a test end here."""
    home = next(homes)
    home.mkdir(0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name in ("CONFIG", "STATE", "DATA", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    monkeypatch.setenv("CUDNN_ASSISTANT_ASK", "no")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return home


@pytest.fixture(autouse=True)
def no_unexpected_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A warning that nobody asked for is a defect. A test that wants one clears ``caplog``."""
    yield
    found = [r for r in caplog.get_records("call") if r.levelno >= logging.WARNING]
    assert not found, f"unexpected log: {[record.getMessage() for record in found]}"


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped:
        _left_out[_reason(report)] += 1


def _reason(report: pytest.TestReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI a part that could not run is a failure, except what is run elsewhere."""
    if os.environ.get("CI") and set(_left_out) - needs.LEFT_TO_OTHERS and session.exitstatus == 0:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for reason, count in sorted(_left_out.items()):
        tests = "1 test" if count == 1 else f"{count} tests"
        terminalreporter.write_line(f"Left out: {tests}: {reason}")
    if not _left_out:
        terminalreporter.write_line("Left out: nothing.")
