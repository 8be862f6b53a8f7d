#!/usr/bin/env python3
"""Says to Slurm or Kubernetes whether cuDNN works on this node. Needs nothing but Python 3.8.

    node_check.py slurm        HealthCheckProgram: drains the node, with the causes as the reason
    node_check.py prolog       Prolog: ends with 1, so that Slurm drains the node; calls no Slurm
    node_check.py kubernetes   node-problem-detector's plugin: 0 well, 1 a problem, 2 unknown
    node_check.py label FILE   a feature file of node-feature-discovery, for a label of the node

A node is only ever taken out for a cause that is proven, stops cuDNN, and concerns the node's own
programs. "We don't know", a check that takes too long, one that can't be started and what is wrong
in somebody's Python environment never do that. That a node has no NVIDIA GPU counts only with
``--gpu-expected``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
from typing import Any, NamedTuple

LIMITS = {"slurm": 50, "prolog": 50, "kubernetes": 120, "label": 300}
"""Seconds; Slurm itself ends a HealthCheckProgram after 60."""
ANSWERS = {0: "works", 1: "broken", 3: "unknown"}
"""What the exit code of a check says."""
NO_GPU = "no-nvidia-gpu"
LABEL = "feature.node.kubernetes.io/cudnn.works"
SHOWN = 80
"""Bytes of a message that node-problem-detector shows."""


class Seen(NamedTuple):
    """What is to be known of a node."""

    verdict: str
    proven: tuple[str, ...] = ()
    """Codes of causes for which it may be taken out."""
    said: str = ""
    """Why nothing is known, or the first proven cause in words."""


def main(arguments: list[str]) -> int:
    """Check, and tell whoever asked in the way that it understands."""
    wish = _wish(arguments)
    seen = look(shlex.split(wish.command), wish.limit or LIMITS[wish.manager], wish.gpu_expected)
    if wish.manager == "label":
        return label(seen, wish.file)
    return {"slurm": slurm, "prolog": prolog, "kubernetes": kubernetes}[wish.manager](seen)


def _wish(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("manager", choices=tuple(LIMITS))
    parser.add_argument("file", nargs="?", default="", help="with label: the feature file")
    parser.add_argument("--command", default="cudnn-assistant", help="how it is started here")
    parser.add_argument("--limit", type=float, default=0, help="seconds for the check")
    parser.add_argument(
        "--gpu-expected", action="store_true", help="a node without a GPU is broken"
    )
    wish = parser.parse_args(arguments)
    if (wish.manager == "label") != bool(wish.file):
        parser.error("label needs a FILE, and nothing else takes one")
    return wish


def look(command: list[str], limit: float, gpu_expected: bool) -> Seen:
    """Run the check; whatever goes wrong with that is "unknown"."""
    whole = [*command, "check", "-q", "--json", "--offline", "--quick"]
    try:
        child = subprocess.Popen(
            whole, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
    except OSError as trouble:
        return Seen("unknown", said=f"the check can't be started: {trouble.strerror}")
    try:
        printed, _none = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        _end(child)
        return Seen("unknown", said=f"the check took more than {limit:.0f} seconds")
    return judge(printed, child.returncode, gpu_expected)


def _end(child: subprocess.Popen[bytes]) -> None:
    """The check and all that it started; a process that the driver holds fast isn't waited for."""
    with contextlib.suppress(OSError):
        os.killpg(child.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.communicate(timeout=2)


def judge(printed: bytes, code: int, gpu_expected: bool) -> Seen:
    """What the output of a check and its exit code say together."""
    try:
        answer = json.loads(printed)
        verdict, findings = str(answer["verdict"]), list(answer["findings"])
    except (ValueError, KeyError, TypeError):
        return Seen("unknown", said=f"the check ended with {code} and without an answer")
    if verdict not in ("broken", "impossible") or ANSWERS.get(code) != "broken":
        return Seen(verdict if ANSWERS.get(code) == verdict else "unknown")
    found = [one for one in findings if _takes_out(one, gpu_expected)]
    titles = [str(one.get("title", "")) for one in found]
    codes = tuple(dict.fromkeys(str(one["code"]) for one in found))
    return Seen(verdict, codes, titles[0] if titles else "")


def _takes_out(finding: dict[str, Any], gpu_expected: bool) -> bool:
    return (
        finding.get("severity") == "error"
        and finding.get("sure") is True
        and finding.get("subject") == "system"
        and finding.get("remedy") != "unknown"
        and (gpu_expected or finding.get("code") != NO_GPU)
    )


def slurm(seen: Seen) -> int:
    """Drain the node for what is proven. Nothing is ever resumed: that is the administrator's."""
    if not seen.proven:
        return 0
    node = os.environ.get("SLURMD_NODENAME") or socket.gethostname().partition(".")[0]
    reason = f"cudnn-assistant: {', '.join(seen.proven)}"
    command = ["scontrol", "update", f"nodename={node}", "state=drain", f"reason={reason}"]
    try:
        return subprocess.run(command, timeout=9).returncode
    except (OSError, subprocess.TimeoutExpired) as trouble:
        print(f"the node can't be drained: {trouble}", file=sys.stderr)
        return 1


def prolog(seen: Seen) -> int:
    """1 only for what is proven. Slurm's own commands are not to be called in a prolog."""
    if seen.proven:
        print(f"cudnn-assistant: {', '.join(seen.proven)}: {seen.said}", file=sys.stderr)
    return 1 if seen.proven else 0


def kubernetes(seen: Seen) -> int:
    """node-problem-detector's own codes: 0 well, 1 a problem, 2 unknown."""
    said = seen.said or {"works": "cuDNN works"}.get(seen.verdict, "not known")
    if seen.proven:
        said = f"{seen.proven[0]}: {seen.said}"
    print(said.encode()[:SHOWN].decode(errors="ignore"))
    return 1 if seen.proven else 0 if seen.verdict == "works" else 2


def label(seen: Seen, file: str) -> int:
    """Written whole or not at all. What isn't known is no label."""
    text = f"{LABEL}=false\n" if seen.proven else ""
    if seen.verdict == "works":
        text = f"{LABEL}=true\n"
    handle, beside = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(file)), prefix=".")
    with open(handle, "w", encoding="ascii") as out:
        out.write(text)
    os.chmod(beside, 0o644)
    os.replace(beside, file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
