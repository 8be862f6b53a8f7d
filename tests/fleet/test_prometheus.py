"""Metrics of a check: read by Prometheus' own reader, whole, without names of people."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import msgspec
import needs
import yaml
from fleet_computer import assistant
from machines.computers import COMPUTERS, thought
from machines.each import each_computer

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.report.prometheus import write_metrics
from cudnn_assistant.session.checkup import think

FLEET = Path(__file__).parents[2] / "installer/fleet/prometheus"


def metrics(name: str) -> str:
    checkup = thought(name)
    return write_metrics(checkup.machine, checkup.findings, checkup.verdict)


def read(text: str) -> dict[str, list[dict[str, str]]]:
    """The labels of each series of each metric, by Prometheus' own reader; those that are 1."""
    from prometheus_client.parser import text_string_to_metric_families

    families = list(text_string_to_metric_families(text))
    series = [(s.name, tuple(sorted(s.labels.items()))) for f in families for s in f.samples]
    assert len(series) == len(set(series)), "the node exporter refuses a file that says it twice"
    return {f.name: [s.labels for s in f.samples if s.value] for f in families}


@needs.modules("prometheus_client")
@each_computer
def test_any_computer_can_be_read(name: str) -> None:
    text = metrics(name)
    seen = read(text)
    assert [one["verdict"] for one in seen["cudnn_assistant_verdict"]] == [COMPUTERS[name].verdict]
    told = {finding.code for finding in thought(name).findings if finding.severity != "info"}
    assert {one["code"] for one in seen["cudnn_assistant_cause"]} == told
    assert not re.search(r"/home/|\\\\Users\\\\", text)


@needs.modules("prometheus_client")
def test_hostile_names_stay_in_their_label() -> None:
    one = COMPUTERS["linux-healthy"].machine
    odd = msgspec.structs.replace(one.gpus[0], name='a"} 1\nevil{x="\\')
    here = msgspec.structs.replace(one, gpus=(odd,))
    checkup = think(here, load_builtin())
    seen = read(write_metrics(here, checkup.findings, checkup.verdict))
    assert not [name for name in seen if not name.startswith("cudnn_assistant_")]
    assert seen["cudnn_assistant_info"][0]["gpus"] == 'a"} 1\\x0aevil{x="\\'


def check(command: Path, *words: str) -> subprocess.CompletedProcess[str]:
    whole = [str(command), "check", "--offline", "-q", *words]
    return subprocess.run(whole, capture_output=True, text=True, timeout=60)


@needs.modules("prometheus_client")
def test_a_reader_never_sees_half_of_it(tmp_path: Path) -> None:
    file = tmp_path / "out/cudnn.prom"
    file.parent.mkdir()
    command = assistant(tmp_path, COMPUTERS["linux-cudnn-not-on-path"].machine)
    assert check(command, "--prometheus", str(file)).returncode == 1
    whole = file.read_text()
    seen: set[str] = set()
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            seen.add(file.read_text())
            ended.wait(0.0005)

    reader = threading.Thread(target=look)
    reader.start()
    for _time in range(3):
        check(command, "--prometheus", str(file))
    ended.set()
    reader.join()
    assert seen == {whole}
    assert os.listdir(file.parent) == ["cudnn.prom"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert read(whole)["cudnn_assistant_cause"][0]["sure"] == "true"


def test_a_file_that_can_t_be_written_is_said(tmp_path: Path) -> None:
    command = assistant(tmp_path, COMPUTERS["linux-healthy"].machine)
    done = check(command, "--prometheus", str(tmp_path / "none/x.prom"))
    assert done.returncode == 3
    assert "x.prom could not be written" in done.stderr
    assert sys.executable not in done.stderr


def test_the_examples_ask_for_metrics_that_there_are() -> None:
    there = set(re.findall(r"# TYPE (\w+)", metrics("linux-healthy")))
    rules = yaml.safe_load((FLEET / "alerts.yml").read_text())
    panel = json.loads((FLEET / "grafana-panel.json").read_text())
    asked = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    asked += [target["expr"] for target in panel["targets"]]
    for expression in asked:
        names = set(re.findall(r"cudnn_assistant_\w+", expression))
        assert names
        assert names <= there
    service = (FLEET / "cudnn-check.service").read_text()
    assert "--prometheus" in service


def taken(given: Any, back: Any) -> bool:
    """Whether all that was given came back."""
    if isinstance(given, dict):
        return all(name in back and taken(value, back[name]) for name, value in given.items())
    if isinstance(given, list):
        return len(given) == len(back) and all(map(taken, given, back))
    return bool(given == back)


@needs.modules("grafana_foundation_sdk")
def test_the_panel_is_one_that_grafana_s_own_types_know() -> None:
    """Their reader drops what isn't in Grafana's schema."""
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.models.barchart import Options
    from grafana_foundation_sdk.models.dashboard import Panel
    from grafana_foundation_sdk.models.prometheus import Dataquery

    panel = json.loads((FLEET / "grafana-panel.json").read_text())
    for kind, given in ((Panel, panel), (Options, panel["options"]),
                        (Dataquery, panel["targets"][0])):  # fmt: skip
        for more, good in (({}, True), ({"xFeild": "code"}, False)):
            read = kind.from_json({**given, **more})
            assert taken({**given, **more}, json.loads(JSONEncoder().encode(read))) is good
