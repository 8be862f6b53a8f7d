"""A page as a real browser shows it: what a script outside of it sees, asked without a network."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
_OUTSIDE = """<!DOCTYPE html><meta charset="utf-8"><title>outside</title>
<iframe srcdoc="{page}" style="width:1200px;height:900px"></iframe><pre id="seen"></pre>
<script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument;
  let seen;
  try {{ seen = (page => {{ {script} }})(page); }} catch (trouble) {{ seen = String(trouble); }}
  document.getElementById("seen").textContent = JSON.stringify(seen);
}});
</script>
"""


def ask(page: str, script: str, folder: Path, *flags: str) -> Any:
    """What ``script`` returns, which gets the document of ``page``; all as JSON."""
    outside = folder / "outside.html"
    outside.write_text(_OUTSIDE.format(page=html.escape(page), script=script), "utf-8")
    command = [
        "chromium", *FLAGS, f"--user-data-dir={folder / 'browser'}", *flags, "--dump-dom",
        outside.as_uri(),
    ]  # fmt: skip
    surroundings = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    surroundings["HOME"] = str(folder)
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=surroundings, encoding="utf-8"
    )
    found = re.search(r'<pre id="seen">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stderr[-2000:]
    return json.loads(html.unescape(found[1]))


DARK = "--blink-settings=preferredColorScheme=0"
"""The person has chosen dark looks."""
