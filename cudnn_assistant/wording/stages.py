"""What the test does in each stage, in words."""

from __future__ import annotations

from cudnn_assistant.wording.language import _


def stage(name: str) -> str:
    """What the test does in a stage, to follow "while"."""
    return {
        "start": _("starting"),
        "driver": _("asking the driver for a GPU"),
        "context": _("preparing the GPU"),
        "load": _("loading cuDNN"),
        "version": _("asking cuDNN for its version"),
        "sublibraries": _("loading the parts of cuDNN"),
        "handle": _("creating the handle"),
        "convolution": _("running the convolution"),
    }.get(name, name)
