"""Writes resources/report.schema.json from the types, for people who parse reports."""

from __future__ import annotations

import json

import msgspec

from cudnn_assistant.machine import Machine
from cudnn_assistant.places import resource

resource("report.schema.json").write_text(
    json.dumps(msgspec.json.schema(Machine), indent=1) + "\n", encoding="utf-8"
)
