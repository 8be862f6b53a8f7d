"""Every rule there is, in the order of the walk."""

from __future__ import annotations

from cudnn_assistant.diagnose import (
    access,
    companions,
    cuda,
    cudnn,
    driver,
    driver_parts,
    enclosed,
    fitting,
    framework_builds,
    frameworks,
    gpu,
    gpu_in_use,
    hardware,
    inside,
    integrity,
    loaded,
    mixed_versions,
    packages,
    paths,
    pinned,
    proven,
    replaced,
    trial,
    variables,
    visible,
    wsl,
)
from cudnn_assistant.diagnose.rule import Rule

FILES = (
    *(enclosed, gpu, driver, driver_parts, wsl, loaded, access, visible, gpu_in_use),
    *(variables, paths, proven),
    *(cuda, companions, integrity, pinned, cudnn, replaced, mixed_versions, fitting),
    *(framework_builds, packages, frameworks, hardware, trial, inside),
)
"""Rules of one layer are asked in the order of these files, and in a file from the top down."""

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            found
            for file in FILES
            for found in vars(file).values()
            if isinstance(found, Rule) and found.check.__module__ == file.__name__
        ),
        key=lambda found: found.layer,
    )
)
"""Every rule there is."""

EVERYBODY = frozenset(rule.code for rule in RULES if rule.layer.ground)
"""Codes that concern every subject."""
