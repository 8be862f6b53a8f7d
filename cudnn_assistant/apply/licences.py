"""The licences of what a plan downloads: read before, accepted by the person, and recorded."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

from cudnn_assistant.apply.downloads import prepared
from cudnn_assistant.plain_file import content
from cudnn_assistant.plan import Accepted, Plan, licences
from cudnn_assistant.system.policy import archives, policy
from cudnn_assistant.trouble import Cancelled, Refused

if TYPE_CHECKING:
    from cudnn_assistant.download import Licence


def read_licence(address: str, cancel: threading.Event | None = None) -> Licence:
    """The text at ``address``. Raises :class:`Refused` when it can't be had, or was stopped.

    Where an administrator prepared the archives, it is the LICENSE.txt beside them.
    """
    from cudnn_assistant.download import Licence, licence

    if ready := prepared("LICENSE.txt", "licence-not-prepared"):
        return Licence(address, content(ready))
    if not policy().downloads:
        raise Refused("licence-not-prepared", folder=archives())
    try:
        return licence(address, cancel=cancel)
    except Cancelled:
        raise Refused("stopped") from None
    except Refused as trouble:
        raise Refused("licence-not-fetched", why=trouble) from trouble


def accept(read: Iterable[Licence], how: str) -> tuple[Accepted, ...]:
    """What the journal keeps of the person's yes, said at this moment."""
    now = f"{datetime.datetime.now(datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"
    return tuple(
        Accepted(address=text.address, sha256=text.sha256, when=now, how=how) for text in read
    )


def refuse_unaccepted(plan: Plan, accepted: Iterable[Accepted]) -> None:
    """Nothing is downloaded whose licence nobody accepted. Raises :class:`Refused`."""
    known = {one.address for one in accepted}
    for address in licences(plan):
        if address not in known:
            raise Refused("licence-not-accepted", link=address)
