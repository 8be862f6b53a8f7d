"""Carrying out a plan: one at a time, journalled before anything is written, all or nothing.

``running`` knows the order, the journal and the way back; each kind of step has a module that
knows how to compare, do and take back that kind alone.
"""

from cudnn_assistant.apply.licences import accept, read_licence
from cudnn_assistant.apply.permitted import fetches, refuse_forbidden
from cudnn_assistant.apply.recovering import recover
from cudnn_assistant.apply.rehearsing import rehearse
from cudnn_assistant.apply.running import NotApplied, Say, apply
from cudnn_assistant.apply.tools import Progress

__all__ = [
    "NotApplied",
    "Progress",
    "Say",
    "accept",
    "apply",
    "fetches",
    "read_licence",
    "recover",
    "refuse_forbidden",
    "rehearse",
]
