"""Every rule there is, in the order of the walk."""

from __future__ import annotations

from cudnn_assistant.diagnose.copies import (
    compatibility,
    integrity,
    missing,
    unsearched,
    wrong_copy,
)
from cudnn_assistant.diagnose.cuda import cublas, toolkits
from cudnn_assistant.diagnose.ground import (
    access,
    containers,
    driver,
    driver_libraries,
    gpu,
    gpu_health,
    gpu_in_use,
    kernel_module,
)
from cudnn_assistant.diagnose.programs import framework_builds, packages
from cudnn_assistant.diagnose.rule import Rule
from cudnn_assistant.diagnose.settings import search_lists, variables
from cudnn_assistant.diagnose.trial import (
    experiments,
    framework_tests,
    hardware,
    libraries,
    unexplained,
)

FILES = (
    *(containers, gpu, kernel_module, gpu_health, driver, driver_libraries),
    *(access, gpu_in_use, variables, search_lists, experiments),
    *(toolkits, cublas, integrity),
    *(missing, unsearched, wrong_copy, compatibility),
    *(framework_builds, packages, hardware, libraries, unexplained, framework_tests),
)
"""Rules of one layer are asked in the order of these files, and in a file from the top down."""

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            found
            for file in FILES
            for value in vars(file).values()
            for found in (value if isinstance(value, tuple) else (value,))
            if isinstance(found, Rule) and found.check.__module__ == file.__name__
        ),
        key=lambda found: found.layer,
    )
)
"""Every rule there is."""

EVERYBODY = frozenset(rule.code for rule in RULES if rule.layer.ground)
"""Codes that concern every subject."""
