"""What is known of a plan before it is carried out: what it would change, and if that may be."""

from __future__ import annotations

import threading
from collections.abc import Collection

import msgspec

from cudnn_assistant.apply.kinds import actions_of
from cudnn_assistant.plan import Plan, kind_of
from cudnn_assistant.system.policy import policy, refuse_where_nothing_may_change
from cudnn_assistant.trouble import Refused


def rehearse(
    plan: Plan, cancel: threading.Event | None = None, unasked: Collection[str] = ()
) -> Plan:
    """The plan with what pip says each step would change, exactly. Changes nothing.

    pip looks into its index for that, as for the installation itself. Raises :class:`Refused`
    with pip's words when it could not do it, and for a folder that can't be removed; an old pip
    that can't rehearse leaves a step as it is, and so does a policy that forbids downloads. The
    interpreters in ``unasked`` are not started.
    """
    stop, asks = cancel or threading.Event(), policy().downloads
    steps = (
        step
        if kind_of(step).python(step) in unasked or (actions_of(step).fetches(step) and not asks)
        else actions_of(step).rehearse(step, stop)
        for step in plan.steps
    )
    return msgspec.structs.replace(plan, steps=tuple(steps))


def refuse_forbidden(plan: Plan) -> None:
    """Raises :class:`Refused` for a plan that whoever looks after this computer doesn't allow.

    A change may be taken back whatever causes may be mended.
    """
    refuse_where_nothing_may_change()
    decided = policy()
    asked = frozenset[str]() if plan.undoes else plan.codes
    if decided.allow is not None and (codes := asked - set(decided.allow)):
        raise Refused("policy-allows-others", place=decided.place, codes=tuple(sorted(codes)))
    if not decided.downloads and fetches(plan):
        raise Refused("policy-forbids-downloads", place=decided.place)


def fetches(plan: Plan) -> bool:
    """Whether carrying it out gets something from a server."""
    return any(actions_of(step).fetches(step) for step in plan.steps)
