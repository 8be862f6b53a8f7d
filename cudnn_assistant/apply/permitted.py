"""Whether whoever looks after this computer allows a plan."""

from __future__ import annotations

from cudnn_assistant.apply.kinds import actions_of
from cudnn_assistant.plan import Plan
from cudnn_assistant.system.policy import policy, refuse_where_nothing_may_change
from cudnn_assistant.trouble import Refused


def refuse_forbidden(plan: Plan) -> None:
    """Raises :class:`Refused` for a plan that may not be carried out here.

    A change may be taken back whatever causes may be mended.
    """
    refuse_where_nothing_may_change()
    decided = policy()
    asked = {code for step in plan.steps for code in step.why if not plan.undoes}
    if decided.allow is not None and (codes := asked - set(decided.allow)):
        raise Refused("policy-allows-others", place=decided.place, codes=tuple(sorted(codes)))
    if not decided.downloads and fetches(plan):
        raise Refused("policy-forbids-downloads", place=decided.place)


def fetches(plan: Plan) -> bool:
    """Whether carrying it out gets something from a server."""
    return any(actions_of(step).fetches(step) for step in plan.steps)
