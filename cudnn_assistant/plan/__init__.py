"""What will change: steps with their state before and after, settled from the rules' wishes.

Pure: everything a step needs to know is in the snapshot and the feed. A plan is shown whole
before anything happens, journalled, applied step by step, and undone by another plan.
"""

from cudnn_assistant.plan.demands import Demands, demands
from cudnn_assistant.plan.making import make_plan, stored
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
from cudnn_assistant.plan.undoing import Read, back_to, project, undo_plan

__all__ = [
    "Accepted",
    "Demands",
    "Download",
    "Entry",
    "InstallArchive",
    "InstallPackage",
    "PackageChange",
    "Plan",
    "Read",
    "RemoveArchive",
    "RunInstaller",
    "SetVariable",
    "Step",
    "StepState",
    "back_to",
    "demands",
    "make_plan",
    "naming",
    "project",
    "removal_plan",
    "stored",
    "undo_plan",
]
