"""Which causes may be mended here, as whoever looks after the computer has decided."""

from __future__ import annotations

from collections.abc import Iterable

from cudnn_assistant.causes import causes
from cudnn_assistant.finding import Automatic
from cudnn_assistant.session.checkup import Checkup
from cudnn_assistant.system.policy import policy
from cudnn_assistant.trouble import Misuse, Refused
from cudnn_assistant.wording import listed


def allowed(only: frozenset[str] | None = None) -> frozenset[str] | None:
    """Of these codes (``None``: of all) those that may be mended; ``None``: all."""
    allow = policy().allow
    if allow is None:
        return only
    return frozenset(allow) if only is None else only & frozenset(allow)


def known(codes: Iterable[str]) -> frozenset[str]:
    """The codes that somebody named. Raises :class:`Misuse` for one that no cause has."""
    named = frozenset(codes)
    there = {cause.name for cause in causes()}
    for code in sorted(named - there):
        raise Misuse("no-such-cause", name=code, known=tuple(sorted(there)))
    return named


def left_alone(checkup: Checkup, wanted: frozenset[str]) -> Refused | None:
    """Why nothing is planned for causes that could be mended; ``None``: that isn't the policy's."""
    allow = policy().allow
    automatic = {f.code for f in checkup.findings if isinstance(f.remedy, Automatic)}
    asked = automatic & wanted if wanted else automatic
    if allow is None or not (forbidden := asked - set(allow)):
        return None
    codes = listed(sorted(forbidden))
    return Refused("policy-allows-others", place=policy().place, codes=codes)
