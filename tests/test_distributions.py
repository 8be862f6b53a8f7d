"""Families of distributions."""

from __future__ import annotations

import pytest

from cudnn_assistant.distributions import for_distribution
from cudnn_assistant.plan.installer_table import DRIVERS, SAME_DRIVERS


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        (("linuxmint", "ubuntu", "debian"), "ubuntu"),
        (("linuxmint",), "ubuntu"),
        (("debian",), "debian"),
        (("raspbian", "debian"), "debian"),
        (("rocky", "rhel", "centos", "fedora"), "rhel"),
        (("nobara", "fedora"), "fedora"),
        (("opensuse-leap", "suse", "opensuse"), "suse"),
        (("gentoo",), None),
        ((), None),
    ],
)
def test_the_nearest_ancestor_counts(names: tuple[str, ...], wanted: str | None) -> None:
    assert for_distribution(names, {one: one for one in DRIVERS}) == wanted


def test_ubuntu_takes_what_is_said_of_debian() -> None:
    assert for_distribution(("pop",), {"debian": 1}) == 1
    assert for_distribution(("ubuntu",), {"debian": True})
    assert not for_distribution(("debian",), {"ubuntu": True})


def test_whoever_packs_drivers_as_the_family_does_has_a_family() -> None:
    assert [one for one in SAME_DRIVERS if for_distribution((one,), DRIVERS) is None] == []
