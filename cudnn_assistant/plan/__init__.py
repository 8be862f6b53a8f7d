"""What will change: steps with their state before and after, settled from the rules' wishes.

Pure: everything a step needs to know is in the snapshot and the feed. A plan is shown whole
before anything happens, journalled, applied step by step, and undone by another plan.
"""

from cudnn_assistant.plan.change import Change, ChangeLine
from cudnn_assistant.plan.from_findings import make_plan, stored
from cudnn_assistant.plan.kinds import Consent, Outcome, Read, kind_of
from cudnn_assistant.plan.kinds.packages import project
from cudnn_assistant.plan.kinds.variable import back_to
from cudnn_assistant.plan.overview import (
    Demands,
    consents,
    demanded,
    demands,
    downloads,
    licences,
    outcomes,
    preview,
    settings_of,
    settings_only,
    starts_only,
    stays,
    takes_long,
    unrehearsed,
)
from cudnn_assistant.plan.removing import naming, removal_plan
from cudnn_assistant.plan.steps import (
    Accepted,
    Download,
    Entry,
    InstallArchive,
    InstallPackage,
    PackageChange,
    Plan,
    RemoveArchive,
    RunInstaller,
    SetVariable,
    Step,
    StepState,
)
from cudnn_assistant.plan.undoing import undo_plan

__all__ = [
    "Accepted",
    "Change",
    "ChangeLine",
    "Consent",
    "Demands",
    "Download",
    "Entry",
    "InstallArchive",
    "InstallPackage",
    "Outcome",
    "PackageChange",
    "Plan",
    "Read",
    "RemoveArchive",
    "RunInstaller",
    "SetVariable",
    "Step",
    "StepState",
    "back_to",
    "consents",
    "demanded",
    "demands",
    "downloads",
    "kind_of",
    "licences",
    "make_plan",
    "naming",
    "outcomes",
    "preview",
    "project",
    "removal_plan",
    "settings_of",
    "settings_only",
    "starts_only",
    "stays",
    "stored",
    "takes_long",
    "undo_plan",
    "unrehearsed",
]
