"""The words of this package go through the one translation of the program."""

from __future__ import annotations

from cudnn_assistant.wording import _

__all__ = ["_"]
