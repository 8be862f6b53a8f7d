"""Names and versions as the summary says them."""

from __future__ import annotations

import re

from cudnn_assistant.machine import Framework, Toolkit
from cudnn_assistant.wording import PRODUCTS, _


def card(name: str) -> str:
    """A GPU's name without the maker's, which the label says."""
    return name.removeprefix("NVIDIA ") or _("NVIDIA GPU")


def toolkit_order(toolkit: Toolkit) -> tuple[tuple[int, ...], str]:
    """Newest last."""
    return numbers(toolkit.version), toolkit.root


def numbers(version: str) -> tuple[int, ...]:
    """At most four numbers of a version, for comparing."""
    return tuple(int(n) for n in re.findall(r"\d{1,9}", version)[:4])


def short(version: str) -> str:
    """A version as people say it: "9.10.2", and "9.8" for 9.8.0."""
    parts = numbers(version)[:3]
    return ".".join(str(n) for n in (parts[:2] if parts[2:] == (0,) else parts))


def called(framework: Framework) -> str:
    """The framework as people call it: "PyTorch 2.9.0"."""
    version = framework.version.split("+")[0]
    return f"{PRODUCTS.get(framework.name, framework.name)} {version}".strip()
