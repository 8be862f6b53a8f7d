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
from cudnn_assistant.plan.overview import Demands as Demands
from cudnn_assistant.plan.overview import consents as consents
from cudnn_assistant.plan.overview import demanded as demanded
from cudnn_assistant.plan.overview import demands as demands
from cudnn_assistant.plan.overview import downloads as downloads
from cudnn_assistant.plan.overview import licences as licences
from cudnn_assistant.plan.overview import outcomes as outcomes
from cudnn_assistant.plan.overview import preview as preview
from cudnn_assistant.plan.overview import settings_of as settings_of
from cudnn_assistant.plan.overview import settings_only as settings_only
from cudnn_assistant.plan.overview import starts_only as starts_only
from cudnn_assistant.plan.overview import stays as stays
from cudnn_assistant.plan.overview import takes_long as takes_long
from cudnn_assistant.plan.overview import tried as tried
from cudnn_assistant.plan.overview import unrehearsed as unrehearsed
from cudnn_assistant.plan.overview import widened as widened
from cudnn_assistant.plan.overview import without_installers as without_installers
from cudnn_assistant.plan.steps import *  # noqa: F403  (all types of a plan)
from cudnn_assistant.plan.undoing import naming as naming
from cudnn_assistant.plan.undoing import removal_plan as removal_plan
from cudnn_assistant.plan.undoing import undo_plan as undo_plan
