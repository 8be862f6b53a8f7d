"""What will change: steps with their state before and after, settled from the rules' wishes.

Pure: everything a step needs to know is in the snapshot and the feed. A plan is shown whole
before anything happens, journalled, applied step by step, and undone by another plan.
"""

from cudnn_assistant.plan.from_findings import make_plan as make_plan
from cudnn_assistant.plan.kinds import kind_of as kind_of
from cudnn_assistant.plan.kinds.packages import project as project
from cudnn_assistant.plan.kinds.row import Change as Change
from cudnn_assistant.plan.kinds.row import ChangeLine as ChangeLine
from cudnn_assistant.plan.kinds.row import Consent as Consent
from cudnn_assistant.plan.kinds.variable import back_to as back_to
from cudnn_assistant.plan.overview import *  # noqa: F403  (all that is asked of one)
from cudnn_assistant.plan.steps import *  # noqa: F403  (all types of a plan)
from cudnn_assistant.plan.undoing import naming as naming
from cudnn_assistant.plan.undoing import removal_plan as removal_plan
from cudnn_assistant.plan.undoing import undo_plan as undo_plan
