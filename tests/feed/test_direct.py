"""Without any feed: NVIDIA's index and PyPI's are asked, by real answers on loopback."""

from __future__ import annotations

import json
import os
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from feed_shop import Answer, Server, body, status

from cudnn_assistant import feed
from cudnn_assistant.cli import run
from cudnn_assistant.compat import Compat
from cudnn_assistant.compat.lookup import order
from cudnn_assistant.feed import additions, direct, saved
from cudnn_assistant.feed.additions import merge
from cudnn_assistant.feed.address import ASK, NVIDIA_AT, PYPI_AT
from cudnn_assistant.system.policy import Policy

ANSWERS = Path(__file__).parent / "answers"
NOW = datetime.now(UTC)


class Hosts:
    """NVIDIA's download server and PyPI in one, with answers that were recorded."""

    def __init__(self, folder: Path) -> None:
        self.server = Server(folder)
        redist = "compute/cudnn/redist/"
        names = ("redistrib_9.22.0.json", "redistrib_9.27.0.json")
        listed = "".join(f"<a href='{name}'>{name}</a>\n" for name in names)
        self.server.answers[redist] = body(f"<html>{listed}</html>".encode())
        for name in names:
            self.server.answers[redist + name] = body((ANSWERS / name).read_bytes())
        for name in ("torch", "nvidia-cudnn-cu13"):
            self.server.answers[f"simple/{name}/"] = body((ANSWERS / f"{name}.json").read_bytes())
        for name in ("nvidia-cudnn-cu12", *{*direct.PROJECTS} - {"torch"}):
            self.server.answers[f"simple/{name}/"] = body(b'{"files": []}')


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hosts:
    made = Hosts(tmp_path)
    monkeypatch.delenv(ASK)
    monkeypatch.setenv(NVIDIA_AT, made.server.url)
    monkeypatch.setenv(PYPI_AT, made.server.url)
    return made


@pytest.fixture
def yesterday(monkeypatch: pytest.MonkeyPatch) -> Compat:
    """A built-in copy from before cuDNN 9.27 and torch 2.15."""
    full = feed.load_builtin()
    old = msgspec.structs.replace(
        full,
        cudnns=tuple(one for one in full.cudnns if order(one.version) < order("9.27")),
        frameworks=tuple(one for one in full.frameworks if one.version != "2.15.0"),
        wheels=tuple(one for one in full.wheels if not one.version.startswith(("9.27", "9.28"))),
    )
    monkeypatch.setattr(feed, "load_builtin", lambda: old)
    return old


def test_yesterdays_cudnn_is_known_today(hosts: Hosts, yesterday: Compat) -> None:
    compat, source = feed.current()
    assert source.trouble == ""
    assert compat.unreviewed == ("cuDNN 9.27.0", "torch 2.15.0")
    release = compat.cudnns[-1]
    assert (release.full, release.released) == ("9.27.0.42", "2026-09-29")
    build = next(one for one in release.builds if one.cuda == "12")
    file = build.file("linux-x86_64")
    assert file is not None
    assert file.url.startswith("https://developer.download.nvidia.com/compute/cudnn/redist/cudnn/")
    assert (len(file.sha256), file.size) == (64, 1012666264)
    assert ("9.28.1.4", "nvidia-cudnn-cu13") in {(w.version, w.package) for w in compat.wheels}
    torch = [one for one in compat.frameworks if one.version == "2.15.0"]
    assert {one.python for one in torch} == {">=3.11,<3.16"}


def test_what_is_known_is_never_asked_for_again(hosts: Hosts) -> None:
    """The recorded manifests are older than the built-in copy: the index is all that is read."""
    assert feed.current()[0].unreviewed == ()
    assert not [path for path in hosts.server.asked if "redistrib" in path]


def test_limits_are_those_of_the_release_before(hosts: Hosts, yesterday: Compat) -> None:
    compat = feed.current()[0]
    new = next(one for one in compat.cudnns[-1].builds if one.cuda == "12")
    old = next(o for r in reversed(yesterday.cudnns) for o in r.builds if o.cuda == "12")
    assert (new.compute_min, new.driver_min_linux) == (old.compute_min, old.driver_min_linux)
    assert set(new.inferred) == {"compute", "cuda", "driver"}
    torch = next(one for one in compat.frameworks if one.version == "2.15.0")
    assert (torch.compute, torch.cuda, torch.sure) == ((), "", False)


def test_a_newer_release_is_asked_for_as_the_one_before(hosts: Hosts) -> None:
    """By the extras that bring CUDA, and only for systems whose wheels are for GPUs."""
    names = {"jax": "jax-0.99.0-py3-none-any.whl",
             "cupy-cuda12x": "cupy_cuda12x-99.0.0-cp312-cp312-win_amd64.whl",
             "torch": "torch-2.99.0-cp312-cp312-win_amd64.whl"}  # fmt: skip
    for project, name in names.items():
        file = {"filename": name, "requires-python": ">=3.12", "upload-time": "2026-11-22T00:00"}
        hosts.server.answers[f"simple/{project}/"] = body(json.dumps({"files": [file]}).encode())
    compat = feed.current()[0]
    built = [one for one in compat.frameworks if one.version in ("0.99.0", "2.99.0", "99.0.0")]
    assert {(one.family, one.requirement) for one in built} == {
        ("linux", "jax[cuda12]==0.99.0"), ("linux", "jax[cuda13]==0.99.0"),
        ("windows", "cupy-cuda12x[ctk]==99.0.0"),
    }  # fmt: skip


def test_a_mirror_may_lack_a_project(hosts: Hosts, yesterday: Compat) -> None:
    del hosts.server.answers["simple/jax/"], hosts.server.answers["simple/nvidia-cudnn-cu12/"]
    assert feed.current()[0].unreviewed == ("cuDNN 9.27.0", "torch 2.15.0")


@pytest.mark.parametrize(
    ("blocked", "trouble", "new"),
    [
        ("simple/", "not-the-feed", "cuDNN 9.27.0"),
        ("compute/cudnn/redist/", "server", "torch 2.15.0"),
    ],
)
def test_one_that_is_blocked_takes_nothing_from_the_other(
    hosts: Hosts, yesterday: Compat, blocked: str, trouble: str, new: str
) -> None:
    answers = dict(hosts.server.answers)
    hosts.server.answers |= {path: status(500) for path in answers if path.startswith(blocked)}
    compat, source = feed.current()
    assert (compat.unreviewed, source.trouble) == ((new,), trouble)
    # What each said before stays when it is blocked later.
    hosts.server.answers = answers
    both = feed.current(insist=True)[0]
    assert len(both.unreviewed) == 2
    hosts.server.answers |= {path: status(500) for path in answers if path.startswith(blocked)}
    assert feed.current(insist=True)[0] == both


def test_one_that_is_slow_takes_nothing_from_the_other(hosts: Hosts, yesterday: Compat) -> None:
    asked = threading.Event()

    def swallow(_request: object) -> None:
        asked.wait(5)

    hosts.server.answers["simple/nvidia-cudnn-cu12/"] = swallow
    compat, source = feed.current(patience=2)
    asked.set()
    assert (compat.unreviewed, source.trouble) == (("cuDNN 9.27.0",), "slow")


def test_once_a_day(hosts: Hosts, yesterday: Compat) -> None:
    first = feed.current()[0]
    asked = len(hosts.server.asked)
    assert asked <= 2 + 10
    assert feed.current()[0] == first
    assert feed.current(offline=True)[0] == first
    assert len(hosts.server.asked) == asked
    feed.current(now=NOW + timedelta(days=2))
    assert len(hosts.server.asked) == 2 * asked


@pytest.mark.parametrize("way", ["offline", "setting", "policy"])
def test_nobody_is_asked(hosts: Hosts, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if way == "setting":
        monkeypatch.setenv(ASK, "no")
    if way == "policy":
        module = sys.modules["cudnn_assistant.feed.address"]
        monkeypatch.setattr(module, "policy", lambda: Policy(ask=False))
    compat, _source = feed.current(offline=way == "offline", insist=way != "offline")
    assert compat == feed.load_builtin()
    assert hosts.server.asked == []


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (status(500), "server"),
        (status(302, Location="/x"), "not-the-feed"),
        (body(b"\xff" * 9), "not-the-feed"),
        (body(b"<html>Sign in</html>"), "not-the-feed"),
        (body(b""), "not-the-feed"),
    ],
)
def test_an_answer_that_says_nothing(
    hosts: Hosts, yesterday: Compat, answer: Answer, trouble: str
) -> None:
    known = feed.current()[0]
    assert known.unreviewed
    hosts.server.always = answer
    compat, source = feed.current(insist=True)
    assert (compat, source.trouble) == (known, trouble)


def test_a_clock_that_is_years_behind(hosts: Hosts) -> None:
    """No certificate is valid on that day."""
    hosts.server.close()
    assert feed.current()[1].trouble == "unreachable"
    assert feed.current(insist=True, now=datetime(2015, 1, 1, tzinfo=UTC))[1].trouble == "clock"


def test_a_manifest_that_is_not_served_yet(hosts: Hosts, yesterday: Compat) -> None:
    hosts.server.answers["compute/cudnn/redist/redistrib_9.27.0.json"] = status(403)
    assert feed.current()[0].unreviewed == ("torch 2.15.0",)


def test_a_wheel_that_no_data_may_name_is_left_out(hosts: Hosts, yesterday: Compat) -> None:
    """What is used is what can be read again tomorrow: its texts are held to the same patterns."""
    path = "simple/nvidia-cudnn-cu13/"
    plain = json.loads((ANSWERS / "nvidia-cudnn-cu13.json").read_text())
    for tag in ("9.99.0.1.post1-py3-none-win_amd64", "9.99.0.2-py3-none-win_ia64"):
        plain["files"].append({"filename": f"nvidia_cudnn_cu13-{tag}.whl"})
    hosts.server.answers[path] = body(json.dumps(plain).encode())
    compat = feed.current()[0]
    assert "9.28.1.4" in {one.version for one in compat.wheels}
    assert not [one for one in compat.wheels if one.version.startswith("9.99")]
    assert feed.current(offline=True)[0] == compat


def test_a_hostile_manifest_is_left_out(hosts: Hosts, yesterday: Compat) -> None:
    path = "compute/cudnn/redist/redistrib_9.27.0.json"
    plain = json.loads((ANSWERS / "redistrib_9.27.0.json").read_text())
    plain["cudnn"]["linux-x86_64"]["cuda12"]["relative_path"] = "../../../evil; rm -rf"
    hosts.server.answers[path] = body(json.dumps(plain).encode())
    assert all("cuDNN" not in name for name in feed.current()[0].unreviewed)


def test_a_saved_answer_that_was_tampered_with(hosts: Hosts, yesterday: Compat) -> None:
    feed.current()
    place = saved.folder() / "direct"
    for noise in (b"", b"\xff", b'{"cudnns": [{"version": "$(rm)"}]}'):
        place.write_bytes(noise)
        assert feed.current(offline=True)[0] == yesterday
    place.unlink()
    os.mkfifo(place)
    assert feed.current(offline=True)[0] == yesterday


def test_feed_names_what_is_not_reviewed(
    hosts: Hosts, yesterday: Compat, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["feed", "update"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "without an online feed" in out
    assert "not reviewed yet: cuDNN 9.27.0, torch 2.15.0" in out


def test_an_update_with_nobody_to_ask_has_its_own_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ASK, "no")
    assert run(["feed", "update"]) == 6
    assert "knows no address of newer data" in " ".join(capsys.readouterr().out.split())
    assert run(["feed"]) == 0


def test_what_was_learned_fits_under_newer_reviewed_data(hosts: Hosts, yesterday: Compat) -> None:
    found = additions.kept(NOW)[0] or direct.answer(yesterday, NOW)[0]
    assert found is not None
    full = merge(yesterday, found)
    assert merge(full, found).cudnns == full.cudnns


def test_a_network_that_answers_nothing_is_tried_once_a_day(hosts: Hosts) -> None:
    hosts.server.always = status(503)
    assert feed.current()[1].trouble == "server"
    asked = len(hosts.server.asked)
    assert feed.current()[1].trouble == ""
    assert len(hosts.server.asked) == asked
    assert feed.current(insist=True)[1].trouble == "server"
    assert feed.current(now=NOW + timedelta(days=2))[1].trouble == "server"
