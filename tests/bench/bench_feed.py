"""Measures the feed: python tests/bench/bench_feed.py

Loading the built-in copy must stay below 15 ms, the compiled data below 1 MB compressed, and a
refresh with nothing new at two requests.
"""

from __future__ import annotations

import gzip
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/feed")]

from cudnn_assistant import feed, places  # noqa: E402
from cudnn_assistant.compat import Situation, decode, recommend_for  # noqa: E402


def out(line: str) -> None:
    sys.stdout.write(line + "\n")


def best(work: Callable[[], object], times: int = 30) -> tuple[float, float]:
    """The best and the middle time, in milliseconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return min(taken), statistics.median(taken)


def loading() -> None:
    path = places.resource("compat/compat.json")
    low, middle = best(lambda: decode(path.read_bytes()))
    packed = len(gzip.compress(path.read_bytes(), 9))
    out(f"load built-in copy   {low:7.2f} ms best  {middle:7.2f} ms median   limit 15 ms")
    out(f"compressed           {packed:7,} bytes                       limit 1,000,000 bytes")


def recommending() -> None:
    data = feed.load_builtin()
    for name, facts in {
        "system": Situation(computes=("8.6",), driver="580.65.06", cuda="13.0"),
        "torch": Situation(
            computes=("8.6",), driver="580.65.06", cuda="13.0", framework="torch", python="3.12"
        ),
    }.items():
        low, middle = best(lambda facts=facts: recommend_for(facts, data), 10)
        out(f"recommend: {name:9} {low:7.2f} ms best  {middle:7.2f} ms median")


def refreshing() -> None:
    from feed_shop import Shop

    with tempfile.TemporaryDirectory() as name:
        for variable in ("HOME", "USERPROFILE"):
            os.environ[variable] = name
        shop = Shop(Path(name) / "shop")
        shop.publish(1)
        shop.trust()
        for said, limit in (("first refresh", ""), ("nothing new", "   limit 2")):
            del shop.server.asked[:]
            before = shop.server.sent
            taken = best(lambda: feed.current(insist=True), 1)[0]
            asked, sent = len(shop.server.asked), shop.server.sent - before
            out(f"{said:20} {taken:7.2f} ms, {sent:,} bytes, {asked} requests{limit}")
        kept = best(lambda: feed.current(offline=True), 10)
        out(f"load saved copy      {kept[0]:7.2f} ms best  {kept[1]:7.2f} ms median")
        shop.server.close()


if __name__ == "__main__":
    loading()
    recommending()
    refreshing()
