"""What is denied is none."""

from __future__ import annotations

import pytest

from cudnn_assistant.explain.facts import facts
from cudnn_assistant.explain.versions import affirmed, says
from cudnn_assistant.feed import load_builtin

DOCKER = "docker"


@pytest.mark.parametrize(
    "text",
    [
        "inside a Docker container",
        "it works without Docker",
        "doesn't work in docker",
        "I can't disable Docker",
        "the GPU isn't detected in docker",
        "runs fine outside docker",
        "no GPU. In docker",
        "it runs in docker",
    ],
)
def test_a_thing_that_is_there(text: str) -> None:
    assert affirmed(DOCKER, text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm not using docker",
        "it works inside docker",
        "I don't use Docker",
        "no docker",
        "without docker",
        "instead of docker",
        "non-docker installation",
        "docker is not used",
        "Docker: disabled",
        "I already disabled docker",
        "I turned off Docker",
    ],
)
def test_a_thing_that_is_denied(text: str) -> None:
    assert not affirmed(DOCKER, text)


def test_one_denial_does_not_deny_the_next_mention() -> None:
    assert facts(load_builtin(), ["no docker at first, then in docker"], [], {}).container
    assert not facts(load_builtin(), ["works inside docker"], [], {}).container


@pytest.mark.parametrize(
    "said",
    [
        *("none", "no", "not installed", "10.1 wheel, no toolkit installed", "isn't loaded"),
        *("No NVIDIA driver", "never installed", "missing", "nothing there", "absent"),
    ],
)
def test_a_thing_that_is_said_not_to_be_there(said: str) -> None:
    assert says("absent", said)


@pytest.mark.parametrize("said", ["not the newest", "no change since 535", "535.54", "installed"])
def test_a_thing_of_which_something_else_is_said(said: str) -> None:
    assert not says("absent", said)
