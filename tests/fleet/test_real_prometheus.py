"""Real Prometheus and node exporter on loopback: the file is read, and the example alert fires."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import needs
import pytest
from fleet_computer import assistant
from machines.computers import COMPUTERS

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import SYSTEM
from cudnn_assistant.report.prometheus import write_metrics
from cudnn_assistant.session import Session
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.json_output import encoded
from installer.fleet import node_check

FLEET = Path(__file__).parents[2] / "installer/fleet/prometheus"
BROKEN = "linux-cudnn-not-on-path"
SERIES = re.compile(r"(\w+)(?:\{(.*)\})? (\d+)")
PATIENCE = 60
"""Seconds, on a machine that is busy."""

pytestmark = needs.programs("promtool")


def series(text: str, instance: str) -> Iterator[dict[str, str]]:
    """The metrics of a computer for three hours, as promtool is told of them."""
    for line in text.splitlines():
        if found := SERIES.fullmatch(line):
            labels = ",".join(filter(None, (found[2], f'instance="{instance}"')))
            yield {"series": f"{found[1]}{{{labels}}}", "values": f"{found[3]}+0x180"}


def test_the_alert_fires_for_what_is_proven_and_nothing_else(tmp_path: Path) -> None:
    told: list[dict[str, str]] = []
    proven, drained = [], []
    for name in (*sorted(set(COMPUTERS) - {BROKEN})[::7], BROKEN):
        one = COMPUTERS[name]
        checkup = think(one.machine, load_builtin())
        told += series(write_metrics(one.machine, checkup.findings, checkup.verdict), name)
        sure = any(
            (f.severity, f.sure, f.subject) == ("error", True, SYSTEM) for f in checkup.findings
        )
        if sure and checkup.verdict in ("broken", "impossible"):
            proven.append(name)
        if node_check.judge(encoded(checkup, Session().source), 1, True).proven:
            drained.append(name)
    assert BROKEN in drained
    assert set(drained) <= set(proven)
    assert 5 < len(proven) < len(told) / 9, "computers of both kinds"
    firing = [
        {
            "exp_labels": {"severity": "warning", "instance": name},
            "exp_annotations": {
                "summary": f"cuDNN doesn't work on {name}",
                "description": "Open the panel for the causes, or run on it: cudnn-assistant",
            },
        }
        for name in proven
    ]
    works = {"alertname": "CudnnDoesNotWork"}
    old = {"alertname": "CudnnNotChecked", "eval_time": "3d"}
    late = {
        "exp_labels": {"severity": "info", "instance": "ws"},
        "exp_annotations": {"summary": "cuDNN was not checked for two days on ws"},
    }
    looked = 'cudnn_assistant_looked_at_seconds{instance="ws"}'
    tests = [
        {
            "interval": "1m",
            "input_series": told,
            "alert_rule_test": [
                {**works, "eval_time": "1h", "exp_alerts": []},
                {**works, "eval_time": "3h", "exp_alerts": firing},
            ],
        },
        {
            "interval": "1h",
            "input_series": [{"series": looked, "values": "0+0x100"}],
            "alert_rule_test": [{**old, "exp_alerts": [late]}],
        },
    ]
    file = tmp_path / "tests.json"
    file.write_text(json.dumps({"rule_files": [str(FLEET / "alerts.yml")], "tests": tests}))
    done = subprocess.run(
        ["promtool", "test", "rules", str(file)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def asked(server: str, expression: str, wanted: str) -> str:
    """What the server answers, once the answer has what is wanted."""
    ends = time.monotonic() + PATIENCE
    while True:
        command = ["promtool", "query", "instant", server, expression]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
        if wanted in done.stdout:
            return done.stdout
        assert time.monotonic() < ends, done.stdout + done.stderr
        time.sleep(0.3)


@needs.programs("prometheus", "prometheus-node-exporter")
@pytest.mark.enable_socket  # for free ports of loopback
def test_a_server_reads_the_file_and_raises_the_alert(tmp_path: Path) -> None:
    file = tmp_path / "textfiles/cudnn.prom"
    file.parent.mkdir()
    command = assistant(tmp_path, COMPUTERS[BROKEN].machine)
    subprocess.run([str(command), "check", "-q", "--offline", "--prometheus", str(file)])
    at, exporter = (f"127.0.0.1:{free_port()}" for _ in range(2))
    rules = (FLEET / "alerts.yml").read_text()
    (tmp_path / "alerts.yml").write_text(rules.replace("for: 2h", "for: 0s"))
    (tmp_path / "prometheus.yml").write_text(
        json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": ["alerts.yml"],
            "scrape_configs": [
                {"job_name": "node", "static_configs": [{"targets": [exporter]}]}
            ],
        })
    )  # fmt: skip
    programs = (
        ("prometheus-node-exporter", f"--web.listen-address={exporter}",
         "--collector.disable-defaults", "--collector.textfile",
         f"--collector.textfile.directory={file.parent}"),
        ("prometheus", f"--web.listen-address={at}", f"--storage.tsdb.path={tmp_path / 'data'}",
         f"--config.file={tmp_path / 'prometheus.yml'}"),
    )  # fmt: skip
    panel = json.loads((FLEET / "grafana-panel.json").read_text())
    with ExitStack() as stack, (tmp_path / "out").open("w") as out:
        for words in programs:
            one = stack.enter_context(subprocess.Popen(words, stdout=out, stderr=out))
            stack.callback(one.terminate)
        server = f"http://{at}"
        alert = asked(server, 'ALERTS{alertname="CudnnDoesNotWork"}', 'alertstate="firing"')
        assert f'instance="{exporter}"' in alert
        seen = asked(server, panel["targets"][0]["expr"], "cudnn-not-on-path")
        assert "=> 1 @" in seen
        assert "node_textfile_scrape_error" in asked(
            server, "node_textfile_scrape_error == 0", "node_textfile_scrape_error"
        )
