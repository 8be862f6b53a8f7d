"""The ordinary life of the feed: nothing set, online, nothing new, offline, new keys."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from feed_shop import Shop
from machines.computers import golden

from cudnn_assistant import __version__, feed, places
from cudnn_assistant.cli import run
from cudnn_assistant.feed import saved
from cudnn_assistant.feed.address import VARIABLE, allowed
from cudnn_assistant.feed.source import Source, describe
from cudnn_assistant.machine import dump
from cudnn_assistant.system.policy import Policy

BUILTIN = feed.load_builtin().version


def test_without_an_address_the_built_in_data_answers() -> None:
    compat, source = feed.current(insist=True)
    assert compat is feed.load_builtin()
    assert (source.kind, source.trouble, source.feed) == ("built-in", "no-address", False)


def test_online_data_is_used_and_saved(shop: Shop) -> None:
    compat, source = feed.current()
    assert (compat.version, source.kind, source.trouble) == (BUILTIN + 1, "online", "")
    shop.server.close()
    compat, source = feed.current(offline=True)
    assert (compat.version, source.kind) == (BUILTIN + 1, "saved")
    assert source.checked


@pytest.mark.parametrize("way", ["offline", "person", "policy"])
def test_who_says_no_asks_nobody(shop: Shop, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    if way == "person":
        monkeypatch.setenv("CUDNN_ASSISTANT_ASK", "no")
    if way == "policy":
        monkeypatch.setattr(sys.modules[allowed.__module__], "policy", lambda: Policy(ask=False))
    compat, source = feed.current(offline=way == "offline", insist=True)
    assert (compat.version, source.kind) == (BUILTIN, "built-in")
    assert shop.server.asked == []


def test_with_nothing_new_two_requests_are_made(shop: Shop) -> None:
    feed.current()
    del shop.server.asked[:]
    compat, source = feed.current(insist=True)
    assert (compat.version, source.kind) == (BUILTIN + 1, "online")
    assert shop.server.asked == ["metadata/2.root.json", "metadata/timestamp.json"]


def test_data_confirmed_a_moment_ago_is_not_asked_for(shop: Shop) -> None:
    feed.current()
    del shop.server.asked[:]
    assert feed.current()[1].kind == "saved"
    assert shop.server.asked == []
    later = datetime.now(UTC) + timedelta(days=1)
    assert feed.current(now=later)[1].kind == "online"


def test_a_new_version_is_fetched(shop: Shop) -> None:
    feed.current()
    shop.publish(2)
    assert feed.current(insist=True)[0].version == BUILTIN + 2
    assert feed.current(offline=True)[0].version == BUILTIN + 2


@pytest.mark.parametrize(
    ("published", "said"),
    [("99.0", "99.0 is available"), (__version__, ""), ("0.0.1", ""), ("", "")],
)
def test_a_newer_program_is_said_and_nothing_of_it_fetched(
    shop: Shop, published: str, said: str
) -> None:
    shop.publish(2, program=published)
    source = feed.current(insist=True)[1]
    assert said in (sentence := feed.newer_program(source))
    assert bool(sentence) is bool(said)
    assert (sentence in feed.news(source)) is bool(said)
    assert {name.partition("/")[0] for name in shop.server.asked} == {"metadata", "targets"}
    # What is known already is said without a network, too.
    shop.server.close()
    assert feed.newer_program(feed.current(offline=True)[1]) == sentence


def test_check_says_it_once_apart_from_its_answer(
    shop: Shop, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.publish(2, program="99.0")
    file = tmp_path / "seen.json"
    file.write_bytes(dump(golden("windows-healthy")))
    run(["check", "--machine", str(file)])
    answer, apart = capsys.readouterr()
    assert (apart.count("99.0 is available"), "99.0" in answer) == (1, False)
    for silent in ("--json", "-q"):
        run(["check", "--machine", str(file), silent])
        assert "99.0 is available" not in capsys.readouterr().err


def test_who_may_ask_nobody_is_told_of_no_newer_program(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.publish(2, program="99.0")
    monkeypatch.setattr(feed, "policy", lambda: Policy(ask=False))
    assert feed.newer_program(feed.current(insist=True)[1]) == ""


@pytest.mark.parametrize("text", ["1.0 https://example.org", "1.0; rm -rf", "newest"])
def test_a_program_s_version_is_numbers(shop: Shop, text: str) -> None:
    shop.publish(2, program=text)
    assert feed.current(insist=True)[1].trouble == "not-usable"


def test_publishing_the_same_twice_changes_nothing(shop: Shop) -> None:
    before = {path: path.read_bytes() for path in shop.folder.rglob("*.json")}
    assert shop.repository().publish(shop.data) is False
    assert {path: path.read_bytes() for path in shop.folder.rglob("*.json")} == before


def test_a_renewed_timestamp_is_accepted_without_new_data(shop: Shop) -> None:
    feed.current()
    shop.repository().refresh()
    del shop.server.asked[:]
    assert feed.current(insist=True)[1].kind == "online"
    assert len(shop.server.asked) == 2


def test_refresh_signs_anew_what_is_about_to_expire(shop: Shop) -> None:
    shop.repository(datetime.now(UTC) + timedelta(days=350)).refresh()
    assert shop.newest("targets").name == "2.targets.json"
    assert feed.current()[0].version == BUILTIN + 1


@pytest.mark.parametrize("role", ["timestamp", "snapshot", "targets", "root"])
def test_keys_may_change(shop: Shop, role: str) -> None:
    feed.current()
    shop.repository().rotate(role)
    shop.publish(2)
    compat, source = feed.current(insist=True)
    assert (compat.version, source.kind, source.trouble) == (BUILTIN + 2, "online", "")
    assert feed.current(offline=True)[0].version == BUILTIN + 2


def test_a_program_that_slept_through_several_rotations_catches_up(shop: Shop) -> None:
    for role in ("timestamp", "targets", "root", "snapshot"):
        shop.repository().rotate(role)
    shop.publish(3)
    assert feed.current()[0].version == BUILTIN + 3
    assert feed.current(offline=True)[0].version == BUILTIN + 3


def test_a_newer_program_keeps_using_what_an_older_one_saved(shop: Shop) -> None:
    feed.current()
    shop.repository().rotate("targets")
    feed.current(insist=True)
    shop.root = (shop.folder / "metadata/root.json").read_bytes()
    shop.trust()
    assert feed.current(offline=True)[0].version == BUILTIN + 1


def test_the_built_in_copy_wins_when_it_is_newer(shop: Shop) -> None:
    shop.publish(-1)
    compat, source = feed.current()
    assert (compat.version, source.kind) == (BUILTIN, "built-in")


def test_a_mirror_can_be_named_but_not_another_trust(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, shop.server.url + "/elsewhere/")
    where = feed.address()
    assert where is not None
    assert where.url == shop.server.url + "/elsewhere"
    assert where.root == shop.root


@pytest.mark.parametrize(
    ("url", "fine"),
    [
        ("https://feed.example", True),
        ("http://127.0.0.1:80", True),
        ("http://feed.example", False),
        ("ftp://feed.example", False),
        ("file:///etc/passwd", False),
        ("https://", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_only_tls_or_this_computer_is_asked(url: str, fine: bool) -> None:
    assert allowed(url) is fine


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b'{"signed": 3}', b"\xff"])
def test_a_root_that_is_none_leaves_the_built_in_data(text: bytes) -> None:
    places.config().mkdir(parents=True, exist_ok=True)
    (places.config() / "root.json").write_bytes(text)
    assert feed.current(insist=True)[1].kind == "built-in"


def test_the_age_is_said() -> None:
    source = Source(kind="saved", version=4, published="2026-11-12")
    assert source.age(date(2026, 11, 21)) == 9
    assert describe(source, date(2026, 11, 21)) == (
        "Saved compatibility data 4 of 2026-11-12 (9 days old)."
    )
    assert source.age(date(2020, 1, 1)) is None


def test_a_day_in_the_future_is_not_fresh() -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    kept = saved.Kept(compat=feed.load_builtin(), checked="2031-01-01T00:00:00+00:00")
    assert not kept.is_fresh(now, timedelta(hours=12))
    assert not saved.Kept(feed.load_builtin(), "yesterday").is_fresh(now, timedelta(hours=12))
