"""Carrying out a plan: one at a time, journalled before anything is written, all or nothing.

``running`` knows the order, the journal and the way back; each kind of step has a module that
knows how to compare, do and take back that kind alone.
"""

from cudnn_assistant.apply.beforehand import fetches as fetches
from cudnn_assistant.apply.beforehand import refuse_forbidden as refuse_forbidden
from cudnn_assistant.apply.beforehand import rehearse as rehearse
from cudnn_assistant.apply.licences import accept as accept
from cudnn_assistant.apply.licences import read_licence as read_licence
from cudnn_assistant.apply.recovering import recover as recover
from cudnn_assistant.apply.recovering import refuse_elsewhere as refuse_elsewhere
from cudnn_assistant.apply.running import NotApplied as NotApplied
from cudnn_assistant.apply.running import apply as apply
