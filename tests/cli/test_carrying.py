"""A plan carried out from a terminal: licence, progress, a clean stop; the server is ours."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import os
import pty
import signal
import sys
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from test_apply import Person

from cudnn_assistant.apply import NotApplied
from cudnn_assistant.cli.carrying import DONE, Maker
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.download import fetch, licence
from cudnn_assistant.machine import Machine, OperatingSystem, Value
from cudnn_assistant.plan import Download, InstallArchive, Plan, SetVariable
from cudnn_assistant.session import Session
from cudnn_assistant.system.linux import Linux
from cudnn_assistant.trouble import Refused
from cudnn_assistant.wording import progress
from cudnn_assistant.wording.progress import ProgressLine, left

pytestmark = pytest.mark.enable_socket  # loopback only
LOOPBACK = frozenset({"127.0.0.1"})
TERMS = "LICENSE AGREEMENT\nOnly for use in systems with NVIDIA GPUs.\n"


class Server(ThreadingHTTPServer):
    """Serves an archive and its licence; may wait in the middle of the archive."""

    def __init__(self, archive: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.archive = archive
        self.terms = TERMS.encode()
        self.half_sent = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self.asked: list[str] = []

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        there = self.server
        there.asked.append(self.path)
        if self.path == "/LICENSE.txt":
            return self.send(there.terms)
        if self.path != "/archive.tar.xz":
            return self.send_error(404)
        return self.send(there.archive)

    def send(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        middle = len(body) // 2
        self.wfile.write(body[:middle])
        self.wfile.flush()
        if self.path == "/archive.tar.xz":
            self.server.half_sent.set()
            self.server.go_on.wait(20)
        try:
            self.wfile.write(body[middle:])
        except OSError:
            return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        return


@functools.cache
def packed() -> bytes:
    """Made once: to pack what can't be made smaller takes two seconds."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:xz", preset=0) as archive:
        info = tarfile.TarInfo("top/lib/libcudnn.so.9")
        content = os.urandom(4_000_000)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server in NVIDIA's place: the addresses that count as official are exchanged."""
    for function in (fetch, licence):
        monkeypatch.setitem(function.__kwdefaults__, "hosts", LOOPBACK)
    with Server(packed()) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.go_on.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def plan_of(person: Person, server: Server) -> Plan:
    folder = str(person.home / "own" / "cudnn-assistant" / "libraries" / "cudnn-9.28.0-cuda12")
    install = InstallArchive(
        product="cuDNN",
        version="9.28.0",
        cuda_major=12,
        download=Download(
            url=f"{server.base}/archive.tar.xz",
            size=len(server.archive),
            sha256=hashlib.sha256(server.archive).hexdigest(),
        ),
        folder=folder,
        search=f"{folder}/lib",
        licence=f"{server.base}/LICENSE.txt",
    )
    variable = SetVariable(scope="user", name="LD_LIBRARY_PATH", after=Value(text=install.search))
    return Plan(steps=(install, variable))


def carry(person: Person, plan: Plan, *, json: bool = False, **flags: bool) -> int:
    session = Session(person.system(), person.journal())
    here = Machine(os=OperatingSystem(family="linux"))
    return Maker(session, here, Options(**flags), Screen(json=json)).carry_out(plan).code


def answers(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Somebody at a terminal who types that."""
    ours, theirs = pty.openpty()
    os.write(ours, text.encode())
    monkeypatch.setattr(sys, "stdin", os.fdopen(theirs, encoding="utf-8"))


def test_the_licence_is_read_accepted_and_recorded(
    person: Person, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    answers(monkeypatch, "r\ny\n")
    plan = plan_of(person, server)
    assert carry(person, plan) == DONE
    told = capsys.readouterr()
    assert "Only for use in systems with NVIDIA GPUs." in told.out
    assert told.err.count("Accept NVIDIA's licence") == 2
    (entry,) = person.journal().entries()
    (accepted,) = entry.accepted
    assert (accepted.address, accepted.how) == (f"{server.base}/LICENSE.txt", "asked")
    assert accepted.sha256 == hashlib.sha256(TERMS.encode()).hexdigest()
    assert accepted.sha256 in told.out
    assert server.asked == ["/LICENSE.txt", "/archive.tar.xz"]


def test_no_is_no(
    person: Person, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    answers(monkeypatch, "r\n\n")
    assert carry(person, plan_of(person, server)) == 1
    assert server.asked == ["/LICENSE.txt"]
    assert person.journal().entries() == ()


@pytest.mark.parametrize("json", [False, True], ids=["words", "json"])
def test_yes_accepts_what_it_names(person: Person, server: Server, capsys: Any, json: bool) -> None:
    assert carry(person, plan_of(person, server), yes=True, json=json) == DONE
    told = capsys.readouterr()
    assert f"With --yes you accept NVIDIA's licence: {server.base}/LICENSE.txt" in (
        told.err if json else told.out
    )
    assert person.journal().entries()[0].accepted[0].how == "--yes"
    assert not json or told.out == ""


def test_beside_json_it_is_shown_before_it_is_asked_about(
    person: Person, server: Server, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    answers(monkeypatch, "n\n")
    assert carry(person, plan_of(person, server), json=True) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert "LD_LIBRARY_PATH" in told.err[: told.err.index("Accept NVIDIA's licence")]


def test_without_its_licence_nothing_is_installed(
    person: Person, server: Server, capsys: Any
) -> None:
    plan = plan_of(person, server)
    with pytest.raises(NotApplied, match="licence-not-accepted") as caught:
        person.apply(plan)
    assert caught.value.as_before
    server.terms = b"  "
    assert carry(person, plan, yes=True) == 5
    assert "no licence text" in capsys.readouterr().err
    assert "/archive.tar.xz" not in server.asked


def test_prepared_archives_bring_their_licence(
    person: Person, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "LICENSE.txt").write_text("ours")
    (tmp_path / "archive.tar.xz").write_bytes(server.archive)
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(tmp_path))
    assert carry(person, plan_of(person, server), yes=True) == DONE
    assert server.asked == []
    accepted = person.journal().entries()[0].accepted[0]
    assert accepted.sha256 == hashlib.sha256(b"ours").hexdigest()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("http://127.0.0.1:1/LICENSE.txt", "not-reached"),
        ("https://example.org/LICENSE.txt", "not-nvidias"),
        ("http://developer.download.nvidia.com/LICENSE.txt", "not-nvidias"),
    ],
)
def test_licences_come_from_nvidia(address: str, why: str) -> None:
    hosts = LOOPBACK | {"developer.download.nvidia.com"}
    with pytest.raises(Refused, match=why):
        licence(address, hosts=hosts)


def test_a_licence_that_moved(server: Server) -> None:
    with pytest.raises(Refused, match="server-answered code=404"):
        licence(f"{server.base}/elsewhere.txt")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_stops_cleanly_and_the_next_try_goes_on(
    person: Person, server: Server, capsys: Any, number: signal.Signals
) -> None:
    before, handler = person.files(), signal.getsignal(number)
    plan = plan_of(person, server)
    server.go_on.clear()

    def stop() -> None:
        server.half_sent.wait(20)
        os.kill(os.getpid(), number)
        server.go_on.set()

    stopping = threading.Thread(target=stop)
    stopping.start()
    assert carry(person, plan, yes=True) == 130
    stopping.join()
    told = capsys.readouterr().err
    assert "Stopped, as you wished." in told
    assert "Everything is as it was before." in told
    assert person.files() == before
    assert person.journal().unfinished() == ()
    assert signal.getsignal(number) is handler
    assert carry(person, plan, yes=True) == DONE


class Slow(Linux):
    """A system on which somebody presses Ctrl+C while a setting is written."""

    def write(self, scope: Any, name: str, value: Value | None) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        super().write(scope, name, value)


def test_settings_alone_are_finished(person: Person, capsys: Any) -> None:
    one, two = (
        SetVariable(scope="user", name=name, after=Value(text="/opt/x"))
        for name in ("CUDA_PATH", "CUDA_HOME")
    )
    home = person.home
    system = Slow({"HOME": str(home)}, home=str(home), config=str(home / "c"), etc=str(home))
    session = Session(system, person.journal())
    here = Machine(os=OperatingSystem(family="linux"))
    plan = Plan(steps=(one, two))
    assert Maker(session, here, Options(yes=True), Screen()).carry_out(plan).code == 130
    assert "It was done already." in capsys.readouterr().err
    assert person.journal().entries()[0].states == ("done", "done")


def test_a_dry_run_changes_nothing_and_prints_the_plan(
    person: Person, server: Server, capsys: Any
) -> None:
    plan = plan_of(person, server)
    assert carry(person, plan, dry_run=True, json=True) == 1
    shown = capsys.readouterr().out
    assert msgspec.json.decode(shown, type=Plan) == plan
    assert json.loads(shown)["steps"][0]["type"] == "install-archive"
    assert json.loads(shown)["demands"] == {
        "download": len(server.archive), "administrator": [], "sign_out": False, "restart": False,
    }  # fmt: skip
    assert server.asked == []


def test_speed_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now, line = [0.0], ProgressLine()
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    assert line(0, "download", 0, 1_000_000_000) == "Download: 0 of 1,000 MB"
    for second in range(20):
        now[0] = float(second)
        told = line(0, "download", second * 10_000_000, 1_000_000_000)
    assert told == "Download: 190 of 1,000 MB, 10.0 MB/s, about 1 minute left"
    assert line(0, "unpack", 5_000_000, 0) == "Unpacking: 5 MB"
    now[0] = 40.0
    told = line(1, "download", 900_000_000, 1_000_000_000)
    assert told == "Download: 900 of 1,000 MB", "another file begins anew"


def test_a_time_is_as_exact_as_a_guess() -> None:
    assert [left(s) for s in (1, 23, 54, 80, 400)] == [
        "nearly done",
        "about 25 seconds left",
        "about 55 seconds left",
        "about 1 minute left",
        "about 7 minutes left",
    ]
