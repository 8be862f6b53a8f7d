"""What was found and done since the window opened."""

from __future__ import annotations

from dataclasses import dataclass

from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import Entry
from cudnn_assistant.session import Checkup


@dataclass
class SessionState:
    """Kept by the flow and the change flow; read by everything else."""

    own: Machine
    """This computer as it was looked at last; before the first look nothing of it is known."""
    checkup: Checkup | None = None
    """The last finished one: of this computer, or of a report's."""
    outdated: bool = False
    """A check was begun since: what the last one found may be true no more."""
    trouble: str = ""
    """The traceback of a look that broke, for the report."""
    made: Entry | None = None
    """What was changed, last, and not put back."""
    done: tuple[Entry, ...] = ()
    """All that was changed or put back since the window opened."""
    notice: str = ""
    """What the next answer says first: why something that was asked for could not be done."""
    pasted: str = ""
    """The end of the message that was explained last, for the report."""
    changing: bool = False
    """A change is being made: nothing else may begin."""

    def answer(self, checkup: Checkup) -> None:
        """There is another one. A message was pasted for the computer that was looked at then."""
        if checkup.reported or self.foreign:
            self.pasted = ""
        if not checkup.reported:
            self.own = checkup.machine
        self.checkup, self.outdated, self.trouble = checkup, False, ""

    @property
    def foreign(self) -> bool:
        """Whether another computer is looked at, by its report."""
        return self.checkup is not None and self.checkup.reported

    @property
    def found(self) -> Checkup:
        """The last checkup, for what can only be asked once there is one."""
        assert self.checkup is not None
        return self.checkup
