"""What follows from Windows' answers about a signature; Windows itself is asked in tests/wine."""

from __future__ import annotations

import pytest

from cudnn_assistant.system import authenticode
from cudnn_assistant.trouble import Refused

REVOKED, OFFLINE, NO_LIST, CHANGED = 0x800B010C, 0x80092013, 0x80092012, 0x80096010
OURS = ("Corporation", 0)


@pytest.mark.parametrize(
    ("with_lists", "without", "found"),
    [
        (OURS, ("", CHANGED), ""),
        (("", OFFLINE), OURS, ""),
        (("", NO_LIST), OURS, ""),
        (("", REVOKED), OURS, "0x800B010C"),
        (("", CHANGED), OURS, "0x80096010"),
        (("", OFFLINE), ("", CHANGED), "0x80096010"),
        (("", OFFLINE), ("Other", 0), "Other"),
        (("Other", 0), OURS, "Other"),
    ],
)
def test_only_a_list_that_can_not_be_had_is_done_without(
    monkeypatch: pytest.MonkeyPatch,
    with_lists: tuple[str, int],
    without: tuple[str, int],
    found: str,
) -> None:
    def windows(_path: str, *, revocation: bool) -> tuple[str, int]:
        return with_lists if revocation else without

    monkeypatch.setattr(authenticode, "_asked", windows)
    if not found:
        authenticode.refuse_unless_signed_by("Corporation", "a.exe")
        return
    with pytest.raises(Refused) as refused:
        authenticode.refuse_unless_signed_by("Corporation", "a.exe")
    assert refused.value.facts["found"] == found
