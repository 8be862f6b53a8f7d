"""Names and versions as the summary says them."""

from __future__ import annotations

from cudnn_assistant.machine import Framework, Toolkit
from cudnn_assistant.versions import numbers
from cudnn_assistant.wording import PRODUCTS, say


def card(name: str) -> str:
    """A GPU's name without the maker's, which the label says."""
    return name.removeprefix("NVIDIA ") or say("summary.nvidia-gpu")


def toolkit_order(toolkit: Toolkit) -> tuple[tuple[int, ...], str]:
    """Newest last."""
    return numbers(toolkit.version), toolkit.root


def called(framework: Framework) -> str:
    """The framework as people call it: "PyTorch 2.9.0"."""
    version = framework.version.split("+")[0]
    return f"{PRODUCTS.get(framework.name, framework.name)} {version}".strip()
